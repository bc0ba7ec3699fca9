//! Memory, open files and threads of processes that run for long: after many games and queries they are those after a
//! few. `KIFUWARABE_SLOW_TESTS=1` asks for 10,000 games and 1,000,000 queries.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))] // only Linux has /proc

use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::Stdio;
use std::thread;

use fastrand::Rng;
use serde_json::{Value, json};

use crate::engine::{Folder, memory, set_arguments, start};
use crate::support::slow_tests;

/// Threads of a search in these tests.
const SEARCH_THREADS: usize = 2;

/// MiB for the buffers of a search thread that starts before the last one has ended, as it may on a busy machine. The
/// allocator keeps them.
const SEARCH_MEMORY: f64 = 16.0;

/// The resources of a process, from `/proc`.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// Resident memory in MiB.
    pub memory: f64,
    /// Open file descriptors.
    pub files: usize,
    pub threads: usize,
}

impl Usage {
    /// `None` for a process that has ended, and on other systems than Linux.
    pub fn of(process: u32) -> Option<Usage> {
        let count = |folder: &str| fs::read_dir(format!("/proc/{process}/{folder}")).map(Iterator::count).ok();
        Some(Usage { memory: memory(process, "VmRSS")?, files: count("fd")?, threads: count("task")? })
    }
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} MiB, {} files, {} threads", self.memory, self.files, self.threads)
    }
}

/// The mean memory of some samples, and their smallest counts: the threads of a search are there while it runs, and a
/// moment longer, and what is left behind is there in every sample.
fn summary(samples: &[Usage]) -> Usage {
    let least = |count: fn(&Usage) -> usize| samples.iter().map(count).min().unwrap();
    Usage {
        memory: samples.iter().map(|sample| sample.memory).sum::<f64>() / samples.len() as f64,
        files: least(|sample| sample.files),
        threads: least(|sample| sample.threads),
    }
}

/// The last tenth of the samples must not exceed the second one, but for a tenth of the memory and [`SEARCH_MEMORY`]: in
/// the first one, caches and queues are filled.
#[track_caller]
pub fn assert_flat(what: &str, samples: &[Usage]) {
    assert!(samples.len() > 50, "{} samples", samples.len());
    let tenth = samples.len() / 10;
    let (first, last) = (summary(&samples[tenth..2 * tenth]), summary(&samples[samples.len() - tenth..]));
    println!("{what}: {first} in the second tenth; {last} in the last");
    assert!(last.memory < first.memory * 1.1 + SEARCH_MEMORY, "{first}, then {last}");
    // a search may run during all samples of a tenth
    assert!(last.files <= first.files && last.threads <= first.threads + SEARCH_THREADS, "{first}, then {last}");
}

#[cfg(target_os = "linux")]
#[test]
fn games_leave_nothing_behind() {
    let games: usize = if slow_tests() { 10_000 } else { 100 };
    let folder = Folder::new();
    let settings =
        ["Search.MaxPlayouts=4", "Search.Threads=2", "Log.Rotation=size", "Log.MaxMegabytes=1", "Log.MaxFiles=3"];
    let mut engine = start(&folder, &settings);
    let mut samples = Vec::new();
    for game in 0..games {
        for command in ["boardsize 9", "clear_board"] {
            assert_eq!(engine.ask(command), "=");
        }
        for number in 0..20 {
            let color = if number % 2 == 0 { "b" } else { "w" };
            assert!(engine.ask(&format!("genmove {color}")).starts_with("= "));
        }
        assert!(engine.ask("printsgf").starts_with("= (;"));
        if game % (games / 100) == 0 {
            samples.extend(Usage::of(engine.child.id()));
        }
    }
    assert_eq!(engine.ask("quit"), "=");
    assert_flat(&format!("{games} games"), &samples);
}

/// A query about a few moves on 5x5; some are no queries.
fn query(number: usize, rng: &mut Rng) -> Value {
    if number % 50 == 49 {
        return json!({ "id": number, "rules": "unknown" });
    }
    let mut points: Vec<String> =
        "ABCDE".chars().flat_map(|file| (1..=5).map(move |rank| format!("{file}{rank}"))).collect();
    rng.shuffle(&mut points);
    points.truncate(rng.usize(..6));
    let moves: Vec<Value> =
        points.iter().zip(["B", "W"].iter().cycle()).map(|(point, color)| json!([color, point])).collect();
    json!({
        "id": number.to_string(), "boardXSize": 5, "boardYSize": 5, "rules": "chinese", "komi": 6.5, "moves": moves,
        "maxVisits": 1 + number % 3, "includeOwnership": rng.bool(), "includePolicy": rng.bool(),
    })
}

#[cfg(target_os = "linux")]
#[test]
fn queries_leave_nothing_behind() {
    let queries: usize = if slow_tests() { 1_000_000 } else { 1000 };
    let folder = Folder::new();
    let mut arguments = vec!["analysis"];
    arguments.extend(set_arguments(&["Search.Threads=2"]));
    let mut command = folder.command(&arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut stdin = BufWriter::new(child.stdin.take().unwrap());
    let writer = thread::spawn(move || {
        let mut rng = Rng::with_seed(3);
        for number in 0..queries {
            writeln!(stdin, "{}", query(number, &mut rng)).unwrap();
        }
    });
    let mut samples = Vec::new();
    let mut responses = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let response: Value = serde_json::from_str(&line.unwrap()).unwrap();
        assert_eq!(response.get("error").is_some(), response.get("rootInfo").is_none(), "{response}");
        if responses % (queries / 100) == 0 {
            samples.extend(Usage::of(child.id()));
        }
        responses += 1;
    }
    writer.join().unwrap();
    assert_eq!((responses, child.wait().unwrap().code()), (queries, Some(0)));
    assert_flat(&format!("{queries} queries"), &samples);
}
