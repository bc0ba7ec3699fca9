//! Reading goes on while the engine thinks: a thread of its own reads ahead and sees the line that says stop.

use std::io::{self, BufRead};
use std::sync::mpsc::{Receiver, RecvError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::protocol::line::{Lines, RawLine, StreamLines};
use crate::search::StopSignal;

/// How many lines are read ahead.
const AHEAD: usize = 1024;

/// How many bytes of lines are read ahead, beside the line that waits to be among them.
const AHEAD_BYTES: usize = 4 << 20;

/// Lines of a byte stream, read ahead.
pub struct ReadAhead {
    lines: Receiver<io::Result<RawLine>>,
    /// The next line, if it was waited for.
    next: Option<Result<io::Result<RawLine>, RecvError>>,
    room: Arc<Room>,
}

impl ReadAhead {
    /// Starts to read. An order to stop, and the end of the stream, are told to `interrupt` as soon as they are read.
    ///
    /// # Errors
    /// If there can be no thread.
    pub fn new(source: impl BufRead + Send + 'static, stop_signal: Arc<StopSignal>) -> io::Result<ReadAhead> {
        let (sender, lines) = sync_channel(AHEAD);
        stop_signal.attach_reader();
        let told = stop_signal.clone();
        let room = Arc::new(Room::default());
        let taken = room.clone();
        let thread = thread::Builder::new().name("reader".to_owned()).spawn(move || {
            let mut source = StreamLines::new(source);
            for number in 1.. {
                let line = match source.next_line() {
                    Ok(Some(line)) => Ok(line),
                    Ok(None) => break,
                    Err(error) => Err(error),
                };
                stop_signal.command_read(number);
                if line.as_ref().is_ok_and(RawLine::is_interrupt) {
                    stop_signal.request_stop(number);
                }
                taken.take(memory(&line));
                let is_last = line.is_err();
                // nobody listens any more once the engine has quit
                if sender.send(line).is_err() || is_last {
                    break;
                }
            }
            stop_signal.end_of_input();
        });
        thread.inspect_err(|_| told.detach_reader())?;
        Ok(ReadAhead { lines, next: None, room })
    }

    fn receive(&self) -> Result<io::Result<RawLine>, RecvError> {
        let line = self.lines.recv()?;
        self.room.give_back(memory(&line));
        Ok(line)
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        self.room.close();
    }
}

/// How many bytes a line takes.
fn memory(line: &io::Result<RawLine>) -> usize {
    line.as_ref().map_or(0, |line| line.bytes.capacity())
}

/// Room for lines that were read and not yet asked for, in bytes.
struct Room {
    /// How much of it is taken; `None` once nobody asks any more.
    taken: Mutex<Option<usize>>,
    changed: Condvar,
}

impl Default for Room {
    fn default() -> Room {
        Room { taken: Mutex::new(Some(0)), changed: Condvar::new() }
    }
}

impl Room {
    /// Takes room, and waits for it if need be. A line that is alone has room however long it is.
    fn take(&self, bytes: usize) {
        let is_full = |taken: &mut Option<usize>| taken.is_some_and(|taken| taken > 0 && taken + bytes > AHEAD_BYTES);
        let mut taken = self.changed.wait_while(self.taken(), is_full).unwrap_or_else(PoisonError::into_inner);
        *taken = taken.map(|taken| taken + bytes);
    }

    fn give_back(&self, bytes: usize) {
        let mut taken = self.taken();
        *taken = taken.map(|taken| taken.saturating_sub(bytes));
        self.changed.notify_one();
    }

    fn close(&self) {
        *self.taken() = None;
        self.changed.notify_one();
    }

    fn taken(&self) -> MutexGuard<'_, Option<usize>> {
        // a number is whole whoever panicked
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines for ReadAhead {
    fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        self.next.take().unwrap_or_else(|| self.receive()).ok().transpose()
    }

    fn meanwhile<T>(&mut self, _: &StopSignal, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
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

    use crate::protocol::line::{MAX_LINE, clean};

    use super::*;

    #[test]
    fn lines_come_in_their_order_and_the_order_to_stop_ahead_of_them() {
        let stop_signal = Arc::new(StopSignal::default());
        let source = Cursor::new(b"genmove b\n \n  # interrupt\r\nname".to_vec());
        let mut lines = ReadAhead::new(source, stop_signal.clone()).unwrap();
        let mut seen = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            stop_signal.begin_command();
            seen.push((clean(&line.bytes), stop_signal.should_stop(Duration::ZERO)));
        }
        let texts: Vec<&str> = seen.iter().map(|(text, _)| text.as_str()).collect();
        assert_eq!(texts, ["genmove b", " ", "  # interrupt", "name"]);
        assert_eq!(seen.iter().skip(2).map(|&(_, stops)| stops).collect::<Vec<_>>(), [false, false]);
        assert!(stop_signal.should_stop(Duration::from_secs(2)), "the end was read");
    }

    #[test]
    fn work_gives_way_to_the_next_line_and_the_line_is_kept() {
        let stop_signal = Arc::new(StopSignal::default());
        let (source, mut typist) = io::pipe().unwrap();
        let mut lines = ReadAhead::new(io::BufReader::new(source), stop_signal.clone()).unwrap();
        let typing = thread::spawn(move || {
            for line in ["lz-analyze\n", "\n", "name\n"] {
                thread::sleep(Duration::from_millis(30));
                io::Write::write_all(&mut typist, line.as_bytes()).unwrap();
            }
        });
        let take = |lines: &mut ReadAhead| {
            let line = lines.next_line().unwrap().map(|line| clean(&line.bytes));
            stop_signal.begin_command();
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
        assert_eq!(lines.meanwhile(&stop_signal, work).unwrap(), "done");
        assert_eq!(take(&mut lines).as_deref(), Some(""));
        // work that ends by itself is followed by waiting, but not if it failed
        assert!(lines.meanwhile(&stop_signal, || Err::<(), _>(io::Error::other("broken"))).is_err());
        lines.meanwhile(&stop_signal, || Ok(())).unwrap();
        assert!(stop_signal.has_pending_input(), "the line has come");
        assert_eq!(take(&mut lines).as_deref(), Some("name"));
        assert_eq!(take(&mut lines), None);
        typing.join().unwrap();
    }

    /// Long lines without end, which counts the bytes that were read of it.
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
    fn long_lines_are_read_ahead_as_far_as_there_is_room() {
        let (stop_signal, read) = (Arc::new(StopSignal::default()), Arc::new(AtomicUsize::new(0)));
        let mut lines = ReadAhead::new(io::BufReader::new(Endless(read.clone())), stop_signal.clone()).unwrap();
        thread::sleep(Duration::from_millis(300));
        let mut asked_for = 0;
        for _ in 0..50 {
            let line = lines.next_line().unwrap().unwrap();
            asked_for += line.length + 1;
            // a line is in the reader's hands, and a piece of the next one; memory is taken in powers of two
            let ahead = read.load(Ordering::Relaxed) - asked_for;
            assert!(ahead <= AHEAD_BYTES + 2 * MAX_LINE, "{ahead} bytes ahead");
        }
        assert!(read.load(Ordering::Relaxed) > 10 * AHEAD_BYTES);
        // a reader that waits for room ends when nobody asks any more
        drop(lines);
        let begin = Instant::now();
        while !stop_signal.should_stop(Duration::from_secs(1)) {
            assert!(begin.elapsed() < Duration::from_secs(20), "it waits on");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_source_that_fails_is_heard_of() {
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
