//! Nets of KataGo: policy, win, score, lead and ownership of a position.
//!
//! A file of model version 8 to 17 is read by `model_desc` and `layer_desc` into a description of its layers, and that
//! is prepared for an instruction set: `trunk` and `heads` are the net, over the convolutions and products of `net`,
//! and `output` turns their numbers into probabilities and points. Sources: D. J. Wu, "Accelerating Self-Play Learning
//! in Go", 2019, and KataGo's code, <https://github.com/lightvector/KataGo>, which is named where a format or constant
//! comes from it.

mod activation;
pub(in crate::net) mod area;
mod attention;
mod buffers;
pub mod features;
mod file;
mod global_pooling;
mod heads;
mod layer_desc;
mod layers;
mod model_desc;
mod output;
mod trunk;

use crate::kernel::{Coordinate, Symmetry};
use crate::net::board_layout::BoardLayout;
use crate::net::error::NetError;
use crate::net::katago::buffers::{Batch, Boards};
use crate::net::katago::features::{Features, GLOBALS, PLANES};
use crate::net::katago::heads::{PolicyHead, PolicyHeadOutput, ValueHead, ValueHeadOutput};
use crate::net::katago::layers::Backend;
use crate::net::katago::model_desc::{ModelDesc, Scales};
use crate::net::katago::output::RawOutput;
use crate::net::katago::trunk::Trunk;
use crate::net::output::Output;
use crate::net::point_planes::PointPlanes;
use crate::net::precision::Precision;
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
    /// Loads a net from the bytes of a `.bin.gz` or `.txt.gz` file, for products of a precision.
    ///
    /// # Errors
    /// The first defect of the file: gzip data that is damaged, truncated or expands beyond the size limit; a model
    /// version other than 8 to 17; layers of unknown kinds, wrong shapes or sizes beyond the limits; numbers that are
    /// not finite; a net that needs the ranks of players as input; weights so large that an evaluation overflows.
    pub fn read(bytes: &[u8], set: InstructionSet, precision: Precision) -> Result<KatagoNet, NetError> {
        let (backend, of_heads) = (Backend::of_trunk(set, precision), Backend::of_heads(set, precision));
        let content = file::decompress(bytes)?;
        let model = ModelDesc::read(&content)?;
        drop(content);
        let net = KatagoNet {
            name: model.name,
            version: model.version,
            pass_alive_by_suicide: model.pass_alive_by_suicide,
            scales: model.scales,
            trunk: Trunk::new(backend, &model.stem, model.blocks, model.last_norm),
            policy: PolicyHead::new(of_heads, model.policy),
            value: ValueHead::new(of_heads, model.value),
        };
        match net.is_finite() {
            true => Ok(net),
            false => Err(NetError("the net gives infinite numbers, expected finite ones".to_owned())),
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
    pub fn supports_shortterm_error(&self) -> bool {
        self.version > 8
    }

    /// Whether there is an optimistic policy, see [`KatagoNet::evaluate_optimistic`].
    pub fn has_optimism(&self) -> bool {
        self.policy.has_optimism()
    }

    /// Evaluates a batch of positions of one board size, in order. Each position is transformed by its symmetry first;
    /// the output is transformed back. Positions of another size than the first one are left out of the result. An output
    /// with a number that is not finite is replaced by an even one with a uniform policy.
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
        let layout = first.planes().layout();
        let is_same_size = |features: &Features| features.planes().layout() == layout;
        let positions: Vec<_> = positions.iter().filter(|(features, _)| is_same_size(features)).copied().collect();
        let inputs = positions.iter().map(|(features, symmetry)| (features.planes(), features.globals(), *symmetry));
        let heads = self.run(layout, &inputs.collect::<Vec<_>>(), scratch);
        let outputs = positions
            .iter()
            .enumerate()
            .map(|(number, (features, symmetry))| self.output(&heads, number, features, *symmetry, optimism));
        let outputs = outputs.collect();
        heads.free(scratch);
        outputs
    }

    /// The numbers of the heads for planes and global inputs of boards of one size, each transformed by its symmetry.
    fn run(
        &self,
        layout: BoardLayout,
        inputs: &[(&PointPlanes, &[f32; GLOBALS], Symmetry)],
        scratch: &mut Scratch,
    ) -> HeadOutputs {
        scratch.start(Batch { layout, boards: inputs.len() });
        let mut planes = scratch.boards(PLANES);
        let mut globals = scratch.flat(inputs.len() * GLOBALS);
        let row = planes.row;
        let boards = planes.values_mut().chunks_exact_mut(layout.cells() * row).zip(globals.chunks_exact_mut(GLOBALS));
        for ((planes, numbers, symmetry), (board, globals)) in inputs.iter().zip(boards) {
            planes.write(*symmetry, PLANES, row, board);
            globals.copy_from_slice(*numbers);
        }
        let trunk = self.trunk.apply(&planes, &globals, scratch);
        scratch.free_flat(globals);
        scratch.free_boards(planes);
        let policy = self.policy.apply(&trunk, scratch);
        let value = self.value.apply(&trunk, scratch);
        scratch.free_boards(trunk);
        HeadOutputs { layout, policy, value }
    }

    /// The output for the position with this number in a batch.
    fn output(
        &self,
        heads: &HeadOutputs,
        number: usize,
        features: &Features,
        symmetry: Symmetry,
        optimism: f32,
    ) -> Output {
        let HeadOutputs { layout, policy, value } = heads;
        let area = layout.width * layout.height;
        let (mut logits, mut ownership) = (vec![0.0; area + 1], vec![0.0; area]);
        let logit = |numbers: &[f32]| match (policy.has_optimism, numbers) {
            (true, [plain, optimistic, ..]) => plain + (optimistic - plain) * optimism,
            (_, [plain, ..]) => *plain,
            (_, []) => 0.0,
        };
        let cell = |boards: &'_ Boards, cell: usize| (number * layout.cells() + cell) * boards.row;
        for (place, source) in layout.rows().flatten().zip(features.planes().sources(symmetry)) {
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
        let raw = RawOutput {
            version: self.version,
            scales: self.scales,
            policy: logits,
            ownership,
            value: value.value.get(number * value.value_row..).unwrap_or_default(),
            score: value.score.get(number * value.score_row..).unwrap_or_default(),
        };
        raw.output(features).finite_or_even(features.legal())
    }

    /// Whether the heads' numbers are finite for an empty board, and for one with every input set, which no weight of
    /// the first layer escapes. The boards are of 19x19, so that weights are prepared for it.
    fn is_finite(&self) -> bool {
        let Some(coordinate) = Coordinate::square(19) else { return false };
        let [empty, full] = [1, (1 << PLANES) - 1].map(|planes| PointPlanes::new(coordinate, planes));
        let symmetry = Symmetry::default();
        let inputs = [(&empty, &[0.0; GLOBALS], symmetry), (&full, &[1.0; GLOBALS], symmetry)];
        let HeadOutputs { policy, value, .. } = self.run(empty.layout(), &inputs, &mut Scratch::default());
        let numbers = policy.points.values().iter().chain(&policy.pass).chain(value.ownership.values());
        numbers.chain(&value.value).chain(&value.score).all(|number| number.is_finite())
    }
}

/// The numbers of the heads for a batch.
struct HeadOutputs {
    layout: BoardLayout,
    policy: PolicyHeadOutput,
    value: ValueHeadOutput,
}

impl HeadOutputs {
    /// Gives the buffers back.
    fn free(self, scratch: &mut Scratch) {
        let HeadOutputs { policy, value, .. } = self;
        scratch.free_boards(policy.points);
        scratch.free_boards(value.ownership);
        [policy.pass, value.value, value.score].into_iter().for_each(|buffer| scratch.free_flat(buffer));
    }
}
