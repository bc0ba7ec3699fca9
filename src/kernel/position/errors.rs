//! The errors of a position.

use std::fmt;

use crate::kernel::board::SetupError;

/// Reason for which handicap stones cannot be placed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HandicapError {
    /// There are stones on the board.
    NotEmpty,
    /// The stones do not form a position.
    Setup(SetupError),
}

impl fmt::Display for HandicapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HandicapError::NotEmpty => f.write_str("board not empty"),
            HandicapError::Setup(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for HandicapError {}

/// There is no move to undo.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NothingToUndoError;

impl fmt::Display for NothingToUndoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot undo")
    }
}

impl std::error::Error for NothingToUndoError {}

/// There is no stone on the point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoStoneError;

impl fmt::Display for NoStoneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no ren of stones")
    }
}

impl std::error::Error for NoStoneError {}

/// A ren database is for boards of another size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WrongSizeError;

impl fmt::Display for WrongSizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("another board size")
    }
}

impl std::error::Error for WrongSizeError {}
