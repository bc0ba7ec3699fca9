//! The state of a game between a person and the engine: position, resignation, undo, and the engine's moves.
//!
//! A move of the engine is one search of [`Player`]. This file knows no input, no drawing and no files.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::NAME;
use crate::kernel::{Color, Coordinate, IllegalMove, Move, Point, Position};
use crate::net::Net;
use crate::player::level::STRONGEST;
use crate::player::{Choice, FinalScore, GenmoveMode, Options, Player, Query};
use crate::search::{ProgressSink, SearchResult, StopSignal};
use crate::sgf;

/// A game between a person and the engine.
pub(crate) struct TerminalGame {
    position: Position,
    /// The person's colour.
    person: Color,
    engine: Player,
    stop_signal: StopSignal,
    resigned_by: Option<Color>,
}

/// Why an action is refused. The display form is a message for the person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PlayError {
    /// The move is illegal.
    Illegal { vertex: String, reason: IllegalMove },
    /// The game is over.
    GameOver,
    /// The person has not moved yet.
    NothingToUndo,
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::Illegal { vertex, reason } => {
                write!(f, "{vertex} is illegal, {reason}: {}", reason.explanation())
            }
            PlayError::GameOver => f.write_str("the game is over: undo, save FILE or quit"),
            PlayError::NothingToUndo => f.write_str("there is no move of yours to take back"),
        }
    }
}

impl TerminalGame {
    /// A game that starts from `position`, moves already made included. The engine evaluates with `net`, or with
    /// playouts alone if there is none.
    pub(super) fn new(position: Position, person: Color, options: Options, net: Option<Arc<Net>>) -> TerminalGame {
        let mut engine = Player::new(options);
        engine.net = net;
        TerminalGame { position, person, engine, stop_signal: StopSignal::default(), resigned_by: None }
    }

    /// The current position with its history.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// The person's colour.
    pub(crate) fn person(&self) -> Color {
        self.person
    }

    /// The engine's search options.
    #[cfg(test)]
    pub(super) fn options(&self) -> &Options {
        &self.engine.options
    }

    /// A flag that stops the engine's search while it is set. The caller clears it.
    pub(crate) fn stop_flag(&self) -> &Arc<AtomicBool> {
        self.stop_signal.flag()
    }

    /// The colour that resigned, if one did.
    pub(super) fn resigned_by(&self) -> Option<Color> {
        self.resigned_by
    }

    /// The result in SGF's form, such as `B+2.5` or `W+R`; `None` while the game goes on.
    pub(super) fn result(&self) -> Option<String> {
        match self.resigned_by {
            Some(Color::Black) => Some("W+R".to_owned()),
            Some(Color::White) => Some("B+R".to_owned()),
            None => self.position.is_over().then(|| self.final_score().score.to_string()),
        }
    }

    /// The score if both players stop now.
    pub(super) fn final_score(&self) -> FinalScore {
        self.engine.final_score(&self.position)
    }

    /// Whether the game has ended by resignation or two passes.
    pub(super) fn is_over(&self) -> bool {
        self.resigned_by.is_some() || self.position.is_over()
    }

    /// Whether the engine is to move.
    pub(super) fn is_engines_turn(&self) -> bool {
        !self.is_over() && self.position.to_move() != self.person
    }

    /// Plays a move of the person.
    ///
    /// # Errors
    /// If the move is illegal or the game is over.
    pub(super) fn play(&mut self, play: Move) -> Result<(), PlayError> {
        if self.is_over() {
            return Err(PlayError::GameOver);
        }
        self.make_move(self.person, play)
    }

    /// Searches for the engine's move and plays it, or resigns for the engine.
    pub(super) fn play_engine_move(&mut self) -> Choice {
        let color = self.person.opponent();
        let (choice, _) = self.search(color, GenmoveMode::Game);
        match choice {
            // the search returns legal moves only; an illegal one would become a pass, not a crash
            Choice::Move(play) => self.make_move(color, play).unwrap_or_else(|_| self.position.pass(color)),
            Choice::Resign => self.resigned_by = Some(color),
        }
        choice
    }

    /// The move that the engine would play for the person, and its search result. The search has full strength, at any
    /// configured level.
    pub(super) fn hint(&mut self) -> (Move, SearchResult) {
        let level = std::mem::replace(&mut self.engine.options.level, STRONGEST);
        let (choice, result) = self.search(self.person, GenmoveMode::NoResign);
        self.engine.options.level = level;
        match choice {
            Choice::Move(play) => (play, result),
            // `NoResign` excludes this
            Choice::Resign => (Move::Pass, result),
        }
    }

    /// Resigns for the person.
    ///
    /// # Errors
    /// If the game is over.
    pub(super) fn resign(&mut self) -> Result<(), PlayError> {
        if self.is_over() {
            return Err(PlayError::GameOver);
        }
        self.resigned_by = Some(self.person);
        Ok(())
    }

    /// Takes back the person's last move and everything after it. After a resignation of the person, takes back the
    /// resignation only.
    ///
    /// # Errors
    /// If the person has not moved.
    pub(super) fn undo(&mut self) -> Result<(), PlayError> {
        if self.resigned_by == Some(self.person) {
            self.resigned_by = None;
            return Ok(());
        }
        let last = self.position.record().items().iter().rposition(|item| item.color == self.person);
        let last = last.ok_or(PlayError::NothingToUndo)?;
        self.resigned_by = None;
        while self.position.record().len() > last {
            self.position.undo().map_err(|_| PlayError::NothingToUndo)?;
        }
        Ok(())
    }

    /// The points of the stones that the last move captured.
    pub(super) fn last_captures(&self) -> &[Point] {
        self.position.record().items().last().map_or(&[], |item| &item.captured)
    }

    /// The game as a record, with the engine's name and the result.
    pub(super) fn record(&self) -> sgf::GameRecord {
        let mut record = sgf::record_of(&self.position);
        let engine = match self.person {
            Color::Black => &mut record.white,
            Color::White => &mut record.black,
        };
        *engine = Some(NAME.to_owned());
        record.result = self.result();
        record
    }

    /// The board's dimensions.
    pub(super) fn coordinate(&self) -> Coordinate {
        self.position.board().coordinate()
    }

    fn make_move(&mut self, color: Color, play: Move) -> Result<(), PlayError> {
        match play {
            Move::Pass => self.position.pass(color),
            Move::Play(point) => self.position.play(color, point).map_err(|reason| {
                let vertex = self.position.board().coordinate().vertex(point);
                PlayError::Illegal { vertex, reason }
            })?,
        }
        Ok(())
    }

    fn search(&mut self, color: Color, mode: GenmoveMode) -> (Choice, SearchResult) {
        let limits = self.engine.options.limits();
        let TerminalGame { position, stop_signal, .. } = self;
        let query = Query { position, color, limits, restrictions: None, owners: false, stop_signal };
        self.engine.choose(&query, mode, ProgressSink::default())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::GameRule;

    fn game(person: Color) -> TerminalGame {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        TerminalGame::new(position, person, Options { max_playouts: 20, seed: 1, ..Options::default() }, None)
    }

    fn play(game: &mut TerminalGame, vertex: &str) -> Result<(), PlayError> {
        let play = match vertex {
            "pass" => Move::Pass,
            vertex => Move::Play(game.coordinate().parse_vertex(vertex).unwrap()),
        };
        game.play(play)
    }

    #[test]
    fn undo_takes_back_the_engines_answer_too() {
        let mut game = game(Color::Black);
        assert_eq!(game.undo(), Err(PlayError::NothingToUndo));
        play(&mut game, "C3").unwrap();
        assert!(game.is_engines_turn());
        game.play_engine_move();
        assert!(!game.is_engines_turn());
        assert_eq!(game.position().record().len(), 2);
        game.undo().unwrap();
        assert!(game.position().record().is_empty() && !game.is_engines_turn());
    }

    #[test]
    fn undo_needs_a_move_of_the_person() {
        let mut game = game(Color::White);
        assert!(game.is_engines_turn());
        game.play_engine_move();
        assert_eq!(game.undo(), Err(PlayError::NothingToUndo));
        assert_eq!(game.position().record().len(), 1);
    }

    #[test]
    fn undo_continues_a_resigned_game() {
        let mut game = game(Color::Black);
        play(&mut game, "C3").unwrap();
        game.play_engine_move();
        game.resign().unwrap();
        assert_eq!((game.result().as_deref(), game.resigned_by()), (Some("W+R"), Some(Color::Black)));
        assert_eq!(play(&mut game, "B2"), Err(PlayError::GameOver));
        assert_eq!(game.resign(), Err(PlayError::GameOver));
        game.undo().unwrap();
        assert_eq!((game.result(), game.position().record().len()), (None, 2));
        // the engine resigned: the person's last move is taken back
        game.resigned_by = Some(Color::White);
        assert_eq!(game.result().as_deref(), Some("B+R"));
        game.undo().unwrap();
        assert!(game.result().is_none() && game.position().record().is_empty());
    }

    #[test]
    fn illegal_move_error_names_the_rule() {
        let mut game = game(Color::Black);
        play(&mut game, "C3").unwrap();
        game.position.pass(Color::White);
        let error = play(&mut game, "C3").unwrap_err();
        assert_eq!(error.to_string(), "C3 is illegal, masonry: there is a stone on the point");
    }

    #[test]
    fn two_passes_end_the_game_and_set_the_records_result() {
        let mut game = game(Color::White);
        for _ in 0..2 {
            let color = game.position().to_move();
            game.position.pass(color);
        }
        assert_eq!(game.result().as_deref(), Some("W+0.5"));
        let record = game.record();
        assert_eq!((record.black.as_deref(), record.white), (Some(NAME), None));
        assert_eq!(record.result.as_deref(), Some("W+0.5"));
    }

    #[test]
    fn hint_searches_at_full_strength_and_restores_the_level() {
        let mut game = game(Color::Black);
        game.engine.options.max_playouts = 300;
        game.engine.options.level = 3;
        assert_eq!(game.hint().1.playouts, 300);
        assert_eq!(game.options().level, 3);
        // the hint's tree is not reused at the lower level
        let (_, result) = game.search(Color::Black, GenmoveMode::Game);
        assert_eq!((result.playouts, result.visits), (1, 1));
    }
}
