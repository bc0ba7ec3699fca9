//! Searches of the end of a game by a net with a score head: lead, ownership, single moves, and a fill-in by them.
//!
//! A net with a score head values threats and kos better than the fill-in by threats, which reads ladders only. But its
//! lead is an expectation over possible results, not a count. So the lead tests a count; if they differ, moves chosen
//! by search fill the end in again.

use std::collections::HashSet;

use crate::kernel::{Color, Move, Point, Position};
use crate::net::Net;
use crate::player::fixed_search::{FixedSearch, UserInterrupt};
use crate::search::{Limits, SearchResult, Searcher};

/// Visits of the search for the lead.
const LEAD_VISITS: u64 = 32;

/// Visits of the search for ownership by a native net.
const OWNERSHIP_VISITS: u64 = 200;

/// Memory of graph and evaluations in bytes.
pub(super) const GRAPH_BYTES: usize = 64 << 20;

/// The searcher of the end of one game, by a net with a score head.
pub(in crate::player) struct EndgameNetSearch<'a> {
    net: &'a Net,
    searcher: Searcher,
    interrupt: UserInterrupt<'a>,
}

impl<'a> EndgameNetSearch<'a> {
    /// A searcher with a net that has a score head.
    pub(in crate::player) fn new(net: &'a Net, seed: u64, interrupt: UserInterrupt<'a>) -> EndgameNetSearch<'a> {
        EndgameNetSearch { net, searcher: Searcher::new(GRAPH_BYTES, seed), interrupt }
    }

    /// Black's lead in points.
    pub(in crate::player) fn lead(&mut self, position: &Position) -> f64 {
        f64::from(self.search(position, LEAD_VISITS).lead)
    }

    /// The ownership of each cell of the walled board, as in [`SearchResult::ownership`], Black's lead, and
    /// the standard deviation of the final score, both in points.
    pub(in crate::player) fn ownership_and_lead(&mut self, position: &Position) -> (Vec<f32>, f64, f32) {
        let visits = if self.net.katago().is_some() { LEAD_VISITS } else { OWNERSHIP_VISITS };
        let SearchResult { ownership, lead, score_stdev, .. } = self.search(position, visits);
        (ownership, f64::from(lead), score_stdev)
    }

    /// Plays until both players pass, with `visits` visits for each move; returns the moves and the position after
    /// them. No move recreates an earlier board of the fill-in: a player whose best move does passes. After an interrupt
    /// both players pass.
    pub(in crate::player) fn fill_in(&mut self, position: &Position, visits: u64) -> (Vec<(Color, Point)>, Position) {
        fill_in_by(position, |position| {
            if self.interrupt.is_raised() {
                return Move::Pass;
            }
            self.search(position, visits).best().map_or(Move::Pass, |best| best.play)
        })
    }

    /// Searches until the root has this number of visits.
    fn search(&mut self, position: &Position, visits: u64) -> SearchResult {
        let fixed = FixedSearch::new(position, position.to_move());
        let search = FixedSearch { net: Some(self.net), interrupt: self.interrupt, ..fixed };
        search.run(&mut self.searcher, Limits::visits(visits))
    }
}

/// [`EndgameNetSearch::fill_in`] with the moves that `choose` finds for the side to move.
fn fill_in_by(position: &Position, mut choose: impl FnMut(&Position) -> Move) -> (Vec<(Color, Point)>, Position) {
    let mut position = position.clone();
    let max_moves = 2 * position.board().empty_points().len();
    // three kos or more could be taken in turn up to the limit, with a search for each move
    let mut reached = HashSet::from([position.hash()]);
    let mut moves = Vec::new();
    let mut passes = 0;
    while passes < 2 && moves.len() < max_moves {
        let color = position.to_move();
        let played = choose(&position).point().and_then(|point| {
            let mut after = position.clone();
            after.play(color, point).ok().filter(|()| reached.insert(after.hash())).map(|()| (point, after))
        });
        match played {
            Some((point, after)) => {
                moves.push((color, point));
                (position, passes) = (after, 0);
            }
            None => {
                position.pass(color);
                passes += 1;
            }
        }
    }
    (moves, position)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::test_boards;

    #[test]
    fn kos_that_are_taken_in_turn_end() {
        // White takes at B1, F1 and K1, Black takes back at C1, G1 and L1
        let rows = ["x.xox.xox.xo", ".xo..xo..xo.", "............"];
        let position = test_boards::position(&rows, "japanese", 0.5, Color::White);
        let point = |name: &str| position.board().coordinate().parse_vertex(name).unwrap();
        let kos = [["C1", "G1", "L1"].map(point), ["B1", "F1", "K1"].map(point)];
        let take = |position: &Position| {
            let (color, own) = match position.to_move() {
                Color::Black => (Color::Black, kos[0]),
                Color::White => (Color::White, kos[1]),
            };
            let open = own.into_iter().find(|&point| position.check(color, point).is_ok());
            open.map_or(Move::Pass, Move::Play)
        };
        let (moves, end) = fill_in_by(&position, take);
        let coordinate = position.board().coordinate();
        let names: Vec<_> = moves.iter().map(|&(_, point)| coordinate.vertex(point).to_string()).collect();
        assert_eq!(names, ["B1", "F1", "C1", "K1", "G1", "B1", "F1"]);
        assert_eq!(end.ending_passes(), 2);
    }
}
