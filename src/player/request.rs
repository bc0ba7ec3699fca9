//! Input and output of a player: the position with limits, the mode of `genmove`, and the choice.

use crate::kernel::{Color, Move, Position};
use crate::search::{Limits, Restrictions, StopSignal};

/// The answer of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// A move, which may be a pass.
    Move(Move),
    /// Resignation.
    Resign,
}

/// The purpose of a move, which decides about resignation and passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GenmoveMode {
    /// A move of a game.
    Game,
    /// A move of a game that was resumed because the players disagree about dead stones: no stone is dead by agreement.
    Cleanup,
    /// A suggestion: a move or a pass, never resignation.
    NoResign,
}

/// A position for a player, and how to search it.
#[derive(Clone, Copy)]
pub struct PlayerRequest<'a> {
    /// The position.
    pub position: &'a Position,
    /// The player whose move is searched; may differ from the side to move.
    pub color: Color,
    /// Limits at which the search ends.
    pub limits: Limits,
    /// Moves excluded near the root.
    pub restrictions: Option<&'a Restrictions>,
    /// Whether the search reports owners after each move and their deviation, as an analysis may ask.
    pub ownership: bool,
    /// Ends the search at once.
    pub stop_signal: &'a StopSignal,
}
