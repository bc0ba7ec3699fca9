//! Cache lines.

/// Words of 32 bits in a cache line.
pub(in crate::net) const LINE_WORDS: usize = 16;

/// A cache line of words of 32 bits.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in crate::net) struct Line<E>(pub(in crate::net) [E; LINE_WORDS]);
