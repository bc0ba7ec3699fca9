//! The command loop: reads lines, runs them as commands, logs and writes the answers.
//!
//! Every line and every answer is logged before the answer is written, so that a log is complete even if the process is
//! killed. The server does framing and logging, for a program or a person; it does not depend on single commands.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::panic::Location;

use serde_json::Value;

use crate::gtp::commands::analyze::{AnalysisReply, GtpAnalysis, OnReport};
use crate::gtp::dispatch::{self, HandlerOutcome};
use crate::gtp::engine::Engine;
use crate::gtp::log_notes::log_notes;
use crate::gtp::response::{self, CommandError, ERROR, Fields, FinishedCommand, LINE_LENGTH, Next, Reply, Response};
use crate::logging::{self, Entry, EntryKind};
use crate::protocol::line::{RawLine, Request, clean, is_space};
use crate::protocol::reader::CommandSource;
use crate::search::SearchResult;
use crate::text::quote::{self, shortened};

/// Reader of the answers.
#[derive(Clone, Copy, Debug)]
pub enum Audience {
    /// A program: answers are GTP's, byte for byte.
    Program,
    /// A person at a terminal: an unknown command is answered with the nearest names, and a refused move with the reason
    /// in words, and a line says how an analysis ends. Logs are the same as for a program.
    Person {
        /// Adds colours to board diagrams.
        paint: Option<fn(&str) -> String>,
        /// Runs a command and shows meanwhile that the engine works, if it takes long.
        busy: Option<fn(&mut dyn FnMut())>,
    },
}

/// Reads lines, runs each as a command and answers it, until `quit` or the end of input.
///
/// # Errors
/// If input cannot be read or output cannot be written. A closed output ends the loop without an error.
pub fn serve(
    engine: &mut Engine,
    lines: &mut impl CommandSource,
    output: &mut impl Write,
    audience: Audience,
) -> io::Result<()> {
    let mut has_warned_end_of_input = false;
    while let Some(raw) = lines.next_line()? {
        let outcome = handle_line(engine, &raw, lines, output, audience);
        if engine.stop_signal.stopped_by_end_of_input() && !has_warned_end_of_input {
            tracing::warn!("the input has ended: searches are limited to 1 s; keep stdin open, or use -d FILE");
            has_warned_end_of_input = true;
        }
        match outcome {
            Ok(Some(FinishedCommand { next: Next::Quit, .. })) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Handles one line: logs it, runs it as a command, answers it, and ponders if the command allows it. `None` if the
/// line has no command.
///
/// # Errors
/// As [`serve`]; a closed output is an error here.
pub(crate) fn handle_line(
    engine: &mut Engine,
    raw: &RawLine,
    lines: &mut impl CommandSource,
    output: &mut impl Write,
    audience: Audience,
) -> io::Result<Option<FinishedCommand>> {
    engine.stop_signal.begin_line();
    let line = clean(&raw.bytes);
    if line.chars().all(is_space) {
        return Ok(None);
    }
    let excess = raw.too_long_message();
    log_input(engine, &line, excess.is_some().then_some(raw.length));
    let Some(request) = Request::parse(&line) else { return Ok(None) };
    // if only the comment was cut, the command is complete
    let outcome = if let Some(excess) = excess.filter(|_| !line.contains('#')) {
        Err(CommandError::new(excess).field(LINE_LENGTH, raw.length))
    } else {
        match audience {
            Audience::Person { busy: Some(busy), .. } => {
                let mut outcome = None;
                busy(&mut || outcome = Some(dispatch::run(engine, &request)));
                outcome.unwrap_or_else(|| dispatch::run(engine, &request))
            }
            _ => dispatch::run(engine, &request),
        }
    };
    let finished = match outcome {
        Ok(HandlerOutcome::Analysis(analysis)) => {
            if matches!(audience, Audience::Person { .. }) && analysis.runs_until_input() {
                engine.write_message("Enter ends the analysis");
            }
            stream(engine, lines, output, request.id, &analysis)?
        }
        Ok(HandlerOutcome::Reply(reply)) => answer(engine, output, &request, Ok(reply), audience)?,
        Err(error) => answer(engine, output, &request, Err(error), audience)?,
    };
    if finished.next == Next::Ponder {
        dispatch::ponder(engine);
        log_notes(engine);
    }
    Ok(Some(finished))
}

/// Logs and writes the answer to a command.
fn answer(
    engine: &mut Engine,
    output: &mut impl Write,
    request: &Request<'_>,
    result: Result<Reply, CommandError>,
    audience: Audience,
) -> io::Result<FinishedCommand> {
    let explanation = result.as_ref().err().and_then(|error| error.explanation.clone());
    let mut finished = finish_command(engine, request.id, result);
    let Audience::Person { paint, .. } = audience else {
        write(output, &finished.response.to_string())?;
        return Ok(finished);
    };
    // characters of files that would change the text around them are escaped
    finished.response.text = quote::lines(&finished.response.text);
    let text = finished.response.to_string();
    match paint.filter(|_| finished.is_diagram) {
        Some(paint) => write(output, &paint(&text))?,
        None => write(output, &text)?,
    }
    if let Some(explanation) = explanation {
        engine.write_message(&quote::lines(&explanation));
    }
    Ok(finished)
}

fn write(output: &mut impl Write, text: &str) -> io::Result<()> {
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Runs an analysis and streams its report lines. The logs get the last report and the final line. An error comes too late
/// for the answer, so it goes to stderr.
fn stream(
    engine: &mut Engine,
    lines: &mut impl CommandSource,
    output: &mut impl Write,
    id: Option<&str>,
    analysis: &GtpAnalysis,
) -> io::Result<FinishedCommand> {
    write(output, &response::opening(id))?;
    let stop_signal = engine.stop_signal.clone();
    let mut search = || {
        let mut written = Ok(());
        let mut on_report = |line: &str, _: &SearchResult| {
            written = write(output, &format!("{line}\n"));
            if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let result = dispatch::analyze(engine, analysis, &mut on_report);
        written.map(|()| result)
    };
    let result =
        if analysis.runs_until_input() { lines.run_until_next_line(&stop_signal, &mut search)? } else { search()? };
    if let Err(error) = &result {
        engine.write_message(&error.text);
    }
    let last_line = result.as_ref().map_or_else(|_| String::new(), |end| end.reply.text.clone());
    let finished = finish_command(engine, id, result.map(whole_reply));
    write(output, &response::closing(&last_line))?;
    Ok(finished)
}

/// The reply of an analysis as the logs have it: the last report, then the last line.
fn whole_reply(AnalysisReply { reply, report }: AnalysisReply) -> Reply {
    Reply { text: format!("{report}\n{}", reply.text), ..reply }
}

/// Runs one command without input and output streams, as the page of `web` does: logs it and its answer as [`serve`]
/// does, and passes the reports of an analysis to `on_report`. There is no pondering.
pub(crate) fn run_line(engine: &mut Engine, line: &str, on_report: &mut OnReport<'_>) -> FinishedCommand {
    engine.stop_signal.begin_line();
    log_input(engine, line, None);
    let outcome = match Request::parse(line) {
        Some(request) => dispatch::run(engine, &request),
        None => Err(CommandError::new("missing command")),
    };
    let result = match outcome {
        Ok(HandlerOutcome::Analysis(analysis)) => dispatch::analyze(engine, &analysis, on_report).map(whole_reply),
        Ok(HandlerOutcome::Reply(reply)) => Ok(reply),
        Err(error) => Err(error),
    };
    finish_command(engine, None, result)
}

fn log_input(engine: &mut Engine, line: &str, full_length: Option<usize>) {
    let command = match (full_length, line.split_once('#')) {
        (None, _) => line.to_owned(),
        // the command is run, so it is logged in full; its comment is shortened
        (Some(length), Some((command, comment))) => format!("{command}#{} ({length} bytes)", shortened(comment)),
        (Some(length), None) => format!("{} ({length} bytes)", shortened(line)),
    };
    engine.remember_line(&command);
    logging::log(&Entry {
        kind: EntryKind::Input,
        plain: &format!("# {command}"),
        caller: Location::caller(),
        msg: "input",
        fields: &[("command", Value::from(command.as_str()))],
    });
}

/// Frames the result of a command, and logs its notes and its response, in this order.
fn finish_command(engine: &mut Engine, id: Option<&str>, result: Result<Reply, CommandError>) -> FinishedCommand {
    log_notes(engine);
    let is_success = result.is_ok();
    let is_diagram = result.as_ref().is_ok_and(|reply| reply.is_diagram);
    let (text, msg, fields, caller, next) = match result {
        Ok(Reply { text, msg, fields, caller, next, .. }) => (text, msg, fields, caller, next),
        Err(CommandError { text, fields, caller, .. }) => (text, ERROR, fields, caller, Next::Continue),
    };
    let response = Response { id: id.map(str::to_owned), is_success, text };
    let fields = with_text(fields, &response);
    logging::log(&Entry { kind: EntryKind::Answer, plain: &response.plain(), caller, msg, fields: &fields });
    FinishedCommand { response, msg, fields, is_diagram, next }
}

/// The fields of an answer; the text is added to an error and to a success that has no field for it.
fn with_text(mut fields: Fields, response: &Response) -> Fields {
    if !response.is_success || (fields.is_empty() && !response.text.is_empty()) {
        fields.push(("text", Value::from(response.text.as_str())));
    }
    fields
}
