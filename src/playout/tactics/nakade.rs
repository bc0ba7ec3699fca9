//! Eye shapes that can be reduced to one eye, and their vital points.

use crate::kernel::{Board, Color, Point, Stone};
use crate::playout::tactics::point_list::PointList;

/// Points of the largest eye space that one move reduces to one eye.
pub(super) const MAX_NAKADE: usize = 6;

/// Whether an eye space of this shape yields only one eye if the opponent moves first: up to three points in any shape,
/// the square and pyramid four, the crossed and bulky five, the rabbity six.
pub(crate) fn is_dead_shape(board: &Board, points: &[Point]) -> bool {
    let (degree_sum, max_degree) = degree_stats(board, points);
    match points.len() {
        0..=3 => true,
        4 => degree_sum == 8 || max_degree == 3,
        5 => degree_sum == 10 || max_degree == 4,
        6 => degree_sum == 12 && max_degree == 4,
        _ => false,
    }
}

/// Whether six points are a rectangle, the only shape of them with seven adjacent pairs: alive, except in the corner.
pub(crate) fn is_rectangular_six(board: &Board, points: &[Point]) -> bool {
    points.len() == 6 && degree_stats(board, points).0 == 14
}

/// The sum and the maximum of the points' degrees: their neighbours within the shape. Together with the number of points
/// they identify the dead shapes.
fn degree_stats(board: &Board, points: &[Point]) -> (usize, usize) {
    let counts = points.iter().map(|&p| degree(board, points, p));
    counts.fold((0, 0), |(sum, max), count| (sum + count, max.max(count)))
}

/// Number of a point's neighbours within a shape.
fn degree(board: &Board, points: &[Point], point: Point) -> usize {
    board.coordinate().neighbors(point).iter().filter(|p| points.contains(p)).count()
}

/// The vital point of the eye space around an empty point: the owner gets two eyes by playing it, one if the opponent
/// plays it. `None` unless `owner` alone surrounds the space and it is a dead shape of three to six points; the square
/// four is dead as it is and has none.
#[inline]
pub(crate) fn nakade_point(board: &Board, owner: Color, start: Point) -> Option<Point> {
    let mut space = PointList::<MAX_NAKADE>::new();
    space.push(start);
    let mut visited = 0;
    while let Some(&point) = space.as_slice().get(visited) {
        for neighbor in board.coordinate().neighbors(point) {
            let stone = board.stone(neighbor);
            if stone == owner.opponent().stone()
                || stone == Stone::Space && !space.contains(neighbor) && !space.push(neighbor)
            {
                return None;
            }
        }
        visited += 1;
    }
    let points = space.as_slice();
    let (degree_sum, max_degree) = degree_stats(board, points);
    if points.len() < 3 || points.len() == 4 && degree_sum == 8 || !is_dead_shape(board, points) {
        return None;
    }
    points.iter().copied().find(|&p| degree(board, points, p) == max_degree)
}
