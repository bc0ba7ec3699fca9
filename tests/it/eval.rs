//! `eval` as a program.

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{game_table, tiny_katago_net};

fn eval(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14")).arg("eval").args(args).output().unwrap()
}

fn stdout(args: &[&str]) -> String {
    let output = eval(args);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn json_has_every_point_and_pass() {
    let text = stdout(&["--json", "--size", "9", "--komi", "7.5", "--moves", "B E5 W pass b c3"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    let policy = found["policy"].as_object().unwrap();
    assert_eq!(policy.len(), 82);
    let sum: f64 = policy.values().map(|probability| probability.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    assert_eq!(policy["E5"].as_f64(), Some(0.0), "an occupied point");
    assert!((0.0..=1.0).contains(&found["win"].as_f64().unwrap()));
    assert!(found["lead"].as_f64().unwrap().abs() < 81.0);
    assert_eq!(found.as_object().unwrap().len(), 3);
}

#[test]
fn side_to_move_and_komi_change_the_value() {
    let win = |args: &[&str]| {
        let found: Value = serde_json::from_str(&stdout(&[&["--json", "--size", "9"], args].concat())).unwrap();
        found["win"].as_f64().unwrap()
    };
    assert_ne!(win(&["--komi", "-15"]), win(&["--komi", "15"]));
    assert_eq!(win(&["--moves", "B E5", "--color", "w"]), win(&["--moves", "B E5"]));
    assert_ne!(win(&["--moves", "B E5", "--color", "black"]), win(&["--moves", "B E5"]));
    assert!(stdout(&["--size", "9", "--color", "white"]).starts_with("white to move wins with "));
}

#[test]
fn net_of_katago_also_has_a_lead() {
    let katago = format!("Net.File={}", tiny_katago_net().display());
    let args = ["--set", &katago, "--size", "9", "--moves", "B E5 W C3"];
    let found: Value = serde_json::from_str(&stdout(&[&["--json"][..], &args].concat())).unwrap();
    let policy = found["policy"].as_object().unwrap();
    assert_eq!((policy.len(), policy["E5"].as_f64(), policy["C3"].as_f64()), (82, Some(0.0), Some(0.0)));
    let sum: f64 = policy.values().map(|probability| probability.as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 1e-4 && found["lead"].is_number(), "{found}");
    let text = stdout(&args);
    assert!(text.starts_with("black to move wins with ") && text.contains(" and a lead of "), "{text}");
}

#[test]
fn error_is_one_line_on_stderr() {
    for (args, expected) in [
        (&["--moves", "B Q16 W Q16"][..], "--moves: W Q16: masonry: there is a stone on the point"),
        (&["--moves", "B Q16 W"], "--moves: W has no vertex after it"),
        (&["--moves", "X Q16"], "--moves: X Q16: expected black or white"),
        (&["--moves", "B Z99"], "--moves: B Z99: expected A1 to T19 or pass"),
        (&["--moves", "B i9"], "--moves: B i9: expected A1 to T19 (there is no column I) or pass"),
        (&["--color", "red"], "--color red: expected black or white"),
        (&["--records", "absent.tsv"], "--records absent.tsv: cannot read "),
    ] {
        let output = eval(args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), text.lines().count()), (Some(2), 1), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn records_evaluates_held_out_games() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.tsv");
    fs::write(&path, game_table(60) + "no game\n").unwrap();
    let text = stdout(&["--size", "9", "--records", path.to_str().unwrap()]);
    let katago = format!("Net.File={}", tiny_katago_net().display());
    let by_katago = stdout(&["--set", &katago, "--size", "9", "--records", path.to_str().unwrap()]);
    assert_eq!(by_katago.split_once(": top-1").unwrap().0, text.split_once(": top-1").unwrap().0);
    let games: usize = text.split_once(" positions of ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
    assert!((1..20).contains(&games), "{text}");
    assert!(text.starts_with("9x9: ") && text.contains("top-1 ") && text.contains("winner "), "{text}");
    let output = eval(&["--size", "13", "--records", path.to_str().unwrap()]);
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("no record table or self-play file with held-out games on 13x13")
    );
}
