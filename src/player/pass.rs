//! The end of a game: when to pass, and when to take dead stones off the board first.
//!
//! A search by win probability alone continues a decided game, fills its own territory, or passes while dead stones
//! still count as alive. So near the end the status of all stones decides: a pass if no points are left to gain, a move
//! beside dead enemy stones if the rules count all stones on the board as alive. Then the pass is compared with the
//! best other move ([`EndDecision::pass_or_better`]), unless a net of KataGo proposed it.

use std::cell::OnceCell;

use crate::kernel::region::regions_without_living_stones;
use crate::kernel::{Color, Move, Point, PointSet, Position, Scoring, Stone};
use crate::net::Net;
use crate::player::pass_loss::better_than_pass;
use crate::player::request::GenmoveMode;
use crate::player::score::score_with_ladders_only;
use crate::player::status::Status;
use crate::search::{Candidate, SearchResult};

/// Playouts from which a search's ownership decides whether the end is near.
const MIN_PLAYOUTS: u64 = 200;

/// Playouts from which the value of a search by playouts says who wins.
const MIN_VALUE_PLAYOUTS: u64 = 20;

/// The absolute ownership, 0 to 1, from which the owner of a point is settled.
const MIN_SETTLED_OWNERSHIP: f32 = 0.8;

/// The same for the ownership of a search by net, which is a mean over all positions searched, among them those after
/// moves into settled areas.
const MIN_SETTLED_OWNERSHIP_BY_NET: f32 = 0.5;

/// A search by net found a pass about as good as its best move if the win probability of the pass is lower by at most
/// `SIMILAR_VALUE`, its lead by at most `SIMILAR_LEAD` points, and the pass has at least the share `MIN_PASS_VISIT_SHARE`
/// of the visits.
const SIMILAR_VALUE: f32 = 0.1;
const SIMILAR_LEAD: f32 = 0.25;
const MIN_PASS_VISIT_SHARE: f64 = 0.05;

/// The greatest number of points by which the lead after a move that captures dead stones is below that of the best move.
const MAX_CLEANUP_LOSS: f32 = 3.0;

/// The greatest difference in points between the score of a pass that ends the game and the lead of a search by net
/// that expects this score.
const MAX_PASS_SCORE_ERROR: f64 = 5.0;

/// The end may be near while at most one in this many points is without a settled owner, as dame and seki are.
const NEAR_END_DIVISOR: usize = 6;

/// Whether the end of the game may be near, so that the status of stones is worth its time. By ownership: at most
/// `area / 6` points without a settled owner. After too few playouts for that: at most half of the board empty.
pub(crate) fn is_near_end(position: &Position, result: &SearchResult) -> bool {
    let board = position.board();
    if result.stats_samples < MIN_PLAYOUTS && !result.is_by_net {
        return board.empty_points().len() <= board.coordinate().board_area() / 2;
    }
    has_few_unsettled_points(position, &result.ownership, result.is_by_net)
}

/// Whether at most `area / 6` points are without a settled owner, by the ownership of a search by net or by playouts.
pub(crate) fn has_few_unsettled_points(position: &Position, ownership: &[f32], is_by_net: bool) -> bool {
    let coordinate = position.board().coordinate();
    let settled = if is_by_net { MIN_SETTLED_OWNERSHIP_BY_NET } else { MIN_SETTLED_OWNERSHIP };
    let is_unsettled = |p: &Point| ownership.get(p.index()).is_none_or(|owner| owner.abs() < settled);
    coordinate.points().filter(is_unsettled).count() <= coordinate.board_area() / NEAR_END_DIVISOR
}

/// A search near the end of a game, with the status of the stones.
pub(super) struct EndDecision<'a> {
    position: &'a Position,
    /// The player whose move was searched.
    color: Color,
    result: &'a SearchResult,
    /// The best move of the search.
    best: Move,
    status: &'a Status,
    /// Whether all stones and regions are settled: every living stone has a settled owner (mean ownership of at least
    /// [`MIN_SETTLED_OWNERSHIP`] in absolute value), and so has every point of a region of empty points and dead
    /// stones, unless stones in seki or living stones of both colours border the region. The stones alone do not decide
    /// whether such a region is dame: see [`EndDecision::pass_or_better`].
    is_all_settled: bool,
    /// Black's margin after the endgame fill-in in which the player moves first, computed at its first use.
    margin_if_moving: OnceCell<f64>,
}

impl<'a> EndDecision<'a> {
    pub(super) fn new(
        position: &'a Position,
        color: Color,
        result: &'a SearchResult,
        best: Move,
        status: &'a Status,
    ) -> EndDecision<'a> {
        let is_all_settled = is_all_settled(position, status);
        EndDecision { position, color, result, best, status, is_all_settled, margin_if_moving: OnceCell::new() }
    }

    fn margin_if_moving(&self) -> f64 {
        *self.margin_if_moving.get_or_init(|| {
            let mut position = self.position.clone();
            position.set_to_move(self.color);
            score_with_ladders_only(&position, self.status.clone()).score.margin()
        })
    }

    /// Whether a pass ends the game with a win, because nothing is dead by agreement and the board counts as it stands.
    fn wins_by_pass(&self) -> bool {
        let EndDecision { position, color, status, .. } = *self;
        if position.rule().has_agreement() {
            return false;
        }
        let mut passed = position.clone();
        passed.pass(color);
        passed.is_over() && score_with_ladders_only(&passed, status.clone()).score.winner() == Some(color)
    }

    /// The move near the end of the game: the best move of the search, unless
    ///
    /// - dead enemy stones have to be captured because nothing is dead by agreement ([`GenmoveMode::Cleanup`], or rules
    ///   without agreement): then [`EndDecision::cleanup_move`];
    /// - there are no such stones, and a pass loses nothing ([`EndDecision::loses_nothing_by_pass`]): then a pass. It is only
    ///   proposed here; [`EndDecision::pass_or_better`] decides, unless a net of KataGo chose the move.
    pub(super) fn end_move(&self, mode: GenmoveMode) -> Move {
        let EndDecision { position, color, best, status, .. } = *self;
        let to_capture = match mode.has_agreement(position.rule()) {
            true => PointSet::new(),
            false => dead_stones(position, color.opponent(), status),
        };
        if !to_capture.is_empty() {
            return self.cleanup_move(&to_capture);
        }
        if self.loses_nothing_by_pass() { Move::Pass } else { best }
    }

    /// The best candidate in a region with dead stones that have to be captured, if its win probability is lower than that
    /// of the best move by at most [`SIMILAR_VALUE`] and its lead by at most [`MAX_CLEANUP_LOSS`], and if all is settled
    /// ([`is_all_settled`]) or the best move is a pass; else the best move. If the search visited none of them, it is the
    /// likeliest by the policy, in place of a pass that does not [win the game](EndDecision::wins_by_pass).
    fn cleanup_move(&self, to_capture: &PointSet) -> Move {
        let EndDecision { position, color, result, best, status, .. } = *self;
        if best != Move::Pass && !self.is_all_settled {
            return best;
        }
        let nearby = empty_points_of_regions_with(position, status, to_capture);
        let is_nearby = |play: Move| matches!(play, Move::Play(point) if nearby.contains(point));
        let candidates = || result.candidates.iter().filter(|candidate| is_nearby(candidate.play));
        if best == Move::Pass && candidates().all(|candidate| candidate.visits == 0) {
            if self.wins_by_pass() {
                return Move::Pass;
            }
            let likeliest = candidates().max_by(|a, b| a.selection_prior().total_cmp(&b.selection_prior()));
            return likeliest.map_or(best, |candidate| candidate.play);
        }
        // a move that breaks a seki is beside stones that look dead, too: the search knows what it loses
        let found = candidate(result, best);
        let value = found.map_or(0.0, |best| best.win_probability);
        let lead_of = |one: &Candidate| one.lead.as_ref().map(|lead| lead.mean * f32::from(color.sign()));
        let best_lead = found.and_then(lead_of);
        let keeps_lead =
            |one: &Candidate| lead_of(one).zip(best_lead).is_none_or(|(own, best)| own + MAX_CLEANUP_LOSS >= best);
        let is_safe =
            |one: &&Candidate| one.visits > 0 && one.win_probability + SIMILAR_VALUE >= value && keeps_lead(one);
        candidates().find(is_safe).map_or(best, |candidate| candidate.play)
    }

    /// Whether a pass loses nothing by the status of stones: all is settled ([`is_all_settled`]), search and score agree about
    /// the winner (unless the search made only a few playouts), and either the first move gains nothing in the endgame
    /// fill-in, or the opponent has passed and the score is a win. A search by net reads attacks that the status of stones
    /// does not show, so its best move stands unless it found the pass about as good ([`is_about_as_good`]), or the pass ends
    /// the game with about the score that the search expects.
    fn loses_nothing_by_pass(&self) -> bool {
        let EndDecision { position, color, result, best, status, .. } = *self;
        let ends_game = position.ending_passes() > 0;
        let is_as_good = !result.is_by_net || is_about_as_good(result, color, Move::Pass, best);
        if !(is_as_good || ends_game) || !self.is_all_settled {
            return false;
        }
        let mut passed = position.clone();
        // the pass may take the button
        passed.pass(color);
        let passing = score_with_ladders_only(&passed, status.clone()).score;
        let [margin_if_moving, margin] =
            [self.margin_if_moving(), passing.margin()].map(|margin| margin * f64::from(color.sign()));
        // a second pass ends the game, so that its value is the score, if the search expects about that score
        let lead = f64::from(result.lead * f32::from(color.sign()));
        if !is_as_good && (margin - lead).abs() > MAX_PASS_SCORE_ERROR {
            return false;
        }
        let is_area = position.rule().scoring == Scoring::Area;
        let nothing_left = margin_if_moving <= margin && (!is_area || passing.neutral == 0);
        // a weak level's single playout says nothing about the winner
        let is_value_known = result.is_by_net || result.stats_samples >= MIN_VALUE_PLAYOUTS;
        let agrees = !is_value_known || (margin > 0.0) == (result.win_probability() > 0.5);
        agrees && (nothing_left || (ends_game && margin > 0.0))
    }

    /// A pass, or the best move of the search if its confidence interval lies above that of the pass: the comparison without
    /// time for a search.
    pub(super) fn pass_or_surely_better(&self) -> Move {
        if is_surely_worse(self.result, Move::Pass, self.best) { self.best } else { Move::Pass }
    }

    /// A pass, or a move that gains more: the best move of the search, if its confidence interval lies above that of the
    /// pass; else the one that [`better_than_pass`] finds, unless its interval lies below that of the best move.
    ///
    /// So a region that both colours border is dame only if neither player gains by playing there first.
    pub(super) fn pass_or_better(&self, net: Option<&Net>) -> Move {
        let EndDecision { position, color, result, best, .. } = *self;
        if is_surely_worse(result, Move::Pass, best) {
            return best;
        }
        let lead = if self.is_all_settled { self.margin_if_moving() } else { f64::from(result.lead) };
        match better_than_pass(position, color, lead, net) {
            Some(better) if best != Move::Pass && is_surely_worse(result, better, best) => best,
            better => better.unwrap_or(Move::Pass),
        }
    }
}

/// Whether a search by net found one move of `color` about as good as another: it has at least the share
/// [`MIN_PASS_VISIT_SHARE`] of the visits, a win probability that is lower by at most [`SIMILAR_VALUE`], and a lead that is
/// lower by at most [`SIMILAR_LEAD`]. Where a game is nearly decided, the win probability alone says little.
fn is_about_as_good(result: &SearchResult, color: Color, one: Move, other: Move) -> bool {
    both(result, one, other).is_some_and(|(one, other)| {
        let lost_points = one.lead.zip(other.lead).map_or(0.0, |(one, other)| other.mean - one.mean);
        f64::from(one.visits) >= result.visits as f64 * MIN_PASS_VISIT_SHARE
            && one.win_probability + SIMILAR_VALUE >= other.win_probability
            && lost_points * f32::from(color.sign()) <= SIMILAR_LEAD
    })
}

/// Whether one move is worse than another with confidence: its confidence interval lies below that of the other.
fn is_surely_worse(result: &SearchResult, one: Move, other: Move) -> bool {
    both(result, one, other)
        .is_some_and(|(one, other)| one.win_probability_upper_bound() < other.win_probability_lower_bound())
}

/// Two moves as candidates of a search, if it has both.
fn both(result: &SearchResult, one: Move, other: Move) -> Option<(&Candidate, &Candidate)> {
    candidate(result, one).zip(candidate(result, other))
}

/// A move as a candidate of a search.
fn candidate(result: &SearchResult, play: Move) -> Option<&Candidate> {
    result.candidates.iter().find(|candidate| candidate.play == play)
}

/// The dead stones of a colour.
fn dead_stones(position: &Position, color: Color, status: &Status) -> PointSet {
    let board = position.board();
    let points = board.coordinate().points();
    points.filter(|&p| board.stone(p) == color.stone() && status.dead.contains(p)).collect()
}

/// See [`EndDecision::is_all_settled`].
fn is_all_settled(position: &Position, status: &Status) -> bool {
    let board = position.board();
    let is_settled =
        |p: &Point| status.ownership.get(p.index()).is_some_and(|owner| owner.abs() >= MIN_SETTLED_OWNERSHIP);
    regions_without_living_stones(board, &status.dead).iter().all(|region| {
        let is_seki = region.border.iter().any(|&p| status.seki.contains(p));
        let is_between = Color::BOTH.into_iter().all(|color| region.is_bordered_by(board, color));
        is_seki || is_between || region.points.iter().all(is_settled)
    }) && status.alive.iter().all(|p| is_settled(&p))
}

/// The empty points of the regions in which `stones` lie; dead stones count as empty in a region.
fn empty_points_of_regions_with(position: &Position, status: &Status, stones: &PointSet) -> PointSet {
    let board = position.board();
    regions_without_living_stones(board, &status.dead)
        .iter()
        .filter(|region| region.points.iter().any(|&p| stones.contains(p)))
        .flat_map(|region| region.points.iter().copied())
        .filter(|&p| board.stone(p) == Stone::Space)
        .collect()
}
