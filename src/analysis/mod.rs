//! `analysis`: KataGo's protocol for programs that analyse games. Each line is an object of JSON, queries in, answers out
//! as they are found.
//!
//! [`serve`] alone touches the streams: it reads a line, has `query` tell what it asks for, and puts positions to be
//! searched into the `queue`. From there as many as are searched side by side are taken, each with a tree of its own, so
//! that the same query gets the same answer whatever else is asked. `answer` has the lines that are written.
//!
//! For every position of every query there is one last answer, with `isDuringSearch` false. The field names are KataGo's:
//! `docs/Analysis_Engine.md` of its sources describes them. What is said of a move comes from playouts, so nothing is said
//! of its utility, and of ownership after each move; the rest is left out of an answer where it is not known.

mod answer;
mod fields;
mod query;
mod queue;
mod settings;

use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Map, Value, json};

use crate::analysis::fields::Refusal;
use crate::analysis::query::Request;
use crate::analysis::queue::{Job, Queue};
use crate::analysis::settings::{BadSetting, Settings};
use crate::io::quote::shortened;
use crate::net::Net;
use crate::player::Options;
use crate::protocol::line::{MAX_LINE, RawLine, clean};
use crate::protocol::perspective::View;
use crate::protocol::reader::{Input, spawn_reader};
use crate::search::{Limits, ProgressSink, SearchRequest, SearchResult, Searcher};

/// What programs wait for that start an engine: it is to be on stderr when it can be asked.
pub const READY: &str = "Started, ready to begin handling requests";

/// Who analyses, and how.
pub struct Analyst {
    /// The net that searches ask, if they ask one, and its name.
    pub net: Option<(String, Arc<Net>)>,
    /// Positions searched side by side, at least one.
    pub side_by_side: usize,
    /// Whether all that was asked is answered after the end of input.
    pub waits_at_end: bool,
    settings: Settings,
}

impl Analyst {
    /// An analyst who searches one position at a time as these options say.
    pub fn new(options: Options) -> Analyst {
        Analyst { net: None, side_by_side: 1, waits_at_end: true, settings: Settings::new(options) }
    }

    /// Takes settings for all queries, `NAME=VALUE,NAME=VALUE`, by the names of KataGo's configuration. Gives the names
    /// that are unknown.
    ///
    /// # Errors
    /// What is wrong with a value, or that there is none.
    pub fn set(&mut self, settings: &str) -> Result<Vec<String>, String> {
        let mut unknown = Vec::new();
        for setting in settings.split(',').map(str::trim).filter(|setting| !setting.is_empty()) {
            let (name, value) =
                setting.split_once('=').ok_or_else(|| format!("{}: expected NAME=VALUE", shortened(setting)))?;
            match self.settings.set(name.trim(), &Value::from(value.trim())) {
                Ok(()) => {}
                Err(BadSetting::Unknown) => unknown.push(name.trim().to_owned()),
                Err(BadSetting::Expected(expected)) => return Err(format!("{setting}: expected {expected}")),
            }
        }
        Ok(unknown)
    }
}

/// Reads queries and answers them until the end of input.
///
/// # Errors
/// If input cannot be read or output cannot be written. A closed output is no error: then nobody is listening.
pub fn serve(analyst: &Analyst, input: impl BufRead + Send + 'static, output: impl Write + Send) -> io::Result<()> {
    let (sender, events) = channel();
    let desk = Server {
        analyst,
        queue: Queue::default(),
        outlet: Mutex::new(Outlet { stream: output, is_closed: false, failure: None }),
        sender: sender.clone(),
    };
    spawn_reader(input, move |input| match sender.send(Event::Input(input)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    })?;
    thread::scope(|scope| {
        let work = || desk.work();
        for number in 0..analyst.side_by_side.max(1) {
            let worker = thread::Builder::new().name(format!("analysis {number}")).spawn_scoped(scope, work);
            // a machine that has no room for a thread makes do with fewer
            if let Err(error) = worker
                && number == 0
            {
                return Err(error);
            }
        }
        desk.listen(&events)
    })?;
    let outlet = desk.outlet.into_inner().unwrap_or_else(PoisonError::into_inner);
    match outlet.failure {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// What is waited for.
enum Event {
    /// A line, or the end of input.
    Input(Input),
    /// There is nobody to write to.
    Unheard,
}

/// Where lines go.
struct Outlet<W> {
    stream: W,
    is_closed: bool,
    /// What closed it, if it was not closed on purpose.
    failure: Option<io::Error>,
}

/// What all threads work at.
struct Server<'a, W> {
    analyst: &'a Analyst,
    queue: Queue,
    outlet: Mutex<Outlet<W>>,
    sender: Sender<Event>,
}

impl<W: Write> Server<'_, W> {
    /// Takes lines until there is no more to be done but to finish.
    fn listen(&self, events: &Receiver<Event>) -> io::Result<()> {
        let outcome = loop {
            match events.recv() {
                Ok(Event::Input(Input::Line(line))) => self.take(&line),
                Ok(Event::Input(Input::End(outcome))) => break outcome,
                Ok(Event::Unheard) | Err(_) => break Ok(()),
            }
        };
        if self.analyst.waits_at_end {
            self.queue.close();
        } else {
            self.close_outlet();
            self.queue.stop();
        }
        outcome
    }

    fn take(&self, line: &RawLine) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        let quoted = || shortened(clean(&line.bytes).trim());
        if line.length > MAX_LINE {
            let text = format!("{}: line of {} bytes, expected at most {MAX_LINE}", quoted(), line.length);
            return self.say(&answer::error(&text));
        }
        let object = match serde_json::from_slice(&line.bytes) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return self.say(&answer::error(&format!("{}: expected an object of JSON", quoted()))),
            Err(error) => return self.say(&answer::error(&format!("{}: expected JSON: {error}", quoted()))),
        };
        let Some(id) = object.get("id").and_then(Value::as_str) else {
            return self.say(&answer::error(&format!("{}: expected an id that is a string", quoted())));
        };
        match query::read(id, &object, self.analyst.settings) {
            Ok(request) => self.follow(id, &object, request),
            Err(refusal) => self.say(&answer::refusal(id, &refusal)),
        }
    }

    fn follow(&self, id: &str, object: &Map<String, Value>, request: Request) {
        let echo = |found: &[(&str, Value)]| self.say(&answer::echo(object.clone(), found));
        match request {
            Request::Search(query, warnings) => {
                warnings.iter().for_each(|warning| self.say(&answer::warning(id, warning)));
                self.queue.put(*query);
            }
            Request::Version => {
                let version = Value::from(env!("CARGO_PKG_VERSION"));
                echo(&[("version", version), ("git_hash", Value::from("<omitted>"))]);
            }
            Request::Models => {
                let models = self.analyst.net.iter().map(|(name, _)| json!({ "name": name })).collect();
                echo(&[("models", Value::Array(models))]);
            }
            // nothing is kept from one query to the next
            Request::ClearCache => echo(&[]),
            Request::Terminate(which) => {
                self.queue.terminate(&which).iter().for_each(|job| self.say(&answer::no_results(job)));
                echo(&[]);
            }
        }
    }

    /// Searches what waits until there will be no more.
    fn work(&self) {
        while let Some(job) = self.queue.next() {
            // a fault must not end the others, and whoever asked waits for an answer
            let outcome = catch_unwind(AssertUnwindSafe(|| self.search(&job)));
            match outcome {
                Ok(Ok(line)) => self.say(&line),
                Ok(Err(refusal)) => self.say(&answer::refusal(&job.query.id, &refusal)),
                Err(_) => self.say(&answer::fault(&job)),
            }
            self.queue.done(&job);
        }
    }

    /// The last answer for a position; reports are written before.
    fn search(&self, job: &Job) -> Result<String, Refusal> {
        let query = &*job.query;
        let Settings { options, .. } = query.settings;
        let position = query.position(job.turn)?;
        let mover = position.to_move();
        let coordinate = position.board().coordinate();
        let view = View { coordinate, searched: mover, reported: options.report_winrate_as.of(mover) };
        let net = self.analyst.net.as_ref().map(|(_, net)| &**net);
        let policy = net.filter(|_| query.shown.policy).map(|net| answer::policy(net, &position));
        let policy = policy.as_deref();
        let memory = (options.memory_mb as usize).div_ceil(self.analyst.side_by_side.max(1)) << 20;
        let request = SearchRequest {
            position: &position,
            color: mover,
            limits: Limits { time: None, ..options.limits() },
            threads: options.thread_count(),
            params: &options.params,
            extra_komi: 0.0,
            restrictions: Some(&query.restrictions),
            net,
            stop_signal: &job.stop_signal,
        };
        let mut on_progress = |result: &SearchResult| {
            self.say(&answer::line(job, result, view, policy, true));
            ControlFlow::Continue(())
        };
        let progress = match query.progress {
            Some((first, every)) => ProgressSink::new(every, &mut on_progress).with_first_report_after(first),
            None => ProgressSink::default(),
        };
        let result = Searcher::new(memory, options.resolved_seed()).search_with_progress(&request, progress);
        Ok(answer::line(job, &result, view, policy, false))
    }

    /// Writes a line, unless nobody listens any more.
    fn say(&self, line: &str) {
        let mut outlet = self.outlet.lock().unwrap_or_else(PoisonError::into_inner);
        if outlet.is_closed {
            return;
        }
        let written = outlet.stream.write_all(format!("{line}\n").as_bytes()).and_then(|()| outlet.stream.flush());
        if let Err(error) = written {
            (outlet.is_closed, outlet.failure) = (true, Some(error));
            drop(outlet);
            self.queue.stop();
            // whoever hears of it may have left already
            let _ = self.sender.send(Event::Unheard);
        }
    }

    fn close_outlet(&self) {
        self.outlet.lock().unwrap_or_else(PoisonError::into_inner).is_closed = true;
    }
}
