//! Cache lines.

/// Words of 32 bits in a line.
pub(in crate::net) const BLOCK: usize = 16;

/// A cache line of words of 32 bits.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in crate::net) struct Line<E>(pub(in crate::net) [E; BLOCK]);
