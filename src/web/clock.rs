//! The clocks of a game on a page: the server measures both players' time.

use std::time::{Duration, Instant};

use crate::kernel::Color;
use crate::picture::points::letter;
use crate::player::clock::{Clock, Overtime, RemainingTime, TimeSettings};
use crate::web::action::Time;
use crate::web::event::{Clocks, TimeLeft};

/// The clocks of both players, of which one may run.
#[derive(Default)]
pub(super) struct GameClock {
    clock: Clock,
    running: Option<(Color, Instant)>,
}

impl GameClock {
    /// Clocks that stand; without time, clocks that show nothing.
    pub(super) fn new(time: Option<Time>) -> GameClock {
        let mut clock = Clock::default();
        if let Some(Time { main, period, periods }) = time {
            clock.set(TimeSettings::byo_yomi(main, period, periods));
        }
        GameClock { clock, running: None }
    }

    /// Stops the clock that runs, and starts that of `next`, if there is a next player. The time that ran is counted as
    /// a move's.
    pub(super) fn press(&mut self, next: Option<Color>) {
        if let Some((color, since)) = self.running.take() {
            self.clock.subtract_elapsed(color, since.elapsed().as_secs_f64());
        }
        self.running = next.map(|color| (color, Instant::now()));
    }

    /// Stops the clock that runs without counting a move.
    pub(super) fn stop(&mut self) {
        self.running = None;
    }

    /// The player whose time is up.
    pub(super) fn flag(&self) -> Option<Color> {
        self.running.map(|(color, _)| color).filter(|&color| {
            let remaining = self.clock.remaining(color);
            remaining.is_some_and(|remaining| after(remaining, self.elapsed(color)).is_none())
        })
    }

    /// The time until the running clock is up; `None` if there is none.
    pub(super) fn time_to_flag(&self) -> Option<Duration> {
        let (color, _) = self.running?;
        let RemainingTime { main, overtime } = self.clock.remaining(color)?;
        let total = main + overtime_seconds(overtime);
        Duration::try_from_secs_f64((total - self.elapsed(color)).max(0.0)).ok()
    }

    /// The time that a player has left now; all zero when time is up, `None` in a game without time.
    pub(super) fn left(&self, color: Color) -> Option<TimeLeft> {
        let remaining = self.clock.remaining(color)?;
        let nothing = TimeLeft { main: 0.0, period: 0.0, periods: 0 };
        Some(after(remaining, self.elapsed(color)).unwrap_or(nothing))
    }

    /// Both clocks as a page shows them; `None` in a game without time.
    pub(super) fn event(&self) -> Option<Clocks> {
        let (b, w) = (self.left(Color::Black)?, self.left(Color::White)?);
        Some(Clocks { b, w, running: self.running.map(|(color, _)| letter(color)) })
    }

    fn elapsed(&self, color: Color) -> f64 {
        let running = self.running.filter(|(running, _)| *running == color);
        running.map_or(0.0, |(_, since)| since.elapsed().as_secs_f64())
    }
}

/// All seconds of overtime.
fn overtime_seconds(overtime: Overtime) -> f64 {
    match overtime {
        Overtime::ByoYomi { seconds, period, periods } => seconds + period * f64::from(periods.saturating_sub(1)),
        Overtime::Canadian { seconds, .. } => seconds,
        Overtime::None | Overtime::Fischer { .. } => 0.0,
    }
}

/// The time left after some seconds of thinking, as a page shows it; `None` if time is up.
fn after(remaining: RemainingTime, elapsed: f64) -> Option<TimeLeft> {
    let RemainingTime { main, overtime } = remaining.after(elapsed)?;
    let (period, periods) = match overtime {
        Overtime::ByoYomi { seconds, periods, .. } => (seconds, periods),
        Overtime::None | Overtime::Canadian { .. } | Overtime::Fischer { .. } => (0.0, 0),
    };
    Some(TimeLeft { main, period, periods })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_lost_one_by_one() {
        let overtime = Overtime::ByoYomi { seconds: 10.0, period: 10.0, periods: 3 };
        let remaining = RemainingTime { main: 60.0, overtime };
        for (elapsed, expected) in [
            (0.0, Some((60.0, 10.0, 3))),
            (59.0, Some((1.0, 10.0, 3))),
            (60.0, Some((0.0, 10.0, 3))),
            (69.0, Some((0.0, 1.0, 3))),
            (70.0, Some((0.0, 10.0, 2))),
            (79.0, Some((0.0, 1.0, 2))),
            (85.0, Some((0.0, 5.0, 1))),
            (90.0, None),
            (1e9, None),
        ] {
            let left = after(remaining, elapsed).map(|left| (left.main, left.period, left.periods));
            assert_eq!(left, expected, "{elapsed}");
        }
        let absolute = RemainingTime { main: 5.0, overtime: Overtime::None };
        assert_eq!(after(absolute, 4.0).map(|left| left.main), Some(1.0));
        assert_eq!(after(absolute, 5.1), None);
    }

    #[test]
    fn the_clock_of_the_next_player_runs() {
        let mut clock = GameClock::new(Some(Time { main: 60.0, period: 0.0, periods: 0 }));
        assert_eq!((clock.flag(), clock.time_to_flag()), (None, None));
        clock.press(Some(Color::Black));
        assert!(clock.time_to_flag().is_some_and(|left| left <= Duration::from_secs(60)));
        clock.press(Some(Color::White));
        assert_eq!(clock.event().and_then(|clocks| clocks.running), Some("w"));
        assert!(clock.left(Color::Black).is_some_and(|left| left.main <= 60.0));
        clock.stop();
        assert_eq!(clock.event().and_then(|clocks| clocks.running), None);
        assert_eq!(GameClock::new(None).event(), None);
        let mut up = GameClock::new(Some(Time { main: 0.0, period: 0.0, periods: 0 }));
        up.press(Some(Color::White));
        std::thread::sleep(Duration::from_millis(1));
        assert_eq!(up.flag(), Some(Color::White));
    }
}
