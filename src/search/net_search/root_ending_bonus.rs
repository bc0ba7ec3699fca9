//! The root ending bonus: small corrections to root values that keep finished games short.
//!
//! Moves at points whose owner the net predicts with near certainty gain nothing. Their values are lowered a little, so
//! that among equal moves one that matters is played, or a pass. Under territory scoring, and while the button is open,
//! the value of a pass is lowered, too, so that neutral points are filled first. Source: KataGo's `rootEndingBonusPoints`.

use crate::kernel::region::{Region, regions};
use crate::kernel::{Board, Color, Move, Point, PointSet, Position, Scoring, Stone, benson};
use crate::search::params::Params;

/// Ownership from which a point counts as owned.
const MIN_SAFE_OWNERSHIP: f64 = 0.95;

/// Share of the points by which a pass is valued lower under territory scoring, as KataGo's.
const PASS_SHARE: f64 = 2.0 / 3.0;

/// The same under area scoring, for the pass that takes the button: with an even number of neutral points, filling one
/// comes first.
const BUTTON_PASS_SHARE: f64 = 0.5;

/// Consecutive passes of the opponent after which moves into settled areas are excluded at the root (KataGo's
/// `rootPruneUselessMoves`).
const MIN_OPPONENT_PASSES: usize = 4;

/// Points by which root moves are valued lower.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct EndingPenalties {
    /// By cell index.
    plays: Vec<f64>,
    pass: f64,
}

impl EndingPenalties {
    /// Points by which a move is valued lower.
    pub(super) fn penalty_of(&self, play: Move) -> f64 {
        match play {
            Move::Pass => self.pass,
            Move::Play(point) => self.plays.get(point.index()).copied().unwrap_or_default(),
        }
    }
}

/// The penalties of the moves of `color`, by the net's ownership `o` of the points from the highest rank down (1 is
/// `color`'s). In points, with `B` = `RootEndingBonusPoints`:
///
/// ```text
/// play   B · (|o| − 0.95) / 0.05     if |o| ≥ 0.95, and
///                                    - o < 0: the play captures nothing, or the scoring is by territory
///                                    - o > 0: the point touches no enemy stone, and connects no unsettled ren
/// pass   B · PASS_SHARE              under territory scoring
///        B · BUTTON_PASS_SHARE       under area scoring, while the button can be taken
/// ```
///
/// Without penalty: all plays while a ko is open, and the pass under area scoring without a button.
pub(super) fn ending_penalties(
    position: &Position,
    color: Color,
    ownership: &[f32],
    params: &Params,
) -> EndingPenalties {
    let (board, coordinate) = (position.board(), position.board().coordinate());
    let is_area = position.rule().scoring == Scoring::Area;
    let max_penalty = params.root_ending_bonus_points;
    let mut penalties = EndingPenalties {
        plays: vec![0.0; coordinate.memory_area()],
        pass: max_penalty
            * match (is_area, position.is_button_open()) {
                (false, _) => PASS_SHARE,
                (true, true) => BUTTON_PASS_SHARE,
                (true, false) => 0.0,
            },
    };
    if board.ko().is_some() {
        return penalties;
    }
    let alive = benson(board, color).alive;
    let points = coordinate.points_from_highest_rank().zip(ownership);
    for (point, &owner) in points.filter(|(point, _)| board.stone(*point) == Stone::Space) {
        let owner = f64::from(owner);
        let excess = (owner.abs() - MIN_SAFE_OWNERSHIP) / (1.0 - MIN_SAFE_OWNERSHIP);
        let is_theirs = owner <= -MIN_SAFE_OWNERSHIP && !(is_area && board.placement_info(color, point).captures());
        let is_ours = owner >= MIN_SAFE_OWNERSHIP
            && !board.touches(color.opponent(), point)
            && !connects_unsettled(board, color, point, &alive);
        if (is_theirs || is_ours)
            && let Some(slot) = penalties.plays.get_mut(point.index())
        {
            *slot = max_penalty * excess;
        }
    }
    penalties
}

/// Whether a stone of `color` would connect a ren that is not unconditionally alive with another one.
fn connects_unsettled(board: &Board, color: Color, point: Point, alive: &PointSet) -> bool {
    let own = || board.coordinate().neighbors(point).into_iter().filter(|&p| board.stone(p) == color.stone());
    let unsettled = own().find(|&p| !alive.contains(p)).map(|p| board.ren_head(p));
    unsettled.is_some_and(|head| own().any(|p| board.ren_head(p) != head))
}

/// The points that are excluded at the root: after four passes of the opponent in a row, all in areas that are
/// unconditionally one side's, apart from regions with stones of the other side, which may have to be captured because
/// nothing is dead by agreement. Otherwise none.
pub(super) fn useless_points(position: &Position, color: Color) -> PointSet {
    let board = position.board();
    let moves = position.record().items().iter().rev();
    let theirs: Vec<_> = moves.step_by(2).take(MIN_OPPONENT_PASSES).collect();
    let are_passes = theirs.iter().all(|item| item.play.point().is_none() && item.color == color.opponent());
    if theirs.len() < MIN_OPPONENT_PASSES || !are_passes {
        return PointSet::new();
    }
    let without_stones = |owner: Color| {
        let territory = benson(board, owner).territory;
        let parts = regions(board.coordinate(), |p| territory.contains(p));
        let enemy = owner.opponent().stone();
        let is_empty = move |part: &Region| part.points.iter().all(|&p| board.stone(p) != enemy);
        parts.into_iter().filter(is_empty).flat_map(|part| part.points)
    };
    Color::BOTH.into_iter().flat_map(without_stones).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use crate::kernel::test_boards;

    fn position(rows: &[&str], rules: &str) -> Position {
        test_boards::position(rows, rules, 0.5, Color::Black)
    }

    const ROWS: [&str; 5] = ["..x.o", ".xxoo", "..xo.", "xxxoo", "...o."];

    #[test]
    fn moves_on_settled_points_are_penalised_and_neutral_ones_are_not() {
        let position = position(&ROWS, "chinese");
        let point = |name: &str| position.board().coordinate().parse_vertex(name).unwrap();
        // columns A to C are Black's, D and E White's
        let ownership: Vec<f32> = (0..25).map(|index| if index % 5 < 3 { 1.0 } else { -1.0 }).collect();
        let penalties = ending_penalties(&position, Color::Black, &ownership, &Params::default());
        assert_eq!(penalties.pass, 0.0);
        for (name, expected) in [("A1", 0.5), ("A3", 0.5), ("C5", 0.0), ("E3", 0.5)] {
            assert!((penalties.plays[point(name).index()] - expected).abs() < 1e-6, "{name}");
        }
        let unsure = ending_penalties(&position, Color::Black, &[0.9; 25], &Params::default());
        assert!(unsure.plays.iter().all(|&points| points == 0.0));
    }

    #[test]
    fn passing_costs_while_the_button_is_open() {
        let mut position = position(&ROWS, "aga-button");
        let pass =
            |position: &Position| ending_penalties(position, position.to_move(), &[0.0; 25], &Params::default()).pass;
        assert_eq!(pass(&position), 0.25);
        position.pass(Color::Black);
        assert_eq!(pass(&position), 0.0, "Black has taken it");
    }

    #[test]
    fn passing_costs_under_territory_scoring() {
        let penalties = ending_penalties(&position(&ROWS, "japanese"), Color::White, &[0.0; 25], &Params::default());
        assert!(penalties.pass > 0.3 && penalties.plays.iter().all(|&points| points == 0.0));
    }

    #[test]
    fn settled_areas_are_useless_after_four_passes() {
        let mut position = position(&[".x.x.", "xxxxx", ".....", "ooooo", ".o.o."], "chinese");
        let point = |position: &Position, name: &str| position.board().coordinate().parse_vertex(name).unwrap();
        assert!(useless_points(&position, Color::Black).is_empty());
        for name in ["A3", "B3", "C3", "D3"] {
            position.play(Color::Black, point(&position, name)).unwrap();
            position.pass(Color::White);
        }
        let useless = useless_points(&position, Color::Black);
        assert!(useless.contains(point(&position, "A5")) && !useless.contains(point(&position, "E3")));
        assert!(useless_points(&position, Color::White).is_empty());
    }

    #[test]
    fn dead_stones_may_be_captured_after_four_passes() {
        let mut position = position(&["..x.x", "xxxxx", "x....", "x.o.x", "xxxxx"], "tromp-taylor");
        let point = |name: &str| position.board().coordinate().parse_vertex(name).unwrap();
        let [left, right, liberty] = ["A1", "D1", "D3"].map(point);
        for _ in 0..4 {
            position.pass(Color::Black);
            position.pass(Color::White);
        }
        let useless = useless_points(&position, Color::Black);
        assert!(useless.contains(left) && useless.contains(right) && !useless.contains(liberty));
    }
}
