//! The steps after a move: clocks, the end of the game, its score.

use crate::kernel::Color;
use crate::player::interruptible_final_score;
use crate::sgf::{self, NodeId};
use crate::web::counting::ShownScore;
use crate::web::event::Thinking;
use crate::web::session::state::{PausedGame, Session};

impl Session {
    /// After a move: the clock of the next player runs, and a finished game is counted.
    pub(super) fn moved(&mut self) {
        self.score = None;
        let node = self.game.current();
        let tree = self.game.tree();
        if let (Some(before), Some((color, _))) = (tree.parent(node), tree.move_of(node)) {
            let seconds = self.clock.elapsed(color);
            self.clock.count_move(before, node, color, seconds);
        }
        self.start_clock();
        if self.game.position().is_over() {
            self.count();
        }
    }

    /// Lets the clock of the side to move run, unless the game is over, or it is the turn of the engine, which waits.
    pub(super) fn start_clock(&mut self) {
        self.paused = None;
        let is_waiting = self.game.is_engines_turn() && !self.engine_plays;
        if !self.game.is_over() && !is_waiting && self.game.time.is_some() {
            self.clock.start(self.game.position().to_move(), self.game.current());
        }
    }

    /// After a step back or forth: both clocks are as they were there, and that of the side to move runs.
    pub(super) fn restore_clock(&mut self) {
        self.clock.go_to(&self.game.current());
        self.start_clock();
    }

    /// After a page has gone from a node to another one: the clock stands until a page comes back to the node where it
    /// ran. Then it runs on, and the engine moves again if it is its turn.
    pub(super) fn gone_from(&mut self, before: NodeId) {
        if self.clock.stop().is_some() {
            self.paused = Some(PausedGame { node: before, engine_plays: self.engine_plays });
        }
        self.engine_plays = false;
        let node = self.game.current();
        if let Some(paused) = self.paused.take_if(|paused| paused.node == node) {
            self.engine_plays = paused.engine_plays;
            self.start_clock();
        }
    }

    /// Does something while no clock runs.
    pub(super) fn off_the_clock<T>(&mut self, task: impl FnOnce(&mut Session) -> T) -> T {
        let running = self.clock.stop();
        let outcome = task(self);
        if let Some(color) = running {
            self.clock.start(color, self.game.current());
        }
        outcome
    }

    /// Ends the game by a loss: by resignation `R`, or on time `T`.
    pub(super) fn lose(&mut self, loser: Color, how: char) {
        self.finish(&sgf::result_of_loss(loser, how));
    }

    /// Ends the game with a result.
    pub(super) fn finish(&mut self, result: &str) {
        self.clock.stop();
        (self.engine_plays, self.paused) = (false, None);
        self.game.finish(result.to_owned());
    }

    /// Counts the current position, unless an action that ends the count comes first.
    pub(super) fn count(&mut self) {
        let score = self.off_the_clock(|session| {
            session.begin_task(Thinking::Score);
            let (position, net) = (session.game.position(), session.driver.engine().player.net.as_deref());
            let (game, node, inbox) = (session.replaced_games, session.game.current(), &session.inbox);
            let count = |stop_signal: &_| interruptible_final_score(position, net, stop_signal);
            let final_score = session.scorer.count(game, node, count, || inbox.ends_count())?;
            Some(ShownScore::new(node, position, &final_score))
        });
        (self.score, self.thinking) = (score, None);
    }
}
