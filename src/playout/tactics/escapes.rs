//! Escapes from atari.

use crate::kernel::{Board, Point};
use crate::playout::tactics::captures::counter_captures;
use crate::playout::tactics::ladder::LadderReader;
use crate::playout::tactics::liberties::liberties_after;
use crate::playout::tactics::point_list::PointList;

/// Adds the moves that may save the ren at a point, which is in atari: captures of a neighbour, and an extension to
/// three liberties, or to two if it is not caught in a ladder.
pub(crate) fn escapes<const N: usize>(board: &Board, ren: Point, ladder: &mut LadderReader, found: &mut PointList<N>) {
    let Some(color) = board.stone(ren).color() else { return };
    counter_captures(board, ren, found);
    let Some(liberty) = board.atari(ren) else { return };
    if found.contains(liberty) || board.check(color, liberty).is_err() {
        return;
    }
    match liberties_after(board, color, liberty, &mut [Point::default(); 3]) {
        0 | 1 => {}
        2 => {
            if !ladder.is_captured(board, ren) {
                found.insert(liberty);
            }
        }
        _ => {
            found.insert(liberty);
        }
    }
}
