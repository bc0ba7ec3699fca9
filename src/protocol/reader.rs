//! The reader thread, and sources of commands that can be read while a search runs.
//!
//! A search blocks the thread that executes commands, so a thread of its own reads ahead. It sees a line that stops the
//! search, `quit`, and the end of input, while the earlier command still runs, and reports them to the [`StopSignal`].

use std::io::{self, BufRead};
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, RecvError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::protocol::line::{RawLine, StreamLines};
use crate::search::StopSignal;

/// Upper limit of lines read ahead.
const MAX_LINES_AHEAD: usize = 1024;

/// Upper limit of the memory of lines read ahead, in bytes. One more line may wait for memory.
const MAX_BYTES_AHEAD: usize = 4 << 20;

/// A source of command lines: a pipe, a file, a terminal.
pub trait CommandSource {
    /// The next line, or `None` at the end of input. The last line may lack a line feed.
    ///
    /// # Errors
    /// The error of the source.
    fn next_line(&mut self) -> io::Result<Option<RawLine>>;

    /// Runs `work`, which the arrival of the next line stops through `stop_signal`. If the work ends first, waits for
    /// that line. Sources that read only on demand run the work without reading and do not wait.
    ///
    /// # Errors
    /// The error of the source or of the work. After an error of the work there is no waiting.
    fn run_until_next_line<T>(
        &mut self,
        _stop_signal: &StopSignal,
        work: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        work()
    }
}

impl<R: BufRead> CommandSource for StreamLines<R> {
    fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        StreamLines::next_line(self)
    }
}

/// An item that the reader thread delivers.
pub(crate) enum Input {
    /// The next line.
    Line(RawLine),
    /// The end of the stream or its error. The last item.
    End(io::Result<()>),
}

/// Starts a thread that reads a stream line by line and hands each to `deliver`, until the end or until `deliver`
/// breaks.
///
/// # Errors
/// If the system refuses a thread.
pub(crate) fn spawn_reader(
    source: impl BufRead + Send + 'static,
    mut deliver: impl FnMut(Input) -> ControlFlow<()> + Send + 'static,
) -> io::Result<()> {
    let read = move || {
        let mut lines = StreamLines::new(source);
        loop {
            let input = match lines.next_line() {
                Ok(Some(line)) => Input::Line(line),
                Ok(None) => Input::End(Ok(())),
                Err(error) => Input::End(Err(error)),
            };
            let is_end = matches!(input, Input::End(_));
            if deliver(input).is_break() || is_end {
                break;
            }
        }
    };
    thread::Builder::new().name("reader".to_owned()).spawn(read).map(drop)
}

/// The lines of a byte stream, read ahead by the reader thread.
pub(crate) struct ReadAhead {
    lines: Receiver<io::Result<RawLine>>,
    /// The next line, if [`CommandSource::run_until_next_line`] has waited for it.
    next: Option<Result<io::Result<RawLine>, RecvError>>,
    budget: Arc<ReadAheadBudget>,
}

impl ReadAhead {
    /// Starts the reader thread. It reports each line, stop requests, `quit` and the end of the stream to `stop_signal` as
    /// it reads them.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(crate) fn new(source: impl BufRead + Send + 'static, stop_signal: Arc<StopSignal>) -> io::Result<ReadAhead> {
        let (sender, lines) = sync_channel(MAX_LINES_AHEAD);
        stop_signal.attach_reader();
        let signal = stop_signal.clone();
        let budget = Arc::new(ReadAheadBudget::default());
        let reader_budget = budget.clone();
        let mut number = 0;
        let deliver = move |input| {
            let line = match input {
                Input::Line(line) => Ok(line),
                Input::End(Ok(())) => {
                    stop_signal.end_of_input();
                    return ControlFlow::Break(());
                }
                Input::End(Err(error)) => Err(error),
            };
            number += 1;
            stop_signal.line_read(number);
            if line.as_ref().is_ok_and(RawLine::is_interrupt) {
                stop_signal.request_stop(number);
            }
            if line.as_ref().is_ok_and(RawLine::is_quit) {
                stop_signal.quit_read(number);
            }
            reader_budget.acquire(memory(&line));
            let is_last = line.is_err();
            // sending fails once the engine has quit
            if sender.send(line).is_err() || is_last {
                stop_signal.end_of_input();
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        spawn_reader(source, deliver).inspect_err(|_| signal.detach_reader())?;
        Ok(ReadAhead { lines, next: None, budget })
    }

    fn receive(&self) -> Result<io::Result<RawLine>, RecvError> {
        let line = self.lines.recv()?;
        self.budget.release(memory(&line));
        Ok(line)
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.budget.close();
    }
}

/// The memory of a line, in bytes.
fn memory(line: &io::Result<RawLine>) -> usize {
    line.as_ref().map_or(0, |line| line.bytes.capacity())
}

/// The memory of lines that were read and not yet received. The reader waits while it is full.
struct ReadAheadBudget {
    /// Bytes in use; `None` once the receiver is gone.
    used: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Default for ReadAheadBudget {
    fn default() -> ReadAheadBudget {
        ReadAheadBudget { used: Mutex::new(Some(0)), changed: Condvar::new() }
    }
}

impl ReadAheadBudget {
    /// Acquires bytes, waiting until they are free. A single line always fits.
    fn acquire(&self, bytes: usize) {
        let is_full = |used: &mut Option<usize>| used.is_some_and(|used| used > 0 && used + bytes > MAX_BYTES_AHEAD);
        let mut used = self.changed.wait_while(self.used(), is_full).unwrap_or_else(PoisonError::into_inner);
        *used = used.map(|used| used + bytes);
    }

    fn release(&self, bytes: usize) {
        let mut used = self.used();
        *used = used.map(|used| used.saturating_sub(bytes));
        self.changed.notify_one();
    }

    fn close(&self) {
        *self.used() = None;
        self.changed.notify_one();
    }

    fn used(&self) -> MutexGuard<'_, Option<usize>> {
        // a panic elsewhere cannot leave the number half written
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CommandSource for ReadAhead {
    fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        self.next.take().unwrap_or_else(|| self.receive()).ok().transpose()
    }

    fn run_until_next_line<T>(&mut self, _: &StopSignal, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let done = work()?;
        if self.next.is_none() {
            self.next = Some(self.receive());
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::Cursor;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::protocol::line::{MAX_LINE, clean};

    #[test]
    fn lines_keep_their_order_and_stop_requests_overtake_them() {
        let stop_signal = Arc::new(StopSignal::default());
        let source = Cursor::new(b"genmove b\n \n  # interrupt\r\nname".to_vec());
        let mut lines = ReadAhead::new(source, stop_signal.clone()).unwrap();
        while !stop_signal.has_input_ended() {
            thread::yield_now();
        }
        let mut seen = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            stop_signal.begin_line();
            seen.push((clean(&line.bytes), stop_signal.should_stop(Duration::ZERO)));
        }
        let seen: Vec<(&str, bool)> = seen.iter().map(|(text, stops)| (text.as_str(), *stops)).collect();
        assert_eq!(seen, [("genmove b", true), (" ", true), ("  # interrupt", false), ("name", false)]);
        assert!(stop_signal.should_stop(Duration::from_secs(2)), "the end was read");
    }

    #[test]
    fn quit_as_the_next_line_limits_the_time_of_a_search() {
        for (next, is_limited) in [
            ("quit", true),
            (" 7 quit # bye\r", true),
            ("name\nquit", false),
            ("quit now", false),
            ("quitter", false),
            ("# quit", false),
        ] {
            let stop_signal = Arc::new(StopSignal::default());
            let (source, mut input) = io::pipe().unwrap();
            io::Write::write_all(&mut input, format!("genmove b\n{next}\n").as_bytes()).unwrap();
            let mut lines = ReadAhead::new(io::BufReader::new(source), stop_signal.clone()).unwrap();
            assert!(lines.next_line().unwrap().is_some());
            stop_signal.begin_line();
            lines.run_until_next_line(&stop_signal, || Ok(())).unwrap();
            assert!(!stop_signal.should_stop(Duration::from_millis(999)), "{next}");
            assert_eq!(stop_signal.should_stop(Duration::from_secs(1)), is_limited, "{next}");
            assert!(!stop_signal.stopped_by_end_of_input(), "{next}: the input is open");
        }
    }

    #[test]
    fn next_line_stops_work_and_is_kept() {
        let stop_signal = Arc::new(StopSignal::default());
        let (source, mut input) = io::pipe().unwrap();
        let mut lines = ReadAhead::new(io::BufReader::new(source), stop_signal.clone()).unwrap();
        let writer = thread::spawn(move || {
            for line in ["lz-analyze\n", "\n", "name\n"] {
                thread::sleep(Duration::from_millis(30));
                io::Write::write_all(&mut input, line.as_bytes()).unwrap();
            }
        });
        let take = |lines: &mut ReadAhead| {
            let line = lines.next_line().unwrap().map(|line| clean(&line.bytes));
            stop_signal.begin_line();
            line
        };
        assert_eq!(take(&mut lines).as_deref(), Some("lz-analyze"));
        stop_signal.stop_on_input();
        let work = || {
            while !stop_signal.should_stop(Duration::ZERO) {
                thread::yield_now();
            }
            Ok("done")
        };
        assert_eq!(lines.run_until_next_line(&stop_signal, work).unwrap(), "done");
        assert_eq!(take(&mut lines).as_deref(), Some(""));
        // `run_until_next_line` waits for the line after work that ends by itself, but not after an error
        assert!(lines.run_until_next_line(&stop_signal, || Err::<(), _>(io::Error::other("broken"))).is_err());
        lines.run_until_next_line(&stop_signal, || Ok(())).unwrap();
        assert!(stop_signal.has_pending_input(), "the line has come");
        assert_eq!(take(&mut lines).as_deref(), Some("name"));
        assert_eq!(take(&mut lines), None);
        writer.join().unwrap();
    }

    /// An endless stream of long lines that counts the bytes read.
    struct Endless(Arc<AtomicUsize>);

    impl io::Read for Endless {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            bytes.fill(b'a');
            let before = self.0.fetch_add(bytes.len(), Ordering::Relaxed);
            if before / MAX_LINE != (before + bytes.len()) / MAX_LINE {
                bytes[0] = b'\n';
            }
            Ok(bytes.len())
        }
    }

    #[test]
    fn memory_of_lines_read_ahead_is_limited() {
        let (stop_signal, read) = (Arc::new(StopSignal::default()), Arc::new(AtomicUsize::new(0)));
        let mut lines = ReadAhead::new(io::BufReader::new(Endless(read.clone())), stop_signal.clone()).unwrap();
        thread::sleep(Duration::from_millis(300));
        let mut received = 0;
        for _ in 0..50 {
            let line = lines.next_line().unwrap().unwrap();
            received += line.length + 1;
            // one line waits for space, and a part of the next is buffered; capacities are powers of two
            let ahead = read.load(Ordering::Relaxed) - received;
            assert!(ahead <= MAX_BYTES_AHEAD + 2 * MAX_LINE, "{ahead} bytes ahead");
        }
        assert!(read.load(Ordering::Relaxed) > 10 * MAX_BYTES_AHEAD);
        // a reader that waits for space ends when the receiver is dropped
        drop(lines);
        let begin = Instant::now();
        while !stop_signal.should_stop(Duration::from_secs(1)) {
            assert!(begin.elapsed() < Duration::from_secs(20), "the reader still waits");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn errors_of_the_source_are_reported() {
        struct Broken;
        impl io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let mut lines = ReadAhead::new(io::BufReader::new(Broken), Arc::default()).unwrap();
        assert_eq!(lines.next_line().unwrap_err().to_string(), "broken");
        assert_eq!(lines.next_line().unwrap(), None);
    }
}
