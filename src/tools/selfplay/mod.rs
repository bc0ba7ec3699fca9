//! `selfplay`: games of the engine against itself, written down to learn from, and to see that nothing disagrees.
//!
//! Each game is played by one player with chances of its own, which depend on the seed and the game's number only: the
//! same seed and number of playouts give the same games, on however many threads, in one run or in several. `game`
//! plays one, `check` is what is compared after every move, `file` is what is written and how a run is continued, `memory`
//! what the process takes meanwhile.

mod check;
mod file;
mod game;
mod memory;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::Context;

use crate::cli::Selfplay;
use crate::kernel::Position;
use crate::net::Net;
use crate::player::Options;
use crate::tools::selfplay::file::{Agreed, Games, Line};
use crate::tools::selfplay::game::Table;

/// Playouts for a move where neither the command line nor the configuration names a number.
const USUAL_PLAYOUTS: u64 = 400;

/// Plays the games that are still to be played, from a position without moves; gives what to print. `progress` hears of
/// every game that has ended.
///
/// # Errors
/// What is wrong with the file, or what disagrees in a game, with its moves.
pub fn run(
    selfplay: &Selfplay,
    options: &Options,
    net: Option<Arc<Net>>,
    start: &Position,
    progress: impl Fn(&str) + Sync,
) -> anyhow::Result<String> {
    let mut start = start.clone();
    if let Some(komi) = selfplay.komi {
        start.rule_mut().komi = komi;
    }
    let playouts =
        selfplay.playouts.unwrap_or(if options.max_playouts == 0 { USUAL_PLAYOUTS } else { options.max_playouts });
    let name = || format!("--out {}", selfplay.out.display());
    let (file, written) = Games::open(&selfplay.out, selfplay.resume).with_context(name)?;
    let told = selfplay.seed.unwrap_or(options.seed);
    let seed = match (told, written.first()) {
        (0, Some(first)) => first.agreed.seed,
        _ => Options { seed: told, ..*options }.resolved_seed(),
    };
    let agreed = Agreed::new(&start, options, net.as_deref(), playouts, seed);
    let done = file::numbers(&written, &agreed).with_context(name)?;
    file.end_with_whole_line().with_context(name)?;
    let table = Table { start: &start, options, net, agreed, is_checked: selfplay.check };
    let threads = selfplay.threads.unwrap_or_else(|| options.thread_count());
    let report = Session::new(selfplay.games, &done, file).play(&table, threads, &progress).with_context(name)?;
    Ok(report.text(&table))
}

/// Games that are played side by side.
struct Session<'a> {
    games: u64,
    /// The numbers of those that were played before.
    done: &'a BTreeSet<u64>,
    /// The number of the next one.
    next: AtomicU64,
    begin: Instant,
    book: Mutex<Book>,
}

/// What the threads write to.
struct Book {
    file: Games,
    report: Report,
    fault: Option<anyhow::Error>,
}

/// How the games of this run ended.
#[derive(Clone, Default)]
struct Report {
    black_wins: u64,
    white_wins: u64,
    draws: u64,
    moves: usize,
    /// What the process took after each game, in bytes, where the system says so.
    memory: Vec<u64>,
}

impl<'a> Session<'a> {
    fn new(games: u64, done: &'a BTreeSet<u64>, file: Games) -> Session<'a> {
        Session {
            games,
            done,
            next: AtomicU64::new(0),
            begin: Instant::now(),
            book: Mutex::new(Book { file, report: Report::default(), fault: None }),
        }
    }

    fn play(self, table: &Table<'_>, threads: usize, progress: &(impl Fn(&str) + Sync)) -> anyhow::Result<Report> {
        thread::scope(|scope| {
            for _ in 1..threads {
                // a machine that has no room for a thread plays fewer games at once
                drop(thread::Builder::new().spawn_scoped(scope, || self.work(table, progress)));
            }
            self.work(table, progress);
        });
        let book = self.book.into_inner().unwrap_or_else(PoisonError::into_inner);
        book.fault.map_or(Ok(book.report), Err)
    }

    /// Plays one game after the other until there are no more, or something is wrong.
    fn work(&self, table: &Table<'_>, progress: &(impl Fn(&str) + Sync)) {
        while self.book().fault.is_none()
            && let Some(number) = self.next()
        {
            let outcome = table.play(number);
            let mut book = self.book();
            match outcome.and_then(|line| book.write(&line)) {
                Ok(()) => progress(&self.told(&book.report)),
                Err(fault) => {
                    book.fault.get_or_insert(fault);
                }
            }
        }
    }

    /// A game that nobody has played or plays.
    fn next(&self) -> Option<u64> {
        let numbers = std::iter::repeat_with(|| self.next.fetch_add(1, Ordering::Relaxed));
        numbers.take_while(|&number| number < self.games).find(|number| !self.done.contains(number))
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // a thread that panicked with it in its hands has left it whole
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn told(&self, report: &Report) -> String {
        let games = report.games();
        let an_hour = games as f64 / self.begin.elapsed().as_secs_f64().max(f64::MIN_POSITIVE) * 3600.0;
        format!("{} of {} games, {an_hour:.0} an hour", self.done.len() as u64 + games, self.games)
    }
}

impl Book {
    fn write(&mut self, line: &Line) -> anyhow::Result<()> {
        self.file.write(line)?;
        let wins = match line.margin {
            margin if margin > 0.0 => &mut self.report.black_wins,
            margin if margin < 0.0 => &mut self.report.white_wins,
            _ => &mut self.report.draws,
        };
        *wins += 1;
        self.report.moves += line.moves.len();
        self.report.memory.extend(memory::resident());
        Ok(())
    }
}

impl Report {
    fn games(&self) -> u64 {
        self.black_wins + self.white_wins + self.draws
    }

    fn text(&self, table: &Table<'_>) -> String {
        let Report { black_wins, white_wins, draws, moves, ref memory } = *self;
        let (games, size) = (self.games(), table.agreed.size);
        let mut text = format!("{games} games on {size}x{size} with seed {}: ", table.agreed.seed);
        let length = moves as f64 / games.max(1) as f64;
        // writing to a String cannot fail
        let _ = writeln!(text, "Black won {black_wins}, White {white_wins}, drawn {draws}; {length:.1} moves a game");
        if table.is_checked {
            let _ = writeln!(text, "{} positions checked, none inconsistent", moves as u64 + games);
            if let Some((first, last)) = memory::ends(memory) {
                let _ =
                    writeln!(text, "memory: {first:.1} MiB in the first tenth of the games, {last:.1} MiB in the last");
            }
        }
        text
    }
}
