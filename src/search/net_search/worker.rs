//! One thread of a search by net: collects leaves of the graph, evaluates them together, and backs the values up.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::kernel::Move;
use crate::net::evaluate::Scratch;
use crate::net::history::BoardHistory;
use crate::search::net_search::context::{NetSearchContext, State, value_if_over};
use crate::search::net_search::graph::{Edge, NodeId, NodeState, ROOT};
use crate::search::net_search::select::{InFlight, Selection};
use crate::search::progress::ProgressSink;
use crate::search::stop_signal::StopOnDrop;

/// Time that a thread waits for the evaluations of others if it finds no leaf of its own; the end of an evaluation
/// wakes it earlier. Chosen by hand: with a longer time, a waiting thread checks the clock and the stop signal less
/// often, and sees later that another thread has ended the search; with a shorter one, it takes the lock more often to
/// find nothing.
const COLLISION_WAIT: Duration = Duration::from_millis(2);

/// The most descents for each leaf of a batch. Where nearly all values are known, batches stay small, so that the time is
/// checked often enough. Chosen by hand: a smaller number leaves more batches small, which evaluates fewer positions a
/// second; with a larger one a thread holds the lock for longer, and the time is checked less often.
const MAX_DESCENTS_PER_LEAF: usize = 4;

/// XORed into the key of the position after a pass at the root, where the game goes on under area scoring even if this
/// pass would end it (KataGo's `conservativePass`): deeper in the tree the same position may be the end of the game. The
/// number is arbitrary. It need only differ from 0 and from the other differences of keys, so that the two positions get
/// two nodes.
const CONSERVATIVE_PASS_KEY: u64 = 0x5bd1_e995_1234_8765;

/// One thread of a search.
pub(super) struct Worker<'a> {
    context: &'a NetSearchContext<'a>,
    rng: Rng,
    scratch: Scratch,
    history: BoardHistory,
    /// Edges of the simulation under way, each by its node and its index there.
    path: Vec<(NodeId, usize)>,
}

/// A leaf whose evaluation is under way.
struct Leaf {
    path: Vec<(NodeId, usize)>,
    id: NodeId,
    history: BoardHistory,
}

/// Reason for the end of a batch of leaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BatchEnd {
    /// The batch is full, or enough descents were made for it.
    Full,
    /// The search has as many simulations as it may make, or the memory is full: further ones would evaluate nothing new.
    Limit,
    /// The next leaf is being evaluated.
    Collision,
}

/// Result of a descent.
enum Descent {
    /// At a leaf to evaluate.
    Leaf(NodeId),
    /// With a value that was known, which is backed up.
    Finished,
    /// At a leaf that another simulation is evaluating.
    Collision,
}

impl<'a> Worker<'a> {
    pub(super) fn new(context: &'a NetSearchContext<'a>, rng: Rng) -> Worker<'a> {
        Worker { context, rng, scratch: Scratch::default(), history: context.history.clone(), path: Vec::new() }
    }

    /// Simulates until a limit is reached or another thread ends. The thread with a progress sink also checks the time
    /// and the stop signal.
    pub(super) fn run(mut self, mut progress: Option<ProgressSink<'_>>) {
        let context = self.context;
        let _stop_the_others = StopOnDrop(&context.control.stop);
        while !context.control.stop.load(Ordering::Relaxed) {
            let (leaves, end) = self.collect_leaves();
            if leaves.is_empty() && end == BatchEnd::Limit {
                // others finish what they are evaluating
                break;
            }
            self.evaluate(leaves);
            if let Some(progress) = &mut progress
                && (context.should_stop() || context.report(progress).is_break())
            {
                break;
            }
        }
    }

    /// Collects a batch of leaves; if there is none because all are being evaluated, waits for one of them.
    fn collect_leaves(&mut self) -> (Vec<Leaf>, BatchEnd) {
        let context = self.context;
        let mut leaves = Vec::new();
        let mut state = context.lock();
        let begin = Instant::now();
        let end = self.fill_batch(&mut leaves, &mut state);
        context.add_lock_time_since(begin);
        if leaves.is_empty() && end == BatchEnd::Collision {
            drop(context.evaluated.wait_timeout(state, COLLISION_WAIT).unwrap_or_else(PoisonError::into_inner));
        }
        (leaves, end)
    }

    /// Descends until a batch of leaves is full, no free leaf is found, or a limit is reached. Descents to known values
    /// take no place in the batch.
    fn fill_batch(&mut self, leaves: &mut Vec<Leaf>, state: &mut State) -> BatchEnd {
        let context = self.context;
        let size = context.batch_size(state);
        for _ in 0..MAX_DESCENTS_PER_LEAF * size {
            let is_memory_full = state.simulations > context.root_simulations && state.graph.is_full();
            if state.simulations >= context.max_simulations || is_memory_full {
                return BatchEnd::Limit;
            }
            // pending simulations are avoided only if the best leaf is one of them
            let descent = match self.select_leaf(state, InFlight::Visit) {
                Descent::Collision => self.select_leaf(state, InFlight::Loss),
                descent => descent,
            };
            match descent {
                Descent::Leaf(id) => {
                    state.simulations += 1;
                    leaves.push(Leaf { path: std::mem::take(&mut self.path), id, history: self.history.clone() });
                    if leaves.len() == size {
                        break;
                    }
                }
                Descent::Finished => state.simulations += 1,
                Descent::Collision => return BatchEnd::Collision,
            }
        }
        BatchEnd::Full
    }

    /// Descends from the root; the simulation stays under way only at a leaf.
    fn select_leaf(&mut self, state: &mut State, in_flight: InFlight) -> Descent {
        let context = self.context;
        self.history = context.history.clone();
        self.path.clear();
        let mut id = ROOT;
        loop {
            match state.graph.node(id).state {
                NodeState::Unevaluated => {
                    state.graph.node_mut(id).state = NodeState::Evaluating;
                    return Descent::Leaf(id);
                }
                NodeState::Evaluating => {
                    context.cancel_in_flight(state, &self.path);
                    return Descent::Collision;
                }
                NodeState::Terminal | NodeState::EvaluatedTerminal => {
                    state.graph.add_own_visit(id, context.settings.params);
                    context.back_up(state, &self.path);
                    return Descent::Finished;
                }
                NodeState::Expanded => {}
            }
            let Some(index) = self.select_and_play_child(state, id, in_flight) else {
                // every move is forbidden, or the memory has become full
                state.graph.add_own_visit(id, context.settings.params);
                context.back_up(state, &self.path);
                return Descent::Finished;
            };
            let Some(edge) = state.graph.node(id).edges.get(index).copied() else { return Descent::Collision };
            state.graph.node_mut(edge.child).in_flight += 1;
            let is_cycle = edge.child == ROOT || self.path.iter().any(|&(before, _)| before == edge.child);
            self.path.push((id, index));
            let child = state.graph.node(edge.child);
            // another order of moves has made visits of the child that the edge has not: it catches up by one, n(a) < N(child),
            // without a new evaluation (KataGo's `docs/GraphSearch.md`)
            let is_known =
                matches!(child.state, NodeState::Expanded | NodeState::EvaluatedTerminal | NodeState::Terminal);
            if is_cycle || (is_known && edge.visits < child.stats.visits) {
                context.back_up(state, &self.path);
                return Descent::Finished;
            }
            id = edge.child;
        }
    }

    /// Chooses a move at an expanded node, plays it and returns the index of its edge, which may be new; `None` if
    /// there is none.
    fn select_and_play_child(&mut self, state: &mut State, id: NodeId, in_flight: InFlight) -> Option<usize> {
        let depth = self.path.len();
        loop {
            let selection = self.context.settings.select(&state.graph, id, depth, in_flight, &mut self.rng)?;
            let node = state.graph.node_mut(id);
            let (play, policy) = match selection {
                Selection::Edge(index) => node.edges.get(index).map(|edge| (edge.play, edge.policy))?,
                Selection::Untried(index) => *node.untried.get(index)?,
            };
            // superko forbids it on this path: it is removed for all paths, until the node becomes the root
            if play.point().is_some_and(|point| !self.history.is_legal(point)) {
                node.has_superko_removals = true;
                match selection {
                    Selection::Edge(index) => {
                        let edge = node.edges.get_mut(index).into_iter();
                        edge.for_each(|edge| (edge.is_forbidden, edge.policy) = (true, 0.0));
                    }
                    Selection::Untried(index) => drop(node.untried.remove(index)),
                }
                continue;
            }
            match selection {
                Selection::Edge(index) => {
                    self.history.play(play);
                    return Some(index);
                }
                Selection::Untried(index) => {
                    node.untried.remove(index);
                    let child = self.add_child(state, id, play);
                    let node = state.graph.node_mut(id);
                    node.edges.push(Edge { play, child, visits: 0, policy, is_forbidden: false });
                    return Some(node.edges.len() - 1);
                }
            }
        }
    }

    /// Plays a new move and finds or adds its node.
    fn add_child(&mut self, state: &mut State, parent: NodeId, play: Move) -> NodeId {
        let context = self.context;
        let color = self.history.to_move();
        let bias = match (play, self.history.last_move()) {
            (Move::Play(point), Some(last)) => {
                Some(state.graph.biases.find_or_add(self.history.board(), color, last, point))
            }
            _ => None,
        };
        self.history.play(play);
        let is_kept_open = parent == ROOT && play == Move::Pass;
        let key = context.key(&self.history) ^ if is_kept_open { CONSERVATIVE_PASS_KEY } else { 0 };
        let child = state.graph.find_or_add(key, color.opponent(), bias);
        if state.graph.node(child).state == NodeState::Unevaluated
            && !is_kept_open
            && let Some(value) = value_if_over(&self.history)
        {
            state.graph.set_terminal(child, context.stats_of(value, context.terminal_weight));
        }
        child
    }

    /// Evaluates leaves together, expands their nodes and backs their values up.
    fn evaluate(&mut self, leaves: Vec<Leaf>) {
        if leaves.is_empty() {
            return;
        }
        let context = self.context;
        let histories = leaves.iter().map(|leaf| &leaf.history);
        let outputs = context.evaluator.evaluate(histories, &mut self.rng, &mut self.scratch);
        let evaluations: Vec<_> = leaves
            .iter()
            .zip(outputs)
            .map(|(leaf, output)| (leaf, context.leaf_evaluation(&leaf.history, &output)))
            .collect();
        let mut state = context.lock();
        let begin = Instant::now();
        for (leaf, evaluation) in evaluations {
            state.graph.expand(leaf.id, evaluation, context.settings.params);
            context.back_up(&mut state, &leaf.path);
        }
        drop(state);
        context.add_lock_time_since(begin);
        context.evaluated.notify_all();
    }
}
