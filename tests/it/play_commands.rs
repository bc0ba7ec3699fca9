//! The commands of `play` beside moves, with input from a pipe: games loaded and begun anew, levels, clocks, files.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;

use kifuwarabe_uec14::sgf;

use crate::engine::Folder;
use crate::play::GAME_IS_OVER;

/// The output of a game with 20 playouts a move.
fn play(folder: &Folder, options: &[&str], input: &str) -> String {
    let quick = ["--set", "Search.MaxPlayouts=20", "--set", "Search.Seed=1", "play"];
    let output = folder.run(&[&quick, options].concat(), input.as_bytes());
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

fn record(folder: &Folder, name: &str) -> sgf::GameRecord {
    sgf::read(folder.read(name).as_bytes()).unwrap()
}

#[test]
fn redo_makes_moves_again_until_another_move() {
    let folder = Folder::new();
    // the engine takes no corner
    let moves = "redo\nE5\nA1\nsave a.sgf\nundo\nundo\nredo\nredo\nsave b.sgf\nredo\nundo\nJ9\nredo\nsave c.sgf\n";
    let text = play(&folder, &["--size", "9"], moves);
    assert_eq!(text.matches("there is no move that undo took back\n").count(), 3, "{text}");
    let (a, b, c) = (record(&folder, "a.sgf"), record(&folder, "b.sgf"), record(&folder, "c.sgf"));
    assert_eq!((a.turns.len(), &a.turns), (4, &b.turns));
    assert_eq!(c.turns.len(), 4);
    assert!(c.turns[..2] == a.turns[..2] && c.turns[2] != a.turns[2]);
}

#[test]
fn a_loaded_game_goes_on_from_its_end() {
    let folder = Folder::new();
    let own = "(;SZ[9]KM[5.5]RU[japanese]PB[Kifuwarabe UEC14]PW[Ann]RE[B+R];B[ee];W[cc];B[gc])";
    for (name, text) in [("other.sgf", "(;SZ[9]KM[7];B[ee])"), ("own.sgf", own), ("bad.sgf", "(;B[aa];W[zz])")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    std::fs::write(folder.path().join("unknown.sgf"), "(;SZ[9]KM[375]RU[foo];B[ee];W[cc];B[gc];W[cg])").unwrap();
    let text = play(&folder, &["--size", "9", "--komi", "5.5"], "load unknown.sgf\n");
    let expected = "KM[375] is no komi known here: 5.5 is used\nRU[foo] names no rules known here: chinese is used\n";
    assert!(text.contains(expected), "{text}");
    let moves =
        "load other.sgf\nsave a.sgf\nload own.sgf\nundo\nsave b.sgf\nload bad.sgf\nload none.sgf\nload /\nsave c.sgf\n";
    let text = play(&folder, &["--size", "13"], moves);
    // Black is the person, so the engine answers at once
    assert!(text.contains("loaded other.sgf: 1 move; you play black\n"), "{text}");
    let found = record(&folder, "a.sgf");
    assert_eq!((found.turns.len(), found.coordinate.width(), found.komi), (2, 9, Some(7.0)));
    // the engine had Black in this game, by its name
    assert!(text.contains("loaded own.sgf: 3 moves; you play white\nthe record's own result: B+R\n"), "{text}");
    let found = record(&folder, "b.sgf");
    // the moves that were taken back are a variation
    assert_eq!((found.turns.len(), found.rules.as_deref(), found.komi), (1, Some("japanese"), Some(5.5)));
    assert_eq!((found.black.as_deref(), found.result.as_deref()), (Some("Kifuwarabe UEC14"), None));
    assert!(folder.read("b.sgf").ends_with(";B[ee]\n(;)\n(;W[cc];B[gc]))\n"), "{}", folder.read("b.sgf"));
    for reason in ["cannot load bad.sgf: byte ", "cannot load none.sgf: ", "cannot load /: "] {
        assert_eq!(text.matches(reason).count(), 1, "{reason}: {text}");
    }
    assert_eq!(text.matches("none.sgf").count(), 1, "the file is named once: {text}");
    assert_eq!(record(&folder, "c.sgf").turns, found.turns, "a file that was refused changed the game");
}

/// The moves from an illegal one on stay in the record, beside those that are played here.
#[test]
fn a_record_is_loaded_up_to_an_illegal_move() {
    let folder = Folder::new();
    let old = "(;SZ[9];B[ee];W[cc]\n;B[cc]C[why];W[gg])";
    std::fs::write(folder.path().join("old.sgf"), old).unwrap();
    let moves = "load old.sgf\nsave a.sgf\nJ9\nsave b.sgf\nundo\nresign\nsave c.sgf\n";
    let text = play(&folder, &["--size", "9"], moves);
    let warning = "old.sgf: move 3, black C7, is illegal (masonry: there is a stone on the point); the moves before it are used\n";
    assert!(text.contains(&format!("loaded old.sgf: 2 moves; you play black\n{warning}")), "{text}");
    let [a, b, c] = ["a.sgf", "b.sgf", "c.sgf"].map(|name| folder.read(name).replace('\n', ""));
    assert!(a.ends_with(";B[ee];W[cc];B[cc]C[why];W[gg])"), "{a}");
    assert!(b.contains(";B[ee];W[cc](;B[ia];W[") && b.ends_with("(;B[cc]C[why];W[gg]))"), "{b}");
    assert!(c.ends_with("RE[W+R];B[ee];W[cc](;C[W+R])(;B[cc]C[why];W[gg]))"), "{c}");
}

/// The count of two passes may differ from the record's own result.
#[test]
fn the_result_of_a_loaded_record_is_named() {
    let folder = Folder::new();
    for (name, result) in [("a.sgf", "RE[B+7.5]"), ("b.sgf", "RE[?]"), ("c.sgf", "")] {
        std::fs::write(folder.path().join(name), format!("(;SZ[5]{result};B[];W[])")).unwrap();
    }
    let text = play(&folder, &["--size", "5"], "load a.sgf\nload b.sgf\nload c.sgf\n");
    assert_eq!((text.matches("both passed: ").count(), text.matches("the record's own result: ").count()), (3, 1));
    assert!(text.contains("loaded a.sgf: 2 moves; you play black\nthe record's own result: B+7.5\n"), "{text}");
}

/// A record that is loaded and saved keeps its names, comments and variations; the moves played here are added.
#[test]
fn a_loaded_record_is_kept() {
    let folder = Folder::new();
    let text =
        "(;SZ[9]KM[7]PB[Lee]PW[Kim]DT[2001-02-03]EV[Cup]RE[B+R];B[ee]C[why];W[cc](;B[gc])(;B[cg]N[other]))(;SZ[9])";
    std::fs::write(folder.path().join("old.sgf"), text).unwrap();
    let said = play(&folder, &["--size", "9"], "load old.sgf\nsave new.sgf\nresign\nsave resigned.sgf\n");
    assert!(
        said.contains("the file has several games: the first one is loaded, and save writes only that\n"),
        "{said}"
    );
    let found = record(&folder, "new.sgf");
    // Black is the person, so the engine answers at once
    assert_eq!((found.turns.len(), found.result.as_deref()), (4, None));
    assert_eq!((found.black.as_deref(), found.white.as_deref()), (Some("Lee"), Some("Kim")));
    let new = folder.read("new.sgf");
    for kept in ["DT[2001-02-03]", "EV[Cup]", "C[why]", "(;B[cg]N[other])"] {
        assert!(new.contains(kept), "{kept}: {new}");
    }
    let resigned = record(&folder, "resigned.sgf");
    assert_eq!((resigned.turns, resigned.result.as_deref()), (found.turns, Some("W+R")));
}

/// Irregular files have several moves in a node. The moves played here come after all of them, or after those that were
/// not taken back.
#[test]
fn moves_follow_those_of_a_node_with_several() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("old.sgf"), "(;SZ[9];B[aa];W[bb]B[cc];W[dd])").unwrap();
    // Black is the person, so the engine answers; undo takes a pair of moves back
    let moves = "load old.sgf\nJ9\nsave a.sgf\nload old.sgf\nundo\nJ9\nsave b.sgf\nload b.sgf\n";
    let text = play(&folder, &["--size", "9"], moves);
    assert!(text.contains("loaded b.sgf: 4 moves; you play black\n"), "{text}");
    let (a, b) = (folder.read("a.sgf"), folder.read("b.sgf"));
    assert!(a.contains(";B[aa];W[bb]B[cc];W[dd];B[ia];W["), "{a}");
    assert!(b.contains(";B[aa]\n(;W[bb];B[ia];W[") && b.ends_with("\n(;W[bb]B[cc];W[dd]))\n"), "{b}");
}

/// The main line of a loaded game ends where moves were taken back.
#[test]
fn a_record_ends_where_moves_were_taken_back() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("old.sgf"), "(;SZ[9]RE[B+R];B[aa];W[bb];B[cc];W[dd])").unwrap();
    let text = play(&folder, &["--size", "9"], "load old.sgf\nsave same.sgf\nundo\nsave a.sgf\nload a.sgf\n");
    assert!(text.contains("loaded a.sgf: 2 moves; "), "{text}");
    let [same, shorter] = ["same.sgf", "a.sgf"].map(|name| folder.read(name));
    assert!(same.contains("RE[B+R]") && same.ends_with(";B[aa];W[bb];B[cc];W[dd])\n"), "{same}");
    assert!(!shorter.contains("RE[") && shorter.ends_with(";B[aa];W[bb]\n(;)\n(;B[cc];W[dd]))\n"), "{shorter}");
}

/// The main line of a game ends where the player resigned, also if the record goes on.
#[test]
fn a_record_ends_where_the_player_resigned() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("old.sgf"), "(;SZ[9];B[aa];W[bb];B[cc];W[dd])").unwrap();
    play(&folder, &["--size", "9"], "load old.sgf\nundo\nresign\nsave a.sgf\n");
    let end = "RE[W+R];B[aa];W[bb]\n(;C[W+R])\n(;B[cc];W[dd]))\n";
    assert!(folder.read("a.sgf").ends_with(end), "{}", folder.read("a.sgf"));
}

#[test]
fn a_new_game_and_a_level_are_set_by_name() {
    let folder = Folder::new();
    let moves = "E5\nnew size 7 color white level 2\nsave a.sgf\nlevel\nlevel 4\nlevel 0\nnew size 99\n\
                 new handicap 2 size=9\nsave b.sgf\n";
    let text = play(&folder, &["--size", "9", "--komi", "5.5"], moves);
    assert!(text.contains("level 2 of 10\nlevel 4 of 10\nunexpected 0, expected a level, 1 to 10\n"), "{text}");
    assert!(text.contains("unexpected size:99, expected 2 to 25, or width and height such as 9x13\n"), "{text}");
    // the panel names a level that is not the strongest
    assert_eq!(text.matches("level 10").count(), 0, "{text}");
    let first = record(&folder, "a.sgf");
    assert_eq!((first.coordinate.width(), first.turns.len(), first.komi), (7, 1, Some(5.5)), "the engine begins");
    let second = record(&folder, "b.sgf");
    assert_eq!((second.coordinate.width(), second.handicap, second.komi), (9, Some(2), Some(0.5)));
    assert_eq!(second.turns.len(), 0, "the person has White");
}

#[test]
fn the_clock_runs_and_is_shown() {
    let folder = Folder::new();
    let moves = "clock\nclock fast\nclock absolute\nclock canadian 0 0 0\nclock byoyomi 600 30 5\nE5\nsave timed.sgf\n\
                 clock none\nclock 0 10 1\nclock\n";
    let text = play(&folder, &["--size", "9"], moves);
    assert_eq!(text.matches("no clock: ").count(), 2, "{text}");
    assert!(text.contains("unexpected system:fast, expected none | absolute | byoyomi | "), "{text}");
    assert!(text.contains("missing main, usage: clock "), "{text}");
    assert!(
        text.contains("clock canadian 0 0 0: no time, expected main time or overtime of more than 0 seconds\n"),
        "{text}"
    );
    let saved = record(&folder, "timed.sgf");
    assert_eq!((saved.time_limit.as_deref(), saved.overtime.as_deref()), (Some("600"), Some("5x30 byo-yomi")));
    assert!(text.contains("your time 10:00 + 0:30 x 5, the engine's 10:00 + 0:30 x 5\n"), "{text}");
    assert!(text.contains("  black's time ") && text.contains("  white's time "), "{text}");
    assert!(text.contains("your time 0:10 for 1 move, the engine's 0:10 for 1 move\n"), "{text}");
}

#[test]
fn another_game_keeps_the_clock_and_says_so() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("old.sgf"), "(;SZ[9];B[ee];W[cc])").unwrap();
    let moves = "new\nclock fischer 60 5\nE5\nnew size 7\nload old.sgf\nclock none\nnew size 9\n";
    let text = play(&folder, &["--size", "9"], moves);
    let times = "the clock is kept: your time 1:00 + 0:05 a move, the engine's 1:00 + 0:05 a move\n";
    assert_eq!((text.matches(times).count(), text.matches("the clock is kept").count()), (2, 2), "{text}");
}

#[test]
fn time_that_runs_out_loses_the_game() {
    let folder = Folder::new();
    let mut command = folder.command(&["--set", "Search.MaxPlayouts=20", "play", "--size", "5"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    stdin.write_all(b"clock 5 0 0\n").unwrap();
    // the clock runs from then on
    while !text.contains("your time 0:05") {
        assert_ne!(stdout.read_line(&mut text).unwrap(), 0, "{text}");
    }
    std::thread::sleep(std::time::Duration::from_millis(6000));
    stdin.write_all(b"C3\nsave a.sgf\nundo\nC3\nsave b.sgf\n").unwrap();
    drop(stdin);
    stdout.read_to_string(&mut text).unwrap();
    assert!(child.wait().unwrap().success(), "{text}");
    assert!(text.contains(&format!("black has no time left and loses: W+T\n{GAME_IS_OVER}")), "{text}");
    assert_eq!(record(&folder, "a.sgf").result.as_deref(), Some("W+T"));
    assert_eq!(record(&folder, "b.sgf").turns.len(), 2, "undo gives the time back");
}

#[test]
fn a_line_that_comes_after_the_time_has_one_answer() {
    let folder = Folder::new();
    for late in ["C3", "pass", "hint", "score", "resign"] {
        let text = play(&folder, &["--size", "5"], &format!("clock absolute 0.000000001\n{late}\n"));
        assert!(text.ends_with(&format!("black has no time left and loses: W+T\n{GAME_IS_OVER}")), "{late}: {text}");
        assert_eq!(text.matches("the game is over: ").count(), 1, "{late}: {text}");
    }
    let text = play(&folder, &["--size", "5"], "clock absolute 0.000000001\nsave late.sgf\nC3\n");
    assert!(text.contains("saved late.sgf\n") && text.ends_with(GAME_IS_OVER), "{text}");
    assert_eq!(text.matches(GAME_IS_OVER).count(), 2, "{text}");
}

#[test]
fn a_review_names_mistakes_and_better_moves() {
    let folder = Folder::new();
    let text = play(&folder, &["--size", "5"], "review\nA1\nreview\n");
    assert!(text.contains("there is no move of yours to review\n"), "{text}");
    assert!(text.contains("move 1: A1 lost ") && text.contains(", better "), "{text}");
    assert!(text.ends_with(" points in 1 move; estimates by 500 playouts a position\n"), "{text}");
}

#[test]
fn a_pipe_replaces_files_only_when_told_to() {
    let folder = Folder::new();
    std::fs::write(folder.path().join("old.sgf"), "precious").unwrap();
    let text = play(&folder, &["--size", "5"], "C3\nsave old.sgf\nsave new.sgf\nB2\nsave new.sgf\n");
    assert!(text.contains("old.sgf exists: save! old.sgf replaces it\n"), "{text}");
    assert_eq!(folder.read("old.sgf"), "precious");
    // the file of this game is written again
    assert_eq!((text.matches("saved new.sgf\n").count(), record(&folder, "new.sgf").turns.len()), (2, 4));
    // another game has not written it
    let text = play(&folder, &["--size", "5"], "C3\nsave new.sgf\nsave! old.sgf\n");
    assert!(text.contains("new.sgf exists: ") && text.contains("saved old.sgf\n"), "{text}");
    assert_eq!(record(&folder, "old.sgf").turns.len(), 2);
    // nothing is asked
    assert!(!text.contains("(y/n)"), "{text}");
}

#[test]
fn a_saved_game_names_players_date_and_rules() {
    let folder = Folder::new();
    let text = "C3\nsave a.sgf\nnew color white\nsave b.sgf\n";
    play(&folder, &["--size", "5", "--rules", "japanese", "--name", "Ann [x]"], text);
    let today = chrono::Local::now().date_naive();
    let (first, second) = (record(&folder, "a.sgf"), record(&folder, "b.sgf"));
    assert_eq!((first.black.as_deref(), first.white.as_deref()), (Some("Ann [x]"), Some("Kifuwarabe UEC14")));
    assert_eq!((second.black.as_deref(), second.white.as_deref()), (Some("Kifuwarabe UEC14"), Some("Ann [x]")));
    assert_eq!(first.name.as_deref(), Some("Ann [x] against Kifuwarabe UEC14"));
    assert_eq!(first.rules.as_deref(), Some("japanese"));
    let date: chrono::NaiveDate = first.date.unwrap().parse().unwrap();
    assert!((today - date).num_days().abs() <= 1, "{date}");

    // by default the name of the account
    let mut command = folder.command(&["--set", "Search.MaxPlayouts=5", "play", "--size", "5"]);
    let mut child = command.env("USER", "kifu").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"save c.sgf\n").unwrap();
    child.wait_with_output().unwrap();
    assert_eq!(record(&folder, "c.sgf").black.as_deref(), Some("kifu"));
}
