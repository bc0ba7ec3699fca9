//! Output beside GTP answers and logs.

use std::io::{self, Write};
use std::path::Path;

use crate::terminal::progress::write_stderr;
use crate::text::quote::one_line;

/// Prints to stdout. A closed pipe is no error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    match io::stdout().lock().write_all(text.as_bytes()) {
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
        write_stderr(format_args!("[{name}] ignored: {}", one_line(&ignored.join(" "))));
    }
}
