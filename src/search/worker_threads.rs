//! The worker threads of a search.

use std::thread;

/// Runs the workers of a search until all have ended: `first` on the calling thread, each of `others` on a thread of its
/// own. A thread that cannot be started is left out. A panic in another thread is dropped: it has stopped the workers, and
/// its counts stay valid.
pub(super) fn run_workers<'env, W>(first: impl FnOnce(), others: impl Iterator<Item = W>)
where
    W: FnOnce() + Send + 'env,
{
    thread::scope(|scope: &thread::Scope<'_, 'env>| {
        let others: Vec<_> =
            others.map(|worker| thread::Builder::new().spawn_scoped(scope, worker)).filter_map(Result::ok).collect();
        first();
        others.into_iter().for_each(|other| drop(other.join()));
    });
}
