//! `train/`, where Python and PyTorch are installed: its unit tests, and the pipeline from self-play games to a net
//! that the engine loads. It takes a minute, so it is a slow test.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::engine::repository;
use crate::support::{game_table, skipped, slow_tests};

/// Whether slow tests are on and PyTorch is installed; prints a message if not.
fn can_train() -> bool {
    if !slow_tests() {
        skipped("train/ was not tested: it is slow, and KIFUWARABE_SLOW_TESTS is not 1");
        return false;
    }
    let import = Command::new("python3").args(["-c", "import numpy, safetensors, torch"]).output();
    let is_installed = import.is_ok_and(|output| output.status.success());
    if !is_installed {
        skipped("train/ was not tested: Python with PyTorch is not installed");
    }
    is_installed
}

/// Runs a program in a folder; returns its standard output.
#[track_caller]
fn run(folder: &Path, command: &mut Command) -> String {
    let output = command.current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn python(script: &str) -> Command {
    let mut command = Command::new("python3");
    command.arg(repository().join("train").join(script));
    command
}

fn engine() -> Command {
    Command::new(env!("CARGO_BIN_EXE_kifuwarabe-uec14"))
}

#[test]
fn unit_tests_of_train_pass() {
    if can_train() {
        run(&repository(), Command::new("python3").args(["-m", "unittest", "discover", "train"]));
    }
}

#[test]
fn net_trained_on_selfplay_games_loads_in_the_engine() {
    if !can_train() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let games = ["--games", "60", "--out", "games.jsonl", "--size", "7", "--visits", "8", "--seed", "3"];
    run(folder.path(), engine().arg("selfplay").args(games));
    let settings = ["--plan", "7:32", "--channels", "8", "--blocks", "2", "--threads", "1", "--positions"];
    let trained =
        run(folder.path(), python("train.py").args(["work", "--selfplay", "games.jsonl"]).args(settings).arg("1000"));
    assert!(trained.contains("\"positions\": 1024"), "{trained}");

    // the same games as a table
    let mut table = String::new();
    for game in fs::read_to_string(folder.path().join("games.jsonl")).unwrap().lines() {
        let game: Value = serde_json::from_str(game).unwrap();
        let moves: String = game["moves"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
        let winner = game["winner"].as_str().unwrap();
        writeln!(table, "\t7\t{}\t\t{winner}+1\t\t\t\t\t\t\t\t\t\t{moves}", game["komi"]).unwrap();
    }
    fs::write(folder.path().join("games.tsv"), table).unwrap();
    let options = ["--size", "7", "--records", "games.tsv"];
    let net = "work/net.safetensors";
    let ours = run(folder.path(), engine().args(["--set", &format!("Net.File={net}"), "eval"]).args(options));
    assert_eq!(run(folder.path(), python("evaluate.py").arg(net).args(options)), ours);
    assert!(ours.starts_with("7x7: "), "{ours}");
}

#[test]
fn net_trained_without_stored_labels_loads_in_the_engine() {
    if !can_train() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.tsv"), game_table(40)).unwrap();
    let teacher = "import katago; katago.write(katago.Net(2, 16), 'teacher.bin.gz', 'teacher')";
    run(folder.path(), Command::new("python3").env("PYTHONPATH", repository().join("train")).args(["-c", teacher]));
    let mut command = python("online.py");
    command.args(["work", "--engine", env!("CARGO_BIN_EXE_kifuwarabe-uec14"), "--seconds", "10", "--processes", "1"]);
    command.args(["--teacher", "teacher.bin.gz", "--start"]).arg(repository().join("data/human.safetensors"));
    command.args(["--positions", "--size 9 --records games.tsv --rules chinese japanese", "--held-out", "8"]);
    let trained = run(folder.path(), command.args(["--shard", "1300", "--batch", "650", "--buffer-shards", "4"]));
    assert!(trained.contains("training 9x9: divergence ") && trained.contains("held out 9x9: "), "{trained}");
    let net = ["--set", "Net.File=work/net.safetensors"];
    let output = run(folder.path(), engine().args(net).args(["eval", "--size", "9"]));
    assert!(output.contains("and a lead of "), "{output}");
}
