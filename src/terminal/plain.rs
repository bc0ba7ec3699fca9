//! Input at a terminal without line editing, such as one with `TERM=dumb`: prompts and questions, which Ctrl-C answers.
//!
//! There Ctrl-C is a signal, which ends no read. So a thread of its own reads each line that is asked for. If Ctrl-C
//! comes first, the line that the thread reads next belongs to the next prompt.

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use crate::protocol::line::{RawLine, StreamLines};
use crate::protocol::reader::CommandSource;
use crate::terminal::echo::EchoOff;
use crate::terminal::play::{Console, Typed, UserReply, first_line};

/// Longest time between Ctrl-C and its effect.
const SIGNAL_TIME: Duration = Duration::from_millis(50);

/// Lines typed at a terminal that has no line editing.
pub(crate) struct PlainLines<W> {
    /// Asks the thread for a line.
    requests: Sender<()>,
    lines: Receiver<io::Result<Option<RawLine>>>,
    /// Whether the thread reads a line that was asked for.
    is_reading: bool,
    /// A line, or the end of the input, that came just after Ctrl-C: it belongs to the next prompt.
    pending: Option<Option<RawLine>>,
    /// Raised by Ctrl-C.
    interrupt: Arc<AtomicBool>,
    prompt: String,
    output: W,
}

impl<W: Write> PlainLines<W> {
    /// Lines of a terminal; prompts are written to `output`. Ctrl-C raises `interrupt`.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub(crate) fn new(
        source: impl BufRead + Send + 'static,
        output: W,
        interrupt: Arc<AtomicBool>,
    ) -> io::Result<PlainLines<W>> {
        let (requests, requested) = channel();
        let (sender, lines) = channel();
        let read = move || {
            let mut source = StreamLines::new(source);
            while requested.recv().is_ok() && sender.send(source.next_line()).is_ok() {}
        };
        thread::Builder::new().name("reader".to_owned()).spawn(read)?;
        Ok(PlainLines { requests, lines, is_reading: false, pending: None, interrupt, prompt: String::new(), output })
    }

    /// Reads a line after a prompt. After Ctrl-C and Ctrl-D a new line begins on the screen.
    fn read(&mut self, prompt: &str) -> io::Result<Typed<RawLine>> {
        self.interrupt.store(false, Ordering::Relaxed);
        write!(self.output, "{prompt}")?;
        self.output.flush()?;
        let typed = match self.pending.take() {
            Some(line) => line.map_or(Typed::End, Typed::Line),
            None => self.wait()?,
        };
        if !matches!(typed, Typed::Line(_)) {
            writeln!(self.output)?;
            self.output.flush()?;
        }
        Ok(typed)
    }

    /// Waits for a line or Ctrl-C.
    fn wait(&mut self) -> io::Result<Typed<RawLine>> {
        let failed = || io::Error::other("reading failed");
        if !self.is_reading {
            self.requests.send(()).map_err(|_| failed())?;
            self.is_reading = true;
        }
        loop {
            let line = match self.lines.recv_timeout(SIGNAL_TIME) {
                Ok(line) => {
                    self.is_reading = false;
                    Some(line?)
                }
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Err(failed()),
            };
            if self.interrupt.swap(false, Ordering::Relaxed) {
                self.pending = line;
                return Ok(Typed::Interrupted);
            }
            if let Some(line) = line {
                return Ok(line.map_or(Typed::End, Typed::Line));
            }
        }
    }
}

impl<W: Write> CommandSource for PlainLines<W> {
    fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        let prompt = self.prompt.clone();
        first_line(|| self.read(&prompt))
    }
}

impl<W: Write> Console for PlainLines<W> {
    fn set_prompt(&mut self, prompt: String) {
        self.prompt = prompt;
    }

    fn ask(&mut self, question: &str) -> io::Result<UserReply> {
        Ok(self.read(question)?.map(|line| String::from_utf8_lossy(&line.bytes).into_owned()).into())
    }

    fn hold_keys(&self) -> Option<EchoOff> {
        Some(EchoOff::hold())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::BufReader;

    use super::*;

    #[test]
    fn ctrl_c_answers_a_question_and_takes_no_line() {
        let (source, mut keys) = io::pipe().unwrap();
        let interrupt = Arc::new(AtomicBool::new(true));
        let mut output = Vec::new();
        let mut lines = PlainLines::new(BufReader::new(source), &mut output, interrupt.clone()).unwrap();
        lines.set_prompt("black> ".to_owned());
        keys.write_all(b"quit\n").unwrap();
        // a Ctrl-C from before the question is none
        assert_eq!(lines.next_line().unwrap().unwrap().bytes, b"quit");
        let is_answered = Arc::new(AtomicBool::new(false));
        let hand = thread::spawn({
            let is_answered = is_answered.clone();
            move || {
                while !is_answered.load(Ordering::Relaxed) {
                    interrupt.store(true, Ordering::Relaxed);
                    thread::sleep(Duration::from_millis(5));
                }
            }
        });
        assert_eq!(lines.ask("leave (y/n)? ").unwrap(), UserReply::Text(String::new()));
        is_answered.store(true, Ordering::Relaxed);
        hand.join().unwrap();
        keys.write_all(b"help\ny\n").unwrap();
        assert_eq!(lines.next_line().unwrap().unwrap().bytes, b"help");
        assert_eq!(lines.ask("leave (y/n)? ").unwrap(), UserReply::Text("y".to_owned()));
        drop(keys);
        assert_eq!(lines.ask("leave (y/n)? ").unwrap(), UserReply::End);
        drop(lines);
        let shown = "black> leave (y/n)? \nblack> leave (y/n)? leave (y/n)? \n";
        assert_eq!(String::from_utf8(output).unwrap(), shown);
    }

    /// A screen on which Ctrl-C is pressed as soon as a question is seen.
    struct InterruptedQuestions(Arc<AtomicBool>);

    impl Write for InterruptedQuestions {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            if text.ends_with(b"? ") {
                self.0.store(true, Ordering::Relaxed);
            }
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_just_after_ctrl_c_belongs_to_the_next_prompt() {
        let interrupt = Arc::new(AtomicBool::new(false));
        let mut lines = PlainLines::new(&b"y\nhelp\n"[..], InterruptedQuestions(interrupt.clone()), interrupt).unwrap();
        assert_eq!(lines.ask("leave (y/n)? ").unwrap(), UserReply::Text(String::new()));
        assert_eq!(lines.next_line().unwrap().unwrap().bytes, b"y");
        assert_eq!(lines.next_line().unwrap().unwrap().bytes, b"help");
        // so does the end
        assert_eq!(lines.ask("leave (y/n)? ").unwrap(), UserReply::Text(String::new()));
        assert_eq!(lines.ask("").unwrap(), UserReply::End);
    }
}
