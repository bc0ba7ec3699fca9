//! Commands in any order and at any moment, an analysis among them: whatever comes when, each command gets its answer,
//! in its place, and nothing else is said.
//!
//! Everything is written to a process and all it says is read; a position beside it says what must hold.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Move, Position};

use crate::analyze::Report;
use crate::engine::{Folder, Running};
use crate::support::slow_tests;

/// What has not come by then does not come: a machine that runs other tests beside is slow at times.
const PATIENCE: Duration = Duration::from_secs(20);

/// Half of all waits are no longer. An idle machine answers within a tenth of a second after an analysis.
const PROMPT: Duration = Duration::from_secs(2);

/// A command as it was sent, or what is no command.
struct Sent {
    line: String,
    at: Instant,
    /// Which of the commands it is, counted from 1; 0 for a line that gets no answer.
    id: usize,
}

#[test]
fn random_mixes_stay_in_step() {
    let mixes = if slow_tests() { 1000 } else { 100 };
    let found = Mutex::new(Found::default());
    let at_once = 2;
    thread::scope(|scope| {
        for first in 0..at_once {
            let found = &found;
            scope.spawn(move || {
                for seed in (first..mixes).step_by(at_once) {
                    let Found { waits, reports } = mix(seed as u64);
                    let mut all = found.lock().unwrap();
                    all.waits.extend(waits);
                    all.reports += reports;
                }
            });
        }
    });
    let Found { mut waits, reports } = found.into_inner().unwrap();
    waits.sort();
    assert!(
        waits.len() > mixes && reports > mixes / 4,
        "{} analyses ended by a command, {reports} reports",
        waits.len()
    );
    let [middle, most, last] = [50, 99, 100].map(|part| waits[(waits.len() * part / 100).min(waits.len() - 1)]);
    eprintln!("{mixes} mixes, {reports} reports, {} analyses ended by a command", waits.len());
    eprintln!("the answer came after {middle:?}, 99% within {most:?}, all within {last:?}");
    assert!(middle < PROMPT && last < PATIENCE, "{middle:?}, {last:?}");
}

#[test]
fn any_line_ends_an_analysis_and_only_an_interrupt_a_search_for_a_move() {
    let folder = Folder::new();
    let mut engine = Running::start(folder.command(&["--set", "Game.BoardSize=7", "--set", "Search.Seconds=3600"]));
    let send = |engine: &mut Running, line: &str| {
        engine.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
        Instant::now()
    };
    for analyze in ["lz-analyze b 1", "kata-analyze", "lz-analyze interval 100000"] {
        for line in ["", " ", "\t", "\r", "# a comment", "  # interrupt", "#"] {
            send(&mut engine, analyze);
            thread::sleep(Duration::from_millis(30));
            let sent = send(&mut engine, line);
            assert!(engine.hear().starts_with('='));
            assert!(sent.elapsed() < PATIENCE, "{analyze} {line:?}: {:?}", sent.elapsed());
        }
    }
    for genmove in ["kata-genmove_analyze b 5", "lz-genmove_analyze w 5", "kata-search_analyze b 5"] {
        send(&mut engine, genmove);
        send(&mut engine, "");
        send(&mut engine, "protocol_version");
        assert!(engine.hear_line().starts_with('='));
        for _ in 0..2 {
            let line = engine.hear_line();
            assert!(line.starts_with("info "), "it goes on: {line}");
        }
        let sent = send(&mut engine, "# interrupt");
        let answer = engine.hear();
        assert!(answer.lines().last().unwrap().starts_with("play "), "{answer}");
        assert!(sent.elapsed() < PATIENCE, "{:?}", sent.elapsed());
        assert_eq!(engine.hear(), "= 2");
    }
    // the end of input is as good as a line
    send(&mut engine, "lz-analyze 1");
    thread::sleep(Duration::from_millis(100));
    let ended = Instant::now();
    assert_eq!(engine.end(), (Some(0), String::new()));
    assert!(ended.elapsed() < PATIENCE, "{:?}", ended.elapsed());
}

/// What came of sessions.
#[derive(Default)]
struct Found {
    /// How long each command waited for its answer that came in the middle of an analysis.
    waits: Vec<Duration>,
    /// Lines that analyses have said.
    reports: usize,
}

/// One session.
fn mix(seed: u64) -> Found {
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
    let arguments: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
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
    let said = reader.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "mix {seed}");
    assert!(end.elapsed() < PATIENCE, "mix {seed}: no end");
    let mut stderr = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut stderr).unwrap();
    assert_eq!(stderr, "", "mix {seed}");
    check(seed, side, &sent, &said)
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

/// Reads what was said beside what was sent, command by command.
fn check(seed: u64, side: u8, sent: &[Sent], said: &[(String, Instant)]) -> Found {
    let coordinate = Coordinate::square(side).unwrap();
    let mut position = Position::new(coordinate, GameRule::with_komi(6.5).named("chinese").unwrap(), 722, Color::Black);
    let mut said = said.iter();
    let mut found = Found::default();
    // when the analysis began that the command ends
    let mut analysis: Option<Instant> = None;
    for Sent { line, at, id } in sent.iter().filter(|sent| sent.id > 0) {
        let context = |found: &str| format!("mix {seed}: {line}: {found}");
        let mut answer: Vec<(&str, Instant)> = Vec::new();
        loop {
            let (line, at) = said.next().unwrap_or_else(|| panic!("{}", context("no answer")));
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
    assert_eq!(said.next(), None, "mix {seed}: something after the last answer");
    found
}

/// The moves of a report can be made where they are told of.
fn check_moves(position: &Position, color: Color, info: &str, context: &str) {
    let coordinate = position.board().coordinate();
    for segment in &Report::parse(info).moves {
        let mut line = position.clone();
        for (vertex, number) in segment.variation.iter().zip(0..) {
            let color = if number % 2 == 0 { color } else { color.opponent() };
            match coordinate.parse_vertex(vertex) {
                Ok(point) => assert_eq!(line.play(color, point), Ok(()), "{context}"),
                Err(_) => line.pass(color),
            }
        }
    }
}

/// Makes a move that the engine has made.
fn make(position: &mut Position, color: Color, text: &str) {
    let coordinate = position.board().coordinate();
    match coordinate.parse_vertex(text).map(Move::Play) {
        Ok(Move::Play(point)) => position.play(color, point).unwrap(),
        _ if text == "pass" => position.pass(color),
        _ => assert_eq!(text, "resign"),
    }
}
