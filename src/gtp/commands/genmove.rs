//! Commands that ask the engine for a move.

use std::ops::ControlFlow;

use serde_json::Value;

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::commands::live_gfx;
use crate::gtp::response::{CommandError, Next, Reply};
use crate::kernel::{Color, Coordinate, Move};
use crate::player::{Choice, Manner, Phase, Query, allot};
use crate::search::{Limits, Reports, Restrictions, Thought};

pub(crate) fn genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    play_best(engine, args, Manner::Game)
}

/// As `genmove`, in a game that goes on because the players disagree about dead stones: the opponent's are taken.
pub(crate) fn kgs_genmove_cleanup(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    play_best(engine, args, Manner::Cleanup)
}

/// The move is not played, and the game is not given up.
pub(crate) fn reg_genmove(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let (choice, thought) =
        drawn(engine, color, |engine, reports| choose(engine, color, Manner::Question, None, reports));
    Ok(answer(engine, choice, &thought))
}

/// GoGui asks for this name before it interrupts a search.
pub(crate) fn gogui_interrupt(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::ok())
}

#[track_caller]
fn play_best(engine: &mut Engine, args: &mut Args<'_>, manner: Manner) -> Result<Reply, CommandError> {
    let color = args.color()?;
    args.end()?;
    let (choice, thought) =
        drawn(engine, color, |engine, reports| choose_in_time(engine, color, manner, None, reports));
    let reply = answer(engine, choice, &thought);
    play(engine, color, choice)?;
    Ok(reply.then(next_after(choice)))
}

/// Searches, and draws what is found meanwhile if the options say so.
pub(crate) fn drawn<T>(engine: &mut Engine, color: Color, search: impl FnOnce(&mut Engine, Reports<'_>) -> T) -> T {
    if !engine.player.options.live_graphics {
        return search(engine, Reports::default());
    }
    let (coordinate, draw) = (engine.position.board().coordinate(), engine.draw);
    let mut hear = |thought: &Thought| {
        draw(&live_gfx::drawing(thought, color, coordinate));
        ControlFlow::Continue(())
    };
    let found = search(engine, Reports::new(live_gfx::EVERY, &mut hear));
    draw(live_gfx::CLEAR);
    found
}

/// Chooses a move of a game, on the clock of who makes it.
pub(crate) fn choose_in_time(
    engine: &mut Engine,
    color: Color,
    manner: Manner,
    restrictions: Option<&Restrictions>,
    reports: Reports<'_>,
) -> (Choice, Thought) {
    let found = choose(engine, color, manner, restrictions, reports);
    // a controller that sends no time_left may keep a clock all the same
    engine.clock.spend(color, engine.player.spent().as_secs_f64());
    found
}

fn choose(
    engine: &mut Engine,
    color: Color,
    manner: Manner,
    restrictions: Option<&Restrictions>,
    reports: Reports<'_>,
) -> (Choice, Thought) {
    let limits = limits(engine, color);
    let Engine { position, player, interrupt, .. } = engine;
    player.choose(&Query { position, color, limits, restrictions, interrupt }, manner, reports)
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
    let lag = engine.player.lateness().added_to(options.lag);
    Limits { time: Some(allot(Some(budget), options.seconds, lag, phase)), ..limits }
}

#[track_caller]
fn answer(engine: &Engine, choice: Choice, thought: &Thought) -> Reply {
    let coordinate = engine.position.board().coordinate();
    let text = choice_text(choice, coordinate);
    with_facts(Reply::output(text.as_str()).field("move", text), thought, coordinate)
}

/// A move as `genmove` answers it.
pub(crate) fn choice_text(choice: Choice, coordinate: Coordinate) -> String {
    match choice {
        Choice::Resign => "resign".to_owned(),
        Choice::Move(play) => play.vertex(coordinate),
    }
}

/// What a search found, for the JSON log.
pub(crate) fn with_facts(reply: Reply, thought: &Thought, coordinate: Coordinate) -> Reply {
    let variation = thought.best().map_or(&[][..], |best| &best.variation);
    let variation: Vec<String> = variation.iter().map(|play| play.vertex(coordinate)).collect();
    reply
        .field("value", round(f64::from(thought.value())))
        .field("lead", round(f64::from(thought.best_lead().mean)))
        .field("playouts", thought.playouts)
        .field("visits", thought.visits)
        .field("seconds", round(thought.elapsed.as_secs_f64()))
        .field("variation", variation.join(" "))
}

/// As many digits as anybody reads.
fn round(number: f64) -> Value {
    Value::from((number * 1000.0).round() / 1000.0)
}
