//! Progress reports of a running search: a callback, called at a fixed interval on the thread that started the search.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::search::result::SearchResult;

/// Receives the results so far. The default receives nothing.
#[derive(Default)]
pub struct ProgressSink<'a> {
    listener: Option<Listener<'a>>,
}

struct Listener<'a> {
    interval: Duration,
    /// Time at which the next report is due, since the beginning of the search.
    due: Duration,
    on_progress: &'a mut dyn FnMut(&SearchResult) -> ControlFlow<()>,
}

impl<'a> ProgressSink<'a> {
    /// Calls `on_progress` once per interval; a break stops the search.
    pub fn new(
        interval: Duration,
        on_progress: &'a mut dyn FnMut(&SearchResult) -> ControlFlow<()>,
    ) -> ProgressSink<'a> {
        ProgressSink { listener: Some(Listener { interval, due: interval, on_progress }) }
    }

    /// Sets the time of the first report, since the beginning of the search.
    pub fn with_first_report_after(mut self, first: Duration) -> ProgressSink<'a> {
        if let Some(listener) = &mut self.listener {
            listener.due = first;
        }
        self
    }

    /// The same sink for one of several searches, whose reports are timed from its own beginning.
    pub(crate) fn reborrow(&mut self) -> ProgressSink<'_> {
        let listener = self.listener.as_mut().map(|listener| Listener {
            interval: listener.interval,
            due: listener.due,
            on_progress: &mut *listener.on_progress,
        });
        ProgressSink { listener }
    }

    /// Calls the callback if a report is due; `begin` is when the search began.
    pub(super) fn report_if_due(&mut self, begin: Instant, result: impl FnOnce() -> SearchResult) -> ControlFlow<()> {
        let Some(Listener { interval, due, on_progress }) = &mut self.listener else {
            return ControlFlow::Continue(());
        };
        let elapsed = begin.elapsed();
        if elapsed < *due {
            return ControlFlow::Continue(());
        }
        // a late report does not bring the next one forward
        *due = elapsed.saturating_add(*interval);
        on_progress(&result())
    }
}
