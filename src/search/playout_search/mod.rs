//! The search by playouts: UCT with RAVE, and PUCT at nodes that a net has evaluated.
//!
//! Files from the bottom up: `priors`, `node` and `tree` hold values; `evaluator` connects the tree to the net; `root`
//! is the starting position and the reuse of an earlier tree; `ownership_stats` and `stats` count what playouts
//! show beside the tree; `context` is the state that threads share; `select` chooses a child; `worker` runs one thread,
//! `searcher` the whole search.

mod context;
mod evaluator;
mod node;
mod ownership_stats;
mod priors;
mod root;
mod searcher;
mod select;
mod stats;
mod tree;
mod worker;

pub(super) use searcher::PlayoutSearcher;
