//! The speed of searches by a net with a score head, on positions of a game.

use std::fmt;

use crate::kernel::{Move, Position, Symmetry};
use crate::net::Net;
use crate::player::options::Options;
use crate::search::params::{Params, is_search_by_net};
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
    /// Batches in which they were evaluated.
    pub batches: u64,
    /// Wall-clock time of the searches, in seconds.
    pub seconds: f64,
    /// Time for which threads held the lock of the search graph, summed over threads, in seconds.
    pub lock_seconds: f64,
    /// Threads of each search.
    pub threads: usize,
}

impl Benchmark {
    /// Evaluations a second.
    pub fn evaluations_per_second(&self) -> f64 {
        self.per_second(self.evaluations)
    }

    /// Batches of evaluations a second.
    pub fn batches_per_second(&self) -> f64 {
        self.per_second(self.batches)
    }

    /// Mean number of positions evaluated together.
    pub fn mean_batch_size(&self) -> f64 {
        self.evaluations as f64 / self.batches.max(1) as f64
    }

    /// Visits a second.
    pub fn visits_per_second(&self) -> f64 {
        self.per_second(self.visits)
    }

    fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.seconds.max(f64::MIN_POSITIVE)
    }

    /// The visits per second of `threads` threads as a multiple of one thread's, by a model of the waiting for the
    /// lock, as if each had a processor of its own; from searches with one thread.
    ///
    /// In turn, each thread works alone for a time `Z` a visit and holds the lock for a time `S`. In a closed queue
    /// with random times, a thread that comes to the lock finds as many others there as there are on average with one
    /// thread less: `R(n) = S · (1 + Q(n - 1))`, `X(n) = n / (Z + R(n))`, `Q(n) = X(n) · R(n)`. Source: M. Reiser and
    /// S. Lavenberg, "Mean-value analysis of closed multichain queuing networks", 1980.
    pub fn speedup(&self, threads: usize) -> f64 {
        let (own, held) = ((self.seconds - self.lock_seconds).max(0.0), self.lock_seconds);
        let (mut queue, mut rate) = (0.0, 0.0);
        for count in 1..=threads {
            let time = held * (1.0 + queue);
            rate = count as f64 / (own + time).max(f64::MIN_POSITIVE);
            queue = rate * time;
        }
        rate * (own + held)
    }
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Benchmark { positions, threads, seconds, .. } = self;
        let (visits, evaluations) = (self.visits_per_second(), self.evaluations_per_second());
        let (batches, mean) = (self.batches_per_second(), self.mean_batch_size());
        write!(f, "numSearchThreads = {threads:2}: {positions} positions, visits/s = {visits:.2} ")?;
        write!(
            f,
            "nnEvals/s = {evaluations:.2} nnBatches/s = {batches:.2} avgBatchSize = {mean:.2} ({seconds:.1} secs)"
        )
    }
}

/// Searches ten positions with this many visits each: those of a game that the net plays by policy alone, on an empty
/// board of the size and rules of `start`, four moves apart. Without a net with a score head nothing is searched. A stop
/// signal ends the search under way, which still counts, and leaves out those after it.
pub fn benchmark(
    net: &Net,
    options: &Options,
    start: &Position,
    visits: u64,
    threads: usize,
    stop_signal: &StopSignal,
) -> Benchmark {
    let mut measured = Benchmark { threads, ..Benchmark::default() };
    // a native net searches in this way if it can
    let params = Params { native_net_search: true, ..options.params };
    if !is_search_by_net(net, &params, start.board().coordinate()) {
        return measured;
    }
    let mut position = start.new_game(start.board().coordinate());
    for number in 0..POSITIONS {
        if number > 0 {
            play_by_policy(net, &mut position);
        }
        let result = Searcher::new((options.memory_mb as usize) << 20, 1).search(&SearchRequest {
            threads,
            net: Some(net),
            ..SearchRequest::new(
                &position,
                position.to_move(),
                Limits { visits, single_root_symmetry: true, ..Limits::NONE },
                &params,
                stop_signal,
            )
        });
        measured.positions += 1;
        measured.visits += result.visits;
        measured.evaluations += result.evaluations;
        measured.batches += result.eval_batches;
        measured.seconds += result.elapsed.as_secs_f64();
        measured.lock_seconds += result.lock_time.as_secs_f64();
        if !result.completed {
            break;
        }
    }
    measured
}

/// Plays the net's most likely moves, up to the next position that is searched.
fn play_by_policy(net: &Net, position: &mut Position) {
    let coordinate = position.board().coordinate();
    for _ in 0..MOVES_BETWEEN {
        let color = position.to_move();
        let output = net.evaluate_position(position, color, &[Symmetry::default()]);
        let best = output.moves(coordinate).max_by(|a, b| a.1.total_cmp(&b.1)).map_or(Move::Pass, |(play, _)| play);
        position.make_move(color, best).unwrap_or_else(|_| position.pass(color));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::Duration;

    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule};

    fn measured(seconds: f64, lock_seconds: f64) -> Benchmark {
        Benchmark { seconds, lock_seconds, threads: 1, ..Benchmark::default() }
    }

    #[test]
    fn waiting_for_the_lock_bounds_the_speedup() {
        let is_about =
            |speedup: f64, expected: f64| assert!((speedup - expected).abs() < 1e-9, "{speedup}, {expected}");
        is_about(measured(3.0, 0.1).speedup(1), 1.0);
        is_about(measured(3.0, 0.0).speedup(16), 16.0);
        is_about(measured(3.0, 3.0).speedup(16), 1.0);
        // half of the time alone, half with the lock: the second thread waits for 1/2 of a turn on average
        is_about(measured(2.0, 1.0).speedup(2), 2.0 / 2.5 * 2.0);
        // no more than one visit in the time of one turn
        let most = measured(10.0, 1.0).speedup(1000);
        assert!((9.99..=10.0).contains(&most), "{most}");
    }

    #[test]
    fn a_stop_ends_it_early() {
        let start = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 0, Color::Black);
        let stop_signal = StopSignal::with_timeout(Duration::from_millis(50));
        let measured = benchmark(&Net::built_in().unwrap(), &Options::default(), &start, 1_000_000, 1, &stop_signal);
        assert!(measured.positions == 1 && (1..1_000_000).contains(&measured.visits), "{measured:?}");
    }

    #[test]
    fn batches_are_nearly_full() {
        let start = Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 0, Color::Black);
        let measured =
            benchmark(&Net::built_in().unwrap(), &Options::default(), &start, 150, 1, &StopSignal::default());
        let mean = measured.mean_batch_size();
        // at most 4 positions, fewer in the first 48 visits of a search; full batches would give 3.0
        assert!((2.35..3.0).contains(&mean), "{mean}");
    }
}
