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
use crate::search::eval_cache::Answers;
use crate::search::tree::{Node, Tree};

/// Positions that the net is asked about at once.
const TOGETHER: usize = 8;

/// A position as it is asked about.
pub(crate) struct Scene<'s> {
    pub(crate) board: &'s Board,
    /// Who is to move.
    pub(crate) color: Color,
    /// The hash of the stones.
    pub(crate) hash: u64,
}

/// One thread's questions to the net.
pub(crate) struct Adviser<'a> {
    net: &'a Net,
    tree: &'a Tree,
    answers: &'a Answers,
    cost: &'a Cost,
    komi: f64,
    scratch: Scratch,
    questions: Vec<Question<'a>>,
}

/// A position that the net is asked about.
struct Question<'a> {
    node: &'a Node,
    /// The node of the position before.
    parent: &'a Node,
    key: u64,
    features: Features,
    symmetry: Symmetry,
}

impl<'a> Adviser<'a> {
    /// An adviser who has not been asked yet. Komi is in points for White.
    pub(crate) fn new(net: &'a Net, tree: &'a Tree, answers: &'a Answers, cost: &'a Cost, komi: f64) -> Adviser<'a> {
        let questions = Vec::with_capacity(TOGETHER);
        Adviser { net, tree, answers, cost, komi, scratch: Scratch::default(), questions }
    }

    /// Asks about the position after a node's move; `moves` are the moves before, the latest first. The answer comes with
    /// that to the last of a few questions, or at once if it is known.
    pub(crate) fn ask(
        &mut self,
        [parent, node]: [&'a Node; 2],
        scene: &Scene<'_>,
        moves: impl Iterator<Item = Option<Point>>,
        chance: u64,
    ) {
        // one that another thread is growing has no moves to advise on yet
        if self.tree.children(node).is_empty() || !node.claim() {
            return;
        }
        let key = self.key(scene);
        if let Some(answer) = self.answers.get(key) {
            return advise(self.tree, node, parent.is_advised(), scene.board.coordinate(), &answer);
        }
        let features = Features::new(scene.board, scene.color, moves, self.komi);
        self.questions.push(Question { node, parent, key, features, symmetry: Symmetry::numbered(chance) });
        if self.questions.len() == TOGETHER {
            self.answer(scene.board.coordinate());
        }
    }

    /// Answers all questions.
    fn answer(&mut self, coordinate: Coordinate) {
        let batch: Vec<_> = self.questions.iter().map(|question| (&question.features, question.symmetry)).collect();
        let answers = evaluate(self.net, &batch, &mut self.scratch, self.cost);
        for (question, answer) in self.questions.iter().zip(answers) {
            advise(self.tree, question.node, question.parent.is_advised(), coordinate, &answer);
            if !self.tree.is_starved() {
                self.answers.keep(question.key, Arc::new(answer));
            }
        }
        self.questions.clear();
    }

    /// Answers about the position at the root at once, as the mean over all ways to turn and mirror it, or for want of time
    /// by one.
    pub(crate) fn answer_now(&mut self, scene: &Scene<'_>, moves: impl Iterator<Item = Option<Point>>, has_time: bool) {
        let coordinate = scene.board.coordinate();
        // one mean in place of many single answers
        let key = self.key(scene) ^ u64::from(has_time);
        if let Some(answer) = self.answers.get(key) {
            return advise(self.tree, self.tree.root(), true, coordinate, &answer);
        }
        let features = Features::new(scene.board, scene.color, moves, self.komi);
        let ways = if has_time { Symmetry::all().count() } else { 1 };
        let batch: Vec<_> = Symmetry::all().take(ways).map(|symmetry| (&features, symmetry)).collect();
        let answers = evaluate(self.net, &batch, &mut self.scratch, self.cost);
        let answer = mean(&answers);
        advise(self.tree, self.tree.root(), true, coordinate, &answer);
        self.answers.keep(key, Arc::new(answer));
    }

    /// A number for all that an answer depends on, but for the moves before.
    fn key(&self, scene: &Scene<'_>) -> u64 {
        let board = scene.board;
        let side = (u64::from(board.coordinate().width()) << 8) | u64::from(board.coordinate().height());
        let ko = board.ko().map_or(0, |ko| ko.point.index() as u64 + 1);
        let parts = [self.komi.to_bits(), side << 32 | ko << 1 | scene.color.index() as u64];
        parts.iter().fold(scene.hash, |sum, part| (sum ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)) & !1
    }
}

/// What was not asked may be asked by the next search.
impl Drop for Adviser<'_> {
    fn drop(&mut self) {
        self.questions.iter().for_each(|question| question.node.disclaim());
    }
}

fn evaluate(net: &Net, batch: &[(&Features, Symmetry)], scratch: &mut Scratch, cost: &Cost) -> Vec<Evaluation> {
    let begin = Instant::now();
    let answers = net.evaluate(batch, scratch);
    cost.evaluations.fetch_add(answers.len() as u64, Relaxed);
    cost.nanoseconds.fetch_add(begin.elapsed().as_nanos() as u64, Relaxed);
    answers
}

/// What the advice of a search has cost so far, to all threads.
#[derive(Debug, Default)]
pub(crate) struct Cost {
    evaluations: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Cost {
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
fn advise(tree: &Tree, node: &Node, is_known: bool, coordinate: Coordinate, answer: &Evaluation) {
    let probabilities = answer.probabilities();
    let of = |node: &Node| {
        let place = match node.play()? {
            Move::Play(point) => features::place(coordinate, point)?,
            Move::Pass => coordinate.board_area(),
        };
        probabilities.get(place).copied()
    };
    let children = tree.children(node);
    // the net also gives chances to moves that are not in the tree, because they are forbidden or fill eyes
    let sum: f32 = children.iter().filter_map(of).sum();
    let again = node.is_advised();
    for child in children {
        child.set_policy(of(child).unwrap_or_default() / sum.max(f32::MIN_POSITIVE), again);
    }
    node.set_advised(answer.win(), is_known);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{GameRule, Position};
    use crate::search::params::Params;
    use crate::search::priors::priors;

    /// The board of a position, taken for another by its hash.
    fn scene(position: &Position, hash: u64) -> Scene<'_> {
        Scene { board: position.board(), color: Color::Black, hash }
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
        assert!(!tree.root().is_advised());
        let (cost, answers) = (Cost::default(), Answers::new(1 << 20));
        let mut adviser = Adviser::new(&net, &tree, &answers, &cost, 7.0);
        for has_time in [false, true] {
            adviser.answer_now(&scene(&position, 0), [].into_iter(), has_time);
            assert!(tree.root().is_advised());
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
        let (cost, answers) = (Cost::default(), Answers::new(1 << 20));
        let mut adviser = Adviser::new(&net, &tree, &answers, &cost, 0.5);
        let nodes: Vec<&Node> = tree.children(tree.root()).iter().take(TOGETHER + 1).collect();
        adviser.ask([tree.root(), nodes[0]], &scene(&position, 0), std::iter::empty(), 0);
        assert_eq!(adviser.questions.len(), 0, "it is no node to ask about before it has moves");
        for node in &nodes {
            tree.expand(node, || &moves);
        }
        let (more, nodes) = nodes.split_last().unwrap();
        // what was not answered is asked about by the next one
        let mut other = Adviser::new(&net, &tree, &answers, &cost, 0.5);
        other.ask([tree.root(), nodes[0]], &scene(&position, 0), std::iter::empty(), 0);
        adviser.ask([tree.root(), nodes[0]], &scene(&position, 0), std::iter::empty(), 0);
        assert_eq!((other.questions.len(), adviser.questions.len()), (1, 0), "one asks, not both");
        drop(other);
        for (number, node) in nodes.iter().enumerate() {
            assert!(nodes.iter().all(|node| !node.is_advised()));
            let moves = std::iter::once(None);
            let way = [tree.root(), *node];
            adviser.ask(way, &scene(&position, number as u64), moves.clone(), number as u64);
            if number + 1 < TOGETHER {
                adviser.ask(way, &scene(&position, number as u64), moves, 0);
            }
        }
        assert!(nodes.iter().all(|node| node.is_advised()));
        assert_eq!(cost.evaluations(), TOGETHER as u64);
        // by another way to a position that is known
        adviser.ask([tree.root(), more], &scene(&position, 3), std::iter::empty(), 0);
        assert!(more.is_advised());
        assert_eq!(cost.evaluations(), TOGETHER as u64);
    }
}
