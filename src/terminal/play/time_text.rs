//! Times of a game at the terminal, in words.

use crate::player::clock::{Overtime, RemainingTime};
use crate::terminal::progress::minutes_seconds;
use crate::text::plural::counted;

/// The time of a player who has thought for `seconds`, in words, such as `9:53`.
pub(super) fn text_after(remaining: RemainingTime, seconds: f64) -> String {
    remaining.after(seconds).map_or_else(|| "no time".to_owned(), text)
}

/// The remaining time: main time with what follows it, or the overtime that runs.
fn text(time: RemainingTime) -> String {
    let RemainingTime { main, overtime } = time;
    match overtime {
        Overtime::None => minutes_seconds(main),
        Overtime::Fischer { increment, max_per_move } => {
            let most =
                max_per_move.map_or_else(String::new, |most| format!(", {} for this one", minutes_seconds(most)));
            format!("{} + {} a move{most}", minutes_seconds(main), minutes_seconds(increment))
        }
        Overtime::Canadian { seconds, stones } if main <= 0.0 => {
            format!("{} for {}", minutes_seconds(seconds), counted(stones, "move"))
        }
        Overtime::Canadian { seconds, stones } => {
            format!("{} + {} for {stones}", minutes_seconds(main), minutes_seconds(seconds))
        }
        Overtime::ByoYomi { seconds, periods, .. } if main <= 0.0 => {
            format!("{} x {periods}", minutes_seconds(seconds))
        }
        Overtime::ByoYomi { period, periods, .. } => {
            format!("{} + {} x {periods}", minutes_seconds(main), minutes_seconds(period))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Color;
    use crate::player::clock::{Clock, TimeSettings};

    #[test]
    fn time_is_shown_with_its_overtime() {
        let shown = |settings, seconds| {
            let mut clock = Clock::default();
            clock.set(settings);
            clock.remaining(Color::White).map(|remaining| text_after(remaining, seconds))
        };
        assert_eq!(shown(TimeSettings::None, 5.0), None);
        for (settings, seconds, expected) in [
            (TimeSettings::Absolute { main: 90.0 }, 29.5, "1:01"),
            (TimeSettings::Absolute { main: 90.0 }, 91.0, "no time"),
            (TimeSettings::byo_yomi(600.0, 30.0, 5), 1.0, "9:59 + 0:30 x 5"),
            (TimeSettings::byo_yomi(0.0, 30.0, 5), 31.0, "0:29 x 4"),
            (TimeSettings::canadian(600.0, 300.0, 25), 0.0, "10:00 + 5:00 for 25"),
            (TimeSettings::canadian(0.0, 300.0, 25), 10.0, "4:50 for 25 moves"),
            (
                TimeSettings::Fischer { main: 60.0, increment: 10.0, limit: None, max_per_move: None },
                0.0,
                "1:00 + 0:10 a move",
            ),
            (
                TimeSettings::Fischer { main: 60.0, increment: 10.0, limit: None, max_per_move: Some(20.0) },
                5.0,
                "0:55 + 0:10 a move, 0:15 for this one",
            ),
        ] {
            assert_eq!(shown(settings, seconds).as_deref(), Some(expected), "{settings:?}");
        }
    }
}
