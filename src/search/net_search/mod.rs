//! Search by a net with a score head: Monte-Carlo graph search (MCGS) with selection by PUCT. The net evaluates the leaves,
//! without playouts.
//!
//! Files from the bottom up: `utility` is the maximised quantity; `stats`, `bias` and `graph` hold values;
//! `root_ending_bonus` keeps finished games short, `select` follows moves by PUCT, `play_selection` ranks the root's moves,
//! `tree_ownership` averages ownership; `report` and `result` present them; `evaluator` runs the net; `context` is the
//! shared state of the threads, `worker` runs one thread, `searcher` the whole search.

mod bias;
mod context;
mod evaluator;
mod graph;
mod play_selection;
mod report;
mod result;
mod root_ending_bonus;
mod searcher;
mod select;
mod stats;
#[cfg(test)]
mod tests;
mod tree_ownership;
mod utility;
mod worker;

pub(super) use searcher::NetSearcher;
