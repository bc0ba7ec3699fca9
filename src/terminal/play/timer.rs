//! The clocks of a game at the terminal: the person's time is measured, the engine's is that of its searches.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::kernel::Color;
use crate::player::clock::{Clock, Overtime, RemainingTime, TimeSettings};
use crate::terminal::progress::minutes;
use crate::text::plural::counted;

/// The clocks of both players, and those of every position of the game, to which `undo` and `redo` go back.
#[derive(Default)]
pub(super) struct Timer {
    clock: Clock,
    /// Start of the person's turn; `None` while the engine thinks, and after the game.
    turn_began: Option<Instant>,
    /// The clocks by the number of moves made.
    marks: BTreeMap<usize, Clock>,
}

impl Timer {
    /// The clocks, as the player's time management reads them.
    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Sets the time system; both players start with its full time.
    pub(super) fn set(&mut self, settings: TimeSettings) {
        self.clock.set(settings);
        self.restart();
    }

    /// Gives both players their full time, for a new game.
    pub(super) fn reset(&mut self) {
        self.clock.clear();
        self.restart();
    }

    /// The values of `TM` and `OT` in a record of the game: main time in seconds, and overtime in the words of common
    /// servers and editors, such as `5x30 byo-yomi`. `None` without time settings or without overtime.
    pub(super) fn sgf_times(&self) -> (Option<String>, Option<String>) {
        let (main, overtime) = match self.clock.settings() {
            TimeSettings::None => return (None, None),
            TimeSettings::Absolute { main } => (main, None),
            TimeSettings::Canadian { main, byo, stones } => (main, Some(format!("{stones}/{byo} Canadian"))),
            TimeSettings::ByoYomi { main, period, periods } => (main, Some(format!("{periods}x{period} byo-yomi"))),
            TimeSettings::Fischer { main, increment, .. } => (main, Some(format!("{increment} fischer"))),
        };
        (Some(main.to_string()), overtime)
    }

    fn restart(&mut self) {
        self.marks.clear();
        self.turn_began = None;
    }

    /// Starts the person's time, unless it runs already.
    pub(super) fn begin_turn(&mut self) {
        self.turn_began.get_or_insert_with(Instant::now);
    }

    /// Stops the person's time without counting it.
    pub(super) fn end_turn(&mut self) {
        self.turn_began = None;
    }

    /// Seconds of the person's turn so far; 0 while it is not the person's turn.
    pub(super) fn elapsed(&self) -> f64 {
        self.turn_began.map_or(0.0, |began| began.elapsed().as_secs_f64())
    }

    /// Whether a player who has thought about a move for `seconds` has lost on time.
    pub(super) fn is_exceeded(&self, color: Color, seconds: f64) -> bool {
        self.clock.remaining(color).is_some_and(|time| time.after(seconds).is_none())
    }

    /// Counts a move that took `seconds` and was made after `moves` others.
    pub(super) fn count_move(&mut self, moves: usize, color: Color, seconds: f64) {
        let _ = self.marks.split_off(&moves);
        self.marks.insert(moves, self.clock.clone());
        self.clock.subtract_elapsed(color, seconds);
        self.end_turn();
    }

    /// Goes from the position after `from` moves to that after `to`. A position without clocks of its own, as in a loaded
    /// game, keeps the present ones.
    pub(super) fn go_to(&mut self, from: usize, to: usize) {
        self.marks.entry(from).or_insert_with(|| self.clock.clone());
        if let Some(clock) = self.marks.get(&to) {
            self.clock = clock.clone();
        }
        self.end_turn();
    }

    /// A player's time in words, such as `9:53`; `None` without time settings. `seconds`: the time of the present turn.
    pub(super) fn text(&self, color: Color, seconds: f64) -> Option<String> {
        let remaining = self.clock.remaining(color)?;
        Some(remaining.after(seconds).map_or_else(|| "no time".to_owned(), text))
    }
}

/// The remaining time: main time with what follows it, or the overtime that runs.
fn text(time: RemainingTime) -> String {
    let RemainingTime { main, overtime } = time;
    match overtime {
        Overtime::None => minutes(main),
        Overtime::Fischer { increment, .. } => format!("{} + {} a move", minutes(main), minutes(increment)),
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
            let mut timer = Timer::default();
            timer.set(settings);
            let (found_main, found_overtime) = timer.sgf_times();
            assert_eq!((found_main.as_deref(), found_overtime.as_deref()), (main, overtime), "{settings:?}");
        }
    }

    #[test]
    fn time_is_shown_with_its_overtime() {
        let shown = |settings, seconds| {
            let mut timer = Timer::default();
            timer.set(settings);
            timer.text(Color::White, seconds)
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
        ] {
            assert_eq!(shown(settings, seconds).as_deref(), Some(expected), "{settings:?}");
        }
    }

    #[test]
    fn clocks_follow_undo_and_redo() {
        let mut timer = Timer::default();
        timer.set(TimeSettings::Absolute { main: 100.0 });
        let left = |timer: &Timer| Color::BOTH.map(|color| timer.text(color, 0.0).unwrap_or_default());
        timer.count_move(0, Color::Black, 10.0);
        timer.count_move(1, Color::White, 20.0);
        assert_eq!(left(&timer), ["1:30", "1:20"]);
        timer.go_to(2, 0);
        assert_eq!(left(&timer), ["1:40", "1:40"]);
        timer.go_to(0, 2);
        assert_eq!(left(&timer), ["1:30", "1:20"]);
        // another move from the start discards what followed it
        timer.go_to(2, 0);
        timer.count_move(0, Color::Black, 40.0);
        assert_eq!(left(&timer), ["1:00", "1:40"]);
        timer.go_to(1, 2);
        assert_eq!(left(&timer), ["1:00", "1:40"]);
        assert!(timer.is_exceeded(Color::Black, 60.5) && !timer.is_exceeded(Color::Black, 60.0));
    }
}
