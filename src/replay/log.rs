//! Parses a JSON log into sessions: commands with their answers, searches and files.
//!
//! A log may hold many sessions, and may end in the middle of a line, because an engine can be killed at any moment. It
//! may have gaps from a full disk; a session then ends before the first line that is out of order.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::gtp::command_files::FileAccess;
use crate::gtp::log_notes::{FILE, NoteError, SEARCH, parse_file_note, parse_search_note};
use crate::io::files::{self, FileError};
use crate::logging::rotated_set;
use crate::player::SearchRecord;
use crate::protocol::line::Request;
use crate::replay::start::{SESSION, SessionStart};
use crate::text::input::without_byte_order_mark;

/// Maximum length of a line in bytes, far above that of a command or a recorded file (1 MiB each) with every character
/// escaped. A longer line is read in parts, which do not parse.
const MAX_LINE: u64 = 64 << 20;

/// A session of the engine.
#[derive(Clone, PartialEq, Debug)]
pub struct LoggedSession {
    /// Its number in the log, from 1.
    pub number: usize,
    /// The record of its start.
    pub start: SessionStart,
    /// Its commands, without comments.
    pub commands: Vec<LoggedCommand>,
    /// The place of an incomplete last line.
    pub cut: Option<Place>,
    /// The first line that is out of order, and the reason; later lines are ignored.
    pub damage: Option<String>,
}

impl LoggedSession {
    /// The message about an incomplete last line.
    pub(crate) fn cut_message(&self) -> Option<String> {
        self.cut.as_ref().map(|place| format!("{place}: the line was not written to its end"))
    }
}

/// A command with its outcome.
#[derive(Clone, PartialEq, Debug)]
pub struct LoggedCommand {
    /// Its place in the log.
    pub place: Place,
    /// The command line, with its id.
    pub text: String,
    /// The searches made for the answer.
    pub searches: Vec<SearchRecord>,
    /// The files read and written for it.
    pub files: Vec<FileAccess>,
    /// The answer; `None` if the engine ended first.
    pub answer: Option<LoggedAnswer>,
    /// Searches in the opponent's time after the answer.
    pub pondered: Vec<SearchRecord>,
}

/// An answer in the log.
#[derive(Clone, PartialEq, Debug)]
pub struct LoggedAnswer {
    /// The kind of event: `msg`.
    pub msg: String,
    /// The other fields of the event.
    pub fields: Map<String, Value>,
}

/// A line of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1.
    pub line: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file.display(), self.line)
    }
}

/// The files of a log: the given ones, oldest first, or all files of the rotated log that a single one names.
pub fn log_files(files: &[PathBuf]) -> Vec<PathBuf> {
    match files {
        [file] => rotated_set(file),
        files => files.to_vec(),
    }
}

/// Reads session `number`, or the last session, of a log in [`log_files`].
///
/// # Errors
/// One line: an unreadable file, a damaged start of the session, or no such session.
pub fn session(files: &[PathBuf], number: Option<usize>) -> Result<LoggedSession, String> {
    let mut last = None;
    let mut count = 0;
    for session in Sessions::new(files) {
        match session {
            Ok(session) if number.is_none_or(|number| number == session.0) => last = Some(session),
            Ok((number, _)) => count = number,
            Err(reason) => return Err(reason),
        }
        if number.is_some_and(|number| last.as_ref().is_some_and(|(found, _)| *found == number)) {
            break;
        }
    }
    match (last, number) {
        (Some((_, session)), _) => session,
        (None, number) => Err(no_session(files, number, count)),
    }
}

/// The error for a missing session in files with `count` sessions.
pub fn no_session(files: &[PathBuf], number: Option<usize>, count: usize) -> String {
    let names = files::join_paths(files);
    match number.filter(|_| count > 0) {
        Some(number) => format!("{names}: no session {number}, expected 1 to {count}"),
        None => format!("{names}: no session begins here, expected a line with \"msg\":\"{SESSION}\""),
    }
}

/// An iterator over the sessions of a log: the number, and the session or the damage of its start.
pub struct Sessions {
    files: std::vec::IntoIter<PathBuf>,
    lines: Option<Lines>,
    open: Option<SessionParser>,
    count: usize,
}

impl Sessions {
    /// The sessions of a log in [`log_files`]. Lines before the first start are skipped: they
    /// belong to a session whose start is in a deleted file of a rotated log.
    pub fn new(files: &[PathBuf]) -> Sessions {
        Sessions { files: log_files(files).into_iter(), lines: None, open: None, count: 0 }
    }

    /// The next line of all files.
    fn next_line(&mut self) -> Result<Option<(Place, Vec<u8>)>, String> {
        loop {
            if let Some(lines) = &mut self.lines
                && let Some(line) = lines.next()?
            {
                return Ok(Some(line));
            }
            match self.files.next() {
                Some(file) => self.lines = Some(Lines::open(&file)?),
                None => return Ok(None),
            }
        }
    }
}

/// The number of a session, and the session or the damage of its start.
type Numbered = (usize, Result<LoggedSession, String>);

impl Iterator for Sessions {
    type Item = Result<Numbered, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (place, bytes) = match self.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => return self.open.take().map(|open| Ok(open.end())),
                Err(reason) => return Some(Err(reason)),
            };
            let event = event(&bytes);
            if event.as_ref().is_ok_and(|event| event.msg == SESSION) {
                self.count += 1;
                let next = SessionParser::new(self.count, place, event);
                if let Some(before) = self.open.replace(next) {
                    return Some(Ok(before.end()));
                }
            } else if let Some(open) = &mut self.open {
                open.take(place, event);
            }
        }
    }
}

/// The lines of a file.
struct Lines {
    source: BufReader<File>,
    place: Place,
}

impl Lines {
    fn open(path: &Path) -> Result<Lines, String> {
        let file = files::open(path).map_err(|error| FileError::read(path, &error).to_string())?;
        Ok(Lines { source: BufReader::new(file), place: Place { file: path.to_owned(), line: 0 } })
    }

    fn next(&mut self) -> Result<Option<(Place, Vec<u8>)>, String> {
        let mut bytes = Vec::new();
        let read = io::Read::take(&mut self.source, MAX_LINE).read_until(b'\n', &mut bytes);
        read.map_err(|error| FileError::read(&self.place.file, &error).to_string())?;
        if bytes.is_empty() {
            return Ok(None);
        }
        self.place.line += 1;
        Ok(Some((self.place.clone(), bytes)))
    }
}

/// An event of the log.
struct Event {
    level: String,
    msg: String,
    /// The other fields.
    fields: Map<String, Value>,
}

/// The fields of a line. The first of several equal keys is used: in logs of earlier versions, answers to the command
/// `level` have a second field `level`.
struct Pairs(Map<String, Value>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Pairs, A::Error> {
                let mut pairs = Map::new();
                while let Some((key, value)) = access.next_entry::<String, Value>()? {
                    pairs.entry(key).or_insert(value);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

fn event(bytes: &[u8]) -> Result<Event, String> {
    let Pairs(mut fields) =
        serde_json::from_slice(without_byte_order_mark(bytes)).map_err(|_| "no object of JSON".to_owned())?;
    let mut text = |key: &str| match fields.remove(key) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(format!("no \"{key}\"")),
    };
    let (level, msg) = (text("level")?, text("msg")?);
    text("ts")?;
    text("caller")?;
    Ok(Event { level, msg, fields })
}

/// A line that cannot be used.
struct Damage {
    place: Place,
    reason: String,
    /// Whether the line is an event, which then is out of order.
    is_event: bool,
}

/// A session while it is parsed.
struct SessionParser {
    number: usize,
    start: Result<SessionStart, String>,
    commands: Vec<LoggedCommand>,
    /// The first line that cannot be used.
    damage: Option<Damage>,
    last: Place,
}

impl SessionParser {
    fn new(number: usize, place: Place, event: Result<Event, String>) -> SessionParser {
        let start = event.and_then(|event| {
            SessionStart::read(&event.fields).map_err(|key| format!("\"{key}\" is missing or invalid"))
        });
        let start = start.map_err(|reason| damaged(&place, &reason));
        SessionParser { number, start, commands: Vec::new(), damage: None, last: place }
    }

    fn take(&mut self, place: Place, event: Result<Event, String>) {
        let is_event = event.is_ok();
        if self.damage.is_none()
            && let Err(reason) = event.and_then(|event| self.add(&place, event))
        {
            self.damage = Some(Damage { place: place.clone(), reason, is_event });
        }
        self.last = place;
    }

    fn add(&mut self, place: &Place, event: Event) -> Result<(), String> {
        let Event { level, msg, mut fields } = event;
        let is_answered = self.commands.last().is_none_or(|command| command.answer.is_some());
        if msg == "input" {
            let Some(Value::String(text)) = fields.remove("command") else { return Err("no \"command\"".to_owned()) };
            if Request::parse(&text).is_none() {
                return Ok(());
            }
            if let Some(before) = self.commands.last().filter(|_| !is_answered) {
                return Err(format!("a command, expected the answer to {}", before.place));
            }
            let place = place.clone();
            let (searches, files, pondered) = (Vec::new(), Vec::new(), Vec::new());
            self.commands.push(LoggedCommand { place, text, searches, files, answer: None, pondered });
            return Ok(());
        }
        if level != "info" {
            return Ok(());
        }
        let Some(command) = self.commands.last_mut() else { return Err("an answer before any command".to_owned()) };
        let missing = |NoteError { key }| format!("\"{key}\" is missing or invalid");
        if msg == FILE {
            command.files.push(parse_file_note(&fields).map_err(missing)?);
            return Ok(());
        }
        if msg == SEARCH {
            let search_record = parse_search_note(&fields).map_err(missing)?;
            if is_answered {
                command.pondered.push(search_record)
            } else {
                command.searches.push(search_record)
            }
            return Ok(());
        }
        if is_answered {
            return Err("an answer, expected a command".to_owned());
        }
        command.answer = Some(LoggedAnswer { msg, fields });
        Ok(())
    }

    fn end(self) -> Numbered {
        let SessionParser { number, start, commands, damage, last } = self;
        let (cut, damage) = match damage {
            // the engine ended while it wrote this line
            Some(Damage { place, is_event: false, .. }) if place == last => (Some(place), None),
            damage => (None, damage.map(|damage| damaged(&damage.place, &damage.reason))),
        };
        (number, start.map(|start| LoggedSession { number, start, commands, cut, damage }))
    }
}

fn damaged(place: &Place, reason: &str) -> String {
    format!("{place}: the line is damaged: {reason}")
}
