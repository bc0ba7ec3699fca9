//! The result of a search by net, in the common form of all searches.

use std::time::Duration;

use crate::kernel::{Color, Coordinate, Move};
use crate::search::net_search::choice::{Ranked, rank};
use crate::search::net_search::graph::{Edge, Graph, NodeId, ROOT};
use crate::search::net_search::report::{ReportInput, move_details, pruned_below, root_details};
use crate::search::net_search::select::SelectionSettings;
use crate::search::net_search::stats::Stats;
use crate::search::result::{Candidate, SearchResult};
use crate::search::stats::Lead;

/// A part of the search smaller than this counts by its first position alone in the means of ownership.
const MIN_SHARE: f64 = 0.001;

/// Lower limit of `WinLossUtilityFactor` where a bound of the utility is converted to one of the win probability.
const MIN_WIN_LOSS_FACTOR: f64 = 0.1;

/// Moves of a variation, at most: a graph can have cycles.
const MAX_VARIATION: usize = 100;

/// The result so far, without what is measured by counters and clocks.
pub(super) fn result(graph: &Graph, settings: &SelectionSettings<'_>, input: &ReportInput) -> SearchResult {
    let root = graph.node(ROOT);
    let means = OwnershipMeans::of(graph, input.coordinate);
    let lead = lead(&root.stats);
    SearchResult {
        candidates: candidates(graph, settings, input),
        playouts: 0,
        simulations: 0,
        visits: u64::from(root.stats.visits),
        completed: true,
        elapsed: Duration::ZERO,
        setup_time: Duration::ZERO,
        evaluations: 0,
        eval_time: Duration::ZERO,
        lock_time: Duration::ZERO,
        criticality: means.criticality(),
        ownership: means.owners,
        lead: lead.mean,
        lead_stdev: lead.stdev,
        stats_samples: u64::from(graph.node(ROOT).stats.visits),
        is_by_net: true,
        root: root_details(graph, settings, input),
    }
}

/// Black's lead by the statistics of a node, with the standard deviation of the final score.
fn lead(stats: &Stats) -> Lead {
    let (mean, stdev) = (stats.value.lead as f32, stats.value.score_stdev() as f32);
    Lead { mean, stdev, samples: u64::from(stats.visits) }
}

/// The win probability of a colour: draws and games without result count as half a win.
fn win_probability(stats: &Stats, color: Color) -> f32 {
    let win_loss = f64::from(color.sign()) * stats.value.win_loss;
    (0.5 + 0.5 * win_loss).clamp(0.0, 1.0) as f32
}

/// The root's moves, the one to play first; those without visits follow by policy, with the root's value.
fn candidates(graph: &Graph, settings: &SelectionSettings<'_>, input: &ReportInput) -> Vec<Candidate> {
    let root = graph.node(ROOT);
    let color = root.to_move;
    let ranked = rank(graph, settings);
    let least = pruned_below(ranked.first().map_or(0.0, |best| best.selection_value));
    let tried = ranked.iter().filter_map(|ranked| {
        let edge = root.edges.get(ranked.edge)?;
        Some(candidate(graph, settings, (edge, ranked, least), input))
    });
    let value = win_probability(&root.stats, color);
    let untried = root.edges.iter().filter(|edge| edge.visits == 0 && edge.policy >= 0.0);
    let mut untried: Vec<(Move, f32)> = untried.map(|edge| (edge.play, edge.policy)).collect();
    untried.extend(root.untried.iter().filter(|(play, _)| settings.admits(color, *play, 0)));
    untried.sort_by(|a, b| b.1.total_cmp(&a.1));
    let unvisited =
        |play, prior, policy| Candidate { lcb: Some(0.0), ..Candidate::unvisited(play, value, prior, policy) };
    let untried = untried.into_iter().map(|(play, policy)| unvisited(play, policy, Some(policy)));
    let mut candidates: Vec<Candidate> = tried.chain(untried).collect();
    if candidates.is_empty() {
        candidates.push(unvisited(Move::Pass, 0.5, None));
    }
    candidates
}

fn candidate(
    graph: &Graph,
    settings: &SelectionSettings<'_>,
    (edge, ranked, least): (&Edge, &Ranked, f64),
    input: &ReportInput,
) -> Candidate {
    let stats = &graph.node(edge.child).stats;
    let value = win_probability(stats, graph.node(ROOT).to_move);
    let followed: Vec<&Edge> = std::iter::once(edge).chain(variation(graph, edge.child)).collect();
    let visits_below = followed.iter().map(|edge| graph.node(edge.child).stats.visits).collect();
    // radius of the win probability, which spans 1 where the utility of winning spans 2 · WinLossUtilityFactor: all of the
    // radius counts as one of winning, so this bound is lower than `MoveDetails::lcb`, the one that KataGo reports
    let radius = ranked.radius / (2.0 * settings.params.win_loss_utility_factor.max(MIN_WIN_LOSS_FACTOR));
    Candidate {
        play: edge.play,
        symmetry_of: None,
        visits: edge.visits,
        value,
        prior: edge.policy,
        policy: Some(edge.policy),
        variation: followed.iter().map(|edge| edge.play).collect(),
        variation_visits: followed.iter().map(|edge| edge.visits).collect(),
        lead: Some(lead(stats)),
        lcb: Some((value - radius as f32).clamp(0.0, 1.0)),
        details: move_details(graph, settings, (edge, ranked, least), visits_below, input),
    }
}

/// The most visited moves after a node.
fn variation(graph: &Graph, start: NodeId) -> Vec<&Edge> {
    let mut moves = Vec::new();
    let mut id = start;
    while moves.len() < MAX_VARIATION
        && let Some(edge) = graph.node(id).edges.iter().max_by_key(|edge| edge.visits)
        && edge.visits > 0
    {
        moves.push(edge);
        id = edge.child;
    }
    moves
}

/// Means over the evaluations of the search, each by its weight in the root's value.
struct OwnershipMeans {
    /// By cell index: 1 is always Black's, -1 always White's.
    owners: Vec<f32>,
    /// By cell index: mean product of owner and winner.
    products: Vec<f32>,
    winner: f32,
}

impl OwnershipMeans {
    fn of(graph: &Graph, coordinate: Coordinate) -> OwnershipMeans {
        let zeros = || vec![0.0; coordinate.memory_area()];
        let mut means = OwnershipMeans { owners: zeros(), products: zeros(), winner: 0.0 };
        let mut left = vec![(ROOT, 1.0)];
        while let Some((id, share)) = left.pop() {
            let node = graph.node(id);
            let weight = |edge: &Edge| graph.node(edge.child).stats.weight_of(edge.visits);
            let below: f64 = node.edges.iter().map(weight).sum();
            let all = below + node.own.weight;
            if share <= MIN_SHARE || all <= 0.0 {
                means.add(&node.ownership, &node.own, coordinate, share);
                continue;
            }
            means.add(&node.ownership, &node.own, coordinate, share * node.own.weight / all);
            for edge in &node.edges {
                let child = graph.node(edge.child);
                let part = share * weight(edge) / all;
                match child.ownership.is_empty() {
                    true => means.add(&node.ownership, &child.stats, coordinate, part),
                    false => left.push((edge.child, part)),
                }
            }
        }
        means
    }

    /// Adds a position with a share of the search: its ownership and its winner. The end of a game has no ownership of
    /// its own; it has that of the position before the last pass.
    fn add(&mut self, ownership: &[i8], stats: &Stats, coordinate: Coordinate, share: f64) {
        let (winner, share) = (stats.value.win_loss as f32, share as f32);
        self.winner += share * winner;
        for (point, &owner) in coordinate.points_from_last_rank().zip(ownership) {
            let owner = share * f32::from(owner) / 127.0;
            let cell = point.index();
            if let (Some(owners), Some(products)) = (self.owners.get_mut(cell), self.products.get_mut(cell)) {
                *owners += owner;
                *products += owner * winner;
            }
        }
    }

    /// The covariance of owner and winner of each cell, by cell index.
    fn criticality(&self) -> Vec<f32> {
        let owners = self.owners.iter();
        self.products.iter().zip(owners).map(|(product, owner)| product - owner * self.winner).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::search::net_search::graph::Expansion;
    use crate::search::net_search::utility::{Utility, Value};
    use crate::search::params::Params;

    /// The ends of games have no ownership; their share of the search goes to the position before them.
    #[test]
    fn ended_games_do_not_dilute_ownership() {
        let params = Params::default();
        let coordinate = Coordinate::square(2).unwrap();
        let utility = Utility::new(&params, 4, 0.0);
        let stats = |value: Value| Stats::of(value, utility.of(&value), 1.0);
        let mut graph = Graph::new(1 << 20);
        graph.clear(Color::Black);
        let own = stats(Value { win_loss: 0.5, ..Value::default() });
        graph.expand(ROOT, Expansion { own, moves: Vec::new(), ownership: [127, -127, 127, 0].into() }, &params);
        for (key, visits) in [(7, 30), (8, 9)] {
            let child = graph.find_or_add(key, Color::White, None);
            graph.end(child, stats(Value::of_score(if key == 7 { 4.0 } else { -4.0 })));
            (1..visits).for_each(|_| graph.add_own(child, &params));
            graph.node_mut(ROOT).edges.push(Edge { play: Move::Pass, child, visits, policy: 0.5 });
        }
        graph.update(ROOT, &params);
        let means = OwnershipMeans::of(&graph, coordinate);
        let found: Vec<f32> = coordinate.points_from_last_rank().map(|point| means.owners[point.index()]).collect();
        let expected = [1.0, -1.0, 1.0, 0.0];
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-5), "{found:?}");
        // 0.5 once, 1 thirty times and -1 nine times, the last with a smaller weight
        assert!((0.5375..1.0).contains(&means.winner), "{}", means.winner);
        let criticality = means.criticality();
        assert!(coordinate.points().all(|point| criticality[point.index()].abs() < 1e-5), "{criticality:?}");
    }
}
