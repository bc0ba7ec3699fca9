//! KataGo's nets against KataGo: its output for stored positions, over board sizes, rule sets, kos, ladders and passes.
//!
//! The nets are not part of the project ([`external`]); without them their tests print SKIPPED and pass. Nets of a few
//! channels with random weights, which have every kind of layer, are in `tests/data`. `tests/data/katago_check.py` and
//! `tests/data/katago_tiny.py` say how figures and small nets were made.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position, Symmetry};
use kifuwarabe_uec14::net::history::BoardHistory;
use kifuwarabe_uec14::net::katago::{KatagoNet, Scratch};
use kifuwarabe_uec14::net::simd::InstructionSet;
use kifuwarabe_uec14::net::{Net, Output, Precision};
use kifuwarabe_uec14::player::final_score_with;
use serde_json::Value;

use crate::support::{external, make_moves, position};

/// Positions with the figures of KataGo.
const CHECK: &[u8] = include_bytes!("../data/katago_check.json.gz");

/// Positions with the figures of KataGo for the small nets.
const TINY: &[u8] = include_bytes!("../data/katago_tiny.json.gz");

/// The largest differences allowed.
struct Limits {
    probability: f64,
    points: f64,
    owner: f64,
}

const LIMITS: Limits = Limits { probability: 1e-4, points: 0.01, owner: 1e-3 };

/// KataGo prints points and errors with 3 digits.
const PRINTED: f64 = 0.000_6;

/// The folder of the nets; prints SKIPPED and gives `None` without it.
pub fn folder() -> Option<PathBuf> {
    external("nets/katago")
}

/// The text of a compressed file.
fn words(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).unwrap();
    text
}

/// The words of a small file of version 16.
fn tiny_net() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    words(&std::fs::read(folder.join("katago_tiny_16.txt.gz")).unwrap())
}

/// A compressed file of words.
fn compressed(words: &[&str]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(words.join("\n").as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn cases(bytes: &[u8]) -> Vec<Value> {
    words(bytes).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A net of the folder, computed in 32-bit floats.
pub fn net(folder: &Path, name: &str) -> Net {
    let bytes = std::fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    Net::read_with(&bytes, InstructionSet::best(), Precision::F32).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// The game of a case, and the place of each vertex in the output.
fn game(case: &Value) -> (BoardHistory, impl Fn(&str) -> usize) {
    let side = |name: &str| case[name].as_u64().unwrap() as u8;
    let coordinate = Coordinate::new(side("width"), side("height")).unwrap();
    let rule = GameRule::with_komi(number(&case["komi"])).with_rule_set(case["rules"].as_str().unwrap()).unwrap();
    let mut position = Position::new(coordinate, rule, 1083, Color::Black);
    make_moves(&mut position, case["moves"].as_str().unwrap());
    let (width, height) = (usize::from(side("width")), usize::from(side("height")));
    let place = move |vertex: &str| match vertex {
        "pass" => width * height,
        vertex => {
            let (x, rank) = coordinate.xy(coordinate.parse_vertex(vertex).unwrap());
            (height - usize::from(rank)) * width + usize::from(x) - 1
        }
    };
    (BoardHistory::new(&position, position.to_move()), place)
}

/// Checks an output against the figures; gives what differs.
fn differences(output: &Output, figures: &Value, limits: &Limits, place: impl Fn(&str) -> usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |what: &str, ours: f32, theirs: &Value, limit: f64| {
        if (f64::from(ours) - number(theirs)).abs() > limit {
            found.push(format!("{what} {ours} {theirs}"));
        }
    };
    check("win", output.win, &figures["win"], limits.probability);
    check("loss", output.loss, &figures["loss"], limits.probability);
    check("no result", output.no_result, &figures["no_result"], limits.probability);
    check("lead", output.lead, &figures["lead"], limits.points);
    check("score", output.score_mean, &figures["score"], limits.points);
    let square = output.score_mean * output.score_mean + output.score_stdev * output.score_stdev;
    check("square of the score", square, &figures["square"], 1e-4 * number(&figures["square"]) + limits.points);
    check("error of win", output.shortterm_winloss_error.unwrap_or(-1.0), &figures["errors"][0], PRINTED);
    check("error of score", output.shortterm_score_error.unwrap_or(-1.0), &figures["errors"][1], 10.0 * PRINTED);
    for (vertex, probability) in figures["policy"].as_object().unwrap() {
        check(vertex, output.policy[place(vertex)], probability, limits.probability);
    }
    for (vertex, owner) in figures["owners"].as_object().unwrap() {
        check(&format!("owner of {vertex}"), output.ownership[place(vertex)], owner, limits.owner);
    }
    let illegal = output.policy.iter().filter(|&&probability| probability == 0.0).count();
    if illegal as u64 != figures["illegal"].as_u64().unwrap() {
        found.push(format!("illegal moves {illegal} {}", figures["illegal"]));
    }
    found
}

/// Checks nets of a folder with stored positions; gives what differs.
fn failures(folder: &Path, cases: &[Value], limits: &Limits) -> Vec<String> {
    let games: Vec<_> = cases.iter().map(game).collect();
    let games = &games;
    let check = |name: &str| {
        let net = net(folder, name);
        let katago = net.katago().unwrap();
        assert!(net.native().is_none() && name.starts_with(katago.name()));
        let mut scratch = Scratch::default();
        let mut failures = Vec::new();
        for (number, (case, (game, place))) in cases.iter().zip(games).enumerate() {
            let figures = &case["nets"][name];
            let features = game.features();
            let optimism = figures["optimism"].as_f64().unwrap() as f32;
            let output = katago.evaluate_optimistic(&[(&features, Symmetry::default())], optimism, &mut scratch);
            let found = differences(&output[0], figures, limits, place);
            if !found.is_empty() {
                let moves = case["moves"].as_str().unwrap();
                failures.push(format!("{name} {number} {} {moves}: {}", case["rules"], found.join(", ")));
            }
        }
        failures
    };
    std::thread::scope(|scope| {
        let names = cases[0]["nets"].as_object().unwrap().keys();
        let threads: Vec<_> = names.map(|name| scope.spawn(|| check(name))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

#[test]
fn nets_agree_with_katago() {
    let Some(folder) = folder() else { return };
    let failures = failures(&folder, &cases(CHECK), &LIMITS);
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_kind_of_layer_agrees_with_katago() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let limits = Limits { probability: 1e-5, points: 0.002, owner: 1e-5 };
    let failures = failures(&folder, &cases(TINY), &limits);
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn damaged_files_are_refused_in_one_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut random = fastrand::Rng::with_seed(9);
    let mut refused = 0;
    for version in [8, 9, 11, 14, 16, 17] {
        let bytes = std::fs::read(folder.join(format!("katago_tiny_{version}.txt.gz"))).unwrap();
        let text = words(&bytes);
        let words: Vec<&str> = text.split_whitespace().collect();
        for _ in 0..150 {
            let mut words = words.clone();
            let place = random.usize(..words.len());
            // most of the words are weights; words at the beginning of a line are more often something else
            let place = (0..40).map(|k| (place + k) % words.len()).find(|&k| !words[k].contains('.')).unwrap_or(place);
            match random.u8(..5) {
                0 => words.truncate(place),
                1 => drop(words.remove(place)),
                2 => words.insert(place, "1"),
                3 => words[place] = ["0", "-1", "3", "16", "4096", "99999999999", "1e30", "nan"][random.usize(..8)],
                _ => words[place] = "\u{7}x",
            }
            if let Err(error) = Net::read(&compressed(&words), InstructionSet::best()) {
                let error = error.to_string();
                assert!(!error.contains(char::is_control) && error.chars().count() < 160, "{error:?}");
                refused += 1;
            }
        }
        let mut bytes = bytes;
        for _ in 0..50 {
            let place = random.usize(..bytes.len());
            bytes[place] ^= 1 << random.u8(..8);
            assert!(Net::read(&bytes[..place], InstructionSet::best()).is_err(), "{version} up to {place}");
            let error = Net::read(&bytes, InstructionSet::best()).unwrap_err().to_string();
            assert!(!error.contains('\n'), "{error}");
        }
    }
    // names and some weights may change
    assert!(refused > 6 * 150 * 3 / 4, "{refused}");
}

#[test]
fn batches_and_symmetries_change_little() {
    let Some(folder) = folder() else { return };
    let cases = cases(CHECK);
    let case = cases.iter().find(|case| case["width"] == 7).unwrap();
    let (game, _) = game(case);
    let features = game.features();
    let mut scratch = Scratch::default();
    for name in case["nets"].as_object().unwrap().keys() {
        let net = net(&folder, name);
        let katago = net.katago().unwrap();
        let mut one = |symmetry| katago.evaluate(&[(&features, symmetry)], &mut scratch).remove(0);
        let alone: Vec<Output> = Symmetry::all().map(&mut one).collect();
        let far = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        let check = |a: &Output, b: &Output, what: &str, factor: f32| {
            let numbers = [(a.win, b.win), (a.loss, b.loss), (a.no_result, b.no_result)];
            let outcomes = numbers.iter().map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            let found = [outcomes, (a.lead - b.lead).abs(), far(&a.policy, &b.policy), far(&a.ownership, &b.ownership)];
            let limits = [1e-4, 0.01, 1e-4, 1e-3].map(|limit| limit * factor);
            assert!(found.iter().zip(limits).all(|(found, limit)| *found < limit), "{name} {what}: {found:?}");
        };
        let positions: Vec<_> = Symmetry::all().map(|symmetry| (&features, symmetry)).collect();
        let together = katago.evaluate(&positions, &mut scratch);
        assert_eq!(together.len(), 8);
        together.iter().zip(&alone).for_each(|(a, b)| check(a, b, "in a batch", 1.0));
        assert_eq!(katago.evaluate(&positions, &mut scratch), together, "{name}");
        let bytes = std::fs::read(folder.join(name)).unwrap();
        for set in InstructionSet::available() {
            let one = |net: &KatagoNet, scratch: &mut Scratch| {
                net.evaluate(&[(&features, Symmetry::default())], scratch).remove(0)
            };
            let floats = one(&KatagoNet::read(&bytes, set, Precision::F32).unwrap(), &mut scratch);
            check(&floats, &alone[0], &set.to_string(), 1.0);
            for precision in [Precision::Int16, Precision::fastest(set)] {
                let rounded = one(&KatagoNet::read(&bytes, set, precision).unwrap(), &mut scratch);
                check(&rounded, &alone[0], &format!("{set}, {precision}"), 100.0);
            }
        }
    }
}

#[test]
fn a_net_that_needs_ranks_of_players_is_refused() {
    let text = tiny_net();
    let mut words: Vec<&str> = text.split_whitespace().collect();
    words[11] = "1"; // after name, version, planes, numbers and seven factors
    let error = Net::read(&compressed(&words), InstructionSet::best()).unwrap_err().to_string();
    assert_eq!(error, "the net imitates players and needs their ranks as input, which is not supported");
}

#[test]
fn a_net_whose_evaluations_overflow_is_refused() {
    let text = tiny_net();
    let mut words: Vec<&str> = text.split_whitespace().collect();
    // weights of two global inputs, which are 0 for an empty board
    let weights = words.iter().position(|&word| word == "layer2").unwrap() + 3;
    let channels: usize = words[weights - 1].parse().unwrap();
    (words[weights], words[weights + channels]) = ("3e38", "3e38");
    let error = Net::read(&compressed(&words), InstructionSet::best()).unwrap_err().to_string();
    assert_eq!(error, "the net gives infinite numbers, expected finite ones");
}

#[test]
fn a_file_chooses_how_areas_are_computed() {
    let text = tiny_net();
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let mut position = position("oo.x.\n.xxxx\nxxxxx");
    *position.rule_mut() = GameRule::with_komi(0.5).with_rule_set("chinese").unwrap();
    let usual = BoardHistory::new(&position, Color::Black).features();
    for (flag, is_wanted) in [("0", false), ("1", true)] {
        words[12] = flag; // after the version of the metadata encoder
        let net = Net::read(&compressed(&words), InstructionSet::best()).unwrap();
        assert_eq!(net.katago().unwrap().has_pass_alive_by_suicide(), is_wanted);
        assert_eq!(net.history(&position, Color::Black).features() == usual, !is_wanted);
    }
}

/// The net's search must not take a pass after two passes for an end at which the dead stones count as alive.
#[test]
fn passes_before_a_score_make_no_difference() {
    let Some(folder) = folder() else { return };
    let net = net(&folder, "g170-b6c96-s175395328-d26788732.bin.gz");
    let drawn = "
        .x.xo.o..
        xxxxo.o.o
        .x.xoooo.
        xxxxo..o.
        ...xooooo
        ..oxo....
        ...xo.x..
        ..xxo....
        .x.xo..o.
    ";
    for rules in ["chinese", "japanese"] {
        let mut position = position(drawn);
        *position.rule_mut() = GameRule::with_komi(0.5).with_rule_set(rules).unwrap();
        let score = |position: &Position| final_score_with(position, Some(&net)).score.to_string();
        let before = score(&position);
        assert!(!final_score_with(&position, Some(&net)).status.dead.is_empty());
        position.pass(Color::Black);
        position.pass(Color::White);
        assert_eq!(score(&position), before, "{rules}");
    }
}
