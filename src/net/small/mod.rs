//! The small net of this project: from a position to a policy and a win probability, cheap enough to accompany playouts.
//!
//! [`features`] encodes a position as input planes, [`SmallNet::evaluate`] runs the layers. The net is residual with
//! global pooling (K. He and others, "Deep Residual Learning for Image Recognition", 2015; D. J. Wu, "Accelerating
//! Self-Play Learning in Go", 2019). The convolutions have the same weights at every point, and the length of a pooled
//! vector does not depend on the number of points, so one net evaluates every board size.

pub mod features;
mod weights;

use std::ops::RangeInclusive;

use crate::kernel::Coordinate;
use crate::net::convolution::{ConvScratch, Convolution, Grid};
use crate::net::error::NetError;
use crate::net::layers::{Linear, add_to_points, global_pool};
use crate::net::product::{Matrix, Product, padded};
use crate::net::simd::InstructionSet;
use crate::net::small::features::{Features, PLANES, SCALARS};
use crate::net::small::weights::Weights;
use crate::net::symmetry::Symmetry;

/// Channels of the policy head's hidden layer.
const POLICY_CHANNELS: usize = 32;

/// Units of the value head's hidden layer.
const VALUE_CHANNELS: usize = 64;

/// The sides of the boards that nets of this format learn from: records of 9x9 and 19x19. Sizes between them are played
/// as well; on others the pass is far too likely, because the pooled layers that alone decide about it have learned
/// how large a board is when only a pass is left.
const LEARNED_SIDES: RangeInclusive<u8> = 9..=19;

/// Whether nets of this format have learned to play on boards of this size.
pub fn is_learned_size(coordinate: Coordinate) -> bool {
    [coordinate.width(), coordinate.height()].iter().all(|side| LEARNED_SIDES.contains(side))
}

/// The net's output for a position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evaluation {
    /// Policy logits: one for each point, row by row from the top left as in [`Features`], then one for the pass.
    pub policy: Vec<f32>,
    /// Value logit: the log odds that the player to move wins.
    pub value: f32,
}

impl Evaluation {
    /// The softmax of the policy: a probability for each move, in the order of [`Evaluation::policy`].
    pub fn probabilities(&self) -> Vec<f32> {
        let maximum = self.policy.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut probabilities: Vec<f32> = self.policy.iter().map(|logit| (logit - maximum).exp()).collect();
        let sum: f32 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|probability| *probability /= sum);
        probabilities
    }

    /// The win probability of the player to move, from 0 to 1: the logistic function of [`Evaluation::value`].
    pub fn win(&self) -> f32 {
        1.0 / (1.0 + (-self.value).exp())
    }
}

/// A small net, loaded and prepared for one instruction set.
#[derive(Debug)]
pub struct SmallNet {
    instructions: InstructionSet,
    channels: usize,
    stem: Convolution,
    stem_scalars: Linear,
    blocks: Vec<Block>,
    policy1: Matrix,
    policy1_bias: Vec<f32>,
    policy_mix: Linear,
    /// Weights of the last policy layer, one for each hidden channel, and its bias.
    policy2: (Vec<f32>, f32),
    policy_pass: Linear,
    value1: Linear,
    value2: Linear,
}

/// A residual block: two convolutions, whose result is added to the block's input.
#[derive(Debug)]
struct Block {
    first: Convolution,
    /// Bias from global pooling, for every second block.
    mix: Option<Linear>,
    second: Convolution,
}

/// Reusable buffers of one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    grid: Option<Grid>,
    planes: Vec<f32>,
    trunk: Vec<f32>,
    inner: Vec<f32>,
    conv: ConvScratch,
}

impl SmallNet {
    /// Loads a net from the bytes of a safetensors file.
    ///
    /// # Errors
    /// The first defect of the file.
    pub fn read(bytes: &[u8], set: InstructionSet) -> Result<SmallNet, NetError> {
        let weights = Weights::read(bytes)?;
        let (channels, c2) = (weights.channels, 2 * weights.channels);
        let convolution = |name: &str, inputs: usize| {
            let numbers = weights.get(&format!("{name}.weight"), &[channels, inputs, 3, 3])?;
            let bias = weights.get(&format!("{name}.bias"), &[channels])?;
            Ok(Convolution::new(set, &numbers, &bias, inputs))
        };
        let numbers = |name: &str, shape: &[usize], outputs: usize| {
            let bias = weights.get(&format!("{name}.bias"), &[outputs])?;
            Ok((weights.get(&format!("{name}.weight"), shape)?, bias))
        };
        let linear = |name: &str, inputs: usize, outputs: usize| {
            let (weights, bias) = numbers(name, &[outputs, inputs], outputs)?;
            Ok(Linear::new(set, Matrix::from_rows(set, &weights, inputs, outputs), bias, inputs))
        };
        let block = |number: usize| {
            let mix = (number % 2 == 1).then(|| linear(&format!("block{number}.mix"), c2, channels)).transpose()?;
            let first = convolution(&format!("block{number}.conv1"), channels)?;
            Ok(Block { first, mix, second: convolution(&format!("block{number}.conv2"), channels)? })
        };
        let (policy1, policy1_bias) = numbers("policy1", &[POLICY_CHANNELS, channels, 1, 1], POLICY_CHANNELS)?;
        let (policy2, policy2_bias) = numbers("policy2", &[1, POLICY_CHANNELS, 1, 1], 1)?;
        Ok(SmallNet {
            instructions: set,
            channels,
            stem: convolution("stem", PLANES)?,
            stem_scalars: linear("stem_scalars", SCALARS, channels)?,
            blocks: (0..weights.blocks).map(block).collect::<Result<_, NetError>>()?,
            policy1: Matrix::from_rows(set, &policy1, channels, POLICY_CHANNELS),
            policy1_bias,
            policy_mix: linear("policy_mix", c2, POLICY_CHANNELS)?,
            policy2: (policy2, policy2_bias.iter().sum()),
            policy_pass: linear("policy_pass", c2, 1)?,
            value1: linear("value1", c2, VALUE_CHANNELS)?,
            value2: linear("value2", VALUE_CHANNELS, 1)?,
        })
    }

    /// Evaluates a batch of positions of one board size, in order. Each position is transformed by its symmetry first;
    /// the policy is transformed back. Positions of another size than the first one are left out of the result.
    pub fn evaluate(&self, positions: &[(&Features, Symmetry)], scratch: &mut Scratch) -> Vec<Evaluation> {
        let Some((first, _)) = positions.first() else { return Vec::new() };
        let grid = Grid { width: first.width(), height: first.height() };
        let same_size = |features: &Features| (features.width(), features.height()) == (grid.width, grid.height);
        let positions: Vec<_> = positions.iter().filter(|(features, _)| same_size(features)).copied().collect();
        let Buffers { planes, trunk, inner, conv } = scratch.prepare(grid, positions.len(), self.channels);
        let bias = self.write_planes(grid, &positions, planes);
        self.stem.apply(grid, planes, trunk, &bias, false, conv);
        for block in &self.blocks {
            block.apply(grid, trunk, inner, conv);
        }
        let boards = trunk.chunks_exact(grid.cells() * padded(self.channels));
        boards
            .zip(&positions)
            .map(|(board, (features, symmetry))| self.heads(grid, board, features, *symmetry))
            .collect()
    }

    /// Writes the input planes of a batch; returns the biases of the first layer, one row for each position.
    fn write_planes(&self, grid: Grid, positions: &[(&Features, Symmetry)], planes: &mut [f32]) -> Vec<f32> {
        let channels = padded(PLANES);
        let mut biases = Vec::with_capacity(positions.len() * self.stem.bias().len());
        for ((features, symmetry), board) in positions.iter().zip(planes.chunks_exact_mut(grid.cells() * channels)) {
            let cells = grid.rows().flatten();
            for (cell, source) in cells.zip(features.sources(*symmetry)) {
                let bits = features.points().get(source).copied().unwrap_or_default();
                let cell = board.get_mut(cell * channels..).unwrap_or_default();
                for (plane, number) in cell.iter_mut().take(PLANES).enumerate() {
                    *number = (bits >> plane & 1) as f32;
                }
            }
            let scalars = self.stem_scalars.apply(&features.scalars());
            biases.extend(scalars.iter().zip(self.stem.bias()).map(|(scalar, bias)| scalar + bias));
        }
        biases
    }

    /// The policy and value heads, for one board of the trunk's output.
    fn heads(&self, grid: Grid, board: &[f32], features: &Features, symmetry: Symmetry) -> Evaluation {
        let channels = padded(self.channels);
        let pooled = global_pool(grid, board, self.channels);
        let mixed = self.policy_mix.apply(&pooled);
        let bias: Vec<f32> = mixed.iter().zip(&self.policy1_bias).map(|(mixed, bias)| mixed + bias).collect();
        let mut policy = vec![0.0; grid.width * grid.height + 1];
        let mut sources = features.sources(symmetry);
        let mut row = vec![0.0; grid.width * self.policy1.row()];
        for cells in grid.rows() {
            let inputs = board.get(cells.start * channels..).unwrap_or_default();
            self.instructions.run(Product { matrix: &self.policy1, inputs, stride: channels, outputs: &mut row });
            for (point, source) in row.chunks_exact(self.policy1.row()).zip(&mut sources) {
                let terms = point.iter().zip(&bias).zip(&self.policy2.0);
                let sum: f32 = terms.map(|((sum, bias), weight)| (sum + bias).max(0.0) * weight).sum();
                if let Some(logit) = policy.get_mut(source) {
                    *logit = sum + self.policy2.1;
                }
            }
        }
        let one = |layer: &Linear, inputs: &[f32]| layer.apply(inputs).first().copied().unwrap_or_default();
        if let Some(pass) = policy.last_mut() {
            *pass = one(&self.policy_pass, &pooled);
        }
        let mut inner = self.value1.apply(&pooled);
        inner.iter_mut().for_each(|number| *number = number.max(0.0));
        inner.truncate(VALUE_CHANNELS);
        Evaluation { policy, value: one(&self.value2, &inner) }
    }
}

impl Block {
    fn apply(&self, grid: Grid, trunk: &mut [f32], inner: &mut [f32], conv: &mut ConvScratch) {
        let channels = self.first.bias().len();
        let biases = |layer: &Convolution| layer.bias().repeat(trunk.len() / (grid.cells() * channels));
        self.first.apply(grid, trunk, inner, &biases(&self.first), false, conv);
        if let Some(mix) = &self.mix {
            for board in inner.chunks_exact_mut(grid.cells() * channels) {
                let pooled = global_pool(grid, board, mix.inputs() / 2);
                add_to_points(grid, board, &mix.apply(&pooled));
            }
        }
        self.second.apply(grid, inner, trunk, &biases(&self.second), true, conv);
    }
}

impl Scratch {
    /// Buffers for `count` boards with zeros in the frames around them.
    fn prepare(&mut self, grid: Grid, count: usize, channels: usize) -> Buffers<'_> {
        let cells = count * grid.cells();
        if self.grid != Some(grid) {
            self.grid = Some(grid);
            // a frame cell of the new size may be a point of the old one
            [&mut self.planes, &mut self.trunk, &mut self.inner].into_iter().for_each(|memory| memory.clear());
        }
        let grow = |memory: &mut Vec<f32>, channels: usize| {
            let length = cells * padded(channels);
            memory.resize(memory.len().max(length), 0.0);
            length
        };
        let (planes, layers) = (grow(&mut self.planes, PLANES), grow(&mut self.trunk, channels));
        grow(&mut self.inner, channels);
        Buffers {
            planes: self.planes.get_mut(..planes).unwrap_or_default(),
            trunk: self.trunk.get_mut(..layers).unwrap_or_default(),
            inner: self.inner.get_mut(..layers).unwrap_or_default(),
            conv: &mut self.conv,
        }
    }
}

/// The buffers of one call of [`SmallNet::evaluate`].
struct Buffers<'a> {
    planes: &'a mut [f32],
    trunk: &'a mut [f32],
    inner: &'a mut [f32],
    conv: &'a mut ConvScratch,
}
