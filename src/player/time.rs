//! Time management: the budget of a search from the remaining time, without reading a clock.
//!
//! Times are seconds as `f64`. A move costs its search time and a little more, for communication and because a busy
//! machine stops late. [`LagBuffer`] is that extra time; it is reserved for this move, and for later moves that are
//! paid from the same time.
//!
//! The soft limit ends a search whose best move is clear, the hard limit any search. Shares of main time follow the
//! usual scheme of dividing by an expected number of moves, with more time in the middle game: S.-C. Huang, R. Coulom,
//! S.-S. Lin, "Time Management for Monte-Carlo Tree Search Applied to the Game of Go", TAAI 2010.

use std::time::Duration;

use crate::player::clock::{Overtime, RemainingTime};
use crate::search::TimeBudget;
use crate::search::limits::MIN_SECONDS;

/// Seconds reserved for a move beyond its search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LagBuffer {
    /// For the current move.
    pub now: f64,
    /// For each later move, on average.
    pub usual: f64,
}

/// Upper limit of a recorded overrun: a greater one comes from a clock that jumped or a suspended machine.
const MAX_OVERRUN: Duration = Duration::from_secs(1);

/// The time of recent moves beyond the hard limits of their budgets.
#[derive(Clone, Copy, Default, Debug)]
pub struct OverrunTracker {
    /// The greatest overrun, less 10% for each move since.
    peak: Duration,
    /// The exponential moving average, with a weight of 10% for the last move.
    mean: Duration,
}

impl OverrunTracker {
    /// Records a move's time beyond its hard limit, zero if it kept to it:
    ///
    /// ```text
    /// peak = max(0.9 · peak, overrun)        mean = 0.9 · mean + 0.1 · overrun
    /// ```
    pub(super) fn note(&mut self, overrun: Duration) {
        let overrun = overrun.min(MAX_OVERRUN);
        self.peak = (self.peak * 9 / 10).max(overrun);
        self.mean = (self.mean * 9 + overrun) / 10;
    }

    /// The time to reserve: the configured lag in seconds and the peak overrun for the current move, the lag and the
    /// mean overrun for later ones.
    pub fn added_to(self, lag_buffer: f64) -> LagBuffer {
        LagBuffer { now: lag_buffer + self.peak.as_secs_f64(), usual: lag_buffer + self.mean.as_secs_f64() }
    }
}

/// The progress of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Phase {
    /// Points of the board.
    pub area: usize,
    /// Moves of both players so far.
    pub moves_played: usize,
    /// Points without a stone.
    pub empty: usize,
}

/// Ratio of the hard to the soft limit.
const HARD_RATIO: f64 = 3.0;

/// While main time lasts, a move takes at least this multiple of its overtime. If each doubling of a move's time gains
/// the same strength, main time `m` spent as `x` times the overtime `b` gives `m / (x·b)` moves a gain of `ln x` each.
/// The total, proportional to `ln x / x`, is greatest at `x = e`.
const OVERTIME_MULTIPLE: f64 = std::f64::consts::E;

/// The budget of a search. `seconds` is its length where no time limit holds, `lag` the time to reserve.
///
/// No game is lost on time, even if every move takes the hard limit and then all of `lag`, with one exception: if `lag`
/// alone would use up half of the time of a long game, moves are played almost at once, and the game may still be lost.
pub(crate) fn allot(remaining: Option<RemainingTime>, seconds: f64, lag: LagBuffer, phase: Phase) -> TimeBudget {
    let lag = LagBuffer { now: lag.now.max(0.0), usual: lag.usual.max(0.0) };
    let Some(RemainingTime { main, overtime }) = remaining else {
        return TimeBudget::new(seconds, seconds);
    };
    match overtime {
        Overtime::None => from_main_time(main, lag, 0.0, phase),
        Overtime::Canadian { seconds, stones } if main <= 0.0 => {
            within_canadian_period(seconds, f64::from(stones), lag)
        }
        Overtime::ByoYomi { seconds, .. } if main <= 0.0 => TimeBudget::new(seconds - lag.now, seconds - lag.now),
        Overtime::Canadian { seconds, stones } => {
            let stones = f64::from(stones.max(1));
            before_overtime(main, (seconds - lag.usual * stones) / stones, lag, phase)
        }
        Overtime::ByoYomi { seconds, .. } => before_overtime(main, seconds - lag.usual, lag, phase),
        Overtime::Fischer { increment, max_per_move } => {
            let budget = from_main_time(main, lag, increment, phase);
            match max_per_move {
                Some(max) => budget.capped(max - lag.now),
                None => budget,
            }
        }
    }
}

/// The budget from main time that has to last for the rest of the game and grows by `increment` with each move:
///
/// ```text
/// now   = main - lag.now
/// costs = max(0, lag.usual + MIN_SECONDS - increment) · (max_moves - 1)        what later moves cost in a long game
/// spare = now - costs
/// share = max(spare / shares, 0.2 · now / max_moves)
/// gain  = max(0, increment - lag.usual)
/// soft  = share + gain
/// hard  = max(share, min(3 · share, 0.3 · (spare - 0.3 · costs))) + gain       both at most `now`
/// ```
///
/// with `max_moves` from [`Phase::max_moves_left`] and `shares` from [`Phase::shares`]. The lower bound of `share` uses
/// some time even where lag could consume all of it, because long games are rare and the lag is a worst case; there the
/// hard limit equals the soft one.
fn from_main_time(main: f64, lag: LagBuffer, increment: f64, phase: Phase) -> TimeBudget {
    let now = main - lag.now;
    let moves = phase.max_moves_left();
    let costs = (lag.usual + MIN_SECONDS - increment).max(0.0) * (moves - 1.0);
    let spare = now - costs;
    let share = (spare / phase.shares()).max(0.2 * now / moves);
    let stretched = (share * HARD_RATIO).min((spare - 0.3 * costs) * 0.3).max(share);
    let gain = (increment - lag.usual).max(0.0);
    TimeBudget::new(share + gain, stretched + gain).capped(now)
}

/// The budget from main time after which each move has `after` seconds of overtime, lag subtracted:
///
/// ```text
/// soft = max((main - lag.now) / shares, e · after)
/// hard = 3 · soft                                        both at most `main + after + lag.usual - lag.now`
/// ```
fn before_overtime(main: f64, after: f64, lag: LagBuffer, phase: Phase) -> TimeBudget {
    // overtime too short for a search counts as none
    if after <= MIN_SECONDS {
        return from_main_time(main, lag, 0.0, phase);
    }
    let soft = ((main - lag.now) / phase.shares()).max(after * OVERTIME_MULTIPLE);
    TimeBudget::new(soft, soft * HARD_RATIO).capped(main + after + lag.usual - lag.now)
}

/// The budget from a period of Canadian overtime with `seconds` left for `stones` moves:
///
/// ```text
/// free = seconds - lag.now - (lag.usual + MIN_SECONDS) · (stones - 1)
/// soft = free / stones        hard = 2 · free / (stones + 1)
/// ```
///
/// The last move takes all of the rest, which would be lost.
fn within_canadian_period(seconds: f64, stones: f64, lag: LagBuffer) -> TimeBudget {
    let stones = stones.max(1.0);
    let free = seconds - lag.now - (lag.usual + MIN_SECONDS) * (stones - 1.0);
    TimeBudget::new(free / stones, free * 2.0 / (stones + 1.0))
}

impl Phase {
    /// Moves played so far; stones of a position that was set up count as played.
    fn moves(self) -> f64 {
        self.moves_played.max(self.area.saturating_sub(self.empty)) as f64
    }

    /// Expected number of moves of one player until the end, when three quarters of the board are full:
    /// `max((empty - area / 4) / 2, 10 + area / 20)` in whole numbers.
    fn moves_left(self) -> usize {
        let area = self.area.max(1);
        (self.empty.min(area).saturating_sub(area / 4) / 2).max(10 + area / 20)
    }

    /// Number of moves of one player until the end of a very long game: `(1.2 · area + 60 - moves) / 2`, at least 50.
    fn max_moves_left(self) -> f64 {
        ((self.area as f64 * 1.2 + 60.0 - self.moves()) / 2.0).max(50.0)
    }

    /// The number of shares that main time is divided into: the sum of the [`importance`] of this and later moves of
    /// one player, relative to that of this move.
    fn shares(self) -> f64 {
        let area = self.area.max(1) as f64;
        let played = self.moves();
        let all: f64 = (0..self.moves_left()).map(|number| importance((played + 2.0 * number as f64) / area)).sum();
        all / importance(played / area)
    }
}

/// The relative time of a move after `progress` moves per point of the board. Piecewise linear: 0.7 in the opening up
/// to 0.04, 1.2 in the middle game from 0.1 to 0.45, 0.5 in the endgame from 0.75.
fn importance(progress: f64) -> f64 {
    const OPENING: f64 = 0.7;
    const MIDDLE: f64 = 1.2;
    const END: f64 = 0.5;
    let between = |from: f64, to: f64| ((progress - from) / (to - from)).clamp(0.0, 1.0);
    OPENING + (MIDDLE - OPENING) * between(0.04, 0.1) + (END - MIDDLE) * between(0.45, 0.75)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::kernel::Color;
    use crate::player::clock::{Clock, TimeSettings};
    use crate::search::limits::MAX_SECONDS;

    fn phase(area: usize, plies: usize) -> Phase {
        // a fifth of the stones comes off
        Phase { area, moves_played: plies, empty: area.saturating_sub(plies - plies / 5) }
    }

    /// The same lag for every move.
    fn steady(lag: f64) -> LagBuffer {
        LagBuffer { now: lag, usual: lag }
    }

    fn seconds(budget: Option<RemainingTime>, lag: f64, plies: usize) -> (f64, f64) {
        let TimeBudget { soft, hard } = allot(budget, 5.0, steady(lag), phase(361, plies));
        (soft.as_secs_f64(), hard.as_secs_f64())
    }

    /// A clock as a game server keeps it.
    #[derive(Clone, Copy, Debug)]
    struct Referee {
        settings: TimeSettings,
        main: f64,
        /// Seconds left of the overtime period, and the moves or periods left.
        overtime: (f64, u32),
        periods_lost: u32,
    }

    impl Referee {
        fn new(settings: TimeSettings) -> Referee {
            let (main, overtime) = match settings {
                TimeSettings::None => (f64::INFINITY, (0.0, 0)),
                TimeSettings::Absolute { main } | TimeSettings::Fischer { main, .. } => (main, (0.0, 0)),
                TimeSettings::Canadian { main, byo, stones } => (main, (byo, stones)),
                TimeSettings::ByoYomi { main, period, periods } => (main, (period, periods)),
            };
            Referee { settings, main, overtime, periods_lost: 0 }
        }

        /// The arguments of `time_left`.
        fn reading(&self) -> (f64, u32) {
            if self.main > 0.0 || self.overtime.1 == 0 { (self.main, 0) } else { self.overtime }
        }

        /// Subtracts the time of a move. Returns whether the player has not lost on time.
        fn subtract(&mut self, time: f64) -> bool {
            let over = (time - self.main).max(0.0);
            self.main = (self.main - time).max(0.0);
            match self.settings {
                TimeSettings::None => true,
                TimeSettings::Absolute { .. } => over <= 0.0,
                TimeSettings::Canadian { byo, stones, .. } => {
                    if self.main <= 0.0 {
                        self.overtime.0 -= over;
                        self.overtime.1 -= 1;
                        if self.overtime.0 < 0.0 {
                            return false;
                        }
                        if self.overtime.1 == 0 {
                            self.overtime = (byo, stones);
                        }
                    }
                    true
                }
                TimeSettings::ByoYomi { period, .. } => {
                    let lost = (over / period) as u32;
                    self.periods_lost += lost;
                    self.overtime.1 = self.overtime.1.saturating_sub(lost);
                    self.overtime.1 > 0
                }
                TimeSettings::Fischer { increment, limit, max_per_move, .. } => {
                    let added = self.main + increment;
                    self.main = limit.map_or(added, |limit| added.min(limit.max(self.main)));
                    over <= 0.0 && max_per_move.is_none_or(|hard| time <= hard)
                }
            }
        }
    }

    fn systems() -> Vec<(TimeSettings, f64)> {
        let fischer =
            |main, increment, limit, max_per_move| TimeSettings::Fischer { main, increment, limit, max_per_move };
        let mut systems = Vec::new();
        for main in [45.0, 60.0, 300.0, 900.0, 1800.0] {
            systems.push((TimeSettings::Absolute { main }, 0.1));
        }
        systems.push((TimeSettings::Absolute { main: 10.0 }, 0.025));
        for main in [0.0, 10.0, 600.0] {
            for periods in [1, 5] {
                systems.push((TimeSettings::byo_yomi(main, 0.2, periods), 0.1));
                systems.push((TimeSettings::byo_yomi(main, 10.0, periods), 0.5));
                systems.push((TimeSettings::byo_yomi(main, 30.0, periods), 1.0));
            }
            for (byo, stones) in [(60.0, 10), (300.0, 25), (10.0, 1), (5.0, 25), (3.0, 25)] {
                systems.push((TimeSettings::canadian(main, byo, stones), 0.1));
            }
        }
        for (main, increment) in
            [(10.0, 0.2), (60.0, 5.0), (300.0, 10.0), (5.0, 0.1), (60.0, 0.05), (1.0, 1.0), (30.0, 0.0)]
        {
            systems.push((fischer(main, increment, None, None), 0.1));
            systems.push((fischer(main, increment, Some(main), Some(20.0)), 0.1));
            systems.push((fischer(main, increment, None, Some(0.5)), 0.1));
        }
        systems
    }

    /// Plays the moves of one player in a game of `plies` moves on `area` points. `spend` chooses the time of a move
    /// from its budget.
    #[track_caller]
    fn play(
        settings: TimeSettings,
        lag: f64,
        (area, plies): (usize, usize),
        has_readings: bool,
        mut spend: impl FnMut(TimeBudget) -> f64,
    ) -> Referee {
        let mut referee = Referee::new(settings);
        let mut clock = Clock::default();
        clock.set(settings);
        for ply in (0..plies).step_by(2) {
            if has_readings {
                let (seconds, count) = referee.reading();
                clock.read(Color::Black, seconds, count);
            }
            let remaining = clock.remaining(Color::Black);
            let budget = allot(remaining, 5.0, steady(lag), phase(area, ply));
            assert!(budget.hard >= budget.soft, "{settings:?} {budget:?}");
            let time = spend(budget);
            let before = referee;
            assert!(
                referee.subtract(time),
                "{settings:?} lag {lag} lost at {ply} of {plies} by {time}: {before:?}, {budget:?}"
            );
            if !has_readings {
                clock.spend(Color::Black, time);
            }
        }
        assert_eq!(referee.periods_lost, 0, "{settings:?}");
        referee
    }

    #[test]
    fn no_game_is_lost_on_time() {
        let mut random = Rng::with_seed(1);
        for (settings, lag) in systems() {
            for game in [(361, 50), (361, 150), (361, 250), (361, 350), (361, 450), (81, 50), (81, 150)] {
                // random times; the hard limit with all lag; the soft limit; almost nothing
                for has_readings in [true, false] {
                    for _ in 0..3 {
                        play(settings, lag, game, has_readings, |budget| {
                            random.f64() * (budget.hard.as_secs_f64() + random.f64() * lag)
                        });
                    }
                    play(settings, lag, game, has_readings, |budget| budget.hard.as_secs_f64() + lag * 0.999);
                    play(settings, lag, game, has_readings, |budget| budget.soft.as_secs_f64() + random.f64() * lag);
                    play(settings, lag, game, has_readings, |_| random.f64() * lag);
                }
            }
        }
    }

    #[test]
    fn main_time_is_used_up() {
        let usual = |budget: TimeBudget| budget.soft.as_secs_f64();
        for (main, lag, least) in [(10.0, 0.02, 0.6), (60.0, 0.1, 0.65), (600.0, 0.1, 0.85), (1800.0, 0.1, 0.85)] {
            let left = play(TimeSettings::Absolute { main }, lag, (361, 250), true, usual).main;
            assert!(1.0 - left / main >= least, "{left} of {main} left");
            assert!(left / main > 0.02, "{left} of {main} left");
        }
        let left = play(TimeSettings::Absolute { main: 300.0 }, 0.1, (81, 60), true, usual).main;
        assert!(1.0 - left / 300.0 >= 0.85, "{left} of 300 left on 9x9");
        // overtime is reached before the middle game is over
        for settings in [TimeSettings::byo_yomi(600.0, 10.0, 5), TimeSettings::canadian(600.0, 60.0, 10)] {
            assert_eq!(play(settings, 0.1, (361, 150), true, usual).main, 0.0, "{settings:?}");
        }
        let fischer = TimeSettings::Fischer { main: 60.0, increment: 5.0, limit: None, max_per_move: None };
        assert!(play(fischer, 0.1, (361, 250), true, usual).main < 20.0);
        // a Canadian period is used up
        let mut spent = 0.0;
        play(TimeSettings::canadian(0.0, 60.0, 10), 0.1, (361, 20), true, |budget| {
            spent += usual(budget);
            usual(budget)
        });
        assert!((58.0..60.0).contains(&spent), "{spent}");
    }

    #[test]
    fn the_middle_game_gets_most_time() {
        let main = 600.0;
        let budget = Some(RemainingTime { main, overtime: Overtime::None });
        let at = |plies| seconds(budget, 0.1, plies);
        assert!(at(0).0 < at(60).0 && (2.0..4.0).contains(&at(0).0), "{:?}", at(0));
        assert!((4.0..8.0).contains(&at(60).0), "{:?}", at(60));
        assert!(at(60).1 > 2.0 * at(60).0 && at(60).1 < 0.1 * main, "{:?}", at(60));
        // stones that were set up count as moves
        let set_up = Phase { moves_played: 0, ..phase(361, 60) };
        let played = Phase { moves_played: 361 - set_up.empty, ..set_up };
        assert_eq!(allot(budget, 5.0, steady(0.1), set_up), allot(budget, 5.0, steady(0.1), played));
    }

    #[test]
    fn a_single_overrun_changes_little() {
        let budget = Some(RemainingTime { main: 30.0, overtime: Overtime::None });
        let soft = |lag| allot(budget, 5.0, lag, phase(361, 200)).soft.as_secs_f64();
        let in_time = soft(steady(0.1));
        let once_late = soft(LagBuffer { now: 0.4, usual: 0.13 });
        assert!(once_late > 0.6 * in_time && once_late < in_time, "{once_late} {in_time}");
        assert!(soft(steady(0.4)) < 0.3 * in_time);
        // a byo-yomi period pays for the current move only
        let byo_yomi =
            Some(RemainingTime { main: 0.0, overtime: Overtime::ByoYomi { seconds: 5.0, period: 5.0, periods: 1 } });
        assert_eq!(allot(byo_yomi, 5.0, LagBuffer { now: 1.0, usual: 0.1 }, phase(361, 200)).hard.as_secs_f64(), 4.0);
        let main =
            Some(RemainingTime { main: 1.0, overtime: Overtime::ByoYomi { seconds: 5.0, period: 5.0, periods: 1 } });
        assert_eq!(allot(main, 5.0, LagBuffer { now: 1.0, usual: 0.1 }, phase(361, 200)).hard.as_secs_f64(), 5.0);
    }

    #[test]
    fn budgets_of_each_time_system() {
        let canadian =
            |main, seconds, stones| Some(RemainingTime { main, overtime: Overtime::Canadian { seconds, stones } });
        let byo_yomi = |main, seconds| {
            Some(RemainingTime { main, overtime: Overtime::ByoYomi { seconds, period: seconds, periods: 3 } })
        };
        let fischer = |main, increment, max_per_move| {
            Some(RemainingTime { main, overtime: Overtime::Fischer { increment, max_per_move } })
        };
        let lag = 0.5;
        let check = |budget, low: f64, high: f64, hard: f64| {
            let found = seconds(budget, lag, 60);
            assert!((low..=high).contains(&found.0) && found.1 <= hard, "{budget:?}: {found:?}");
        };
        check(None, 5.0, 5.0, 5.0);
        check(byo_yomi(0.0, 10.0), 9.5, 9.5, 9.5);
        check(byo_yomi(5.0, 10.0), 14.5, 14.5, 14.5);
        check(byo_yomi(60.0, 10.0), 25.0, 26.0, 69.5);
        check(byo_yomi(1800.0, 1.0), 15.0, 30.0, 100.0);
        check(canadian(0.0, 60.0, 10), 5.4, 5.5, 10.0);
        check(canadian(0.0, 60.0, 1), 59.5, 59.5, 59.5);
        check(canadian(0.0, 9.0, 2), 3.9, 4.0, 6.0);
        check(canadian(600.0, 60.0, 10), 14.9, 15.0, 45.0);
        check(fischer(10.0, 5.0, None), 4.5, 5.0, 9.5);
        check(fischer(2.0, 5.0, None), 1.5, 1.5, 1.5);
        check(fischer(600.0, 5.0, Some(3.0)), 2.5, 2.5, 2.5);
    }

    /// Budgets that a separate program computed from the formulas in the comments of this module.
    #[test]
    fn budgets_equal_their_formulas() {
        let lag = LagBuffer { now: 0.4, usual: 0.25 };
        let byo_yomi = Overtime::ByoYomi { seconds: 10.0, period: 10.0, periods: 3 };
        let canadian = |seconds, stones| Overtime::Canadian { seconds, stones };
        let fischer = Overtime::Fischer { increment: 5.0, max_per_move: None };
        // the phases: area, moves played, empty points; the soft and hard limits in milliseconds
        let [opening, middle, end] = [(361, 0, 361), (361, 100, 270), (361, 300, 100)];
        let [long, small, set_up] = [(361, 420, 120), (81, 30, 52), (361, 10, 240)];
        for (main, overtime, phase, soft, hard) in [
            (600.0, Overtime::None, opening, 2745.595, 8236.786),
            (600.0, Overtime::None, (361, 25, 337), 3985.841, 11957.522),
            (600.0, Overtime::None, middle, 7664.433, 22993.300),
            (600.0, Overtime::None, (361, 200, 180), 17485.228, 52455.683),
            (600.0, Overtime::None, end, 20553.886, 61661.657),
            (600.0, Overtime::None, long, 20973.286, 62919.857),
            (600.0, Overtime::None, small, 47140.530, 141421.591),
            (600.0, Overtime::None, set_up, 9305.163, 27915.489),
            (20.0, Overtime::None, middle, 19.939, 19.939),
            (20.0, Overtime::None, long, 259.0, 777.0),
            (20.0, Overtime::None, small, 308.831, 308.831),
            (60.0, fischer, opening, 5054.324, 5662.971),
            (60.0, fischer, middle, 5580.080, 7240.239),
            (60.0, fischer, end, 6878.571, 11135.714),
            (60.0, fischer, small, 9562.361, 19187.083),
            (600.0, byo_yomi, middle, 26503.248, 79509.743),
            (600.0, byo_yomi, small, 48414.288, 145242.864),
            (900.0, canadian(30.0, 5), middle, 15630.121, 46890.362),
            (900.0, canadian(30.0, 5), end, 32128.571, 96385.714),
            (0.0, canadian(60.0, 10), middle, 5733.2, 10424.0),
            (0.0, canadian(30.0, 4), middle, 7211.0, 11537.6),
        ] {
            let (area, moves_played, empty) = phase;
            let remaining = Some(RemainingTime { main, overtime });
            let budget = allot(remaining, 5.0, lag, Phase { area, moves_played, empty });
            for (found, expected) in [(budget.soft, soft), (budget.hard, hard)] {
                let found = found.as_secs_f64() * 1000.0;
                assert!((found - expected).abs() < 0.01, "{main} {overtime:?} {phase:?}: {found}, not {expected}");
            }
        }
    }

    #[test]
    fn overruns_are_reserved_and_fade() {
        let mut tracker = OverrunTracker::default();
        let reserved = |tracker: OverrunTracker| {
            let LagBuffer { now, usual } = tracker.added_to(0.1);
            [now, usual].map(|seconds| (seconds * 1000.0).round())
        };
        assert_eq!(reserved(tracker), [100.0, 100.0]);
        // a long overrun counts as one second
        for (overrun, expected) in
            [(400, [500.0, 140.0]), (0, [460.0, 136.0]), (9000, [1100.0, 232.0]), (500, [1000.0, 269.0])]
        {
            tracker.note(Duration::from_millis(overrun));
            assert_eq!(reserved(tracker), expected, "after {overrun} ms");
        }
    }

    #[test]
    fn no_time_gives_the_minimum_budget() {
        let none = [
            Overtime::None,
            Overtime::Canadian { seconds: 0.0, stones: 5 },
            Overtime::Canadian { seconds: 0.0, stones: 0 },
            Overtime::ByoYomi { seconds: 0.0, period: 10.0, periods: 1 },
            Overtime::Fischer { increment: 0.0, max_per_move: None },
            Overtime::Fischer { increment: 10.0, max_per_move: Some(0.0) },
        ];
        let least = Duration::from_millis(2);
        for overtime in none {
            for main in [0.0, -1.0, f64::NAN] {
                for lag in [0.0, 0.1, f64::NAN] {
                    for phase in [phase(361, 0), phase(4, 500), Phase { area: 0, moves_played: 0, empty: 9 }] {
                        let TimeBudget { soft, hard } =
                            allot(Some(RemainingTime { main, overtime }), 5.0, steady(lag), phase);
                        assert_eq!((soft, hard), (least, least), "{main} {overtime:?} {lag}");
                    }
                }
            }
        }
        assert_eq!(seconds(Some(RemainingTime { main: 0.05, overtime: Overtime::None }), 0.1, 0).1, 0.002);
        // unlimited time
        let endless = Some(RemainingTime { main: f64::MAX, overtime: Overtime::None });
        assert_eq!(seconds(endless, 0.1, 0), (MAX_SECONDS, MAX_SECONDS));
        assert_eq!(allot(None, f64::NAN, steady(0.1), phase(361, 0)).hard, least);
    }
}
