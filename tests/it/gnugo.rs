//! Commands of GNU Go: their forms, and where it is installed, their answers in random positions.

use std::collections::BTreeSet;

use fastrand::Rng;
use kifuwarabe_uec14::gtp::{Engine, run};
use kifuwarabe_uec14::kernel::{Color, GameRule, Point};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::player::SearchTrace;
use kifuwarabe_uec14::protocol::line::Request;

use crate::engine::{answer, ask, engine_with, set_up_divided_board};
use crate::referee::GnuGo;
use crate::support::skipped;

fn engine(side: u8) -> Engine {
    let mut engine = engine_with(side, GameRule::with_komi(0.5), 300);
    engine.player.options.seed = 7;
    engine
}

/// Plays random moves, and returns them as commands.
fn random_moves(engine: &mut Engine, count: usize, rng: &mut Rng) -> Vec<String> {
    let mut commands = Vec::new();
    for number in 0..count {
        let color = if number % 2 == 0 { "black" } else { "white" };
        let legal = ask(engine, &format!("all_legal {color}"));
        let legal: Vec<&str> = legal.split_whitespace().collect();
        let command = format!("play {color} {}", rng.choice(&legal).unwrap());
        ask(engine, &command);
        commands.push(command);
    }
    commands
}

/// Whatever a ladder captures GNU Go captures, and both find the same liberties after a move.
#[test]
fn readings_agree_with_gnu_go() {
    let Some(mut gnugo) = GnuGo::start() else {
        skipped("gnugo is not installed: readings were not compared");
        return;
    };
    let mut rng = Rng::with_seed(11);
    let (mut caught, mut saved, mut liberties) = (0, 0, 0);
    for _ in 0..8 {
        let mut engine = engine(9);
        gnugo.ask(["boardsize 9", "clear_board"]);
        for command in random_moves(&mut engine, 34, &mut rng) {
            gnugo.ask([&command]);
        }
        let set = |text: &str| text.split_whitespace().map(str::to_owned).collect::<BTreeSet<String>>();
        for point in engine.position.board().coordinate().points().collect::<Vec<Point>>() {
            let vertex = engine.position.board().coordinate().vertex(point);
            match engine.position.board().stone(point).color() {
                Some(_) => {
                    if ask(&mut engine, &format!("attack {vertex}")).starts_with("1 ") {
                        caught += 1;
                        let [theirs] = gnugo.ask([&format!("attack {vertex}")]);
                        assert_ne!(theirs, "0", "{vertex}\n{}", ask(&mut engine, "showboard"));
                        saved += usize::from(ask(&mut engine, &format!("defend {vertex}")) != "0");
                    }
                }
                None => {
                    for color in Color::BOTH {
                        let command = format!("accuratelib {color} {vertex}");
                        let [theirs] = gnugo.ask([&command]);
                        let ours = ask(&mut engine, &command);
                        assert_eq!(set(&ours), set(&theirs), "{command}\n{}", ask(&mut engine, "showboard"));
                        liberties += ours.len();
                    }
                }
            }
        }
    }
    assert!(caught > 10 && saved > 3 && liberties > 1000, "{caught} {saved} {liberties}");
}

#[test]
fn scores_of_an_unfinished_game_have_the_form_of_gnu_go() {
    let mut engine = engine(5);
    set_up_divided_board(&mut engine);
    // Black leads by 15 - 10 - 0.5
    for command in ["estimate_score", "new_score"] {
        let answer = ask(&mut engine, command);
        let (score, bounds) = answer.split_once(" (upper bound: ").unwrap();
        let (upper, lower) = bounds.strip_suffix(')').unwrap().split_once(", lower: ").unwrap();
        let number = |text: &str| {
            assert!(text.split_once('.').is_some_and(|(_, decimals)| decimals.len() == 1), "{answer}");
            text.parse::<f64>().unwrap()
        };
        let (lead, upper, lower) = (number(score.strip_prefix("B+").unwrap()), number(upper), number(lower));
        assert!((lead - 4.5).abs() < 1.0 && (upper + 4.5).abs() < 1.0 && (lower + 4.5).abs() < 1.0, "{answer}");
        assert!((lead + (upper + lower) / 2.0).abs() < 0.11, "{answer}");
    }
    for color in ["b", "w"] {
        let lead: f64 = ask(&mut engine, &format!("experimental_score {color}")).parse().unwrap();
        assert!((lead + 4.5).abs() < 1.0, "{color}: {lead}");
    }
}

/// Each side to move has its search.
#[test]
fn scores_that_are_asked_again_are_the_same() {
    let mut engine = engine(5);
    let commands = ["estimate_score", "experimental_score b", "experimental_score w"];
    let first = commands.map(|command| ask(&mut engine, command));
    for _ in 0..2 {
        assert_eq!(commands.map(|command| ask(&mut engine, command)), first);
    }
}

/// The moves of a list `D4 61.20 ...` with their weights.
fn weights(text: &str) -> Vec<(String, f64)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.chunks(2).map(|pair| (pair[0].to_owned(), pair[1].parse().unwrap())).collect()
}

#[test]
fn lists_of_moves_are_those_of_one_search() {
    let mut engine = engine(5);
    ask(&mut engine, "play b C3");
    let top = weights(&ask(&mut engine, "top_moves"));
    assert!((2..=10).contains(&top.len()) && top.is_sorted_by(|a, b| a.1 >= b.1), "{top:?}");
    assert_eq!(weights(&ask(&mut engine, "top_moves_white")), top, "White is to move");
    assert_ne!(weights(&ask(&mut engine, "top_moves_black")), top);
    let all = ask(&mut engine, "all_move_values");
    assert!(all.lines().all(|line| line.split_whitespace().count() == 2), "{all}");
    let all = weights(&all);
    assert!((all.iter().map(|(_, weight)| weight).sum::<f64>() - 100.0).abs() < 0.2, "{all:?}");
}

/// On an empty board a search by net makes one move of each set of symmetric ones, for all of them.
#[test]
fn lists_of_moves_have_symmetric_ones() {
    let mut engine = engine_with(9, GameRule::with_komi(7.0), 60);
    engine.player.net = Some(Net::built_in().unwrap());
    let all = weights(&ask(&mut engine, "all_move_values"));
    let moves = |weights: &[(String, f64)]| weights.iter().map(|(name, _)| name.clone()).collect::<BTreeSet<_>>();
    let visited = ask(&mut engine, "kifuwarabe-visits");
    let visited = visited.split_whitespace().step_by(2).map(str::to_owned).collect();
    assert_eq!(moves(&all), visited);
    assert!((all.iter().map(|(_, weight)| weight).sum::<f64>() - 100.0).abs() < 0.2, "{all:?}");
    let top = weights(&ask(&mut engine, "top_moves"));
    assert!(top.len() > 1 && top.iter().all(|pair| all.contains(pair)), "{top:?} {all:?}");
}

/// Runs a command without logs, which take the records of searches: the seed and the number of each of its searches.
fn searches(engine: &mut Engine, command: &str) -> Vec<(u64, u64)> {
    engine.player.trace = SearchTrace::recording();
    run(engine, &Request::parse(command).unwrap()).unwrap();
    engine.player.trace.take().iter().map(|search| (search.seed, search.number)).collect()
}

#[test]
fn clearing_the_cache_or_setting_the_seed_forgets_the_shown_search() {
    let mut engine = engine(5);
    for (command, expected) in
        [("name", 1), ("name", 0), ("clear_cache", 1), ("name", 0), ("set_random_seed 7", 1), ("name", 0)]
    {
        ask(&mut engine, command);
        assert_eq!(searches(&mut engine, "top_moves").len(), expected, "{command}");
    }
}

#[test]
fn a_seed_starts_random_numbers_again() {
    let mut engine = engine(7);
    let first = ask(&mut engine, "gg_genmove b 5");
    for (command, number) in [("gg_genmove b 5", 1), ("gg_genmove b", 2), ("gg_genmove b 5", 1)] {
        assert_eq!(searches(&mut engine, command), [(5, number)], "{command}");
    }
    assert_eq!(ask(&mut engine, "gg_genmove b 5"), first);
}

#[test]
fn seed_0_is_drawn_when_it_is_set_and_then_stays() {
    let mut engine = engine(5);
    let seed = |engine: &mut Engine| ask(engine, "get_random_seed").parse::<u64>().unwrap();
    let genmove_seed = |engine: &mut Engine| searches(engine, "reg_genmove b")[0].0;
    ask(&mut engine, "set_random_seed 5");
    assert_eq!((seed(&mut engine), genmove_seed(&mut engine)), (5, 5));
    ask(&mut engine, "kata-set-param Seed 0");
    let drawn = seed(&mut engine);
    assert_ne!(drawn, 5);
    assert_eq!(genmove_seed(&mut engine), drawn);
    ask(&mut engine, "kata-set-param MemoryMB 32");
    assert_eq!((seed(&mut engine), genmove_seed(&mut engine)), (drawn, drawn));
    ask(&mut engine, "set_random_seed 0");
    assert_ne!(seed(&mut engine), drawn);
}

#[test]
fn a_move_in_the_place_of_a_trial_that_was_undone_is_none() {
    let mut engine = engine(9);
    for undo in ["undo", "gg-undo 1"] {
        for command in ["trymove b D4", undo, "play b D4"] {
            ask(&mut engine, command);
        }
        assert_eq!(answer(&mut engine, "popgo").trim_end(), "? the last move was not played by trymove", "{undo}");
        ask(&mut engine, "undo");
    }
}

#[test]
fn restricted_moves_are_among_the_given_ones() {
    let mut engine = engine(7);
    for _ in 0..3 {
        let chosen = ask(&mut engine, "restricted_genmove b A1 G7 A7");
        assert!(["A1", "G7", "A7"].contains(&chosen.as_str()), "{chosen}");
    }
    assert_eq!(ask(&mut engine, "move_history"), "");
    let by_seed = |engine: &mut Engine| ask(engine, "gg_genmove b 5");
    let (first, second) = (by_seed(&mut engine), by_seed(&mut self::engine(7)));
    assert_eq!((first, ask(&mut engine, "get_random_seed")), (second, "5".to_owned()));
    for (command, color) in [("genmove_white", "white"), ("genmove_black", "black")] {
        let played = ask(&mut engine, command);
        assert_eq!(ask(&mut engine, "last_move"), format!("{color} {played}"));
    }
    assert_eq!(ask(&mut engine, "restricted_genmove b pass"), "pass");
    // A1 is illegal, and C1 an eye that the search would not fill
    ask(&mut engine, "set_position b A2 w B1 w B2 w C2 w D2 w D1 b A3 b B3 b C3 b D3 b E3 b E2 w A1");
    assert_eq!(ask(&mut engine, "restricted_genmove w A1 C1"), "C1");
    let refused = answer(&mut engine, "restricted_genmove w A1 B1");
    assert_eq!(refused.trim_end(), "? illegal move: none of the given moves is legal");
}

/// On the divided board all stones of a colour are one group each, and live.
#[test]
fn groups_have_the_status_of_their_stones() {
    let mut engine = engine(5);
    set_up_divided_board(&mut engine);
    let status = ask(&mut engine, "dragon_status");
    let groups = ask(&mut engine, "dragon_stones");
    assert_eq!(status.lines().count(), groups.lines().count());
    for (status, group) in status.lines().zip(groups.lines()) {
        let origin = group.split(' ').next().unwrap();
        assert_eq!(status, format!("{origin}: alive"), "{groups}");
        assert_eq!(ask(&mut engine, &format!("dragon_status {origin}")), "alive");
        let data = ask(&mut engine, &format!("dragon_data {origin}"));
        let size = format!("\nsize                    {}\n", group.split(' ').count());
        assert!(data.starts_with(&format!("{origin}:\ncolor  ")) && data.contains(&size), "{data}");
        assert!(data.contains("\nstatus                  alive\n"), "{data}");
    }
    // a stone that cannot live inside Black's area
    ask(&mut engine, "play w A3");
    assert_eq!(ask(&mut engine, "dragon_status A3"), "dead");
}

/// Rotated and reflected boards have one hash; another stone, another ko or another size changes it.
#[test]
fn invariant_hashes_do_not_depend_on_the_orientation() {
    let hash = |stones: &[(&str, &str)]| {
        let mut engine = engine(9);
        for (color, vertex) in stones {
            ask(&mut engine, &format!("play {color} {vertex}"));
        }
        ask(&mut engine, "invariant_hash")
    };
    let first = hash(&[("b", "C2"), ("w", "D2")]);
    assert!(first.len() == 16 && first.bytes().all(|digit| digit.is_ascii_hexdigit()), "{first}");
    for stones in
        [[("b", "G2"), ("w", "F2")], [("b", "C8"), ("w", "D8")], [("b", "B3"), ("w", "B4")], [("b", "H7"), ("w", "H6")]]
    {
        assert_eq!(hash(&stones), first, "{stones:?}");
    }
    assert_ne!(hash(&[("w", "C2"), ("b", "D2")]), first);
    assert_ne!(hash(&[("b", "C2"), ("w", "E2")]), first);
    let mut engine = engine(9);
    ask(&mut engine, "play b C2");
    let moves = ask(&mut engine, "invariant_hash_for_moves w");
    assert_eq!(moves.lines().count(), 80);
    assert!(moves.starts_with("A9 ") && moves.contains(&format!("\nD2 {first}\n")), "{moves}");
}

/// A player who has not moved since the set-up may retake a ko, whose hash is that of the stones without a ban.
#[test]
fn invariant_hashes_of_moves_include_a_ko_that_may_be_retaken() {
    let mut engine = engine(5);
    ask(&mut engine, "set_position b b1 b a2 w c1 w b2");
    let before = ask(&mut engine, "invariant_hash_for_moves w");
    ask(&mut engine, "play w a1");
    let moves = ask(&mut engine, "invariant_hash_for_moves b");
    let after = moves.lines().find_map(|line| line.strip_prefix("B1 ")).unwrap_or_else(|| panic!("{moves}"));
    ask(&mut engine, "play b b1");
    assert_eq!(ask(&mut engine, "invariant_hash"), after);
    assert!(before.lines().count() > 10, "{before}");
}
