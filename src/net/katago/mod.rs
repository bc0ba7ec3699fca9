//! Nets of KataGo: policy, win, score, lead and ownership of a position.

mod area;
mod chains;
pub mod features;
pub mod game;
mod keys;
mod ladder;

use crate::net::error::NetError;
use crate::net::katago::features::Features;
use crate::net::simd::InstructionSet;
use crate::net::symmetry::Symmetry;

/// Whether the bytes are a file of KataGo's: compressed by gzip, which no other format here is.
pub(super) fn is_katago(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// The net's output for a position, from the perspective of the side to move.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Output {
    /// Policy: a probability for each move, row by row from the top left, then the pass; 0 for illegal moves, sum 1.
    pub policy: Vec<f32>,
    /// Probability of a win, a draw counted as half of one.
    pub win: f32,
    /// Probability of a loss.
    pub loss: f32,
    /// Probability of a game without result (a long ko cycle).
    pub no_result: f32,
    /// Mean of the final score in self-play, in points, komi counted.
    pub score_mean: f32,
    /// Standard deviation of the final score in self-play, in points.
    pub score_stdev: f32,
    /// Lead in points: the komi change that would make the game even.
    pub lead: f32,
    /// Expected error of the win value against the value some moves later, from 0 to 2; `None` where the net has none.
    pub win_error: Option<f32>,
    /// Expected error of the score in points, some moves later; `None` where the net has none.
    pub score_error: Option<f32>,
    /// Owner of each point: 1 is the side to move's, -1 the opponent's.
    pub ownership: Vec<f32>,
}

/// A net of KataGo, loaded and prepared for one instruction set.
#[derive(Debug)]
pub struct KatagoNet {
    name: String,
}

/// Reusable buffers of one thread.
#[derive(Debug, Default)]
pub struct Scratch {}

impl KatagoNet {
    /// Loads a net from the bytes of a `.bin.gz` or `.txt.gz` file.
    ///
    /// # Errors
    /// The first defect of the file.
    pub fn read(_bytes: &[u8], _set: InstructionSet) -> Result<KatagoNet, NetError> {
        Err(NetError("not yet".to_owned()))
    }

    /// The name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Evaluates a batch of positions of one board size, in order. Each position is transformed by its symmetry first;
    /// the output is transformed back.
    pub fn evaluate(&self, _positions: &[(&Features, Symmetry)], _scratch: &mut Scratch) -> Vec<Output> {
        Vec::new()
    }
}
