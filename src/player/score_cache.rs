//! The last final score with all that it depends on, because a GUI asks for the score and for the stones of each status one
//! after the other.

use std::sync::Arc;

use crate::kernel::{Color, GameRule, Ko, Position};
use crate::net::Net;
use crate::player::score::FinalScore;
use crate::search::history_hash;

/// A final score with its inputs.
#[derive(Debug)]
pub(super) struct CachedScore {
    key: ScoreKey,
    net: Option<Arc<Net>>,
    pub(super) score: FinalScore,
}

/// The inputs of a score, without the net.
#[derive(PartialEq, Debug)]
struct ScoreKey {
    history: u64,
    ko: Option<Ko>,
    to_move: Color,
    rule: GameRule,
    prisoners: [u32; 2],
    handicap: usize,
    passes: usize,
}

impl CachedScore {
    pub(super) fn new(position: &Position, net: Option<&Arc<Net>>, score: FinalScore) -> CachedScore {
        CachedScore { key: ScoreKey::new(position), net: net.cloned(), score }
    }

    /// Whether it is the score of a position with a net.
    pub(super) fn is_of(&self, position: &Position, net: Option<&Arc<Net>>) -> bool {
        let is_same_net = match (&self.net, net) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        is_same_net && self.key == ScoreKey::new(position)
    }
}

impl ScoreKey {
    fn new(position: &Position) -> ScoreKey {
        ScoreKey {
            history: history_hash(position),
            ko: position.banned_ko(),
            to_move: position.to_move(),
            rule: *position.rule(),
            prisoners: Color::BOTH.map(|color| position.prisoners(color)),
            handicap: position.handicap(),
            passes: position.ending_passes(),
        }
    }
}
