//! All logs as one layer on the program's `tracing` events.

use tracing::{Event, Subscriber};
use tracing_subscriber::{Layer, layer::Context};

use super::{record::Record, sink::Sink};

/// Writes each event to every log.
pub(super) struct LogLayer {
    pub(super) sinks: Vec<Sink>,
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let record = Record::new(event);
        for sink in &self.sinks {
            sink.write(&record);
        }
    }
}
