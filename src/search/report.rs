//! Hearing what a search has found so far, while it goes on.

use std::ops::ControlFlow;
use std::time::Duration;

use super::searcher::Thought;

/// Who hears what was found so far, and how often. The default is nobody.
#[derive(Default)]
pub struct Reports<'a> {
    listener: Option<Listener<'a>>,
}

struct Listener<'a> {
    every: Duration,
    /// When the next report is due, from the beginning of the search.
    due: Duration,
    hear: &'a mut dyn FnMut(&Thought) -> ControlFlow<()>,
}

impl<'a> Reports<'a> {
    /// Reports to `hear`, on the thread that asked for the search, every so often. It stops the search by a break.
    pub fn new(every: Duration, hear: &'a mut dyn FnMut(&Thought) -> ControlFlow<()>) -> Reports<'a> {
        Reports { listener: Some(Listener { every, due: every, hear }) }
    }

    /// Makes a report if one is due after so long.
    pub(super) fn give(&mut self, elapsed: Duration, thought: impl FnOnce() -> Thought) -> ControlFlow<()> {
        let Some(Listener { every, due, hear }) = &mut self.listener else { return ControlFlow::Continue(()) };
        if elapsed < *due {
            return ControlFlow::Continue(());
        }
        // one that was late makes the next one no earlier
        *due = elapsed.saturating_add(*every);
        hear(&thought())
    }
}
