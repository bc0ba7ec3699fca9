//! Nets of KataGo: policy, win, score, lead and ownership of a position.
//!
//! A file of model version 8 to 17 is read into a description, `model`, and that is prepared for an instruction set:
//! `trunk` and `heads` are the net, over the convolutions and products of `net`, and `output` turns their numbers
//! into probabilities and points. Sources: D. J. Wu, "Accelerating Self-Play Learning in Go", 2019, and KataGo's code,
//! <https://github.com/lightvector/KataGo>, which is named where a format or constant comes from it.

mod activation;
pub(in crate::net) mod area;
mod attention;
mod buffers;
pub(in crate::net) mod chains;
pub mod features;
mod file;
mod heads;
pub(in crate::net) mod ladder;
mod layer_desc;
mod layers;
mod model_desc;
mod output;
mod trunk;

use crate::kernel::Symmetry;
use crate::net::convolution::Precision;
use crate::net::error::NetError;
use crate::net::grid::BoardLayout;
use crate::net::katago::buffers::{Batch, Boards};
use crate::net::katago::features::{Features, GLOBALS, PLANES};
use crate::net::katago::heads::{Policy, PolicyHead, Value, ValueHead};
use crate::net::katago::layers::Target;
use crate::net::katago::model_desc::{ModelDesc, Scales};
use crate::net::katago::output::RawOutput;
use crate::net::katago::trunk::Trunk;
use crate::net::output::Output;
use crate::net::simd::InstructionSet;

pub use crate::net::katago::buffers::Scratch;

/// Whether the bytes are a file of KataGo's: compressed by gzip, which no other format here is.
pub(super) fn is_katago(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b])
}

/// A net of KataGo, loaded and prepared for one instruction set.
#[derive(Debug)]
pub struct KatagoNet {
    name: String,
    version: usize,
    pass_alive_by_suicide: bool,
    scales: Scales,
    trunk: Trunk,
    policy: PolicyHead,
    value: ValueHead,
}

impl KatagoNet {
    /// Loads a net from the bytes of a `.bin.gz` or `.txt.gz` file, with 3x3 convolutions of a precision.
    ///
    /// # Errors
    /// The first defect of the file: gzip data that is damaged, truncated or expands absurdly; a model version other
    /// than 8 to 17; layers of unknown kinds, wrong shapes or absurd sizes; numbers that are not finite; a net that
    /// needs the ranks of players as input; weights so large that an evaluation overflows.
    pub fn read(bytes: &[u8], set: InstructionSet, precision: Precision) -> Result<KatagoNet, NetError> {
        let target = Target { set, precision };
        let content = file::decompress(bytes)?;
        let model = ModelDesc::read(&content)?;
        drop(content);
        let net = KatagoNet {
            name: model.name,
            version: model.version,
            pass_alive_by_suicide: model.pass_alive_by_suicide,
            scales: model.scales,
            trunk: Trunk::new(target, &model.stem, model.blocks, model.last_norm),
            policy: PolicyHead::new(target, model.policy),
            value: ValueHead::new(target, model.value),
        };
        match net.is_finite() {
            true => Ok(net),
            false => {
                Err(NetError("the net gives infinite numbers for an empty board, expected finite ones".to_owned()))
            }
        }
    }

    /// The name in the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The model version in the file, from 8 to 17.
    pub fn version(&self) -> usize {
        self.version
    }

    /// Whether the net was trained with features whose pass-alive area is computed as if suicide were legal under all
    /// rules.
    pub fn has_pass_alive_by_suicide(&self) -> bool {
        self.pass_alive_by_suicide
    }

    /// Whether outputs have an expected error of win and score.
    pub fn has_errors(&self) -> bool {
        self.version > 8
    }

    /// Evaluates a batch of positions of one board size, in order. Each position is transformed by its symmetry first;
    /// the output is transformed back. Positions of another size than the first one, or of none, are left out of the
    /// result.
    pub fn evaluate(&self, positions: &[(&Features, Symmetry)], scratch: &mut Scratch) -> Vec<Output> {
        self.evaluate_optimistic(positions, 0.0, scratch)
    }

    /// Evaluates like [`KatagoNet::evaluate`], with an optimistic policy: 0 is the policy, 1 one that was trained on
    /// games that went better than expected, and numbers between interpolate the logits. Nets before version 12 have
    /// only the first.
    pub fn evaluate_optimistic(
        &self,
        positions: &[(&Features, Symmetry)],
        optimism: f32,
        scratch: &mut Scratch,
    ) -> Vec<Output> {
        let Some((first, _)) = positions.first() else { return Vec::new() };
        let grid = BoardLayout { width: first.width(), height: first.height() };
        if grid.width == 0 || grid.height == 0 {
            return Vec::new();
        }
        let is_same_size = |features: &Features| (features.width(), features.height()) == (grid.width, grid.height);
        let positions: Vec<_> = positions.iter().filter(|(features, _)| is_same_size(features)).copied().collect();
        scratch.start(Batch { grid, boards: positions.len() });
        let mut planes = scratch.boards(PLANES);
        let row = planes.row;
        let mut globals = scratch.flat(positions.len() * GLOBALS);
        let boards = planes.values_mut().chunks_exact_mut(grid.cells() * row).zip(globals.chunks_exact_mut(GLOBALS));
        for ((features, symmetry), (board, globals)) in positions.iter().zip(boards) {
            globals.copy_from_slice(features.globals());
            for (cell, source) in grid.rows().flatten().zip(features.sources(*symmetry)) {
                let bits = features.points().get(source).copied().unwrap_or_default();
                let cell = board.get_mut(cell * row..(cell + 1) * row).unwrap_or_default();
                cell.fill(0.0);
                cell.iter_mut().take(PLANES).enumerate().for_each(|(plane, to)| *to = (bits >> plane & 1) as f32);
            }
        }
        let (policy, value) = self.run(planes, globals, scratch);
        let outputs = positions.iter().enumerate().map(|(number, (features, symmetry))| {
            self.output(number, features, *symmetry, optimism, &policy, &value, grid)
        });
        let outputs = outputs.collect();
        free(policy, value, scratch);
        outputs
    }

    /// The numbers of the heads for input planes and global inputs.
    fn run(&self, planes: Boards, globals: Vec<f32>, scratch: &mut Scratch) -> (Policy, Value) {
        let trunk = self.trunk.apply(&planes, &globals, scratch);
        scratch.free_flat(globals);
        scratch.free_boards(planes);
        let heads = (self.policy.apply(&trunk, scratch), self.value.apply(&trunk, scratch));
        scratch.free_boards(trunk);
        heads
    }

    /// The output for a position of a batch.
    #[allow(clippy::too_many_arguments)]
    fn output(
        &self,
        number: usize,
        features: &Features,
        symmetry: Symmetry,
        optimism: f32,
        policy: &Policy,
        value: &Value,
        grid: BoardLayout,
    ) -> Output {
        let area = grid.width * grid.height;
        let (mut logits, mut ownership) = (vec![0.0; area + 1], vec![0.0; area]);
        let logit = |numbers: &[f32]| match (policy.has_optimism, numbers) {
            (true, [plain, optimistic, ..]) => plain + (optimistic - plain) * optimism,
            (_, [plain, ..]) => *plain,
            (_, []) => 0.0,
        };
        let cell = |boards: &'_ Boards, cell: usize| (number * grid.cells() + cell) * boards.row;
        for (place, source) in grid.rows().flatten().zip(features.sources(symmetry)) {
            if let Some(to) = logits.get_mut(source) {
                *to = logit(policy.points.values().get(cell(&policy.points, place)..).unwrap_or_default());
            }
            if let (Some(to), Some(owner)) =
                (ownership.get_mut(source), value.ownership.values().get(cell(&value.ownership, place)))
            {
                *to = *owner;
            }
        }
        if let Some(pass) = logits.last_mut() {
            *pass = logit(policy.pass.get(number * policy.pass_row..).unwrap_or_default());
        }
        let heads = RawOutput {
            version: self.version,
            scales: self.scales,
            policy: logits,
            ownership,
            value: value.value.get(number * value.value_row..).unwrap_or_default(),
            score: value.score.get(number * value.score_row..).unwrap_or_default(),
        };
        heads.output(features)
    }

    /// Whether the heads' numbers for an empty board are finite. The board is one of 19x19, so that weights are prepared
    /// for it.
    fn is_finite(&self) -> bool {
        let grid = BoardLayout { width: 19, height: 19 };
        let mut scratch = Scratch::default();
        scratch.start(Batch { grid, boards: 1 });
        let mut planes = scratch.boards(PLANES);
        let row = planes.row;
        for cell in grid.rows().flatten() {
            // new buffers hold zeros
            planes.values_mut().iter_mut().skip(cell * row).take(1).for_each(|on_board| *on_board = 1.0);
        }
        let globals = vec![0.0; GLOBALS];
        let (policy, value) = self.run(planes, globals, &mut scratch);
        let numbers = policy.points.values().iter().chain(&policy.pass).chain(value.ownership.values());
        numbers.chain(&value.value).chain(&value.score).all(|number| number.is_finite())
    }
}

/// Gives the buffers of the heads' numbers back.
fn free(policy: Policy, value: Value, scratch: &mut Scratch) {
    scratch.free_boards(policy.points);
    scratch.free_boards(value.ownership);
    [policy.pass, value.value, value.score].into_iter().for_each(|buffer| scratch.free_flat(buffer));
}
