//! Commands that ask the engine for a move.

use std::ops::ControlFlow;

use serde_json::Value;

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::commands::live_gfx;
use crate::gtp::response::{CommandError, Next, Reply};
use crate::kernel::{Color, Coordinate, Move};
use crate::player::{Choice, GenmoveMode, Phase, Query, allot};
use crate::search::{Limits, ProgressSink, Restrictions, SearchResult};

pub(crate) fn genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    play_best(engine, args, GenmoveMode::Game)
}

/// As `genmove`, in a game that goes on because the players disagree about dead stones: the opponent's are taken.
pub(crate) fn kgs_genmove_cleanup(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    play_best(engine, args, GenmoveMode::Cleanup)
}

/// The move is not played, and the game is not given up.
pub(crate) fn reg_genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let (choice, result) = with_live_graphics(engine, color, |engine, progress| {
        choose(engine, color, GenmoveMode::NoResign, None, progress)
    });
    Ok(answer(engine, choice, &result))
}

/// GoGui asks for this name before it interrupts a search.
pub(crate) fn gogui_interrupt(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::ok())
}

#[track_caller]
fn play_best(engine: &mut Engine, args: &mut Args<'_>, manner: GenmoveMode) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let (choice, result) =
        with_live_graphics(engine, color, |engine, progress| choose_in_time(engine, color, manner, None, progress));
    let reply = answer(engine, choice, &result);
    play(engine, color, choice)?;
    Ok(reply.then(next_after(choice)))
}

/// Searches, and draws what is found meanwhile if the options say so.
pub(crate) fn with_live_graphics<T>(
    engine: &mut Engine,
    color: Color,
    search: impl FnOnce(&mut Engine, ProgressSink<'_>) -> T,
) -> T {
    if !engine.player.options.live_graphics {
        return search(engine, ProgressSink::default());
    }
    let (coordinate, draw) = (engine.position.board().coordinate(), engine.draw);
    let mut on_progress = |result: &SearchResult| {
        draw(&live_gfx::drawing(result, color, coordinate));
        ControlFlow::Continue(())
    };
    let found = search(engine, ProgressSink::new(live_gfx::EVERY, &mut on_progress));
    draw(live_gfx::CLEAR);
    found
}

/// Chooses a move of a game, on the clock of who makes it.
pub(crate) fn choose_in_time(
    engine: &mut Engine,
    color: Color,
    manner: GenmoveMode,
    restrictions: Option<&Restrictions>,
    progress: ProgressSink<'_>,
) -> (Choice, SearchResult) {
    let found = choose(engine, color, manner, restrictions, progress);
    // a controller that sends no time_left may keep a clock all the same
    engine.clock.spend(color, engine.player.spent().as_secs_f64());
    found
}

fn choose(
    engine: &mut Engine,
    color: Color,
    manner: GenmoveMode,
    restrictions: Option<&Restrictions>,
    progress: ProgressSink<'_>,
) -> (Choice, SearchResult) {
    let limits = limits(engine, color);
    let Engine { position, player, stop_signal, .. } = engine;
    player.choose(&Query { position, color, limits, restrictions, stop_signal }, manner, progress)
}

/// Plays what was chosen.
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

/// What to do after a move of the engine's own: a game that was given up is over.
pub(crate) fn next_after(choice: Choice) -> Next {
    if choice == Choice::Resign { Next::Continue } else { Next::Ponder }
}

/// What a search for a move of this colour may take: the clock's time if there is a clock, what is configured if not.
fn limits(engine: &Engine, color: Color) -> Limits {
    let options = &engine.player.options;
    let limits = options.limits();
    let Some(budget) = engine.clock.remaining(color) else { return limits };
    let board = engine.position.board();
    let phase = Phase {
        area: board.coordinate().board_area(),
        moves_played: engine.position.record().len(),
        empty: board.empty_points().len(),
    };
    let lag = engine.player.overrun().added_to(options.lag_buffer);
    Limits { time: Some(allot(Some(budget), options.seconds, lag, phase)), ..limits }
}

#[track_caller]
fn answer(engine: &Engine, choice: Choice, result: &SearchResult) -> Reply {
    let coordinate = engine.position.board().coordinate();
    let text = choice_text(choice, coordinate);
    with_facts(Reply::output(text.as_str()).field("move", text), result, coordinate)
}

/// A move as `genmove` answers it.
pub(crate) fn choice_text(choice: Choice, coordinate: Coordinate) -> String {
    match choice {
        Choice::Resign => "resign".to_owned(),
        Choice::Move(play) => play.vertex(coordinate),
    }
}

/// What a search found, for the JSON log.
pub(crate) fn with_facts(reply: Reply, result: &SearchResult, coordinate: Coordinate) -> Reply {
    let variation = result.best().map_or(&[][..], |best| &best.variation);
    let variation: Vec<String> = variation.iter().map(|play| play.vertex(coordinate)).collect();
    reply
        .field("value", round(f64::from(result.value())))
        .field("lead", round(f64::from(result.best_lead().mean)))
        .field("playouts", result.playouts)
        .field("visits", result.visits)
        .field("seconds", round(result.elapsed.as_secs_f64()))
        .field("variation", variation.join(" "))
}

/// As many digits as anybody reads.
fn round(number: f64) -> Value {
    Value::from((number * 1000.0).round() / 1000.0)
}
