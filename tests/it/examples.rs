//! The programs in `examples/`, run as processes. `cargo test` builds them; `cargo test --test it` alone does not.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::engine::repository;
use crate::support::skipped;

/// The binary of an example, in the folder `examples` of the build profile that this test was built with; `None` if it is
/// absent or older than its source.
fn program(name: &str) -> Option<PathBuf> {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let program = deps.with_file_name("examples").join(name).with_extension(std::env::consts::EXE_EXTENSION);
    let source = repository().join("examples").join(name).with_extension("rs");
    let modified = |path: &Path| path.metadata().and_then(|metadata| metadata.modified());
    let is_current = modified(&program).is_ok_and(|built| built >= modified(&source).unwrap());
    if !is_current {
        skipped(&format!("{} is absent or old: `cargo build --examples` builds it", program.display()));
    }
    is_current.then_some(program)
}

fn run(name: &str, arguments: &[&str]) -> Option<Output> {
    Some(Command::new(program(name)?).args(arguments).env_remove("RUST_BACKTRACE").output().unwrap())
}

/// The lines that a run prints to stdout; nothing may be on stderr.
fn lines(output: Output) -> Vec<String> {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && stderr.is_empty(), "{stderr}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The stderr of a run that fails; nothing may be on stdout.
fn error(output: Output) -> String {
    assert!(!output.status.success() && output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn random_games_prints_the_same_statistics_for_the_same_seed() {
    let Some(output) = run("random_games", &["9", "200", "1"]) else { return };
    let lines = lines(output);
    assert_eq!(lines[0], "200 games on 9x9, komi 7.5, seed 1");
    let length: f64 = lines[1].split(' ').nth(2).unwrap().parse().unwrap();
    assert!((105.0..=117.0).contains(&length), "{lines:?}");
    let wins: u32 = lines[2].split(' ').nth(2).unwrap().trim_end_matches(',').parse().unwrap();
    assert!((50..=110).contains(&wins), "{lines:?}");
    assert_eq!(self::lines(run("random_games", &["9", "200", "1"]).unwrap()), lines);
}

#[test]
fn random_games_refuses_bad_arguments_with_its_usage() {
    for (arguments, reason) in [
        (&["30"][..], "SIZE 30, expected 2 to 25"),
        (&["9", "0"], "GAMES 0, expected 1 or more"),
        (&["9", "many"], "GAMES \"many\" is not a number in range"),
        (&["9", "1", "1", "1"], "4 arguments, expected at most 3"),
    ] {
        let Some(output) = run("random_games", arguments) else { return };
        let error = error(output);
        assert!(error.contains("usage: random_games [SIZE") && error.contains(reason), "{error}");
    }
}

#[test]
fn count_rens_counts_stones_and_liberties() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.sgf");
    std::fs::write(&path, "(;FF[4]GM[1]SZ[9]KM[7];B[ee];W[ed];B[dd];W[fd];B[dc];W[aa])").unwrap();
    let Some(output) = run("count_rens", &[path.to_str().unwrap()]) else { return };
    let expected = [
        "black: 3 stones in 2 rens",
        "  3 liberties: 1",
        "  5 liberties: 1",
        "white: 3 stones in 2 rens",
        "  2 liberties: 1",
        "  4 liberties: 1",
    ];
    let lines = lines(output);
    assert!(lines[0].ends_with("game.sgf: 6 moves"), "{lines:?}");
    assert_eq!(lines[1..], expected);

    std::fs::write(&path, "no record").unwrap();
    let broken = error(run("count_rens", &[path.to_str().unwrap()]).unwrap());
    assert!(broken.contains("game.sgf") && broken.contains("no game record"), "{broken}");
    assert!(error(run("count_rens", &[]).unwrap()).contains("usage: count_rens GAME.sgf"));
}

#[test]
fn analyze_position_prints_the_best_candidates() {
    let Some(output) = run("analyze_position", &["B E5 W C3", "100", "9"]) else { return };
    let lines = lines(output);
    assert_eq!(lines[0], "black to move, 100 simulations");
    assert!(lines[1].starts_with("move  visits"));
    let visits: Vec<u32> =
        lines[2..].iter().map(|line| line.split_whitespace().nth(1).unwrap().parse().unwrap()).collect();
    assert!((1..=5).contains(&visits.len()) && visits.iter().all(|&visits| visits > 0), "{lines:?}");
    for line in &lines[2..] {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let win: f64 = fields[2].trim_end_matches('%').parse().unwrap();
        assert!((0.0..=100.0).contains(&win), "{line}");
        assert_eq!(fields[0], fields[4], "a variation begins with its move: {line}");
    }
}

#[test]
fn analyze_position_names_the_bad_argument() {
    for (arguments, reason) in [
        (&[][..], "0 arguments, expected 1 to 3"),
        (&["B E5 W"], "a colour without a vertex"),
        (&["B E5 W E5"], "white E5 is illegal"),
        (&["B K9"], "K9"),
        (&["green E5"], "\"green\" is not a colour"),
        (&["", "0"], "SIMULATIONS 0, expected 1 or more"),
        (&["", "1", "26"], "SIZE, expected 2 to 25"),
    ] {
        let Some(output) = run("analyze_position", arguments) else { return };
        let error = error(output);
        assert!(error.contains("usage: analyze_position \"B E5 W C3\"") && error.contains(reason), "{error}");
    }
}
