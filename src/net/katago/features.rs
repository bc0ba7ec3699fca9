//! The input of a KataGo net: version 7 of its features, 22 planes and 19 global inputs.
//!
//! Version 7 is what nets of model version 8 and later take. Sources: "Accelerating Self-Play Learning in Go" (D. J. Wu,
//! 2019), and KataGo's `fillRowV7`, which defines the details.

use crate::kernel::{Board, Color, GameRule, KoRule, Move, Point, PointSet, Scoring, Stone, Tax};
use crate::net::katago::area::Area;
use crate::net::ladder::ladders;
use crate::net::point_planes::PointPlanes;
use crate::net::undo_board::UndoBoard;

/// Number of planes.
pub const PLANES: usize = 22;

/// Number of global inputs.
pub const GLOBALS: usize = 19;

/// Own komi is clamped to the board's area and this many points.
const KOMI_MARGIN: f32 = 20.0;

/// The input of a position, from the perspective of the player to move.
///
/// Points are indexed from the highest rank down, each rank west to east, as in all output of KataGo. The planes:
///
/// | plane | set at |
/// | --- | --- |
/// | 0 | every point of the board |
/// | 1, 2 | stones of the player to move, of the opponent |
/// | 3, 4, 5 | stones whose chain has 1, 2, 3 liberties |
/// | 6 | points that a ko or superko forbids |
/// | 7, 8 | nothing (kos in the encore of territory scoring) |
/// | 9 to 13 | the point of the last move, of the move before it, and so on |
/// | 14, 15, 16 | stones that a ladder takes: now, one move ago, two moves ago |
/// | 17 | moves that begin to take a chain of the opponent by a ladder |
/// | 18, 19 | area of the player to move, of the opponent; with a tax, of groups in seki only the stones; not under territory scoring |
/// | 20, 21 | nothing (stones at the beginning of the second encore) |
///
/// The global inputs:
///
/// | number | value |
/// | --- | --- |
/// | 0 to 4 | whether the last move, the move before it, and so on, was a pass |
/// | 5 | own komi in points / 20, with the handicap bonus and, under territory scoring, [`Komi::black_minus_white_stones`](crate::net::Komi::black_minus_white_stones) |
/// | 6, 7 | 1 and ±0.5 under positional (+) and situational (-) superko |
/// | 8 | whether suicide of several stones is legal |
/// | 9 | territory scoring |
/// | 10, 11 | seki tax or group tax; group tax |
/// | 12, 13 | first encore and second encore of territory scoring |
/// | 14 | whether a pass ends the game or the phase |
/// | 15, 16 | whether there is a playout doubling advantage, and half of it |
/// | 17 | whether the next pass takes the button |
/// | 18 | under area scoring, with k = (own komi − number of points) mod 2: k if k < 0.5, 1 − k if k < 1.5, else k − 2 |
#[derive(Clone, PartialEq, Debug)]
pub struct Features {
    planes: PointPlanes,
    globals: [f32; GLOBALS],
    /// Whether each move is legal, the pass last.
    legal: Vec<bool>,
}

/// A board as the ladder planes read it.
#[derive(Clone, Copy)]
pub(in crate::net) struct BoardAt<'a> {
    pub(in crate::net) stones: &'a [Stone],
    pub(in crate::net) ko: Option<Point>,
}

/// The data from which the features of a position are computed.
pub(in crate::net) struct FeatureSource<'a> {
    pub(in crate::net) board: &'a Board,
    /// The chains of the board, with the point of a simple ko.
    pub(in crate::net) chains: &'a mut UndoBoard,
    pub(in crate::net) to_move: Color,
    /// Points forbidden by ko or superko.
    pub(in crate::net) banned: &'a PointSet,
    /// The moves shown, newest first, at most [`HISTORY_MOVES`](crate::net::history::HISTORY_MOVES); each is of the
    /// opponent of the next one.
    pub(in crate::net) moves: &'a [Move],
    /// The boards before the last move and the move before it. Only the first [`FeatureSource::moves`] of them are read.
    pub(in crate::net) before: [BoardAt<'a>; 2],
    /// `None` under territory scoring.
    pub(in crate::net) area: Option<&'a Area>,
    pub(in crate::net) rule: &'a GameRule,
    /// Komi with every bonus, in points, from the perspective of the player to move.
    pub(in crate::net) own_komi: f32,
    /// Whether the first encore of territory scoring is being played.
    pub(in crate::net) is_encore: bool,
    /// Whether the next pass takes the button.
    pub(in crate::net) has_button: bool,
    /// Whether a pass ends the game or the phase, as the net's inputs have it.
    pub(in crate::net) pass_ends: bool,
    /// The doubling advantage of the player to move.
    pub(in crate::net) doubling: f32,
    /// Whether each move is legal, as in [`Features::legal`].
    pub(in crate::net) legal: Vec<bool>,
}

impl Features {
    pub(in crate::net) fn new(mut source: FeatureSource) -> Features {
        let coordinate = source.board.coordinate();
        let mut features = Features {
            planes: PointPlanes::new(coordinate, 1),
            globals: globals(&source),
            legal: std::mem::take(&mut source.legal),
        };
        for point in coordinate.points() {
            features.planes.add(point, planes(&source, point));
        }
        for (number, point) in source.moves.iter().enumerate().filter_map(|(n, play)| Some((n, play.point()?))) {
            features.planes.add(point, 1 << (9 + number));
        }
        features.add_ladders(source);
        features
    }

    fn add_ladders(&mut self, source: FeatureSource) {
        let FeatureSource { board, chains, to_move, moves, before: [one_ago, two_ago], .. } = source;
        let now = ladders(chains, to_move.opponent());
        let earlier =
            |at: BoardAt| ladders(&mut UndoBoard::new(board.coordinate(), at.stones, at.ko), to_move).captured;
        let first = if moves.is_empty() { now.captured } else { earlier(one_ago) };
        let second = if moves.len() < 2 { first } else { earlier(two_ago) };
        for (plane, points) in [(14, now.captured), (15, first), (16, second), (17, now.working_moves)] {
            self.planes.add_all(&points, 1 << plane);
        }
    }

    /// The planes.
    pub fn planes(&self) -> &PointPlanes {
        &self.planes
    }

    /// The global inputs.
    pub fn globals(&self) -> &[f32; GLOBALS] {
        &self.globals
    }

    /// Whether each move is legal: a flag for each point, and one for the pass.
    pub fn legal(&self) -> &[bool] {
        &self.legal
    }

    /// Whether the game may end without a result. Not under area scoring with superko, where long cycles are forbidden:
    /// there KataGo sets the net's probability of no result to 0, and the others in proportion.
    pub fn may_have_no_result(&self) -> bool {
        self.globals[6] == 0.0 || self.globals[9] != 0.0
    }
}

/// The planes of a point, without those of moves and ladders.
fn planes(source: &FeatureSource, point: Point) -> u32 {
    let FeatureSource { chains, to_move, banned, area, .. } = source;
    let mut planes = 1;
    if let Some(owner) = chains.stone(point).color() {
        planes |= if owner == *to_move { 1 << 1 } else { 1 << 2 };
        planes |= match chains.liberties(point) {
            count @ 1..=3 => 1 << (2 + count),
            _ => 0,
        };
    } else if banned.contains(point) {
        planes |= 1 << 6;
    }
    match area.and_then(|area| area.owner(point)) {
        Some(owner) if owner == *to_move => planes | 1 << 18,
        Some(_) => planes | 1 << 19,
        None => planes,
    }
}

fn globals(source: &FeatureSource) -> [f32; GLOBALS] {
    let FeatureSource { rule, board, .. } = source;
    let area = board.coordinate().board_area() as f32;
    let komi = source.own_komi.clamp(-area - KOMI_MARGIN, area + KOMI_MARGIN);
    let flag = |is_set: bool| f32::from(u8::from(is_set));
    let passed = |number: usize| flag(source.moves.get(number) == Some(&Move::Pass));
    let is_area = rule.scoring == Scoring::Area;
    let (superko, kind) = match rule.ko {
        KoRule::Simple => (0.0, 0.0),
        KoRule::Positional => (1.0, 0.5),
        KoRule::Situational => (1.0, -0.5),
    };
    [
        passed(0),
        passed(1),
        passed(2),
        passed(3),
        passed(4),
        komi / 20.0,
        superko,
        kind,
        flag(rule.suicide),
        flag(!is_area),
        flag(rule.tax != Tax::None),
        flag(rule.tax == Tax::All),
        flag(source.is_encore),
        0.0,
        flag(source.pass_ends),
        flag(source.doubling != 0.0),
        0.5 * source.doubling,
        flag(source.has_button),
        if is_area { komi_wave(komi, board.coordinate().board_area()) } else { 0.0 },
    ]
}

/// A triangular wave of period 2 and height 0.5, which rises through 0 where own komi makes a draw possible: integers of
/// the parity of the number of points, because the two areas usually add up to all points.
fn komi_wave(komi: f32, points: usize) -> f32 {
    let parity = (points % 2) as f32;
    let below = ((komi - parity) / 2.0).floor() * 2.0 + parity;
    let above = (komi - below).clamp(0.0, 2.0);
    if above < 0.5 {
        above
    } else if above < 1.5 {
        1.0 - above
    } else {
        above - 2.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;

    #[test]
    fn no_result_depends_on_the_rules() {
        let planes = PointPlanes::new(Coordinate::square(9).unwrap(), 1);
        let mut features = Features { planes, globals: [0.0; GLOBALS], legal: Vec::new() };
        assert!(features.may_have_no_result());
        features.globals[6] = 1.0;
        assert!(!features.may_have_no_result());
        features.globals[9] = 1.0;
        assert!(features.may_have_no_result());
    }

    #[test]
    fn komi_wave_rises_where_draws_are_possible() {
        let odd =
            [(7.0, 0.0), (7.25, 0.25), (7.5, 0.5), (8.0, 0.0), (8.5, -0.5), (9.0, 0.0), (-7.5, -0.5), (-6.5, 0.5)];
        for (komi, wave) in odd {
            assert_eq!(komi_wave(komi, 361), wave, "{komi}");
            assert_eq!(komi_wave(komi - 1.0, 64), wave, "{komi}");
        }
    }
}
