//! Time settings as properties of a game record.

use crate::player::TimeSettings;

/// The values of `TM` and `OT` in a record of the game: main time in seconds, and overtime in the words of common
/// servers and editors, such as `5x30 byo-yomi`. `None` without time settings or without overtime.
pub(crate) fn sgf_times(settings: TimeSettings) -> (Option<String>, Option<String>) {
    let (main, overtime) = match settings {
        TimeSettings::None => return (None, None),
        TimeSettings::Absolute { main } => (main, None),
        TimeSettings::Canadian { main, period, stones } => (main, Some(format!("{stones}/{period} Canadian"))),
        TimeSettings::ByoYomi { main, period, periods } => (main, Some(format!("{periods}x{period} byo-yomi"))),
        TimeSettings::Fischer { main, increment, .. } => (main, Some(format!("{increment} fischer"))),
    };
    (Some(main.to_string()), overtime)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
