//! One interface to any net: its input from a history, and its output for the position.

use crate::kernel::{Color, Coordinate, Position, Symmetry};
use crate::net::history::{BoardHistory, FeatureOptions};
use crate::net::katago::features::Features as KatagoFeatures;
use crate::net::native::features::Features as NativeFeatures;
use crate::net::native::is_supported_size;
use crate::net::output::{Output, legal_softmax};
use crate::net::{Model, Net, katago, native};

/// Points of a batch, over all its boards, from which on a larger batch gains little.
const BATCH_POINTS: usize = 400;

/// The input of a position.
pub struct Input(Features);

/// The features of either kind of net.
enum Features {
    Katago(KatagoFeatures),
    /// With a flag for each move that is legal, the pass last.
    Native(NativeFeatures, Vec<bool>),
}

/// Reusable buffers of one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    katago: katago::Scratch,
    native: native::Scratch,
}

impl Input {
    /// Whether each move is legal: a flag for each point, from the highest rank down, and one for the pass.
    pub fn legal(&self) -> &[bool] {
        match &self.0 {
            Features::Katago(features) => features.legal(),
            Features::Native(_, legal) => legal,
        }
    }

    /// Whether another input is for the same kind of net and for a board of the same size.
    fn is_like(&self, other: &Input) -> bool {
        match (&self.0, &other.0) {
            (Features::Katago(one), Features::Katago(other)) => one.planes().layout() == other.planes().layout(),
            (Features::Native(one, _), Features::Native(other, _)) => one.planes().layout() == other.planes().layout(),
            _ => false,
        }
    }
}

impl Net {
    /// The history of a position with `color` to move, with areas as this net's features have them.
    pub fn history(&self, position: &Position, color: Color) -> BoardHistory {
        let pass_alive_by_suicide = self.katago().is_some_and(katago::KatagoNet::has_pass_alive_by_suicide);
        BoardHistory::new(position, color).with_pass_alive_by_suicide(pass_alive_by_suicide)
    }

    /// The input of the position after a history, which [`Net::history`] makes. A native net reads none of the options.
    pub fn input(&self, history: &BoardHistory, options: &FeatureOptions) -> Input {
        Input(match &self.model {
            Model::Katago(_) => Features::Katago(history.features_with(options)),
            Model::Native(net) => Features::Native(net.features_of(history), history.legal_moves()),
        })
    }

    /// Whether the net has score and ownership heads that are valid on boards of this size, so that a search needs no
    /// playouts.
    pub fn has_score(&self, coordinate: Coordinate) -> bool {
        match &self.model {
            Model::Katago(_) => true,
            Model::Native(net) => net.has_score() && is_supported_size(coordinate),
        }
    }

    /// Whether outputs have an expected error of win and score.
    pub fn supports_shortterm_error(&self) -> bool {
        self.katago().is_some_and(katago::KatagoNet::supports_shortterm_error)
    }

    /// Whether outputs depend on the share of the optimistic policy.
    pub fn has_optimism(&self) -> bool {
        self.katago().is_some_and(katago::KatagoNet::has_optimism)
    }

    /// Evaluates positions: an output for each input, in order. Positions of one board size that follow each other are
    /// evaluated together. Each position is transformed by its symmetry first; the output is transformed back. `optimism`
    /// is the share of the optimistic policy, see [`evaluate_optimistic`](katago::KatagoNet::evaluate_optimistic). An
    /// input that a net of another kind made has an empty output. An output with a number that is not finite is replaced by
    /// an even one with a uniform policy.
    pub fn evaluate(&self, inputs: &[(&Input, Symmetry)], optimism: f32, scratch: &mut Scratch) -> Vec<Output> {
        let batches = inputs.chunk_by(|(one, _), (other, _)| one.is_like(other));
        batches.flat_map(|batch| self.evaluate_batch(batch, optimism, scratch)).collect()
    }

    /// Evaluates inputs of one kind of net and one board size.
    fn evaluate_batch(&self, inputs: &[(&Input, Symmetry)], optimism: f32, scratch: &mut Scratch) -> Vec<Output> {
        let mut outputs = match &self.model {
            Model::Katago(net) => {
                let katago = inputs.iter().filter_map(|(input, symmetry)| match &input.0 {
                    Features::Katago(features) => Some((features, *symmetry)),
                    Features::Native(..) => None,
                });
                net.evaluate_optimistic(&katago.collect::<Vec<_>>(), optimism, &mut scratch.katago)
            }
            Model::Native(net) => {
                let native = inputs.iter().filter_map(|(input, symmetry)| match &input.0 {
                    Features::Katago(_) => None,
                    Features::Native(features, legal) => Some(((features, *symmetry), legal)),
                });
                let (batch, legal): (Vec<_>, Vec<_>) = native.unzip();
                let evaluations = net.evaluate(&batch, &mut scratch.native);
                evaluations.into_iter().zip(legal).map(|(evaluation, legal)| output(evaluation, legal)).collect()
            }
        };
        outputs.resize(inputs.len(), Output::default());
        outputs
    }

    /// The mean of a position's evaluations in some symmetries, outside a search: with none of the [`FeatureOptions`], and
    /// without optimism.
    pub fn evaluate_position(&self, position: &Position, color: Color, symmetries: &[Symmetry]) -> Output {
        let input = self.input(&self.history(position, color), &FeatureOptions::default());
        let scratch = &mut Scratch::default();
        match *symmetries {
            // not as a mean, whose standard deviation is rounded
            [symmetry] => self.evaluate(&[(&input, symmetry)], 0.0, scratch).pop().unwrap_or_default(),
            _ => self.evaluate_mean(&input, symmetries, 0.0, scratch),
        }
    }

    /// The mean of an input's evaluations in several symmetries.
    pub fn evaluate_mean(
        &self,
        input: &Input,
        symmetries: &[Symmetry],
        optimism: f32,
        scratch: &mut Scratch,
    ) -> Output {
        let inputs: Vec<_> = symmetries.iter().map(|&symmetry| (input, symmetry)).collect();
        Output::mean(&self.evaluate(&inputs, optimism, scratch))
    }
}

/// The number of positions of `area` points that one thread evaluates together at full speed; more gain little.
pub fn batch_size(area: usize) -> usize {
    (BATCH_POINTS / area.max(1)).clamp(1, 8)
}

/// The output of a native net's evaluation; without a score, numbers of points are 0 and there is no ownership.
fn output(evaluation: native::Evaluation, legal: &[bool]) -> Output {
    let win = evaluation.win();
    let native::Evaluation { mut policy, score, .. } = evaluation;
    legal_softmax(&mut policy, legal);
    let native::Score { lead, stdev, ownership } = score.unwrap_or_default();
    Output { policy, win, loss: 1.0 - win, score_mean: lead, score_stdev: stdev, lead, ownership, ..Output::default() }
}
