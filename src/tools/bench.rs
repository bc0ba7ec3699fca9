//! `bench`: the speed of playouts, searches and the net on this machine, and a signature of the results.
//!
//! Positions and seeds are fixed, so the signature depends on the engine's behaviour only: it is the same on every
//! machine and changes whenever a playout or a search has another result. Net evaluations are not part of it, because
//! their last digits depend on the instruction set.

mod measurements;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, bail};
use fastrand::Rng;

use crate::config::option_values::{board_size as playable_size, thread_count, whole};
use crate::kernel::hash::Fnv1a;
use crate::kernel::{Board, Color, Coordinate, GameRule, Move, Position, Symmetry};
use crate::net::native::Scratch;
use crate::net::simd::InstructionSet;
use crate::net::{Net, Precision};
use crate::player::Options;
use crate::playout::heavy::{self, PlayoutPolicy};
use crate::playout::light::{self, MOVES_PER_POINT};
use crate::search::{Limits, SearchRequest, SearchResult, Searcher, StopSignal};
use crate::text::plural::counted;
use crate::tools::bench::measurements::{BATCH, BoardMeasurements, Measured, Measurements};
use crate::tools::{net_speed, suite};

/// Komi of all measurements, in points.
const KOMI: f64 = 6.5;
const SEED: u64 = 1;
const SIZES: [u8; 3] = [9, 13, 19];
/// Default length of a measurement, in moves over all its games.
const LIGHT_MOVES: u64 = 4_000_000;
const HEAVY_MOVES: u64 = 1_000_000;
const SEARCH_MOVES: u64 = 1_000_000;
/// Default length of a net measurement, in points over all its boards.
const NET_POINTS: u64 = 200_000;
/// Moves per point of the board before the searched position with stones; the other is the empty board.
const OPENING: f64 = 0.3;

/// Options of `bench`. Without a choice of measurements, all are made.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
pub struct BenchArgs {
    /// Measure light playouts
    #[arg(long)]
    pub light: bool,

    /// Measure heavy playouts
    #[arg(long)]
    pub heavy: bool,

    /// Measure searches
    #[arg(long)]
    pub search: bool,

    /// Measure net evaluations, once per SIMD instruction set of this processor; with FILE, the evaluations and
    /// searches of the net in this file instead
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub net: Option<Option<PathBuf>>,

    /// Solve tactical problems instead, with 100, 1000 and 10000 playouts per move
    #[arg(long, conflicts_with_all = ["light", "heavy", "search", "net", "size", "threads", "json"])]
    pub suite: bool,

    /// Board size, 2 to 25 points per side: 13, or width and height as in 9x13 [default: 9, 13 and 19]
    #[arg(long, value_name = "SIZE", value_parser = playable_size)]
    pub size: Option<Coordinate>,

    /// Size of a measurement: games of playouts, playouts of both searches, evaluations of the net; with --suite,
    /// playouts per move; with --net FILE, visits per search
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1..))]
    pub playouts: Option<u64>,

    /// Search threads, compared with one thread
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,

    /// Print one JSON object and nothing else
    #[arg(long, requires = "size")]
    pub json: bool,
}

/// Runs the measurements and returns the text to print. `progress` receives the name of each measurement as it starts.
///
/// # Errors
/// Options that exclude each other, or a file of a net that cannot be read.
pub fn run(
    bench: &BenchArgs,
    options: &Options,
    net: Option<&Net>,
    progress: impl FnMut(&str),
) -> anyhow::Result<String> {
    check_options(bench)?;
    if bench.suite {
        return suite(bench.playouts, options, net, progress);
    }
    if let Some(Some(file)) = &bench.net {
        return net_speed::measure(file, &boards(bench), bench.playouts, threads(bench, options), options, progress);
    }
    let measurements = measure_all(bench, options, net, progress)?;
    Ok(if bench.json { measurements.json()? + "\n" } else { measurements.text() })
}

/// Checks combinations of options that their declarations allow.
///
/// # Errors
/// If `--net FILE` is given with an option of other measurements.
fn check_options(bench: &BenchArgs) -> anyhow::Result<()> {
    let others =
        [("--json", bench.json), ("--light", bench.light), ("--heavy", bench.heavy), ("--search", bench.search)];
    match others.iter().find(|(_, is_set)| *is_set) {
        Some((name, _)) if matches!(bench.net, Some(Some(_))) => {
            bail!("{name} cannot be used with --net FILE, expected --net without a file")
        }
        _ => Ok(()),
    }
}

/// The boards to measure on.
fn boards(bench: &BenchArgs) -> Vec<Coordinate> {
    bench.size.map_or_else(|| SIZES.into_iter().filter_map(Coordinate::square).collect(), |size| vec![size])
}

/// The number of search threads that are compared with one.
fn threads(bench: &BenchArgs, options: &Options) -> usize {
    bench.threads.unwrap_or_else(|| options.thread_count())
}

/// Makes the measurements that the options choose, on each board.
///
/// # Errors
/// If the built-in net cannot be used.
fn measure_all(
    bench: &BenchArgs,
    options: &Options,
    net: Option<&Net>,
    mut progress: impl FnMut(&str),
) -> anyhow::Result<Measurements> {
    let all = !(bench.light || bench.heavy || bench.search || bench.net.is_some());
    let mut measurements = Measurements { threads: threads(bench, options), boards: Vec::new() };
    let threads = measurements.threads;
    for board in boards(bench) {
        let mut found = BoardMeasurements::new(board);
        if all || bench.light {
            progress(&format!("{board}: light playouts"));
            found.light = Some(light(board, bench.playouts));
        }
        if all || bench.heavy {
            progress(&format!("{board}: heavy playouts"));
            found.heavy = Some(heavy(board, bench.playouts, options));
        }
        if all || bench.search {
            progress(&format!("{board}: search with 1 thread"));
            found.search = Some(measure_search(board, bench.playouts, options, 1, None));
            if threads > 1 {
                progress(&format!("{board}: search with {threads} threads"));
                found.search_threads = Some(measure_search(board, bench.playouts, options, threads, None));
            }
            if let Some(net) = net {
                progress(&format!("{board}: search with the net"));
                found.search_net = Some(measure_search(board, bench.playouts, options, 1, Some(net)));
            }
        }
        if all || bench.net.is_some() {
            for set in InstructionSet::available() {
                progress(&format!("{board}: net on {set}"));
                found.net.push((set.to_string(), evaluations(board, bench.playouts, set)?));
            }
        }
        measurements.boards.push(found);
    }
    Ok(measurements)
}

/// The number of games that have about `moves` moves together.
fn games(moves: u64, coordinate: Coordinate) -> u64 {
    (moves / coordinate.board_area().max(1) as u64).clamp(1, 100_000)
}

fn light(coordinate: Coordinate, playouts: Option<u64>) -> Measured {
    let playouts = playouts.unwrap_or_else(|| games(LIGHT_MOVES, coordinate));
    let mut rng = Rng::with_seed(SEED);
    play(coordinate, playouts, |board| light::play_out(board, Color::Black, &mut rng))
}

fn heavy(coordinate: Coordinate, playouts: Option<u64>, options: &Options) -> Measured {
    let playouts = playouts.unwrap_or_else(|| games(HEAVY_MOVES, coordinate));
    let mut rng = Rng::with_seed(SEED);
    let policy = PlayoutPolicy::new(&options.params.step_probabilities());
    let mut moves = Vec::with_capacity(MOVES_PER_POINT * coordinate.board_area());
    play(coordinate, playouts, |board| {
        moves.clear();
        heavy::play_out(board, Color::Black, [None; 2], &policy, &mut rng, &mut moves)
    })
}

/// Plays games from the empty board.
fn play(coordinate: Coordinate, playouts: u64, mut play_out: impl FnMut(&mut Board) -> usize) -> Measured {
    let empty = Board::new(coordinate);
    let mut board = empty.clone();
    let mut length = 0;
    let mut black_wins = 0;
    let mut signature = Fnv1a::default();
    let begin = Instant::now();
    for _ in 0..playouts {
        board.clone_from(&empty);
        let moves = play_out(&mut board);
        let margin = light::margin(&board);
        length += moves as u64;
        black_wins += u64::from(f64::from(margin) > KOMI);
        signature = signature.with((moves as u64) << 32 | u64::from(margin as u32));
    }
    let per_second = playouts as f64 / begin.elapsed().as_secs_f64();
    let mean_length = Some(length as f64 / playouts.max(1) as f64);
    let (size, black_wins) = (coordinate, Some(black_wins));
    Measured { size, playouts, per_second, mean_length, black_wins, eval_share: None, signature }
}

/// Searches a position with stones and the empty board.
fn measure_search(
    coordinate: Coordinate,
    playouts: Option<u64>,
    options: &Options,
    threads: usize,
    net: Option<&Net>,
) -> Measured {
    let playouts = playouts.unwrap_or_else(|| games(SEARCH_MOVES, coordinate) * 2);
    let mut searcher = Searcher::new((options.memory_mb as usize) << 20, SEED);
    let mut signature = Fnv1a::default();
    let mut seconds = 0.0;
    let mut eval_time = 0.0;
    let mut done = 0;
    let empty = Position::new(coordinate, GameRule::with_komi(KOMI), 0, Color::Black);
    for position in [opening(&empty), empty] {
        let result = search(&mut searcher, &position, playouts / 2, options, threads, net);
        seconds += result.elapsed.as_secs_f64();
        eval_time += result.eval_time.as_secs_f64();
        done += result.playouts;
        for candidate in &result.candidates {
            signature =
                signature.with(u64::from(candidate.visits) << 32 | u64::from(candidate.win_probability.to_bits()));
        }
    }
    let per_second = done as f64 / seconds;
    let eval_share = net.map(|_| eval_time / seconds);
    let size = coordinate;
    Measured { size, playouts: done, per_second, mean_length: None, black_wins: None, eval_share, signature }
}

fn search(
    searcher: &mut Searcher,
    position: &Position,
    playouts: u64,
    options: &Options,
    threads: usize,
    net: Option<&Net>,
) -> SearchResult {
    searcher.search(&SearchRequest {
        threads,
        net,
        ..SearchRequest::new(
            position,
            position.to_move(),
            Limits::playouts(playouts),
            &options.params,
            &StopSignal::default(),
        )
    })
}

/// Evaluations per second of the built-in net on one thread.
fn evaluations(coordinate: Coordinate, count: Option<u64>, set: InstructionSet) -> anyhow::Result<f64> {
    let net = Net::built_in_on(set, Precision::fastest(set))?;
    let net = net.native().context("the built-in net is a native one")?;
    let mut scratch = Scratch::default();
    let position = opening(&Position::new(coordinate, GameRule::with_komi(KOMI), 0, Color::Black));
    let features = net.features(position.board(), position.to_move(), position.record().latest(), KOMI);
    let batch = vec![(&features, Symmetry::default()); BATCH];
    // the first call allocates the buffers
    net.evaluate(&batch, &mut scratch);
    let count = count.unwrap_or(NET_POINTS / coordinate.board_area().max(1) as u64).max(1);
    let begin = Instant::now();
    for _ in 0..count.div_ceil(BATCH as u64) {
        net.evaluate(&batch, &mut scratch);
    }
    Ok((count.div_ceil(BATCH as u64) * BATCH as u64) as f64 / begin.elapsed().as_secs_f64())
}

/// Default playouts per move of the problems.
const SUITE_PLAYOUTS: [u64; 3] = [100, 1000, 10_000];

/// Solves the tactical problems: counts by theme, and the unsolved ones by title.
fn suite(
    playouts: Option<u64>,
    options: &Options,
    net: Option<&Net>,
    mut progress: impl FnMut(&str),
) -> anyhow::Result<String> {
    let problems = suite::built_in()?;
    let mut text = String::new();
    for playouts in playouts.map_or(SUITE_PLAYOUTS.to_vec(), |playouts| vec![playouts]) {
        let mut themes: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        let mut failures = Vec::new();
        for (problem, number) in problems.iter().zip(1..) {
            progress(&format!("{}: problem {number} of {}", counted(playouts, "playout"), problems.len()));
            let mut searcher = Searcher::new((options.memory_mb as usize) << 20, SEED);
            let result = search(&mut searcher, &problem.position, playouts, options, 1, net);
            let answer = result.best().map_or(Move::Pass, |best| best.play);
            let (solved, all) = themes.entry(problem.theme.word()).or_default();
            *all += 1;
            if problem.is_solved(answer) {
                *solved += 1;
            } else {
                let coordinate = problem.position.board().coordinate();
                failures.push((problem, answer.vertex(coordinate), coordinate.vertices(&problem.best)));
            }
        }
        let solved = problems.len() - failures.len();
        let share = 100.0 * solved as f64 / problems.len().max(1) as f64;
        let _ = writeln!(text, "{}: {solved} of {} solved, {share:.0}%", counted(playouts, "playout"), problems.len());
        for (theme, (solved, all)) in themes {
            let _ = writeln!(text, "  {theme:<10} {solved} of {all}");
        }
        for (problem, answer, best) in failures {
            let _ = writeln!(
                text,
                "  not solved: {} ({}): {answer}, not {best}: {}",
                problem.title,
                problem.theme.word(),
                problem.about
            );
        }
    }
    Ok(text)
}

/// A position after random moves, which fill no eyes.
fn opening(empty: &Position) -> Position {
    let mut position = empty.clone();
    let mut rng = Rng::with_seed(SEED);
    let coordinate = position.board().coordinate();
    for _ in 0..(OPENING * coordinate.board_area() as f64) as usize {
        let color = position.to_move();
        let play = light::choose(&mut position.board().clone(), color, &mut rng).map_or(Move::Pass, Move::Play);
        position.make_move(color, play).unwrap_or_else(|_| position.pass(color));
    }
    position
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn bench(set: impl FnOnce(&mut BenchArgs)) -> BenchArgs {
        let mut bench =
            BenchArgs { size: Coordinate::square(9), playouts: Some(60), threads: Some(2), ..BenchArgs::default() };
        set(&mut bench);
        bench
    }

    fn signature_line(text: &str) -> &str {
        text.lines().last().unwrap()
    }

    #[test]
    fn signature_depends_on_behaviour_only() {
        let options = Options::default();
        let mut stages = Vec::new();
        let first = run(&bench(|_| {}), &options, None, |stage| stages.push(stage.to_owned())).unwrap();
        let again = run(&bench(|_| {}), &options, None, |_| {}).unwrap();
        assert_eq!(signature_line(&first), signature_line(&again));
        assert_eq!(stages.len(), 4 + InstructionSet::available().len());
        let other = run(&bench(|bench| bench.playouts = Some(61)), &options, None, |_| {}).unwrap();
        assert_ne!(signature_line(&first), signature_line(&other));
        let mut tuned = options;
        tuned.params.score_weight = 0.3;
        assert_ne!(signature_line(&first), signature_line(&run(&bench(|_| {}), &tuned, None, |_| {}).unwrap()));
    }

    #[test]
    fn evaluations_alone_have_no_signature() {
        let text = run(&bench(|bench| bench.net = Some(None)), &Options::default(), None, |_| {}).unwrap();
        assert!(text.contains("evaluations/s") && !text.contains("signature"), "{text}");
    }

    #[test]
    fn json_has_the_selected_measurements_only() {
        let json = |set: fn(&mut BenchArgs)| -> serde_json::Value {
            let text = run(
                &bench(|bench| {
                    bench.json = true;
                    set(bench)
                }),
                &Options::default(),
                None,
                |_| {},
            )
            .unwrap();
            serde_json::from_str(&text).unwrap()
        };
        let light = json(|bench| bench.light = true);
        let keys: Vec<&String> = light.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["light", "signature"]);
        assert_eq!((light["light"]["size"].as_u64(), light["light"]["playouts"].as_u64()), (Some(9), Some(60)));
        let length = light["light"]["mean_length"].as_f64().unwrap();
        assert!((100.0..125.0).contains(&length), "{length}");
        assert!(light["light"]["black_wins"].as_u64().unwrap() <= 60);
        assert!(json(|bench| bench.heavy = true)["heavy"]["per_second"].as_f64().unwrap() > 0.0);
        assert_eq!(json(|bench| bench.search = true)["search"]["playouts"].as_u64(), Some(60));
    }

    #[test]
    fn most_problems_are_solved() {
        let text = suite(Some(500), &Options::default(), None, |_| {}).unwrap();
        let solved: usize = text.split(' ').nth(2).unwrap().parse().unwrap();
        assert!(solved * 10 >= suite::built_in().unwrap().len() * 6, "{text}");
    }

    #[test]
    fn boards_of_every_shape_are_measured() {
        for (width, height) in [(1, 1), (1, 25), (25, 2), (3, 7)] {
            let bench = bench(|bench| bench.size = Coordinate::new(width, height));
            let text = run(&bench, &Options::default(), None, |_| {}).unwrap();
            assert!(text.starts_with(&format!("{width}x{height}\n")), "{text}");
        }
    }
}
