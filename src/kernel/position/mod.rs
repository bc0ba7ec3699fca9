//! A game in progress: the board, its record, its ren database and the rules agreed on.
//!
//! The [`Board`](crate::kernel::Board) checks moves against its stones and its ko. [`Position`] adds everything that
//! needs the history: ko bans that depend on the players who have moved, superko, prisoners, and undo.
//!
//! Files, from the bottom: `errors`; `state` (the fields, set-up and accessors); `moves` (legality, play, pass, undo);
//! `edit` (edits by hand, and the replay of the game).

mod edit;
mod errors;
mod moves;
mod state;

pub use crate::kernel::position::errors::HandicapError;
pub use crate::kernel::position::errors::NoStoneError;
pub use crate::kernel::position::errors::NothingToUndoError;
pub use crate::kernel::position::errors::WrongSizeError;
pub use crate::kernel::position::state::Position;
