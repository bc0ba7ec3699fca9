//! `selfplay`, run as a program: what it writes, and that a run can be interrupted.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
use serde_json::Value;

fn selfplay(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
    command.current_dir(folder).args(["selfplay", "--out", "games.jsonl", "--playouts", "12"]).args(args);
    command.output().unwrap()
}

/// Plays on a small board; gives the lines of the file, sorted.
#[track_caller]
fn lines(folder: &Path, args: &[&str]) -> Vec<String> {
    let output = selfplay(folder, &[&["--size", "6", "--komi", "4", "--seed", "7"], args].concat());
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    let text = fs::read_to_string(folder.join("games.jsonl")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn games_are_legal_and_add_up() {
    let folder = tempfile::tempdir().unwrap();
    for line in lines(folder.path(), &["--games", "4", "--check"]) {
        let game: Value = serde_json::from_str(&line).unwrap();
        let coordinate = Coordinate::square(6).unwrap();
        let mut position = Position::new(coordinate, GameRule::with_komi(4.0), 0, Color::Black);
        let moves = game["moves"].as_array().unwrap();
        let visits = game["visits"].as_array().unwrap();
        assert_eq!(moves.len(), visits.len());
        for (made, visits) in moves.iter().zip(visits) {
            let letters = made.as_str().unwrap().as_bytes();
            assert_eq!(letters[0], if position.to_move() == Color::Black { b'B' } else { b'W' });
            let mut made_visits = 0;
            let made_place = if letters[1] == b'.' {
                position.pass(position.to_move());
                36
            } else {
                let (x, row) = (letters[1] - b'a', letters[2] - b'a');
                position.play(position.to_move(), coordinate.point(x + 1, 6 - row).unwrap()).unwrap();
                u64::from(row) * 6 + u64::from(x)
            };
            let mut sum = 0;
            for pair in visits.as_array().unwrap() {
                let (place, count) = (pair[0].as_u64().unwrap(), pair[1].as_u64().unwrap());
                assert!(place <= 36 && count > 0);
                sum += count;
                made_visits += if place == made_place { count } else { 0 };
            }
            // a pass at the end of the game need not have been tried
            assert!(sum >= 12 && (made_visits > 0 || made_place == 36), "{made}: {visits}");
        }
        assert!(position.is_over() || moves.len() == 108);
        let owned: i64 = game["ownership"].as_array().unwrap().iter().map(|owner| owner.as_i64().unwrap()).sum();
        let margin = game["margin"].as_f64().unwrap();
        assert_eq!(owned as f64 - 4.0, margin);
        assert_eq!(
            game["winner"],
            if margin > 0.0 {
                "B"
            } else if margin < 0.0 {
                "W"
            } else {
                "0"
            }
        );
        assert_eq!((game["size"].as_u64(), game["komi"].as_f64()), (Some(6), Some(4.0)));
        assert_eq!(game["rules"], "chinese");
    }
}

#[test]
fn a_seed_gives_the_same_games_on_any_number_of_threads_and_in_several_runs() {
    let [one, two, broken] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let expected = lines(one.path(), &["--games", "6"]);
    assert_eq!(expected.len(), 6);
    assert!(expected.windows(2).all(|pair| pair[0].split_once("moves") != pair[1].split_once("moves")));
    assert_eq!(lines(two.path(), &["--games", "6", "--threads", "3"]), expected);

    // a run that was killed in the middle of a line
    let file = broken.path().join("games.jsonl");
    let (whole, part) = (format!("{}\n{}\n", expected[4], expected[1]), &expected[2][..expected[2].len() / 2]);
    fs::write(&file, whole.clone() + part).unwrap();
    assert_eq!(lines(broken.path(), &["--games", "6", "--resume"]), expected);
    assert!(fs::read_to_string(&file).unwrap().starts_with(&whole));
    // a weaker level would not search as much as was asked for
    let weak = tempfile::tempdir().unwrap();
    assert_eq!(lines(weak.path(), &["--games", "6", "--set", "Search.Level=1"]), expected);
    // nothing is left to be done
    assert_eq!(lines(broken.path(), &["--games", "6", "--resume"]), expected);
    // the seed is that of the file where none is told
    let output = selfplay(broken.path(), &["--games", "7", "--size", "6", "--komi", "4", "--resume"]);
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("1 games on 6x6 with seed 7: "));
}

#[test]
fn a_run_is_continued_with_its_own_net_and_settings() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.jsonl");
    let run = |settings: &[&str], args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
        command.current_dir(folder.path()).args(settings.iter().flat_map(|setting| ["--set", setting]));
        command.args(["selfplay", "--out", "games.jsonl", "--size", "5", "--playouts", "2", "--seed", "7"]).args(args);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let begun = ["Net.Use=false", "Search.PlayoutEscape=0.3"];
    assert_eq!(run(&begun, &["--games", "1"]), (Some(0), String::new()));
    let written = fs::read_to_string(&file).unwrap();
    let found =
        "rules chinese, net none, settings Search.PlayoutEscape=0.3, expected seed 7, 2 playouts, 5x5, komi 6.5, ";
    for (other, expected) in [
        (&["Net.Use=true", begun[1]][..], "settings Search.PlayoutEscape=0.3\n"),
        (&begun[..1], "rules chinese, net none, settings none\n"),
        (
            &[begun[0], begun[1], "Search.PassPrior=0"],
            "net none, settings Search.PassPrior=0 Search.PlayoutEscape=0.3\n",
        ),
        (&[begun[0], begun[1], "Game.PlayFirst=white"], "settings Search.PlayoutEscape=0.3 Game.PlayFirst=white\n"),
    ] {
        let (code, told) = run(other, &["--games", "2", "--resume"]);
        assert!(code == Some(2) && told.contains(found) && told.ends_with(expected), "{other:?}: {told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), written);
    }
    // a file of an earlier version
    let agreed = r#","net":"none","settings":"Search.PlayoutEscape=0.3""#;
    fs::write(&file, written.replace(agreed, "")).unwrap();
    let (code, told) = run(&begun, &["--games", "2", "--resume"]);
    assert!(code == Some(2) && told.contains("net unknown, settings unknown, expected seed 7"), "{told}");
    // what no game depends on may be another
    fs::write(&file, &written).unwrap();
    let same = [&begun[..], &["Search.Threads=2", "Search.Level=1", "Search.MemoryMB=16", "Search.Seconds=1"]].concat();
    assert_eq!(run(&same, &["--games", "2", "--resume"]), (Some(0), String::new()));
    assert!(fs::read_to_string(&file).unwrap().starts_with(&written));
}

#[test]
fn a_file_that_is_there_is_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.jsonl");
    let game = r#"{"game":0,"seed":7,"playouts":12,"size":9,"komi":0.5,"rules":"chinese"}"#;
    for (text, args, expected) in [
        ("", &[][..], "the file is there already"),
        ("what is this\n", &["--resume"], "line 1: expected a game written by selfplay, found what is this"),
        ("what is this", &["--resume"], "line 1: expected a game written by selfplay, found what is this"),
        (r#"{"games":1}"#, &["--resume"], "line 1: expected a game written by selfplay, found {\"games"),
        (r#"{"game":"chess"}"#, &["--resume"], "line 1: expected a game written by selfplay, found {\"game\":\"chess"),
        (r#"{"game":1,"name":"chess"}"#, &["--resume"], "line 1: expected a game written by selfplay, found "),
        (&format!("{game}\n{{}}"), &["--resume"], "line 2: expected a game written by selfplay, found {}"),
        (&format!("{game}\n{{\"game\":1,"), &["--resume"], "line 1: a game with seed 7, 12 playouts, 9x9"),
        (&format!("{game}\n"), &["--resume"], "line 1: a game with seed 7, 12 playouts, 9x9"),
    ] {
        fs::write(&file, text).unwrap();
        let output = selfplay(folder.path(), &[&["--games", "1", "--size", "5"], args].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), told.lines().count()), (Some(2), 1), "{told}");
        assert!(told.starts_with("kifuwarabe-uec14: --out games.jsonl: ") && told.contains(expected), "{told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    let output = selfplay(folder.path(), &["--games", "1", "--komi", "nan"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("expected a number such as 6.5"));
}
