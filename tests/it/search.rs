//! The engine as a player: its moves and scores, its use of time and memory, and its reactions to input during a
//! search.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use kifuwarabe_uec14::gtp::{Engine, run};
use kifuwarabe_uec14::kernel::{Color, GameRule};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::player::{SearchTrace, classify_stones, status_playouts};
use kifuwarabe_uec14::protocol::line::Request;

use crate::engine::{Folder, JSON_LOG, answer, ask, engine_with, memory, start};
use crate::support::{skipped, slow_tests, tiny_katago_net};

fn engine(side: u8, rules: &str, playouts: u64) -> Engine {
    let rule = GameRule::with_komi(7.5).with_rule_set(rules).unwrap();
    let mut engine = engine_with(side, rule, playouts);
    engine.player.options.seed = 5;
    engine
}

/// Plays a game against itself until two passes or `max_moves` moves; gives the number of moves.
fn self_play(engine: &mut Engine, max_moves: usize) -> usize {
    while !engine.position.is_over() && engine.position.record().len() < max_moves {
        let color = engine.position.to_move();
        ask(engine, &format!("genmove {color}"));
    }
    engine.position.record().len()
}

#[test]
fn extreme_komi_scores_as_a_million_points() {
    for net in [None, Some(Net::built_in().unwrap())] {
        let mut engine = engine(5, "chinese", 40);
        engine.player.net = net;
        let refused = "? unexpected komi:1000001, expected -1000000 to 1000000";
        assert_eq!(answer(&mut engine, "komi 1000001"), refused);
        let refused = "? unexpected komi:-1e7, expected -1000000 to 1000000";
        assert_eq!(answer(&mut engine, "komi -1e7").trim_end(), refused);
        for (komi, score, winner) in [("1e6", "W+", -1.0), ("-1e6", "B+", 1.0)] {
            ask(&mut engine, &format!("komi {komi}"));
            assert_eq!(ask(&mut engine, "get_komi").parse::<f64>(), komi.parse());
            let answer = ask(&mut engine, "final_score");
            let margin = answer.strip_prefix(score).and_then(|margin| margin.parse::<f64>().ok());
            assert!(margin.is_some_and(|margin| (margin - 1e6).abs() <= 25.0), "{answer}");
            let line = ask(&mut engine, "kata-search_analyze b rootInfo true");
            assert!(!line.contains("inf ") && !line.contains("NaN"), "{line}");
            let lead = line.split(" scoreLead ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
            assert!((lead.parse::<f64>().unwrap() * winner - 1e6).abs() <= 25.0, "{line}");
        }
    }
}

#[test]
fn equal_seeds_give_equal_games() {
    let game = || {
        let mut engine = engine(9, "chinese", 60);
        self_play(&mut engine, 12);
        ask(&mut engine, "record")
    };
    assert_eq!(game(), game());
}

#[test]
fn equal_seeds_give_equal_games_with_the_net() {
    let game = |net: Option<Arc<Net>>| {
        let mut engine = engine(9, "chinese", 30);
        engine.player.net = net;
        self_play(&mut engine, 8);
        ask(&mut engine, "record")
    };
    let net = Net::built_in().unwrap();
    let with_net = game(Some(net.clone()));
    assert_eq!(game(Some(net)), with_net);
    assert_ne!(game(None), with_net);
}

#[test]
fn with_the_net_the_first_moves_are_in_the_corners() {
    let mut engine = engine(19, "chinese", 60);
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
fn free_handicap_stones_are_placed_by_the_search() {
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
    // a refused command does not search
    engine.player.trace = SearchTrace::recording();
    let refused = run(&mut engine, &Request::parse("place_free_handicap 4").unwrap()).unwrap_err();
    assert_eq!((refused.text.as_str(), engine.player.trace.take().len()), ("board not empty", 0));
    ask(&mut engine, "clear_board");
    assert_eq!(ask(&mut engine, "place_free_handicap 40").split(' ').count(), 40);
    // on a small board a search uses no net
    engine.player.trace = SearchTrace::recording();
    ask(&mut engine, "boardsize 5");
    assert_eq!(ask(&mut engine, "place_free_handicap 4").split(' ').count(), 4);
    assert_eq!(engine.player.trace.take().len(), 0);
}

#[test]
fn an_invalid_net_file_prints_one_line_and_exits_with_2() {
    let folder = Folder::new();
    let file = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let whole = std::fs::read(folder.path().join("data/net.safetensors")).unwrap();
    file("cut", &whole[..whole.len() - 2]);
    file("empty", b"");
    file("text", b"no net at all, but a text that is long enough for a header");
    let at = whole.windows(16).position(|window| window == b"\"channels\":\"128\"").unwrap();
    let mut wrong = whole.clone();
    wrong[at + 12..at + 15].copy_from_slice(b"127");
    file("wrong", &wrong);
    let at = whole.windows(13).position(|window| window == b"\"planes\":\"22\"").unwrap();
    let mut unknown = whole.clone();
    unknown[at + 10..at + 12].copy_from_slice(b"21");
    file("unknown", &unknown);
    for (name, expected) in [
        ("cut", "not a safetensors file"),
        ("empty", "not a safetensors file"),
        ("text", "not a safetensors file"),
        ("wrong", "tensor stem.weight has shape [128, 22, 3, 3], expected [127, 22, 3, 3]"),
        ("unknown", "planes \"21\", expected 20 or 22"),
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
    // a disabled net is not read
    let output = folder.run(&["--set", "Net.File=cut", "--set", "Net.Use=false"], b"name\n");
    assert_eq!(output.status.code(), Some(0));
}

/// The current nets of KataGo have files of 94 MB and more.
#[test]
fn a_net_file_may_be_larger_than_64_mib() {
    let folder = Folder::new();
    let text = std::fs::read(tiny_katago_net()).unwrap();
    let mut file = std::fs::File::create(folder.path().join("large.txt.gz")).unwrap();
    file.write_all(&text).unwrap();
    let mut stored = flate2::write::GzEncoder::new(file, flate2::Compression::none());
    stored.write_all(&vec![b'\n'; 65 << 20]).unwrap();
    stored.finish().unwrap();
    let output = folder.run(&["--set", "Net.File=large.txt.gz"], b"name\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "= Kifuwarabe UEC14\n\n", "{output:?}");
}

#[test]
fn games_under_superko_end_on_small_boards() {
    for (side, rules) in [(2, "tromp-taylor"), (3, "tromp-taylor"), (3, "new-zealand"), (4, "chinese-ogs"), (4, "aga")]
    {
        for seed in 1..=4 {
            let mut engine = engine(side, rules, 40);
            engine.player.options.seed = seed;
            engine.player.options.resign = false;
            // a move that repeats a board would be illegal and fail the test
            let moves = self_play(&mut engine, 300);
            assert!(moves < 300, "{rules} on {side}x{side} does not end");
        }
    }
}

/// CGOS scores all stones on the board as alive.
#[test]
fn under_tromp_taylor_rules_no_dead_stones_remain() {
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

/// The time system of a game.
#[derive(Clone, Copy, Debug)]
enum Timing {
    ByoYomi,
    Canadian,
    Fischer,
}

/// A game clock as a referee keeps it.
#[derive(Clone, Copy)]
struct GameClock {
    timing: Timing,
    overtime: f64,
    main: f64,
    /// Seconds and moves left in the period of Canadian overtime.
    period: (f64, u32),
}

const CANADIAN_STONES: u32 = 5;

impl GameClock {
    fn new(timing: Timing, main: f64, overtime: f64) -> GameClock {
        GameClock { timing, overtime, main, period: (overtime * f64::from(CANADIAN_STONES), CANADIAN_STONES) }
    }

    fn settings(&self) -> String {
        let GameClock { main, overtime, .. } = *self;
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
            Timing::Canadian => self.period,
            Timing::Fischer => (self.main, 0),
        }
    }

    /// Subtracts the time of a move; false if the game is lost on time.
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
                self.period.0 -= over;
                self.period.1 -= 1;
                let is_in_time = self.period.0 > 0.0;
                if self.period.1 == 0 {
                    self.period = (self.overtime * f64::from(CANADIAN_STONES), CANADIAN_STONES);
                }
                is_in_time
            }
        }
    }
}

/// Detects a stalled machine: a thread that sleeps for short intervals and counts late wake-ups.
#[derive(Default)]
struct Canary {
    wakes: AtomicUsize,
    late: AtomicUsize,
    must_end: AtomicBool,
}

impl Canary {
    /// The intended length of a sleep.
    const SLEEP: Duration = Duration::from_millis(1);

    /// A longer sleep is late: a quarter of [`LAG`].
    const LATE: Duration = Duration::from_millis(50);

    fn run(&self) {
        while !self.must_end.load(Ordering::Relaxed) {
            let begin = Instant::now();
            thread::sleep(Canary::SLEEP);
            self.late.fetch_add(usize::from(begin.elapsed() > Canary::LATE), Ordering::Relaxed);
            self.wakes.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The number of late wake-ups, including the sleep in progress.
    fn late(&self) -> usize {
        let wakes = self.wakes.load(Ordering::Relaxed);
        while self.wakes.load(Ordering::Relaxed) == wakes {
            thread::sleep(Canary::SLEEP);
        }
        self.late.load(Ordering::Relaxed)
    }
}

/// The configured lag buffer and the overtime per move, in seconds.
const LAG: f64 = 0.2;
const OVERTIME: f64 = 0.3;

/// The end of a game on the clock, with a description of the move that lost it.
#[derive(Debug)]
enum ClockGame {
    Completed,
    /// A side lost on time while the machine stalled: the canary was late.
    Stalled(String),
    /// A side lost on time although the canary was not late.
    Lost(String),
}

/// Plays a game against itself on the clock.
fn play_on_the_clock(number: usize, main: f64, canary: &Canary) -> ClockGame {
    let timing = [Timing::ByoYomi, Timing::Canadian, Timing::Fischer][number % 3];
    let mut engine = engine(9, "chinese", 0);
    engine.player.options.seed = number as u64 + 1;
    engine.player.options.lag_buffer = LAG;
    let mut clocks = [GameClock::new(timing, main, OVERTIME); 2];
    ask(&mut engine, &clocks[0].settings());
    while !engine.position.is_over() && engine.position.record().len() < 160 {
        let color = engine.position.to_move();
        let clock = &mut clocks[color.index()];
        let (seconds, stones) = clock.reading();
        ask(&mut engine, &format!("time_left {color} {seconds} {stones}"));
        let late = canary.late.load(Ordering::Relaxed);
        let begin = Instant::now();
        let answer = ask(&mut engine, &format!("genmove {color}"));
        let taken = begin.elapsed().as_secs_f64();
        if !clock.spend(taken) {
            let plies = engine.position.record().len();
            let lost = format!("game {number}, {timing:?}, ply {plies}: {taken} s of {seconds} ({stones})");
            return if canary.late() == late { ClockGame::Lost(lost) } else { ClockGame::Stalled(lost) };
        }
        if answer == "resign" {
            break;
        }
    }
    ClockGame::Completed
}

/// The concurrent games are the load: each engine has a fraction of a processor. A lost game is repeated once, because
/// a delay of one thread may not delay the canary; so is a game in which the machine stalled. Of all games a third has to
/// be completed.
#[test]
fn no_game_is_lost_on_time_under_load() {
    let (games, at_once, main) = if slow_tests() { (200, 8, 10.0) } else { (6, 6, 0.8) };
    let canary = Canary::default();
    let play = |number| match play_on_the_clock(number, main, &canary) {
        ClockGame::Completed => ClockGame::Completed,
        ClockGame::Stalled(lost) | ClockGame::Lost(lost) => {
            eprintln!("repeated: {lost}");
            play_on_the_clock(number, main, &canary)
        }
    };
    let play_all = |first| (first..games).step_by(at_once).map(play).collect::<Vec<_>>();
    let ends = thread::scope(|scope| {
        scope.spawn(|| canary.run());
        let players: Vec<_> = (0..at_once).map(|first| scope.spawn(move || play_all(first))).collect();
        let ends: Vec<_> = players.into_iter().map(|player| player.join()).collect();
        canary.must_end.store(true, Ordering::Relaxed);
        ends
    });
    let mut completed = 0;
    for end in ends.into_iter().flat_map(Result::unwrap) {
        match end {
            ClockGame::Completed => completed += 1,
            ClockGame::Stalled(lost) => skipped(&format!("the machine stalled: the rest of {lost}")),
            ClockGame::Lost(lost) => panic!("{lost}"),
        }
    }
    assert!(completed >= games / 3, "{completed} of {games} games were completed, in the others the machine stalled");
}

#[test]
fn an_interrupt_and_the_end_of_input_end_a_search() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Search.Seconds=3600"]);
    let begin = Instant::now();
    let stdin = engine.stdin.as_mut().unwrap();
    stdin.write_all(b"boardsize 9\ngenmove b\n# interrupt\n").unwrap();
    assert_eq!(engine.read_answer(), "=");
    let played = engine.read_answer();
    assert!(played.starts_with("= ") && played.len() >= 4, "{played}");
    assert_eq!(engine.ask("name"), "= Kifuwarabe UEC14");
    engine.stdin.as_mut().unwrap().write_all(b"genmove w\n").unwrap();
    drop(engine.stdin.take());
    assert!(engine.read_answer().starts_with("= "));
    assert_eq!(engine.end().0, Some(0));
    assert!(begin.elapsed() < Duration::from_secs(600));
}

/// A search of so many visits would take hours.
/// The end of the input does not stop a count, unlike a search.
#[test]
fn an_interrupt_ends_a_count() {
    let folder = Folder::new();
    for (input, expected) in
        [("final_score\n# interrupt\nname\n", "? interrupted before the score was counted"), ("final_score\n", "= ")]
    {
        let output = folder.run(&[], input.as_bytes());
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.starts_with(expected), "{input}: {text}");
    }
}

#[test]
fn an_interrupt_ends_a_benchmark() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Game.BoardSize=9", &format!("Net.File={}", tiny_katago_net().display())]);
    engine.stdin.as_mut().unwrap().write_all(b"kata-benchmark 1000000\n").unwrap();
    thread::sleep(Duration::from_millis(300));
    engine.stdin.as_mut().unwrap().write_all(b"# interrupt\n").unwrap();
    let answer = engine.read_answer();
    let positions = answer.split_once(" positions, ").and_then(|(before, _)| before.rsplit(' ').next()?.parse().ok());
    assert!(positions.is_some_and(|positions: usize| positions < 10), "{answer}");
    assert_eq!(engine.ask("name"), "= Kifuwarabe UEC14");
    assert_eq!(engine.end().0, Some(0));
}

/// The limit of the tree bounds the growth of the whole process. A search by net ends there.
#[cfg(target_os = "linux")]
#[test]
fn memory_stays_within_the_configured_limit() {
    // a net that fills the memory in a second
    let net = format!("Net.File={}", tiny_katago_net().display());
    let peak = |megabytes: &str, playouts: &str, fills_memory: bool| -> f64 {
        let folder = Folder::new();
        let mut engine = start(&folder, &[megabytes, playouts, &net]);
        engine.ask("boardsize 9");
        assert!(engine.ask("genmove b").starts_with("= "));
        let peak = memory(engine.child.id(), "VmHWM").unwrap();
        assert_eq!(engine.ask("quit"), "=");
        let log = folder.read(JSON_LOG);
        let visits: u64 = playouts.split('=').next_back().unwrap().parse().unwrap();
        assert_eq!(log.contains(&format!("\"playouts\":{visits},")), !fills_memory, "{log}");
        peak
    };
    let without = peak("Search.MemoryMB=16", "Search.MaxPlayouts=10", false);
    let full = peak("Search.MemoryMB=16", "Search.MaxPlayouts=30000", true);
    assert!(full > without + 4.0, "{full} MiB, {without} without a tree: the limit was not reached");
    // tables grow by doubling
    assert!(full <= without + 20.0, "{full} MiB, {without} without a tree");
}

#[test]
fn a_new_game_begins_with_fresh_clocks() {
    let folder = Folder::new();
    let mut engine = engine(9, "chinese", 20);
    let board = folder.path().join("board");
    std::fs::write(&board, format!("{0}\n{1}{0}\n", "+".repeat(11), "+.........+\n".repeat(9))).unwrap();
    let record = folder.path().join("game.sgf");
    std::fs::write(&record, "(;SZ[9];B[cc])").unwrap();
    let (board, record) = (format!("board_set file {}", board.display()), format!("loadsgf {}", record.display()));
    for begin in [
        "boardsize 9",
        "clear_board",
        "set_position b D4",
        "gogui-setup b D4",
        "fixed_handicap 2",
        "place_free_handicap 2",
        "set_free_handicap D4 E5",
        &board,
        &record,
    ] {
        ask(&mut engine, "clear_board");
        ask(&mut engine, "time_settings 60 0 0");
        ask(&mut engine, "time_left b 5 0");
        ask(&mut engine, "time_left w 7.5 0");
        ask(&mut engine, begin);
        let left = Color::BOTH.map(|color| engine.clock.remaining(color).unwrap().main);
        assert_eq!(left, [60.0; 2], "{begin}");
    }
}
