//! The report of a search by net for analyses: the root without wasted visits, its moves with their weights,
//! and the owners of points below a node.
//!
//! The quantities are those that KataGo's analyses report under the same names; source: `search/searchresults.cpp` of
//! KataGo.

use std::sync::Arc;

use crate::kernel::{Color, Coordinate};
use crate::net::Output;
use crate::search::details::{AnalysisOptions, MoveDetails, RootDetails};
use crate::search::net_search::choice::{Ranked, reduced_selection_values};
use crate::search::net_search::graph::{Edge, Graph, Node, NodeId, ROOT};
use crate::search::net_search::select::SelectionSettings;
use crate::search::net_search::stats::Stats;
use crate::search::ownership_stats::Ownership;

/// A move with less weight than `min(PRUNED_WEIGHT, PRUNED_SHARE * greatest weight)` is not chosen: its selection value
/// is 0 (KataGo's `chosenMovePrune`).
const PRUNED_WEIGHT: f64 = 1.0;
const PRUNED_SHARE: f64 = 1.0 / 64.0;

/// The input of reports, beside the graph and the settings.
#[derive(Clone, Debug)]
pub(super) struct ReportInput {
    pub(super) analysis: AnalysisOptions,
    pub(super) coordinate: Coordinate,
    /// The evaluation of the root, if this search has made it.
    pub(super) root_output: Option<Arc<Output>>,
}

/// The bound below which a weight counts as none, among weights of this maximum.
pub(super) fn pruned_below(greatest: f64) -> f64 {
    PRUNED_WEIGHT.min(greatest * PRUNED_SHARE)
}

/// The root: the mean over its moves, each by its reduced weight, and the evaluation of the root itself.
pub(super) fn root_details(graph: &Graph, settings: &SelectionSettings<'_>, input: &ReportInput) -> RootDetails {
    let root = graph.node(ROOT);
    let (ranked, _) = reduced_selection_values(graph, settings);
    let least = pruned_below(ranked.iter().fold(0.0, |most, one| one.selection_value.max(most)));
    let mut sum = Stats::default();
    for one in ranked.iter().filter(|one| one.selection_value >= least) {
        let child = root.edges.get(one.edge).map(|edge| &graph.node(edge.child).stats);
        child.into_iter().for_each(|stats| sum.add(stats, one.selection_value));
    }
    let values = if ranked.is_empty() {
        root.stats
    } else {
        sum.add(&root.own, root.own.weight);
        sum
    };
    RootDetails {
        win_probability: probability(&values, root.to_move),
        utility: root.for_mover(values.utility),
        weight: root.stats.weight,
        lead: values.value.lead,
        score: values.value.score,
        score_stdev: values.value.score_stdev(),
        ownership: input.analysis.ownership.then(|| owners(graph, ROOT, input.coordinate)),
        symmetric_moves: settings.symmetric_moves.clone(),
        evaluation: input.root_output.clone(),
    }
}

/// The win probability of a colour, a draw counted as half of one.
fn probability(stats: &Stats, color: Color) -> f64 {
    0.5 + 0.5 * f64::from(color.sign()) * stats.value.win_loss
}

/// A visited move of the root. `least` is the weight below which a selection value counts as none.
pub(super) fn move_details(
    graph: &Graph,
    settings: &SelectionSettings<'_>,
    (edge, ranked, least): (&Edge, &Ranked, f64),
    variation_visits: Vec<u32>,
    input: &ReportInput,
) -> MoveDetails {
    let root = graph.node(ROOT);
    let stats = &graph.node(edge.child).stats;
    // the part of the greatest utility that comes from winning; half of it, because win probability spans 1 and the
    // utility of winning 2; source: KataGo's `getHackedLCBForWinrate`
    let scale = 0.5 * settings.params.win_loss_utility_factor / settings.utility.max_utility().max(f64::MIN_POSITIVE);
    MoveDetails {
        child_visits: stats.visits,
        child_weight: stats.weight,
        edge_weight: stats.weight_of(edge.visits),
        utility: root.for_mover(stats.utility),
        utility_lcb: ranked.lcb,
        lcb: probability(stats, root.to_move) - scale * ranked.radius,
        score: stats.value.score,
        no_result: stats.value.no_result,
        selection_value: if ranked.selection_value < least { 0.0 } else { ranked.selection_value },
        variation_child_visits: variation_visits,
        ownership: input.analysis.ownership.then(|| owners(graph, edge.child, input.coordinate)),
    }
}

/// The owners of points below a node, by the net's ownership: a node's share goes to itself and to its moves by their
/// weights, among the moves by the squares of their weights. A share below `1 / (2·visits^¾)` is not divided further.
fn owners(graph: &Graph, id: NodeId, coordinate: Coordinate) -> Ownership {
    let least = 0.5 / f64::from(graph.node(id).stats.visits.max(1)).powf(0.75);
    let area = coordinate.board_area();
    let mut sums = OwnerSums { graph, least, path: Vec::new(), mean: vec![0.0; area], squares: vec![0.0; area] };
    sums.divide(id, 1.0);
    let cells = coordinate.memory_area();
    let mut owners = Ownership { mean: vec![0.0; cells], stdev: vec![0.0; cells] };
    for ((point, mean), square) in coordinate.points_from_last_rank().zip(sums.mean).zip(sums.squares) {
        if let Some((cell, stdev)) = owners.mean.get_mut(point.index()).zip(owners.stdev.get_mut(point.index())) {
            *cell = mean as f32;
            *stdev = (square - mean * mean).max(0.0).sqrt() as f32;
        }
    }
    owners
}

/// Sums of owners and of their squares, row by row from the top left.
struct OwnerSums<'a> {
    graph: &'a Graph,
    /// The share from which on a node's share is divided among its moves.
    least: f64,
    /// The nodes from the first one to the present one, by which cycles are found.
    path: Vec<NodeId>,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl OwnerSums<'_> {
    /// Adds the owners below a node with this share; false if it has none, because the game is over there.
    fn divide(&mut self, id: NodeId, share: f64) -> bool {
        let node = self.graph.node(id);
        if node.ownership.is_empty() {
            return false;
        }
        let weight = |edge: &Edge| self.graph.node(edge.child).stats.weight_of(edge.visits);
        let weights: Vec<(NodeId, f64)> = node.edges.iter().map(|edge| (edge.child, weight(edge))).collect();
        let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), (_, w)| (sum + w, squares + w * w));
        if share < self.least || squares <= 0.0 || self.path.contains(&id) {
            self.add(node, share);
            return true;
        }
        self.path.push(id);
        let own = node.own.weight.max(1e-10);
        let (mut kept, divided) = (share * own / (sum + own), share * sum / (sum + own));
        for (child, weight) in weights {
            let part = divided * weight * weight / squares;
            if part < 0.01 * self.least || !self.divide(child, part) {
                kept += part;
            }
        }
        self.path.pop();
        self.add(node, kept);
        true
    }

    fn add(&mut self, node: &Node, share: f64) {
        for ((mean, square), &owner) in self.mean.iter_mut().zip(&mut self.squares).zip(&node.ownership) {
            let owner = f64::from(owner) / 127.0;
            *mean += share * owner;
            *square += share * owner * owner;
        }
    }
}
