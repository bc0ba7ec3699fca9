//! Runs the commands of a session and compares their answers with the log's.

use std::io;

use serde_json::{Map, Value};

use crate::VERSION;
use crate::gtp::command::{GameEffect, Repeatability};
use crate::gtp::commands::params::DRAWN_SEED;
use crate::gtp::dispatch::INTERNAL_ERROR;
use crate::gtp::response::{ERROR, FinishedCommand, LINE_LENGTH};
use crate::gtp::server::handle_line;
use crate::gtp::table::find;
use crate::gtp::{Audience, Engine};
use crate::kernel::Color;
use crate::player::{Interrupted, Purpose, SearchRecord};
use crate::protocol::line::{MAX_LINE, RawLine, Request, StreamLines};
use crate::replay::log::{LoggedAnswer, LoggedCommand, LoggedSession};
use crate::replay::option_names::{with_current_names, without_newer};
use crate::replay::start::SessionStart;
use crate::text::plural::counted;

/// Fields of an answer that are not compared: two depend on time, and the seed is taken from the log.
const UNCOMPARED_FIELDS: [&str; 3] = ["seconds", "reports", DRAWN_SEED];

/// The result of a replay.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct ReplaySummary {
    /// Commands that were run or replaced by the logged move.
    pub replayed: usize,
    /// Answers equal to the log's.
    pub equal: usize,
    /// Commands whose answers were not compared: those with a time; those with the version, if the log is of another
    /// version; commands that panicked; counts of the score that were interrupted; lines over the input limit; lines that
    /// have no answer now.
    pub uncompared: usize,
    /// Commands with searches that were replaced by the logged move.
    pub substituted: usize,
    /// The first different answer, as text.
    pub difference: Option<String>,
}

/// The way a replay runs commands that searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReplayMode {
    /// It repeats their searches.
    RepeatSearches,
    /// It plays the moves of the log.
    LoggedMoves,
}

impl ReplayMode {
    /// This mode if the session allows it: only searches on one thread can be repeated.
    pub fn possible_for(self, session: &LoggedSession) -> ReplayMode {
        let mut searches = session.commands.iter().flat_map(|command| command.searches.iter().chain(&command.pondered));
        if searches.all(|record| record.threads == 1) { self } else { ReplayMode::LoggedMoves }
    }
}

/// The outcome of one command.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Comparison {
    Equal,
    /// The answers differ, as this text shows.
    Different(String),
    Uncompared,
    Substituted,
}

/// The messages before a replay in the mode `wanted` by the person, one per line. `present` is the start of a session
/// here and now.
pub fn opening_messages(session: &LoggedSession, present: &SessionStart, wanted: ReplayMode) -> Vec<String> {
    let mut lines = session.start.differences(present);
    if wanted.possible_for(session) != wanted {
        lines.push("searches with several threads cannot be repeated: the log's moves are played".to_owned());
    }
    lines
}

/// The messages after the replay: the first difference, the counts, and the next command.
pub fn summary_messages(session: &LoggedSession, summary: &ReplaySummary) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(session.cut_message());
    lines.extend(session.damage.clone());
    lines.extend(summary.difference.clone());
    let ReplaySummary { replayed, equal, uncompared, substituted, .. } = summary;
    let number = session.number;
    lines.push(format!(
        "session {number}: {} replayed, {} equal, {uncompared} not compared, {substituted} with the log's move in place \
         of a search",
        counted(replayed, "command"),
        counted(equal, "answer"),
    ));
    if let Some(next) = session.commands.get(summary.replayed).filter(|_| summary.difference.is_none()) {
        let state = if next.answer.is_some() { "next in the log" } else { "never answered" };
        lines.push(format!("{state}: {}", next.text));
    }
    lines
}

/// Runs the first `count` commands of a session on an engine in its start state, up to the first different answer or a
/// command without an answer.
///
/// # Errors
/// None in practice: output goes to a sink.
pub fn run(engine: &mut Engine, session: &LoggedSession, count: usize, mode: ReplayMode) -> io::Result<ReplaySummary> {
    let mut summary = ReplaySummary::default();
    let is_same_version = session.start.version == VERSION;
    for (number, command) in (1..).zip(&session.commands).take(count) {
        let Some(answer) = &command.answer else { break };
        match replay(engine, command, answer, mode, is_same_version)? {
            Comparison::Equal => summary.equal += 1,
            Comparison::Uncompared => summary.uncompared += 1,
            Comparison::Substituted => summary.substituted += 1,
            Comparison::Different(difference) => {
                let LoggedCommand { place, text, .. } = command;
                summary.difference = Some(format!("command {number}, {place}: {text}\n{difference}"));
                break;
            }
        }
        summary.replayed += 1;
    }
    engine.player.trace.end_replay();
    engine.files.end_replay();
    Ok(summary)
}

/// Runs one command, or what stands for it in this mode, and compares its answer with the log's.
fn replay(
    engine: &mut Engine,
    command: &LoggedCommand,
    answer: &LoggedAnswer,
    mode: ReplayMode,
    is_same_version: bool,
) -> io::Result<Comparison> {
    let searches = mode == ReplayMode::RepeatSearches;
    let name = Request::parse(&command.text).map_or("", |request| request.name);
    let error = answer.fields.get("text").and_then(Value::as_str).filter(|_| answer.msg == ERROR);
    if error == Some(INTERNAL_ERROR) {
        // the command panicked at an unknown point
        engine.recover();
        return Ok(Comparison::Uncompared);
    }
    // a count has no effect, whether it is interrupted or not
    if error.is_some_and(|error| error == Interrupted.to_string()) || is_too_long(command, answer) {
        return Ok(Comparison::Uncompared);
    }
    let is_replaced = !searches && !command.searches.is_empty();
    let line = match is_replaced {
        true => without_search(command, answer),
        false => Some(command.text.clone()),
    };
    let Some(line) = line else { return Ok(Comparison::Substituted) };
    // a move takes the time of its search off the clock, also if it is only played
    let move_search = command.searches.iter().rfind(|record| is_replaced && record.purpose == Purpose::Move);
    let move_search = move_search.filter(|_| line.starts_with("play "));
    let records: Vec<SearchRecord> =
        command.searches.iter().chain(&command.pondered).copied().filter(|_| searches).collect();
    engine.player.trace.start_replay(records, answer.fields.get(DRAWN_SEED).and_then(Value::as_u64));
    engine.files.start_replay(&command.files);
    // the logged form of a line may be longer than the line
    let raw = RawLine { length: line.len().min(MAX_LINE), bytes: line.into_bytes() };
    let Some(given) =
        handle_line(engine, &raw, &mut StreamLines::new(io::empty()), &mut io::sink(), Audience::Program)?
    else {
        return Ok(Comparison::Uncompared);
    };
    if let Some(record) = move_search.filter(|_| given.response.is_success) {
        engine.clock.count_move(record.color, record.elapsed.as_secs_f64());
    }
    let mismatches = engine.player.trace.mismatches();
    Ok(match (is_replaced, given.response.is_success) {
        (true, true) => Comparison::Substituted,
        (true, false) => Comparison::Different(format!("  the log's move is refused: {}", given.response.text)),
        // the answer depends on an earlier search that was not repeated
        (false, _) if !searches && mismatches > 0 => Comparison::Substituted,
        _ => match find(name).map(|command| command.repeatability) {
            Some(Repeatability::Time) => Comparison::Uncompared,
            Some(Repeatability::DependsOnSearchTime) if !searches => Comparison::Substituted,
            Some(Repeatability::Version) if !is_same_version => Comparison::Uncompared,
            _ => compare(name, answer, &given, mismatches, is_same_version),
        },
    })
}

/// Whether the line was refused because it exceeded the input limit; the log then holds only its beginning.
fn is_too_long(command: &LoggedCommand, answer: &LoggedAnswer) -> bool {
    if answer.fields.contains_key(LINE_LENGTH) {
        return true;
    }
    // versions up to 0.15 logged the length in the text only
    let text = answer.fields.get("text").and_then(Value::as_str).unwrap_or_default();
    let length = text.strip_prefix("line of ").and_then(|rest| rest.split_once(" bytes, expected at most"));
    length.is_some_and(|(length, _)| command.text.ends_with(&format!("({length} bytes)")))
}

/// The command that has the effect of a searched command on the game, from the logged answer; `None` if it had none.
pub(super) fn without_search(command: &LoggedCommand, answer: &LoggedAnswer) -> Option<String> {
    let Request { name, arguments, .. } = Request::parse(&command.text)?;
    let fact = |key: &str| answer.fields.get(key).and_then(Value::as_str);
    match name {
        "gg_genmove" => arguments.split_whitespace().nth(1).map(|seed| format!("set_random_seed {seed}")),
        "place_free_handicap" => fact("points").map(|points| format!("set_free_handicap {points}")),
        _ if find(name)?.effect == GameEffect::Changes => {
            let color: Color = command.searches.first()?.color;
            fact("move").filter(|play| *play != "resign").map(|play| format!("play {color} {play}"))
        }
        _ => None,
    }
}

/// Compares an answer to a command with the log's. The words of errors are compared within a version only.
fn compare(
    command: &str,
    answer: &LoggedAnswer,
    given: &FinishedCommand,
    mismatches: usize,
    is_same_version: bool,
) -> Comparison {
    let mut logged = answer.fields.clone();
    logged.insert("msg".to_owned(), Value::from(answer.msg.as_str()));
    let fields = given.fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    let replayed: Map<String, Value> = fields.chain([("msg".to_owned(), Value::from(given.msg))]).collect();
    // parsed again from text, so that numbers have the precision and type of those read from the log
    let replayed: Map<String, Value> = serde_json::from_str(&Value::Object(replayed).to_string()).unwrap_or_default();
    let (mut logged, replayed) = (with_current_names(command, logged), with_current_names(command, replayed));
    let mut replayed = without_newer(command, &logged, replayed);
    if !is_same_version && answer.msg == ERROR {
        logged.remove("text");
    }
    if !logged.contains_key("text") {
        // versions before 0.16 logged the text of fewer answers
        replayed.remove("text");
    }
    let only = |facts: &Map<String, Value>, others: &Map<String, Value>| {
        let differs =
            |key: &String, value: &Value| !UNCOMPARED_FIELDS.contains(&key.as_str()) && others.get(key) != Some(value);
        let facts = facts.iter().filter(|(key, value)| differs(key, value));
        facts.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>()
    };
    let (only_logged, only_replayed) = (only(&logged, &replayed), only(&replayed, &logged));
    if !only_logged.is_empty() || !only_replayed.is_empty() {
        let (logged, replayed) = (Value::Object(only_logged), Value::Object(only_replayed));
        return Comparison::Different(format!("  in the log: {logged}\n  replayed:   {replayed}"));
    }
    if mismatches > 0 {
        let text = format!("  the answer is the same, but {mismatches} of its searches differ from the log");
        return Comparison::Different(text);
    }
    Comparison::Equal
}

#[cfg(test)]
mod tests;
