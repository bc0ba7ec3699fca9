//! The order to stop thinking, given from outside while a search runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How long a search goes on at most when nobody can tell it anything any more.
const MAX_TIME_AFTER_EOF: Duration = Duration::from_secs(1);

/// Whether the search for the command in hand shall stop. Commands are lines with numbers; an order to stop is a line
/// too, and stops whatever came before it, even if it is read before that has begun. A search that gives way is stopped
/// by any line.
#[derive(Debug)]
pub struct StopSignal {
    /// The number of the line in hand.
    line: AtomicU64,
    /// The number of the last line that said stop.
    request_stop: AtomicU64,
    /// The number of the last line heard of; [`ALL_HEARD`] where nobody listens.
    last_line: AtomicU64,
    /// Whether the search in hand stops as soon as another line is there.
    stops_on_input: AtomicBool,
    /// Whether no more lines will come.
    has_ended: AtomicBool,
    /// Says stop while it is up.
    flag: Arc<AtomicBool>,
    /// The longest that a search goes on.
    timeout: Duration,
}

/// Nothing more will be heard before it is taken in hand.
const NO_READER: u64 = u64::MAX;

impl Default for StopSignal {
    fn default() -> StopSignal {
        StopSignal {
            line: AtomicU64::new(0),
            request_stop: AtomicU64::new(0),
            last_line: AtomicU64::new(NO_READER),
            stops_on_input: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            flag: Arc::default(),
            timeout: Duration::MAX,
        }
    }
}

impl StopSignal {
    /// One that says stop by itself, too, after so long.
    pub fn with_timeout(timeout: Duration) -> StopSignal {
        StopSignal { timeout, ..StopSignal::default() }
    }

    /// The next line is taken in hand.
    pub fn begin_command(&self) {
        self.line.fetch_add(1, Ordering::Relaxed);
        self.flag.store(false, Ordering::Relaxed);
        self.stops_on_input.store(false, Ordering::Relaxed);
    }

    /// Somebody listens: from now on lines are heard of before they are taken in hand.
    pub fn listen(&self) {
        self.last_line.store(0, Ordering::Relaxed);
    }

    /// The line of this number, counted from 1, has come.
    pub fn line_arrived(&self, line: u64) {
        self.last_line.fetch_max(line, Ordering::Relaxed);
    }

    /// Nobody listens any more.
    pub fn stop_listening(&self) {
        self.last_line.store(NO_READER, Ordering::Relaxed);
    }

    /// Whether the line after the one in hand has come, or would not be heard of if it did.
    pub fn has_pending_input(&self) -> bool {
        self.last_line.load(Ordering::Relaxed) > self.line.load(Ordering::Relaxed)
    }

    /// The search for the line in hand shall stop at once when another line comes, or will never come.
    pub fn stop_on_input(&self) {
        self.stops_on_input.store(true, Ordering::Relaxed);
    }

    /// The line of this number, counted from 1, says stop.
    pub fn request_stop(&self, line: u64) {
        self.request_stop.fetch_max(line, Ordering::Relaxed);
    }

    /// No more lines will come. A search then ends within a second: whoever asked may be gone, but may also have piped
    /// in a file and be waiting for a sensible move.
    pub fn end_of_input(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
        self.stop_listening();
    }

    /// A flag that says stop while it is up, whatever the lines say; the next line takes it down. It is for those who
    /// can do no more than raise one, as the handler of a signal.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.flag
    }

    /// Whether a search for the line in hand shall stop after so long.
    pub fn should_stop(&self, elapsed: Duration) -> bool {
        self.request_stop.load(Ordering::Relaxed) > self.line.load(Ordering::Relaxed)
            || (self.stops_on_input.load(Ordering::Relaxed) && self.has_pending_input())
            || self.flag.load(Ordering::Relaxed)
            || elapsed >= self.timeout
            || (elapsed >= MAX_TIME_AFTER_EOF && self.has_ended.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_stops_what_came_before_it() {
        let stop_signal = StopSignal::default();
        let stops = || stop_signal.should_stop(Duration::ZERO);
        stop_signal.begin_command();
        assert!(!stops());
        stop_signal.request_stop(3);
        assert!(stops(), "line 1 came before");
        stop_signal.begin_command();
        assert!(stops(), "so did line 2");
        stop_signal.begin_command();
        assert!(!stops(), "line 3 is the order");
    }

    #[test]
    fn a_flag_stops_while_it_is_up() {
        let stop_signal = StopSignal::default();
        let flag = stop_signal.flag().clone();
        for is_up in [true, false, true] {
            flag.store(is_up, Ordering::Relaxed);
            assert_eq!(stop_signal.should_stop(Duration::ZERO), is_up);
        }
        stop_signal.begin_command();
        assert!(!stop_signal.should_stop(Duration::ZERO), "it was meant for the line before");
    }

    #[test]
    fn the_longest_time_is_the_end() {
        let stop_signal = StopSignal::with_timeout(Duration::from_secs(2));
        assert!(!stop_signal.should_stop(Duration::from_millis(1999)));
        assert!(stop_signal.should_stop(Duration::from_secs(2)));
    }

    #[test]
    fn the_end_of_input_leaves_a_second() {
        let stop_signal = StopSignal::default();
        assert!(!stop_signal.should_stop(Duration::from_secs(9)));
        stop_signal.end_of_input();
        assert!(!stop_signal.should_stop(Duration::from_millis(900)));
        assert!(stop_signal.should_stop(Duration::from_secs(1)));
    }

    #[test]
    fn a_search_that_gives_way_is_stopped_by_any_line_after_its_own() {
        let stop_signal = StopSignal::default();
        let stops = || stop_signal.should_stop(Duration::ZERO);
        stop_signal.listen();
        stop_signal.line_arrived(1);
        stop_signal.begin_command();
        stop_signal.stop_on_input();
        assert!(!stops() && !stop_signal.has_pending_input());
        stop_signal.line_arrived(2);
        assert!(stops());
        stop_signal.begin_command();
        stop_signal.line_arrived(3);
        assert!(!stops() && stop_signal.has_pending_input(), "the next command does not give way");
    }

    #[test]
    fn a_search_that_gives_way_does_not_wait_for_what_cannot_be_heard() {
        let stop_signal = StopSignal::default();
        stop_signal.stop_on_input();
        assert!(stop_signal.should_stop(Duration::ZERO), "nobody listens");
        stop_signal.listen();
        assert!(!stop_signal.should_stop(Duration::from_secs(9)));
        stop_signal.end_of_input();
        assert!(stop_signal.should_stop(Duration::ZERO), "nothing more will come");
    }
}
