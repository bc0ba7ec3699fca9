//! Waiting positions by priority, with a bound, and running ones.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::analysis::fields::FieldMessage;
use crate::analysis::query::{JobFilter, Query};
use crate::search::StopSignal;

/// One position to search.
#[derive(Clone)]
pub(super) struct Job {
    /// Arrival number.
    number: u64,
    pub(super) query: Arc<Query>,
    /// The number of moves before the position.
    pub(super) turn: usize,
    /// Stops the search.
    pub(super) stop_signal: Arc<StopSignal>,
    /// This position's part of the bytes of the query's line.
    size: usize,
}

/// The limits of waiting queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueLimits {
    /// Positions.
    pub positions: usize,
    /// Bytes of the lines that asked for them.
    pub bytes: usize,
}

impl Default for QueueLimits {
    /// 65,536 positions and 128 MiB.
    fn default() -> QueueLimits {
        QueueLimits { positions: 1 << 16, bytes: 1 << 27 }
    }
}

/// The jobs, shared by all threads under one lock.
pub(super) struct Queue {
    limits: QueueLimits,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// By priority, highest first, then by arrival.
    waiting: BTreeMap<(Reverse<i64>, u64), Job>,
    /// The sum of [`Job::size`] over the waiting ones.
    bytes: usize,
    running: Vec<Job>,
    /// The number of jobs that arrived.
    count: u64,
    /// Whether no more jobs are taken.
    is_closed: bool,
}

impl Queue {
    /// An empty queue.
    pub(super) fn new(limits: QueueLimits) -> Queue {
        Queue { limits, state: Mutex::default(), changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the positions of a query: all of them, or none if too many would wait. A closed queue, whose responses
    /// no one reads, drops them.
    ///
    /// # Errors
    /// The bound that they would exceed.
    pub(super) fn put(&self, query: Query) -> Result<(), FieldMessage> {
        let query = Arc::new(query);
        let mut state = self.state();
        if state.is_closed {
            return Ok(());
        }
        let size = query.size.div_ceil(query.turns.len().max(1));
        let checks = [
            ("positions", state.waiting.len(), query.turns.len(), self.limits.positions),
            ("bytes of queries", state.bytes, size * query.turns.len(), self.limits.bytes),
        ];
        for (what, waiting, more, limit) in checks {
            if waiting.saturating_add(more) > limit {
                let text =
                    format!("queue full: {waiting} {what} waiting, {more} more requested, at most {limit} allowed");
                return Err(FieldMessage::new("analyzeTurns", text));
            }
        }
        state.bytes += size * query.turns.len();
        for &(turn, priority) in &query.turns {
            state.count += 1;
            let number = state.count;
            let stop_signal = Arc::new(StopSignal::with_timeout(query.settings.max_time()));
            let job = Job { number, query: query.clone(), turn, stop_signal, size };
            state.waiting.insert((Reverse(priority), number), job);
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for the next job; `None` once the queue is closed and empty.
    pub(super) fn next(&self) -> Option<Job> {
        let mut state = self.state();
        loop {
            if let Some((_, job)) = state.waiting.pop_first() {
                state.bytes -= job.size;
                state.running.push(job.clone());
                return Some(job);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Removes a finished job from the running ones.
    pub(super) fn finish(&self, job: &Job) {
        self.state().running.retain(|running| running.number != job.number);
    }

    /// Removes and returns the waiting jobs that `filter` selects, and stops the running ones that it selects.
    pub(super) fn terminate(&self, filter: &JobFilter) -> Vec<Job> {
        self.state().terminate(filter)
    }

    /// Closes the queue; waiting jobs are still served.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// Closes the queue, drops waiting jobs and stops running ones, in one step: a job that arrived in between would run
    /// without end.
    pub(super) fn stop(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.terminate(&JobFilter { id: None, turns: None });
        drop(state);
        self.changed.notify_all();
    }
}

impl State {
    fn terminate(&mut self, filter: &JobFilter) -> Vec<Job> {
        let is_selected = |job: &Job| filter.includes(&job.query.id, job.turn);
        for job in self.running.iter().filter(|job| is_selected(job)) {
            job.stop_signal.flag().store(true, Ordering::Relaxed);
        }
        let removed: Vec<Job> = self.waiting.extract_if(.., |_, job| is_selected(job)).map(|(_, job)| job).collect();
        self.bytes -= removed.iter().map(|job| job.size).sum::<usize>();
        removed
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;
    use crate::analysis::query::{Defaults, QueryAction, read};
    use crate::analysis::settings::Settings;
    use crate::player::Options;

    fn query(id: &str) -> Query {
        let object = json!({ "id": id, "moves": [], "rules": "chinese", "boardXSize": 5, "boardYSize": 5 });
        let defaults = Defaults { settings: Settings::new(Options::default()), net: None };
        match read(id, object.as_object().unwrap(), 80, defaults) {
            Ok(QueryAction::Search(query, _)) => *query,
            _ => unreachable!("a query"),
        }
    }

    #[test]
    fn a_stopped_queue_takes_no_more_jobs() {
        let queue = Queue::new(QueueLimits::default());
        queue.put(query("a")).unwrap();
        queue.put(query("b")).unwrap();
        let running = queue.next().unwrap();
        queue.stop();
        assert!(running.stop_signal.is_flag_set(), "it runs, and is stopped");
        // the main thread may still add queries before it notices that the output is closed
        queue.put(query("c")).unwrap();
        assert!(queue.next().is_none() && queue.state().bytes == 0);
    }

    #[test]
    fn a_closed_queue_serves_what_waits() {
        let queue = Queue::new(QueueLimits::default());
        queue.put(query("a")).unwrap();
        queue.close();
        assert!(queue.next().is_some() && queue.next().is_none());
    }
}
