//! Streams of an engine process over pipes: analyses at whose start the input ends, searches that a line cancels, and
//! what is written to stderr.
#![cfg(unix)]

use std::io::Write;
use std::time::{Duration, Instant};

use crate::analyze::Report;
use crate::engine::{Folder, Running, start};

const SETTINGS: [&str; 6] = ["--set", "Net.Use=false", "--set", "Log.Console=off", "--set", "Search.Seed=1"];

/// The answer of a new engine to the last of these lines, at which the input ends. The board is small, so that a search
/// has many visits even in a build for tests on a busy machine.
fn last_answer(lines: &str) -> String {
    let output = Folder::new().run(&SETTINGS, format!("boardsize 5\n{lines}").as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    String::from_utf8(output.stdout).unwrap().strip_prefix("= \n\n").unwrap().to_owned()
}

/// The visits of the moves of the only report in an answer.
#[track_caller]
fn visits(answer: &str) -> u32 {
    let lines: Vec<&str> = answer.strip_prefix("= \n").unwrap().strip_suffix("\n\n").unwrap().lines().collect();
    assert_eq!(lines.len(), 1, "{answer}");
    Report::parse(lines[0]).moves.iter().map(|segment| segment.visits()).sum()
}

#[test]
fn an_analysis_reports_although_the_input_ends() {
    let begin = Instant::now();
    for command in
        ["kata-analyze b 10", "kata-analyze b 10\n", "lz-analyze 10", "kata-analyze interval 100 w", "kata-analyze"]
    {
        assert!(visits(&last_answer(command)) >= 50, "{command}");
    }
    assert!(begin.elapsed() < Duration::from_secs(60));
}

/// The next line ends an analysis without an interval; its only line has enough visits all the same.
#[test]
fn the_only_line_of_an_analysis_has_visits() {
    let answer = last_answer("lz-analyze\nname\n");
    let (report, name) = answer.split_once("\n\n").unwrap();
    assert_eq!(name, "= Kifuwarabe UEC14\n\n");
    assert!(visits(&format!("{report}\n\n")) >= 50, "{report}");
}

#[test]
fn a_line_cancels_a_search() {
    let folder = Folder::new();
    let settings = ["Net.Use=false", "Log.Console=off", "Search.Seconds=60"];
    let mut engine = start(&folder, &settings);
    let send = |engine: &mut Running, text: &str| {
        let stdin = engine.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
        stdin.flush().unwrap();
    };
    let begin = Instant::now();
    send(&mut engine, "1 kata-search_cancellable b\n");
    std::thread::sleep(Duration::from_millis(200));
    send(&mut engine, "2 name\n");
    assert_eq!(engine.read_answer(), "=1 cancelled");
    assert_eq!(engine.read_answer(), "=2 Kifuwarabe UEC14");
    // an empty line is a line, too
    send(&mut engine, "3 kata-search_analyze_cancellable b 5\n");
    std::thread::sleep(Duration::from_millis(300));
    send(&mut engine, "\n");
    let answer = engine.read_answer();
    assert!(answer.starts_with("=3 \ninfo move ") && answer.ends_with("\nplay cancelled"), "{answer}");
    assert!(begin.elapsed() < Duration::from_secs(50), "the search was not cancelled");
    assert_eq!(engine.ask("record"), "= record:''");
    assert_eq!(engine.ask("kata-set-param MaxPlayouts 50"), "=");
    let answer = engine.ask("kata-search_cancellable b");
    assert!(answer.len() > 3 && !answer.contains("cancelled"), "{answer}");
    let answer = engine.ask("kata-search_analyze_cancellable b");
    assert!(answer.contains("\nplay ") && !answer.contains("cancelled"), "{answer}");
    assert_eq!(engine.ask("record"), "= record:''");
    assert_eq!(engine.end().0, Some(0));
}

#[test]
fn debug_commands_write_the_search_to_stderr() {
    for (command, moves) in [("genmove_debug b", 1), ("kata-search_debug b", 0), ("kata-search b", 0)] {
        let folder = Folder::new();
        let input = format!("boardsize 5\nkata-set-param MaxPlayouts 60\n{command}\nmove_history\n");
        let output = folder.run(&SETTINGS, input.as_bytes());
        let (answers, stderr) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        let answers: Vec<&str> = answers.split("\n\n").collect();
        let vertex = answers[2].strip_prefix("= ").unwrap();
        assert_eq!(answers[3].contains("black"), moves == 1, "{command}: {answers:?}");
        if !command.contains("debug") {
            assert_eq!(stderr, "");
            continue;
        }
        let lines: Vec<&str> = stderr.lines().collect();
        assert!(lines[0].starts_with("search: 60 visits, 60 playouts, 0 evaluations, "), "{stderr}");
        assert!(lines[1].trim_start().starts_with(&format!("{vertex} ")) && lines.len() > 3, "{vertex}: {stderr}");
        // programs look for these in stderr
        let is_taken = |line: &&str| ["=", "?", "info", "play"].iter().any(|begin| line.starts_with(begin));
        assert!(!lines.iter().any(is_taken) && !stderr.contains(" -> "), "{stderr}");
    }
    let output = Folder::new().run(&SETTINGS, b"echo_err two  words\necho_err\n");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "= two  words\n\n= \n\n");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "two  words\n\n");
    // no line of stderr looks like an answer
    let output = Folder::new().run(&SETTINGS, b"echo_err = D4\necho_err ?\necho_err play D4\necho_err D4 -> 9\n");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "= = D4\n\n= ?\n\n= play D4\n\n= D4 -> 9\n\n");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "echo_err: = D4\necho_err: ?\necho_err: play D4\nD4 => 9\n");
}

/// GUIs end the process if it does not exit some seconds after `quit`.
#[test]
fn quit_ends_a_search_while_the_input_is_open() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Net.Use=false", "Log.Console=off", "Search.Seconds=60"]);
    let begin = Instant::now();
    let stdin = engine.stdin.as_mut().unwrap();
    stdin.write_all(b"1 genmove b\n").unwrap();
    std::thread::sleep(Duration::from_millis(200));
    stdin.write_all(b"2 quit\n").unwrap();
    let answer = engine.read_answer();
    assert!(answer.starts_with("=1 ") && answer.len() > 4, "{answer}");
    assert_eq!(engine.read_answer(), "=2");
    assert_eq!(engine.child.wait().unwrap().code(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(50), "the search went on");
    assert_eq!(engine.end(), (Some(0), String::new()));
}
