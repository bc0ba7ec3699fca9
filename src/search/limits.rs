//! Whether to think on: rules on what the search has found so far and how long it took, without reading a clock.

use std::time::Duration;

/// Seconds for a few playouts: what a move gets where there is no time.
const LEAST: f64 = 0.002;

/// Seconds that no move needs more of.
pub(crate) const GREATEST: f64 = 86400.0;

/// Time for a move that leaves room to ask the net about the root in all ways.
const MIN_TIME_FOR_ALL_SYMMETRIES: Duration = Duration::from_millis(200);

/// How long to think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeBudget {
    /// When to stop as a rule; earlier where the choice is clear.
    pub soft: Duration,
    /// When to stop at the latest, where the choice is not clear. Not less than `wanted`.
    pub hard: Duration,
}

impl TimeBudget {
    /// From seconds, which may be too few to think or too many to say.
    pub(crate) fn new(soft: f64, hard: f64) -> TimeBudget {
        let duration = |seconds: f64| {
            // fails for what is no number only
            Duration::try_from_secs_f64(seconds.clamp(LEAST, GREATEST)).unwrap_or(Duration::from_millis(2))
        };
        let soft = duration(soft);
        TimeBudget { soft, hard: duration(hard).max(soft) }
    }

    /// This with less time.
    pub fn shortened_by(self, time: Duration) -> TimeBudget {
        TimeBudget { soft: self.soft.saturating_sub(time), hard: self.hard.saturating_sub(time) }
    }

    /// This, but not more than these seconds.
    pub(crate) fn capped(self, seconds: f64) -> TimeBudget {
        TimeBudget::new(self.soft.as_secs_f64().min(seconds), self.hard.as_secs_f64().min(seconds))
    }
}

/// When to stop. Whatever is reached first ends the search; something is always searched.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Time, if there is a limit.
    pub time: Option<TimeBudget>,
    /// Playouts of this search.
    pub playouts: u64,
    /// Playouts that the tree rests on, those of earlier searches counted.
    pub visits: u64,
    /// Whether the net is asked about the root as if there were little time for it.
    pub single_root_symmetry: bool,
}

impl Limits {
    /// No limit at all but the order to stop.
    pub const NONE: Limits = Limits { time: None, playouts: u64::MAX, visits: u64::MAX, single_root_symmetry: false };

    /// A number of playouts.
    pub const fn playouts(playouts: u64) -> Limits {
        Limits { playouts, ..Limits::NONE }
    }

    /// Whether there is too little time to ask the net about the root in all ways.
    pub fn single_root_symmetry(&self) -> bool {
        self.single_root_symmetry || self.time.is_some_and(|time| time.soft < MIN_TIME_FOR_ALL_SYMMETRIES)
    }
}

/// The part of the most visits that a move needs for its value to count: fewer playouts say little.
const MIN_VISIT_SHARE: f64 = 0.1;

/// The part of the most visits beyond which the second move is close.
const CLOSE_SHARE: f64 = 0.8;

/// A move that is looked at, as far as the search has come with it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RankedMove {
    /// How often it was tried.
    pub visits: u64,
    /// What it is worth to the player who makes it, the more the better.
    pub value: f64,
}

/// How the candidates stand to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RootRanking {
    /// Visits of the move that has most.
    pub best: u64,
    /// Visits of the move that comes next; `None`: there is no other move.
    pub second: Option<u64>,
    /// Whether another move that was tried often enough to count is worth more than the one with most visits.
    pub best_value_disagrees: bool,
}

impl RootRanking {
    /// From the candidates, in any order.
    pub fn new(candidates: impl IntoIterator<Item = RankedMove, IntoIter: Clone>) -> RootRanking {
        let candidates = candidates.into_iter();
        let mut best: Option<RankedMove> = None;
        let mut second = None;
        for candidate in candidates.clone() {
            match best {
                Some(leader) if candidate.visits <= leader.visits => second = second.max(Some(candidate.visits)),
                _ => second = best.replace(candidate).map(|leader| leader.visits),
            }
        }
        let Some(best) = best else { return RootRanking::default() };
        let counts = |other: &RankedMove| other.visits as f64 >= best.visits as f64 * MIN_VISIT_SHARE;
        let best_value_disagrees = candidates.filter(counts).any(|other| other.value > best.value);
        RootRanking { best: best.visits, second, best_value_disagrees }
    }

    /// Whether it is unclear which move is best: another looks better, or the next one is close.
    pub fn is_unsettled(&self) -> bool {
        let is_close = self.second.is_some_and(|second| second as f64 > self.best as f64 * CLOSE_SHARE);
        self.best_value_disagrees || is_close
    }

    /// Whether another move may still have most visits after so many seconds: were all playouts spent on the second.
    pub fn can_be_overtaken(&self, playouts_per_second: f64, seconds_left: f64) -> bool {
        let Some(second) = self.second else { return false };
        second as f64 + playouts_per_second.max(0.0) * seconds_left.max(0.0) > self.best as f64
    }
}

/// Whether to stop after `elapsed`, in which the search has made `playouts`: when the time is up, or when what is left of
/// it can change nothing.
///
/// The usual time is enough where the best move is clear, and the most there is where it is not.
pub fn should_stop(ranking: RootRanking, budget: TimeBudget, elapsed: Duration, playouts: u64) -> bool {
    let end = if ranking.is_unsettled() { budget.hard } else { budget.soft };
    let left = end.saturating_sub(elapsed).as_secs_f64();
    if left <= 0.0 {
        return true;
    }
    // nothing is known yet of how fast it goes
    if playouts == 0 || elapsed.is_zero() {
        return ranking.second.is_none() && ranking.best > 0;
    }
    !ranking.can_be_overtaken(playouts as f64 / elapsed.as_secs_f64(), left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(candidates: &[(u64, f64)]) -> RootRanking {
        RootRanking::new(candidates.iter().map(|&(visits, value)| RankedMove { visits, value }))
    }

    #[test]
    fn candidates_in_any_order() {
        let is = |best, second, best_value_disagrees| RootRanking { best, second, best_value_disagrees };
        assert_eq!(ranking(&[]), is(0, None, false));
        assert_eq!(ranking(&[(7, 0.5)]), is(7, None, false));
        for candidates in [[(100, 0.5), (40, 0.4), (70, 0.3)], [(40, 0.4), (70, 0.3), (100, 0.5)]] {
            assert_eq!(ranking(&candidates), is(100, Some(70), false));
        }
        assert_eq!(ranking(&[(50, 0.5), (50, 0.5)]), is(50, Some(50), false));
        assert_eq!(ranking(&[(10, 0.6), (100, 0.5)]), is(100, Some(10), true));
        // too few visits to count
        assert_eq!(ranking(&[(9, 0.6), (100, 0.5)]), is(100, Some(9), false));
        assert_eq!(ranking(&[(100, 0.5), (90, f64::NAN)]), is(100, Some(90), false));
    }

    #[test]
    fn what_is_unsettled() {
        assert!(!ranking(&[]).is_unsettled());
        assert!(!ranking(&[(0, 0.0)]).is_unsettled());
        assert!(!ranking(&[(100, 0.5), (80, 0.4)]).is_unsettled());
        assert!(ranking(&[(100, 0.5), (81, 0.4)]).is_unsettled());
        assert!(ranking(&[(100, 0.5), (20, 0.51)]).is_unsettled());
    }

    #[test]
    fn what_can_still_be_overtaken() {
        let found = ranking(&[(1000, 0.5), (400, 0.4)]);
        assert!(found.can_be_overtaken(1000.0, 0.61));
        assert!(!found.can_be_overtaken(1000.0, 0.6));
        assert!(!found.can_be_overtaken(f64::NAN, 10.0));
        assert!(!found.can_be_overtaken(1000.0, -1.0));
        assert!(!ranking(&[(1, 0.5)]).can_be_overtaken(1e9, 1e9));
    }

    #[test]
    fn when_to_stop() {
        let budget = TimeBudget { soft: Duration::from_secs(4), hard: Duration::from_secs(10) };
        let check = |candidates: &[(u64, f64)], seconds: f64, stops: bool| {
            let playouts = candidates.iter().map(|(visits, _)| visits).sum();
            let found = should_stop(ranking(candidates), budget, Duration::from_secs_f64(seconds), playouts);
            assert_eq!(found, stops, "{candidates:?} {seconds}");
        };
        let clear = [(600, 0.5), (400, 0.4)];
        let close = [(510, 0.5), (490, 0.4)];
        let disputed = [(600, 0.5), (400, 0.6)];
        // a clear choice ends at the usual time, or where the rest of it cannot matter
        for (seconds, stops) in [(1.0, false), (3.0, false), (3.4, true), (4.0, true)] {
            check(&clear, seconds, stops);
        }
        // an unclear one goes on to the most there is, unless that cannot matter
        for (seconds, stops) in [(4.0, false), (8.0, false), (9.9, true), (10.0, true)] {
            check(&disputed, seconds, stops);
        }
        check(&close, 9.0, false);
        check(&close, 10.0, true);
        // one move to choose from
        check(&[(1, 0.5)], 0.001, true);
        check(&[(1, 0.5)], 0.0, true);
        // the search has not begun, or finds nothing to play
        check(&[(0, 0.0), (0, 0.0)], 0.0, false);
        check(&[(0, 0.0), (0, 0.0)], 1.0, false);
        check(&[], 0.0, false);
        check(&[], 4.0, true);
    }
}
