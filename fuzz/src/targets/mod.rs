//! Functions that take any bytes. What they find wrong is a panic; what takes long or much memory is the caller's to see.

pub mod analysis;
pub mod boards;
pub mod config;
pub mod lines;
pub mod ren_db;
pub mod rules;
pub mod session;
pub mod sgf;

/// Something that bytes are given to.
pub struct Target {
    /// The name, also of its program in `fuzz_targets` and of its folder in `seeds`.
    pub name: &'static str,
    /// Gives it the bytes.
    pub run: fn(&[u8]),
    /// Files of the repository, and folders of them, that are seeds too.
    pub seeds: &'static [&'static str],
    /// The most processor time that an input of 1 KiB may take, in seconds.
    pub seconds: u64,
}

/// All of them. Those that search take as long as that takes.
pub const TARGETS: [Target; 8] = [
    Target { name: "analysis", run: analysis::run, seeds: &[], seconds: 10 },
    Target { name: "boards", run: boards::run, seeds: &["data/board1.txt", "data/board4.txt"], seconds: 1 },
    Target { name: "config", run: config::run, seeds: &["engine.toml"], seconds: 1 },
    Target { name: "lines", run: lines::run, seeds: &["tests/transcripts/gtp.gtp"], seconds: 1 },
    Target { name: "ren_db", run: ren_db::run, seeds: &["data/ren_db1.json"], seconds: 1 },
    Target { name: "rules", run: rules::run, seeds: &[], seconds: 1 },
    Target { name: "session", run: session::run, seeds: &["tests/transcripts"], seconds: 10 },
    Target { name: "sgf", run: sgf::run, seeds: &[], seconds: 1 },
];

/// Bytes taken one by one; zeros when there are no more.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    /// The next one.
    pub fn take(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// Whether there are no more.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
