//! The models. Each is a closure that loom runs once for every order of its threads' steps.

use std::time::Duration;

use loom::sync::Arc;
use loom::thread;

use crate::kernel::{Move, Point};
use crate::search::eval_cache::EvalCache;
use crate::search::playout_search::node::Node;
use crate::search::playout_search::priors::Prior;
use crate::search::stop_signal::StopSignal;
use crate::search::playout_search::tree::Tree;

/// A model with its name.
pub(crate) struct Model {
    pub(crate) name: &'static str,
    pub(crate) run: fn(),
    /// Whether it depends on the order of stores, so that it fails if they are all relaxed.
    pub(crate) needs_order: bool,
}

pub(crate) const MODELS: &[Model] = &[
    Model { name: "two threads expand a leaf, a third reads it", run: expansion, needs_order: true },
    Model { name: "two threads expand the last free block", run: full_tree, needs_order: false },
    Model { name: "results are added by two threads", run: statistics, needs_order: false },
    Model { name: "two threads evaluate a node, a third selects", run: evaluation, needs_order: true },
    Model { name: "a claim is given up and taken", run: claims, needs_order: false },
    Model { name: "a stop is requested while commands begin", run: stop_request, needs_order: false },
    Model { name: "a line is read while a search waits for it", run: pending_input, needs_order: false },
    Model { name: "two evaluations share a slot of the cache", run: cache, needs_order: false },
];

static MOVES: [Prior; 2] = [
    Prior { play: Move::Play(Point::at(5)), value: 0.25, weight: 20.0 },
    Prior { play: Move::Play(Point::at(6)), value: 0.5, weight: 10.0 },
];

/// Asserts that a node has no children or all of [`MOVES`].
fn check_children(tree: &Tree, node: &Node) -> usize {
    let children = tree.children(node);
    assert!(children.is_empty() || children.len() == MOVES.len());
    for (child, prior) in children.iter().zip(&MOVES) {
        assert_eq!(child.play(), Some(prior.play));
        assert!((child.prior().value - prior.value).abs() < 1e-4 && child.prior().weight == prior.weight);
        assert_eq!(child.visits(), 0);
    }
    children.len()
}

fn expansion() {
    let tree = Arc::new(Tree::new(0));
    let expand = |tree: Arc<Tree>| {
        move || {
            let is_mine = tree.expand(tree.root(), || &MOVES);
            let count = check_children(&tree, tree.root());
            assert!(!is_mine || count == MOVES.len());
            is_mine
        }
    };
    let others = [thread::spawn(expand(tree.clone())), thread::spawn(expand(tree.clone()))];
    check_children(&tree, tree.root());
    let expanded = others.into_iter().map(|other| other.join().unwrap()).filter(|done| *done).count();
    assert_eq!((expanded, check_children(&tree, tree.root())), (1, 2));
}

fn full_tree() {
    let tree = Arc::new(Tree::new(0));
    assert!(tree.expand(tree.root(), || &MOVES));
    assert!(tree.expand(&tree.children(tree.root())[0], || &MOVES));
    let expand = |tree: &Tree| {
        let leaf = &tree.children(&tree.children(tree.root())[0])[1];
        tree.expand(leaf, || &MOVES)
    };
    let other = {
        let tree = tree.clone();
        thread::spawn(move || tree.expand(&tree.children(tree.root())[1], || &MOVES))
    };
    let mine = expand(&tree);
    let others = other.join().unwrap();
    assert!(mine != others, "one block for two: {mine} {others}");
    assert!(tree.is_full() && !tree.allocation_failed());
    let root = tree.children(tree.root());
    let counts = [&root[1], &tree.children(&root[0])[1]].map(|node| check_children(&tree, node));
    assert_eq!(counts, if mine { [0, 2] } else { [2, 0] });
}

fn statistics() {
    let node = Arc::new(Node::default());
    let other = {
        let node = node.clone();
        thread::spawn(move || {
            node.add_virtual_loss();
            node.add_result(1.0);
            node.add_rave(1.0);
        })
    };
    node.add_virtual_loss();
    node.add_result(0.5);
    node.add_rave(1.0);
    node.add_virtual_loss();
    node.cancel_visit();
    other.join().unwrap();
    assert_eq!((node.visits(), node.mean().value), (2, 0.75));
    // of two RAVE results at once one may be lost, but never half of it
    assert!([1.0, 2.0].contains(&node.rave().weight) && node.rave().value == 1.0);
}

fn evaluation() {
    let tree = Arc::new(Tree::new(0));
    assert!(tree.expand(tree.root(), || &MOVES));
    let evaluate = |tree: Arc<Tree>| {
        move || {
            let node = tree.root();
            let is_mine = node.try_claim_eval();
            if is_mine {
                tree.children(node).iter().zip([0.75, 0.25]).for_each(|(child, policy)| child.set_policy(policy));
                node.set_evaluated(Some(0.625));
            }
            is_mine
        }
    };
    let others = [thread::spawn(evaluate(tree.clone())), thread::spawn(evaluate(tree.clone()))];
    let root = tree.root();
    if root.is_evaluated() {
        for (child, policy) in tree.children(root).iter().zip([0.75, 0.25]) {
            assert!((child.policy() - policy).abs() < 1e-4, "{}", child.policy());
            assert_eq!(child.net_value(), None);
        }
    }
    let claims = others.into_iter().map(|other| other.join().unwrap()).filter(|is_mine| *is_mine).count();
    assert!(claims == 1 && root.is_evaluated());
    assert!((root.net_value().unwrap() - 0.375).abs() < 1e-4);
}

fn claims() {
    let node = Arc::new(Node::default());
    let held = Arc::new(loom::sync::atomic::AtomicUsize::new(0));
    let claim = |node: Arc<Node>, held: Arc<loom::sync::atomic::AtomicUsize>| {
        use loom::sync::atomic::Ordering::Relaxed;
        move || {
            if node.try_claim_eval() {
                assert_eq!(held.fetch_add(1, Relaxed), 0, "two threads hold the claim");
                held.fetch_sub(1, Relaxed);
                node.release_eval();
            }
        }
    };
    let other = thread::spawn(claim(node.clone(), held.clone()));
    claim(node.clone(), held.clone())();
    other.join().unwrap();
    assert!(node.try_claim_eval() && !node.is_evaluated());
}

fn stop_request() {
    let signal = Arc::new(StopSignal::default());
    signal.attach_reader();
    let reader = {
        let signal = signal.clone();
        thread::spawn(move || {
            signal.line_read(1);
            signal.line_read(2);
            signal.request_stop(2);
        })
    };
    let stops = || signal.should_stop(Duration::ZERO);
    signal.begin_line();
    stops();
    reader.join().unwrap();
    assert!(stops(), "the request came before or after the beginning of command 1");
    signal.begin_line();
    assert!(!stops(), "command 2 made the request");
}

fn pending_input() {
    let signal = Arc::new(StopSignal::default());
    signal.attach_reader();
    signal.line_read(1);
    let reader = {
        let signal = signal.clone();
        thread::spawn(move || {
            signal.line_read(2);
            signal.end_of_input();
        })
    };
    let stops = || signal.should_stop(Duration::ZERO);
    signal.begin_line();
    signal.stop_on_line();
    signal.stop_on_input();
    let stopped = stops();
    assert!(!stopped || stops(), "a search stays stopped");
    reader.join().unwrap();
    assert!(stops());
}

fn cache() {
    let cache = Arc::new(EvalCache::new(1, 1));
    let insert = |cache: Arc<EvalCache<u64>>, key: u64| move || cache.insert(key, std::sync::Arc::new(key));
    let others = [2, 4].map(|key| thread::spawn(insert(cache.clone(), key)));
    for key in [2, 4, 6] {
        assert!(cache.get(key).is_none_or(|found| *found == key && key != 6));
    }
    others.into_iter().for_each(|other| other.join().unwrap());
    assert!(cache.get(2).is_some() != cache.get(4).is_some());
}
