//! Log entries of GTP traffic: commands, answers and notes, each emitted as a `tracing` event.
//!
//! The fields of an event are scalars, so the line of the JSON log is serialised here, where its values are known. The
//! event has the complete line as one field.

use std::{collections::BTreeSet, panic::Location};

use tracing::Level;

use super::{
    json::{COMMON_KEYS, Field, JsonLine, caller},
    timestamp,
};

/// The target of [`EntryKind::Input`]'s events.
pub(super) const INPUT: &str = "kifuwarabe::input";

/// The target of [`EntryKind::Answer`]'s events.
pub(super) const ANSWER: &str = "kifuwarabe::answer";

/// The target of [`EntryKind::Note`]'s events.
pub(super) const NOTE: &str = "kifuwarabe::note";

/// A command, an answer or a note.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a> {
    /// Its kind.
    pub(crate) kind: EntryKind,
    /// The text for the plain-text log and stderr: `# play black B2`, `= `, `? ko my_stone:x point:D3`.
    pub(crate) plain: &'a str,
    /// The place in the source that logs it.
    pub(crate) caller: &'a Location<'a>,
    /// `msg` in the JSON log: `input`, `ok`, `output`, `error`, …
    pub(crate) msg: &'a str,
    /// The fields after `msg` in the JSON log, in this order. No key is `level`, `ts`, `caller` or `msg`, or repeated.
    pub(crate) fields: &'a [Field],
}

/// The kind of an entry, which decides the logs that it goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EntryKind {
    /// A command from the controller: every log, and stderr where commands are echoed.
    Input,
    /// An answer to the controller: every log, and stderr where answers are echoed.
    Answer,
    /// Data for programs that read the JSON log: that log only.
    Note,
}

/// Emits an entry. Without a subscriber it returns at once.
pub(crate) fn log(entry: &Entry<'_>) {
    debug_assert!(has_unique_keys(entry.fields), "a repeated key: {entry:?}");
    if !tracing::event_enabled!(target: INPUT, Level::INFO) {
        return;
    }
    let timestamp = timestamp::now();
    let caller = caller(entry.caller.file(), entry.caller.line());
    let Entry { plain, msg: message, fields, .. } = *entry;
    let json = JsonLine { level: "info", timestamp: &timestamp, caller: &caller, message, fields }.to_text();
    match entry.kind {
        EntryKind::Input => tracing::event!(target: INPUT, Level::INFO, timestamp, plain, json),
        EntryKind::Answer => tracing::event!(target: ANSWER, Level::INFO, timestamp, plain, json),
        EntryKind::Note => tracing::event!(target: NOTE, Level::INFO, timestamp, plain, json),
    }
}

/// Logs a note of these fields.
#[track_caller]
pub(crate) fn note(msg: &str, fields: &[Field]) {
    log(&Entry { kind: EntryKind::Note, plain: "", caller: Location::caller(), msg, fields });
}

fn has_unique_keys(fields: &[Field]) -> bool {
    let mut keys = BTreeSet::from(COMMON_KEYS);
    fields.iter().all(|(key, _)| keys.insert(key))
}
