//! One log: its format, and a writer that gets whole lines.
//!
//! A line is passed to the operating system before [`Sink::write`] returns, so the log of a killed engine is complete.

use std::{
    borrow::Cow,
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

use super::{format::Format, record::Record, stderr::WarnOnce};

/// A log.
pub(super) struct Sink {
    format: Format,
    output: Mutex<Output>,
}

struct Output {
    writer: Box<dyn Write + Send>,
    /// The log's name in a warning; `None` for stderr, whose failures cannot be reported.
    name: Option<String>,
    write_warning: WarnOnce,
    /// The last line is incomplete, so the next one starts with a line end.
    torn: bool,
}

impl Sink {
    pub(super) fn new(format: Format, writer: Box<dyn Write + Send>, name: Option<String>) -> Self {
        let output = Output { writer, name, write_warning: WarnOnce::default(), torn: false };
        Self { format, output: Mutex::new(output) }
    }

    /// Writes the record's line, if the log takes it. The first failure is a warning on stderr.
    pub(super) fn write(&self, record: &Record) {
        if let Some(line) = self.format.line(record) {
            self.output.lock().unwrap_or_else(PoisonError::into_inner).write_line(&line);
        }
    }
}

impl Output {
    /// Writes a line. `write_all` does not return the number of bytes written before a failure; here it is counted, so
    /// that the next line starts a new row after an incomplete one, such as on a full disk.
    fn write_line(&mut self, line: &str) {
        let line = if self.torn { Cow::from(format!("\n{line}")) } else { Cow::from(line) };
        let mut rest = line.as_bytes();
        let result = loop {
            match self.writer.write(rest) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => match rest.get(written..) {
                    None | Some([]) => break Ok(()),
                    Some(after) => rest = after,
                },
                Err(reason) if reason.kind() == io::ErrorKind::Interrupted => {}
                Err(reason) => break Err(reason),
            }
        };
        match result {
            Ok(()) => self.torn = false,
            Err(reason) => {
                self.torn |= rest.len() < line.len();
                if let Some(name) = &self.name {
                    self.write_warning.warn(format_args!("cannot write log {name}: {reason}"));
                }
            }
        }
    }
}
