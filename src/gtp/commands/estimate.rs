//! Commands that estimate the score of an unfinished game and value its moves by a search, in GNU Go's form.
//!
//! GNU Go estimates territory and adds the values of moves; here both come from searches at full strength. Weights of
//! moves are shares of the search's visits, in percent.

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::cached_search::{cached_analysis, cached_analysis_for};
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{Color, Coordinate};
use crate::search::{Candidate, SearchResult};

/// Most moves in the list of the best ones, as in GNU Go.
const MAX_TOP_MOVES: usize = 10;

/// White's lead if each player moves first, as bounds, and their mean. Two searches find the leads, so where the move is
/// worth nothing the one with Black to move may be the greater; bounds are in order in any case.
pub(crate) fn estimate_score(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let [one, other] = Color::BOTH.map(|color| white_lead(cached_analysis_for(engine, color)));
    let (lower, upper) = (one.min(other), one.max(other));
    let score = (lower + upper) / 2.0;
    let text = match score {
        score if score > 0.0 => format!("W+{score:.1}"),
        score => format!("B+{:.1}", score.abs()),
    };
    let reply = Reply::output(format!("{text} (upper bound: {upper:.1}, lower: {lower:.1})"));
    Ok(reply.field("score", text).field("upper", upper).field("lower", lower))
}

/// White's lead with `color` to move.
pub(crate) fn experimental_score(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let lead = white_lead(cached_analysis_for(engine, color));
    Ok(Reply::output(format!("{lead:.1}")).field("lead", lead))
}

/// White's lead in points after a search, in tenths as printed, never negative zero.
fn white_lead(result: &SearchResult) -> f64 {
    (-f64::from(result.best_lead().mean) * 10.0).round() / 10.0 + 0.0
}

/// The best moves of the side to move with their weights.
pub(crate) fn top_moves(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let coordinate = engine.position.board().coordinate();
    Ok(best_moves(cached_analysis(engine), coordinate))
}

/// The best moves of Black with their weights.
pub(crate) fn top_moves_black(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    top_moves_of(engine, args, Color::Black)
}

/// The best moves of White with their weights.
pub(crate) fn top_moves_white(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    top_moves_of(engine, args, Color::White)
}

fn top_moves_of(engine: &mut Engine, args: &mut Args<'_>, color: Color) -> Result<Reply, CommandError> {
    args.end()?;
    let coordinate = engine.position.board().coordinate();
    Ok(best_moves(cached_analysis_for(engine, color), coordinate))
}

/// At most ten moves and their weights on one line, the move to play first.
#[track_caller]
fn best_moves(result: &SearchResult, coordinate: Coordinate) -> Reply {
    let candidates = result.with_symmetric_moves();
    let pairs = weighted(&candidates).take(MAX_TOP_MOVES);
    let pairs: Vec<String> =
        pairs.map(|(candidate, weight)| format!("{} {weight:.2}", candidate.play.vertex(coordinate))).collect();
    let text = pairs.join(" ");
    Reply::output(text.as_str()).field("moves", text)
}

/// Every move with visits and its weight, one a line, from the highest rank down; a pass is last.
pub(crate) fn all_move_values(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let coordinate = engine.position.board().coordinate();
    let candidates = cached_analysis(engine).with_symmetric_moves();
    let mut moves: Vec<_> = weighted(&candidates).collect();
    moves.sort_by_key(|(candidate, _)| candidate.play.index(coordinate));
    let lines: Vec<String> = moves
        .iter()
        .map(|(candidate, weight)| format!("{:3} {weight:.2}", candidate.play.vertex(coordinate)))
        .collect();
    let text = lines.join("\n");
    Ok(Reply::output(text.as_str()).field("moves", text))
}

/// The moves with visits, each with its share of all visits in percent.
fn weighted(candidates: &[Candidate]) -> impl Iterator<Item = (&Candidate, f64)> {
    let all: u64 = candidates.iter().map(|candidate| u64::from(candidate.visits)).sum();
    let searched = candidates.iter().filter(|candidate| candidate.visits > 0);
    searched.map(move |candidate| (candidate, 100.0 * f64::from(candidate.visits) / all as f64))
}

/// Answer of `estimate_score` and `new_score`.
pub(crate) fn estimate_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("= W+3.5", "the mean of both bounds; B+ if it is Black's"),
        ("(upper bound: N", "White's lead in points if White moves first; negative if Black leads"),
        (", lower: N)", "White's lead if Black moves first"),
    ])
}

/// Answer of `experimental_score`.
pub(crate) fn experimental_help() -> Vec<ArgumentHelp> {
    argument_help([("COLOR", "the player to move"), ("= N", "White's lead in points; negative if Black leads")])
}

/// Answers of the lists of moves.
pub(crate) fn weight_help() -> Vec<ArgumentHelp> {
    argument_help([("= D4 61.20", "a move, and its share of the search's visits in percent")])
}
