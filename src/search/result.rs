//! The output of a search: candidate moves in order, and statistics of its playouts or
//! evaluations.

use std::borrow::Cow;
use std::time::Duration;

use crate::kernel::{Move, Point};
use crate::search::details::{Lead, MoveDetails, RootDetails};
use crate::search::symmetric_moves::image;

/// A root move with its statistics.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// The move.
    pub play: Move,
    /// For a symmetric duplicate, which was not searched itself: the move of which it is the image under a symmetry of
    /// the position.
    pub symmetry_of: Option<Move>,
    /// Visits of the move, those of earlier searches of the same tree included: playouts, or evaluations in a search by
    /// net.
    pub visits: u32,
    /// Win probability of the side that makes the move, 0 to 1: mean of its playout results or evaluations, in
    /// which a draw counts one half.
    pub win_probability: f32,
    /// The net's policy probability of the move, 0 to 1, if the net evaluated the root.
    pub policy: Option<f32>,
    /// The heuristic win probability of the move before any visit, 0 to 1, of the same side as `win_probability`, if no
    /// net evaluated the root.
    pub heuristic_value: Option<f32>,
    /// Principal variation (the most visited moves), this move first.
    pub variation: Vec<Move>,
    /// Visits of each move of the variation.
    pub variation_visits: Vec<u32>,
    /// Black's lead in points after the move: in a search by playouts shrunk towards the mean of all playouts, in a
    /// search by net the mean of its evaluations. `None` if there were too few visits.
    pub lead: Option<Lead>,
    /// Radius of the confidence interval of `win_probability`, of a search by net only: the whole radius of the
    /// utility's interval, score terms included, as a win probability. `None` without visits.
    pub interval_radius: Option<f32>,
    /// Further details for analyses.
    pub details: MoveDetails,
}

impl Candidate {
    /// A move without visits, with this policy or else with an even heuristic value.
    pub(super) fn unvisited(play: Move, win_probability: f32, policy: Option<f32>) -> Candidate {
        Candidate {
            play,
            symmetry_of: None,
            visits: 0,
            win_probability,
            policy,
            heuristic_value: policy.is_none().then_some(0.5),
            variation: vec![play],
            variation_visits: vec![0],
            lead: None,
            interval_radius: None,
            details: MoveDetails { variation_child_visits: vec![0], ..MoveDetails::default() },
        }
    }

    /// The policy probability, or without a net the heuristic value: by which weak levels select a move, and equal moves are
    /// ordered.
    pub fn selection_prior(&self) -> f32 {
        self.policy.or(self.heuristic_value).unwrap_or_default()
    }

    /// This candidate under a symmetry of the board: `images` has the image of each cell at the cell's index.
    fn duplicate_at(&self, images: &[Point]) -> Candidate {
        let mut duplicate = self.clone();
        duplicate.symmetry_of = Some(self.play);
        duplicate.play = image(images, self.play);
        duplicate.variation.iter_mut().for_each(|play| *play = image(images, *play));
        if let Some((owners, original)) = duplicate.details.ownership.as_mut().zip(self.details.ownership.as_ref()) {
            for (cell, image) in images.iter().enumerate() {
                let pairs = [(&mut owners.mean, &original.mean), (&mut owners.stdev, &original.stdev)];
                for (copied, original) in pairs {
                    if let Some((slot, value)) = copied.get_mut(image.index()).zip(original.get(cell)) {
                        *slot = *value;
                    }
                }
            }
        }
        duplicate
    }

    /// Lower confidence bound (LCB) of [`Candidate::win_probability`], from 0 to 1 and of the same side, the one that
    /// makes the move; 0 without visits: the probability minus [`Candidate::interval_radius`] in a search by net; for
    /// playouts the lower end of the 95% Wilson score interval.
    ///
    /// With `p` the win probability, `n` the visits and `z` = 1.96:
    /// `(p + z²/2n − z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)`.
    /// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
    pub fn win_probability_lower_bound(&self) -> f32 {
        match self.interval_radius {
            Some(radius) => (self.win_probability - radius).clamp(0.0, 1.0),
            None => wilson_lower_bound(f64::from(self.win_probability), self.visits),
        }
    }

    /// Upper confidence bound of [`Candidate::win_probability`], from 0 to 1 and of the same side, the one that makes
    /// the move; 1 without visits: the other end of the interval of [`Candidate::win_probability_lower_bound`].
    pub fn win_probability_upper_bound(&self) -> f32 {
        match self.interval_radius {
            Some(radius) => (self.win_probability + radius).clamp(0.0, 1.0),
            None => 1.0 - wilson_lower_bound(1.0 - f64::from(self.win_probability), self.visits),
        }
    }
}

/// The lower end of the 95% Wilson score interval: see [`Candidate::win_probability_lower_bound`].
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
    /// The legal root moves, the one to play first: in a search by playouts by visits, then value, then prior, without
    /// moves that fill an own eye; in a search by net by its choice of a move, those without visits last. Restrictions
    /// leave those that they admit, or else the pass, so that it is never empty. Of moves that the root's symmetries take
    /// to each other, a search by net has one only: [`SearchResult::with_symmetric_moves`].
    pub candidates: Vec<Candidate>,
    /// Playouts finished by this search. A search by net makes none: then the same as `simulations`.
    pub playouts: u64,
    /// Simulations started by this search, those still under way in a report of progress included. In a search by
    /// playouts also descents abandoned at an illegal move or a superko repetition, which count as no playouts; in a
    /// search by net also the evaluation of a new root.
    pub simulations: u64,
    /// Visits of the root by this search and by earlier ones whose tree or graph was reused: one for each playout, or
    /// for each simulation of a search by net.
    pub visits: u64,
    /// Whether the search reached its limits instead of being stopped by its stop signal.
    pub completed: bool,
    /// Wall-clock time since the search began.
    pub elapsed: Duration,
    /// The part of it spent on tree reuse and memory compaction, before the root is expanded and evaluated.
    pub setup_time: Duration,
    /// Positions evaluated by the net (cache hits not counted).
    pub evaluations: u64,
    /// Batches in which they were evaluated.
    pub eval_batches: u64,
    /// Time spent in the net, summed over threads.
    pub eval_time: Duration,
    /// Time for which threads held the lock of the graph, summed over threads; 0 for a search by playouts, whose tree
    /// has no lock.
    pub lock_time: Duration,
    /// Mean owner of each cell of the walled board, by cell index, at the end of playouts or as the net predicts it: 1
    /// is Black's, -1 White's; 0 on the frame.
    pub ownership: Vec<f32>,
    /// Criticality of each cell, by cell index: the covariance of owning the point and winning, from 0 (independent) to
    /// 1; negative if its owner tends to lose.
    pub criticality: Vec<f32>,
    /// Mean of Black's lead in points, komi included, virtual komi excluded: the final score of playouts, or the lead
    /// that the net predicts, the points of komi that would make the game even.
    pub lead: f32,
    /// Standard deviation of Black's final score in points: of playouts, or as the net predicts it. In a search by net
    /// it is not the deviation of `lead`: see [`Lead`].
    pub score_stdev: f32,
    /// Playouts, or visits of a search by net, over which ownership, criticality and leads are means: those of all
    /// searches of this root with the same settings.
    pub stats_samples: u64,
    /// Whether the search was one by net.
    pub is_by_net: bool,
    /// Further details of the root for analyses.
    pub root: RootDetails,
}

impl SearchResult {
    /// The candidates in order, each followed by the moves that were not searched because they are its images under the
    /// symmetries of the position.
    pub fn with_symmetric_moves(&self) -> Cow<'_, [Candidate]> {
        if self.root.symmetric_moves.is_empty() {
            return Cow::Borrowed(&self.candidates);
        }
        let mut all: Vec<Candidate> = Vec::new();
        for candidate in &self.candidates {
            let first = all.len();
            all.push(candidate.clone());
            for images in self.root.symmetric_moves.images_of(candidate.play) {
                let play = image(images, candidate.play);
                if all.iter().skip(first).all(|other| other.play != play) {
                    all.push(candidate.duplicate_at(images));
                }
            }
        }
        Cow::Owned(all)
    }

    /// This result with the cost of an earlier search of the same root added: playouts, evaluations and time.
    pub(crate) fn with_cost_of(self, earlier: &SearchResult) -> SearchResult {
        SearchResult {
            playouts: earlier.playouts + self.playouts,
            simulations: earlier.simulations + self.simulations,
            elapsed: earlier.elapsed + self.elapsed,
            setup_time: earlier.setup_time + self.setup_time,
            evaluations: earlier.evaluations + self.evaluations,
            eval_batches: earlier.eval_batches + self.eval_batches,
            eval_time: earlier.eval_time + self.eval_time,
            lock_time: earlier.lock_time + self.lock_time,
            ..self
        }
    }

    /// This result with the candidate of a chosen move before all others; unchanged if there is none. Without visits it gets
    /// the value, the bound and the lead of the best move: the search knows nothing else of the position.
    pub(crate) fn with_first(mut self, play: Move) -> SearchResult {
        let number = self.candidates.iter().position(|candidate| candidate.play == play);
        let Some(before) = number.and_then(|number| self.candidates.get_mut(..=number)) else { return self };
        before.rotate_right(1);
        if let [chosen, best, ..] = before
            && chosen.visits == 0
        {
            chosen.win_probability = best.win_probability;
            chosen.heuristic_value = None;
            chosen.interval_radius = Some(best.win_probability - best.win_probability_lower_bound());
            chosen.lead.clone_from(&best.lead);
            chosen.details.winrate_lcb = best.details.winrate_lcb;
        }
        self
    }

    /// The move to play.
    pub fn best(&self) -> Option<&Candidate> {
        self.candidates.first()
    }

    /// Win probability of the side to move, 0 to 1: the best move's.
    pub fn win_probability(&self) -> f32 {
        self.best().map_or(0.5, |best| best.win_probability)
    }

    /// Black's lead after the best move, the lead that belongs to [`SearchResult::win_probability`]; that of all
    /// playouts if the best move has too few of its own.
    pub fn best_lead(&self) -> Lead {
        let all = Lead { mean: self.lead, stdev: self.score_stdev, samples: self.stats_samples };
        self.best().and_then(|best| best.lead).unwrap_or(all)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use crate::kernel::{Coordinate, Symmetry};
    use crate::search::details::Ownership;

    #[test]
    fn duplicates_have_the_values_of_the_original_from_their_side() {
        let coordinate = Coordinate::square(3).unwrap();
        let point = |name: &str| coordinate.parse_vertex(name).unwrap();
        let [play, other] = ["B1", "C2"].map(|name| Move::Play(point(name)));
        let variation = vec![play, Move::Pass, other];
        let mut original = Candidate { visits: 3, variation, ..Candidate::unvisited(play, 0.5, None) };
        let mut mean = vec![0.0; coordinate.memory_area()];
        mean[point("B1").index()] = -0.5;
        mean[point("A1").index()] = 0.25;
        original.details.ownership = Some(Ownership { stdev: mean.clone(), mean });
        // the diagonal from A1
        let symmetries = Symmetry::all().filter_map(|symmetry| symmetry.images(coordinate));
        let diagonal = symmetries
            .skip(1)
            .find(|images| ["A1", "C3"].iter().all(|name| images[point(name).index()] == point(name)))
            .unwrap();
        let duplicate = original.duplicate_at(&diagonal);
        assert_eq!((duplicate.play, duplicate.symmetry_of, duplicate.visits), (Move::Play(point("A2")), Some(play), 3));
        assert_eq!(duplicate.variation, [Move::Play(point("A2")), Move::Pass, Move::Play(point("B3"))]);
        let owners = duplicate.details.ownership.as_ref().unwrap();
        for owners in [&owners.mean, &owners.stdev] {
            assert_eq!((owners[point("A2").index()], owners[point("B1").index()]), (-0.5, 0.0));
            assert_eq!(owners[point("A1").index()], 0.25);
        }
    }

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
            let candidate = Candidate { visits, ..Candidate::unvisited(Move::Pass, value, None) };
            assert!(
                (candidate.win_probability_lower_bound() - expected).abs() < 1e-4,
                "{value} {visits}: {}",
                candidate.win_probability_lower_bound()
            );
            let opponent = Candidate { win_probability: 1.0 - value, ..candidate };
            assert!(
                (opponent.win_probability_upper_bound() - (1.0 - expected)).abs() < 1e-4,
                "{}",
                opponent.win_probability_upper_bound()
            );
        }
        let unlikely = Candidate { interval_radius: Some(0.5), ..Candidate::unvisited(Move::Pass, 0.125, None) };
        assert_eq!((unlikely.win_probability_lower_bound(), unlikely.win_probability_upper_bound()), (0.0, 0.625));
    }
}
