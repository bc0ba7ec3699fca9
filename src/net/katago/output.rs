//! From the numbers of a net's heads to probabilities and points. Source of the formulas: KataGo's `neuralnet/nneval.cpp`.

use crate::net::katago::features::Features;
use crate::net::katago::model_desc::Scales;
use crate::net::output::{Output, legal_softmax, softplus};

/// The outputs of the heads for a position.
pub(super) struct RawOutput<'a> {
    /// The model version.
    pub(super) version: usize,
    pub(super) scales: Scales,
    /// Logits in the order of [`Output::policy`]; becomes the policy.
    pub(super) policy: Vec<f32>,
    /// Before the hyperbolic tangent; becomes the ownership.
    pub(super) ownership: Vec<f32>,
    /// Logits of win, loss and no result.
    pub(super) value: &'a [f32],
    /// Mean and deviation of the score, lead, remaining time, error of the win value, of the score.
    pub(super) score: &'a [f32],
}

impl RawOutput<'_> {
    /// The output for a position.
    pub(super) fn output(self, features: &Features) -> Output {
        let RawOutput { version, scales, mut policy, mut ownership, value, score } = self;
        legal_softmax(&mut policy, features.legal());
        ownership.iter_mut().for_each(|number| *number = number.tanh());
        let [win, loss, no_result] = outcomes(value, features.may_have_no_result());
        let number = |index: usize| score.get(index).copied().unwrap_or_default();
        // the net's score and lead are those of games with a result; without one the score counts as 0
        let finished = 1.0 - no_result;
        let mean = number(0) * scales.score_mean;
        let stdev = softplus(number(1)) * scales.score_stdev;
        let square = (mean * mean + stdev * stdev) * finished;
        let score_mean = mean * finished;
        let (shortterm_winloss_error, shortterm_score_error) = match version {
            ..=8 => (None, None),
            9 => (Some(softplus(number(4))), Some(softplus(number(5)) * 10.0)),
            10..=13 => (
                Some((softplus(number(4)) * scales.shortterm_winloss_error).sqrt()),
                Some((softplus(number(5)) * scales.shortterm_score_error).sqrt()),
            ),
            _ => (
                Some(softplus(number(4) * 0.5) * scales.shortterm_winloss_error.sqrt()),
                Some(softplus(number(5) * 0.5) * scales.shortterm_score_error.sqrt()),
            ),
        };
        Output {
            policy,
            win,
            loss,
            no_result,
            score_mean,
            score_stdev: (square - score_mean * score_mean).max(0.0).sqrt(),
            lead: number(2) * scales.lead * finished,
            shortterm_winloss_error,
            shortterm_score_error,
            var_time_left: (version > 8).then(|| softplus(number(3)) * scales.var_time),
            ownership,
        }
    }
}

/// The probabilities of win, loss and no result.
fn outcomes(logits: &[f32], may_have_no_result: bool) -> [f32; 3] {
    let mut found = [f32::NEG_INFINITY; 3];
    found.iter_mut().zip(logits).take(if may_have_no_result { 3 } else { 2 }).for_each(|(to, logit)| *to = *logit);
    let maximum = found.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let powers = found.map(|logit| (logit - maximum).exp());
    let sum: f32 = powers.into_iter().sum();
    powers.map(|power| power / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_result_has_a_probability_only_where_it_may_happen() {
        assert_eq!(outcomes(&[2.0, 2.0, 90.0], false), [0.5, 0.5, 0.0]);
        assert_eq!(outcomes(&[2.0, 2.0, 90.0], true)[2], 1.0);
    }
}
