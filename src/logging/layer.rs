//! One log as a layer on the program's events: which of them it takes, and how a whole line gets out.
//!
//! A line is in the operating system's hands when the call that logged it returns, so a killed engine has logged all
//! that it said. It does not know how a line looks, nor what its sink is.

use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

use tracing::{Event, Level, Metadata, Subscriber, level_filters::LevelFilter, subscriber::Interest};
use tracing_subscriber::{Layer, layer::Context};

use super::{EXCHANGE, KEPT_BYTES, NOTE, console::warn, format::Format};

/// Only events whose target begins like this are logged: the program's own, not its libraries'.
const TARGETS: &str = "kifuwarabe";

/// One log: a format and where its lines go.
pub(super) struct LogLayer {
    format: Format,
    output: Mutex<Output>,
}

struct Output {
    sink: Box<dyn Write + Send>,
    /// What a warning calls the sink; `None`: it is stderr itself, and there is nowhere left to warn.
    name: Option<String>,
    line: Vec<u8>,
    /// The last line was cut short, so the next one must not be glued to it.
    torn: bool,
    /// Someone has been told that the sink fails.
    warned: bool,
}

impl LogLayer {
    pub(super) fn new(format: Format, sink: Box<dyn Write + Send>, name: impl Into<Option<String>>) -> Self {
        let output = Output { sink, name: name.into(), line: Vec::new(), torn: false, warned: false };
        Self { format, output: Mutex::new(output) }
    }
}

impl Output {
    /// Hands `self.line` to the operating system, whole, and empties it.
    fn write_line(&mut self) {
        if self.torn {
            self.line.insert(0, b'\n');
        }
        let mut rest = self.line.as_slice();
        let result = loop {
            match self.sink.write(rest) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => match rest.get(written..) {
                    None | Some([]) => break Ok(()),
                    Some(after) => rest = after,
                },
                Err(reason) if reason.kind() == io::ErrorKind::Interrupted => {}
                Err(reason) => break Err(reason),
            }
        };
        match result {
            Ok(()) => self.torn = false,
            Err(reason) => {
                self.torn |= rest.len() < self.line.len();
                if let Some(name) = &self.name
                    && !self.warned
                {
                    self.warned = true;
                    warn(format_args!("cannot write log {name}: {reason}"));
                }
            }
        }
        self.line.clear();
        self.line.shrink_to(KEPT_BYTES);
    }
}

/// Whether the logs want an event at all. One answer for all layers: a layer that says no says it for the others, too.
fn is_wanted(metadata: &Metadata<'_>) -> bool {
    metadata.is_event() && *metadata.level() <= Level::INFO && metadata.target().starts_with(TARGETS)
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if is_wanted(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        is_wanted(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::INFO)
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        // A panic elsewhere while a line was made leaves at worst the beginning of one.
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        output.line.clear();
        match event.metadata().target() {
            EXCHANGE => self.format.write_exchange(event, &mut output.line),
            NOTE if self.format == Format::Json => self.format.write_exchange(event, &mut output.line),
            NOTE => {}
            _ => self.format.write_other(event, &mut output.line),
        }
        if !output.line.is_empty() {
            output.write_line();
        }
    }
}
