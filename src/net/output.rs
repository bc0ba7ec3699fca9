//! The output of a net for a position: policy and win probability; with a score head also score, lead and ownership.

use std::sync::Once;

use crate::kernel::{Coordinate, Move};

/// The net's output for a position, from the perspective of the side to move.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Output {
    /// Policy: a probability for each move, from the highest rank down, then the pass; 0 for illegal moves, sum 1.
    pub policy: Vec<f32>,
    /// Probability of a win, a draw counted as half of one.
    pub win: f32,
    /// Probability of a loss, a draw counted as half of one.
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
    pub shortterm_winloss_error: Option<f32>,
    /// Expected error of the score in points, some moves later; `None` where the net has none.
    pub shortterm_score_error: Option<f32>,
    /// Variance of the time left, in moves squared, as in the net's output of that name; `None` where the net has
    /// none.
    pub var_time_left: Option<f32>,
    /// Owner of each point, from the highest rank down: 1 is the side to move's, -1 the opponent's. Empty if the net
    /// has no ownership.
    pub ownership: Vec<f32>,
}

impl Output {
    /// Every move of a board of this size with its policy.
    pub fn moves(&self, coordinate: Coordinate) -> impl Iterator<Item = (Move, f32)> {
        Move::all(coordinate).zip(self.policy.iter().copied())
    }

    /// Whether every number is finite.
    fn is_finite(&self) -> bool {
        let numbers = [self.win, self.loss, self.no_result, self.score_mean, self.score_stdev, self.lead];
        let optional =
            [self.shortterm_winloss_error, self.shortterm_score_error, self.var_time_left].into_iter().flatten();
        let lists = self.policy.iter().chain(&self.ownership).copied();
        numbers.into_iter().chain(optional).chain(lists).all(f32::is_finite)
    }

    /// The output, or one of an even game with a uniform policy if a number is not finite. `legal` has a flag for each
    /// move.
    pub(super) fn finite_or_even(self, legal: &[bool]) -> Output {
        if self.is_finite() {
            return self;
        }
        warn_of_overflow();
        let mut policy = vec![0.0; self.policy.len()];
        legal_softmax(&mut policy, legal);
        Output { policy, win: 0.5, loss: 0.5, ownership: vec![0.0; self.ownership.len()], ..Output::default() }
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
            shortterm_winloss_error: optional(|output| output.shortterm_winloss_error),
            shortterm_score_error: optional(|output| output.shortterm_score_error),
            var_time_left: optional(|output| output.var_time_left),
            ownership: list(|output| &output.ownership),
        }
    }
}

/// Warns, once, that a net has given a number that is not finite. The check of a file at loading finds such nets only if
/// they overflow in the positions that it tries.
pub(super) fn warn_of_overflow() {
    static WARNING: Once = Once::new();
    WARNING.call_once(|| {
        tracing::warn!(
            "the net gives infinite numbers in a position: such positions count as even, all moves as equal"
        );
    });
}

/// Logits become probabilities; moves that are not legal have none.
pub(super) fn legal_softmax(numbers: &mut [f32], legal: &[bool]) {
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
pub(super) fn softplus(x: f32) -> f32 {
    if x > 40.0 { x } else { x.exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_that_is_not_finite_becomes_even() {
        let output = Output { policy: vec![0.75, 0.0, 0.25], win: 0.9, loss: 0.1, ..Output::default() };
        let legal = [true, false, true];
        assert_eq!(output.clone().finite_or_even(&legal), output);
        let even = Output { policy: vec![0.5, 0.0, 0.5], win: 0.5, loss: 0.5, ..Output::default() };
        let nan = Output { policy: vec![f32::NAN; 3], ..output.clone() };
        let infinite = Output { lead: f32::INFINITY, ..output };
        for overflowing in [nan, infinite] {
            assert_eq!(overflowing.finite_or_even(&legal), even);
        }
    }

    #[test]
    fn policy_is_over_legal_moves() {
        let mut numbers = [1.0, 300.0, 1.0, 0.0];
        legal_softmax(&mut numbers, &[true, false, true]);
        assert_eq!(numbers, [0.5, 0.0, 0.5, 0.0]);
        let mut none = [1.0, 2.0];
        legal_softmax(&mut none, &[]);
        assert_eq!(none, [0.0, 0.0]);
    }
}
