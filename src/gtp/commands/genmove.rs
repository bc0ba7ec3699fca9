//! Commands that generate a move.
//!
//! The player searches and chooses; this file passes it the limits of clock and options, plays the move, and reports
//! the search in the JSON log.

use std::fmt::Write;

use serde_json::Value;

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::live_gfx::with_live_graphics;
use crate::gtp::commands::params::set_random_seed;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Next, Reply};
use crate::kernel::{Color, Coordinate, Move};
use crate::player::{Choice, GenmoveMode, PlayerRequest};
use crate::search::{Limits, ProgressSink, Restrictions, SearchResult};

/// The answer of a search that was cancelled.
pub(crate) const CANCELLED: &str = "cancelled";

pub(crate) fn genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = only_color(args)?;
    Ok(choose_and_play(engine, color, GenmoveMode::Game)?.0)
}

/// `genmove` for Black.
pub(crate) fn genmove_black(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(choose_and_play(engine, Color::Black, GenmoveMode::Game)?.0)
}

/// `genmove` for White.
pub(crate) fn genmove_white(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(choose_and_play(engine, Color::White, GenmoveMode::Game)?.0)
}

/// `genmove` with the searched moves on stderr.
pub(crate) fn genmove_debug(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = only_color(args)?;
    let (reply, result) = choose_and_play(engine, color, GenmoveMode::Game)?;
    (engine.write_stderr)(&summary(&result, color, engine.position.board().coordinate()));
    Ok(reply)
}

/// As `genmove`, in a game that continues because the players disagree about dead stones: it captures the opponent's.
pub(crate) fn kgs_genmove_cleanup(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = only_color(args)?;
    Ok(choose_and_play(engine, color, GenmoveMode::Cleanup)?.0)
}

/// Does not play the move and never resigns.
pub(crate) fn reg_genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = only_color(args)?;
    Ok(suggest(engine, MoveRequest::new(color, GenmoveMode::NoResign)).0)
}

/// As `reg_genmove`, after setting the seed of random numbers if it is given.
pub(crate) fn gg_genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    let seed_fields = if args.is_empty() { Vec::new() } else { set_random_seed(engine, args)?.fields };
    let mut reply = suggest(engine, MoveRequest::new(color, GenmoveMode::NoResign)).0;
    reply.fields.extend(seed_fields);
    Ok(reply)
}

/// As `reg_genmove`, among the given moves; those that are illegal are left out.
pub(crate) fn restricted_genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    let coordinate = engine.position.board().coordinate();
    let mut moves = vec![args.play(coordinate)?];
    while !args.is_empty() {
        moves.push(args.play(coordinate)?);
    }
    moves.retain(|&play| engine.position.check_move(color, play).is_ok());
    if moves.is_empty() {
        return Err(CommandError::new("illegal move: none of the given moves is legal"));
    }
    let mut restrictions = Restrictions::default();
    restrictions.allow(coordinate, color, &moves, 1);
    let request = MoveRequest { restrictions: Some(&restrictions), ..MoveRequest::new(color, GenmoveMode::NoResign) };
    Ok(suggest(engine, request).0)
}

/// Does not play the move, and may resign.
pub(crate) fn kata_search(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = only_color(args)?;
    Ok(suggest(engine, MoveRequest::new(color, GenmoveMode::Game)).0)
}

/// `kata-search` with the searched moves on stderr.
pub(crate) fn kata_search_debug(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = only_color(args)?;
    let (reply, result) = suggest(engine, MoveRequest::new(color, GenmoveMode::Game));
    (engine.write_stderr)(&summary(&result, color, engine.position.board().coordinate()));
    Ok(reply)
}

/// `kata-search`, which any line of input cancels.
pub(crate) fn kata_search_cancellable(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = only_color(args)?;
    engine.stop_signal.stop_on_line();
    let (reply, result) = suggest(engine, MoveRequest::new(color, GenmoveMode::Game));
    if result.completed {
        return Ok(reply);
    }
    let cancelled = Reply::output(CANCELLED).field("cancelled", true);
    Ok(with_search_fields(cancelled, &result, engine.position.board().coordinate()))
}

fn only_color(args: &mut Args<'_>) -> Result<Color, CommandError> {
    let color = args.color()?;
    args.end()?;
    Ok(color)
}

/// Chooses a move that is not played, without any effect on the clock.
#[track_caller]
fn suggest(engine: &mut Engine, request: MoveRequest<'_>) -> (Reply, SearchResult) {
    let (choice, result) =
        with_live_graphics(engine, request.color, |engine, progress| choose(engine, request, progress));
    (reply(engine, choice, &result), result)
}

#[track_caller]
fn choose_and_play(
    engine: &mut Engine,
    color: Color,
    mode: GenmoveMode,
) -> Result<(Reply, SearchResult), CommandError> {
    let request = MoveRequest::new(color, mode);
    let (choice, result) =
        with_live_graphics(engine, color, |engine, progress| choose_on_clock(engine, request, progress));
    let reply = reply(engine, choice, &result);
    play(engine, color, choice)?;
    Ok((reply.then(next_after(choice)), result))
}

/// A search for a move of `color` in lines for a person: its size, and the visited moves with value and lead of `color`
/// and variation.
fn summary(result: &SearchResult, color: Color, coordinate: Coordinate) -> String {
    let mut text = format!(
        "search: {} visits, {} {}, {} evaluations, {:.2} seconds\n",
        result.visits,
        result.playouts,
        if result.is_by_net { "simulations" } else { "playouts" },
        result.evaluations,
        result.elapsed.as_secs_f64()
    );
    for candidate in result.with_symmetric_moves().iter().filter(|candidate| candidate.visits > 0) {
        let (percent, bound) = (100.0 * candidate.win_probability, 100.0 * candidate.win_probability_lower_bound());
        let name = candidate.play.vertex(coordinate);
        // writing to a String cannot fail
        let _ = write!(text, "  {name:4} visits {:6} value {percent:5.1}% lcb {bound:5.1}%", candidate.visits);
        if let Some(lead) = candidate.lead {
            let _ = write!(text, " lead {:+.1}", lead.mean * f32::from(color.sign()));
        }
        let _ = writeln!(text, " pv {}", Move::vertices(&candidate.variation, coordinate));
    }
    text
}

/// A move to choose, in the current position.
#[derive(Clone, Copy)]
pub(crate) struct MoveRequest<'a> {
    /// The player of the move.
    pub(crate) color: Color,
    pub(crate) mode: GenmoveMode,
    /// The moves to choose from, if not all.
    pub(crate) restrictions: Option<&'a Restrictions>,
    /// As in [`PlayerRequest::detailed_ownership`].
    pub(crate) detailed_ownership: bool,
}

impl MoveRequest<'_> {
    /// Any move of `color`, without details of ownership.
    fn new(color: Color, mode: GenmoveMode) -> MoveRequest<'static> {
        MoveRequest { color, mode, restrictions: None, detailed_ownership: false }
    }
}

/// Chooses a move and subtracts its time from the player's clock.
pub(crate) fn choose_on_clock(
    engine: &mut Engine,
    request: MoveRequest<'_>,
    progress: ProgressSink<'_>,
) -> (Choice, SearchResult) {
    let found = choose(engine, request, progress);
    // a controller may keep time without sending time_left
    engine.clock.count_move(request.color, engine.player.last_move_time().as_secs_f64());
    found
}

/// Chooses a move within the player's time, without any effect on the clock. In the result the chosen move comes first,
/// even if the search found another one best: a weak level or the end of the game may have decided.
pub(crate) fn choose(
    engine: &mut Engine,
    request: MoveRequest<'_>,
    progress: ProgressSink<'_>,
) -> (Choice, SearchResult) {
    let MoveRequest { color, mode, restrictions, detailed_ownership } = request;
    let limits = limits(engine, color);
    let Engine { position, player, stop_signal, .. } = engine;
    let (choice, result) = player.choose(
        &PlayerRequest { position, color, limits, restrictions, detailed_ownership, stop_signal },
        mode,
        progress,
    );
    match choice {
        Choice::Move(play) => (choice, result.with_first(play)),
        Choice::Resign => (choice, result),
    }
}

/// Plays the chosen move.
pub(crate) fn play(engine: &mut Engine, color: Color, choice: Choice) -> Result<(), CommandError> {
    match choice {
        Choice::Resign => Ok(()),
        Choice::Move(play) => {
            engine.position.make_move(color, play).map_err(|reason| CommandError::new(reason.to_string()))
        }
    }
}

/// Pondering follows a move; nothing follows a resignation.
pub(crate) fn next_after(choice: Choice) -> Next {
    if choice == Choice::Resign { Next::Continue } else { Next::Ponder }
}

/// The limits of a search for a move of `color` by the engine's options and clock.
pub(crate) fn limits(engine: &Engine, color: Color) -> Limits {
    engine.player.limits(&engine.clock, &engine.position, color)
}

#[track_caller]
fn reply(engine: &Engine, choice: Choice, result: &SearchResult) -> Reply {
    let coordinate = engine.position.board().coordinate();
    let text = choice_text(choice, coordinate);
    with_search_fields(Reply::output(text.as_str()).field("move", text), result, coordinate)
}

/// The answer of `genmove`: a vertex, `pass` or `resign`.
pub(crate) fn choice_text(choice: Choice, coordinate: Coordinate) -> String {
    match choice {
        Choice::Resign => "resign".to_owned(),
        Choice::Move(play) => play.vertex(coordinate),
    }
}

/// Adds the search result to the fields of the JSON log: `value` for the player whose move was searched, `lead` for Black
/// in points.
pub(crate) fn with_search_fields(reply: Reply, result: &SearchResult, coordinate: Coordinate) -> Reply {
    let variation = result.best().map_or(&[][..], |best| &best.variation);
    reply
        .field("value", thousandths(f64::from(result.win_probability())))
        .field("lead", thousandths(f64::from(result.best_lead().mean)))
        .field("playouts", result.playouts)
        .field("visits", result.visits)
        .field("seconds", thousandths(result.elapsed.as_secs_f64()))
        .field("variation", Move::vertices(variation, coordinate))
}

/// A number rounded to three decimals.
fn thousandths(number: f64) -> Value {
    Value::from((number * 1000.0).round() / 1000.0)
}

/// Arguments of `gg_genmove`.
pub(crate) fn gg_genmove_help() -> Vec<ArgumentHelp> {
    argument_help([("[SEED]", "sets the seed of random numbers, as set_random_seed does; without it, the seed stays")])
}

/// Arguments of `restricted_genmove`.
pub(crate) fn restricted_help() -> Vec<ArgumentHelp> {
    argument_help([("VERTEX ...", "the moves to choose from; pass may be one of them")])
}

/// Answers of `kata-search_cancellable`.
pub(crate) fn cancellable_help() -> Vec<ArgumentHelp> {
    argument_help([("= cancelled", "a line arrived, or the search was stopped, before it was finished")])
}
