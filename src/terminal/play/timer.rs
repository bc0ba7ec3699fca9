//! Times of a game at the terminal: in records, and in words.

use crate::player::clock::{Overtime, RemainingTime, TimeSettings};
use crate::terminal::progress::minutes;
use crate::text::plural::counted;

/// The values of `TM` and `OT` in a record of the game: main time in seconds, and overtime in the words of common
/// servers and editors, such as `5x30 byo-yomi`. `None` without time settings or without overtime.
pub(super) fn sgf_times(settings: TimeSettings) -> (Option<String>, Option<String>) {
    let (main, overtime) = match settings {
        TimeSettings::None => return (None, None),
        TimeSettings::Absolute { main } => (main, None),
        TimeSettings::Canadian { main, byo, stones } => (main, Some(format!("{stones}/{byo} Canadian"))),
        TimeSettings::ByoYomi { main, period, periods } => (main, Some(format!("{periods}x{period} byo-yomi"))),
        TimeSettings::Fischer { main, increment, .. } => (main, Some(format!("{increment} fischer"))),
    };
    (Some(main.to_string()), overtime)
}

/// The time of a player who has thought for `seconds`, in words, such as `9:53`.
pub(super) fn text_after(remaining: RemainingTime, seconds: f64) -> String {
    remaining.after(seconds).map_or_else(|| "no time".to_owned(), text)
}

/// The remaining time: main time with what follows it, or the overtime that runs.
fn text(time: RemainingTime) -> String {
    let RemainingTime { main, overtime } = time;
    match overtime {
        Overtime::None => minutes(main),
        Overtime::Fischer { increment, max_per_move } => {
            let most = max_per_move.map_or_else(String::new, |most| format!(", {} for this one", minutes(most)));
            format!("{} + {} a move{most}", minutes(main), minutes(increment))
        }
        Overtime::Canadian { seconds, stones } if main <= 0.0 => {
            format!("{} for {}", minutes(seconds), counted(stones, "move"))
        }
        Overtime::Canadian { seconds, stones } => format!("{} + {} for {stones}", minutes(main), minutes(seconds)),
        Overtime::ByoYomi { seconds, periods, .. } if main <= 0.0 => format!("{} x {periods}", minutes(seconds)),
        Overtime::ByoYomi { period, periods, .. } => format!("{} + {} x {periods}", minutes(main), minutes(period)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Color;
    use crate::player::clock::Clock;

    #[test]
    fn records_have_main_time_and_overtime() {
        for (settings, main, overtime) in [
            (TimeSettings::None, None, None),
            (TimeSettings::Absolute { main: 90.5 }, Some("90.5"), None),
            (TimeSettings::byo_yomi(600.0, 30.0, 5), Some("600"), Some("5x30 byo-yomi")),
            (TimeSettings::canadian(0.0, 300.0, 25), Some("0"), Some("25/300 Canadian")),
            (
                TimeSettings::Fischer { main: 60.0, increment: 10.0, limit: None, max_per_move: None },
                Some("60"),
                Some("10 fischer"),
            ),
        ] {
            let (found_main, found_overtime) = sgf_times(settings);
            assert_eq!((found_main.as_deref(), found_overtime.as_deref()), (main, overtime), "{settings:?}");
        }
    }

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
