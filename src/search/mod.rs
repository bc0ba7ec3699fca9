//! Two Monte-Carlo tree searches: by playouts (UCT with RAVE, and PUCT at nodes that a net has evaluated), and in
//! `net_search` by a net with a score head (PUCT with KataGo's methods).
//!
//! Files from the bottom up: `sync` has the atomics and locks; [`params`], `restrictions`, `limits` and `stop_signal`
//! configure a search; `priors`, `node`, `tree`, `owner_stats` and `stats` hold values; `eval_cache` and `evaluator`
//! connect it to the net; `request`, `symmetric_moves`, `details`, `result` and `progress` are its input and output;
//! `root` is its starting position and tree reuse; `tax` computes the taxes at the end of a playout; `context` is the
//! state that threads share; `select` chooses a child, `worker` runs one thread, `searcher` runs the whole search.
//!
//! The search depends on `kernel`, `net` and `playout` only: not on GTP, clock settings or logs. Its win probabilities
//! are those of the side to move.

pub(crate) mod context;
pub(crate) mod details;
pub(crate) mod eval_cache;
pub(crate) mod evaluator;
pub(crate) mod limits;
mod net_search;
pub(crate) mod node;
mod owner_stats;
pub mod params;
pub(crate) mod priors;
pub(crate) mod progress;
pub(crate) mod request;
pub(crate) mod restrictions;
pub(crate) mod result;
pub(crate) mod root;
pub(crate) mod searcher;
pub(crate) mod select;
pub(crate) mod stats;
pub(crate) mod stop_signal;
mod symmetric_moves;
pub(crate) mod sync;
mod tax;
#[cfg(test)]
mod tests;
pub(crate) mod tree;
pub(crate) mod worker;

pub use details::{AnalysisOptions, MoveDetails, RootDetails};
pub use limits::{Limits, TimeBudget};
pub use owner_stats::Owners;
pub use progress::ProgressSink;
pub use request::SearchRequest;
pub use restrictions::Restrictions;
pub use result::{Candidate, SearchResult};
pub use root::fingerprint;
pub use searcher::Searcher;
pub use stats::Lead;
pub use stop_signal::StopSignal;
pub use symmetric_moves::SymmetricMoves;

#[cfg(test)]
pub(crate) use tests::search_result_of;
