//! A search of every position of a game.
//!
//! Each position is searched by one thread with a fresh tree, so that the numbers do not depend on the number of
//! threads.

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::kernel::{Color, Coordinate, Move, Position};
use crate::net::Net;
use crate::player::options::Options;
use crate::search::params::{Params, is_search_by_net};
use crate::search::{Candidate, Limits, SearchRequest, Searcher, StopSignal};

/// Parameters of the searches of a game.
#[derive(Clone, Copy)]
pub(crate) struct AnalysisSettings<'a> {
    /// Visits of the root for each position, each a playout in a search by playouts.
    pub(crate) visits: u64,
    /// Number of positions searched in parallel.
    pub(crate) threads: usize,
    /// Seed (0 is used as it is, so that reports repeat), memory (shared by the threads) and search parameters.
    pub(crate) options: &'a Options,
    /// The net that evaluates positions; playouts alone if there is none.
    pub(crate) net: Option<&'a Net>,
    /// Stops the searches while its flag is set.
    pub(crate) stop_signal: &'a StopSignal,
}

/// Default visits per position in a search by playouts.
const VISITS_BY_PLAYOUTS: u64 = 4000;

/// The same in a search by a native net with `NativeNetSearch`, and by a net of KataGo.
const VISITS: u64 = 200;
const VISITS_BY_KATAGO: u64 = 100;

/// Visits for each position of a thorough review.
pub(crate) fn default_visits(net: Option<&Net>, params: &Params, coordinate: Coordinate) -> u64 {
    match net {
        Some(net) if net.katago().is_some() => VISITS_BY_KATAGO,
        Some(net) if is_search_by_net(net, params, coordinate) => VISITS,
        _ => VISITS_BY_PLAYOUTS,
    }
}

impl AnalysisSettings<'_> {
    /// Whether the searches on a board of this size are by net; by playouts otherwise.
    pub(crate) fn is_search_by_net(&self, coordinate: Coordinate) -> bool {
        self.net.is_some_and(|net| is_search_by_net(net, &self.options.params, coordinate))
    }

    /// The word for a visit on a board of this size: `visit`, or `playout` in a search by playouts.
    pub(crate) fn visit_name(&self, coordinate: Coordinate) -> &'static str {
        if self.is_search_by_net(coordinate) { "visit" } else { "playout" }
    }
}

/// The search result of one position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PositionAnalysis {
    /// The player of the next move in the game; after the last move, the player whose turn it is.
    pub(crate) to_move: Color,
    /// Black's win probability, from 0 to 1.
    pub(crate) win_probability: f32,
    /// Black's lead in points.
    pub(crate) lead: f32,
    /// The principal variation. Never empty.
    pub(crate) variation: Vec<Move>,
    /// The moves that the search preferred, the best one first; empty for a position that is scored, not searched.
    pub(crate) candidates: Vec<CandidateSummary>,
    /// The ownership of every cell of the walled board, by its index: from 1, Black's, to -1, White's.
    pub(crate) ownership: Vec<f32>,
}

/// The numbers in the report of a move that the search considered.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CandidateSummary {
    /// Black's win probability after the move, from 0 to 1.
    pub(crate) win_probability: f32,
    /// Black's lead after the move, in points.
    pub(crate) lead: f32,
    /// Visits of the move.
    pub(crate) visits: u32,
    /// The principal variation, the move first. Never empty.
    pub(crate) variation: Vec<Move>,
}

/// Maximum number of candidates of a position.
const MAX_CANDIDATES: usize = 5;

/// The smallest number of visits of a candidate that a report lists, as a share of the best one's: the numbers of the
/// others are noise. Chosen by hand: where the best move has 1000 visits, moves with fewer than 10 are left out.
const MIN_LISTED_VISIT_SHARE: f32 = 0.01;

impl PositionAnalysis {
    /// The lead of a player, in points.
    pub(crate) fn lead_of(&self, color: Color) -> f32 {
        self.lead * f32::from(color.sign())
    }

    /// The win probability of a player, from 0 to 1.
    pub(crate) fn win_probability_of(&self, color: Color) -> f32 {
        color.own_probability(self.win_probability)
    }
}

/// Searches each position of a game, and returns the results from the first position to the last. `progress` is called
/// with the number of positions done and their total. `None` if the stop signal's flag was set meanwhile.
pub(crate) fn analyze_game(
    end: &Position,
    settings: AnalysisSettings<'_>,
    progress: impl FnMut(usize, usize) + Send,
) -> Option<Vec<PositionAnalysis>> {
    let total = end.record().len() + 1;
    let queue = Mutex::new(Queue { next: Some(end.clone()), analyses: vec![None; total], progress });
    let threads = settings.threads.clamp(1, total);
    let memory = (settings.options.memory_share_mb(threads) as usize) << 20;
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let is_stopped = || settings.stop_signal.is_flag_set();
    let work = || {
        // not `while let`, which would hold the lock during the search
        loop {
            let Some(position) = lock().pop().filter(|_| !is_stopped()) else { break };
            let to_move = end.record().items().get(position.record().len()).map(|item| item.color);
            let analysis = analyze(&position, to_move.unwrap_or(position.to_move()), settings, memory);
            if !is_stopped() {
                lock().finish(position.record().len(), analysis);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // if a thread cannot be started, the others do its work
            let _ = thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    let queue = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
    queue.analyses.into_iter().collect()
}

/// The positions to search and the results, shared by the threads.
struct Queue<P> {
    /// The next position. The game is searched from its end, because undo is cheaper than replaying.
    next: Option<Position>,
    analyses: Vec<Option<PositionAnalysis>>,
    progress: P,
}

impl<P: FnMut(usize, usize)> Queue<P> {
    fn pop(&mut self) -> Option<Position> {
        let position = self.next.take()?;
        let mut previous = position.clone();
        self.next = previous.undo().is_ok().then_some(previous);
        Some(position)
    }

    fn finish(&mut self, number: usize, analysis: PositionAnalysis) {
        if let Some(entry) = self.analyses.get_mut(number) {
            *entry = Some(analysis);
        }
        let done = self.analyses.iter().flatten().count();
        (self.progress)(done, self.analyses.len());
    }
}

/// Searches one position with `memory` bytes for the tree.
fn analyze(position: &Position, color: Color, settings: AnalysisSettings<'_>, memory: usize) -> PositionAnalysis {
    let AnalysisSettings { visits, options, net, stop_signal, .. } = settings;
    let (limits, params) = (Limits::playouts(visits), options.params.for_analysis());
    let result = Searcher::new(memory, options.seed)
        .search(&SearchRequest { net, ..SearchRequest::new(position, color, limits, &params, stop_signal) });
    let best_visits = result.best().map_or(0, |best| best.visits);
    let is_considered = |candidate: &&Candidate| {
        candidate.visits > 0 && candidate.visits as f32 >= MIN_LISTED_VISIT_SHARE * best_visits as f32
    };
    let candidates = result.candidates.iter().filter(is_considered).take(MAX_CANDIDATES);
    PositionAnalysis {
        to_move: color,
        win_probability: color.black_probability(result.win_probability()),
        lead: result.best_lead().mean,
        variation: result.best().map_or(vec![Move::Pass], |best| best.variation.clone()),
        candidates: candidates
            .map(|candidate| CandidateSummary {
                win_probability: color.black_probability(candidate.win_probability),
                lead: candidate.lead.map_or(result.lead, |lead| lead.mean),
                visits: candidate.visits,
                variation: candidate.variation.clone(),
            })
            .collect(),
        ownership: result.ownership,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, played};

    fn game(moves: &str) -> Position {
        let coordinate = Coordinate::square(5).unwrap();
        played(Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black), moves)
    }

    fn analyses(position: &Position, threads: usize) -> Vec<PositionAnalysis> {
        let mut progress = Vec::new();
        let settings = AnalysisSettings {
            visits: 300,
            threads,
            options: &Options::default(),
            net: None,
            stop_signal: &StopSignal::default(),
        };
        let analyses = analyze_game(position, settings, |done, total| progress.push((done, total))).unwrap();
        let total = position.record().len() + 1;
        assert_eq!(progress, (1..=total).map(|done| (done, total)).collect::<Vec<_>>());
        analyses
    }

    fn players(analyses: &[PositionAnalysis]) -> Vec<Color> {
        analyses.iter().map(|analysis| analysis.to_move).collect()
    }

    #[test]
    fn threads_do_not_change_the_result() {
        let position = game("C3 C4 D4 C2 B3");
        let found = analyses(&position, 1);
        assert_eq!(found.len(), 6);
        assert_eq!(found, analyses(&position, 3));
        assert!(found.iter().all(|found| (0.0..=1.0).contains(&found.win_probability) && !found.variation.is_empty()));
        assert_eq!(players(&found), [Color::Black, Color::White].repeat(3));
    }

    #[test]
    fn a_search_by_net_has_the_noise_of_analyses() {
        let coordinate = Coordinate::square(9).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(7.0), 0, Color::Black);
        let net = Net::built_in().unwrap();
        let visits_with = |name: &str, noise: f64| {
            let mut options = Options::default();
            options.params.set(name, noise).unwrap();
            let settings = AnalysisSettings {
                visits: 60,
                threads: 1,
                options: &options,
                net: Some(&net),
                stop_signal: &StopSignal::default(),
            };
            let analyses = analyze_game(&position, settings, |_, _| ()).unwrap();
            analyses[0].candidates.iter().map(|candidate| candidate.visits).collect::<Vec<_>>()
        };
        let default = visits_with("AnalysisWideRootNoise", 0.0);
        assert_eq!(visits_with("WideRootNoise", 2.0), default);
        assert_ne!(visits_with("AnalysisWideRootNoise", 2.0), default);
    }

    #[test]
    fn side_to_move_is_the_player_of_the_next_move_in_the_game() {
        let mut position = game("C3");
        position.play(Color::Black, position.board().coordinate().parse_vertex("C4").unwrap()).unwrap();
        assert_eq!(players(&analyses(&position, 1)), [Color::Black, Color::Black, Color::White]);
    }
}
