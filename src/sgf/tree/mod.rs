//! A game with all its variations: nodes with their properties, as they are in the file.
//!
//! A tree keeps the order of variations and properties, and every value as written, of unknown properties too. It is
//! read from the first game of a file, can be changed, and is written back. Nodes stand in one list, so that no
//! operation recurses, however deep the tree is.
//!
//! [`GameTree::record_of_path`] is the way to a position: it gives the nodes from the root to one of them as a
//! [`GameRecord`](crate::sgf::GameRecord), which [`position_of`](crate::sgf::position_of) plays. A tree checks no
//! points and no moves itself.
//!
//! # Examples
//! ```
//! use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
//! use kifuwarabe_uec14::sgf::{self, GameTree};
//!
//! let mut tree = GameTree::read(b"(;SZ[9]KM[7];B[ee](;W[cc]C[solid])(;W[gc]N[wide]))")?;
//! let first = tree.children(tree.root()).first().copied().ok_or("no move")?;
//! let &[solid, wide] = tree.children(first) else { return Err("two answers".into()) };
//! assert_eq!((tree.text(solid, "C").as_deref(), tree.text(wide, "C")), (Some("solid"), None));
//!
//! let empty = Position::new(tree.coordinate(), GameRule::with_komi(6.5), 0, Color::Black);
//! let position = sgf::position_of(&tree.record_of_path(wide)?, &empty, None)?;
//! assert_eq!((position.record().len(), position.to_move()), (2, Color::Black));
//!
//! tree.promote(wide);
//! assert_eq!(tree.main_line().last(), Some(&wide));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files, from the bottom: `node` (the fields and their accessors); then `edit`, `read` and `write`, which do not use
//! one another.

mod edit;
mod node;
mod read;
mod write;

pub use crate::sgf::tree::node::GameTree;
pub use crate::sgf::tree::node::NodeId;
