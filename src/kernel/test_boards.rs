//! Boards drawn as text and positions given by their moves, for unit tests.

use crate::kernel::board::Board;
use crate::kernel::color::Color;
use crate::kernel::diagram::parse_diagram;
use crate::kernel::game_rule::GameRule;
use crate::kernel::position::Position;
use crate::kernel::record::Move;

/// The position of a drawn board, as returned by [`board`], under the rule set of this name.
#[allow(clippy::unwrap_used)]
pub(crate) fn position(rows: &[&str], rules: &str, komi: f64, to_move: Color) -> Position {
    let board = board(rows);
    let rule = GameRule::with_komi(komi).with_rule_set(rules).unwrap();
    let mut position = Position::new(board.coordinate(), rule, 0, to_move);
    position.set_up(board.stones()).unwrap();
    position
}

/// The board drawn by these rows, the top row (rank 1) first: `x` is Black, `o` is White, `.` is empty.
#[allow(clippy::unwrap_used)]
pub(crate) fn board(rows: &[&str]) -> Board {
    parse_diagram(&rows.join("\n")).unwrap()
}

/// The position after these moves by alternating players: vertices or `pass`, separated by blanks.
#[allow(clippy::unwrap_used)]
pub(crate) fn played(mut position: Position, moves: &str) -> Position {
    for word in moves.split_whitespace() {
        let color = position.to_move();
        position.make_move(color, Move::parse(word, position.board().coordinate()).unwrap()).unwrap();
    }
    position
}
