//! Levels of play: how little is searched, and how often another move than the best is made.
//!
//! A weak player is no strong one who sometimes moves at random: weak levels take their moves from what the net expects of
//! people, flattened more or less, and search little or not at all.

use fastrand::Rng;

use crate::kernel::Move;

use super::searcher::Thought;

/// The strongest level: nothing is held back.
pub const STRONGEST: u64 = 10;

/// How a level plays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// Playouts for a move at most.
    pub playouts: u64,
    /// How far the choice strays from the move that is liked best: 0 not at all; 1, moves are as likely as they are
    /// liked; more, they become alike.
    temperature: f32,
}

/// All levels but the strongest, the weakest first.
const LEVELS: [Level; STRONGEST as usize - 1] = [
    Level { playouts: 1, temperature: 1.7 },
    Level { playouts: 1, temperature: 1.4 },
    Level { playouts: 1, temperature: 1.0 },
    Level { playouts: 1, temperature: 0.6 },
    Level { playouts: 1, temperature: 0.0 },
    Level { playouts: 20, temperature: 0.3 },
    Level { playouts: 60, temperature: 0.0 },
    Level { playouts: 200, temperature: 0.0 },
    Level { playouts: 800, temperature: 0.0 },
];

/// The level of this number, from 1; `None` is the strongest.
pub fn level(number: u64) -> Option<Level> {
    LEVELS.get(usize::try_from(number.checked_sub(1)?).ok()?).copied()
}

impl Level {
    /// The move to make. A move is liked as often as it was tried, or where nothing was searched by its prior.
    pub fn choose(&self, thought: &Thought, rng: &mut Rng) -> Option<Move> {
        let best = thought.best()?;
        let visits: u64 = thought.candidates.iter().map(|candidate| u64::from(candidate.visits)).sum();
        let is_searched = visits > thought.candidates.len().min(4) as u64;
        if is_searched && self.temperature <= 0.0 {
            return Some(best.play);
        }
        let liking = |visits: u32, prior: f32| if is_searched { visits as f32 } else { prior };
        let likings = thought.candidates.iter().map(|candidate| liking(candidate.visits, candidate.prior));
        let greatest = likings.clone().fold(f32::MIN_POSITIVE, f32::max);
        let chance = |liking: f32| match self.temperature {
            temperature if temperature <= 0.0 => f32::from(u8::from(liking >= greatest)),
            temperature => (liking / greatest).powf(1.0 / temperature),
        };
        let chances: Vec<f32> = likings.map(chance).collect();
        let mut left = rng.f32() * chances.iter().sum::<f32>();
        let chosen = chances.iter().position(|chance| {
            left -= chance;
            left < 0.0
        });
        chosen.and_then(|number| thought.candidates.get(number)).or(Some(best)).map(|candidate| candidate.play)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule, Position};
    use crate::search::{Candidate, thought_of};

    /// What one playout finds of an empty board, with these priors and visits for the first moves and no other moves.
    fn thought(priors: &[f32], visits: &[u32]) -> Thought {
        let position = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 0, Color::Black);
        let mut thought = thought_of(&position, 1);
        thought.candidates.truncate(priors.len());
        for ((candidate, &prior), &visits) in thought.candidates.iter_mut().zip(priors).zip(visits) {
            *candidate = Candidate { prior, visits, ..candidate.clone() };
        }
        thought
    }

    /// How often each candidate is chosen of a thousand times.
    fn choices(level: Level, thought: &Thought) -> Vec<u32> {
        let mut rng = Rng::with_seed(3);
        let mut counts = vec![0; thought.candidates.len()];
        for _ in 0..1000 {
            let play = level.choose(thought, &mut rng).unwrap();
            counts[thought.candidates.iter().position(|candidate| candidate.play == play).unwrap()] += 1;
        }
        counts
    }

    #[test]
    fn levels_grow() {
        assert_eq!((level(0), level(STRONGEST), level(u64::MAX)), (None, None, None));
        for number in 2..STRONGEST {
            let (weaker, stronger) = (level(number - 1).unwrap(), level(number).unwrap());
            assert!(stronger.playouts > weaker.playouts || stronger.temperature < weaker.temperature, "{number}");
        }
    }

    #[test]
    fn without_a_search_moves_are_made_as_often_as_they_are_liked() {
        let thought = thought(&[0.1, 0.6, 0.0, 0.3], &[1, 0, 0, 0]);
        let at = |temperature| choices(Level { playouts: 1, temperature }, &thought);
        assert_eq!(at(0.0), [0, 1000, 0, 0]);
        let counts = at(1.0);
        assert!(counts[0].abs_diff(100) < 40 && counts[1].abs_diff(600) < 60 && counts[2] == 0, "{counts:?}");
        let flat = at(3.0);
        assert!(flat[0] > counts[0] && flat[1] < counts[1] && flat[2] == 0, "{flat:?}");
    }

    #[test]
    fn after_a_search_moves_are_made_as_often_as_they_were_tried() {
        let thought = thought(&[0.9, 0.1, 0.0], &[300, 100, 0]);
        assert_eq!(choices(Level { playouts: 400, temperature: 0.0 }, &thought), [1000, 0, 0]);
        let counts = choices(Level { playouts: 400, temperature: 1.0 }, &thought);
        assert!(counts[1].abs_diff(250) < 50 && counts[2] == 0, "{counts:?}");
    }
}
