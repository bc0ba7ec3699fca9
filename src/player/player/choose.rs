//! The choice of a move: a search, the decision about passing and resignation, and the search that goes on if that left
//! time.

use std::time::{Duration, Instant};

use crate::kernel::{Move, Position};
use crate::player::pass::{EndDecision, is_near_end};
use crate::player::pass_loss::pass_loss_playouts;
use crate::player::player::Player;
use crate::player::request::{Choice, GenmoveMode, PlayerRequest};
use crate::player::resign::looks_lost;
use crate::player::seki::MAX_NODES_OF_MOVE;
use crate::player::status::{classify_with_ownership, classify_without_seki, status_for_move, status_playouts};
use crate::player::trace::{Purpose, SearchRecord};
use crate::search::{Limits, ProgressSink, SearchResult, TimeBudget};

/// Playouts below which ownership is not used: nearly every point has an owner at the end of a playout, so the means of
/// a few playouts are far from 0 everywhere.
const MIN_OWNERSHIP_PLAYOUTS: u64 = 30;

/// The soft limit from which a level that chooses by policy has time for the status of stones and the value of a pass.
const MIN_END_SEARCH_TIME: Duration = Duration::from_secs(1);

/// The searches near the end of a game that may follow the search for a move: for the status of stones, for the value
/// of a pass, and after a search by net under rules without agreement for seki, for which no time is reserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::player) enum EndSearches {
    /// They may follow. The search for the move leaves this time to them.
    Allowed { reserved_time: Duration },
    /// They do not follow: there is no time for them, they are not needed, or the search for the move was stopped.
    NotAllowed,
}

impl EndSearches {
    pub(in crate::player) const fn are_allowed(self) -> bool {
        matches!(self, EndSearches::Allowed { .. })
    }

    /// The time to leave to them.
    pub(in crate::player) const fn reserved_time(self) -> Duration {
        match self {
            EndSearches::Allowed { reserved_time } => reserved_time,
            EndSearches::NotAllowed => Duration::ZERO,
        }
    }
}

impl Player {
    /// Searches a move to play, and decides about passing and resignation.
    pub fn choose(
        &mut self,
        request: &PlayerRequest<'_>,
        mode: GenmoveMode,
        mut progress: ProgressSink<'_>,
    ) -> (Choice, SearchResult) {
        let PlayerRequest { position, limits, .. } = *request;
        let restrictions = request.without_retake();
        let request = &PlayerRequest { restrictions: restrictions.as_ref().or(request.restrictions), ..*request };
        let begin = Instant::now();
        if position.record().len() < 2 {
            self.is_near_end = false;
        }
        self.clear_tree_beyond_level(position);
        let recorded = self.trace.peek(Purpose::Move);
        let end_searches = match recorded {
            Some(record) if record.end_searches_allowed => EndSearches::Allowed { reserved_time: Duration::ZERO },
            Some(_) => EndSearches::NotAllowed,
            None => self.end_searches(position, limits.time),
        };
        let first_limits = self.limits_of_first_search(request, end_searches.reserved_time());
        let first = PlayerRequest { limits: first_limits, ..*request };
        let mut result = self.search_move(&first, progress.reborrow());
        // a search that was stopped is followed by no other ones
        let is_stopped = recorded.is_none() && !result.completed;
        let end_searches = if is_stopped { EndSearches::NotAllowed } else { end_searches };
        let mut choice = self.decide(request, mode, &result, end_searches);
        self.record_move_time(recorded, begin.elapsed(), end_searches);
        let has_reserved_time = !end_searches.reserved_time().is_zero();
        let has_time_left = limits.time.is_some_and(|time| !time.shortened_by(begin.elapsed()).soft.is_zero());
        let is_full_strength = self.level(position).is_none();
        let continues = has_reserved_time
            && has_time_left
            && is_full_strength
            && may_continue_search(choice, &result, first_limits);
        // in a replay, a second record of a move says that the search went on
        if continues || self.trace.peek(Purpose::Move).is_some() {
            (choice, result) = self.continue_search(request, mode, (choice, result), begin, progress);
        }
        self.overrun.record(limits.time.map_or(Duration::ZERO, |time| self.last_move_time.saturating_sub(time.hard)));
        (choice, result)
    }

    /// Clears the tree if it comes from a search that was stronger than the level of the next one allows.
    fn clear_tree_beyond_level(&mut self, position: &Position) {
        if self.level(position).is_none() {
            self.tree_exceeds_level = true;
        } else if std::mem::take(&mut self.tree_exceeds_level) {
            self.searcher.clear();
        }
    }

    /// The limits of the search for a move: those of the request without a reserved time, and those of the level.
    fn limits_of_first_search(&self, request: &PlayerRequest<'_>, reserved_time: Duration) -> Limits {
        let time = request.limits.time.map(|time| time.shortened_by(reserved_time));
        let limits = Limits { time, ..request.limits };
        self.level(request.position).map_or(limits, |level| level.limited(limits))
    }

    /// Continues a search of this choice and result in the time of the request that is left since `begin`, and decides
    /// again.
    fn continue_search(
        &mut self,
        request: &PlayerRequest<'_>,
        mode: GenmoveMode,
        (choice, result): (Choice, SearchResult),
        begin: Instant,
        progress: ProgressSink<'_>,
    ) -> (Choice, SearchResult) {
        let recorded = self.trace.peek(Purpose::Move);
        let limits = Limits {
            time: request.limits.time.map(|time| time.shortened_by(begin.elapsed())),
            playouts: request.limits.playouts.saturating_sub(result.playouts),
            ..request.limits
        };
        let result = self.search_move(&PlayerRequest { limits, ..*request }, progress).with_cost_of(&result);
        let choice = match self.decide(request, mode, &result, EndSearches::NotAllowed) {
            // a pass would have to be compared, and no time is left for that
            Choice::Move(Move::Pass) => choice,
            later => later,
        };
        self.record_move_time(recorded, begin.elapsed(), EndSearches::NotAllowed);
        (choice, result)
    }

    /// Searches a move, and measures the time of a playout and whether the end of the game is near.
    fn search_move(&mut self, request: &PlayerRequest<'_>, progress: ProgressSink<'_>) -> SearchResult {
        let result = self.search(request, Purpose::Move, self.move_net(request.position), progress);
        self.playout_time.measure(&result, self.options.thread_count());
        self.is_near_end = is_near_end(request.position, &result);
        result
    }

    /// Records the time of a move so far, after a search and the decision that followed it.
    fn record_move_time(&mut self, recorded: Option<SearchRecord>, elapsed: Duration, end_searches: EndSearches) {
        self.last_move_time = recorded.map_or(elapsed, |record| record.elapsed);
        self.trace.amend_last(|record| {
            (record.elapsed, record.end_searches_allowed) = (elapsed, end_searches.are_allowed());
        });
    }

    /// Whether end searches may follow a search within this time. Reserved for them are the playouts of
    /// `status_for_move` and `better_than_pass` at the pace of the last search; nothing without a time limit, and where
    /// a pass of the search is trusted. They are not allowed if that is more than half of the soft limit, if no search
    /// has shown the pace, or if the end was not near at the last move and the opponent has not passed. A level that
    /// chooses by policy needs [`MIN_END_SEARCH_TIME`] instead.
    pub(in crate::player) fn end_searches(&self, position: &Position, time: Option<TimeBudget>) -> EndSearches {
        let without_reserve = EndSearches::Allowed { reserved_time: Duration::ZERO };
        let Some(time) = time.filter(|_| !self.is_pass_trusted(position)) else { return without_reserve };
        if self.level(position).is_some_and(|level| level.chooses_by_policy()) {
            // a few playouts show no pace, and leave nearly all of the time
            return if time.soft >= MIN_END_SEARCH_TIME { without_reserve } else { EndSearches::NotAllowed };
        }
        if self.playout_time.with_net.is_zero() {
            return EndSearches::NotAllowed;
        }
        let area = position.board().coordinate().board_area();
        let on_one_thread = |playouts: usize| (playouts * self.options.thread_count()) as u32;
        let pass_loss_time = self.playout_time.with_net.saturating_mul(on_one_thread(pass_loss_playouts(area)));
        let reserved_time = match self.is_search_by_net(self.move_net(position).as_deref(), position) {
            // the search's own ownership gives the status
            true => pass_loss_time,
            false => {
                pass_loss_time + self.playout_time.without_net.saturating_mul(on_one_thread(status_playouts(area)))
            }
        };
        let may_be_needed = self.is_near_end || position.ending_passes() > 0;
        match may_be_needed && reserved_time <= time.soft / 2 {
            true => EndSearches::Allowed { reserved_time },
            false => EndSearches::NotAllowed,
        }
    }

    /// Whether a pass that a search for a move chooses is played without another search: with a net of KataGo.
    fn is_pass_trusted(&self, position: &Position) -> bool {
        self.move_net(position).is_some_and(|net| net.katago().is_some())
    }

    /// The choice after a search.
    fn decide(
        &mut self,
        request: &PlayerRequest<'_>,
        mode: GenmoveMode,
        result: &SearchResult,
        end_searches: EndSearches,
    ) -> Choice {
        let PlayerRequest { position, color, .. } = *request;
        if mode != GenmoveMode::NoResign {
            let streak = &mut self.loss_streaks[color.index()];
            streak.record(looks_lost(result, &self.options), position);
            if streak.should_resign(position, &self.options) {
                return Choice::Resign;
            }
        }
        let strongest = result.best().map(|best| best.play);
        let best = match self.level(position) {
            // a weak level draws no pass in the middle of a game
            Some(level) => match level.choose(result, &mut self.rng) {
                Some(Move::Pass) if !self.is_near_end => strongest,
                chosen => chosen,
            },
            None => strongest,
        };
        let is_admitted =
            |play: Move| request.restrictions.is_none_or(|restrictions| restrictions.admits(color, play, 0));
        let best = best.filter(|&play| is_admitted(play)).or_else(|| request.first_admitted()).unwrap_or(Move::Pass);
        if best != Move::Pass && !self.is_near_end {
            return Choice::Move(best);
        }
        let board = position.board();
        let status = if end_searches.are_allowed() && !result.is_by_net {
            status_for_move(position)
        } else if result.is_by_net || result.stats_samples >= MIN_OWNERSHIP_PLAYOUTS {
            match !mode.has_agreement(position.rule()) && end_searches.are_allowed() {
                // stones in seki look dead, and must not be captured
                true => classify_with_ownership(board, result.ownership.clone(), MAX_NODES_OF_MOVE),
                false => classify_without_seki(board, result.ownership.clone()),
            }
        } else {
            // without time, or from a tree that needed no new playouts
            return Choice::Move(best);
        };
        let decision = EndDecision::new(position, color, result, best, &status);
        let mut chosen = decision.end_move(mode);
        if chosen == Move::Pass && !self.is_pass_trusted(position) {
            let net = self.playout_net();
            chosen = match end_searches {
                EndSearches::Allowed { .. } => decision.pass_or_better(net.as_deref()),
                EndSearches::NotAllowed => decision.pass_or_surely_better(),
            };
        }
        Choice::Move(if is_admitted(chosen) { chosen } else { best })
    }
}

/// Whether a search may go on for the time that was reserved for end searches: it used the time of its limits, and its
/// best move, not a pass, is played.
fn may_continue_search(choice: Choice, result: &SearchResult, limits: Limits) -> bool {
    let best = result.best().map(|best| best.play).filter(|&best| best != Move::Pass);
    best.is_some_and(|best| choice == Choice::Move(best)) && limits.time.is_some_and(|time| result.elapsed >= time.soft)
}
