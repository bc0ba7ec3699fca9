//! The targets of `fuzz/` on the stable toolchain: their seeds, and random mutations of them.
//!
//! `KIFUWARABE_FUZZ_SECONDS=60` runs each target for a minute with a random RNG seed; `KIFUWARABE_FUZZ_SEED=N` sets the
//! seed. An input that fails is saved, and its file named.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use fastrand::Rng;

use crate::engine::repository;
use crate::targets::{TARGETS, Target};

/// The maximum length of a mutated input, in bytes.
const MAX_LENGTH: usize = 1024;

/// Boundary values and syntax characters.
const EDGES: &[&str] = &[
    "0",
    "-1",
    "1e999",
    "nan",
    "255",
    "256",
    "65536",
    "4294967296",
    "9223372036854775808",
    "\n",
    "\r\n",
    "\"",
    "\\",
    "[",
    "]",
    "{",
    "}",
    "(;",
    ")",
    "'''",
    "\u{feff}",
    "\u{3042}",
    "\0",
    "=",
    "tt",
    "Z26",
    "+",
    "x",
    "o",
];

#[test]
fn analysis() {
    drive("analysis", 200);
}

#[test]
fn boards() {
    drive("boards", 5000);
}

#[test]
fn config() {
    drive("config", 200);
}

#[test]
fn game_tree() {
    drive("game_tree", 5000);
}

#[test]
fn lines() {
    drive("lines", 5000);
}

#[test]
fn log() {
    drive("log", 300);
}

#[test]
fn net() {
    drive("net", 300);
}

#[test]
fn ren_db() {
    drive("ren_db", 5000);
}

#[test]
fn rules() {
    drive("rules", 500);
}

#[test]
fn session() {
    drive("session", 100);
}

#[test]
fn sgf() {
    drive("sgf", 5000);
}

#[test]
fn every_target_has_a_test_a_program_and_seeds() {
    let here = std::fs::read_to_string(repository().join("tests/it/fuzzing.rs")).unwrap();
    let manifest = std::fs::read_to_string(repository().join("fuzz/Cargo.toml")).unwrap();
    for Target { name, .. } in &TARGETS {
        assert!(here.contains(&format!("fn {name}() {{\n    drive(\"{name}\", ")), "{name}");
        let program = std::fs::read_to_string(repository().join(format!("fuzz/fuzz_targets/{name}.rs"))).unwrap();
        assert!(program.contains(&format!("targets::{name}::run(data)")), "{name}");
        assert!(manifest.contains(&format!("name = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"")), "{name}");
        assert!(repository().join("fuzz/seeds").join(name).is_dir(), "{name}");
    }
}

/// Duration of random inputs, if it is configured, and their seed: the configured one, a random one for a
/// configured time, or else `usual`.
pub(crate) fn configured(usual: u64) -> (Option<Duration>, u64) {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let seconds = number("KIFUWARABE_FUZZ_SECONDS");
    let drawn = || if seconds.is_some() { fastrand::u64(..1 << 32) } else { usual };
    (seconds.map(Duration::from_secs), number("KIFUWARABE_FUZZ_SEED").unwrap_or_else(drawn))
}

/// Runs a target on its seeds, then on `inputs` mutations of them, or as many as fit the configured time.
fn drive(name: &str, inputs: u64) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = seeds(target);
    for (path, bytes) in &seeds {
        check(target, bytes, &path.display().to_string());
    }
    let (end, seed) = configured(14);
    let begin = Instant::now();
    let mut rng = Rng::with_seed(seed);
    let mut count = 0;
    while end.map_or(count < inputs, |end| begin.elapsed() < end) {
        count += 1;
        let input = mutated(&seeds, &mut rng);
        check(target, &input, &format!("input {count} of KIFUWARABE_FUZZ_SEED={seed}"));
    }
    let took = begin.elapsed().as_secs_f64();
    eprintln!("{name}: {} seeds, {count} inputs from seed {seed} in {took:.1} s", seeds.len());
}

/// Runs a target on an input; one that fails is saved to a file named in the message.
#[track_caller]
fn check(target: &Target, input: &[u8], origin: &str) {
    let begin = ThreadTime::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    let took = begin.elapsed();
    let fault = match outcome {
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic".to_owned()),
        Ok(()) if took > Duration::from_secs(target.seconds) && input.len() <= MAX_LENGTH => {
            format!("took {took:?} of processor time")
        }
        Ok(()) => return,
    };
    let saved = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}", target.name));
    std::fs::write(&saved, input).unwrap();
    panic!("{}: {origin}, saved as {}: {fault}\n{}", target.name, saved.display(), input.escape_ascii());
}

/// The files that a target runs on first.
fn seeds(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let own = repository().join("fuzz/seeds").join(target.name);
    let places = target.seeds.iter().map(|place| repository().join(place)).chain([own]);
    // of the transcripts only the scripts are input
    let is_input = |path: &PathBuf| {
        path.extension().is_none_or(|extension| extension != "out" && extension != "log" && extension != "jsonl")
    };
    let mut files: Vec<PathBuf> = places
        .flat_map(|place| match std::fs::read_dir(&place) {
            Ok(entries) => entries.map(|entry| entry.unwrap().path()).filter(is_input).collect(),
            Err(_) => vec![place],
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{}: no seeds", target.name);
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// A piece of a seed, or nothing, mutated in a few places.
fn mutated(seeds: &[(PathBuf, Vec<u8>)], rng: &mut Rng) -> Vec<u8> {
    let mut input = if rng.u8(..8) == 0 { Vec::new() } else { piece(seeds, rng).to_vec() };
    for _ in 0..rng.usize(1..8) {
        let at = rng.usize(..=input.len());
        let end = rng.usize(at..=input.len()).min(at + 64);
        match rng.u8(..7) {
            0 => input.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << rng.u8(..8)),
            1 => drop(input.drain(at..end)),
            2 => {
                let again = input.get(at..end).unwrap().to_vec();
                drop(input.splice(at..at, again));
            }
            3 => drop(input.splice(at..end, piece(seeds, rng).iter().copied())),
            4 => drop(input.splice(at..end, rng.choice(EDGES).unwrap().bytes())),
            _ => {
                let fresh: Vec<u8> = (0..rng.usize(1..16)).map(|_| rng.u8(..)).collect();
                drop(input.splice(at..at, fresh));
            }
        }
        input.truncate(MAX_LENGTH);
    }
    input
}

/// A piece of a seed, half the time from its start.
fn piece<'a>(seeds: &'a [(PathBuf, Vec<u8>)], rng: &mut Rng) -> &'a [u8] {
    let (_, seed) = rng.choice(seeds).unwrap();
    let begin = if rng.bool() { 0 } else { rng.usize(..=seed.len()) };
    let end = rng.usize(begin..=seed.len()).min(begin + MAX_LENGTH);
    seed.get(begin..end).unwrap()
}
