//! The state that the threads of one search share: graph, root, limits, counters; and backup.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::kernel::hash::GOLDEN_GAMMA;
use crate::kernel::{Color, Scoring};
use crate::net::Output;
use crate::net::evaluate::batch_size;
use crate::net::history::BoardHistory;
use crate::search::control::SearchControl;
use crate::search::limits::{MoveStats, RootRanking};
use crate::search::net_search::evaluator::NetEvaluator;
use crate::search::net_search::graph::{Graph, NodeEvaluation, NodeId, ROOT};
use crate::search::net_search::report::ReportInput;
use crate::search::net_search::result::{SearchCounters, search_result};
use crate::search::net_search::select::SelectionSettings;
use crate::search::net_search::stats::Stats;
use crate::search::net_search::utility::{OutcomeValue, Utility};
use crate::search::params::Params;
use crate::search::progress::ProgressSink;
use crate::search::request::SearchRequest;
use crate::search::result::SearchResult;

/// Visits of the root for each leaf of a batch, over all threads. The leaves of a batch are selected before any of them
/// is evaluated; this bound keeps them a small part of the search. Chosen by hand: a smaller number makes batches full
/// earlier in a search, which evaluates more positions a second, but selects more leaves without the values of the
/// others; a larger one keeps batches small for longer.
const MIN_ROOT_VISITS_PER_LEAF: usize = 12;

/// The state that threads change, under one lock.
pub(super) struct State {
    pub(super) graph: Graph,
    /// Simulations started by this search, the evaluation of a new root included.
    pub(super) simulations: u64,
}

/// The data that the threads of one search share.
pub(super) struct NetSearchContext<'a> {
    pub(super) request: &'a SearchRequest<'a>,
    pub(super) evaluator: NetEvaluator<'a>,
    pub(super) report_input: ReportInput,
    /// The game at the root.
    pub(super) history: BoardHistory,
    pub(super) settings: SelectionSettings<'a>,
    /// Evaluations of the root that count as simulations: 1 of a new root, 0 of a reused one.
    pub(super) root_simulations: u64,
    pub(super) max_simulations: u64,
    /// Weight of the end of a game, against that of an evaluation.
    pub(super) terminal_weight: f64,
    pub(super) control: SearchControl,
    /// Nanoseconds for which simulations held the lock.
    pub(super) lock_time: AtomicU64,
    pub(super) state: Mutex<State>,
    /// Notified when leaves have been evaluated.
    pub(super) evaluated: Condvar,
}

/// The value for Black of an output for the side to move.
pub(super) fn value_of(output: &Output, to_move: Color) -> OutcomeValue {
    let sign = f64::from(to_move.sign());
    let [mean, stdev] = [output.score_mean, output.score_stdev].map(f64::from);
    OutcomeValue {
        win_loss: sign * f64::from(output.win - output.loss),
        no_result: f64::from(output.no_result),
        score: sign * mean,
        score_sq: mean * mean + stdev * stdev,
        lead: sign * f64::from(output.lead),
    }
}

/// The value of a game that is over in the search: after two passes, or three under rules with agreement on dead stones
/// (`friendly_pass`); after a long repetition, without result. `None` for other games, and for passes under territory
/// scoring, where the net evaluates the final position.
pub(super) fn value_if_over(history: &BoardHistory) -> Option<OutcomeValue> {
    let passes = if history.rule().friendly_pass { 3 } else { 2 };
    if history.is_no_result() {
        Some(OutcomeValue { no_result: 1.0, ..OutcomeValue::default() })
    } else if history.passes() < passes {
        None
    } else {
        history.white_minus_black_if_over().map(|score| OutcomeValue::from_score(-score))
    }
}

impl<'a> NetSearchContext<'a> {
    /// Takes the lock.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        // the panic of a thread ends the search, whose result is read from the graph as it was left
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts the time since `begin` as one for which the lock was held.
    pub(super) fn add_lock_time_since(&self, begin: Instant) {
        self.lock_time.fetch_add(begin.elapsed().as_nanos() as u64, Relaxed);
    }

    /// The number of leaves that a thread collects now.
    pub(super) fn batch_size(&self, state: &State) -> usize {
        let max_batch_size = batch_size(self.request.position.board().coordinate().board_area());
        let share = MIN_ROOT_VISITS_PER_LEAF * self.request.threads.max(1);
        (state.graph.node(ROOT).stats.visits as usize / share).clamp(1, max_batch_size.max(1))
    }

    /// The transposition key of a position: what its evaluation and its end depend on.
    pub(super) fn key(&self, history: &BoardHistory) -> u64 {
        let end = u64::from(history.passes().min(3)) << 1 | u64::from(history.is_no_result());
        self.evaluator.position_key(history) ^ end.wrapping_mul(GOLDEN_GAMMA)
    }

    /// Statistics of one value.
    pub(super) fn stats_of(&self, value: OutcomeValue, weight: f64) -> Stats {
        Stats::from_evaluation(value, self.settings.utility.utility_of(&value), weight)
    }

    /// The statistics of a leaf after its evaluation.
    pub(super) fn leaf_evaluation(&self, history: &BoardHistory, output: &Output) -> NodeEvaluation {
        let is_over = self.request.position.rule().scoring == Scoring::Territory && history.passes() >= 2;
        let mut evaluation = node_evaluation(output, history, &self.settings.utility, self.settings.params);
        if is_over {
            evaluation.moves.clear();
        }
        evaluation
    }

    /// Counts a finished simulation on its path, where it is no longer under way.
    pub(super) fn back_up(&self, state: &mut State, path: &[(NodeId, usize)]) {
        for &(id, index) in path.iter().rev() {
            let Some(edge) = state.graph.node_mut(id).edges.get_mut(index) else { continue };
            edge.visits += 1;
            let child = edge.child;
            state.graph.node_mut(child).in_flight -= 1;
            state.graph.update(id, self.settings.params);
        }
    }

    /// Takes the visits under way of an abandoned simulation back.
    pub(super) fn cancel_in_flight(&self, state: &mut State, path: &[(NodeId, usize)]) {
        for &(id, index) in path {
            let Some(edge) = state.graph.node(id).edges.get(index) else { continue };
            let child = edge.child;
            state.graph.node_mut(child).in_flight -= 1;
        }
    }

    /// Whether the stop signal or the time ends the search.
    pub(super) fn should_stop(&self) -> bool {
        self.control.should_stop(self.request, || {
            let state = self.lock();
            let root = state.graph.node(ROOT);
            let tried = root.edges.iter().map(|edge| {
                let utility = root.signed_for_to_move(state.graph.node(edge.child).stats.utility);
                MoveStats { visits: u64::from(edge.visits), value: utility }
            });
            // a move without visits has no value yet
            let has_untried = root.untried.iter().any(|(play, _)| self.settings.admits(root.to_move, *play, 0));
            let untried = has_untried.then_some(MoveStats { visits: 0, value: f64::NAN });
            Some((RootRanking::new(tried.chain(untried)), state.simulations))
        })
    }

    /// Reports progress if a report is due; a break stops the search.
    pub(super) fn report(&self, progress: &mut ProgressSink<'_>) -> ControlFlow<()> {
        self.control.report(progress, || self.result())
    }

    /// The result so far.
    pub(super) fn result(&self) -> SearchResult {
        let state = self.lock();
        let evaluations = self.evaluator.cost;
        let counters = SearchCounters {
            simulations: state.simulations,
            evaluations: evaluations.evaluations(),
            eval_batches: evaluations.batches(),
            eval_time: evaluations.time(),
            lock_time: Duration::from_nanos(self.lock_time.load(Relaxed)),
            setup_time: self.control.setup_time,
            elapsed: self.control.elapsed(),
            completed: self.control.is_completed(),
        };
        search_result(&state.graph, &self.settings, &self.report_input, counters)
    }
}

/// The net's output for a position as its node keeps it.
pub(super) fn node_evaluation(
    output: &Output,
    history: &BoardHistory,
    utility: &Utility,
    params: &Params,
) -> NodeEvaluation {
    let to_move = history.to_move();
    let value = value_of(output, to_move);
    // evaluations with a small predicted error have more weight; source: KataGo's `computeWeightFromNNOutput`
    let weight = match output.shortterm_winloss_error.zip(output.shortterm_score_error) {
        None => 1.0,
        Some((win, score)) => {
            let error = utility.uncertainty(f64::from(win), f64::from(score), value.score);
            let min_error = params.uncertainty_coeff / params.uncertainty_max_weight;
            params.uncertainty_coeff / (error + min_error).max(f64::MIN_POSITIVE)
        }
    };
    let moves = output.moves(history.board().coordinate()).filter(|(_, policy)| *policy > 0.0);
    let mut moves: Vec<_> = moves.collect();
    moves.sort_by(|a, b| a.1.total_cmp(&b.1));
    let scale = 127.0 * f32::from(to_move.sign());
    NodeEvaluation {
        own_evaluation: Stats::from_evaluation(value, utility.utility_of(&value), weight),
        moves,
        ownership: output.ownership.iter().map(|owner| (scale * owner).round() as i8).collect(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, Position, test_boards};

    fn value(position: Position, moves: &str) -> Option<OutcomeValue> {
        let position = test_boards::played(position, moves);
        value_if_over(&BoardHistory::new(&position, position.to_move()))
    }

    #[test]
    fn passes_end_the_game_by_its_rules() {
        for (rules, passes, expected) in [
            ("tromp-taylor", 1, None),
            ("tromp-taylor", 2, Some(24.5)),
            // after two passes the players agree on dead stones
            ("chinese", 2, None),
            ("chinese", 3, Some(24.5)),
            // the net evaluates the end under territory scoring
            ("japanese", 2, None),
            ("japanese", 3, None),
        ] {
            let rule = GameRule::with_komi(0.5).with_rule_set(rules).unwrap();
            let position = Position::new(Coordinate::square(5).unwrap(), rule, 0, Color::Black);
            // Black owns the whole board
            let found = value(position, &format!("C3 {}", "pass ".repeat(passes)));
            assert_eq!(found, expected.map(OutcomeValue::from_score), "{rules}, {passes} passes");
        }
    }

    #[test]
    fn a_game_without_result_is_over() {
        // three kos, taken in turn
        let [black, white] = [[".xo.", "xo.o", ".xo."], [".xo.", "x.xo", ".xo."]];
        let cycle = "C2 B5 C8 B2 C5 B8 ";
        let after = |moves: &str| {
            let position = test_boards::position(&[black, white, black].concat(), "chinese", 0.5, Color::Black);
            value(position, moves)
        };
        assert_eq!(after(cycle), None);
        let expected = OutcomeValue { no_result: 1.0, ..OutcomeValue::default() };
        assert_eq!(after(&cycle.repeat(2)), Some(expected));
    }
}
