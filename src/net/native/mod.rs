//! Nets in this project's own format: policy and win probability, in the second version also score and ownership.
//!
//! [`features`] encodes a position as input planes, [`NativeNet::evaluate`] runs the layers, `heads` the last of them.
//! The net is residual with global pooling (K. He and others, "Deep Residual Learning for Image Recognition", 2015;
//! D. J. Wu, "Accelerating Self-Play Learning in Go", 2019). The convolutions have the same weights at every point, and
//! the length of a pooled vector does not depend on the number of points, so one net evaluates every board size.

mod evaluation;
pub mod features;
mod heads;
mod weights;

use std::ops::RangeInclusive;

use crate::kernel::{Board, Color, Coordinate, Point, Symmetry};
use crate::net::convolution::{Accumulate, BoardLayout, Conv3x3, ConvScratch};
use crate::net::error::NetError;
use crate::net::gemm::padded;
use crate::net::history::BoardHistory;
use crate::net::komi::Komi;
use crate::net::layers::{AddToPoints, Linear, global_pool};
use crate::net::native::features::{Features, GLOBALS, PLANES_WITH_LADDERS, SCORE_GLOBALS};
use crate::net::native::heads::{Heads, linear};
use crate::net::native::weights::{Format, Weights};
use crate::net::precision::Precision;
use crate::net::simd::InstructionSet;

pub use crate::net::native::evaluation::{Evaluation, Score};

/// The sides from the smallest to the largest board of the training data. On other boards the policy for the pass is far
/// too high: its logit depends on pooled features only, whose scale depends on the board size.
const SUPPORTED_SIDES: RangeInclusive<u8> = 9..=19;

/// Whether the score and the pass policy of native nets are used on boards of this size.
pub fn is_supported_size(coordinate: Coordinate) -> bool {
    [coordinate.width(), coordinate.height()].iter().all(|side| SUPPORTED_SIDES.contains(side))
}

/// A native net, loaded and prepared for one instruction set.
#[derive(Debug)]
pub struct NativeNet {
    channels: usize,
    /// Input planes.
    planes: usize,
    stem: Conv3x3,
    stem_globals: Linear,
    blocks: Vec<Block>,
    heads: Heads,
}

/// A residual block: two convolutions, whose result is added to the block's input.
#[derive(Debug)]
struct Block {
    first: Conv3x3,
    /// Bias from global pooling, for every second block.
    pool_to_bias: Option<Linear>,
    second: Conv3x3,
}

/// Reusable buffers of one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The board and the channels of the net that used the buffers last.
    layout: Option<(BoardLayout, usize)>,
    planes: Vec<f32>,
    trunk: Vec<f32>,
    inner: Vec<f32>,
    conv: ConvScratch,
}

impl NativeNet {
    /// Loads a net from the bytes of a safetensors file. Convolutions of a net of the first format are always computed
    /// in `f32`.
    ///
    /// # Errors
    /// The first defect of the file, or weights so large that an evaluation overflows.
    pub fn read(bytes: &[u8], set: InstructionSet, precision: Precision) -> Result<NativeNet, NetError> {
        let weights = Weights::read(bytes)?;
        let channels = weights.channels;
        let globals = match weights.format {
            Format::PolicyAndValue => GLOBALS,
            Format::WithScore => SCORE_GLOBALS,
        };
        let convolution = |name: &str, inputs: usize| {
            let numbers = weights.get(&format!("{name}.weight"), &[channels, inputs, 3, 3])?;
            let bias = weights.get(&format!("{name}.bias"), &[channels])?;
            Ok(match weights.format {
                Format::PolicyAndValue => Conv3x3::new(set, &numbers, &bias, inputs),
                Format::WithScore => Conv3x3::with_precision(set, precision, &numbers, &bias, inputs),
            })
        };
        let block = |number: usize| {
            let has_pooling = number % 2 == 1;
            let pool_to_bias = || linear(&weights, set, &format!("block{number}.mix"), 2 * channels, channels);
            let pool_to_bias = has_pooling.then(pool_to_bias).transpose()?;
            let first = convolution(&format!("block{number}.conv1"), channels)?;
            Ok(Block { first, pool_to_bias, second: convolution(&format!("block{number}.conv2"), channels)? })
        };
        let net = NativeNet {
            channels,
            planes: weights.planes,
            stem: convolution("stem", weights.planes)?,
            stem_globals: linear(&weights, set, "stem_scalars", globals, channels)?,
            blocks: (0..weights.blocks).map(block).collect::<Result<_, NetError>>()?,
            heads: Heads::new(&weights, set)?,
        };
        match net.is_finite() {
            true => Ok(net),
            false => Err(NetError("the net gives infinite numbers, expected finite ones".to_owned())),
        }
    }

    /// Whether the output is finite for an empty board, and for one with every input set, which no weight of the first
    /// layer escapes.
    fn is_finite(&self) -> bool {
        let Some(coordinate) = Coordinate::square(*SUPPORTED_SIDES.start()) else { return false };
        let inputs = [Features::empty(coordinate), Features::full(coordinate)];
        let batch: Vec<_> = inputs.iter().map(|features| (features, Symmetry::default())).collect();
        self.run(&batch, &mut Scratch::default()).iter().all(Evaluation::is_finite)
    }

    /// Whether evaluations have a [`Score`].
    pub fn has_score(&self) -> bool {
        self.heads.has_score()
    }

    /// The input of the position after a history.
    pub fn features_of(&self, history: &BoardHistory) -> Features {
        Features::of_history(history, self.planes)
    }

    /// The input of a board with `color` to move, as playouts have it. `moves` are the previous moves, newest first,
    /// `None` for a pass.
    pub fn features(
        &self,
        board: &Board,
        color: Color,
        moves: impl Iterator<Item = Option<Point>>,
        komi: impl Into<Komi>,
    ) -> Features {
        Features::new(board, color, moves, komi).with_planes(board, color, self.planes)
    }

    /// Evaluates a batch of positions of one board size, in order. Each position is transformed by its symmetry first;
    /// policy and ownership are transformed back. Positions of another size than the first one are left out of the
    /// result. An evaluation with a number that is not finite is replaced by that of an even game with a uniform policy.
    pub fn evaluate(&self, positions: &[(&Features, Symmetry)], scratch: &mut Scratch) -> Vec<Evaluation> {
        self.run(positions, scratch).into_iter().map(Evaluation::finite_or_even).collect()
    }

    /// The numbers of the heads, finite or not.
    fn run(&self, positions: &[(&Features, Symmetry)], scratch: &mut Scratch) -> Vec<Evaluation> {
        let Some((first, _)) = positions.first() else { return Vec::new() };
        let layout = first.planes().layout();
        let is_same_size = |features: &Features| features.planes().layout() == layout;
        let positions: Vec<_> = positions.iter().filter(|(features, _)| is_same_size(features)).copied().collect();
        let Buffers { planes, trunk, inner, conv } = scratch.prepare(layout, positions.len(), self.channels);
        let bias = self.write_planes(layout, &positions, planes);
        self.stem.apply(layout, planes, trunk, &bias, Accumulate::Overwrite, conv);
        for block in &self.blocks {
            block.apply(layout, trunk, inner, conv);
        }
        let boards = trunk.chunks_exact(layout.cells() * padded(self.channels));
        boards
            .zip(&positions)
            .map(|(board, (features, symmetry))| self.heads.apply(layout, board, features, *symmetry))
            .collect()
    }

    /// Writes the input planes of a batch; returns the biases of the first layer, one row for each position.
    fn write_planes(&self, layout: BoardLayout, positions: &[(&Features, Symmetry)], planes: &mut [f32]) -> Vec<f32> {
        let channels = padded(self.planes);
        let mut biases = Vec::with_capacity(positions.len() * self.stem.bias().len());
        for ((features, symmetry), board) in positions.iter().zip(planes.chunks_exact_mut(layout.cells() * channels)) {
            features.planes().write(*symmetry, self.planes, channels, board);
            let globals = match self.has_score() {
                true => self.stem_globals.apply(&features.score_globals()),
                false => self.stem_globals.apply(&features.globals()),
            };
            biases.extend(globals.iter().zip(self.stem.bias()).map(|(global, bias)| global + bias));
        }
        biases
    }
}

impl Block {
    fn apply(&self, layout: BoardLayout, trunk: &mut [f32], inner: &mut [f32], conv: &mut ConvScratch) {
        let channels = self.first.bias().len();
        let biases = |layer: &Conv3x3| layer.bias().repeat(trunk.len() / (layout.cells() * channels));
        self.first.apply(layout, trunk, inner, &biases(&self.first), Accumulate::Overwrite, conv);
        if let Some(pool_to_bias) = &self.pool_to_bias {
            for board in inner.chunks_exact_mut(layout.cells() * channels) {
                let set = pool_to_bias.instruction_set();
                let pooled = global_pool(set, layout, board, pool_to_bias.inputs() / 2);
                set.run(AddToPoints { layout, board, numbers: &pool_to_bias.apply(&pooled) });
            }
        }
        self.second.apply(layout, inner, trunk, &biases(&self.second), Accumulate::Add, conv);
    }
}

impl Scratch {
    /// Buffers for `count` boards with zeros in the frames around them.
    fn prepare(&mut self, layout: BoardLayout, count: usize, channels: usize) -> Buffers<'_> {
        let cells = count * layout.cells();
        if self.layout != Some((layout, channels)) {
            self.layout = Some((layout, channels));
            // a frame cell of the new layout may be a point of the old one
            [&mut self.planes, &mut self.trunk, &mut self.inner].into_iter().for_each(|memory| memory.clear());
        }
        let grow = |memory: &mut Vec<f32>, channels: usize| {
            let length = cells * padded(channels);
            memory.resize(memory.len().max(length), 0.0);
            length
        };
        let (planes, layers) = (grow(&mut self.planes, PLANES_WITH_LADDERS), grow(&mut self.trunk, channels));
        grow(&mut self.inner, channels);
        Buffers {
            planes: self.planes.get_mut(..planes).unwrap_or_default(),
            trunk: self.trunk.get_mut(..layers).unwrap_or_default(),
            inner: self.inner.get_mut(..layers).unwrap_or_default(),
            conv: &mut self.conv,
        }
    }
}

/// The buffers of one call of [`NativeNet::evaluate`].
struct Buffers<'a> {
    planes: &'a mut [f32],
    trunk: &'a mut [f32],
    inner: &'a mut [f32],
    conv: &'a mut ConvScratch,
}
