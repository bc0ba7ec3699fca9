//! The command loop: lines in, answers out, by the Go Text Protocol (GTP) version 2.
//!
//! [`serve`] alone touches the streams. A line is taken apart by [`mod@line`], looked up in the table of [`command`], run by
//! a handler that reads typed [`args`] and calls the kernel, and its value is framed by [`response`].

pub mod admin;
pub mod analyze;
pub mod args;
pub mod command;
mod coordinates;
mod dialogs;
mod game;
mod genmove;
mod gogui;
mod handicap;
pub mod info;
mod inquire;
mod inspect;
pub mod line;
mod live;
pub mod notes;
mod params;
mod pictures;
pub mod reader;
mod rendb;
pub mod response;
pub mod rules;
mod scoring;
mod setup;
mod sgf_files;
pub mod shelf;
mod study;
mod time;
mod vendor;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Arc;

use serde_json::Value;

use crate::clock::Clock;
use crate::kernel::Position;
use crate::logging::{self, Entry, EntryKind};
use crate::search::{Interrupt, Limits, Options, Player, Purpose, Query};
use crate::text::shortened;

use analyze::{Analysis, Ending};
use args::Args;
use line::{Lines, MAX_LINE, RawLine, Request, clean, is_space};
use notes::log_notes;
use response::{Answer, CommandError, Fields, Next, Reply, Response};
use shelf::Shelf;
use study::Study;

/// What commands work on.
pub struct Engine {
    /// The game in progress.
    pub position: Position,
    /// Time agreed on, and what the clocks show.
    pub clock: Clock,
    /// Whether illegal moves are refused with GTP's own text, `illegal move`, and not with the rule they break.
    pub is_strict: bool,
    /// Who searches, and what a search is told.
    pub player: Player,
    /// Hears that a search shall stop.
    pub interrupt: Arc<Interrupt>,
    /// Takes GoGui's live graphics to where they are seen.
    pub draw: fn(&str),
    /// The files that commands name.
    pub data: Shelf,
    /// What was last found in order to show it.
    studied: Option<Study>,
    /// The last lines taken in hand, for the log of a fault.
    recent: VecDeque<String>,
}

/// The answer to a command that ended by a fault.
pub const FAULT: &str = "internal error";

/// How many lines the log of a fault has.
const RECENT: usize = 20;

impl Engine {
    /// An engine that starts from this position.
    pub fn new(position: Position) -> Engine {
        Engine {
            position,
            clock: Clock::default(),
            is_strict: false,
            player: Player::new(Options::default()),
            interrupt: Arc::default(),
            draw: |_| {},
            data: Shelf::default(),
            studied: None,
            recent: VecDeque::with_capacity(RECENT),
        }
    }

    /// Runs one command.
    ///
    /// # Errors
    /// Why it is refused; the engine is then unchanged.
    pub fn run(&mut self, request: &Request<'_>) -> Result<Reply, CommandError> {
        if request.name.is_empty() {
            return Err(CommandError::new("missing command"));
        }
        let Some(command) = command::find(request.name) else {
            return Err(CommandError::new("unknown command").field("command", shortened(request.name)));
        };
        let mut args = Args::new(command.name, command.arguments, request.arguments);
        self.guarded(command.name, |engine| (command.run)(engine, &mut args))
    }

    /// Saves what a command made in a file.
    ///
    /// # Errors
    /// Why it cannot be saved.
    #[track_caller]
    fn save(&mut self, path: &str, bytes: &[u8]) -> Result<Reply, CommandError> {
        match self.data.write(path, bytes) {
            Ok(()) => Ok(Reply::ok()),
            Err(reason) => Err(CommandError::new(format!("cannot save file: {reason}")).field("reason", reason)),
        }
    }

    /// Runs the search of a command that answered with an analysis. `say` hears its lines, and stops it by a break.
    ///
    /// # Errors
    /// If it ends by a fault.
    pub fn analyze(
        &mut self,
        analysis: &Analysis,
        say: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Ending, CommandError> {
        self.guarded("analyze", |engine| analysis.run(engine, say))
    }

    /// Thinks about the opponent's move until the next line comes, if the options say so and there is a game to play; where
    /// searches are made again, if it did so the first time.
    pub fn ponder(&mut self) {
        let trace = &self.player.trace;
        let is_wanted = if trace.is_bound() {
            trace.next(Purpose::Ponder).is_some()
        } else {
            self.player.options.ponder && !self.interrupt.is_next_heard() && !self.position.is_over()
        };
        if !is_wanted {
            return;
        }
        // a fault has been logged, and nothing was asked
        let _ = self.guarded("ponder", |engine| {
            let Engine { position, player, interrupt, .. } = engine;
            interrupt.give_way();
            let color = position.to_move();
            player.ponder(&Query { position, color, limits: Limits::NONE, restrictions: None, interrupt });
            Ok(())
        });
    }

    /// Does some work of which a fault must not end the game.
    fn guarded<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&mut Engine) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(self)));
        outcome.unwrap_or_else(|_| {
            let commands: Vec<&str> = self.recent.iter().map(String::as_str).collect();
            let commands = commands.join("\n");
            tracing::error!(command = name, commands, "the game is built again from its record");
            self.recover();
            Err(CommandError::new(FAULT).field("command", name))
        })
    }

    /// Goes on after a fault: with the game as its record has it, and a search that has seen nothing yet.
    pub fn recover(&mut self) {
        // if that is at fault, the game stays as it is
        if let Ok(position) = catch_unwind(AssertUnwindSafe(|| self.position.replayed())) {
            self.position = position;
        }
        self.player.restart();
    }
}

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
    engine.interrupt.next_line();
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
    let interrupt = engine.interrupt.clone();
    let mut search = || {
        let mut said = Ok(());
        let mut tell = |line: &str| {
            said = say(output, &format!("{line}\n"));
            if said.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let outcome = engine.analyze(analysis, &mut tell);
        said.map(|()| outcome)
    };
    let outcome = if analysis.gives_way() { lines.meanwhile(&interrupt, &mut search)? } else { search()? };
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
    logging::log(&Entry {
        kind: EntryKind::Input,
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
    logging::log(&Entry { kind: EntryKind::Answer, plain: &response.plain(), caller, msg, fields: &fields });
    Answer { response, msg, fields, is_diagram, next }
}

/// The facts of an answer, with its text where they do not hold all it says.
fn with_text(mut fields: Fields, response: &Response) -> Fields {
    if !response.is_success || (fields.is_empty() && !response.text.is_empty()) {
        fields.push(("text", Value::from(response.text.as_str())));
    }
    fields
}
