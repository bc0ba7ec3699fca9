//! Commands in random order and timing, analyses among them: every command gets its answer in order, and nothing else
//! is written.
//!
//! A test records all input and output of a process, and checks them against a position of its own.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Move, Position};

use crate::analyze::Report;
use crate::engine::{Folder, MAX_WAIT, Running, set_arguments, start};
use crate::support::slow_tests;

/// The bound of the median wait. An idle machine answers within 0.1 s after an analysis.
const MAX_MEDIAN_WAIT: Duration = Duration::from_secs(2);

/// A line that was sent.
struct Sent {
    line: String,
    at: Instant,
    /// The number of the command, from 1; 0 for a line without an answer.
    id: usize,
}

#[test]
fn random_sessions_are_answered_in_order() {
    let sessions = if slow_tests() { 1000 } else { 60 };
    let found = Mutex::new(Measurements::default());
    let at_once = 2;
    thread::scope(|scope| {
        for first in 0..at_once {
            let found = &found;
            scope.spawn(move || {
                for seed in (first..sessions).step_by(at_once) {
                    let Measurements { waits, reports } = run_session(seed as u64);
                    let mut all = found.lock().unwrap();
                    all.waits.extend(waits);
                    all.reports += reports;
                }
            });
        }
    });
    let Measurements { mut waits, reports } = found.into_inner().unwrap();
    waits.sort();
    assert!(
        waits.len() > sessions && reports > sessions / 4,
        "{} analyses ended by a command, {reports} reports",
        waits.len()
    );
    let [median, nearly_all, last] = [50, 99, 100].map(|part| waits[(waits.len() * part / 100).min(waits.len() - 1)]);
    eprintln!("{sessions} sessions, {reports} reports, {} analyses ended by a command", waits.len());
    eprintln!("the answer came after {median:?}, 99% within {nearly_all:?}, all within {last:?}");
    assert!(median < MAX_MEDIAN_WAIT && last < MAX_WAIT, "{median:?}, {last:?}");
}

#[test]
fn any_line_ends_an_analysis_but_only_an_interrupt_ends_genmove() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Game.BoardSize=7", "Search.Seconds=3600"]);
    let send = |engine: &mut Running, line: &str| {
        engine.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
        Instant::now()
    };
    for analyze in ["lz-analyze b 1", "kata-analyze", "lz-analyze interval 100000"] {
        for line in ["", " ", "\t", "\r", "# a comment", "  # interrupt", "#"] {
            send(&mut engine, analyze);
            thread::sleep(Duration::from_millis(30));
            let sent = send(&mut engine, line);
            assert!(engine.read_answer().starts_with('='));
            assert!(sent.elapsed() < MAX_WAIT, "{analyze} {line:?}: {:?}", sent.elapsed());
        }
    }
    for genmove in ["kata-genmove_analyze b 5", "lz-genmove_analyze w 5", "kata-search_analyze b 5"] {
        send(&mut engine, genmove);
        send(&mut engine, "");
        send(&mut engine, "protocol_version");
        assert!(engine.read_line().starts_with('='));
        for _ in 0..2 {
            let line = engine.read_line();
            assert!(line.starts_with("info "), "the search continues: {line}");
        }
        let sent = send(&mut engine, "# interrupt");
        let answer = engine.read_answer();
        assert!(answer.lines().last().unwrap().starts_with("play "), "{answer}");
        assert!(sent.elapsed() < MAX_WAIT, "{:?}", sent.elapsed());
        assert_eq!(engine.read_answer(), "= 2");
    }
    // the end of input ends an analysis, too
    send(&mut engine, "lz-analyze 1");
    thread::sleep(Duration::from_millis(100));
    let ended = Instant::now();
    assert_eq!(engine.end(), (Some(0), String::new()));
    assert!(ended.elapsed() < MAX_WAIT, "{:?}", ended.elapsed());
}

/// Measurements of sessions.
#[derive(Default)]
struct Measurements {
    /// The time to the answer of each command that ended an analysis.
    waits: Vec<Duration>,
    /// The number of lines that analyses have reported.
    reports: usize,
}

/// Runs one random session.
fn run_session(seed: u64) -> Measurements {
    let mut rng = Rng::with_seed(seed);
    let side = *rng.choice(&[5, 7, 9]).unwrap();
    let folder = Folder::new();
    let settings = [
        format!("Game.BoardSize={side}"),
        format!("Search.Ponder={}", rng.bool()),
        format!("Net.Use={}", rng.bool()),
        format!("Search.Threads={}", rng.u8(1..3)),
        format!("Search.Seconds={}", [0.001, 0.02][rng.usize(..2)]),
        format!("Search.Seed={}", seed + 1),
    ];
    let arguments = set_arguments(&settings.each_ref().map(String::as_str));
    let mut child =
        folder.command(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let reader = thread::spawn(move || stdout.lines().map(|line| (line.unwrap(), Instant::now())).collect::<Vec<_>>());

    let mut stdin = child.stdin.take().unwrap();
    let mut sent: Vec<Sent> = Vec::new();
    let ends_with_quit = rng.bool();
    for number in 0..rng.usize(4..16) {
        let mut line = if number == 0 { "lz-analyze 1".to_owned() } else { command(&mut rng, side) };
        let is_command = !line.trim().is_empty() && !line.trim().starts_with('#');
        let id = if is_command { sent.iter().map(|sent| sent.id).max().unwrap_or(0) + 1 } else { 0 };
        if is_command {
            line = format!("{id} {line}");
        }
        send(&mut stdin, &mut sent, line, id);
        if rng.u8(..3) > 0 {
            thread::sleep(Duration::from_millis(rng.u64(..25)));
        }
    }
    if ends_with_quit {
        let id = sent.iter().map(|sent| sent.id).max().unwrap_or(0) + 1;
        send(&mut stdin, &mut sent, format!("{id} quit"), id);
    }
    drop(stdin);
    let end = Instant::now();
    let output = reader.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "session {seed}");
    assert!(end.elapsed() < MAX_WAIT, "session {seed}: no end");
    let mut stderr = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut stderr).unwrap();
    assert_eq!(stderr, "", "session {seed}");
    check(seed, side, &sent, &output)
}

fn send(stdin: &mut impl Write, sent: &mut Vec<Sent>, line: String, id: usize) {
    let bytes = format!("{line}\n");
    sent.push(Sent { line, at: Instant::now(), id });
    stdin.write_all(bytes.as_bytes()).unwrap();
    stdin.flush().unwrap();
}

fn command(rng: &mut Rng, side: u8) -> String {
    let color = ["b", "w"][rng.usize(..2)];
    let vertex = format!(
        "{}{}",
        &"ABCDEFGHJ"[..usize::from(side)].chars().nth(rng.usize(..usize::from(side))).unwrap(),
        rng.u8(1..=side)
    );
    match rng.u8(..16) {
        0 | 1 => "lz-analyze 1".to_owned(),
        2 => format!("kata-analyze {color} 2 ownership true pvVisits true"),
        3 => format!("lz-analyze {color} interval 1 avoid {color} {vertex} 3 maxmoves 4"),
        4 => "kata-analyze".to_owned(),
        5 => format!("kata-genmove_analyze {color} 1"),
        6 => "kata-search_analyze".to_owned(),
        7 => format!("genmove {color}"),
        8 => "undo".to_owned(),
        9 => String::new(),
        10 => [" ", "\t", "\r"][rng.usize(..3)].to_owned(),
        11 => ["# a comment", "  #", "# interrupt"][rng.usize(..3)].to_owned(),
        12 => "lz-analyze nonsense".to_owned(),
        13 => "record".to_owned(),
        _ => format!("play {color} {vertex}"),
    }
}

/// Compares output and input, command by command.
fn check(seed: u64, side: u8, sent: &[Sent], output: &[(String, Instant)]) -> Measurements {
    let coordinate = Coordinate::square(side).unwrap();
    let mut position =
        Position::new(coordinate, GameRule::with_komi(6.5).with_rule_set("chinese").unwrap(), 722, Color::Black);
    let mut output = output.iter();
    let mut found = Measurements::default();
    // the start of the analysis that the command ends
    let mut analysis: Option<Instant> = None;
    for Sent { line, at, id } in sent.iter().filter(|sent| sent.id > 0) {
        let context = |found: &str| format!("session {seed}: {line}: {found}");
        let mut answer: Vec<(&str, Instant)> = Vec::new();
        loop {
            let (line, at) = output.next().unwrap_or_else(|| panic!("{}", context("no answer")));
            if line.is_empty() {
                break;
            }
            answer.push((line, *at));
        }
        let &(opening, opened) = answer.first().unwrap_or_else(|| panic!("{}", context("an empty line")));
        let is_success = opening.starts_with('=');
        let text = opening[1..].strip_prefix(&id.to_string()).and_then(|rest| rest.strip_prefix(' '));
        let text = text.unwrap_or_else(|| panic!("{}", context(opening)));
        let rest: Vec<&str> = answer.iter().skip(1).map(|(line, _)| *line).collect();
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let color = words.get(1).and_then(|word| Color::parse(word)).unwrap_or(position.to_move());
        match words[0] {
            "lz-analyze" | "kata-analyze" | "kata-genmove_analyze" | "kata-search_analyze"
                if words.get(1) != Some(&"nonsense") =>
            {
                assert!(is_success && text.is_empty(), "{}", context(opening));
                let (infos, play) = match rest.split_last() {
                    Some((last, infos)) if !words[0].ends_with("-analyze") => (infos, last.strip_prefix("play ")),
                    _ => (&rest[..], None),
                };
                found.reports += infos.len();
                for info in infos {
                    check_moves(&position, color, info, &context(info));
                }
                if words[0].ends_with("genmove_analyze") {
                    make(&mut position, color, play.unwrap_or_else(|| panic!("{}", context("no move"))));
                }
            }
            name => {
                assert!(rest.is_empty(), "{}", context(&rest.join("\n")));
                match name {
                    "play" => {
                        let point = coordinate.parse_vertex(words[2]).unwrap();
                        assert_eq!(position.play(color, point).is_ok(), is_success, "{}", context(opening));
                    }
                    "undo" => assert_eq!(position.undo().is_ok(), is_success, "{}", context(opening)),
                    "genmove" => make(&mut position, color, text),
                    "record" => assert_eq!(text, format!("record:'{}'", position.record().text(coordinate))),
                    "quit" => assert!(is_success && text.is_empty()),
                    _ => assert!(!is_success, "{}", context(opening)),
                }
            }
        }
        if let Some(begin) = analysis
            && !words[0].contains("genmove")
        {
            found.waits.push(opened.saturating_duration_since(begin.max(*at)));
        }
        analysis = (words[0].ends_with("-analyze") && is_success).then_some(opened);
    }
    assert_eq!(output.next(), None, "session {seed}: something after the last answer");
    found
}

/// The moves of a report are legal in its position.
fn check_moves(position: &Position, color: Color, info: &str, context: &str) {
    let coordinate = position.board().coordinate();
    for segment in &Report::parse(info).moves {
        let mut line = position.clone();
        for (vertex, number) in segment.variation.iter().zip(0..) {
            let color = if number % 2 == 0 { color } else { color.opponent() };
            let play = Move::parse(vertex, coordinate).unwrap();
            assert_eq!(line.make_move(color, play), Ok(()), "{context}");
        }
    }
}

/// Plays a move that the engine has chosen.
fn make(position: &mut Position, color: Color, text: &str) {
    match Move::parse(text, position.board().coordinate()) {
        Ok(play) => position.make_move(color, play).unwrap(),
        Err(_) => assert_eq!(text, "resign"),
    }
}
