//! Captures that save a ren.

use crate::kernel::{Board, Point};
use crate::playout::tactics::point_list::PointList;

/// Adds the moves that capture an opponent's ren in atari beside the ren at a point, which must hold a stone.
#[inline]
pub(crate) fn counter_captures<const N: usize>(board: &Board, ren: Point, found: &mut PointList<N>) {
    let Some(color) = board.stone(ren).color() else { return };
    for stone in board.ren_points(ren) {
        for neighbor in board.coordinate().neighbors(stone) {
            if board.stone(neighbor) == color.opponent().stone()
                && let Some(liberty) = board.atari(neighbor)
                && board.check(color, liberty).is_ok()
            {
                found.insert(liberty);
            }
        }
    }
}
