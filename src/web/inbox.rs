//! Actions of pages on their way to the thread of the engine.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::web::action::{Action, MAX_FRAME};
use crate::web::hub::PageId;

/// Actions that may wait. A person makes a few a second; more come from a program.
const MAX_WAITING: usize = 64;

/// Bytes of the records in the actions that may wait. The record of one frame fits.
const MAX_WAITING_BYTES: usize = MAX_FRAME;

/// A queue of actions with a bound; shared by the threads.
#[derive(Clone, Default)]
pub(super) struct Inbox(Arc<Shared>);

#[derive(Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    actions: VecDeque<(PageId, Action)>,
    is_woken: bool,
}

impl Inbox {
    /// Adds an action of a page; returns it if too many wait.
    pub(super) fn push(&self, page: PageId, action: Action) -> Result<(), Action> {
        let mut waiting = self.lock();
        let bytes: usize = waiting.actions.iter().map(|(_, waiting)| waiting.record_bytes()).sum();
        if waiting.actions.len() >= MAX_WAITING || bytes + action.record_bytes() > MAX_WAITING_BYTES {
            return Err(action);
        }
        waiting.actions.push_back((page, action));
        self.0.changed.notify_one();
        Ok(())
    }

    /// Makes [`Inbox::take`] return, so that its caller looks at what else has changed.
    pub(super) fn wake(&self) {
        self.lock().is_woken = true;
        self.0.changed.notify_one();
    }

    /// The next action. Waits for it at most this long, or until [`Inbox::wake`].
    pub(super) fn take(&self, wait: Duration) -> Option<(PageId, Action)> {
        let is_idle = |waiting: &mut Waiting| waiting.actions.is_empty() && !waiting.is_woken;
        let waited = self.0.changed.wait_timeout_while(self.lock(), wait, is_idle);
        let (mut waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        waiting.is_woken = false;
        waiting.actions.pop_front()
    }

    /// Whether an action waits, or a [`Inbox::wake`].
    pub(super) fn has_any(&self) -> bool {
        let waiting = self.lock();
        waiting.is_woken || !waiting.actions.is_empty()
    }

    /// Whether an action waits.
    pub(super) fn has_action(&self) -> bool {
        !self.lock().actions.is_empty()
    }

    /// Whether an action waits that ends the engine's search for its move.
    pub(super) fn has_interrupt(&self) -> bool {
        self.lock().actions.iter().any(|(_, action)| action.interrupts())
    }

    /// Whether an action waits that ends a count of the score.
    pub(super) fn ends_count(&self) -> bool {
        self.lock().actions.iter().any(|(_, action)| action.ends_count())
    }

    /// Whether an action waits that leaves the position in which the engine searches for its move.
    pub(super) fn leaves_position(&self) -> bool {
        self.lock().actions.iter().any(|(_, action)| action.leaves_position())
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        // no code between can panic half way
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_keep_their_order_and_their_number_is_bounded() {
        let inbox = Inbox::default();
        assert_eq!(inbox.take(Duration::ZERO), None);
        for point in 0..MAX_WAITING as i32 {
            assert_eq!(inbox.push(1, Action::Play { point }), Ok(()));
        }
        assert_eq!(inbox.push(2, Action::Undo {}), Err(Action::Undo {}));
        assert!(inbox.has_any() && !inbox.has_interrupt());
        assert_eq!(inbox.take(Duration::ZERO), Some((1, Action::Play { point: 0 })));
        assert_eq!(inbox.push(2, Action::Genmove {}), Ok(()));
        assert!(inbox.has_interrupt() && !inbox.leaves_position());
        assert_eq!(inbox.take(Duration::ZERO), Some((1, Action::Play { point: 1 })));
        assert_eq!(inbox.push(2, Action::Undo {}), Ok(()));
        assert!(inbox.leaves_position());
    }

    #[test]
    fn the_records_in_waiting_actions_are_bounded() {
        let inbox = Inbox::default();
        let load = |bytes: usize| Action::Load { sgf: "a".repeat(bytes), bytes: false };
        assert!(inbox.push(1, load(MAX_WAITING_BYTES)).is_ok(), "one record always fits");
        assert!(inbox.push(1, load(1)).is_err());
        assert!(inbox.push(1, Action::Undo {}).is_ok());
        inbox.take(Duration::ZERO);
        assert!(inbox.push(1, load(MAX_WAITING_BYTES - 1)).is_ok() && inbox.push(2, load(1)).is_ok());
    }

    #[test]
    fn a_wake_ends_the_waiting_once() {
        let inbox = Inbox::default();
        inbox.wake();
        assert!(inbox.has_any() && !inbox.has_action());
        assert_eq!(inbox.take(Duration::MAX), None);
        assert!(!inbox.has_any());
    }
}
