//! Searches of fixed length, with default parameters and on one thread. Their results depend on the position, the net and
//! the seed of the searcher, which callers derive from the position, and not on time or earlier searches. A user may
//! interrupt them, and then they have no result.

use std::ops::Range;

use crate::kernel::hash::Fnv1a;
use crate::kernel::{Board, Color, GameRule, Point, Position, Scoring, button_points};
use crate::net::Net;
use crate::search::params::Params;
use crate::search::{Limits, Restrictions, SearchRequest, SearchResult, Searcher, StopSignal};

/// Memory of a searcher in bytes, an eighth of it for the cache of evaluations. A search that has filled it goes on without
/// expanding nodes.
pub(super) const TREE_BYTES: usize = 32 << 20;

/// The signal that ends searches of fixed length before their limits, if a user interrupts the command; by default none.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct UserInterrupt<'a>(Option<&'a StopSignal>);

impl<'a> UserInterrupt<'a> {
    pub(super) const fn by(stop_signal: &'a StopSignal) -> UserInterrupt<'a> {
        UserInterrupt(Some(stop_signal))
    }

    /// Whether the command is interrupted. All results of its searches are then to be discarded.
    pub(super) fn is_raised(self) -> bool {
        self.0.is_some_and(StopSignal::is_interrupted)
    }
}

/// A search that its limits end, or an interrupt. The other fields are those of a [`SearchRequest`].
#[derive(Clone, Copy)]
pub(super) struct FixedSearch<'a> {
    pub(super) position: &'a Position,
    pub(super) color: Color,
    pub(super) extra_komi: f64,
    pub(super) restrictions: Option<&'a Restrictions>,
    pub(super) net: Option<&'a Net>,
    pub(super) interrupt: UserInterrupt<'a>,
}

impl<'a> FixedSearch<'a> {
    /// A search by playouts alone, without an interrupt.
    pub(super) const fn new(position: &'a Position, color: Color) -> FixedSearch<'a> {
        FixedSearch { position, color, extra_komi: 0.0, restrictions: None, net: None, interrupt: UserInterrupt(None) }
    }

    /// Runs the search up to limits, of which one has to be set. After an interrupt it ends at once.
    pub(super) fn run(&self, searcher: &mut Searcher, limits: Limits) -> SearchResult {
        let FixedSearch { position, color, extra_komi, restrictions, net, interrupt } = *self;
        let (params, never_stop) = (Params::default(), StopSignal::default());
        let stop_signal = interrupt.0.unwrap_or(&never_stop);
        let request = SearchRequest::new(position, color, limits, &params, stop_signal);
        searcher.search(&SearchRequest { extra_komi, restrictions, net, stops_if_interrupted_only: true, ..request })
    }
}

/// A stage of a search.
#[derive(Clone)]
pub(super) struct SearchStage {
    /// The playouts of this stage, or the simulations of a search by net.
    pub(super) playouts: u64,
    /// The range of the win probability in which the next stage follows; `None` for the last stage.
    pub(super) undecided: Option<Range<f32>>,
}

impl SearchStage {
    /// A stage after which another one follows, if the win probability is in a range.
    pub(super) const fn new(playouts: u64, undecided: Range<f32>) -> SearchStage {
        SearchStage { playouts, undecided: Some(undecided) }
    }

    /// A last stage.
    pub(super) const fn last(playouts: u64) -> SearchStage {
        SearchStage { playouts, undecided: None }
    }
}

/// The result of the last stage of a search.
pub(super) struct StagedResult {
    /// The win probability of the player for whom it was searched.
    pub(super) win_probability: f32,
    /// The best move; `None` for a pass.
    pub(super) play: Option<Point>,
    /// Whether another stage was due for which the playouts did not suffice.
    pub(super) budget_exhausted: bool,
}

/// Searches for the win probability of `player` in stages, until it is outside of the range of a stage. The playouts are
/// those of the stages. `None` if they do not suffice for the first stage, and after an interrupt.
pub(super) fn search_in_stages(
    searcher: &mut Searcher,
    search: &FixedSearch<'_>,
    player: Color,
    stages: impl IntoIterator<Item = SearchStage>,
    playouts_left: &mut u64,
) -> Option<StagedResult> {
    let mut last: Option<StagedResult> = None;
    for SearchStage { playouts, undecided } in stages {
        let Some(left) = playouts_left.checked_sub(playouts) else {
            return last.map(|last| StagedResult { budget_exhausted: true, ..last });
        };
        *playouts_left = left;
        let result = search.run(searcher, Limits::playouts(playouts));
        if search.interrupt.is_raised() {
            return None;
        }
        let best = result.best()?;
        let win_probability = if player == search.color { best.win_probability } else { 1.0 - best.win_probability };
        last = Some(StagedResult { win_probability, play: best.play.point(), budget_exhausted: false });
        if undecided.is_none_or(|range| !range.contains(&win_probability)) {
            break;
        }
    }
    last
}

/// An RNG seed from the stones and the side to move.
pub(super) fn seed(board: &Board, to_move: Color) -> u64 {
    let cells = board.stones().iter().map(|&stone| stone as u64).chain([to_move.index() as u64]);
    cells.fold(Fnv1a::default(), Fnv1a::with).value()
}

/// A position without its history, and the points to add to Black's margin in it; `None` if the stones cannot be set
/// up. Passes, kos and earlier boards do not count in it, and the prisoners and the button are in the points.
pub(super) fn without_history(position: &Position) -> Option<(Position, f64)> {
    let rule = GameRule { has_button: false, ..*position.rule() };
    let mut start = Position::new(position.board().coordinate(), rule, 0, position.to_move());
    start.set_up(position.board().stones()).ok()?;
    start.declare_handicap(position.handicap());
    let captured = |color: Color| f64::from(position.prisoners(color));
    let prisoners = match rule.scoring {
        Scoring::Territory => captured(Color::Black) - captured(Color::White),
        Scoring::Area => 0.0,
    };
    Some((start, prisoners + position.button().map_or(0.0, button_points)))
}
