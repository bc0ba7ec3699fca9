//! A game in progress: the board, its record, its ren database and the rules agreed on.
//!
//! Here is the one `play`, the one `pass` and the one `undo` of a game. What may be played is the board's to say; this
//! module adds what needs memory: who has moved since the position was set, superko, prisoners, and the way back.

use std::fmt;

use crate::kernel::board::{Board, Ko, SetupError};
use crate::kernel::changes::{Changes, stone_hash};
use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, Point};
use crate::kernel::game_rule::{GameRule, KoRule};
use crate::kernel::play_rule::IllegalMove;
use crate::kernel::record::{Move, Record, RecordItem};
use crate::kernel::ren_db::{RenDb, Section};
use crate::kernel::stone::Stone;

/// A position with everything that led to it since it was set.
#[derive(Clone)]
pub struct Position {
    rule: GameRule,
    max_moves: u32,
    play_first: Color,
    board: Board,
    facts: Facts,
    /// The stones as the position was set.
    start: Box<[Stone]>,
    /// Black stones put down as a handicap; they belong to the set-up, not to the record.
    handicap: usize,
    record: Record,
    ren_db: RenDb,
    /// The rens of the board as it is, whatever the database was loaded with.
    rens: Section,
    /// For each move of the record, what it changed and `undo` puts back.
    befores: Vec<Before>,
    /// The stones as they were put by hand since the last move, if they were.
    edited: Option<Box<[Stone]>>,
}

/// What is true of a position beside its stones and its ko. Indexed by [`Color::index`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Facts {
    to_move: Color,
    /// Of the stones on the board: equal boards have equal hashes.
    hash: u64,
    /// Stones each player has taken.
    prisoners: [u32; 2],
    /// Whether each player has moved since the position was set; a pass is a move.
    has_moved: [bool; 2],
}

#[derive(Clone)]
struct Before {
    stones: Box<[Stone]>,
    /// Whether they were put by hand since the move before.
    is_edited: bool,
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
            facts: Facts { to_move: play_first, hash: 0, prisoners: [0; 2], has_moved: [false; 2] },
            start: Box::default(),
            handicap: 0,
            record: Record::default(),
            ren_db: RenDb::new(coordinate, max_moves),
            rens: RenDb::section_of(&board),
            befores: Vec::new(),
            edited: None,
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

    /// Puts down handicap stones on an empty board; White is to move then. They are a set-up: the record is empty, and
    /// `undo` cannot take them back.
    ///
    /// # Errors
    /// If there are stones on the board, or the points leave a ren without a liberty; the position is then unchanged.
    pub fn set_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        self.check_handicap()?;
        let mut stones = self.board.stones().to_vec();
        for point in points {
            if let Some(cell) = stones.get_mut(point.index()).filter(|cell| **cell == Stone::Space) {
                *cell = Stone::Black;
            }
        }
        self.set_up(&stones).map_err(HandicapError::Setup)?;
        self.handicap = points.len();
        self.facts.to_move = Color::White;
        Ok(())
    }

    /// Whether handicap stones may be put down now.
    ///
    /// # Errors
    /// If there are stones on the board.
    pub fn check_handicap(&self) -> Result<(), HandicapError> {
        let is_empty = self.board.empty_points().len() == self.board.coordinate().board_area();
        if is_empty { Ok(()) } else { Err(HandicapError::NotEmpty) }
    }

    /// How many handicap stones Black has had.
    pub fn handicap(&self) -> usize {
        self.handicap
    }

    /// Counts stones of the set-up as a handicap: what a game record says of itself.
    pub fn declare_handicap(&mut self, stones: usize) {
        self.handicap = stones;
    }

    /// Says whose turn it is. Moves may be made out of turn all the same.
    pub fn set_to_move(&mut self, color: Color) {
        self.facts.to_move = color;
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

    /// The stones after `number` moves of the record, with what was edited by hand before the next one; after the last
    /// move, the stones that stand now.
    pub fn stones_at(&self, number: usize) -> &[Stone] {
        self.befores.get(number).map_or(self.board.stones(), |before| &before.stones)
    }

    /// Whose turn it was when the position was set.
    pub fn first_to_move(&self) -> Color {
        self.befores.first().map_or(self.facts.to_move, |before| before.facts.to_move)
    }

    /// The hash of the stones on the board: the sum of a number for each.
    pub fn hash(&self) -> u64 {
        self.facts.hash
    }

    /// The boards before this one since the position was set, earliest first: their hashes, and who was to move.
    pub fn history(&self) -> impl Iterator<Item = (u64, Color)> {
        self.befores.iter().map(|before| (before.facts.hash, before.facts.to_move))
    }

    /// Whether the last two moves were passes. Moves may follow all the same.
    pub fn is_over(&self) -> bool {
        matches!(self.record.items(), [.., a, b] if (a.play, b.play) == (Move::Pass, Move::Pass))
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
    /// As [`Board::check`], unless the rules allow suicide, which they never do to a lone stone; then `my_eye` where the
    /// game forbids it, before `suicide`; then `superko`, which takes the place of `ko` where the rules have it.
    pub fn check(&self, color: Color, point: Point) -> Result<(), IllegalMove> {
        let is_superko = self.rule.ko != KoRule::Simple;
        let verdict = match self.board.check(color, point) {
            // retaking a ko takes a stone, so nothing but the ban can stand against it
            Err(IllegalMove::Ko) if is_superko || self.banned_ko().is_none() => Ok(()),
            verdict => verdict,
        };
        let may_be_my_eye = matches!(verdict, Ok(()) | Err(IllegalMove::Suicide));
        if may_be_my_eye && self.rule.can_not_put_on_my_eye && self.is_eye(color, point) {
            return Err(IllegalMove::MyEye);
        }
        match verdict {
            Err(IllegalMove::Suicide) if self.rule.suicide => {}
            verdict => verdict?,
        }
        if is_superko && self.repeats(color, point) {
            return Err(IllegalMove::Superko);
        }
        Ok(())
    }

    /// Plays a move, whoever's turn it is.
    ///
    /// # Errors
    /// As [`Position::check`]; the position is then unchanged.
    pub fn play(&mut self, color: Color, point: Point) -> Result<(), IllegalMove> {
        self.check(color, point)?;
        self.make(color, point);
        Ok(())
    }

    /// Plays a move that the board allows, and be it a banned ko or suicide.
    fn make(&mut self, color: Color, point: Point) {
        let mut before = self.before();
        if self.board.ko() == Some(Ko { point, color }) {
            self.board.lift_ko();
        }
        let mut changes = Changes::default();
        self.board.play_legal(color, point, &mut changes);
        self.facts.hash ^= changes.hash();
        let mut captured = Vec::with_capacity(changes.captured.len());
        for &(of, point) in &changes.captured {
            self.facts.prisoners[of.opponent().index()] += 1;
            captured.push(point);
        }
        // the board takes a ren in the order of its ring, which tells of moves taken back
        captured.sort_unstable();
        let ko = self.board.ko().map(|_| point);
        self.rens = RenDb::section_after(&self.board, &self.rens, &changes);
        before.replaced = self.ren_db.replace(self.ordinal() + 1, Some(self.rens.clone()));
        self.moved(before, RecordItem { color, play: Move::Play(point), captured, ko });
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
        self.edited = before.is_edited.then_some(before.stones);
        Ok(())
    }

    /// Takes the ren of stones at a point off the board by hand, as [`Position::edit`] does.
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
        // taking stones away leaves every other ren its liberties
        self.edit(&stones).map_err(|_| NoRen)
    }

    /// Puts other stones on the board by hand: no move, no prisoners, and no ko is banned afterwards. The record stays;
    /// the ren database then holds the edited position's rens under its ordinal.
    ///
    /// # Errors
    /// As [`Board::from_stones`]; the position is then unchanged.
    pub fn edit(&mut self, stones: &[Stone]) -> Result<(), SetupError> {
        self.board = Board::from_stones(self.board.coordinate(), stones)?;
        self.facts.hash = hash(&self.board);
        self.rens = RenDb::section_of(&self.board);
        self.ren_db.replace(self.ordinal(), Some(self.rens.clone()));
        self.edited = Some(stones.into());
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

    /// The same game played again from where it was set, with what was edited by hand: what a game is after a fault may
    /// have left it half changed. The ren database is that of the game, not one that was put in its place.
    pub fn replayed(&self) -> Position {
        let mut position = self.clone();
        position.board = Board::new(self.board.coordinate());
        if let Ok(board) = Board::from_stones(self.board.coordinate(), &self.start) {
            position.board = board;
        }
        position.start();
        position.handicap = self.handicap;
        for (item, before) in self.record.items().iter().zip(&self.befores) {
            position.put_back(before.is_edited.then_some(&*before.stones), before.facts.to_move);
            match item.play {
                Move::Pass => position.pass(item.color),
                // the rules may have been others when the move was made
                Move::Play(point) => match position.board.check(item.color, point) {
                    Ok(()) | Err(IllegalMove::Ko | IllegalMove::Suicide) => position.make(item.color, point),
                    Err(_) => break,
                },
            }
        }
        position.put_back(self.edited.as_deref(), self.facts.to_move);
        position
    }

    /// Edits as was done between two moves.
    fn put_back(&mut self, edited: Option<&[Stone]>, to_move: Color) {
        // it was a board then
        let _ = edited.map(|stones| self.edit(stones));
        self.facts.to_move = to_move;
    }

    /// Compares all that is kept up to date with the same derived anew.
    ///
    /// # Panics
    /// If they differ, with the field's name.
    pub fn assert_consistent(&self) {
        self.board.assert_consistent();
        assert_eq!(self.befores.len(), self.record.len(), "befores");
        assert_eq!(self.rens, RenDb::section_of(&self.board), "rens");
        assert_eq!(self.facts.hash, hash(&self.board), "hash");
    }

    /// Makes the board as it is the start of a game.
    fn start(&mut self) {
        let hash = hash(&self.board);
        self.facts = Facts { to_move: self.play_first, hash, prisoners: [0; 2], has_moved: [false; 2] };
        self.start = self.board.stones().into();
        self.handicap = 0;
        self.record.clear();
        self.befores.clear();
        self.edited = None;
        self.rens = RenDb::section_of(&self.board);
        self.ren_db = RenDb::new(self.board.coordinate(), self.max_moves);
        self.ren_db.replace(1, Some(self.rens.clone()));
    }

    fn before(&self) -> Before {
        Before {
            stones: self.board.stones().into(),
            is_edited: self.edited.is_some(),
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
        self.edited = None;
    }

    /// Whether the move would bring back an earlier board of this game: with [`KoRule::Situational`] only one with the
    /// same player to move. Boards are compared, not only their hashes.
    fn repeats(&self, color: Color, point: Point) -> bool {
        let mut after = self.board.clone();
        let mut changes = Changes::default();
        after.lift_ko();
        after.play_legal(color, point, &mut changes);
        let hash = self.facts.hash ^ changes.hash();
        self.befores.iter().any(|before| {
            before.facts.hash == hash
                && (self.rule.ko == KoRule::Positional || before.facts.to_move == color.opponent())
                && *before.stones == *after.stones()
        })
    }

    /// Whether an empty point has only stones of `color` and wall around it.
    fn is_eye(&self, color: Color, point: Point) -> bool {
        let around = self.board.coordinate().neighbors(point).map(|neighbor| self.board.stone(neighbor));
        around.contains(&color.stone()) && around.iter().all(|&stone| stone == color.stone() || stone == Stone::Wall)
    }
}

/// The hash of a board: Zobrist's sum (1970) of a number for each stone.
fn hash(board: &Board) -> u64 {
    let points = board.coordinate().points();
    points.filter_map(|point| Some(stone_hash(board.stone(point).color()?, point))).fold(0, |sum, stone| sum ^ stone)
}

/// Why handicap stones cannot be put down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HandicapError {
    /// There are stones on the board.
    NotEmpty,
    /// The stones make no position.
    Setup(SetupError),
}

impl fmt::Display for HandicapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandicapError::NotEmpty => f.write_str("board not empty"),
            HandicapError::Setup(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HandicapError {}

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_move_half_made_is_no_part_of_the_game_played_again() {
        let coordinate = Coordinate::square(5).unwrap();
        let point = |name: &str| coordinate.parse_vertex(name).unwrap();
        let check = |position: &Position| {
            let mut broken = position.clone();
            broken.board.play_legal(Color::Black, point("C3"), &mut ());
            let again = broken.replayed();
            again.assert_consistent();
            assert_eq!(again.board.stones(), position.board.stones());
            assert_eq!((again.facts, &again.record), (position.facts, &position.record));
        };
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        check(&position);
        position.set_handicap(&[point("B2"), point("D4")]).unwrap();
        check(&position);
        // stones put by hand before the first move
        position.remove_ren(point("D4")).unwrap();
        check(&position);
        position.play(Color::White, point("A5")).unwrap();
        check(&position);
    }
}
