//! Playing strength levels: an upper limit of playouts, and for the weakest levels random choice by the net's policy.
//!
//! A level wins 60 to 85% of its games against the level below. A game on a large board has more moves, so a small
//! difference in strength decides it more often: there the levels are closer together.
//!
//! Weak levels do not mix strong moves with uniformly random ones. They draw every move from the net's policy, which
//! predicts human moves, with a temperature, and search at most a few playouts.

use fastrand::Rng;

use crate::kernel::Move;
use crate::search::SearchResult;

/// The strongest level, without limits.
pub(crate) const STRONGEST: u64 = 10;

/// The limits of a level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Level {
    /// Upper limit of playouts for a move.
    pub playouts: u64,
    /// The temperature of the choice by policy, used below [`MIN_SEARCH_PLAYOUTS`]: 0 takes the most likely move, 1
    /// draws moves with the policy's probabilities, more flattens them.
    temperature: f32,
}

/// Playouts from which the choice follows the search. With fewer, the policy chooses better moves.
pub(super) const MIN_SEARCH_PLAYOUTS: u64 = 20;

/// A level on 9x9 and on 19x19.
type LevelBySize = [Level; 2];

/// The sides of these boards.
const SIDES: [f32; 2] = [9.0, 19.0];

/// A level that chooses by policy with this temperature.
const fn by_policy(temperature: f32) -> Level {
    Level { playouts: 1, temperature }
}

/// A level that chooses by a search of this many playouts.
const fn by_search(playouts: u64) -> Level {
    Level { playouts, temperature: 0.0 }
}

/// The levels below the strongest, weakest first. The numbers were measured in games between neighbouring levels.
const LEVELS: [LevelBySize; STRONGEST as usize - 1] = [
    [by_policy(1.7), by_policy(0.97)],
    [by_policy(1.3), by_policy(0.77)],
    [by_policy(0.9), by_policy(0.53)],
    [by_search(20), by_policy(0.0)],
    [by_search(140), by_search(120)],
    [by_search(320), by_search(270)],
    [by_search(900), by_search(650)],
    [by_search(2500), by_search(1350)],
    [by_search(6500), by_search(3000)],
];

/// The limits of level `number`, from 1, on a board of `area` points; `None` for the strongest level.
///
/// Between 9x9 and 19x19 the temperature is interpolated linearly by the side of the board, and so is the logarithm of
/// the playouts, because strength grows with that; beyond, the nearer board's numbers hold.
pub(crate) fn level(number: u64, area: usize) -> Option<Level> {
    let [small, large] = *LEVELS.get(usize::try_from(number.checked_sub(1)?).ok()?)?;
    let side = (area as f32).sqrt();
    let share = ((side - SIDES[0]) / (SIDES[1] - SIDES[0])).clamp(0.0, 1.0);
    let between = |small: f32, large: f32| small + share * (large - small);
    let playouts = between((small.playouts as f32).ln(), (large.playouts as f32).ln()).exp().round();
    Some(Level { playouts: playouts as u64, temperature: between(small.temperature, large.temperature) })
}

impl Level {
    /// Whether the level chooses by policy, because its playouts are fewer than [`MIN_SEARCH_PLAYOUTS`].
    pub(crate) fn chooses_by_policy(&self) -> bool {
        self.playouts < MIN_SEARCH_PLAYOUTS
    }

    /// The best move of the search, or below [`MIN_SEARCH_PLAYOUTS`] a random move with probability proportional to
    /// `(prior / greatest prior)^(1 / temperature)`; with a net the prior is its policy. `None` without candidates.
    pub(crate) fn choose(&self, result: &SearchResult, rng: &mut Rng) -> Option<Move> {
        let best = result.best()?;
        if !self.chooses_by_policy() {
            return Some(best.play);
        }
        let priors = result.candidates.iter().map(|candidate| candidate.prior);
        let greatest = priors.clone().fold(f32::MIN_POSITIVE, f32::max);
        // with temperature 0 the exponent is infinite: 1 for the greatest prior, 0 for the others
        let weights: Vec<f32> = priors.map(|prior| (prior / greatest).powf(1.0 / self.temperature)).collect();
        sample_index(&weights, rng)
            .and_then(|number| result.candidates.get(number))
            .or(Some(best))
            .map(|candidate| candidate.play)
    }
}

/// The place of one of some weights, each drawn with a probability in proportion to it; `None` if they sum up to 0, or
/// rarely by rounding.
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
    use crate::search::{Candidate, search_result_of};

    /// The result of one playout on an empty board, cut down to candidates with these priors and visits.
    fn result(priors: &[f32], visits: &[u32]) -> SearchResult {
        let position = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 0, Color::Black);
        let mut result = search_result_of(&position, 1);
        result.candidates.truncate(priors.len());
        for ((candidate, &prior), &visits) in result.candidates.iter_mut().zip(priors).zip(visits) {
            *candidate = Candidate { prior, visits, ..candidate.clone() };
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

    #[test]
    fn each_level_is_stronger_than_the_one_below() {
        for side in 1..=25 {
            let level = |number| level(number, side * side);
            assert_eq!((level(0), level(STRONGEST), level(u64::MAX)), (None, None, None));
            for number in 2..STRONGEST {
                let (weaker, stronger) = (level(number - 1).unwrap(), level(number).unwrap());
                let is_stronger = stronger.playouts > weaker.playouts || stronger.temperature < weaker.temperature;
                let is_weaker = stronger.playouts < weaker.playouts || stronger.temperature > weaker.temperature;
                assert!(is_stronger && !is_weaker, "{number} on {side}x{side}: {weaker:?} {stronger:?}");
            }
        }
    }

    #[test]
    fn levels_are_interpolated_between_9x9_and_19x19() {
        for (by_size, number) in LEVELS.iter().zip(1..) {
            let at = |side: usize| level(number, side * side).unwrap();
            assert_eq!([at(9), at(19)], *by_size);
            assert_eq!([at(2), at(25)], *by_size);
            let [low, high] =
                [by_size[0].playouts.min(by_size[1].playouts), by_size[0].playouts.max(by_size[1].playouts)];
            assert!((low..=high).contains(&at(13).playouts), "{number}: {:?}", at(13));
        }
    }

    #[test]
    fn choice_by_policy_follows_priors_and_temperature() {
        let result = result(&[0.1, 0.6, 0.0, 0.3], &[1, 0, 0, 0]);
        let at = |temperature| choices(by_policy(temperature), &result);
        assert_eq!(at(0.0), [0, 1000, 0, 0]);
        let counts = at(1.0);
        assert!(counts[0].abs_diff(100) < 40 && counts[1].abs_diff(600) < 60 && counts[2] == 0, "{counts:?}");
        let flat = at(3.0);
        assert!(flat[0] > counts[0] && flat[1] < counts[1] && flat[2] == 0, "{flat:?}");
    }

    #[test]
    fn choice_by_search_takes_the_best_move() {
        let result = result(&[0.1, 0.9, 0.0], &[300, 100, 0]);
        assert_eq!(choices(by_search(MIN_SEARCH_PLAYOUTS), &result), [1000, 0, 0]);
        assert_eq!(choices(by_search(MIN_SEARCH_PLAYOUTS - 1), &result), [0, 1000, 0]);
    }
}
