//! A game as far as the features of a KataGo net depend on it, followed move by move.

use crate::kernel::{Color, Move, Point, Position};
use crate::net::katago::features::Features;

/// A game in progress, cheap to clone: boards now and before the last two moves, recent moves, repetitions.
#[derive(Clone)]
pub struct Game {
    to_move: Color,
}

impl Game {
    /// The state of a position, with `color` to move.
    pub fn new(_position: &Position, color: Color) -> Game {
        Game { to_move: color }
    }

    /// The side to move.
    pub fn to_move(&self) -> Color {
        self.to_move
    }

    /// Whether the side to move may play on a point under the game's rules, superko included.
    pub fn is_legal(&self, _point: Point) -> bool {
        true
    }

    /// Plays a legal move of the side to move.
    pub fn play(&mut self, _play: Move) {
        self.to_move = self.to_move.opponent();
    }

    pub fn hash(&self) -> u64 {
        0
    }
    pub fn passes(&self) -> u32 {
        0
    }
    pub fn board(&self) -> &crate::kernel::Board {
        unimplemented!()
    }
    pub fn last_move(&self) -> Option<Move> {
        None
    }
    pub fn white_minus_black_if_over(&self) -> Option<f64> {
        None
    }

    /// The features of the position.
    pub fn features(&self) -> Features {
        Features::default()
    }
}
