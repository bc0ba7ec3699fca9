//! Selection: which move of a node a simulation follows, by PUCT.
//!
//! A move's value is its utility `Q` for the side to move plus a bonus by the net's policy `p`:
//!
//! ```text
//! Q + C(N) · √(N + 0.01) · f · p / (1 + n)
//! C(N) = CpuctExploration + CpuctExplorationLog · ln((N + CpuctExplorationBase) / CpuctExplorationBase)
//! f = 1 + CpuctUtilityStdevScale · (σ / CpuctUtilityStdevPrior − 1)
//! ```
//!
//! with `n` the weight of the move, `N` that of all moves of the node and `σ` the standard deviation of the node's
//! utility, shrunk to the prior. A move without visits has the utility of the node less `FpuReductionMax · √(policy
//! visited)` (at the root `RootFpuReductionMax`), where the node's utility is mixed of its mean and the net's own
//! evaluation by `policy visited ^ FpuParentWeightByVisitedPolicyPow`. At the root the policy visited is a share of the
//! policy of all moves but symmetric duplicates; KataGo counts those too, as never visited. Simulations
//! under way count by [`InFlight`]. `WideRootNoise` `w` widens the search at the root: policies become `p^(1 / (4w +
//! 1))`, and each time, half of the moves get `w·|x|` more utility, `x` standard normal. Sources: D. Silver and others,
//! "Mastering the game of Go with deep neural networks and tree search", 2016, for PUCT; KataGo's documentation of its
//! search (`KataGoMethods.md`) for the refinements.

use fastrand::Rng;

use crate::kernel::{Color, Move, Point, PointSet};
use crate::search::net_search::graph::{Edge, Graph, Node, NodeId, ROOT};
use crate::search::net_search::root_ending_bonus::EndingPenalties;
use crate::search::net_search::utility::Utility;
use crate::search::params::Params;
use crate::search::random::standard_normal;
use crate::search::restrictions::Restrictions;
use crate::search::symmetric_moves::SymmetricMoves;

/// Added to the weight of a node's moves in the exploration term, so that the policy decides the first visit; as KataGo's
/// (`TOTALCHILDWEIGHT_PUCT_OFFSET`).
const PUCT_WEIGHT_OFFSET: f64 = 0.01;

/// Least weight of a move's own utility against virtual losses; as KataGo's.
const MIN_VIRTUAL_LOSS_WEIGHT: f64 = 0.25;

/// Parameters and precomputed values that stay constant during one search.
pub(super) struct SelectionSettings<'a> {
    pub(super) params: &'a Params,
    pub(super) utility: Utility,
    /// Penalties of root moves in points: positive ones lower the value for the side to move. They apply at the root only.
    pub(super) ending_penalties: EndingPenalties,
    pub(super) restrictions: Option<&'a Restrictions>,
    /// Points excluded at the root.
    pub(super) useless_points: PointSet,
    /// Symmetric duplicates among the root's moves, which are not searched.
    pub(super) symmetric_moves: SymmetricMoves,
    /// The sum of the policy over the root's moves, without symmetric duplicates; above 0.
    pub(super) root_policy: f64,
}

/// The move that a simulation follows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Selection {
    /// The edge of this index in [`Node::edges`].
    Edge(usize),
    /// A move that has no edge, by its index in [`Node::untried`].
    Untried(usize),
}

/// The virtual result of a simulation under way, whose value is not known yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InFlight {
    /// A visit with the value that its move has so far. Selection is then nearly that of one simulation after another,
    /// but may lead to a leaf that is being evaluated. Source: A. Liu and others, "Watch the Unobserved: A Simple
    /// Approach to Parallelizing Monte Carlo Tree Search", 2018.
    Visit,
    /// A visit that loses (virtual loss), which leads to other moves.
    Loss,
}

impl SelectionSettings<'_> {
    /// Whether a move may be tried at this depth below the root.
    pub(super) fn admits(&self, color: Color, play: Move, depth: usize) -> bool {
        let is_pruned = |point: Point| self.useless_points.contains(point) || self.symmetric_moves.is_duplicate(point);
        let is_kept_out = depth == 0 && play.point().is_some_and(is_pruned);
        !is_kept_out && self.restrictions.is_none_or(|restrictions| restrictions.admits(color, play, depth))
    }

    /// The factor of `policy / (1 + weight)` at a node whose moves have this weight together.
    pub(super) fn exploration(&self, node: &Node, weight: f64) -> f64 {
        let params = self.params;
        let base = params.cpuct_exploration_base;
        let cpuct = params.cpuct_exploration + params.cpuct_exploration_log * ((weight + base) / base).ln();
        let stdev_factor = 1.0
            + params.cpuct_utility_stdev_scale * (self.utility_stdev(node) / params.cpuct_utility_stdev_prior - 1.0);
        cpuct * (weight + PUCT_WEIGHT_OFFSET).sqrt() * stdev_factor
    }

    /// The standard deviation of a node's utility, shrunk to the prior.
    fn utility_stdev(&self, node: &Node) -> f64 {
        let (prior, weight) = (self.params.cpuct_utility_stdev_prior, self.params.cpuct_utility_stdev_prior_weight);
        let stats = &node.stats;
        if stats.weight <= 1.0 {
            return prior;
        }
        let square = stats.utility * stats.utility;
        let squares = (square + prior * prior) * weight + stats.utility_sq.max(square) * stats.weight;
        (squares / (weight + stats.weight - 1.0) - square).max(0.0).sqrt()
    }

    /// The utility of a child for the side to move at its parent; at the root, less that of the points of the move's ending
    /// penalty.
    pub(super) fn move_utility(&self, graph: &Graph, id: NodeId, edge: &Edge) -> f64 {
        let (node, stats) = (graph.node(id), &graph.node(edge.child).stats);
        let points =
            if id == ROOT { -node.signed_for_to_move(self.ending_penalties.penalty_of(edge.play)) } else { 0.0 };
        node.signed_for_to_move(
            stats.utility + self.utility.utility_of_points(stats.value.score, stats.value.score_sq, points),
        )
    }

    /// The utility of moves without visits.
    fn fpu_value(&self, node: &Node, is_root: bool, policy_visited: f64) -> f64 {
        let share = policy_visited.powf(self.params.fpu_parent_weight_pow).min(1.0);
        let parent = node.own_evaluation.utility + share * (node.stats.utility - node.own_evaluation.utility);
        let reduction_max = if is_root { self.params.root_fpu_reduction_max } else { self.params.fpu_reduction_max };
        node.signed_for_to_move(parent) - reduction_max * policy_visited.sqrt()
    }

    /// The move to follow from an expanded node, `depth` moves below the root; `None` if there is none.
    pub(super) fn select(
        &self,
        graph: &Graph,
        id: NodeId,
        depth: usize,
        in_flight: InFlight,
        rng: &mut Rng,
    ) -> Option<Selection> {
        let noise = if id == ROOT { self.params.wide_root_noise } else { 0.0 };
        let node = graph.node(id);
        let (mut policy_visited, mut weight) = (0.0, 0.0);
        for (_, edge) in node.playable_edges() {
            policy_visited += f64::from(edge.policy);
            weight += graph.node(edge.child).stats.weight_of(edge.visits);
        }
        // unlike in KataGo, the policy of symmetric duplicates, which are never visited, does not count
        let searched = if id == ROOT { self.root_policy } else { 1.0 };
        let fpu_value = self.fpu_value(node, id == ROOT, (policy_visited / searched).min(1.0));
        let exploration = self.exploration(node, weight);
        let mut best = (f64::NEG_INFINITY, None);
        for (index, edge) in node.playable_edges() {
            let child = graph.node(edge.child);
            let mut weight = child.stats.weight_of(edge.visits);
            let mut utility = if weight > 0.0 { self.move_utility(graph, id, edge) } else { fpu_value };
            if child.in_flight > 0 {
                let visits = f64::from(child.in_flight);
                if in_flight == InFlight::Loss {
                    utility += (-self.utility.max_utility() - utility) * visits
                        / (visits + weight.max(MIN_VIRTUAL_LOSS_WEIGHT));
                }
                weight += visits;
            }
            let (utility, policy) = with_noise(utility, f64::from(edge.policy), noise, rng);
            let value = utility + exploration * policy / (1.0 + weight);
            if value > best.0 {
                best = (value, Some(Selection::Edge(index)));
            }
        }
        let untried = || node.untried.iter().enumerate().rev().filter(|_| !graph.is_full());
        let new = untried().find(|(_, (play, _))| self.admits(node.to_move, *play, depth));
        // a player whose moves are all excluded passes
        let is_pass = |(_, (play, _)): &(usize, &(Move, f32))| node.edges.is_empty() && *play == Move::Pass;
        let new = new.or_else(|| untried().find(is_pass));
        if let Some((index, (_, policy))) = new {
            let (utility, policy) = with_noise(fpu_value, f64::from(*policy), noise, rng);
            if utility + exploration * policy > best.0 {
                best.1 = Some(Selection::Untried(index));
            }
        }
        best.1
    }
}

/// A move's utility and policy with the noise of a wide root.
fn with_noise(utility: f64, policy: f64, noise: f64, rng: &mut Rng) -> (f64, f64) {
    if noise <= 0.0 {
        return (utility, policy);
    }
    let bonus = if rng.bool() { noise * standard_normal(rng).abs() } else { 0.0 };
    (utility + bonus, policy.powf(1.0 / (4.0 * noise + 1.0)))
}
