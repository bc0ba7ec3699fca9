//! Two Monte-Carlo tree searches: in `playout_search` by playouts (UCT with RAVE, and PUCT at nodes that a net has
//! evaluated), and in `net_search` by a net with a score head (PUCT with KataGo's methods).
//!
//! Both share the files of this folder, from the bottom up: `sync` has the atomics and locks; [`params`],
//! `restrictions`, `limits` and `stop_signal` configure a search; `eval_cache` and `eval_cost` belong to the net's
//! evaluations; `tax` computes the taxes at the end of a playout; `request`, `symmetric_moves`, `details`, `result` and
//! `progress` are input and output; `root` decides whether a tree is reused; `control` ends a search, `worker_threads`
//! runs its threads; `searcher` passes each search to one of the two.
//!
//! The search depends on `kernel`, `net` and `playout` only: not on GTP, clock settings or logs. In results, win
//! probabilities are those of the side to move at the root, leads, scores and ownership are Black's. In `net_search`
//! the statistics of nodes (`Stats`, `OutcomeValue`) are Black's, and selection works with utilities of the side to
//! move; in `playout_search` the values of a node are of the player who made its move.

mod control;
pub(crate) mod details;
pub(crate) mod eval_cache;
mod eval_cost;
pub(crate) mod limits;
mod net_search;
pub mod params;
mod playout_search;
pub(crate) mod progress;
pub(crate) mod random;
pub(crate) mod request;
pub(crate) mod restrictions;
pub(crate) mod result;
pub(crate) mod root;
pub(crate) mod searcher;
pub(crate) mod stop_signal;
mod symmetric_moves;
pub(crate) mod sync;
mod tax;
#[cfg(test)]
mod tests;
mod worker_threads;

pub use details::{Lead, MoveDetails, Ownership, RootDetails};
pub use limits::{Limits, TimeBudget};
pub use progress::ProgressSink;
pub use request::SearchRequest;
pub use restrictions::Restrictions;
pub use result::{Candidate, SearchResult};
pub use root::history_hash;
pub use searcher::Searcher;
pub use stop_signal::StopSignal;
pub use symmetric_moves::SymmetricMoves;

#[cfg(test)]
pub(crate) use tests::search_result_of;
