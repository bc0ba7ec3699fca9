//! The outputs of a native net for a position.

use crate::net::output::warn_of_overflow;

/// The net's output for a position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Evaluation {
    /// Policy logits: one for each point, from the highest rank down, then one for the pass.
    pub policy: Vec<f32>,
    /// Value logit: the log odds that the player to move wins.
    pub value: f32,
    /// Score and ownership, which nets of the first format do not have.
    pub score: Option<Score>,
}

/// The estimate of the final score by a net, from the perspective of the player to move.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Score {
    /// Lead in points, komi counted.
    pub lead: f32,
    /// Standard deviation of the final score around the lead, in points.
    pub stdev: f32,
    /// Owner of each point, from the highest rank down: 1 is the player to move's, -1 the opponent's.
    pub ownership: Vec<f32>,
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

    /// Whether every number is finite.
    pub(super) fn is_finite(&self) -> bool {
        let score = self.score.iter().flat_map(|score| score.ownership.iter().chain([&score.lead, &score.stdev]));
        self.policy.iter().chain([&self.value]).chain(score).all(|number| number.is_finite())
    }

    /// The evaluation, or one of an even game with a uniform policy if a number is not finite.
    pub(super) fn finite_or_even(self) -> Evaluation {
        if self.is_finite() {
            return self;
        }
        warn_of_overflow();
        let zeros = |numbers: Vec<f32>| vec![0.0; numbers.len()];
        Evaluation {
            policy: zeros(self.policy),
            value: 0.0,
            score: self.score.map(|score| Score { ownership: zeros(score.ownership), ..Score::default() }),
        }
    }

    /// The win probability of the player to move, from 0 to 1: the logistic function of [`Evaluation::value`].
    pub fn win(&self) -> f32 {
        1.0 / (1.0 + (-self.value).exp())
    }
}
