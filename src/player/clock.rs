//! The game clock: time settings, the last reading of each player's clock, and the time that remains.
//!
//! Times are seconds as `f64`, finite and not negative; callers check that. Nothing here measures time: the controller
//! keeps the clocks and sends readings (GTP version 2, section 4.2; KGS's and KataGo's extensions for other systems).

use crate::kernel::Color;

/// The time system of a game.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum TimeSettings {
    /// No limit, or no settings: the engine's own limits hold.
    #[default]
    None,
    /// Absolute time: main time without overtime.
    Absolute {
        /// Seconds for all moves.
        main: f64,
    },
    /// Canadian overtime: after the main time, a number of moves within each period. Unused time of a period is lost.
    Canadian {
        /// Seconds before overtime; 0 begins with overtime.
        main: f64,
        /// Seconds of an overtime period, more than 0.
        period: f64,
        /// Moves to make in a period, at least 1.
        stones: u32,
    },
    /// Japanese byo-yomi: after the main time, a number of periods. A period is lost only when a move takes all of it.
    ByoYomi {
        /// Seconds before overtime; 0 begins with overtime.
        main: f64,
        /// Seconds of a period, more than 0.
        period: f64,
        /// Periods at the start of overtime, at least 1.
        periods: u32,
    },
    /// Fischer time: main time that grows with every move.
    Fischer {
        /// Seconds at the start.
        main: f64,
        /// Seconds added by a move.
        increment: f64,
        /// Upper limit of main time in seconds: increments stop there.
        limit: Option<f64>,
        /// Upper limit of one move, in seconds.
        max_per_move: Option<f64>,
    },
}

impl TimeSettings {
    /// From the arguments of GTP's `time_settings`. Main time and overtime of 0 seconds mean no limit.
    pub fn gtp(main: f64, period: f64, stones: u32) -> TimeSettings {
        if main <= 0.0 && period <= 0.0 { TimeSettings::None } else { TimeSettings::canadian(main, period, stones) }
    }

    /// Canadian overtime. Overtime of 0 moves means no limit (GTP), overtime of 0 seconds means absolute time.
    pub fn canadian(main: f64, period: f64, stones: u32) -> TimeSettings {
        match (period > 0.0, stones > 0) {
            (false, _) => TimeSettings::Absolute { main },
            (true, false) => TimeSettings::None,
            (true, true) => TimeSettings::Canadian { main, period, stones },
        }
    }

    /// Whether a player has any time: without overtime, more than 0 seconds.
    pub fn has_time(&self) -> bool {
        match *self {
            TimeSettings::Absolute { main } | TimeSettings::Fischer { main, .. } => main > 0.0,
            TimeSettings::None | TimeSettings::Canadian { .. } | TimeSettings::ByoYomi { .. } => true,
        }
    }

    /// Japanese byo-yomi. With 0 periods or periods of 0 seconds it is absolute time.
    pub fn byo_yomi(main: f64, period: f64, periods: u32) -> TimeSettings {
        if period > 0.0 && periods > 0 {
            TimeSettings::ByoYomi { main, period, periods }
        } else {
            TimeSettings::Absolute { main }
        }
    }
}

/// A reading of a player's clock.
#[derive(Clone, Copy, PartialEq, Debug)]
struct ClockReading {
    /// Seconds left of the main time, or of the current overtime period.
    seconds: f64,
    /// 0 during main time. In overtime the moves to make or, under [`TimeSettings::ByoYomi`], the periods left.
    count: u32,
}

/// The time settings, and the last reading of each player's clock.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Clock {
    settings: TimeSettings,
    readings: [Option<ClockReading>; 2],
    /// Seconds of thinking about the present move that are subtracted already. They count towards the limit of one move.
    thinking_time_subtracted: [f64; 2],
}

/// The time that remains to a player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RemainingTime {
    /// Seconds of main time left; 0 in overtime.
    pub main: f64,
    /// The remaining overtime.
    pub overtime: Overtime,
}

/// The remaining overtime of a player.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Overtime {
    /// No overtime: the game is lost at the end of main time.
    None,
    /// Moves to make within the current period.
    Canadian {
        /// Seconds left of the period.
        seconds: f64,
        /// Moves left to make in it, at least 1.
        stones: u32,
    },
    /// Periods of byo-yomi.
    ByoYomi {
        /// Seconds left of the current period.
        seconds: f64,
        /// Seconds of each later period.
        period: f64,
        /// Periods left, including the current one, at least 1.
        periods: u32,
    },
    /// No overtime; main time grows with every move.
    Fischer {
        /// Seconds added by a move.
        increment: f64,
        /// Upper limit of one move, in seconds; while a player thinks, what remains of it.
        max_per_move: Option<f64>,
    },
}

impl RemainingTime {
    /// The seconds of thinking about one move after which the game is lost on time, see [`after`](Self::after).
    pub fn until_lost(self) -> f64 {
        match self.overtime {
            Overtime::None => self.main,
            Overtime::Canadian { seconds, .. } => self.main + seconds,
            Overtime::ByoYomi { seconds, period, periods } => {
                self.main + seconds + period * f64::from(periods.saturating_sub(1))
            }
            Overtime::Fischer { max_per_move, .. } => self.main.min(max_per_move.unwrap_or(f64::INFINITY)),
        }
    }

    /// The time that remains while a player has thought for `seconds` about a move that is not made yet; `None` if the
    /// game is lost on time.
    pub fn after(self, seconds: f64) -> Option<RemainingTime> {
        let (main, over) = self.main_and_overtime_after(seconds);
        let overtime = match self.overtime {
            Overtime::None if over > 0.0 => return None,
            Overtime::Fischer { max_per_move, .. } if over > 0.0 || max_per_move.is_some_and(|max| seconds > max) => {
                return None;
            }
            Overtime::Canadian { seconds, .. } if over > seconds => return None,
            Overtime::Canadian { seconds, stones } => Overtime::Canadian { seconds: seconds - over, stones },
            Overtime::ByoYomi { seconds, period, periods } if over >= seconds => {
                let periods = periods.checked_sub(lost_periods(over, seconds, period)).filter(|&left| left > 0)?;
                Overtime::ByoYomi { seconds: period - (over - seconds) % period, period, periods }
            }
            Overtime::ByoYomi { seconds, period, periods } => {
                Overtime::ByoYomi { seconds: seconds - over, period, periods }
            }
            Overtime::Fischer { increment, max_per_move } => {
                Overtime::Fischer { increment, max_per_move: max_per_move.map(|max| max - seconds) }
            }
            Overtime::None => Overtime::None,
        };
        Some(RemainingTime { main, overtime })
    }

    /// The main time that remains after `seconds`, and the overtime used in them.
    fn main_and_overtime_after(self, seconds: f64) -> (f64, f64) {
        ((self.main - seconds).max(0.0), (seconds - self.main).max(0.0))
    }
}

/// The periods of byo-yomi that `over` seconds of overtime use up, with `seconds` left of the current one.
fn lost_periods(over: f64, seconds: f64, period: f64) -> u32 {
    // the conversion saturates
    if over < seconds { 0 } else { (((over - seconds) / period) as u32).saturating_add(1) }
}

impl Clock {
    /// The time system.
    pub fn settings(&self) -> TimeSettings {
        self.settings
    }

    /// Sets the time system and drops all readings, which belong to the former system.
    pub fn set(&mut self, settings: TimeSettings) {
        *self = Clock { settings, ..Clock::default() };
    }

    /// Drops the readings for a new game, and keeps the time system.
    pub fn clear(&mut self) {
        self.set(self.settings);
    }

    /// Records a reading, the arguments of GTP's `time_left`. Negative times count as 0.
    pub fn set_time_left(&mut self, color: Color, seconds: f64, count: u32) {
        self.readings[color.index()] = Some(ClockReading { seconds: seconds.max(0.0), count });
        self.thinking_time_subtracted[color.index()] = 0.0;
    }

    /// Counts a move that took `seconds`, besides [thinking time](Self::subtract_thinking_time) subtracted before:
    /// subtracts them, adds the increment of Fischer time, and counts a move of a Canadian period or starts a full
    /// period of byo-yomi. For controllers that send settings but no readings; the next reading replaces the estimate.
    pub fn count_move(&mut self, color: Color, seconds: f64) {
        self.thinking_time_subtracted[color.index()] = 0.0;
        let Some(remaining) = self.remaining(color) else { return };
        let (left, over) = remaining.main_and_overtime_after(seconds);
        let reading = match remaining.overtime {
            Overtime::Fischer { increment, .. } => {
                let limit = match self.settings {
                    TimeSettings::Fischer { limit: Some(limit), .. } => limit,
                    _ => f64::INFINITY,
                };
                Some(ClockReading { seconds: (left + increment).min(limit.max(left)), count: 0 })
            }
            _ if left > 0.0 => Some(ClockReading { seconds: left, count: 0 }),
            Overtime::None => Some(ClockReading { seconds: 0.0, count: 0 }),
            Overtime::Canadian { seconds, stones: stones @ 2.. } => {
                Some(ClockReading { seconds: (seconds - over).max(0.0), count: stones - 1 })
            }
            Overtime::Canadian { .. } => match self.settings {
                TimeSettings::Canadian { period, stones, .. } => Some(ClockReading { seconds: period, count: stones }),
                // the next period is unknown without settings
                _ => None,
            },
            Overtime::ByoYomi { seconds, period, periods } => {
                let left = periods.saturating_sub(lost_periods(over, seconds, period));
                Some(ClockReading { seconds: period, count: left.max(1) })
            }
        };
        self.readings[color.index()] = reading;
    }

    /// Subtracts seconds of thinking about a move that is not made yet. A player whose time is up has none left.
    pub fn subtract_thinking_time(&mut self, color: Color, seconds: f64) {
        let Some(remaining) = self.remaining(color) else { return };
        let reading = match remaining.after(seconds) {
            Some(RemainingTime { main, .. }) if main > 0.0 => ClockReading { seconds: main, count: 0 },
            Some(RemainingTime { overtime, .. }) => match overtime {
                Overtime::None | Overtime::Fischer { .. } => ClockReading { seconds: 0.0, count: 0 },
                Overtime::Canadian { seconds, stones } => ClockReading { seconds, count: stones },
                Overtime::ByoYomi { seconds, periods, .. } => ClockReading { seconds, count: periods },
            },
            None => match remaining.overtime {
                Overtime::None | Overtime::Fischer { .. } => ClockReading { seconds: 0.0, count: 0 },
                Overtime::Canadian { stones, .. } => ClockReading { seconds: 0.0, count: stones },
                Overtime::ByoYomi { .. } => ClockReading { seconds: 0.0, count: 1 },
            },
        };
        self.readings[color.index()] = Some(reading);
        self.thinking_time_subtracted[color.index()] += seconds;
    }

    /// The time that remains to a player, by the last reading or else by the settings; `None` without limit.
    pub fn remaining(&self, color: Color) -> Option<RemainingTime> {
        let mut remaining = match self.readings[color.index()] {
            Some(reading) => self.remaining_at(reading),
            None => self.remaining_at_start()?,
        };
        if let Overtime::Fischer { max_per_move: Some(max), .. } = &mut remaining.overtime {
            *max = (*max - self.thinking_time_subtracted[color.index()]).max(0.0);
        }
        Some(remaining)
    }

    /// The time at the start of the game.
    fn remaining_at_start(&self) -> Option<RemainingTime> {
        let (main, overtime) = match self.settings {
            TimeSettings::None => return None,
            TimeSettings::Absolute { main } => (main, Overtime::None),
            TimeSettings::Canadian { main, period, stones } => (main, Overtime::Canadian { seconds: period, stones }),
            TimeSettings::ByoYomi { main, period, periods } => {
                (main, Overtime::ByoYomi { seconds: period, period, periods })
            }
            TimeSettings::Fischer { main, increment, max_per_move, .. } => {
                (main, Overtime::Fischer { increment, max_per_move })
            }
        };
        Some(RemainingTime { main, overtime })
    }

    /// The remaining time of a reading under the current settings.
    fn remaining_at(&self, ClockReading { seconds, count }: ClockReading) -> RemainingTime {
        let in_overtime = |overtime| RemainingTime { main: 0.0, overtime };
        match (self.settings, count) {
            (TimeSettings::Canadian { .. } | TimeSettings::None, 1..) => {
                in_overtime(Overtime::Canadian { seconds, stones: count })
            }
            (TimeSettings::ByoYomi { period, .. }, 1..) => {
                in_overtime(Overtime::ByoYomi { seconds, period, periods: count })
            }
            // main time, or a system without overtime
            _ => {
                let overtime = self.remaining_at_start().map_or(Overtime::None, |time| time.overtime);
                RemainingTime { main: seconds, overtime }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: TimeSettings = TimeSettings::None;
    const ABSOLUTE: TimeSettings = TimeSettings::Absolute { main: 900.0 };
    const CANADIAN: TimeSettings = TimeSettings::Canadian { main: 600.0, period: 300.0, stones: 25 };
    const BYO_YOMI: TimeSettings = TimeSettings::ByoYomi { main: 600.0, period: 30.0, periods: 5 };
    const FISCHER: TimeSettings =
        TimeSettings::Fischer { main: 60.0, increment: 5.5, limit: Some(120.0), max_per_move: Some(20.0) };

    #[test]
    fn time_settings_from_numbers() {
        let expected = [
            ((0.0, 0.0, 0), NONE),
            ((0.0, 0.0, 25), NONE),
            ((0.0, 1.0, 0), NONE),
            ((1.0, 1.0, 0), NONE),
            ((900.0, 0.0, 0), ABSOLUTE),
            ((900.0, 0.0, 25), ABSOLUTE),
            ((600.0, 300.0, 25), CANADIAN),
            ((0.0, 2.5, 1), TimeSettings::Canadian { main: 0.0, period: 2.5, stones: 1 }),
        ];
        for ((main, period, stones), settings) in expected {
            assert_eq!(TimeSettings::gtp(main, period, stones), settings, "{main} {period} {stones}");
        }
        assert_eq!(TimeSettings::byo_yomi(600.0, 30.0, 5), BYO_YOMI);
        assert_eq!(TimeSettings::byo_yomi(900.0, 0.0, 5), ABSOLUTE);
        assert_eq!(TimeSettings::byo_yomi(900.0, 30.0, 0), ABSOLUTE);
        assert_eq!(TimeSettings::canadian(0.0, 0.0, 25), TimeSettings::Absolute { main: 0.0 });
    }

    #[track_caller]
    fn check(settings: TimeSettings, reading: Option<(f64, u32)>, expected: Option<(f64, Overtime)>) {
        let mut clock = Clock::default();
        clock.set(settings);
        if let Some((seconds, count)) = reading {
            clock.set_time_left(Color::White, seconds, count);
        }
        assert_eq!(clock.remaining(Color::White), expected.map(|(main, overtime)| RemainingTime { main, overtime }));
    }

    #[test]
    fn remaining_time() {
        let no_overtime = Overtime::None;
        let canadian = |seconds, stones| Overtime::Canadian { seconds, stones };
        let period = |seconds, periods| Overtime::ByoYomi { seconds, period: 30.0, periods };
        let grows = Overtime::Fischer { increment: 5.5, max_per_move: Some(20.0) };
        check(NONE, None, None);
        check(NONE, Some((12.5, 0)), Some((12.5, no_overtime)));
        check(NONE, Some((12.5, 3)), Some((0.0, canadian(12.5, 3))));
        check(ABSOLUTE, None, Some((900.0, no_overtime)));
        check(ABSOLUTE, Some((12.5, 0)), Some((12.5, no_overtime)));
        check(ABSOLUTE, Some((12.5, 3)), Some((12.5, no_overtime)));
        check(ABSOLUTE, Some((-3.0, 0)), Some((0.0, no_overtime)));
        check(CANADIAN, None, Some((600.0, canadian(300.0, 25))));
        check(CANADIAN, Some((12.5, 0)), Some((12.5, canadian(300.0, 25))));
        check(CANADIAN, Some((200.0, 7)), Some((0.0, canadian(200.0, 7))));
        check(CANADIAN, Some((-0.25, 7)), Some((0.0, canadian(0.0, 7))));
        check(BYO_YOMI, None, Some((600.0, period(30.0, 5))));
        check(BYO_YOMI, Some((12.5, 0)), Some((12.5, period(30.0, 5))));
        check(BYO_YOMI, Some((12.5, 2)), Some((0.0, period(12.5, 2))));
        check(FISCHER, None, Some((60.0, grows)));
        check(FISCHER, Some((12.5, 0)), Some((12.5, grows)));
        check(FISCHER, Some((12.5, 1)), Some((12.5, grows)));
    }

    #[track_caller]
    fn check_spent(settings: TimeSettings, spent: &[f64], expected: Option<(f64, Overtime)>) {
        let mut clock = Clock::default();
        clock.set(settings);
        for &seconds in spent {
            clock.count_move(Color::White, seconds);
        }
        assert_eq!(clock.remaining(Color::White), expected.map(|(main, overtime)| RemainingTime { main, overtime }));
        assert_eq!(clock.remaining(Color::Black), clock.remaining_at_start());
    }

    #[test]
    fn spending_time() {
        let canadian = |seconds, stones| Overtime::Canadian { seconds, stones };
        let period = |periods| Overtime::ByoYomi { seconds: 30.0, period: 30.0, periods };
        let grows = Overtime::Fischer { increment: 5.5, max_per_move: Some(20.0) };
        check_spent(NONE, &[5.0], None);
        check_spent(ABSOLUTE, &[5.0, 10.0], Some((885.0, Overtime::None)));
        check_spent(ABSOLUTE, &[901.0], Some((0.0, Overtime::None)));
        check_spent(CANADIAN, &[100.0], Some((500.0, canadian(300.0, 25))));
        check_spent(CANADIAN, &[610.0, 5.0], Some((0.0, canadian(285.0, 23))));
        check_spent(CANADIAN, &[600.0; 2], Some((0.0, canadian(0.0, 23))));
        check_spent(CANADIAN, &[24.0; 49], Some((0.0, canadian(300.0, 25))));
        check_spent(BYO_YOMI, &[600.0], Some((0.0, period(5))));
        check_spent(BYO_YOMI, &[629.0, 29.0], Some((0.0, period(5))));
        check_spent(BYO_YOMI, &[629.0, 30.0, 61.0], Some((0.0, period(2))));
        check_spent(BYO_YOMI, &[600.0, 75.0], Some((0.0, period(3))));
        check_spent(BYO_YOMI, &[f64::MAX], Some((0.0, period(1))));
        check_spent(FISCHER, &[10.0], Some((55.5, grows)));
        check_spent(FISCHER, &[0.0; 20], Some((120.0, grows)));
        // a reading replaces the estimate
        let mut clock = Clock::default();
        clock.set(CANADIAN);
        clock.count_move(Color::White, 10.0);
        clock.set_time_left(Color::White, 200.0, 2);
        clock.count_move(Color::White, 10.0);
        assert_eq!(clock.remaining(Color::White), Some(RemainingTime { main: 0.0, overtime: canadian(190.0, 1) }));
        clock.set(NONE);
        clock.set_time_left(Color::White, 200.0, 1);
        clock.count_move(Color::White, 10.0);
        assert_eq!(clock.remaining(Color::White), None);
    }

    #[test]
    fn thought_without_a_move_keeps_the_period() {
        let left = |settings, spent: &[f64]| {
            let mut clock = Clock::default();
            clock.set(settings);
            spent.iter().for_each(|&seconds| clock.subtract_thinking_time(Color::Black, seconds));
            clock.remaining(Color::Black).map(|RemainingTime { main, overtime }| (main, overtime))
        };
        let period = |seconds, periods| Overtime::ByoYomi { seconds, period: 30.0, periods };
        assert_eq!(left(NONE, &[5.0]), None);
        assert_eq!(left(ABSOLUTE, &[5.0, 10.0]), Some((885.0, Overtime::None)));
        assert_eq!(left(ABSOLUTE, &[901.0]), Some((0.0, Overtime::None)));
        assert_eq!(left(BYO_YOMI, &[10.0]), Some((590.0, period(30.0, 5))));
        assert_eq!(left(BYO_YOMI, &[610.0, 5.0]), Some((0.0, period(15.0, 5))));
        assert_eq!(left(BYO_YOMI, &[610.0, 21.0]), Some((0.0, period(29.0, 4))));
        assert_eq!(left(BYO_YOMI, &[1e9]), Some((0.0, period(0.0, 1))));
        let canadian = |seconds, stones| Overtime::Canadian { seconds, stones };
        assert_eq!(left(CANADIAN, &[650.0, 50.0]), Some((0.0, canadian(200.0, 25))));
        assert_eq!(left(CANADIAN, &[1e9]), Some((0.0, canadian(0.0, 25))));
        let fischer = |max| Overtime::Fischer { increment: 5.5, max_per_move: Some(max) };
        assert_eq!(left(FISCHER, &[2.0, 6.0]), Some((52.0, fischer(12.0))));
        assert_eq!(left(FISCHER, &[2.0, 18.5]), Some((0.0, fischer(0.0))));
    }

    #[test]
    fn a_game_is_lost_when_all_time_is_used() {
        for settings in [ABSOLUTE, CANADIAN, BYO_YOMI, FISCHER] {
            let mut clock = Clock::default();
            clock.set(settings);
            let last = clock.remaining(Color::Black).map_or(f64::NAN, RemainingTime::until_lost);
            let after = |seconds| clock.remaining(Color::Black).and_then(|time| time.after(seconds));
            assert!(after(last - 0.5).is_some() && after(last + 0.5).is_none(), "{settings:?}");
        }
    }

    #[test]
    fn readings_belong_to_one_player_and_one_game() {
        let mut clock = Clock::default();
        assert_eq!((clock.settings(), clock.remaining(Color::Black)), (NONE, None));
        clock.set(ABSOLUTE);
        clock.set_time_left(Color::Black, 30.0, 0);
        clock.set_time_left(Color::Black, 29.5, 0);
        let seconds = |clock: &Clock| Color::BOTH.map(|color| clock.remaining(color).map(|time| time.main));
        assert_eq!(seconds(&clock), [Some(29.5), Some(900.0)]);
        clock.clear();
        assert_eq!((clock.settings(), seconds(&clock)), (ABSOLUTE, [Some(900.0); 2]));
        clock.set_time_left(Color::White, 1.0, 0);
        clock.set(CANADIAN);
        assert_eq!(seconds(&clock), [Some(600.0); 2]);
    }

    #[test]
    fn time_runs_out_during_a_move() {
        let left = |settings, seconds: f64| {
            let mut clock = Clock::default();
            clock.set(settings);
            clock.remaining(Color::Black).and_then(|time| time.after(seconds))
        };
        let some = |main, overtime| Some(RemainingTime { main, overtime });
        assert_eq!(left(ABSOLUTE, 899.0), some(1.0, Overtime::None));
        assert_eq!((left(ABSOLUTE, 900.0), left(ABSOLUTE, 900.5)), (some(0.0, Overtime::None), None));
        let canadian = |seconds| Overtime::Canadian { seconds, stones: 25 };
        assert_eq!(
            (left(CANADIAN, 599.0), left(CANADIAN, 700.0)),
            (some(1.0, canadian(300.0)), some(0.0, canadian(200.0)))
        );
        assert_eq!(left(CANADIAN, 900.5), None);
        let byo_yomi = |seconds, periods| Overtime::ByoYomi { seconds, period: 30.0, periods };
        assert_eq!(
            (left(BYO_YOMI, 629.0), left(BYO_YOMI, 630.0)),
            (some(0.0, byo_yomi(1.0, 5)), some(0.0, byo_yomi(30.0, 4)))
        );
        // a period is lost when all of it is used; the fifth one ends the game
        assert_eq!((left(BYO_YOMI, 749.0), left(BYO_YOMI, 750.0)), (some(0.0, byo_yomi(1.0, 1)), None));
        let fischer = Overtime::Fischer { increment: 5.5, max_per_move: Some(5.0) };
        assert_eq!((left(FISCHER, 15.0), left(FISCHER, 20.5)), (some(45.0, fischer), None));
    }
}
