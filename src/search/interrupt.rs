//! The order to stop thinking, given from outside while a search runs.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How long a search goes on at most when nobody can tell it anything any more.
const LAST_THOUGHT: Duration = Duration::from_secs(1);

/// Whether the search for the command in hand shall stop. Commands are lines with numbers; an order to stop is a line
/// too, and stops whatever came before it, even if it is read before that has begun.
#[derive(Debug, Default)]
pub struct Interrupt {
    /// The number of the line in hand.
    line: AtomicU64,
    /// The number of the last line that said stop.
    order: AtomicU64,
    /// Whether no more lines will come.
    has_ended: AtomicBool,
}

impl Interrupt {
    /// The next line is taken in hand.
    pub fn next_line(&self) {
        self.line.fetch_add(1, Ordering::Relaxed);
    }

    /// The line of this number, counted from 1, says stop.
    pub fn order(&self, line: u64) {
        self.order.fetch_max(line, Ordering::Relaxed);
    }

    /// No more lines will come. A search then ends within a second: whoever asked may be gone, but may also have piped
    /// in a file and be waiting for a sensible move.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
    }

    /// Whether a search for the line in hand shall stop after so long.
    pub fn says_stop(&self, elapsed: Duration) -> bool {
        self.order.load(Ordering::Relaxed) > self.line.load(Ordering::Relaxed)
            || (elapsed >= LAST_THOUGHT && self.has_ended.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_stops_what_came_before_it() {
        let interrupt = Interrupt::default();
        let stops = || interrupt.says_stop(Duration::ZERO);
        interrupt.next_line();
        assert!(!stops());
        interrupt.order(3);
        assert!(stops(), "line 1 came before");
        interrupt.next_line();
        assert!(stops(), "so did line 2");
        interrupt.next_line();
        assert!(!stops(), "line 3 is the order");
    }

    #[test]
    fn the_end_of_input_leaves_a_second() {
        let interrupt = Interrupt::default();
        assert!(!interrupt.says_stop(Duration::from_secs(9)));
        interrupt.end();
        assert!(!interrupt.says_stop(Duration::from_millis(900)));
        assert!(interrupt.says_stop(Duration::from_secs(1)));
    }
}
