//! The steps after a move: clocks, the end of the game, its score.

use crate::kernel::Color;
use crate::web::counting::ShownScore;
use crate::web::session::state::Session;

impl Session {
    /// After a move: the clock of the next player runs, and a finished game is counted.
    pub(super) fn moved(&mut self) {
        self.score = None;
        if self.game.position().is_over() {
            self.clock.press(None);
            self.count();
        } else {
            self.clock.press(Some(self.game.position().to_move()));
        }
    }

    /// Lets the clock of the side to move run, from what it had.
    pub(super) fn resume_clock(&mut self) {
        self.clock.stop();
        if !self.game.is_over() && self.game.time.is_some() {
            self.clock.press(Some(self.game.position().to_move()));
        }
    }

    /// Ends the game by a loss: by resignation `R`, or on time `T`.
    pub(super) fn lose(&mut self, loser: Color, how: char) {
        self.finish(&format!("{}+{how}", loser.opponent().letter()));
    }

    /// Ends the game with a result.
    pub(super) fn finish(&mut self, result: &str) {
        self.clock.stop();
        self.plays = false;
        self.game.finish(result.to_owned());
    }

    /// Counts the current position.
    pub(super) fn count(&mut self) {
        self.begin_task("score");
        let position = self.game.position();
        let final_score = self.driver.engine().player.final_score(position);
        self.score = Some(ShownScore::new(self.game.current(), position, &final_score));
        self.thinking = None;
    }
}
