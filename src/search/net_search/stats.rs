//! Statistics of a node, and how those of its children make up its own.

use std::f64::consts::PI;

use crate::kernel::Color;
use crate::search::net_search::utility::OutcomeValue;

/// Weighted means over the evaluations below a node; everything for Black.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Stats {
    /// Visits: evaluations, and ends of games, at this node and below it.
    pub(super) visits: u32,
    /// Sum of the evaluations' weights.
    pub(super) weight: f64,
    /// Sum of the squares of the weights.
    pub(super) weight_sq: f64,
    /// Mean value.
    pub(super) value: OutcomeValue,
    /// Mean utility.
    pub(super) utility: f64,
    /// Mean of the utility's square.
    pub(super) utility_sq: f64,
}

impl Stats {
    /// The statistics of a single evaluation.
    pub(super) fn from_evaluation(value: OutcomeValue, utility: f64, weight: f64) -> Stats {
        Stats { visits: 1, weight, weight_sq: weight * weight, value, utility, utility_sq: utility * utility }
    }

    /// Adds `other`, scaled to `weight`; visits are left alone.
    pub(super) fn add(&mut self, other: &Stats, weight: f64) {
        let sum = self.weight + weight;
        if weight <= 0.0 || sum <= 0.0 || other.weight <= 0.0 {
            return;
        }
        let share = weight / sum;
        let mix = |mean: &mut f64, other: f64| *mean += (other - *mean) * share;
        let (value, from) = (&mut self.value, &other.value);
        mix(&mut value.win_loss, from.win_loss);
        mix(&mut value.no_result, from.no_result);
        mix(&mut value.score, from.score);
        mix(&mut value.score_sq, from.score_sq);
        mix(&mut value.lead, from.lead);
        mix(&mut self.utility, other.utility);
        mix(&mut self.utility_sq, other.utility_sq);
        self.weight = sum;
        self.weight_sq += other.weight_sq * (weight / other.weight).powi(2);
    }

    /// The win probability of a colour: draws and games without result count as half a win.
    pub(super) fn win_probability(&self, color: Color) -> f64 {
        (0.5 + 0.5 * f64::from(color.sign()) * self.value.win_loss).clamp(0.0, 1.0)
    }

    /// The weight behind `visits` of this node's visits, at most all of it: an edge may have more visits than the node.
    pub(super) fn weight_of(&self, visits: u32) -> f64 {
        self.weight * self.share(visits)
    }

    /// The sum of squared weights behind `visits` of this node's visits, likewise.
    pub(super) fn weight_sq_of(&self, visits: u32) -> f64 {
        self.weight_sq * self.share(visits)
    }

    /// The share of this node's visits.
    fn share(&self, visits: u32) -> f64 {
        f64::from(visits.min(self.visits)) / f64::from(self.visits.max(1))
    }
}

/// A child in the computation of its parent's statistics.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct ChildStats {
    /// Utility for the side to move at the parent.
    pub(super) utility: f64,
    /// The net's policy for the move.
    pub(super) policy: f64,
    /// Weight in the parent's mean.
    pub(super) weight: f64,
}

/// Takes weight from moves that turned out worse than the moves tried before them and have more than twice their share
/// by policy: the share `1 − e^(−gap / scale)` of the excess, with `gap` the utility by which the move is worse. Such
/// visits were exploration and would otherwise spoil the parent's mean. Source: KataGo's `pruneNoiseWeight`.
pub(super) fn prune_noise(parts: &mut [ChildStats], scale: f64) {
    let (mut utilities, mut weights, mut policies) = (0.0, 0.0, 0.0);
    for part in parts {
        if weights > 0.0 && policies > 0.0 {
            let gap = utilities / weights - part.utility;
            let excess = part.weight - 2.0 * weights * part.policy / policies;
            if gap > 0.0 && excess > 0.0 {
                part.weight -= excess * (1.0 - (-gap / scale).exp());
            }
        }
        utilities += part.utility * part.weight;
        weights += part.weight;
        policies += part.policy;
    }
}

/// Takes weight from moves whose utility is low against the spread that their weights make likely: each weight is
/// multiplied by `(F(z) + 0.0001)^exponent`, `z = (u − mean) / √(1 / (1.5√weight))`, `F` the distribution function of
/// Student's t with 3 degrees of freedom; then all are scaled to the old sum. Source: KataGo's
/// `downweightBadChildrenAndNormalizeWeight`.
pub(super) fn downweight_bad_moves(parts: &mut [ChildStats], exponent: f64) {
    let total: f64 = parts.iter().map(|part| part.weight).sum();
    if total <= 0.0 || exponent == 0.0 {
        return;
    }
    let mean = parts.iter().map(|part| part.utility * part.weight).sum::<f64>() / total;
    let mut sum = 0.0;
    for part in parts.iter_mut().filter(|part| part.weight > 0.0) {
        let stdev = (1e-8 + 1.0 / (1.5 * part.weight.sqrt())).sqrt();
        part.weight *= (t_distribution((part.utility - mean) / stdev) + 0.0001).powf(exponent);
        sum += part.weight;
    }
    parts.iter_mut().for_each(|part| part.weight *= total / sum);
}

/// The distribution function of Student's t with 3 degrees of freedom.
fn t_distribution(t: f64) -> f64 {
    let x = t / 3f64.sqrt();
    0.5 + (x / (1.0 + x * x) + x.atan()) / PI
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn means_are_weighted() {
        let of = |win_loss: f64, weight: f64| {
            Stats::from_evaluation(
                OutcomeValue { win_loss, score: 10.0 * win_loss, ..OutcomeValue::default() },
                win_loss,
                weight,
            )
        };
        let mut sum = of(1.0, 1.0);
        sum.add(&of(0.0, 2.0), 3.0);
        assert_eq!((sum.value.win_loss, sum.value.score, sum.utility, sum.weight), (0.25, 2.5, 0.25, 4.0));
        // 1² and 2² · (3/2)²
        assert_eq!((sum.weight_sq, sum.visits), (10.0, 1));
        sum.add(&of(0.0, 2.0), 0.0);
        assert_eq!(sum.weight, 4.0);
        let child = Stats { visits: 4, weight: 6.0, ..Stats::default() };
        assert_eq!((child.weight_of(2), child.weight_of(4), child.weight_of(5)), (3.0, 6.0, 6.0));
    }

    #[test]
    fn t_distribution_has_its_known_quantiles() {
        for (t, p) in [(0.0, 0.5), (2.353, 0.95), (-3.182, 0.025)] {
            assert!((t_distribution(t) - p).abs() < 1e-3, "{t}");
        }
    }

    #[test]
    fn explored_failures_lose_weight() {
        let part = |utility, policy, weight| ChildStats { utility, policy, weight };
        let mut parts = [part(0.5, 0.5, 50.0), part(-0.5, 0.05, 30.0), part(0.6, 0.05, 30.0)];
        prune_noise(&mut parts, 0.15);
        assert!(parts[0].weight == 50.0 && parts[1].weight < 10.5 && parts[2].weight == 30.0, "{parts:?}");
        let mut parts = [part(0.5, 0.5, 50.0), part(-0.5, 0.5, 50.0)];
        downweight_bad_moves(&mut parts, 0.25);
        assert!((parts[0].weight + parts[1].weight - 100.0).abs() < 1e-9 && parts[0].weight > 1.5 * parts[1].weight);
    }
}
