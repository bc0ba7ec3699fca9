//! The control of one search, which its threads share: times, the flag that ends all threads, and who ended the search.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::search::limits::RootRanking;
use crate::search::progress::ProgressSink;
use crate::search::request::{SearchRequest, StopReason};
use crate::search::result::SearchResult;

/// Times and end of one search.
pub(super) struct SearchControl {
    begin: Instant,
    /// See [`SearchResult::setup_time`].
    pub(super) setup_time: Duration,
    /// Stops every thread.
    pub(super) stop: AtomicBool,
    /// Whether the stop signal ended the search.
    is_interrupted: AtomicBool,
}

impl SearchControl {
    /// The control of a search that began at `begin` and is set up now.
    pub(super) fn new(begin: Instant) -> SearchControl {
        SearchControl {
            begin,
            setup_time: begin.elapsed(),
            stop: AtomicBool::new(false),
            is_interrupted: AtomicBool::new(false),
        }
    }

    /// Time since the beginning.
    pub(super) fn elapsed(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Whether the stop signal or the time ends the search. `ranking` as in [`SearchRequest::stop_reason`].
    pub(super) fn should_stop(
        &self,
        request: &SearchRequest<'_>,
        ranking: impl FnOnce() -> Option<(RootRanking, u64)>,
    ) -> bool {
        let reason = request.stop_reason(self.elapsed(), self.setup_time, ranking);
        if reason == Some(StopReason::Signal) {
            self.is_interrupted.store(true, Ordering::Relaxed);
        }
        reason.is_some()
    }

    /// Whether the search was not ended by the stop signal.
    pub(super) fn is_completed(&self) -> bool {
        !self.is_interrupted.load(Ordering::Relaxed)
    }

    /// Reports progress if a report is due; a break stops the search.
    pub(super) fn report(
        &self,
        progress: &mut ProgressSink<'_>,
        result: impl FnOnce() -> SearchResult,
    ) -> ControlFlow<()> {
        progress.report_if_due(self.begin, result)
    }
}
