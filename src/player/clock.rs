//! What the engine knows of the time it may use: the settings that were agreed on, and the readings that came since.
//!
//! Seconds are `f64`, finite and not negative; whoever fills a value sees to that. Nothing here reads a clock: the
//! controller keeps the time and tells it (GTP version 2, section 4.2; KGS and KataGo for the other systems).

use crate::kernel::Color;

/// How time is allotted in a game.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum TimeSettings {
    /// No limit, or none that was told: what the engine does by itself holds.
    #[default]
    None,
    /// All moves within one stretch.
    Absolute {
        /// Seconds for all moves.
        main: f64,
    },
    /// After the main time, a number of moves within each stretch; what is not used of a stretch is lost.
    Canadian {
        /// Seconds before overtime; 0 begins with overtime.
        main: f64,
        /// Seconds of a stretch of overtime, more than 0.
        byo: f64,
        /// Moves to make in a stretch, at least 1.
        stones: u32,
    },
    /// After the main time, a number of periods; a period is lost only when a move takes all of it.
    ByoYomi {
        /// Seconds before overtime; 0 begins with overtime.
        main: f64,
        /// Seconds of a period, more than 0.
        period: f64,
        /// Periods at the start of overtime, at least 1.
        periods: u32,
    },
    /// One stretch that grows with every move.
    Fischer {
        /// Seconds at the start.
        main: f64,
        /// Seconds added by a move.
        increment: f64,
        /// Seconds beyond which nothing is added.
        limit: Option<f64>,
        /// Seconds that one move may take.
        max_per_move: Option<f64>,
    },
}

impl TimeSettings {
    /// What GTP's `time_settings` says. All zeros say nothing.
    pub fn gtp(main: f64, byo: f64, stones: u32) -> TimeSettings {
        if main <= 0.0 && byo <= 0.0 { TimeSettings::None } else { TimeSettings::canadian(main, byo, stones) }
    }

    /// Canadian overtime. Overtime without moves to make is no limit, overtime without time is no overtime.
    pub fn canadian(main: f64, byo: f64, stones: u32) -> TimeSettings {
        match (byo > 0.0, stones > 0) {
            (false, _) => TimeSettings::Absolute { main },
            (true, false) => TimeSettings::None,
            (true, true) => TimeSettings::Canadian { main, byo, stones },
        }
    }

    /// Japanese overtime. Without a period, or with periods that have no time, there is none.
    pub fn byo_yomi(main: f64, period: f64, periods: u32) -> TimeSettings {
        if period > 0.0 && periods > 0 {
            TimeSettings::ByoYomi { main, period, periods }
        } else {
            TimeSettings::Absolute { main }
        }
    }
}

/// What a player's clock showed.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Reading {
    /// Seconds left of the main time, or of the present stretch of overtime.
    seconds: f64,
    /// 0 while the main time runs. In overtime the moves to make or, under [`TimeSettings::ByoYomi`], the periods left.
    count: u32,
}

/// The time settings, and the latest reading of each player's clock.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Clock {
    settings: TimeSettings,
    readings: [Option<Reading>; 2],
}

/// The time a player has left.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Budget {
    /// Seconds of main time left; 0 in overtime.
    pub main: f64,
    /// What follows when the main time is gone, as far as it is left.
    pub overtime: Overtime,
}

/// Overtime as it stands.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Overtime {
    /// There is none: the game is lost when the main time is gone.
    None,
    /// A number of moves within a stretch.
    Canadian {
        /// Seconds left of the stretch.
        seconds: f64,
        /// Moves still to make in it, at least 1.
        stones: u32,
    },
    /// Periods, each lost when a move takes all of it.
    ByoYomi {
        /// Seconds left of the present period.
        seconds: f64,
        /// Seconds of each period after it.
        period: f64,
        /// Periods left, the present one counted, at least 1.
        periods: u32,
    },
    /// Main time that grows with every move.
    Fischer {
        /// Seconds added by a move.
        increment: f64,
        /// Seconds that one move may take.
        max_per_move: Option<f64>,
    },
}

impl Clock {
    /// The settings agreed on.
    pub fn settings(&self) -> TimeSettings {
        self.settings
    }

    /// Begins anew under these settings: what the clocks showed before means nothing under them.
    pub fn set(&mut self, settings: TimeSettings) {
        *self = Clock { settings, readings: [None; 2] };
    }

    /// Forgets the readings, which belong to a game, and keeps the settings.
    pub fn clear(&mut self) {
        self.readings = [None; 2];
    }

    /// Takes note of what a player's clock shows: GTP's `time_left`. Time below 0 counts as none.
    pub fn read(&mut self, color: Color, seconds: f64, count: u32) {
        self.readings[color.index()] = Some(Reading { seconds: seconds.max(0.0), count });
    }

    /// Takes off what a player has used for a move, in seconds. A controller may tell the settings and never what the
    /// clocks show; where it does, its next reading takes the place of this.
    pub fn spend(&mut self, color: Color, seconds: f64) {
        let Some(Budget { main, overtime }) = self.remaining(color) else { return };
        let left = (main - seconds).max(0.0);
        // beyond the main time
        let over = (seconds - main).max(0.0);
        let reading = match overtime {
            Overtime::Fischer { increment, .. } => {
                let limit = match self.settings {
                    TimeSettings::Fischer { limit: Some(limit), .. } => limit,
                    _ => f64::INFINITY,
                };
                Some(Reading { seconds: (left + increment).min(limit.max(left)), count: 0 })
            }
            _ if left > 0.0 => Some(Reading { seconds: left, count: 0 }),
            Overtime::None => Some(Reading { seconds: 0.0, count: 0 }),
            Overtime::Canadian { seconds, stones: stones @ 2.. } => {
                Some(Reading { seconds: (seconds - over).max(0.0), count: stones - 1 })
            }
            Overtime::Canadian { .. } => match self.settings {
                TimeSettings::Canadian { byo, stones, .. } => Some(Reading { seconds: byo, count: stones }),
                // a reading without settings does not say what comes after it
                _ => None,
            },
            Overtime::ByoYomi { seconds, period, periods } => {
                // the conversion stops at the ends of the range
                let lost = if over < seconds { 0 } else { (((over - seconds) / period) as u32).saturating_add(1) };
                Some(Reading { seconds: period, count: periods.saturating_sub(lost).max(1) })
            }
        };
        self.readings[color.index()] = reading;
    }

    /// The time a player has left, by the latest reading or else by the settings. `None` without limit.
    pub fn remaining(&self, color: Color) -> Option<Budget> {
        match self.readings[color.index()] {
            Some(reading) => Some(self.budget_read(reading)),
            None => self.budget_at_start(),
        }
    }

    /// What the settings give before the first move.
    fn budget_at_start(&self) -> Option<Budget> {
        let (main, overtime) = match self.settings {
            TimeSettings::None => return None,
            TimeSettings::Absolute { main } => (main, Overtime::None),
            TimeSettings::Canadian { main, byo, stones } => (main, Overtime::Canadian { seconds: byo, stones }),
            TimeSettings::ByoYomi { main, period, periods } => {
                (main, Overtime::ByoYomi { seconds: period, period, periods })
            }
            TimeSettings::Fischer { main, increment, max_per_move, .. } => {
                (main, Overtime::Fischer { increment, max_per_move })
            }
        };
        Some(Budget { main, overtime })
    }

    /// What a reading means under the settings.
    fn budget_read(&self, Reading { seconds, count }: Reading) -> Budget {
        let in_overtime = |overtime| Budget { main: 0.0, overtime };
        match (self.settings, count) {
            (TimeSettings::Canadian { .. } | TimeSettings::None, 1..) => {
                in_overtime(Overtime::Canadian { seconds, stones: count })
            }
            (TimeSettings::ByoYomi { period, .. }, 1..) => {
                in_overtime(Overtime::ByoYomi { seconds, period, periods: count })
            }
            // main time runs, or there is nothing else
            _ => {
                let overtime = self.budget_at_start().map_or(Overtime::None, |budget| budget.overtime);
                Budget { main: seconds, overtime }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: TimeSettings = TimeSettings::None;
    const ABSOLUTE: TimeSettings = TimeSettings::Absolute { main: 900.0 };
    const CANADIAN: TimeSettings = TimeSettings::Canadian { main: 600.0, byo: 300.0, stones: 25 };
    const BYO_YOMI: TimeSettings = TimeSettings::ByoYomi { main: 600.0, period: 30.0, periods: 5 };
    const FISCHER: TimeSettings =
        TimeSettings::Fischer { main: 60.0, increment: 5.5, limit: Some(120.0), max_per_move: Some(20.0) };

    #[test]
    fn what_the_numbers_of_time_settings_mean() {
        let expected = [
            ((0.0, 0.0, 0), NONE),
            ((0.0, 0.0, 25), NONE),
            ((0.0, 1.0, 0), NONE),
            ((1.0, 1.0, 0), NONE),
            ((900.0, 0.0, 0), ABSOLUTE),
            ((900.0, 0.0, 25), ABSOLUTE),
            ((600.0, 300.0, 25), CANADIAN),
            ((0.0, 2.5, 1), TimeSettings::Canadian { main: 0.0, byo: 2.5, stones: 1 }),
        ];
        for ((main, byo, stones), settings) in expected {
            assert_eq!(TimeSettings::gtp(main, byo, stones), settings, "{main} {byo} {stones}");
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
            clock.read(Color::White, seconds, count);
        }
        assert_eq!(clock.remaining(Color::White), expected.map(|(main, overtime)| Budget { main, overtime }));
    }

    #[test]
    fn the_time_left() {
        let no_overtime = Overtime::None;
        let stretch = |seconds, stones| Overtime::Canadian { seconds, stones };
        let period = |seconds, periods| Overtime::ByoYomi { seconds, period: 30.0, periods };
        let grows = Overtime::Fischer { increment: 5.5, max_per_move: Some(20.0) };
        check(NONE, None, None);
        check(NONE, Some((12.5, 0)), Some((12.5, no_overtime)));
        check(NONE, Some((12.5, 3)), Some((0.0, stretch(12.5, 3))));
        check(ABSOLUTE, None, Some((900.0, no_overtime)));
        check(ABSOLUTE, Some((12.5, 0)), Some((12.5, no_overtime)));
        check(ABSOLUTE, Some((12.5, 3)), Some((12.5, no_overtime)));
        check(ABSOLUTE, Some((-3.0, 0)), Some((0.0, no_overtime)));
        check(CANADIAN, None, Some((600.0, stretch(300.0, 25))));
        check(CANADIAN, Some((12.5, 0)), Some((12.5, stretch(300.0, 25))));
        check(CANADIAN, Some((200.0, 7)), Some((0.0, stretch(200.0, 7))));
        check(CANADIAN, Some((-0.25, 7)), Some((0.0, stretch(0.0, 7))));
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
            clock.spend(Color::White, seconds);
        }
        assert_eq!(clock.remaining(Color::White), expected.map(|(main, overtime)| Budget { main, overtime }));
        assert_eq!(clock.remaining(Color::Black), clock.budget_at_start());
    }

    #[test]
    fn what_a_move_takes_from_the_clock() {
        let stretch = |seconds, stones| Overtime::Canadian { seconds, stones };
        let period = |periods| Overtime::ByoYomi { seconds: 30.0, period: 30.0, periods };
        let grows = Overtime::Fischer { increment: 5.5, max_per_move: Some(20.0) };
        check_spent(NONE, &[5.0], None);
        check_spent(ABSOLUTE, &[5.0, 10.0], Some((885.0, Overtime::None)));
        check_spent(ABSOLUTE, &[901.0], Some((0.0, Overtime::None)));
        check_spent(CANADIAN, &[100.0], Some((500.0, stretch(300.0, 25))));
        check_spent(CANADIAN, &[610.0, 5.0], Some((0.0, stretch(285.0, 23))));
        check_spent(CANADIAN, &[600.0; 2], Some((0.0, stretch(0.0, 23))));
        check_spent(CANADIAN, &[24.0; 49], Some((0.0, stretch(300.0, 25))));
        check_spent(BYO_YOMI, &[600.0], Some((0.0, period(5))));
        check_spent(BYO_YOMI, &[629.0, 29.0], Some((0.0, period(5))));
        check_spent(BYO_YOMI, &[629.0, 30.0, 61.0], Some((0.0, period(2))));
        check_spent(BYO_YOMI, &[f64::MAX], Some((0.0, period(1))));
        check_spent(FISCHER, &[10.0], Some((55.5, grows)));
        check_spent(FISCHER, &[0.0; 20], Some((120.0, grows)));
        // a reading is what the controller says, and what comes next is taken from it
        let mut clock = Clock::default();
        clock.set(CANADIAN);
        clock.spend(Color::White, 10.0);
        clock.read(Color::White, 200.0, 2);
        clock.spend(Color::White, 10.0);
        assert_eq!(clock.remaining(Color::White), Some(Budget { main: 0.0, overtime: stretch(190.0, 1) }));
        clock.set(NONE);
        clock.read(Color::White, 200.0, 1);
        clock.spend(Color::White, 10.0);
        assert_eq!(clock.remaining(Color::White), None);
    }

    #[test]
    fn readings_are_of_one_player_and_one_game() {
        let mut clock = Clock::default();
        assert_eq!((clock.settings(), clock.remaining(Color::Black)), (NONE, None));
        clock.set(ABSOLUTE);
        clock.read(Color::Black, 30.0, 0);
        clock.read(Color::Black, 29.5, 0);
        let seconds = |clock: &Clock| Color::BOTH.map(|color| clock.remaining(color).map(|budget| budget.main));
        assert_eq!(seconds(&clock), [Some(29.5), Some(900.0)]);
        clock.clear();
        assert_eq!((clock.settings(), seconds(&clock)), (ABSOLUTE, [Some(900.0); 2]));
        clock.read(Color::White, 1.0, 0);
        clock.set(CANADIAN);
        assert_eq!(seconds(&clock), [Some(600.0); 2]);
    }
}
