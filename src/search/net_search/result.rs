//! The result of a search by net, in the common form of all searches.

use std::time::Duration;

use crate::kernel::Move;
use crate::search::details::Lead;
use crate::search::net_search::graph::{Edge, Graph, NodeId, ROOT};
use crate::search::net_search::play_selection::rank;
use crate::search::net_search::report::{
    ReportInput, VisitedMove, min_play_selection_value, move_details, root_details,
};
use crate::search::net_search::select::SelectionSettings;
use crate::search::net_search::stats::Stats;
use crate::search::net_search::tree_ownership::TreeOwnership;
use crate::search::result::{Candidate, SearchResult};

/// Lower limit of `WinLossUtilityFactor` where a bound of the utility is converted to one of the win probability.
const MIN_WIN_LOSS_FACTOR: f64 = 0.1;

/// Moves of a variation, at most: a graph can have cycles.
const MAX_VARIATION: usize = 100;

/// The counters and clocks of a search, as [`SearchResult`] reports them in the fields of the same names.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchCounters {
    pub(super) simulations: u64,
    pub(super) evaluations: u64,
    pub(super) eval_batches: u64,
    pub(super) eval_time: Duration,
    pub(super) lock_time: Duration,
    pub(super) setup_time: Duration,
    pub(super) elapsed: Duration,
    pub(super) completed: bool,
}

/// The result so far.
pub(super) fn search_result(
    graph: &Graph,
    settings: &SelectionSettings<'_>,
    input: &ReportInput,
    counters: SearchCounters,
) -> SearchResult {
    let root = graph.node(ROOT);
    let tree_ownership = TreeOwnership::for_subtree(graph, ROOT, input.coordinate);
    let lead = lead(&root.stats);
    SearchResult {
        candidates: candidates(graph, settings, input),
        playouts: counters.simulations,
        simulations: counters.simulations,
        visits: u64::from(root.stats.visits),
        completed: counters.completed,
        elapsed: counters.elapsed,
        setup_time: counters.setup_time,
        evaluations: counters.evaluations,
        eval_batches: counters.eval_batches,
        eval_time: counters.eval_time,
        lock_time: counters.lock_time,
        root: root_details(graph, settings, input, &tree_ownership.ownership),
        ownership: tree_ownership.ownership.mean,
        criticality: tree_ownership.criticality,
        lead: lead.mean,
        score_stdev: lead.stdev,
        stats_samples: u64::from(root.stats.visits),
        is_by_net: true,
    }
}

/// By the statistics of a node: Black's mean lead, the points of komi that would make the game even, and the standard
/// deviation of the final score, which is another quantity.
fn lead(stats: &Stats) -> Lead {
    let (mean, stdev) = (stats.value.lead as f32, stats.value.score_stdev() as f32);
    Lead { mean, stdev, samples: u64::from(stats.visits) }
}

/// The root's moves, the one to play first; those without visits follow by policy, with the root's value.
fn candidates(graph: &Graph, settings: &SelectionSettings<'_>, input: &ReportInput) -> Vec<Candidate> {
    let root = graph.node(ROOT);
    let color = root.to_move;
    let ranked = rank(graph, settings);
    let min_play_selection_value =
        min_play_selection_value(ranked.first().map_or(0.0, |best| best.play_selection_value));
    let tried = ranked.iter().filter_map(|rated| {
        let edge = root.edges.get(rated.edge)?;
        Some(candidate(graph, settings, VisitedMove { edge, rated, min_play_selection_value }, input))
    });
    let value = root.stats.win_probability(color) as f32;
    let untried = root.playable_edges().filter(|(_, edge)| edge.visits == 0);
    let mut untried: Vec<(Move, f32)> = untried.map(|(_, edge)| (edge.play, edge.policy)).collect();
    untried.extend(root.untried.iter().filter(|(play, _)| settings.admits(color, *play, 0)));
    untried.sort_by(|a, b| b.1.total_cmp(&a.1));
    let untried = untried.into_iter().map(|(play, policy)| Candidate::unvisited(play, value, Some(policy)));
    let mut candidates: Vec<Candidate> = tried.chain(untried).collect();
    if candidates.is_empty() {
        candidates.push(Candidate::unvisited(Move::Pass, value, None));
    }
    candidates
}

fn candidate(
    graph: &Graph,
    settings: &SelectionSettings<'_>,
    visited: VisitedMove<'_>,
    input: &ReportInput,
) -> Candidate {
    let VisitedMove { edge, rated, .. } = visited;
    let stats = &graph.node(edge.child).stats;
    let value = stats.win_probability(graph.node(ROOT).to_move) as f32;
    let mut followed: Vec<&Edge> = std::iter::once(edge).chain(variation(graph, edge.child)).collect();
    let ends_game = |pair: &[&Edge]| pair.iter().all(|edge| edge.play == Move::Pass);
    if let Some(first) = followed.windows(2).position(ends_game) {
        followed.truncate(first + 2);
    }
    let visits_below = followed.iter().map(|edge| graph.node(edge.child).stats.visits).collect();
    // radius of the win probability, which spans 1 where the utility of winning spans 2 · WinLossUtilityFactor: all of the
    // radius counts as one of winning, so this bound is lower than `MoveDetails::winrate_lcb`
    let radius = rated.utility_radius / (2.0 * settings.params.win_loss_utility_factor.max(MIN_WIN_LOSS_FACTOR));
    Candidate {
        play: edge.play,
        symmetry_of: None,
        visits: edge.visits,
        win_probability: value,
        policy: Some(edge.policy),
        heuristic_value: None,
        variation: followed.iter().map(|edge| edge.play).collect(),
        variation_visits: followed.iter().map(|edge| edge.visits).collect(),
        lead: Some(lead(stats)),
        interval_radius: Some(radius as f32),
        details: move_details(graph, settings, visited, visits_below, input),
    }
}

/// The most visited moves after a node, of equal ones the one that was tried first.
fn variation(graph: &Graph, start: NodeId) -> Vec<&Edge> {
    let mut moves = Vec::new();
    let mut id = start;
    while moves.len() < MAX_VARIATION
        && let Some(edge) = most_visited(&graph.node(id).edges)
        && edge.visits > 0
    {
        moves.push(edge);
        id = edge.child;
    }
    moves
}

/// The most visited of a node's moves, apart from those that superko forbids; of equal ones the first.
fn most_visited(edges: &[Edge]) -> Option<&Edge> {
    // of equal values `max_by_key` takes the last
    edges.iter().rev().filter(|edge| !edge.is_forbidden).max_by_key(|edge| edge.visits)
}

#[cfg(test)]
mod tests;
