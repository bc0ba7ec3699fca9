//! Tests of whole searches.
#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::time::Duration;

use crate::kernel::test_boards;
use crate::kernel::{Color, Coordinate, GameRule, Move, Position};
use crate::net::Net;
use crate::search::limits::Limits;
use crate::search::params::Params;
use crate::search::progress::ProgressSink;
use crate::search::request::SearchRequest;
use crate::search::restrictions::Restrictions;
use crate::search::result::SearchResult;
use crate::search::searcher::Searcher;
use crate::search::stop_signal::StopSignal;

/// Searches a position for a number of playouts, with one thread and without a net.
pub(crate) fn search_result_of(position: &Position, playouts: u64) -> SearchResult {
    let params = Params::default();
    Searcher::new(16 << 20, 1)
        .search(&SearchRequest { limits: Limits::playouts(playouts), ..request(position, &params) })
}

fn position(drawn: &[&str]) -> Position {
    test_boards::position(drawn, "chinese", 0.5, Color::Black)
}

fn search(searcher: &mut Searcher, position: &Position, threads: usize) -> SearchResult {
    searcher.search(&SearchRequest { threads, ..request(position, &Params::default()) })
}

fn request<'a>(position: &'a Position, params: &'a Params) -> SearchRequest<'a> {
    static NEVER_STOP: LazyLock<StopSignal> = LazyLock::new(StopSignal::default);
    SearchRequest::new(position, position.to_move(), Limits::playouts(400), params, &NEVER_STOP)
}

fn play(position: &mut Position, vertex: &str) {
    let point = position.board().coordinate().parse_vertex(vertex).unwrap();
    position.play(position.to_move(), point).unwrap();
}

#[test]
fn ownership_and_leads_continue_over_searches_of_a_position() {
    let mut position = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(6.5), 0, Color::Black);
    let mut searcher = Searcher::new(64 << 20, 1);
    let params = Params::default();
    let search = |searcher: &mut Searcher, position: &Position, playouts| {
        searcher.search(&SearchRequest { limits: Limits::playouts(playouts), ..request(position, &params) })
    };
    let first = search(&mut searcher, &position, 4000);
    assert_eq!((first.playouts, first.stats_samples), (4000, 4000));
    let mut last = first.clone();
    for round in 1..=5 {
        let again = search(&mut searcher, &position, 20);
        assert_eq!((again.playouts, again.stats_samples), (20, 4000 + 20 * round));
        // the mean of 20 playouts alone, whose deviation is some 15 points, would be several points off
        assert!((again.lead - first.lead).abs() < 0.5, "{} {}", again.lead, first.lead);
        assert!(again.best().unwrap().lead.is_some_and(|lead| lead.samples > 500), "{:?}", again.best());
        let moved = again.ownership.iter().zip(&last.ownership).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(moved < 0.02, "{moved}");
        last = again;
    }
    // another root, and the same one without the tree
    play(&mut position, "E5");
    assert_eq!(search(&mut searcher, &position, 100).stats_samples, 100);
    position.undo().unwrap();
    assert_eq!(search(&mut searcher, &position, 100).stats_samples, 100);
    assert_eq!(search(&mut searcher, &position, 100).stats_samples, 200);
    searcher.clear();
    assert_eq!(search(&mut searcher, &position, 100).stats_samples, 100);
}

const KO: [&str; 5] = [".xo..", "x.xo.", ".xo..", ".....", "....."];

#[test]
fn tree_is_reused_after_moves_and_a_ko() {
    let mut position = position(&KO);
    position.set_to_move(Color::White);
    let mut searcher = Searcher::new(64 << 20, 1);
    assert_eq!(search(&mut searcher, &position, 1).visits, 400);
    play(&mut position, "B2");
    assert!(position.board().ko().is_some());
    let result = search(&mut searcher, &position, 1);
    assert!(result.visits > 400 && result.playouts == 400, "{}", result.visits);
    let expected = result.best().unwrap().visits;
    position.make_move(Color::Black, result.best().unwrap().play).unwrap();
    assert_eq!(search(&mut searcher, &position, 1).visits, u64::from(expected) + 400);
}

#[test]
fn tree_is_cleared_if_rules_or_game_differ() {
    let mut position = position(&KO);
    let mut searcher = Searcher::new(64 << 20, 1);
    search(&mut searcher, &position, 1);
    position.rule_mut().komi = 5.5;
    assert_eq!(search(&mut searcher, &position, 1).visits, 400);
    play(&mut position, "E5");
    position.undo().unwrap();
    play(&mut position, "A5");
    position.undo().unwrap();
    assert_eq!(search(&mut searcher, &position, 1).visits, 800, "the same position");
    position.set_to_move(Color::White);
    assert_eq!(search(&mut searcher, &position, 1).visits, 400);
}

#[test]
fn tree_is_cleared_only_by_parameters_that_the_search_reads() {
    let position = position(&KO);
    let default = Params::default();
    let mut searcher = Searcher::new(64 << 20, 1);
    let mut visits = |params: Params| searcher.search(&request(&position, &params)).visits;
    assert_eq!(visits(default), 400);
    assert_eq!(visits(Params { resign_below: 0.2, cpuct_exploration: 0.7, ..default }), 800);
    assert_eq!(visits(Params { prior_weight: 7.0, ..default }), 400);
}

#[test]
fn threads_count_each_playout_once() {
    let position = position(&KO);
    let mut searcher = Searcher::new(64 << 20, 1);
    for threads in 1..=4 {
        searcher.clear();
        let result = search(&mut searcher, &position, threads);
        assert_eq!((result.playouts, result.visits), (400, 400));
        let children: u64 = result.candidates.iter().map(|candidate| u64::from(candidate.visits)).sum();
        assert_eq!(children, 400);
        assert!(result.candidates.iter().all(|candidate| (0.0..=1.0).contains(&candidate.win_probability)));
    }
}

/// The candidates by vertex, with their visits.
fn moves(position: &Position, result: &SearchResult) -> Vec<(String, u32)> {
    let coordinate = position.board().coordinate();
    result.candidates.iter().map(|candidate| (candidate.play.vertex(coordinate), candidate.visits)).collect()
}

#[test]
fn progress_covers_all_threads_and_may_stop_the_search() {
    let position = position(&KO);
    let params = Params::default();
    let request = SearchRequest { limits: Limits::NONE, threads: 3, ..request(&position, &params) };
    let mut reports: Vec<SearchResult> = Vec::new();
    let mut on_progress = |result: &SearchResult| {
        reports.push(result.clone());
        if reports.len() < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let interval = Duration::from_millis(2);
    let result =
        Searcher::new(64 << 20, 1).search_with_progress(&request, ProgressSink::new(interval, &mut on_progress));
    assert_eq!(reports.len(), 5);
    assert!(reports.is_sorted_by(|a, b| a.playouts < b.playouts));
    assert!((1..).zip(&reports).all(|(number, result)| result.elapsed >= interval * number));
    for result in reports.iter().chain([&result]) {
        assert!(result.ownership.iter().all(|owner| owner.abs() <= 1.0) && result.lead.abs() <= 25.0);
        assert!(
            result.playouts <= result.visits,
            "visits include the {} playouts and those under way",
            result.playouts
        );
        for candidate in &result.candidates {
            assert_eq!(candidate.variation.len(), candidate.variation_visits.len());
            assert_eq!(candidate.variation.first(), Some(&candidate.play));
        }
    }
    // the threads' counters agree with the tree
    assert_eq!(result.playouts, result.visits);
    let best = result.best().unwrap();
    assert!(best.variation_visits.is_sorted_by(|a, b| a >= b) && best.variation_visits.len() > 1);
    assert!(best.lead.is_some_and(|lead| lead.stdev > 0.0));
}

#[test]
fn restricted_moves_are_not_searched_and_get_a_separate_tree() {
    let position = position(&KO);
    let coordinate = position.board().coordinate();
    let move_at = |vertex| Move::Play(coordinate.parse_vertex(vertex).unwrap());
    let params = Params::default();
    let mut searcher = Searcher::new(64 << 20, 1);
    let free = searcher.search(&request(&position, &params));
    let best = free.best().unwrap().play;

    let mut restrictions = Restrictions::default();
    restrictions.avoid(Color::Black, [best], 1);
    let restricted = SearchRequest { restrictions: Some(&restrictions), ..request(&position, &params) };
    let result = searcher.search(&restricted);
    assert_eq!(result.visits, 400, "a separate tree");
    assert!(result.candidates.iter().all(|candidate| candidate.play != best));
    assert_eq!(searcher.search(&restricted).visits, 800, "reused");
    let result = searcher.search(&request(&position, &params));
    assert_eq!(result.visits, 400);
    assert!(result.candidates.iter().any(|candidate| candidate.play == best && candidate.visits > 0));

    // one move allowed for each side
    let mut restrictions = Restrictions::default();
    restrictions.allow(coordinate, Color::Black, &[move_at("E5")], 1);
    restrictions.allow(coordinate, Color::White, &[move_at("A5")], 2);
    let result = searcher.search(&SearchRequest { restrictions: Some(&restrictions), ..request(&position, &params) });
    assert_eq!(moves(&position, &result), [("E5".to_owned(), 400)]);
    assert_eq!(result.best().unwrap().variation.get(1), Some(&move_at("A5")));
    assert!(result.best().unwrap().variation.len() > 3, "unrestricted below that depth");

    // no move allowed, or illegal ones only: the search passes
    let mut restrictions = Restrictions::default();
    restrictions.allow(coordinate, Color::Black, &[], 1);
    let none = restrictions.clone();
    restrictions = Restrictions::default();
    restrictions.allow(coordinate, Color::Black, &[move_at("B1"), move_at("C1")], 1);
    for restrictions in [&none, &restrictions] {
        let result =
            searcher.search(&SearchRequest { restrictions: Some(restrictions), ..request(&position, &params) });
        assert_eq!((result.visits, moves(&position, &result)), (400, vec![("pass".to_owned(), 400)]));
        assert!(result.best().unwrap().lead.is_some());
    }
}

/// Sending two, returning one: White A1, Black C1 (captures two), White B1 (captures one) restores the board.
const SEND_TWO: [&str; 5] = [".o.o.", "xxoo.", ".xxo.", "...o.", "....."];

#[test]
fn situational_superko_includes_the_side_to_move() {
    let mut position = position(&SEND_TWO);
    *position.rule_mut() = position.rule().with_rule_set("aga").unwrap();
    let coordinate = position.board().coordinate();
    let move_at = |vertex| Move::Play(coordinate.parse_vertex(vertex).unwrap());
    let mut restrictions = Restrictions::default();
    restrictions.allow(coordinate, Color::Black, &[Move::Pass, move_at("C1")], 9);
    restrictions.allow(coordinate, Color::White, &[move_at("A1"), move_at("B1")], 9);
    restrictions.avoid(Color::Black, [move_at("C1")], 1);
    let params = Params::default();
    let request = SearchRequest { restrictions: Some(&restrictions), ..request(&position, &params) };
    let result = Searcher::new(64 << 20, 1).search(&request);
    let pass = result.candidates.iter().find(|candidate| candidate.play == Move::Pass).unwrap();
    assert!(pass.variation.len() >= 3, "{:?}", moves(&position, &result));
    let mut game = position.clone();
    for play in &pass.variation {
        game.make_move(game.to_move(), *play).unwrap();
    }
}

#[test]
fn a_pass_that_takes_the_button_ends_the_superko_of_a_simulation() {
    for has_button in [false, true] {
        let mut position = position(&KO);
        *position.rule_mut() = position.rule().with_rule_set("chinese-ogs").unwrap();
        position.rule_mut().has_button = has_button;
        position.set_to_move(Color::White);
        play(&mut position, "B2");
        let coordinate = position.board().coordinate();
        let retake = Move::Play(coordinate.parse_vertex("C2").unwrap());
        let mut restrictions = Restrictions::default();
        restrictions.allow(coordinate, Color::Black, &[Move::Pass, retake], 3);
        restrictions.allow(coordinate, Color::White, &[Move::Pass], 2);
        let params = Params::default();
        let request = SearchRequest { restrictions: Some(&restrictions), ..request(&position, &params) };
        let result = Searcher::new(64 << 20, 1).search(&request);
        let variation = &result.best().unwrap().variation;
        assert_eq!(variation.get(2), has_button.then_some(&retake), "{variation:?}");
    }
}

/// A finished game: White wins by 4.5 points at a komi of 7.5.
const FINISHED: [&str; 9] = [
    ".....x...",
    "..xxo.x..",
    "..xoxx.xx",
    "..xooxxxo",
    ".xxo.oooo",
    "xxo.o..oo",
    "xooooo.o.",
    "xoo..o.o.",
    "xxxoo.o..",
];

const EMPTY: [&str; 9] = ["........."; 9];

#[test]
fn net_value_counts_while_the_outcome_is_uncertain() {
    let net = Net::human().unwrap();
    let white_value = |drawn: &[&str], net_value_weight: f64| {
        let mut position = position(drawn);
        position.rule_mut().komi = 7.5;
        position.set_to_move(Color::White);
        let params = Params { net_value_weight, ..Params::default() };
        let request = SearchRequest { net: Some(&net), ..request(&position, &params) };
        f64::from(Searcher::new(64 << 20, 1).search(&request).win_probability())
    };
    // playouts alone: White wins nearly all
    let certain = white_value(&FINISHED, 0.0);
    assert!(certain > 0.98 && (white_value(&FINISHED, 0.2) - certain).abs() < 0.01);
    // the net values the empty board higher for Black than playouts do
    assert!(white_value(&EMPTY, 0.0) - white_value(&EMPTY, 1.0) > 0.05);
}

#[test]
fn ko_is_not_banned_before_its_capture_in_the_game() {
    let mut position = position(&KO);
    position.set_to_move(Color::White);
    play(&mut position, "B2");
    let retake = position.board().coordinate().parse_vertex("C2").unwrap();
    assert!(position.check(Color::Black, retake).is_ok(), "Black has made no move");
    let result = search(&mut Searcher::new(64 << 20, 1), &position, 1);
    assert!(result.candidates.iter().any(|candidate| candidate.play == Move::Play(retake) && candidate.visits > 0));
}

#[test]
fn superko_move_is_not_a_candidate() {
    let mut position = position(&KO);
    *position.rule_mut() = position.rule().with_rule_set("chinese-ogs").unwrap();
    position.set_to_move(Color::White);
    play(&mut position, "B2");
    let retake = position.board().coordinate().parse_vertex("C2").unwrap();
    assert!(position.check(Color::Black, retake).is_err());
    let result = search(&mut Searcher::new(64 << 20, 1), &position, 1);
    assert!(result.candidates.iter().all(|candidate| candidate.play != Move::Play(retake)));
}

#[test]
fn a_tree_belongs_to_the_net_that_made_it() {
    let nets = [Net::human().unwrap(), Net::built_in().unwrap()];
    let position = position(&EMPTY);
    let params = Params { native_net_search: false, ..Params::default() };
    let mut searcher = Searcher::new(64 << 20, 1);
    let search = |searcher: &mut Searcher, net: &Net| {
        let limits = Limits::playouts(40);
        searcher.search(&SearchRequest { net: Some(net), limits, ..request(&position, &params) })
    };
    let found = [0, 0, 1].map(|number| search(&mut searcher, &nets[number]));
    assert_eq!(found.each_ref().map(|result| result.visits), [40, 80, 40]);
    let policy = |result: &SearchResult, play: Move| {
        result.candidates.iter().find(|candidate| candidate.play == play).and_then(|candidate| candidate.policy)
    };
    let alone = search(&mut Searcher::new(64 << 20, 1), &nets[1]);
    for candidate in &alone.candidates {
        assert_eq!(policy(&found[2], candidate.play), candidate.policy, "an evaluation by the same net");
    }
}

/// An evaluation of a root whose earlier moves are hidden is not one that knows them.
#[test]
fn evaluations_without_earlier_moves_are_not_taken_for_others() {
    let net = Net::built_in().unwrap();
    let mut position = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 0, Color::Black);
    for (color, vertex) in [(Color::Black, "E5"), (Color::White, "C4"), (Color::Black, "G6")] {
        let point = position.board().coordinate().parse_vertex(vertex).unwrap();
        position.play(color, point).unwrap();
    }
    let (params, limits) = (Params::default(), Limits::playouts(1));
    let mut searcher = Searcher::new(64 << 20, 1);
    let mut policy = |ignore_pre_root_history: bool| {
        let request = SearchRequest { net: Some(&net), limits, ignore_pre_root_history, ..request(&position, &params) };
        let result = searcher.search(&request);
        result.candidates.iter().map(|candidate| (candidate.play, candidate.policy)).collect::<Vec<_>>()
    };
    let [with_moves, without] = [false, true].map(&mut policy);
    assert_ne!(without, with_moves);
}

/// The evaluations in the graph of a search that shows the net no earlier moves are not those of other searches.
#[test]
fn a_graph_without_earlier_moves_is_not_reused() {
    let net = Net::built_in().unwrap();
    let position = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 0, Color::Black);
    let params = Params::default();
    let mut searcher = Searcher::new(64 << 20, 1);
    let mut visits = |ignore_pre_root_history: bool| {
        let limits = Limits::playouts(20);
        let request = SearchRequest { net: Some(&net), limits, ignore_pre_root_history, ..request(&position, &params) };
        searcher.search(&request).visits
    };
    assert_eq!([false, false, true, true, false, false].map(&mut visits), [20, 40, 20, 20, 20, 40]);
}
