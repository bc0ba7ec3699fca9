//! What the net says about positions of the tree: which moves are likely, and who is likely to win.
//!
//! A net is slow beside a playout. So it is asked only about positions that have been passed through a few times, and
//! about several at once; until it has answered, the search goes on by what it knows. The idea to put a slow net's word
//! in place of a quick guess when it comes is D. Silver's and others' ("Mastering the game of Go with deep neural networks and
//! tree search", 2016).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::kernel::{Board, Color, Coordinate, Move, Point};
use crate::net::features::{self, Features, Symmetry};
use crate::net::{Evaluation, Net, Scratch};
use crate::search::eval_cache::EvalCache;
use crate::search::tree::{Node, Tree};

/// Positions that the net is asked about at once.
const BATCH_SIZE: usize = 8;

/// A position as it is asked about.
pub(crate) struct EvalInput<'s> {
    pub(crate) board: &'s Board,
    /// Who is to move.
    pub(crate) color: Color,
    /// The hash of the stones.
    pub(crate) hash: u64,
}

/// One thread's questions to the net.
pub(crate) struct Evaluator<'a> {
    net: &'a Net,
    tree: &'a Tree,
    cache: &'a EvalCache,
    cost: &'a EvalCost,
    komi: f64,
    scratch: Scratch,
    pending: Vec<PendingEval<'a>>,
}

/// A position that the net is asked about.
struct PendingEval<'a> {
    node: &'a Node,
    /// The node of the position before.
    parent: &'a Node,
    key: u64,
    features: Features,
    symmetry: Symmetry,
}

impl<'a> Evaluator<'a> {
    /// An adviser who has not been asked yet. Komi is in points for White.
    pub(crate) fn new(
        net: &'a Net,
        tree: &'a Tree,
        cache: &'a EvalCache,
        cost: &'a EvalCost,
        komi: f64,
    ) -> Evaluator<'a> {
        let pending = Vec::with_capacity(BATCH_SIZE);
        Evaluator { net, tree, cache, cost, komi, scratch: Scratch::default(), pending }
    }

    /// Asks about the position after a node's move; `moves` are the moves before, the latest first. The answer comes with
    /// that to the last of a few questions, or at once if it is known.
    pub(crate) fn ask(
        &mut self,
        [parent, node]: [&'a Node; 2],
        input: &EvalInput<'_>,
        moves: impl Iterator<Item = Option<Point>>,
        chance: u64,
    ) {
        // one that another thread is growing has no moves to advise on yet
        if self.tree.children(node).is_empty() || !node.try_claim_eval() {
            return;
        }
        let key = self.key(input);
        if let Some(answer) = self.cache.get(key) {
            return apply_evaluation(self.tree, node, parent.is_evaluated(), input.board.coordinate(), &answer);
        }
        let features = Features::new(input.board, input.color, moves, self.komi);
        self.pending.push(PendingEval { node, parent, key, features, symmetry: Symmetry::from_index(chance) });
        if self.pending.len() == BATCH_SIZE {
            self.answer(input.board.coordinate());
        }
    }

    /// Answers all questions.
    fn answer(&mut self, coordinate: Coordinate) {
        let batch: Vec<_> = self.pending.iter().map(|eval| (&eval.features, eval.symmetry)).collect();
        let answers = evaluate(self.net, &batch, &mut self.scratch, self.cost);
        for (eval, answer) in self.pending.iter().zip(answers) {
            apply_evaluation(self.tree, eval.node, eval.parent.is_evaluated(), coordinate, &answer);
            if !self.tree.allocation_failed() {
                self.cache.insert(eval.key, Arc::new(answer));
            }
        }
        self.pending.clear();
    }

    /// Answers about the position at the root at once, as the mean over all ways to turn and mirror it, or for want of time
    /// by one.
    pub(crate) fn evaluate_root(
        &mut self,
        input: &EvalInput<'_>,
        moves: impl Iterator<Item = Option<Point>>,
        has_time: bool,
    ) {
        let coordinate = input.board.coordinate();
        // one mean in place of many single answers
        let key = self.key(input) ^ u64::from(has_time);
        if let Some(answer) = self.cache.get(key) {
            return apply_evaluation(self.tree, self.tree.root(), true, coordinate, &answer);
        }
        let features = Features::new(input.board, input.color, moves, self.komi);
        let ways = if has_time { Symmetry::all().count() } else { 1 };
        let batch: Vec<_> = Symmetry::all().take(ways).map(|symmetry| (&features, symmetry)).collect();
        let answers = evaluate(self.net, &batch, &mut self.scratch, self.cost);
        let answer = mean(&answers);
        apply_evaluation(self.tree, self.tree.root(), true, coordinate, &answer);
        self.cache.insert(key, Arc::new(answer));
    }

    /// A number for all that an answer depends on, but for the moves before.
    fn key(&self, input: &EvalInput<'_>) -> u64 {
        let board = input.board;
        let side = (u64::from(board.coordinate().width()) << 8) | u64::from(board.coordinate().height());
        let ko = board.ko().map_or(0, |ko| ko.point.index() as u64 + 1);
        let parts = [self.komi.to_bits(), side << 32 | ko << 1 | input.color.index() as u64];
        parts.iter().fold(input.hash, |sum, part| (sum ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)) & !1
    }
}

/// What was not asked may be asked by the next search.
impl Drop for Evaluator<'_> {
    fn drop(&mut self) {
        self.pending.iter().for_each(|eval| eval.node.release_eval());
    }
}

fn evaluate(net: &Net, batch: &[(&Features, Symmetry)], scratch: &mut Scratch, cost: &EvalCost) -> Vec<Evaluation> {
    let begin = Instant::now();
    let answers = net.evaluate(batch, scratch);
    cost.evaluations.fetch_add(answers.len() as u64, Relaxed);
    cost.nanoseconds.fetch_add(begin.elapsed().as_nanos() as u64, Relaxed);
    answers
}

/// What the advice of a search has cost so far, to all threads.
#[derive(Debug, Default)]
pub(crate) struct EvalCost {
    evaluations: AtomicU64,
    nanoseconds: AtomicU64,
}

impl EvalCost {
    /// Positions that the net was asked about.
    pub(crate) fn evaluations(&self) -> u64 {
        self.evaluations.load(Relaxed)
    }

    /// Time spent asking.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Relaxed))
    }
}

/// The mean of what was said of one position.
fn mean(answers: &[Evaluation]) -> Evaluation {
    let weight = 1.0 / answers.len().max(1) as f32;
    let mut sum = Evaluation::default();
    for answer in answers {
        sum.policy.resize(answer.policy.len(), 0.0);
        sum.policy.iter_mut().zip(&answer.policy).for_each(|(sum, logit)| *sum += logit * weight);
        sum.value += answer.value * weight;
    }
    sum
}

/// Tells the tree what the net says of the position after a node's move; `is_known`: whether the net was asked about the
/// position before, too.
fn apply_evaluation(tree: &Tree, node: &Node, is_known: bool, coordinate: Coordinate, answer: &Evaluation) {
    let probabilities = answer.probabilities();
    let of = |node: &Node| {
        let place = match node.play()? {
            Move::Play(point) => features::point_index(coordinate, point)?,
            Move::Pass => coordinate.board_area(),
        };
        probabilities.get(place).copied()
    };
    let children = tree.children(node);
    // the net also gives chances to moves that are not in the tree, because they are forbidden or fill eyes
    let sum: f32 = children.iter().filter_map(of).sum();
    let again = node.is_evaluated();
    for child in children {
        child.set_policy(of(child).unwrap_or_default() / sum.max(f32::MIN_POSITIVE), again);
    }
    node.set_evaluated(answer.win(), is_known);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{GameRule, Position};
    use crate::search::params::Params;
    use crate::search::priors::priors;

    /// The board of a position, taken for another by its hash.
    fn input(position: &Position, hash: u64) -> EvalInput<'_> {
        EvalInput { board: position.board(), color: Color::Black, hash }
    }

    #[test]
    fn the_moves_of_the_tree_get_the_nets_chances() {
        let net = Net::built_in().unwrap();
        let coordinate = Coordinate::square(9).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(7.0), 0, Color::Black);
        let tree = Tree::new(1 << 20);
        let mut moves = Vec::new();
        priors(position.board(), Color::Black, [None; 2], &Params::default(), &mut moves);
        tree.expand(tree.root(), || &moves);
        assert!(!tree.root().is_evaluated());
        let (cost, answers) = (EvalCost::default(), EvalCache::new(1 << 20));
        let mut evaluator = Evaluator::new(&net, &tree, &answers, &cost, 7.0);
        for has_time in [false, true] {
            evaluator.evaluate_root(&input(&position, 0), [].into_iter(), has_time);
            assert!(tree.root().is_evaluated());
            let children = tree.children(tree.root());
            let sum: f32 = children.iter().map(Node::policy).sum();
            assert!((sum - 1.0).abs() < 1e-2, "{sum}");
            let best = children.iter().max_by(|a, b| a.policy().total_cmp(&b.policy())).unwrap();
            let Some(Move::Play(point)) = best.play() else { unreachable!("a pass first") };
            let (x, y) = coordinate.xy(point);
            assert!((3..=7).contains(&x) && (3..=7).contains(&y), "{}", coordinate.vertex(point));
        }
    }

    #[test]
    fn questions_are_answered_together_and_each_once() {
        let net = Net::built_in().unwrap();
        let position = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let tree = Tree::new(1 << 20);
        let mut moves = Vec::new();
        priors(position.board(), Color::Black, [None; 2], &Params::default(), &mut moves);
        tree.expand(tree.root(), || &moves);
        let (cost, answers) = (EvalCost::default(), EvalCache::new(1 << 20));
        let mut evaluator = Evaluator::new(&net, &tree, &answers, &cost, 0.5);
        let nodes: Vec<&Node> = tree.children(tree.root()).iter().take(BATCH_SIZE + 1).collect();
        evaluator.ask([tree.root(), nodes[0]], &input(&position, 0), std::iter::empty(), 0);
        assert_eq!(evaluator.pending.len(), 0, "it is no node to ask about before it has moves");
        for node in &nodes {
            tree.expand(node, || &moves);
        }
        let (more, nodes) = nodes.split_last().unwrap();
        // what was not answered is asked about by the next one
        let mut other = Evaluator::new(&net, &tree, &answers, &cost, 0.5);
        other.ask([tree.root(), nodes[0]], &input(&position, 0), std::iter::empty(), 0);
        evaluator.ask([tree.root(), nodes[0]], &input(&position, 0), std::iter::empty(), 0);
        assert_eq!((other.pending.len(), evaluator.pending.len()), (1, 0), "one asks, not both");
        drop(other);
        for (number, node) in nodes.iter().enumerate() {
            assert!(nodes.iter().all(|node| !node.is_evaluated()));
            let moves = std::iter::once(None);
            let way = [tree.root(), *node];
            evaluator.ask(way, &input(&position, number as u64), moves.clone(), number as u64);
            if number + 1 < BATCH_SIZE {
                evaluator.ask(way, &input(&position, number as u64), moves, 0);
            }
        }
        assert!(nodes.iter().all(|node| node.is_evaluated()));
        assert_eq!(cost.evaluations(), BATCH_SIZE as u64);
        // by another way to a position that is known
        evaluator.ask([tree.root(), more], &input(&position, 3), std::iter::empty(), 0);
        assert!(more.is_evaluated());
        assert_eq!(cost.evaluations(), BATCH_SIZE as u64);
    }
}
