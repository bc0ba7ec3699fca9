//! The search by playouts: UCT with RAVE, and PUCT at nodes that a net has evaluated.
//!
//! Files from the bottom up: `priors`, `node` and `tree` hold values; `evaluator` connects the tree to the net; `root`
//! is the starting position and the reuse of an earlier tree; `context` is the state that threads share; `select`
//! chooses a child; `worker` runs one thread.

pub(super) mod context;
pub(super) mod evaluator;
pub(super) mod node;
pub(super) mod priors;
pub(super) mod root;
mod select;
pub(super) mod tree;
pub(super) mod worker;
