//! Runs the commands of a session and compares their answers with the log's.

use std::io;

use serde_json::{Map, Value};

use crate::VERSION;
use crate::gtp::command::{AnswerKind, GameEffect};
use crate::gtp::commands::params::DRAWN_SEED;
use crate::gtp::dispatch::FAULT;
use crate::gtp::response::{Answer, ERROR};
use crate::gtp::server::handle_line;
use crate::gtp::table::find;
use crate::gtp::{Audience, Engine};
use crate::kernel::Color;
use crate::player::{Purpose, SearchRecord};
use crate::protocol::line::{MAX_LINE, RawLine, Request, StreamLines};
use crate::replay::log::{LoggedAnswer, LoggedCommand, Session};
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
    /// Answers that were not compared: times and versions.
    pub uncompared: usize,
    /// Commands with searches that were replaced by the logged move.
    pub substituted: usize,
    /// The first different answer, as text.
    pub difference: Option<String>,
}

/// The outcome of one command.
enum Comparison {
    Equal,
    Uncompared,
    Substituted,
}

/// Messages before the replay, one per line.
pub fn before(session: &Session, here: &SessionStart, no_search: bool) -> Vec<String> {
    let mut lines = session.start.differences(here);
    if !no_search && !is_repeatable(session) {
        lines.push("searches with several threads cannot be repeated: the log's moves are played".to_owned());
    }
    lines
}

/// Messages after the replay: the first difference, the counts, and the next command.
pub fn after(session: &Session, outcome: &ReplaySummary) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(place) = &session.cut {
        lines.push(format!("{place}: the line was not written to its end"));
    }
    lines.extend(session.damage.clone());
    lines.extend(outcome.difference.clone());
    let ReplaySummary { replayed, equal, uncompared, substituted, .. } = outcome;
    let number = session.number;
    lines.push(format!(
        "session {number}: {} replayed, {} equal, {uncompared} not compared, {substituted} with the log's move in place \
         of a search",
        counted(replayed, "command"),
        counted(equal, "answer"),
    ));
    if let Some(next) = session.commands.get(outcome.replayed).filter(|_| outcome.difference.is_none()) {
        let state = if next.answer.is_some() { "next in the log" } else { "never answered" };
        lines.push(format!("{state}: {}", next.text));
    }
    lines
}

/// Whether all searches of a session used one thread, and so can be repeated.
pub fn is_repeatable(session: &Session) -> bool {
    let searches = session.commands.iter().flat_map(|command| command.searches.iter().chain(&command.pondered));
    searches.into_iter().all(|record| record.threads == 1)
}

/// Runs the first `count` commands of a session on an engine in its start state, up to the first different answer or a
/// command without an answer. `searches`: whether searches are repeated.
///
/// # Errors
/// None in practice: output goes to a sink.
pub fn run(engine: &mut Engine, session: &Session, count: usize, searches: bool) -> io::Result<ReplaySummary> {
    let mut outcome = ReplaySummary::default();
    let is_same_version = session.start.version == VERSION;
    for (number, command) in (1..).zip(&session.commands).take(count) {
        let Some(answer) = &command.answer else { break };
        match replay(engine, command, answer, searches, is_same_version)? {
            Ok(Comparison::Equal) => outcome.equal += 1,
            Ok(Comparison::Uncompared) => outcome.uncompared += 1,
            Ok(Comparison::Substituted) => outcome.substituted += 1,
            Err(difference) => {
                let LoggedCommand { place, text, .. } = command;
                outcome.difference = Some(format!("command {number}, {place}: {text}\n{difference}"));
                break;
            }
        }
        outcome.replayed += 1;
    }
    engine.player.trace.end_replay();
    engine.files.finish();
    Ok(outcome)
}

/// Runs one command. The inner error is the difference.
fn replay(
    engine: &mut Engine,
    command: &LoggedCommand,
    answer: &LoggedAnswer,
    searches: bool,
    is_same_version: bool,
) -> io::Result<Result<Comparison, String>> {
    let name = Request::parse(&command.text).map_or("", |request| request.name);
    if answer.msg == ERROR && answer.fields.get("text").and_then(Value::as_str) == Some(FAULT) {
        // the command panicked at an unknown point
        engine.recover();
        return Ok(Ok(Comparison::Uncompared));
    }
    if is_too_long(command, answer) {
        return Ok(Ok(Comparison::Uncompared));
    }
    let is_replaced = !searches && !command.searches.is_empty();
    let line = match is_replaced {
        true => without_search(command, answer),
        false => Some(command.text.clone()),
    };
    let Some(line) = line else { return Ok(Ok(Comparison::Substituted)) };
    // a move takes the time of its search off the clock, also if it is only played
    let move_search = command.searches.iter().rfind(|record| is_replaced && record.purpose == Purpose::Move);
    let move_search = move_search.filter(|_| line.starts_with("play "));
    let records: Vec<SearchRecord> =
        command.searches.iter().chain(&command.pondered).copied().filter(|_| searches).collect();
    engine.player.trace.start_replay(records, answer.fields.get(DRAWN_SEED).and_then(Value::as_u64));
    engine.files.load(&command.files);
    // the logged form of a line may be longer than the line
    let raw = RawLine { length: line.len().min(MAX_LINE), bytes: line.into_bytes() };
    let Some(given) =
        handle_line(engine, &raw, &mut StreamLines::new(io::empty()), &mut io::sink(), Audience::Program)?
    else {
        return Ok(Ok(Comparison::Uncompared));
    };
    if let Some(record) = move_search.filter(|_| given.response.is_success) {
        engine.clock.count_move(record.color, record.elapsed.as_secs_f64());
    }
    let mismatches = engine.player.trace.mismatches();
    Ok(match (is_replaced, given.response.is_success) {
        (true, true) => Ok(Comparison::Substituted),
        (true, false) => Err(format!("  the log's move is refused: {}", given.response.text)),
        // the answer depends on an earlier search that was not repeated
        (false, _) if !searches && mismatches > 0 => Ok(Comparison::Substituted),
        _ => match find(name).map(|command| command.answer) {
            Some(AnswerKind::Time) => Ok(Comparison::Uncompared),
            Some(AnswerKind::DependsOnSearchTime) if !searches => Ok(Comparison::Substituted),
            Some(AnswerKind::Version) if !is_same_version => Ok(Comparison::Uncompared),
            _ => compare(name, answer, &given, mismatches, is_same_version).map(|()| Comparison::Equal),
        },
    })
}

/// Whether the line exceeded the input limit; the log then holds only its beginning.
fn is_too_long(command: &LoggedCommand, answer: &LoggedAnswer) -> bool {
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

/// Compares an answer to a command with the log's; the error shows the fields that differ. The words of errors are
/// compared within a version only.
fn compare(
    command: &str,
    answer: &LoggedAnswer,
    given: &Answer,
    mismatches: usize,
    is_same_version: bool,
) -> Result<(), String> {
    let mut there = answer.fields.clone();
    there.insert("msg".to_owned(), Value::from(answer.msg.as_str()));
    let fields = given.fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
    let here: Map<String, Value> = fields.chain([("msg".to_owned(), Value::from(given.msg))]).collect();
    // parsed again from text, so that numbers have the precision and type of those read from the log
    let here: Map<String, Value> = serde_json::from_str(&Value::Object(here).to_string()).unwrap_or_default();
    let (mut there, here) = (with_current_names(command, there), with_current_names(command, here));
    let mut here = without_newer(command, &there, here);
    if !is_same_version && answer.msg == ERROR {
        there.remove("text");
    }
    if !there.contains_key("text") {
        // versions before 0.16 logged the text of fewer answers
        here.remove("text");
    }
    let only = |facts: &Map<String, Value>, others: &Map<String, Value>| {
        let differs =
            |key: &String, value: &Value| !UNCOMPARED_FIELDS.contains(&key.as_str()) && others.get(key) != Some(value);
        let facts = facts.iter().filter(|(key, value)| differs(key, value));
        facts.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>()
    };
    let (of_there, of_here) = (only(&there, &here), only(&here, &there));
    if !of_there.is_empty() || !of_here.is_empty() {
        let (there, here) = (Value::Object(of_there), Value::Object(of_here));
        return Err(format!("  in the log: {there}\n  replayed:   {here}"));
    }
    if mismatches > 0 {
        return Err(format!("  the answer is the same, but {mismatches} of its searches differ from the log"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
