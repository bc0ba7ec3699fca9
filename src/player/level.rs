//! Levels of play: how little is searched, and how often another move than the best is made.
//!
//! A weak player is no strong one who sometimes moves at random: weak levels take their moves from what the net expects of
//! people, sharpened or flattened, and search little or not at all.
//!
//! A level is so much stronger than the one below that it wins 60 to 85% of their games. A game on a large board has
//! more moves, and of two players the better one wins it more surely: there levels are closer together.

use fastrand::Rng;

use crate::kernel::Move;
use crate::search::result::SearchResult;

/// The strongest level: nothing is held back.
pub const STRONGEST: u64 = 10;

/// How a level plays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// Playouts for a move at most.
    pub playouts: u64,
    /// Where next to nothing is searched, how far the choice strays from the move that is expected most: 0 not at all; 1,
    /// moves are as likely as they are expected; more, they become alike.
    temperature: f32,
}

/// Fewer playouts say less of moves than the net does.
const TELLING: u64 = 20;

/// A level on 9x9, and on 19x19.
type Rung = [Level; 2];

/// The sides of those boards.
const SIDES: [f32; 2] = [9.0, 19.0];

/// A level that searches next to nothing, and strays so far.
const fn guess(temperature: f32) -> Level {
    Level { playouts: 1, temperature }
}

/// A level that makes the best move that so many playouts find.
const fn search(playouts: u64) -> Level {
    Level { playouts, temperature: 0.0 }
}

/// All levels but the strongest, the weakest first.
const LEVELS: [Rung; STRONGEST as usize - 1] = [
    [guess(1.7), guess(0.97)],
    [guess(1.3), guess(0.77)],
    [guess(0.9), guess(0.53)],
    [search(20), guess(0.0)],
    [search(140), search(120)],
    [search(320), search(270)],
    [search(900), search(650)],
    [search(2500), search(1350)],
    [search(6500), search(3000)],
];

/// The level of this number, from 1, on a board of so many points; `None` is the strongest.
pub fn level(number: u64, area: usize) -> Option<Level> {
    let [small, large] = *LEVELS.get(usize::try_from(number.checked_sub(1)?).ok()?)?;
    let side = (area as f32).sqrt();
    let share = ((side - SIDES[0]) / (SIDES[1] - SIDES[0])).clamp(0.0, 1.0);
    let between = |small: f32, large: f32| small + share * (large - small);
    // twice as many playouts are the same step up, however many they are
    let playouts = between((small.playouts as f32).ln(), (large.playouts as f32).ln()).exp().round();
    Some(Level { playouts: playouts as u64, temperature: between(small.temperature, large.temperature) })
}

impl Level {
    /// The move to make: the best that was found, or if next to nothing was searched, one that people would make.
    pub fn choose(&self, result: &SearchResult, rng: &mut Rng) -> Option<Move> {
        let best = result.best()?;
        if self.playouts >= TELLING {
            return Some(best.play);
        }
        let priors = result.candidates.iter().map(|candidate| candidate.prior);
        let greatest = priors.clone().fold(f32::MIN_POSITIVE, f32::max);
        let chance = |prior: f32| match self.temperature {
            temperature if temperature <= 0.0 => f32::from(u8::from(prior >= greatest)),
            temperature => (prior / greatest).powf(1.0 / temperature),
        };
        let chances: Vec<f32> = priors.map(chance).collect();
        let mut left = rng.f32() * chances.iter().sum::<f32>();
        let chosen = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        chosen.and_then(|number| result.candidates.get(number)).or(Some(best)).map(|candidate| candidate.play)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule, Position};
    use crate::search::{Candidate, search_result_of};

    /// What one playout finds of an empty board, with these priors and visits for the first moves and no other moves.
    fn result(priors: &[f32], visits: &[u32]) -> SearchResult {
        let position = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 0, Color::Black);
        let mut result = search_result_of(&position, 1);
        result.candidates.truncate(priors.len());
        for ((candidate, &prior), &visits) in result.candidates.iter_mut().zip(priors).zip(visits) {
            *candidate = Candidate { prior, visits, ..candidate.clone() };
        }
        result
    }

    /// How often each candidate is chosen of a thousand times.
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
    fn levels_grow() {
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
    fn a_level_is_what_was_measured_on_9x9_and_19x19_and_lies_between_on_boards_between() {
        for (rung, number) in LEVELS.iter().zip(1..) {
            let at = |side: usize| level(number, side * side).unwrap();
            assert_eq!([at(9), at(19)], *rung);
            assert_eq!([at(2), at(25)], *rung);
            let [low, high] = [rung[0].playouts.min(rung[1].playouts), rung[0].playouts.max(rung[1].playouts)];
            assert!((low..=high).contains(&at(13).playouts), "{number}: {:?}", at(13));
        }
    }

    #[test]
    fn without_a_search_moves_are_made_as_often_as_they_are_liked() {
        let result = result(&[0.1, 0.6, 0.0, 0.3], &[1, 0, 0, 0]);
        let at = |temperature| choices(guess(temperature), &result);
        assert_eq!(at(0.0), [0, 1000, 0, 0]);
        let counts = at(1.0);
        assert!(counts[0].abs_diff(100) < 40 && counts[1].abs_diff(600) < 60 && counts[2] == 0, "{counts:?}");
        let flat = at(3.0);
        assert!(flat[0] > counts[0] && flat[1] < counts[1] && flat[2] == 0, "{flat:?}");
    }

    #[test]
    fn after_a_search_the_best_move_is_made() {
        let result = result(&[0.1, 0.9, 0.0], &[300, 100, 0]);
        assert_eq!(choices(search(TELLING), &result), [1000, 0, 0]);
        assert_eq!(choices(search(TELLING - 1), &result), [0, 1000, 0]);
    }
}
