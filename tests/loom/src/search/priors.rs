//! The input of a new node: the fields of the engine's `Prior`.

use crate::kernel::Move;

/// As the engine's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prior {
    pub(super) play: Move,
    pub(super) value: f32,
    pub(super) weight: f32,
}
