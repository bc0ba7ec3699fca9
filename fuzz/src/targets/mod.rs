//! Fuzz targets: functions that take any bytes and panic on an error. Limits of time and memory are set by the caller.

pub mod analysis;
pub mod boards;
pub mod config;
pub mod game_tree;
pub mod lines;
pub mod log;
pub mod net;
pub mod ren_db;
pub mod rules;
pub mod session;
pub mod sgf;

/// A fuzz target.
pub struct Target {
    /// Its name, which is also that of its program in `fuzz_targets` and of its folder in `seeds`.
    pub name: &'static str,
    /// Runs it on an input.
    pub run: fn(&[u8]),
    /// Further seeds: files and folders of the repository.
    pub seeds: &'static [&'static str],
    /// The maximum processor time for an input of 1 KiB, in seconds.
    pub seconds: u64,
}

/// All targets. Those that search have the longer limits.
pub const TARGETS: [Target; 11] = [
    Target { name: "analysis", run: analysis::run, seeds: &[], seconds: 10 },
    Target { name: "boards", run: boards::run, seeds: &["data/board1.txt", "data/board4.txt"], seconds: 1 },
    Target { name: "config", run: config::run, seeds: &["engine.toml"], seconds: 1 },
    Target { name: "game_tree", run: game_tree::run, seeds: &["fuzz/seeds/sgf"], seconds: 1 },
    Target { name: "lines", run: lines::run, seeds: &["tests/transcripts/gtp.gtp"], seconds: 1 },
    Target { name: "log", run: log::run, seeds: &["tests/data/session_0.15.log"], seconds: 10 },
    Target { name: "net", run: net::run, seeds: &[], seconds: 10 },
    Target { name: "ren_db", run: ren_db::run, seeds: &["data/ren_db1.json"], seconds: 1 },
    Target { name: "rules", run: rules::run, seeds: &[], seconds: 1 },
    Target { name: "session", run: session::run, seeds: &["tests/transcripts"], seconds: 10 },
    Target { name: "sgf", run: sgf::run, seeds: &[], seconds: 1 },
];

/// Bytes taken one by one, then zeros.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next byte.
    pub fn take(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Whether all bytes have been taken.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
