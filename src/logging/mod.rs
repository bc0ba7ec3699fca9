//! The plain-text log, the JSON log and what people see on stderr: three layers on the program's events.
//!
//! It knows what can be said to the logs, and opens them. How a line looks is in `format`, how it is written in `layer`,
//! which file it goes to in `files`, and what stderr shows in `console`. It does not know GTP: what is said, and in
//! which words, is up to the caller. It never writes to stdout, and no failure of a log stops the program.

mod console;
mod files;
mod format;
mod layer;
mod panics;
#[cfg(test)]
mod tests;

use std::{cell::Cell, fmt::Write as _, io, panic::Location};

use tracing::{Level, Subscriber};
use tracing_subscriber::{Registry, layer::SubscriberExt as _};

use crate::config::EngineConfig;

use console::warn;
use format::{Format, source_path, write_json_field, write_stamp};
use layer::LogLayer;
pub use panics::log_panic;

/// The target of the event that [`exchange`] emits.
pub const EXCHANGE: &str = "kifuwarabe::exchange";

/// One command in, one answer out, or a note beside them.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'a> {
    /// Which of these.
    pub kind: Kind,
    /// The text for the plain-text log and stderr: `# play black B2`, `= `, `? ko my_stone:x point:D3`.
    pub plain: &'a str,
    /// The place in the source that speaks.
    pub caller: &'a Location<'a>,
    /// `msg` of the JSON log: `input`, `ok`, `output`, `error`, …
    pub msg: &'a str,
    /// What stands beside `msg` in the JSON log, in this order. No key is one of [`OWN_KEYS`], and none comes twice.
    pub fields: &'a [(&'static str, serde_json::Value)],
}

/// Which way a line goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A command, from the controller.
    Input,
    /// An answer, to the controller.
    Answer,
    /// Neither: what only programs that read the JSON log want to know.
    Note,
}

/// What [`ConsoleMode::Auto`](crate::config::ConsoleMode::Auto) goes by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Watch {
    /// A person types the commands, and so sees them anyway.
    pub stdin_is_terminal: bool,
    /// A person reads stderr.
    pub stderr_is_terminal: bool,
    /// The commands come from a file, for a developer to watch.
    pub debug_input: bool,
}

/// The keys that every line of the JSON log has.
pub const OWN_KEYS: [&str; 4] = ["level", "ts", "caller", "msg"];

/// The target of the events of [`Kind::Note`].
pub const NOTE: &str = "kifuwarabe::note";

/// Logs one command, answer or note; costs next to nothing where nobody listens.
pub fn exchange(exchange: &Exchange<'_>) {
    debug_assert_eq!(repeated_key(exchange.fields), None, "a key that its line has already");
    if !tracing::event_enabled!(target: EXCHANGE, Level::INFO) {
        return;
    }
    // Taken and put back, so that the strings keep their memory from one call to the next.
    let mut scratch = SCRATCH.take();
    let Scratch { stamp, caller, fields } = &mut scratch;
    stamp.clear();
    caller.clear();
    fields.clear();
    write_stamp(stamp);
    // Writing to a String cannot fail.
    let _ = write!(caller, "{}:{}", source_path(exchange.caller.file()), exchange.caller.line());
    for (key, value) in exchange.fields {
        write_json_field(fields, key, value);
    }
    let (stamp, caller, msg, json) = (stamp.as_str(), caller.as_str(), exchange.msg, fields.as_str());
    let (answer, plain) = (exchange.kind == Kind::Answer, exchange.plain);
    // The layers write while they visit, so a value must come before those that follow it in any of the logs.
    match exchange.kind {
        Kind::Note => tracing::event!(target: NOTE, Level::INFO, stamp, caller, msg, fields = json),
        _ => tracing::event!(target: EXCHANGE, Level::INFO, stamp, answer, plain, caller, msg, fields = json),
    }
    fields.shrink_to(KEPT_BYTES);
    SCRATCH.set(scratch);
}

/// A key that a line with these fields would have twice.
fn repeated_key(fields: &[(&'static str, serde_json::Value)]) -> Option<&'static str> {
    let mut keys = fields.iter().map(|(key, _)| *key).enumerate();
    let is_before = |number, key| fields.iter().take(number).any(|(before, _)| *before == key);
    keys.find(|&(number, key)| OWN_KEYS.contains(&key) || is_before(number, key)).map(|(_, key)| key)
}

/// Logs a note of these fields.
#[track_caller]
pub fn note(msg: &str, fields: &[(&'static str, serde_json::Value)]) {
    exchange(&Exchange { kind: Kind::Note, plain: "", caller: Location::caller(), msg, fields });
}

/// Opens the logs and makes them the program's.
///
/// A log that cannot be opened is a warning on stderr, and the others go on without it.
///
/// # Errors
/// Where the program has logs already.
pub fn init(config: &EngineConfig, watched: Watch) -> anyhow::Result<()> {
    tracing::subscriber::set_global_default(subscriber(config, watched))?;
    Ok(())
}

/// What [`init`] installs: the opened logs and the console.
pub fn subscriber(config: &EngineConfig, watched: Watch) -> impl Subscriber + Send + Sync + use<> {
    let mut layers = Vec::new();
    for (format, path) in [(Format::Plain, &config.paths.plain_text_log), (Format::Json, &config.paths.json_log)] {
        let Some(path) = path else { continue };
        match files::open(path, &config.log) {
            Ok(file) => layers.push(LogLayer::new(format, file, path.display().to_string())),
            Err(reason) => warn(format_args!("cannot open log {}: {reason}", path.display())),
        }
    }
    layers.push(LogLayer::new(console::format(config.log.console, watched), Box::new(io::stderr()), None));
    Registry::default().with(layers)
}

/// Strings that one call of [`exchange`] leaves to the next.
#[derive(Default)]
struct Scratch {
    stamp: String,
    caller: String,
    fields: String,
}

/// How much memory a buffer may keep after an unusually long line.
const KEPT_BYTES: usize = 1 << 16;

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}
