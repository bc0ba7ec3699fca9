//! The searches of a session: the engine's moves, live analysis, the positions of a review, hints.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use crate::picture::points::{index, letter};
use crate::player::level::STRONGEST;
use crate::search::SearchResult;
use crate::sgf::NodeId;
use crate::web::clock;
use crate::web::event::{Event, Refusal, RefusalCode, Thinking};
use crate::web::game::NodeEvaluation;
use crate::web::hub::{Hub, PageId};
use crate::web::inbox::Inbox;
use crate::web::session::state::{Review, Session};
use crate::web::view;

/// Hundredths of a second between two reports of a search.
const REPORT_INTERVAL: u64 = 20;

/// Visits from which on an evaluation is worth showing.
const MIN_VISITS: u64 = 20;

/// Maximum time of a hint, and the visits at which it ends earlier.
const HINT_TIME: Duration = Duration::from_secs(3);
const HINT_VISITS: u64 = 4000;

/// Time after which live analysis ends, so that a forgotten page does not keep the machine busy.
const ANALYSIS_TIME: Duration = Duration::from_secs(20 * 60);

/// A search that has ended.
pub(super) struct EndedSearch {
    /// The last report; `None` if it ended before its first one.
    last: Option<SearchResult>,
    /// Whether it reached its visits, or ended by itself: its memory is full. Otherwise a condition stopped it.
    is_complete: bool,
}

impl Session {
    /// The engine plays as its turn demands; on an error it stops playing.
    pub(super) fn move_engine(&mut self) {
        if let Err(Refusal { text, .. }) = self.move_once() {
            tracing::error!("the engine cannot move: {text}");
            self.engine_plays = false;
            self.clock.stop();
        }
        self.changed();
    }

    /// The engine plays for the side to move, unless a waiting action leaves the position.
    pub(super) fn move_once(&mut self) -> Result<(), Refusal> {
        if self.game.is_over() {
            return Err(Refusal::new(RefusalCode::Over, "the game is over"));
        }
        self.begin_task(Thinking::Move);
        let outcome = self.choose();
        self.thinking = None;
        let choice = outcome?;
        if self.inbox.leaves_position() {
            return if choice == "resign" { Ok(()) } else { self.driver.take_back() };
        }
        let color = self.game.position().to_move();
        if choice == "resign" {
            self.lose(color, 'R');
            return Ok(());
        }
        let coordinate = self.game.position().board().coordinate();
        let point = match choice.as_str() {
            "pass" => -1,
            vertex => {
                let point = coordinate.parse_vertex(vertex);
                let point =
                    point.map_err(|_| Refusal::new(RefusalCode::Invalid, format!("the engine answers {vertex}")))?;
                index(coordinate, point)
            }
        };
        self.game.play(point)?;
        self.driver.push_engine_move(self.game.current());
        self.moved();
        Ok(())
    }

    /// The engine's choice in the current position, as GTP writes it. Only a search at full strength is an analysis: the
    /// search of a lower level is shown to no page, and its value is not kept.
    pub(super) fn choose(&mut self) -> Result<String, Refusal> {
        let (node, color) = (self.game.current(), self.game.position().to_move());
        self.driver.go(&self.game, node)?;
        self.driver.set_options(self.game.level, self.threads)?;
        if let Some(left) = clock::left(&self.clock, color) {
            self.driver.set_time_left(color, left)?;
        }
        let command = format!("kata-genmove_analyze {} {REPORT_INTERVAL}", letter(color));
        let Session { driver, inbox, hub, game, .. } = self;
        let is_analysis = game.level == STRONGEST;
        let mut last = None;
        let answer = driver.run(&command, &mut |_, result| {
            last = is_analysis.then(|| view::value(result, color));
            if is_analysis && hub.is_watched() {
                let analysis = view::analysis(game.number(node), result, game.position(), hub.wants_policy(), false);
                hub.send(&Event::Analysis(analysis));
            }
            if inbox.has_interrupt() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Some(value) = last {
            self.note_value(node, value);
        }
        // the last line is `play VERTEX`
        let choice = answer.rsplit("play ").next().unwrap_or_default().trim();
        Ok(choice.to_owned())
    }

    /// Searches a node until it has `max_visits` visits, or until `is_enough` after a report.
    pub(super) fn search(
        &mut self,
        node: NodeId,
        max_visits: u64,
        on_result: &mut dyn FnMut(&SearchResult, &Hub),
        is_enough: &dyn Fn(Duration, &Hub, &Inbox) -> bool,
    ) -> Result<EndedSearch, Refusal> {
        self.driver.go(&self.game, node)?;
        self.driver.set_options(self.game.level, self.threads)?;
        let color = self.driver.engine().position.to_move();
        let begin = Instant::now();
        let Session { driver, inbox, hub, .. } = self;
        let mut ended = EndedSearch { last: None, is_complete: true };
        let limit = if max_visits < u64::MAX { format!(" maxvisits {max_visits}") } else { String::new() };
        let command = format!("kata-analyze {} {REPORT_INTERVAL}{limit}", letter(color));
        driver.run(&command, &mut |_, result| {
            on_result(result, hub);
            ended.last = Some(result.clone());
            if is_enough(begin.elapsed(), hub, inbox) {
                ended.is_complete = result.visits >= max_visits;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        })?;
        if let Some(result) = &ended.last {
            self.note_value(node, view::value(result, color));
            self.last_report = Some((node, result.clone()));
        }
        Ok(ended)
    }

    /// Live analysis of the current node.
    pub(super) fn analyze(&mut self) {
        let node = self.game.current();
        let number = self.game.number(node);
        let position = self.game.position().clone();
        let max_visits = if self.max_visits == 0 { u64::MAX } else { self.max_visits };
        self.send_state();
        // all pages that watch get the reports that follow
        self.hub.take_new_watchers();
        // a clock that runs out ends the game at once
        let most = self.clock.time_to_flag().map_or(ANALYSIS_TIME, |left| left.min(ANALYSIS_TIME));
        let begin = Instant::now();
        let mut has_sent_end = false;
        let outcome = self.search(
            node,
            max_visits,
            &mut |result, hub| {
                has_sent_end = result.visits >= max_visits;
                let event = view::analysis(number, result, &position, hub.wants_policy(), has_sent_end);
                hub.send(&Event::Analysis(event));
            },
            &|elapsed, hub, inbox| inbox.has_any() || !hub.is_watched() || elapsed >= most,
        );
        let is_done = match outcome {
            Ok(EndedSearch { is_complete, .. }) => is_complete || begin.elapsed() >= ANALYSIS_TIME,
            Err(Refusal { text, .. }) => {
                tracing::error!("no analysis: {text}");
                true
            }
        };
        if is_done {
            self.analyzed = Some(node);
            if !has_sent_end && let Some(event) = self.ended_analysis(self.hub.wants_policy()) {
                self.hub.send(&event);
            }
        }
        self.save();
        self.send_state();
    }

    /// Sends the analysis of the current node, which has reached its end, to the pages that have asked for it since.
    pub(super) fn repeat_analysis(&self) {
        for (page, with_policy) in self.hub.take_new_watchers() {
            if let Some(event) = self.ended_analysis(with_policy) {
                self.hub.send_to(page, &event);
            }
        }
    }

    /// The last report of a search of the current node, if its live analysis has reached its end.
    fn ended_analysis(&self, with_policy: bool) -> Option<Event> {
        let node = self.analyzed.filter(|&node| node == self.game.current())?;
        let (_, result) = self.last_report.as_ref().filter(|(searched, _)| *searched == node)?;
        let analysis = view::analysis(self.game.number(node), result, self.game.position(), with_policy, true);
        Some(Event::Analysis(analysis))
    }

    /// Searches the next position of a review.
    pub(super) fn review_next(&mut self) {
        let Some(Review { waiting, visits, .. }) = &mut self.review else { return };
        let visits = *visits;
        let Some(node) = waiting.pop() else {
            (self.review, self.thinking) = (None, None);
            self.changed();
            return;
        };
        if self.game.value(node).is_some_and(|value| value.visits >= visits) || self.game.position_at(node).is_err() {
            return;
        }
        let outcome = self
            .off_the_clock(|session| session.search(node, visits, &mut |_, _| {}, &|_, _, inbox| inbox.has_action()));
        match outcome {
            // with full memory a search that goes on would not come further
            Ok(EndedSearch { is_complete: true, .. }) => self.send_state(),
            // an action came first
            Ok(_) => {
                if let Some(review) = &mut self.review {
                    review.waiting.push(node);
                }
            }
            Err(Refusal { text, .. }) => tracing::error!("no review: {text}"),
        }
    }

    /// Answers a page's request for the best move, at full strength.
    pub(super) fn hint(&mut self, page: PageId) -> Result<(), Refusal> {
        if self.game.is_over() {
            return Err(Refusal::new(RefusalCode::Over, "the game is over"));
        }
        let node = self.game.current();
        let is_enough = |elapsed, _: &Hub, inbox: &Inbox| elapsed >= HINT_TIME || inbox.has_action();
        let outcome = self.off_the_clock(|session| {
            session.begin_task(Thinking::Hint);
            session.search(node, HINT_VISITS, &mut |_, _| {}, &is_enough)
        });
        self.thinking = None;
        if let Some(result) = outcome?.last {
            let hint = view::hint(self.game.number(node), &result, self.game.position());
            self.hub.send_to(page, &Event::Hint(hint));
        }
        self.changed();
        Ok(())
    }

    /// Notes the evaluation of a node, and sends it to the pages, unless it has too few visits.
    fn note_value(&mut self, node: NodeId, value: NodeEvaluation) {
        if value.visits >= MIN_VISITS && self.game.set_value(node, value) {
            let row = (self.game.number(node), value.win_probability, value.lead, value.visits);
            self.hub.send_values(&[row], &self.game.values());
        }
    }
}
