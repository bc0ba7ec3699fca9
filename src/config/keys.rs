//! The vocabulary of `engine.toml`: its sections, its keys and the words that a value may be.
//!
//! It does not know types, ranges or defaults, nor where a word was read.

use crate::config::{ConsoleMode, IllegalMoveAnswer, Rotation};
use crate::kernel::Color;
use crate::player::options;

/// The section of the search's options.
pub(super) const SEARCH: &str = "Search";

/// Every section with its keys, in the order of `engine.toml`. What is not here is an unknown key. The keys of [`SEARCH`]
/// are the names of the search's options, which has the one table of them.
const SECTIONS: &[(&str, &[&str])] = &[
    ("Game", &["Komi", "Rules", "BoardSize", "MaxMoves", "BoardData", "PlayFirst"]),
    ("Paths", &["PlainTextLog", "JsonLog", "DataFolder"]),
    ("Gtp", &["IllegalMove"]),
    (SEARCH, &[]),
    ("Net", &["Use", "File"]),
    ("Log", &["Console", "Rotation", "MaxMegabytes", "MaxFiles"]),
];

/// The words for values of one type; the first word for a value is the one that is printed.
pub(super) type Words<T> = [(&'static str, T)];

pub(super) const COLORS: &Words<Color> =
    &[("black", Color::Black), ("white", Color::White), ("b", Color::Black), ("w", Color::White)];

pub(super) const ILLEGAL_MOVES: &Words<IllegalMoveAnswer> =
    &[("reason", IllegalMoveAnswer::Reason), ("standard", IllegalMoveAnswer::Standard)];

pub(super) const CONSOLE_MODES: &Words<ConsoleMode> =
    &[("auto", ConsoleMode::Auto), ("echo", ConsoleMode::Echo), ("full", ConsoleMode::Full), ("off", ConsoleMode::Off)];

pub(super) const ROTATIONS: &Words<Rotation> =
    &[("never", Rotation::Never), ("daily", Rotation::Daily), ("size", Rotation::Size)];

/// The keys of a section; `None`: there is no such section.
pub(super) fn known_keys(section: &str) -> Option<Vec<&'static str>> {
    let (name, keys) = SECTIONS.iter().find(|(name, _)| *name == section)?;
    Some(if *name == SEARCH { options::names().collect() } else { keys.to_vec() })
}

pub(super) fn unknown_key(known: &[&str]) -> String {
    format!("unknown key, expected one of {}", known.join(", "))
}

/// `what`, a section or a key, stands where only a section can.
pub(super) fn unknown_section(what: &str) -> String {
    let names: Vec<_> = SECTIONS.iter().map(|(name, _)| *name).collect();
    format!("unknown {what}, expected one of the sections {}", names.join(", "))
}

/// The value that `text` is a word for, in capitals or not.
pub(super) fn value_of<T: Copy>(words: &Words<T>, text: &str) -> Option<T> {
    words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text)).map(|(_, value)| *value)
}

/// The first word for `value`.
pub(super) fn word_of<T: PartialEq>(words: &Words<T>, value: T) -> &'static str {
    words.iter().find(|(_, of)| *of == value).map_or("", |(word, _)| word)
}
