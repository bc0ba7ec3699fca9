//! The clocks of a game whose time is measured here: one of the players' clocks may run, and a step back restores the
//! clocks of the position.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::kernel::Color;
use crate::player::clock::{Clock, TimeSettings};

/// The clocks of both players. `K` names the positions of the game.
#[derive(Debug)]
pub(crate) struct GameClock<K> {
    clock: Clock,
    /// The player whose clock runs, and the moment since which the time is not subtracted yet.
    running: Option<(Color, Instant)>,
    /// The clocks of positions when the position arose.
    clock_at: BTreeMap<K, Clock>,
}

impl<K> Default for GameClock<K> {
    fn default() -> GameClock<K> {
        GameClock { clock: Clock::default(), running: None, clock_at: BTreeMap::new() }
    }
}

impl<K: Ord> GameClock<K> {
    /// Stopped clocks, with the full time.
    pub(crate) fn new(settings: TimeSettings) -> GameClock<K> {
        let mut clock = GameClock::default();
        clock.set(settings);
        clock
    }

    /// Sets the time system; both players start with its full time.
    pub(crate) fn set(&mut self, settings: TimeSettings) {
        *self = GameClock::default();
        self.clock.set(settings);
    }

    /// Gives both players their full time, for a new game.
    pub(crate) fn reset(&mut self) {
        self.set(self.clock.settings());
    }

    /// The clocks when one was last started or stopped, as the player's time management reads them.
    pub(crate) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Starts a player's clock in a position, unless a clock runs already.
    pub(crate) fn start(&mut self, color: Color, position: K) {
        if self.running.is_none() {
            self.clock_at.entry(position).or_insert_with(|| self.clock.clone());
            self.running = Some((color, Instant::now()));
        }
    }

    /// Stops the clock that runs; its time is subtracted, and no move is counted. Returns whose clock it was.
    pub(crate) fn stop(&mut self) -> Option<Color> {
        let (color, since) = self.running.take()?;
        self.clock.subtract_thinking_time(color, since.elapsed().as_secs_f64());
        Some(color)
    }

    /// Subtracts seconds that a player thought without a move, as one who resigns or whose time is up.
    pub(crate) fn subtract_thinking_time(&mut self, color: Color, seconds: f64) {
        self.clock.subtract_thinking_time(color, seconds);
    }

    /// Counts a move that took `seconds` since its player's clock was last started, and stores the clocks for `to`, the
    /// position after it. `from` is the position before it. No clock runs afterwards.
    pub(crate) fn count_move(&mut self, from: K, to: K, color: Color, seconds: f64) {
        self.running = None;
        self.clock_at.entry(from).or_insert_with(|| self.clock.clone());
        self.clock.count_move(color, seconds);
        self.clock_at.insert(to, self.clock.clone());
    }

    /// Goes to a position and restores its clocks. A position without clocks of its own, as in a loaded game, keeps the
    /// present ones. No clock runs afterwards.
    pub(crate) fn go_to(&mut self, position: &K) {
        self.stop();
        if let Some(clock) = self.clock_at.get(position) {
            self.clock = clock.clone();
        }
    }

    /// Sets both clocks, which are stopped afterwards.
    pub(crate) fn restore(&mut self, clock: Clock) {
        (self.clock, self.running) = (clock, None);
    }

    /// The player whose clock runs.
    pub(crate) fn running(&self) -> Option<Color> {
        self.running.map(|(color, _)| color)
    }

    /// Seconds since a player's clock was last started; 0 if it is stopped.
    pub(crate) fn elapsed(&self, color: Color) -> f64 {
        let running = self.running.filter(|(running, _)| *running == color);
        running.map_or(0.0, |(_, since)| since.elapsed().as_secs_f64())
    }

    /// Whether a player who has thought for `seconds` since the clock was last started has lost on time.
    pub(crate) fn is_exceeded(&self, color: Color, seconds: f64) -> bool {
        self.clock.remaining(color).is_some_and(|time| time.after(seconds).is_none())
    }

    /// The player whose clock runs, if the time is up.
    pub(crate) fn flagged_player(&self) -> Option<Color> {
        self.running().filter(|&color| self.is_exceeded(color, self.elapsed(color)))
    }

    /// The time until the running clock is up; `None` if there is none.
    pub(crate) fn time_to_flag(&self) -> Option<Duration> {
        let color = self.running()?;
        let left = self.clock.remaining(color)?.until_lost();
        Duration::try_from_secs_f64((left - self.elapsed(color)).max(0.0)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABSOLUTE: TimeSettings = TimeSettings::Absolute { main: 100.0 };

    fn left<K: Ord>(clock: &GameClock<K>) -> [f64; 2] {
        Color::BOTH.map(|color| clock.clock().remaining(color).map_or(f64::NAN, |time| time.main))
    }

    #[test]
    fn clocks_follow_undo_and_redo() {
        let mut clock = GameClock::new(ABSOLUTE);
        clock.count_move(0, 1, Color::Black, 10.0);
        clock.count_move(1, 2, Color::White, 20.0);
        assert_eq!(left(&clock), [90.0, 80.0]);
        clock.go_to(&0);
        assert_eq!(left(&clock), [100.0, 100.0]);
        clock.go_to(&2);
        assert_eq!(left(&clock), [90.0, 80.0]);
        // another move from the start has clocks of its own
        clock.go_to(&0);
        clock.count_move(0, 1, Color::Black, 40.0);
        assert_eq!(left(&clock), [60.0, 100.0]);
        clock.go_to(&7);
        assert_eq!(left(&clock), [60.0, 100.0], "a position that is not known");
        assert!(clock.is_exceeded(Color::Black, 60.5) && !clock.is_exceeded(Color::Black, 60.0));
    }

    #[test]
    fn time_that_ran_counts_until_the_turn_is_taken_back() {
        let mut clock = GameClock::new(TimeSettings::Absolute { main: 0.05 });
        clock.start(Color::Black, 0);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(clock.stop(), Some(Color::Black));
        let [black, white] = left(&clock);
        assert!(black <= 0.03 && white == 0.05, "{black}");
        clock.start(Color::Black, 0);
        std::thread::sleep(Duration::from_millis(60));
        assert_eq!((clock.flagged_player(), clock.time_to_flag()), (Some(Color::Black), Some(Duration::ZERO)));
        clock.stop();
        assert_eq!((left(&clock), clock.stop(), clock.flagged_player()), ([0.0, 0.05], None, None));
        clock.go_to(&0);
        assert_eq!(left(&clock), [0.05, 0.05]);
    }

    #[test]
    fn the_limit_of_a_move_holds_over_pauses() {
        let fischer = TimeSettings::Fischer { main: 60.0, increment: 5.0, limit: None, max_per_move: Some(2.0) };
        let mut clock = GameClock::new(fischer);
        clock.subtract_thinking_time(Color::Black, 1.5);
        assert!(clock.is_exceeded(Color::Black, 0.6) && !clock.is_exceeded(Color::Black, 0.5));
        assert!(!clock.is_exceeded(Color::White, 2.0));
        clock.start(Color::Black, 0);
        assert!(clock.time_to_flag().is_some_and(|left| left <= Duration::from_millis(500)));
        clock.count_move(0, 1, Color::Black, 0.5);
        assert_eq!(left(&clock), [63.0, 60.0]);
        assert!(!clock.is_exceeded(Color::Black, 2.0), "the next move has the whole limit");
        clock.subtract_thinking_time(Color::White, 1.5);
        clock.go_to(&1);
        assert!(!clock.is_exceeded(Color::White, 2.0), "its thought was taken back");
    }

    #[test]
    fn the_time_to_the_flag_has_all_periods() {
        let mut clock = GameClock::new(TimeSettings::byo_yomi(60.0, 10.0, 3));
        assert_eq!(clock.time_to_flag(), None);
        clock.start(Color::White, 0);
        let left = clock.time_to_flag().map_or(0.0, |left| left.as_secs_f64());
        assert!((89.0..=90.0).contains(&left), "{left}");
        assert_eq!((clock.running(), clock.elapsed(Color::Black)), (Some(Color::White), 0.0));
        let mut without: GameClock<usize> = GameClock::default();
        without.start(Color::White, 0);
        assert_eq!((without.flagged_player(), without.time_to_flag()), (None, None));
    }
}
