//! Between game records and positions: a record played through, and a position written down.

use std::fmt;

use crate::kernel::{Board, Color, IllegalMove, KoRule, Move, Point, Position, SetupError, Stone};
use crate::sgf::{Game, Turn};

/// How many moves and set-ups of a record are played through at most. Every position of a game is kept, and real games are
/// a hundred times shorter.
pub const MAX_TURNS: usize = 20_000;

/// Why a record cannot be played through.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReplayError {
    /// The stones that are set make no position.
    Setup(SetupError),
    /// A move is illegal.
    Illegal {
        /// Which move, counted from 1.
        number: usize,
        /// Who moves.
        color: Color,
        /// The name of the point.
        vertex: String,
        /// The rule it breaks.
        reason: IllegalMove,
    },
    /// There are more than [`MAX_TURNS`] moves and set-ups.
    TooLong,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Setup(error) => write!(f, "set-up: {error}"),
            ReplayError::Illegal { number, color, vertex, reason } => {
                write!(f, "move {number}, {color} {vertex}: {reason}")
            }
            ReplayError::TooLong => write!(f, "more than {MAX_TURNS} moves and set-ups"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// Plays a record through and stops before move `until`, counted from 1; without one, at its end.
///
/// `like` gives what the record does not say: the rules, komi where there is none, who begins where nobody moves. Whose turn
/// it is at the start and where it is stopped is told by the move that follows; at the start, by `PL` before that.
/// Repetitions other than a ko and suicide of several stones are let pass, for the rules the game was played by may have
/// allowed them.
///
/// # Errors
/// If the set-up makes no position, a move is illegal, or there are more than [`MAX_TURNS`] of them.
pub fn position_of(game: &Game, like: &Position, until: Option<usize>) -> Result<Position, ReplayError> {
    let mut position = like.clone();
    position.clear(game.coordinate);
    position.set_up(&with(position.board().stones(), &game.setup)).map_err(ReplayError::Setup)?;
    let mut rule = *position.rule();
    rule.komi = game.komi.unwrap_or(rule.komi);
    let lenient = position.rule_mut();
    (lenient.ko, lenient.suicide, lenient.can_not_put_on_my_eye) = (KoRule::Simple, true, false);
    let only_black = game.setup.iter().all(|(_, stone)| *stone == Stone::Black);
    if let Some(handicap) = game.handicap.filter(|&handicap| handicap == game.setup.len() && only_black) {
        position.declare_handicap(handicap);
        position.set_to_move(Color::White);
    }
    let first = game.turns.first().and_then(|turn| if let Turn::Move(color, _) = turn { Some(*color) } else { None });
    if let Some(color) = game.to_play.or(first) {
        position.set_to_move(color);
    }
    let mut number = 0;
    for (turn, place) in game.turns.iter().zip(1..) {
        if place > MAX_TURNS {
            return Err(ReplayError::TooLong);
        }
        match turn {
            Turn::Setup(stones) => {
                let stones = with(position.board().stones(), stones);
                position.edit(&stones).map_err(ReplayError::Setup)?;
            }
            Turn::ToPlay(color) => position.set_to_move(*color),
            Turn::Move(color, play) => {
                number += 1;
                if until.is_some_and(|until| number >= until) {
                    position.set_to_move(*color);
                    break;
                }
                match play {
                    Move::Pass => position.pass(*color),
                    Move::Play(point) => position.play(*color, *point).map_err(|reason| ReplayError::Illegal {
                        number,
                        color: *color,
                        vertex: game.coordinate.vertex(*point),
                        reason,
                    })?,
                }
            }
        }
    }
    *position.rule_mut() = rule;
    Ok(position)
}

/// Writes a position down with all that led to it since it was set. Whose turn it is stands there unless Black begins on an
/// empty board, or players alternate.
pub fn game_of(position: &Position) -> Game {
    let coordinate = position.board().coordinate();
    let mut game = Game::new(coordinate);
    game.komi = Some(position.rule().komi);
    game.rules = position.rule().name().map(str::to_owned);
    game.handicap = Some(position.handicap()).filter(|&handicap| handicap > 0);
    game.setup = differences(Board::new(coordinate).stones(), position.stones_at(0), position);
    let items = position.record().items();
    let black_begins = game.setup.is_empty() && items.first().is_none_or(|item| item.color == Color::Black);
    game.to_play = Some(position.first_to_move()).filter(|&color| color != Color::Black || !black_begins);
    let to_move = position.history().skip(1).map(|(_, color)| color).chain([position.to_move()]);
    for ((number, item), to_move) in items.iter().enumerate().zip(to_move) {
        game.turns.push(Turn::Move(item.color, item.play));
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
        // what was edited by hand after the move
        let edited = differences(&after, position.stones_at(number + 1), position);
        if !edited.is_empty() {
            game.turns.push(Turn::Setup(edited));
        }
        if to_move != item.color.opponent() {
            game.turns.push(Turn::ToPlay(to_move));
        }
    }
    game
}

fn with(stones: &[Stone], changes: &[(Point, Stone)]) -> Vec<Stone> {
    let mut stones = stones.to_vec();
    for &(point, stone) in changes {
        if let Some(cell) = stones.get_mut(point.index()) {
            *cell = stone;
        }
    }
    stones
}

/// The points where `after` differs from `before`, with what it has there, row by row.
fn differences(before: &[Stone], after: &[Stone], position: &Position) -> Vec<(Point, Stone)> {
    let points = position.board().coordinate().points();
    let at = |stones: &[Stone], point: Point| stones.get(point.index()).copied().unwrap_or_default();
    points.map(|point| (point, at(after, point))).filter(|&(point, stone)| at(before, point) != stone).collect()
}
