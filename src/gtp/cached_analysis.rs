//! The search result that display commands show, with everything it depends on.
//!
//! GoGui requests ownership, visits and variation one after the other. They share one search as long as position, rules
//! and options stay the same. The engine keeps one result for each side to move, because some commands ask for both. This
//! file holds the value only; the search is run in `commands::cached_search`.

use crate::kernel::{Color, GameRule, Position};
use crate::player::Options;
use crate::search::{SearchResult, history_hash};

/// A search result and the state it was computed for.
pub(crate) struct CachedAnalysis {
    /// `None` if the search was interrupted: its result is not reused.
    key: Option<AnalysisKey>,
    pub(crate) result: SearchResult,
}

/// The state that a search result depends on.
#[derive(PartialEq)]
pub(crate) struct AnalysisKey {
    position: u64,
    to_move: Color,
    rule: GameRule,
    options: Options,
}

impl AnalysisKey {
    /// The key of a search of this position, with this player to move and these options.
    pub(crate) fn new(position: &Position, to_move: Color, options: &Options) -> AnalysisKey {
        AnalysisKey { position: history_hash(position), to_move, rule: *position.rule(), options: *options }
    }
}

impl CachedAnalysis {
    /// Keeps a result for its key, unless its search was interrupted.
    pub(crate) fn new(key: AnalysisKey, result: SearchResult) -> CachedAnalysis {
        CachedAnalysis { key: result.completed.then_some(key), result }
    }

    /// Whether the result is the one that a new search for this key would find.
    pub(crate) fn is_for(&self, key: &AnalysisKey) -> bool {
        self.key.as_ref() == Some(key)
    }
}
