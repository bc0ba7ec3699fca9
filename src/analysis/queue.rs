//! Searches to be made, those that matter most first, and those under way.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::analysis::query::{Query, Which};
use crate::search::StopSignal;

/// One position to be searched.
#[derive(Clone)]
pub(super) struct Job {
    /// In the order in which jobs came.
    number: u64,
    pub(super) query: Arc<Query>,
    /// Moves before the position.
    pub(super) turn: usize,
    /// Says when to end.
    pub(super) stop_signal: Arc<StopSignal>,
}

/// The jobs, shared by all who work.
#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// By how much they matter; of those that matter alike the earliest is the first.
    waiting: BTreeMap<(Reverse<i64>, u64), Job>,
    running: Vec<Job>,
    /// Jobs so far.
    count: u64,
    /// Whether no more will come.
    is_closed: bool,
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the positions of a query.
    pub(super) fn put(&self, query: Query) {
        let query = Arc::new(query);
        let mut state = self.state();
        for &(turn, priority) in &query.turns {
            state.count += 1;
            let number = state.count;
            let stop_signal = Arc::new(StopSignal::with_timeout(query.settings.longest()));
            state.waiting.insert((Reverse(priority), number), Job { number, query: query.clone(), turn, stop_signal });
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The job to do next, when there is one; `None` when there will be none any more.
    pub(super) fn next(&self) -> Option<Job> {
        let mut state = self.state();
        loop {
            if let Some((_, job)) = state.waiting.pop_first() {
                state.running.push(job.clone());
                return Some(job);
            }
            if state.is_closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A job has been done.
    pub(super) fn done(&self, job: &Job) {
        self.state().running.retain(|running| running.number != job.number);
    }

    /// Takes jobs away before they are begun, and has the others end; gives those that were not begun.
    pub(super) fn terminate(&self, which: &Which) -> Vec<Job> {
        let mut state = self.state();
        let is_meant = |job: &Job| which.names(&job.query.id, job.turn);
        for job in state.running.iter().filter(|job| is_meant(job)) {
            job.stop_signal.flag().store(true, Ordering::Relaxed);
        }
        state.waiting.extract_if(.., |_, job| is_meant(job)).map(|(_, job)| job).collect()
    }

    /// No more jobs will come; those that wait are done.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// No more jobs will come or be begun, and those under way end.
    pub(super) fn stop(&self) {
        self.terminate(&Which { id: None, turns: None });
        self.close();
    }
}
