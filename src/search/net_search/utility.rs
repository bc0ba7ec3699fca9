//! Utility: the number that the search maximises, made of the win probability and a bounded value of the score.
//!
//! All utilities are for Black. With `w` the probability of a win less that of a loss, `m` and `s` mean and standard
//! deviation of the score in points, `A` the board's area and `c` the centre of the dynamic part, the utility is
//!
//! ```text
//! WinLossUtilityFactor · w + StaticScoreUtilityFactor · S(0, 2√A) + DynamicScoreUtilityFactor · S(c, DynamicScoreCenterScale · √A)
//! S(center, scale) = E[2/π · atan((x − center) / scale)],  x normal with mean m and standard deviation s
//! ```
//!
//! `c` is the root's expected score, moved towards 0 by the share `DynamicScoreCenterZeroWeight` and by at most
//! `DynamicScoreCenterScale · √A`, so that small gains count most near the score that the game is heading for. Source:
//! D. J. Wu, "Accelerating Self-Play Learning in Go", 2019, and KataGo's later documentation of its search.

use std::f64::consts::FRAC_2_PI;
use std::sync::LazyLock;

use crate::search::params::Params;

/// Half the number of intervals of the numeric integration over the score.
const HALF_STEPS: i32 = 20;

/// Standard deviations from the mean at which the integration ends.
const MAX_Z: f64 = 5.0;

/// The abscissas of the integration in standard deviations, each with the density of the standard normal distribution up to
/// a factor.
static DENSITIES: LazyLock<Vec<(f64, f64)>> = LazyLock::new(|| {
    let abscissas = (-HALF_STEPS..=HALF_STEPS).map(|step| f64::from(step) * MAX_Z / f64::from(HALF_STEPS));
    abscissas.map(|z| (z, (-0.5 * z * z).exp())).collect()
});

/// The evaluation of one position, for Black.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct OutcomeValue {
    /// Probability of a win less that of a loss, -1 to 1.
    pub(super) win_loss: f64,
    /// Probability of no result.
    pub(super) no_result: f64,
    /// Expected score in points.
    pub(super) score: f64,
    /// Expected square of the score.
    pub(super) score_sq: f64,
    /// Lead in points.
    pub(super) lead: f64,
}

impl OutcomeValue {
    /// The value of a finished game with this score for Black.
    pub(super) fn from_score(score: f64) -> OutcomeValue {
        let win_loss = if score == 0.0 { 0.0 } else { score.signum() };
        OutcomeValue { win_loss, no_result: 0.0, score, score_sq: score * score, lead: score }
    }

    /// Standard deviation of the score in points.
    pub(super) fn score_stdev(&self) -> f64 {
        (self.score_sq - self.score * self.score).max(0.0).sqrt()
    }
}

/// The utility function of one search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Utility {
    win_loss_factor: f64,
    static_factor: f64,
    dynamic_factor: f64,
    static_scale: f64,
    dynamic_scale: f64,
    center: f64,
}

impl Utility {
    /// For a board of `area` points whose game is expected to end with this score for Black.
    pub(super) fn new(params: &Params, area: usize, expected_score: f64) -> Utility {
        let side = (area as f64).sqrt();
        let max_center_shift = side * params.dynamic_score_center_scale;
        let center = expected_score * (1.0 - params.dynamic_score_center_zero_weight);
        Utility {
            win_loss_factor: params.win_loss_utility_factor,
            static_factor: params.static_score_utility_factor,
            dynamic_factor: params.dynamic_score_utility_factor,
            static_scale: 2.0 * side,
            dynamic_scale: max_center_shift.max(f64::MIN_POSITIVE),
            // unlike clamp, these do not panic if a net answers with no numbers (NaN)
            center: center.max(expected_score - max_center_shift).min(expected_score + max_center_shift),
        }
    }

    /// The utility of a value, for Black.
    pub(super) fn utility_of(&self, value: &OutcomeValue) -> f64 {
        self.win_loss_factor * value.win_loss + self.score_utility(value.score, value.score_stdev())
    }

    /// The difference in utility if Black had `points` more, which are few: `points` times the slope of the utility half-way
    /// between the two scores. Computed for many moves in each simulation, so it needs no arctangents.
    pub(super) fn utility_of_points(&self, score: f64, score_sq: f64, points: f64) -> f64 {
        if points == 0.0 {
            return 0.0;
        }
        let (mean, stdev) = (score + 0.5 * points, (score_sq - score * score).max(0.0).sqrt());
        let mean_slope = |center, scale| scaled_expectation(mean, stdev, |score| slope(score, center, scale));
        points * self.sum_of_score_terms(mean_slope)
    }

    /// The greatest utility.
    pub(super) fn max_utility(&self) -> f64 {
        self.win_loss_factor + self.static_factor + self.dynamic_factor
    }

    /// Expected error of the utility, from those of win value (0 to 2) and score (points) at a score.
    pub(super) fn uncertainty(&self, shortterm_winloss_error: f64, shortterm_score_error: f64, score: f64) -> f64 {
        let slope = FRAC_2_PI * self.sum_of_score_terms(|center, scale| slope(score, center, scale));
        self.win_loss_factor * shortterm_winloss_error + slope * shortterm_score_error
    }

    fn score_utility(&self, mean: f64, stdev: f64) -> f64 {
        self.sum_of_score_terms(|center, scale| expected_score_value(mean, stdev, center, scale))
    }

    /// The static and the dynamic term of the score, each by its center and scale, times their factors.
    fn sum_of_score_terms(&self, term: impl Fn(f64, f64) -> f64) -> f64 {
        self.static_factor * term(0.0, self.static_scale) + self.dynamic_factor * term(self.center, self.dynamic_scale)
    }
}

/// `E[2/π · atan((x − center) / scale)]` for a normal `x`.
fn expected_score_value(mean: f64, stdev: f64, center: f64, scale: f64) -> f64 {
    scaled_expectation(mean, stdev, |score| ((score - center) / scale).atan())
}

/// The derivative of `atan((score − center) / scale)` by the score.
fn slope(score: f64, center: f64, scale: f64) -> f64 {
    scale / (scale * scale + (score - center).powi(2))
}

/// `2/π · E[f(x)]` for a normal `x`, by the trapezoid rule over ±5 standard deviations.
fn scaled_expectation(mean: f64, stdev: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for &(z, weight) in DENSITIES.iter() {
        weights += weight;
        sum += weight * f(mean + z * stdev);
    }
    FRAC_2_PI * sum / weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_values_are_odd_bounded_and_flatter_with_deviation() {
        for stdev in [0.0, 1.0, 15.0, 60.0] {
            assert!(expected_score_value(0.0, stdev, 0.0, 18.0).abs() < 1e-12);
            let value = |mean: f64| expected_score_value(mean, stdev, 0.0, 18.0);
            assert!((value(7.0) + value(-7.0)).abs() < 1e-12);
            assert!(value(1000.0) < 1.0 && value(1000.0) > 0.95);
        }
        assert!((expected_score_value(18.0, 0.0, 0.0, 18.0) - 0.5).abs() < 1e-12);
        assert!(expected_score_value(5.0, 30.0, 0.0, 18.0) < expected_score_value(5.0, 1.0, 0.0, 18.0));
        // against a fine integration
        let fine = |mean: f64, stdev: f64| {
            let steps = (-50_000..=50_000).map(|step| f64::from(step) / 10_000.0);
            let terms = steps.map(|z: f64| ((-0.5 * z * z).exp(), ((mean + z * stdev) / 18.0).atan() * FRAC_2_PI));
            let (weights, sum) =
                terms.fold((0.0, 0.0), |(weights, sum), (weight, at)| (weights + weight, sum + weight * at));
            sum / weights
        };
        for (mean, stdev) in [(3.0, 10.0), (-25.0, 40.0), (0.5, 2.0)] {
            assert!((expected_score_value(mean, stdev, 0.0, 18.0) - fine(mean, stdev)).abs() < 1e-4);
        }
    }

    #[test]
    fn a_point_counts_most_near_the_expected_score() {
        let utility = Utility::new(&Params::default(), 361, 20.0);
        let gain = |score: f64| utility.utility_of_points(score, score * score, 1.0);
        assert!(gain(16.0) > gain(0.0) && gain(16.0) > gain(40.0));
        assert_eq!(utility.utility_of_points(3.0, 10.0, 0.0), 0.0);
        for (score, stdev) in [(0.0, 0.0), (20.0, 3.0), (-40.0, 15.0)] {
            for points in [0.5, -1.0] {
                let bonus = utility.utility_of_points(score, score * score + stdev * stdev, points);
                let difference = utility.score_utility(score + points, stdev) - utility.score_utility(score, stdev);
                assert!((bonus / difference - 1.0).abs() < 1e-3, "{score} {stdev} {points}: {bonus} {difference}");
            }
        }
        let win = utility.utility_of(&OutcomeValue::from_score(0.5));
        assert!(win > 0.5 && win < utility.max_utility());
    }
}
