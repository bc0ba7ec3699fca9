//! Report lines of an analysis, in the form of Leela Zero or of KataGo.

use std::fmt::Write;

use crate::kernel::Point;
use crate::protocol::report_view::ReportView;
use crate::search::{Candidate, SearchResult};

/// The form and content of report lines.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Format {
    pub(crate) dialect: Dialect,
    /// Adds `rootInfo`: visits, win rate and score of the root.
    pub(crate) root_info: bool,
    /// Adds `ownership`: the expected owner of each point.
    pub(crate) ownership: bool,
    /// Adds `ownershipStdev`: the standard deviation of the owner of each point.
    pub(crate) ownership_stdev: bool,
    /// Adds `movesOwnership` to each move: the expected owner of each point after it.
    pub(crate) moves_ownership: bool,
    /// Adds `movesOwnershipStdev` to each move.
    pub(crate) moves_ownership_stdev: bool,
    /// Adds `noResultValue` to each move: the probability of a game without result.
    pub(crate) no_result: bool,
    /// Adds `pvVisits`: the visits of each move of a variation.
    pub(crate) variation_visits: bool,
    /// Adds `pvEdgeVisits`: those by this order of moves only.
    pub(crate) variation_edge_visits: bool,
    /// Moves reported even without visits.
    pub(crate) min_moves: usize,
    /// Most moves reported.
    pub(crate) max_moves: usize,
}

/// The engine whose form report lines have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    /// Win rates are integers, in units of 1/10000; no scores.
    LeelaZero,
    /// Win rates are decimals from 0 to 1; scores in points.
    KataGo,
}

impl Format {
    /// All moves that have visits, without any addition.
    pub(crate) const fn new(dialect: Dialect) -> Format {
        Format {
            dialect,
            root_info: false,
            ownership: false,
            ownership_stdev: false,
            moves_ownership: false,
            moves_ownership_stdev: false,
            no_result: false,
            variation_visits: false,
            variation_edge_visits: false,
            min_moves: 0,
            max_moves: usize::MAX,
        }
    }

    /// The line for a search result; empty if neither a move nor the root is to be reported.
    pub(crate) fn line(&self, result: &SearchResult, view: ReportView) -> String {
        let mut line = String::new();
        let all = result.with_symmetric_moves();
        let candidates = all.iter().enumerate().take(self.max_moves);
        for (order, candidate) in candidates.filter(|(order, c)| c.visits > 0 || *order < self.min_moves) {
            if !line.is_empty() {
                line.push(' ');
            }
            // writing to a String cannot fail
            let _ = self.write_candidate(&mut line, candidate, result, order, view);
        }
        if !line.is_empty() || (self.root_info && result.visits > 0) {
            let _ = self.write_position(&mut line, result, view);
        }
        line
    }

    fn write_candidate(
        &self,
        line: &mut String,
        candidate: &Candidate,
        result: &SearchResult,
        order: usize,
        view: ReportView,
    ) -> std::fmt::Result {
        let Candidate { play, visits, win_probability, policy, heuristic_value, .. } = *candidate;
        // without visits: the value of the best move if the net has evaluated the root, else the heuristic value of the
        // move
        let unvisited = heuristic_value.unwrap_or_else(|| result.win_probability());
        let value = view.reported_win_probability(if visits > 0 { win_probability } else { unvisited });
        let details = &candidate.details;
        write!(line, "info move {}", play.vertex(view.coordinate))?;
        // KataGo counts the visits of the position after the move, those by other orders of moves included
        match self.dialect {
            Dialect::LeelaZero => write!(line, " visits {visits}")?,
            Dialect::KataGo => write!(line, " visits {} edgeVisits {visits}", details.child_visits)?,
        }
        write!(line, " winrate {}", self.win_rate(value))?;
        if self.dialect == Dialect::KataGo {
            // a move without a lead of its own gets the mean lead, towards which leads of few playouts are shrunk
            let of_all = (result.lead, result.score_stdev);
            let (mean, stdev) = candidate.lead.map_or(of_all, |lead| (lead.mean, lead.stdev));
            write_lead(line, mean, stdev, view)?;
        }
        if self.no_result {
            write!(line, " noResultValue {:.6}", details.no_result)?;
        }
        if let Some(policy) = policy {
            write!(line, " prior {}", self.win_rate(policy))?;
        }
        let bound = match self.dialect {
            Dialect::LeelaZero => candidate.win_probability_lower_bound(),
            Dialect::KataGo => details.winrate_lcb as f32,
        };
        write!(line, " lcb {}", self.win_rate(view.reported_win_probability(bound)))?;
        if let Some(original) = candidate.symmetry_of.filter(|_| self.dialect == Dialect::KataGo) {
            write!(line, " isSymmetryOf {}", original.vertex(view.coordinate))?;
        }
        write!(line, " order {order} pv")?;
        for play in &candidate.variation {
            write!(line, " {}", play.vertex(view.coordinate))?;
        }
        if self.variation_visits {
            write_counts(line, "pvVisits", &details.variation_child_visits)?;
        }
        if self.variation_edge_visits {
            write_counts(line, "pvEdgeVisits", &candidate.variation_visits)?;
        }
        if let Some(owners) = &details.ownership {
            if self.moves_ownership {
                write_points(line, "movesOwnership", view, |point| {
                    view.reported_from_black(value_at(&owners.mean, point))
                })?;
            }
            if self.moves_ownership_stdev {
                write_points(line, "movesOwnershipStdev", view, |point| value_at(&owners.stdev, point))?;
            }
        }
        Ok(())
    }

    /// Whether lines need owners in detail
    /// ([`SearchRequest::detailed_ownership`](crate::search::SearchRequest::detailed_ownership)).
    pub(crate) fn needs_detailed_ownership(&self) -> bool {
        self.ownership_stdev || self.moves_ownership || self.moves_ownership_stdev
    }

    fn write_position(&self, line: &mut String, result: &SearchResult, view: ReportView) -> std::fmt::Result {
        if self.root_info {
            let root = &result.root;
            let winrate = self.win_rate(view.reported_win_probability(root.win_probability as f32));
            let separator = if line.is_empty() { "" } else { " " };
            write!(line, "{separator}rootInfo visits {} winrate {winrate}", result.visits)?;
            write_lead(line, root.lead as f32, root.score_stdev as f32, view)?;
        }
        if self.ownership {
            write_points(line, "ownership", view, |point| {
                view.reported_from_black(value_at(&result.ownership, point))
            })?;
        }
        if let Some(owners) = result.root.ownership.as_ref().filter(|_| self.ownership_stdev) {
            write_points(line, "ownershipStdev", view, |point| value_at(&owners.stdev, point))?;
        }
        Ok(())
    }

    fn win_rate(&self, value: f32) -> String {
        match self.dialect {
            Dialect::LeelaZero => format!("{:.0}", value * 10000.0),
            Dialect::KataGo => format!("{value:.6}"),
        }
    }
}

/// Writes a key and a count for each move of a variation.
fn write_counts(line: &mut String, key: &str, counts: &[u32]) -> std::fmt::Result {
    write!(line, " {key}")?;
    counts.iter().try_for_each(|count| write!(line, " {count}"))
}

/// Writes a key and a number for each point, from the highest rank down.
fn write_points(line: &mut String, key: &str, view: ReportView, value: impl Fn(Point) -> f32) -> std::fmt::Result {
    write!(line, " {key}")?;
    view.coordinate.points_from_highest_rank().try_for_each(|point| write!(line, " {:.3}", value(point)))
}

/// The value of a point in a list by cells; 0 if the list is shorter.
fn value_at(values: &[f32], point: Point) -> f32 {
    values.get(point.index()).copied().unwrap_or_default()
}

/// `scoreMean` is an older name of `scoreLead`; some programs read only one of them.
fn write_lead(line: &mut String, mean: f32, stdev: f32, view: ReportView) -> std::fmt::Result {
    let mean = view.reported_from_black(mean);
    write!(line, " scoreMean {mean:.3} scoreStdev {stdev:.3} scoreLead {mean:.3}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule, Position};
    use crate::search::params::Params;
    use crate::search::{Limits, SearchRequest, Searcher, StopSignal};

    /// In a search by net other orders of moves add visits to a position, and KataGo's bound may lie below 0.
    #[test]
    fn lines_of_katago_have_the_visits_and_the_bound_of_the_position_after_a_move() {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let (limits, params, signal) = (Limits::playouts(50), Params::default(), StopSignal::default());
        let request = SearchRequest::new(&position, Color::Black, limits, &params, &signal);
        let mut result = Searcher::new(16 << 20, 1).search(&request);
        let best = &mut result.candidates[0];
        (best.visits, best.win_probability, best.interval_radius) = (30, 0.5, Some(0.25));
        (best.variation, best.variation_visits) = (vec![best.play; 2], vec![30, 9]);
        (best.details.child_visits, best.details.winrate_lcb) = (40, -0.125);
        best.details.variation_child_visits = vec![40, 12];
        let view = ReportView { coordinate, to_move: Color::Black, reported: Color::Black };
        let line = |dialect| {
            let plain = Format::new(dialect);
            let format = Format { variation_visits: true, variation_edge_visits: true, max_moves: 1, ..plain };
            format.line(&result, view)
        };
        let katago = line(Dialect::KataGo);
        for part in [" visits 40 edgeVisits 30 winrate ", " lcb -0.125000 ", " pvVisits 40 12 pvEdgeVisits 30 9"] {
            assert!(katago.contains(part), "{part}: {katago}");
        }
        let leela_zero = line(Dialect::LeelaZero);
        assert!(leela_zero.contains(" visits 30 winrate ") && leela_zero.contains(" lcb 2500 "), "{leela_zero}");
    }

    #[test]
    fn root_info_has_the_values_of_the_root_and_not_those_of_the_best_move() {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let (limits, params, signal) = (Limits::playouts(20), Params::default(), StopSignal::default());
        let request = SearchRequest::new(&position, Color::Black, limits, &params, &signal);
        let mut result = Searcher::new(16 << 20, 1).search(&request);
        let root = &mut result.root;
        (root.win_probability, root.lead, root.score_stdev) = (0.25, -3.0, 7.0);
        let format = Format { root_info: true, ..Format::new(Dialect::KataGo) };
        let root_info = |reported| {
            let line = format.line(&result, ReportView { coordinate, to_move: Color::Black, reported });
            line.split_once(" rootInfo ").unwrap().1.to_owned()
        };
        let of_black = "visits 20 winrate 0.250000 scoreMean -3.000 scoreStdev 7.000 scoreLead -3.000";
        assert_eq!(root_info(Color::Black), of_black);
        let of_white = "visits 20 winrate 0.750000 scoreMean 3.000 scoreStdev 7.000 scoreLead 3.000";
        assert_eq!(root_info(Color::White), of_white);
    }
}
