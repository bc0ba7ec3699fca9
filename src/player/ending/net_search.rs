//! The end of a game by a net that judges positions: its lead, and the moves that a search by it plays.
//!
//! Such a net knows which threats call for an answer and how kos end, but its lead is a mean over what it thinks
//! possible, so it does not add up to a count. The play-out by threats counts exactly, but reads no deeper than ladders.
//! So the lead confirms a count or contradicts it, and moves chosen by search play the end out a second time.

use crate::kernel::{Color, Move, Point, Position};
use crate::net::Net;
use crate::search::params::Params;
use crate::search::{Limits, SearchRequest, SearchResult, Searcher, StopSignal};

/// Visits of the search for the lead.
const LEAD_VISITS: u64 = 32;

/// Memory of graph and evaluations in bytes.
const GRAPH_BYTES: usize = 64 << 20;

/// Searches the end of one game by a net.
pub(in crate::player) struct EndSearch<'a> {
    net: &'a Net,
    searcher: Searcher,
}

impl<'a> EndSearch<'a> {
    /// A search with a net that has a score head; the position gives the seed.
    pub(in crate::player) fn new(net: &'a Net, position: &Position) -> EndSearch<'a> {
        EndSearch { net, searcher: Searcher::new(GRAPH_BYTES, position.hash()) }
    }

    /// Black's lead in points.
    pub(in crate::player) fn lead(&mut self, position: &Position) -> f64 {
        f64::from(self.search(position, position.to_move(), LEAD_VISITS).lead)
    }

    /// The moves until both players pass, each after a number of visits, and the position after them.
    pub(in crate::player) fn play_out(&mut self, position: &Position, visits: u64) -> (Vec<(Color, Point)>, Position) {
        let mut position = position.clone();
        let mut moves = Vec::new();
        let (mut color, mut passes) = (position.to_move(), 0);
        while passes < 2 && moves.len() < position.board().coordinate().board_area() {
            let best = self.search(&position, color, visits).best().map_or(Move::Pass, |best| best.play);
            match best {
                Move::Play(point) if position.play(color, point).is_ok() => {
                    moves.push((color, point));
                    passes = 0;
                }
                _ => {
                    position.pass(color);
                    passes += 1;
                }
            }
            color = color.opponent();
        }
        (moves, position)
    }

    fn search(&mut self, position: &Position, color: Color, visits: u64) -> SearchResult {
        self.searcher.search(&SearchRequest {
            position,
            color,
            limits: Limits { visits, ..Limits::NONE },
            threads: 1,
            params: &Params::default(),
            extra_komi: 0.0,
            restrictions: None,
            net: Some(self.net),
            stop_signal: &StopSignal::default(),
        })
    }
}
