//! Records of searches, with everything a search depends on beside position and options: the RNG seed, and its end by a
//! clock or a stop request, as a number of simulations. A record of a search on one thread suffices to repeat it
//! exactly.
//!
//! The JSON log stores records; a replay loads them and repeats the searches.

use std::collections::VecDeque;
use std::time::Duration;

use crate::kernel::Color;

/// A finished search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchRecord {
    /// The purpose of the search.
    pub purpose: Purpose,
    /// The player whose move was searched.
    pub color: Color,
    /// The searcher's RNG seed.
    pub seed: u64,
    /// The number of the search among those of its searcher, from 1; it is mixed into the seed.
    pub number: u64,
    /// Search threads.
    pub threads: usize,
    /// As [`SearchResult::simulations`](crate::search::SearchResult::simulations). In a replay the search ends after
    /// this number.
    pub simulations: u64,
    /// As [`SearchResult::playouts`](crate::search::SearchResult::playouts).
    pub playouts: u64,
    /// Visits of the root, including those of a reused tree.
    pub visits: u64,
    /// Wall time; for a move including the decision about passing and resignation.
    pub elapsed: Duration,
    /// Whether the net evaluated the root in one symmetry only, for lack of time.
    pub single_root_symmetry: bool,
    /// Whether searches near the end of a game could follow this one, before the decision about passing: for the status
    /// of stones after a search by playouts, for seki after a search by net under rules without agreement, and for the
    /// value of a pass. They follow only where they are needed. A replay repeats the decision by it; `statusSearched` in
    /// the JSON log.
    pub end_searches_allowed: bool,
    /// Whether the search ended by itself, not by a stop request.
    pub completed: bool,
}

/// The purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To choose a move.
    Move,
    /// To show an analysis.
    Analysis,
    /// To prepare the next move during the opponent's turn.
    Ponder,
}

impl Purpose {
    /// The name of each in the JSON log.
    pub const NAMES: [(&'static str, Purpose); 3] =
        [("move", Purpose::Move), ("analysis", Purpose::Analysis), ("ponder", Purpose::Ponder)];
}

/// Records of searches as they finish, and records of searches to repeat.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct SearchTrace {
    /// Finished searches; `None` while recording is off.
    recorded: Option<Vec<SearchRecord>>,
    /// Searches to repeat, in order.
    to_repeat: VecDeque<SearchRecord>,
    /// Whether searches are repeated from `to_repeat`.
    is_replaying: bool,
    /// The seed to use where one is drawn.
    drawn_seed: Option<u64>,
    /// Searches without a record to repeat, or with another outcome than recorded.
    mismatches: usize,
}

impl SearchTrace {
    /// A trace that records every search.
    pub fn recording() -> SearchTrace {
        SearchTrace { recorded: Some(Vec::new()), ..SearchTrace::default() }
    }

    /// Removes and returns the records since the last call.
    pub fn take(&mut self) -> Vec<SearchRecord> {
        self.recorded.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Starts a replay of these searches, replacing those not yet repeated, and of the seed that was drawn, if one was. In
    /// a replay a search without a record runs one playout.
    pub fn start_replay(&mut self, searches: impl IntoIterator<Item = SearchRecord>, drawn_seed: Option<u64>) {
        self.to_repeat = searches.into_iter().collect();
        self.drawn_seed = drawn_seed;
        self.is_replaying = true;
        self.mismatches = 0;
    }

    /// Ends the replay.
    pub fn end_replay(&mut self) {
        self.to_repeat.clear();
        self.drawn_seed = None;
        self.is_replaying = false;
    }

    /// Whether searches are repeated.
    pub fn is_replaying(&self) -> bool {
        self.is_replaying
    }

    /// The seed to use in a replay where one is drawn.
    pub(crate) fn drawn_seed(&self) -> Option<u64> {
        self.drawn_seed
    }

    /// The number of searches since [`start_replay`](Self::start_replay) that differ from the records: not repeated,
    /// not recorded, or with another outcome.
    pub fn mismatches(&self) -> usize {
        self.mismatches + self.to_repeat.len()
    }

    /// The record that the next search repeats, if it has this purpose. `record` advances to the one after it.
    pub fn peek(&self, purpose: Purpose) -> Option<SearchRecord> {
        self.to_repeat.front().copied().filter(|record| record.purpose == purpose)
    }

    /// Records a finished search; in a replay compares it with the record it repeats.
    pub(crate) fn record(&mut self, record: SearchRecord) {
        if self.is_replaying {
            let outcome = |record: SearchRecord| (record.number, record.simulations, record.playouts, record.visits);
            match self.peek(record.purpose) {
                Some(expected) => {
                    self.to_repeat.pop_front();
                    self.mismatches += usize::from(outcome(expected) != outcome(record));
                }
                None => self.mismatches += 1,
            }
        }
        if let Some(recorded) = &mut self.recorded {
            recorded.push(record);
        }
    }

    /// Changes the last record, for values known after the search.
    pub(crate) fn amend_last(&mut self, amend: impl FnOnce(&mut SearchRecord)) {
        if let Some(last) = self.recorded.as_mut().and_then(|recorded| recorded.last_mut()) {
            amend(last);
        }
    }
}
