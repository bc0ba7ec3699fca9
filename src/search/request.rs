//! The input of a search.

use std::time::Duration;

use crate::kernel::{Color, Position};
use crate::net::Net;
use crate::search::limits::{Limits, RootRanking, SearchPace, is_budget_spent};
use crate::search::params::Params;
use crate::search::restrictions::Restrictions;
use crate::search::stop_signal::StopSignal;

/// A position to search, with limits and settings.
pub struct SearchRequest<'a> {
    /// The root position, with its game history (for superko and tree reuse) and rules.
    pub position: &'a Position,
    /// The side to move at the root; it may differ from [`Position::to_move`].
    pub color: Color,
    /// Limits at which the search stops.
    pub limits: Limits,
    /// Number of search threads; 0 counts as 1.
    pub threads: usize,
    /// Search and playout parameters.
    pub params: &'a Params,
    /// Points added to White's score in playouts, beyond the komi of the rules: virtual komi of a handicap game, or the
    /// margin that a fixed search asks about. Leads in the result exclude it. A search by net ignores it.
    pub extra_komi: f64,
    /// Search by net: the player who has the advantage `PlayoutDoublingAdvantage`, or the disadvantage if it is
    /// negative: KataGo's `playoutDoublingAdvantagePla`.
    pub doubling_advantage_player: Color,
    /// Moves excluded near the root.
    pub restrictions: Option<&'a Restrictions>,
    /// The net. One with a score head for this board size makes the search one by net, a native one only if
    /// [`Params::native_net_search`] is set. Any other net gives policy and values of nodes in the search by playouts.
    /// Without a net, UCT with RAVE is used throughout.
    pub net: Option<&'a Net>,
    /// Whether the result has owners of points, with their deviation, at the root and after each move: in
    /// [`RootDetails::ownership`](crate::search::RootDetails::ownership) and
    /// [`MoveDetails::ownership`](crate::search::MoveDetails::ownership).
    pub detailed_ownership: bool,
    /// Search by net: whether the net is shown no move before the root (KataGo's `ignorePreRootHistory`). Kos,
    /// repetitions and passes before the root still count. Such a search reuses no graph.
    pub ignore_pre_root_history: bool,
    /// Stops the search from outside.
    pub stop_signal: &'a StopSignal,
    /// Whether the signal stops the search only if a user interrupts it, by [`StopSignal::flag`] or a line of input, and not
    /// at the end of the input, for example. The result of an interrupted search is then of no use.
    pub stops_if_interrupted_only: bool,
}

/// The cause that ends a search which could go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StopReason {
    /// Its time is used up, or more of it would not change the move.
    Time,
    /// The stop signal.
    Signal,
}

impl<'a> SearchRequest<'a> {
    /// A search on one thread, without virtual komi, restrictions, a net or owners in detail. `PlayoutDoublingAdvantage`
    /// is that of the side to move. The search ends by its limits or by the signal.
    pub fn new(
        position: &'a Position,
        color: Color,
        limits: Limits,
        params: &'a Params,
        stop_signal: &'a StopSignal,
    ) -> SearchRequest<'a> {
        SearchRequest {
            position,
            color,
            limits,
            threads: 1,
            params,
            extra_komi: 0.0,
            doubling_advantage_player: color,
            restrictions: None,
            net: None,
            detailed_ownership: false,
            ignore_pre_root_history: false,
            stop_signal,
            stops_if_interrupted_only: false,
        }
    }

    /// The reason that ends the search after `elapsed`, of which `setup_time` passed before the root was evaluated. `ranking`
    /// gives the root moves and the simulations so far. It is called only if there is a time limit that is not reached;
    /// `None` leaves out the check whether the search may stop early.
    pub(super) fn stop_reason(
        &self,
        elapsed: Duration,
        setup_time: Duration,
        ranking: impl FnOnce() -> Option<(RootRanking, u64)>,
    ) -> Option<StopReason> {
        // the search's own limit comes first: then the signal does not count as what stopped it
        if self.limits.time.is_some_and(|budget| elapsed >= budget.hard) {
            return Some(StopReason::Time);
        }
        let is_stopped = match self.stops_if_interrupted_only {
            true => self.stop_signal.is_interrupted(),
            false => self.stop_signal.should_stop(elapsed),
        };
        if is_stopped {
            return Some(StopReason::Signal);
        }
        let budget = self.limits.time?;
        let (ranking, simulations) = ranking()?;
        let pace = SearchPace { elapsed, setup_time, simulations };
        is_budget_spent(ranking, budget, pace).then_some(StopReason::Time)
    }
}
