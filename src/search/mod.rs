//! The tree search.

pub mod eval_cache;
pub mod evaluator;
pub mod limits;
pub mod params;
pub mod priors;
pub mod progress;
pub mod restrictions;
pub mod searcher;
pub mod stats;
pub mod stop_signal;
pub mod tree;
mod worker;

pub use limits::{Limits, RootRanking, TimeBudget, should_stop};
pub use progress::ProgressSink;
pub use restrictions::Restrictions;
pub use searcher::{Candidate, SearchRequest, SearchResult, Searcher, fingerprint};
pub use stats::Lead;
pub use stop_signal::StopSignal;

/// What so many playouts find of a position, without a net.
#[cfg(test)]
pub(crate) fn search_result_of(position: &crate::kernel::Position, playouts: u64) -> SearchResult {
    Searcher::new(16 << 20, 1).search(&SearchRequest {
        position,
        color: position.to_move(),
        limits: Limits::playouts(playouts),
        threads: 1,
        params: &params::Params::default(),
        extra_komi: 0.0,
        restrictions: None,
        net: None,
        stop_signal: &StopSignal::default(),
    })
}
