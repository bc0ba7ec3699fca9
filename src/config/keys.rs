//! The sections and keys of `engine.toml`, and the names of enumerated values.
//!
//! Types and ranges of values are in `check`, defaults in `engine.toml`; those of the search are in `player::options`.

use crate::config::types::{ConsoleMode, IllegalMoveAnswer, Rotation};
use crate::kernel::Color;
use crate::net::Precision;
use crate::player::options;
use crate::text::suggestion::suggestion;

/// The section of the player's options.
pub(super) const SEARCH: &str = "Search";

/// Every section with its keys, in the order of `engine.toml`; any other key is refused. The keys of [`SEARCH`] come
/// from [`options::names`].
const SECTIONS: &[(&str, &[&str])] = &[
    ("Game", &["Komi", "Rules", "BoardSize", "MaxMoves", "BoardData", "PlayFirst"]),
    ("Paths", &["PlainTextLog", "JsonLog", "DataFolder"]),
    ("Gtp", &["IllegalMove"]),
    (SEARCH, &[]),
    ("Net", &["Use", "File", "Precision"]),
    ("Log", &["Console", "Rotation", "MaxMegabytes", "MaxFiles"]),
];

/// Names of the values of one type. The first name of a value is the one that is printed.
pub(super) type Names<T> = [(&'static str, T)];

pub(super) const COLORS: &Names<Color> =
    &[("black", Color::Black), ("white", Color::White), ("b", Color::Black), ("w", Color::White)];

pub(super) const PRECISIONS: &Names<Option<Precision>> = &[
    ("auto", None),
    (Precision::F32.name(), Some(Precision::F32)),
    (Precision::Int16.name(), Some(Precision::Int16)),
    (Precision::Bfloat16.name(), Some(Precision::Bfloat16)),
];

pub(super) const ILLEGAL_MOVES: &Names<IllegalMoveAnswer> =
    &[("reason", IllegalMoveAnswer::Reason), ("standard", IllegalMoveAnswer::Standard)];

pub(super) const CONSOLE_MODES: &Names<ConsoleMode> =
    &[("auto", ConsoleMode::Auto), ("echo", ConsoleMode::Echo), ("full", ConsoleMode::Full), ("off", ConsoleMode::Off)];

pub(super) const ROTATIONS: &Names<Rotation> =
    &[("never", Rotation::Never), ("daily", Rotation::Daily), ("size", Rotation::Size)];

/// The keys of a section; `None` for an unknown section.
pub(super) fn known_keys(section: &str) -> Option<Vec<&'static str>> {
    let (name, keys) = SECTIONS.iter().find(|(name, _)| *name == section)?;
    Some(if *name == SEARCH { options::names().collect() } else { keys.to_vec() })
}

/// `SECTION.KEY` with the current name of a key, which differs from `key` if the key was renamed.
///
/// # Errors
/// The message for a key that is none of `known`, the keys of the section.
pub(super) fn current_path(section: &str, known: &[&str], key: &str) -> Result<String, String> {
    path_in(section, known, key).ok_or_else(|| match path_of(key) {
        Some(path) => format!("unknown key, did you mean {path}?"),
        None => unknown("key", known, key, "one of"),
    })
}

/// `SECTION.KEY` with the current name of a key; `None` if it is none of `known`, the keys of the section.
fn path_in(section: &str, known: &[&str], key: &str) -> Option<String> {
    let current = if section == SEARCH { options::current_name(key) } else { key };
    known.contains(&current).then(|| format!("{section}.{current}"))
}

/// `SECTION.KEY` with the current name of a key of any section, which may be its former name.
pub(super) fn path_of(key: &str) -> Option<String> {
    SECTIONS.iter().find_map(|(section, _)| path_in(section, &known_keys(section)?, key))
}

/// The message for an unknown section with this name.
pub(super) fn unknown_section(name: &str) -> String {
    unknown("section", &section_names(), name, "one of the sections")
}

/// The message for a key with this name before the first section of a file.
pub(super) fn key_without_section(name: &str) -> String {
    match path_of(name) {
        Some(path) => format!("key without a section, did you mean {path}?"),
        None => unknown("key", &section_names(), name, "one of the sections"),
    }
}

fn section_names() -> Vec<&'static str> {
    SECTIONS.iter().map(|(name, _)| *name).collect()
}

/// The message for an unknown name: the nearest known ones, or all if none is near.
fn unknown(kind: &str, known: &[&str], name: &str, one_of: &str) -> String {
    match suggestion(known.iter().copied(), name) {
        nearest if nearest.is_empty() => format!("unknown {kind}, expected {one_of} {}", known.join(", ")),
        nearest => format!("unknown {kind}{nearest}"),
    }
}

/// The value with the name `text`, in any case.
pub(super) fn value_of<T: Copy>(names: &Names<T>, text: &str) -> Option<T> {
    names.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)).map(|(_, value)| *value)
}

/// The printed name of `value`.
pub(super) fn name_of<T: PartialEq>(names: &Names<T>, value: T) -> &'static str {
    names.iter().find(|(_, named)| *named == value).map_or("", |(name, _)| name)
}
