//! The engine is killed at any moment, in the middle of a save too: no file is damaged, all that was answered is in both
//! logs, and the game is restored from them. And a process that lives long stays as it was.
#![cfg(unix)]

use std::io::{BufRead, BufReader, Read, Write};
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use kifuwarabe_uec14::sgf;
use serde_json::{Map, Value};

use crate::engine::{Folder, JSON_LOG, PLAIN_LOG, answers, engine, terminate};
use crate::support::slow_tests;

/// A session that is killed a moment after some of its answers; how many of its commands had been answered.
fn kill(seed: u64) -> usize {
    let mut rng = Rng::with_seed(seed);
    let folder = Folder::new();
    let threads = format!("Search.Threads={}", rng.u8(1..=2));
    let settings = ["Game.BoardSize=9", "Search.Seconds=0.005", "Net.Use=false", &threads];
    let arguments: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
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
        // it is killed before it has read all
        let _ = stdin.write_all(input.as_bytes());
        stdin
    });
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut said = String::new();
    for _ in 0..rng.usize(..60) {
        while stdout.read_line(&mut said).unwrap() > 1 {}
    }
    stdout.read_line(&mut said).unwrap();
    thread::sleep(Duration::from_micros(rng.u64(..10_000)));
    if seed.is_multiple_of(2) {
        child.kill().unwrap();
    } else {
        terminate(&child);
    }
    stdout.read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    drop(writer.join().unwrap());
    let mut answered: Vec<&str> = said.split("\n\n").collect();
    // what follows the last empty line is no whole answer
    answered.pop();

    let plain = folder.read(PLAIN_LOG);
    let logged = logged(&folder);
    assert!(logged.len() >= answered.len(), "{} answered, {} logged", answered.len(), logged.len());
    for (number, answer) in answered.iter().enumerate() {
        assert_eq!(logged[number].0, lines[number], "seed {seed}");
        assert!(plain.contains(&format!("\t# {}\n", lines[number])), "seed {seed}: {answer}");
        // of an analysis the log has the last report only, from the first row on
        let (first, last) = (answer.lines().next().unwrap().trim_end(), answer.lines().last().unwrap().trim_end());
        let id = first.split(' ').next().unwrap();
        let is_begun = [' ', '\n'].iter().any(|end| plain.contains(&format!("\t{id}{end}")));
        assert!(is_begun && plain.contains(&format!("{last}\n")), "seed {seed}: {answer}");
    }
    for file in std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
        match file.file_name().unwrap().to_str().unwrap() {
            "rens.json" => drop(serde_json::from_slice::<Value>(&std::fs::read(file).unwrap()).unwrap()),
            "game.sgf" => drop(sgf::read(&std::fs::read(file).unwrap()).unwrap()),
            _ => {}
        }
    }
    assert!(unfinished(&folder).len() <= 1, "seed {seed}: {:?}", unfinished(&folder));
    assert_restored(seed, &folder, &logged);
    // the next saves clear away what the last one left
    folder.run(&[], b"rendb_save rens.json\nprintsgf game.sgf\n");
    assert!(unfinished(&folder).is_empty(), "seed {seed}: {:?}", unfinished(&folder));
    answered.len()
}

/// What is in the folder but no data, log or saved file.
fn unfinished(folder: &Folder) -> Vec<String> {
    let names =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names
        .filter(|name| !["data", "engine.toml", PLAIN_LOG, JSON_LOG, "rens.json", "game.sgf"].contains(&name.as_str()))
        .collect()
}

/// The commands of the JSON log with what it says of their answers.
fn logged(folder: &Folder) -> Vec<(String, Map<String, Value>)> {
    let mut commands = Vec::new();
    let mut given: Option<String> = None;
    for line in folder.read(JSON_LOG).lines() {
        // a last line may have been cut
        let Ok(event) = serde_json::from_str::<Map<String, Value>>(line) else { continue };
        match event["msg"].as_str().unwrap() {
            "session" | "search" | "file" => {}
            "input" => given = event["command"].as_str().map(str::to_owned),
            _ => commands.extend(given.take().map(|given| (given, event))),
        }
    }
    commands
}

/// The game that the log tells is the game that a replay of it ends in.
fn assert_restored(seed: u64, folder: &Folder, logged: &[(String, Map<String, Value>)]) {
    let mut model = engine();
    answers(&mut model, b"boardsize 9\n");
    // the game as it was saved, as far as that had been answered
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
    assert!(saved == after, "seed {seed}: a replay writes nothing");
}

#[test]
fn killed_at_any_moment_nothing_is_lost() {
    let kills = if slow_tests() { 200 } else { 12 };
    let mut answered: Vec<usize> = (0..kills).map(kill).collect();
    answered.sort_unstable();
    let (least, middle, most) = (answered[0], answered[answered.len() / 2], answered[answered.len() - 1]);
    eprintln!("{kills} kills after {least} to {most} answers, {middle} in the middle");
}

/// A million commands through one process, where slow tests are asked for.
#[cfg(target_os = "linux")]
#[test]
fn a_long_life_leaves_nothing_behind() {
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
    // a hundred times memory and logs are looked at, after a search
    let is_sample = move |round: usize| round.is_multiple_of(rounds / 100);
    let folder = Folder::new();
    let settings = ["Log.Rotation=size", "Log.MaxMegabytes=1", "Log.MaxFiles=3"];
    let arguments: Vec<&str> = settings.iter().flat_map(|setting| ["--set", setting]).collect();
    let mut child = folder.command(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = std::io::BufWriter::new(child.stdin.take().unwrap());
    let writer = thread::spawn(move || {
        for round in 0..rounds {
            for (command, _) in ROUND {
                writeln!(stdin, "{command}").unwrap();
            }
            if is_sample(round) {
                writeln!(stdin, "kata-analyze 1").unwrap();
            }
        }
    });
    let resident = |process: u32| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        // one that has ended, and whose last answers are on their way, has none
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
    };
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut memory = Vec::new();
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
            memory.extend(resident(child.id()));
            for entry in std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap()) {
                let length = entry.metadata().map_or(0, |metadata| metadata.len());
                assert!(length <= 1 << 20 || entry.path().is_dir(), "{:?}: {length} bytes", entry.path());
            }
        }
    }
    writer.join().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let names =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut logs: Vec<String> = names.filter(|name| name.starts_with("kifuwarabe")).collect();
    logs.sort();
    let expected: Vec<String> =
        [JSON_LOG, PLAIN_LOG].iter().flat_map(|log| ["", ".1", ".2"].map(|number| format!("{log}{number}"))).collect();
    if slow_tests() {
        assert_eq!(logs, expected);
    }
    assert!(memory.len() > 50, "{} looks", memory.len());
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
    let tenth = memory.len() / 10;
    let (first, last) = (mean(&memory[..tenth]), mean(&memory[memory.len() - tenth..]));
    eprintln!("{} commands: {first:.1} MiB in the first tenth, {last:.1} MiB in the last", rounds * ROUND.len());
    assert!(last < first * 1.1 + 2.0, "{first} MiB, then {last} MiB");
}
