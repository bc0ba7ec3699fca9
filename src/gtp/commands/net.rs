//! Commands about the net: its output for the position, and its speed.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::Value;

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::board_text::rows_text;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{Color, Coordinate, Symmetry};
use crate::net::evaluate::Scratch;
use crate::net::history::FeatureOptions;
use crate::net::{Net, Output};
use crate::player::benchmark::benchmark;
use crate::protocol::katago_model::model;

/// Most visits of a search in `kata-benchmark`.
const MAX_BENCHMARK_VISITS: u32 = 1_000_000;

/// Share of the optimistic policy that KataGo's command prints, for nets that have one.
const OPTIMISM: f32 = 0.2;

/// The net, if it has a score head and reads boards of this size.
#[track_caller]
fn net_with_score(engine: &Engine) -> Result<&Net, CommandError> {
    let net = engine.player.net.as_deref();
    let net = net.ok_or_else(|| CommandError::new("no net, expected Net.Use to be true".to_owned()))?;
    if !net.has_score(engine.position.board().coordinate()) {
        return Err(CommandError::new("no net with a score head for this board, expected one as Net.File".to_owned()));
    }
    Ok(net)
}

/// The output in one symmetry, or in all eight after one another.
pub(crate) fn kata_raw_nn(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let position = &engine.position;
    let mut word = args.optional();
    let mut color = position.to_move();
    if let Some(given) = word.and_then(Color::parse) {
        color = given;
        word = args.optional();
    }
    let symmetries: Vec<u64> = match word {
        None => (0..8).collect(),
        Some(word) if word.eq_ignore_ascii_case("all") => (0..8).collect(),
        Some(word) => match word.parse() {
            Ok(number @ 0..8) => vec![number],
            _ => return Err(CommandError::unexpected("symmetry", word, "expected 0 to 7, or all")),
        },
    };
    let optimism = match args.optional() {
        None => OPTIMISM,
        Some(word) => match word.parse() {
            Ok(share @ 0.0..=1.0) => share,
            _ => return Err(CommandError::unexpected("optimism", word, "expected 0 to 1")),
        },
    };
    args.end()?;
    let net = net_with_score(engine)?;
    let doubling_advantage = engine.player.options.params.playout_doubling_advantage as f32;
    let input =
        net.input(&net.history(position, color), &FeatureOptions { doubling_advantage, ..FeatureOptions::default() });
    let mut scratch = Scratch::default();
    let mut text = String::new();
    for &symmetry in &symmetries {
        let outputs = net.evaluate(&[(&input, katago_symmetry(symmetry))], optimism, &mut scratch);
        let Some(output) = outputs.first() else { continue };
        // writing to a String cannot fail
        let _ =
            write!(text, "symmetry {symmetry}\n{}", raw(output, color, input.legal(), position.board().coordinate()));
    }
    Ok(Reply::output(text.trim_end().to_owned()))
}

/// The symmetry with this number in KataGo: 1 mirrors the rows, 2 the columns, 4 swaps the axes.
fn katago_symmetry(number: u64) -> Symmetry {
    Symmetry::from_index(number & 4 | (number & 1) << 1 | (number & 2) >> 1)
}

/// An output as KataGo prints it: for White, the policy for the side to move.
fn raw(output: &Output, to_move: Color, legal: &[bool], coordinate: Coordinate) -> String {
    let (win, loss) = match to_move {
        Color::White => (output.win, output.loss),
        Color::Black => (output.loss, output.win),
    };
    let sign = -f32::from(to_move.sign());
    let error = |error: Option<f32>| error.unwrap_or(-1.0);
    let mut text = format!("whiteWin {win:.6}\nwhiteLoss {loss:.6}\nnoResult {:.6}\n", output.no_result);
    let square = output.score_mean * output.score_mean + output.score_stdev * output.score_stdev;
    let _ = writeln!(text, "whiteLead {:.3}", sign * output.lead);
    let _ = writeln!(text, "whiteScoreSelfplay {:.3}\nwhiteScoreSelfplaySq {square:.3}", sign * output.score_mean);
    let _ = writeln!(text, "varTimeLeft {:.3}", error(output.var_time_left));
    let _ = writeln!(text, "shorttermWinlossError {:.3}", error(output.shortterm_winloss_error));
    let _ = writeln!(text, "shorttermScoreError {:.3}\npolicy", error(output.shortterm_score_error));
    let point =
        |(policy, is_legal): (&f32, &bool)| if *is_legal { format!("{policy:8.6} ") } else { "    NAN ".to_owned() };
    let points: Vec<String> = output.policy.iter().zip(legal).map(point).collect();
    let (board, pass) = points.split_at_checked(coordinate.board_area()).unwrap_or_default();
    let owners: Vec<String> = output.ownership.iter().map(|owner| format!("{:9.7} ", sign * owner)).collect();
    let _ = writeln!(text, "{}\npolicyPass {}", rows_text(coordinate, board, ""), pass.concat().trim());
    let _ = writeln!(text, "whiteOwnership\n{}", rows_text(coordinate, &owners, ""));
    text
}

/// Measures searches of positions of a game in which each move is the likeliest by the net's policy.
pub(crate) fn kata_benchmark(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let visits = args.number("visits", 1..=MAX_BENCHMARK_VISITS)?;
    args.end()?;
    let net = net_with_score(engine)?;
    let options = &engine.player.options;
    let threads = options.thread_count();
    let measured = benchmark(net, options, &engine.position, u64::from(visits), threads, &engine.stop_signal);
    Ok(Reply::output(measured.to_string()))
}

/// The net of level 10 and of analyses, as a JSON list.
pub(crate) fn kata_get_models(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let listed = |net: &Arc<Net>| model(&engine.net_name, net);
    let models: Vec<Value> = engine.player.net.iter().map(listed).collect();
    Ok(Reply::output(Value::Array(models).to_string()))
}

/// Arguments of `kata-raw-nn`.
pub(crate) fn raw_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("[COLOR]", "the side to move in the evaluation; without it, the one whose turn it is"),
        ("[SYMMETRY]", "0 to 7 for one of the board's symmetries, 0 is the board as it stands"),
        ("all", "all eight, one after another, as without an argument"),
        ("[OPTIMISM]", "share of the optimistic policy, 0 to 1, for nets that have one; without it 0.2"),
    ])
}

/// Arguments of `kata-benchmark`.
pub(crate) fn benchmark_help() -> Vec<ArgumentHelp> {
    argument_help([("VISITS", "visits of each search, 1 to 1000000; `# interrupt` or Ctrl-C ends the benchmark early")])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use super::*;
    use crate::kernel::{GameRule, Position};
    use crate::net::simd::InstructionSet;
    use crate::player::options;

    /// A small net of random weights, of KataGo's format.
    const NET: &[u8] = include_bytes!("../../../tests/data/katago_tiny_8.txt.gz");

    fn raw_nn(engine: &mut Engine, arguments: &str) -> Result<String, String> {
        let reply = kata_raw_nn(engine, &mut Args::new("kata-raw-nn", "", arguments));
        reply.map(|reply| reply.text).map_err(|error| error.text)
    }

    /// The numbers that KataGo's outputs have on a board without symmetry.
    #[test]
    fn symmetries_have_the_numbers_of_katago() {
        let coordinate = Coordinate::new(3, 3).unwrap();
        let mark = coordinate.parse_vertex("B1").unwrap();
        let turned = (0..8).map(|number| {
            let image = katago_symmetry(number).images(coordinate).unwrap()[mark.index()];
            coordinate.vertex(image).to_string()
        });
        assert_eq!(turned.collect::<Vec<_>>(), ["B1", "B3", "B1", "B3", "A2", "C2", "A2", "C2"]);
    }

    #[test]
    fn output_depends_on_the_doubling_advantage() {
        let coordinate = Coordinate::square(5).unwrap();
        let mut engine = Engine::new(Position::new(coordinate, GameRule::with_komi(7.0), 0, Color::Black));
        engine.player.net = Some(Arc::new(Net::read(NET, InstructionSet::best()).unwrap()));
        let even = raw_nn(&mut engine, "b 0").unwrap();
        assert!(even.starts_with("symmetry 0\nwhiteWin ") && even.matches("symmetry").count() == 1, "{even}");
        assert_eq!(raw_nn(&mut engine, "0 0.2").unwrap(), even, "Black is to move, and 0.2 is the default");
        assert_eq!(raw_nn(&mut engine, "b all 1").unwrap().matches("symmetry ").count(), 8);
        for (arguments, expected) in [
            ("b 8", "unexpected symmetry:8, expected 0 to 7, or all"),
            ("0 1.5", "unexpected optimism:1.5, expected 0 to 1"),
            ("0 nan", "unexpected optimism:nan, expected 0 to 1"),
            ("b 0 0.5 1", "unexpected argument:1, usage: kata-raw-nn"),
        ] {
            assert_eq!(raw_nn(&mut engine, arguments).unwrap_err(), expected);
        }
        engine.player.options.set("PlayoutDoublingAdvantage", options::OptionValue::Number(2.0)).unwrap();
        assert_ne!(raw_nn(&mut engine, "b 0").unwrap(), even);
    }
}
