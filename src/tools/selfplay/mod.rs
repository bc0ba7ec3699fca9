//! `selfplay`: games of the engine against itself, as training data and as a test of the engine.
//!
//! Threads take game numbers from a counter, play one game at a time and append it to the file under a lock. The RNG
//! seed of a game depends on the run's seed and the game's number only, so that games do not depend on the number of
//! threads, nor on whether the run was interrupted, unless a search fills its share of the memory. `game` plays one game, `check` verifies it, `file` writes and reads
//! games, `memory` measures the process.

mod check;
mod file;
mod game;
mod memory;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context, bail};

use crate::config::option_values::{board_size, komi, seed, thread_count, whole};
use crate::kernel::{Coordinate, Position};
use crate::net::Net;
use crate::player::Options;
use crate::text::plural::counted;
use crate::tools::selfplay::file::{GameFile, GameLine, RunSettings, written_numbers};
use crate::tools::selfplay::game::GameRunner;

/// Playouts per move if neither the command line nor the configuration sets a number.
const DEFAULT_PLAYOUTS: u64 = 400;

/// The greatest number of a first game.
const MAX_FIRST: u64 = 1 << 53;

/// Options of `selfplay`.
#[derive(Debug, Clone, PartialEq, Default, clap::Args)]
pub(crate) struct SelfplayArgs {
    /// Number of games of the run, from --first on; with --resume, those already in the file count
    #[arg(long, value_name = "N", value_parser = whole::<u64>(1..))]
    pub(crate) games: u64,

    /// Number of the first game: a game depends on its number and the seed, so that several processes share a run
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole::<u64>(0..=MAX_FIRST))]
    pub(crate) first: u64,

    /// Output file, one JSON object per game; must not exist unless --resume is given
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// Board size, 2 to 25 points per side: 13, or width and height as in 9x13 [default: Game.BoardSize]
    #[arg(long, value_name = "SIZE", value_parser = board_size)]
    pub(crate) size: Option<Coordinate>,

    /// Points added to White's score [default: Game.Komi]
    #[arg(long, value_name = "K", allow_hyphen_values = true, value_parser = komi)]
    pub(crate) komi: Option<f64>,

    /// Playouts per move, or visits in a search by net, without those of a reused tree [default: Search.MaxPlayouts, or
    /// 400 if that is 0]
    #[arg(long, visible_alias = "visits", value_name = "N", value_parser = whole::<u64>(1..))]
    pub(crate) playouts: Option<u64>,

    /// Games played in parallel, one thread each [default: Search.Threads]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub(crate) threads: Option<usize>,

    /// RNG seed; 0 picks a random seed [default: Search.Seed]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub(crate) seed: Option<u64>,

    /// Recompute the game state independently after every move, and stop at the first difference
    #[arg(long)]
    pub(crate) check: bool,

    /// Continue an existing file; net and settings must match, threads and memory may differ
    #[arg(long)]
    pub(crate) resume: bool,
}

/// Plays the games that the file lacks, from `start`, which has no moves; returns the text to print. `progress` is
/// called after every game.
///
/// # Errors
/// If the file cannot be used, its settings differ from this run's, or a check fails.
pub(crate) fn run(
    args: &SelfplayArgs,
    options: &Options,
    net: Option<Arc<Net>>,
    start: &Position,
    progress: impl Fn(&str) + Sync,
) -> anyhow::Result<String> {
    let mut start = start.clone();
    if let Some(komi) = args.komi {
        start.rule_mut().komi = komi;
    }
    let playouts =
        args.playouts.unwrap_or(if options.max_playouts == 0 { DEFAULT_PLAYOUTS } else { options.max_playouts });
    let name = || format!("--out {}", args.out.display());
    if args.out.as_os_str() == "-" {
        bail!("--out -: expected a file: games are appended to it, and --resume reads it");
    }
    let (file, written) = GameFile::open(&args.out, args.resume).with_context(name)?;
    let configured_seed = args.seed.unwrap_or(options.seed);
    let seed = match (configured_seed, written.first()) {
        (0, Some(first)) => first.run.seed,
        _ => Options { seed: configured_seed, ..*options }.resolved_seed(),
    };
    let run = RunSettings::new(&start, options, net.as_deref(), playouts, seed);
    let done = written_numbers(&written, &run).with_context(name)?;
    file.truncate_incomplete_line().with_context(name)?;
    let threads = args.threads.unwrap_or_else(|| options.thread_count());
    let runner = GameRunner { start: &start, options, net, run, threads, checks: args.check };
    let summary = Batch::new(args.first..args.first.saturating_add(args.games), &done, file)
        .play(&runner, &progress)
        .with_context(name)?;
    Ok(summary.text(&runner))
}

/// The games of a run, played in parallel.
struct Batch<'a> {
    /// The numbers of the games of the run.
    games: Range<u64>,
    /// The numbers of games already in the file.
    done: &'a BTreeSet<u64>,
    /// The next number to try.
    next: AtomicU64,
    start: Instant,
    output: Mutex<Output>,
}

/// The part that the threads write to.
struct Output {
    file: GameFile,
    summary: Summary,
    /// The first error; stops all threads after their current game.
    error: Option<anyhow::Error>,
}

/// The results of this run's games.
#[derive(Clone, Default)]
struct Summary {
    black_wins: u64,
    white_wins: u64,
    draws: u64,
    moves: usize,
    /// Resident memory of the process after each game in bytes, where it can be measured.
    memory: Vec<u64>,
}

impl<'a> Batch<'a> {
    fn new(games: Range<u64>, done: &'a BTreeSet<u64>, file: GameFile) -> Batch<'a> {
        Batch {
            next: AtomicU64::new(games.start),
            games,
            done,
            start: Instant::now(),
            output: Mutex::new(Output { file, summary: Summary::default(), error: None }),
        }
    }

    fn play(self, runner: &GameRunner<'_>, progress: &(impl Fn(&str) + Sync)) -> anyhow::Result<Summary> {
        thread::scope(|scope| {
            for _ in 1..runner.threads {
                // if a thread cannot be started, the others play its games
                drop(thread::Builder::new().spawn_scoped(scope, || self.work(runner, progress)));
            }
            self.work(runner, progress);
        });
        let output = self.output.into_inner().unwrap_or_else(PoisonError::into_inner);
        output.error.map_or(Ok(output.summary), Err)
    }

    /// Plays games until none is left or an error occurs. Run by each thread.
    fn work(&self, runner: &GameRunner<'_>, progress: &(impl Fn(&str) + Sync)) {
        while self.output().error.is_none()
            && let Some(number) = self.next()
        {
            let outcome = runner.play(number);
            let mut output = self.output();
            if output.error.is_some() {
                // another thread's write has failed, so that nothing is written after it
                break;
            }
            match outcome.and_then(|line| output.write(&line)) {
                Ok(()) => progress(&self.progress_text(&output.summary)),
                Err(error) => output.error = Some(error),
            }
        }
    }

    /// The number of a game that is neither in the file nor taken by a thread; `None` if none is left.
    fn next(&self) -> Option<u64> {
        let numbers = std::iter::repeat_with(|| self.next.fetch_add(1, Ordering::Relaxed));
        numbers.take_while(|&number| number < self.games.end).find(|number| !self.done.contains(number))
    }

    fn output(&self) -> MutexGuard<'_, Output> {
        // no operation under the lock leaves it inconsistent, so a poisoned lock is usable
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress_text(&self, summary: &Summary) -> String {
        let games = summary.games();
        let per_hour = games as f64 / self.start.elapsed().as_secs_f64().max(f64::MIN_POSITIVE) * 3600.0;
        let all = counted(self.games.end - self.games.start, "game");
        let done = self.done.range(self.games.clone()).count() as u64;
        format!("{} of {all}, {per_hour:.0} an hour", done + games)
    }
}

impl Output {
    fn write(&mut self, line: &GameLine) -> anyhow::Result<()> {
        self.file.write(line)?;
        let wins = match line.winner {
            'B' => &mut self.summary.black_wins,
            'W' => &mut self.summary.white_wins,
            _ => &mut self.summary.draws,
        };
        *wins += 1;
        self.summary.moves += line.moves.len();
        self.summary.memory.extend(memory::resident());
        Ok(())
    }
}

impl Summary {
    fn games(&self) -> u64 {
        self.black_wins + self.white_wins + self.draws
    }

    fn text(&self, runner: &GameRunner<'_>) -> String {
        let Summary { black_wins, white_wins, draws, moves, ref memory } = *self;
        let (games, size) = (self.games(), runner.run.size);
        let mut text = format!("{} on {size} with seed {}: ", counted(games, "game"), runner.run.seed);
        let length = moves as f64 / games.max(1) as f64;
        // writing to a String cannot fail
        let _ = writeln!(text, "Black won {black_wins}, White {white_wins}, drawn {draws}; {length:.1} moves a game");
        if runner.checks {
            let _ = writeln!(text, "{} checked, none inconsistent", counted(moves as u64 + games, "position"));
            if let Some((first, last)) = memory::first_and_last_tenth(memory) {
                let _ =
                    writeln!(text, "memory: {first:.1} MiB in the first tenth of the games, {last:.1} MiB in the last");
            }
        }
        text
    }
}
