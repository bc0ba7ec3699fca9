//! From the lines of a JSON log to sessions: commands with their answers, and the searches made for them.
//!
//! A log may hold many sessions, one after the other, and may end anywhere: an engine can be killed at any moment. It may
//! have gaps, where a disk was full: a session then ends before the first line that makes no sense.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use crate::gtp::command_files::FileAccess;
use crate::gtp::search_log::{FILE, SEARCH, file_access, search_record};
use crate::player::SearchRecord;
use crate::protocol::line::Request;
use crate::replay::start::{SESSION, SessionStart};

/// The longest line that is read, in bytes: that of a command or an answer of the greatest length, all of it escaped.
const MAX_LINE: u64 = 64 << 20;

/// A session: what the engine was asked from its start to its end.
#[derive(Clone, PartialEq, Debug)]
pub struct Session {
    /// Which of the log it is, counted from 1.
    pub number: usize,
    /// How it started.
    pub start: SessionStart,
    /// What it was asked, comments left out.
    pub commands: Vec<Command>,
    /// A last line that was not written to its end.
    pub cut: Option<Place>,
    /// The line at which the log makes no sense any more, and why: what follows is left out.
    pub damage: Option<String>,
}

/// A command and what came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Command {
    /// Its line in the log.
    pub place: Place,
    /// The line as it was given, with its id.
    pub text: String,
    /// The searches made for the answer.
    pub searches: Vec<SearchRecord>,
    /// The files read and written for it.
    pub files: Vec<FileAccess>,
    /// The answer; `None`: the engine ended before it gave one.
    pub answer: Option<Answer>,
    /// What was thought about when the answer had been given.
    pub pondered: Vec<SearchRecord>,
}

/// An answer as the log has it.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The kind of event.
    pub msg: String,
    /// What the event says beside it.
    pub facts: Map<String, Value>,
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

/// The session of this number, or the last one, of a log in one or several files, the oldest first.
///
/// # Errors
/// One line: a file that cannot be read, a session whose first line is damaged, or no such session.
pub fn session(files: &[PathBuf], number: Option<usize>) -> Result<Session, String> {
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

/// That there is no session of a number, or none at all, in these files, which have so many.
pub fn no_session(files: &[PathBuf], number: Option<usize>, count: usize) -> String {
    let names = names(files);
    match number.filter(|_| count > 0) {
        Some(number) => format!("{names}: no session {number}, expected 1 to {count}"),
        None => format!("{names}: no session begins here, expected a line with \"msg\":\"{SESSION}\""),
    }
}

fn names(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    names.join(" ")
}

/// The sessions of a log, one after the other: their numbers, and what they hold or why their first line is damaged.
pub struct Sessions<'a> {
    files: std::slice::Iter<'a, PathBuf>,
    lines: Option<Lines>,
    open: Option<Reading>,
    count: usize,
}

impl<'a> Sessions<'a> {
    /// Of a log in one or several files, the oldest first. What comes before the first start is passed over: it is the
    /// end of a session whose beginning has been rotated away.
    pub fn new(files: &'a [PathBuf]) -> Sessions<'a> {
        Sessions { files: files.iter(), lines: None, open: None, count: 0 }
    }

    /// The next line of the files, if there is one.
    fn next_line(&mut self) -> Result<Option<(Place, Vec<u8>)>, String> {
        loop {
            if let Some(lines) = &mut self.lines
                && let Some(line) = lines.next()?
            {
                return Ok(Some(line));
            }
            match self.files.next() {
                Some(file) => self.lines = Some(Lines::open(file)?),
                None => return Ok(None),
            }
        }
    }
}

/// The number of a session, and what it holds or why its first line is damaged.
type Numbered = (usize, Result<Session, String>);

impl Iterator for Sessions<'_> {
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
                let next = Reading::new(self.count, place, event);
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
        let open = || {
            // a pipe or a device might never end
            let file = File::open(path)?;
            if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("not a regular file")) }
        };
        let file = open().map_err(|reason| format!("cannot read {}: {reason}", path.display()))?;
        Ok(Lines { source: BufReader::new(file), place: Place { file: path.to_owned(), line: 0 } })
    }

    fn next(&mut self) -> Result<Option<(Place, Vec<u8>)>, String> {
        let mut bytes = Vec::new();
        let read = io::Read::take(&mut self.source, MAX_LINE).read_until(b'\n', &mut bytes);
        read.map_err(|reason| format!("cannot read {}: {reason}", self.place.file.display()))?;
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
    /// What it says beside them.
    facts: Map<String, Value>,
}

/// The keys of a line with their values. Of equal keys the first counts, which is the line's own: in older logs the
/// answers to `level` have a fact of that name.
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
    let Pairs(mut facts) = serde_json::from_slice(bytes).map_err(|_| "no object of JSON".to_owned())?;
    let mut text = |key: &str| match facts.remove(key) {
        Some(Value::String(text)) => Ok(text),
        _ => Err(format!("no \"{key}\"")),
    };
    let (level, msg) = (text("level")?, text("msg")?);
    text("ts")?;
    text("caller")?;
    Ok(Event { level, msg, facts })
}

/// A session as far as it has been read.
struct Reading {
    number: usize,
    start: Result<SessionStart, String>,
    commands: Vec<Command>,
    /// The first line that makes no sense, and why.
    damage: Option<(Place, String)>,
    last: Place,
}

impl Reading {
    fn new(number: usize, place: Place, event: Result<Event, String>) -> Reading {
        let start = event.and_then(|event| {
            SessionStart::read(&event.facts).map_err(|key| format!("\"{key}\" is missing or not what it should be"))
        });
        let start = start.map_err(|reason| damaged(&place, &reason));
        Reading { number, start, commands: Vec::new(), damage: None, last: place }
    }

    fn take(&mut self, place: Place, event: Result<Event, String>) {
        if self.damage.is_none()
            && let Err(reason) = event.and_then(|event| self.add(&place, event))
        {
            self.damage = Some((place.clone(), reason));
        }
        self.last = place;
    }

    fn add(&mut self, place: &Place, event: Event) -> Result<(), String> {
        let Event { level, msg, mut facts } = event;
        let is_answered = self.commands.last().is_none_or(|command| command.answer.is_some());
        if msg == "input" {
            let Some(Value::String(text)) = facts.remove("command") else { return Err("no \"command\"".to_owned()) };
            if Request::parse(&text).is_none() {
                return Ok(());
            }
            if let Some(before) = self.commands.last().filter(|_| !is_answered) {
                return Err(format!("a command, expected the answer to line {}", before.place.line));
            }
            let place = place.clone();
            let (searches, files, pondered) = (Vec::new(), Vec::new(), Vec::new());
            self.commands.push(Command { place, text, searches, files, answer: None, pondered });
            return Ok(());
        }
        if level != "info" {
            return Ok(());
        }
        let Some(command) = self.commands.last_mut() else { return Err("an answer before any command".to_owned()) };
        let missing = |key: &str| format!("\"{key}\" is missing or not what it should be");
        if msg == FILE {
            command.files.push(file_access(&facts).map_err(missing)?);
            return Ok(());
        }
        if msg == SEARCH {
            let search_record = search_record(&facts).map_err(missing)?;
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
        command.answer = Some(Answer { msg, facts });
        Ok(())
    }

    fn end(self) -> Numbered {
        let Reading { number, start, commands, damage, last } = self;
        let (cut, damage) = match damage {
            // it was being written when the engine ended
            Some((place, _)) if place == last => (Some(place), None),
            damage => (None, damage.map(|(place, reason)| damaged(&place, &reason))),
        };
        (number, start.map(|start| Session { number, start, commands, cut, damage }))
    }
}

fn damaged(place: &Place, reason: &str) -> String {
    format!("{place}: the line is damaged: {reason}")
}
