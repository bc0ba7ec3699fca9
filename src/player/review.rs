//! A search of every position of a game, and the moves' losses.
//!
//! Each position is searched by one thread with a fresh tree, so that the numbers do not depend on the number of
//! threads.
//!
//! # Win-rate loss of a move
//! Let wₙ be the win rate of position n (before move n + 1) for the player of move n + 1. The raw loss of that move is
//!
//! ```text
//! cₙ₊₁ = wₙ − w′ₙ₊₁
//! ```
//!
//! with w′ the same player's win rate after the move. [`remove_tempo_bias`] corrects the win rates first;
//! [`move_losses`] then sets the loss of an expected move, and negative losses, to 0.

use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::kernel::{Color, Coordinate, Move, Position};
use crate::net::Net;
use crate::player::options::Options;
use crate::search::params::{Params, is_by_evaluations};
use crate::search::{Limits, SearchRequest, Searcher, StopSignal};

/// Parameters of the searches of a game.
#[derive(Clone, Copy)]
pub(crate) struct AnalysisSettings<'a> {
    /// Playouts for each position.
    pub(crate) playouts: u64,
    /// Number of positions searched in parallel.
    pub(crate) threads: usize,
    /// Seed, memory (shared by the threads) and search parameters.
    pub(crate) options: &'a Options,
    /// The net that evaluates positions; playouts alone if there is none.
    pub(crate) net: Option<&'a Net>,
    /// Stops the searches while its flag is set.
    pub(crate) stop_signal: &'a StopSignal,
}

/// Default playouts per position.
const PLAYOUTS: u64 = 4000;

/// Default evaluations per position by a small net with `SmallNetSearch`, and by one of KataGo.
const EVALUATIONS: u64 = 400;
const EVALUATIONS_BY_KATAGO: u64 = 100;

/// Playouts for each position of a thorough review, or evaluations if the search makes no playouts.
pub(crate) fn default_playouts(net: Option<&Net>, params: &Params, coordinate: Coordinate) -> u64 {
    match net {
        Some(net) if net.katago().is_some() => EVALUATIONS_BY_KATAGO,
        Some(net) if is_by_evaluations(net, params, coordinate) => EVALUATIONS,
        _ => PLAYOUTS,
    }
}

/// The search result of one position.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PositionAnalysis {
    /// The player of the next move in the game; after the last move, the player whose turn it is.
    pub(crate) to_move: Color,
    /// Black's win rate, from 0 to 1.
    pub(crate) win_rate: f32,
    /// Black's lead in points.
    pub(crate) lead: f32,
    /// The principal variation. Never empty.
    pub(crate) variation: Vec<Move>,
    /// The ownership of every cell of the walled board, by its index: from 1, Black's, to -1, White's.
    pub(crate) ownership: Vec<f32>,
}

impl PositionAnalysis {
    /// The win rate of a player, from 0 to 1.
    pub(crate) fn win_rate_of(&self, color: Color) -> f32 {
        if color == Color::Black { self.win_rate } else { 1.0 - self.win_rate }
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
    let memory = (settings.options.memory_mb as usize).div_ceil(threads) << 20;
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    let is_stopped = || settings.stop_signal.flag().load(Ordering::Relaxed);
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
    let AnalysisSettings { playouts, options, net, stop_signal, .. } = settings;
    let mut result = Searcher::new(memory, options.seed).search(&SearchRequest {
        position,
        color,
        limits: Limits::playouts(playouts),
        threads: 1,
        params: &options.params,
        extra_komi: 0.0,
        restrictions: None,
        net,
        stop_signal,
    });
    let value = result.value();
    let best = (!result.candidates.is_empty()).then(|| result.candidates.swap_remove(0));
    PositionAnalysis {
        to_move: color,
        win_rate: if color == Color::Black { value } else { 1.0 - value },
        lead: result.lead,
        variation: best.map_or(vec![Move::Pass], |best| best.variation),
        ownership: result.ownership,
    }
}

/// Half the width, in moves, of the window of the median in [`remove_tempo_bias`].
const HALF_WINDOW: usize = 12;

/// Minimum number of moves in the window; the bias is taken as 0 below.
const MIN_SAMPLES: usize = 9;

/// Subtracts the value of having the move from each position's win rate.
///
/// A search finds the good moves of the side to move before it finds the replies to them, so that every move, even the
/// best, seems to lose a little. This bias is estimated as the median of the raw losses c of the moves around, and
/// split evenly between the position before the move and the one after it:
///
/// ```text
/// wₙ ← wₙ − bₙ / 2,   bₙ = max(0, median(cₙ₋₁₁ … cₙ₊₁₂))
/// ```
///
/// with wₙ from the view of the side to move, clamped to 0..1; the window ends at the ends of the game.
pub(crate) fn remove_tempo_bias(end: &Position, analyses: &mut [PositionAnalysis]) {
    let losses: Vec<f32> = raw_losses(end, analyses).collect();
    for (number, analysis) in analyses.iter_mut().enumerate() {
        let window = number.saturating_sub(HALF_WINDOW)..(number + HALF_WINDOW).min(losses.len());
        let half = tempo_bias(losses.get(window).unwrap_or_default()) / 2.0;
        let win_rate = analysis.win_rate + if analysis.to_move == Color::Black { -half } else { half };
        analysis.win_rate = win_rate.clamp(0.0, 1.0);
    }
}

/// The median of raw losses (the upper one of two), at least 0; 0 if there are fewer than [`MIN_SAMPLES`].
fn tempo_bias(losses: &[f32]) -> f32 {
    let mut losses = losses.to_vec();
    losses.sort_by(f32::total_cmp);
    losses.get(losses.len() / 2).copied().filter(|_| losses.len() >= MIN_SAMPLES).unwrap_or_default().max(0.0)
}

/// For each move, its player's win rate before it less that after it; negative for a gain.
fn raw_losses(end: &Position, analyses: &[PositionAnalysis]) -> impl Iterator<Item = f32> {
    let steps = analyses.iter().zip(analyses.iter().skip(1));
    let moves = end.record().items().iter().zip(steps);
    moves.map(|(item, (before, after))| before.win_rate_of(item.color) - after.win_rate_of(item.color))
}

/// A move that lost much.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Mistake {
    /// The number of the move, from 1.
    pub(crate) number: usize,
    /// Its win-rate loss, from 0 to 1.
    pub(crate) loss: f32,
}

/// The smallest win-rate loss of a mistake.
const MIN_MISTAKE_LOSS: f32 = 0.05;

/// Maximum number of mistakes listed.
const MAX_MISTAKES: usize = 10;

/// The win-rate loss of each move, from 0 to 1: 0 for the move that the search expected, else max(0, raw loss). A gain
/// is counted as 0, because the values of two positions differ by sampling error.
pub(crate) fn move_losses(end: &Position, analyses: &[PositionAnalysis]) -> Vec<f32> {
    let expected = analyses.iter().map(|analysis| analysis.variation.first());
    let moves = end.record().items().iter().zip(expected).zip(raw_losses(end, analyses));
    moves.map(|((item, expected), loss)| if expected == Some(&item.play) { 0.0 } else { loss.max(0.0) }).collect()
}

/// The moves that lost at least 5% of win rate, largest loss first, at most ten.
pub(crate) fn mistakes(losses: &[f32]) -> Vec<Mistake> {
    let mut mistakes: Vec<Mistake> = (1..).zip(losses).map(|(number, &loss)| Mistake { number, loss }).collect();
    mistakes.retain(|mistake| mistake.loss >= MIN_MISTAKE_LOSS);
    mistakes.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    mistakes.truncate(MAX_MISTAKES);
    mistakes
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
        let (options, stop_signal) = (&Options::default(), &StopSignal::default());
        let settings = AnalysisSettings { playouts: 300, threads, options, net: None, stop_signal };
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
        assert!(found.iter().all(|found| (0.0..=1.0).contains(&found.win_rate) && !found.variation.is_empty()));
        assert_eq!(players(&found), [Color::Black, Color::White].repeat(3));
    }

    #[test]
    fn a_raised_flag_stops_the_review() {
        let (options, stop_signal) = (&Options::default(), &StopSignal::default());
        let settings = AnalysisSettings { playouts: 100_000_000, threads: 1, options, net: None, stop_signal };
        let raise = |_, _| stop_signal.flag().store(true, Ordering::Relaxed);
        let quick = AnalysisSettings { playouts: 1, ..settings };
        assert_eq!(analyze_game(&game("C3 C4"), quick, raise), None);
        // a search that has not begun makes no playouts of its own
        assert_eq!(analyze_game(&game("C3 C4"), settings, |_, _| {}), None);
    }

    #[test]
    fn side_to_move_is_the_player_of_the_next_move_in_the_game() {
        let mut position = game("C3");
        position.play(Color::Black, position.board().coordinate().parse_vertex("C4").unwrap()).unwrap();
        assert_eq!(players(&analyses(&position, 1)), [Color::Black, Color::Black, Color::White]);
    }

    #[test]
    fn pass_on_an_empty_board_is_a_mistake() {
        let position = game("pass C3");
        let found = analyses(&position, 2);
        let mistakes = mistakes(&move_losses(&position, &found));
        assert_eq!(mistakes.first().map(|mistake| mistake.number), Some(1), "{mistakes:?}");
    }

    #[test]
    fn tempo_bias_is_removed_and_a_blunder_stays() {
        let position = game(&"pass ".repeat(40));
        // Black's win rate is 50%, seen 3% higher for the side to move, until White's blunder at move 30 makes it 80%
        let true_win_rate = |number| if number < 30 { 0.5 } else { 0.8 };
        let mut analyses: Vec<PositionAnalysis> = (0..=40)
            .map(|number| {
                let to_move = if number % 2 == 0 { Color::Black } else { Color::White };
                let win_rate = true_win_rate(number) + if to_move == Color::Black { 0.03 } else { -0.03 };
                PositionAnalysis { to_move, win_rate, lead: 0.0, variation: Vec::new(), ownership: Vec::new() }
            })
            .collect();
        remove_tempo_bias(&position, &mut analyses);
        for (number, analysis) in analyses.iter().enumerate() {
            assert!((analysis.win_rate - true_win_rate(number)).abs() < 1e-4, "{number}: {}", analysis.win_rate);
        }
        let mistakes = mistakes(&move_losses(&position, &analyses));
        assert!(matches!(mistakes[..], [Mistake { number: 30, loss }] if (loss - 0.3).abs() < 1e-4), "{mistakes:?}");
    }

    #[test]
    fn tempo_bias_needs_samples_and_is_not_negative() {
        assert_eq!((tempo_bias(&[0.5; 8]), tempo_bias(&[0.5; 9]), tempo_bias(&[-0.5; 9])), (0.0, 0.5, 0.0));
    }

    #[test]
    fn mistakes_are_the_largest_losses_in_order() {
        let losses = [0.0, 0.2, 0.04, 0.5, 0.05];
        let numbers: Vec<usize> = mistakes(&losses).iter().map(|mistake| mistake.number).collect();
        assert_eq!(numbers, [4, 2, 5]);
        assert_eq!(mistakes(&[0.3; 40]).len(), MAX_MISTAKES);
    }
}
