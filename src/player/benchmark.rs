//! The speed of searches by a net that judges, on positions of a game.

use std::fmt;

use crate::kernel::{Move, Position};
use crate::net::katago::game::Game;
use crate::net::katago::{KatagoNet, Scratch};
use crate::net::{Net, Symmetry};
use crate::player::options::Options;
use crate::search::{Limits, SearchRequest, Searcher, StopSignal};

/// Positions that are searched.
const POSITIONS: usize = 10;

/// Moves between two of them.
const MOVES_BETWEEN: usize = 4;

/// Speed of searches.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Benchmark {
    /// Searches made.
    pub positions: usize,
    /// Visits of all searches.
    pub visits: u64,
    /// Evaluations of all searches: fewer than visits where positions were known or games ended.
    pub evaluations: u64,
    /// Wall-clock time of the searches, in seconds.
    pub seconds: f64,
    /// Threads of each search.
    pub threads: usize,
}

impl Benchmark {
    /// Evaluations a second.
    pub fn evaluations_per_second(&self) -> f64 {
        self.evaluations as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }

    /// Visits a second.
    pub fn visits_per_second(&self) -> f64 {
        self.visits as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Benchmark { positions, threads, seconds, .. } = self;
        let (visits, evaluations) = (self.visits_per_second(), self.evaluations_per_second());
        write!(
            f,
            "numSearchThreads = {threads:2}: {positions} positions, visits/s = {visits:.2} nnEvals/s = {evaluations:.2} ({seconds:.1} secs)"
        )
    }
}

/// Searches ten positions with this many visits each: those of a game that the net plays by policy alone, on an empty
/// board of the size and rules of `start`, four moves apart. Without a net that judges nothing is searched.
pub fn benchmark(net: &Net, options: &Options, start: &Position, visits: u64, threads: usize) -> Benchmark {
    let mut measured = Benchmark { threads, ..Benchmark::default() };
    let Some(katago) = net.katago() else { return measured };
    let mut position = start.clone();
    position.clear(start.board().coordinate());
    for number in 0..POSITIONS {
        if number > 0 {
            play_by_policy(katago, &mut position);
        }
        let result = Searcher::new((options.memory_mb as usize) << 20, 1).search(&SearchRequest {
            position: &position,
            color: position.to_move(),
            limits: Limits { visits, single_root_symmetry: true, ..Limits::NONE },
            threads,
            params: &options.params,
            extra_komi: 0.0,
            restrictions: None,
            net: Some(net),
            stop_signal: &StopSignal::default(),
        });
        measured.positions += 1;
        measured.visits += result.visits;
        measured.evaluations += result.evaluations;
        measured.seconds += result.elapsed.as_secs_f64();
    }
    measured
}

/// Plays the net's most likely moves, up to the next position that is searched.
fn play_by_policy(net: &KatagoNet, position: &mut Position) {
    let coordinate = position.board().coordinate();
    let mut scratch = Scratch::default();
    for _ in 0..MOVES_BETWEEN {
        let color = position.to_move();
        let features = Game::new(position, color).features();
        let outputs = net.evaluate(&[(&features, Symmetry::default())], &mut scratch);
        let Some(output) = outputs.first() else { return };
        let best = output.moves(coordinate).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(play, _)| play);
        match best {
            Some(Move::Play(point)) if position.play(color, point).is_ok() => {}
            _ => position.pass(color),
        }
    }
}
