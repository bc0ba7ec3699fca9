//! What is said on stderr, and signs of life there while something takes long, where it is a terminal.
//!
//! These are a line that is written over again and again, and gone at the end. It is no longer than its text, so that what
//! the terminal shows of a key such as Ctrl-C goes with it.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// How often a spinner turns.
const TURN: Duration = Duration::from_millis(120);

const SPOKES: [char; 4] = ['|', '/', '-', '\\'];

/// How many characters a bar is wide.
const BAR: usize = 30;

/// Erases the line in which the cursor is.
const ERASE: &str = "\r\x1b[K";

/// Says a line on stderr. A stderr that takes nothing stops nothing: there is no one left to tell.
pub fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Works, with a spinner before `text` and the seconds that it takes behind.
pub fn spinning<T>(text: &str, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let (working, is_done) = channel::<()>();
    thread::scope(|scope| {
        // where there is no room for a thread, there is no sign of life
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            for spoke in SPOKES.iter().cycle() {
                show(format_args!("{spoke} {text} {} s", begin.elapsed().as_secs()));
                if is_done.recv_timeout(TURN) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
            show(format_args!(""));
        });
        let found = work();
        drop(working);
        found
    })
}

/// Says how far something called `name` is, a line for each stage that it is told of.
pub fn stages(name: &str) -> impl Fn(&str) + Sync {
    let is_watched = io::stderr().is_terminal();
    move |stage| {
        if is_watched {
            say(format_args!("[{name}] {stage}"));
        }
    }
}

/// How much is done, and how much time the rest may take.
pub struct Bar {
    begin: Instant,
}

impl Bar {
    /// Begins now.
    #[expect(clippy::new_without_default, reason = "the moment matters")]
    pub fn new() -> Bar {
        Bar { begin: Instant::now() }
    }

    /// Shows it anew.
    pub fn show(&self, done: usize, all: usize) {
        show(format_args!("{}", line(done, all, self.begin.elapsed())));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        show(format_args!(""));
    }
}

fn line(done: usize, all: usize, elapsed: Duration) -> String {
    let all = all.max(1);
    let full = (BAR * done.min(all)) / all;
    let mut line = format!("[{}{}] {done} of {all}", "#".repeat(full), ".".repeat(BAR - full));
    if done > 0 && done < all {
        let left = elapsed.as_secs_f64() / done as f64 * (all - done) as f64;
        line += &format!(", {} left", minutes(left));
    }
    line
}

fn minutes(seconds: f64) -> String {
    let seconds = seconds.ceil() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// Writes over what stands in the line. Nobody misses it if it cannot be shown.
fn show(text: fmt::Arguments<'_>) {
    let mut stderr = io::stderr().lock();
    if !stderr.is_terminal() {
        return;
    }
    let _ = write!(stderr, "{ERASE}{text}").and_then(|()| stderr.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_tells_what_is_left() {
        let line = |done, seconds| line(done, 60, Duration::from_secs(seconds));
        assert_eq!(line(0, 9), format!("[{}] 0 of 60", ".".repeat(30)));
        assert_eq!(line(20, 50), format!("[{}{}] 20 of 60, 1:40 left", "#".repeat(10), ".".repeat(20)));
        assert_eq!(line(60, 150), format!("[{}] 60 of 60", "#".repeat(30)));
    }
}
