//! The engine is killed at random moments, also during a save: no file is damaged, all answered commands are in both
//! logs, and the game is restored from them. And memory and logs of a long session stay bounded.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use kifuwarabe_uec14::sgf;
use serde_json::{Map, Value};

use crate::engine::{Folder, JSON_LOG, PLAIN_LOG, answers, engine, file_names, set_arguments, terminate};
#[cfg(target_os = "linux")]
use crate::resources::{Usage, assert_flat};
use crate::support::slow_tests;

/// Kills a session shortly after a random number of answers; gives the number of answered commands.
fn kill(seed: u64) -> usize {
    let mut rng = Rng::with_seed(seed);
    let folder = Folder::new();
    let threads = format!("Search.Threads={}", rng.u8(1..=2));
    let settings = ["Game.BoardSize=9", "Search.Seconds=0.005", "Net.Use=false", &threads];
    let arguments = set_arguments(&settings);
    let mut child = folder.command(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let lines: Vec<String> = (1..4000)
        .map(|number| {
            let command = match rng.u8(..20) {
                0..3 => "rendb_save rens.json",
                3..6 => "printsgf game.sgf",
                6..10 => "undo",
                10 => "loadsgf game.sgf",
                11 => "komi 5.5",
                12 if rng.u8(..10) == 0 => "clear_board",
                13 => "kata-genmove_analyze w",
                number if number % 2 == 0 => "genmove b",
                _ => "genmove w",
            };
            format!("{number} {command}")
        })
        .collect();
    let input = lines.join("\n");
    let writer = thread::spawn(move || {
        // the process is killed before it has read all
        let _ = stdin.write_all(input.as_bytes());
        stdin
    });
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut output = String::new();
    for _ in 0..rng.usize(..60) {
        while stdout.read_line(&mut output).unwrap() > 1 {}
    }
    stdout.read_line(&mut output).unwrap();
    thread::sleep(Duration::from_micros(rng.u64(..10_000)));
    if seed.is_multiple_of(2) {
        child.kill().unwrap();
    } else {
        terminate(&child);
    }
    stdout.read_to_string(&mut output).unwrap();
    child.wait().unwrap();
    drop(writer.join().unwrap());
    let mut answered: Vec<&str> = output.split("\n\n").collect();
    // an answer without its empty line is incomplete
    answered.pop();

    let plain = folder.read(PLAIN_LOG);
    let logged = logged(&folder);
    assert!(logged.len() >= answered.len(), "{} answered, {} logged", answered.len(), logged.len());
    for (number, answer) in answered.iter().enumerate() {
        assert_eq!(logged[number].0, lines[number], "seed {seed}");
        assert!(plain.contains(&format!("\t# {}\n", lines[number])), "seed {seed}: {answer}");
        // of an analysis the log has only the last report, on the line of the id
        let (first, last) = (answer.lines().next().unwrap().trim_end(), answer.lines().last().unwrap().trim_end());
        let id = first.split(' ').next().unwrap();
        let is_logged = [' ', '\n'].iter().any(|end| plain.contains(&format!("\t{id}{end}")));
        assert!(is_logged && plain.contains(&format!("{last}\n")), "seed {seed}: {answer}");
    }
    for file in std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
        match file.file_name().unwrap().to_str().unwrap() {
            "rens.json" => drop(serde_json::from_slice::<Value>(&std::fs::read(file).unwrap()).unwrap()),
            "game.sgf" => drop(sgf::read(&std::fs::read(file).unwrap()).unwrap()),
            _ => {}
        }
    }
    assert!(leftovers(&folder).len() <= 1, "seed {seed}: {:?}", leftovers(&folder));
    assert_restored(seed, &folder, &logged);
    // the next saves remove temporary files of the last one
    folder.run(&[], b"rendb_save rens.json\nprintsgf game.sgf\n");
    assert!(leftovers(&folder).is_empty(), "seed {seed}: {:?}", leftovers(&folder));
    answered.len()
}

/// The names of files other than data, configuration, logs and saved files.
fn leftovers(folder: &Folder) -> Vec<String> {
    file_names(folder.path())
        .into_iter()
        .filter(|name| !["data", "engine.toml", PLAIN_LOG, JSON_LOG, "rens.json", "game.sgf"].contains(&name.as_str()))
        .collect()
}

/// The commands of the JSON log, each with the event of its answer.
fn logged(folder: &Folder) -> Vec<(String, Map<String, Value>)> {
    let mut commands = Vec::new();
    let mut command: Option<String> = None;
    for line in folder.read(JSON_LOG).lines() {
        // the last line may be incomplete
        let Ok(event) = serde_json::from_str::<Map<String, Value>>(line) else { continue };
        match event["msg"].as_str().unwrap() {
            "session" | "search" | "file" => {}
            "input" => command = event["command"].as_str().map(str::to_owned),
            _ => commands.extend(command.take().map(|command| (command, event))),
        }
    }
    commands
}

/// A replay of the log ends in the game that the log describes.
fn assert_restored(seed: u64, folder: &Folder, logged: &[(String, Map<String, Value>)]) {
    let mut model = engine();
    answers(&mut model, b"boardsize 9\n");
    // the game of the last answered save
    let mut saved = None;
    for (line, answer) in logged {
        let (_, command) = line.split_once(' ').unwrap();
        let color = if command.ends_with('b') { "black" } else { "white" };
        match (command, answer.get("move").and_then(Value::as_str)) {
            _ if answer["msg"] == "error" => {}
            (_, Some("resign")) => {}
            (_, Some(play)) => drop(answers(&mut model, format!("play {color} {play}\n").as_bytes())),
            ("printsgf game.sgf", _) => saved = Some(model.position.clone()),
            ("loadsgf game.sgf", _) => model.position = saved.clone().unwrap(),
            (command, _) if command.starts_with("rendb") => {}
            (command, _) => drop(answers(&mut model, format!("{command}\n").as_bytes())),
        }
    }
    let expected = answers(&mut model, b"record\nlist_stones b\nlist_stones w\nget_komi\n");
    let saved = ["rens.json", "game.sgf"].map(|file| std::fs::read(folder.path().join(file)).ok());
    let output =
        folder.run(&["replay", JSON_LOG, "--until", "end"], b"record\nlist_stones b\nlist_stones w\nget_komi\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "seed {seed}: {stderr}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "seed {seed}: {stderr}");
    let after = ["rens.json", "game.sgf"].map(|file| std::fs::read(folder.path().join(file)).ok());
    assert!(saved == after, "seed {seed}: a replay writes no file");
}

#[test]
fn a_kill_at_any_moment_loses_nothing() {
    let kills = if slow_tests() { 200 } else { 12 };
    let mut answered: Vec<usize> = (0..kills).map(kill).collect();
    answered.sort_unstable();
    let (least, middle, most) = (answered[0], answered[answered.len() / 2], answered[answered.len() - 1]);
    eprintln!("{kills} kills after {least} to {most} answers, {middle} in the middle");
}

/// A million commands through one process, if slow tests are enabled.
#[cfg(target_os = "linux")]
#[test]
fn memory_and_logs_of_a_long_session_stay_bounded() {
    let rounds: usize = if slow_tests() { 100_000 } else { 1_000 };
    const ROUND: [(&str, &str); 10] = [
        ("boardsize 9", "= "),
        ("play b D4", "= "),
        ("play w E5", "= "),
        ("play b E5", "? masonry my_stone:x point:E5"),
        ("play w F4", "= "),
        ("record", "= record:'[1]D4 [2]E5 [3]F4'"),
        ("test_get_liberty D4", "= ren color:x area:1 libertyArea:"),
        ("final_status_list maybe", "? unexpected status:maybe"),
        ("undo", "= "),
        ("nonsense", "? unknown command"),
    ];
    // memory and logs are sampled a hundred times, after a search
    let is_sample = move |round: usize| round.is_multiple_of(rounds / 100);
    let folder = Folder::new();
    // an analysis ends at the next command, which a busy machine may send late: a search of the same position fills
    // the memory first
    let mut settings = vec![
        "Log.Rotation=size",
        "Log.MaxMegabytes=1",
        "Log.MaxFiles=3",
        "Search.MemoryMB=16",
        "Search.MaxPlayouts=4000",
    ];
    // an analysis that ends at once is extended to some visits, which take long with a net that is not optimized
    settings.extend((!slow_tests()).then_some("Net.Use=false"));
    let arguments = set_arguments(&settings);
    let mut child = folder.command(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = std::io::BufWriter::new(child.stdin.take().unwrap());
    let writer = thread::spawn(move || {
        writeln!(stdin, "boardsize 9\nplay b D4\nplay w E5\nkata-search w").unwrap();
        for round in 0..rounds {
            for (command, _) in ROUND {
                writeln!(stdin, "{command}").unwrap();
            }
            if is_sample(round) {
                writeln!(stdin, "kata-analyze 1").unwrap();
            }
        }
    });
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first: Vec<String> = lines.by_ref().take(8).map(Result::unwrap).collect();
    assert!(first.iter().step_by(2).all(|line| line.starts_with("= ")), "{first:?}");
    let mut usage = Vec::new();
    for round in 0..rounds {
        for (command, expected) in ROUND {
            let answer = lines.next().unwrap().unwrap();
            assert!(answer.starts_with(expected), "round {round}: {command}: {answer}");
            assert_eq!(lines.next().unwrap().unwrap(), "", "round {round}: {command}");
        }
        if is_sample(round) {
            let analysis: Vec<String> =
                lines.by_ref().map(Result::unwrap).take_while(|line| !line.is_empty()).collect();
            assert!(
                analysis[0] == "= " && analysis.iter().skip(1).all(|line| line.starts_with("info ")),
                "{analysis:?}"
            );
            usage.extend(Usage::of(child.id()));
            for entry in std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap()) {
                let length = entry.metadata().map_or(0, |metadata| metadata.len());
                assert!(length <= 1 << 20 || entry.path().is_dir(), "{:?}: {length} bytes", entry.path());
            }
        }
    }
    writer.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let names = file_names(folder.path());
    let logs: Vec<String> = names.into_iter().filter(|name| name.starts_with("kifuwarabe")).collect();
    let expected: Vec<String> =
        [JSON_LOG, PLAIN_LOG].iter().flat_map(|log| ["", ".1", ".2"].map(|number| format!("{log}{number}"))).collect();
    if slow_tests() {
        assert_eq!(logs, expected);
    }
    assert_flat(&format!("{} commands", rounds * ROUND.len()), &usage);
}
