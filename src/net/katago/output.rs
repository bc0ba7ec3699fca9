//! From the numbers of a net's heads to probabilities and points. Source of the formulas: KataGo's `neuralnet/nneval.cpp`.

use crate::kernel::{Coordinate, Move};
use crate::net::katago::features::{Features, GLOBALS};
use crate::net::katago::model::Scales;

/// The net's output for a position, from the perspective of the side to move.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Output {
    /// Policy: a probability for each move, row by row from the top left, then the pass; 0 for illegal moves, sum 1.
    pub policy: Vec<f32>,
    /// Probability of a win, a draw counted as half of one.
    pub win: f32,
    /// Probability of a loss.
    pub loss: f32,
    /// Probability of a game without result (a long ko cycle).
    pub no_result: f32,
    /// Mean of the final score in self-play, in points, komi counted.
    pub score_mean: f32,
    /// Standard deviation of the final score in self-play, in points.
    pub score_stdev: f32,
    /// Lead in points: the komi change that would make the game even.
    pub lead: f32,
    /// Expected error of the win value against the value some moves later, from 0 to 2; `None` where the net has none.
    pub win_error: Option<f32>,
    /// Expected error of the score in points, some moves later; `None` where the net has none.
    pub score_error: Option<f32>,
    /// Variance of the time left, in moves squared, as the net's output of that name gives it; `None` where the net has
    /// none.
    pub var_time_left: Option<f32>,
    /// Owner of each point: 1 is the side to move's, -1 the opponent's.
    pub ownership: Vec<f32>,
}

impl Output {
    /// Every move of a board of this size with its policy.
    pub fn moves(&self, coordinate: Coordinate) -> impl Iterator<Item = (Move, f32)> {
        Move::all(coordinate).zip(self.policy.iter().copied())
    }

    /// The mean of one position's outputs in several symmetries.
    pub fn mean(outputs: &[Output]) -> Output {
        let share = 1.0 / outputs.len().max(1) as f32;
        let number = |of: fn(&Output) -> f32| outputs.iter().map(of).sum::<f32>() * share;
        let optional = |of: fn(&Output) -> Option<f32>| {
            outputs.iter().map(of).sum::<Option<f32>>().filter(|_| !outputs.is_empty()).map(|sum| sum * share)
        };
        let list = |of: fn(&Output) -> &Vec<f32>| {
            let mut mean = vec![0.0; outputs.first().map_or(0, |output| of(output).len())];
            for output in outputs {
                mean.iter_mut().zip(of(output)).for_each(|(mean, number)| *mean += number * share);
            }
            mean
        };
        let score_mean = number(|output| output.score_mean);
        let square = number(|output| output.score_mean.powi(2) + output.score_stdev.powi(2));
        Output {
            policy: list(|output| &output.policy),
            win: number(|output| output.win),
            loss: number(|output| output.loss),
            no_result: number(|output| output.no_result),
            score_mean,
            score_stdev: (square - score_mean * score_mean).max(0.0).sqrt(),
            lead: number(|output| output.lead),
            win_error: optional(|output| output.win_error),
            score_error: optional(|output| output.score_error),
            var_time_left: optional(|output| output.var_time_left),
            ownership: list(|output| &output.ownership),
        }
    }
}

/// What the heads computed for a position.
pub(super) struct Heads<'a> {
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

impl Heads<'_> {
    /// The output for a position.
    pub(super) fn output(self, features: &Features) -> Output {
        let Heads { version, scales, mut policy, mut ownership, value, score } = self;
        legal_softmax(&mut policy, features.legal());
        ownership.iter_mut().for_each(|number| *number = number.tanh());
        let [win, loss, no_result] = outcomes(value, can_have_no_result(features.globals()));
        let number = |index: usize| score.get(index).copied().unwrap_or_default();
        // the net's score and lead are those of games with a result; without one the score counts as 0
        let finished = 1.0 - no_result;
        let mean = number(0) * scales.score_mean;
        let deviation = softplus(number(1)) * scales.score_stdev;
        let square = (mean * mean + deviation * deviation) * finished;
        let score_mean = mean * finished;
        let (win_error, score_error) = match version {
            ..=8 => (None, None),
            9 => (Some(softplus(number(4))), Some(softplus(number(5)) * 10.0)),
            10..=13 => (
                Some((softplus(number(4)) * scales.win_error).sqrt()),
                Some((softplus(number(5)) * scales.score_error).sqrt()),
            ),
            _ => (
                Some(softplus(number(4) * 0.5) * scales.win_error.sqrt()),
                Some(softplus(number(5) * 0.5) * scales.score_error.sqrt()),
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
            win_error,
            score_error,
            var_time_left: (version > 8).then(|| softplus(number(3)) * scales.var_time),
            ownership,
        }
    }
}

/// Whether a game under the rules in the global inputs can end without result: under simple ko or territory scoring.
fn can_have_no_result(globals: &[f32; GLOBALS]) -> bool {
    let (has_superko, is_territory) = (globals[6] != 0.0, globals[9] != 0.0);
    !has_superko || is_territory
}

/// The probabilities of win, loss and no result.
fn outcomes(logits: &[f32], can_have_no_result: bool) -> [f32; 3] {
    let mut found = [f32::NEG_INFINITY; 3];
    found.iter_mut().zip(logits).take(if can_have_no_result { 3 } else { 2 }).for_each(|(to, logit)| *to = *logit);
    let maximum = found.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let powers = found.map(|logit| (logit - maximum).exp());
    let sum: f32 = powers.into_iter().sum();
    powers.map(|power| power / sum)
}

/// Logits become probabilities; moves that are not legal have none.
fn legal_softmax(numbers: &mut [f32], legal: &[bool]) {
    let is_legal = |index: usize| legal.get(index).copied().unwrap_or_default();
    let maximum = numbers.iter().enumerate().filter(|(index, _)| is_legal(*index)).map(|(_, number)| *number);
    let maximum = maximum.fold(f32::NEG_INFINITY, f32::max);
    for (index, number) in numbers.iter_mut().enumerate() {
        *number = if is_legal(index) { (*number - maximum).exp() } else { 0.0 };
    }
    let sum: f32 = numbers.iter().sum();
    if sum > 0.0 {
        numbers.iter_mut().for_each(|number| *number /= sum);
    }
}

/// log(1 + e^x).
fn softplus(x: f32) -> f32 {
    if x > 40.0 { x } else { x.exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_is_over_legal_moves() {
        let mut numbers = [1.0, 300.0, 1.0, 0.0];
        legal_softmax(&mut numbers, &[true, false, true]);
        assert_eq!(numbers, [0.5, 0.0, 0.5, 0.0]);
        let mut none = [1.0, 2.0];
        legal_softmax(&mut none, &[]);
        assert_eq!(none, [0.0, 0.0]);
    }

    #[test]
    fn no_result_depends_on_the_rules() {
        let mut globals = [0.0; GLOBALS];
        assert!(can_have_no_result(&globals));
        globals[6] = 1.0;
        assert!(!can_have_no_result(&globals));
        globals[9] = 1.0;
        assert!(can_have_no_result(&globals));
        assert_eq!(outcomes(&[2.0, 2.0, 90.0], false), [0.5, 0.5, 0.0]);
        assert_eq!(outcomes(&[2.0, 2.0, 90.0], true)[2], 1.0);
    }
}
