//! What the search thinks of the position on the board, for commands that show it.

use crate::gtp::Engine;
use crate::gtp::commands::genmove::with_live_graphics;
use crate::kernel::{Color, GameRule};
use crate::player::{Options, Query};
use crate::search::{SearchResult, fingerprint};

/// A search that was made to be looked at. It is shown as long as it is what a new one would be of.
pub(crate) struct CachedAnalysis {
    /// `None` if it was interrupted: then the next one may find more.
    subject: Option<Subject>,
    result: SearchResult,
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
    pub(crate) fn analyze_position(&mut self) -> &SearchResult {
        let subject = Subject {
            position: fingerprint(&self.position),
            to_move: self.position.to_move(),
            rule: *self.position.rule(),
            options: self.player.options,
        };
        let kept =
            self.cached_analysis.take().filter(|analyze_position| analyze_position.subject.as_ref() == Some(&subject));
        let analyze_position = kept.unwrap_or_else(|| {
            let result = self.look();
            CachedAnalysis { subject: result.completed.then_some(subject), result }
        });
        &self.cached_analysis.insert(analyze_position).result
    }

    fn look(&mut self) -> SearchResult {
        let (limits, color) = (self.player.options.limits(), self.position.to_move());
        with_live_graphics(self, color, |engine, progress| {
            let Engine { position, player, stop_signal, .. } = engine;
            player.analyze_position(&Query { position, color, limits, restrictions: None, stop_signal }, progress)
        })
    }
}
