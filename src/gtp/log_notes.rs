//! Notes in the JSON log beside commands and answers: one for each search and one for each file access.
//!
//! A note of a search has the seed and the counts that repeat it on one thread; a note of a file has the bytes that
//! were read. `replay` parses them by [`parse_search_note`] and [`parse_file_note`], which also accept the keys of
//! earlier versions ([`FORMER_KEYS`]).

use std::time::Duration;

use serde_json::{Map, Value};

use crate::gtp::command_files::{FileAccess, FileOperation};
use crate::gtp::engine::Engine;
use crate::kernel::Color;
use crate::logging;
use crate::player::{Purpose, SearchRecord};

/// `msg` of the note of a search.
pub(crate) const SEARCH: &str = "search";

/// Keys of the note of a search, each with the one that versions up to 0.15 wrote.
const FORMER_KEYS: [(&str, &str); 4] =
    [("simulations", "tries"), ("singleRootSymmetry", "brief"), ("statusSearched", "judged"), ("completed", "whole")];

/// The purpose of an analysis in logs of versions up to 0.15.
const FORMER_ANALYSIS: &str = "study";

/// `msg` of the note of a file access.
pub(crate) const FILE: &str = "file";

/// Logs the file accesses and searches since the last call.
pub(crate) fn log_notes(engine: &mut Engine) {
    for file_access in engine.files.take_recorded() {
        logging::note(FILE, &file_fields(file_access));
    }
    for search_record in engine.player.trace.take() {
        logging::note(SEARCH, &search_fields(&search_record));
    }
}

fn file_fields(file_access: FileAccess) -> Vec<(&'static str, Value)> {
    let mut fields = vec![("path", Value::from(file_access.path))];
    match file_access.outcome {
        // one character U+0000 to U+00FF for each byte: files need not be UTF-8
        Ok(FileOperation::Read(bytes)) => {
            fields.push(("use", Value::from("read")));
            fields.extend(bytes.map(|bytes| ("bytes", bytes.into_iter().map(char::from).collect::<String>().into())));
        }
        Ok(FileOperation::Written) => fields.push(("use", Value::from("written"))),
        Err(reason) => fields.push(("reason", Value::from(reason))),
    }
    fields
}

/// A note lacks a key, or its value is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NoteError {
    pub(crate) key: &'static str,
}

/// The error about a key of a note.
fn wrong(key: &'static str) -> NoteError {
    NoteError { key }
}

/// Parses the note of a file access.
///
/// # Errors
/// If a key is missing or has a wrong value.
pub(crate) fn parse_file_note(note: &Map<String, Value>) -> Result<FileAccess, NoteError> {
    let text = |key: &'static str| note.get(key).and_then(Value::as_str);
    let outcome = match (text("use"), text("reason"), text("bytes")) {
        (Some("read"), None, Some(bytes)) => {
            let bytes: Result<Vec<u8>, _> = bytes.chars().map(u8::try_from).collect();
            Ok(FileOperation::Read(Some(bytes.map_err(|_| wrong("bytes"))?)))
        }
        (Some("read"), None, None) => Ok(FileOperation::Read(None)),
        (Some("written"), None, None) => Ok(FileOperation::Written),
        (None, Some(reason), None) => Err(reason.to_owned()),
        _ => return Err(wrong("use")),
    };
    Ok(FileAccess { path: text("path").ok_or(wrong("path"))?.to_owned(), outcome })
}

fn search_fields(search_record: &SearchRecord) -> Vec<(&'static str, Value)> {
    let purpose =
        Purpose::NAMES.iter().find(|(_, purpose)| *purpose == search_record.purpose).map_or("", |(word, _)| word);
    vec![
        ("purpose", Value::from(purpose)),
        ("color", Value::from(search_record.color.to_string())),
        ("seed", Value::from(search_record.seed)),
        ("number", Value::from(search_record.number)),
        ("threads", Value::from(search_record.threads)),
        ("simulations", Value::from(search_record.simulations)),
        ("playouts", Value::from(search_record.playouts)),
        ("visits", Value::from(search_record.visits)),
        ("seconds", Value::from(search_record.elapsed.as_secs_f64())),
        ("singleRootSymmetry", Value::from(search_record.single_root_symmetry)),
        ("statusSearched", Value::from(search_record.end_searches_allowed)),
        ("completed", Value::from(search_record.completed)),
    ]
}

/// Parses the note of a search.
///
/// # Errors
/// If a key is missing or has a wrong value.
pub(crate) fn parse_search_note(note: &Map<String, Value>) -> Result<SearchRecord, NoteError> {
    let value = |key: &'static str| {
        let former =
            || FORMER_KEYS.iter().find(|(present, _)| *present == key).and_then(|(_, former)| note.get(*former));
        note.get(key).or_else(former)
    };
    let count = |key: &'static str| value(key).and_then(Value::as_u64).ok_or(wrong(key));
    let flag = |key: &'static str| value(key).and_then(Value::as_bool).ok_or(wrong(key));
    let word = note.get("purpose").and_then(Value::as_str).map(|word| match word {
        FORMER_ANALYSIS => "analysis",
        word => word,
    });
    let purpose = Purpose::NAMES.iter().find(|(known, _)| Some(*known) == word).ok_or(wrong("purpose"))?;
    let seconds = note.get("seconds").and_then(Value::as_f64);
    Ok(SearchRecord {
        purpose: purpose.1,
        color: note.get("color").and_then(Value::as_str).and_then(Color::parse).ok_or(wrong("color"))?,
        seed: count("seed")?,
        number: count("number")?,
        threads: count("threads")? as usize,
        simulations: count("simulations")?,
        playouts: count("playouts")?,
        visits: count("visits")?,
        elapsed: seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or(wrong("seconds"))?,
        single_root_symmetry: flag("singleRootSymmetry")?,
        end_searches_allowed: flag("statusSearched")?,
        completed: flag("completed")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_notes_round_trip() {
        let search = SearchRecord {
            purpose: Purpose::Ponder,
            color: Color::White,
            seed: (1 << 53) - 1,
            number: 7,
            threads: 1,
            simulations: 1001,
            playouts: 1000,
            visits: 2000,
            elapsed: Duration::from_micros(1_234_567),
            single_root_symmetry: true,
            end_searches_allowed: false,
            completed: true,
        };
        let mut note: Map<String, Value> =
            search_fields(&search).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        assert_eq!(parse_search_note(&note), Ok(search));
        for (key, _) in search_fields(&search) {
            let value = note.insert(key.to_owned(), Value::from("x")).unwrap_or_default();
            assert_eq!(parse_search_note(&note), Err(wrong(key)));
            note.insert(key.to_owned(), value);
        }
        // a log of an earlier version
        for (present, former) in FORMER_KEYS {
            let value = note.remove(present).unwrap_or_default();
            note.insert(former.to_owned(), value);
        }
        note.insert("purpose".to_owned(), Value::from(FORMER_ANALYSIS));
        assert_eq!(parse_search_note(&note), Ok(SearchRecord { purpose: Purpose::Analysis, ..search }));
    }

    #[test]
    fn file_notes_round_trip() {
        let outcomes = [
            Ok(FileOperation::Read(Some((0..=255).collect()))),
            Ok(FileOperation::Read(Some(Vec::new()))),
            Ok(FileOperation::Read(None)),
            Ok(FileOperation::Written),
            Err("no such file".to_owned()),
        ];
        for outcome in outcomes {
            let file = FileAccess { path: "a b.sgf".to_owned(), outcome };
            let fields = file_fields(file.clone());
            let note: Map<String, Value> = fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            let text = Value::Object(note).to_string();
            assert_eq!(parse_file_note(&serde_json::from_str(&text).unwrap_or_default()), Ok(file));
        }
        for (note, key) in
            [("{}", "use"), (r#"{"use":"read","bytes":"\u3042"}"#, "bytes"), (r#"{"use":"written"}"#, "path")]
        {
            assert_eq!(parse_file_note(&serde_json::from_str(note).unwrap_or_default()), Err(wrong(key)));
        }
    }
}
