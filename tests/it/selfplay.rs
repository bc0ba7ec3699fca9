//! `selfplay` as a program: its file, its determinism, interrupted runs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
use serde_json::Value;

fn selfplay(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
    command.current_dir(folder).args(["selfplay", "--out", "games.jsonl", "--visits", "6"]).args(args);
    command.output().unwrap()
}

/// Plays on a small board; returns the lines of the file, sorted.
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
fn games_are_legal_and_scores_match_ownership() {
    let folder = tempfile::tempdir().unwrap();
    for line in lines(folder.path(), &["--games", "4", "--check"]) {
        let game: Value = serde_json::from_str(&line).unwrap();
        let coordinate = Coordinate::square(6).unwrap();
        let mut position = Position::new(coordinate, GameRule::with_komi(4.0), 0, Color::Black);
        let moves = game["moves"].as_array().unwrap();
        let visits = game["visits"].as_array().unwrap();
        assert_eq!(moves.len(), visits.len());
        for (played, visits) in moves.iter().zip(visits) {
            let letters = played.as_str().unwrap().as_bytes();
            assert_eq!(letters[0], if position.to_move() == Color::Black { b'B' } else { b'W' });
            let mut played_visits = 0;
            let played_place = if letters[1] == b'.' {
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
                played_visits += if place == played_place { count } else { 0 };
            }
            // near the end the player may pass, or play a move better than a pass, which the search did not visit
            let is_near_end = position.board().empty_points().len() <= 18;
            assert!(sum >= 6 && (played_visits > 0 || played_place == 36 || is_near_end), "{played}: {visits}");
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
fn games_depend_on_the_seed_and_not_on_threads_or_interruption() {
    let [one, two, interrupted] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let expected = lines(one.path(), &["--games", "6"]);
    assert_eq!(expected.len(), 6);
    assert!(expected.windows(2).all(|pair| pair[0].split_once("moves") != pair[1].split_once("moves")));
    assert_eq!(lines(two.path(), &["--games", "6", "--threads", "3"]), expected);

    // a run killed in the middle of a line
    let file = interrupted.path().join("games.jsonl");
    let (complete, part) = (format!("{}\n{}\n", expected[4], expected[1]), &expected[2][..expected[2].len() / 2]);
    fs::write(&file, complete.clone() + part).unwrap();
    assert_eq!(lines(interrupted.path(), &["--games", "6", "--resume"]), expected);
    assert!(fs::read_to_string(&file).unwrap().starts_with(&complete));
    // a weak level, which would limit the playouts, is not used
    let weak = tempfile::tempdir().unwrap();
    assert_eq!(lines(weak.path(), &["--games", "6", "--set", "Search.Level=1"]), expected);
    // a complete file stays as it is
    assert_eq!(lines(interrupted.path(), &["--games", "6", "--resume"]), expected);
    // without --seed the file's seed is used
    let output = selfplay(interrupted.path(), &["--games", "7", "--size", "6", "--komi", "4", "--resume"]);
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("1 game on 6x6 with seed 7: "));
}

#[test]
fn processes_share_a_run_by_the_numbers_of_games() {
    let [one, first, second] = [(); 3].map(|()| tempfile::tempdir().unwrap());
    let all = lines(one.path(), &["--games", "5"]);
    let mut parts = lines(first.path(), &["--games", "2"]);
    let file = second.path().join("games.jsonl");
    parts.extend(lines(second.path(), &["--first", "2", "--games", "3"]));
    assert_eq!(parts, all);
    // an interrupted part is continued within its numbers
    fs::write(&file, format!("{}\n", all[3])).unwrap();
    assert_eq!(lines(second.path(), &["--first", "2", "--games", "3", "--resume"]), all[2..]);
}

#[test]
fn scores_with_a_button_are_consistent() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(lines(folder.path(), &["--games", "2", "--check", "--set", "Game.Rules=aga-button"]).len(), 2);
}

#[test]
fn games_are_not_written_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
    let output = command.current_dir(folder.path()).args(["selfplay", "--games", "1", "--out", "-"]).output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{message}");
    assert!(message.contains("--out -: expected a file"), "{message}");
    assert!(!folder.path().join("-").exists());
}

#[test]
fn resume_needs_the_same_net_and_settings() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.jsonl");
    let run = |settings: &[&str], args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"));
        command.current_dir(folder.path()).args(settings.iter().flat_map(|setting| ["--set", setting]));
        command.args(["selfplay", "--out", "games.jsonl", "--size", "5", "--visits", "2", "--seed", "7"]).args(args);
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let initial = ["Net.Use=false", "Search.PlayoutEscape=0.3"];
    assert_eq!(run(&initial, &["--games", "1"]), (Some(0), String::new()));
    let written = fs::read_to_string(&file).unwrap();
    let found =
        "rules chinese, net none, settings Search.PlayoutEscape=0.3, expected seed 7, 2 playouts, 5x5, komi 6.5, ";
    for (other, expected) in [
        (&["Net.Use=true", initial[1]][..], "settings Search.PlayoutEscape=0.3\n"),
        (&initial[..1], "rules chinese, net none, settings none\n"),
        (
            &[initial[0], initial[1], "Search.PassPrior=0"],
            "net none, settings Search.PassPrior=0 Search.PlayoutEscape=0.3\n",
        ),
        (&[initial[0], initial[1], "Game.PlayFirst=white"], "settings Search.PlayoutEscape=0.3 Game.PlayFirst=white\n"),
    ] {
        let (code, stderr) = run(other, &["--games", "2", "--resume"]);
        assert!(code == Some(2) && stderr.contains(found) && stderr.ends_with(expected), "{other:?}: {stderr}");
        assert_eq!(fs::read_to_string(&file).unwrap(), written);
    }
    // a file of an earlier version
    let missing_fields = r#","net":"none","settings":"Search.PlayoutEscape=0.3""#;
    fs::write(&file, written.replace(missing_fields, "")).unwrap();
    let (code, stderr) = run(&initial, &["--games", "2", "--resume"]);
    assert!(code == Some(2) && stderr.contains("net unknown, settings unknown, expected seed 7"), "{stderr}");
    // settings that change no game may differ
    fs::write(&file, &written).unwrap();
    let same =
        [&initial[..], &["Search.Threads=2", "Search.Level=1", "Search.MemoryMB=16", "Search.Seconds=1"]].concat();
    assert_eq!(run(&same, &["--games", "2", "--resume"]), (Some(0), String::new()));
    assert!(fs::read_to_string(&file).unwrap().starts_with(&written));
}

#[test]
fn existing_file_is_not_changed_by_a_refused_run() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.jsonl");
    let game = r#"{"game":0,"seed":7,"playouts":6,"size":9,"komi":0.5,"rules":"chinese"}"#;
    for (text, args, expected) in [
        ("", &[][..], "the file exists, expected a new one"),
        ("what is this\n", &["--resume"], "line 1: expected a game written by selfplay, found what is this"),
        ("what is this", &["--resume"], "line 1: expected a game written by selfplay, found what is this"),
        (r#"{"games":1}"#, &["--resume"], "line 1: expected a game written by selfplay, found {\"games"),
        (r#"{"game":"chess"}"#, &["--resume"], "line 1: expected a game written by selfplay, found {\"game\":\"chess"),
        (r#"{"game":1,"name":"chess"}"#, &["--resume"], "line 1: expected a game written by selfplay, found "),
        (&format!("{game}\n{{}}"), &["--resume"], "line 2: expected a game written by selfplay, found {}"),
        (&format!("{game}\n{{\"game\":1,"), &["--resume"], "line 1: a game with seed 7, 6 playouts, 9x9"),
        (&format!("{game}\n"), &["--resume"], "line 1: a game with seed 7, 6 playouts, 9x9"),
    ] {
        fs::write(&file, text).unwrap();
        let output = selfplay(folder.path(), &[&["--games", "1", "--size", "5"], args].concat());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.lines().count()), (Some(2), 1), "{stderr}");
        assert!(stderr.starts_with("kifuwarabe-uec14: --out games.jsonl: ") && stderr.contains(expected), "{stderr}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
    let output = selfplay(folder.path(), &["--games", "1", "--komi", "nan"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("expected a number such as 6.5"));
}

#[test]
fn a_file_is_written_by_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let before = lines(folder.path(), &["--games", "1"]);
    let path = folder.path().join("games.jsonl");
    let other = fs::File::options().append(true).open(&path).unwrap();
    other.lock().unwrap();
    let output = selfplay(folder.path(), &["--size", "6", "--komi", "4", "--seed", "7", "--games", "2", "--resume"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert_eq!(stderr, "kifuwarabe-uec14: --out games.jsonl: another process writes to this file\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{}\n", before[0]));
    drop(other);
    assert_eq!(lines(folder.path(), &["--games", "2", "--resume"]).len(), 2);
}

#[test]
fn a_game_that_is_there_twice_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let game = lines(folder.path(), &["--games", "1"]).concat();
    let twice = format!("{game}\n{game}\n");
    fs::write(folder.path().join("games.jsonl"), &twice).unwrap();
    let output = selfplay(folder.path(), &["--size", "6", "--komi", "4", "--seed", "7", "--games", "2", "--resume"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.ends_with("line 2: game 0 again, expected each number once\n"), "{stderr}");
    assert_eq!(fs::read_to_string(folder.path().join("games.jsonl")).unwrap(), twice);
}

/// The file is limited to the middle of a game, as on a full disk.
#[cfg(unix)]
#[test]
fn a_failed_write_leaves_whole_games() {
    let [whole, limited] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let all = lines(whole.path(), &["--games", "6"]);
    // in blocks of 512 bytes, or of 1024 in some shells
    let blocks = all[..3].iter().map(String::len).sum::<usize>() / 1024;
    let mut shell = Command::new("sh");
    let script = format!("ulimit -f {blocks}; exec \"$0\" selfplay --out games.jsonl --visits 6 \"$@\"");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_kifuwarabe-uec14"), "--threads", "3", "--games", "6"]);
    shell.args(["--size", "6", "--komi", "4", "--seed", "7"]).current_dir(limited.path());
    let output = shell.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && stderr.contains(" cannot be written: "), "{stderr}");
    let written = fs::read_to_string(limited.path().join("games.jsonl")).unwrap();
    assert!(written.is_empty() || written.ends_with('\n'), "{written}");
    assert!(written.lines().all(|line| all.iter().any(|game| game == line)), "{written}");
    assert_eq!(lines(limited.path(), &["--games", "6", "--resume"]), all);
}
