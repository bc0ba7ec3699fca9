//! The worker threads of a search.

use std::sync::Once;
use std::thread;

/// Runs the workers of a search until all have ended: `first` on the calling thread, each of `others` on a thread of its
/// own. A thread that cannot be started is left out. A panic in another thread is dropped: it has stopped the workers, and
/// its counts stay valid. The first search of the process in which not all threads ran to their end causes a warning.
pub(super) fn run_workers<'env, W>(first: impl FnOnce(), others: impl Iterator<Item = W>)
where
    W: FnOnce() + Send + 'env,
{
    static WARNING: Once = Once::new();
    let (ended, wanted) = run_and_count(first, others);
    if ended < wanted {
        WARNING.call_once(|| {
            tracing::warn!("{ended} of {wanted} threads searched: the others could not be started or have panicked");
        });
    }
}

/// Runs the workers; gives the number of those that ended without a panic, and of all.
fn run_and_count<'env, W>(first: impl FnOnce(), others: impl Iterator<Item = W>) -> (usize, usize)
where
    W: FnOnce() + Send + 'env,
{
    thread::scope(|scope: &thread::Scope<'_, 'env>| {
        let others: Vec<_> = others.map(|worker| thread::Builder::new().spawn_scoped(scope, worker)).collect();
        first();
        let wanted = 1 + others.len();
        let ended = others.into_iter().flatten().filter_map(|other| other.join().ok()).count();
        (1 + ended, wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_that_panic_are_counted() {
        let worker = |number: usize| move || assert!(number != 1, "worker {number}");
        assert_eq!(run_and_count(|| {}, (0..3).map(worker)), (3, 4));
        assert_eq!(run_and_count(|| {}, (2..4).map(worker)), (3, 3));
    }
}
