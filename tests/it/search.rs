//! The engine as a player: what it answers, when it stops, and what it must never do, whatever it finds.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kifuwarabe_uec14::gtp::{Engine, run};
use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::player::{SearchTrace, classify_stones, status_playouts};
use kifuwarabe_uec14::protocol::line::Request;

use crate::engine::{Folder, JSON_LOG, Running, answers};
use crate::support::slow_tests;

fn engine(side: u8, rules: &str, playouts: u64) -> Engine {
    let rule = GameRule::with_komi(7.5).named(rules).unwrap();
    let coordinate = Coordinate::square(side).unwrap();
    let mut engine = Engine::new(Position::new(coordinate, rule, 722, Color::Black));
    engine.player.options.max_playouts = playouts;
    engine.player.options.seed = 5;
    engine
}

fn ask(engine: &mut Engine, command: &str) -> String {
    let answer = answers(engine, format!("{command}\n").as_bytes());
    answer.strip_prefix("= ").unwrap_or_else(|| panic!("{command}: {answer}")).trim_end().to_owned()
}

/// Plays a game against itself until two passes or so many moves; gives the number of moves.
fn self_play(engine: &mut Engine, longest: usize) -> usize {
    while !engine.position.is_over() && engine.position.record().len() < longest {
        let color = engine.position.to_move();
        ask(engine, &format!("genmove {color}"));
    }
    engine.position.record().len()
}

#[test]
fn komi_beyond_any_board_counts_as_a_million_points() {
    for net in [None, Some(Net::built_in().unwrap())] {
        let mut engine = engine(5, "chinese", 40);
        engine.player.net = net;
        for (komi, score, winner) in [("1e39", "W+1000000", -1.0), ("-1.5e308", "B+1000000", 1.0)] {
            ask(&mut engine, &format!("komi {komi}"));
            assert_eq!(ask(&mut engine, "get_komi").parse::<f64>(), komi.parse());
            assert_eq!(ask(&mut engine, "final_score"), score);
            let line = ask(&mut engine, "kata-search_analyze b rootInfo true");
            assert!(!line.contains("inf ") && !line.contains("NaN"), "{line}");
            let lead = line.split(" scoreLead ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
            assert!((lead.parse::<f64>().unwrap() * winner - 1e6).abs() <= 25.0, "{line}");
        }
    }
}

#[test]
fn the_same_seed_gets_the_same_game() {
    let game = || {
        let mut engine = engine(9, "chinese", 60);
        self_play(&mut engine, 12);
        ask(&mut engine, "record")
    };
    assert_eq!(game(), game());
}

#[test]
fn the_same_seed_gets_the_same_game_with_the_net() {
    let game = |net: Option<Arc<Net>>| {
        let mut engine = engine(9, "chinese", 60);
        engine.player.net = net;
        self_play(&mut engine, 12);
        ask(&mut engine, "record")
    };
    let net = Net::built_in().unwrap();
    let with_net = game(Some(net.clone()));
    assert_eq!(game(Some(net)), with_net);
    assert_ne!(game(None), with_net);
}

#[test]
fn the_net_makes_the_engine_play_the_opening_as_people_do() {
    let mut engine = engine(19, "chinese", 100);
    engine.player.net = Some(Net::built_in().unwrap());
    for _ in 0..4 {
        let color = engine.position.to_move();
        ask(&mut engine, &format!("genmove {color}"));
    }
    let coordinate = engine.position.board().coordinate();
    let mut corners = std::collections::BTreeSet::new();
    for item in engine.position.record().items() {
        let (x, y) = coordinate.xy(item.play.point().unwrap());
        let from_edge = |at: u8| at.min(20 - at);
        assert!(
            (3..=5).contains(&from_edge(x)) && (3..=5).contains(&from_edge(y)),
            "{}",
            engine.position.record().text(coordinate)
        );
        corners.insert((x > 10, y > 10));
    }
    assert!(corners.len() >= 3, "{}", engine.position.record().text(coordinate));
}

#[test]
fn free_handicap_stones_go_where_the_search_would_play() {
    let mut engine = engine(19, "chinese", 100);
    engine.player.net = Some(Net::built_in().unwrap());
    let answer = ask(&mut engine, "place_free_handicap 4");
    let coordinate = engine.position.board().coordinate();
    let mut corners = std::collections::BTreeSet::new();
    for vertex in answer.split(' ') {
        let (x, y) = coordinate.xy(coordinate.parse_vertex(vertex).unwrap());
        corners.insert((x > 10, y > 10));
    }
    assert_eq!((corners.len(), engine.position.handicap()), (4, 4), "{answer}");
    // what the engine knows of the game is not forgotten for a command that is refused
    engine.player.trace = SearchTrace::recording();
    let refused = run(&mut engine, &Request::parse("place_free_handicap 4").unwrap()).unwrap_err();
    assert_eq!((refused.text.as_str(), engine.player.trace.take().len()), ("board not empty", 0));
    ask(&mut engine, "clear_board");
    assert_eq!(ask(&mut engine, "place_free_handicap 40").split(' ').count(), 40);
}

#[test]
fn a_file_that_is_no_net_ends_the_start_with_one_line() {
    let folder = Folder::new();
    let file = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let whole = std::fs::read(folder.path().join("data/net.safetensors")).unwrap();
    file("cut", &whole[..whole.len() - 2]);
    file("empty", b"");
    file("text", b"no net at all, but a text that is long enough for a header");
    let at = whole.windows(15).position(|window| window == b"\"channels\":\"64\"").unwrap();
    let mut wrong = whole.clone();
    wrong[at + 12..at + 14].copy_from_slice(b"63");
    file("wrong", &wrong);
    for (name, expected) in [
        ("cut", "not a safetensors file"),
        ("empty", "not a safetensors file"),
        ("text", "not a safetensors file"),
        ("wrong", "expected [32, 63, 1, 1]"),
        ("absent", "cannot read "),
    ] {
        let output = folder.run(&["--set", &format!("Net.File={name}")], b"name\n");
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            (output.status.code(), text.lines().count(), output.stdout.len()),
            (Some(2), 1, 0),
            "{name}: {text}"
        );
        assert!(text.contains(expected) && text.contains("Net.File") && text.contains(name), "{name}: {text}");
    }
    let output = folder.run(&["--set", "Net.File=data/net.safetensors"], b"name\n");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "= Kifuwarabe UEC14\n\n");
    // nobody asks for it
    let output = folder.run(&["--set", "Net.File=cut", "--set", "Net.Use=false"], b"name\n");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn superko_is_kept_where_boards_repeat_all_the_time() {
    for (side, rules) in [(2, "tromp-taylor"), (3, "tromp-taylor"), (3, "new-zealand"), (4, "chinese-ogs"), (4, "aga")]
    {
        for seed in 1..=4 {
            let mut engine = engine(side, rules, 40);
            engine.player.options.seed = seed;
            engine.player.options.resign = false;
            // a move that repeats a board would be refused by the rules, and end the test
            let moves = self_play(&mut engine, 300);
            assert!(moves < 300, "{rules} on {side}x{side} has no end");
        }
    }
}

/// As on CGOS: there all stones on the board count as alive.
#[test]
fn under_tromp_taylor_rules_no_dead_stones_are_left() {
    let games = if slow_tests() { 50 } else { 4 };
    for seed in 1..=games {
        let mut engine = engine(9, "tromp-taylor", 100);
        engine.player.options.seed = seed;
        engine.player.options.resign = false;
        self_play(&mut engine, 400);
        assert!(engine.position.is_over(), "seed {seed}");
        let board = engine.position.board();
        let dead = classify_stones(board, Color::Black, status_playouts(81)).dead;
        let dead: Vec<_> = dead.iter().collect();
        assert!(
            dead.is_empty(),
            "seed {seed}: {}\n{}",
            board.coordinate().vertices(&dead),
            ask(&mut engine, "showboard")
        );
    }
}

/// What a game is timed by.
#[derive(Clone, Copy, Debug)]
enum Timing {
    ByoYomi,
    Canadian,
    Fischer,
}

/// A clock that a referee keeps.
#[derive(Clone, Copy)]
struct Watch {
    timing: Timing,
    overtime: f64,
    main: f64,
    /// Seconds and moves left in a stretch of Canadian overtime.
    stretch: (f64, u32),
}

const CANADIAN_STONES: u32 = 5;

impl Watch {
    fn new(timing: Timing, main: f64, overtime: f64) -> Watch {
        Watch { timing, overtime, main, stretch: (overtime * f64::from(CANADIAN_STONES), CANADIAN_STONES) }
    }

    fn settings(&self) -> String {
        let Watch { main, overtime, .. } = *self;
        match self.timing {
            Timing::ByoYomi => format!("kgs-time_settings byoyomi {main} {overtime} 1"),
            Timing::Canadian => {
                format!("time_settings {main} {} {CANADIAN_STONES}", overtime * f64::from(CANADIAN_STONES))
            }
            Timing::Fischer => format!("kata-time_settings fischer {main} {overtime}"),
        }
    }

    fn reading(&self) -> (f64, u32) {
        match self.timing {
            _ if self.main > 0.0 => (self.main, 0),
            Timing::ByoYomi => (self.overtime, 1),
            Timing::Canadian => self.stretch,
            Timing::Fischer => (self.main, 0),
        }
    }

    /// Takes a move's time off; false if the game is lost by it.
    fn spend(&mut self, seconds: f64) -> bool {
        let over = seconds - self.main;
        self.main = (-over).max(0.0);
        match self.timing {
            Timing::Fischer => {
                self.main += self.overtime;
                over < 0.0
            }
            _ if over < 0.0 => true,
            Timing::ByoYomi => over < self.overtime,
            Timing::Canadian => {
                self.stretch.0 -= over;
                self.stretch.1 -= 1;
                let is_in_time = self.stretch.0 > 0.0;
                if self.stretch.1 == 0 {
                    self.stretch = (self.overtime * f64::from(CANADIAN_STONES), CANADIAN_STONES);
                }
                is_in_time
            }
        }
    }
}

/// What tells a machine that stands still from a clock that is misread: a thread that does nothing but wake up, and notes
/// when it has been woken late.
#[derive(Default)]
struct Canary {
    wakes: AtomicUsize,
    late: AtomicUsize,
    may_go: AtomicBool,
}

impl Canary {
    /// A wink of sleep.
    const WINK: Duration = Duration::from_millis(1);

    /// How long it has slept then is too long: a quarter of [`LAG`].
    const LATE: Duration = Duration::from_millis(50);

    fn watch(&self) {
        while !self.may_go.load(Ordering::Relaxed) {
            let begin = Instant::now();
            thread::sleep(Canary::WINK);
            self.late.fetch_add(usize::from(begin.elapsed() > Canary::LATE), Ordering::Relaxed);
            self.wakes.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many times it has been late, the sleep in hand included.
    fn late(&self) -> usize {
        let wakes = self.wakes.load(Ordering::Relaxed);
        while self.wakes.load(Ordering::Relaxed) == wakes {
            thread::sleep(Canary::WINK);
        }
        self.late.load(Ordering::Relaxed)
    }
}

/// The seconds held back for what is not the engine's doing, and those of a move in overtime.
const LAG: f64 = 0.2;
const OVERTIME: f64 = 0.3;

/// Plays a game against itself by the clock.
///
/// # Errors
/// If it is lost on time, and not because the machine stood still: where and how.
fn play_by_the_clock(number: usize, main: f64, canary: &Canary) -> Result<(), String> {
    let timing = [Timing::ByoYomi, Timing::Canadian, Timing::Fischer][number % 3];
    let mut engine = engine(9, "chinese", 0);
    engine.player.options.seed = number as u64 + 1;
    engine.player.options.lag_buffer = LAG;
    let mut watches = [Watch::new(timing, main, OVERTIME); 2];
    ask(&mut engine, &watches[0].settings());
    while !engine.position.is_over() && engine.position.record().len() < 160 {
        let color = engine.position.to_move();
        let watch = &mut watches[color.index()];
        let (seconds, stones) = watch.reading();
        ask(&mut engine, &format!("time_left {color} {seconds} {stones}"));
        let late = canary.late.load(Ordering::Relaxed);
        let begin = Instant::now();
        let answer = ask(&mut engine, &format!("genmove {color}"));
        let taken = begin.elapsed().as_secs_f64();
        if !watch.spend(taken) {
            let plies = engine.position.record().len();
            let lost = format!("game {number}, {timing:?}, ply {plies}: {taken} s of {seconds} ({stones})");
            if canary.late() == late {
                return Err(lost);
            }
            eprintln!("SKIPPED: the machine stood still: the rest of {lost}");
            break;
        }
        if answer == "resign" {
            break;
        }
    }
    Ok(())
}

/// Many games at once, which is load enough: each engine has a fraction of a processor. A game that is lost is played once
/// more: what keeps one thread of many waiting need not be felt by the canary.
#[test]
fn no_game_is_lost_on_time_under_load() {
    let (games, at_once, main) = if slow_tests() { (200, 8, 10.0) } else { (6, 6, 0.8) };
    let canary = Canary::default();
    let lost = thread::scope(|scope| {
        scope.spawn(|| canary.watch());
        let play =
            |number| play_by_the_clock(number, main, &canary).or_else(|_| play_by_the_clock(number, main, &canary));
        let players: Vec<_> =
            (0..at_once).map(|first| scope.spawn(move || (first..games).step_by(at_once).try_for_each(play))).collect();
        let lost: Vec<_> = players.into_iter().map(|player| player.join()).collect();
        canary.may_go.store(true, Ordering::Relaxed);
        lost
    });
    for lost in lost {
        assert_eq!(lost.unwrap(), Ok(()));
    }
}

#[test]
fn a_line_ends_a_search_and_the_end_of_input_does() {
    let folder = Folder::new();
    let mut engine = Running::start(folder.command(&["--set", "Search.Seconds=3600"]));
    let begin = Instant::now();
    let stdin = engine.stdin.as_mut().unwrap();
    stdin.write_all(b"boardsize 9\ngenmove b\n# interrupt\n").unwrap();
    assert_eq!(engine.hear(), "=");
    let played = engine.hear();
    assert!(played.starts_with("= ") && played.len() >= 4, "{played}");
    assert_eq!(engine.ask("name"), "= Kifuwarabe UEC14");
    engine.stdin.as_mut().unwrap().write_all(b"genmove w\n").unwrap();
    drop(engine.stdin.take());
    assert!(engine.hear().starts_with("= "));
    assert_eq!(engine.end().0, Some(0));
    assert!(begin.elapsed() < Duration::from_secs(600));
}

/// The tree's bound holds for the process, but for what it is itself.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_within_its_bound() {
    let peak = |megabytes: &str, playouts: &str| -> u64 {
        let folder = Folder::new();
        let mut engine = Running::start(folder.command(&["--set", megabytes, "--set", playouts]));
        engine.ask("boardsize 9");
        assert!(engine.ask("genmove b").starts_with("= "));
        let status = std::fs::read_to_string(format!("/proc/{}/status", engine.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap().to_owned();
        assert_eq!(engine.ask("quit"), "=");
        let log = folder.read(JSON_LOG);
        let visits: u64 = playouts.split('=').next_back().unwrap().parse().unwrap();
        assert!(log.contains(&format!("\"playouts\":{visits},")), "it searches on: {log}");
        line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
    };
    let without = peak("Search.MemoryMB=16", "Search.MaxPlayouts=10");
    let full = peak("Search.MemoryMB=16", "Search.MaxPlayouts=30000");
    assert!(full > without + 8, "{full} MiB, {without} without a tree: it never came near its bound");
    assert!(full <= without + 16, "{full} MiB, {without} without a tree");
}
