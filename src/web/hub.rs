//! The pages that are connected: what each is sent, and whether one of them watches.
//!
//! The hub keeps the latest event of each kind, so that a new page gets the whole state at once, even while the engine
//! searches. A page that does not read what it is sent is disconnected.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::web::event::{Event, NodeValue, Notice, RETAINED_KINDS};

/// Pages that may be connected at the same time.
pub(super) const MAX_PAGES: usize = 64;

/// Events that wait for a slow page.
const MAX_WAITING: usize = 256;

/// The number of a connection.
pub(super) type PageId = u64;

/// The connected pages; shared by the threads.
#[derive(Clone, Default)]
pub(super) struct Hub(Arc<Mutex<Pages>>);

#[derive(Default)]
struct Pages {
    pages: BTreeMap<PageId, Page>,
    last_id: PageId,
    latest: [Option<Arc<str>>; RETAINED_KINDS],
    /// The notice that holds now, for pages that connect later.
    standing_notice: Option<Arc<str>>,
    record: String,
}

impl Pages {
    /// Sends a text to all pages, and drops those that do not take it.
    fn send_text(&mut self, text: &Arc<str>) {
        self.pages.retain(|_, page| page.events.try_send(text.clone()).is_ok());
    }
}

struct Page {
    events: Sender<Arc<str>>,
    wants_analysis: bool,
    wants_policy: bool,
    is_visible: bool,
    /// Whether it has begun to watch, or changed what it wants, and has not been sent an analysis for this.
    awaits_analysis: bool,
}

impl Hub {
    /// Connects a page, which gets the latest event of each kind and the standing notice at once; `None` if there are too
    /// many.
    pub(super) fn join(&self) -> Option<(PageId, Receiver<Arc<str>>)> {
        let mut hub = self.lock();
        if hub.pages.len() >= MAX_PAGES {
            return None;
        }
        let (events, receiver) = channel(MAX_WAITING);
        for event in hub.latest.iter().chain([&hub.standing_notice]).flatten() {
            // there is space for one of each kind
            let _ = events.try_send(event.clone());
        }
        hub.last_id += 1;
        let id = hub.last_id;
        let page =
            Page { events, wants_analysis: false, wants_policy: false, is_visible: true, awaits_analysis: false };
        hub.pages.insert(id, page);
        Some((id, receiver))
    }

    /// Disconnects a page.
    pub(super) fn leave(&self, id: PageId) {
        self.lock().pages.remove(&id);
    }

    /// Notes what a page wants: live analysis, with the policy.
    pub(super) fn watch(&self, id: PageId, analysis: bool, policy: bool) {
        if let Some(page) = self.lock().pages.get_mut(&id) {
            (page.wants_analysis, page.wants_policy) = (analysis, policy);
            page.awaits_analysis = true;
        }
    }

    /// Notes whether a page is visible.
    pub(super) fn set_visible(&self, id: PageId, is_visible: bool) {
        if let Some(page) = self.lock().pages.get_mut(&id) {
            page.is_visible = is_visible;
            page.awaits_analysis = true;
        }
    }

    /// Whether a visible page wants live analysis.
    pub(super) fn is_watched(&self) -> bool {
        self.lock().pages.values().any(|page| page.wants_analysis && page.is_visible)
    }

    /// Whether a visible page wants the policy, too.
    pub(super) fn wants_policy(&self) -> bool {
        self.lock().pages.values().any(|page| page.wants_analysis && page.wants_policy && page.is_visible)
    }

    /// The visible pages that want live analysis and have asked for it since the last call, each with whether it wants
    /// the policy.
    pub(super) fn take_new_watchers(&self) -> Vec<(PageId, bool)> {
        let mut hub = self.lock();
        let watching = hub.pages.iter_mut().filter(|(_, page)| page.wants_analysis && page.is_visible);
        let new = watching.filter_map(|(&id, page)| {
            let is_new = std::mem::take(&mut page.awaits_analysis);
            is_new.then_some((id, page.wants_policy))
        });
        new.collect()
    }

    /// Sends an event to all pages.
    pub(super) fn send(&self, event: &Event) {
        self.send_and_keep(event, event);
    }

    /// Sends an event to all pages, unless it is the latest one of its kind.
    pub(super) fn send_if_new(&self, event: &Event) {
        let Some(text) = text(event) else { return };
        let is_known =
            event.retained_index().and_then(|kind| self.lock().latest.get(kind).cloned().flatten()) == Some(text);
        if !is_known {
            self.send(event);
        }
    }

    /// Sends the values that are new to all pages; a page that connects later gets all.
    pub(super) fn send_values(&self, new: &[NodeValue], all: &[NodeValue]) {
        self.send_and_keep(&Event::Values { values: new.to_vec() }, &Event::Values { values: all.to_vec() });
    }

    /// Sends an event to all pages, and keeps another one for those that connect later.
    fn send_and_keep(&self, event: &Event, kept: &Event) {
        let (Some(sent), Some(kept_text)) = (text(event), text(kept)) else { return };
        let mut hub = self.lock();
        if let Some(latest) = kept.retained_index().and_then(|kind| hub.latest.get_mut(kind)) {
            *latest = Some(kept_text);
        }
        hub.send_text(&sent);
    }

    /// Sends a notice to all pages. With `holds`, pages that connect before the next such notice get it, too.
    pub(super) fn send_notice(&self, notice: Notice, holds: bool) {
        let Some(text) = text(&Event::Notice(notice)) else { return };
        let mut hub = self.lock();
        hub.standing_notice = holds.then(|| text.clone());
        hub.send_text(&text);
    }

    /// Sets the record of the current game, which pages may download.
    pub(super) fn set_record(&self, record: String) {
        self.lock().record = record;
    }

    /// The record of the current game.
    pub(super) fn record(&self) -> String {
        self.lock().record.clone()
    }

    /// Sends an event to one page.
    pub(super) fn send_to(&self, id: PageId, event: &Event) {
        let Some(text) = text(event) else { return };
        let mut hub = self.lock();
        if hub.pages.get(&id).is_some_and(|page| page.events.try_send(text).is_err()) {
            hub.pages.remove(&id);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pages> {
        // no code between can panic half way
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn text(event: &Event) -> Option<Arc<str>> {
    match serde_json::to_string(event) {
        Ok(text) => Some(text.into()),
        Err(reason) => {
            tracing::error!("an event that is no JSON: {reason}");
            None
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::web::event::NoticeCode;

    fn games() -> Event {
        Event::Games { games: Vec::new() }
    }

    #[test]
    fn a_new_page_gets_the_latest_of_each_kind_in_order() {
        let hub = Hub::default();
        hub.send(&games());
        hub.send_values(&[(1, 0.5, 0.0, 10)], &[(0, 0.5, 0.0, 10), (1, 0.5, 0.0, 10)]);
        let (_, mut events) = hub.join().unwrap();
        assert!(events.try_recv().unwrap().contains("[0,0.5,0.0,10]"));
        assert!(events.try_recv().unwrap().contains("\"games\""));
        hub.send_if_new(&games());
        assert!(events.try_recv().is_err(), "the same again");
        hub.send_values(&[(2, 0.5, 0.0, 10)], &[]);
        assert_eq!(&*events.try_recv().unwrap(), r#"{"type":"values","values":[[2,0.5,0.0,10]]}"#);
    }

    #[test]
    fn a_notice_that_holds_is_for_later_pages_too() {
        let hub = Hub::default();
        let (_, mut events) = hub.join().unwrap();
        let notice = |code| Notice { code, text: String::new() };
        for (code, holds) in [(NoticeCode::NotSaved, true), (NoticeCode::SavedAgain, false)] {
            hub.send_notice(notice(code), holds);
            assert!(events.try_recv().unwrap().contains("\"notice\""));
            assert!(events.try_recv().is_err(), "once");
            let (_, mut later) = hub.join().unwrap();
            assert_eq!(later.try_recv().is_ok_and(|event| event.contains("notSaved")), holds);
            assert!(later.try_recv().is_err());
        }
    }

    #[test]
    fn a_page_that_does_not_read_is_disconnected_and_the_number_is_bounded() {
        let hub = Hub::default();
        let (slow, mut unread) = hub.join().unwrap();
        for _ in 0..=MAX_WAITING {
            hub.send(&games());
        }
        hub.watch(slow, true, true);
        assert!(!hub.is_watched(), "it has left");
        for _ in 0..MAX_WAITING {
            unread.try_recv().unwrap();
        }
        assert_eq!(unread.try_recv(), Err(tokio::sync::mpsc::error::TryRecvError::Disconnected));
        let pages: Vec<_> = (0..MAX_PAGES).map(|_| hub.join().unwrap()).collect();
        assert!(hub.join().is_none());
        hub.leave(pages[0].0);
        assert!(hub.join().is_some());
    }

    #[test]
    fn analysis_is_wanted_while_a_visible_page_watches() {
        let hub = Hub::default();
        let ((one, _one), (other, _other)) = (hub.join().unwrap(), hub.join().unwrap());
        assert!(!hub.is_watched());
        hub.watch(one, true, false);
        assert!(hub.is_watched() && !hub.wants_policy());
        hub.set_visible(one, false);
        assert!(!hub.is_watched());
        hub.watch(other, true, true);
        assert!(hub.is_watched() && hub.wants_policy());
        hub.leave(other);
        assert!(!hub.is_watched());
    }

    #[test]
    fn a_page_that_begins_to_watch_is_new_once() {
        let hub = Hub::default();
        let ((one, _one), (other, _other)) = (hub.join().unwrap(), hub.join().unwrap());
        assert_eq!(hub.take_new_watchers(), []);
        hub.watch(one, true, false);
        assert_eq!(hub.take_new_watchers(), [(one, false)]);
        assert_eq!(hub.take_new_watchers(), []);
        hub.watch(one, true, true);
        hub.watch(other, true, false);
        hub.set_visible(other, false);
        assert_eq!(hub.take_new_watchers(), [(one, true)]);
        hub.watch(one, false, false);
        hub.set_visible(other, true);
        assert_eq!(hub.take_new_watchers(), [(other, false)]);
        hub.watch(one, true, false);
        assert_eq!(hub.take_new_watchers(), [(one, false)]);
    }
}
