//! Searches by eight threads in a tree that is nearly always full, while games go on, go back and start anew, and
//! another thread stops searches at any time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fastrand::Rng;
use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Move, Position};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::net::simd::InstructionSet;
use kifuwarabe_uec14::search::params::Params;
use kifuwarabe_uec14::search::{Limits, SearchRequest, SearchResult, Searcher, StopSignal};

use crate::support::slow_tests;

/// Of a search with one chunk of nodes, which 9x9 fills within about two hundred expansions.
const SMALL_TREE: usize = 1 << 19;

const KATAGO_NET: &[u8] = include_bytes!("../data/katago_tiny_8.txt.gz");

/// Plays, takes back, passes, or starts anew.
fn change(position: &mut Position, rng: &mut Rng) {
    match rng.u8(..10) {
        0 | 1 => drop(position.undo()),
        2 => position.pass(position.to_move()),
        3 if position.record().len() > 30 => while position.undo().is_ok() {},
        _ => {
            let color = position.to_move();
            let is_open = |point: &_| position.check(color, *point).is_ok();
            let open: Vec<_> = position.board().coordinate().points().filter(is_open).collect();
            match rng.choice(open) {
                Some(point) => position.play(color, point).unwrap(),
                None => position.pass(color),
            }
        }
    }
}

/// Legal moves, each with a value, whose visits are not more than the root's.
fn check(position: &Position, color: Color, result: &SearchResult) {
    let visited = || result.candidates.iter().filter(|candidate| candidate.visits > 0);
    for candidate in visited() {
        if let Move::Play(point) = candidate.play {
            assert_eq!(position.check(color, point), Ok(()), "{:?}", candidate.play);
        }
        assert!((0.0..=1.0).contains(&candidate.win_probability), "{candidate:?}");
        assert_eq!(candidate.variation.first(), Some(&candidate.play));
    }
    assert!(visited().map(|candidate| u64::from(candidate.visits)).sum::<u64>() <= result.visits);
    assert!(!result.candidates.is_empty() && result.ownership.iter().all(|owner| (-1.0..=1.0).contains(owner)));
}

/// Ends the other thread, also when a check fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn eight_threads_bear_full_memory_undo_and_stops() {
    let rounds = if slow_tests() { 2000 } else { 40 };
    let nets = [
        None,
        Some(Net::human().unwrap()),
        Some(Net::built_in().unwrap()),
        Some(Net::read(KATAGO_NET, InstructionSet::best()).unwrap().into()),
    ];
    for (seed, net) in (7..).zip(nets) {
        let mut rng = Rng::with_seed(seed);
        let mut searcher = Searcher::new(SMALL_TREE, seed);
        let stop_signal = StopSignal::default();
        let params = Params { expand_after: 1, net_min_visits: 2, ..Params::default() };
        let mut position = Position::new(
            Coordinate::square(9).unwrap(),
            GameRule::with_komi(7.0).with_rule_set("chinese").unwrap(),
            0,
            Color::Black,
        );
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            let _end = End(&is_over);
            scope.spawn(|| {
                let mut rng = Rng::with_seed(!seed);
                while !is_over.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_micros(rng.u64(..20_000)));
                    stop_signal.flag().store(rng.bool(), Ordering::Relaxed);
                }
            });
            for _ in 0..rounds {
                change(&mut position, &mut rng);
                let color = if rng.u8(..8) == 0 { position.to_move().opponent() } else { position.to_move() };
                let result = searcher.search(&SearchRequest {
                    threads: 8,
                    net: net.as_deref(),
                    ..SearchRequest::new(&position, color, Limits::playouts(rng.u64(1..1500)), &params, &stop_signal)
                });
                check(&position, color, &result);
            }
        });
    }
}
