//! The last layers: from the trunk's output to policy, win probability, score and ownership.

use crate::kernel::Symmetry;
use crate::net::board_layout::BoardLayout;
use crate::net::error::NetError;
use crate::net::gemm::{Gemm, Matrix, padded};
use crate::net::layers::{Linear, global_pool};
use crate::net::native::evaluation::{Evaluation, Score};
use crate::net::native::features::Features;
use crate::net::native::weights::{Format, Weights};
use crate::net::output::softplus;
use crate::net::simd::InstructionSet;

/// Hidden channels of a head that gives one number for each point.
const POINT_CHANNELS: usize = 32;

/// Units of the value head's hidden layer.
const VALUE_CHANNELS: usize = 64;

/// Outputs of the value head where it also gives the score: the value logit before the lead's share, the correction of
/// the lead, its deviation, and the weight of the lead in the value logit.
const SCORE_OUTPUTS: usize = 4;

/// Points for 1 in the numbers of score, lead and deviation.
const SCORE_UNIT: f32 = 20.0;

/// The greatest komi that the value head reads, in areas of the board.
const MAX_KOMI_IN_AREAS: usize = 4;

/// The least deviation, in units.
const MIN_STDEV: f32 = 0.02;

/// The heads of a net.
#[derive(Debug)]
pub(super) struct Heads {
    /// Channels of the trunk.
    channels: usize,
    policy: PointHead,
    pass: Linear,
    value1: Linear,
    value2: Linear,
    /// Only in the format with a score.
    ownership: Option<PointHead>,
}

/// A head that gives one number for each point: a 1x1 convolution with a bias from global pooling, ReLU, and a weighted
/// sum.
#[derive(Debug)]
struct PointHead {
    set: InstructionSet,
    hidden: Matrix,
    bias: Vec<f32>,
    pool_to_bias: Linear,
    /// A weight for each hidden channel, and the bias of the sum.
    last: (Vec<f32>, f32),
}

/// A fully connected layer of a file.
pub(super) fn linear(
    weights: &Weights<'_>,
    set: InstructionSet,
    name: &str,
    inputs: usize,
    outputs: usize,
) -> Result<Linear, NetError> {
    let bias = weights.get(&format!("{name}.bias"), &[outputs])?;
    let numbers = weights.get(&format!("{name}.weight"), &[outputs, inputs])?;
    Ok(Linear::new(set, Matrix::from_rows(set, &numbers, inputs, outputs), bias, inputs))
}

impl Heads {
    pub(super) fn new(weights: &Weights<'_>, set: InstructionSet) -> Result<Heads, NetError> {
        let pooled = 2 * weights.channels;
        let point_head = |name: &str| PointHead::new(weights, set, name);
        let (ownership, inputs, outputs) = match weights.format {
            Format::PolicyAndValue => (None, pooled, 1),
            Format::WithScore => (Some(point_head("ownership")?), pooled + 1, SCORE_OUTPUTS),
        };
        Ok(Heads {
            channels: weights.channels,
            policy: point_head("policy")?,
            pass: linear(weights, set, "policy_pass", pooled, 1)?,
            value1: linear(weights, set, "value1", inputs, VALUE_CHANNELS)?,
            value2: linear(weights, set, "value2", VALUE_CHANNELS, outputs)?,
            ownership,
        })
    }

    /// Whether evaluations have a score.
    pub(super) fn has_score(&self) -> bool {
        self.ownership.is_some()
    }

    /// The evaluation of one board of the trunk's output.
    pub(super) fn apply(
        &self,
        layout: BoardLayout,
        board: &[f32],
        features: &Features,
        symmetry: Symmetry,
    ) -> Evaluation {
        let mut pooled = global_pool(self.pass.instruction_set(), layout, board, self.channels);
        let point_head = |head: &PointHead| {
            head.apply(layout, board, padded(self.channels), &pooled, features.planes().sources(symmetry))
        };
        let mut policy = point_head(&self.policy);
        policy.extend(self.pass.apply(&pooled).first());
        let ownership = self.ownership.as_ref().map(|head| {
            let mut owners = point_head(head);
            owners.iter_mut().for_each(|owner| *owner = owner.tanh());
            owners
        });
        let Some(ownership) = ownership else {
            let value = self.value_outputs(&pooled).first().copied().unwrap_or_default();
            return Evaluation { policy, value, score: None };
        };
        // far beyond the komi of any game, the layers would correct the lead by more than the board has points; the rest of
        // such a komi only adds to the lead
        let (komi, most) = (features.own_komi(), (MAX_KOMI_IN_AREAS * ownership.len()) as f32);
        let known_komi = komi.clamp(-most, most);
        let counted = (ownership.iter().sum::<f32>() + known_komi) / SCORE_UNIT;
        pooled.push(counted);
        let outputs = self.value_outputs(&pooled);
        let [value, correction, stdev, weight] =
            std::array::from_fn(|index| outputs.get(index).copied().unwrap_or_default());
        let lead = counted + correction + (komi - known_komi) / SCORE_UNIT;
        Evaluation {
            policy,
            value: value + softplus(weight) * lead,
            score: Some(Score {
                lead: lead * SCORE_UNIT,
                stdev: (softplus(stdev) + MIN_STDEV) * SCORE_UNIT,
                ownership,
            }),
        }
    }

    fn value_outputs(&self, inputs: &[f32]) -> Vec<f32> {
        let mut hidden = self.value1.apply(inputs);
        hidden.iter_mut().for_each(|number| *number = number.max(0.0));
        hidden.truncate(VALUE_CHANNELS);
        self.value2.apply(&hidden)
    }
}

impl PointHead {
    fn new(weights: &Weights<'_>, set: InstructionSet, name: &str) -> Result<PointHead, NetError> {
        let channels = weights.channels;
        let get = |layer: &str, shape: &[usize]| weights.get(&format!("{name}{layer}"), shape);
        let hidden = get("1.weight", &[POINT_CHANNELS, channels, 1, 1])?;
        Ok(PointHead {
            set,
            hidden: Matrix::from_rows(set, &hidden, channels, POINT_CHANNELS),
            bias: get("1.bias", &[POINT_CHANNELS])?,
            pool_to_bias: linear(weights, set, &format!("{name}_mix"), 2 * channels, POINT_CHANNELS)?,
            last: (get("2.weight", &[1, POINT_CHANNELS, 1, 1])?, get("2.bias", &[1])?.iter().sum()),
        })
    }

    /// A number for each point, from the highest rank down, of a board with `channels` numbers a cell. `sources`
    /// gives the index of each point of the board in the order of the layout.
    fn apply(
        &self,
        layout: BoardLayout,
        board: &[f32],
        channels: usize,
        pooled: &[f32],
        mut sources: impl Iterator<Item = usize>,
    ) -> Vec<f32> {
        let pooled_bias = self.pool_to_bias.apply(pooled);
        let bias: Vec<f32> = pooled_bias.iter().zip(&self.bias).map(|(pooled_bias, bias)| pooled_bias + bias).collect();
        let mut numbers = vec![0.0; layout.width * layout.height];
        let mut row = vec![0.0; layout.width * self.hidden.row()];
        for cells in layout.rows() {
            let inputs = board.get(cells.start * channels..).unwrap_or_default();
            self.set.run(Gemm { matrix: &self.hidden, inputs, stride: channels, outputs: &mut row });
            for (point, source) in row.chunks_exact(self.hidden.row()).zip(&mut sources) {
                let terms = point.iter().zip(&bias).zip(&self.last.0);
                let sum: f32 = terms.map(|((sum, bias), weight)| (sum + bias).max(0.0) * weight).sum();
                if let Some(number) = numbers.get_mut(source) {
                    *number = sum + self.last.1;
                }
            }
        }
        numbers
    }
}
