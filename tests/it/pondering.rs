//! Pondering: its visits count for the next search, any line ends it, and answers do not depend on it.

use std::io::Write;
use std::thread;
use std::time::{Duration, Instant};

use crate::engine::{self, Folder, JSON_LOG, MAX_WAIT, Running};

/// An engine on 7x7 with 100 playouts per move, with or without pondering.
fn start(folder: &Folder, ponders: bool, threads: u8) -> Running {
    let settings = [
        "Game.BoardSize=7".to_owned(),
        "Search.MaxPlayouts=100".to_owned(),
        "Search.Seed=3".to_owned(),
        "Net.Use=false".to_owned(),
        format!("Search.Ponder={ponders}"),
        format!("Search.Threads={threads}"),
    ];
    engine::start(folder, &settings.each_ref().map(String::as_str))
}

/// The last answer in the log that came from a search.
fn last_search(folder: &Folder) -> serde_json::Value {
    let log = folder.read(JSON_LOG);
    let line = log.lines().rfind(|line| line.contains("\"msg\":\"output\"") && line.contains("\"playouts\":")).unwrap();
    serde_json::from_str(line).unwrap()
}

/// The visits of two searches, after the engine's move and a pause: a search for the opponent, and the engine's next
/// search after the opponent has played the move found.
fn visits_after(pause: Duration, ponders: bool, genmove: &str) -> [u64; 2] {
    let folder = Folder::new();
    let mut engine = start(&folder, ponders, 1);
    assert!(engine.ask(&format!("{genmove} b")).starts_with('='));
    thread::sleep(pause);
    let visits = || last_search(&folder)["visits"].as_u64().unwrap();
    let found = engine.ask("kata-search_analyze w");
    let reply = found.rsplit(' ').next().unwrap();
    let before = visits();
    assert_eq!(engine.ask(&format!("play w {reply}")), "=");
    assert!(engine.ask("genmove b").starts_with("= "));
    [before, visits()]
}

#[test]
fn pondering_adds_visits_to_the_next_search() {
    let a_while = Duration::from_millis(500);
    let without = visits_after(a_while, false, "genmove");
    assert!((100..=200).contains(&without[0]) && (100..=300).contains(&without[1]), "{without:?}");
    for genmove in ["genmove", "genmove_debug", "kata-genmove_analyze", "lz-genmove_analyze", "kgs-genmove_cleanup"] {
        // a slow machine needs longer
        let found = [a_while, 10 * a_while, 100 * a_while].map(|pause| move || visits_after(pause, true, genmove));
        let is_more = |with: [u64; 2]| with[0] > 400 && with[1] > without[1];
        assert!(found.iter().any(|with| is_more(with())), "{genmove}: no more than {without:?} visits");
    }
    assert_eq!(visits_after(a_while, true, "reg_genmove")[0], 100, "reg_genmove does not ponder");
}

#[test]
fn answers_do_not_depend_on_pondering() {
    let session = |ponders: bool| {
        let folder = Folder::new();
        let mut engine = start(&folder, ponders, 2);
        let mut answers = vec![engine.ask("genmove b")];
        let first = answers[0].strip_prefix("= ").unwrap().to_owned();
        for command in [
            "undo",
            "undo",
            "play b D4",
            "kgs-genmove_cleanup w",
            "undo",
            "record",
            "play w C3",
            "showboard",
            "rendb_dump",
            "kata-get-params",
            "final_score",
            "all_legal b",
            "komi 0.5",
            "boardsize 5",
            "genmove b",
            "clear_board",
            "showboard",
        ] {
            let answer = engine.ask(command);
            // the chosen move may differ, because pondering makes the search stronger
            answers.push(if command.contains("genmove") { String::new() } else { answer });
        }
        assert!(first.len() == 2, "{first}");
        answers[0].clear();
        assert_eq!(engine.ask("quit"), "=");
        let (code, stderr) = engine.end();
        assert_eq!((code, stderr.as_str()), (Some(0), ""));
        let mask = |answer: String| {
            // the option and KataGo's name of it
            let answer = answer.replace("\"Ponder\":true", "\"Ponder\":false");
            answer.replace("\"ponderingEnabled\":true", "\"ponderingEnabled\":false")
        };
        answers.into_iter().map(mask).collect::<Vec<_>>()
    };
    assert_eq!(session(true), session(false));
}

#[test]
fn any_line_and_the_end_of_input_end_pondering() {
    let folder = Folder::new();
    let mut engine = start(&folder, true, 2);
    for line in ["name", "# a comment\nname", "\nname", "undo"] {
        assert!(engine.ask("genmove b").starts_with("= "));
        thread::sleep(Duration::from_millis(100));
        let begin = Instant::now();
        assert!(engine.ask(line).starts_with('='));
        assert!(begin.elapsed() < MAX_WAIT, "{line:?}: {:?}", begin.elapsed());
    }
    for last in ["quit\n", ""] {
        let mut engine = start(&folder, true, 2);
        assert!(engine.ask("genmove b").starts_with("= "));
        thread::sleep(Duration::from_millis(100));
        let begin = Instant::now();
        engine.stdin.as_mut().unwrap().write_all(last.as_bytes()).unwrap();
        assert_eq!(engine.end(), (Some(0), String::new()));
        assert!(begin.elapsed() < MAX_WAIT, "{last:?}: {:?}", begin.elapsed());
    }
}
