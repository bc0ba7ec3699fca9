//! An event to the line that a log gets: plain text, JSON or, by `console`, rows on stderr.
//!
//! It knows what an exchange's event carries and how stamps, callers and levels look. It does not know where a line goes,
//! and writes nothing anywhere.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
    io::Write as _,
};

use chrono::Local;
use tracing::{
    Event, Level,
    field::{Field, Visit},
};

use super::console::{STAMP_BYTES, Stamp, console_stamp, write_rows};

/// How a layer's lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Plain,
    Json,
    /// Warnings always, commands and answers each where asked for.
    Console {
        input: bool,
        answers: bool,
    },
}

impl Format {
    /// Writes the line of an exchange, or nothing where it is not wanted.
    pub(super) fn write_exchange(self, event: &Event<'_>, line: &mut Vec<u8>) {
        event.record(&mut ExchangeLine { format: self, line, stamp: [0; STAMP_BYTES], wanted: false });
    }

    /// Writes the line of an event that is no exchange: a warning, an error, a piece of news.
    pub(super) fn write_other(self, event: &Event<'_>, line: &mut Vec<u8>) {
        let metadata = event.metadata();
        let level = *metadata.level();
        if matches!(self, Self::Console { .. }) && level > Level::WARN {
            return;
        }
        let stamp = stamp();
        let mut other = Other::default();
        event.record(&mut other);
        match self {
            Self::Plain => {
                line.extend_from_slice(stamp.as_bytes());
                write_plain(line, &format!("{}{}", other.text(level), other.rows));
            }
            Self::Console { .. } => write_rows(line, &console_stamp(&stamp), &other.text(level)),
            Self::Json => {
                let file = source_path(metadata.file().unwrap_or(metadata.target()));
                write_json_head(line, level, &stamp);
                write_json_str(line, "caller", &format!("{file}:{}", metadata.line().unwrap_or(0)));
                write_json_str(line, "msg", &other.message);
                write_json_end(line, &other.json);
            }
        }
    }
}

/// Writes the line of an exchange while it visits the values, which come in the order of the event.
struct ExchangeLine<'a> {
    format: Format,
    line: &'a mut Vec<u8>,
    /// For the console, and whether it wants this line.
    stamp: Stamp,
    wanted: bool,
}

impl Visit for ExchangeLine<'_> {
    fn record_bool(&mut self, field: &Field, value: bool) {
        if let (Format::Console { input, answers }, "answer") = (self.format, field.name()) {
            self.wanted = if value { answers } else { input };
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let line = &mut *self.line;
        match (self.format, field.name()) {
            (Format::Plain, "stamp") => line.extend_from_slice(value.as_bytes()),
            (Format::Plain, "plain") => write_plain(line, value),
            (Format::Json, "stamp") => write_json_head(line, Level::INFO, value),
            (Format::Json, name @ ("caller" | "msg")) => write_json_str(line, name, value),
            (Format::Json, "fields") => write_json_end(line, value),
            (Format::Console { .. }, "stamp") => self.stamp = console_stamp(value),
            (Format::Console { .. }, "plain") if self.wanted => write_rows(line, &self.stamp, value),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

/// The names of fields that have many rows.
const LONG: [&str; 2] = ["backtrace", "commands"];

/// The message and the fields of an event that is no exchange.
#[derive(Default)]
struct Other {
    message: String,
    /// ` key=value` for each field.
    plain: String,
    /// The rows of fields that are long; people at the console do without.
    rows: String,
    /// `,"key":value` for each field.
    json: String,
}

impl Other {
    /// `warning: cannot open file=a`.
    fn text(&self, level: Level) -> String {
        let name = if level == Level::WARN { "warning" } else { name_of(level) };
        let space = if self.message.is_empty() { "" } else { " " };
        format!("{name}:{space}{}{}", self.message, self.plain)
    }

    fn add(&mut self, field: &Field, value: serde_json::Value) {
        let name = field.name().strip_prefix("r#").unwrap_or(field.name());
        match value {
            serde_json::Value::String(text) if name == "message" => self.message = text,
            serde_json::Value::String(text) if LONG.contains(&name) => {
                let _ = write!(self.rows, "\n{name}:\n{}", text.trim_end());
                write_json_field(&mut self.json, name, &text.into());
            }
            value => {
                write_json_field(&mut self.json, name, &value);
                // Writing to a String cannot fail.
                let _ = match &value {
                    serde_json::Value::String(text) if is_one_word(text) => write!(self.plain, " {name}={text}"),
                    value => write!(self.plain, " {name}={value}"),
                };
            }
        }
    }
}

fn is_one_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c == '"' || c.is_whitespace() || c.is_control())
}

impl Visit for Other {
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

/// `2022-09-14T23:36:15.521+0900`.
pub(super) fn stamp() -> String {
    let mut stamp = String::new();
    write_stamp(&mut stamp);
    stamp
}

/// Appends what [`stamp`] returns.
pub(super) fn write_stamp(out: &mut String) {
    // Writing to a String cannot fail, nor does the format have an unknown part.
    let _ = write!(out, "{}", Local::now().format("%Y-%m-%dT%H:%M:%S%.3f%z"));
}

/// A tab and the text, its rows as they are.
fn write_plain(line: &mut Vec<u8>, text: &str) {
    line.push(b'\t');
    line.extend_from_slice(text.trim_end().as_bytes());
    line.push(b'\n');
}

/// `{"level":"info","ts":"…"`.
fn write_json_head(line: &mut Vec<u8>, level: Level, stamp: &str) {
    // Writing to a Vec cannot fail.
    let _ = write!(line, r#"{{"level":"{}","ts":"{stamp}""#, name_of(level));
}

/// `,"key":"text"`, of a key that needs no escapes.
fn write_json_str(line: &mut Vec<u8>, key: &str, text: &str) {
    // Neither a string nor a Vec has a way to fail.
    let _ = write!(line, ",\"{key}\":");
    let _ = serde_json::to_writer(line, text);
}

/// `,"key":value`.
pub(super) fn write_json_field(out: &mut String, key: &str, value: &serde_json::Value) {
    // Writing to a String cannot fail.
    let _ = write!(out, ",{}:{value}", serde_json::Value::from(key));
}

/// What [`write_json_field`] has written, and the line's end.
fn write_json_end(line: &mut Vec<u8>, fields: &str) {
    line.extend_from_slice(fields.as_bytes());
    line.extend_from_slice(b"}\n");
}

/// `gtp/play.rs` out of `src/gtp/play.rs`, wherever and on whichever system that was compiled.
pub(super) fn source_path(file: &str) -> Cow<'_, str> {
    let separators = ['/', '\\'];
    let inside = file
        .rmatch_indices("src")
        .find_map(|(at, _)| {
            let (before, after) = (file.get(..at)?, file.get(at + 3..)?);
            (before.is_empty() || before.ends_with(separators)).then(|| after.strip_prefix(separators)).flatten()
        })
        .unwrap_or(file);
    if inside.contains('\\') { inside.replace('\\', "/").into() } else { inside.into() }
}

fn name_of(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warn",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        Level::TRACE => "trace",
    }
}
