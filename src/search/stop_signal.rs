//! A stop signal for numbered lines of input, given from other threads while a search runs.
//!
//! Lines are numbered from 1 in the order in which they are read, those without a command too. A reader thread may be
//! ahead of the line being executed: a stop request has the number of the line that made it and stops every earlier
//! command, even one that has not begun. So a stop is never lost in the queue and never stops a later command.

use std::sync::Arc;
use std::time::Duration;

use crate::search::sync::{AtomicBool, AtomicU64, Ordering};

/// After the end of input, and while `quit` is the next line, a search runs at most this long.
const MAX_TIME_BEFORE_EXIT: Duration = Duration::from_secs(1);

/// Value of [`StopSignal::quit_line`] before such a line was read.
const NO_LINE: u64 = u64::MAX;

/// Tells a search when to stop; shared by the threads that search, read input and handle signals.
#[derive(Debug)]
pub struct StopSignal {
    /// Number of the line being executed.
    current: AtomicU64,
    /// Number of the last line that requested a stop.
    last_stop_request: AtomicU64,
    /// Whether a reader reports lines; false after the end of the input.
    has_reader: AtomicBool,
    /// Number of lines read. It stays when the reader is gone.
    lines_read: AtomicU64,
    /// Number of the first line read that is the command `quit`; [`NO_LINE`] without one.
    quit_line: AtomicU64,
    /// Whether the current search stops as soon as another line is read, or if there is no reader.
    stops_on_input: AtomicBool,
    /// As `stops_on_input`, but the end of the input and the lack of a reader do not stop the search.
    stops_on_line: AtomicBool,
    /// Whether the input has ended.
    input_ended: AtomicBool,
    /// Whether a search was stopped because the input had ended.
    stopped_by_end_of_input: AtomicBool,
    /// Stops the search while set.
    flag: Arc<std::sync::atomic::AtomicBool>,
    /// The longest time of a search.
    timeout: Duration,
}

impl Default for StopSignal {
    fn default() -> StopSignal {
        StopSignal {
            current: AtomicU64::new(0),
            last_stop_request: AtomicU64::new(0),
            has_reader: AtomicBool::new(false),
            lines_read: AtomicU64::new(0),
            quit_line: AtomicU64::new(NO_LINE),
            stops_on_input: AtomicBool::new(false),
            stops_on_line: AtomicBool::new(false),
            input_ended: AtomicBool::new(false),
            stopped_by_end_of_input: AtomicBool::new(false),
            flag: Arc::default(),
            timeout: Duration::MAX,
        }
    }
}

impl StopSignal {
    /// A signal that also stops every search after a time.
    pub(crate) fn with_timeout(timeout: Duration) -> StopSignal {
        StopSignal { timeout, ..StopSignal::default() }
    }

    /// Begins the next line: clears the flag, [`StopSignal::stop_on_input`] and [`StopSignal::stop_on_line`].
    pub(crate) fn begin_line(&self) {
        self.current.fetch_add(1, Ordering::Relaxed);
        self.flag.store(false, Ordering::Relaxed);
        self.stops_on_input.store(false, Ordering::Relaxed);
        self.stops_on_line.store(false, Ordering::Relaxed);
    }

    /// Announces a reader that will report each line it reads ([`StopSignal::line_read`]).
    pub(crate) fn attach_reader(&self) {
        self.has_reader.store(true, Ordering::Relaxed);
    }

    /// Reports that the line of this number, counted from 1, was read.
    pub(crate) fn line_read(&self, number: u64) {
        self.lines_read.fetch_max(number, Ordering::Relaxed);
    }

    /// Announces that there is no reader any more.
    pub(crate) fn detach_reader(&self) {
        self.has_reader.store(false, Ordering::Relaxed);
    }

    /// Whether a line after the current one was read; also true without a reader, because input would go unnoticed.
    pub(crate) fn has_pending_input(&self) -> bool {
        !self.has_reader.load(Ordering::Relaxed) || self.is_line_read()
    }

    /// Whether a line after the current one was read.
    fn is_line_read(&self) -> bool {
        self.lines_read.load(Ordering::Relaxed) > self.current.load(Ordering::Relaxed)
    }

    /// Makes the current search stop when [`StopSignal::has_pending_input`] is true.
    pub(crate) fn stop_on_input(&self) {
        self.stops_on_input.store(true, Ordering::Relaxed);
    }

    /// Undoes [`StopSignal::stop_on_input`].
    pub(crate) fn ignore_input(&self) {
        self.stops_on_input.store(false, Ordering::Relaxed);
    }

    /// Makes the current search stop when a line after the current one was read. Unlike
    /// [`StopSignal::stop_on_input`] this needs a line: without a reader, and at the end of the input, nothing stops.
    pub(crate) fn stop_on_line(&self) {
        self.stops_on_line.store(true, Ordering::Relaxed);
    }

    /// Whether a reader thread has reported any line, also if it has ended since.
    pub(crate) fn has_read_a_line(&self) -> bool {
        self.lines_read.load(Ordering::Relaxed) > 0
    }

    /// Whether the input has ended, although commands that were read may still wait.
    pub(crate) fn has_input_ended(&self) -> bool {
        self.input_ended.load(Ordering::Relaxed)
    }

    /// Stops every command before the line of this number, counted from 1.
    pub(crate) fn request_stop(&self, number: u64) {
        self.last_stop_request.fetch_max(number, Ordering::Relaxed);
    }

    /// Reports the end of the input. A search then lasts a second at most: the controller may be gone. It is not
    /// stopped at once, because a file's last command also needs an answer.
    pub(crate) fn end_of_input(&self) {
        self.input_ended.store(true, Ordering::Relaxed);
        self.detach_reader();
    }

    /// Reports that the line of this number, counted from 1, is the command `quit`. The search of the command before it
    /// then lasts a second at most, as after the end of the input: controllers end a process that does not exit soon.
    pub(crate) fn quit_read(&self, number: u64) {
        self.quit_line.fetch_min(number, Ordering::Relaxed);
    }

    /// A flag that stops the search while set; the next line clears it. Storing to it is safe in a signal handler.
    pub fn flag(&self) -> &Arc<std::sync::atomic::AtomicBool> {
        &self.flag
    }

    /// Whether the flag is set.
    pub fn is_flag_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    /// Whether a user interrupts the current command: the flag is set, or a later line requests a stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.last_stop_request.load(Ordering::Relaxed) > self.current.load(Ordering::Relaxed) || self.is_flag_set()
    }

    /// Whether the current search, `elapsed` after its beginning and before it reached a limit of its own, has to stop.
    /// A stop because the input has ended is kept for [`StopSignal::stopped_by_end_of_input`].
    pub(crate) fn should_stop(&self, elapsed: Duration) -> bool {
        if self.is_stop_requested(elapsed) {
            return true;
        }
        let is_over = elapsed >= MAX_TIME_BEFORE_EXIT && (self.has_input_ended() || self.is_quit_next());
        if is_over && self.has_input_ended() {
            self.stopped_by_end_of_input.store(true, Ordering::Relaxed);
        }
        is_over
    }

    /// Whether anything but the end of the input and `quit` stops the search.
    fn is_stop_requested(&self, elapsed: Duration) -> bool {
        self.is_interrupted()
            || (self.stops_on_input.load(Ordering::Relaxed) && self.has_pending_input())
            || (self.stops_on_line.load(Ordering::Relaxed) && self.is_line_read())
            || elapsed >= self.timeout
    }

    /// Whether the line after the current one is the command `quit`.
    fn is_quit_next(&self) -> bool {
        self.quit_line.load(Ordering::Relaxed) == self.current.load(Ordering::Relaxed).saturating_add(1)
    }

    /// Whether any search so far was stopped because the input had ended, a second after the start of the search.
    pub(crate) fn stopped_by_end_of_input(&self) -> bool {
        self.stopped_by_end_of_input.load(Ordering::Relaxed)
    }
}

/// Stops every thread when one ends, also by a panic.
pub(super) struct StopOnDrop<'a>(pub(super) &'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_request_stops_earlier_commands() {
        let stop_signal = StopSignal::default();
        let stops = || stop_signal.should_stop(Duration::ZERO);
        stop_signal.begin_line();
        assert!(!stops());
        stop_signal.request_stop(3);
        assert!(stops(), "command 1 is earlier");
        stop_signal.begin_line();
        assert!(stops(), "command 2 is earlier");
        stop_signal.begin_line();
        assert!(!stops(), "command 3 made the request");
    }

    #[test]
    fn flag_stops_while_set() {
        let stop_signal = StopSignal::default();
        let flag = stop_signal.flag().clone();
        for is_set in [true, false, true] {
            flag.store(is_set, Ordering::Relaxed);
            assert_eq!(stop_signal.should_stop(Duration::ZERO), is_set);
        }
        stop_signal.begin_line();
        assert!(!stop_signal.should_stop(Duration::ZERO), "the next line clears it");
    }

    #[test]
    fn only_a_user_interrupts() {
        let stop_signal = StopSignal::default();
        stop_signal.begin_line();
        stop_signal.quit_read(2);
        stop_signal.end_of_input();
        stop_signal.stop_on_input();
        assert!(stop_signal.should_stop(Duration::from_secs(1)) && !stop_signal.is_interrupted());
        stop_signal.request_stop(2);
        assert!(stop_signal.is_interrupted());
        stop_signal.begin_line();
        assert!(!stop_signal.is_interrupted());
        stop_signal.flag().store(true, Ordering::Relaxed);
        assert!(stop_signal.is_interrupted());
    }

    #[test]
    fn timeout_stops() {
        let stop_signal = StopSignal::with_timeout(Duration::from_secs(2));
        assert!(!stop_signal.should_stop(Duration::from_millis(1999)));
        assert!(stop_signal.should_stop(Duration::from_secs(2)));
    }

    #[test]
    fn end_of_input_stops_after_a_second() {
        let stop_signal = StopSignal::default();
        assert!(!stop_signal.should_stop(Duration::from_secs(9)));
        stop_signal.end_of_input();
        assert!(!stop_signal.should_stop(Duration::from_millis(900)));
        stop_signal.stop_on_input();
        assert!(
            stop_signal.should_stop(Duration::from_secs(1)) && !stop_signal.stopped_by_end_of_input(),
            "an analysis"
        );
        stop_signal.ignore_input();
        assert!(stop_signal.should_stop(Duration::from_secs(1)) && stop_signal.stopped_by_end_of_input());
    }

    #[test]
    fn quit_as_the_next_line_stops_after_a_second() {
        let stop_signal = StopSignal::default();
        let second = Duration::from_secs(1);
        stop_signal.begin_line();
        stop_signal.quit_read(3);
        stop_signal.quit_read(4);
        assert!(!stop_signal.should_stop(second), "another command comes first");
        stop_signal.begin_line();
        assert!(!stop_signal.should_stop(Duration::from_millis(999)) && stop_signal.should_stop(second));
        assert!(!stop_signal.stopped_by_end_of_input());
        stop_signal.end_of_input();
        assert!(stop_signal.should_stop(second) && stop_signal.stopped_by_end_of_input());
    }

    #[test]
    fn stop_on_input_stops_at_the_next_line() {
        let stop_signal = StopSignal::default();
        let stops = || stop_signal.should_stop(Duration::ZERO);
        stop_signal.attach_reader();
        stop_signal.line_read(1);
        stop_signal.begin_line();
        stop_signal.stop_on_input();
        assert!(!stops() && !stop_signal.has_pending_input());
        stop_signal.line_read(2);
        assert!(stops());
        stop_signal.begin_line();
        stop_signal.line_read(3);
        assert!(!stops() && stop_signal.has_pending_input(), "the next command is not stopped");
    }

    #[test]
    fn stop_on_input_stops_without_a_reader() {
        let stop_signal = StopSignal::default();
        stop_signal.stop_on_input();
        assert!(stop_signal.should_stop(Duration::ZERO), "no reader");
        stop_signal.attach_reader();
        assert!(!stop_signal.should_stop(Duration::from_secs(9)));
        stop_signal.end_of_input();
        assert!(stop_signal.should_stop(Duration::ZERO), "end of input");
    }

    #[test]
    fn stop_on_line_needs_a_line() {
        let stop_signal = StopSignal::default();
        let stops = || stop_signal.should_stop(Duration::ZERO);
        stop_signal.attach_reader();
        stop_signal.line_read(1);
        stop_signal.begin_line();
        stop_signal.stop_on_line();
        assert!(!stops());
        stop_signal.end_of_input();
        assert!(!stops(), "the end is no line");
        stop_signal.line_read(2);
        assert!(stops());
        stop_signal.begin_line();
        assert!(!stops(), "the next command is not stopped");
    }
}
