//! The records that each log takes, and their form.

use std::borrow::Cow;

use tracing::Level;

use crate::config::ConsoleMode;

use super::{
    entry::EntryKind,
    record::{Record, RecordKind},
    stderr,
};

/// The conditions that [`ConsoleMode::Auto`] depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsoleContext {
    /// Standard input is a terminal; it shows the commands that are typed there.
    pub stdin_is_terminal: bool,
    /// A person reads stderr.
    pub stderr_is_terminal: bool,
    /// The source of commands.
    pub input: InputSource,
}

/// The source of a session's commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputSource {
    /// Standard input, or none in a mode that reads no commands.
    Stdin,
    /// The file of `-d`.
    DebugInput,
}

/// The form of a log's lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// The plain-text log: all records but notes.
    Plain,
    /// The JSON log: all records.
    Json,
    /// Stderr: warnings and errors; commands and answers, each if enabled.
    Console { input: bool, answers: bool },
}

impl Format {
    /// The console's format in this mode.
    pub(super) fn console(mode: ConsoleMode, context: ConsoleContext) -> Self {
        let (input, answers) = match mode {
            ConsoleMode::Auto => {
                let is_unseen = !context.stdin_is_terminal && context.stderr_is_terminal;
                (context.input == InputSource::DebugInput || is_unseen, false)
            }
            ConsoleMode::Echo => (true, false),
            ConsoleMode::Full => (true, true),
            ConsoleMode::Off => (false, false),
        };
        Self::Console { input, answers }
    }

    /// The record as written to this log, with the line end; `None` where the log does not take it.
    pub(super) fn line(self, record: &Record) -> Option<Cow<'_, str>> {
        let Record { kind, timestamp, text, details, json } = record;
        match self {
            Self::Plain if *kind == RecordKind::Entry(EntryKind::Note) => None,
            Self::Plain => Some([timestamp, "\t", text, details, "\n"].concat().into()),
            Self::Json => Some(json.into()),
            Self::Console { input, answers } => {
                let is_shown = match kind {
                    RecordKind::Entry(EntryKind::Input) => input,
                    RecordKind::Entry(EntryKind::Answer) => answers,
                    RecordKind::Entry(EntryKind::Note) => false,
                    RecordKind::Diagnostic(level) => *level <= Level::WARN,
                };
                is_shown.then(|| stderr::rows(timestamp, text).into())
            }
        }
    }
}
