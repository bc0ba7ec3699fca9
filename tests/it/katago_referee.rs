//! Random games with KataGo as the referee: every combination of its rules, boards of every shape up to 19x19.
//!
//! Both programs get the same moves. The legal moves of the side to move are compared before every ply, the stones after
//! it, and under area scoring without agreement the score of every game that two passes have ended. KataGo gives the
//! legal moves as the points to which a net of random weights gives a probability, so nothing is searched.
//! `KIFUWARABE_KATAGO` names its program; without it the test prints SKIPPED and passes.

use std::collections::BTreeSet;
use std::process::Command;

use fastrand::Rng;
use kifuwarabe_uec14::gtp::Engine;
use kifuwarabe_uec14::kernel::{Benson, Color, Coordinate, IllegalMove, Stone, benson};
use serde_json::{Value, json};

use crate::engine::{Folder, Running, ask, engine};
use crate::referee::points;
use crate::support::{katago, slow_tests, tiny_katago_net};

const KOMI: f64 = 6.5;

/// Number of occurrences of each case.
#[derive(Default, Debug)]
struct Coverage {
    games: usize,
    positions: usize,
    legal: usize,
    captured: u32,
    ko: usize,
    repetitions: usize,
    suicides: usize,
    scores: usize,
}

struct KataGo(Running);

impl KataGo {
    /// The text of the answer, which must be a success.
    fn ask(&mut self, command: &str) -> String {
        let answer = self.0.ask(command);
        answer.strip_prefix('=').unwrap_or_else(|| panic!("{command}: {answer}")).trim().to_owned()
    }

    /// The rows of the board, the top one first, as `X`, `O` and `.`.
    fn board(&mut self, width: usize) -> Vec<String> {
        let answer = self.ask("showboard");
        let rows = answer.lines().filter_map(|line| line.get(3..).filter(|_| line[..3].trim().parse::<u8>().is_ok()));
        // every second character is a blank, or the number of one of the last moves
        rows.map(|row| row.chars().step_by(2).take(width).collect()).collect()
    }

    /// The legal points of the side to move.
    fn legal_points(&mut self, coordinate: Coordinate) -> BTreeSet<String> {
        let answer = self.ask("kata-raw-nn 0");
        let (_, policy) = answer.split_once("policy\n").unwrap();
        let numbers: Vec<&str> = policy.split_whitespace().take_while(|&word| word != "policyPass").collect();
        assert_eq!(numbers.len(), coordinate.board_area(), "{answer}");
        let legal = coordinate.points_from_highest_rank().zip(numbers).filter(|(_, probability)| *probability != "NAN");
        legal.map(|(point, _)| coordinate.vertex(point)).collect()
    }
}

/// A set of rules, drawn from all that KataGo has.
fn rules(rng: &mut Rng) -> Value {
    let ko = ["SIMPLE", "POSITIONAL", "SITUATIONAL"];
    let scoring = if rng.u8(..4) == 0 { "TERRITORY" } else { "AREA" };
    json!({
        "ko": rng.choice(ko), "scoring": scoring, "tax": rng.choice(["NONE", "SEKI", "ALL"]), "suicide": rng.bool(),
        "hasButton": scoring == "AREA" && rng.u8(..4) == 0,
        "whiteHandicapBonus": rng.choice(["0", "N", "N-1"]), "friendlyPassOk": false,
    })
}

#[test]
fn random_games_under_all_rules_agree_with_katago() {
    let Some(program) = katago() else { return };
    let folder = Folder::new();
    let config = format!(
        "rules = chinese\nmaxVisits = 1\nnumSearchThreads = 1\nponderingEnabled = false\nallowResignation = false\n\
         logToStderr = false\nlogSearchInfo = false\nlogAllGTPCommunication = false\nlogFile = katago.log\n\
         resignThreshold = -1\nhomeDataDir = {}\n",
        folder.path().display()
    );
    std::fs::write(folder.path().join("gtp.cfg"), config).unwrap();
    let mut command = Command::new(program);
    command.args(["gtp", "-config", "gtp.cfg", "-model"]).arg(tiny_katago_net()).current_dir(folder.path());
    let mut katago = KataGo(Running::start(command));
    // every new board is reported there
    let mut stderr = katago.0.child.stderr.take().unwrap();
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    let mut coverage = Coverage::default();
    for seed in 0..if slow_tests() { 5000 } else { 250 } {
        game(&mut katago, seed, &mut coverage);
    }
    println!("{coverage:?}");
    let Coverage { positions, captured, ko, repetitions, suicides, scores, .. } = coverage;
    assert!(positions > 10_000 && captured > 5000 && scores > 50, "{coverage:?}");
    assert!(ko > 50 && repetitions > 20 && suicides > 50, "{coverage:?}");
}

/// One game: to two passes, or to a bound of moves.
fn game(katago: &mut KataGo, seed: u64, coverage: &mut Coverage) {
    let mut rng = Rng::with_seed(seed);
    let longest = if seed.is_multiple_of(8) { 19 } else { 7 };
    let (width, height) = (rng.u8(2..=longest), rng.u8(2..=longest));
    let rules = rules(&mut rng);
    let mut engine = engine();
    let mut played = String::new();
    let mut both = |katago: &mut KataGo, engine: &mut Engine, command: &str| {
        ask(engine, command);
        katago.ask(command);
        played += &format!("{command}\n");
    };
    both(katago, &mut engine, &format!("kata-set-rules {rules}"));
    both(katago, &mut engine, &format!("rectangular_boardsize {width} {height}"));
    both(katago, &mut engine, "clear_board");
    both(katago, &mut engine, &format!("komi {KOMI}"));
    let coordinate = engine.position.board().coordinate();
    if rng.u8(..4) == 0 {
        let mut points: Vec<_> = coordinate.points().collect();
        rng.shuffle(&mut points);
        let count = rng.usize(2..=4).min(points.len() - 2);
        let stones: Vec<String> = points[..count].iter().map(|&point| coordinate.vertex(point)).collect();
        both(katago, &mut engine, &format!("set_free_handicap {}", stones.join(" ")));
    }
    let is_territory = rules["scoring"] == "TERRITORY";
    // what follows two passes under territory scoring is KataGo's encore, which other rules have not
    for ply in 0..3 * usize::from(width) * usize::from(height) + 20 {
        if engine.position.is_over() {
            break;
        }
        let color = engine.position.to_move();
        let legal = coordinate.points().filter(|&point| match engine.position.check(color, point) {
            Ok(()) => true,
            Err(reason) => {
                coverage.ko += usize::from(reason == IllegalMove::Ko);
                coverage.repetitions += usize::from(reason == IllegalMove::Superko);
                false
            }
        });
        let legal: Vec<_> = legal.collect();
        let ours: BTreeSet<String> = legal.iter().map(|&point| coordinate.vertex(point)).collect();
        let theirs = katago.legal_points(coordinate);
        assert_eq!(ours, theirs, "legal moves of {color}, seed {seed}:\n{played}");
        coverage.legal += ours.len();
        coverage.positions += 1;
        // own eyes are rarely filled, so that most games have an end
        let open: Vec<_> = legal
            .iter()
            .filter(|&&point| rng.u8(..16) == 0 || !engine.position.board().is_enclosed(color, point))
            .collect();
        let vertex = match rng.choice(&open) {
            Some(&&point) if ply < 2 || rng.u8(..) >= 3 => coordinate.vertex(point),
            // KataGo takes Black's moves between passes of White at the beginning for a handicap
            _ if ply < 2 => break,
            _ if is_territory && engine.position.ending_passes() > 0 => break,
            _ => "pass".to_owned(),
        };
        let before = engine.position.prisoners(color.opponent());
        let command = format!("play {color} {vertex}");
        ask(&mut engine, &command);
        katago.ask(&command);
        played += &format!("{command}\n");
        coverage.suicides += usize::from(engine.position.prisoners(color.opponent()) > before);
        compare_stones(katago, &engine, coordinate, &played);
    }
    coverage.games += 1;
    coverage.captured += Color::BOTH.map(|color| engine.position.prisoners(color)).iter().sum::<u32>();
    // KataGo removes stones in the territory of the opponent's unconditionally living rens, although nobody has agreed
    let board = engine.position.board();
    let is_removed = |color: Color| {
        let Benson { territory, .. } = benson(board, color);
        territory.iter().any(|point| board.stone(point) == color.opponent().stone())
    };
    if engine.position.is_over() && !is_territory && !Color::BOTH.into_iter().any(is_removed) {
        let (ours, theirs) = (ask(&mut engine, "final_score"), katago.ask("final_score"));
        assert_eq!(points(&ours), points(&theirs), "{ours} and {theirs}, seed {seed}:\n{played}");
        coverage.scores += 1;
    }
}

fn compare_stones(katago: &mut KataGo, engine: &Engine, coordinate: Coordinate, played: &str) {
    let board = engine.position.board();
    let letters: Vec<char> = coordinate
        .points_from_highest_rank()
        .map(|point| match board.stone(point) {
            Stone::Black => 'X',
            Stone::White => 'O',
            _ => '.',
        })
        .collect();
    let width = usize::from(coordinate.width());
    let ours: Vec<String> = letters.chunks(width).map(|row| row.iter().collect()).collect();
    assert_eq!(katago.board(width), ours, "{played}");
}
