//! Legality of moves, play, pass and undo.

use crate::kernel::board::Ko;
use crate::kernel::changes::Changes;
use crate::kernel::color::Color;
use crate::kernel::coordinate::Point;
use crate::kernel::game_rule::KoRule;
use crate::kernel::play_rule::IllegalMove;
use crate::kernel::position::errors::NothingToUndoError;
use crate::kernel::position::state::{Position, UndoEntry};
use crate::kernel::record::{Move, RecordItem};
use crate::kernel::ren_db::RenDb;

impl Position {
    /// Whether `color` may play on `point`.
    ///
    /// # Errors
    /// As [`Board::check`](crate::kernel::Board::check), except that suicide of several stones is legal where the rules
    /// allow it. `my_eye`, where the game forbids filling one's own eye, comes before `suicide`. `superko`, where the
    /// rules have it, replaces `ko`.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, GameRule, IllegalMove, Position, parse_diagram};
    ///
    /// let board = parse_diagram(
    ///     ". x .
    ///      x x .
    ///      . . .",
    /// )?;
    /// let mut position = Position::new(board.coordinate(), GameRule::with_komi(0.5), 200, Color::Black);
    /// position.set_up(board.stones())?;
    /// position.rule_mut().can_not_put_on_my_eye = true;
    /// let a1 = board.coordinate().parse_vertex("A1")?;
    /// assert_eq!(position.check(Color::Black, a1), Err(IllegalMove::MyEye));
    /// assert_eq!(position.check(Color::White, a1), Err(IllegalMove::OpponentEye));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check(&self, color: Color, point: Point) -> Result<(), IllegalMove> {
        let is_superko = self.rule.ko != KoRule::Simple;
        let is_ko_banned = !is_superko && self.banned_ko().is_some();
        self.rule.check(&self.board, color, point, is_ko_banned)?;
        if is_superko && self.repeats(color, point) {
            return Err(IllegalMove::Superko);
        }
        Ok(())
    }

    /// Whether `color` may make this move; a pass is always legal.
    ///
    /// # Errors
    /// As [`Position::check`].
    pub fn check_move(&self, color: Color, play: Move) -> Result<(), IllegalMove> {
        play.point().map_or(Ok(()), |point| self.check(color, point))
    }

    /// Plays a move, in turn or out of turn.
    ///
    /// # Errors
    /// As [`Position::check`]; the position is then unchanged.
    pub fn play(&mut self, color: Color, point: Point) -> Result<(), IllegalMove> {
        self.check(color, point)?;
        self.apply(color, point);
        Ok(())
    }

    /// Plays a move without the checks of the game's rules: a banned ko and suicide are accepted. [`Board::check`] must
    /// return `Ok`, `Ko` or `Suicide` for it.
    ///
    /// [`Board::check`]: crate::kernel::Board::check
    pub(super) fn apply(&mut self, color: Color, point: Point) {
        let mut entry = self.undo_entry();
        if self.board.ko() == Some(Ko { point, color }) {
            self.board.lift_ko();
        }
        let mut changes = Changes::default();
        self.board.play_legal(color, point, &mut changes);
        self.state.hash ^= changes.hash.0;
        let mut captured = Vec::with_capacity(changes.captured.len());
        for &(owner, point) in &changes.captured {
            self.state.prisoners[owner.opponent().index()] += 1;
            captured.push(point);
        }
        // the board removes a ren in the order of its ring, which depends on moves undone before
        captured.sort_unstable();
        let takes_ko = self.board.ko().is_some();
        self.rens = RenDb::rens_after(&self.board, &self.rens, &changes);
        entry.replaced = self.ren_db.replace(self.ordinal() + 1, Some(self.rens.clone()));
        self.push_move(entry, RecordItem { color, play: Move::Play(point), captured, takes_ko });
    }

    /// Passes, in turn or out of turn. Always legal.
    pub fn pass(&mut self, color: Color) {
        let mut entry = self.undo_entry();
        self.board.pass();
        entry.replaced = self.ren_db.replace(self.ordinal() + 1, Some(self.rens.clone()));
        self.push_move(entry, RecordItem { color, play: Move::Pass, captured: Vec::new(), takes_ko: false });
    }

    /// Plays a stone or passes, in turn or out of turn.
    ///
    /// # Errors
    /// As [`Position::check_move`]; the position is then unchanged.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, IllegalMove, Move, Position};
    ///
    /// let coordinate = Coordinate::square(9).ok_or("size")?;
    /// let mut position = Position::new(coordinate, GameRule::with_komi(7.0), 200, Color::Black);
    /// let play = Move::parse("E5", coordinate)?;
    /// position.make_move(Color::Black, play)?;
    /// assert_eq!(position.make_move(Color::White, play), Err(IllegalMove::Masonry));
    /// position.make_move(Color::White, Move::Pass)?;
    /// assert_eq!(position.record().text(coordinate), "[1]E5 [2]pass");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn make_move(&mut self, color: Color, play: Move) -> Result<(), IllegalMove> {
        match play {
            Move::Play(point) => self.play(color, point)?,
            Move::Pass => self.pass(color),
        }
        Ok(())
    }

    /// Undoes the last move and every edit since: stones, ko, prisoners, player to move, record, and the ren database,
    /// which loses the rens of the undone position.
    ///
    /// # Errors
    /// If there is no move since the set-up.
    pub fn undo(&mut self) -> Result<(), NothingToUndoError> {
        let entry = self.undo_stack.pop().ok_or(NothingToUndoError)?;
        let ordinal = self.ordinal();
        self.board.restore(&entry.stones, entry.ko);
        self.state = entry.state;
        self.rens = entry.rens;
        self.ren_db.replace(ordinal, entry.replaced);
        self.record.pop();
        self.edited = entry.is_edited.then_some(entry.stones);
        Ok(())
    }

    fn undo_entry(&self) -> UndoEntry {
        UndoEntry {
            stones: self.board.stones().into(),
            is_edited: self.edited.is_some(),
            ko: self.board.ko(),
            state: self.state,
            rens: self.rens.clone(),
            replaced: None,
        }
    }

    /// Records a move after the board has been changed.
    fn push_move(&mut self, entry: UndoEntry, item: RecordItem) {
        self.state.to_move = item.color.opponent();
        self.state.has_moved[item.color.index()] = true;
        self.record.push(item);
        self.undo_stack.push(entry);
        self.edited = None;
    }

    /// Whether the move would recreate an earlier board of this game; with [`KoRule::Situational`], one with the same
    /// player to move. Positions before the button was taken are others. Equal hashes are confirmed by comparing the
    /// stones.
    fn repeats(&self, color: Color, point: Point) -> bool {
        let mut changes = Changes::default();
        let after = self.board.after(color, point, &mut changes);
        let hash = self.state.hash ^ changes.hash.0;
        self.undo_stack.iter().skip(self.positions_before_button()).any(|entry| {
            entry.state.hash == hash
                && (self.rule.ko == KoRule::Positional || entry.state.to_move == color.opponent())
                && *entry.stones == *after.stones()
        })
    }
}
