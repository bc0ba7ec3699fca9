//! What a search has found so far, as a line of an analysis: in the words of Leela Zero or of KataGo.

use std::fmt::Write;

use crate::protocol::perspective::View;
use crate::search::{Candidate, SearchResult};

/// How the lines of an analysis are written.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Format {
    /// In whose words.
    pub dialect: Dialect,
    /// Whether the position as a whole is told of.
    pub root_info: bool,
    /// Whether each point's owner is told.
    pub ownership: bool,
    /// Whether the visits of each move of a variation are told.
    pub variation_visits: bool,
    /// So many moves are told of, even if they have not been tried.
    pub least_moves: usize,
    /// No more moves than this are told of.
    pub most_moves: usize,
}

/// Whose words they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dialect {
    /// Chances are whole numbers of 1/10000.
    LeelaZero,
    /// Chances are numbers from 0 to 1, and points are told of.
    KataGo,
}

impl Format {
    /// The line for what was found; empty if no move has been tried.
    pub fn line(&self, result: &SearchResult, view: View) -> String {
        let mut line = String::new();
        let candidates = result.candidates.iter().enumerate().take(self.most_moves);
        for (order, candidate) in candidates.filter(|(order, c)| c.visits > 0 || *order < self.least_moves) {
            if !line.is_empty() {
                line.push(' ');
            }
            // writing to a String cannot fail
            let _ = self.write_candidate(&mut line, candidate, result.value(), order, view);
        }
        if !line.is_empty() {
            let _ = self.write_position(&mut line, result, view);
        }
        line
    }

    fn write_candidate(
        &self,
        line: &mut String,
        candidate: &Candidate,
        so_far: f32,
        order: usize,
        view: View,
    ) -> std::fmt::Result {
        let Candidate { play, visits, value, prior, policy, .. } = *candidate;
        // of a move that was not tried it is known what was thought of it, or how the position stands
        let untried = if policy.is_some() { so_far } else { prior };
        let value = view.win_probability(if visits > 0 { value } else { untried });
        let bound = view.win_probability(candidate.lower_bound());
        write!(line, "info move {} visits {visits} winrate {}", play.vertex(view.coordinate), self.chance(value))?;
        if let (Dialect::KataGo, Some(lead)) = (self.dialect, candidate.lead) {
            write_lead(line, lead.mean, lead.deviation, view)?;
        }
        if let Some(policy) = policy {
            write!(line, " prior {}", self.chance(policy))?;
        }
        write!(line, " lcb {} order {order} pv", self.chance(bound))?;
        for play in &candidate.variation {
            write!(line, " {}", play.vertex(view.coordinate))?;
        }
        if self.variation_visits {
            line.push_str(" pvVisits");
            for visits in &candidate.variation_visits {
                write!(line, " {visits}")?;
            }
        }
        Ok(())
    }

    fn write_position(&self, line: &mut String, result: &SearchResult, view: View) -> std::fmt::Result {
        if self.root_info {
            let winrate = self.chance(view.win_probability(result.value()));
            write!(line, " rootInfo visits {} winrate {winrate}", result.visits)?;
            let lead = result.best_lead();
            write_lead(line, lead.mean, lead.deviation, view)?;
        }
        if self.ownership {
            line.push_str(" ownership");
            for point in view.coordinate.points_from_last_rank() {
                let owner = result.ownership.get(point.index()).copied().unwrap_or_default();
                write!(line, " {:.3}", view.points(owner))?;
            }
        }
        Ok(())
    }

    fn chance(&self, chance: f32) -> String {
        match self.dialect {
            Dialect::LeelaZero => format!("{:.0}", chance * 10000.0),
            Dialect::KataGo => format!("{chance:.6}"),
        }
    }
}

/// `scoreMean` says the same as `scoreLead`: that is its older name.
fn write_lead(line: &mut String, mean: f32, deviation: f32, view: View) -> std::fmt::Result {
    let mean = view.points(mean);
    write!(line, " scoreMean {mean:.3} scoreStdev {deviation:.3} scoreLead {mean:.3}")
}
