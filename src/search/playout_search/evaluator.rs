//! Net evaluation of tree nodes: policy of the moves and value of the position, in batches.
//!
//! The net is slow compared to a playout. So it evaluates only nodes with a minimum number of visits, several at once,
//! and the search continues with priors and RAVE meanwhile. An evaluation replaces the priors of the node's children by
//! policy probabilities. Source of this asynchronous expansion: D. Silver and others, "Mastering the game of Go with
//! deep neural networks and tree search", 2016.

use std::sync::Arc;
use std::time::Instant;

use crate::kernel::hash::GOLDEN_GAMMA;
use crate::kernel::{Board, Color, Coordinate, MAX_SIDE, Move, Point, Scoring, Symmetry};
use crate::net::Komi;
use crate::net::native::features::Features;
use crate::net::native::{Evaluation, NativeNet, Scratch, is_supported_size};
use crate::search::eval_cache::EvalCache;
use crate::search::eval_cost::EvalCost;
use crate::search::playout_search::node::Node;
use crate::search::playout_search::tree::Tree;

/// Upper bound of the bytes of a cached evaluation: a policy of the largest board, with allocator and lock overhead.
pub(super) const SLOT_BYTES: usize = (MAX_SIDE as usize * MAX_SIDE as usize + 1) * size_of::<f32>() + 128;

/// Positions per batch.
const BATCH_SIZE: usize = 8;

/// A position to evaluate.
pub(super) struct EvalInput<'s> {
    pub(super) board: &'s Board,
    /// The side to move.
    pub(super) color: Color,
    /// Hash of the stones.
    pub(super) hash: u64,
    /// Komi as a net reads it.
    pub(super) komi: Komi,
}

/// One thread's access to the net, with its pending batch.
pub(super) struct Evaluator<'a> {
    net: &'a NativeNet,
    tree: &'a Tree,
    cache: &'a EvalCache<Evaluation>,
    cost: &'a EvalCost,
    scratch: Scratch,
    pending: Vec<PendingEval<'a>>,
}

/// An entry of the batch.
struct PendingEval<'a> {
    node: &'a Node,
    parent: &'a Node,
    key: u64,
    features: Features,
    symmetry: Symmetry,
}

impl<'a> Evaluator<'a> {
    /// An evaluator with an empty batch.
    pub(super) fn new(
        net: &'a NativeNet,
        tree: &'a Tree,
        cache: &'a EvalCache<Evaluation>,
        cost: &'a EvalCost,
    ) -> Evaluator<'a> {
        let pending = Vec::with_capacity(BATCH_SIZE);
        Evaluator { net, tree, cache, cost, scratch: Scratch::default(), pending }
    }

    /// Requests the evaluation of the position after a node's move. A cache hit is applied at once; otherwise the
    /// position joins the batch, which is evaluated when full. `moves` are the moves played, the latest first;
    /// `symmetry` is reduced to one of the eight symmetries.
    pub(super) fn request(
        &mut self,
        [parent, node]: [&'a Node; 2],
        input: &EvalInput<'_>,
        moves: impl Iterator<Item = Option<Point>>,
        symmetry: u64,
    ) {
        // no children while another thread is expanding it
        if self.tree.children(node).is_empty() || !node.try_claim_eval() {
            return;
        }
        let key = self.key(input);
        if let Some(evaluation) = self.cache.get(key) {
            return apply_evaluation(self.tree, Some(parent), node, input.board.coordinate(), &evaluation);
        }
        let features = self.net.features(input.board, input.color, moves, input.komi);
        self.pending.push(PendingEval { node, parent, key, features, symmetry: Symmetry::from_index(symmetry) });
        if self.pending.len() == BATCH_SIZE {
            self.evaluate_batch(input.board.coordinate());
        }
    }

    /// Evaluates the batch, applies the evaluations and stores them in the cache.
    fn evaluate_batch(&mut self, coordinate: Coordinate) {
        let batch: Vec<_> = self.pending.iter().map(|eval| (&eval.features, eval.symmetry)).collect();
        let evaluations = evaluate(self.net, &batch, &mut self.scratch, self.cost);
        for (eval, evaluation) in self.pending.iter().zip(evaluations) {
            apply_evaluation(self.tree, Some(eval.parent), eval.node, coordinate, &evaluation);
            if !self.tree.allocation_failed() {
                self.cache.insert(eval.key, Arc::new(evaluation));
            }
        }
        self.pending.clear();
    }

    /// Evaluates the root at once: the mean over a number of symmetries, 1 or all.
    pub(super) fn evaluate_root(
        &mut self,
        input: &EvalInput<'_>,
        moves: impl Iterator<Item = Option<Point>>,
        symmetries: usize,
    ) {
        let coordinate = input.board.coordinate();
        // a mean has an entry of its own, by the lowest bit of the key
        let key = self.key(input) ^ u64::from(symmetries > 1);
        if let Some(evaluation) = self.cache.get(key) {
            return apply_evaluation(self.tree, None, self.tree.root(), coordinate, &evaluation);
        }
        let features = self.net.features(input.board, input.color, moves, input.komi);
        let batch: Vec<_> = Symmetry::all().take(symmetries).map(|symmetry| (&features, symmetry)).collect();
        let evaluation = mean(&evaluate(self.net, &batch, &mut self.scratch, self.cost));
        apply_evaluation(self.tree, None, self.tree.root(), coordinate, &evaluation);
        self.cache.insert(key, Arc::new(evaluation));
    }

    /// Cache key: hash of stones, ko, board size, side to move and komi, for a net with a score also of the kind of scoring
    /// and the stones played, but not of the move history, so that move orders share an entry. The lowest bit is 0.
    fn key(&self, input: &EvalInput<'_>) -> u64 {
        let board = input.board;
        let side = (u64::from(board.coordinate().width()) << 8) | u64::from(board.coordinate().height());
        let ko = board.ko().map_or(0, |ko| ko.point.index() as u64 + 1);
        let numbers = side << 32 | ko << 1 | input.color.index() as u64;
        let komi = input.komi.compensation.to_bits();
        // scoring and stones played; 0 has no sign in a key
        let reads_scoring = self.net.has_score() && input.komi.scoring == Scoring::Territory;
        let played = reads_scoring.then(|| (input.komi.black_minus_white_stones + 0.0).to_bits());
        let parts = [Some(komi), Some(numbers), played];
        let mix = |hash: u64, part: u64| (hash ^ part).wrapping_mul(GOLDEN_GAMMA).rotate_left(29);
        parts.into_iter().flatten().fold(input.hash, mix) & !1
    }
}

/// Releases the claims of the pending batch, for the next search.
impl Drop for Evaluator<'_> {
    fn drop(&mut self) {
        self.pending.iter().for_each(|eval| eval.node.release_eval());
    }
}

/// Evaluates a batch and adds its cost.
fn evaluate(
    net: &NativeNet,
    batch: &[(&Features, Symmetry)],
    scratch: &mut Scratch,
    cost: &EvalCost,
) -> Vec<Evaluation> {
    let begin = Instant::now();
    let evaluations = net.evaluate(batch, scratch);
    cost.add(evaluations.len(), begin.elapsed());
    // playouts estimate the score
    evaluations.into_iter().map(|evaluation| Evaluation { score: None, ..evaluation }).collect()
}

/// Mean of policy logits and value logits of one position's evaluations.
fn mean(evaluations: &[Evaluation]) -> Evaluation {
    let weight = 1.0 / evaluations.len().max(1) as f32;
    let mut sum = Evaluation::default();
    for evaluation in evaluations {
        sum.policy.resize(evaluation.policy.len(), 0.0);
        sum.policy.iter_mut().zip(&evaluation.policy).for_each(|(sum, logit)| *sum += logit * weight);
        sum.value += evaluation.value * weight;
    }
    sum
}

/// Writes an evaluation of the position after a node's move into the tree: the policies of its children, normalized to
/// sum 1 over them, and the node's value, unless its parent still has priors in place of the net's policy. The root has
/// no parent.
///
/// On boards of a size that the net has not learned, the pass is as likely as the mean of all moves: the net does not
/// know when to pass there, and a search follows a policy near 1 long after its visits have shown that the move loses.
fn apply_evaluation(tree: &Tree, parent: Option<&Node>, node: &Node, coordinate: Coordinate, evaluation: &Evaluation) {
    let is_parent_evaluated = parent.is_none_or(Node::is_evaluated);
    let probabilities = evaluation.probabilities();
    let children = tree.children(node);
    let knows_pass = is_supported_size(coordinate);
    let is_left_out = |play: Move| play == Move::Pass && !knows_pass;
    let probability = |node: &Node| {
        let play = node.play().filter(|play| !is_left_out(*play))?;
        probabilities.get(play.index(coordinate)?).copied()
    };
    // moves that are illegal or fill an own eye are not in the tree
    let sum: f32 = children.iter().filter_map(probability).sum();
    let has_left_out = children.iter().any(|child| child.play().is_some_and(is_left_out));
    let share = if has_left_out { 1.0 / children.len().max(1) as f32 } else { 0.0 };
    let was_evaluated = node.is_evaluated();
    for child in children {
        let policy = match child.play() {
            Some(play) if is_left_out(play) => share,
            _ => probability(child).unwrap_or_default() / sum.max(f32::MIN_POSITIVE) * (1.0 - share),
        };
        if was_evaluated { child.replace_policy(policy) } else { child.set_policy(policy) }
    }
    node.set_evaluated(is_parent_evaluated.then(|| evaluation.win()));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{GameRule, Position};
    use crate::net::Net;
    use crate::net::simd::InstructionSet;
    use crate::search::params::Params;
    use crate::search::playout_search::priors::priors;

    /// A position with the hash of another one.
    fn input(position: &Position, hash: u64) -> EvalInput<'_> {
        EvalInput { board: position.board(), color: Color::Black, hash, komi: position.rule().komi.into() }
    }

    #[test]
    fn children_of_the_root_get_policies() {
        let net = Net::built_in().unwrap();
        let net = net.native().unwrap();
        let coordinate = Coordinate::square(9).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(7.0), 0, Color::Black);
        let tree = Tree::new(1 << 20);
        let mut moves = Vec::new();
        priors(position.board(), Color::Black, [None; 2], &Params::default(), &mut moves);
        tree.expand(tree.root(), || &moves);
        assert!(!tree.root().is_evaluated());
        let (cost, cache) = (EvalCost::default(), EvalCache::new(1 << 20, SLOT_BYTES));
        let mut evaluator = Evaluator::new(net, &tree, &cache, &cost);
        for symmetries in [1, 8] {
            evaluator.evaluate_root(&input(&position, 0), [].into_iter(), symmetries);
            assert!(tree.root().is_evaluated());
            let children = tree.children(tree.root());
            let sum: f32 = children.iter().map(Node::policy).sum();
            assert!((sum - 1.0).abs() < 1e-2, "{sum}");
            let best = children.iter().max_by(|a, b| a.policy().total_cmp(&b.policy())).unwrap();
            let Some(Move::Play(point)) = best.play() else { unreachable!("the best move is a pass") };
            let (x, y) = coordinate.xy(point);
            assert!((3..=7).contains(&x) && (3..=7).contains(&y), "{}", coordinate.vertex(point));
        }
    }

    #[test]
    fn batch_is_evaluated_when_full_and_each_node_once() {
        let net = Net::built_in().unwrap();
        let net = net.native().unwrap();
        let position = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let tree = Tree::new(1 << 20);
        let mut moves = Vec::new();
        priors(position.board(), Color::Black, [None; 2], &Params::default(), &mut moves);
        tree.expand(tree.root(), || &moves);
        let (cost, cache) = (EvalCost::default(), EvalCache::new(1 << 20, SLOT_BYTES));
        let mut evaluator = Evaluator::new(net, &tree, &cache, &cost);
        let nodes: Vec<&Node> = tree.children(tree.root()).iter().take(BATCH_SIZE + 1).collect();
        evaluator.request([tree.root(), nodes[0]], &input(&position, 0), std::iter::empty(), 0);
        assert_eq!(evaluator.pending.len(), 0, "a leaf is not evaluated");
        for node in &nodes {
            tree.expand(node, || &moves);
        }
        let (last, nodes) = nodes.split_last().unwrap();
        // a dropped evaluator releases its claims
        let mut other = Evaluator::new(net, &tree, &cache, &cost);
        other.request([tree.root(), nodes[0]], &input(&position, 0), std::iter::empty(), 0);
        evaluator.request([tree.root(), nodes[0]], &input(&position, 0), std::iter::empty(), 0);
        assert_eq!((other.pending.len(), evaluator.pending.len()), (1, 0), "one claim per node");
        drop(other);
        for (number, node) in nodes.iter().enumerate() {
            assert!(nodes.iter().all(|node| !node.is_evaluated()));
            let moves = std::iter::once(None);
            let edge = [tree.root(), *node];
            evaluator.request(edge, &input(&position, number as u64), moves.clone(), number as u64);
            if number + 1 < BATCH_SIZE {
                evaluator.request(edge, &input(&position, number as u64), moves, 0);
            }
        }
        assert!(nodes.iter().all(|node| node.is_evaluated()));
        assert_eq!(cost.evaluations(), BATCH_SIZE as u64);
        // a transposition, found in the cache
        evaluator.request([tree.root(), last], &input(&position, 3), std::iter::empty(), 0);
        assert!(last.is_evaluated());
        assert_eq!(cost.evaluations(), BATCH_SIZE as u64);
    }

    #[test]
    fn a_net_with_a_score_has_a_key_for_each_kind_of_scoring() {
        let bytes = std::fs::read("tests/data/score_net_tiny.safetensors").unwrap();
        let with_score = Net::read(&bytes, InstructionSet::best()).unwrap();
        let without = Net::human().unwrap();
        let position = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 0, Color::Black);
        let tree = Tree::new(1 << 20);
        let (cost, cache) = (EvalCost::default(), EvalCache::new(1 << 20, SLOT_BYTES));
        let kinds = [None, Some(0.0), Some(-0.0), Some(1.0)];
        for (net, expected) in [(&with_score, [true, false, true, true]), (&*without, [false; 4])] {
            let evaluator = Evaluator::new(net.native().unwrap(), &tree, &cache, &cost);
            let keys = kinds.map(|stones_played| {
                let area = Komi::from(7.0);
                let komi = stones_played.map_or(area, |black_minus_white_stones| Komi {
                    scoring: Scoring::Territory,
                    black_minus_white_stones,
                    ..area
                });
                evaluator.key(&EvalInput { komi, ..input(&position, 5) })
            });
            let pairs = [(0, 1), (1, 2), (0, 3), (1, 3)];
            assert_eq!(pairs.map(|(a, b)| keys[a] != keys[b]), expected);
        }
    }
}
