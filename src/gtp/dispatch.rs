//! Runs commands: finds the row of the table, calls its handler, and catches panics.
//!
//! A handler or a search that panics must not end a game. The panic becomes the error `INTERNAL_ERROR`, its backtrace
//! and the last lines go to the logs, and the game is replayed from its record. This file reads no stream and frames no
//! answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::gtp::args::Args;
use crate::gtp::command::Handler;
use crate::gtp::commands::analyze::{AnalysisReply, GtpAnalysis, OnReport};
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::gtp::table::{COMMANDS, find};
use crate::kernel::{Move, Position};
use crate::player::{PlayerRequest, Purpose};
use crate::protocol::line::Request;
use crate::search::Limits;
use crate::text::quote::shortened;
use crate::text::suggestion::suggestion;

/// The error text of a command that panicked.
pub(crate) const INTERNAL_ERROR: &str = "internal error";

/// The result of a handler that succeeded.
#[derive(Clone, PartialEq, Debug)]
pub enum HandlerOutcome {
    /// The command is done.
    Reply(Reply),
    /// A search whose reports have to be streamed, which [`serve`](crate::gtp::serve) does.
    Analysis(GtpAnalysis),
}

/// Runs one command.
///
/// # Errors
/// If there is no such command, or it fails. A failed command changes nothing, except after a panic (`INTERNAL_ERROR`).
pub fn run(engine: &mut Engine, request: &Request<'_>) -> Result<HandlerOutcome, CommandError> {
    if request.name.is_empty() {
        return Err(CommandError::new("missing command"));
    }
    let Some(command) = find(request.name) else {
        return Err(unknown_command(&engine.position, request.name));
    };
    let mut args = Args::new(command.name, command.arguments, request.arguments);
    catch_panic(engine, command.name, |engine| match command.handler {
        Handler::Reply(run) => run(engine, &mut args).map(HandlerOutcome::Reply),
        Handler::Analysis(prepare) => prepare(engine, &mut args).map(HandlerOutcome::Analysis),
        Handler::Table(run) => run(COMMANDS, &mut args).map(HandlerOutcome::Reply),
    })
}

/// The error for a name that is no command. A person is told the nearest names, or for a point the command that plays
/// there.
#[track_caller]
fn unknown_command(position: &Position, name: &str) -> CommandError {
    let error = CommandError::new("unknown command").field("command", shortened(name));
    if Move::parse(name, position.board().coordinate()).is_ok() {
        return error.explained(format!("did you mean play {} {name}?", position.to_move()));
    }
    let nearest = suggestion(COMMANDS.iter().map(|command| command.name), name);
    error.explained(nearest.strip_prefix(", ").unwrap_or("type help for the commands").to_owned())
}

/// Runs the search of an analysis command. `on_report` gets its reports and stops it by `Break`.
///
/// # Errors
/// As [`GtpAnalysis::run`], or `INTERNAL_ERROR`.
pub(crate) fn analyze(
    engine: &mut Engine,
    analysis: &GtpAnalysis,
    on_report: &mut OnReport<'_>,
) -> Result<AnalysisReply, CommandError> {
    catch_panic(engine, "analyze", |engine| analysis.run(engine, on_report))
}

/// Ponders: searches the opponent's move until the next line arrives, if pondering is on and the game is not over. In a
/// replay, ponders if the log has such a search.
pub(crate) fn ponder(engine: &mut Engine) {
    let trace = &engine.player.trace;
    let ponders = if trace.is_replaying() {
        trace.peek(Purpose::Ponder).is_some()
    } else {
        engine.player.options.ponder && !engine.stop_signal.has_pending_input() && !engine.position.is_over()
    };
    if !ponders {
        return;
    }
    // no command waits for this, and a panic has been logged
    let _ = catch_panic(engine, "ponder", |engine| {
        let Engine { position, player, stop_signal, .. } = engine;
        stop_signal.stop_on_input();
        let color = position.to_move();
        player.ponder(&PlayerRequest {
            position,
            color,
            limits: Limits::NONE,
            restrictions: None,
            detailed_ownership: false,
            stop_signal,
        });
        Ok(())
    });
}

/// Calls `work` and turns a panic into `INTERNAL_ERROR`, after the engine has recovered.
fn catch_panic<T>(
    engine: &mut Engine,
    name: &'static str,
    work: impl FnOnce(&mut Engine) -> Result<T, CommandError>,
) -> Result<T, CommandError> {
    let outcome = catch_unwind(AssertUnwindSafe(|| work(engine)));
    outcome.unwrap_or_else(|_| {
        let commands = engine.recent_lines();
        tracing::error!(command = name, commands, "the game is built again from its record");
        engine.recover();
        Err(CommandError::new(INTERNAL_ERROR).field("command", name))
    })
}
