//! The output of a search: candidate moves in order, and statistics of its playouts.

use std::time::Duration;

use crate::kernel::Move;
use crate::search::details::{MoveDetails, RootDetails};
use crate::search::stats::Lead;

/// A root move with its statistics.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// The move.
    pub play: Move,
    /// Playouts through the move, those of earlier searches of the same tree included.
    pub visits: u32,
    /// Win probability of the side that makes the move, 0 to 1: mean of the playout results.
    pub value: f32,
    /// Prior of the move, 0 to 1: equal to `policy` if there is one, otherwise the heuristic win probability before any
    /// visit, same point of view as `value`.
    pub prior: f32,
    /// The net's policy probability of the move, 0 to 1, if the net evaluated the root.
    pub policy: Option<f32>,
    /// Principal variation (the most visited moves), this move first.
    pub variation: Vec<Move>,
    /// Visits of each move of the variation.
    pub variation_visits: Vec<u32>,
    /// Black's lead after this search's playouts through the move, shrunk towards the mean of all playouts; `None` if
    /// there were too few.
    pub lead: Option<Lead>,
    /// Lower confidence bound of `value`, if the search itself has one: see [`Candidate::lower_bound`].
    pub lcb: Option<f32>,
    /// What analyses report beside this.
    pub details: MoveDetails,
}

impl Candidate {
    /// Lower confidence bound (LCB) of [`Candidate::value`]. A search by net has its own, from the spread of its
    /// evaluations; for playouts it is the lower end of the 95% Wilson score interval.
    ///
    /// With `p` the value, `n` the visits and `z` = 1.96:
    /// `(p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)`; 0 without visits.
    /// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    pub fn lower_bound(&self) -> f32 {
        self.lcb.unwrap_or_else(|| wilson_lower_bound(f64::from(self.value), self.visits))
    }

    /// Upper confidence bound of [`Candidate::value`]: as far above the value as [`Candidate::lower_bound`] is below it
    /// for a search by net, else the upper end of the same interval; 1 without visits.
    pub fn upper_bound(&self) -> f32 {
        match self.lcb {
            Some(lcb) => (2.0 * self.value - lcb).min(1.0),
            None => 1.0 - wilson_lower_bound(1.0 - f64::from(self.value), self.visits),
        }
    }
}

/// The lower end of the 95% Wilson score interval: see [`Candidate::lower_bound`].
fn wilson_lower_bound(mean: f64, visits: u32) -> f32 {
    const Z: f64 = 1.96;
    if visits == 0 {
        return 0.0;
    }
    let visits = f64::from(visits);
    let center = mean + Z * Z / (2.0 * visits);
    let spread = Z * (mean * (1.0 - mean) / visits + (Z / (2.0 * visits)).powi(2)).max(0.0).sqrt();
    ((center - spread) / (1.0 + Z * Z / visits)).clamp(0.0, 1.0) as f32
}

/// The result of a search, final or so far.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// The legal root moves, the one to play first: by visits, then value, then prior. Never empty: a pass is always
    /// considered.
    pub candidates: Vec<Candidate>,
    /// Playouts finished by this search.
    pub playouts: u64,
    /// Simulations started by this search: playouts, and descents abandoned at an illegal move or superko repetition.
    pub simulations: u64,
    /// Visits of the root: playouts of this search and of earlier ones whose tree was reused.
    pub visits: u64,
    /// Whether the search reached its limits instead of being stopped by its stop signal.
    pub completed: bool,
    /// Wall-clock time since the search began.
    pub elapsed: Duration,
    /// The part of it spent on tree reuse and memory compaction, before the root is expanded and evaluated.
    pub setup_time: Duration,
    /// Positions evaluated by the net (cache hits not counted).
    pub evaluations: u64,
    /// Time spent in the net, summed over threads.
    pub eval_time: Duration,
    /// Time for which threads held the lock of the graph, summed over threads; 0 for a search by playouts, whose tree has
    /// no lock.
    pub lock_time: Duration,
    /// Mean owner of each cell of the walled board, by cell index, at the end of playouts: 1 is Black's, -1 White's; 0
    /// on the frame.
    pub ownership: Vec<f32>,
    /// Criticality of each cell, by cell index: the covariance of owning the point and winning, from 0 (independent) to
    /// 1; negative if its owner tends to lose.
    pub criticality: Vec<f32>,
    /// Mean of Black's lead in points at the end of playouts, komi included, virtual komi excluded.
    pub lead: f32,
    /// Standard deviation of a playout's lead, in points.
    pub lead_deviation: f32,
    /// Playouts that ownership, criticality and leads are means of: those of all searches of this root with the same
    /// settings.
    pub known_playouts: u64,
    /// Whether a net alone judged positions, so that a visit is an evaluation without playouts.
    pub is_by_net: bool,
    /// What analyses report of the root beside this.
    pub root: RootDetails,
}

impl SearchResult {
    /// The move to play.
    pub fn best(&self) -> Option<&Candidate> {
        self.candidates.first()
    }

    /// Win probability of the side to move, 0 to 1: the best move's value.
    pub fn value(&self) -> f32 {
        self.best().map_or(0.5, |best| best.value)
    }

    /// Black's lead after the best move, the lead that belongs to [`SearchResult::value`]; that of all playouts if the
    /// best move has too few of its own.
    pub fn best_lead(&self) -> Lead {
        let all = Lead { mean: self.lead, deviation: self.lead_deviation, playouts: self.playouts };
        self.best().and_then(|best| best.lead).unwrap_or(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_approach_the_value_with_visits() {
        for (value, visits, expected) in [
            (0.5, 0, 0.0),
            (0.0, 1, 0.0),
            (1.0, 1, 0.2065),
            (0.5, 10, 0.2366),
            (0.5, 100, 0.4038),
            (0.5, 10_000, 0.4902),
            (0.9, 100, 0.8256),
        ] {
            let (variation, variation_visits) = (vec![Move::Pass], vec![visits]);
            let candidate = Candidate {
                play: Move::Pass,
                visits,
                value,
                prior: 0.5,
                policy: None,
                variation,
                variation_visits,
                lead: None,
                lcb: None,
                details: MoveDetails::default(),
            };
            assert!((candidate.lower_bound() - expected).abs() < 1e-4, "{value} {visits}: {}", candidate.lower_bound());
            let opponent = Candidate { value: 1.0 - value, ..candidate };
            assert!((opponent.upper_bound() - (1.0 - expected)).abs() < 1e-4, "{}", opponent.upper_bound());
        }
    }
}
