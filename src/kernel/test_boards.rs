//! Boards drawn as text and positions given by their moves, for unit tests.

use crate::kernel::board::Board;
use crate::kernel::coordinate::Coordinate;
use crate::kernel::diagram::parse_board;
use crate::kernel::position::Position;
use crate::kernel::stone::Stone;

/// The size and the cells, frame included, of a drawn board: one string for each row, the top row (rank 1) first.
pub(crate) fn stones(rows: &[&str]) -> (Coordinate, Vec<Stone>) {
    let board = board(rows);
    (board.coordinate(), board.stones().to_vec())
}

/// The board drawn by these rows: `x` is Black, `o` is White, `.` is empty.
#[allow(clippy::unwrap_used)]
pub(crate) fn board(rows: &[&str]) -> Board {
    parse_board(&rows.join("\n")).unwrap()
}

/// The position after these moves by alternating players: vertices or `pass`, separated by blanks.
#[allow(clippy::unwrap_used)]
pub(crate) fn played(mut position: Position, moves: &str) -> Position {
    for word in moves.split_whitespace() {
        let color = position.to_move();
        match word {
            "pass" => position.pass(color),
            vertex => position.play(color, position.board().coordinate().parse_vertex(vertex).unwrap()).unwrap(),
        }
    }
    position
}
