//! Random games with GNU Go as the referee, an independent implementation of the rules.
//!
//! The engine and GNU Go get the same moves. The stones of both colours are compared after every ply, the prisoners and
//! the legal moves every few plies, under simple ko without suicide. Colours sometimes pass and move out of turn.
//! Without GNU Go the test prints SKIPPED and passes.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use fastrand::Rng;
use kifuwarabe_uec14::gtp::Engine;
use kifuwarabe_uec14::gtp::table::find;
use kifuwarabe_uec14::kernel::{Color, Coordinate, IllegalMove, Point, Stone};

use crate::engine::{ask, engine};
use crate::support::skipped;

const GAMES: u64 = 20;
const KOMI: f64 = 6.5;

/// The other program, connected by pipes.
pub struct GnuGo {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl GnuGo {
    /// `None` where it is not installed.
    pub fn start() -> Option<GnuGo> {
        let rules = ["--mode", "gtp", "--quiet", "--level", "0", "--chinese-rules", "--forbid-suicide"];
        // Debian's folder of games is not on every search path
        let mut child = ["gnugo", "/usr/games/gnugo"].into_iter().find_map(|program| {
            Command::new(program).args(rules).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()
        })?;
        let (stdin, stdout) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Some(GnuGo { child, stdin, stdout })
    }

    /// The answers to several commands, sent at once; all must succeed.
    pub fn ask<const N: usize>(&mut self, commands: [&str; N]) -> [String; N] {
        let lines = commands.map(|command| format!("{command}\n")).concat();
        self.stdin.write_all(lines.as_bytes()).unwrap();
        self.stdin.flush().unwrap();
        commands.map(|command| {
            let mut answer = String::new();
            loop {
                let mut line = String::new();
                assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "GNU Go ended at {command}");
                if line == "\n" {
                    break;
                }
                answer += &line;
            }
            let text = answer.strip_prefix('=').unwrap_or_else(|| panic!("{command}: {answer}"));
            text.trim().to_owned()
        })
    }
}

impl Drop for GnuGo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Number of occurrences of each case.
#[derive(Default, Debug)]
struct Coverage {
    plies: usize,
    passes: usize,
    out_of_turn: usize,
    captured: u32,
    legal: usize,
    ko: usize,
    suicide: usize,
    scores: usize,
}

#[test]
fn random_games_on_9x9_and_19x19_agree_with_gnu_go() {
    let Some(mut gnugo) = GnuGo::start() else {
        skipped("gnugo is not installed: the rules were not compared");
        return;
    };
    let started = Instant::now();
    let mut coverage = Coverage::default();
    for seed in 0..GAMES {
        game(&mut gnugo, 9, 160, 1, seed, &mut coverage);
        game(&mut gnugo, 19, 420, 20, seed, &mut coverage);
        if find("final_score").is_some() {
            scored_game(&mut gnugo, 9, 2 * seed, &mut coverage);
            scored_game(&mut gnugo, 9, 2 * seed + 1, &mut coverage);
        }
    }
    eprintln!("referee: {coverage:?}, {:.1} s", started.elapsed().as_secs_f64());
    assert!(coverage.plies > 9000 && coverage.passes > 100 && coverage.out_of_turn > 100, "{coverage:?}");
    assert!(
        coverage.captured > 1000 && coverage.legal > 100_000 && coverage.ko > 20 && coverage.suicide > 1000,
        "{coverage:?}"
    );
    assert!(coverage.scores >= 10 || find("final_score").is_none(), "{coverage:?}");
}

/// An empty board and the same rules in both programs.
fn begin(gnugo: &mut GnuGo, side: u8) -> Engine {
    let mut engine = engine();
    for line in [
        &format!("boardsize {side}"),
        &format!("komi {KOMI}"),
        "kata-set-rule ko SIMPLE",
        "kata-set-rule scoring AREA",
        "kata-set-rule suicide false",
    ] {
        ask(&mut engine, line);
    }
    gnugo.ask([&format!("boardsize {side}"), "clear_board", &format!("komi {KOMI}")]);
    engine
}

/// One game of `plies` plies; the legal moves are compared every `detail` plies.
fn game(gnugo: &mut GnuGo, side: u8, plies: usize, detail: usize, seed: u64, coverage: &mut Coverage) {
    let mut rng = Rng::with_seed(seed * 1000 + u64::from(side));
    let mut engine = begin(gnugo, side);
    let coordinate = Coordinate::square(side).unwrap();
    let mut color = Color::Black;
    let mut played = String::new();
    for ply in 0..plies {
        let legal = legal_points(&engine, coordinate, color);
        // own eyes are rarely filled, so that the game has an end
        let non_eyes: Vec<Point> = legal.iter().copied().filter(|&point| !is_eye(&engine, color, point)).collect();
        let choice = if non_eyes.is_empty() || rng.u8(..) < 4 { &legal } else { &non_eyes };
        let vertex = match rng.choice(choice) {
            Some(&point) if rng.u8(..) >= 6 => coordinate.vertex(point),
            _ => "pass".to_owned(),
        };
        let play = format!("play {color} {vertex}");
        let context = || format!("{side}x{side}, seed {seed}, ply {ply}:\n{played}{play}");
        ask(&mut engine, &play);
        let [_, black, white] = gnugo.ask([play.as_str(), "list_stones black", "list_stones white"]);
        for (color, listed) in Color::BOTH.into_iter().zip([black, white]) {
            assert_eq!(words(&listed), stones(&engine, coordinate, color), "{color} stones, {}", context());
        }
        coverage.plies += 1;
        coverage.passes += usize::from(vertex == "pass");
        if ply % detail == 0 {
            compare_rules(gnugo, &engine, coordinate, coverage, &context());
        }
        played += &format!("{play}\n");
        if rng.u8(..) < 8 {
            coverage.out_of_turn += 1;
        } else {
            color = color.opponent();
        }
    }
    coverage.captured += Color::BOTH.map(|color| engine.position.prisoners(color)).iter().sum::<u32>();
}

/// Compares the prisoners and the legal moves of both colours.
fn compare_rules(gnugo: &mut GnuGo, engine: &Engine, coordinate: Coordinate, coverage: &mut Coverage, context: &str) {
    let [captures_black, captures_white, legal_black, legal_white] =
        gnugo.ask(["captures black", "captures white", "all_legal black", "all_legal white"]);
    for (color, captures, legal) in
        [(Color::Black, captures_black, legal_black), (Color::White, captures_white, legal_white)]
    {
        assert_eq!(captures, engine.position.prisoners(color).to_string(), "captured by {color}, {context}");
        let points = legal_points(engine, coordinate, color);
        let ours: BTreeSet<String> = points.iter().map(|&point| coordinate.vertex(point)).collect();
        assert_eq!(words(&legal), ours, "legal moves of {color}, {context}");
        coverage.legal += ours.len();
        for point in coordinate.points() {
            match engine.position.check(color, point) {
                Err(IllegalMove::Ko) => coverage.ko += 1,
                Err(IllegalMove::Suicide | IllegalMove::OpponentEye) => coverage.suicide += 1,
                _ => {}
            }
        }
    }
}

/// A game in which no eye is filled, until both have passed. The scores are compared if the result is undisputed: all
/// empty points are eyes, and all rens have two of them.
fn scored_game(gnugo: &mut GnuGo, side: u8, seed: u64, coverage: &mut Coverage) {
    let mut rng = Rng::with_seed(seed);
    let mut engine = begin(gnugo, side);
    let coordinate = Coordinate::square(side).unwrap();
    let mut color = Color::Black;
    let mut played = String::new();
    let mut passes = 0;
    for _ in 0..1000 {
        let legal = legal_points(&engine, coordinate, color);
        let non_eyes: Vec<Point> = legal.into_iter().filter(|&point| !is_eye(&engine, color, point)).collect();
        let vertex = rng.choice(&non_eyes).map_or_else(|| "pass".to_owned(), |&point| coordinate.vertex(point));
        passes = if vertex == "pass" { passes + 1 } else { 0 };
        let play = format!("play {color} {vertex}");
        ask(&mut engine, &play);
        gnugo.ask([&play]);
        played += &format!("{play}\n");
        if passes == 2 {
            break;
        }
        color = color.opponent();
    }
    let board = engine.position.board();
    let is_undisputed = coordinate.points().all(|point| {
        let is_eye_of_any = Color::BOTH.iter().any(|&color| is_eye(&engine, color, point));
        is_eye_of_any || (board.stone(point) != Stone::Space && board.liberty_count(point) >= 2)
    });
    if !is_undisputed {
        return;
    }
    let [theirs] = gnugo.ask(["final_score"]);
    let ours = ask(&mut engine, "final_score");
    assert_eq!(points(&ours), points(&theirs), "{ours} and {theirs}, {side}x{side}, seed {seed}:\n{played}");
    coverage.scores += 1;
}

/// A score in points for Black.
pub fn points(score: &str) -> f64 {
    match score.split_once('+') {
        Some(("B", points)) => points.parse().unwrap(),
        Some(("W", points)) => -points.parse::<f64>().unwrap(),
        _ => score.parse().unwrap(),
    }
}

fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn stones(engine: &Engine, coordinate: Coordinate, color: Color) -> BTreeSet<String> {
    let board = engine.position.board();
    let stones = coordinate.points().filter(|&point| board.stone(point) == color.stone());
    stones.map(|point| coordinate.vertex(point)).collect()
}

fn legal_points(engine: &Engine, coordinate: Coordinate, color: Color) -> Vec<Point> {
    coordinate.points().filter(|&point| engine.position.check(color, point).is_ok()).collect()
}

/// Whether a point is empty and all four sides of it are stones of this colour or wall.
fn is_eye(engine: &Engine, color: Color, point: Point) -> bool {
    let board = engine.position.board();
    let coordinate = board.coordinate();
    let neighbors = coordinate.neighbors(point);
    board.stone(point) == Stone::Space
        && neighbors.iter().all(|&next| !coordinate.contains(next) || board.stone(next) == color.stone())
}
