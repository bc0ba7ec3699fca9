//! Every position of a game thought about, each by itself: the same record gets the same numbers, however many threads
//! there are.

use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::kernel::{Color, Move, Position};
use crate::net::Net;
use crate::player::Options;
use crate::search::{Limits, SearchRequest, Searcher, StopSignal};

/// How is thought, and how much.
#[derive(Clone, Copy)]
pub(super) struct Effort<'a> {
    /// Playouts for each position.
    pub(super) playouts: u64,
    /// Positions at a time.
    pub(super) threads: usize,
    /// What searches are told beforehand.
    pub(super) options: &'a Options,
    /// The net that searches ask, if they ask one.
    pub(super) net: Option<&'a Net>,
}

/// What was found about a position.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Found {
    /// Who moves here: who did in the game, and after its last move whose turn it is.
    pub(super) to_move: Color,
    /// How Black stands: from 0, lost, to 1, won.
    pub(super) value: f32,
    /// By how many points Black is ahead.
    pub(super) lead: f32,
    /// What both players are expected to play from here. Never empty.
    pub(super) expected: Vec<Move>,
    /// For every cell of the walled board, by its index: from 1, Black's, to -1, White's.
    pub(super) ownership: Vec<f32>,
}

impl Found {
    /// How a player stands, as [`Found::value`].
    pub(super) fn value_for(&self, color: Color) -> f32 {
        if color == Color::Black { self.value } else { 1.0 - self.value }
    }
}

/// What is found about each position of a game, from the first to the last. `progress` hears how many are done, of how
/// many.
pub(super) fn analyse(end: &Position, effort: Effort<'_>, progress: impl FnMut(usize, usize) + Send) -> Vec<Found> {
    let all = end.record().len() + 1;
    let work = Mutex::new(Work { left: Some(end.clone()), found: vec![None; all], progress });
    let threads = effort.threads.clamp(1, all);
    let memory = (effort.options.memory_mb as usize).div_ceil(threads) << 20;
    let locked = || work.lock().unwrap_or_else(PoisonError::into_inner);
    let look = || {
        // not `while let`, which would keep the lock for as long as is thought
        loop {
            let Some(position) = locked().next() else { break };
            let to_move = end.record().items().get(position.record().len()).map(|item| item.color);
            let found = search(&position, to_move.unwrap_or(position.to_move()), effort, memory);
            locked().done(position.record().len(), found);
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads {
            // a machine that has no room for a thread makes do with fewer
            let _ = thread::Builder::new().spawn_scoped(scope, look);
        }
        look();
    });
    let work = work.into_inner().unwrap_or_else(PoisonError::into_inner);
    work.found.into_iter().flatten().collect()
}

/// What the threads share.
struct Work<P> {
    /// The position to look at next. The last one is the first, for the way back is the short one.
    left: Option<Position>,
    found: Vec<Option<Found>>,
    progress: P,
}

impl<P: FnMut(usize, usize)> Work<P> {
    fn next(&mut self) -> Option<Position> {
        let here = self.left.take()?;
        let mut before = here.clone();
        self.left = before.undo().is_ok().then_some(before);
        Some(here)
    }

    fn done(&mut self, number: usize, found: Found) {
        if let Some(place) = self.found.get_mut(number) {
            *place = Some(found);
        }
        let done = self.found.iter().flatten().count();
        (self.progress)(done, self.found.len());
    }
}

fn search(position: &Position, color: Color, effort: Effort<'_>, memory: usize) -> Found {
    let Effort { playouts, options, net, .. } = effort;
    let mut result = Searcher::new(memory, options.seed).search(&SearchRequest {
        position,
        color,
        limits: Limits::playouts(playouts),
        threads: 1,
        params: &options.params,
        extra_komi: 0.0,
        restrictions: None,
        net,
        stop_signal: &StopSignal::default(),
    });
    let value = result.value();
    let best = (!result.candidates.is_empty()).then(|| result.candidates.swap_remove(0));
    Found {
        to_move: color,
        value: if color == Color::Black { value } else { 1.0 - value },
        lead: result.lead,
        expected: best.map_or(vec![Move::Pass], |best| best.variation),
        ownership: result.ownership,
    }
}

/// So many moves to either side are looked at to see what is usual.
const NEAR: usize = 12;

/// Fewer moves tell nothing of what is usual.
const ENOUGH: usize = 9;

/// Takes from each position's value what it owes to whose turn it is.
///
/// A search finds the good moves of who is to move sooner than the answers to them, so that every move, even the best,
/// seems to cost a little. What the middle one of the moves around costs is taken for that, and counted half against the
/// player to move before it and half after it.
pub(super) fn even_out(end: &Position, found: &mut [Found]) {
    let costs: Vec<f32> = costs(end, found).collect();
    for (number, found) in found.iter_mut().enumerate() {
        let near = costs.get(number.saturating_sub(NEAR)..(number + NEAR).min(costs.len())).unwrap_or_default();
        let half = usual(near) / 2.0;
        let value = found.value + if found.to_move == Color::Black { -half } else { half };
        found.value = value.clamp(0.0, 1.0);
    }
}

/// The middle one of some costs, if it is one.
fn usual(costs: &[f32]) -> f32 {
    let mut costs = costs.to_vec();
    costs.sort_by(f32::total_cmp);
    costs.get(costs.len() / 2).copied().filter(|_| costs.len() >= ENOUGH).unwrap_or_default().max(0.0)
}

/// What each move seems to have cost who made it, or gained where it is negative.
fn costs(end: &Position, found: &[Found]) -> impl Iterator<Item = f32> {
    let steps = found.iter().zip(found.iter().skip(1));
    let moves = end.record().items().iter().zip(steps);
    moves.map(|(item, (before, after))| before.value_for(item.color) - after.value_for(item.color))
}

/// A move that lost much.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Mistake {
    /// Which move, counted from 1.
    pub(super) number: usize,
    /// What it took from the chances of who made it, from 0 to 1.
    pub(super) loss: f32,
}

/// A move is a mistake if it lost at least this.
const LEAST_LOSS: f32 = 0.05;

/// How many mistakes are told.
const MOST_MISTAKES: usize = 10;

/// What each move lost, one number for each. The move that was expected loses nothing; another one may gain a little, for
/// what is thought of two positions differs by chance.
pub(super) fn losses(end: &Position, found: &[Found]) -> Vec<f32> {
    let expected = found.iter().map(|found| found.expected.first());
    let moves = end.record().items().iter().zip(expected).zip(costs(end, found));
    moves.map(|((item, expected), cost)| if expected == Some(&item.play) { 0.0 } else { cost.max(0.0) }).collect()
}

/// The moves that lost most, the worst first.
pub(super) fn mistakes(losses: &[f32]) -> Vec<Mistake> {
    let mut mistakes: Vec<Mistake> = (1..).zip(losses).map(|(number, &loss)| Mistake { number, loss }).collect();
    mistakes.retain(|mistake| mistake.loss >= LEAST_LOSS);
    mistakes.sort_by(|a, b| b.loss.total_cmp(&a.loss));
    mistakes.truncate(MOST_MISTAKES);
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

    fn analysed(position: &Position, threads: usize) -> Vec<Found> {
        let mut heard = Vec::new();
        let effort = Effort { playouts: 300, threads, options: &Options::default(), net: None };
        let found = analyse(position, effort, |done, all| heard.push((done, all)));
        let all = position.record().len() + 1;
        assert_eq!(heard, (1..=all).map(|done| (done, all)).collect::<Vec<_>>());
        found
    }

    #[test]
    fn threads_change_nothing() {
        let position = game("C3 C4 D4 C2 B3");
        let found = analysed(&position, 1);
        assert_eq!(found.len(), 6);
        assert_eq!(found, analysed(&position, 3));
        assert!(found.iter().all(|found| (0.0..=1.0).contains(&found.value) && !found.expected.is_empty()));
        let movers: Vec<Color> = found.iter().map(|found| found.to_move).collect();
        assert_eq!(movers, [Color::Black, Color::White].repeat(3));
    }

    #[test]
    fn who_moved_is_asked_of_the_game() {
        let mut position = game("C3");
        position.play(Color::Black, position.board().coordinate().parse_vertex("C4").unwrap()).unwrap();
        let movers: Vec<Color> = analysed(&position, 1).iter().map(|found| found.to_move).collect();
        assert_eq!(movers, [Color::Black, Color::Black, Color::White]);
    }

    #[test]
    fn a_pass_on_an_empty_board_is_a_mistake() {
        let position = game("pass C3");
        let found = analysed(&position, 2);
        let mistakes = mistakes(&super::losses(&position, &found));
        assert_eq!(mistakes.first().map(|mistake| mistake.number), Some(1), "{mistakes:?}");
    }

    #[test]
    fn what_every_move_costs_is_whose_turn_it_is() {
        let position = game(&"pass ".repeat(40));
        // Black stands at 50% throughout, and each player seems 6% better where it is to move; move 30 is a blunder
        let mut found: Vec<Found> = (0..=40)
            .map(|number| {
                let to_move = if number % 2 == 0 { Color::Black } else { Color::White };
                let truth = if number < 30 { 0.5 } else { 0.8 };
                let value = truth + if to_move == Color::Black { 0.03 } else { -0.03 };
                Found { to_move, value, lead: 0.0, expected: Vec::new(), ownership: Vec::new() }
            })
            .collect();
        even_out(&position, &mut found);
        for (number, found) in found.iter().enumerate() {
            let truth = if number < 30 { 0.5 } else { 0.8 };
            assert!((found.value - truth).abs() < 1e-4, "{number}: {}", found.value);
        }
        let mistakes = mistakes(&losses(&position, &found));
        assert!(matches!(mistakes[..], [Mistake { number: 30, loss }] if (loss - 0.3).abs() < 1e-4), "{mistakes:?}");
        // of a few moves nothing is known
        assert_eq!((usual(&[0.5; 8]), usual(&[0.5; 9]), usual(&[-0.5; 9])), (0.0, 0.5, 0.0));
    }

    #[test]
    fn mistakes_are_those_that_lost_most() {
        let losses = [0.0, 0.2, 0.04, 0.5, 0.05];
        let numbers: Vec<usize> = mistakes(&losses).iter().map(|mistake| mistake.number).collect();
        assert_eq!(numbers, [4, 2, 5]);
        assert_eq!(mistakes(&[0.3; 40]).len(), MOST_MISTAKES);
    }
}
