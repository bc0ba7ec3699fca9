//! A game in progress: the board, its record, its ren database and the rules agreed on.
//!
//! The [`Board`](crate::kernel::Board) decides what may be played on the stones alone. [`Position`] adds the rules that need
//! memory: ko bans that depend on who has moved, superko, prisoners, and undo.
//!
//! Files, from the bottom: `errors`; `state` (the fields, set-up and accessors); `moves` (legality, play, pass, undo);
//! `edit` (changes by hand, and replaying the game).

mod edit;
mod errors;
mod moves;
mod state;

pub use crate::kernel::position::errors::CannotUndo;
pub use crate::kernel::position::errors::HandicapError;
pub use crate::kernel::position::errors::NoRen;
pub use crate::kernel::position::state::Position;
