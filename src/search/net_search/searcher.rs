//! One search by net: reuses the graph, evaluates the root, runs the threads and reads the result.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use fastrand::Rng;

use crate::kernel::{Move, PointSet, Symmetry};
use crate::net::evaluate::Scratch;
use crate::net::history::BoardHistory;
use crate::net::{Net, Output};
use crate::search::control::SearchControl;
use crate::search::eval_cache::EvalCache;
use crate::search::eval_cost::EvalCost;
use crate::search::net_search::context::{NetSearchContext, State, node_evaluation, value_of};
use crate::search::net_search::evaluator::{NetEvaluator, PlayoutDoublingAdvantage};
use crate::search::net_search::graph::{Graph, NodeId, NodeState, ROOT};
use crate::search::net_search::report::ReportInput;
use crate::search::net_search::root_ending_bonus::{ending_penalties, useless_points};
use crate::search::net_search::select::SelectionSettings;
use crate::search::net_search::utility::Utility;
use crate::search::net_search::worker::Worker;
use crate::search::progress::ProgressSink;
use crate::search::request::SearchRequest;
use crate::search::restrictions::Restrictions;
use crate::search::result::SearchResult;
use crate::search::root::RootKey;
use crate::search::symmetric_moves::SymmetricMoves;
use crate::search::worker_threads::run_workers;

/// Lower limit of the policy of the root's moves without symmetric duplicates.
const MIN_ROOT_POLICY: f64 = 0.01;

/// Bytes of a cached evaluation apart from those of [`slot_bytes`] that grow with the board.
const SLOT_BASE_BYTES: usize = 256;

/// Bytes of a cached evaluation of a board: policy and ownership, two `f32` a point.
fn slot_bytes(area: usize) -> usize {
    area * 2 * size_of::<f32>() + SLOT_BASE_BYTES
}

/// The part of an earlier search's graph that a search reuses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reuse {
    None,
    /// All of it: the position is the same.
    SameRoot,
    /// The part of the graph below this node, which the moves played since lead to.
    Descendant(NodeId),
}

/// Searches positions by net; keeps graph and evaluations for later searches of the same game.
pub(in crate::search) struct NetSearcher {
    graph: Graph,
    cache: EvalCache<Output>,
    /// Memory bound of the cache in bytes.
    cache_bytes: usize,
    /// Points of the boards whose evaluations the cache has slots for; 0 before the first search.
    cache_area: usize,
    /// Key of the graph's root; `None` for a graph that no later search may reuse.
    root: Option<RootKey>,
}

impl NetSearcher {
    /// A searcher with approximate bounds, in bytes, of the memory for the graph and for the cache of evaluations.
    pub(in crate::search) fn new(graph_bytes: usize, cache_bytes: usize) -> NetSearcher {
        let graph = Graph::new(graph_bytes);
        // the first search makes a cache for its board
        NetSearcher { graph, cache: EvalCache::new(0, slot_bytes(0)), cache_bytes, cache_area: 0, root: None }
    }

    /// Bytes in use for the graph, estimated.
    pub(in crate::search) fn memory(&self) -> usize {
        self.graph.memory()
    }

    /// Searches a position. `rng` generates the random numbers of each thread.
    pub(in crate::search) fn search(
        &mut self,
        net: &Net,
        request: &SearchRequest<'_>,
        rng: impl Fn(u64) -> Rng,
        progress: ProgressSink<'_>,
    ) -> SearchResult {
        let begin = Instant::now();
        let params = request.params;
        let mut history = net.history(request.position, request.color);
        if request.ignore_pre_root_history {
            history.forget_moves();
        }
        let key = RootKey::new(request, params.of_net_graph());
        self.resize_cache(request.position.board().coordinate().board_area());
        let reuse = self.find_reuse(&key, request);
        let kept_utility = self.prepare_graph(reuse, request);
        let control = SearchControl::new(begin);
        let cost = EvalCost::default();
        let doubling = PlayoutDoublingAdvantage {
            player: request.doubling_advantage_player,
            advantage: params.playout_doubling_advantage as f32,
        };
        let evaluator = NetEvaluator { net, cache: &self.cache, cost: &cost, doubling };
        let (root_output, utility) =
            evaluate_root(&mut self.graph, &evaluator, &history, request, (reuse, kept_utility), &mut rng(0));
        let settings = self.settings(request, utility);
        restrict_root(&mut self.graph, &history, &settings);
        // the evaluation of a new root is a simulation of this search, too
        let root_simulations = u64::from(reuse == Reuse::None);
        let visits_before = u64::from(self.graph.node(ROOT).stats.visits) - root_simulations;
        let graph = std::mem::replace(&mut self.graph, Graph::new(0));
        let context = NetSearchContext {
            request,
            evaluator,
            report_input: ReportInput {
                detailed_ownership: request.detailed_ownership,
                coordinate: request.position.board().coordinate(),
                root_output,
            },
            history,
            settings,
            root_simulations,
            max_simulations: request.limits.max_simulations(visits_before),
            terminal_weight: if net.supports_shortterm_error() { params.uncertainty_max_weight } else { 1.0 },
            control,
            lock_time: AtomicU64::new(0),
            state: Mutex::new(State { graph, simulations: root_simulations }),
            evaluated: Condvar::new(),
        };
        run(&context, rng, progress);
        let result = context.result();
        self.graph = context.state.into_inner().unwrap_or_else(PoisonError::into_inner).graph;
        // evaluations that know no move before the root depend on it
        self.root = (!request.ignore_pre_root_history).then_some(key);
        result
    }

    /// The part of the graph that a search with this key reuses; the graph has no key then, until the search ends.
    fn find_reuse(&mut self, key: &RootKey, request: &SearchRequest<'_>) -> Reuse {
        let old = self.root.take().filter(|old| !request.ignore_pre_root_history && old.allows_tree_reuse_by(key));
        match old.and_then(|old| self.node_after_moves(&old, request)) {
            None => Reuse::None,
            Some(ROOT) => Reuse::SameRoot,
            Some(id) => Reuse::Descendant(id),
        }
    }

    /// Makes a reused node the root, and returns the utility by which its graph was recomputed, or leaves a new root only.
    fn prepare_graph(&mut self, reuse: Reuse, request: &SearchRequest<'_>) -> Option<Utility> {
        let id = match reuse {
            Reuse::None => {
                self.graph.clear(request.color);
                return None;
            }
            Reuse::SameRoot => ROOT,
            Reuse::Descendant(id) => id,
        };
        let area = request.position.board().coordinate().board_area();
        let utility = Utility::new(request.params, area, self.graph.node(id).stats.value.score);
        self.graph.forget_ending_pass(id);
        self.graph.advance(id, &utility, request.params);
        Some(utility)
    }

    /// Makes the cache of evaluations one for boards of this area; an earlier one is dropped.
    fn resize_cache(&mut self, area: usize) {
        if self.cache_area != area {
            self.cache = EvalCache::new(self.cache_bytes, slot_bytes(area));
            self.cache_area = area;
        }
    }

    /// The node that the moves played since an earlier search lead to, if it can be a root.
    fn node_after_moves(&self, old: &RootKey, request: &SearchRequest<'_>) -> Option<NodeId> {
        if self.graph.is_empty() {
            return None;
        }
        let mut id = ROOT;
        for item in old.moves_since(request.position) {
            let node = self.graph.node(id);
            let edge = node.edges.iter().find(|edge| edge.play == item.play)?;
            id = (node.to_move == item.color).then_some(edge.child)?;
        }
        let node = self.graph.node(id);
        (node.state == NodeState::Expanded && node.to_move == request.color).then_some(id)
    }

    /// The settings of a search of the present root.
    fn settings<'a>(&self, request: &SearchRequest<'a>, utility: Utility) -> SelectionSettings<'a> {
        let SearchRequest { position, color, params, restrictions, .. } = *request;
        let sign = f32::from(color.sign());
        let owners = &self.graph.node(ROOT).ownership;
        let ownership: Vec<f32> = owners.iter().map(|&owner| sign * f32::from(owner) / 127.0).collect();
        let symmetric_moves = match params.root_symmetry_pruning {
            true => SymmetricMoves::of(position, color, restrictions),
            false => SymmetricMoves::default(),
        };
        // restrictions say themselves which moves are of use
        let useless_points = match restrictions.is_none_or(Restrictions::is_empty) {
            true => useless_points(position, color),
            false => PointSet::new(),
        };
        // of a root that is searched again, duplicates are no longer among the edges
        let root = self.graph.node(ROOT);
        let edges = root.playable_edges().map(|(_, edge)| (edge.play, edge.policy));
        let moves = edges.chain(root.untried.iter().copied());
        let others = moves.filter(|(play, _)| play.point().is_none_or(|point| !symmetric_moves.is_duplicate(point)));
        let root_policy: f64 = others.map(|(_, policy)| f64::from(policy)).sum();
        SelectionSettings {
            params,
            utility,
            ending_penalties: ending_penalties(position, color, &ownership, params),
            restrictions,
            useless_points,
            symmetric_moves,
            root_policy: root_policy.max(MIN_ROOT_POLICY),
        }
    }
}

/// Runs the threads of a search until it ends.
fn run(context: &NetSearchContext<'_>, rng: impl Fn(u64) -> Rng, progress: ProgressSink<'_>) {
    let others = (1..context.request.threads.max(1) as u64).map(|thread| {
        let rng = rng(thread);
        move || Worker::new(context, rng).run(None)
    });
    run_workers(|| Worker::new(context, rng(0)).run(Some(progress)), others);
}

/// Evaluates the root and stores the evaluation in the graph, unless the graph has one of it as a root. Returns the new
/// evaluation, if there is one, and the utility function of the search: the one by which a reused graph was recomputed,
/// or for a new root one around the score of its evaluation.
fn evaluate_root(
    graph: &mut Graph,
    evaluator: &NetEvaluator<'_>,
    history: &BoardHistory,
    request: &SearchRequest<'_>,
    (reuse, kept_utility): (Reuse, Option<Utility>),
    rng: &mut Rng,
) -> (Option<Arc<Output>>, Utility) {
    let params = request.params;
    let symmetries = root_symmetries(request, rng);
    let differs = params.root_policy_temperature != 1.0 || evaluator.differs_at_root(history, symmetries.len());
    let is_evaluated = is_root_evaluated(graph, reuse, differs);
    let output = (!is_evaluated).then(|| evaluator.evaluate_root(history, &symmetries, &mut Scratch::default()));
    let utility = kept_utility.unwrap_or_else(|| {
        let score = output.as_deref().map_or(0.0, |output| value_of(output, request.color).score);
        Utility::new(params, request.position.board().coordinate().board_area(), score)
    });
    if let Some(output) = output.as_deref() {
        let mut evaluation = node_evaluation(output, history, &utility, params);
        apply_temperature(&mut evaluation.moves, params.root_policy_temperature);
        graph.set_root_evaluation(evaluation, params);
    }
    (output, utility)
}

/// Whether the root has the evaluation of a root. `differs`: whether that differs from the evaluation of another node.
fn is_root_evaluated(graph: &Graph, reuse: Reuse, differs: bool) -> bool {
    let is_evaluated = match reuse {
        Reuse::None => false,
        Reuse::SameRoot => true,
        Reuse::Descendant(_) => !differs,
    };
    is_evaluated && !graph.node(ROOT).has_superko_removals
}

/// The symmetries in which a root is evaluated: random ones, if there are more.
fn root_symmetries(request: &SearchRequest<'_>, rng: &mut Rng) -> Vec<Symmetry> {
    let count = match request.limits.uses_single_root_symmetry() {
        true => 1,
        false => request.params.root_num_symmetries as usize,
    };
    if count <= 1 {
        return vec![Symmetry::from_index(rng.u64(..))];
    }
    let mut symmetries: Vec<Symmetry> = Symmetry::all().collect();
    rng.shuffle(&mut symmetries);
    symmetries.truncate(count);
    symmetries
}

/// Raises a policy to the power `1 / temperature`.
fn apply_temperature(moves: &mut [(Move, f32)], temperature: f64) {
    if temperature == 1.0 {
        return;
    }
    let power = |policy: f32| f64::from(policy).powf(1.0 / temperature);
    let sum: f64 = moves.iter().map(|(_, policy)| power(*policy)).sum();
    moves.iter_mut().for_each(|(_, policy)| *policy = (power(*policy) / sum.max(f64::MIN_POSITIVE)) as f32);
}

/// Removes the root's moves that are illegal or excluded. A player whose moves are all excluded passes.
fn restrict_root(graph: &mut Graph, history: &BoardHistory, settings: &SelectionSettings<'_>) {
    let color = graph.node(ROOT).to_move;
    let is_admitted =
        |play: Move| play.point().is_none_or(|point| history.is_legal(point)) && settings.admits(color, play, 0);
    let has_admitted = graph.node(ROOT).moves().any(is_admitted);
    let is_kept = |play: Move| is_admitted(play) || (!has_admitted && play == Move::Pass);
    graph.retain_root_moves(is_kept, settings.params);
}

#[cfg(test)]
mod tests;
