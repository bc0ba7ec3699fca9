//! The standard streams, and output beside GTP answers and logs.

use std::io::{self, Read, Write};
use std::path::Path;

use crate::terminal::progress::write_stderr;
use crate::text::quote::one_line;

/// A standard stream whose errors name it.
pub(crate) struct NamedStream<S> {
    stream: S,
    failure: &'static str,
}

/// Standard input.
pub(crate) fn stdin() -> NamedStream<io::Stdin> {
    NamedStream { stream: io::stdin(), failure: "cannot read standard input" }
}

/// Standard output.
pub(crate) fn stdout() -> NamedStream<io::Stdout> {
    NamedStream { stream: io::stdout(), failure: "cannot write to standard output" }
}

impl<S> NamedStream<S> {
    /// An error of the stream, with its kind.
    fn error(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.failure))
    }
}

impl<S: Read> Read for NamedStream<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer).map_err(|error| self.error(error))
    }
}

impl<S: Write> Write for NamedStream<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes).map_err(|error| self.error(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush().map_err(|error| self.error(error))
    }
}

/// Prints to stdout. A closed pipe is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let mut output = stdout();
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Names ignored options of KataGo on stderr: the net, which has another option here, and the others in one line.
pub(crate) fn warn_ignored(model: Option<&Path>, ignored: impl IntoIterator<Item = String>) {
    let name = env!("CARGO_PKG_NAME");
    if let Some(model) = model {
        let model = one_line(&model.to_string_lossy());
        write_stderr(format_args!("[{name}] -model {model} is not loaded; --set Net.File={model} loads it"));
    }
    let ignored: Vec<String> = ignored.into_iter().collect();
    if !ignored.is_empty() {
        write_stderr(format_args!("[{name}] ignored: {}", one_line(&ignored.join("; "))));
    }
}
