//! The thread of the engine: carries out the actions of pages, lets the engine move, and analyses while a page that
//! wants analysis is visible.
//!
//! One action is carried out at a time. A search ends when an action arrives: live analysis and a hint at any, the
//! engine's move and a count of the score at those that concern them. After an action the pages get the new state, and
//! the game is saved.
//!
//! Files, from the bottom: `state`, `notify`, `turns`, `searches`, `actions`; then this loop.

mod actions;
mod notify;
mod searches;
mod state;
mod turns;

use std::time::Duration;

use crate::web::event::Event;
pub(super) use crate::web::session::state::Session;

/// The wait when nothing is to be done.
const IDLE: Duration = Duration::from_secs(3600);

impl Session {
    /// Serves until the process ends.
    pub(super) fn run(mut self) {
        self.hub.send(&Event::Hello(self.hello()));
        self.show_game();
        loop {
            let wait = if self.has_work() { Duration::ZERO } else { self.clock.time_to_flag().unwrap_or(IDLE) };
            let next = self.inbox.take(wait);
            // an action that comes with the flag comes too late
            if let Some(color) = self.clock.flagged_player() {
                self.lose(color, 'T');
                self.changed();
            }
            if let Some((page, action)) = next {
                self.act(page, action);
            } else if self.is_to_move() {
                self.move_engine();
            } else if self.review.is_some() {
                self.review_next();
            } else if self.is_to_analyze() {
                self.analyze();
            } else {
                // a page may have begun or ended to watch a finished analysis
                self.hub.send_if_new(&self.state());
                self.repeat_analysis();
            }
        }
    }

    fn has_work(&self) -> bool {
        self.is_to_move() || self.review.is_some() || self.is_to_analyze()
    }

    fn is_to_analyze(&self) -> bool {
        self.analyzed != Some(self.game.current()) && self.hub.is_watched()
    }
}
