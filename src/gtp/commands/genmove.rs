//! Commands that ask the engine for a move.
//!
//! The player searches and chooses; this file gives it the limits of clock and options, plays the move, and reports the
//! search in the JSON log.

use serde_json::Value;

use crate::gtp::args::Args;
use crate::gtp::commands::live_gfx::with_live_graphics;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Next, Reply};
use crate::kernel::{Color, Coordinate, Move};
use crate::player::{Choice, GenmoveMode, Phase, Query, allot};
use crate::search::{Limits, ProgressSink, Restrictions, SearchResult};

pub(crate) fn genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    choose_and_play(engine, args, GenmoveMode::Game)
}

/// As `genmove`, in a game that continues because the players disagree about dead stones: it captures the opponent's.
pub(crate) fn kgs_genmove_cleanup(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    choose_and_play(engine, args, GenmoveMode::Cleanup)
}

/// Does not play the move and never resigns.
pub(crate) fn reg_genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let (choice, result) = with_live_graphics(engine, color, |engine, progress| {
        choose(engine, color, GenmoveMode::NoResign, None, progress)
    });
    Ok(reply(engine, choice, &result))
}

#[track_caller]
fn choose_and_play(engine: &mut Engine, args: &mut Args<'_>, mode: GenmoveMode) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let (choice, result) =
        with_live_graphics(engine, color, |engine, progress| choose_on_clock(engine, color, mode, None, progress));
    let reply = reply(engine, choice, &result);
    play(engine, color, choice)?;
    Ok(reply.then(next_after(choice)))
}

/// Chooses a move of `color` and subtracts its time from that player's clock.
pub(crate) fn choose_on_clock(
    engine: &mut Engine,
    color: Color,
    mode: GenmoveMode,
    restrictions: Option<&Restrictions>,
    progress: ProgressSink<'_>,
) -> (Choice, SearchResult) {
    let found = choose(engine, color, mode, restrictions, progress);
    // a controller may keep time without sending time_left
    engine.clock.spend(color, engine.player.spent().as_secs_f64());
    found
}

/// Chooses a move of `color` within its time, without any effect on the clock.
pub(crate) fn choose(
    engine: &mut Engine,
    color: Color,
    mode: GenmoveMode,
    restrictions: Option<&Restrictions>,
    progress: ProgressSink<'_>,
) -> (Choice, SearchResult) {
    let limits = limits(engine, color);
    let Engine { position, player, stop_signal, .. } = engine;
    player.choose(&Query { position, color, limits, restrictions, stop_signal }, mode, progress)
}

/// Plays the chosen move.
pub(crate) fn play(engine: &mut Engine, color: Color, choice: Choice) -> Result<(), CommandError> {
    match choice {
        Choice::Resign => {}
        Choice::Move(Move::Pass) => engine.position.pass(color),
        Choice::Move(Move::Play(point)) => {
            engine.position.play(color, point).map_err(|reason| CommandError::new(reason.to_string()))?;
        }
    }
    Ok(())
}

/// Pondering follows a move; nothing follows a resignation.
pub(crate) fn next_after(choice: Choice) -> Next {
    if choice == Choice::Resign { Next::Continue } else { Next::Ponder }
}

/// The limits of a search for a move of `color`. With a time limit for the game, the time is a share of the clock
/// ([`allot`]); the other limits, and the time of a game without limit, are those of the options.
fn limits(engine: &Engine, color: Color) -> Limits {
    let options = &engine.player.options;
    let limits = options.limits();
    let Some(remaining) = engine.clock.remaining(color) else { return limits };
    let board = engine.position.board();
    let phase = Phase {
        area: board.coordinate().board_area(),
        moves_played: engine.position.record().len(),
        empty: board.empty_points().len(),
    };
    let lag = engine.player.overrun().added_to(options.lag_buffer);
    Limits { time: Some(allot(Some(remaining), options.seconds, lag, phase)), ..limits }
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

/// Adds the search result to the fields of the JSON log.
pub(crate) fn with_search_fields(reply: Reply, result: &SearchResult, coordinate: Coordinate) -> Reply {
    let variation = result.best().map_or(&[][..], |best| &best.variation);
    let variation: Vec<String> = variation.iter().map(|play| play.vertex(coordinate)).collect();
    reply
        .field("value", thousandths(f64::from(result.value())))
        .field("lead", thousandths(f64::from(result.best_lead().mean)))
        .field("playouts", result.playouts)
        .field("visits", result.visits)
        .field("seconds", thousandths(result.elapsed.as_secs_f64()))
        .field("variation", variation.join(" "))
}

/// A number rounded to three decimals.
fn thousandths(number: f64) -> Value {
    Value::from((number * 1000.0).round() / 1000.0)
}
