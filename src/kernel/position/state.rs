//! The fields of a position, its set-up, and its accessors.

use std::fmt;

use crate::kernel::board::{Board, Ko, SetupError};
use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, Point};
use crate::kernel::game_rule::{GameRule, Scoring};
use crate::kernel::point_set::PointSet;
use crate::kernel::position::errors::HandicapError;
use crate::kernel::record::{Move, Record, RecordItem};
use crate::kernel::ren_db::{PositionRens, RenDb};
use crate::kernel::score::ScoreInput;
use crate::kernel::stone::Stone;
use crate::kernel::zobrist::board_hash;

/// A position with its history since the set-up.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
///
/// let coordinate = Coordinate::square(9).ok_or("size")?;
/// let rule = GameRule::with_komi(7.0).with_rule_set("japanese").ok_or("rules")?;
/// let mut position = Position::new(coordinate, rule, 200, Color::Black);
/// position.play(Color::Black, coordinate.parse_vertex("E5")?)?;
/// position.play(Color::White, coordinate.parse_vertex("C3")?)?;
/// assert_eq!(position.to_move(), Color::Black);
/// position.undo()?;
/// assert_eq!(position.record().text(coordinate), "[1]E5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Position {
    pub(super) rule: GameRule,
    max_moves: u32,
    play_first: Color,
    pub(super) board: Board,
    pub(super) state: GameState,
    /// The stones of the set-up.
    pub(super) start: Box<[Stone]>,
    /// Number of handicap stones that were placed or declared; they belong to the set-up, not to the record.
    pub(super) handicap: Option<usize>,
    pub(super) record: Record,
    pub(super) ren_db: RenDb,
    /// The rens of the current board, independent of a loaded database.
    pub(super) rens: PositionRens,
    /// One entry for each move of the record.
    pub(super) undo_stack: Vec<UndoEntry>,
    /// The stones after the last edit by hand, if there was one since the last move.
    pub(super) edited: Option<Box<[Stone]>>,
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Position { rule, board, state, handicap, record, .. } = self;
        f.debug_struct("Position")
            .field("rule", rule)
            .field("board", board)
            .field("state", state)
            .field("handicap", handicap)
            .field("record", record)
            .finish_non_exhaustive()
    }
}

/// The state of a game beside its stones and its ko. Arrays are indexed by [`Color::index`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct GameState {
    pub(super) to_move: Color,
    /// The Zobrist hash of the stones.
    pub(super) hash: u64,
    /// Stones captured by each player.
    pub(super) prisoners: [u32; 2],
    /// Whether each player has moved since the set-up or the last edit by hand; a pass is a move.
    pub(super) has_moved: [bool; 2],
}

/// The position before a move, as `undo` restores it.
#[derive(Clone)]
pub(super) struct UndoEntry {
    pub(super) stones: Box<[Stone]>,
    /// Whether the stones were edited by hand since the previous move.
    pub(super) is_edited: bool,
    pub(super) ko: Option<Ko>,
    pub(super) state: GameState,
    pub(super) rens: PositionRens,
    /// The entry of the database that the move replaced, under the ordinal of the new position.
    pub(super) replaced: Option<PositionRens>,
}

/// The start of a game up to White's first move.
struct Opening<'a> {
    /// The stones of the set-up, or of the last edit by hand in the opening.
    set_up: &'a [Stone],
    /// Whether there was such an edit.
    is_edited: bool,
    /// The number of Black's moves after it, passes left out; 0 if White moves or passes twice in a row.
    moves: usize,
}

impl Position {
    /// An empty board. `max_moves` sets the number of digits in the names of rens, nothing else; `play_first` is to
    /// move here and after every set-up.
    pub fn new(coordinate: Coordinate, rule: GameRule, max_moves: u32, play_first: Color) -> Position {
        let board = Board::new(coordinate);
        let mut position = Position {
            rule,
            max_moves,
            play_first,
            state: GameState { to_move: play_first, hash: 0, prisoners: [0; 2], has_moved: [false; 2] },
            start: Box::default(),
            handicap: None,
            record: Record::default(),
            ren_db: RenDb::new(coordinate, max_moves),
            rens: RenDb::rens_of(&board),
            undo_stack: Vec::new(),
            edited: None,
            board,
        };
        position.reset();
        position
    }

    /// The start of a new game on an empty board of this size, with the rules, `max_moves` and the first player of this
    /// one.
    pub fn new_game(&self, coordinate: Coordinate) -> Position {
        Position::new(coordinate, self.rule, self.max_moves, self.play_first)
    }

    /// Starts a new game from these cells, frame included. The record is then empty, no ko is banned, prisoners are 0,
    /// and the ren database holds the rens of this position under ordinal 1.
    ///
    /// # Errors
    /// As [`Board::from_stones`]; the position is then unchanged.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, GameRule, Position, parse_diagram};
    ///
    /// let board = parse_diagram(
    ///     ". x .
    ///      x o x
    ///      . . .",
    /// )?;
    /// let mut position = Position::new(board.coordinate(), GameRule::with_komi(0.5), 200, Color::Black);
    /// position.set_up(board.stones())?;
    /// position.play(Color::Black, board.coordinate().parse_vertex("B3")?)?;
    /// assert_eq!(position.prisoners(Color::Black), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_up(&mut self, stones: &[Stone]) -> Result<(), SetupError> {
        self.board = Board::from_stones(self.board.coordinate(), stones)?;
        self.reset();
        Ok(())
    }

    /// Places handicap stones on an empty board; White is then to move. Points off the board, and points that are named
    /// again, do not count. The stones are a set-up: the record is empty, and `undo` does not remove them.
    ///
    /// # Errors
    /// If there are stones on the board, or a ren would have no liberty; the position is then unchanged.
    pub fn set_handicap(&mut self, points: &[Point]) -> Result<(), HandicapError> {
        self.check_handicap()?;
        let on_board = points.iter().filter(|&&point| self.board.coordinate().contains(point));
        let stones = self.board.stones_with(on_board.map(|&point| (point, Stone::Black)));
        self.set_up(&stones).map_err(HandicapError::Setup)?;
        self.handicap = Some(stones.iter().filter(|&&stone| stone == Stone::Black).count());
        self.state.to_move = Color::White;
        Ok(())
    }

    /// Whether handicap stones may be placed now.
    ///
    /// # Errors
    /// If there are stones on the board.
    pub fn check_handicap(&self) -> Result<(), HandicapError> {
        let is_empty = self.board.empty_points().len() == self.board.coordinate().board_area();
        if is_empty { Ok(()) } else { Err(HandicapError::NotEmpty) }
    }

    /// The number of Black's handicap stones: the number that was [placed or declared](Position::placed_handicap), or else
    /// the black stones of a set-up without white stones and Black's moves before White's first one, if they are two or
    /// more in all.
    ///
    /// Controllers may place handicap stones as moves, with passes of White in between. Two moves or passes of White in a
    /// row show that the moves set up a position. Both are as KataGo counts
    /// (`assumeMultipleStartingBlackMovesAreHandicap`). An edit by hand before White's first move replaces the set-up and the
    /// moves before it.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
    ///
    /// let coordinate = Coordinate::square(9).ok_or("size")?;
    /// let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 200, Color::Black);
    /// for vertex in ["C3", "G7"] {
    ///     position.play(Color::Black, coordinate.parse_vertex(vertex)?)?;
    /// }
    /// assert_eq!((position.handicap(), position.placed_handicap()), (2, None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn handicap(&self) -> usize {
        if let Some(stones) = self.placed_handicap() {
            return stones;
        }
        let Opening { set_up, moves, .. } = self.opening();
        if set_up.contains(&Stone::White) {
            return 0;
        }
        match set_up.iter().filter(|&&stone| stone == Stone::Black).count() + moves {
            1 => 0,
            stones => stones,
        }
    }

    fn opening(&self) -> Opening<'_> {
        let items = self.record.items();
        let mut opening = Opening { set_up: &self.start, is_edited: false, moves: 0 };
        for (number, (item, entry)) in items.iter().zip(&self.undo_stack).enumerate() {
            if entry.is_edited {
                opening = Opening { set_up: &entry.stones, is_edited: true, moves: 0 };
            }
            match (item.color, item.play) {
                (Color::White, _) if items.get(number + 1).is_some_and(|next| next.color == Color::White) => {
                    return Opening { moves: 0, ..opening };
                }
                (Color::White, Move::Play(_)) => return opening,
                (Color::Black, Move::Play(_)) => opening.moves += 1,
                (_, Move::Pass) => {}
            }
        }
        self.edited.as_deref().map_or(opening, |set_up| Opening { set_up, is_edited: true, moves: 0 })
    }

    /// The number of handicap stones in the set-up: placed by [`Position::set_handicap`], or declared by
    /// [`Position::declare_handicap`]. `None` if neither was called, and if stones were placed and an edit by hand before
    /// White's first move has changed them.
    pub fn placed_handicap(&self) -> Option<usize> {
        self.handicap.filter(|&stones| stones == 0 || !self.opening().is_edited)
    }

    /// Sets the number of handicap stones without placing any: for a set-up that a game record declares as a handicap. With
    /// 0, neither stones of the set-up nor opening moves of Black count as handicap stones.
    pub fn declare_handicap(&mut self, stones: usize) {
        self.handicap = Some(stones);
    }

    /// Sets the player to move. [`Position::play`] accepts moves out of turn as well.
    pub fn set_to_move(&mut self, color: Color) {
        self.state.to_move = color;
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The moves since the set-up.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The rens of this position and of those before it.
    pub fn ren_db(&self) -> &RenDb {
        &self.ren_db
    }

    /// The rules of the game.
    pub fn rule(&self) -> &GameRule {
        &self.rule
    }

    /// The rules of the game, for changing them; changes apply from the next move on.
    pub fn rule_mut(&mut self) -> &mut GameRule {
        &mut self.rule
    }

    /// The player to move: after a move the opponent of the player who made it.
    pub fn to_move(&self) -> Color {
        self.state.to_move
    }

    /// The number of stones that `color` has captured since the set-up.
    pub fn prisoners(&self, color: Color) -> u32 {
        self.state.prisoners[color.index()]
    }

    /// Stones that Black has played less those that White has, captured stones and the set-up included: Black's area
    /// score less Black's territory score.
    pub fn black_minus_white_stones(&self) -> f64 {
        let stones = self.board().stones();
        let count = |color: Color| {
            let on_board = stones.iter().filter(|&&stone| stone == color.stone()).count();
            on_board as f64 + f64::from(self.prisoners(color.opponent()))
        };
        count(Color::Black) - count(Color::White)
    }

    /// The cells after `number` moves of the record, including edits by hand before the next move. From the number of
    /// the last move on, the current cells.
    pub fn stones_at(&self, number: usize) -> &[Stone] {
        self.undo_stack.get(number).map_or(self.board.stones(), |entry| &entry.stones)
    }

    /// Whether the stones were edited by hand after `number` moves of the record and before the next.
    pub fn is_edited_at(&self, number: usize) -> bool {
        self.undo_stack.get(number).map_or(self.edited.is_some(), |entry| entry.is_edited)
    }

    /// The player to move at the set-up.
    pub fn first_to_move(&self) -> Color {
        self.undo_stack.first().map_or(self.state.to_move, |entry| entry.state.to_move)
    }

    /// The Zobrist hash of the stones on the board; it does not cover the ko or the player to move.
    pub fn hash(&self) -> u64 {
        self.state.hash
    }

    /// The hashes and the players to move of all earlier positions since the set-up, oldest first.
    pub fn history(&self) -> impl Iterator<Item = (u64, Color)> {
        self.undo_stack.iter().map(|entry| (entry.state.hash, entry.state.to_move))
    }

    /// Whether two passes in a row have ended the game: see [`Position::ending_passes`]. Further moves are still
    /// accepted.
    pub fn is_over(&self) -> bool {
        self.ending_passes() >= 2
    }

    /// The number of passes in a row up to now that count for the end of the game: by both players in turn, on a board
    /// that is not edited by hand between or after them. A pass that took the button does not count.
    pub fn ending_passes(&self) -> usize {
        let items = self.record.items();
        let is_in_run = |&(number, item): &(usize, &RecordItem)| {
            let is_in_turn = items.get(number + 1).is_none_or(|next| next.color != item.color);
            item.play == Move::Pass && is_in_turn && !self.is_edited_at(number + 1)
        };
        let run = items.iter().enumerate().rev().take_while(is_in_run).count();
        let starts_with_button_pass = self.button_pass() == Some(items.len() - run);
        if starts_with_button_pass { run - 1 } else { run }
    }

    /// Colour that has taken the button: by the first pass. `None` without button.
    pub fn taken_button(&self) -> Option<Color> {
        self.button_pass().and_then(|number| self.record.items().get(number)).map(|item| item.color)
    }

    /// The index in the record of the pass that took the button.
    fn button_pass(&self) -> Option<usize> {
        let first_pass = self.record.items().iter().position(|item| item.play == Move::Pass);
        first_pass.filter(|_| self.has_button_rule())
    }

    /// The number of positions at the beginning of the game that superko does not count: those before the button was
    /// taken, because whether it is taken is a part of the position (KataGo's rules, "Main Phase").
    pub(super) fn positions_before_button(&self) -> usize {
        self.button_pass().map_or(0, |number| number + 1)
    }

    /// The hashes and the players to move of the earlier positions that superko compares with, oldest first: as
    /// [`Position::history`], but without those before the button was taken.
    pub(crate) fn superko_history(&self) -> impl Iterator<Item = (u64, Color)> {
        self.history().skip(self.positions_before_button())
    }

    /// Whether the button is still to be taken: by the next pass.
    pub fn is_button_open(&self) -> bool {
        self.has_button_rule() && self.taken_button().is_none()
    }

    /// Colour that has the half point of the button if the game ends now: who took it, or else the player to move (as in
    /// KataGo's count of unfinished games). `None` without button.
    pub fn button(&self) -> Option<Color> {
        self.has_button_rule().then(|| self.taken_button().unwrap_or(self.state.to_move))
    }

    /// The input of [`score`](crate::kernel::score()) if the game ends now, with these dead stones and these in seki.
    pub fn score_input<'a>(&'a self, dead: &'a PointSet, seki: &'a PointSet) -> ScoreInput<'a> {
        ScoreInput {
            board: &self.board,
            rule: &self.rule,
            prisoners: Color::BOTH.map(|color| self.prisoners(color)),
            handicap: self.handicap(),
            button: self.button(),
            dead,
            seki,
        }
    }

    fn has_button_rule(&self) -> bool {
        self.rule.has_button && self.rule.scoring == Scoring::Area
    }

    /// The `max_moves` given to [`Position::new`].
    pub fn max_moves(&self) -> u32 {
        self.max_moves
    }

    /// The ordinal of this position, 1 before the first move: its key in the ren database.
    pub fn ordinal(&self) -> u32 {
        self.record.len() as u32 + 1
    }

    /// The point of the last move, if its stone is on the board: not after a pass, a suicide or its removal by hand.
    pub fn last_stone(&self) -> Option<Point> {
        let last = self.record.items().last()?;
        last.play.point().filter(|&point| self.board.stone(point) == last.color.stone())
    }

    /// The ko that may not be retaken now. A ban applies only to a player who has moved since the set-up or the last
    /// edit by hand: the rule forbids recreating the position after the same player's previous move, and without such a
    /// move there is no such position.
    pub fn banned_ko(&self) -> Option<Ko> {
        self.board.ko().filter(|ko| self.state.has_moved[ko.color.index()])
    }

    /// Lets a ko be retaken that is banned now.
    pub fn lift_ko(&mut self) {
        self.board.lift_ko();
    }

    /// Makes the current board the start of a new game.
    pub(super) fn reset(&mut self) {
        let hash = board_hash(&self.board);
        self.state = GameState { to_move: self.play_first, hash, prisoners: [0; 2], has_moved: [false; 2] };
        self.start = self.board.stones().into();
        self.handicap = None;
        self.record.clear();
        self.undo_stack.clear();
        self.edited = None;
        self.rens = RenDb::rens_of(&self.board);
        self.ren_db = RenDb::new(self.board.coordinate(), self.max_moves);
        self.ren_db.replace(1, Some(self.rens.clone()));
    }
}
