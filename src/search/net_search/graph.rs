//! The graph of a Monte-Carlo graph search (MCGS): a node for each position, an edge for each move tried.
//!
//! Positions that two orders of moves reach share one node. So an edge has visits `n(a)` of its own, of which the node
//! behind it may have more, and the mean of a node is computed anew from its children at each backup, with
//! `N = 1 + Σ n(a)` visits. Source: KataGo's `docs/GraphSearch.md`. Threads take turns on the graph under one lock, which they
//! hold for microseconds between evaluations that take milliseconds.

use std::collections::HashMap;

use crate::kernel::{Color, Move};
use crate::search::net_search::bias::{BiasContribution, BiasTable};
use crate::search::net_search::stats::{ChildStats, Stats, downweight_bad_moves, prune_noise};
use crate::search::net_search::utility::Utility;
use crate::search::params::Params;

/// The index of a node in its graph.
pub(super) type NodeId = usize;

/// The root.
pub(super) const ROOT: NodeId = 0;

/// Bytes of a node apart from what grows with its moves and the board: the vector of nodes and the transposition table,
/// which has a byte more for each slot, grow by doubling; and the allocations of three lists.
const NODE_BYTES: usize = 2 * (size_of::<Node>() + size_of::<(u64, NodeId)>() + 1) + 3 * ALLOCATION_BYTES;

/// Bytes that an allocation takes beside its content.
const ALLOCATION_BYTES: usize = 16;

/// Number of moves of a node for each one that is tried, estimated: few moves of a node get an edge.
const MOVES_PER_EDGE: usize = 4;

/// Bytes of a move, tried or not.
const MOVE_BYTES: usize = size_of::<(Move, f32)>() + size_of::<Edge>() / MOVES_PER_EDGE;

/// The progress of a node's evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NodeState {
    /// Nothing yet.
    Unevaluated,
    /// A thread evaluates it.
    Evaluating,
    /// It is evaluated, and its moves can be tried.
    Expanded,
    /// It is evaluated and has no moves: the game is over, and the net estimates its score.
    EvaluatedTerminal,
    /// The game is over, with a known score.
    Terminal,
}

/// A move that has been tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) play: Move,
    pub(super) child: NodeId,
    /// Visits through this edge.
    pub(super) visits: u32,
    /// The net's policy, 0 to 1; 0 of a forbidden move.
    pub(super) policy: f32,
    /// Whether superko forbade the move after it was tried: it is not followed any more, and its visits count on.
    pub(super) is_forbidden: bool,
}

/// The net's evaluation of a position as a node keeps it: value, policy of the moves, and ownership.
#[derive(Debug)]
pub(super) struct NodeEvaluation {
    pub(super) own_evaluation: Stats,
    /// As [`Node::untried`]: the legal moves, by policy.
    pub(super) moves: Vec<(Move, f32)>,
    /// As [`Node::ownership`].
    pub(super) ownership: Box<[i8]>,
}

/// A position.
#[derive(Debug)]
pub(super) struct Node {
    /// Hash of the position, by which other orders of moves find the node.
    pub(super) key: u64,
    pub(super) to_move: Color,
    pub(super) state: NodeState,
    /// The evaluation of the position itself.
    pub(super) own_evaluation: Stats,
    pub(super) stats: Stats,
    pub(super) edges: Vec<Edge>,
    /// Moves not tried yet with their policy, the most likely last.
    pub(super) untried: Vec<(Move, f32)>,
    /// Whether moves were removed because superko forbade them on one path. The removal holds for every path, until the node
    /// becomes the root: then it is evaluated again, and gets all moves.
    pub(super) has_superko_removals: bool,
    /// Simulations under way through this node.
    pub(super) in_flight: u32,
    /// Owner of each point of the board by the net, from the highest rank down, in 1/127: positive is Black's.
    pub(super) ownership: Box<[i8]>,
    /// The index of the entry in the [`BiasTable`] of the move that first led here; `None` for the root, after a pass,
    /// and where the history has no move before that one.
    bias_entry: Option<u32>,
    bias_contribution: BiasContribution,
}

impl Node {
    fn new(key: u64, to_move: Color, bias_entry: Option<u32>) -> Node {
        Node {
            key,
            to_move,
            state: NodeState::Unevaluated,
            own_evaluation: Stats::default(),
            stats: Stats::default(),
            edges: Vec::new(),
            untried: Vec::new(),
            has_superko_removals: false,
            in_flight: 0,
            ownership: Box::default(),
            bias_entry,
            bias_contribution: BiasContribution::default(),
        }
    }

    /// Its moves, tried or not.
    pub(super) fn moves(&self) -> impl Iterator<Item = Move> {
        self.edges.iter().map(|edge| edge.play).chain(self.untried.iter().map(|(play, _)| *play))
    }

    /// The edges of moves that may be followed, with their indices in [`Node::edges`].
    pub(super) fn playable_edges(&self) -> impl Iterator<Item = (usize, &Edge)> {
        self.edges.iter().enumerate().filter(|(_, edge)| !edge.is_forbidden)
    }

    /// A utility for Black as one for the side to move, or the reverse.
    pub(super) fn signed_for_to_move(&self, utility: f64) -> f64 {
        f64::from(self.to_move.sign()) * utility
    }
}

/// Nodes and the tables that find them.
pub(super) struct Graph {
    nodes: Vec<Node>,
    /// The transposition table: nodes by the keys of their positions.
    node_by_key: HashMap<u64, NodeId>,
    pub(super) biases: BiasTable,
    /// Upper bound of the memory, and an estimate of what is used.
    max_bytes: usize,
    used_bytes: usize,
}

impl Graph {
    /// An empty graph, without a root, bounded to about `bytes`.
    pub(super) fn new(bytes: usize) -> Graph {
        Graph {
            nodes: Vec::new(),
            node_by_key: HashMap::new(),
            biases: BiasTable::default(),
            max_bytes: bytes,
            used_bytes: 0,
        }
    }

    /// Removes every node but a new root.
    pub(super) fn clear(&mut self, to_move: Color) {
        self.nodes.clear();
        self.node_by_key.clear();
        self.biases.clear();
        self.used_bytes = NODE_BYTES;
        // the root has no key, so that no cycle leads back to it
        self.nodes.push(Node::new(0, to_move, None));
    }

    /// Bytes in use, estimated.
    pub(super) fn memory(&self) -> usize {
        self.used_bytes + self.biases.memory()
    }

    /// Whether there is no node, not even a root.
    pub(super) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node.
    ///
    /// # Panics
    /// If there is no node of this index: indices come from this graph only.
    #[allow(clippy::indexing_slicing)]
    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// A node, mutable; as [`Graph::node`].
    #[allow(clippy::indexing_slicing)]
    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id]
    }

    /// Whether no node can be added.
    pub(super) fn is_full(&self) -> bool {
        self.memory() >= self.max_bytes
    }

    /// The node of a position: the existing one, or a new one.
    pub(super) fn find_or_add(&mut self, key: u64, to_move: Color, bias_entry: Option<u32>) -> NodeId {
        let next = self.nodes.len();
        let id = *self.node_by_key.entry(key).or_insert(next);
        if id == next {
            self.used_bytes += NODE_BYTES;
            self.nodes.push(Node::new(key, to_move, bias_entry));
        }
        id
    }

    /// Expands a node with the net's evaluation.
    pub(super) fn expand(&mut self, id: NodeId, evaluation: NodeEvaluation, params: &Params) {
        let NodeEvaluation { own_evaluation, moves, ownership } = evaluation;
        self.used_bytes += ownership.len() + MOVE_BYTES * moves.len();
        let node = self.node_mut(id);
        node.state = if moves.is_empty() { NodeState::EvaluatedTerminal } else { NodeState::Expanded };
        (node.own_evaluation, node.untried, node.ownership) = (own_evaluation, moves, ownership);
        self.add_own_visit(id, params);
    }

    /// Expands the root, or replaces its evaluation: its own values, the policy of its moves, and its ownership.
    pub(super) fn set_root_evaluation(&mut self, evaluation: NodeEvaluation, params: &Params) {
        if self.node(ROOT).state == NodeState::Unevaluated {
            return self.expand(ROOT, evaluation, params);
        }
        let NodeEvaluation { own_evaluation, mut moves, ownership } = evaluation;
        let root = self.node_mut(ROOT);
        for edge in &mut root.edges {
            let index = moves.iter().position(|(play, _)| *play == edge.play);
            (edge.policy, edge.is_forbidden) = (index.map_or(0.0, |index| moves.remove(index).1), false);
        }
        (root.own_evaluation, root.untried, root.ownership, root.has_superko_removals) =
            (own_evaluation, moves, ownership, false);
        self.update(ROOT, params);
    }

    /// Marks a node as the end of the game, with the value of its score.
    pub(super) fn set_terminal(&mut self, id: NodeId, value: Stats) {
        let node = self.node_mut(id);
        (node.state, node.own_evaluation) = (NodeState::Terminal, value);
    }

    /// Adds a visit of a node's own evaluation to its statistics.
    pub(super) fn add_own_visit(&mut self, id: NodeId, params: &Params) {
        let own = self.corrected(id, params);
        let node = self.node_mut(id);
        let visits = node.stats.visits + 1;
        match visits {
            1 => node.stats = own,
            _ => node.stats.add(&own, own.weight),
        }
        node.stats.visits = visits;
    }

    /// A node's own evaluation, with its utility corrected by the bias of its pattern.
    fn corrected(&self, id: NodeId, params: &Params) -> Stats {
        let node = self.node(id);
        let mut own = node.own_evaluation;
        if let Some(entry) = node.bias_entry.filter(|_| node.state != NodeState::Terminal) {
            own.utility += params.subtree_value_bias_factor * self.biases.bias(entry);
            own.utility_sq = own.utility * own.utility;
        }
        own
    }

    /// Computes a node's statistics from its children's and its own evaluation. Visits are the edges' and one.
    pub(super) fn update(&mut self, id: NodeId, params: &Params) {
        let node = self.node(id);
        let visited = |edge: &&Edge| edge.visits > 0 && self.node(edge.child).stats.weight > 0.0;
        let edges: Vec<Edge> = node.edges.iter().filter(visited).copied().collect();
        let mut parts: Vec<ChildStats> = edges
            .iter()
            .map(|edge| {
                let stats = &self.node(edge.child).stats;
                let policy = f64::from(edge.policy).max(1e-30);
                ChildStats {
                    utility: node.signed_for_to_move(stats.utility),
                    policy,
                    weight: stats.weight_of(edge.visits),
                }
            })
            .collect();
        let tried: f64 = parts.iter().map(|part| part.weight).sum();
        prune_noise(&mut parts, params.noise_prune_utility_scale);
        downweight_bad_moves(&mut parts, params.value_weight_exponent);
        let mut sum = Stats::default();
        for (edge, part) in edges.iter().zip(&parts) {
            sum.add(&self.node(edge.child).stats, part.weight);
        }
        if let Some(entry) = node.bias_entry.filter(|_| sum.weight > 1e-10) {
            let (delta, weight) =
                (sum.utility - node.own_evaluation.utility, tried.powf(params.subtree_value_bias_weight_exponent));
            let mut contribution = node.bias_contribution;
            self.biases.update(entry, &mut contribution, delta, weight);
            self.node_mut(id).bias_contribution = contribution;
        }
        let own = self.corrected(id, params);
        sum.add(&own, own.weight);
        sum.visits = 1 + edges.iter().map(|edge| edge.visits).sum::<u32>();
        self.node_mut(id).stats = sum;
    }

    /// Removes the edge of a pass that ended the game below a node that becomes the root, where under area scoring a pass
    /// does not end it, and makes the pass a move not tried yet. The node's number of visits is lowered by those of the
    /// edge, to at least 1; [`Graph::advance`], which follows, recomputes the rest of its statistics, and keeps this number
    /// where the node has no other edge.
    pub(super) fn forget_ending_pass(&mut self, id: NodeId) {
        let is_end = |edge: &Edge| edge.play == Move::Pass && self.node(edge.child).state == NodeState::Terminal;
        let Some(index) = self.node(id).edges.iter().position(is_end) else { return };
        let node = self.node_mut(id);
        let pass = node.edges.remove(index);
        node.stats.visits = node.stats.visits.saturating_sub(pass.visits).max(1);
        let index = node.untried.partition_point(|(_, policy)| *policy < pass.policy);
        node.untried.insert(index, (Move::Pass, pass.policy));
    }

    /// Makes a node the root, removes what cannot be reached from it, and recomputes the rest with this utility. Of
    /// what a removed node contributed to the bias of its move, `1 - FREED_SHARE` stays.
    pub(super) fn advance(&mut self, root: NodeId, utility: &Utility, params: &Params) {
        let order = self.reachable(root);
        let mut new_ids = vec![usize::MAX; self.nodes.len()];
        for (new_id, &id) in order.iter().enumerate() {
            if let Some(slot) = new_ids.get_mut(id) {
                *slot = new_id;
            }
        }
        let mut old: Vec<Option<Node>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        self.nodes = order.iter().filter_map(|&id| old.get_mut(id).and_then(Option::take)).collect();
        self.node_by_key.clear();
        // as in KataGo, a root has no bias
        let new_root = self.nodes.first_mut();
        let root_entry = new_root.and_then(|root| Some((root.bias_entry.take()?, root.bias_contribution)));
        let dropped = old.iter().flatten().filter_map(|node| Some((node.bias_entry?, node.bias_contribution)));
        for (entry, contribution) in root_entry.into_iter().chain(dropped) {
            self.biases.release(entry, &contribution);
        }
        self.biases.retain_used(self.nodes.iter_mut().filter_map(|node| node.bias_entry.as_mut()));
        self.used_bytes = 0;
        for (id, node) in self.nodes.iter_mut().enumerate() {
            for edge in &mut node.edges {
                edge.child = new_ids.get(edge.child).copied().unwrap_or(ROOT);
            }
            node.own_evaluation.utility = utility.utility_of(&node.own_evaluation.value);
            node.own_evaluation.utility_sq = node.own_evaluation.utility * node.own_evaluation.utility;
            // a search that was cut off may have left simulations behind
            node.in_flight = 0;
            if node.state == NodeState::Evaluating {
                node.state = NodeState::Unevaluated;
            }
            self.used_bytes += NODE_BYTES + node.ownership.len() + MOVE_BYTES * (node.untried.len() + node.edges.len());
            if id != ROOT {
                self.node_by_key.insert(node.key, id);
            }
        }
        // children stand behind their parents, except in a cycle
        for id in (0..self.nodes.len()).rev() {
            match self.node(id).state {
                NodeState::Expanded if !self.node(id).edges.is_empty() => self.update(id, params),
                NodeState::Expanded | NodeState::EvaluatedTerminal | NodeState::Terminal => {
                    let own = self.corrected(id, params);
                    let visits = self.node(id).stats.visits;
                    let times = f64::from(visits.max(1));
                    let (weight, weight_sq) = (own.weight * times, own.weight_sq * times);
                    self.node_mut(id).stats = Stats { visits, weight, weight_sq, ..own };
                }
                NodeState::Unevaluated | NodeState::Evaluating => {}
            }
        }
    }

    /// Removes the root's moves that are not kept, with their visits.
    pub(super) fn retain_root_moves(&mut self, is_kept: impl Fn(Move) -> bool, params: &Params) {
        let root = self.node_mut(ROOT);
        let count = root.edges.len();
        root.edges.retain(|edge| is_kept(edge.play));
        if root.edges.len() < count {
            self.update(ROOT, params);
        }
    }

    /// The nodes that can be reached from one, each before its children where there is no cycle.
    fn reachable(&self, root: NodeId) -> Vec<NodeId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        // a node is listed after its children, then the list is reversed
        let mut stack = vec![(root, 0)];
        seen.get_mut(root).into_iter().for_each(|seen| *seen = true);
        while let Some((id, index)) = stack.pop() {
            match self.node(id).edges.get(index) {
                Some(edge) => {
                    stack.push((id, index + 1));
                    let is_new = seen.get_mut(edge.child).is_some_and(|seen| !std::mem::replace(seen, true));
                    if is_new {
                        stack.push((edge.child, 0));
                    }
                }
                None => order.push(id),
            }
        }
        order.reverse();
        order
    }
}

#[cfg(test)]
mod tests;
