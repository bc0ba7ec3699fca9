//! Search by a net with a score head: a visit is an evaluation.
//!
//! Files from the bottom up: `utility` is what the search maximises; `stats`, `bias` and `graph` hold values; `select`
//! follows moves by PUCT, `ending_bonus` keeps finished games short, `choice` ranks the root's moves, `owners` sums
//! ownership; `report` and `result` present them; `evaluator` asks the net; `context` is what threads share, `worker` runs
//! one thread, `searcher` the whole search.

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
