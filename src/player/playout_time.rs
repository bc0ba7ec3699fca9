//! The time of a playout, measured in the searches for moves: it says how long the searches by playouts take that follow
//! them, for the status of stones and the value of a pass.

use std::time::Duration;

use crate::search::SearchResult;

/// Lower bound of the playouts, with the net of human moves, in the time of one evaluation by the built-in net: on
/// processors with AVX-512 they were 9 to 26.
const PLAYOUTS_PER_EVALUATION: u32 = 8;

/// Wall time per playout of the last search, all threads together; 0 before the first search.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(super) struct PlayoutTime {
    /// Of a playout alone.
    pub(super) without_net: Duration,
    /// With its share of the net's evaluations.
    pub(super) with_net: Duration,
}

impl PlayoutTime {
    /// Measures the time in a search. After a search by net it is estimated from the time of an evaluation; one without
    /// evaluations, all of whose positions were known, shows nothing.
    pub(super) fn measure(&mut self, result: &SearchResult, threads: usize) {
        let time = result.elapsed.saturating_sub(result.setup_time);
        let divisor = |count: u64| count.clamp(1, u64::from(u32::MAX)) as u32;
        if !result.is_by_net {
            let eval_time = result.eval_time / divisor(threads as u64);
            let playouts = divisor(result.playouts);
            *self = PlayoutTime { without_net: time.saturating_sub(eval_time) / playouts, with_net: time / playouts };
        } else if result.evaluations > 0 {
            let time = time / divisor(result.evaluations).saturating_mul(PLAYOUTS_PER_EVALUATION);
            *self = PlayoutTime { without_net: time, with_net: time };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Color, test_boards};
    use crate::search::search_result_of;

    /// A search of a second without the time before the first playout.
    fn result(is_by_net: bool, playouts: u64, evaluations: u64) -> SearchResult {
        SearchResult {
            is_by_net,
            playouts,
            evaluations,
            elapsed: Duration::from_millis(1100),
            setup_time: Duration::from_millis(100),
            eval_time: Duration::from_millis(1000),
            ..search_result_of(&test_boards::position(&["...", "...", "..."], "chinese", 0.5, Color::Black), 1)
        }
    }

    #[test]
    fn playouts_are_timed_with_and_without_the_net() {
        let mut time = PlayoutTime::default();
        time.measure(&result(false, 500, 50), 2);
        assert_eq!((time.without_net, time.with_net), (Duration::from_millis(1), Duration::from_millis(2)));
    }

    #[test]
    fn after_a_search_by_net_evaluations_give_the_time_and_known_positions_do_not() {
        let mut time = PlayoutTime::default();
        time.measure(&result(true, 5000, 250), 1);
        let expected = PlayoutTime { without_net: Duration::from_micros(500), with_net: Duration::from_micros(500) };
        assert_eq!(time, expected);
        time.measure(&result(true, 5000, 0), 1);
        assert_eq!(time, expected);
    }
}
