//! The score of a position whose dead stones are given.
//!
//! `margin = black points − white points − komi − White's handicap bonus ± button`, under any combination of the rules in
//! [`GameRule`]. The caller decides which stones are dead and which stand in seki; this module only counts.

use std::fmt;

use crate::kernel::board::Board;
use crate::kernel::color::Color;
use crate::kernel::coordinate::Point;
use crate::kernel::game_rule::{GameRule, Scoring, Tax, clamped_komi};
use crate::kernel::point_set::PointSet;
use crate::kernel::record::Move;
use crate::kernel::region::{Region, regions, regions_without_living_stones};
use crate::kernel::stone::Stone;

/// The input of [`score`].
#[derive(Clone, Copy, Debug)]
pub struct ScoreInput<'a> {
    /// The board, including dead stones.
    pub board: &'a Board,
    /// The counting rules, and komi.
    pub rule: &'a GameRule,
    /// Stones captured by Black and by White during the game, without the dead stones on the board.
    pub prisoners: [u32; 2],
    /// Number of Black's handicap stones.
    pub handicap: usize,
    /// Colour that has the half point of the button: [`Position::button`](crate::kernel::Position::button).
    pub button: Option<Color>,
    /// The dead stones: whole rens.
    pub dead: &'a PointSet,
    /// The living stones in seki: whole rens. Used only where [`GameRule::tax`] is not [`Tax::None`].
    pub seki: &'a PointSet,
}

/// The points of one player by source.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PointCount {
    /// Living stones; 0 under territory scoring.
    pub stones: usize,
    /// Points without a living stone that border on this player's living stones only, or, in an estimate, that will
    /// probably be this player's.
    pub territory: usize,
    /// Captured enemy stones, and dead ones on the board; 0 under area scoring.
    pub prisoners: usize,
    /// Points of the territory that do not count.
    pub tax: usize,
}

impl PointCount {
    /// `stones + territory + prisoners − tax`.
    pub const fn points(self) -> usize {
        self.stones + self.territory + self.prisoners - self.tax
    }
}

/// A counted position. Displayed as in GTP and SGF: `B+3.5`, `W+0.5`, or `0` for a draw.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Score {
    /// Black's points.
    pub black: PointCount,
    /// White's points, without komi and handicap bonus.
    pub white: PointCount,
    /// Komi as agreed; [`Score::margin`] clamps it.
    pub komi: f64,
    /// The handicap bonus: White's points for handicap stones.
    pub handicap_bonus: f64,
    /// Colour that has the half point of the button.
    pub button: Option<Color>,
    /// Points of the board that belong to neither player.
    pub neutral: usize,
}

/// The half point of the button as a part of Black's points less White's.
pub(crate) fn button_points(owner: Color) -> f64 {
    0.5 * f64::from(owner.sign())
}

/// The points that an open button adds to Black's score after these moves, by turns from a move of `first`: its owner is
/// the first to pass.
pub(crate) fn open_button_points(moves: &[Move], first: Color) -> f64 {
    let first_pass = moves.iter().position(|&play| play == Move::Pass);
    let owner = first_pass.map(|number| if number % 2 == 0 { first } else { first.opponent() });
    owner.map_or(0.0, button_points)
}

impl Score {
    /// Black's points minus White's, komi, handicap bonus and button included; positive if Black wins.
    pub fn margin(&self) -> f64 {
        let button = self.button.map_or(0.0, button_points);
        button + self.black.points() as f64 - self.white.points() as f64 - clamped_komi(self.komi) - self.handicap_bonus
    }

    /// The winner; `None` for a draw.
    pub fn winner(&self) -> Option<Color> {
        let margin = self.margin() as f32;
        Color::BOTH.into_iter().find(|color| margin * f32::from(color.sign()) > 0.0)
    }

    /// The points by which the winner wins. Single precision, which GTP uses for komi, displays 40 - 6.7 as 33.3.
    pub fn winning_points(&self) -> f32 {
        (self.margin() as f32).abs()
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.winner() {
            Some(winner) => write!(f, "{}+{}", winner.letter(), self.winning_points()),
            None => f.write_str("0"),
        }
    }
}

/// Black's lead in points as in results, such as `B+3.5`; `None` if it rounds to 0.
pub(crate) fn lead_text(lead: f32) -> Option<String> {
    let (color, points) = if lead < 0.0 { (Color::White, -lead) } else { (Color::Black, lead) };
    (points >= 0.05).then(|| format!("{}+{points:.1}", color.letter()))
}

/// Counts a position.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{ScoreInput, GameRule, PointSet, parse_diagram, score};
///
/// let board = parse_diagram(
///     ". x o . .
///      . x o o .
///      . x x o .
///      . . x o .
///      . x o . .",
/// )?;
/// let none = PointSet::new();
/// let rule = GameRule::with_komi(0.5);
/// let input = ScoreInput { board: &board, rule: &rule, prisoners: [0; 2], handicap: 0, button: None, dead: &none, seki: &none };
/// assert_eq!(score(&input).to_string(), "W+1.5"); // 12 points against 13, and komi
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn score(input: &ScoreInput) -> Score {
    score_of_areas(input, &areas(input.board, input.dead))
}

/// Counts a position in which the owner of each point is known. `owned` has the area of Black and that of White: the
/// player's living stones, and points without a living stone, of which no point is in both.
pub(crate) fn score_of_areas(input: &ScoreInput, owned: &[PointSet; 2]) -> Score {
    let ScoreInput { board, rule, dead, .. } = *input;
    let has_no_living_stone = |p: Point| board.stone(p) == Stone::Space || dead.contains(p);
    let mut score = Score {
        black: PointCount::default(),
        white: PointCount::default(),
        komi: rule.komi,
        handicap_bonus: rule.handicap_bonus_points(input.handicap),
        button: input.button,
        neutral: 0,
    };
    for (color, area) in Color::BOTH.into_iter().zip(owned) {
        let count = if color == Color::Black { &mut score.black } else { &mut score.white };
        *count = stones_and_prisoners(input, color);
        let taxed = taxed_territory(input, color, area);
        let territory: Vec<Point> = area.iter().filter(|&p| has_no_living_stone(p)).collect();
        count.territory = territory.len();
        count.tax = taxed.len();
        if rule.tax == Tax::All {
            let untaxed = territory.into_iter().filter(|p| !taxed.contains(p)).collect();
            count.tax += group_tax(board, area, &untaxed);
        }
    }
    let is_neutral = |&p: &Point| has_no_living_stone(p) && owned.iter().all(|area| !area.contains(p));
    score.neutral = board.coordinate().points().filter(is_neutral).count();
    score
}

/// The areas of Black and of White without the territory that is taxed because own stones in seki border it. The other
/// taxes are on no particular points.
pub(crate) fn without_taxed_territory(input: &ScoreInput, mut owned: [PointSet; 2]) -> [PointSet; 2] {
    for (color, area) in Color::BOTH.into_iter().zip(&mut owned) {
        taxed_territory(input, color, area).into_iter().for_each(|point| area.remove(point));
    }
    owned
}

/// The territory in a player's area that is taxed because own stones in seki border it.
fn taxed_territory(input: &ScoreInput, color: Color, area: &PointSet) -> Vec<Point> {
    let ScoreInput { board, dead, .. } = *input;
    if input.rule.tax == Tax::None {
        return Vec::new();
    }
    let is_territory = |p: Point| (board.stone(p) == Stone::Space || dead.contains(p)) && area.contains(p);
    // the border may have stones of both colours if the areas are estimated
    let is_own_seki = |&p: &Point| board.stone(p) == color.stone() && input.seki.contains(p);
    let taxed =
        regions(board.coordinate(), is_territory).into_iter().filter(|region| region.border.iter().any(is_own_seki));
    taxed.flat_map(|region| region.points).collect()
}

/// The areas of Black and of White: living stones, and points without a living stone that border on living stones of
/// that player only.
pub fn areas(board: &Board, dead: &PointSet) -> [PointSet; 2] {
    let mut areas = living_stones(board, dead);
    for region in regions_without_living_stones(board, dead) {
        if let Some(color) = region.only_color(board) {
            areas[color.index()].extend(region.points);
        }
    }
    areas
}

/// The stones in seki by definition, where every stone is alive: a connected part of a player's area is in seki if it
/// touches a neutral point or has a ren in atari, as in KataGo's rules of taxes.
pub fn seki_by_definition(board: &Board) -> PointSet {
    let coordinate = board.coordinate();
    let areas = areas(board, &PointSet::new());
    let is_neutral = |p: &Point| board.stone(*p) == Stone::Space && areas.iter().all(|area| !area.contains(*p));
    let is_in_atari = |p: &Point| board.stone(*p) != Stone::Space && board.is_atari(*p);
    let parts = areas.iter().flat_map(|area| regions(coordinate, |p| area.contains(p)));
    let in_seki = parts.filter(|part| part.border.iter().any(is_neutral) || part.points.iter().any(is_in_atari));
    in_seki.flat_map(|part| part.points).filter(|&p| board.stone(p) != Stone::Space).collect()
}

/// The living stones of Black and of White.
fn living_stones(board: &Board, dead: &PointSet) -> [PointSet; 2] {
    let points = |color: Color| {
        let points = board.coordinate().points();
        points.filter(|&p| board.stone(p) == color.stone() && !dead.contains(p)).collect()
    };
    Color::BOTH.map(points)
}

/// The points of a player other than territory.
fn stones_and_prisoners(input: &ScoreInput, color: Color) -> PointCount {
    let stones = |color: Color, dead: bool| {
        let points = input.board.coordinate().points();
        points.filter(|&p| input.board.stone(p) == color.stone() && input.dead.contains(p) == dead).count()
    };
    let captured = input.prisoners[color.index()];
    match input.rule.scoring {
        Scoring::Area => PointCount { stones: stones(color, false), ..PointCount::default() },
        Scoring::Territory => {
            PointCount { prisoners: captured as usize + stones(color.opponent(), true), ..PointCount::default() }
        }
    }
}

/// Two points for each group, because a group cannot fill its last two eyes; a group with fewer untaxed points pays all
/// of them.
///
/// A group is a connected region of a player's area: rens connected through the territory that they surround.
fn group_tax(board: &Board, area: &PointSet, untaxed: &PointSet) -> usize {
    let groups = regions(board.coordinate(), |p| area.contains(p));
    let untaxed_points = |group: &Region| group.points.iter().filter(|&&p: &&Point| untaxed.contains(p)).count();
    groups.iter().map(|group| untaxed_points(group).min(2)).sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::parse_diagram;

    #[test]
    fn areas_may_end_between_the_stones() {
        let board = parse_diagram(". x . o .\nx x . o .\n. x . o o").unwrap();
        let set = |vertices: &str| -> PointSet {
            vertices.split(' ').map(|vertex| board.coordinate().parse_vertex(vertex).unwrap()).collect()
        };
        // C1 and C2 are Black's, C3 is neutral
        let owned = [set("A1 B1 C1 A2 B2 C2 A3 B3"), set("D1 E1 D2 E2 D3 E3")];
        let (dead, seki) = (PointSet::new(), set("D1 D2 D3 E3"));
        let count = |rules: &str| {
            let rule = GameRule::with_komi(0.5).with_rule_set(rules).unwrap();
            let (board, prisoners) = (&board, [3, 1]);
            let input =
                ScoreInput { board, rule: &rule, prisoners, handicap: 0, button: None, dead: &dead, seki: &seki };
            score_of_areas(&input, &owned)
        };
        let area = count("chinese");
        assert_eq!((area.black.stones, area.black.territory, area.neutral), (4, 4, 1));
        assert_eq!((area.white.stones, area.white.territory, area.margin()), (4, 2, 1.5));
        // White's points are taxed, because White is in seki, and Black's beside them are not
        let territory = count("japanese");
        assert_eq!((territory.black.tax, territory.white.tax), (0, 2));
        assert_eq!((territory.black.points(), territory.white.points(), territory.margin()), (7, 1, 5.5));
    }
}
