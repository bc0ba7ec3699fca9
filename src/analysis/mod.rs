//! `analysis`: KataGo's analysis protocol. Each line is a JSON object: queries in, responses out.
//!
//! This file alone reads and writes the streams. [`serve`] reads a line, parses it with `query`, and adds its positions
//! to `queue`. Worker threads take positions from the queue and search each with a tree of its own, so that a query's
//! response does not depend on other queries. `response` formats the lines that are written.
//!
//! Every position of every accepted query gets exactly one final response, with `isDuringSearch` false, unless the
//! output is closed first. The field names are KataGo's, described in `docs/Analysis_Engine.md` of its sources; fields
//! without a value are left out. The numbers of lines and of positions that wait are bounded.

mod fields;
mod position_hash;
mod query;
mod queue;
mod response;
mod settings;

use std::io::{self, BufRead, Write};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Map, Value};

use crate::VERSION;
use crate::analysis::fields::FieldMessage;
pub use crate::analysis::query::{ACTION_FIELDS, ACTIONS, QUERY_FIELDS};
use crate::analysis::query::{Defaults, QueryAction};
pub use crate::analysis::queue::QueueLimits;
use crate::analysis::queue::{Job, Queue};
use crate::analysis::response::ResponseContext;
pub use crate::analysis::settings::names as setting_names;
use crate::analysis::settings::{SettingError, Settings};
use crate::net::Net;
use crate::player::Options;
use crate::protocol::katago_model::model;
use crate::protocol::katago_params::split_settings;
use crate::protocol::line::{RawLine, clean};
use crate::protocol::reader::{Input, spawn_reader};
use crate::protocol::report_view::ReportView;
use crate::search::params::{is_search_by_net, is_small_board};
use crate::search::{Limits, ProgressSink, SearchRequest, SearchResult, Searcher};
use crate::text::quote::shortened;

/// The line on stderr for which clients wait before they send queries.
pub const READY: &str = "Started, ready to begin handling requests";

/// Lines that may wait to be parsed, of at most [`MAX_LINE`](crate::protocol::line::MAX_LINE) bytes each. The reader
/// waits for space.
const MAX_LINES_AHEAD: usize = 64;

/// Configuration of the analysis engine.
pub struct AnalysisConfig {
    /// The net that searches use, with its name; `None`: no net.
    pub net: Option<(String, Arc<Net>)>,
    /// Number of positions searched in parallel, at least one.
    pub parallel_positions: usize,
    /// Whether pending queries are finished after the end of input.
    pub finishes_pending: bool,
    /// The limits of queries that wait for a search.
    pub queue_limits: QueueLimits,
    settings: Settings,
}

impl AnalysisConfig {
    /// A configuration to search one position at a time with these options.
    pub fn new(options: Options) -> AnalysisConfig {
        let (settings, queue_limits) = (Settings::new(options), QueueLimits::default());
        AnalysisConfig { net: None, parallel_positions: 1, finishes_pending: true, queue_limits, settings }
    }

    /// Sets defaults for all queries from `NAME=VALUE,NAME=VALUE` with KataGo's configuration names. Returns the
    /// names of settings that are unknown or not supported.
    ///
    /// # Errors
    /// The first setting without a value or with an invalid one.
    pub fn set(&mut self, settings: &str) -> Result<Vec<String>, String> {
        let mut unknown = Vec::new();
        for (setting, pair) in split_settings(settings) {
            let (name, value) = pair.ok_or_else(|| format!("{}: expected NAME=VALUE", shortened(setting)))?;
            match self.settings.set(name, &Value::from(value)) {
                Ok(()) => {}
                Err(SettingError::Unknown | SettingError::Unsupported(_)) => unknown.push(name.to_owned()),
                Err(SettingError::Expected(expected)) => return Err(format!("{setting}: expected {expected}")),
            }
        }
        Ok(unknown)
    }
}

/// Reads queries and answers them until the end of input.
///
/// # Errors
/// An input or output error. A closed output pipe is no error.
pub fn serve(
    config: &AnalysisConfig,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send,
) -> io::Result<()> {
    let (sender, events) = sync_channel(MAX_LINES_AHEAD);
    let server = Server {
        config,
        queue: Queue::new(config.queue_limits),
        output_stream: Mutex::new(Output { stream: output, is_closed: false, failure: None }),
        sender: sender.clone(),
    };
    spawn_reader(input, move |input| match sender.send(Event::Input(input)) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    })?;
    thread::scope(|scope| {
        let work = || server.work();
        for number in 0..config.parallel_positions.max(1) {
            let worker = thread::Builder::new().name(format!("analysis {number}")).spawn_scoped(scope, work);
            // if the system refuses a thread, fewer positions are searched in parallel
            if let Err(error) = worker
                && number == 0
            {
                return Err(error);
            }
        }
        let _guard = StopOnPanic(&server.queue);
        server.listen(&events)
    })?;
    let output_stream = server.output_stream.into_inner().unwrap_or_else(PoisonError::into_inner);
    match output_stream.failure {
        Some(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

/// Stops the queue if its thread panics: otherwise the workers would wait for jobs forever, and the scope for the workers.
struct StopOnPanic<'a>(&'a Queue);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.stop();
        }
    }
}

/// An event for the main thread.
enum Event {
    /// A line, or the end of input.
    Input(Input),
    /// The output is closed.
    OutputClosed,
}

/// The output stream.
struct Output<W> {
    stream: W,
    is_closed: bool,
    /// The error that closed it; `None` if it was closed on purpose.
    failure: Option<io::Error>,
}

/// The state that all threads share.
struct Server<'a, W> {
    config: &'a AnalysisConfig,
    queue: Queue,
    output_stream: Mutex<Output<W>>,
    sender: SyncSender<Event>,
}

impl<W: Write> Server<'_, W> {
    /// Handles lines until the end of input.
    fn listen(&self, events: &Receiver<Event>) -> io::Result<()> {
        let outcome = loop {
            match events.recv() {
                Ok(Event::Input(Input::Line(line))) => self.parse(&line),
                Ok(Event::Input(Input::End(outcome))) => break outcome,
                Ok(Event::OutputClosed) | Err(_) => break Ok(()),
            }
            // if the channel was full, no event says so
            if self.lock_output().is_closed {
                break Ok(());
            }
        };
        if self.config.finishes_pending {
            self.queue.close();
        } else {
            self.close_output_stream();
            self.queue.stop();
        }
        outcome
    }

    fn parse(&self, line: &RawLine) {
        if line.bytes.trim_ascii().is_empty() {
            return;
        }
        let quoted = || shortened(clean(&line.bytes).trim());
        if let Some(excess) = line.too_long_message() {
            return self.write(&response::error(&format!("{}: {excess}", quoted())));
        }
        let object = match serde_json::from_slice(&line.bytes) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return self.write(&response::error(&format!("{}: expected a JSON object", quoted()))),
            Err(error) => return self.write(&response::error(&format!("{}: expected JSON: {error}", quoted()))),
        };
        let Some(id) = object.get("id").and_then(Value::as_str) else {
            return self.write(&response::error(&format!("{}: expected an id that is a string", quoted())));
        };
        let net = self.config.net.as_ref().map(|(_, net)| &**net);
        match query::read(id, &object, line.bytes.len(), Defaults { settings: self.config.settings, net }) {
            Ok(request) => self.handle(id, &object, request),
            Err(refusal) => self.write(&response::refusal(id, &refusal)),
        }
    }

    fn handle(&self, id: &str, object: &Map<String, Value>, request: QueryAction) {
        let echo = |found: &[(&str, Value)]| self.write(&response::echo(object.clone(), found));
        match request {
            QueryAction::Search(query, warnings) => {
                warnings.iter().for_each(|warning| self.write(&response::warning(id, warning)));
                if let Err(refusal) = self.queue.put(*query) {
                    self.write(&response::refusal(id, &refusal));
                }
            }
            QueryAction::Version => {
                let version = Value::from(VERSION);
                echo(&[("version", version), ("git_hash", Value::from("<omitted>"))]);
            }
            QueryAction::Models => {
                let models = self.config.net.iter().map(|(name, net)| model(name, net)).collect();
                echo(&[("models", Value::Array(models))]);
            }
            // nothing is cached between queries
            QueryAction::ClearCache => echo(&[]),
            QueryAction::Terminate(filter) => {
                self.queue.terminate(&filter).iter().for_each(|job| self.write(&response::no_results(job)));
                echo(&[]);
            }
        }
    }

    /// The loop of a worker thread: searches queued positions until the queue is closed and empty.
    fn work(&self) {
        while let Some(job) = self.queue.next() {
            // a panic must not end the other searches, and the client still waits for a response
            let outcome = catch_unwind(AssertUnwindSafe(|| self.search(&job)));
            match outcome {
                Ok(Ok(line)) => self.write(&line),
                Ok(Err(refusal)) => self.write(&response::refusal(&job.query.id, &refusal)),
                Err(_) => self.write(&response::internal_error(&job)),
            }
            self.queue.finish(&job);
        }
    }

    /// Searches a position, writes intermediate responses if the query requests them, and returns the final response.
    fn search(&self, job: &Job) -> Result<String, FieldMessage> {
        let query = &*job.query;
        let Settings { options, ignore_pre_root_history, .. } = query.settings;
        let position = query.position(job.turn)?;
        let to_move = position.to_move();
        let coordinate = position.board().coordinate();
        let view = ReportView { coordinate, to_move, reported: options.report_winrate_as.of(to_move) };
        let net = self.config.net.as_ref().map(|(_, net)| &**net);
        let is_by_net = net.is_some_and(|net| is_search_by_net(net, &options.params, coordinate));
        // the policy of a net is reported on request even where the search does not use it
        let reported_net = net.filter(|_| is_by_net || query.included.policy || !is_small_board(coordinate));
        let context = ResponseContext::new(job, &position, view, reported_net, is_by_net);
        let memory = (options.memory_share_mb(self.config.parallel_positions) as usize) << 20;
        let request = SearchRequest {
            position: &position,
            color: to_move,
            limits: Limits { time: None, ..options.limits() },
            threads: options.thread_count(),
            params: &options.params,
            extra_komi: 0.0,
            doubling_advantage_player: to_move,
            restrictions: Some(&query.restrictions),
            net,
            detailed_ownership: query.included.any_ownership(),
            ignore_pre_root_history,
            stop_signal: &job.stop_signal,
            stops_if_interrupted_only: false,
        };
        let mut on_progress = |result: &SearchResult| {
            self.write(&context.intermediate_line(result));
            ControlFlow::Continue(())
        };
        let progress = match query.progress {
            Some((first, every)) => ProgressSink::new(every, &mut on_progress).with_first_report_after(first),
            None => ProgressSink::default(),
        };
        let mut searcher = Searcher::new(memory, options.resolved_seed());
        let result = searcher.search_with_progress(&request, progress);
        Ok(context.final_line(&result))
    }

    /// Writes a line, unless the output is closed.
    fn write(&self, line: &str) {
        let mut output_stream = self.lock_output();
        if output_stream.is_closed {
            return;
        }
        let written =
            output_stream.stream.write_all(format!("{line}\n").as_bytes()).and_then(|()| output_stream.stream.flush());
        if let Err(error) = written {
            (output_stream.is_closed, output_stream.failure) = (true, Some(error));
            drop(output_stream);
            self.queue.stop();
            // the main thread may be this one, or have ended; if the channel is full, it looks after its next event
            let _ = self.sender.try_send(Event::OutputClosed);
        }
    }

    fn close_output_stream(&self) {
        self.lock_output().is_closed = true;
    }

    fn lock_output(&self) -> MutexGuard<'_, Output<W>> {
        self.output_stream.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
