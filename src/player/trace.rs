//! What a search depended on beside its position and its options: where chance started from, and when a clock or somebody
//! who waited ended it. What is noted of a search on one thread suffices to make it again.

use std::collections::VecDeque;
use std::time::Duration;

use crate::kernel::Color;

/// A search that was made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SearchRecord {
    /// What for.
    pub purpose: Purpose,
    /// Whose move was sought.
    pub color: Color,
    /// Where the searcher's chances started from.
    pub seed: u64,
    /// Which of the searcher's searches it was, counted from 1: each has chances of its own.
    pub number: u64,
    /// Threads that searched.
    pub threads: usize,
    /// Ways that were taken through the tree, those given up for a repetition among them.
    pub simulations: u64,
    /// Playouts.
    pub playouts: u64,
    /// Playouts that the tree rests on, those of earlier searches counted.
    pub visits: u64,
    /// How long it took; for a move, with the decision.
    pub elapsed: Duration,
    /// Whether there was little time to ask the net about the root.
    pub single_root_symmetry: bool,
    /// Whether there was time to judge the end of the game by a search of its own.
    pub status_searched: bool,
    /// Whether it was ended by no order.
    pub completed: bool,
}

/// What a search is made for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// A move to play.
    Move,
    /// To be looked at.
    Analysis,
    /// The move after next, while the opponent thinks.
    Ponder,
}

impl Purpose {
    /// The words for each.
    pub const WORDS: [(&'static str, Purpose); 3] =
        [("move", Purpose::Move), ("study", Purpose::Analysis), ("ponder", Purpose::Ponder)];
}

/// Searches noted as they are made, or given to be made again.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct SearchTrace {
    /// `None`: nobody wants to know.
    noted: Option<Vec<SearchRecord>>,
    given: VecDeque<SearchRecord>,
    /// Whether searches are made again, and none but those given.
    is_replaying: bool,
    /// Searches that were not given, or found something else than the first time.
    mismatches: usize,
}

impl SearchTrace {
    /// A trace that notes every search until it is taken.
    pub fn noting() -> SearchTrace {
        SearchTrace { noted: Some(Vec::new()), ..SearchTrace::default() }
    }

    /// What was noted since it was last taken.
    pub fn take(&mut self) -> Vec<SearchRecord> {
        self.noted.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// From now on these searches are made again, in place of those last given. One that is not given is hardly begun.
    pub fn load(&mut self, searches: impl IntoIterator<Item = SearchRecord>) {
        self.given = searches.into_iter().collect();
        self.is_replaying = true;
        self.mismatches = 0;
    }

    /// From now on searches end as clocks and people will have it.
    pub fn finish(&mut self) {
        self.given.clear();
        self.is_replaying = false;
    }

    /// Whether searches are made again.
    pub fn is_replaying(&self) -> bool {
        self.is_replaying
    }

    /// How many searches since the last were given were not as they were: left out, not given, or with another outcome.
    pub fn mismatches(&self) -> usize {
        self.mismatches + self.given.len()
    }

    /// The search to be made again next, if it is for this purpose.
    pub fn next(&self, purpose: Purpose) -> Option<SearchRecord> {
        self.given.front().copied().filter(|made| made.purpose == purpose)
    }

    /// Notes a search, which is the one that was given if there was one.
    pub(crate) fn note(&mut self, made: SearchRecord) {
        if self.is_replaying {
            let outcome = |made: SearchRecord| (made.number, made.simulations, made.playouts, made.visits);
            match self.next(made.purpose) {
                Some(first) => {
                    self.given.pop_front();
                    self.mismatches += usize::from(outcome(first) != outcome(made));
                }
                None => self.mismatches += 1,
            }
        }
        if let Some(noted) = &mut self.noted {
            noted.push(made);
        }
    }

    /// Adds to the last note what became clear after the search.
    pub(crate) fn amend(&mut self, amend: impl FnOnce(&mut SearchRecord)) {
        if let Some(last) = self.noted.as_mut().and_then(|noted| noted.last_mut()) {
            amend(last);
        }
    }
}
