//! Search by a net with a score head: leaves are evaluated by the net, without playouts.
//!
//! Files from the bottom up: `utility` is the maximised quantity; `stats`, `bias` and `graph` hold values; `ending_bonus`
//! keeps finished games short, `select` follows moves by PUCT, `choice` ranks the root's moves, `owners` sums
//! ownership; `report` and `result` present them; `evaluator` runs the net; `context` is the shared state of the threads,
//! `worker` runs one thread, `searcher` the whole search.

mod bias;
mod choice;
mod context;
mod ending_bonus;
mod evaluator;
mod graph;
mod owners;
mod report;
mod result;
mod searcher;
mod select;
mod stats;
#[cfg(test)]
mod tests;
mod utility;
mod worker;

pub(super) use searcher::NetSearcher;
