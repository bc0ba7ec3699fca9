//! Statistics of nodes over their children, corrections by biases, and the removal of nodes.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::kernel::{Point, test_boards};
use crate::search::net_search::utility::OutcomeValue;

fn evaluation(win_loss: f64, moves: Vec<(Move, f32)>) -> NodeEvaluation {
    let utility = Utility::new(&Params::default(), 81, 0.0);
    let value = OutcomeValue { win_loss, ..OutcomeValue::default() };
    NodeEvaluation {
        own_evaluation: Stats::from_evaluation(value, utility.utility_of(&value), 1.0),
        moves,
        ownership: Box::default(),
    }
}

fn play(number: u16) -> Move {
    Move::Play(Point::at(number))
}

/// A root with two moves, of which the second leads on to the position of the first.
fn graph() -> Graph {
    let params = Params::default();
    let mut graph = Graph::new(1 << 20);
    graph.clear(Color::Black);
    graph.expand(ROOT, evaluation(0.0, vec![(Move::Pass, 0.2), (play(31), 0.3), (play(30), 0.5)]), &params);
    for (key, policy, win_loss) in [(7, 0.5, 0.4), (8, 0.3, -0.2)] {
        let child = graph.find_or_add(key, Color::White, None);
        graph.expand(child, evaluation(win_loss, vec![(play(40), 1.0)]), &params);
        let (play, _) = graph.node_mut(ROOT).untried.pop().unwrap();
        graph.node_mut(ROOT).edges.push(Edge { play, child, visits: 1, policy, is_forbidden: false });
    }
    graph.update(ROOT, &params);
    graph
}

#[test]
fn root_is_the_mean_of_its_moves_and_itself() {
    let mut graph = graph();
    let root = graph.node(ROOT);
    assert_eq!((root.stats.visits, root.untried.as_slice()), (3, [(Move::Pass, 0.2)].as_slice()));
    assert!((root.stats.weight - 3.0).abs() < 1e-9);
    // the worse move counts a little less
    let mean = root.stats.value.win_loss;
    assert!((0.0667..0.1).contains(&mean), "{mean}");
    assert_eq!(graph.find_or_add(8, Color::White, None), 2, "found again");
    assert_eq!(root_plays(&graph), [play(30), play(31)]);
}

fn root_plays(graph: &Graph) -> Vec<Move> {
    graph.node(ROOT).edges.iter().map(|edge| edge.play).collect()
}

#[test]
fn the_root_can_lose_moves() {
    let mut graph = graph();
    let before = graph.node(ROOT).stats;
    graph.retain_root_moves(|play| play != self::play(31), &Params::default());
    assert_eq!(root_plays(&graph), [play(30)]);
    let after = graph.node(ROOT).stats;
    assert!(after.visits + 1 == before.visits && after.value.win_loss > before.value.win_loss);
    graph.retain_root_moves(|_| false, &Params::default());
    assert_eq!(graph.node(ROOT).stats.visits, 1);
    assert_eq!(graph.node(ROOT).untried.len(), 1, "what was not tried stays");
}

#[test]
fn advance_keeps_what_can_be_reached() {
    let params = Params::default();
    let mut graph = graph();
    let shared = graph.find_or_add(9, Color::Black, None);
    graph.expand(shared, evaluation(0.1, vec![(Move::Pass, 1.0)]), &params);
    for id in [1, 2] {
        graph.node_mut(id).edges.push(Edge {
            play: play(40),
            child: shared,
            visits: 1,
            policy: 1.0,
            is_forbidden: false,
        });
        graph.update(id, &params);
    }
    let before = graph.node(2).stats;
    graph.advance(2, &Utility::new(&params, 81, 0.0), &params);
    assert_eq!(graph.nodes.len(), 2);
    let after = graph.node(ROOT).stats;
    assert!((before.utility - after.utility).abs() < 1e-9 && before.visits == after.visits);
    assert_eq!(graph.find_or_add(9, Color::Black, None), 1);
    assert_eq!(graph.find_or_add(7, Color::Black, None), 2, "forgotten, so added anew");
}

/// The moves to nodes 1 and 3 have one pattern; node 1 is dropped.
#[test]
fn advance_keeps_the_biases_of_what_can_be_reached() {
    let params = Params::default();
    let mut graph = graph();
    let empty = test_boards::board(&["...", "...", "..."]);
    let [last, kind, other] = ["A1", "B2", "C3"].map(|name| empty.coordinate().parse_vertex(name).unwrap());
    let mut entry = |point| graph.biases.find_or_add(&empty, Color::Black, Move::Play(last), point);
    let (other, kind) = (entry(other), entry(kind));
    let shared = graph.find_or_add(9, Color::Black, Some(kind));
    let leaf = graph.find_or_add(10, Color::White, None);
    graph.expand(shared, evaluation(0.1, vec![(Move::Pass, 1.0)]), &params);
    graph.expand(leaf, evaluation(-0.3, vec![(Move::Pass, 1.0)]), &params);
    graph.node_mut(1).bias_entry = Some(kind);
    graph.node_mut(2).bias_entry = Some(other);
    for (id, child) in [(shared, leaf), (1, shared), (2, shared)] {
        graph.node_mut(id).edges.push(Edge { play: play(40), child, visits: 1, policy: 1.0, is_forbidden: false });
        graph.update(id, &params);
    }
    // both nodes have one move of one visit
    let error = |graph: &Graph, id: NodeId, child: NodeId| {
        graph.node(child).stats.utility - graph.node(id).own_evaluation.utility
    };
    let [dropped, kept] = [error(&graph, 1, shared), error(&graph, shared, leaf)];
    graph.advance(2, &Utility::new(&params, 81, 0.0), &params);
    let entries: Vec<Option<u32>> = graph.nodes.iter().map(|node| node.bias_entry).collect();
    assert_eq!(entries, [None, Some(0), None], "the root has none, the others are numbered anew");
    let expected = (0.2 * dropped + kept) / 1.2;
    assert!((graph.biases.bias(0) - expected).abs() < 1e-9, "{} {expected}", graph.biases.bias(0));
    assert!(dropped.abs() > 0.01 && (dropped - kept).abs() > 0.01, "{dropped} {kept}");
}

/// Another evaluation of the root reaches every move, tried or not.
#[test]
fn the_root_can_be_evaluated_again() {
    let params = Params::default();
    let mut graph = graph();
    let before = graph.node(ROOT).stats;
    let moves = vec![(play(31), 0.1), (play(32), 0.2), (Move::Pass, 0.7)];
    graph.set_root_evaluation(evaluation(0.6, moves), &params);
    let root = graph.node(ROOT);
    assert_eq!(root.untried, [(play(32), 0.2), (Move::Pass, 0.7)]);
    let policies: Vec<_> = root.edges.iter().map(|edge| (edge.play, edge.policy)).collect();
    assert_eq!(policies, [(play(30), 0.0), (play(31), 0.1)]);
    assert!(root.stats.visits == before.visits && root.stats.value.win_loss > before.value.win_loss + 0.1);
}
