//! Ownership in the subtree of a node: the mean over the nodes there of what the net predicts, by their shares of the
//! visits.
//!
//! A node's share goes to itself and to its moves by their weights, among the moves by the squares of their weights. The
//! end of a game has no ownership of its own: it has that of the position before the last pass, with its own result.
//! Source: KataGo's `getAverageTreeOwnership`.

use crate::kernel::Coordinate;
use crate::search::details::Ownership;
use crate::search::net_search::graph::{Edge, Graph, Node, NodeId};

/// A share below `1 / (2·visits^¾)`, or below this one, is not divided among a node's moves.
const MIN_SHARE: f64 = 0.001;

/// Ownership and criticality over the evaluations in the subtree of a node, by cell index.
pub(super) struct TreeOwnership {
    pub(super) ownership: Ownership,
    /// The covariance of owner and result (`win_loss`).
    pub(super) criticality: Vec<f32>,
}

impl TreeOwnership {
    /// The sums over the evaluations in the subtree of a node.
    pub(super) fn for_subtree(graph: &Graph, id: NodeId, coordinate: Coordinate) -> TreeOwnership {
        let min_share = 0.5 / f64::from(graph.node(id).stats.visits.max(1)).powf(0.75);
        let sums = vec![PointSums::default(); coordinate.board_area()];
        let mut sums =
            OwnershipSums { graph, min_share: min_share.max(MIN_SHARE), path: Vec::new(), win_loss: 0.0, points: sums };
        sums.accumulate(id, 1.0);
        let zeros = || vec![0.0; coordinate.memory_area()];
        let (mut ownership, mut criticality) = (Ownership { mean: zeros(), stdev: zeros() }, zeros());
        for (point, PointSums { owner, square, product }) in coordinate.points_from_highest_rank().zip(sums.points) {
            let cell = point.index();
            let lists = [&mut ownership.mean, &mut ownership.stdev, &mut criticality];
            let numbers = [owner, (square - owner * owner).max(0.0).sqrt(), product - owner * sums.win_loss];
            for (list, number) in lists.into_iter().zip(numbers) {
                list.get_mut(cell).into_iter().for_each(|slot| *slot = number as f32);
            }
        }
        TreeOwnership { ownership, criticality }
    }
}

/// Sums over the shares of evaluations, for one point.
#[derive(Clone, Copy, Default)]
struct PointSums {
    owner: f64,
    /// Of the owner's square.
    square: f64,
    /// Of owner times `win_loss`.
    product: f64,
}

/// Sums over the shares of evaluations.
struct OwnershipSums<'a> {
    graph: &'a Graph,
    /// The share from which on a node's share is divided among its moves.
    min_share: f64,
    /// The nodes from the first one to the present one, by which cycles are found.
    path: Vec<NodeId>,
    /// Black's win probability less that of a loss, -1 to 1.
    win_loss: f64,
    /// From the highest rank down.
    points: Vec<PointSums>,
}

impl OwnershipSums<'_> {
    /// Adds the ownership in the subtree of a node with this share; false if it has none, because the game is over there.
    fn accumulate(&mut self, id: NodeId, share: f64) -> bool {
        let graph = self.graph;
        let node = graph.node(id);
        if node.ownership.is_empty() {
            return false;
        }
        let win_loss = node.own_evaluation.value.win_loss;
        let weight = |edge: &Edge| graph.node(edge.child).stats.weight_of(edge.visits);
        let weights: Vec<(NodeId, f64)> = node.edges.iter().map(|edge| (edge.child, weight(edge))).collect();
        let (sum, squares) = weights.iter().fold((0.0, 0.0), |(sum, squares), (_, w)| (sum + w, squares + w * w));
        if share < self.min_share || squares <= 0.0 || self.path.contains(&id) {
            self.add(node, win_loss, share);
            return true;
        }
        self.path.push(id);
        let own = node.own_evaluation.weight.max(1e-10);
        let (mut kept, divided) = (share * own / (sum + own), share * sum / (sum + own));
        for (child, weight) in weights {
            let part = divided * weight * weight / squares;
            if part < 0.01 * self.min_share {
                kept += part;
            } else if !self.accumulate(child, part) {
                self.add(node, graph.node(child).stats.value.win_loss, part);
            }
        }
        self.path.pop();
        self.add(node, win_loss, kept);
        true
    }

    fn add(&mut self, node: &Node, win_loss: f64, share: f64) {
        self.win_loss += share * win_loss;
        for (sums, &owner) in self.points.iter_mut().zip(&node.ownership) {
            let owner = f64::from(owner) / 127.0;
            sums.owner += share * owner;
            sums.square += share * owner * owner;
            sums.product += share * owner * win_loss;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use crate::kernel::{Color, Move};
    use crate::search::net_search::graph::{NodeEvaluation, ROOT};
    use crate::search::net_search::stats::Stats;
    use crate::search::net_search::utility::{OutcomeValue, Utility};
    use crate::search::params::Params;

    fn stats(value: OutcomeValue) -> Stats {
        Stats::from_evaluation(value, Utility::new(&Params::default(), 4, 0.0).utility_of(&value), 1.0)
    }

    /// A graph of 2x2 whose root has this ownership and a `win_loss` of 0.5.
    fn graph(ownership: [i8; 4]) -> Graph {
        let mut graph = Graph::new(1 << 20);
        graph.clear(Color::Black);
        let own = stats(OutcomeValue { win_loss: 0.5, ..OutcomeValue::default() });
        graph.expand(
            ROOT,
            NodeEvaluation { own_evaluation: own, moves: Vec::new(), ownership: ownership.into() },
            &Params::default(),
        );
        graph
    }

    fn by_point(list: &[f32]) -> Vec<f32> {
        Coordinate::square(2).unwrap().points_from_highest_rank().map(|point| list[point.index()]).collect()
    }

    #[track_caller]
    fn assert_near(found: &[f32], expected: [f32; 4]) {
        let found = by_point(found);
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-5), "{found:?}");
    }

    /// The ends of games have no ownership; their share of the search goes to the position before them.
    #[test]
    fn ended_games_do_not_dilute_ownership() {
        let params = Params::default();
        let mut graph = graph([127, -127, 127, 0]);
        for (key, visits) in [(7, 30), (8, 9)] {
            let child = graph.find_or_add(key, Color::White, None);
            graph.set_terminal(child, stats(OutcomeValue::from_score(if key == 7 { 4.0 } else { -4.0 })));
            (0..visits).for_each(|_| graph.add_own_visit(child, &params));
            graph.node_mut(ROOT).edges.push(Edge { play: Move::Pass, child, visits, policy: 0.5, is_forbidden: false });
        }
        graph.update(ROOT, &params);
        let found = TreeOwnership::for_subtree(&graph, ROOT, Coordinate::square(2).unwrap());
        assert_near(&found.ownership.mean, [1.0, -1.0, 1.0, 0.0]);
        assert_near(&found.ownership.stdev, [0.0; 4]);
        assert_near(&found.criticality, [0.0; 4]);
    }

    /// Mean, deviation and criticality are of the same shares: moves share by the squares of their weights.
    #[test]
    fn moves_share_by_the_squares_of_their_weights() {
        let params = Params::default();
        let mut graph = graph([0; 4]);
        for (key, visits, owner, win_loss) in [(7, 6, 127, 1.0), (8, 3, -127, -1.0)] {
            let child = graph.find_or_add(key, Color::White, None);
            let own = stats(OutcomeValue { win_loss, ..OutcomeValue::default() });
            graph.expand(
                child,
                NodeEvaluation { own_evaluation: own, moves: Vec::new(), ownership: [owner, 0, 127, 0].into() },
                &params,
            );
            (1..visits).for_each(|_| graph.add_own_visit(child, &params));
            graph.node_mut(ROOT).edges.push(Edge { play: Move::Pass, child, visits, policy: 0.5, is_forbidden: false });
        }
        graph.update(ROOT, &params);
        let found = TreeOwnership::for_subtree(&graph, ROOT, Coordinate::square(2).unwrap());
        // the root has a tenth, the moves have the rest as 36 to 9
        let (first, second) = (0.9 * 0.8, 0.9 * 0.2);
        let [mean, win_loss] = [first - second, first - second + 0.05];
        assert_near(&found.ownership.mean, [mean, 0.0, 0.9, 0.0]);
        assert_near(&found.ownership.stdev, [(0.9 - mean * mean).sqrt(), 0.0, (0.9f32 - 0.81).sqrt(), 0.0]);
        assert_near(&found.criticality, [0.9 - mean * win_loss, 0.0, mean - 0.9 * win_loss, 0.0]);
    }
}
