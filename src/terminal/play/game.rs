//! The state of a game between a person and the engine: position, clocks, resignation, undo, and the engine's moves.
//!
//! A move of the engine is one search of [`Player`]. This file does not depend on input, drawing or files. `advice` adds
//! hints, estimates of the score and reviews.

pub(super) mod advice;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::NAME;
use crate::kernel::{Color, Coordinate, Move, Point, Position};
use crate::net::Net;
use crate::player::clock::{Clock, TimeSettings};
use crate::player::game_clock::GameClock;
use crate::player::{Choice, FinalScore, GenmoveMode, Interrupted, Options, Player, PlayerRequest};
use crate::protocol::sgf_time::sgf_times;
use crate::search::{Limits, ProgressSink, SearchResult, StopSignal};
use crate::sgf::{self, GameTree};
use crate::terminal::play::error::PlayError;
use crate::terminal::play::loaded::LoadedGame;
use crate::terminal::play::time_text;

/// A game between a person and the engine.
pub(crate) struct TerminalGame {
    position: Position,
    /// The person's colour.
    person: Color,
    /// The person's name; `None` if it is unknown.
    person_name: Option<String>,
    /// The empty board on which `new` begins, with the usual rules and komi.
    new_game_position: Position,
    /// The date of the first move, as in `DT`.
    date: String,
    engine: Player,
    stop_signal: StopSignal,
    end: Option<End>,
    /// The clocks; positions are named by the number of their moves.
    clock: GameClock<usize>,
    undone: Option<Undone>,
    /// The record that this game continues.
    loaded: Option<LoadedGame>,
    /// Whether there are moves, or an end of the game, that are in no file.
    is_changed: bool,
    /// The number of moves, from the first, that a file holds: the one that was loaded, or the last one that was saved.
    moves_in_file: usize,
}

/// The end of a game before two passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// This colour resigned.
    Resignation(Color),
    /// This colour lost on time.
    Time(Color),
}

impl End {
    /// The colour that lost.
    pub(super) fn loser(self) -> Color {
        match self {
            End::Resignation(color) | End::Time(color) => color,
        }
    }
}

/// The moves that `redo` plays again.
struct Undone {
    /// The position before the first of the `undo`s.
    tip: Position,
    /// For each `undo`, the number of moves before it, the end of the game and the clocks.
    steps: Vec<(usize, Option<End>, Clock)>,
}

impl TerminalGame {
    /// A game that starts from `position`, moves already made included. The engine evaluates with `net`, or with
    /// playouts alone if there is none. A new game after it begins as `position` with an empty board.
    pub(super) fn new(position: Position, person: Color, options: Options, net: Option<Arc<Net>>) -> TerminalGame {
        let mut engine = Player::new(options);
        engine.net = net;
        let new_game_position = position.new_game(position.board().coordinate());
        TerminalGame {
            position,
            person,
            person_name: None,
            new_game_position,
            date: today(),
            engine,
            stop_signal: StopSignal::default(),
            end: None,
            clock: GameClock::default(),
            undone: None,
            loaded: None,
            is_changed: false,
            moves_in_file: 0,
        }
    }

    /// The same game with the person's name, and with a board that later games begin on.
    pub(super) fn with_new_game_position(
        self,
        new_game_position: Position,
        person_name: Option<String>,
    ) -> TerminalGame {
        TerminalGame { new_game_position, person_name, ..self }
    }

    /// Begins another game at a position. Options, time settings and names stay.
    pub(super) fn restart(&mut self, position: Position, person: Color) {
        self.position = position;
        self.person = person;
        self.date = today();
        self.engine.new_game();
        (self.end, self.undone, self.loaded) = (None, None, None);
        (self.is_changed, self.moves_in_file) = (false, 0);
        self.clock.reset();
    }

    /// Begins another game at the end of a record, to which its moves are added.
    pub(super) fn continue_record(&mut self, tree: GameTree, position: Position, person: Color) {
        self.restart(position, person);
        self.loaded = Some(LoadedGame::new(tree, &self.position));
        self.moves_in_file = self.position.record().len();
    }

    /// The current position with its history.
    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// The empty board that a new game begins on.
    pub(super) fn new_game_position(&self) -> &Position {
        &self.new_game_position
    }

    /// The person's colour.
    pub(crate) fn person(&self) -> Color {
        self.person
    }

    /// The person's name, if it is known.
    pub(super) fn person_name(&self) -> Option<&str> {
        self.person_name.as_deref()
    }

    /// The engine's search options.
    pub(super) fn options(&self) -> &Options {
        &self.engine.options
    }

    /// The engine's search options, to change them.
    pub(super) fn options_mut(&mut self) -> &mut Options {
        &mut self.engine.options
    }

    /// A flag that stops the engine's search while it is set. The caller clears it.
    pub(crate) fn stop_flag(&self) -> &Arc<AtomicBool> {
        self.stop_signal.flag()
    }

    /// The end of the game before two passes, if there was one.
    pub(super) fn end(&self) -> Option<End> {
        self.end
    }

    /// The result in SGF's form, such as `B+2.5`, `W+R` or `B+T`; `None` while the game goes on, and if the count is stopped.
    pub(super) fn result(&self) -> Option<String> {
        match self.end {
            Some(End::Resignation(loser)) => Some(sgf::result_of_loss(loser, 'R')),
            Some(End::Time(loser)) => Some(sgf::result_of_loss(loser, 'T')),
            None if self.position.is_over() => self.final_score().ok().map(|counted| counted.score.to_string()),
            None => None,
        }
    }

    /// The score if both players stop now. The last one is kept.
    ///
    /// # Errors
    /// If the stop flag was set before it was counted.
    pub(super) fn final_score(&self) -> Result<FinalScore, Interrupted> {
        self.engine.final_score(&self.position, &self.stop_signal)
    }

    /// Whether the game has ended by resignation, on time or by two passes.
    pub(super) fn is_over(&self) -> bool {
        self.end.is_some() || self.position.is_over()
    }

    /// Whether the engine is to move.
    pub(super) fn is_engines_turn(&self) -> bool {
        !self.is_over() && self.position.to_move() != self.person
    }

    /// Whether leaving the game would lose something that is in no file: a move of the person's, or after one the end of
    /// the game by resignation or on time.
    pub(super) fn is_unsaved(&self) -> bool {
        let moved_after =
            |number: usize| self.position.record().items().iter().skip(number).any(|item| item.color == self.person);
        self.is_changed && (moved_after(self.moves_in_file) || self.end.is_some() && moved_after(0))
    }

    /// Notes that the game is saved.
    pub(super) fn note_saved(&mut self) {
        (self.is_changed, self.moves_in_file) = (false, self.position.record().len());
    }

    /// Sets the time system; both players start with its full time.
    pub(super) fn set_clock(&mut self, settings: TimeSettings) {
        self.clock.set(settings);
    }

    /// A player's remaining time in words; `None` without time settings.
    pub(super) fn time_text(&self, color: Color) -> Option<String> {
        let remaining = self.clock.clock().remaining(color)?;
        Some(time_text::text_after(remaining, self.clock.elapsed(color)))
    }

    /// Starts the person's time, if it is the person's turn and the time does not run yet.
    pub(super) fn begin_turn(&mut self) {
        if !self.is_over() && !self.is_engines_turn() {
            self.clock.start(self.person, self.position.record().len());
        }
    }

    /// Stops the person's time until the turn goes on.
    pub(super) fn pause_clock(&mut self) {
        self.clock.stop();
    }

    /// Ends the game if the person's time is over, and returns whether it is.
    pub(super) fn is_out_of_time(&mut self) -> bool {
        let is_lost = !self.is_over() && self.clock.flagged_player().is_some();
        if is_lost {
            self.finish(End::Time(self.person));
        }
        is_lost
    }

    /// Plays a move of the person.
    ///
    /// # Errors
    /// If the move is illegal or the game is over.
    pub(super) fn play(&mut self, play: Move) -> Result<(), PlayError> {
        if self.is_over() {
            return Err(PlayError::GameOver);
        }
        let seconds = self.clock.elapsed(self.person);
        self.make_move(self.person, play, seconds)
    }

    /// Searches for the engine's move and plays it, or ends the game: the engine may resign, and lose on time.
    pub(super) fn play_engine_move(&mut self) -> Choice {
        let color = self.person.opponent();
        let limits = self.engine.limits(self.clock.clock(), &self.position, color);
        let (choice, _) = self.search(color, GenmoveMode::Game, limits);
        let seconds = self.engine.last_move_time().as_secs_f64();
        if self.clock.is_exceeded(color, seconds) {
            self.clock.subtract_thinking_time(color, seconds);
            self.finish(End::Time(color));
            return choice;
        }
        match choice {
            // the search returns legal moves only; an illegal one would become a pass, not a crash
            Choice::Move(play) => self.make_move(color, play, seconds).unwrap_or_else(|_| self.position.pass(color)),
            Choice::Resign => {
                self.clock.subtract_thinking_time(color, seconds);
                self.finish(End::Resignation(color));
            }
        }
        choice
    }

    /// Resigns for the person.
    ///
    /// # Errors
    /// If the game is over.
    pub(super) fn resign(&mut self) -> Result<(), PlayError> {
        if self.is_over() {
            return Err(PlayError::GameOver);
        }
        self.finish(End::Resignation(self.person));
        Ok(())
    }

    fn finish(&mut self, end: End) {
        self.end = Some(end);
        self.is_changed = true;
        self.clock.stop();
    }

    /// Takes back the person's last move and everything after it, and the time that these moves took. After a
    /// resignation of the person or a loss on time, takes back that only.
    ///
    /// # Errors
    /// If the person has not moved.
    pub(super) fn undo(&mut self) -> Result<(), PlayError> {
        let moves = self.position.record().len();
        let last = match self.end {
            Some(end) if end.loser() == self.person => moves,
            _ => {
                let last = self.position.record().items().iter().rposition(|item| item.color == self.person);
                last.ok_or(PlayError::NothingToUndo)?
            }
        };
        self.clock.stop();
        let step = (moves, self.end, self.clock.clock().clone());
        let undone = self.undone.get_or_insert_with(|| Undone { tip: self.position.clone(), steps: Vec::new() });
        undone.steps.push(step);
        self.end = None;
        take_back_to(&mut self.position, last);
        self.clock.go_to(&last);
        Ok(())
    }

    /// Replays the moves that the last `undo` took back; several times after several `undo`s.
    ///
    /// # Errors
    /// If there was no `undo`, or a move after it.
    pub(super) fn redo(&mut self) -> Result<(), PlayError> {
        let undone = self.undone.as_mut().ok_or(PlayError::NothingToRedo)?;
        let (moves, end, clock) = undone.steps.pop().ok_or(PlayError::NothingToRedo)?;
        self.position = undone.tip.clone();
        if undone.steps.is_empty() {
            self.undone = None;
        }
        take_back_to(&mut self.position, moves);
        self.end = end;
        self.clock.restore(clock);
        // a file may have been written between undo and redo
        self.is_changed = true;
        Ok(())
    }

    /// The points of the stones that the last move captured.
    pub(super) fn last_captures(&self) -> &[Point] {
        self.position.record().items().last().map_or(&[], |item| &item.captured)
    }

    /// The game in SGF: a loaded record with what was added to it, or a record of its own.
    pub(super) fn sgf(&self) -> String {
        match &self.loaded {
            Some(loaded) => loaded.continued(&self.position, self.result().as_deref(), self.end.is_some()).write(),
            None => sgf::write(&self.record()),
        }
    }

    /// A record of a game that began here, with the players' names, the date and the result.
    fn record(&self) -> sgf::GameRecord {
        let mut record = sgf::record_of(&self.position);
        let names = [self.person_name.clone(), Some(NAME.to_owned())];
        [record.black, record.white] = match self.person {
            Color::Black => names,
            Color::White => {
                let [person, engine] = names;
                [engine, person]
            }
        };
        if let (Some(black), Some(white)) = (&record.black, &record.white) {
            record.name = Some(format!("{black} against {white}"));
        }
        record.date = Some(self.date.clone());
        (record.time_limit, record.overtime) = sgf_times(self.clock.clock().settings());
        record.result = self.result();
        record
    }

    /// The board's dimensions.
    pub(super) fn coordinate(&self) -> Coordinate {
        self.position.board().coordinate()
    }

    /// The person's colour in a record that is loaded: the one that the engine does not have by its name, else the
    /// present one.
    pub(super) fn color_in(&self, record: &sgf::GameRecord) -> Color {
        match (record.black.as_deref(), record.white.as_deref()) {
            (Some(NAME), Some(NAME)) => self.person,
            (Some(NAME), _) => Color::White,
            (_, Some(NAME)) => Color::Black,
            _ => self.person,
        }
    }

    /// Makes a move that took `seconds`.
    fn make_move(&mut self, color: Color, play: Move, seconds: f64) -> Result<(), PlayError> {
        let moves = self.position.record().len();
        self.position.make_move(color, play).map_err(|reason| {
            let vertex = play.vertex(self.position.board().coordinate());
            PlayError::Illegal { vertex, reason }
        })?;
        self.clock.count_move(moves, moves + 1, color, seconds);
        (self.undone, self.is_changed) = (None, true);
        // after moves were taken back, the file holds other ones in their place
        self.moves_in_file = self.moves_in_file.min(moves);
        Ok(())
    }

    fn search(&mut self, color: Color, mode: GenmoveMode, limits: Limits) -> (Choice, SearchResult) {
        let TerminalGame { position, stop_signal, .. } = self;
        let request =
            PlayerRequest { position, color, limits, restrictions: None, detailed_ownership: false, stop_signal };
        self.engine.choose(&request, mode, ProgressSink::default())
    }

    fn analyze(&mut self, color: Color, limits: Limits) -> SearchResult {
        let TerminalGame { position, stop_signal, .. } = self;
        let request =
            PlayerRequest { position, color, limits, restrictions: None, detailed_ownership: false, stop_signal };
        self.engine.analyze_position(&request, ProgressSink::default())
    }
}

/// Takes moves back until `moves` are left.
fn take_back_to(position: &mut Position, moves: usize) {
    while position.record().len() > moves && position.undo().is_ok() {}
}

/// The local date, as in SGF's `DT`.
fn today() -> String {
    chrono::Local::now().date_naive().to_string()
}

#[cfg(test)]
mod tests;
