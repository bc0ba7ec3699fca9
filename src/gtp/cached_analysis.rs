//! What the search thinks of the position on the board, for commands that show it.

use crate::gtp::Engine;
use crate::gtp::commands::genmove::drawn;
use crate::kernel::{Color, GameRule};
use crate::player::{Options, Query};
use crate::search::{Thought, fingerprint};

/// A search that was made to be looked at. It is shown as long as it is what a new one would be of.
pub(crate) struct Study {
    /// `None` if it was interrupted: then the next one may find more.
    subject: Option<Subject>,
    thought: Thought,
}

/// What a search depends on.
#[derive(PartialEq)]
struct Subject {
    position: u64,
    to_move: Color,
    rule: GameRule,
    options: Options,
}

impl Engine {
    /// What the search thinks of the position: found before, or in the time of a move without a clock.
    pub(crate) fn study(&mut self) -> &Thought {
        let subject = Subject {
            position: fingerprint(&self.position),
            to_move: self.position.to_move(),
            rule: *self.position.rule(),
            options: self.player.options,
        };
        let kept = self.studied.take().filter(|study| study.subject.as_ref() == Some(&subject));
        let study = kept.unwrap_or_else(|| {
            let thought = self.look();
            Study { subject: thought.is_whole.then_some(subject), thought }
        });
        &self.studied.insert(study).thought
    }

    fn look(&mut self) -> Thought {
        let (limits, color) = (self.player.options.limits(), self.position.to_move());
        drawn(self, color, |engine, reports| {
            let Engine { position, player, interrupt, .. } = engine;
            player.study(&Query { position, color, limits, restrictions: None, interrupt }, reports)
        })
    }
}
