//! From a `tracing` event to a record: the texts that the logs choose from.

use std::fmt::{self, Write as _};

use serde_json::Value;
use tracing::{
    Event, Level,
    field::{Field, Visit},
};

use crate::text::quote;

use super::{
    entry::{ANSWER, EntryKind, INPUT, NOTE},
    json::{self, JsonLine, caller},
    timestamp,
};

/// Diagnostic fields of several rows: the plain-text log writes them below the message, stderr omits them.
const LONG_FIELDS: [&str; 2] = ["backtrace", "commands"];

/// An event, ready to be written to any log.
pub(super) struct Record {
    pub(super) kind: RecordKind,
    pub(super) timestamp: String,
    /// The text for the plain-text log and stderr: an entry's, or `warning: message key=value`. It has no trailing
    /// white space.
    pub(super) text: String,
    /// The long fields, for the plain-text log, each after a line end.
    pub(super) details: String,
    /// The line of the JSON log, with its end.
    pub(super) json: String,
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordKind {
    /// A command, an answer or a note.
    Entry(EntryKind),
    /// Any other event: an error, a warning, information.
    Diagnostic(Level),
}

impl Record {
    pub(super) fn new(event: &Event<'_>) -> Self {
        let mut fields = Fields::default();
        event.record(&mut fields);
        match event.metadata().target() {
            INPUT => Self::entry(EntryKind::Input, fields),
            ANSWER => Self::entry(EntryKind::Answer, fields),
            NOTE => Self::entry(EntryKind::Note, fields),
            _ => Self::diagnostic(event, fields),
        }
    }

    fn entry(kind: EntryKind, mut fields: Fields) -> Self {
        let mut text = rows(&fields.take_text("plain"));
        text.truncate(text.trim_end().len());
        Self {
            kind: RecordKind::Entry(kind),
            timestamp: fields.take_text("timestamp"),
            text,
            details: String::new(),
            json: fields.take_text("json"),
        }
    }

    fn diagnostic(event: &Event<'_>, mut fields: Fields) -> Self {
        let metadata = event.metadata();
        let timestamp = timestamp::now();
        let message = fields.take_text("message");
        let level = level_name(*metadata.level());
        let caller = caller(metadata.file().unwrap_or(metadata.target()), metadata.line().unwrap_or(0));
        let json =
            JsonLine { level, timestamp: &timestamp, caller: &caller, message: &message, fields: &fields.0 }.to_text();

        let mut text = format!("{}:", if level == "warn" { "warning" } else { level });
        if !message.is_empty() {
            text.extend([" ", &message]);
        }
        let mut details = String::new();
        for (name, value) in &fields.0 {
            // Writing to a String cannot fail.
            let _ = match value {
                Value::String(long) if LONG_FIELDS.contains(name) => write!(details, "\n{name}:\n{}", long.trim_end()),
                Value::String(word) if is_one_word(word) => write!(text, " {name}={word}"),
                value => write!(text, " {name}={value}"),
            };
        }
        let (mut text, mut details) = (rows(&text), rows(&details));
        text.truncate(text.trim_end().len());
        details.truncate(details.trim_end().len());
        Self { kind: RecordKind::Diagnostic(*metadata.level()), timestamp, text, details, json }
    }
}

/// A text for people, in rows: every kind of line end becomes a line feed, and other unsafe characters are escaped.
fn rows(text: &str) -> String {
    quote::lines(&text.replace("\r\n", "\n").replace('\r', "\n"))
}

fn is_one_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c == '"' || c.is_whitespace() || c.is_control())
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    }
}

/// The fields of an event, in its order.
#[derive(Default)]
struct Fields(Vec<json::Field>);

impl Fields {
    fn add(&mut self, field: &Field, value: Value) {
        self.0.push((field.name().strip_prefix("r#").unwrap_or(field.name()), value));
    }

    /// Removes a field and returns its text; empty where it is missing or no text.
    fn take_text(&mut self, name: &str) -> String {
        match self.0.iter().position(|(key, _)| *key == name).map(|at| self.0.remove(at)) {
            Some((_, Value::String(text))) => text,
            _ => String::new(),
        }
    }
}

impl Visit for Fields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value.into());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value.into());
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value.into());
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.add(field, value.to_string().into());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format!("{value:?}").into());
    }
}
