//! The command loop: lines in, answers out, each logged before it is written.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::panic::Location;

use serde_json::Value;

use crate::gtp::commands::analyze::{Analysis, Ending};
use crate::gtp::engine::{Engine, RECENT};
use crate::gtp::response::{self, Answer, CommandError, Fields, Next, Reply, Response};
use crate::gtp::search_log::log_notes;
use crate::io::quote::shortened;
use crate::logging::{self, Exchange, Kind};
use crate::protocol::line::{MAX_LINE, RawLine, Request, clean, is_space};
use crate::protocol::reader::Lines;

/// Reads lines, runs each as a command and answers it, until `quit` or the end of input.
///
/// Every line and every answer is logged, the answer before it is written. `paint` may colour the answers that draw a
/// board on their way out.
///
/// # Errors
/// If input cannot be read or output cannot be written. A closed output is no error: then nobody is listening.
pub fn serve(
    engine: &mut Engine,
    lines: &mut impl Lines,
    output: &mut impl Write,
    paint: Option<fn(&str) -> String>,
) -> io::Result<()> {
    while let Some(raw) = lines.next_line()? {
        match exchange(engine, &raw, lines, output, paint) {
            Ok(Some(Answer { next: Next::Quit, .. })) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Takes one line in hand: logs it, runs it as a command, and answers it; ponders where that follows. `None`: there is no
/// command in it.
///
/// # Errors
/// As [`serve`]; a closed output is one, too.
pub fn exchange(
    engine: &mut Engine,
    raw: &RawLine,
    lines: &mut impl Lines,
    output: &mut impl Write,
    paint: Option<fn(&str) -> String>,
) -> io::Result<Option<Answer>> {
    engine.stop_signal.begin_command();
    let line = clean(&raw.bytes);
    if line.chars().all(is_space) {
        return Ok(None);
    }
    let is_cut = raw.length > MAX_LINE;
    log_input(engine, &line, is_cut.then_some(raw.length));
    let Some(request) = Request::parse(&line) else { return Ok(None) };
    // a comment that is cut off takes nothing from the command before it
    let outcome = if is_cut && !line.contains('#') {
        Err(CommandError::new(format!("line of {} bytes, expected at most {MAX_LINE}", raw.length)))
    } else {
        engine.run(&request)
    };
    let answer = match outcome {
        Ok(Reply { next: Next::Analyze(analysis), .. }) => stream(engine, lines, output, request.id, &analysis)?,
        outcome => {
            let answer = log_answer(engine, request.id, outcome);
            let text = answer.response.to_string();
            match paint {
                Some(paint) if answer.is_diagram => say(output, &paint(&text))?,
                _ => say(output, &text)?,
            }
            answer
        }
    };
    if answer.next == Next::Ponder {
        engine.ponder();
        log_notes(engine);
    }
    Ok(Some(answer))
}

fn say(output: &mut impl Write, text: &str) -> io::Result<()> {
    output.write_all(text.as_bytes())?;
    output.flush()
}

/// Answers line by line what an analysis finds. The logs get what it ends with.
fn stream(
    engine: &mut Engine,
    lines: &mut impl Lines,
    output: &mut impl Write,
    id: Option<u32>,
    analysis: &Analysis,
) -> io::Result<Answer> {
    say(output, &response::opening(id))?;
    let stop_signal = engine.stop_signal.clone();
    let mut search = || {
        let mut said = Ok(());
        let mut tell = |line: &str| {
            said = say(output, &format!("{line}\n"));
            if said.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let outcome = engine.analyze(analysis, &mut tell);
        said.map(|()| outcome)
    };
    let outcome = if analysis.gives_way() { lines.meanwhile(&stop_signal, &mut search)? } else { search()? };
    let mut last = String::new();
    let outcome = outcome.map(|Ending { reply, report }| {
        last.clone_from(&reply.text);
        Reply { text: format!("{report}\n{last}"), ..reply }
    });
    let answer = log_answer(engine, id, outcome);
    say(output, &response::closing(&last))?;
    Ok(answer)
}

fn log_input(engine: &mut Engine, line: &str, full_length: Option<usize>) {
    let command = match (full_length, line.split_once('#')) {
        (None, _) => line.to_owned(),
        // what is run is logged whole
        (Some(length), Some((command, comment))) => format!("{command}#{} ({length} bytes)", shortened(comment)),
        (Some(length), None) => format!("{} ({length} bytes)", shortened(line)),
    };
    if engine.recent.len() == RECENT {
        engine.recent.pop_front();
    }
    engine.recent.push_back(shortened(&command));
    logging::exchange(&Exchange {
        kind: Kind::Input,
        plain: &format!("# {command}"),
        caller: Location::caller(),
        msg: "input",
        fields: &[("command", Value::from(command.as_str()))],
    });
}

/// Logs how a command ended, after the searches made for it.
fn log_answer(engine: &mut Engine, id: Option<u32>, outcome: Result<Reply, CommandError>) -> Answer {
    log_notes(engine);
    let is_success = outcome.is_ok();
    let is_diagram = outcome.as_ref().is_ok_and(|reply| reply.is_diagram);
    let (text, msg, fields, caller, next) = match outcome {
        Ok(Reply { text, msg, fields, caller, next, .. }) => (text, msg, fields, caller, next),
        Err(CommandError { text, fields, caller }) => (text, "error", fields, caller, Next::Continue),
    };
    let response = Response { id, is_success, text };
    let fields = with_text(fields, &response);
    logging::exchange(&Exchange { kind: Kind::Answer, plain: &response.plain(), caller, msg, fields: &fields });
    Answer { response, msg, fields, is_diagram, next }
}

/// The facts of an answer, with its text where they do not hold all it says.
fn with_text(mut fields: Fields, response: &Response) -> Fields {
    if !response.is_success || (fields.is_empty() && !response.text.is_empty()) {
        fields.push(("text", Value::from(response.text.as_str())));
    }
    fields
}
