//! One line of the JSON log: an object that `serde_json` serialises from one value.

use std::fmt::Write as _;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::text::quote::is_unsafe;

/// The keys of every line, which no field may repeat.
pub(super) const COMMON_KEYS: [&str; 4] = ["level", "ts", "caller", "msg"];

/// Name and value of a field beside the [`COMMON_KEYS`].
pub(super) type Field = (&'static str, Value);

/// A line of the JSON log. Keys are written in the order of declaration, fields in the order given.
#[derive(Serialize)]
pub(super) struct JsonLine<'a> {
    /// `info`, `warn`, `error`.
    pub(super) level: &'a str,
    #[serde(rename = "ts")]
    pub(super) timestamp: &'a str,
    /// See [`caller`].
    pub(super) caller: &'a str,
    #[serde(rename = "msg")]
    pub(super) message: &'a str,
    #[serde(flatten, serialize_with = "as_map")]
    pub(super) fields: &'a [Field],
}

impl JsonLine<'_> {
    /// The object and a line end.
    pub(super) fn to_text(&self) -> String {
        // Strings and JSON values always serialise: every key is a string, and a number that is not finite is null.
        let mut line = escaped(serde_json::to_string(self).unwrap_or_default());
        line.push('\n');
        line
    }
}

/// The object with unsafe characters as JSON escapes, which read back as the same text. They occur within strings only,
/// and those below U+0020 are escaped already.
fn escaped(object: String) -> String {
    if !object.contains(is_unsafe) {
        return object;
    }
    let mut out = String::with_capacity(object.len() + 16);
    for c in object.chars() {
        if is_unsafe(c) {
            // Writing to a String cannot fail. No such character lies beyond U+FFFF.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn as_map<S: Serializer>(fields: &&[Field], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(fields.iter().map(|(key, value)| (key, value)))
}

/// `gtp/server.rs:42`: the path below the innermost folder `src`, with `/` on every system, and the line.
pub(super) fn caller(file: &str, line: u32) -> String {
    let path = file.replace('\\', "/");
    let below_source = path.rsplit_once("/src/").map(|(_, below)| below).or_else(|| path.strip_prefix("src/"));
    format!("{}:{line}", below_source.unwrap_or(&path))
}
