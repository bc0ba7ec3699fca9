//! The check board (チェック盤), on which a flood fill marks its progress.

use crate::kernel::point_set::PointSet;

/// The check board: the points that a flood fill has visited, and those it has counted as liberties.
#[derive(Clone, Debug, Default)]
pub(super) struct CheckBoard {
    /// Points of the rens found so far.
    pub(super) stone: PointSet,
    /// Liberties of the current ren.
    pub(super) liberty: PointSet,
}

impl CheckBoard {
    /// A check board without marks.
    pub(super) fn new() -> CheckBoard {
        CheckBoard::default()
    }
}
