//! `play`: games against the engine, from a pipe and at a pseudo-terminal.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use kifuwarabe_uec14::kernel::Color;
use kifuwarabe_uec14::sgf::{self, Turn};

use crate::engine::{Folder, JSON_LOG, PLAIN_LOG};
use crate::terminal::Terminal;

/// The line that refuses a move after the end of the game.
pub const GAME_IS_OVER: &str = "the game is over: undo, score, review, save FILE, load FILE, new or quit\n";

/// Plays a game with commands from a pipe; the engine uses 20 playouts and a fixed seed.
fn play(folder: &Folder, options: &[&str], input: &str) -> Output {
    let quick = ["--set", "Search.MaxPlayouts=20", "--set", "Search.Seed=1", "play", "--name", ""];
    folder.run(&[&quick, options].concat(), input.as_bytes())
}

fn stdout(output: Output) -> String {
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains('\u{1b}'), "escape codes in a pipe: {text:?}");
    text
}

fn record(folder: &Folder, name: &str) -> sgf::GameRecord {
    sgf::read(folder.read(name).as_bytes()).unwrap()
}

#[test]
fn answers_each_move_and_draws_the_board() {
    let folder = Folder::new();
    let text = stdout(play(&folder, &["--size", "9"], "E5\n\n  a1 \nsave two moves.sgf\n"));
    assert_eq!(
        text.matches(" A B C D E F G H J  ").count(),
        5,
        "boards: at the start and after each of four moves\n{text}"
    );
    for shown in
        ["(X)", "(O)", "move 1: black E5", "white to move: the engine", "black to move: you", "saved two moves.sgf"]
    {
        assert!(text.contains(shown), "{shown}\n{text}");
    }
    let record = record(&folder, "two moves.sgf");
    assert_eq!((record.coordinate.width(), record.turns.len()), (9, 4));
    assert_eq!((record.white.as_deref(), record.black, record.result), (Some("Kifuwarabe UEC14"), None, None));
    assert!(!folder.path().join(PLAIN_LOG).exists() && !folder.path().join(JSON_LOG).exists(), "a log was written");
}

#[test]
fn engine_with_black_moves_first() {
    let folder = Folder::new();
    stdout(play(&folder, &["--size", "5", "--color", "white"], "save a.sgf\nundo\nsave b.sgf\n"));
    let first = record(&folder, "a.sgf");
    assert!(matches!(first.turns[..], [Turn::Move(Color::Black, _)]), "{first:?}");
    assert_eq!(record(&folder, "b.sgf").turns, first.turns, "undo changed the game although the person had not moved");
}

#[test]
fn illegal_move_is_explained_and_not_played() {
    let folder = Folder::new();
    let board = "Game.BoardData='''+++++ +.o.+ +o..+ +...+ +++++'''";
    let options = ["--set", "Search.MaxPlayouts=5", "--set", "Game.BoardSize=3", "--set", board, "play"];
    let text = stdout(folder.run(&options, b"A1\nB1\nsave a.sgf\nD4\n"));
    assert!(
        text.contains(
            "A1 is illegal, opponent_eye: the stone would stand alone in the opponent's eye, without a liberty\n"
        ),
        "{text}"
    );
    assert!(text.contains("B1 is illegal, masonry: there is a stone on the point\n"), "{text}");
    assert!(text.contains("unexpected D4, expected a point, A1 to C3, or help\n"), "{text}");
    assert_eq!(record(&folder, "a.sgf").turns.len(), 0);
}

#[test]
fn undo_takes_back_both_moves_and_hint_plays_none() {
    let folder = Folder::new();
    let text = stdout(play(&folder, &["--size", "5"], "undo\nC3\nhint\nsave a.sgf\nundo\nsave b.sgf\nscore\n"));
    assert!(text.contains("there is no move of yours to take back\n"), "{text}");
    let hint = text.lines().find(|line| line.starts_with("I would p")).unwrap();
    assert!(hint.contains("; win rate ") && hint.ends_with('%'), "{hint}");
    assert!(text.contains(" points, the mean of 20 playouts with a standard deviation of "), "{text}");
    assert!(text.contains("\nothers: "), "{text}");
    let estimate = text.lines().rev().nth(2).unwrap();
    assert!(estimate.starts_with("estimate: ") && estimate.contains(" ± "), "{text}");
    assert!(estimate.ends_with(", mean and standard deviation of 20 playouts (chinese rules, komi 6.5)"), "{text}");
    assert!(text.ends_with("\ndead stones, if no more is played: none\nthe game is not finished\n"), "{text}");
    assert_eq!((record(&folder, "a.sgf").turns.len(), record(&folder, "b.sgf").turns.len()), (2, 0));
}

#[test]
fn game_ends_by_passes_or_resignation_and_undo_continues_it() {
    let folder = Folder::new();
    let moves = "resign\nA1\nsave resigned.sgf\nundo\npass\nC3\nsave goes_on.sgf\n";
    let text = stdout(play(&folder, &["--size", "5"], moves));
    assert!(text.contains("black resigns: W+R\n") && text.contains(GAME_IS_OVER));
    assert_eq!(record(&folder, "resigned.sgf").result.as_deref(), Some("W+R"));
    assert!(record(&folder, "goes_on.sgf").result.is_none());

    // White owns the whole board, so the engine answers the pass with a pass, which ends the game
    let board = "+++++++\n+oooo.+\n+ooooo+\n+.oooo+\n+ooooo+\n+ooooo+\n+++++++\n";
    let set = format!("Game.BoardData='''{board}'''");
    let options = ["--set", "Search.MaxPlayouts=50", "--set", "Game.BoardSize=5", "--set", &set, "play"];
    let output = folder.run(&options, b"pass\nscore\nsave passed.sgf\nundo\n");
    let text = stdout(output);
    assert!(text.contains("white passes\nboth passed: W+31.5, finished (chinese rules, komi 6.5)\n"), "{text}");
    assert_eq!(record(&folder, "passed.sgf").result.as_deref(), Some("W+31.5"));
    assert!(text.rsplit("saved").next().unwrap().contains("black to move: you"), "{text}");
}

#[test]
fn engine_resigns_a_lost_game() {
    let folder = Folder::new();
    let options = ["--set", "Search.MaxPlayouts=150", "play", "--size", "5", "--komi", "-60"];
    let text = stdout(folder.run(&options, b"C3\nB2\nD4\nD2\nB4\nsave a.sgf\nundo\nsave b.sgf\n"));
    assert!(text.contains(&format!("white resigns: B+R\n{GAME_IS_OVER}")), "{text}");
    assert_eq!(record(&folder, "a.sgf").result.as_deref(), Some("B+R"));
    assert_eq!(record(&folder, "b.sgf").result, None);
}

#[test]
fn random_input_never_crashes_the_game() {
    let folder = Folder::new();
    let mut rng = fastrand::Rng::with_seed(11);
    let words =
        ["undo", "hint x", "save", "score", "pass", "resign", "board", "help", "I5", "A0", "A1", "B2 B2", "é", "\t"];
    let mut input = Vec::new();
    for _ in 0..400 {
        if rng.bool() {
            input.extend(rng.choice(words).unwrap().bytes());
        } else {
            // without the letter s no line is `save`, which would write a file
            input.extend((0..rng.usize(..30)).map(|_| rng.u8(..)).filter(|byte| !b"sS".contains(byte)));
        }
        input.push(b'\n');
    }
    let quick = ["--set", "Search.MaxPlayouts=2", "play", "--size", "3"];
    let output = folder.run(&quick, &input);
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn options_set_board_rules_and_handicap() {
    let folder = Folder::new();
    let options = ["--size", "9", "--rules", "japanese", "--handicap", "2", "--seconds", "0.01"];
    stdout(play(&folder, &options, "save a.sgf\n"));
    let found = record(&folder, "a.sgf");
    assert_eq!((found.rules.as_deref(), found.handicap, found.komi), (Some("japanese"), Some(2), Some(0.5)));
    assert_eq!((found.setup.len(), found.turns.len()), (2, 1));
    std::fs::write(folder.path().join("my.toml"), "[Game]\nBoardSize = 7\n[Search]\nPlayouts = 5\n").unwrap();
    stdout(folder.run(&["play", "-f", "my.toml", "--komi=-2"], b"save b.sgf\n"));
    let found = record(&folder, "b.sgf");
    assert_eq!((found.coordinate.width(), found.komi), (7, Some(-2.0)));
}

#[test]
fn wrong_options_are_refused_before_any_output() {
    let folder = Folder::new();
    for (options, message) in [
        (["--handicap", "10"], "kifuwarabe-uec14: --handicap 10: expected 2 to 9 on 19x19\n"),
        (["--size", "1"], "expected 2 to 25"),
        (["--rules", "chess"], "expected one of chinese "),
        (["--color", "red"], "expected black or white"),
    ] {
        let output = play(&folder, &options, "");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(message), "{stderr}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    }
}

#[test]
fn broken_output_pipe_is_no_error() {
    let folder = Folder::new();
    let binary = env!("CARGO_BIN_EXE_kifuwarabe-uec14");
    let mut command = Command::new("sh");
    command.args([
        "-c",
        r#"{ yes board | head -n 3000 | "$0" play --size 9; echo "code $?" >&2; } | head -n 1"#,
        binary,
    ]);
    let output = command.current_dir(folder.path()).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "code 0\n");
}

#[test]
fn ctrl_c_stops_the_search_and_not_the_game() {
    let folder = Folder::new();
    let Some(mut terminal) = Terminal::start(&folder, "play --size 9 --seconds 3000", &[]) else { return };
    terminal.wait_for("black> ");
    terminal.type_in("E5\r");
    terminal.wait_for("thinking (Ctrl-C: move now) 1 s");
    terminal.type_in("\u{3}");
    terminal.wait_for("move 2: white ");
    terminal.wait_for("black> ");
    terminal.type_in("hi\t\r");
    terminal.wait_for("thinking");
    terminal.type_in("\u{3}");
    terminal.wait_for("I would play ");
    // at the prompt it clears the line
    terminal.wait_for("black> ");
    terminal.type_in("quit\u{3}");
    terminal.wait_for("\n");
    terminal.wait_for("black> ");
    terminal.leave_unsaved();
}

#[test]
fn terminal_variables_choose_colours_discs_and_drawing_in_place() {
    let folder = Folder::new();
    let play = "--set Search.MaxPlayouts=20 play --size 9";
    for (variables, has_color, has_discs) in [
        (&[][..], true, true),
        (&[("NO_COLOR", "1")], false, true),
        (&[("LANG", "ja_JP.UTF-8")], true, false),
        (&[("TERM", "dumb")], false, false),
    ] {
        let Some(mut terminal) = Terminal::start(&folder, play, variables) else { return };
        terminal.wait_for("or help");
        terminal.type_in("E5\r");
        let screen = terminal.wait_for("move 2");
        assert_eq!(screen.contains("\u{1b}[38;5;16m"), has_color, "{variables:?} {screen:?}");
        assert_eq!(screen.contains('·'), has_discs, "{variables:?} {screen:?}");
        assert_eq!(screen.contains("\u{1b}[H"), variables != [("TERM", "dumb")], "{variables:?} {screen:?}");
        terminal.wait_for("black> ");
        terminal.leave_unsaved();
    }
}

#[test]
fn a_path_may_begin_in_the_home_folder() {
    let (folder, home) = (Folder::new(), tempfile::tempdir().unwrap());
    let mut command = folder.command(&["--set", "Search.MaxPlayouts=5", "play", "--size", "5"]);
    let mut child = command.env("HOME", home.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"C3\nsave ~/a b.sgf\nsave ~x\nload ~/a b.sgf\n").unwrap();
    let text = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(text.contains("saved ~/a b.sgf\n") && home.path().join("a b.sgf").exists(), "{text}");
    assert!(text.contains("loaded ~/a b.sgf: 2 moves; you play black\n"), "{text}");
    // the home folder of another person is not looked up
    assert!(text.contains("saved ~x\n") && folder.path().join("~x").exists(), "{text}");
}
