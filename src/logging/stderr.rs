//! Rows on stderr, and warnings about the logs themselves, which no log can carry.

use std::{
    fmt,
    io::{self, Write as _},
};

use crate::text::quote;

use super::timestamp;

/// `[2022-09-14 23:36:15]`, a tab and one row of the text, for each row. Unsafe characters in the text are escaped already.
///
/// A controller that reads stderr together with stdout cannot take such a row for an answer.
pub(super) fn rows(timestamp: &str, text: &str) -> String {
    let prefix = format!("[{}]\t", timestamp::to_seconds(timestamp));
    let mut out = String::new();
    for row in text.trim_end().split('\n') {
        out.extend([&prefix, row, "\n"]);
    }
    quote::with_double_arrows(&out)
}

/// Writes a warning to stderr.
pub(super) fn warn(message: fmt::Arguments<'_>) {
    let rows = rows(&timestamp::now(), &quote::lines(&format!("warning: {message}")));
    // Unlike `eprint!`, no panic where stderr is closed.
    let _ = io::stderr().write_all(rows.as_bytes());
}

/// [`warn`] for a failure that may recur with every line: only the first call writes.
#[derive(Default)]
pub(super) struct WarnOnce {
    has_warned: bool,
}

impl WarnOnce {
    pub(super) fn warn(&mut self, message: fmt::Arguments<'_>) {
        if !std::mem::replace(&mut self.has_warned, true) {
            warn(message);
        }
    }
}
