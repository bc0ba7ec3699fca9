//! Edits by hand of the stones and of the ren database, and the replay of the game from its set-up.

use crate::kernel::board::{Board, SetupError};
use crate::kernel::color::Color;
use crate::kernel::coordinate::Point;
use crate::kernel::play_rule::IllegalMove;
use crate::kernel::position::errors::{NoStoneError, WrongSizeError};
use crate::kernel::position::state::Position;
use crate::kernel::record::Move;
use crate::kernel::ren_db::RenDb;
use crate::kernel::stone::Stone;
use crate::kernel::zobrist::board_hash;

impl Position {
    /// Removes the ren of stones at a point by hand, as [`Position::edit`] does.
    ///
    /// # Errors
    /// If there is no stone on the point; the position is then unchanged.
    pub fn remove_ren(&mut self, point: Point) -> Result<(), NoStoneError> {
        if self.board.stone(point).color().is_none() {
            return Err(NoStoneError);
        }
        let stones = self.board.stones_with(self.board.ren_points(point).map(|stone| (stone, Stone::Space)));
        // removing stones takes no liberty from another ren
        self.edit(&stones).map_err(|_| NoStoneError)
    }

    /// Replaces the stones by hand: no move, no prisoners, and no ko is banned for a player who has not moved since.
    /// The record stays; the ren database then holds the rens of the edited position under its ordinal.
    ///
    /// # Errors
    /// As [`Board::from_stones`]; the position is then unchanged.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, GameRule, Position, parse_diagram};
    ///
    /// let edited = parse_diagram(
    ///     "x . .
    ///      . o .",
    /// )?;
    /// let mut position = Position::new(edited.coordinate(), GameRule::with_komi(0.5), 200, Color::Black);
    /// position.pass(Color::Black);
    /// position.edit(edited.stones())?;
    /// assert_eq!((position.board(), position.record().len()), (&edited, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn edit(&mut self, stones: &[Stone]) -> Result<(), SetupError> {
        self.board = Board::from_stones(self.board.coordinate(), stones)?;
        (self.state.hash, self.state.has_moved) = (board_hash(&self.board), [false; 2]);
        self.rens = RenDb::rens_of(&self.board);
        self.ren_db.replace(self.ordinal(), Some(self.rens.clone()));
        self.edited = Some(stones.into());
        Ok(())
    }

    /// Registers the rens of this position that have no entry in the database yet.
    pub fn find_all_rens(&mut self) {
        self.ren_db.register_all(self.ordinal(), &self.board);
    }

    /// Replaces the ren database. Later moves add their rens to the new one.
    ///
    /// # Errors
    /// If the database is for boards of another size; the position then keeps its own.
    pub fn replace_ren_db(&mut self, ren_db: RenDb) -> Result<(), WrongSizeError> {
        if ren_db.coordinate() != self.board.coordinate() {
            return Err(WrongSizeError);
        }
        self.ren_db = ren_db;
        for entry in &mut self.undo_stack {
            entry.replaced = None;
        }
        Ok(())
    }

    /// The same game, replayed from its set-up with all edits by hand: a consistent position, also if a panic has left
    /// this one half updated. The ren database is rebuilt from the game; a loaded one is dropped.
    pub fn replayed(&self) -> Position {
        let mut position = self.clone();
        position.board = Board::new(self.board.coordinate());
        if let Ok(board) = Board::from_stones(self.board.coordinate(), &self.start) {
            position.board = board;
        }
        position.reset();
        position.handicap = self.handicap;
        for (item, entry) in self.record.items().iter().zip(&self.undo_stack) {
            position.restore_edit(entry.is_edited.then_some(&*entry.stones), entry.state.to_move);
            match item.play {
                Move::Pass => position.pass(item.color),
                // other rules may have applied when the move was made
                Move::Play(point) => match position.board.check(item.color, point) {
                    Ok(()) | Err(IllegalMove::Ko | IllegalMove::Suicide) => position.apply(item.color, point),
                    Err(_) => break,
                },
            }
        }
        position.restore_edit(self.edited.as_deref(), self.state.to_move);
        position
    }

    /// Repeats an edit that was made between two moves.
    fn restore_edit(&mut self, edited: Option<&[Stone]>, to_move: Color) {
        // these stones were accepted before
        let _ = edited.map(|stones| self.edit(stones));
        self.state.to_move = to_move;
    }

    /// Compares all incrementally updated fields with their recomputed values. For tests.
    ///
    /// # Panics
    /// If they differ, with the name of the field.
    pub fn assert_consistent(&self) {
        self.board.assert_consistent();
        assert_eq!(self.undo_stack.len(), self.record.len(), "undo stack");
        assert_eq!(self.rens, RenDb::rens_of(&self.board), "rens");
        assert_eq!(self.state.hash, board_hash(&self.board), "hash");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::coordinate::Coordinate;
    use crate::kernel::game_rule::GameRule;
    use crate::kernel::parse_diagram;

    #[test]
    fn replayed_drops_a_half_applied_move() {
        let coordinate = Coordinate::square(5).unwrap();
        let point = |name: &str| coordinate.parse_vertex(name).unwrap();
        let check = |position: &Position| {
            let mut broken = position.clone();
            broken.board.play_legal(Color::Black, point("C3"), &mut ());
            let again = broken.replayed();
            again.assert_consistent();
            assert_eq!(again.board.stones(), position.board.stones());
            assert_eq!((again.state, &again.record), (position.state, &position.record));
        };
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        check(&position);
        position.set_handicap(&[point("B2"), point("D4")]).unwrap();
        check(&position);
        // an edit before the first move
        position.remove_ren(point("D4")).unwrap();
        check(&position);
        position.play(Color::White, point("A5")).unwrap();
        check(&position);
    }

    /// White retakes a ko after stones were set up: its move before does not count, so nothing is recreated.
    #[test]
    fn no_ko_is_banned_after_an_edit_and_one_move() {
        let coordinate = Coordinate::square(5).unwrap();
        let point = |name: &str| coordinate.parse_vertex(name).unwrap();
        let drawn = parse_diagram(
            ". x o . .
             x o . o .
             . x o . .
             . . . . .
             . . . . .",
        );
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        position.play(Color::Black, point("E5")).unwrap();
        position.play(Color::White, point("E4")).unwrap();
        position.edit(drawn.unwrap().stones()).unwrap();
        position.play(Color::Black, point("C2")).unwrap();
        assert_eq!((position.board().ko().map(|ko| ko.point), position.banned_ko()), (Some(point("B2")), None));
        position.play(Color::White, point("B2")).unwrap();
        // now each has moved
        assert_eq!(position.check(Color::Black, point("C2")), Err(IllegalMove::Ko));
        position.undo().unwrap();
        position.undo().unwrap();
        position.undo().unwrap();
        position.play(Color::White, point("E3")).unwrap();
        position.assert_consistent();
    }

    #[test]
    fn find_all_rens_adds_what_a_replaced_database_lacks() {
        let coordinate = Coordinate::square(5).unwrap();
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        for (color, name) in [(Color::Black, "C3"), (Color::White, "D3"), (Color::Black, "C2")] {
            position.play(color, coordinate.parse_vertex(name).unwrap()).unwrap();
        }
        position.replace_ren_db(RenDb::new(coordinate, 0)).unwrap();
        assert!(position.ren_db().is_empty());
        position.find_all_rens();
        assert!(!position.ren_db().is_empty());
        // two rens of stones, and the empty points
        assert_eq!(position.ren_db().len(), 3);
    }
}
