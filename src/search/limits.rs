//! Search limits, and the rule for stopping early: pure functions of visits and elapsed time, without reading a clock.

use std::time::Duration;

/// The shortest time of a move, in seconds: enough for a few playouts.
pub(crate) const MIN_SECONDS: f64 = 0.002;

/// The longest time of a move, in seconds.
pub(crate) const MAX_SECONDS: f64 = 86400.0;

/// With less time than this, the net evaluates the root in one symmetry only.
const MIN_TIME_FOR_ALL_SYMMETRIES: Duration = Duration::from_millis(200);

/// Limit of the visits of a root, well below the overflow of 32-bit counters.
const MAX_VISITS: u64 = 1 << 30;

/// Time for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TimeBudget {
    /// Time to use if the choice is clear; less if no other move can get as many visits in the rest of it.
    pub soft: Duration,
    /// Time to use if the choice is not clear; at least `soft`.
    pub hard: Duration,
    /// Whether later moves cannot use the rest of the time, as in byo-yomi. Then `soft` is used even if no other move
    /// can get as many visits any more, because later moves reuse the tree.
    pub unused_time_expires: bool,
}

impl TimeBudget {
    /// From seconds, clamped to 0.002 to 86400; `hard` is raised to `soft`. Later moves can use the rest.
    pub(crate) fn new(soft: f64, hard: f64) -> TimeBudget {
        let duration = |seconds: f64| {
            // fails for NaN only
            Duration::try_from_secs_f64(seconds.clamp(MIN_SECONDS, MAX_SECONDS)).unwrap_or(Duration::from_millis(2))
        };
        let soft = duration(soft);
        TimeBudget { soft, hard: duration(hard).max(soft), unused_time_expires: false }
    }

    /// The same time for clear and unclear choices. A search may stop early, as before [`TimeBudget::soft`].
    pub(crate) const fn fixed(time: Duration) -> TimeBudget {
        TimeBudget { soft: time, hard: time, unused_time_expires: false }
    }

    /// The same limits for a period whose rest is lost.
    pub(crate) const fn with_expiring_time(self) -> TimeBudget {
        TimeBudget { unused_time_expires: true, ..self }
    }

    /// Both times less a duration, at least 0.
    pub(crate) fn shortened_by(self, time: Duration) -> TimeBudget {
        TimeBudget { soft: self.soft.saturating_sub(time), hard: self.hard.saturating_sub(time), ..self }
    }

    /// Both times limited to a maximum in seconds.
    pub(crate) fn capped(self, seconds: f64) -> TimeBudget {
        let capped = TimeBudget::new(self.soft.as_secs_f64().min(seconds), self.hard.as_secs_f64().min(seconds));
        TimeBudget { unused_time_expires: self.unused_time_expires, ..capped }
    }
}

/// Limits of a search. The first one reached ends it; at least one simulation is made, unlike in KataGo, so that a search
/// always has statistics of its own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Time since the start of the search; `None`: no limit.
    pub time: Option<TimeBudget>,
    /// Simulations of this search: in a search by playouts each makes a playout, unless it is abandoned at an illegal
    /// move; in a search by net cache hits and the evaluation of a new root count. `u64::MAX`: no limit of its own.
    pub playouts: u64,
    /// Visits of the root, those of earlier searches included: at most 2³⁰, because nodes count visits in 32 bits.
    pub visits: u64,
    /// Whether the net evaluates the root in one symmetry even if there is time for more: for all eight of a search by
    /// playouts, or for `RootNumSymmetriesToSample` of a search by net.
    pub single_root_symmetry: bool,
}

impl Limits {
    /// No limit but the stop signal, and 2³⁰ visits.
    pub const NONE: Limits = Limits { time: None, playouts: u64::MAX, visits: u64::MAX, single_root_symmetry: false };

    /// A number of playouts, or simulations of a search by net: see [`Limits::playouts`](field@Limits::playouts).
    pub const fn playouts(playouts: u64) -> Limits {
        Limits { playouts, ..Limits::NONE }
    }

    /// A number of visits of the root.
    pub const fn visits(visits: u64) -> Limits {
        Limits { visits, ..Limits::NONE }
    }

    /// A time, of which less is used if the choice is clear.
    pub const fn time(time: Duration) -> Limits {
        Limits { time: Some(TimeBudget::fixed(time)), ..Limits::NONE }
    }

    /// The simulations that a search may make of a root that had this number of visits before it, the net's evaluation of
    /// a new root in a search by net included: at least one, even if the root has as many visits as the limit.
    pub(super) fn max_simulations(&self, visits_before: u64) -> u64 {
        self.playouts.min(self.visits.min(MAX_VISITS).saturating_sub(visits_before)).max(1)
    }

    /// Whether the net evaluates the root in one symmetry: by request, or because time is short.
    pub(crate) fn uses_single_root_symmetry(&self) -> bool {
        self.single_root_symmetry || self.time.is_some_and(|time| time.soft < MIN_TIME_FOR_ALL_SYMMETRIES)
    }
}

/// The share of the best move's visits from which on another move is a rival: its value counts in
/// [`RootRanking::best_value_disagrees`]. Values of fewer visits are too uncertain to prolong a search. Chosen by hand.
const MIN_RIVAL_VISIT_SHARE: f64 = 0.1;

/// The second move is close to the best beyond this share of its visits.
const CLOSE_SHARE: f64 = 0.8;

/// A root move's visits and value, for comparison with the others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct MoveStats {
    /// Its visits.
    pub(crate) visits: u64,
    /// Mean win probability (search by playouts) or mean utility (search by net), for the side that makes it; compared
    /// only with moves of the same root.
    pub(crate) value: f64,
}

/// The root moves compared by visits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RootRanking {
    /// Visits of the most visited move.
    best: u64,
    /// Visits of the second; `None` if there is no other move.
    second: Option<u64>,
    /// Whether a move with enough visits has a greater value than the most visited one.
    best_value_disagrees: bool,
}

impl RootRanking {
    /// Compares moves, given in any order: all that may be played, those without visits included.
    pub(crate) fn new(candidates: impl IntoIterator<Item = MoveStats, IntoIter: Clone>) -> RootRanking {
        let candidates = candidates.into_iter();
        let mut best: Option<MoveStats> = None;
        let mut second = None;
        for candidate in candidates.clone() {
            match best {
                Some(leader) if candidate.visits <= leader.visits => second = second.max(Some(candidate.visits)),
                _ => second = best.replace(candidate).map(|leader| leader.visits),
            }
        }
        let Some(best) = best else { return RootRanking::default() };
        let counts = |other: &MoveStats| other.visits as f64 >= best.visits as f64 * MIN_RIVAL_VISIT_SHARE;
        let best_value_disagrees = candidates.filter(counts).any(|other| other.value > best.value);
        RootRanking { best: best.visits, second, best_value_disagrees }
    }

    /// Whether the choice is unclear: visits and values disagree, or the second move is close.
    fn is_unclear(&self) -> bool {
        let is_close = self.second.is_some_and(|second| second as f64 > self.best as f64 * CLOSE_SHARE);
        self.best_value_disagrees || is_close
    }

    /// Whether the second move would overtake the best if it got every simulation of the time left.
    fn can_be_overtaken(&self, simulations_per_second: f64, seconds_left: f64) -> bool {
        let Some(second) = self.second else { return false };
        second as f64 + simulations_per_second.max(0.0) * seconds_left.max(0.0) > self.best as f64
    }
}

/// The shortest time in which simulations are counted to estimate their rate: a few of them may take much more or less time
/// than later ones. Source: KataGo, which estimates no rate before 0.1 s.
const MIN_RATE_TIME: Duration = Duration::from_millis(100);

/// The time and the simulations of a search so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchPace {
    /// Time since the search began.
    pub(crate) elapsed: Duration,
    /// Time before the root was evaluated: see [`SearchResult::setup_time`](crate::search::SearchResult::setup_time).
    pub(crate) setup_time: Duration,
    /// Simulations since then.
    pub(crate) simulations: u64,
}

impl SearchPace {
    /// Simulations per second; `None` before [`MIN_RATE_TIME`] and the first simulation.
    fn rate(self) -> Option<f64> {
        let time = self.elapsed.saturating_sub(self.setup_time);
        (time >= MIN_RATE_TIME && self.simulations > 0).then(|| self.simulations as f64 / time.as_secs_f64())
    }
}

/// Whether the time of a move is spent, or its rest useless.
///
/// The end is `soft` if the choice is clear, else `hard`. The search stops at the end, or earlier if the second
/// move cannot overtake the best in the time left: `second + rate · left <= best`. If the rate is not known yet, or if the
/// rest of the time is lost, it stops before `soft` only with a single move.
pub(crate) fn is_budget_spent(ranking: RootRanking, budget: TimeBudget, pace: SearchPace) -> bool {
    let end = if ranking.is_unclear() { budget.hard } else { budget.soft };
    let left = end.saturating_sub(pace.elapsed).as_secs_f64();
    if left <= 0.0 {
        return true;
    }
    match pace.rate() {
        Some(rate) if !budget.unused_time_expires || pace.elapsed >= budget.soft => {
            !ranking.can_be_overtaken(rate, left)
        }
        _ => ranking.second.is_none() && ranking.best > 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(candidates: &[(u64, f64)]) -> RootRanking {
        RootRanking::new(candidates.iter().map(|&(visits, value)| MoveStats { visits, value }))
    }

    #[test]
    fn ranking_does_not_depend_on_order() {
        let expected = |best, second, best_value_disagrees| RootRanking { best, second, best_value_disagrees };
        assert_eq!(ranking(&[]), expected(0, None, false));
        assert_eq!(ranking(&[(7, 0.5)]), expected(7, None, false));
        for candidates in [[(100, 0.5), (40, 0.4), (70, 0.3)], [(40, 0.4), (70, 0.3), (100, 0.5)]] {
            assert_eq!(ranking(&candidates), expected(100, Some(70), false));
        }
        assert_eq!(ranking(&[(50, 0.5), (50, 0.5)]), expected(50, Some(50), false));
        assert_eq!(ranking(&[(10, 0.6), (100, 0.5)]), expected(100, Some(10), true));
        // too few visits to count
        assert_eq!(ranking(&[(9, 0.6), (100, 0.5)]), expected(100, Some(9), false));
        assert_eq!(ranking(&[(100, 0.5), (90, f64::NAN)]), expected(100, Some(90), false));
    }

    #[test]
    fn unclear_if_close_or_values_disagree() {
        assert!(!ranking(&[]).is_unclear());
        assert!(!ranking(&[(0, 0.0)]).is_unclear());
        assert!(!ranking(&[(100, 0.5), (80, 0.4)]).is_unclear());
        assert!(ranking(&[(100, 0.5), (81, 0.4)]).is_unclear());
        assert!(ranking(&[(100, 0.5), (20, 0.51)]).is_unclear());
    }

    #[test]
    fn second_may_overtake_in_the_time_left() {
        let found = ranking(&[(1000, 0.5), (400, 0.4)]);
        assert!(found.can_be_overtaken(1000.0, 0.61));
        assert!(!found.can_be_overtaken(1000.0, 0.6));
        assert!(!found.can_be_overtaken(f64::NAN, 10.0));
        assert!(!found.can_be_overtaken(1000.0, -1.0));
        assert!(!ranking(&[(1, 0.5)]).can_be_overtaken(1e9, 1e9));
    }

    /// Asserts whether a search stops after `seconds`, with all visits of the moves made in it.
    #[track_caller]
    fn assert_stops(budget: TimeBudget, candidates: &[(u64, f64)], seconds: f64, stops: bool) {
        let simulations = candidates.iter().map(|(visits, _)| visits).sum();
        let pace = SearchPace { elapsed: Duration::from_secs_f64(seconds), setup_time: Duration::ZERO, simulations };
        let found = is_budget_spent(ranking(candidates), budget, pace);
        assert_eq!(found, stops, "{candidates:?} {seconds}");
    }

    #[test]
    fn stops_at_soft_or_hard_time_or_when_decided() {
        let check = |candidates: &[(u64, f64)], seconds, stops| {
            assert_stops(TimeBudget::new(4.0, 10.0), candidates, seconds, stops);
        };
        let clear = [(600, 0.5), (400, 0.4)];
        let close = [(510, 0.5), (490, 0.4)];
        let disagreeing = [(600, 0.5), (400, 0.6)];
        // clear: the soft time, or earlier if the second cannot overtake
        for (seconds, stops) in [(1.0, false), (3.0, false), (3.4, true), (4.0, true)] {
            check(&clear, seconds, stops);
        }
        // unclear: the hard time, or earlier if the second cannot overtake
        for (seconds, stops) in [(4.0, false), (8.0, false), (9.9, true), (10.0, true)] {
            check(&disagreeing, seconds, stops);
        }
        check(&close, 9.0, false);
        check(&close, 10.0, true);
        // a single move
        check(&[(1, 0.5)], 0.001, true);
        check(&[(1, 0.5)], 0.0, true);
        // no simulations, or no moves
        check(&[(0, 0.0), (0, 0.0)], 0.0, false);
        check(&[(0, 0.0), (0, 0.0)], 1.0, false);
        check(&[], 0.0, false);
        check(&[], 4.0, true);
    }

    #[test]
    fn a_few_simulations_show_no_rate() {
        // a kept tree of 1,000 visits, and one simulation that took long to begin
        let found = ranking(&[(772, 0.5), (252, 0.4)]);
        let is_spent = |elapsed, setup_time, simulations| {
            let [elapsed, setup_time] = [elapsed, setup_time].map(Duration::from_millis);
            is_budget_spent(found, TimeBudget::new(1.92, 3.0), SearchPace { elapsed, setup_time, simulations })
        };
        assert!(!is_spent(20, 0, 1));
        assert!(!is_spent(99, 0, 1));
        assert!(is_spent(100, 0, 1));
        assert!(!is_spent(1000, 950, 1));
        // 500 a second: 812 visits at the end, 502 of them if half of the time was spent
        assert!(!is_spent(200, 100, 50));
        assert!(is_spent(1060, 100, 480));
    }

    #[test]
    fn time_that_cannot_be_saved_is_used() {
        let check = |candidates: &[(u64, f64)], seconds, stops| {
            assert_stops(TimeBudget::new(4.0, 10.0).with_expiring_time(), candidates, seconds, stops);
        };
        // the second could not overtake after 3.4 seconds
        let clear = [(600, 0.5), (400, 0.4)];
        for (seconds, stops) in [(1.0, false), (3.4, false), (3.9, false), (4.0, true)] {
            check(&clear, seconds, stops);
        }
        let unclear = [(600, 0.5), (400, 0.6)];
        for (seconds, stops) in [(4.0, false), (8.0, false), (9.9, true)] {
            check(&unclear, seconds, stops);
        }
        check(&[(1, 0.5)], 0.001, true);
    }

    #[test]
    fn expiring_time_stays_so_when_capped_or_shortened() {
        let budget = TimeBudget::new(4.0, 10.0).with_expiring_time();
        assert!(budget.unused_time_expires && budget.soft == Duration::from_secs(4));
        assert_eq!(budget.capped(1.5), TimeBudget::new(1.5, 1.5).with_expiring_time());
        assert_eq!(budget.shortened_by(Duration::from_secs(1)), TimeBudget::new(3.0, 9.0).with_expiring_time());
        assert_eq!(TimeBudget::new(4.0, 10.0).capped(1.5), TimeBudget::new(1.5, 1.5));
    }
}
