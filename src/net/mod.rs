//! A net: from a position to what each move is worth looking at, and to who is likely to win.
//!
//! [`features`] are what it sees, [`Net::evaluate`] reckons. Layers are matrix products and convolutions of 3x3 points,
//! written once for all processors over the vectors of [`simd`], which holds all `unsafe` code of the project.
//! The net is a residual one with pooling over the whole board (K. He and others, "Deep Residual Learning for Image
//! Recognition", 2015; D. J. Wu, "Accelerating Self-Play Learning in Go", 2019), so it takes boards of any size.

mod convolution;
pub mod features;
mod layers;
mod product;
pub mod simd;
mod weights;

use std::sync::{Arc, OnceLock};

use md5::{Digest, Md5};

use crate::net::convolution::{Convolution, Grid, Room};
use crate::net::features::{Features, PLANES, SCALARS, Symmetry};
use crate::net::layers::{Linear, add_to_each, pool};
use crate::net::product::{Matrix, Product, padded};
use crate::net::simd::Path;
pub use crate::net::weights::BadNet;
use crate::net::weights::Weights;

/// The net that comes with the program.
static BUILT_IN: &[u8] = include_bytes!("../../data/net.safetensors");

/// Channels of the layer before the policy.
const POLICY_CHANNELS: usize = 32;

/// Numbers of the layer before the value.
const VALUE_CHANNELS: usize = 64;

/// What a net says of a position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evaluation {
    /// For every point, row by row from the top left as in [`Features`], and then for a pass: the logarithm of how likely
    /// the move is, but for a number common to all.
    pub policy: Vec<f32>,
    /// The logarithm of the odds that the player to move wins.
    pub value: f32,
}

impl Evaluation {
    /// The chance of each move, in the order of [`Evaluation::policy`]; their sum is 1.
    pub fn probabilities(&self) -> Vec<f32> {
        let greatest = self.policy.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut chances: Vec<f32> = self.policy.iter().map(|logit| (logit - greatest).exp()).collect();
        let sum: f32 = chances.iter().sum();
        chances.iter_mut().for_each(|chance| *chance /= sum);
        chances
    }

    /// The chance that the player to move wins, from 0 to 1.
    pub fn win(&self) -> f32 {
        1.0 / (1.0 + (-self.value).exp())
    }
}

/// A net, ready to evaluate.
#[derive(Debug)]
pub struct Net {
    path: Path,
    digest: String,
    channels: usize,
    stem: Convolution,
    stem_scalars: Linear,
    blocks: Vec<Block>,
    policy1: Matrix,
    policy1_bias: Vec<f32>,
    policy_mix: Linear,
    /// For each channel before the policy, then what is added to their sum.
    policy2: (Vec<f32>, f32),
    policy_pass: Linear,
    value1: Linear,
    value2: Linear,
}

#[derive(Debug)]
struct Block {
    first: Convolution,
    /// What the whole board says to each point.
    mix: Option<Linear>,
    second: Convolution,
}

/// Memory that evaluations use again and again. It belongs to one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    grid: Option<Grid>,
    planes: Vec<f32>,
    trunk: Vec<f32>,
    inner: Vec<f32>,
    room: Room,
}

impl Net {
    /// The net that comes with the program, made ready at the first call, on the processor's fastest path.
    ///
    /// # Errors
    /// If the file that was built in is no net.
    pub fn built_in() -> Result<Arc<Net>, BadNet> {
        static NET: OnceLock<Result<Arc<Net>, BadNet>> = OnceLock::new();
        NET.get_or_init(|| Net::built_in_on(Path::best()).map(Arc::new)).clone()
    }

    /// The net that comes with the program, on another path than the fastest.
    ///
    /// # Errors
    /// As for [`Net::built_in`].
    pub fn built_in_on(path: Path) -> Result<Net, BadNet> {
        Net::read(BUILT_IN, path)
    }

    /// A net from the bytes of its file.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read(bytes: &[u8], path: Path) -> Result<Net, BadNet> {
        let weights = Weights::read(bytes)?;
        let (channels, c2) = (weights.channels, 2 * weights.channels);
        let convolution = |name: &str, inputs: usize| {
            let numbers = weights.get(&format!("{name}.weight"), &[channels, inputs, 3, 3])?;
            let bias = weights.get(&format!("{name}.bias"), &[channels])?;
            Ok(Convolution::new(path, &numbers, &bias, inputs))
        };
        let numbers = |name: &str, shape: &[usize], outputs: usize| {
            let bias = weights.get(&format!("{name}.bias"), &[outputs])?;
            Ok((weights.get(&format!("{name}.weight"), shape)?, bias))
        };
        let linear = |name: &str, inputs: usize, outputs: usize| {
            let (weights, bias) = numbers(name, &[outputs, inputs], outputs)?;
            Ok(Linear::new(path, &weights, &bias, inputs))
        };
        let block = |number: usize| {
            let mix = (number % 2 == 1).then(|| linear(&format!("block{number}.mix"), c2, channels)).transpose()?;
            let first = convolution(&format!("block{number}.conv1"), channels)?;
            Ok(Block { first, mix, second: convolution(&format!("block{number}.conv2"), channels)? })
        };
        let (policy1, policy1_bias) = numbers("policy1", &[POLICY_CHANNELS, channels, 1, 1], POLICY_CHANNELS)?;
        let (policy2, policy2_bias) = numbers("policy2", &[1, POLICY_CHANNELS, 1, 1], 1)?;
        Ok(Net {
            path,
            digest: Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
            channels,
            stem: convolution("stem", PLANES)?,
            stem_scalars: linear("stem_scalars", SCALARS, channels)?,
            blocks: (0..weights.blocks).map(block).collect::<Result<_, BadNet>>()?,
            policy1: Matrix::from_rows(path, &policy1, channels, POLICY_CHANNELS),
            policy1_bias,
            policy_mix: linear("policy_mix", c2, POLICY_CHANNELS)?,
            policy2: (policy2, policy2_bias.iter().sum()),
            policy_pass: linear("policy_pass", c2, 1)?,
            value1: linear("value1", c2, VALUE_CHANNELS)?,
            value2: linear("value2", VALUE_CHANNELS, 1)?,
        })
    }

    /// What it reckons on.
    pub fn path(&self) -> Path {
        self.path
    }

    /// The MD5 digest of its file: the name by which a net is known again.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Evaluates positions of one size, each turned or mirrored as it says; what is said of points is turned back.
    ///
    /// Positions that differ in size from the first are passed over.
    pub fn evaluate(&self, positions: &[(&Features, Symmetry)], scratch: &mut Scratch) -> Vec<Evaluation> {
        let Some((first, _)) = positions.first() else { return Vec::new() };
        let grid = Grid { width: first.width(), height: first.height() };
        let is_alike = |features: &Features| (features.width(), features.height()) == (grid.width, grid.height);
        let positions: Vec<_> = positions.iter().filter(|(features, _)| is_alike(features)).copied().collect();
        let Boards { planes, trunk, inner, room } = scratch.final_score(grid, positions.len(), self.channels);
        let bias = self.look(grid, &positions, planes);
        self.stem.apply(grid, planes, trunk, &bias, false, room);
        for block in &self.blocks {
            block.apply(grid, trunk, inner, room);
        }
        let boards = trunk.chunks_exact(grid.cells() * padded(self.channels));
        boards.zip(&positions).map(|(board, (features, symmetry))| self.say(grid, board, features, *symmetry)).collect()
    }

    /// Puts the planes of positions on boards; gives what the first layer adds for each.
    fn look(&self, grid: Grid, positions: &[(&Features, Symmetry)], planes: &mut [f32]) -> Vec<f32> {
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

    /// The last layers: what the channels of a board say.
    fn say(&self, grid: Grid, board: &[f32], features: &Features, symmetry: Symmetry) -> Evaluation {
        let channels = padded(self.channels);
        let whole = pool(grid, board, self.channels);
        let mixed = self.policy_mix.apply(&whole);
        let bias: Vec<f32> = mixed.iter().zip(&self.policy1_bias).map(|(mixed, bias)| mixed + bias).collect();
        let mut policy = vec![0.0; grid.width * grid.height + 1];
        let mut sources = features.sources(symmetry);
        let mut row = vec![0.0; grid.width * self.policy1.row()];
        for cells in grid.rows() {
            let inputs = board.get(cells.start * channels..).unwrap_or_default();
            self.path.run(Product { matrix: &self.policy1, inputs, stride: channels, outputs: &mut row });
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
            *pass = one(&self.policy_pass, &whole);
        }
        let mut inner = self.value1.apply(&whole);
        inner.iter_mut().for_each(|number| *number = number.max(0.0));
        inner.truncate(VALUE_CHANNELS);
        Evaluation { policy, value: one(&self.value2, &inner) }
    }
}

impl Block {
    fn apply(&self, grid: Grid, trunk: &mut [f32], inner: &mut [f32], room: &mut Room) {
        let channels = self.first.bias().len();
        let biases = |layer: &Convolution| layer.bias().repeat(trunk.len() / (grid.cells() * channels));
        self.first.apply(grid, trunk, inner, &biases(&self.first), false, room);
        if let Some(mix) = &self.mix {
            for board in inner.chunks_exact_mut(grid.cells() * channels) {
                let whole = pool(grid, board, mix.inputs() / 2);
                add_to_each(grid, board, &mix.apply(&whole));
            }
        }
        self.second.apply(grid, inner, trunk, &biases(&self.second), true, room);
    }
}

impl Scratch {
    /// Room for so many boards. The frames around them are zero.
    fn final_score(&mut self, grid: Grid, count: usize, channels: usize) -> Boards<'_> {
        let cells = count * grid.cells();
        if self.grid != Some(grid) {
            self.grid = Some(grid);
            // what was a point of one board may be frame on another
            [&mut self.planes, &mut self.trunk, &mut self.inner].into_iter().for_each(|memory| memory.clear());
        }
        let grow = |memory: &mut Vec<f32>, channels: usize| {
            let length = cells * padded(channels);
            memory.resize(memory.len().max(length), 0.0);
            length
        };
        let (planes, layers) = (grow(&mut self.planes, PLANES), grow(&mut self.trunk, channels));
        grow(&mut self.inner, channels);
        Boards {
            planes: self.planes.get_mut(..planes).unwrap_or_default(),
            trunk: self.trunk.get_mut(..layers).unwrap_or_default(),
            inner: self.inner.get_mut(..layers).unwrap_or_default(),
            room: &mut self.room,
        }
    }
}

/// The memory of one evaluation.
struct Boards<'a> {
    planes: &'a mut [f32],
    trunk: &'a mut [f32],
    inner: &'a mut [f32],
    room: &'a mut Room,
}
