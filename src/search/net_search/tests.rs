//! Whole searches, most of them by a tiny net in KataGo's format with random weights.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::kernel::{Color, Coordinate, GameRule, Move, Position};
use crate::net::Net;
use crate::net::simd::InstructionSet;
use crate::search::params::Params;
use crate::search::{
    Limits, ProgressSink, Restrictions, SearchRequest, SearchResult, Searcher, StopSignal, TimeBudget,
};

/// Tiny nets in KataGo's format with random weights; the second has an optimistic policy.
const NET: &[u8] = include_bytes!("../../../tests/data/katago_tiny_8.txt.gz");
const OPTIMISTIC_NET: &[u8] = include_bytes!("../../../tests/data/katago_tiny_14.txt.gz");

pub(super) fn position(side: u8, rules: &str) -> Position {
    let rule = GameRule::with_komi(0.5).with_rule_set(rules).unwrap();
    Position::new(Coordinate::square(side).unwrap(), rule, 0, Color::Black)
}

fn net(file: &[u8]) -> Arc<Net> {
    Arc::new(Net::read(file, InstructionSet::best()).unwrap())
}

/// A position without symmetry.
fn asymmetric_position() -> Position {
    let mut position = position(7, "chinese");
    let point = position.board().coordinate().parse_vertex("C2").unwrap();
    position.play(Color::Black, point).unwrap();
    position
}

pub(super) struct Setup {
    pub(super) net: Arc<Net>,
    pub(super) searcher: Searcher,
    pub(super) threads: usize,
    pub(super) limits: Limits,
    pub(super) restrictions: Option<Restrictions>,
    pub(super) doubling_advantage_player: Option<Color>,
    pub(super) params: Params,
    pub(super) stop_signal: StopSignal,
}

impl Setup {
    pub(super) fn new(visits: u64) -> Setup {
        Setup {
            net: net(NET),
            searcher: Searcher::new(32 << 20, 7),
            threads: 1,
            limits: Limits::visits(visits),
            restrictions: None,
            doubling_advantage_player: None,
            params: Params::default(),
            stop_signal: StopSignal::default(),
        }
    }

    pub(super) fn search(&mut self, position: &Position) -> SearchResult {
        self.searcher.search(&SearchRequest {
            threads: self.threads,
            restrictions: self.restrictions.as_ref(),
            doubling_advantage_player: self.doubling_advantage_player.unwrap_or(position.to_move()),
            net: Some(&self.net),
            ..SearchRequest::new(position, position.to_move(), self.limits, &self.params, &self.stop_signal)
        })
    }
}

pub(super) fn visits_of_moves(result: &SearchResult) -> u64 {
    result.candidates.iter().map(|candidate| u64::from(candidate.visits)).sum()
}

#[test]
fn every_visit_is_counted() {
    for threads in [1, 4] {
        let mut setup = Setup { threads, ..Setup::new(300) };
        setup.params.root_symmetry_pruning = false;
        let result = setup.search(&position(5, "chinese"));
        assert!(result.is_by_net && result.completed);
        assert_eq!((result.visits, result.playouts, visits_of_moves(&result)), (300, 300, 299), "{threads} threads");
        assert!((1..=300).contains(&result.evaluations), "{}", result.evaluations);
        let policy: f32 = result.candidates.iter().filter_map(|candidate| candidate.policy).sum();
        assert!((policy - 1.0).abs() < 1e-3, "{policy}");
        assert_eq!(result.candidates.len(), 26);
        for candidate in &result.candidates {
            let win_probability = candidate.win_probability;
            assert!(
                (0.0..=1.0).contains(&win_probability) && candidate.win_probability_lower_bound() <= win_probability
            );
            assert_eq!(candidate.lead.is_some(), candidate.visits > 0);
        }
        let points = Coordinate::square(5).unwrap().points();
        assert!(points.map(|point| result.ownership[point.index()]).all(|owner| owner.abs() <= 1.0));
    }
}

#[test]
fn a_search_ends_when_its_memory_is_full() {
    for threads in [1, 3] {
        let mut setup = Setup { threads, ..Setup::new(1_000_000) };
        setup.searcher = Searcher::new(1 << 20, 7);
        let mut position = asymmetric_position();
        let result = setup.search(&position);
        assert!((20..5_000).contains(&result.visits), "{} visits", result.visits);
        assert!(result.completed && result.best().unwrap().visits > 1);
        // nearly all visits are positions; the others are ends and other orders of moves
        assert!(result.evaluations * 2 > result.visits, "{} of {}", result.evaluations, result.visits);
        // again without a move there is no room, after moves there is
        assert!(setup.search(&position).simulations <= threads as u64);
        for play in result.best().unwrap().variation.iter().take(2) {
            position.make_move(position.to_move(), *play).unwrap();
        }
        assert!(setup.search(&position).simulations > 10);
    }
}

#[test]
fn a_reused_root_has_all_moves_under_superko() {
    let moves = |result: &SearchResult| {
        let mut moves: Vec<Move> = result.candidates.iter().map(|candidate| candidate.play).collect();
        moves.sort_unstable_by_key(|play| play.point().map(|point| point.index()));
        moves
    };
    let mut rng = fastrand::Rng::with_seed(1);
    let mut reused = 0;
    for _ in 0..150 {
        let mut setup = Setup::new(300);
        (setup.params.root_symmetry_pruning, setup.params.wide_root_noise) = (false, 2.0);
        let mut position = position(2, "tromp-taylor");
        for _ in 0..3 {
            let result = setup.search(&position);
            // positions further down have been reached in several ways
            let best = &result.candidates[rng.usize(..result.candidates.len().min(3))];
            for play in best.variation.iter().take(rng.usize(1..4)) {
                position.make_move(position.to_move(), *play).unwrap();
            }
            if position.is_over() {
                break;
            }
            let result = setup.search(&position);
            reused += usize::from(result.simulations < result.visits);
            let mut fresh = Setup::new(1);
            fresh.params.root_symmetry_pruning = false;
            assert_eq!(moves(&result), moves(&fresh.search(&position)), "{:?}", position.board());
        }
    }
    assert!(reused > 100, "{reused}");
}

#[test]
fn one_thread_is_reproducible() {
    let play = |setup: &mut Setup| {
        let mut position = position(7, "japanese");
        let mut found = Vec::new();
        for _ in 0..4 {
            let result = setup.search(&position);
            let best = result.best().unwrap().clone();
            found.push((best.play, best.visits, best.win_probability, result.lead, result.simulations));
            position.make_move(position.to_move(), best.play).unwrap();
        }
        found
    };
    let first = play(&mut Setup::new(150));
    assert_eq!(first, play(&mut Setup::new(150)));
    // a limit of the simulations made leads to the same search, as a replay needs
    let mut again = Setup::new(u64::MAX);
    again.limits.playouts = first[0].4;
    let result = again.search(&position(7, "japanese"));
    assert_eq!((result.best().unwrap().play, result.best().unwrap().visits), (first[0].0, first[0].1));
}

#[test]
fn the_graph_is_kept_along_the_game() {
    let mut setup = Setup::new(200);
    let mut position = position(6, "tromp-taylor");
    let first = setup.search(&position);
    let plays = first.candidates.iter().filter_map(|candidate| Some((candidate, candidate.play.point()?)));
    let (best, point) = plays.max_by_key(|(candidate, _)| candidate.visits).unwrap();
    assert!(best.visits > 2, "{}", best.visits);
    position.play(Color::Black, point).unwrap();
    setup.limits = Limits::playouts(1);
    let second = setup.search(&position);
    assert!(second.visits > u64::from(best.visits) && second.visits <= u64::from(best.visits) + 2, "{}", second.visits);
    assert!((second.win_probability() - (1.0 - best.win_probability)).abs() < 0.2);
    // another game starts with an empty graph
    let fresh = setup.search(&self::position(6, "tromp-taylor"));
    assert_eq!(fresh.visits, 1);
}

/// After a pass of the opponent, a pass of the root no longer ends the game.
#[test]
fn the_graph_is_kept_after_a_pass() {
    let mut setup = Setup::new(3000);
    setup.params.root_num_symmetries = 8;
    let mut position = position(3, "tromp-taylor");
    // a second pass loses, so that White tries every move
    position.rule_mut().komi = -0.5;
    let first = setup.search(&position);
    let pass = first.candidates.iter().find(|candidate| candidate.play == Move::Pass).unwrap();
    assert!(pass.visits > 100, "{pass:?}");
    position.pass(Color::Black);
    setup.limits = Limits::playouts(1);
    let second = setup.search(&position);
    assert!(second.visits > 50 && second.simulations == 1, "{} visits", second.visits);
    assert_eq!(visits_of_moves(&second) + 1, second.visits);
    // the pass is searched again, as one that does not end the game
    setup.limits = Limits::playouts(400);
    let third = setup.search(&position);
    assert_eq!(third.candidates.iter().filter(|candidate| candidate.play == Move::Pass).count(), 1);
    assert_same_policies(&third, &Setup { params: setup.params, ..Setup::new(1) }.search(&position));
}

#[test]
fn parameters_that_change_no_value_keep_the_graph() {
    let position = position(5, "chinese");
    let default = Params::default();
    let changes = [
        (Params { wide_root_noise: 0.5, ..default }, true),
        (Params { resign_below: 0.2, ..default }, true),
        (Params { prior_weight: 7.0, ..default }, true),
        (Params { cpuct_exploration: 0.7, ..default }, false),
        (Params { root_policy_temperature: 1.5, ..default }, false),
    ];
    for (number, (params, is_kept)) in changes.into_iter().enumerate() {
        let mut setup = Setup::new(100);
        setup.search(&position);
        setup.params = params;
        setup.limits = Limits::playouts(10);
        assert_eq!(setup.search(&position).visits, if is_kept { 110 } else { 10 }, "change {number}");
    }
}

#[test]
fn reports_count_the_evaluation_of_a_new_root() {
    let setup = Setup::new(40);
    let position = position(9, "chinese");
    let mut reports = Vec::new();
    let mut on_progress = |result: &SearchResult| {
        reports.push((result.simulations, result.playouts, result.visits));
        ControlFlow::Continue(())
    };
    let mut searcher = setup.searcher;
    let request = SearchRequest {
        net: Some(&setup.net),
        ..SearchRequest::new(&position, Color::Black, setup.limits, &setup.params, &setup.stop_signal)
    };
    searcher.search_with_progress(&request, ProgressSink::new(Duration::ZERO, &mut on_progress));
    assert!(!reports.is_empty());
    for (simulations, playouts, visits) in reports {
        assert_eq!((simulations, playouts), (visits, visits));
    }
}

#[test]
fn finished_games_are_counted_by_the_rules() {
    // Black's wall leaves White nothing; both sides may only pass, which ends the game at White's
    let mut position = position(5, "tromp-taylor");
    let coordinate = position.board().coordinate();
    for vertex in ["C1", "C2", "C3", "C4", "C5"] {
        position.play(Color::Black, coordinate.parse_vertex(vertex).unwrap()).unwrap();
        position.pass(Color::White);
    }
    let mut restrictions = Restrictions::default();
    Color::BOTH.into_iter().for_each(|color| restrictions.allow(coordinate, color, &[Move::Pass], 9));
    let result = Setup { restrictions: Some(restrictions), ..Setup::new(400) }.search(&position);
    let pass = result.best().unwrap();
    assert_eq!((pass.play, &pass.variation[..]), (Move::Pass, [Move::Pass; 2].as_slice()));
    assert!(pass.win_probability > 0.99 && (pass.lead.unwrap().mean - 24.5).abs() < 0.5, "{pass:?}");
    assert!(result.evaluations <= 2, "{}", result.evaluations);
}

/// The known end of a game weighs as much as the surest evaluation of a net that predicts its errors, and else as any.
#[test]
fn an_end_has_the_greatest_weight() {
    let position = position(5, "tromp-taylor");
    let coordinate = position.board().coordinate();
    let mut restrictions = Restrictions::default();
    Color::BOTH.into_iter().for_each(|color| restrictions.allow(coordinate, color, &[Move::Pass], 9));
    for (file, weight) in [(NET, 1.0), (OPTIMISTIC_NET, 8.0)] {
        let mut setup = Setup { net: net(file), restrictions: Some(restrictions.clone()), ..Setup::new(101) };
        setup.params.uncertainty_max_weight = 8.0;
        let pass = setup.search(&position).best().unwrap().clone();
        // one evaluation, then White's pass again and again
        assert_eq!((pass.visits, pass.details.child_visits), (100, 100));
        let found = pass.details.child_weight / 99.0;
        assert!((found - weight).abs() <= 0.05 * weight + 1.0 / 99.0, "{found} {weight}");
    }
}

/// The net does not see the moves before the root then, but the move before it belongs to the pattern of the next one.
#[test]
fn moves_of_a_root_without_history_have_a_bias() {
    let position = asymmetric_position();
    let coordinate = position.board().coordinate();
    let only = Move::Play(coordinate.parse_vertex("E5").unwrap());
    let mut restrictions = Restrictions::default();
    restrictions.allow(coordinate, Color::White, &[only], 1);
    for ignore_pre_root_history in [false, true] {
        let utility = |factor: f64| {
            // the root, its only move, and a move after that
            let mut setup = Setup::new(3);
            setup.params.subtree_value_bias_factor = factor;
            let request = SearchRequest {
                net: Some(&setup.net),
                restrictions: Some(&restrictions),
                ignore_pre_root_history,
                ..SearchRequest::new(&position, Color::White, setup.limits, &setup.params, &setup.stop_signal)
            };
            setup.searcher.search(&request).best().unwrap().details.utility
        };
        let [without, with] = [0.0, 0.5].map(utility);
        assert!((without - with).abs() > 1e-9, "{ignore_pre_root_history}: {without} {with}");
    }
}

#[test]
fn tiny_boards_are_searched_by_all_rules() {
    for rules in ["chinese", "chinese-ogs", "tromp-taylor", "japanese", "stone-scoring", "aga", "new-zealand"] {
        for side in [2, 3] {
            let mut setup = Setup { threads: 2, ..Setup::new(500) };
            let mut position = position(side, rules);
            for _ in 0..12 {
                let result = setup.search(&position);
                assert!(result.visits >= 500, "{rules} {side}x{side}: {}", result.visits);
                position.make_move(position.to_move(), result.best().unwrap().play).unwrap();
                setup.limits.visits += 1;
            }
        }
    }
}

#[test]
fn time_left_is_used_unless_there_is_no_choice() {
    let day = Duration::from_hours(24);
    let mut setup = Setup::new(40);
    setup.limits.time = Some(TimeBudget::fixed(day));
    assert_eq!(setup.search(&position(9, "chinese")).visits, 40);
    let position = position(9, "chinese");
    let only = Move::Play(position.board().coordinate().parse_vertex("E5").unwrap());
    let mut restrictions = Restrictions::default();
    restrictions.allow(position.board().coordinate(), Color::Black, &[only], 1);
    setup.restrictions = Some(restrictions);
    assert!(setup.search(&position).visits < 40);
}

#[test]
fn time_and_stop_signal_end_a_search() {
    let short = Duration::from_millis(40);
    let mut setup = Setup::new(u64::MAX);
    setup.limits.time = Some(TimeBudget::fixed(short));
    let result = setup.search(&position(9, "chinese"));
    assert!(result.visits > 0 && result.completed);
    setup.limits.time = None;
    setup.stop_signal.flag().store(true, Ordering::Relaxed);
    let result = setup.search(&position(9, "chinese"));
    assert!(result.visits < 1000 && !result.completed);
}

/// The noise spreads visits over more moves of the root and changes no value of the net.
#[test]
fn noise_widens_the_root() {
    let tried = |noise: f64| {
        let mut setup = Setup::new(300);
        setup.params.wide_root_noise = noise;
        let result = setup.search(&position(7, "chinese"));
        assert_eq!((result.visits, visits_of_moves(&result)), (300, 299));
        result.candidates.iter().filter(|candidate| candidate.visits > 0).count()
    };
    assert!(tried(2.0) > tried(0.0), "{} {}", tried(2.0), tried(0.0));
    assert_eq!(tried(0.5), tried(0.5), "the seed determines the noise");
}

/// A graph serves no search that favors the other player.
#[test]
fn an_advantage_belongs_to_one_player() {
    let mut position = position(7, "chinese");
    let search = |advantage: f64, setup: &mut Setup| {
        setup.params.playout_doubling_advantage = advantage;
        setup.search(&position)
    };
    let value = |result: SearchResult| result.win_probability();
    let [even, ahead, behind] = [0.0, 3.0, -3.0].map(|advantage| value(search(advantage, &mut Setup::new(100))));
    assert!(ahead != even && behind != even && ahead != behind, "{even} {ahead} {behind}");
    let mut setups = [Setup::new(100), Setup::new(100)];
    let first = setups.each_mut().map(|setup| search(2.0, setup))[0].best().unwrap().play;
    let color = position.to_move();
    position.make_move(color, first).unwrap();
    setups[0].doubling_advantage_player = Some(color);
    let [same, other] = setups.each_mut().map(|setup| setup.search(&position).evaluations);
    assert!(other >= 90, "a new graph, and evaluations for the other player: {other}");
    assert!(same < other, "the subtree of the first search: {same}, {other}");
}

/// Every move that may be played with its policy, by point.
fn policies(result: &SearchResult) -> Vec<(Option<usize>, f32)> {
    let candidates = result.candidates.iter().filter(|one| one.policy.is_some_and(|policy| policy > 0.0));
    let point = |play: Move| play.point().map(|point| point.index());
    let mut policies: Vec<_> = candidates.map(|one| (point(one.play), one.policy.unwrap())).collect();
    policies.sort_by_key(|(point, _)| *point);
    policies
}

#[track_caller]
fn assert_same_policies(found: &SearchResult, expected: &SearchResult) {
    let (found, expected) = (policies(found), policies(expected));
    assert_eq!(found.len(), expected.len());
    for ((point, found), (other, expected)) in found.into_iter().zip(expected) {
        assert!(point == other && (found - expected).abs() < 1e-4, "{point:?} {other:?}: {found} {expected}");
    }
}

/// A root that is reached by moves of the game has the policy of a root: over its symmetries, with its temperature.
#[test]
fn a_reused_root_is_evaluated_as_a_root() {
    for (file, temperature) in [(NET, 1.0), (NET, 4.0), (OPTIMISTIC_NET, 1.0)] {
        let params = Params {
            root_policy_temperature: temperature,
            root_num_symmetries: 8,
            root_symmetry_pruning: false,
            ..Params::default()
        };
        let setup = || Setup { net: net(file), params, ..Setup::new(200) };
        let mut kept = setup();
        let mut position = position(6, "chinese");
        let first = kept.search(&position);
        for play in first.best().unwrap().variation.iter().take(2) {
            position.make_move(position.to_move(), *play).unwrap();
        }
        kept.limits = Limits::playouts(1);
        let second = kept.search(&position);
        assert!(second.visits > 2, "{}", second.visits);
        assert_eq!((second.simulations, visits_of_moves(&second) + 1), (1, second.visits), "no visit of its own");
        assert_same_policies(&second, &setup().search(&position));
        // the same root again
        assert_same_policies(&kept.search(&position), &second);
    }
}

/// A reused root is evaluated again only if that makes a difference.
#[test]
fn a_reused_root_keeps_an_evaluation_that_would_be_the_same() {
    let is_evaluated = |file: &[u8], temperature: f64| {
        let mut setup = Setup { net: net(file), ..Setup::new(300) };
        setup.params.root_policy_temperature = temperature;
        let mut position = position(5, "chinese");
        let coordinate = position.board().coordinate();
        position.play(Color::Black, coordinate.parse_vertex("C3").unwrap()).unwrap();
        let result = setup.search(&position);
        assert!(result.root.evaluation.is_some());
        position.make_move(Color::White, result.best().unwrap().play).unwrap();
        let result = setup.search(&position);
        assert!(result.visits > 2);
        result.root.evaluation.is_some()
    };
    assert!(!is_evaluated(NET, 1.0) && is_evaluated(NET, 2.0) && is_evaluated(OPTIMISTIC_NET, 1.0));
}

#[test]
fn symmetries_of_the_root_are_drawn() {
    let found = |seed: u64, symmetries: u32| {
        let mut setup = Setup { searcher: Searcher::new(8 << 20, seed), ..Setup::new(1) };
        setup.params.root_num_symmetries = symmetries;
        setup.search(&asymmetric_position()).root.win_probability
    };
    let values: Vec<f64> = (1..9).map(|seed| found(seed, 3)).collect();
    assert!(values.iter().any(|value| (value - values[0]).abs() > 1e-6), "{values:?}");
    assert!((found(1, 8) - found(2, 8)).abs() < 1e-6);
}

#[test]
fn the_cache_knows_the_number_of_symmetries() {
    let position = asymmetric_position();
    let search = |setup: &mut Setup, symmetries: u32| {
        setup.params.root_num_symmetries = symmetries;
        setup.search(&position)
    };
    let mut setup = Setup::new(1);
    let one = search(&mut setup, 1);
    let all = search(&mut setup, 8);
    assert_same_policies(&all, &search(&mut Setup::new(1), 8));
    assert!((all.root.win_probability - one.root.win_probability).abs() > 1e-6);
}

#[test]
fn a_root_with_all_visits_gets_one_more() {
    let mut setup = Setup::new(50);
    let position = position(5, "chinese");
    let found = [(); 3].map(|()| setup.search(&position)).map(|result| (result.simulations, result.visits));
    assert_eq!(found, [(50, 50), (1, 51), (1, 52)]);
}
