//! Self-atari: moves that leave their own ren in atari, and when that gains something.

use crate::kernel::{Board, Color, Ko, LibertyClass, Point};
use crate::playout::light::is_own_eye;
use crate::playout::tactics::liberties::liberties_after;
use crate::playout::tactics::nakade::{MAX_NAKADE, is_dead_shape};
use crate::playout::tactics::point_list::PointList;

/// Whether the ren of a move on an empty point has one liberty or none after it.
#[inline]
pub(crate) fn is_self_atari(board: &Board, color: Color, point: Point) -> bool {
    if board.empty_neighbors(point) >= 2 {
        return false;
    }
    let placement = board.placement_info(color, point);
    if placement.captures() {
        return liberties_after(board, color, point, &mut [Point::default(); 2]) < 2;
    }
    !placement.has_two_liberties()
}

/// Whether a move is a self-atari that gains nothing.
///
/// A self-atari gains something if it captures, if it is a single stone beside an opponent's ren with few liberties
/// (throw-in, snapback), or if the ren that captures it is left with a one-eye shape ([`is_dead_shape`]).
#[inline]
pub(crate) fn is_bad_self_atari(board: &Board, color: Color, point: Point) -> bool {
    if board.empty_neighbors(point) >= 2 {
        return false;
    }
    let placement = board.placement_info(color, point);
    match placement.liberties() {
        _ if placement.captures() => false,
        LibertyClass::More => false,
        LibertyClass::One(left) => !self_atari_gains(board, color, point, left),
        LibertyClass::None => true,
    }
}

/// Whether a heavy playout may play a move on an empty point: legal, no own eye filled, no self-atari that gains
/// nothing. A self-atari of a single stone is always allowed: in playouts a missed throw-in costs more than a wasted
/// stone.
#[inline(always)] // specialized for each color in playouts
pub(crate) fn is_playout_move(board: &Board, color: Color, point: Point) -> bool {
    // the common case first; the rest is computed without branches, which would be mispredicted
    if board.empty_neighbors(point) >= 2 {
        return true;
    }
    if is_own_eye(board, color, point) {
        return false;
    }
    let placement = board.placement_info(color, point);
    if placement.captures() {
        return board.ko() != Some(Ko { point, color });
    }
    if placement.has_two_liberties() | (placement.has_liberty() & !placement.connects()) {
        return true;
    }
    match placement.liberties() {
        LibertyClass::One(left) => self_atari_gains(board, color, point, left),
        LibertyClass::None | LibertyClass::More => false,
    }
}

/// Whether a self-atari without a capture gains something; `left` is its last liberty.
fn self_atari_gains(board: &Board, color: Color, point: Point, left: Point) -> bool {
    let around = board.coordinate().neighbors(point);
    if !board.touches(color, point) {
        return around.into_iter().any(|neighbor| {
            board.stone(neighbor) == color.opponent().stone()
                && board.liberties_up_to(neighbor, &mut [Point::default(); 4]) < 4
        });
    }
    // an opponent's ren whose only other liberty is `left` has to capture there, and is left with the stones' shape as
    // eye
    let is_captured_by_ren_in_atari = around.into_iter().any(|neighbor| {
        board.stone(neighbor) == color.opponent().stone()
            && board.other_liberties(neighbor, point) == LibertyClass::One(left)
    });
    if !is_captured_by_ren_in_atari {
        return false;
    }
    let mut ren = PointList::<MAX_NAKADE>::new();
    ren.push(point);
    for neighbor in around {
        if board.stone(neighbor) == color.stone() && !ren.contains(neighbor) {
            for p in board.ren_points(neighbor) {
                if !ren.push(p) {
                    return false;
                }
            }
        }
    }
    is_dead_shape(board, ren.as_slice())
}
