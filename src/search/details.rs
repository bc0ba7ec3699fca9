//! The statistics of moves and of the root that only analyses report.
//!
//! A search by net fills [`MoveDetails`] and [`RootDetails`] from the statistics of its graph; a search by playouts
//! gives the quantities that playouts have in their place, which the constructors `of_playouts` name.

use std::sync::Arc;

use crate::net::Output;
use crate::search::symmetric_moves::SymmetricMoves;

/// Black's lead in points, komi included, over playouts or evaluations.
///
/// In a search by playouts, `mean` and `stdev` are of one distribution: the final scores of the playouts. In a search
/// by net they are of two quantities, as in KataGo's `scoreLead` and `scoreStdev`: `mean` is the mean of the net's
/// leads, the points of komi that would make the game even, and `stdev` is the deviation of the final score.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Lead {
    /// Mean lead, positive if Black leads.
    pub mean: f32,
    /// Standard deviation of the final score, at least 0.
    pub stdev: f32,
    /// Number of playouts or evaluations.
    pub samples: u64,
}

/// Owners of points over the evaluations or playouts of a part of a search, by cell index.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Ownership {
    /// Mean: 1 is always Black's, -1 always White's.
    pub mean: Vec<f32>,
    /// Standard deviation, 0 to 1.
    pub stdev: Vec<f32>,
}

/// A root move in detail. Utilities and win probabilities are those of the side that makes the move.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MoveDetails {
    /// Visits of the position after the move, those by other orders of moves included.
    pub child_visits: u32,
    /// Weight of these visits.
    pub child_weight: f64,
    /// Weight of the visits through the move itself.
    pub edge_weight: f64,
    /// Mean utility.
    pub utility: f64,
    /// Lower confidence bound of the mean utility, in utility.
    pub utility_lcb: f64,
    /// Lower confidence bound of the win probability, as a probability, as KataGo reports it (`lcb`): the mean minus
    /// only that part of the radius of the utility's interval that belongs to winning. In a search by net it may be
    /// below 0; [`Candidate::win_probability_lower_bound`](crate::search::Candidate::win_probability_lower_bound)
    /// subtracts all of the radius there, and stays within 0 to 1. In a search by playouts the two are equal.
    pub winrate_lcb: f64,
    /// Black's mean final score in points.
    pub score: f64,
    /// Probability of a game without result.
    pub no_result: f64,
    /// The value by which the move to play is chosen: its weight, reduced and raised as KataGo does.
    pub play_selection_value: f64,
    /// Visits of the position after each move of the variation, those by other orders of moves included.
    pub variation_child_visits: Vec<u32>,
    /// Owners of points after the move, if
    /// [`SearchRequest::detailed_ownership`](crate::search::SearchRequest::detailed_ownership) asks for them.
    pub ownership: Option<Ownership>,
}

impl MoveDetails {
    /// Of a move searched by playouts. Each playout has weight 1. The utility is `2p − 1` for the win probability `p`. The
    /// play selection value is the number of visits. There are no transpositions, and no games without result.
    pub(super) fn of_playouts(visits: u32, value: f32, lcb: f32, lead: Option<Lead>) -> MoveDetails {
        let (value, lcb) = (f64::from(value), f64::from(lcb));
        MoveDetails {
            child_visits: visits,
            child_weight: f64::from(visits),
            edge_weight: f64::from(visits),
            utility: 2.0 * value - 1.0,
            utility_lcb: 2.0 * lcb - 1.0,
            winrate_lcb: lcb,
            score: lead.map_or(0.0, |lead| f64::from(lead.mean)),
            play_selection_value: f64::from(visits),
            ..MoveDetails::default()
        }
    }
}

/// The root in detail. Utilities and win probabilities are those of the side to move.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RootDetails {
    /// Win probability, 0 to 1.
    pub win_probability: f64,
    /// Utility.
    pub utility: f64,
    /// Weight of all visits.
    pub weight: f64,
    /// Black's lead in points.
    pub lead: f64,
    /// Black's mean final score in points.
    pub score: f64,
    /// Standard deviation of the final score in points.
    pub score_stdev: f64,
    /// Owners of points, if [`SearchRequest::detailed_ownership`](crate::search::SearchRequest::detailed_ownership)
    /// asks for them.
    pub ownership: Option<Ownership>,
    /// The moves that a search by net did not search, as symmetric duplicates of others.
    pub symmetric_moves: SymmetricMoves,
    /// The net's own evaluation of the root, if this search by net has made it.
    pub evaluation: Option<Arc<Output>>,
}

impl RootDetails {
    /// Of a search by playouts: the values of the best move stand for the root, so that the best move loses nothing.
    pub(super) fn of_playouts(visits: u64, value: f32, lead: Lead, ownership: Option<Ownership>) -> RootDetails {
        let (win_probability, mean) = (f64::from(value), f64::from(lead.mean));
        RootDetails {
            win_probability,
            utility: 2.0 * win_probability - 1.0,
            weight: visits as f64,
            lead: mean,
            score: mean,
            score_stdev: f64::from(lead.stdev),
            ownership,
            ..RootDetails::default()
        }
    }
}
