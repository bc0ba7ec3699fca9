//! Passes, captures of dead stones, weak levels and resignation, as whole moves of a player.

#![allow(clippy::unwrap_used)]

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use safetensors::SafeTensors;

use crate::kernel::test_boards;
use crate::kernel::{Color, Coordinate, GameRule, Move, Position};
use crate::net::Net;
use crate::net::simd::InstructionSet;
use crate::player::level::{Level, STRONGEST, level};
use crate::player::options::Options;
use crate::player::pass::EndDecision;
use crate::player::player::Player;
use crate::player::playout_time::PlayoutTime;
use crate::player::request::{Choice, GenmoveMode, PlayerRequest};
use crate::player::score::{Interrupted, final_score_with};
use crate::player::status::classify_without_seki;
use crate::player::trace::{Purpose, SearchTrace};
use crate::search::params::Params;
use crate::search::{Candidate, Lead, Limits, ProgressSink, Restrictions, SearchResult, StopSignal, TimeBudget};

/// A position from a drawn board, with Black to move after a pass by White.
fn position(drawn: &[&str], rules: &str, komi: f64) -> Position {
    let mut position = test_boards::position(drawn, rules, komi, Color::White);
    position.pass(Color::White);
    position
}

fn player() -> Player {
    Player::new(Options { seed: 1, ..Options::default() })
}

/// A request for Black's move.
fn request<'a>(position: &'a Position, limits: Limits, stop_signal: &'a StopSignal) -> PlayerRequest<'a> {
    PlayerRequest { position, color: Color::Black, limits, restrictions: None, detailed_ownership: false, stop_signal }
}

/// Black's move, and the search for it.
fn choose(player: &mut Player, position: &Position, limits: Limits, mode: GenmoveMode) -> (Choice, SearchResult) {
    player.choose(&request(position, limits, &StopSignal::default()), mode, ProgressSink::default())
}

fn answer(player: &mut Player, position: &Position, mode: GenmoveMode) -> String {
    let (choice, result) = choose(player, position, Limits::playouts(600), mode);
    assert_eq!(result.playouts, 600);
    match choice {
        Choice::Resign => "resign".to_owned(),
        Choice::Move(play) => play.vertex(position.board().coordinate()),
    }
}

#[track_caller]
fn check(drawn: &[&str], rules: &str, komi: f64, mode: GenmoveMode, expected: &str) {
    assert_eq!(answer(&mut player(), &position(drawn, rules, komi), mode), expected);
}

/// Both players have moves beside a pass that lose nothing under area scoring.
const FINISHED: [&str; 5] = ["..xxoo..", "xxxxoooo", "..xxoo..", "xxxxoooo", "..xxoo.."];
/// Every move of Black but a pass fills an eye of one point.
const ONLY_EYES: [&str; 5] = [".x.xo.o", "xxxxooo", ".x.xo.o", "xxxxooo", ".x.xo.o"];
const ONE_POINT_LEFT: [&str; 5] = [".x..o.o", "xxxxooo", ".x.xo.o", "xxxxooo", ".x.xo.o"];
const PRISONER: [&str; 5] = ["o..xo.o", "xxxxooo", ".x.xo.o", "xxxxooo", ".x.xo.o"];

#[test]
fn passes_when_nothing_is_left_whether_won_or_lost() {
    for rules in ["chinese", "aga-button", "japanese", "tromp-taylor"] {
        for komi in [0.5, 9.5] {
            check(&FINISHED, rules, komi, GenmoveMode::Game, "pass");
        }
    }
}

#[test]
fn takes_the_last_dame_under_area_scoring() {
    check(&ONE_POINT_LEFT, "chinese", 4.5, GenmoveMode::Game, "D1");
}

#[test]
fn captures_dead_stones_only_where_nothing_is_dead_by_agreement() {
    check(&PRISONER, "chinese", 0.5, GenmoveMode::Game, "pass");
    check(&PRISONER, "japanese", 0.5, GenmoveMode::Game, "pass");
    check(&PRISONER, "tromp-taylor", 0.5, GenmoveMode::Game, "B1");
    check(&PRISONER, "chinese", 0.5, GenmoveMode::Cleanup, "B1");
}

#[test]
fn dead_stones_are_captured_beside_them() {
    let position = position(&PRISONER, "tromp-taylor", 0.5);
    let (_, result) = choose(&mut player(), &position, Limits::playouts(600), GenmoveMode::Game);
    let status = classify_without_seki(position.board(), result.ownership.clone());
    // the search prefers an own eye, then a point beside the dead stone
    let plays =
        ["A5", "B1", "C1"].map(|vertex| Move::Play(position.board().coordinate().parse_vertex(vertex).unwrap()));
    let candidates = plays.map(|play| Candidate { play, ..result.candidates[0].clone() }).to_vec();
    let result = SearchResult { candidates, ..result };
    let decision = EndDecision::new(&position, Color::Black, &result, plays[0], &status);
    assert_eq!(decision.end_move(GenmoveMode::Game), plays[1]);
}

/// With one visit no move has been searched.
#[test]
fn the_likeliest_capture_of_dead_stones_is_played_if_none_was_searched_unless_a_pass_wins() {
    // with the stone on the board Black has a point more than White
    for (komi, expected) in [(2.5, "C1"), (0.5, "pass")] {
        let position = position(&PRISONER, "tromp-taylor", komi);
        let (_, result) = choose(&mut player(), &position, Limits::playouts(600), GenmoveMode::Game);
        let status = classify_without_seki(position.board(), result.ownership.clone());
        let play = |vertex: &str| Move::parse(vertex, position.board().coordinate()).unwrap();
        let unvisited = [("pass", 1, 0.5), ("A5", 0, 0.3), ("B1", 0, 0.1), ("C1", 0, 0.2)];
        let candidates = unvisited.map(|(vertex, visits, policy)| Candidate {
            play: play(vertex),
            visits,
            policy: Some(policy),
            ..result.candidates[0].clone()
        });
        let result = SearchResult { candidates: candidates.to_vec(), ..result };
        let decision = EndDecision::new(&position, Color::Black, &result, Move::Pass, &status);
        assert_eq!(decision.end_move(GenmoveMode::Game), play(expected), "komi {komi}");
    }
}

#[test]
fn search_by_net_passes_only_if_it_found_the_pass_about_as_good() {
    let position = position(&ONLY_EYES, "chinese", 0.5);
    let board = position.board();
    let (_, result) = choose(&mut player(), &position, Limits::playouts(600), GenmoveMode::Game);
    let status = classify_without_seki(board, result.ownership.clone());
    let best = Move::Play(board.coordinate().parse_vertex("A1").unwrap());
    let chosen = |result: &SearchResult| {
        let decision = EndDecision::new(&position, Color::Black, result, best, &status);
        decision.end_move(GenmoveMode::Game)
    };
    assert_eq!(chosen(&result), Move::Pass);
    // the pass ends the game, but the search expects another score
    assert!(position.ending_passes() > 0);
    let unexpected = SearchResult { lead: result.lead + 20.0, is_by_net: true, ..result.clone() };
    assert_eq!(chosen(&unexpected), best);
    assert_eq!(chosen(&SearchResult { is_by_net: true, ..result.clone() }), Move::Pass);
    // unless it found the pass about as good
    let by_net = |pass_visits: u32, pass_value: f32, pass_lead: f32| {
        let candidate = result.candidates[0].clone();
        let of = |play: Move, visits: u32, value: f32, mean: f32| Candidate {
            play,
            visits,
            win_probability: value,
            lead: Some(Lead { mean, stdev: 1.0, samples: u64::from(visits) }),
            ..candidate.clone()
        };
        let candidates = vec![of(best, 500, 0.9, 3.0), of(Move::Pass, pass_visits, pass_value, pass_lead)];
        chosen(&SearchResult { visits: 600, candidates, ..unexpected.clone() })
    };
    let cases = [(30, 0.85, 2.8), (29, 0.85, 2.8), (30, 0.75, 2.8), (30, 0.85, 2.7), (30, 0.85, 4.0)];
    let expected = [Move::Pass, best, best, best, Move::Pass];
    assert_eq!(cases.map(|(visits, value, lead)| by_net(visits, value, lead)), expected);
}

/// Before the first search nothing shows how long the searches take that would compare a pass.
#[test]
fn no_time_is_reserved_for_a_pass_before_a_search_shows_the_pace() {
    let position = position(&ONLY_EYES, "chinese", 0.5);
    assert!(position.ending_passes() > 0);
    let time = Some(TimeBudget::fixed(Duration::from_secs(1)));
    let mut player = player();
    assert!(!player.end_searches(&position, time).are_allowed());
    let without_limit = player.end_searches(&position, None);
    assert_eq!((without_limit.are_allowed(), without_limit.reserved_time()), (true, Duration::ZERO));
    let playout = Duration::from_micros(1);
    player.playout_time = PlayoutTime { without_net: playout, with_net: playout };
    assert!(!player.end_searches(&position, time).reserved_time().is_zero());
}

#[test]
fn no_pass_in_the_opening_without_time() {
    let opening = [".......", "..x.o..", ".......", "..x.o..", "......."];
    let mut position = position(&opening, "japanese", 0.5);
    position.undo().unwrap();
    position.set_to_move(Color::Black);
    let no_time = TimeBudget::fixed(Duration::ZERO);
    for seed in 1..=20 {
        let mut player = Player::new(Options { seed, ..Options::default() });
        let limits = Limits { time: Some(no_time), ..Limits::NONE };
        let (choice, result) = choose(&mut player, &position, limits, GenmoveMode::Game);
        assert_eq!(result.playouts, 1);
        assert!(matches!(choice, Choice::Move(Move::Play(_))), "{choice:?}");
    }
}

#[test]
fn weak_levels_reuse_no_tree_of_a_full_search() {
    let position = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
    let stop_signal = StopSignal::default();
    let request = request(&position, Limits::playouts(500), &stop_signal);
    for (level, visits) in [(4, 85), (10, 1000)] {
        let mut player = Player::new(Options { seed: 1, level, ..Options::default() });
        assert_eq!(player.analyze_position(&request, ProgressSink::default()).visits, 500);
        assert_eq!(player.choose(&request, GenmoveMode::Game, ProgressSink::default()).1.visits, visits);
        player.ponder(&request);
        let visits_after = player.choose(&request, GenmoveMode::Game, ProgressSink::default()).1.visits;
        assert_eq!(visits_after, if level == 10 { 2000 } else { 170 });
    }
}

#[test]
fn weak_levels_reuse_no_graph_of_a_full_search() {
    let position = position(&["........."; 9], "chinese", 7.0);
    let stop_signal = StopSignal::default();
    let request = request(&position, Limits::playouts(60), &stop_signal);
    for (level, visits, visits_after) in [(6, 6, 7), (10, 120, 240)] {
        let mut player = Player::new(Options { seed: 1, level, ..Options::default() });
        player.net = Net::built_in().ok();
        assert_eq!(player.analyze_position(&request, ProgressSink::default()).visits, 60);
        assert_eq!(player.choose(&request, GenmoveMode::Game, ProgressSink::default()).1.visits, visits);
        player.ponder(&request);
        // the limit of a level counts the visits before
        assert_eq!(player.choose(&request, GenmoveMode::Game, ProgressSink::default()).1.visits, visits_after);
    }
}

/// A search during the opponent's turn favors the player of the next move, whose search continues its graph.
#[test]
fn an_advantage_is_the_same_during_the_opponents_turn() {
    let net = Net::read(include_bytes!("../../tests/data/katago_tiny_8.txt.gz"), InstructionSet::best()).unwrap();
    let mut player = player();
    player.net = Some(Arc::new(net));
    player.options.params.playout_doubling_advantage = 2.0;
    let mut position = test_boards::position(&["....."; 5], "chinese", 7.0, Color::Black);
    let stop_signal = StopSignal::default();
    player.ponder(&request(&position, Limits::visits(400), &stop_signal));
    position.play(Color::Black, position.board().coordinate().parse_vertex("C3").unwrap()).unwrap();
    let white = PlayerRequest { color: Color::White, ..request(&position, Limits::visits(1), &stop_signal) };
    let (_, result) = player.choose(&white, GenmoveMode::NoResign, ProgressSink::default());
    assert!(result.visits > 1, "the visits of C3 before: {}", result.visits);
}

/// White is far ahead, and the game is not over.
const LOST_FOR_BLACK: [&str; 5] = ["....o.o", "xxxxooo", "xooooo.", "oo.oooo", ".oo.o.o"];

/// Black passes, and White fills one of its own eyes: a move that changes nothing, and no second pass.
fn fill_eye(position: &mut Position, vertex: &str) {
    position.pass(Color::Black);
    let point = position.board().coordinate().parse_vertex(vertex).unwrap();
    position.play(Color::White, point).unwrap();
}

#[test]
fn resigns_after_several_lost_moves_and_never_in_a_suggestion() {
    let mut position = position(&LOST_FOR_BLACK, "chinese", 0.5);
    for _ in 0..8 {
        position.pass(Color::Black);
        position.pass(Color::White);
    }
    let mut never_resigning = player();
    never_resigning.options.resign = false;
    let mut player = player();
    for (eye, expected) in [("F1", false), ("G3", false), ("C4", true)] {
        fill_eye(&mut position, eye);
        // repeated searches of one position count as one move
        for _ in 0..2 {
            assert_ne!(answer(&mut player, &position, GenmoveMode::NoResign), "resign");
            assert_eq!(answer(&mut player, &position, GenmoveMode::Game) == "resign", expected);
        }
        assert_ne!(answer(&mut never_resigning, &position, GenmoveMode::Game), "resign");
    }
    // after two passes the score decides
    position.pass(Color::Black);
    position.pass(Color::White);
    assert_ne!(answer(&mut player, &position, GenmoveMode::Game), "resign");
    player.new_game();
    assert_ne!(answer(&mut player, &position, GenmoveMode::Game), "resign");
}

#[test]
fn a_draw_is_no_reason_to_resign() {
    // 16 points against 28
    let drawn = [".x.xo.ox.x.", "xxxxoooxxxx", "ooooooooooo", ".o.o.o.o.o."];
    for (komi, expected) in [(-12.0, false), (-11.0, true)] {
        let mut position = position(&drawn, "chinese", komi);
        let mut player = player();
        let mut resigned = false;
        for _ in 0..6 {
            position.pass(Color::Black);
            position.pass(Color::White);
        }
        for eye in ["A4", "C4", "E4", "G4"] {
            fill_eye(&mut position, eye);
            resigned |= answer(&mut player, &position, GenmoveMode::Game) == "resign";
        }
        assert_eq!(resigned, expected, "{komi}");
    }
}

#[test]
fn weak_levels_pass_in_a_finished_game() {
    let five_seconds = Limits::time(Duration::from_secs(5));
    let after_pass = |komi: f64| (position(&FINISHED, "chinese", komi), five_seconds);
    // nobody has passed before; with a clock, no time would be reserved for the status of stones
    let with_open_button = |komi: f64| {
        let mut position = position(&FINISHED, "aga-button", komi);
        position.undo().unwrap();
        position.set_to_move(Color::Black);
        (position, Limits::NONE)
    };
    for (position, limits) in [after_pass(-9.5), after_pass(9.5), with_open_button(-9.5), with_open_button(9.5)] {
        for (level, seed) in (1..STRONGEST).flat_map(|level| [1, 2].map(|seed| (level, seed))) {
            let mut player = Player::new(Options { level, seed, ..Options::default() });
            player.net = Net::built_in().ok();
            let (choice, _) = choose(&mut player, &position, limits, GenmoveMode::Game);
            assert_eq!(choice, Choice::Move(Move::Pass), "level {level}, seed {seed}, {:?}", position.rule());
        }
    }
}

/// A tiny net in KataGo's format with random weights, to which no point has a clear owner.
const KATAGO_NET: &[u8] = include_bytes!("../../tests/data/katago_tiny_8.txt.gz");

#[test]
fn levels_that_play_with_the_net_of_human_moves_ask_no_net_of_katago_for_the_status_of_stones() {
    let position = position(&FINISHED, "chinese", 9.5);
    for level in 1..=4 {
        let mut player = Player::new(Options { level, seed: 1, ..Options::default() });
        player.net = Some(Arc::new(Net::read(KATAGO_NET, InstructionSet::best()).unwrap()));
        let (choice, _) = choose(&mut player, &position, Limits::NONE, GenmoveMode::Game);
        assert_eq!(choice, Choice::Move(Move::Pass), "level {level}");
    }
}

/// The time that is reserved for the comparison of a pass goes to a move that needs none, and a replay repeats that.
#[test]
fn reserved_time_is_searched_if_no_pass_is_compared() {
    let opening = [".......", "..x.o..", ".......", "..x.o..", "......."];
    let position = position(&opening, "chinese", 0.5);
    let soft = Duration::from_secs(2);
    let limits = Limits { time: Some(TimeBudget::fixed(soft).with_expiring_time()), ..Limits::NONE };
    let of_playout = Duration::from_micros(30);
    let with_trace = |trace: SearchTrace| {
        let mut player = Player::new(Options { seed: 1, threads: 1, ..Options::default() });
        (player.trace, player.playout_time) = (trace, PlayoutTime { without_net: of_playout, with_net: of_playout });
        player
    };
    let mut player = with_trace(SearchTrace::recording());
    let (choice, result) = choose(&mut player, &position, limits, GenmoveMode::Game);
    assert!(matches!(choice, Choice::Move(Move::Play(_))), "{choice:?}");
    let records = player.trace.take();
    let found: Vec<_> = records.iter().map(|record| (record.purpose, record.end_searches_allowed)).collect();
    assert_eq!(found, [(Purpose::Move, true), (Purpose::Move, false)]);
    assert!(records[0].elapsed < soft && records[1].elapsed >= soft, "{records:?}");
    assert_eq!(player.last_move_time(), records[1].elapsed);
    assert_eq!(result.playouts, records[0].playouts + records[1].playouts);
    assert_eq!(result.visits, records[1].visits);
    // again from the records
    let mut player = with_trace(SearchTrace::recording());
    player.trace.start_replay(records.clone(), None);
    let (again, repeated) = choose(&mut player, &position, limits, GenmoveMode::Game);
    assert_eq!((again, repeated.playouts, player.trace.mismatches()), (choice, result.playouts, 0));
    assert_eq!(player.last_move_time(), records[1].elapsed);
}

/// The search for a move at a level, and whether an analysis with the same player is a search by net.
fn search_at(position: &Position, options: Options, net: Arc<Net>) -> (SearchResult, bool) {
    let mut player = Player::new(Options { seed: 1, ..options });
    player.net = Some(net);
    let stop_signal = StopSignal::default();
    let request = request(position, Limits::playouts(50), &stop_signal);
    let (_, chosen) = player.choose(&request, GenmoveMode::Game, ProgressSink::default());
    (chosen, player.analyze_position(&request, ProgressSink::default()).is_by_net)
}

fn priors(result: &SearchResult) -> Vec<f32> {
    result.candidates.iter().map(Candidate::selection_prior).collect()
}

/// The levels that search by net; the weaker ones make playouts, or choose by policy.
const LEVELS_BY_NET: RangeInclusive<u64> = 5..=STRONGEST;

#[test]
fn weak_levels_play_with_the_net_of_human_moves_and_strong_ones_with_the_built_in_net() {
    let position = position(&["........."; 9], "chinese", 7.0);
    let human = || Net::human().unwrap();
    for level in 1..=STRONGEST {
        let options = Options { level, ..Options::default() };
        let (chosen, is_analysis_by_net) = search_at(&position, options, Net::built_in().unwrap());
        assert_eq!((chosen.is_by_net, is_analysis_by_net), (LEVELS_BY_NET.contains(&level), true), "{level}");
        // a net without a score head is used at all levels
        let (with_human, is_analysis_by_net) = search_at(&position, options, human());
        assert_eq!((with_human.is_by_net, is_analysis_by_net), (false, false), "{level}");
        assert_eq!(priors(&with_human) == priors(&chosen), !chosen.is_by_net, "{level}");
    }
}

#[test]
fn a_level_by_visits_plays_the_same_whatever_the_net_is() {
    let position = position(&["........."; 9], "chinese", 7.0);
    // the built-in net but for the sign of one weight, the bias of a pass
    let mut bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/data/net.safetensors")).unwrap();
    let bias = SafeTensors::deserialize(&bytes).unwrap().tensor("policy_pass.bias").unwrap().data().as_ptr_range();
    let sign = bias.end.addr() - bytes.as_ptr().addr() - 1;
    bytes[sign] ^= 0x80;
    let nets = [Net::built_in().unwrap(), Arc::new(Net::read(&bytes, InstructionSet::best()).unwrap())];
    let [built_in, other] = &nets;
    let at = |level: u64, net: &Arc<Net>| {
        let (chosen, _) = search_at(&position, Options { level, ..Options::default() }, net.clone());
        (priors(&chosen), chosen.visits)
    };
    assert_ne!(at(STRONGEST, built_in), at(STRONGEST, other));
    for number in LEVELS_BY_NET.filter(|&number| number < STRONGEST) {
        let Some(Level::Visits { visits, .. }) = level(number, position.board().coordinate()) else { unreachable!() };
        let (priors, made) = at(number, built_in);
        assert_eq!(made, visits.min(50), "{number}");
        assert_eq!(at(number, other), (priors, made), "{number}");
    }
}

#[test]
fn a_level_by_visits_makes_playouts_where_no_search_by_net_is_possible() {
    let small_board = position(&["......."; 7], "chinese", 7.0);
    let no_search_by_net = Params { native_net_search: false, ..Params::default() };
    for (position, params) in
        [(&small_board, Params::default()), (&position(&["........."; 9], "chinese", 7.0), no_search_by_net)]
    {
        let options = Options { level: *LEVELS_BY_NET.start(), params, ..Options::default() };
        let (chosen, _) = search_at(position, options, Net::built_in().unwrap());
        assert_eq!((chosen.is_by_net, chosen.playouts), (false, 50));
    }
}

/// Black has not moved since the position was set, so that the rules let the ko be retaken at once.
#[test]
fn the_engine_retakes_no_ko_at_once() {
    let mut position =
        test_boards::position(&[".xo..", "x.xo.", ".xo..", ".....", "....."], "chinese", 0.5, Color::White);
    let coordinate = position.board().coordinate();
    let [ko, retake] = ["B2", "C2"].map(|vertex| coordinate.parse_vertex(vertex).unwrap());
    position.play(Color::White, ko).unwrap();
    assert!(position.check(Color::Black, retake).is_ok());
    for level in [1, STRONGEST] {
        let mut player = Player::new(Options { seed: 1, level, ..Options::default() });
        let (choice, result) = choose(&mut player, &position, Limits::playouts(400), GenmoveMode::Game);
        assert!(matches!(choice, Choice::Move(play) if play != Move::Play(retake)), "{choice:?}");
        assert!(!result.candidates.iter().any(|one| one.play == Move::Play(retake) && one.visits > 0));
        // an analysis shows all legal moves
        let all = player.analyze_position(
            &request(&position, Limits::playouts(400), &StopSignal::default()),
            ProgressSink::default(),
        );
        assert!(all.candidates.iter().any(|one| one.play == Move::Play(retake) && one.visits > 0));
    }
    // except where the controller allows nothing else
    let elsewhere = Move::Play(coordinate.parse_vertex("E5").unwrap());
    for (allowed, expected) in [
        (vec![Move::Play(retake)], Move::Play(retake)),
        (vec![Move::Play(retake), Move::Pass], Move::Pass),
        (vec![Move::Play(retake), elsewhere], elsewhere),
    ] {
        let mut restrictions = Restrictions::default();
        restrictions.allow(coordinate, Color::Black, &allowed, 1);
        let stop_signal = StopSignal::default();
        let request = PlayerRequest {
            restrictions: Some(&restrictions),
            ..request(&position, Limits::playouts(400), &stop_signal)
        };
        let (choice, _) = player().choose(&request, GenmoveMode::Game, ProgressSink::default());
        assert_eq!(choice, Choice::Move(expected), "{allowed:?}");
    }
}

#[test]
fn an_interrupted_count_has_no_score_and_is_not_kept() {
    let board = [".xo..", "xxoo.", ".xo.o", "xxooo", "x.xo."];
    for net in [None, Some(Net::built_in().unwrap())] {
        let drawn = match net {
            None => test_boards::position(&board, "japanese", 0.5, Color::Black),
            Some(_) => Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(6.5), 0, Color::Black),
        };
        let mut player = player();
        player.net = net;
        let stop_signal = StopSignal::default();
        stop_signal.flag().store(true, Ordering::Relaxed);
        assert_eq!(player.final_score(&drawn, &stop_signal).map(|counted| counted.score), Err(Interrupted));
        stop_signal.begin_line();
        let counted = player.final_score(&drawn, &stop_signal).unwrap();
        assert_eq!(counted.score, final_score_with(&drawn, player.net.as_deref()).score);
        // the last score needs no count
        stop_signal.flag().store(true, Ordering::Relaxed);
        assert_eq!(player.final_score(&drawn, &stop_signal).map(|kept| kept.score), Ok(counted.score));
    }
}
