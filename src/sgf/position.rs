//! Conversion of records to positions, by playing the moves, and of positions to records.

use std::fmt;

use crate::kernel::{Board, Color, GameRule, IllegalMove, KoRule, Move, Point, Position, SetupError, Stone};
use crate::sgf::limits::MAX_TURNS;
use crate::sgf::record::{GameRecord, Turn};

/// The reason why a record cannot be played. Displayed in words, an illegal move as `move 2, white C3, is illegal (masonry:
/// there is a stone on the point)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayError {
    /// A set-up does not form a position.
    Setup(SetupError),
    /// A move is illegal.
    Illegal {
        /// The number of the move, from 1.
        number: usize,
        /// The player.
        color: Color,
        /// The name of the point.
        vertex: String,
        /// The rule it breaks.
        reason: IllegalMove,
    },
    /// There are more than [`MAX_TURNS`] turns.
    TooLong,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Setup(error) => write!(f, "set-up: {error}"),
            ReplayError::Illegal { number, color, vertex, reason } => {
                write!(f, "move {number}, {color} {vertex}, is illegal ({})", reason.described())
            }
            ReplayError::TooLong => write!(f, "more than {MAX_TURNS} moves and set-ups"),
        }
    }
}

impl std::error::Error for ReplayError {}

impl ReplayError {
    /// The text for other programs: that of an illegal move has the name of the rule without its explanation, as in
    /// `move 3, white C5: ko`; other texts are as displayed.
    pub fn brief(&self) -> String {
        match self {
            ReplayError::Illegal { number, color, vertex, reason } => {
                format!("move {number}, {color} {vertex}: {reason}")
            }
            ReplayError::Setup(_) | ReplayError::TooLong => self.to_string(),
        }
    }

    /// The message of a program that uses the moves before an illegal one: the error as displayed, and `; the moves before
    /// it are used`.
    pub fn warning(&self) -> String {
        format!("{self}; the moves before it are used")
    }
}

/// A record as far as its moves are legal.
#[derive(Clone)]
pub struct PlayablePart {
    /// The last position: that at the end of the record, or before its first illegal move.
    pub position: Position,
    /// The first illegal move, as [`ReplayError::Illegal`]; `None` without one.
    pub illegal: Option<ReplayError>,
}

/// The number of `HA` if the record does not set up these stones, and the number of handicap stones that counts
/// instead, see [`Position::handicap`]; `None` if they are equal. `HA[1]` without a stone means an even game.
pub fn handicap_mismatch(record: &GameRecord) -> Option<(usize, usize)> {
    let declared = record.handicap.filter(|&number| number > 1 && !record.has_declared_handicap())?;
    // White's first move ends Black's first moves, unless another one of White's follows it
    let mut moves = record.turns.iter().filter(|turn| matches!(turn, Turn::Move(..)));
    let white = moves.position(|turn| matches!(turn, Turn::Move(Color::White, _)));
    let empty = Position::new(record.coordinate, GameRule::with_komi(0.0), 0, Color::Black);
    let counted = position_of(record, &empty, white.map(|index| index + 3)).map_or(0, |position| position.handicap());
    (counted != declared).then_some((declared, counted))
}

/// Plays a record up to, but not including, move number `before_move`, counted from 1; with `None`, to its end.
///
/// `defaults` supplies the rules, the komi if the record has none, and the first player of a record without moves. The
/// player to move at the start is that of `PL`, else that of the first move; where the record stops before a move, that of
/// the next move. Superko repetitions and suicide of several stones are accepted, because the rules of the game may
/// have allowed them.
///
/// # Errors
/// If a set-up does not form a position, a move is illegal, or there are more than [`MAX_TURNS`] turns.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
/// use kifuwarabe_uec14::sgf;
///
/// let record = sgf::read(b"(;SZ[9]KM[7];B[ee];W[cc];B[gg])")?;
/// let coordinate = Coordinate::square(19).ok_or("size")?;
/// let defaults = Position::new(coordinate, GameRule::with_komi(6.5), 400, Color::Black);
/// let position = sgf::position_of(&record, &defaults, Some(3))?;
/// assert_eq!((position.record().len(), position.to_move(), position.rule().komi), (2, Color::Black, 7.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn position_of(
    record: &GameRecord,
    defaults: &Position,
    before_move: Option<usize>,
) -> Result<Position, ReplayError> {
    replay(record, defaults, before_move, KoRetakes::Refused)
}

/// As [`position_of`] for the whole game, but a record with an illegal move is played up to that move, whose player is then
/// to move. The ends of many records break the rules of this program, such as a ko that is retaken when only dame are left.
///
/// # Errors
/// If a set-up does not form a position, or there are more than [`MAX_TURNS`] turns, before the first illegal move.
pub fn playable_part(record: &GameRecord, defaults: &Position) -> Result<PlayablePart, ReplayError> {
    match position_of(record, defaults, None) {
        Ok(position) => Ok(PlayablePart { position, illegal: None }),
        Err(error) => {
            let ReplayError::Illegal { number, .. } = error else { return Err(error) };
            let position = position_of(record, defaults, Some(number))?;
            Ok(PlayablePart { position, illegal: Some(error) })
        }
    }
}

/// As [`position_of`] for the whole game, where a ko may be retaken at once, as KataGo's analysis engine accepts.
///
/// # Errors
/// As for [`position_of`].
pub fn position_without_ko_rule(record: &GameRecord, defaults: &Position) -> Result<Position, ReplayError> {
    replay(record, defaults, None, KoRetakes::Allowed)
}

/// Whether a ko may be retaken at once.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KoRetakes {
    Refused,
    Allowed,
}

fn replay(
    record: &GameRecord,
    defaults: &Position,
    before_move: Option<usize>,
    ko_retakes: KoRetakes,
) -> Result<Position, ReplayError> {
    let mut position = defaults.new_game(record.coordinate);
    position.set_up(&position.board().stones_with(record.setup.iter().copied())).map_err(ReplayError::Setup)?;
    let mut rule = *position.rule();
    rule.komi = record.komi.unwrap_or(rule.komi);
    let lenient = position.rule_mut();
    (lenient.ko, lenient.suicide, lenient.can_not_put_on_my_eye) = (KoRule::Simple, true, false);
    if let Some(handicap) = record.handicap.filter(|_| record.has_declared_handicap()) {
        position.declare_handicap(handicap);
        if handicap > 0 {
            position.set_to_move(Color::White);
        }
    }
    let first = record.turns.first().and_then(|turn| if let Turn::Move(color, _) = turn { Some(*color) } else { None });
    if let Some(color) = record.to_play.or(first) {
        position.set_to_move(color);
    }
    let mut number = 0;
    for (turn, place) in record.turns.iter().zip(1..) {
        if place > MAX_TURNS {
            return Err(ReplayError::TooLong);
        }
        match turn {
            Turn::Setup(stones) => {
                let stones = position.board().stones_with(stones.iter().copied());
                position.edit(&stones).map_err(ReplayError::Setup)?;
            }
            Turn::ToPlay(color) => position.set_to_move(*color),
            Turn::Move(color, play) => {
                number += 1;
                if before_move.is_some_and(|before_move| number >= before_move) {
                    position.set_to_move(*color);
                    break;
                }
                if ko_retakes == KoRetakes::Allowed {
                    position.lift_ko();
                }
                position.make_move(*color, *play).map_err(|reason| ReplayError::Illegal {
                    number,
                    color: *color,
                    vertex: play.vertex(record.coordinate),
                    reason,
                })?;
            }
        }
    }
    *position.rule_mut() = rule;
    Ok(position)
}

/// The record of a position: its set-up and all moves and edits since. `PL` gives the player to move at the set-up,
/// unless Black moves first on an empty board, and after a move whose player is to move again.
pub fn record_of(position: &Position) -> GameRecord {
    let coordinate = position.board().coordinate();
    let mut record = GameRecord::new(coordinate);
    let rule = position.rule();
    record.komi = Some(rule.komi);
    record.rules = Some(rule.name_or_short_form());
    record.handicap = position.placed_handicap();
    record.setup = differences(Board::new(coordinate).stones(), position.stones_at(0), position);
    let items = position.record().items();
    let black_begins = record.setup.is_empty() && items.first().is_none_or(|item| item.color == Color::Black);
    record.to_play = Some(position.first_to_move()).filter(|&color| color != Color::Black || !black_begins);
    let to_move = position.history().skip(1).map(|(_, color)| color).chain([position.to_move()]);
    for ((number, item), to_move) in items.iter().enumerate().zip(to_move) {
        record.turns.push(Turn::Move(item.color, item.play));
        let mut after = position.stones_at(number).to_vec();
        let mut put = |point: Point, stone: Stone| {
            if let Some(cell) = after.get_mut(point.index()) {
                *cell = stone;
            }
        };
        if let Move::Play(point) = item.play {
            put(point, item.color.stone());
        }
        item.captured.iter().for_each(|&point| put(point, Stone::Space));
        // edits by hand after the move
        let edited = differences(&after, position.stones_at(number + 1), position);
        if !edited.is_empty() {
            record.turns.push(Turn::Setup(edited));
        }
        if to_move != item.color.opponent() {
            record.turns.push(Turn::ToPlay(to_move));
        }
    }
    record
}

/// The points where `after` differs from `before`, with their content in `after`, row by row.
fn differences(before: &[Stone], after: &[Stone], position: &Position) -> Vec<(Point, Stone)> {
    let points = position.board().coordinate().points();
    let at = |stones: &[Stone], point: Point| stones.get(point.index()).copied().unwrap_or_default();
    points.map(|point| (point, at(after, point))).filter(|&(point, stone)| at(before, point) != stone).collect()
}
