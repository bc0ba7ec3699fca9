//! Liberties of a ren after a move, without playing it.

use crate::kernel::{Board, Color, Ko, Point, Stone};
use crate::playout::tactics::point_list::PointList;

/// Writes the liberties of the new stone's ren after a move on an empty point to `found`, each once, until it is full;
/// returns how many were written. Points of captured stones count.
#[inline]
pub(crate) fn liberties_after<const N: usize>(
    board: &Board,
    color: Color,
    point: Point,
    found: &mut [Point; N],
) -> usize {
    let around = board.coordinate().neighbors(point);
    // a frame cell, which is no liberty: every slot can be compared, written or not
    found.fill(Point::default());
    let mut count = 0;
    let mut taken = PointList::<4>::new();
    let mut joined = PointList::<4>::new();
    for neighbor in around {
        let stone = board.stone(neighbor);
        let is_taken = stone == color.opponent().stone() && board.is_atari(neighbor);
        if is_taken {
            taken.insert(board.ren_head(neighbor));
        }
        if stone == color.stone() {
            joined.insert(board.ren_head(neighbor));
        }
        if stone == Stone::Space && push_new(found, &mut count, neighbor) {
            return N;
        }
    }
    if !taken.as_slice().is_empty() {
        for neighbor in around {
            let is_taken = board.stone(neighbor) != Stone::Space && taken.contains(board.ren_head(neighbor));
            if is_taken && push_new(found, &mut count, neighbor) {
                return N;
            }
        }
    }
    let is_taken = |p: Point| {
        !taken.as_slice().is_empty() && board.stone(p) == color.opponent().stone() && taken.contains(board.ren_head(p))
    };
    for &ren in joined.as_slice() {
        for stone in board.ren_points(ren) {
            for neighbor in board.coordinate().neighbors(stone) {
                let is_liberty = (board.stone(neighbor) == Stone::Space) & (neighbor != point) || is_taken(neighbor);
                if is_liberty && push_new(found, &mut count, neighbor) {
                    return N;
                }
            }
        }
    }
    count
}

/// Writes a point unless it was written before; returns whether `found` is full.
#[inline(always)]
fn push_new<const N: usize>(found: &mut [Point; N], count: &mut usize, point: Point) -> bool {
    let is_known = found.iter().fold(false, |known, &p| known | (p == point));
    if !is_known && let Some(slot) = found.get_mut(*count) {
        *slot = point;
        *count += 1;
    }
    *count == N
}

/// The liberties of the ren at a point, which must hold a stone, if it has exactly two.
#[inline]
pub(crate) fn two_liberties_of(board: &Board, ren: Point) -> Option<[Point; 2]> {
    // a frame cell, which is no liberty
    let none = Point::default();
    let [mut one, mut two] = [none; 2];
    for stone in board.ren_points(ren) {
        let mut has_third = false;
        for neighbor in board.coordinate().neighbors(stone) {
            let is_new = (board.stone(neighbor) == Stone::Space) & (neighbor != one) & (neighbor != two);
            has_third |= is_new & (two != none);
            two = if is_new & (one != none) { neighbor } else { two };
            one = if one == none && is_new { neighbor } else { one };
        }
        if has_third {
            return None;
        }
    }
    (two != none).then_some([one, two])
}

/// Whether a move on an empty point is legal and its ren has two liberties or more after it.
#[inline]
pub(crate) fn is_legal_without_self_atari(board: &Board, color: Color, point: Point) -> bool {
    if board.empty_neighbors(point) >= 2 {
        return true;
    }
    let placement = board.placement_info(color, point);
    if placement.captures() {
        return board.ko() != Some(Ko { point, color })
            && liberties_after(board, color, point, &mut [Point::default(); 2]) == 2;
    }
    placement.has_two_liberties()
}

/// Whether the ren of a move on an empty point would have two liberties or more if an opponent's stone stood on the
/// empty point `without`.
#[inline]
pub(crate) fn has_two_liberties_without(board: &Board, color: Color, point: Point, without: Point) -> bool {
    let placement = board.placement_info_without(color, point, without);
    if placement.captures() {
        let mut found = [Point::default(); 3];
        let count = liberties_after(board, color, point, &mut found);
        return found.iter().take(count).filter(|&&p| p != without).count() >= 2;
    }
    placement.has_two_liberties()
}
