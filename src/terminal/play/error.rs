//! Reasons for refusing an action of the person.

use std::fmt;

use crate::kernel::IllegalMove;

/// Reason for refusing an action. The display form is a message for the person.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PlayError {
    /// The move is illegal.
    Illegal { vertex: String, reason: IllegalMove },
    /// The game is over.
    GameOver,
    /// The person has not moved yet.
    NothingToUndo,
    /// There was no `undo`, or a move after it.
    NothingToRedo,
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayError::Illegal { vertex, reason } => {
                write!(f, "{vertex} is illegal, {}", reason.described())
            }
            PlayError::GameOver => {
                f.write_str("the game is over: undo, score, review, save FILE, load FILE, new or quit")
            }
            PlayError::NothingToUndo => f.write_str("there is no move of yours to take back"),
            PlayError::NothingToRedo => f.write_str("there is no move that undo took back"),
        }
    }
}
