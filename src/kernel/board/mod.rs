//! The board: stones, their rens, and the simple ko. The only code that decides which plays the board itself allows.
//!
//! Positions and playouts use the same [`Board`]. It keeps no history but the ko ban of the last move: superko,
//! prisoners and undo belong to [`Position`](crate::kernel::Position), counting to [`score`](crate::kernel::score()).
//!
//! Rens are updated incrementally. The stones of a ren form a ring (a circular linked list); one of them is the head,
//! and size and liberties are stored there. An empty point is stored as a ren of its own, so that its liberties are the
//! empty points next to it. Liberties are pseudo-liberties: an empty point counts once for each stone of the ren that
//! it touches. For each ren the board keeps their count n, the sum Σp of their indices and the sum of squares Σp². An
//! update costs one addition for each neighbour; n = 0 means no liberty; and by Cauchy's inequality n · Σp² = (Σp)²
//! exactly if all pseudo-liberties are the same point, that is, if the ren is in atari.
//!
//! The code that playouts run at every move avoids data-dependent branches, because a misprediction costs as much as
//! dozens of additions. It adds values in place of branching on conditions, and rare cases have functions of their own.
//!
//! Files, from the bottom: `packed` (the words stored for each point), `stones` (the fields, their accessors and the
//! rings), then `setup` (construction from stones), `play` (legality, moves and captures) and `tactical_queries`
//! (read-only queries for playouts and the net's features).

mod packed;
mod play;
mod setup;
mod stones;
mod tactical_queries;

pub use crate::kernel::board::setup::SetupError;
pub use crate::kernel::board::stones::Board;
pub use crate::kernel::board::stones::Ko;
pub use crate::kernel::board::stones::Observer;
pub use crate::kernel::board::tactical_queries::LibertyClass;
pub use crate::kernel::board::tactical_queries::PlacementInfo;
