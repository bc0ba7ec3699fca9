//! Boards that are not square in every subcommand: GTP with `replay` and `log2sgf`, `play`, `report`, `--score`,
//! `selfplay`, `labels`, `eval`, `bench`; and the commands of a net of KataGo.

use std::process::Output;

use kifuwarabe_uec14::kernel::Coordinate;
use kifuwarabe_uec14::sgf::{self, GameRecord};
use serde_json::Value;

use crate::engine::{Folder, JSON_LOG, start};
use crate::support::tiny_katago_net;

/// Runs the program; gives its standard output.
#[track_caller]
fn run(folder: &Folder, arguments: &[&str], input: &str) -> String {
    let Output { status, stdout, stderr } = folder.run(arguments, input.as_bytes());
    assert!(status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).unwrap()
}

fn record(folder: &Folder, name: &str) -> GameRecord {
    sgf::read(folder.read(name).as_bytes()).unwrap()
}

fn size(width: u8, height: u8) -> Coordinate {
    Coordinate::new(width, height).unwrap()
}

#[test]
fn a_session_is_replayed_and_its_games_are_written() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Game.BoardSize=9x13", "Search.MaxPlayouts=20", "Search.Seed=3"]);
    assert_eq!(engine.ask("query_boardsize"), "= 9 13");
    for command in ["play b J13", "genmove w", "genmove b", "undo", "kifuwarabe-ownership", "final_score"] {
        assert!(engine.ask(command).starts_with('='), "{command}");
    }
    for command in ["rectangular_boardsize 7 5", "play b G5", "genmove w", "printsgf b.sgf"] {
        assert!(engine.ask(command).starts_with('='), "{command}");
    }
    for command in ["boardsize 5:4", "fixed_handicap 2", "place_free_handicap 2", "genmove w", "rendb_save a.json"] {
        assert_eq!(engine.ask(command).starts_with('='), command != "fixed_handicap 2", "{command}");
    }
    engine.end();
    let report = run(&folder, &["replay", JSON_LOG], "");
    assert!(report.contains("16 commands replayed, 16 answers equal"), "{report}");
    run(&folder, &["log2sgf", JSON_LOG, "-o", "games.sgf"], "");
    let games = folder.read("games.sgf");
    let starts = games.match_indices("(;").map(|(at, _)| at);
    let games: Vec<GameRecord> = starts.map(|at| sgf::read(&games.as_bytes()[at..]).unwrap()).collect();
    let sizes: Vec<_> = games.iter().map(|game| (game.coordinate, game.turns.len())).collect();
    // the move that was taken back at the end is part of the game
    assert_eq!(sizes, [(size(9, 13), 3), (size(7, 5), 2), (size(5, 4), 1)]);
    assert_eq!(record(&folder, "b.sgf").turns, games[1].turns);
    assert_eq!(games[2].handicap, Some(2));
}

/// Boards of the same number of points and, when empty, of the same hash are different positions.
#[test]
fn results_of_a_board_are_not_those_of_its_transposition() {
    let folder = Folder::new();
    let mut engine = start(&folder, &["Search.MaxPlayouts=30", "Net.Use=false"]);
    for (width, height) in [(9, 13), (13, 9), (9, 13)] {
        assert_eq!(engine.ask(&format!("boardsize {width} {height}")), "=");
        let answer = engine.ask("kifuwarabe-ownership");
        let rows: Vec<usize> = answer.trim_start_matches("= ").lines().map(|row| row.split(' ').count()).collect();
        assert_eq!(rows[..height], vec![width; height], "{answer}");
        assert_eq!(engine.ask(&format!("play b {}{height}", if width == 9 { 'J' } else { 'N' })), "=");
        assert!(engine.ask("genmove w").starts_with('='));
    }
    engine.end();
}

#[test]
fn a_game_at_the_terminal_is_played_reviewed_and_scored() {
    let folder = Folder::new();
    let limits = ["--set", "Search.MaxPlayouts=20", "--set", "Search.Threads=1"];
    let play = [&limits[..], &["play", "--size", "9x13", "--handicap", "9"]].concat();
    let text = run(&folder, &play, "J13\nK1\nsave a.sgf\nscore\n");
    assert!(text.contains("unexpected K1, expected a point, A1 to J13, or help"), "{text}");
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("13 ") || line.starts_with(" 1 ")).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.matches(['.', '+', 'X', 'O']).count() >= 9), "{text}");
    let game = record(&folder, "a.sgf");
    assert_eq!((game.coordinate, game.setup.len(), game.turns.len()), (size(9, 13), 9, 3));
    assert!(folder.read("a.sgf").contains("SZ[9:13]"));

    let report = [&limits[..], &["report", "a.sgf", "-o", "a.html"]].concat();
    run(&folder, &report, "");
    let page = folder.read("a.html");
    assert!(page.contains("9×13") && page.contains("\"width\":9") && page.contains("\"height\":13"), "{page}");
    let score: Value = serde_json::from_str(&run(&folder, &["--score", "a.sgf", "--json"], "")).unwrap();
    let rows = score["owners"].as_array().unwrap().iter().map(|row| row.as_str().unwrap().len());
    assert_eq!(rows.collect::<Vec<_>>(), [9; 13]);
}

#[test]
fn self_play_is_checked_continued_and_read_back() {
    let folder = Folder::new();
    let selfplay = |games: &str, others: &[&str]| {
        let fixed = ["--set", "Net.Use=false", "selfplay", "--out", "games.jsonl", "--visits", "3", "--seed", "5"];
        run(&folder, &[&fixed, &["--check", "--games", games][..], others].concat(), "")
    };
    assert!(selfplay("2", &["--size", "7x9"]).starts_with("2 games on 7x9 with seed 5: "));
    selfplay("5", &["--size", "7x9", "--resume"]);
    let games = folder.read("games.jsonl");
    assert_eq!(games.lines().count(), 5);
    for game in games.lines() {
        let game: Value = serde_json::from_str(game).unwrap();
        assert_eq!((game["size"].as_str(), game["ownership"].as_array().unwrap().len()), (Some("7x9"), 63));
        let moves = game["moves"].as_array().unwrap().iter().map(|play| play.as_str().unwrap().as_bytes());
        assert!(moves.into_iter().all(|play| play[1] == b'.' || (play[1] <= b'g' && play[2] <= b'i')));
    }
    let refused = ["selfplay", "--out", "games.jsonl", "--games", "6", "--size", "9x7", "--visits", "3", "--resume"];
    let error = String::from_utf8(folder.run(&refused, b"").stderr).unwrap();
    assert!(error.contains("7x9, komi 6.5") && error.contains("9x7, komi 6.5"), "{error}");
    // of games on the other board there are none
    let labels = |size: &str| {
        folder.run(
            &["--set", "Net.Use=false", "labels", "--records", "games.jsonl", "--out", "shards", "--size", size],
            b"",
        )
    };
    assert!(
        String::from_utf8(labels("9x7").stderr)
            .unwrap()
            .contains("--records games.jsonl: no record table or self-play file with games on 9x7")
    );
    assert!(String::from_utf8(labels("7").stderr).unwrap().contains("with games on 7x7"));
    let written = labels("7x9");
    assert!(String::from_utf8(written.stdout).unwrap().starts_with("1 shard with "));
}

#[test]
fn bench_and_eval_take_a_width_and_a_height() {
    let folder = Folder::new();
    let bench = ["bench", "--size", "9x13", "--light", "--heavy", "--playouts", "20", "--json"];
    let measured: Value = serde_json::from_str(&run(&folder, &bench, "")).unwrap();
    assert_eq!((measured["light"]["size"].as_str(), measured["heavy"]["size"].as_str()), (Some("9x13"), Some("9x13")));
    let eval = run(&folder, &["eval", "--size", "9x13", "--moves", "B J13", "--json"], "");
    let policy = serde_json::from_str::<Value>(&eval).unwrap()["policy"].as_object().unwrap().clone();
    assert_eq!(policy.len(), 9 * 13 + 1);
    assert!(policy.contains_key("A13") && !policy.contains_key("K1"));
    let refused = folder.run(&["eval", "--size", "9x13", "--moves", "B K1"], b"");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn a_net_of_katago_answers_by_rows() {
    let folder = Folder::new();
    let file = format!("Net.File={}", tiny_katago_net().display());
    let mut engine = start(&folder, &[&file, "Game.BoardSize=9x13"]);
    let answer = engine.ask("kata-raw-nn 0");
    let rows = |from: &str| {
        let rows = answer.split_once(from).unwrap().1.lines().take(13);
        rows.map(|row| row.split_whitespace().count()).collect::<Vec<_>>()
    };
    assert_eq!((rows("policy\n"), rows("whiteOwnership\n")), (vec![9; 13], vec![9; 13]), "{answer}");
    assert!(engine.ask("kata-benchmark 2").contains(" positions, visits/s = "));
    assert!(engine.ask("kata-search_analyze b").contains("play "));
    engine.end();
}
