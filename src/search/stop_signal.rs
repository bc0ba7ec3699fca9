//! The order to stop thinking, given from outside while a search runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// How long a search goes on at most when nobody can tell it anything any more.
const LAST_THOUGHT: Duration = Duration::from_secs(1);

/// Whether the search for the command in hand shall stop. Commands are lines with numbers; an order to stop is a line
/// too, and stops whatever came before it, even if it is read before that has begun. A search that gives way is stopped
/// by any line.
#[derive(Debug)]
pub struct Interrupt {
    /// The number of the line in hand.
    line: AtomicU64,
    /// The number of the last line that said stop.
    order: AtomicU64,
    /// The number of the last line heard of; [`ALL_HEARD`] where nobody listens.
    heard: AtomicU64,
    /// Whether the search in hand stops as soon as another line is there.
    gives_way: AtomicBool,
    /// Whether no more lines will come.
    has_ended: AtomicBool,
    /// Says stop while it is up.
    flag: Arc<AtomicBool>,
    /// The longest that a search goes on.
    most: Duration,
}

/// Nothing more will be heard before it is taken in hand.
const ALL_HEARD: u64 = u64::MAX;

impl Default for Interrupt {
    fn default() -> Interrupt {
        Interrupt {
            line: AtomicU64::new(0),
            order: AtomicU64::new(0),
            heard: AtomicU64::new(ALL_HEARD),
            gives_way: AtomicBool::new(false),
            has_ended: AtomicBool::new(false),
            flag: Arc::default(),
            most: Duration::MAX,
        }
    }
}

impl Interrupt {
    /// One that says stop by itself, too, after so long.
    pub fn within(most: Duration) -> Interrupt {
        Interrupt { most, ..Interrupt::default() }
    }

    /// The next line is taken in hand.
    pub fn next_line(&self) {
        self.line.fetch_add(1, Ordering::Relaxed);
        self.flag.store(false, Ordering::Relaxed);
        self.gives_way.store(false, Ordering::Relaxed);
    }

    /// Somebody listens: from now on lines are heard of before they are taken in hand.
    pub fn listen(&self) {
        self.heard.store(0, Ordering::Relaxed);
    }

    /// The line of this number, counted from 1, has come.
    pub fn hear(&self, line: u64) {
        self.heard.fetch_max(line, Ordering::Relaxed);
    }

    /// Nobody listens any more.
    pub fn stop_listening(&self) {
        self.heard.store(ALL_HEARD, Ordering::Relaxed);
    }

    /// Whether the line after the one in hand has come, or would not be heard of if it did.
    pub fn is_next_heard(&self) -> bool {
        self.heard.load(Ordering::Relaxed) > self.line.load(Ordering::Relaxed)
    }

    /// The search for the line in hand shall stop at once when another line comes, or will never come.
    pub fn give_way(&self) {
        self.gives_way.store(true, Ordering::Relaxed);
    }

    /// The line of this number, counted from 1, says stop.
    pub fn order(&self, line: u64) {
        self.order.fetch_max(line, Ordering::Relaxed);
    }

    /// No more lines will come. A search then ends within a second: whoever asked may be gone, but may also have piped
    /// in a file and be waiting for a sensible move.
    pub fn end(&self) {
        self.has_ended.store(true, Ordering::Relaxed);
        self.stop_listening();
    }

    /// A flag that says stop while it is up, whatever the lines say; the next line takes it down. It is for those who
    /// can do no more than raise one, as the handler of a signal.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.flag
    }

    /// Whether a search for the line in hand shall stop after so long.
    pub fn says_stop(&self, elapsed: Duration) -> bool {
        self.order.load(Ordering::Relaxed) > self.line.load(Ordering::Relaxed)
            || (self.gives_way.load(Ordering::Relaxed) && self.is_next_heard())
            || self.flag.load(Ordering::Relaxed)
            || elapsed >= self.most
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
    fn a_flag_stops_while_it_is_up() {
        let interrupt = Interrupt::default();
        let flag = interrupt.flag().clone();
        for is_up in [true, false, true] {
            flag.store(is_up, Ordering::Relaxed);
            assert_eq!(interrupt.says_stop(Duration::ZERO), is_up);
        }
        interrupt.next_line();
        assert!(!interrupt.says_stop(Duration::ZERO), "it was meant for the line before");
    }

    #[test]
    fn the_longest_time_is_the_end() {
        let interrupt = Interrupt::within(Duration::from_secs(2));
        assert!(!interrupt.says_stop(Duration::from_millis(1999)));
        assert!(interrupt.says_stop(Duration::from_secs(2)));
    }

    #[test]
    fn the_end_of_input_leaves_a_second() {
        let interrupt = Interrupt::default();
        assert!(!interrupt.says_stop(Duration::from_secs(9)));
        interrupt.end();
        assert!(!interrupt.says_stop(Duration::from_millis(900)));
        assert!(interrupt.says_stop(Duration::from_secs(1)));
    }

    #[test]
    fn a_search_that_gives_way_is_stopped_by_any_line_after_its_own() {
        let interrupt = Interrupt::default();
        let stops = || interrupt.says_stop(Duration::ZERO);
        interrupt.listen();
        interrupt.hear(1);
        interrupt.next_line();
        interrupt.give_way();
        assert!(!stops() && !interrupt.is_next_heard());
        interrupt.hear(2);
        assert!(stops());
        interrupt.next_line();
        interrupt.hear(3);
        assert!(!stops() && interrupt.is_next_heard(), "the next command does not give way");
    }

    #[test]
    fn a_search_that_gives_way_does_not_wait_for_what_cannot_be_heard() {
        let interrupt = Interrupt::default();
        interrupt.give_way();
        assert!(interrupt.says_stop(Duration::ZERO), "nobody listens");
        interrupt.listen();
        assert!(!interrupt.says_stop(Duration::from_secs(9)));
        interrupt.end();
        assert!(interrupt.says_stop(Duration::ZERO), "nothing more will come");
    }
}
