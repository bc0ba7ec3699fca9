//! A session run again from its JSON log, and compared answer by answer.
//!
//! With one thread, searches are made again as they were: with the same chances, ended after as many ways through the tree.
//! Searches by several threads are never the same twice; then, or if asked for, the moves of the log are played without
//! any search.

mod games;
mod log;
mod option_names;
mod start;
#[cfg(test)]
mod tests;

use std::io;

use serde_json::{Map, Value};

use crate::gtp::response::Answer as Given;
use crate::gtp::{Engine, FAULT, exchange};
use crate::kernel::Color;
use crate::player::SearchRecord;
use crate::protocol::line::{MAX_LINE, RawLine, Request, StreamLines};
use crate::replay::option_names::with_current_names;

pub use crate::replay::games::records;
pub use crate::replay::log::Answer;
pub use crate::replay::log::Command;
pub use crate::replay::log::Place;
pub use crate::replay::log::Session;
pub use crate::replay::log::Sessions;
pub use crate::replay::log::no_session;
pub use crate::replay::log::session;
pub use crate::replay::start::SessionStart;

/// Facts of an answer that tell of time, which is never the same twice.
const TIMES: [&str; 2] = ["seconds", "reports"];

/// Commands that answer with a time.
const CLOCKS: [&str; 2] = ["cputime", "gomill-cpu_time"];

/// Commands that answer with the version.
const VERSIONS: [&str; 3] = ["version", "gomill-describe_engine", "printsgf"];

/// What came of a replay.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Outcome {
    /// Commands that were run, or stood in for.
    pub replayed: usize,
    /// Answers that were as in the log.
    pub alike: usize,
    /// Answers that tell of time or of the version, which were not compared.
    pub uncompared: usize,
    /// Commands whose searches were not made again: of them the log's moves were played.
    pub unsearched: usize,
    /// The first answer that was another, in words.
    pub difference: Option<String>,
}

/// How a command was replayed.
enum Verdict {
    Alike,
    Uncompared,
    Unsearched,
}

/// What is to be said before a session is replayed, one piece a line.
pub fn before(session: &Session, here: &SessionStart, no_search: bool) -> Vec<String> {
    let mut lines = session.start.differences(here);
    if !no_search && !is_repeatable(session) {
        lines.push("several threads searched, which is never the same twice: the log's moves are played".to_owned());
    }
    lines
}

/// What came of a replay in words: the first difference, or that there is none, and where the session stands.
pub fn after(session: &Session, outcome: &Outcome) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(place) = &session.cut {
        lines.push(format!("{place}: the line was not written to its end"));
    }
    lines.extend(session.damage.clone());
    lines.extend(outcome.difference.clone());
    let Outcome { replayed, alike, uncompared, unsearched, .. } = outcome;
    let number = session.number;
    lines.push(format!(
        "session {number}: {replayed} commands replayed, {alike} answers alike, {uncompared} not compared, \
         {unsearched} with the log's move in place of a search"
    ));
    if let Some(next) = session.commands.get(outcome.replayed).filter(|_| outcome.difference.is_none()) {
        let what = if next.answer.is_some() { "next in the log" } else { "never answered" };
        lines.push(format!("{what}: {}", next.text));
    }
    lines
}

/// Whether the searches of a session can be made again: where one thread searched, they can.
pub fn is_repeatable(session: &Session) -> bool {
    let searches = session.commands.iter().flat_map(|command| command.searches.iter().chain(&command.pondered));
    searches.into_iter().all(|made| made.threads == 1)
}

/// Runs the first `most` commands of a session again, on an engine as it started, up to the first answer that is another
/// or a command that was never answered. `searches`: whether searches are made again.
///
/// # Errors
/// None of its own: those of writing to nobody.
pub fn run(engine: &mut Engine, session: &Session, most: usize, searches: bool) -> io::Result<Outcome> {
    let mut outcome = Outcome::default();
    let is_same_version = session.start.version == env!("CARGO_PKG_VERSION");
    for (number, command) in (1..).zip(&session.commands).take(most) {
        let Some(answer) = &command.answer else { break };
        match replay(engine, command, answer, searches, is_same_version)? {
            Ok(Verdict::Alike) => outcome.alike += 1,
            Ok(Verdict::Uncompared) => outcome.uncompared += 1,
            Ok(Verdict::Unsearched) => outcome.unsearched += 1,
            Err(difference) => {
                let Command { place, text, .. } = command;
                outcome.difference = Some(format!("command {number}, line {}: {text}\n{difference}", place.line));
                break;
            }
        }
        outcome.replayed += 1;
    }
    engine.player.trace.finish();
    engine.data.finish();
    Ok(outcome)
}

/// Runs a command again. The error is what differs.
fn replay(
    engine: &mut Engine,
    command: &Command,
    answer: &Answer,
    searches: bool,
    is_same_version: bool,
) -> io::Result<Result<Verdict, String>> {
    let name = Request::parse(&command.text).map_or("", |request| request.name);
    if answer.facts.get("text").and_then(Value::as_str) == Some(FAULT) {
        // how far the command came nobody knows
        engine.recover();
        return Ok(Ok(Verdict::Uncompared));
    }
    if is_too_long(command, answer) {
        return Ok(Ok(Verdict::Uncompared));
    }
    let is_stood_in_for = !searches && !command.searches.is_empty();
    let line = match is_stood_in_for {
        true => stand_in(command, answer),
        false => Some(command.text.clone()),
    };
    let Some(line) = line else { return Ok(Ok(Verdict::Unsearched)) };
    let made: Vec<SearchRecord> =
        command.searches.iter().chain(&command.pondered).copied().filter(|_| searches).collect();
    engine.player.trace.load(made);
    engine.data.load(&command.files);
    // the log's form of a line may be longer than the line was
    let raw = RawLine { length: line.len().min(MAX_LINE), bytes: line.into_bytes() };
    let Some(given) = exchange(engine, &raw, &mut StreamLines::new(io::empty()), &mut io::sink(), None)? else {
        return Ok(Ok(Verdict::Uncompared));
    };
    let mismatches = engine.player.trace.mismatches();
    Ok(match (is_stood_in_for, given.response.is_success) {
        (true, true) => Ok(Verdict::Unsearched),
        (true, false) => Err(format!("  the log's move is refused: {}", given.response.text)),
        // an answer that rests on a search which the log has before
        (false, _) if !searches && mismatches > 0 => Ok(Verdict::Unsearched),
        _ if CLOCKS.contains(&name) || (!is_same_version && VERSIONS.contains(&name)) => Ok(Verdict::Uncompared),
        _ => compare(name, answer, &given, mismatches).map(|()| Verdict::Alike),
    })
}

/// Whether the line was longer than is read: the log then has only its beginning.
fn is_too_long(command: &Command, answer: &Answer) -> bool {
    let text = answer.facts.get("text").and_then(Value::as_str).unwrap_or_default();
    let length = text.strip_prefix("line of ").and_then(|rest| rest.split_once(" bytes, expected at most"));
    length.is_some_and(|(length, _)| command.text.ends_with(&format!("({length} bytes)")))
}

/// The command that does to the game what a command with a search did; `None` where that was nothing.
fn stand_in(command: &Command, answer: &Answer) -> Option<String> {
    let name = Request::parse(&command.text)?.name;
    let fact = |key: &str| answer.facts.get(key).and_then(Value::as_str);
    match name {
        "genmove" | "kgs-genmove_cleanup" | "lz-genmove_analyze" | "kata-genmove_analyze" => {
            let color: Color = command.searches.first()?.color;
            fact("move").filter(|play| *play != "resign").map(|play| format!("play {color} {play}"))
        }
        "place_free_handicap" => fact("points").map(|points| format!("set_free_handicap {points}")),
        _ => None,
    }
}

/// Compares an answer to a command with the log's; the error shows what differs.
fn compare(command: &str, answer: &Answer, given: &Given, mismatches: usize) -> Result<(), String> {
    let mut there = answer.facts.clone();
    there.insert("msg".to_owned(), Value::from(answer.msg.as_str()));
    let fields = given.fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    let here: Map<String, Value> = fields.chain([("msg".to_owned(), Value::from(given.msg))]).collect();
    // numbers are the same if they are written alike
    let here: Map<String, Value> = serde_json::from_str(&Value::Object(here).to_string()).unwrap_or_default();
    let (there, here) = (with_current_names(command, there), with_current_names(command, here));
    let only = |facts: &Map<String, Value>, others: &Map<String, Value>| {
        let differs = |key: &String, value: &Value| !TIMES.contains(&key.as_str()) && others.get(key) != Some(value);
        let facts = facts.iter().filter(|(key, value)| differs(key, value));
        facts.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>()
    };
    let (of_there, of_here) = (only(&there, &here), only(&here, &there));
    if !of_there.is_empty() || !of_here.is_empty() {
        let (there, here) = (Value::Object(of_there), Value::Object(of_here));
        return Err(format!("  in the log: {there}\n  replayed:   {here}"));
    }
    if mismatches > 0 {
        return Err(format!("  the answer is the same, but {mismatches} of its searches went another way"));
    }
    Ok(())
}
