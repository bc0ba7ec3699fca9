//! The files of the search by playouts.

#[allow(dead_code)]
#[path = "../../../../../src/search/playout_search/node.rs"]
pub(crate) mod node;
pub(crate) mod priors;
#[allow(dead_code)]
#[path = "../../../../../src/search/playout_search/tree.rs"]
pub(crate) mod tree;
