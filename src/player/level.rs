//! Playing strength levels.
//!
//! - The weakest levels draw every move from the policy of the net of human moves, with a temperature. They do not mix
//!   strong moves with uniformly random ones.
//! - The middle levels search a number of playouts with that net.
//! - The levels below the strongest search a few visits with the built-in net.
//! - The strongest has no limit.
//!
//! The levels are spaced so that each wins most of its games against the level below, and not all of them;
//! `docs/search.md` has the results. Strength grows with the logarithm of the visits, and a game on a large board has
//! more moves, so that a small difference decides it more often.

use fastrand::Rng;

use crate::kernel::{Coordinate, Move};
use crate::search::{Candidate, Limits, SearchResult};

/// The strongest level, without limits.
pub(crate) const STRONGEST: u64 = 10;

/// The choice of moves at a level below the strongest.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Level {
    /// By the policy of the net of human moves, with this temperature: 0 takes the most likely move, 1 draws moves with
    /// the policy's probabilities, more flattens them.
    Policy { temperature: f32 },
    /// By a search of at most this many playouts with the net of human moves.
    Playouts(u64),
    /// By a search with the built-in net, in which the root has at most this many visits. Where no search by net is
    /// possible, by playouts.
    Visits { visits: u64, fallback_playouts: u64 },
}

/// A level by policy.
const fn policy(temperature: f32) -> Level {
    Level::Policy { temperature }
}

/// A level by playouts.
const fn playouts(playouts: u64) -> Level {
    Level::Playouts(playouts)
}

/// A level by visits on every board, and the playouts on each of [`SIDES`] that replace them.
const fn visits(visits: u64, fallback_playouts: [u64; SIDES.len()]) -> [Level; SIDES.len()] {
    let [small, middle, large] = fallback_playouts;
    [
        Level::Visits { visits, fallback_playouts: small },
        Level::Visits { visits, fallback_playouts: middle },
        Level::Visits { visits, fallback_playouts: large },
    ]
}

/// The sides of the boards on which the levels were measured.
const SIDES: [f32; 3] = [9.0, 13.0, 19.0];

/// The levels below the strongest on each of [`SIDES`], weakest first. The numbers were measured in games between
/// neighbouring levels.
const LEVELS: [[Level; SIDES.len()]; STRONGEST as usize - 1] = [
    [policy(1.7), policy(1.4), policy(0.75)],
    [policy(1.3), policy(0.7), policy(0.25)],
    [policy(0.6), policy(0.0), playouts(190)],
    [playouts(85), playouts(110), playouts(520)],
    visits(1, [320, 400, 900]),
    visits(6, [900, 1000, 1600]),
    visits(16, [2000, 2200, 3000]),
    visits(40, [4500, 5000, 6000]),
    visits(110, [10_000, 10_000, 12_000]),
];

/// Level `number`, from 1, on a board; `None` for the strongest level. The numbers are those of the measured board whose
/// side is nearest to that of a square board with as many points.
pub(crate) fn level(number: u64, coordinate: Coordinate) -> Option<Level> {
    let by_side = LEVELS.get(usize::try_from(number.checked_sub(1)?).ok()?)?;
    let side = (coordinate.board_area() as f32).sqrt();
    let difference = |measured: f32| (measured - side).abs();
    let nearest = SIDES.into_iter().zip(by_side).min_by(|(a, _), (b, _)| difference(*a).total_cmp(&difference(*b)));
    nearest.map(|(_, &level)| level)
}

impl Level {
    /// Whether the level chooses by policy.
    pub(crate) fn chooses_by_policy(&self) -> bool {
        matches!(self, Level::Policy { .. })
    }

    /// The stricter of these limits and those of the level. In a search by net the evaluation of the root is the first
    /// visit; in a search by playouts it does not count.
    pub(crate) fn limited(&self, limits: Limits) -> Limits {
        match *self {
            Level::Policy { .. } => Limits { playouts: 1, ..limits },
            Level::Playouts(playouts) => Limits { playouts: limits.playouts.min(playouts), ..limits },
            Level::Visits { visits, .. } => Limits { visits: limits.visits.min(visits), ..limits },
        }
    }

    /// The best move of the search, or at a level by policy a random move with probability proportional to
    /// `(prior / greatest prior)^(1 / temperature)`; with a net the prior is its policy. `None` without candidates.
    pub(crate) fn choose(&self, result: &SearchResult, rng: &mut Rng) -> Option<Move> {
        let best = result.best()?;
        let &Level::Policy { temperature } = self else { return Some(best.play) };
        let priors = result.candidates.iter().map(Candidate::selection_prior);
        let greatest = priors.clone().fold(f32::MIN_POSITIVE, f32::max);
        // with temperature 0 the exponent is infinite: 1 for the greatest prior, 0 for the others
        let weights: Vec<f32> = priors.map(|prior| (prior / greatest).powf(1.0 / temperature)).collect();
        sample_index(&weights, rng)
            .and_then(|number| result.candidates.get(number))
            .or(Some(best))
            .map(|candidate| candidate.play)
    }
}

/// Draws an index with probability proportional to its weight; `None` if the weights sum to 0, or rarely by rounding.
pub(crate) fn sample_index(weights: &[f32], rng: &mut Rng) -> Option<usize> {
    let mut left = rng.f32() * weights.iter().sum::<f32>();
    weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule, Position};
    use crate::search::search_result_of;

    /// The result of one playout on an empty board, cut down to candidates with these priors and visits.
    fn result(priors: &[f32], visits: &[u32]) -> SearchResult {
        let position = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 0, Color::Black);
        let mut result = search_result_of(&position, 1);
        result.candidates.truncate(priors.len());
        for ((candidate, &prior), &visits) in result.candidates.iter_mut().zip(priors).zip(visits) {
            *candidate = Candidate { heuristic_value: Some(prior), visits, ..candidate.clone() };
        }
        result
    }

    /// The number of times that each candidate is chosen in 1000 choices.
    fn choices(level: Level, result: &SearchResult) -> Vec<u32> {
        let mut rng = Rng::with_seed(3);
        let mut counts = vec![0; result.candidates.len()];
        for _ in 0..1000 {
            let play = level.choose(result, &mut rng).unwrap();
            counts[result.candidates.iter().position(|candidate| candidate.play == play).unwrap()] += 1;
        }
        counts
    }

    fn square(side: u8) -> Coordinate {
        Coordinate::square(side).unwrap()
    }

    /// A number that grows with the strength of a level: first by lower temperature, then by playouts, then by visits.
    fn strength(level: Level) -> (u8, f32) {
        match level {
            Level::Policy { temperature } => (0, -temperature),
            Level::Playouts(playouts) => (1, playouts as f32),
            Level::Visits { visits, .. } => (2, visits as f32),
        }
    }

    #[test]
    fn each_level_is_stronger_than_the_one_below() {
        for side in 2..=25 {
            let level = |number| level(number, square(side));
            assert_eq!((level(0), level(STRONGEST), level(u64::MAX)), (None, None, None));
            // playouts where no search by net is possible grow, too
            let mut playouts_before = 0;
            for number in 1..STRONGEST {
                let this = level(number).unwrap();
                if let Some(weaker) = level(number - 1) {
                    assert!(strength(weaker) < strength(this), "{number} on {side}x{side}: {weaker:?} {this:?}");
                }
                if let Level::Playouts(playouts) | Level::Visits { fallback_playouts: playouts, .. } = this {
                    assert!(playouts > playouts_before, "{number} on {side}x{side}: {this:?}");
                    playouts_before = playouts;
                }
            }
        }
    }

    #[test]
    fn a_board_has_the_levels_of_the_nearest_measured_one() {
        let at =
            |coordinate| -> Vec<Level> { (1..STRONGEST).map(|number| level(number, coordinate).unwrap()).collect() };
        let measured = [9, 13, 19].map(|side| at(square(side)));
        for (column, levels) in measured.iter().enumerate() {
            let expected: Vec<Level> = LEVELS.iter().map(|by_side| by_side[column]).collect();
            assert_eq!(levels, &expected);
        }
        for (side, column) in [(2, 0), (7, 0), (10, 0), (12, 1), (15, 1), (17, 2), (25, 2)] {
            assert_eq!(at(square(side)), measured[column], "{side}");
        }
        // 76 points
        assert_eq!(at(Coordinate::new(19, 4).unwrap()), measured[0]);
    }

    #[test]
    fn choice_by_policy_follows_priors_and_temperature() {
        let result = result(&[0.1, 0.6, 0.0, 0.3], &[1, 0, 0, 0]);
        let at = |temperature| choices(policy(temperature), &result);
        assert_eq!(at(0.0), [0, 1000, 0, 0]);
        let counts = at(1.0);
        assert!(counts[0].abs_diff(100) < 40 && counts[1].abs_diff(600) < 60 && counts[2] == 0, "{counts:?}");
        let flat = at(3.0);
        assert!(flat[0] > counts[0] && flat[1] < counts[1] && flat[2] == 0, "{flat:?}");
    }

    #[test]
    fn choice_by_search_takes_the_best_move() {
        let result = result(&[0.1, 0.9, 0.0], &[300, 100, 0]);
        for level in [playouts(20), Level::Visits { visits: 1, fallback_playouts: 20 }] {
            assert_eq!(choices(level, &result), [1000, 0, 0], "{level:?}");
        }
    }
}
