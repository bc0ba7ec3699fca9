//! The clocks of a game as pages show them.

use crate::kernel::Color;
use crate::picture::points::letter;
use crate::player::clock::{Overtime, RemainingTime, TimeSettings};
use crate::player::game_clock;
use crate::sgf::NodeId;
use crate::web::action::Time;
use crate::web::event::{ByColor, Clocks, TimeLeft};

/// The clocks of a game whose positions are nodes.
pub(super) type GameClock = game_clock::GameClock<NodeId>;

/// The time system of a game.
pub(super) fn settings(time: Option<Time>) -> TimeSettings {
    time.map_or(TimeSettings::None, |Time { main, period, periods }| TimeSettings::byo_yomi(main, period, periods))
}

/// The time that a player has left now; all zero when time is up, `None` in a game without time.
pub(super) fn left(clock: &GameClock, color: Color) -> Option<TimeLeft> {
    let remaining = clock.clock().remaining(color)?;
    let nothing = TimeLeft { main: 0.0, period: 0.0, periods: 0 };
    Some(after(remaining, clock.elapsed(color)).unwrap_or(nothing))
}

/// The arguments of GTP's `time_left`: seconds, and the periods left in overtime. Without any time, the last period has none
/// left: a count of 0 would be main time.
pub(super) fn reading(left: TimeLeft) -> (f64, u32) {
    if left.main > 0.0 { (left.main, 0) } else { (left.period, left.periods.max(1)) }
}

/// Stopped clocks of a game, with the time that was left to Black and White when it was saved, or else the full time.
pub(super) fn restored(time: Option<Time>, saved: Option<ByColor<TimeLeft>>) -> GameClock {
    let mut clock = GameClock::new(settings(time));
    if let Some(ByColor { b, w }) = saved.filter(|_| time.is_some()) {
        let mut readings = clock.clock().clone();
        for (color, left) in [(Color::Black, b), (Color::White, w)] {
            let (seconds, count) = reading(left);
            readings.set_time_left(color, seconds, count);
        }
        clock.restore(readings);
    }
    clock
}

/// The time that both players have left now; `None` in a game without time.
pub(super) fn left_to_both(clock: &GameClock) -> Option<ByColor<TimeLeft>> {
    Some(ByColor { b: left(clock, Color::Black)?, w: left(clock, Color::White)? })
}

/// Both clocks as a page shows them; `None` in a game without time.
pub(super) fn event(clock: &GameClock) -> Option<Clocks> {
    let ByColor { b, w } = left_to_both(clock)?;
    Some(Clocks { b, w, running: clock.running().map(letter) })
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
    #![allow(clippy::unwrap_used)]
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
    fn a_saved_game_has_the_time_that_was_left() {
        let time = Some(Time { main: 60.0, period: 10.0, periods: 3 });
        let in_main = TimeLeft { main: 12.5, period: 10.0, periods: 3 };
        let in_overtime = TimeLeft { main: 0.0, period: 4.5, periods: 2 };
        let no_time = TimeLeft { main: 0.0, period: 0.0, periods: 0 };
        for (b, w) in [(in_main, in_overtime), (in_overtime, in_main)] {
            assert_eq!(left_to_both(&restored(time, Some(ByColor { b, w }))), Some(ByColor { b, w }));
        }
        let lost = restored(time, Some(ByColor { b: no_time, w: in_main }));
        assert!(lost.is_exceeded(Color::Black, 0.1) && !lost.is_exceeded(Color::White, 0.1));
        let full = TimeLeft { main: 60.0, period: 10.0, periods: 3 };
        assert_eq!(left_to_both(&restored(time, None)), Some(ByColor { b: full, w: full }));
        assert_eq!(left_to_both(&restored(None, Some(ByColor { b: full, w: full }))), None);
    }

    #[test]
    fn pages_see_the_time_of_both_players() {
        let root = crate::sgf::GameTree::new(crate::kernel::Coordinate::square(9).unwrap()).root();
        let time = Time { main: 60.0, period: 10.0, periods: 3 };
        let mut clock = GameClock::new(settings(Some(time)));
        clock.count_move(root, root, Color::Black, 20.0);
        clock.start(Color::White, root);
        let shown = event(&clock).unwrap();
        assert_eq!((shown.b.main, shown.b.periods, shown.running), (40.0, 3, Some("w")));
        assert!(shown.w.main > 50.0 && shown.w.main < 60.0, "{shown:?}");
        assert_eq!(event(&GameClock::new(settings(None))), None);
    }
}
