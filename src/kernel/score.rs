//! The score of a position whose dead stones are known.
//!
//! Which stones are dead, and which stand in seki, is for the players to say, or for the search to judge. This module
//! counts, under any mixture of the rules in [`GameRule`].

use std::fmt;

use crate::kernel::board::Board;
use crate::kernel::check_board::PointSet;
use crate::kernel::color::Color;
use crate::kernel::coordinate::Point;
use crate::kernel::game_rule::{GameRule, Scoring, Tax, counted_komi};
use crate::kernel::region::{Region, regions};
use crate::kernel::stone::Stone;

/// What a score depends on.
#[derive(Clone, Copy, Debug)]
pub struct Ending<'a> {
    /// The stones as they stand, dead ones included.
    pub board: &'a Board,
    /// How to count, and komi.
    pub rule: &'a GameRule,
    /// Stones that Black and White have taken, dead stones on the board not among them.
    pub prisoners: [u32; 2],
    /// Black's handicap stones.
    pub handicap: usize,
    /// The stones that do not count as living: whole rens.
    pub dead: &'a PointSet,
    /// The living stones that stand in seki: whole rens. Matters only where eyes are taxed.
    pub seki: &'a PointSet,
}

/// What a player has, in points. All are at least zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Living stones; none where territory is counted.
    pub stones: usize,
    /// Points without a living stone that only this player's living stones reach.
    pub territory: usize,
    /// Opponent's stones taken, and dead ones on the board; none where area is counted.
    pub prisoners: usize,
    /// What of the territory does not count after all.
    pub tax: usize,
}

impl Tally {
    /// The sum, komi and White's bonus not counted.
    pub const fn points(self) -> usize {
        self.stones + self.territory + self.prisoners - self.tax
    }
}

/// A counted position. Displayed as in GTP and SGF: `B+3.5`, `W+0.5`, and `0` if nobody is ahead.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Score {
    /// What Black has.
    pub black: Tally,
    /// What White has, komi and bonus not counted.
    pub white: Tally,
    /// Points for White by agreement.
    pub komi: f64,
    /// Points for White for handicap stones.
    pub white_bonus: f64,
    /// Points of the board that nobody surrounds.
    pub neutral: usize,
}

impl Score {
    /// Black's points minus White's, with komi, as far as it counts, and bonus.
    pub fn margin(&self) -> f64 {
        self.black.points() as f64 - self.white.points() as f64 - counted_komi(self.komi) - self.white_bonus
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // in single precision, in which GTP has its komi, 40 - 6.7 is 33.3 without a tail
        let margin = self.margin() as f32;
        match margin {
            _ if margin > 0.0 => write!(f, "B+{margin}"),
            _ if margin < 0.0 => write!(f, "W+{}", -margin),
            _ => f.write_str("0"),
        }
    }
}

/// Counts a position.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Board, Coordinate, Ending, GameRule, PointSet, score};
///
/// let board = Board::new(Coordinate::square(9).ok_or("a size")?);
/// let none = PointSet::new();
/// let rule = GameRule::with_komi(6.5);
/// let ending = Ending { board: &board, rule: &rule, prisoners: [0; 2], handicap: 0, dead: &none, seki: &none };
/// assert_eq!(score(&ending).to_string(), "W+6.5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn score(ending: &Ending) -> Score {
    let Ending { board, rule, dead, .. } = *ending;
    let open = open_regions(board, dead);
    let mut score = Score {
        black: Tally::default(),
        white: Tally::default(),
        komi: rule.komi,
        white_bonus: rule.white_bonus(ending.handicap),
        neutral: 0,
    };
    let mut areas = living(board, dead);
    for color in Color::BOTH {
        let tally = if color == Color::Black { &mut score.black } else { &mut score.white };
        *tally = stones_and_prisoners(ending, color);
        let [area, _] = ordered(&mut areas, color);
        let mut counted = PointSet::new();
        for region in open.iter().filter(|region| surrounder(board, region) == Some(color)) {
            tally.territory += region.points.len();
            let taxed = rule.tax != Tax::None && region.border.iter().any(|&p| ending.seki.contains(p));
            tally.tax += if taxed { region.points.len() } else { 0 };
            for &point in &region.points {
                area.insert(point);
                if !taxed {
                    counted.insert(point);
                }
            }
        }
        if rule.tax == Tax::All {
            tally.tax += group_tax(board, area, &counted);
        }
    }
    let nobody = open.iter().filter(|region| surrounder(board, region).is_none());
    score.neutral = nobody.map(|region| region.points.len()).sum();
    score
}

/// The areas of Black and White: their living stones, and the points without one that only theirs reach.
pub fn areas(board: &Board, dead: &PointSet) -> [PointSet; 2] {
    let mut areas = living(board, dead);
    for region in open_regions(board, dead) {
        if let Some(color) = surrounder(board, &region) {
            let [area, _] = ordered(&mut areas, color);
            for point in region.points {
                area.insert(point);
            }
        }
    }
    areas
}

/// The living stones of Black and White.
fn living(board: &Board, dead: &PointSet) -> [PointSet; 2] {
    let points = |color: Color| {
        let points = board.coordinate().points();
        points.filter(|&p| board.stone(p) == color.stone() && !dead.contains(p)).collect()
    };
    Color::BOTH.map(points)
}

/// The player's own, then the opponent's.
fn ordered<T>([black, white]: &mut [T; 2], color: Color) -> [&mut T; 2] {
    match color {
        Color::Black => [black, white],
        Color::White => [white, black],
    }
}

/// The points without a living stone.
fn open_regions(board: &Board, dead: &PointSet) -> Vec<Region> {
    regions(board.coordinate(), |p| board.stone(p) == Stone::Space || dead.contains(p))
}

/// The only colour around a region.
fn surrounder(board: &Board, region: &Region) -> Option<Color> {
    let mut colors = region.border.iter().filter_map(|&p| board.stone(p).color());
    let first = colors.next()?;
    colors.all(|color| color == first).then_some(first)
}

/// What a player has beside territory.
fn stones_and_prisoners(ending: &Ending, color: Color) -> Tally {
    let count = |color: Color, dead: bool| {
        let points = ending.board.coordinate().points();
        points.filter(|&p| ending.board.stone(p) == color.stone() && ending.dead.contains(p) == dead).count()
    };
    let [black, white] = ending.prisoners;
    let taken = if color == Color::Black { black } else { white };
    match ending.rule.scoring {
        Scoring::Area => Tally { stones: count(color, false), ..Tally::default() },
        Scoring::Territory => Tally { prisoners: taken as usize + count(color.opponent(), true), ..Tally::default() },
    }
}

/// Two points for each group, which could not be filled without dying; a group that has fewer pays what it has.
///
/// A group is what hangs together of a player's area: rens connected through territory that they surround.
fn group_tax(board: &Board, area: &PointSet, counted: &PointSet) -> usize {
    let groups = regions(board.coordinate(), |p| area.contains(p));
    let room = |group: &Region| group.points.iter().filter(|&&p: &&Point| counted.contains(p)).count();
    groups.iter().map(|group| room(group).min(2)).sum()
}
