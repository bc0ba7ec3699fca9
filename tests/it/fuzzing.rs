//! The targets of `fuzz/` on the stable toolchain: their seeds, and what chance makes of them.
//!
//! `KIFUWARABE_FUZZ_SECONDS=60` goes on for a minute with each target, from a start of chance that is new every time;
//! `KIFUWARABE_FUZZ_SEED=N` chooses it. An input that fails is kept and named.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use fastrand::Rng;

use crate::engine::repository;
use crate::targets::{TARGETS, Target};

/// The longest input made, in bytes.
const LONGEST: usize = 1024;

/// Numbers and marks at the edges of what is expected.
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
fn lines() {
    drive("lines", 5000);
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
    drive("session", 400);
}

#[test]
fn sgf() {
    drive("sgf", 5000);
}

#[test]
fn every_target_is_driven_and_has_its_program_and_seeds() {
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

/// Gives a target its seeds, then `inputs` made of them, or as many as there is time for where a time is asked for.
fn drive(name: &str, inputs: u64) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = seeds(target);
    for (path, bytes) in &seeds {
        check(target, bytes, &path.display().to_string());
    }
    let seconds = std::env::var("KIFUWARABE_FUZZ_SECONDS").ok().map(|seconds| seconds.parse().unwrap());
    let told = std::env::var("KIFUWARABE_FUZZ_SEED").ok().map(|seed| seed.parse().unwrap());
    let seed = told.unwrap_or_else(|| if seconds.is_some() { fastrand::u64(..1 << 32) } else { 14 });
    let (begin, end) = (Instant::now(), seconds.map(Duration::from_secs));
    let mut random = Rng::with_seed(seed);
    let mut count = 0;
    while end.map_or(count < inputs, |end| begin.elapsed() < end) {
        count += 1;
        let input = changed(&seeds, &mut random);
        check(target, &input, &format!("input {count} of KIFUWARABE_FUZZ_SEED={seed}"));
    }
    let took = begin.elapsed().as_secs_f64();
    eprintln!("{name}: {} seeds, {count} inputs from seed {seed} in {took:.1} s", seeds.len());
}

/// Gives a target an input; one that fails is kept in a file, which the message names.
#[track_caller]
fn check(target: &Target, input: &[u8], origin: &str) {
    let begin = ThreadTime::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    let took = begin.elapsed();
    let fault = match outcome {
        Err(panic) => panic.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic".to_owned()),
        Ok(()) if took > Duration::from_secs(target.seconds) && input.len() <= LONGEST => {
            format!("took {took:?} of processor time")
        }
        Ok(()) => return,
    };
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{}", target.name));
    std::fs::write(&kept, input).unwrap();
    panic!("{}: {origin}, kept as {}: {fault}\n{}", target.name, kept.display(), input.escape_ascii());
}

/// The files that a target is given first.
fn seeds(target: &Target) -> Vec<(PathBuf, Vec<u8>)> {
    let own = repository().join("fuzz/seeds").join(target.name);
    let places = target.seeds.iter().map(|place| repository().join(place)).chain([own]);
    let mut files: Vec<PathBuf> = places
        .flat_map(|place| match std::fs::read_dir(&place) {
            Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
            Err(_) => vec![place],
        })
        .collect();
    // of the transcripts the scripts
    files.retain(|path| {
        path.extension().is_none_or(|extension| extension != "out" && extension != "log" && extension != "jsonl")
    });
    files.sort();
    assert!(!files.is_empty(), "{}: no seeds", target.name);
    files.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// A piece of a seed, or nothing, changed in a few places.
fn changed(seeds: &[(PathBuf, Vec<u8>)], random: &mut Rng) -> Vec<u8> {
    let mut input = if random.u8(..8) == 0 { Vec::new() } else { piece(seeds, random).to_vec() };
    for _ in 0..random.usize(1..8) {
        let at = random.usize(..=input.len());
        let end = random.usize(at..=input.len()).min(at + 64);
        match random.u8(..7) {
            0 => input.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << random.u8(..8)),
            1 => drop(input.drain(at..end)),
            2 => {
                let again = input.get(at..end).unwrap().to_vec();
                drop(input.splice(at..at, again));
            }
            3 => drop(input.splice(at..end, piece(seeds, random).iter().copied())),
            4 => drop(input.splice(at..end, random.choice(EDGES).unwrap().bytes())),
            _ => {
                let fresh: Vec<u8> = (0..random.usize(1..16)).map(|_| random.u8(..)).collect();
                drop(input.splice(at..at, fresh));
            }
        }
        input.truncate(LONGEST);
    }
    input
}

/// Some of a seed, from its beginning as often as not.
fn piece<'a>(seeds: &'a [(PathBuf, Vec<u8>)], random: &mut Rng) -> &'a [u8] {
    let (_, seed) = random.choice(seeds).unwrap();
    let begin = if random.bool() { 0 } else { random.usize(..=seed.len()) };
    let end = random.usize(begin..=seed.len()).min(begin + LONGEST);
    seed.get(begin..end).unwrap()
}
