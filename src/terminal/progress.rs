//! Lines on stderr, and progress indicators where stderr is a terminal: a spinner, a progress bar, stage messages.
//!
//! Spinner and bar rewrite one line and erase it at the end. The line is only as long as its text, and on Unix cut to the
//! width of the terminal, so that erasing it also erases the `^C` that the terminal echoes. Write errors are ignored,
//! because there is no other place to report them.

use std::env;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::text::columns::cut;
use crate::text::quote;

/// Time between two frames of the spinner.
const FRAME_TIME: Duration = Duration::from_millis(120);

const FRAMES: [char; 4] = ['|', '/', '-', '\\'];

/// Width of the bar in characters, on a terminal that is wide enough.
const BAR_WIDTH: usize = 30;

/// Width of the shortest bar. Where it does not fit, the count stands alone.
const MIN_BAR_WIDTH: usize = 4;

/// Columns at the end of a line that is rewritten that stay free: those of the `^C` that the terminal echoes, and the
/// last one, after which the cursor may move to the next line.
#[cfg(unix)]
const FREE_COLUMNS: usize = 3;

/// Erases the line of the cursor.
const ERASE: &str = "\r\x1b[K";

/// Writes a line, or several, to stderr, with unsafe characters escaped. Unlike `eprintln!` it does not panic if that
/// fails.
pub(crate) fn write_stderr(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{}", quote::lines(&line.to_string()));
}

/// Writes a text as it is to stderr, instead of a spinner that is shown there. The spinner goes on after it.
pub(crate) fn write_raw(text: &str) {
    let mut stderr = io::stderr().lock();
    let erase = if IS_SPINNING.load(Ordering::Relaxed) { ERASE } else { "" };
    let _ = write!(stderr, "{erase}{text}");
}

/// Whether the line of the cursor is that of a spinner.
static IS_SPINNING: AtomicBool = AtomicBool::new(false);

/// Runs `work`; shows a spinner, `text` and the elapsed seconds until it ends.
pub(crate) fn with_spinner<T>(text: &str, work: impl FnOnce() -> T) -> T {
    spin_after(Duration::ZERO, text, work)
}

/// Time after which [`with_late_spinner`] shows its spinner.
const SPINNER_DELAY: Duration = Duration::from_millis(500);

/// [`with_spinner`], for work that seldom takes long: the spinner appears after half a second.
pub(crate) fn with_late_spinner<T>(text: &str, work: impl FnOnce() -> T) -> T {
    spin_after(SPINNER_DELAY, text, work)
}

fn spin_after<T>(delay: Duration, text: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let (running, finished) = channel::<()>();
    thread::scope(|scope| {
        // if the thread cannot be started, the work runs without a spinner
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            if !delay.is_zero() && finished.recv_timeout(delay) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            IS_SPINNING.store(can_rewrite(), Ordering::Relaxed);
            for frame in FRAMES.iter().cycle() {
                rewrite_line(&format!("{frame} {text} {} s", start.elapsed().as_secs()));
                if finished.recv_timeout(FRAME_TIME) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            rewrite_line("");
            IS_SPINNING.store(false, Ordering::Relaxed);
        });
        let output = work();
        drop(running);
        output
    })
}

/// A function that writes each stage of a long computation as the line `[name] stage`, or nothing where stderr is no
/// terminal.
pub(crate) fn stages(name: &str) -> impl Fn(&str) + Sync {
    let is_terminal = io::stderr().is_terminal();
    move |stage| {
        if is_terminal {
            write_stderr(format_args!("[{name}] {stage}"));
        }
    }
}

/// A progress bar with an estimate of the time left. Dropping it erases it.
pub(crate) struct ProgressBar {
    start: Instant,
}

impl ProgressBar {
    /// A bar whose time starts now; not shown yet.
    pub(crate) fn start() -> ProgressBar {
        ProgressBar { start: Instant::now() }
    }

    /// Shows `done` of `total` steps.
    pub(crate) fn show(&self, done: usize, total: usize) {
        rewrite_line(&line(done, total, self.start.elapsed(), room()));
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        rewrite_line("");
    }
}

/// The text of the bar, which is shorter or absent where `room` columns are too few. The time left is
/// elapsed · (total − done) / done, which assumes steps of equal length.
fn line(done: usize, total: usize, elapsed: Duration, room: usize) -> String {
    let total = total.max(1);
    let mut count = format!("{done} of {total}");
    if done > 0 && done < total {
        let left = elapsed.as_secs_f64() / done as f64 * (total - done) as f64;
        count += &format!(", {} left", minutes_seconds(left));
    }
    // the brackets and a blank
    let width = room.saturating_sub(count.len() + 3).min(BAR_WIDTH);
    if width < MIN_BAR_WIDTH {
        return count;
    }
    let full = (width * done.min(total)) / total;
    format!("[{}{}] {count}", "#".repeat(full), ".".repeat(width - full))
}

/// Seconds as `MINUTES:SECONDS`, rounded up.
pub(crate) fn minutes_seconds(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Whether stderr is a terminal whose lines can be rewritten.
fn can_rewrite() -> bool {
    io::stderr().is_terminal() && !is_dumb()
}

/// Whether the terminal, by `TERM`, knows no escape sequences.
pub(crate) fn is_dumb() -> bool {
    // those in which `rustyline` does not edit
    env::var("TERM").is_ok_and(|term| ["dumb", "cons25", "emacs"].contains(&term.to_ascii_lowercase().as_str()))
}

/// Columns of the text of a line that is rewritten on the terminal of stderr; no limit where its width is unknown, as it
/// always is outside of Unix.
fn room() -> usize {
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(io::stderr())
        && size.ws_col > 0
    {
        return usize::from(size.ws_col).saturating_sub(FREE_COLUMNS);
    }
    usize::MAX
}

/// Replaces the text of the current line, where that is possible. A text that would not fit into the line is cut.
fn rewrite_line(text: &str) {
    if !can_rewrite() {
        return;
    }
    let text = cut(text, room());
    let mut stderr = io::stderr().lock();
    let _ = write!(stderr, "{ERASE}{text}").and_then(|()| stderr.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_shows_count_and_time_left() {
        let line = |done, seconds| line(done, 60, Duration::from_secs(seconds), usize::MAX);
        assert_eq!(line(0, 9), format!("[{}] 0 of 60", ".".repeat(30)));
        assert_eq!(line(20, 50), format!("[{}{}] 20 of 60, 1:40 left", "#".repeat(10), ".".repeat(20)));
        assert_eq!(line(60, 150), format!("[{}] 60 of 60", "#".repeat(30)));
    }

    #[test]
    fn bar_fits_into_narrow_terminals() {
        let line = |room| line(20, 60, Duration::from_secs(50), room);
        assert_eq!(line(60), format!("[{}{}] 20 of 60, 1:40 left", "#".repeat(10), ".".repeat(20)));
        assert_eq!(line(37), "[#####..........] 20 of 60, 1:40 left");
        for (room, expected) in
            [(26, "[#...] 20 of 60, 1:40 left"), (25, "20 of 60, 1:40 left"), (0, "20 of 60, 1:40 left")]
        {
            assert_eq!(line(room), expected, "{room}");
        }
    }
}
