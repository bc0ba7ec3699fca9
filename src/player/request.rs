//! Input and output of a player: the position with limits, the mode of `genmove`, and the choice.

use crate::kernel::{Color, GameRule, Move, Position};
use crate::search::{Limits, Restrictions, StopSignal};

/// The answer of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// A move, which may be a pass.
    Move(Move),
    /// Resignation.
    Resign,
}

/// The mode of `genmove`, which decides about resignation and passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GenmoveMode {
    /// A move of a game.
    Game,
    /// A move of a game that was resumed because the players disagree about dead stones: no stone is dead by agreement.
    Cleanup,
    /// A suggestion: a move or a pass, never resignation.
    NoResign,
}

impl GenmoveMode {
    /// Whether dead stones are removed by agreement after the move, so that they need not be captured.
    pub(super) fn has_agreement(self, rule: &GameRule) -> bool {
        self != GenmoveMode::Cleanup && rule.has_agreement()
    }
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
    pub detailed_ownership: bool,
    /// The signal by which other threads stop the search, which checks it all the time.
    pub stop_signal: &'a StopSignal,
}

impl PlayerRequest<'_> {
    /// The restrictions of the request without the retaking of a ko, if the rules allow that at once because the player
    /// has not moved since the position was set: the engine does it only if the request allows no other move. `None` if
    /// there is no such ko, or no other move.
    pub(super) fn without_retake(&self) -> Option<Restrictions> {
        let PlayerRequest { position, color, restrictions, .. } = *self;
        let retake = position.board().ko_point_of(color).filter(|_| position.banned_ko().is_none())?;
        let mut restrictions = restrictions.cloned().unwrap_or_default();
        restrictions.avoid(color, [Move::Play(retake)], 1);
        PlayerRequest { restrictions: Some(&restrictions), ..*self }.first_admitted()?;
        Some(restrictions)
    }

    /// A move that the restrictions of the request allow, for a search that found none: a search by playouts fills no eye
    /// of one point. `None` without restrictions.
    pub(super) fn first_admitted(&self) -> Option<Move> {
        let PlayerRequest { position, color, .. } = *self;
        let restrictions = self.restrictions?;
        let points = position.board().coordinate().points().filter(|&point| position.check(color, point).is_ok());
        [Move::Pass].into_iter().chain(points.map(Move::Play)).find(|&play| restrictions.admits(color, play, 0))
    }
}
