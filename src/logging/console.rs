//! What people see on stderr: which lines, and how a row looks.
//!
//! It knows the console's modes and its stamp. It does not know which events there are, nor any file.

use std::{
    fmt,
    io::{self, Write as _},
};

use crate::config::ConsoleMode;

use super::{
    Watch,
    format::{Format, stamp},
};

/// The size of `[2022-09-14 23:36:15]` and a tab.
pub(super) const STAMP_BYTES: usize = 22;

/// `[2022-09-14 23:36:15]` and a tab.
pub(super) type Stamp = [u8; STAMP_BYTES];

/// What stderr shows in this mode.
pub(super) fn format(mode: ConsoleMode, watched: Watch) -> Format {
    let (input, answers) = match mode {
        ConsoleMode::Auto => (watched.debug_input || (!watched.stdin_is_terminal && watched.stderr_is_terminal), false),
        ConsoleMode::Echo => (true, false),
        ConsoleMode::Full => (true, true),
        ConsoleMode::Off => (false, false),
    };
    Format::Console { input, answers }
}

/// The console's stamp out of `2022-09-14T23:36:15.521+0900`.
pub(super) fn console_stamp(stamp: &str) -> Stamp {
    let mut out = *b"[0000-00-00 00:00:00]\t";
    for (to, from) in out.iter_mut().skip(1).zip(stamp.bytes().take("2022-09-14T23:36:15".len())) {
        *to = if from == b'T' { b' ' } else { from };
    }
    out
}

/// Every row behind a stamp, so that a controller that reads stderr as well can take none for an answer.
pub(super) fn write_rows(line: &mut Vec<u8>, stamp: &Stamp, text: &str) {
    for row in text.trim_end().split('\n') {
        for part in row.strip_suffix('\r').unwrap_or(row).split('\r') {
            line.extend_from_slice(stamp);
            line.extend_from_slice(part.as_bytes());
            line.push(b'\n');
        }
    }
}

/// A warning about the logs themselves, which can only go to stderr.
pub(super) fn warn(message: fmt::Arguments<'_>) {
    let mut line = Vec::new();
    write_rows(&mut line, &console_stamp(&stamp()), &format!("warning: {message}"));
    // If stderr is gone, too, there is no one left to tell.
    let _ = io::stderr().write_all(&line);
}
