//! The report of a search by net for analyses: the root as KataGo reports it, the mean over its moves, each by its reduced
//! play selection weight, and the moves with their weights.
//!
//! The quantities are those that KataGo's analyses report under the same names; source: `search/searchresults.cpp` of
//! KataGo.

use std::sync::Arc;

use crate::kernel::Coordinate;
use crate::net::Output;
use crate::search::details::{MoveDetails, Ownership, RootDetails};
use crate::search::net_search::graph::{Edge, Graph, ROOT};
use crate::search::net_search::play_selection::{PlaySelection, reduced_play_selection_values};
use crate::search::net_search::select::SelectionSettings;
use crate::search::net_search::stats::Stats;
use crate::search::net_search::tree_ownership::TreeOwnership;

/// A move with less weight than `min(PRUNED_WEIGHT, PRUNED_SHARE * greatest weight)` is not chosen: its play selection
/// value is 0 (KataGo's `chosenMovePrune`).
const PRUNED_WEIGHT: f64 = 1.0;
const PRUNED_SHARE: f64 = 1.0 / 64.0;

/// The input of reports, beside the graph and the settings.
#[derive(Clone, Debug)]
pub(super) struct ReportInput {
    /// As [`SearchRequest::detailed_ownership`](crate::search::SearchRequest::detailed_ownership).
    pub(super) detailed_ownership: bool,
    pub(super) coordinate: Coordinate,
    /// The evaluation of the root, if this search has made it.
    pub(super) root_output: Option<Arc<Output>>,
}

/// The bound below which a weight counts as none, among weights of this maximum.
pub(super) fn min_play_selection_value(greatest: f64) -> f64 {
    PRUNED_WEIGHT.min(greatest * PRUNED_SHARE)
}

/// The root: the mean over its moves, each by its reduced weight, and the evaluation of the root itself.
pub(super) fn root_details(
    graph: &Graph,
    settings: &SelectionSettings<'_>,
    input: &ReportInput,
    ownership: &Ownership,
) -> RootDetails {
    let root = graph.node(ROOT);
    let (ranked, _) = reduced_play_selection_values(graph, settings);
    let greatest = ranked.iter().fold(0.0, |greatest, one| one.play_selection_value.max(greatest));
    let min_value = min_play_selection_value(greatest);
    let mut sum = Stats::default();
    for one in ranked.iter().filter(|one| one.play_selection_value >= min_value) {
        let child = root.edges.get(one.edge).map(|edge| &graph.node(edge.child).stats);
        child.into_iter().for_each(|stats| sum.add(stats, one.play_selection_value));
    }
    let values = if ranked.is_empty() {
        root.stats
    } else {
        sum.add(&root.own_evaluation, root.own_evaluation.weight);
        sum
    };
    RootDetails {
        win_probability: values.win_probability(root.to_move),
        utility: root.signed_for_to_move(values.utility),
        weight: root.stats.weight,
        lead: values.value.lead,
        score: values.value.score,
        score_stdev: values.value.score_stdev(),
        ownership: input.detailed_ownership.then(|| ownership.clone()),
        symmetric_moves: settings.symmetric_moves.clone(),
        evaluation: input.root_output.clone(),
    }
}

/// A visited move of the root.
#[derive(Clone, Copy)]
pub(super) struct VisitedMove<'a> {
    pub(super) edge: &'a Edge,
    pub(super) rated: &'a PlaySelection,
    /// The weight below which a play selection value counts as none.
    pub(super) min_play_selection_value: f64,
}

/// The details of a visited move.
pub(super) fn move_details(
    graph: &Graph,
    settings: &SelectionSettings<'_>,
    VisitedMove { edge, rated, min_play_selection_value }: VisitedMove<'_>,
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
        utility: root.signed_for_to_move(stats.utility),
        utility_lcb: rated.utility_lcb,
        winrate_lcb: stats.win_probability(root.to_move) - scale * rated.utility_radius,
        score: stats.value.score,
        no_result: stats.value.no_result,
        play_selection_value: if rated.play_selection_value < min_play_selection_value {
            0.0
        } else {
            rated.play_selection_value
        },
        variation_child_visits: variation_visits,
        ownership: input
            .detailed_ownership
            .then(|| TreeOwnership::for_subtree(graph, edge.child, input.coordinate).ownership),
    }
}
