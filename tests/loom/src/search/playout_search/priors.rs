//! The input of a new node: the fields of the engine's `Prior`.

use crate::kernel::Move;

/// As the engine's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prior {
    pub(crate) play: Move,
    pub(crate) value: f32,
    pub(crate) weight: f32,
}
