//! How long to think about a move: arithmetic on what the clock shows, without reading one.
//!
//! All quantities are seconds in `f64` until the answer. A move costs what was allotted and a bit more: the answer has to
//! travel. The [`Lag`] is the most that this may be; it is held back from this move always, and from the moves to come
//! where they are paid from the same time.

use crate::player::clock::{Budget, Overtime};
use crate::search::TimeBudget;

/// Seconds that a move costs beyond what is allotted, at most.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lag {
    /// The move in hand.
    pub now: f64,
    /// As a rule the moves to come.
    pub usual: f64,
}

/// How far the game has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Phase {
    /// Points of the board.
    pub area: usize,
    /// Moves made so far, of both players.
    pub moves_played: usize,
    /// Points without a stone.
    pub empty: usize,
}

/// Seconds for a few playouts: what a move gets where there is no time.
const LEAST: f64 = 0.002;

/// How many times the usual an unclear choice may take.
const STRETCH: f64 = 3.0;

/// How many times what overtime gives a move is spent on each while main time lasts. If doubling the time of a move always
/// gains the same, e times is best: with more, too few moves have it; with less, they have little beyond overtime.
const OVERTIMES: f64 = std::f64::consts::E;

/// How long to think about a move. `seconds` holds where there is no limit.
///
/// No game is lost on time, even where all moves take `most` and then as much as `lag`, unless `lag` alone would
/// eat up half of the time in a long game: then a move is made almost at once, and the rest is hope.
pub fn allot(budget: Option<Budget>, seconds: f64, lag: Lag, phase: Phase) -> TimeBudget {
    let lag = Lag { now: lag.now.max(0.0), usual: lag.usual.max(0.0) };
    let Some(Budget { main, overtime }) = budget else {
        return TimeBudget::new(seconds, seconds);
    };
    match overtime {
        Overtime::None => from_main(main, lag, 0.0, phase),
        Overtime::Canadian { seconds, stones } if main <= 0.0 => within_stretch(seconds, f64::from(stones), lag),
        Overtime::ByoYomi { seconds, .. } if main <= 0.0 => TimeBudget::new(seconds - lag.now, seconds - lag.now),
        Overtime::Canadian { seconds, stones } => {
            let stones = f64::from(stones.max(1));
            before_overtime(main, (seconds - lag.usual * stones) / stones, lag, phase)
        }
        Overtime::ByoYomi { seconds, .. } => before_overtime(main, seconds - lag.usual, lag, phase),
        Overtime::Fischer { increment, max_per_move } => {
            let budget = from_main(main, lag, increment, phase);
            match max_per_move {
                Some(cap) => budget.capped(cap - lag.now),
                None => budget,
            }
        }
    }
}

/// Time that must do for the rest of the game, and grows by `increment` with every move.
fn from_main(main: f64, lag: Lag, increment: f64, phase: Phase) -> TimeBudget {
    let now = main - lag.now;
    // what the moves to come cost beyond what they bring, were the game a long one
    let moves = phase.moves_at_most();
    let costs = (lag.usual + LEAST - increment).max(0.0) * (moves - 1.0);
    let spare = now - costs;
    // where that is nearly all there is, a part is used all the same: long games are rare, and the lag is the worst case
    let share = (spare / phase.shares()).max(0.2 * now / moves);
    // but an unclear choice takes nothing from it
    let stretched = (share * STRETCH).min((spare - 0.3 * costs) * 0.3).max(share);
    let gain = (increment - lag.usual).max(0.0);
    TimeBudget::new(share + gain, stretched + gain).capped(now)
}

/// Main time after which a move may take `after` for nothing.
fn before_overtime(main: f64, after: f64, lag: Lag, phase: Phase) -> TimeBudget {
    // overtime too short to think in is no help
    if after <= LEAST {
        return from_main(main, lag, 0.0, phase);
    }
    let usual = ((main - lag.now) / phase.shares()).max(after * OVERTIMES);
    TimeBudget::new(usual, usual * STRETCH).capped(main + after + lag.usual - lag.now)
}

/// The seconds left of a stretch in which `stones` moves are to be made. The last move takes all that is left: it would be
/// lost.
fn within_stretch(seconds: f64, stones: f64, lag: Lag) -> TimeBudget {
    let stones = stones.max(1.0);
    let free = seconds - lag.now - (lag.usual + LEAST) * (stones - 1.0);
    TimeBudget::new(free / stones, free * 2.0 / (stones + 1.0))
}

impl Phase {
    /// Moves made so far; a position that was set up counts as played.
    fn moves(self) -> f64 {
        self.moves_played.max(self.area.saturating_sub(self.empty)) as f64
    }

    /// Moves that a player still makes as a rule: games end when three quarters of the board are full, or a while later.
    fn moves_left(self) -> usize {
        let area = self.area.max(1);
        (self.empty.min(area).saturating_sub(area / 4) / 2).max(10 + area / 20)
    }

    /// Moves that a player still makes in a game longer than nearly all are, at least 50.
    fn moves_at_most(self) -> f64 {
        ((self.area as f64 * 1.2 + 60.0 - self.moves()) / 2.0).max(50.0)
    }

    /// How many moves as important as this one a player still makes.
    fn shares(self) -> f64 {
        let area = self.area.max(1) as f64;
        let played = self.moves();
        let all: f64 = (0..self.moves_left()).map(|number| importance((played + 2.0 * number as f64) / area)).sum();
        all / importance(played / area)
    }
}

/// What a move is worth thinking about when this part of the board's points has been played: most where the fights are.
fn importance(part: f64) -> f64 {
    const OPENING: f64 = 0.7;
    const MIDDLE: f64 = 1.2;
    const END: f64 = 0.5;
    let between = |from: f64, to: f64| ((part - from) / (to - from)).clamp(0.0, 1.0);
    OPENING + (MIDDLE - OPENING) * between(0.04, 0.1) + (END - MIDDLE) * between(0.45, 0.75)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use std::time::Duration;

    use super::*;
    use crate::kernel::Color;
    use crate::player::clock::{Clock, TimeSettings};
    use crate::search::limits::MAX_SECONDS;

    fn phase(area: usize, plies: usize) -> Phase {
        // a fifth of the stones comes off
        Phase { area, moves_played: plies, empty: area.saturating_sub(plies - plies / 5) }
    }

    /// The same for every move.
    fn steady(lag: f64) -> Lag {
        Lag { now: lag, usual: lag }
    }

    fn seconds(budget: Option<Budget>, lag: f64, plies: usize) -> (f64, f64) {
        let TimeBudget { soft, hard } = allot(budget, 5.0, steady(lag), phase(361, plies));
        (soft.as_secs_f64(), hard.as_secs_f64())
    }

    /// A clock as a server keeps it.
    #[derive(Clone, Copy, Debug)]
    struct Referee {
        settings: TimeSettings,
        main: f64,
        /// Seconds left of the stretch or period, and how many moves or periods are left.
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

        /// What the clock shows, as `time_left` tells it.
        fn reading(&self) -> (f64, u32) {
            if self.main > 0.0 || self.overtime.1 == 0 { (self.main, 0) } else { self.overtime }
        }

        /// Takes the time of a move; whether the player may go on.
        fn take(&mut self, time: f64) -> bool {
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

    /// Plays one player's moves of a game of so many plies. `spend` says what a move takes of its allotment.
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
            let budget = clock.remaining(Color::Black);
            let budget = allot(budget, 5.0, steady(lag), phase(area, ply));
            assert!(budget.hard >= budget.soft, "{settings:?} {budget:?}");
            let time = spend(budget);
            let before = referee;
            assert!(
                referee.take(time),
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
                // whatever is taken of what is allowed; the most at its dearest; the usual; almost nothing
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
    fn the_time_is_used() {
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
        // a stretch of overtime is used up
        let mut spent = 0.0;
        play(TimeSettings::canadian(0.0, 60.0, 10), 0.1, (361, 20), true, |budget| {
            spent += usual(budget);
            usual(budget)
        });
        assert!((58.0..60.0).contains(&spent), "{spent}");
    }

    #[test]
    fn most_in_the_middle_game() {
        let main = 600.0;
        let budget = Some(Budget { main, overtime: Overtime::None });
        let at = |plies| seconds(budget, 0.1, plies);
        assert!(at(0).0 < at(60).0 && (2.0..4.0).contains(&at(0).0), "{:?}", at(0));
        assert!((4.0..8.0).contains(&at(60).0), "{:?}", at(60));
        assert!(at(60).1 > 2.0 * at(60).0 && at(60).1 < 0.1 * main, "{:?}", at(60));
        // a position that was set up is as far as it looks
        let set_up = Phase { moves_played: 0, ..phase(361, 60) };
        let played = Phase { moves_played: 361 - set_up.empty, ..set_up };
        assert_eq!(allot(budget, 5.0, steady(0.1), set_up), allot(budget, 5.0, steady(0.1), played));
    }

    #[test]
    fn one_late_move_is_no_habit() {
        let budget = Some(Budget { main: 30.0, overtime: Overtime::None });
        let soft = |lag| allot(budget, 5.0, lag, phase(361, 200)).soft.as_secs_f64();
        let in_time = soft(steady(0.1));
        let once_late = soft(Lag { now: 0.4, usual: 0.13 });
        assert!(once_late > 0.6 * in_time && once_late < in_time, "{once_late} {in_time}");
        assert!(soft(steady(0.4)) < 0.3 * in_time);
        // in overtime the move in hand is nobody else's
        let byo_yomi =
            Some(Budget { main: 0.0, overtime: Overtime::ByoYomi { seconds: 5.0, period: 5.0, periods: 1 } });
        assert_eq!(allot(byo_yomi, 5.0, Lag { now: 1.0, usual: 0.1 }, phase(361, 200)).hard.as_secs_f64(), 4.0);
        let main = Some(Budget { main: 1.0, overtime: Overtime::ByoYomi { seconds: 5.0, period: 5.0, periods: 1 } });
        assert_eq!(allot(main, 5.0, Lag { now: 1.0, usual: 0.1 }, phase(361, 200)).hard.as_secs_f64(), 5.0);
    }

    #[test]
    fn what_each_system_gives() {
        let canadian = |main, seconds, stones| Some(Budget { main, overtime: Overtime::Canadian { seconds, stones } });
        let byo_yomi =
            |main, seconds| Some(Budget { main, overtime: Overtime::ByoYomi { seconds, period: seconds, periods: 3 } });
        let fischer = |main, increment, max_per_move| {
            Some(Budget { main, overtime: Overtime::Fischer { increment, max_per_move } })
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

    #[test]
    fn without_time_a_move_is_made_at_once() {
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
                        let TimeBudget { soft, hard } = allot(Some(Budget { main, overtime }), 5.0, steady(lag), phase);
                        assert_eq!((soft, hard), (least, least), "{main} {overtime:?} {lag}");
                    }
                }
            }
        }
        assert_eq!(seconds(Some(Budget { main: 0.05, overtime: Overtime::None }), 0.1, 0).1, 0.002);
        // time without end is no fault
        let endless = Some(Budget { main: f64::MAX, overtime: Overtime::None });
        assert_eq!(seconds(endless, 0.1, 0), (MAX_SECONDS, MAX_SECONDS));
        assert_eq!(allot(None, f64::NAN, steady(0.1), phase(361, 0)).hard, least);
    }
}
