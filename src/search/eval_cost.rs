//! The cost of a search's net evaluations.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// Cost of a search's net evaluations, over all threads.
#[derive(Debug, Default)]
pub(super) struct EvalCost {
    evaluations: AtomicU64,
    batches: AtomicU64,
    nanoseconds: AtomicU64,
}

impl EvalCost {
    /// Adds a batch of evaluations and the time of one thread that they took.
    pub(super) fn add(&self, evaluations: usize, time: Duration) {
        self.evaluations.fetch_add(evaluations as u64, Relaxed);
        self.batches.fetch_add(u64::from(evaluations > 0), Relaxed);
        self.nanoseconds.fetch_add(time.as_nanos() as u64, Relaxed);
    }

    /// Positions evaluated.
    pub(super) fn evaluations(&self) -> u64 {
        self.evaluations.load(Relaxed)
    }

    /// Batches in which they were evaluated.
    pub(super) fn batches(&self) -> u64 {
        self.batches.load(Relaxed)
    }

    /// Time spent in the net, summed over threads.
    pub(super) fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Relaxed))
    }
}
