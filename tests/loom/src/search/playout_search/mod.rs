//! The files of the search by playouts, and the models of what its threads share.

pub(crate) mod models;
#[allow(dead_code)]
#[path = "../../../../../src/search/playout_search/node.rs"]
mod node;
pub(crate) mod priors;
#[allow(dead_code)]
#[path = "../../../../../src/search/playout_search/tree.rs"]
mod tree;
