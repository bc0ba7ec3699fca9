//! The reports of analyses that input, memory or a reader ends.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::*;
use crate::kernel::{GameRule, Position};
use crate::net::Net;
use crate::net::simd::InstructionSet;
use crate::player::{Purpose, SearchRecord, SearchTrace};

/// The log has a search that the input ended before the first report, and its continuation. A replay, which may be
/// slower, reports during the first search, and repeats both.
#[test]
fn replay_repeats_an_extended_analysis_although_it_reports() {
    let coordinate = Coordinate::square(5).unwrap();
    let mut engine = Engine::new(Position::new(coordinate, GameRule::with_komi(0.5), 99, Color::Black));
    let record = |number: u64, simulations: u64, completed: bool| SearchRecord {
        purpose: Purpose::Analysis,
        color: Color::Black,
        seed: 1,
        number,
        threads: 1,
        simulations,
        playouts: simulations,
        visits: simulations,
        elapsed: Duration::ZERO,
        single_root_symmetry: false,
        end_searches_allowed: false,
        completed,
    };
    engine.player.trace = SearchTrace::recording();
    engine.player.trace.start_replay([record(1, 50, false), record(2, 60, true)], None);
    let mut args = Args::new("kata-analyze", "", "b interval 0.000001");
    let analysis = kata_analyze(&engine, &mut args).unwrap();
    let mut reports = 0;
    let mut on_report = |_: &str, _: &SearchResult| {
        reports += 1;
        ControlFlow::Continue(())
    };
    assert!(analysis.run(&mut engine, &mut on_report).is_ok() && reports > 0);
    let simulations: Vec<u64> = engine.player.trace.take().iter().map(|search| search.simulations).collect();
    assert_eq!(simulations, [50, 60]);
}

/// A search by net ends when its memory is full: with an interval, too, its last state is reported at once, and again
/// by each later analysis of the position.
#[test]
fn an_analysis_reports_when_its_memory_is_full() {
    let mut engine =
        Engine::new(Position::new(Coordinate::square(9).unwrap(), GameRule::with_komi(7.0), 0, Color::Black));
    let file = include_bytes!("../../../../tests/data/katago_tiny_8.txt.gz");
    engine.player.net = Some(Arc::new(Net::read(file, InstructionSet::best()).unwrap()));
    engine.player.options.memory_mb = 1;
    engine.stop_signal.attach_reader();
    let mut visits = Vec::new();
    for arguments in ["b 60000", "b 60000 rootInfo true", "b 60000 maxvisits 100000", "b"] {
        let analysis = kata_analyze(&engine, &mut Args::new("kata-analyze", "", arguments)).unwrap();
        let mut on_report = |line: &str, result: &SearchResult| {
            assert!(line.starts_with("info move "), "{line}");
            visits.push(result.visits);
            ControlFlow::Continue(())
        };
        assert!(analysis.run(&mut engine, &mut on_report).is_ok());
    }
    let threads = engine.player.options.thread_count() as u64;
    assert!(visits.len() == 4 && visits[0] > MIN_VISITS && visits[3] <= visits[0] + 3 * threads, "{visits:?}");
    // a report that stops the search is the last one
    let analysis = kata_analyze(&engine, &mut Args::new("kata-analyze", "", "w 0.0001")).unwrap();
    let reply = analysis.run(&mut engine, &mut |_, _| ControlFlow::Break(())).ok().unwrap().reply;
    assert!(reply.fields.contains(&("reports", 1.into())), "{:?}", reply.fields);
}
