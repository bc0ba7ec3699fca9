//! Resignation: after several moves in a row whose win probability was low.
//!
//! A single low value may come from a misread fight that the next search corrects; several in a row are reliable.

use crate::kernel::Position;
use crate::player::options::Options;
use crate::player::virtual_komi::virtual_komi;
use crate::search::SearchResult;
use crate::search::root::history_hashes;

/// Visits of the root below which a low value does not count.
const MIN_VISITS: u64 = 100;

/// The same for a search by net.
const MIN_VISITS_BY_NET: u64 = 10;

/// A game is at least `area / MIN_LENGTH_DIVISOR` moves long before the engine resigns.
const MIN_LENGTH_DIVISOR: usize = 5;

/// The consecutive moves of one colour that looked lost, the last one included.
#[derive(Default)]
pub(super) struct LossStreak {
    /// The number of moves.
    moves: u32,
    /// The number of moves without the last one.
    moves_before: u32,
    /// The position before the last one, as the last of its [`history_hashes`].
    last: u64,
}

impl LossStreak {
    /// Counts a search for a move in `position`. A second search in the same position replaces the first one; a search
    /// in another game starts a new series.
    pub(super) fn record(&mut self, looks_lost: bool, position: &Position) {
        let history_hashes = history_hashes(position);
        let now = history_hashes.last().copied().unwrap_or_default();
        if now != self.last {
            self.moves_before = if history_hashes.contains(&self.last) { self.moves } else { 0 };
        }
        self.moves = if looks_lost { self.moves_before + 1 } else { 0 };
        self.last = now;
    }

    /// Whether to resign now:
    ///
    /// ```text
    /// Resign  and  moves played · 5 ≥ area  and  virtual komi = 0  and  moves in a row ≥ ResignConsecTurns
    ///         and  fewer than two passes in a row
    /// ```
    ///
    /// With virtual komi the values of a search by playouts are not those of the real game. A search by net has none,
    /// but the same condition: in a handicap game White looks lost at first, and waits for mistakes. After two passes
    /// the score decides the game.
    pub(super) fn should_resign(&self, position: &Position, options: &Options) -> bool {
        let area = position.board().coordinate().board_area();
        options.resign
            && position.record().len() * MIN_LENGTH_DIVISOR >= area
            && virtual_komi(position, options) == 0.0
            && !position.is_over()
            && self.moves >= options.params.resign_consec_turns
    }
}

/// Whether a search found the game lost: a win probability below `ResignBelow`, from enough visits to mean something.
pub(super) fn looks_lost(result: &SearchResult, options: &Options) -> bool {
    let min_visits = if result.is_by_net { MIN_VISITS_BY_NET } else { MIN_VISITS };
    result.visits >= min_visits && f64::from(result.win_probability()) < options.params.resign_below
}

#[cfg(test)]
mod tests {
    use super::LossStreak;
    use crate::kernel::{Color, test_boards};

    #[test]
    fn the_last_search_of_a_position_counts() {
        let mut position = test_boards::position(&["..", ".."], "chinese", 0.5, Color::Black);
        let mut streak = LossStreak::default();
        for (searches, expected) in [
            (&[true][..], 1),
            (&[true, true], 2),
            // the search that goes on finds the game lost, or not lost after all
            (&[false, true], 3),
            (&[true, false], 0),
            (&[true], 1),
        ] {
            for &looks_lost in searches {
                streak.record(looks_lost, &position);
            }
            assert_eq!(streak.moves, expected);
            position.pass(Color::Black);
            position.pass(Color::White);
        }
    }
}
