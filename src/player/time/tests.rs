//! Budgets by their formulas, and whole games by the clock of a referee.

#![allow(clippy::unwrap_used)]

use fastrand::Rng;

use super::*;
use crate::kernel::Color;
use crate::player::clock::{Clock, TimeSettings};
use crate::search::limits::MAX_SECONDS;

fn progress(area: usize, plies: usize) -> GameProgress {
    // a fifth of the stones comes off
    GameProgress { area, moves_played: plies, empty: area.saturating_sub(plies - plies / 5) }
}

/// The same lag for every move.
fn steady(lag: f64) -> ReservedTime {
    ReservedTime { current: lag, later: lag }
}

fn seconds(budget: RemainingTime, lag: f64, plies: usize) -> (f64, f64) {
    let TimeBudget { soft, hard, .. } = time_budget(budget, steady(lag), progress(361, plies));
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
            TimeSettings::Canadian { main, period, stones } => (main, (period, stones)),
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
            TimeSettings::Canadian { period, stones, .. } => {
                if self.main <= 0.0 {
                    self.overtime.0 -= over;
                    self.overtime.1 -= 1;
                    if self.overtime.0 < 0.0 {
                        return false;
                    }
                    if self.overtime.1 == 0 {
                        self.overtime = (period, stones);
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
    let fischer = |main, increment, limit, max_per_move| TimeSettings::Fischer { main, increment, limit, max_per_move };
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
        for (period, stones) in [(60.0, 10), (300.0, 25), (10.0, 1), (5.0, 25), (3.0, 25)] {
            systems.push((TimeSettings::canadian(main, period, stones), 0.1));
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
            clock.set_time_left(Color::Black, seconds, count);
        }
        let remaining = clock.remaining(Color::Black).unwrap();
        let budget = time_budget(remaining, steady(lag), progress(area, ply));
        assert!(budget.hard >= budget.soft, "{settings:?} {budget:?}");
        let time = spend(budget);
        let before = referee;
        assert!(
            referee.subtract(time),
            "{settings:?} lag {lag} lost at {ply} of {plies} by {time}: {before:?}, {budget:?}"
        );
        if !has_readings {
            clock.count_move(Color::Black, time);
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
    let budget = RemainingTime { main, overtime: Overtime::None };
    let at = |plies| seconds(budget, 0.1, plies);
    assert!(at(0).0 < at(60).0 && (2.0..4.0).contains(&at(0).0), "{:?}", at(0));
    assert!((4.0..8.0).contains(&at(60).0), "{:?}", at(60));
    assert!(at(60).1 > 2.0 * at(60).0 && at(60).1 < 0.1 * main, "{:?}", at(60));
    // stones that were set up count as moves
    let set_up = GameProgress { moves_played: 0, ..progress(361, 60) };
    let played = GameProgress { moves_played: 361 - set_up.empty, ..set_up };
    assert_eq!(time_budget(budget, steady(0.1), set_up), time_budget(budget, steady(0.1), played));
}

#[test]
fn a_single_overrun_changes_little() {
    let budget = RemainingTime { main: 30.0, overtime: Overtime::None };
    let soft = |lag| time_budget(budget, lag, progress(361, 200)).soft.as_secs_f64();
    let in_time = soft(steady(0.1));
    let once_late = soft(ReservedTime { current: 0.4, later: 0.13 });
    assert!(once_late > 0.6 * in_time && once_late < in_time, "{once_late} {in_time}");
    assert!(soft(steady(0.4)) < 0.3 * in_time);
    // a byo-yomi period pays for the current move only
    let byo_yomi = RemainingTime { main: 0.0, overtime: Overtime::ByoYomi { seconds: 5.0, period: 5.0, periods: 1 } };
    assert_eq!(
        time_budget(byo_yomi, ReservedTime { current: 1.0, later: 0.1 }, progress(361, 200)).hard.as_secs_f64(),
        4.0
    );
    let main = RemainingTime { main: 1.0, overtime: Overtime::ByoYomi { seconds: 5.0, period: 5.0, periods: 1 } };
    assert_eq!(
        time_budget(main, ReservedTime { current: 1.0, later: 0.1 }, progress(361, 200)).hard.as_secs_f64(),
        5.0
    );
}

#[test]
fn time_is_used_in_full_where_its_rest_is_lost() {
    let is_full = |main: f64, overtime| {
        time_budget(RemainingTime { main, overtime }, steady(0.1), progress(361, 60)).unused_time_expires
    };
    let canadian = |stones| Overtime::Canadian { seconds: 30.0, stones };
    let byo_yomi = Overtime::ByoYomi { seconds: 30.0, period: 30.0, periods: 2 };
    let fischer = Overtime::Fischer { increment: 10.0, max_per_move: Some(20.0) };
    assert!(is_full(0.0, byo_yomi) && is_full(0.0, canadian(1)));
    for (main, overtime) in
        [(0.0, canadian(2)), (60.0, byo_yomi), (60.0, canadian(1)), (60.0, Overtime::None), (60.0, fischer)]
    {
        assert!(!is_full(main, overtime), "{main} {overtime:?}");
    }
}

#[test]
fn budgets_of_each_time_system() {
    let canadian = |main, seconds, stones| RemainingTime { main, overtime: Overtime::Canadian { seconds, stones } };
    let byo_yomi =
        |main, seconds| RemainingTime { main, overtime: Overtime::ByoYomi { seconds, period: seconds, periods: 3 } };
    let fischer =
        |main, increment, max_per_move| RemainingTime { main, overtime: Overtime::Fischer { increment, max_per_move } };
    let lag = 0.5;
    let check = |budget, low: f64, high: f64, hard: f64| {
        let found = seconds(budget, lag, 60);
        assert!((low..=high).contains(&found.0) && found.1 <= hard, "{budget:?}: {found:?}");
    };
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
    let lag = ReservedTime { current: 0.4, later: 0.25 };
    let byo_yomi = Overtime::ByoYomi { seconds: 10.0, period: 10.0, periods: 3 };
    let canadian = |seconds, stones| Overtime::Canadian { seconds, stones };
    let fischer = Overtime::Fischer { increment: 5.0, max_per_move: None };
    // the progress: area, moves played, empty points; the soft and hard limits in milliseconds
    let [opening, middle, end] = [(361, 0, 361), (361, 100, 270), (361, 300, 100)];
    let [long, small, set_up] = [(361, 420, 120), (81, 30, 52), (361, 10, 240)];
    for (main, overtime, progress, soft, hard) in [
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
        let (area, moves_played, empty) = progress;
        let remaining = RemainingTime { main, overtime };
        let budget = time_budget(remaining, lag, GameProgress { area, moves_played, empty });
        for (found, expected) in [(budget.soft, soft), (budget.hard, hard)] {
            let found = found.as_secs_f64() * 1000.0;
            assert!((found - expected).abs() < 0.01, "{main} {overtime:?} {progress:?}: {found}, not {expected}");
        }
    }
}

#[test]
fn overruns_are_reserved_and_fade() {
    let mut tracker = OverrunTracker::default();
    let reserved = |tracker: OverrunTracker| {
        let ReservedTime { current: now, later: usual } = tracker.reserved_time(0.1);
        [now, usual].map(|seconds| (seconds * 1000.0).round())
    };
    assert_eq!(reserved(tracker), [100.0, 100.0]);
    // a long overrun counts as one second
    for (overrun, expected) in
        [(400, [500.0, 140.0]), (0, [460.0, 136.0]), (9000, [1100.0, 232.0]), (500, [1000.0, 269.0])]
    {
        tracker.record(Duration::from_millis(overrun));
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
                for progress in
                    [progress(361, 0), progress(4, 500), GameProgress { area: 0, moves_played: 0, empty: 9 }]
                {
                    let TimeBudget { soft, hard, .. } =
                        time_budget(RemainingTime { main, overtime }, steady(lag), progress);
                    assert_eq!((soft, hard), (least, least), "{main} {overtime:?} {lag}");
                }
            }
        }
    }
    assert_eq!(seconds(RemainingTime { main: 0.05, overtime: Overtime::None }, 0.1, 0).1, 0.002);
    // unlimited time
    let endless = RemainingTime { main: f64::MAX, overtime: Overtime::None };
    assert_eq!(seconds(endless, 0.1, 0), (MAX_SECONDS, MAX_SECONDS));
}
