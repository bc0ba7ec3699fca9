//! The rules of Go on a walled board: pure values, no clock, no input or output, no globals.
//!
//! Read in this order: [`color`], [`stone`] and [`coordinate`] name things; [`board`] holds the stones and is the only
//! statement of what may be played; [`check_board`], [`liberty`] and [`ren`] look at a board without changing it;
//! [`play_rule`] names the reasons of a refusal; [`game_rule`], [`record`] and [`ren_db`] are what a game adds;
//! [`position`] ties them to one play, one pass and one undo; [`diagram`] turns boards to text and back.

pub mod benson;
pub mod board;
mod changes;
pub mod check_board;
pub mod color;
pub mod coordinate;
pub mod diagram;
pub mod game_rule;
pub mod handicap;
pub mod liberty;
pub mod play_rule;
pub mod position;
pub mod record;
pub mod region;
pub mod ren;
pub mod ren_db;
pub mod score;
pub mod stone;

pub use benson::{Benson, benson};
pub use board::{Board, Ko, Observer, Prospect, Rest, SetupError};
pub use changes::HashChange;
pub use check_board::{CheckBoard, PointSet};
pub use color::{Color, Colors};
pub use coordinate::{Coordinate, MAX_SIDE, Point, VertexError};
pub use diagram::{BoardTextError, parse_stones};
pub use game_rule::{GameRule, HandicapBonus, KoRule, Scoring, Tax, counted_komi, is_same_name};
pub use liberty::{LibertySearch, get_liberty};
pub use play_rule::IllegalMove;
pub use position::{CannotUndo, HandicapError, NoRen, Position};
pub use record::{Move, Record, RecordItem};
pub use ren::Ren;
pub use ren_db::{RenDb, RenId};
pub use score::{Ending, Score, Tally, areas, score};
pub use stone::Stone;

/// The position after these moves, vertices and passes in turns.
#[cfg(test)]
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
