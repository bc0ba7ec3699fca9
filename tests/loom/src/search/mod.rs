//! The search's files that share state among threads, compiled with loom's atomics.

#[allow(dead_code)]
#[path = "../../../../src/search/eval_cache.rs"]
mod eval_cache;
pub(crate) mod playout_search;
#[allow(dead_code)]
#[path = "../../../../src/search/stop_signal.rs"]
mod stop_signal;
pub(crate) mod sync;
