//! The logs: every command, answer and diagnostic is a `tracing` event, written to the plain-text log, the JSON log and
//! stderr by one layer.
//!
//! From an event to a line: `entry` emits what GTP logs, with its JSON line made by `json`; `record` reads an event's
//! fields; `format` selects what each log takes; `sink` writes whole lines; `files` opens and rotates the files.
//!
//! - A line reaches the operating system before the call that logs it returns.
//! - Nothing is written to stdout, and no failure of a log stops the program.
//! - The module parses no GTP: its callers choose texts and fields.

mod entry;
mod files;
mod format;
mod json;
mod layer;
mod panics;
mod record;
mod sink;
mod stderr;
#[cfg(test)]
mod tests;
mod timestamp;

use std::io;

use tracing::subscriber::SetGlobalDefaultError;
use tracing::{Level, Subscriber};
use tracing_subscriber::{Registry, filter::Targets, layer::SubscriberExt as _};

use crate::config::EngineConfig;

pub(crate) use entry::{Entry, EntryKind, log, note};
pub(crate) use files::rotated_set;
use format::Format;
pub use format::{ConsoleContext, InputSource};
use layer::LogLayer;
pub use panics::log_panic;
use sink::Sink;

/// Events are logged whose target starts with this: the program's own, not those of its libraries.
const TARGET_PREFIX: &str = "kifuwarabe";

/// Opens the logs and installs them as the global `tracing` subscriber.
///
/// A log that cannot be opened is a warning on stderr; the engine runs without it.
///
/// # Errors
/// If a global subscriber is installed already.
pub fn init(config: &EngineConfig, context: ConsoleContext) -> Result<(), SetGlobalDefaultError> {
    tracing::subscriber::set_global_default(subscriber(config, context))
}

/// The subscriber that [`init`] installs: the opened logs and the console.
pub fn subscriber(config: &EngineConfig, context: ConsoleContext) -> impl Subscriber + Send + Sync + use<> {
    let mut sinks = Vec::new();
    for (format, path) in [(Format::Plain, &config.paths.plain_text_log), (Format::Json, &config.paths.json_log)] {
        let Some(path) = path else { continue };
        match files::open(path, &config.log) {
            Ok(file) => sinks.push(Sink::new(format, file, Some(path.display().to_string()))),
            Err(reason) => stderr::warn(format_args!("cannot open log {}: {reason}", path.display())),
        }
    }
    sinks.push(Sink::new(Format::console(config.log.console, context), Box::new(io::stderr()), None));
    let filter = Targets::new().with_target(TARGET_PREFIX, Level::INFO);
    Registry::default().with(LogLayer { sinks }).with(filter)
}
