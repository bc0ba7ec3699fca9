//! Boards drawn as text, for unit tests.

use crate::kernel::{Board, Coordinate, Stone, parse_stones};

/// The cells of a drawn board, one string a row from the top, without the frame.
#[allow(clippy::unwrap_used)]
pub(crate) fn stones(rows: &[&str]) -> (Coordinate, Vec<Stone>) {
    let width = rows.first().unwrap().len() as u8;
    let coordinate = Coordinate::new(width, rows.len() as u8).unwrap();
    let wall = "+".repeat(coordinate.memory_width());
    let rows: String = rows.iter().map(|row| format!("+{row}+")).collect();
    (coordinate, parse_stones(coordinate, format!("{wall}{rows}{wall}").as_bytes()).unwrap())
}

/// A drawn board; `x` is Black, `o` is White, `.` is empty.
#[allow(clippy::unwrap_used)]
pub(crate) fn board(rows: &[&str]) -> Board {
    let (coordinate, stones) = stones(rows);
    Board::from_stones(coordinate, &stones).unwrap()
}
