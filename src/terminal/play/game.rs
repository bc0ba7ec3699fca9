//! A person and the engine in one game: whose turn it is, what was given up, and the way back.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::kernel::{Color, Coordinate, IllegalMove, Move, Point, Position};
use crate::net::Net;
use crate::player::level::STRONGEST;
use crate::player::{Choice, GenmoveMode, Options, Player, Query, final_score};
use crate::search::{ProgressSink, SearchResult, StopSignal};
use crate::sgf;

/// A game between a person and the engine.
pub struct Game {
    position: Position,
    /// Which colour the person plays.
    person: Color,
    engine: Player,
    stop_signal: StopSignal,
    gave_up: Option<Color>,
}

/// Why something cannot be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The rules forbid the move.
    Illegal {
        /// Where it was to be.
        vertex: String,
        /// The rule.
        reason: IllegalMove,
    },
    /// The game is over.
    Over,
    /// The person has made no move yet.
    NothingToUndo,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Illegal { vertex, reason } => write!(f, "{vertex} is illegal, {reason}: {}", reason.explanation()),
            Refusal::Over => f.write_str("the game is over: undo, save FILE or quit"),
            Refusal::NothingToUndo => f.write_str("there is no move of yours to take back"),
        }
    }
}

impl std::error::Error for Refusal {}

impl Game {
    /// A game from this position on, the person playing one colour and the engine the other, with a net to ask or without.
    pub fn new(position: Position, person: Color, options: Options, net: Option<Arc<Net>>) -> Game {
        let mut engine = Player::new(options);
        engine.net = net;
        Game { position, person, engine, stop_signal: StopSignal::default(), gave_up: None }
    }

    /// The position, with all that led to it.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Which colour the person plays.
    pub fn person(&self) -> Color {
        self.person
    }

    /// What the engine's searches are told.
    pub fn options(&self) -> &Options {
        &self.engine.options
    }

    /// A flag that ends the engine's thought while it is up; it is for the caller to lower it.
    pub fn stop_flag(&self) -> &Arc<AtomicBool> {
        self.stop_signal.flag()
    }

    /// Who gave the game up, if anybody did.
    pub fn gave_up(&self) -> Option<Color> {
        self.gave_up
    }

    /// The result as records write it, once the game is over.
    pub fn result(&self) -> Option<String> {
        match self.gave_up {
            Some(Color::Black) => Some("W+R".to_owned()),
            Some(Color::White) => Some("B+R".to_owned()),
            None => self.position.is_over().then(|| final_score(&self.position).score.to_string()),
        }
    }

    /// Whether somebody gave up, or both have passed.
    pub fn is_over(&self) -> bool {
        self.gave_up.is_some() || self.position.is_over()
    }

    /// Whether the engine is to move.
    pub fn is_engines_turn(&self) -> bool {
        !self.is_over() && self.position.to_move() != self.person
    }

    /// A move of the person's.
    ///
    /// # Errors
    /// If the rules forbid it, or the game is over.
    pub fn play(&mut self, play: Move) -> Result<(), Refusal> {
        if self.is_over() {
            return Err(Refusal::Over);
        }
        self.make(self.person, play)
    }

    /// The engine's move, made; or it gives up.
    pub fn answer(&mut self) -> Choice {
        let color = self.person.opponent();
        let (choice, _) = self.search(color, GenmoveMode::Game);
        match choice {
            // what the rules forbid is not considered; were it, the game would go on
            Choice::Move(play) => self.make(color, play).unwrap_or_else(|_| self.position.pass(color)),
            Choice::Resign => self.gave_up = Some(color),
        }
        choice
    }

    /// What the engine would do in the person's place, as well as it can, however weak an opponent it is.
    pub fn hint(&mut self) -> (Move, SearchResult) {
        let level = std::mem::replace(&mut self.engine.options.level, STRONGEST);
        let found = self.search(self.person, GenmoveMode::NoResign);
        self.engine.options.level = level;
        match found {
            (Choice::Move(play), result) => (play, result),
            // not the answer to a question
            (Choice::Resign, result) => (Move::Pass, result),
        }
    }

    /// The person gives the game up.
    ///
    /// # Errors
    /// If it is over already.
    pub fn resign(&mut self) -> Result<(), Refusal> {
        if self.is_over() {
            return Err(Refusal::Over);
        }
        self.gave_up = Some(self.person);
        Ok(())
    }

    /// Takes the person's last move back, and what came after it; a game that the person gave up just goes on.
    ///
    /// # Errors
    /// If the person has made no move.
    pub fn undo(&mut self) -> Result<(), Refusal> {
        if self.gave_up == Some(self.person) {
            self.gave_up = None;
            return Ok(());
        }
        let last = self.position.record().items().iter().rposition(|item| item.color == self.person);
        let last = last.ok_or(Refusal::NothingToUndo)?;
        self.gave_up = None;
        while self.position.record().len() > last {
            self.position.undo().map_err(|_| Refusal::NothingToUndo)?;
        }
        Ok(())
    }

    /// The points from which the last move took stones.
    pub fn taken(&self) -> &[Point] {
        self.position.record().items().last().map_or(&[], |item| &item.captured)
    }

    /// The game as a record.
    pub fn record(&self) -> sgf::Game {
        let mut record = sgf::game_of(&self.position);
        let engine = match self.person {
            Color::Black => &mut record.white,
            Color::White => &mut record.black,
        };
        *engine = Some(ENGINE.to_owned());
        record.result = self.result();
        record
    }

    /// The size of the board.
    pub fn coordinate(&self) -> Coordinate {
        self.position.board().coordinate()
    }

    fn make(&mut self, color: Color, play: Move) -> Result<(), Refusal> {
        match play {
            Move::Pass => self.position.pass(color),
            Move::Play(point) => self.position.play(color, point).map_err(|reason| {
                let vertex = self.position.board().coordinate().vertex(point);
                Refusal::Illegal { vertex, reason }
            })?,
        }
        Ok(())
    }

    fn search(&mut self, color: Color, manner: GenmoveMode) -> (Choice, SearchResult) {
        let limits = self.engine.options.limits();
        let Game { position, stop_signal, .. } = self;
        let query = Query { position, color, limits, restrictions: None, stop_signal };
        self.engine.choose(&query, manner, ProgressSink::default())
    }
}

/// What the engine is called in a record.
const ENGINE: &str = "Kifuwarabe UEC14";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::GameRule;

    fn game(person: Color) -> Game {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        Game::new(position, person, Options { max_playouts: 20, seed: 1, ..Options::default() }, None)
    }

    fn play(game: &mut Game, vertex: &str) -> Result<(), Refusal> {
        let play = match vertex {
            "pass" => Move::Pass,
            vertex => Move::Play(game.coordinate().parse_vertex(vertex).unwrap()),
        };
        game.play(play)
    }

    #[test]
    fn undo_takes_the_answer_back_too() {
        let mut game = game(Color::Black);
        assert_eq!(game.undo(), Err(Refusal::NothingToUndo));
        play(&mut game, "C3").unwrap();
        assert!(game.is_engines_turn());
        game.answer();
        assert!(!game.is_engines_turn());
        assert_eq!(game.position().record().len(), 2);
        game.undo().unwrap();
        assert!(game.position().record().is_empty() && !game.is_engines_turn());
    }

    #[test]
    fn the_engine_s_first_move_is_no_move_of_the_person_s() {
        let mut game = game(Color::White);
        assert!(game.is_engines_turn());
        game.answer();
        assert_eq!(game.undo(), Err(Refusal::NothingToUndo));
        assert_eq!(game.position().record().len(), 1);
    }

    #[test]
    fn a_game_given_up_can_go_on() {
        let mut game = game(Color::Black);
        play(&mut game, "C3").unwrap();
        game.answer();
        game.resign().unwrap();
        assert_eq!((game.result().as_deref(), game.gave_up()), (Some("W+R"), Some(Color::Black)));
        assert_eq!(play(&mut game, "B2"), Err(Refusal::Over));
        assert_eq!(game.resign(), Err(Refusal::Over));
        game.undo().unwrap();
        assert_eq!((game.result(), game.position().record().len()), (None, 2));
        // the engine gives up: its opponent's last move is taken back
        game.gave_up = Some(Color::White);
        assert_eq!(game.result().as_deref(), Some("B+R"));
        game.undo().unwrap();
        assert!(game.result().is_none() && game.position().record().is_empty());
    }

    #[test]
    fn an_illegal_move_is_explained() {
        let mut game = game(Color::Black);
        play(&mut game, "C3").unwrap();
        game.position.pass(Color::White);
        let refusal = play(&mut game, "C3").unwrap_err();
        assert_eq!(refusal.to_string(), "C3 is illegal, masonry: there is a stone on the point");
    }

    #[test]
    fn two_passes_are_the_end_and_the_record_says_so() {
        let mut game = game(Color::White);
        for _ in 0..2 {
            let color = game.position().to_move();
            game.position.pass(color);
        }
        assert_eq!(game.result().as_deref(), Some("W+0.5"));
        let record = game.record();
        assert_eq!((record.black.as_deref(), record.white), (Some(ENGINE), None));
        assert_eq!(record.result.as_deref(), Some("W+0.5"));
    }

    #[test]
    fn a_hint_is_as_good_as_can_be_and_makes_a_weak_engine_no_stronger() {
        let mut game = game(Color::Black);
        game.engine.options.max_playouts = 300;
        game.engine.options.level = 3;
        assert_eq!(game.hint().1.playouts, 300);
        assert_eq!(game.options().level, 3);
        // what was found for the hint is forgotten
        let (_, result) = game.search(Color::Black, GenmoveMode::Game);
        assert_eq!((result.playouts, result.visits), (1, 1));
    }
}
