//! `bench --net FILE`: evaluations and searches a second of a net.

use std::fmt::Write;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::io::files;
use crate::kernel::{Color, Coordinate, GameRule, Position, Symmetry};
use crate::net::evaluate::{Input, Scratch, batch_size};
use crate::net::history::FeatureOptions;
use crate::net::simd::InstructionSet;
use crate::net::{Net, Precision};
use crate::player::Options;
use crate::player::benchmark::benchmark;
use crate::search::StopSignal;
use crate::text::plural::counted;

/// Komi of all measurements, in points.
const KOMI: f64 = 7.5;

/// Time of a measurement of evaluations.
const TIME: Duration = Duration::from_secs(2);

/// Threads for which the waiting for the lock is computed.
const MODEL_THREADS: usize = 16;

/// Default visits of a search.
const VISITS: u64 = 100;

/// Measures a net on boards of several sizes, with one thread and with `threads`.
///
/// # Errors
/// If the file cannot be read or is no net.
pub(crate) fn measure(
    file: &Path,
    boards: &[Coordinate],
    visits: Option<u64>,
    threads: usize,
    options: &Options,
    mut progress: impl FnMut(&str),
) -> anyhow::Result<String> {
    let begin = Instant::now();
    let bytes = files::read_up_to(file, Net::MAX_FILE)?;
    let set = InstructionSet::best();
    let mut precisions = vec![Precision::F32, Precision::reproducible(set), Precision::fastest(set)];
    precisions.dedup();
    let mut text = String::new();
    for precision in precisions {
        let net = Net::read_with(&bytes, set, precision).with_context(|| file.display().to_string())?;
        if text.is_empty() {
            let name = match net.katago() {
                Some(katago) => format!("{}, version {}", katago.name(), katago.version()),
                None => file.display().to_string(),
            };
            // writing to a String cannot fail
            let _ = writeln!(text, "{name}, loaded in {:.2} s", begin.elapsed().as_secs_f64());
        }
        for &coordinate in boards {
            let _ = writeln!(text, "{coordinate}, {set}, {precision}");
            let mut batches = vec![1, batch_size(coordinate.board_area()), 8];
            batches.dedup();
            let mut counts = vec![1, threads];
            counts.dedup();
            for count in counts {
                for &batch in &batches {
                    progress(&format!("{coordinate}, {precision}, {}, batches of {batch}", counted(count, "thread")));
                    let per_second = evaluations(&net, coordinate, batch, count);
                    let _ = writeln!(text, "  {count:2} threads, batches of {batch}: {per_second:8.1} evaluations/s");
                }
                progress(&format!("{coordinate}, {precision}, {}, searches", counted(count, "thread")));
                let start = Position::new(coordinate, GameRule::with_komi(KOMI), 0, Color::Black);
                let visits = visits.unwrap_or(VISITS);
                let measured = benchmark(&net, options, &start, visits, count, &StopSignal::default());
                let (visits, evaluations) = (measured.visits_per_second(), measured.evaluations_per_second());
                let batch = measured.mean_batch_size();
                let _ = writeln!(
                    text,
                    "  {count:2} threads, searches:     {visits:8.1} visits/s, {evaluations:.1} evaluations/s, in batches of {batch:.2}"
                );
                if count == 1 {
                    let microseconds = 1e6 * measured.lock_seconds / measured.visits.max(1) as f64;
                    let speedup = measured.speedup(MODEL_THREADS);
                    let _ = writeln!(
                        text,
                        "              lock held {microseconds:.1} µs a visit: {MODEL_THREADS} processors make at most {speedup:.1} times the visits"
                    );
                }
            }
        }
    }
    Ok(text)
}

/// Evaluations a second of an empty board, in batches, by several threads at once.
fn evaluations(net: &Net, coordinate: Coordinate, batch: usize, threads: usize) -> f64 {
    let start = Position::new(coordinate, GameRule::with_komi(KOMI), 0, Color::Black);
    let input = net.input(&net.history(&start, Color::Black), &FeatureOptions::default());
    let inputs: Vec<(&Input, Symmetry)> =
        (0..batch as u64).map(|number| (&input, Symmetry::from_index(number))).collect();
    let run = || {
        let mut scratch = Scratch::default();
        // the first call prepares weights and buffers
        net.evaluate(&inputs, 0.0, &mut scratch);
        let begin = Instant::now();
        let mut count = 0;
        while begin.elapsed() < TIME {
            count += net.evaluate(&inputs, 0.0, &mut scratch).len();
        }
        count as f64 / begin.elapsed().as_secs_f64()
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(run)).collect();
        let own = run();
        own + others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic))).sum::<f64>()
    })
}
