//! Files and overrides to [`Settings`]: every key's value as it was written, and where that was.
//!
//! It knows TOML and which keys there are, and says of an unknown one which line it is on. It does not know what a value
//! must be: a default or a file's value that is overridden can do no harm.

use std::{borrow::Cow, collections::BTreeMap};

use toml::de::{DeTable, DeValue};

use crate::config::BUILT_IN_NAME;
use crate::config::error::{self, Origin};
use crate::config::keys::{known_keys, unknown_key, unknown_section};

/// A value and where it was written.
#[derive(Debug)]
pub(super) struct Setting<'a> {
    pub(super) value: DeValue<'a>,
    pub(super) origin: Origin,
}

impl Setting<'_> {
    /// The error of a value of the wrong type.
    pub(super) fn expected(&self, key: &str, what: &str) -> anyhow::Error {
        self.origin.error(key, format_args!("expected {what}, found {}", kind_of(&self.value)))
    }
}

/// The values of all keys, later ones over earlier ones.
#[derive(Debug, Default)]
pub(super) struct Settings<'a>(BTreeMap<String, Setting<'a>>);

impl<'a> Settings<'a> {
    /// Adds all of a file's keys; `name` is what an error calls the file.
    pub(super) fn add_file(&mut self, name: &str, text: &'a str) -> anyhow::Result<()> {
        let origin = |at: usize| Origin::File { name: name.to_owned(), line: error::line_of(text.as_bytes(), at) };
        let document = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(text.len(), |span| span.start);
            error::new(format_args!("{}: {}", origin(at), error.message()))
        })?;
        for (section, at, keys) in in_order(document.into_inner()) {
            let section_origin = origin(at);
            let Some(known) = known_keys(&section) else {
                let what = if keys.is_table() { "section" } else { "key" };
                return Err(section_origin.error(&section, unknown_section(what)));
            };
            let DeValue::Table(keys) = keys else {
                let found = kind_of(&keys);
                return Err(section_origin.error(&section, format_args!("expected a section, found {found}")));
            };
            for (key, at, value) in in_order(keys) {
                let origin = origin(at);
                let path = format!("{section}.{key}");
                if !known.contains(&key.as_ref()) {
                    return Err(origin.error(&path, unknown_key(&known)));
                }
                self.0.insert(path, Setting { value, origin });
            }
        }
        Ok(())
    }

    /// Adds what stands after a `--set`.
    pub(super) fn add_override(&mut self, text: &'a str) -> anyhow::Result<()> {
        let origin = Origin::Override { text: text.to_owned() };
        let Some((path, value)) = text.split_once('=') else {
            return Err(origin.error(text, "expected KEY=VALUE, such as Game.BoardSize=9"));
        };
        let (path, value) = (path.trim(), value.trim());
        let Some((section, key)) = path.split_once('.') else {
            return Err(origin.error(path, "expected SECTION.KEY=VALUE, such as Game.Komi=1"));
        };
        let known = known_keys(section).ok_or_else(|| origin.error(path, unknown_section("section")))?;
        if !known.contains(&key) {
            return Err(origin.error(path, unknown_key(&known)));
        }
        let value = match DeValue::parse(value) {
            Ok(value) => value.into_inner(),
            // A word need not be quoted: a shell takes the quotes away.
            Err(_) => DeValue::String(value.into()),
        };
        self.0.insert(path.to_owned(), Setting { value, origin });
        Ok(())
    }

    /// The value of a key, if it was written anywhere.
    pub(super) fn written(&self, key: &str) -> Option<&Setting<'a>> {
        self.0.get(key)
    }

    pub(super) fn get(&self, key: &str) -> anyhow::Result<&Setting<'a>> {
        // The built-in file has every key that is asked for in this way, so this is never met.
        self.written(key).ok_or_else(|| error::new(format_args!("{BUILT_IN_NAME}: {key}: missing")))
    }
}

/// A table's names, where each stands, and the values, in the order of the file: the first mistake is the one to tell.
fn in_order(table: DeTable<'_>) -> Vec<(Cow<'_, str>, usize, DeValue<'_>)> {
    let mut rows: Vec<_> = table
        .into_iter()
        .map(|(name, value)| {
            let at = name.span().start;
            (name.into_inner(), at, value.into_inner())
        })
        .collect();
    rows.sort_by_key(|(_, at, _)| *at);
    rows
}

/// What an error calls the value's type.
fn kind_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
