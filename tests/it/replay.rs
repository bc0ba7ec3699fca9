//! Replays of JSON logs: equal answers, or a report of the first difference.

mod continued;
mod damaged;
mod games;
mod logs;
mod seeds;

use std::io::Write;
use std::path::Path;
use std::process::Output;
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use kifuwarabe_uec14::gtp::command::Command;
use kifuwarabe_uec14::gtp::table::COMMANDS;
use kifuwarabe_uec14::player::options::RENAMED;
use kifuwarabe_uec14::sgf;
use serde_json::{Map, Value};

use crate::engine::{Folder, JSON_LOG, PLAIN_LOG, set_arguments, start};
use crate::support::slow_tests;

fn replay(folder: &Folder, arguments: &[&str], input: &str) -> Output {
    folder.run(&[&["replay", JSON_LOG], arguments].concat(), input.as_bytes())
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Replays the last session, which must give the same answers and write nothing; gives the report.
#[track_caller]
fn assert_replays(folder: &Folder, arguments: &[&str]) -> String {
    let (plain, json) = (folder.read(PLAIN_LOG), folder.read(JSON_LOG));
    let output = replay(folder, arguments, "");
    let text = stdout(&output);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{text}\n{json}");
    assert_eq!((folder.read(PLAIN_LOG), folder.read(JSON_LOG)), (plain, json), "a replay writes no log");
    text
}

/// A session with time limits in which everything that affects a search changes at random.
fn mixed_session(seed: u64, commands: usize) -> Folder {
    let mut rng = Rng::with_seed(seed);
    let folder = Folder::new();
    let (net, ponder) = (format!("Net.Use={}", rng.bool()), format!("Search.Ponder={}", rng.bool()));
    let side = format!("Game.BoardSize={}", ["5", "7", "9", "7x5"][rng.usize(..4)]);
    let mut engine = start(&folder, &[&net, &ponder, &side, "Search.Seconds=0.03", "Log.Console=off"]);
    let lines = [
        "genmove b",
        "genmove w",
        "1 genmove b",
        "22 kgs-genmove_cleanup w",
        "reg_genmove b",
        "kata-genmove_analyze b 1",
        "lz-genmove_analyze 1 w",
        "kata-search_analyze w 2 ownership true",
        "kifuwarabe-ownership",
        "kifuwarabe-visits",
        "print_board - variation",
        "undo",
        "play b pass",
        "play w A1",
        "play b C3",
        "final_score",
        "showboard",
        "rendb_dump",
        "level 3",
        "level 6",
        "level 10",
        "komi 5.5",
        "kata-set-param MemoryMB 16",
        "kata-set-param Seed 7",
        "kata-set-param Seed 0",
        "kata-set-param MaxPlayouts 30",
        "kata-set-param MaxPlayouts 0",
        "time_left b 1 0",
        "time_settings 10 0 0",
        "time_settings 0 1 0",
        "cputime",
        "clear_board",
        "place_free_handicap 2",
        "nonsense",
        "play b Z9",
        "# interrupt",
        "kata-get-params",
    ];
    let mut expected = 0;
    for _ in 0..commands {
        let line = *rng.choice(&lines).unwrap();
        engine.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
        expected += usize::from(!line.starts_with('#'));
        // some commands wait for the answer, others arrive during a search or pondering
        match rng.u8(..8) {
            0..4 => {
                for _ in 0..std::mem::take(&mut expected) {
                    engine.read_answer();
                }
                thread::sleep(Duration::from_millis(rng.u64(..20)));
            }
            4 => {
                engine.stdin.as_mut().unwrap().write_all(b"kata-analyze 1\n").unwrap();
                expected += 1;
                thread::sleep(Duration::from_millis(rng.u64(..40)));
            }
            _ => thread::sleep(Duration::from_millis(rng.u64(..10))),
        }
    }
    assert_eq!(engine.end(), (Some(0), String::new()));
    folder
}

#[test]
fn timed_sessions_are_replayed_search_by_search() {
    let (sessions, commands) = if slow_tests() { (60, 60) } else { (6, 40) };
    let mut searches = 0;
    for seed in 0..sessions {
        let folder = mixed_session(seed, commands);
        let text = assert_replays(&folder, &[]);
        assert!(text.contains("session 1: ") && text.contains(" 0 with the log's move"), "{text}");
        searches += folder.read(JSON_LOG).matches("\"msg\":\"search\"").count();
    }
    assert!(searches > sessions as usize * 5, "{searches} searches");
}

#[test]
fn the_log_records_the_session_and_its_searches() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Search.MaxPlayouts=50", "Game.BoardSize=9"]);
    engine.ask("12 genmove b");
    assert_eq!(engine.ask("quit"), "=");
    engine.end();
    let lines: Vec<Map<String, Value>> =
        folder.read(JSON_LOG).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let words: Vec<&str> = lines.iter().map(|line| line["msg"].as_str().unwrap()).collect();
    assert_eq!(words, ["session", "input", "search", "output", "input", "ok"]);
    let (session, search, output) = (&lines[0], &lines[2], &lines[3]);
    assert_eq!(session["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(session["folder"], folder.path().canonicalize().unwrap().to_str().unwrap());
    assert!(session["configuration"].as_str().unwrap().contains("BoardSize = 9\n"));
    assert_eq!(session["net"].as_str().unwrap().len(), 32);
    assert!(session["processors"].as_u64().unwrap() > 0 && session["seed"] == search["seed"], "{session:?}");
    assert_eq!((&search["color"], &search["playouts"], &search["threads"]), (&"black".into(), &50.into(), &1.into()));
    assert_eq!((&search["visits"], &search["number"]), (&output["visits"], &1.into()));
    assert_eq!(folder.read(PLAIN_LOG).lines().count(), 4, "records for replays are in the JSON log only");
}

/// Runs a short deterministic session; gives the lines of its log.
fn short_session(folder: &Folder) -> Vec<String> {
    let mut engine = start(folder, &["Search.MaxPlayouts=60", "Search.Seed=1", "Game.BoardSize=7", "Net.Use=false"]);
    for command in ["1 play b D4", "genmove w", "# a comment", "3 play b C3", "4 final_score", "genmove w", "play b A9"]
    {
        writeln!(engine.stdin.as_mut().unwrap(), "{command}").unwrap();
        if !command.starts_with('#') {
            engine.read_answer();
        }
    }
    engine.ask("quit");
    engine.end();
    folder.read(JSON_LOG).lines().map(str::to_owned).collect()
}

fn write_log(folder: &Folder, lines: &[String]) {
    std::fs::write(folder.path().join(JSON_LOG), lines.join("\n") + "\n").unwrap();
}

#[test]
fn the_first_difference_is_shown_with_exit_code_1() {
    let folder = Folder::new();
    let lines = short_session(&folder);
    assert_eq!(
        assert_replays(&folder, &[]),
        "session 1: 7 commands replayed, 7 answers equal, 0 not compared, 0 with the log's move in place of a search\n"
    );
    // some editors put a byte-order mark before a text
    write_log(&folder, &[format!("\u{feff}{}", lines.join("\n"))]);
    assert_replays(&folder, &[]);
    let score = lines.iter().position(|line| line.contains("\"score\":")).unwrap();
    let mut changed = lines.clone();
    changed[score] = changed[score].replace("\"score\":\"", "\"score\":\"X");
    write_log(&folder, &changed);
    let output = replay(&folder, &[], "");
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let expected = format!("command 4, {JSON_LOG}:{score}: 4 final_score\n  in the log: {{\"score\":\"X");
    assert!(text.starts_with(&expected) && text.contains("\n  replayed:   {\"score\":\""), "{text}");
    // a different search is a difference, too, even with the same move
    let search = lines.iter().position(|line| line.contains("\"msg\":\"search\"")).unwrap();
    let mut changed = lines.clone();
    changed[search] = changed[search].replace("\"simulations\":60", "\"simulations\":59");
    write_log(&folder, &changed);
    let output = replay(&folder, &[], "");
    assert!(output.status.code() == Some(1) && stdout(&output).starts_with("command 2, "), "{}", stdout(&output));
    // the keys of earlier versions
    let mut changed = lines.clone();
    let former = [
        ("simulations", "tries"),
        ("singleRootSymmetry", "brief"),
        ("statusSearched", "judged"),
        ("completed", "whole"),
    ];
    for (present, former) in former {
        let (present, former) = (format!("\"{present}\":"), format!("\"{former}\":"));
        assert!(changed[search].contains(&present), "{}", changed[search]);
        for line in &mut changed {
            *line = line.replace(&present, &former);
        }
    }
    write_log(&folder, &changed);
    assert!(assert_replays(&folder, &[]).contains("7 answers equal"));
    // times are not compared
    let mut changed = lines;
    for line in &mut changed {
        *line = line.replace("\"seconds\":0", "\"seconds\":9");
    }
    write_log(&folder, &changed);
    assert!(assert_replays(&folder, &[]).contains("7 answers equal"));
}

#[test]
fn an_interrupted_count_is_not_compared() {
    let folder = Folder::new();
    folder.run(&[], b"play b D4\nfinal_score\n# interrupt\nplay w Q16\nfinal_status_list dead\n# interrupt\nquit\n");
    assert_eq!(folder.read(JSON_LOG).matches("interrupted before the score was counted").count(), 2);
    for arguments in [&[][..], &["--no-search"]] {
        let text = assert_replays(&folder, arguments);
        assert!(text.contains("5 commands replayed, 3 answers equal, 2 not compared"), "{text}");
    }
}

#[test]
fn until_stops_the_replay_and_the_session_continues() {
    let folder = Folder::new();
    let lines = short_session(&folder);
    let white = lines.iter().find_map(|line| {
        let answer: Value = serde_json::from_str(line).unwrap();
        answer["move"].as_str().map(str::to_owned)
    });
    let white = white.unwrap();
    for (until, record, next) in [
        ("0", "= record:''".to_owned(), "next in the log: 1 play b D4"),
        ("2", format!("= record:'[1]D4 [2]{white}'"), "next in the log: 3 play b C3"),
        ("4", format!("= record:'[1]D4 [2]{white} [3]C3'"), "next in the log: genmove w"),
    ] {
        let output = replay(&folder, &["--until", until], "record\n");
        assert_eq!((output.status.code(), stdout(&output).trim_end()), (Some(0), record.as_str()));
        let text = stderr(&output);
        assert!(text.lines().all(|line| line.starts_with("[replay] ")) && text.contains(next), "{text}");
    }
    let all = ["--until", "end", "--no-search"];
    let output = replay(&folder, &all, "8 record\nundo\nundo\nrecord\n");
    assert!(stdout(&output).ends_with(&format!("= record:'[1]D4 [2]{white}'\n\n")), "{}", stdout(&output));
    assert!(stderr(&output).contains("2 with the log's move in place of a search"), "{}", stderr(&output));
    // if a log is configured, the continued session is logged as one of its own
    let other = "--set=Paths.JsonLog=other.log";
    let output = folder.run(&[other, "replay", JSON_LOG, "--until", "end"], b"play b E5\nquit\n");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let output = folder.run(&["replay", "other.log"], b"");
    assert!(stdout(&output).contains("9 commands replayed, 9 answers equal"), "{}", stdout(&output));
    for wrong in ["x", "-1", ""] {
        assert_eq!(replay(&folder, &["--until", wrong], "").status.code(), Some(2));
    }
}

#[test]
fn one_of_several_sessions_is_selected() {
    let folder = Folder::new();
    for size in [5, 7, 9] {
        let mut engine = start(&folder, &[&format!("Game.BoardSize={size}"), "Net.Use=false"]);
        engine.ask("query_boardsize");
        engine.ask("play b B2");
        engine.end();
    }
    for (arguments, size) in
        [(&[][..], 9), (&["--session", "1"], 5), (&["--session", "2"], 7), (&["--session", "3"], 9)]
    {
        let output = replay(&folder, &[arguments, &["--until", "end"]].concat(), "query_boardsize\n");
        assert_eq!(stdout(&output), format!("= {size}\n\n"));
    }
    let output = replay(&folder, &["--session", "4"], "");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), format!("kifuwarabe-uec14: {JSON_LOG}: no session 4, expected 1 to 3\n"));
    // the files of a rotated log, the oldest first
    let lines: Vec<String> = folder.read(JSON_LOG).lines().map(str::to_owned).collect();
    std::fs::write(folder.path().join("old"), lines[..8].join("\n") + "\n").unwrap();
    std::fs::write(folder.path().join("new"), lines[8..].join("\n") + "\n").unwrap();
    for (files, session, completed) in [(&["old", "new"][..], "2", true), (&["new"], "1", true), (&["new"], "2", false)]
    {
        let output = folder.run(&[&["replay", "--session", session], files].concat(), b"");
        assert_eq!(output.status.success(), completed, "{files:?} {session}: {}", stderr(&output));
    }
}

/// Lines are replayed as they were executed, if they are too long, and if escapes make them longer in the log.
#[test]
fn overlong_lines_are_replayed_as_executed() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Net.Use=false"]);
    let comment = "x".repeat(1_100_000);
    let (spaces, few) = (" ".repeat(100), "x".repeat(100));
    let mut ask = |line: &[u8], has_answer: bool| {
        engine.stdin.as_mut().unwrap().write_all(&[line, b"\n"].concat()).unwrap();
        if has_answer { engine.read_answer() } else { String::new() }
    };
    assert_eq!(ask(format!("play b D4{spaces}#{comment}").as_bytes(), true), "=");
    ask(format!("{spaces}#{comment}").as_bytes(), false);
    assert_eq!(ask(&[&b"nam"[..], &[0xff; 400_000]].concat(), true), "? unknown command");
    assert!(ask(format!("play b {comment}").as_bytes(), true).starts_with("? line of 1100007 bytes"));
    assert_eq!(ask(format!("play b E5 {few}").as_bytes(), true).split(':').next(), Some("? unexpected argument"));
    assert_eq!(ask(b"list_stones b", true), "= D4");
    engine.end();
    let lengths = folder.read(JSON_LOG).matches("\"lineLength\":1100007").count();
    assert_eq!(lengths, 1, "the refused line only, and not those with a long comment");
    assert!(assert_replays(&folder, &[]).contains("session 1: 5 commands replayed, 4 answers equal, 1 not compared"));
}

/// A search must be replayed with its number of threads, not with the number of processors of the present machine.
#[test]
fn the_number_of_threads_comes_from_the_log() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Search.MaxPlayouts=60", "Game.BoardSize=7"]);
    for color in ["b", "w", "b", "w"] {
        engine.ask(&format!("genmove {color}"));
    }
    engine.end();
    let text = stdout(&folder.run(&["--set", "Search.Threads=2", "replay", JSON_LOG], b""));
    assert!(text.contains("session 1: 4 commands replayed, 4 answers equal"), "{text}");
}

#[test]
fn searches_with_several_threads_replay_the_logged_move() {
    let folder = Folder::new();
    let mut engine =
        start(&folder, &["Search.Threads=2", "Search.MaxPlayouts=80", "Game.BoardSize=7", "Search.Ponder=true"]);
    for command in [
        "genmove b",
        "kata-genmove_analyze w 1",
        "reg_genmove b",
        "kifuwarabe-visits",
        "kifuwarabe-variation",
        "kifuwarabe-ownership",
    ] {
        engine.ask(command);
    }
    engine.ask("clear_board");
    let stones = engine.ask("place_free_handicap 3");
    let record = engine.ask("genmove w");
    engine.end();
    let output = replay(&folder, &["--until", "end"], "list_stones b\nlast_move\n");
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("searches with several threads") && text.contains("8 with the log's move"), "{text}");
    let mut points: Vec<&str> = stones[2..].split(' ').collect();
    points.sort_unstable();
    let answers = stdout(&output);
    let (first, second) = answers.split_once("\n\n").unwrap();
    let mut found: Vec<&str> = first[2..].split(' ').collect();
    found.sort_unstable();
    assert_eq!((found, second.trim_end()), (points, format!("= white {}", &record[2..]).as_str()));
}

#[test]
fn files_are_read_from_the_log() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Game.BoardSize=19", "Net.Use=false"]);
    std::fs::write(folder.path().join("a.sgf"), "(;SZ[5]C[\u{e9}];B[cc];W[bb])").unwrap();
    for command in [
        "board_set file data/board1.txt",
        "rendb_save rens.json",
        "rendb_load rens.json",
        "loadsgf a.sgf",
        "printsgf a.sgf",
        "loadsgf a.sgf 2",
        "loadsgf nowhere.sgf",
        "rendb_save nowhere/rens.json",
        "print_board board.svg",
    ] {
        engine.ask(command);
    }
    engine.end();
    // in any folder, and without the files themselves
    let elsewhere = Folder::new();
    std::fs::copy(folder.path().join(JSON_LOG), elsewhere.path().join(JSON_LOG)).unwrap();
    for gone in ["a.sgf", "rens.json", "board.svg", "data/board1.txt"] {
        std::fs::remove_file(folder.path().join(gone)).unwrap();
    }
    assert!(assert_replays(&folder, &[]).contains("9 answers equal"));
    assert!(!folder.path().join("rens.json").exists() && !folder.path().join("board.svg").exists());
    std::fs::write(elsewhere.path().join("empty.log"), "").unwrap();
    let output = elsewhere.run(&["log2sgf", JSON_LOG, "empty.log", "-o", "games.sgf"], b"");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    let game = sgf::read(elsewhere.read("games.sgf").as_bytes()).unwrap();
    assert_eq!((game.coordinate.width(), game.turns.len()), (5, 2));
    let output = elsewhere.run(&["log2sgf", JSON_LOG, "-o", "games.sgf"], b"");
    let refusal = "--output games.sgf: this file exists; --overwrite replaces it";
    assert!(output.status.code() == Some(2) && stderr(&output).contains(refusal), "{}", stderr(&output));
    let output = elsewhere.run(&["log2sgf", JSON_LOG, "-o", "games.sgf", "--overwrite"], b"");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    drop(folder);
    let output = elsewhere.run(&["replay", JSON_LOG], b"");
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    assert!(stderr(&output).starts_with("[replay] no folder "), "{}", stderr(&output));
}

/// This holds for files that are too large for the log, and for commands in a continued session.
#[test]
fn relative_paths_start_at_the_logged_folder() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Net.Use=false"]);
    let comment = "x".repeat(1_100_000);
    std::fs::write(folder.path().join("big.sgf"), format!("(;SZ[5]C[{comment}];B[cc];W[bb])")).unwrap();
    engine.ask("loadsgf big.sgf");
    engine.end();
    let elsewhere = Folder::new();
    let log = folder.path().join(JSON_LOG);
    let log = log.to_str().unwrap();
    let output = elsewhere.run(&["log2sgf", log, "-o", "games.sgf"], b"");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
    assert_eq!(sgf::read(elsewhere.read("games.sgf").as_bytes()).unwrap().turns.len(), 2);
    let output =
        elsewhere.run(&["--set", "Paths.JsonLog=goes_on.log", "replay", log, "--until", "end"], b"rendb_save a.json\n");
    assert_eq!(stdout(&output), "= \n\n", "{}", stderr(&output));
    assert!(folder.path().join("a.json").exists());
    let session: Value = serde_json::from_str(elsewhere.read("goes_on.log").lines().next().unwrap()).unwrap();
    assert_eq!(session["folder"], std::fs::canonicalize(folder.path()).unwrap().to_str().unwrap());
    // a game that cannot be continued without its file is reported
    std::fs::remove_file(folder.path().join("big.sgf")).unwrap();
    let output = elsewhere.run(&["log2sgf", log], b"");
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(2));
    assert!(text.contains("loadsgf big.sgf: cannot load file"), "{text}");
}
