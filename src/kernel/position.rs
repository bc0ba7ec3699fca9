//! A game in progress: the board, its record, its ren database and the rules agreed on.
//!
//! Here is the one `play`, the one `pass` and the one `undo` of a game. What may be played is the board's to say; this
//! module adds what needs memory: who has moved since the position was set, prisoners, and the way back.

use std::fmt;

use super::board::{Board, Ko, SetupError};
use super::color::Color;
use super::coordinate::{Coordinate, Point};
use super::game_rule::GameRule;
use super::play_rule::IllegalMove;
use super::record::{Move, Record, RecordItem};
use super::ren_db::{Changes, RenDb, Section};
use super::stone::Stone;

/// A position with everything that led to it since it was set.
#[derive(Clone)]
pub struct Position {
    rule: GameRule,
    max_moves: u32,
    play_first: Color,
    board: Board,
    facts: Facts,
    record: Record,
    ren_db: RenDb,
    /// The rens of the board as it is, whatever the database was loaded with.
    rens: Section,
    /// For each move of the record, what it changed and `undo` puts back.
    befores: Vec<Before>,
}

/// What is true of a position beside its stones and its ko. Indexed by [`Color::index`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Facts {
    to_move: Color,
    /// Stones each player has taken.
    prisoners: [u32; 2],
    /// Whether each player has moved since the position was set; a pass is a move.
    has_moved: [bool; 2],
}

#[derive(Clone)]
struct Before {
    stones: Box<[Stone]>,
    ko: Option<Ko>,
    facts: Facts,
    rens: Section,
    /// What the database had under the ordinal that the move made.
    replaced: Option<Section>,
}

impl Position {
    /// An empty board. `max_moves` only sets how many digits the names of rens have; `play_first` is to move here and
    /// after every set-up.
    pub fn new(coordinate: Coordinate, rule: GameRule, max_moves: u32, play_first: Color) -> Position {
        let board = Board::new(coordinate);
        let mut position = Position {
            rule,
            max_moves,
            play_first,
            facts: Facts { to_move: play_first, prisoners: [0; 2], has_moved: [false; 2] },
            record: Record::default(),
            ren_db: RenDb::new(coordinate, max_moves),
            rens: RenDb::section_of(&board),
            befores: Vec::new(),
            board,
        };
        position.start();
        position
    }

    /// Begins again on an empty board of this size, under the same rules.
    pub fn clear(&mut self, coordinate: Coordinate) {
        self.board = Board::new(coordinate);
        self.start();
    }

    /// Begins again from these cells, the frame included. The record is empty then, no ko is banned, nobody has
    /// prisoners, and the ren database holds this position's rens under ordinal 1.
    ///
    /// # Errors
    /// As [`Board::from_stones`]; the position is then unchanged.
    pub fn set_up(&mut self, stones: &[Stone]) -> Result<(), SetupError> {
        self.board = Board::from_stones(self.board.coordinate(), stones)?;
        self.start();
        Ok(())
    }

    /// The stones.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The moves since the position was set.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The rens of this position and of those before it.
    pub fn ren_db(&self) -> &RenDb {
        &self.ren_db
    }

    /// The rules agreed on.
    pub fn rule(&self) -> &GameRule {
        &self.rule
    }

    /// The rules agreed on, to change them; they hold from the next move on.
    pub fn rule_mut(&mut self) -> &mut GameRule {
        &mut self.rule
    }

    /// Whose turn it is: the opponent of who moved last. Anybody may move out of turn.
    pub fn to_move(&self) -> Color {
        self.facts.to_move
    }

    /// Stones that `color` has taken since the position was set.
    pub fn prisoners(&self, color: Color) -> u32 {
        self.facts.prisoners[color.index()]
    }

    /// How many digits the names of rens have is set by this many moves.
    pub fn max_moves(&self) -> u32 {
        self.max_moves
    }

    /// Which position this is, counted from 1: the ordinal of its rens.
    pub fn ordinal(&self) -> u32 {
        self.record.len() as u32 + 1
    }

    /// The ko that may not be retaken now. A ban binds only a player who has moved since the position was set: a play
    /// may not recreate the position that the same player's previous move left, and without a previous move there is
    /// none.
    pub fn banned_ko(&self) -> Option<Ko> {
        self.board.ko().filter(|ko| self.facts.has_moved[ko.color.index()])
    }

    /// Whether `color` may play on `point`.
    ///
    /// # Errors
    /// As [`Board::check`], and `my_eye` where the game forbids it: before `suicide`, after everything else.
    pub fn check(&self, color: Color, point: Point) -> Result<(), IllegalMove> {
        let verdict = match self.board.check(color, point) {
            // retaking a ko takes a stone, so nothing but the ban can stand against it
            Err(IllegalMove::Ko) if self.banned_ko().is_none() => Ok(()),
            verdict => verdict,
        };
        let may_be_my_eye = matches!(verdict, Ok(()) | Err(IllegalMove::Suicide));
        if may_be_my_eye && self.rule.can_not_put_on_my_eye && self.is_eye(color, point) {
            return Err(IllegalMove::MyEye);
        }
        verdict
    }

    /// Plays a move, whoever's turn it is.
    ///
    /// # Errors
    /// As [`Position::check`]; the position is then unchanged.
    pub fn play(&mut self, color: Color, point: Point) -> Result<(), IllegalMove> {
        self.check(color, point)?;
        let mut before = self.before();
        if self.board.ko() == Some(Ko { point, color }) {
            self.board.lift_ko();
        }
        let mut changes = Changes::default();
        self.board.play_legal(color, point, &mut changes);
        let mut captured = changes.points.get(1..).unwrap_or_default().to_vec();
        // the board takes a ren in the order of its ring, which tells of moves taken back
        captured.sort_unstable();
        self.facts.prisoners[color.index()] += captured.len() as u32;
        let ko = self.board.ko().map(|_| point);
        self.rens = RenDb::section_after(&self.board, &self.rens, &changes);
        before.replaced = self.ren_db.replace(self.ordinal() + 1, Some(self.rens.clone()));
        self.moved(before, RecordItem { color, play: Move::Play(point), captured, ko });
        Ok(())
    }

    /// Passes, whoever's turn it is. Allowed at any time.
    pub fn pass(&mut self, color: Color) {
        let mut before = self.before();
        self.board.pass();
        before.replaced = self.ren_db.replace(self.ordinal() + 1, Some(self.rens.clone()));
        self.moved(before, RecordItem { color, play: Move::Pass, captured: Vec::new(), ko: None });
    }

    /// Takes the last move back, with all it changed: stones, ko, prisoners, side to move, record, and the ren database,
    /// which loses the rens of the position taken back. What was edited since that move goes with it.
    ///
    /// # Errors
    /// If there is no move since the position was set.
    pub fn undo(&mut self) -> Result<(), CannotUndo> {
        let before = self.befores.pop().ok_or(CannotUndo)?;
        let ordinal = self.ordinal();
        self.board.restore(&before.stones, before.ko);
        self.facts = before.facts;
        self.rens = before.rens;
        self.ren_db.replace(ordinal, before.replaced);
        self.record.pop();
        Ok(())
    }

    /// Takes the ren of stones at a point off the board by hand: no move, no prisoners, and no ko is banned afterwards.
    /// The ren database then holds the edited position's rens under its ordinal.
    ///
    /// # Errors
    /// If no stone stands there; the position is then unchanged.
    pub fn remove_ren(&mut self, point: Point) -> Result<(), NoRen> {
        if self.board.stone(point).color().is_none() {
            return Err(NoRen);
        }
        let mut stones = self.board.stones().to_vec();
        for location in self.board.ren_points(point) {
            if let Some(cell) = stones.get_mut(location.index()) {
                *cell = Stone::Space;
            }
        }
        self.board.restore(&stones, None);
        self.rens = RenDb::section_of(&self.board);
        self.ren_db.replace(self.ordinal(), Some(self.rens.clone()));
        Ok(())
    }

    /// Registers the rens of this position that have no entry in the database yet.
    pub fn find_all_rens(&mut self) {
        self.ren_db.register_all(self.ordinal(), &self.board);
    }

    /// Puts another ren database in the place of the present one. The moves that come add their rens to it.
    ///
    /// # Errors
    /// Gives the database back if it is for boards of another size.
    pub fn replace_ren_db(&mut self, ren_db: RenDb) -> Result<(), RenDb> {
        if ren_db.coordinate() != self.board.coordinate() {
            return Err(ren_db);
        }
        self.ren_db = ren_db;
        for before in &mut self.befores {
            before.replaced = None;
        }
        Ok(())
    }

    /// The same game played again from where it was set: what a game is after a fault may have left it half changed.
    pub fn replayed(&self) -> Position {
        let start = self.befores.first().map_or(self.board.stones(), |before| &before.stones);
        let mut position = self.clone();
        position.ren_db = RenDb::new(self.board.coordinate(), self.max_moves);
        position.board = Board::new(self.board.coordinate());
        if let Ok(board) = Board::from_stones(self.board.coordinate(), start) {
            position.board = board;
        }
        position.start();
        for item in self.record.items() {
            match item.play {
                Move::Pass => position.pass(item.color),
                Move::Play(point) => {
                    if position.play(item.color, point).is_err() {
                        break;
                    }
                }
            }
        }
        position
    }

    /// Compares all that is kept up to date with the same derived anew.
    ///
    /// # Panics
    /// If they differ, with the field's name.
    pub fn assert_consistent(&self) {
        self.board.assert_consistent();
        assert_eq!(self.befores.len(), self.record.len(), "befores");
        assert_eq!(self.rens, RenDb::section_of(&self.board), "rens");
    }

    /// Makes the board as it is the start of a game.
    fn start(&mut self) {
        self.facts = Facts { to_move: self.play_first, prisoners: [0; 2], has_moved: [false; 2] };
        self.record.clear();
        self.befores.clear();
        self.rens = RenDb::section_of(&self.board);
        self.ren_db = RenDb::new(self.board.coordinate(), self.max_moves);
        self.ren_db.replace(1, Some(self.rens.clone()));
    }

    fn before(&self) -> Before {
        Before {
            stones: self.board.stones().into(),
            ko: self.board.ko(),
            facts: self.facts,
            rens: self.rens.clone(),
            replaced: None,
        }
    }

    /// Writes a move down, once the board has it.
    fn moved(&mut self, before: Before, item: RecordItem) {
        self.facts.to_move = item.color.opponent();
        self.facts.has_moved[item.color.index()] = true;
        self.record.push(item);
        self.befores.push(before);
    }

    /// Whether an empty point has only stones of `color` and wall around it.
    fn is_eye(&self, color: Color, point: Point) -> bool {
        let around = self.board.coordinate().neighbors(point).map(|neighbor| self.board.stone(neighbor));
        around.contains(&color.stone()) && around.iter().all(|&stone| stone == color.stone() || stone == Stone::Wall)
    }
}

/// There is no move to take back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CannotUndo;

impl fmt::Display for CannotUndo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot undo")
    }
}

impl std::error::Error for CannotUndo {}

/// No stone stands on the point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRen;

impl fmt::Display for NoRen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no ren of stones")
    }
}

impl std::error::Error for NoRen {}
