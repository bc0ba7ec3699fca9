//! The choice among the root's moves after a search, by play selection values as in KataGo: the weight of a move, reduced
//! where it was explored more than its utility deserves, with a bonus for the best lower confidence bound.

use crate::search::net_search::graph::{Edge, Graph, Node, NodeState, ROOT};
use crate::search::net_search::select::SelectionSettings;

/// A root move with its play selection value.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct PlaySelection {
    /// The index of its edge at the root.
    pub(super) edge: usize,
    /// The value by which it is chosen, in units of weight.
    pub(super) play_selection_value: f64,
    /// Lower confidence bound of its mean utility, in utility from the point of view of the side to move: the mean
    /// minus `utility_radius`.
    pub(super) utility_lcb: f64,
    /// Half the width of the confidence interval of its mean utility, in utility.
    pub(super) utility_radius: f64,
    /// Whether the move ends the game and the net evaluates the result: then all of its visits are one evaluation, and
    /// `utility_radius` says nothing about the error.
    pub(super) has_one_evaluation: bool,
}

/// The root's moves with visits, the one to play first.
pub(super) fn rank(graph: &Graph, settings: &SelectionSettings<'_>) -> Vec<PlaySelection> {
    let (mut ranked, best_weight) = reduced_play_selection_values(graph, settings);
    prefer_lower_bound(settings.params.lcb_min_visit_prop, best_weight, &mut ranked);
    ranked.sort_by(|a, b| {
        b.play_selection_value.total_cmp(&a.play_selection_value).then(b.utility_lcb.total_cmp(&a.utility_lcb))
    });
    ranked
}

/// The root's moves with visits, each by its reduced weight, in the order in which they were tried; and the weight of the
/// leading one.
pub(super) fn reduced_play_selection_values(
    graph: &Graph,
    settings: &SelectionSettings<'_>,
) -> (Vec<PlaySelection>, f64) {
    let root = graph.node(ROOT);
    let weight = |edge: &Edge| graph.node(edge.child).stats.weight_of(edge.visits);
    let all: f64 = root.edges.iter().map(weight).sum();
    let mut ranked: Vec<PlaySelection> = root
        .playable_edges()
        .filter(|(_, edge)| edge.visits > 0)
        .map(|(index, edge)| {
            let (utility_lcb, utility_radius) = confidence(graph, settings, edge);
            let has_one_evaluation = graph.node(edge.child).state == NodeState::EvaluatedTerminal;
            PlaySelection {
                edge: index,
                play_selection_value: weight(edge),
                utility_lcb,
                utility_radius,
                has_one_evaluation,
            }
        })
        .collect();
    let edge = |ranked: &PlaySelection| root.edges.get(ranked.edge).copied();
    // the last visit of a move may weigh too much, so one is left out, and the policy decides between moves of few
    let stable = |ranked: &PlaySelection| {
        edge(ranked).map_or(0.0, |edge| {
            let visits = f64::from(edge.visits);
            ranked.play_selection_value * (visits - 1.0).max(0.0) / visits.max(1.0) + 2.0 * f64::from(edge.policy)
        })
    };
    let Some(best) = ranked.iter().copied().reduce(|a, b| if stable(&b) > stable(&a) { b } else { a }) else {
        return (ranked, 0.0);
    };
    reduce_to_retrospective_weight(graph, settings, root, all, &best, &mut ranked);
    (ranked, best.play_selection_value)
}

/// Lowers each weight to what the move would have got, had its present utility been known from the beginning: the
/// weight at which its PUCT value equals the best move's. Source: KataGo's `getReducedPlaySelectionWeight`.
fn reduce_to_retrospective_weight(
    graph: &Graph,
    settings: &SelectionSettings<'_>,
    root: &Node,
    all: f64,
    best: &PlaySelection,
    ranked: &mut [PlaySelection],
) {
    let exploration = settings.exploration(root, all);
    let Some(best_edge) = root.edges.get(best.edge) else { return };
    let target = settings.move_utility(graph, ROOT, best_edge)
        + exploration * f64::from(best_edge.policy) / (1.0 + best.play_selection_value);
    for other in ranked.iter_mut().filter(|other| other.edge != best.edge) {
        let Some(edge) = root.edges.get(other.edge) else { continue };
        let gap = target - settings.move_utility(graph, ROOT, edge);
        let deserved = if gap > 0.0 { exploration * f64::from(edge.policy) / gap - 1.0 } else { f64::INFINITY };
        other.play_selection_value = other.play_selection_value.min(deserved.max(0.0)).ceil();
    }
}

/// Raises the weight of the move with the best lower bound, among the moves with at least `min_share` of the leading
/// move's weight, `best_weight`. With the radius `r` of another move's interval and the difference `d` of the two lower
/// bounds, it becomes at least `((r + d) / (r + 0.2 * d))^2` times the other's weight; this factor is below 25. Source:
/// KataGo's `useLcb`. A move with [one evaluation](PlaySelection::has_one_evaluation) keeps its weight, and raises no
/// other.
fn prefer_lower_bound(min_share: f64, best_weight: f64, ranked: &mut [PlaySelection]) {
    let counts = |one: &&PlaySelection| {
        let weight = one.play_selection_value;
        weight > 0.0 && weight >= min_share * best_weight && !one.has_one_evaluation
    };
    let Some(best) =
        ranked.iter().filter(counts).copied().reduce(|a, b| if b.utility_lcb > a.utility_lcb { b } else { a })
    else {
        return;
    };
    let is_exceeded = |other: &&PlaySelection| {
        other.edge != best.edge && other.utility_lcb <= best.utility_lcb && !other.has_one_evaluation
    };
    let others = ranked.iter().filter(is_exceeded);
    let raised = others.map(|other| {
        let excess = best.utility_lcb - other.utility_lcb;
        let factor = (other.utility_radius + excess) / (other.utility_radius + 0.2 * excess);
        if factor.is_finite() { factor * factor * other.play_selection_value } else { 0.0 }
    });
    let value = raised.fold(best.play_selection_value, f64::max);
    ranked.iter_mut().filter(|one| one.edge == best.edge).for_each(|one| one.play_selection_value = value);
}

/// Lower bound and radius of the utility of a root move for the side to move: mean less `LcbStdevs` standard errors.
/// The effective number of samples is `(Σw)² / Σw²`; a prior of little weight assumes the largest variance. Source:
/// KataGo's `getSelfUtilityLCBAndRadius`.
fn confidence(graph: &Graph, settings: &SelectionSettings<'_>, edge: &Edge) -> (f64, f64) {
    let stats = &graph.node(edge.child).stats;
    let (mut weight, mut weight_sq) = (stats.weight_of(edge.visits), stats.weight_sq_of(edge.visits));
    let max_radius = 2.0 * settings.utility.max_utility() * settings.params.lcb_stdevs;
    if weight <= 0.0 || weight_sq <= 0.0 {
        return (-max_radius, max_radius);
    }
    let samples = weight * weight / weight_sq;
    let prior = weight / samples.powi(3);
    let square = stats.utility * stats.utility;
    let utility_sq = stats.utility_sq.max(square + 1e-8);
    let utility_sq = utility_sq + settings.utility.max_utility().powi(2) * prior / (weight + prior);
    weight += prior;
    weight_sq += prior * prior;
    let samples = weight * weight / weight_sq;
    let utility_radius = settings.params.lcb_stdevs * ((utility_sq - square) / samples).sqrt();
    (settings.move_utility(graph, ROOT, edge) - utility_radius, utility_radius)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pass that ends the game has the best bound only because its one evaluation has no spread.
    #[test]
    fn a_move_with_one_evaluation_has_no_bonus_for_its_bound() {
        let selection = |edge, play_selection_value, utility_lcb, utility_radius, has_one_evaluation| PlaySelection {
            edge,
            play_selection_value,
            utility_lcb,
            utility_radius,
            has_one_evaluation,
        };
        for is_end in [false, true] {
            let mut ranked = [selection(0, 116.0, -0.97, 0.05, false), selection(1, 84.0, -0.95, 1e-4, is_end)];
            prefer_lower_bound(0.15, 116.0, &mut ranked);
            assert_eq!(ranked.map(|one| one.play_selection_value > 116.0), [false, !is_end]);
        }
    }
}
