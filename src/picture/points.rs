//! Points as the data of pages and `board.js` name them: the index from the highest rank down, -1 for a pass.

use crate::kernel::{Color, Coordinate, Move, Point};

/// The index of a point; -1 off the board.
pub(crate) fn index(coordinate: Coordinate, point: Point) -> i32 {
    coordinate.index_from_highest_rank(point).and_then(|index| i32::try_from(index).ok()).unwrap_or(-1)
}

/// The index of a move.
pub(crate) fn move_index(coordinate: Coordinate, play: Move) -> i32 {
    play.point().map_or(-1, |point| index(coordinate, point))
}

/// The point of an index; `None` off the board.
pub(crate) fn point_at(coordinate: Coordinate, index: i32) -> Option<Point> {
    let (width, height) = (i32::from(coordinate.width()), i32::from(coordinate.height()));
    let (row, column) = (index.div_euclid(width), index.rem_euclid(width));
    let (x, y) = (u8::try_from(column + 1).ok()?, u8::try_from(height - row).ok()?);
    // the frame has points, too
    coordinate.point(x, y).filter(|&point| coordinate.contains(point))
}

/// The move of an index; `None` off the board.
pub(crate) fn move_at(coordinate: Coordinate, index: i32) -> Option<Move> {
    if index == -1 { Some(Move::Pass) } else { point_at(coordinate, index).map(Move::Play) }
}

/// The letter of a colour.
pub(crate) const fn letter(color: Color) -> &'static str {
    match color {
        Color::Black => "b",
        Color::White => "w",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn indices_go_from_the_highest_rank_down() {
        for (width, height) in [(19, 19), (2, 25), (9, 3)] {
            let coordinate = Coordinate::new(width, height).unwrap();
            for (number, point) in coordinate.points_from_highest_rank().enumerate() {
                assert_eq!(index(coordinate, point), number as i32);
                assert_eq!(point_at(coordinate, number as i32), Some(point));
            }
            let area = i32::from(width) * i32::from(height);
            for outside in [-2, area, area + 1, i32::MAX, i32::MIN] {
                assert_eq!(move_at(coordinate, outside), None, "{outside}");
            }
            assert_eq!(move_at(coordinate, -1), Some(Move::Pass));
            assert_eq!(move_index(coordinate, Move::Pass), -1);
        }
    }
}
