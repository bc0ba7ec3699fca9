//! The policy head and the value head of a KataGo net.

use crate::net::katago::activation::{ActivateRows, Activation};
use crate::net::katago::buffers::{Boards, Scratch};
use crate::net::katago::global_pooling::{GlobalPoolingBias, Pooling, pool};
use crate::net::katago::layers::{Backend, Convolution, apply_linear, linear};
use crate::net::katago::model_desc;
use crate::net::layers::Linear;
use crate::net::simd::InstructionSet;

/// The policy head.
#[derive(Debug)]
pub(super) struct PolicyHead {
    pooled: GlobalPoolingBias,
    points: Convolution,
    pass: Linear,
    /// The activation of the pass's hidden layer and the layer after it, for nets that have them.
    pass_last: Option<(Activation, Linear)>,
    set: InstructionSet,
}

/// The logits of a batch; buffers to be freed by the caller.
#[derive(Debug)]
pub(super) struct PolicyHeadOutput {
    /// For each point a logit, and if there are more channels, an optimistic one.
    pub(super) points: Boards,
    /// The same for the pass, a row for each board.
    pub(super) pass: Vec<f32>,
    /// The length of a row of `pass`.
    pub(super) pass_row: usize,
    /// Whether there are optimistic logits.
    pub(super) has_optimism: bool,
}

impl PolicyHead {
    pub(super) fn new(backend: Backend, head: model_desc::PolicyHeadDesc) -> PolicyHead {
        let (bias, last) = match head.pass_hidden {
            None => (None, None),
            Some((bias, activation, last)) => (Some(bias), Some((activation, linear(backend.set, &last, None)))),
        };
        PolicyHead {
            pooled: GlobalPoolingBias::new(backend, head.pooled),
            points: Convolution::plain(backend, &head.points),
            pass: linear(backend.set, &head.pass, bias),
            pass_last: last,
            set: backend.set,
        }
    }

    /// The logits for the trunk's output.
    pub(super) fn apply(&self, trunk: &Boards, scratch: &mut Scratch) -> PolicyHeadOutput {
        let (inner, pooled) = self.pooled.apply(None, trunk, scratch);
        let points = self.points.apply(None, &inner, scratch);
        scratch.free_boards(inner);
        let mut pass = apply_linear(&self.pass, &pooled, self.pass.inputs(), scratch);
        scratch.free_flat(pooled);
        let mut pass_row = self.pass.row();
        if let Some((activation, last)) = &self.pass_last {
            self.set.run(ActivateRows { values: &mut pass, activation: *activation });
            let mut outputs = scratch.flat(scratch.batch.boards * last.row());
            last.multiply(&pass, pass_row, &mut outputs);
            scratch.free_flat(std::mem::replace(&mut pass, outputs));
            pass_row = last.row();
        }
        PolicyHeadOutput { points, pass, pass_row, has_optimism: self.has_optimism() }
    }

    /// Whether there are optimistic logits.
    pub(super) fn has_optimism(&self) -> bool {
        self.points.outputs() > 1
    }
}

/// The value head.
#[derive(Debug)]
pub(super) struct ValueHead {
    first: Convolution,
    channels: usize,
    hidden: Linear,
    activation: Activation,
    value: Linear,
    score: Linear,
    ownership: Convolution,
    set: InstructionSet,
}

/// The outputs of a batch, before any function is applied; buffers to be freed by the caller.
#[derive(Debug)]
pub(super) struct ValueHeadOutput {
    /// Logits of win, loss and no result, a row for each board.
    pub(super) value: Vec<f32>,
    pub(super) value_row: usize,
    /// Mean and deviation of the score, lead, remaining time, error of the win value, of the score.
    pub(super) score: Vec<f32>,
    pub(super) score_row: usize,
    pub(super) ownership: Boards,
}

impl ValueHead {
    pub(super) fn new(backend: Backend, head: model_desc::ValueHeadDesc) -> ValueHead {
        let [hidden, value, score] =
            [head.hidden, head.value, head.score].map(|(layer, bias)| linear(backend.set, &layer, Some(bias)));
        ValueHead {
            channels: head.first.outputs,
            first: Convolution::with_norm(backend, head.first, head.norm),
            hidden,
            activation: head.activation,
            value,
            score,
            ownership: Convolution::plain(backend, &head.ownership),
            set: backend.set,
        }
    }

    /// The outputs for the trunk's output.
    pub(super) fn apply(&self, trunk: &Boards, scratch: &mut Scratch) -> ValueHeadOutput {
        let inner = self.first.apply(None, trunk, scratch);
        let pooled = pool(self.set, &inner, self.channels, Pooling::OfMeans, scratch);
        let ownership = self.ownership.apply(None, &inner, scratch);
        scratch.free_boards(inner);
        let mut hidden = apply_linear(&self.hidden, &pooled, self.hidden.inputs(), scratch);
        scratch.free_flat(pooled);
        self.set.run(ActivateRows { values: &mut hidden, activation: self.activation });
        let value = apply_linear(&self.value, &hidden, self.hidden.row(), scratch);
        let score = apply_linear(&self.score, &hidden, self.hidden.row(), scratch);
        scratch.free_flat(hidden);
        ValueHeadOutput { value, value_row: self.value.row(), score, score_row: self.score.row(), ownership }
    }
}
