//! The net: its output for reference positions, and its input planes.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use kifuwarabe_uec14::kernel::{Board, Color, Coordinate, GameRule, IllegalMove, Point, Position, Scoring, Symmetry};
use kifuwarabe_uec14::net::history::FeatureOptions;
use kifuwarabe_uec14::net::native::features::Features;
use kifuwarabe_uec14::net::native::{Evaluation, Scratch};
use kifuwarabe_uec14::net::simd::InstructionSet;
use kifuwarabe_uec14::net::{Komi, Net, Precision, evaluate};
use kifuwarabe_uec14::playout::light;
use kifuwarabe_uec14::search::params::Params;
use kifuwarabe_uec14::search::{Limits, SearchRequest, Searcher, StopSignal};
use serde_json::Value;

use crate::engine::Folder;
use crate::shared_data::file;
use crate::support::{RECTANGLES, skipped};

/// Positions with the output of another implementation of the net in 32-bit floats.
const CHECK: &str = include_str!("../data/net_check.json");

struct Case {
    features: Features,
    /// The same under territory scoring, Black having played two stones more than White.
    under_territory: Features,
    policy: Vec<f32>,
    value: f32,
}

fn color(word: &Value) -> Color {
    Color::parse(word.as_str().unwrap()).unwrap()
}

fn cases() -> Vec<Case> {
    let check: Value = serde_json::from_str(CHECK).unwrap();
    let float = |number: &Value| number.as_f64().unwrap() as f32;
    let case = |case: &Value| {
        let coordinate = Coordinate::square(case["size"].as_u64().unwrap() as u8).unwrap();
        let komi = case["komi"].as_f64().unwrap();
        let mut position = Position::new(coordinate, GameRule::with_komi(komi), 722, Color::Black);
        for play in case["moves"].as_array().unwrap() {
            let point = coordinate.parse_vertex(play[1].as_str().unwrap()).unwrap();
            position.play(color(&play[0]), point).unwrap();
        }
        let features =
            |komi: Komi| Features::new(position.board(), color(&case["to_move"]), position.record().latest(), komi);
        Case {
            features: features(komi.into()),
            under_territory: features(Komi {
                scoring: Scoring::Territory,
                black_minus_white_stones: 2.0,
                ..Komi::from(komi)
            }),
            policy: case["logits"].as_array().unwrap().iter().map(float).collect(),
            value: float(&case["value"]),
        }
    };
    check["positions"].as_array().unwrap().iter().map(case).collect()
}

/// The greatest difference of the policy, and the difference of the value, from the reference.
fn difference(found: &Evaluation, case: &Case) -> (f32, f32) {
    assert_eq!(found.policy.len(), case.policy.len());
    let policy = found.policy.iter().zip(&case.policy).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    (policy, (found.value - case.value).abs())
}

#[test]
fn every_instruction_set_matches_the_reference() {
    let cases = cases();
    let bytes = fs::read("data/human.safetensors").unwrap();
    for path in InstructionSet::available() {
        let net = Net::read(&bytes, path).unwrap();
        let mut scratch = Scratch::default();
        let mut worst = (0f32, 0f32);
        for case in &cases {
            let found = net.native().unwrap().evaluate(&[(&case.features, Symmetry::default())], &mut scratch);
            let (policy, value) = difference(&found[0], case);
            worst = (worst.0.max(policy), worst.1.max(value));
        }
        println!("{path}: policy within {:.1e}, value within {:.1e}", worst.0, worst.1);
        assert!(worst.0 < 2e-2 && worst.1 < 1e-2, "{path}: {worst:?}");
    }
}

#[test]
fn a_net_with_a_score_matches_the_reference() {
    let expected: Value = serde_json::from_str(include_str!("../data/score_net_tiny.json")).unwrap();
    let bytes = fs::read("tests/data/score_net_tiny.safetensors").unwrap();
    let floats = |value: &Value| -> Vec<f32> {
        value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
    };
    let worst = |a: &[f32], b: &[f32]| {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    for set in InstructionSet::available() {
        for (precision, most) in [(Precision::F32, 2e-4), (Precision::fastest(set), 2e-2)] {
            let net = Net::read_with(&bytes, set, precision).unwrap();
            let native = net.native().unwrap();
            assert!(native.has_score());
            for (number, (case, expected)) in cases().iter().zip(expected.as_array().unwrap()).enumerate() {
                let features = if number % 2 == 0 { &case.features } else { &case.under_territory };
                let found = native.evaluate(&[(features, Symmetry::default())], &mut Scratch::default());
                let score = found[0].score.as_ref().unwrap();
                let number = |name: &str| expected[name].as_f64().unwrap() as f32;
                assert!(worst(&found[0].policy, &floats(&expected["logits"])) < most, "{set} {precision}");
                assert!(worst(&score.ownership, &floats(&expected["ownership"])) < most, "{set} {precision}");
                let points = [score.lead - number("lead"), score.stdev - number("deviation")];
                // points are sums over the board
                assert!(points.iter().all(|error| error.abs() < most * 50.0), "{set} {precision}: {points:?}");
                assert!((found[0].value - number("value")).abs() < most * 5.0, "{set} {precision}");
            }
        }
    }
}

/// A komi beyond that of any game adds to the lead, and nothing more.
#[test]
fn no_komi_makes_the_lead_larger_than_the_board() {
    let folder = Folder::new();
    for komi in [-1e6, -2e4, 400.0, 2e4, 1e6] {
        let output = folder.run(&["eval", "--size", "9", "--json", &format!("--komi={komi}")], b"");
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let on_board = answer["lead"].as_f64().unwrap() + komi;
        assert!(on_board.abs() <= 81.0, "{komi}: {answer}");
    }
}

#[test]
fn a_net_with_a_score_searches_by_evaluations_or_beside_playouts() {
    let net = Net::built_in().unwrap();
    let coordinate = Coordinate::square(9).unwrap();
    let mut position = Position::new(coordinate, GameRule::with_komi(7.0), 722, Color::Black);
    // White's only ren cannot escape
    let columns = [("c", 9, Color::Black), ("d", 8, Color::White)].into_iter();
    let columns = columns.chain(["a", "b", "e", "f", "g", "h"].map(|column| (column, 8, Color::Black)));
    for (column, rows, color) in columns.chain([("j", 7, Color::Black)]) {
        for row in 1..=rows {
            position.play(color, coordinate.parse_vertex(&format!("{column}{row}")).unwrap()).unwrap();
        }
    }
    let search = |native_net_search: bool| {
        let params = Params { native_net_search, ..Params::default() };
        Searcher::new(16 << 20, 1).search(&SearchRequest {
            net: Some(&net),
            ..SearchRequest::new(&position, Color::Black, Limits::playouts(300), &params, &StopSignal::default())
        })
    };
    for native_net_search in [false, true] {
        let result = search(native_net_search);
        assert!(
            result.win_probability() > 0.9 && result.lead > 40.0,
            "{native_net_search}: {} {}",
            result.win_probability(),
            result.lead
        );
        assert_eq!((result.evaluations > 0, result.is_by_net), (true, native_net_search));
        let taken = coordinate.parse_vertex("D4").unwrap();
        assert!(result.ownership[taken.index()] > 0.5, "{native_net_search}: {}", result.ownership[taken.index()]);
        // a visit of the search by network is an evaluation, a playout is not
        assert_eq!(result.evaluations > 150, native_net_search, "{}", result.evaluations);
    }
}

/// The policy of symmetric duplicates is never visited; it must not keep the value of other unvisited moves high.
#[test]
fn a_symmetric_root_wastes_no_visits_on_improbable_moves() {
    let net = Net::built_in().unwrap();
    let coordinate = Coordinate::square(9).unwrap();
    let mut position = Position::new(coordinate, GameRule::with_komi(7.0), 722, Color::Black);
    position.play(Color::Black, coordinate.parse_vertex("E5").unwrap()).unwrap();
    position.play(Color::White, coordinate.parse_vertex("E4").unwrap()).unwrap();
    let params = Params::default();
    let (limits, stop_signal) = (Limits::visits(100), StopSignal::default());
    let result = Searcher::new(16 << 20, 1).search(&SearchRequest {
        net: Some(&net),
        ..SearchRequest::new(&position, Color::Black, limits, &params, &stop_signal)
    });
    let visited = result.candidates.iter().filter(|candidate| candidate.visits > 0).count();
    assert!(visited < 20, "{visited} moves with visits");
}

/// Each input has its output, also if boards of several sizes are mixed or an input is for another kind of net.
#[test]
fn every_input_of_a_mixed_batch_has_an_output() {
    let native = Net::built_in().unwrap();
    let katago = Net::read(include_bytes!("../data/katago_tiny_8.txt.gz"), InstructionSet::best()).unwrap();
    let input = |net: &Net, side: u8| {
        let coordinate = Coordinate::square(side).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(7.0), 722, Color::Black);
        net.input(&net.history(&position, Color::Black), &FeatureOptions::default())
    };
    let inputs = [input(&native, 9), input(&native, 13), input(&katago, 9), input(&native, 9)];
    let batch: Vec<_> = inputs.iter().map(|input| (input, Symmetry::default())).collect();
    for (net, expected) in [(&*native, [82, 170, 0, 82]), (&katago, [0, 0, 82, 0])] {
        let outputs = net.evaluate(&batch, 0.0, &mut evaluate::Scratch::default());
        assert_eq!(outputs.iter().map(|output| output.policy.len()).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn batched_and_single_evaluations_agree() {
    let net = Net::human().unwrap();
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.features.planes().width() == 9).collect();
    let mut scratch = Scratch::default();
    let batch: Vec<(&Features, Symmetry)> =
        Symmetry::all().flat_map(|symmetry| cases.iter().map(move |case| (&case.features, symmetry))).collect();
    let together = net.native().unwrap().evaluate(&batch, &mut scratch);
    assert_eq!(together.len(), batch.len());
    for (position, found) in batch.iter().zip(&together) {
        let alone = net.native().unwrap().evaluate(&[*position], &mut Scratch::default());
        let difference = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(difference(&alone[0].policy, &found.policy) < 1e-4);
        assert!((alone[0].value - found.value).abs() < 1e-4);
    }
}

/// The features of a board, Black to move after a move of White at `latest`.
fn features_after(board: &Board, latest: Point) -> Features {
    Features::new(board, Color::Black, std::iter::once(Some(latest)), 6.5)
}

/// A board with every stone at the point that `turn` gives, and the same of one point.
fn turned(board: &Board, to: Coordinate, latest: Point, turn: impl Fn(u8, u8) -> (u8, u8)) -> (Board, Point) {
    let from = board.coordinate();
    let image = |point| {
        let (x, y) = turn(from.xy(point).0, from.xy(point).1);
        to.point(x, y).unwrap()
    };
    let stones = Board::new(to).stones_with(from.points().map(|point| (image(point), board.stone(point))));
    (Board::from_stones(to, &stones).unwrap(), image(latest))
}

/// The planes of a board are those of the board with columns and rows exchanged; a reflection of the input is undone in
/// the output.
#[test]
fn rectangular_boards_are_seen_as_their_images() {
    let bytes = fs::read("data/human.safetensors").unwrap();
    let nets: Vec<Net> = InstructionSet::available().into_iter().map(|set| Net::read(&bytes, set).unwrap()).collect();
    let mut rng = fastrand::Rng::with_seed(17);
    for (width, height) in RECTANGLES {
        let coordinate = Coordinate::new(width, height).unwrap();
        let mut board = Board::new(coordinate);
        let mut latest = coordinate.points().next().unwrap();
        for color in Color::BOTH.into_iter().cycle().take(coordinate.board_area() | 1) {
            if let Some(point) = light::choose(&mut board, color, &mut rng) {
                board.play_legal(color, point, &mut ());
                latest = point;
            }
        }
        board.pass();
        let features = features_after(&board, latest);
        let (across, point) = turned(&board, Coordinate::new(height, width).unwrap(), latest, |x, y| (y, x));
        let transposed = features_after(&across, point);
        let (planes, image) = (features.planes(), transposed.planes());
        assert_eq!((image.width(), image.height()), (planes.height(), planes.width()));
        assert_eq!((planes.width(), planes.height()), (width.into(), height.into()));
        for x in 0..planes.width() {
            for y in 0..planes.height() {
                // rows are counted from the top, and a transposition keeps A1
                let (row, column) = (planes.height() - 1 - y, planes.width() - 1 - x);
                let (ours, theirs) = (row * planes.width() + x, column * planes.height() + y);
                assert_eq!(planes.bits()[ours], image.bits()[theirs], "{coordinate} {x} {y}");
            }
        }
        let evaluate = |net: &Net, features: &Features, symmetry| {
            net.native().unwrap().evaluate(&[(features, symmetry)], &mut Scratch::default()).remove(0)
        };
        let plain = evaluate(&nets[0], &features, Symmetry::default());
        assert_eq!(plain.policy.len(), coordinate.board_area() + 1);
        for net in &nets {
            let same = evaluate(net, &features, Symmetry::default());
            assert!((same.value - plain.value).abs() < 1e-3, "{coordinate}");
        }
        for symmetry in Symmetry::all() {
            // the four symmetries that exchange the axes act as the other four
            let index = Symmetry::all().position(|other| other == symmetry).unwrap();
            let mirror = |x, y| {
                (if index & 1 == 1 { width + 1 - x } else { x }, if index & 2 == 2 { height + 1 - y } else { y })
            };
            let (reflected, point) = turned(&board, coordinate, latest, mirror);
            let seen = evaluate(&nets[0], &features_after(&reflected, point), Symmetry::default());
            let told = evaluate(&nets[0], &features, symmetry);
            assert!((seen.value - told.value).abs() < 1e-4, "{coordinate} {index}");
            let pass = coordinate.board_area();
            assert!((seen.policy[pass] - told.policy[pass]).abs() < 1e-3, "{coordinate} {index}");
            for (place, point) in coordinate.points_from_highest_rank().enumerate() {
                let (x, y) = coordinate.xy(point);
                let (x, y) = mirror(x, y);
                let image = coordinate.index_from_highest_rank(coordinate.point(x, y).unwrap()).unwrap();
                let difference = (told.policy[place] - seen.policy[image]).abs();
                assert!(difference < 1e-3, "{coordinate} {index} {place}: {difference}");
            }
        }
    }
}

/// A driver for the C program that makes the planes in training: reads positions and prints the planes of each.
const DRIVER: &str = r#"
#include <stdio.h>
int main(void) {
    int size, color, count;
    float komi;
    static int16_t moves[2000], none[1];
    static int8_t colors[2001], no_colors[1];
    static uint8_t out[PLANES * 361];
    while (scanf("%d %f %d %d", &size, &komi, &color, &count) == 4) {
        float globals[2];
        for (int i = 0; i < count; i++) { int c, p; scanf("%d %d", &c, &p); colors[i] = (int8_t)c; moves[i] = (int16_t)p; }
        colors[count] = (int8_t)color;
        position(size, none, no_colors, 0, moves, colors, count, komi, out, globals);
        for (int p = 0; p < size * size; p++) {
            unsigned bits = 0;
            for (int plane = 0; plane < PLANES; plane++) bits |= (unsigned)out[plane * size * size + p] << plane;
            printf("%x ", bits);
        }
        printf("%a %a\n", globals[0], globals[1]);
    }
}
"#;

/// A game from which positions are sampled.
struct Game {
    size: u8,
    moves: Vec<(Color, Option<Point>)>,
}

/// Games of the test data, where present, and random games long enough for many captures.
fn games() -> Vec<Game> {
    let mut games = Vec::new();
    for name in ["replay_truth_9.jsonl", "replay_truth_13.jsonl", "replay_truth_19.jsonl"] {
        for line in file(name).unwrap_or_default().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let size = line["size"].as_u64().unwrap() as u8;
            if line["setup"].as_array().is_some_and(|setup| !setup.is_empty()) {
                continue;
            }
            let coordinate = Coordinate::square(size).unwrap();
            let point = |vertex: &str| (vertex != "pass").then(|| coordinate.parse_vertex(vertex).unwrap());
            let moves = line["moves"].as_array().unwrap();
            let moves = moves.iter().map(|play| (color(&play[0]), point(play[1].as_str().unwrap()))).collect();
            games.push(Game { size, moves });
        }
    }
    let mut rng = fastrand::Rng::with_seed(11);
    for size in [2, 3, 5, 7, 9, 13, 19].repeat(20) {
        let mut board = Board::new(Coordinate::square(size).unwrap());
        let mut moves = Vec::new();
        for color in Color::BOTH.into_iter().cycle().take(usize::from(size) * usize::from(size) * 2) {
            let point = light::choose(&mut board, color, &mut rng);
            match point {
                Some(point) => {
                    board.play(color, point, &mut ()).unwrap();
                }
                None => board.pass(),
            }
            moves.push((color, point));
        }
        games.push(Game { size, moves });
    }
    // Black's move to A2 is the suicide of two stones
    let coordinate = Coordinate::square(5).unwrap();
    let suicide = "b A1 w B1 b E5 w A3 b E4 w B2 b A2 w D5 b E3 w A1 b D4";
    let words: Vec<&str> = suicide.split(' ').collect();
    let play = |words: &[&str]| (Color::parse(words[0]).unwrap(), Some(coordinate.parse_vertex(words[1]).unwrap()));
    games.push(Game { size: 5, moves: words.chunks(2).map(play).collect() });
    games
}

#[test]
fn buffers_can_be_used_with_nets_of_different_widths() {
    let features = Features::new(&Board::new(Coordinate::square(9).unwrap()), Color::Black, std::iter::empty(), 7.5);
    let nets = [Net::human(), Net::built_in()].map(Result::unwrap);
    let value = |net: &Net, scratch: &mut Scratch| {
        net.native().unwrap().evaluate(&[(&features, Symmetry::default())], scratch).remove(0).value
    };
    let mut shared = Scratch::default();
    for net in nets.iter().chain(&nets) {
        assert_eq!(value(net, &mut shared), value(net, &mut Scratch::default()));
    }
}

#[test]
fn input_planes_match_those_of_training() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("planes");
    let source = format!("#include \"{}/train/positions.c\"\n{DRIVER}", env!("CARGO_MANIFEST_DIR"));
    fs::write(folder.path().join("planes.c"), source).unwrap();
    let compiled = Command::new("cc").args(["-O2", "-o"]).arg(&program).arg(folder.path().join("planes.c")).status();
    if !compiled.is_ok_and(|status| status.success()) {
        skipped("no C compiler: the planes of the net were not checked");
        return;
    }
    let mut input = String::new();
    let mut expected = Vec::new();
    for (number, game) in games().iter().enumerate() {
        let coordinate = Coordinate::square(game.size).unwrap();
        let mut board = Board::new(coordinate);
        let komi = [7.5, 6.5, 0.5, -3.0][number % 4];
        let mut history = String::new();
        for (ply, &(color, point)) in game.moves.iter().enumerate() {
            if (ply + number) % (game.moves.len() / 5).max(1) == 0 {
                let stone = |color| if color == Color::Black { 1 } else { 2 };
                writeln!(input, "{} {komi} {} {ply} {history}", game.size, stone(color)).unwrap();
                let latest = game.moves[..ply].iter().rev().map(|&(_, point)| point);
                expected.push(Features::new(&board, color, latest, komi));
            }
            let place = point.map_or(-1, |point| {
                let (x, rank) = coordinate.xy(point);
                i32::from(game.size - rank) * i32::from(game.size) + i32::from(x) - 1
            });
            write!(history, "{} {place} ", if color == Color::Black { 1 } else { 2 }).unwrap();
            match point {
                Some(point) => {
                    assert!(matches!(board.check(color, point), Ok(()) | Err(IllegalMove::Suicide)));
                    board.play_legal(color, point, &mut ());
                }
                None => board.pass(),
            }
        }
    }
    let path = folder.path().join("positions");
    fs::write(&path, input).unwrap();
    let output = Command::new(program).stdin(fs::File::open(path).unwrap()).output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.lines().count(), expected.len());
    for (line, features) in output.lines().zip(&expected) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (points, globals) = words.split_at(features.planes().bits().len());
        let points: Vec<u32> = points.iter().map(|word| u32::from_str_radix(word, 16).unwrap()).collect();
        assert_eq!(points, features.planes().bits(), "{features:?}");
        assert_eq!(globals.iter().map(|word| hexadecimal(word)).collect::<Vec<f32>>(), features.globals());
    }
    println!("{} positions", expected.len());
    assert!(expected.len() > 500);
}

/// Reads a number as C's `%a` writes it.
fn hexadecimal(word: &str) -> f32 {
    let (sign, digits) = word.strip_prefix('-').map_or((1.0, word), |rest| (-1.0, rest));
    let (mantissa, exponent) = digits.trim_start_matches("0x").split_once('p').unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let bits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap();
    let exponent = exponent.parse::<i32>().unwrap() - 4 * fraction.len() as i32;
    (sign * bits as f64 * f64::from(exponent).exp2()) as f32
}

#[test]
fn built_in_net_has_one_name_in_both_protocols() {
    let folder = Folder::new();
    let answered = |arguments: &[&str], input: &str| -> Value {
        let output = String::from_utf8(folder.run(arguments, input.as_bytes()).stdout).unwrap();
        serde_json::from_str(output.trim_start_matches("= ")).unwrap()
    };
    let listed = answered(&[], "kata-get-models\n");
    let queried = answered(&["analysis"], "{\"id\":\"a\",\"action\":\"query_models\"}\n");
    assert_eq!(listed, queried["models"]);
    assert!(listed[0]["name"].as_str().unwrap().ends_with(", built in"), "{listed}");
    // a net file has its path in both
    let file = concat!("Net.File=", env!("CARGO_MANIFEST_DIR"), "/tests/data/katago_tiny_8.txt.gz");
    let listed = answered(&["--set", file], "kata-get-models\n");
    let queried = answered(&["--set", file, "analysis"], "{\"id\":\"a\",\"action\":\"query_models\"}\n");
    assert_eq!(listed, queried["models"]);
    assert!(listed[0]["name"].as_str().unwrap().ends_with("katago_tiny_8.txt.gz"), "{listed}");
}

#[test]
fn the_speed_of_a_net_file_has_no_other_output() {
    for other in ["--json", "--search"] {
        let output = Folder::new().run(&["bench", "--net", "a.bin.gz", "--size", "9", other], b"");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{message}");
        assert!(message.contains(&format!("{other} cannot be used with --net FILE")), "{message}");
    }
}
