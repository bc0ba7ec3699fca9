//! Files and overrides to [`Settings`]: the last value of every key, and its place.
//!
//! This module parses TOML, refuses unknown keys with their line, and maps former key names to the current ones. It
//! does not check values: an invalid value in a file is no error if an override replaces it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use toml::de::{DeTable, DeValue};

use crate::config::error::{self, ConfigError, Origin};
use crate::config::keys::{current_path, key_without_section, known_keys, path_of, unknown_section};
use crate::text::quote::shortened;

/// The name of the built-in file in errors, and as the source of a configuration.
pub(super) const BUILT_IN_NAME: &str = "built-in defaults";

/// A value and its place.
#[derive(Debug)]
pub(super) struct Setting<'a> {
    pub(super) value: DeValue<'a>,
    pub(super) origin: Origin,
    /// `SECTION.KEY` as it was written, which may be a former name.
    key: String,
}

impl Setting<'_> {
    /// An error about this value, with the key as it was written.
    pub(super) fn error(&self, message: impl fmt::Display) -> ConfigError {
        self.origin.error(&self.key, message)
    }

    /// The error for a value that is not the expected one, of another type for example. It names the value.
    pub(super) fn expected(&self, expected: &str) -> ConfigError {
        self.error(format_args!("expected {expected}, found {}", found(&self.value)))
    }
}

/// The value of every key by `SECTION.KEY` with its current name. A later value replaces an earlier one.
#[derive(Debug, Default)]
pub(super) struct Settings<'a>(BTreeMap<String, Setting<'a>>);

impl<'a> Settings<'a> {
    /// Adds every key of a file, which errors call `name`.
    ///
    /// # Errors
    /// Invalid TOML, an unknown section or key, or a key that stands in the file by its current and by its former name.
    pub(super) fn add_file(&mut self, name: &str, text: &'a str) -> Result<(), ConfigError> {
        let origin = |at: usize| Origin::File { name: name.to_owned(), line: error::line_of(text.as_bytes(), at) };
        let document = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(text.len(), |span| span.start);
            error::new(format_args!("{}: {}", origin(at), syntax_error(text, at, error.message())))
        })?;
        let mut file = Settings::default();
        for (section, at, keys) in in_order(document.into_inner()) {
            let section_origin = origin(at);
            let Some(known) = known_keys(&section) else {
                let message = if keys.is_table() { unknown_section(&section) } else { key_without_section(&section) };
                return Err(section_origin.error(&section, message));
            };
            let DeValue::Table(keys) = keys else {
                let found = type_name(&keys);
                return Err(section_origin.error(&section, format_args!("expected a section, found {found}")));
            };
            for (key, at, value) in in_order(keys) {
                let setting = Setting { value, origin: origin(at), key: format!("{section}.{key}") };
                let current = current_path(&section, &known, &key).map_err(|message| setting.error(message))?;
                // the TOML parser refuses a duplicate name, so the two are the current and the former name of one key
                if let Some(Setting { key, origin, .. }) = file.written(&current) {
                    let message =
                        format_args!("{key} at {origin} is the same key by another name, remove one of the two");
                    return Err(setting.error(message));
                }
                file.0.insert(current, setting);
            }
        }
        self.0.append(&mut file.0);
        Ok(())
    }

    /// Adds the argument of a `--set`, `SECTION.KEY=VALUE`. A value that is not valid TOML is taken as a string.
    ///
    /// # Errors
    /// A missing `=` or `.`, or an unknown section or key.
    pub(super) fn add_override(&mut self, text: &'a str) -> Result<(), ConfigError> {
        let origin = Origin::Override { text: text.to_owned() };
        let Some((path, value)) = text.split_once('=') else {
            return Err(origin.error(text, "expected KEY=VALUE, such as Game.BoardSize=9"));
        };
        let (path, value) = (path.trim(), value.trim());
        let Some((section, key)) = path.split_once('.') else {
            let example = match path_of(path) {
                Some(known) => format!("{known}={}", shortened(value)),
                None => "Game.Komi=1".to_owned(),
            };
            return Err(origin.error(path, format_args!("expected SECTION.KEY=VALUE, such as {example}")));
        };
        let known = known_keys(section).ok_or_else(|| origin.error(path, unknown_section(section)))?;
        let current = current_path(section, &known, key).map_err(|message| origin.error(path, message))?;
        let value = match DeValue::parse(value) {
            Ok(value) => value.into_inner(),
            // shells remove quotes, so words need none
            Err(_) => DeValue::String(value.into()),
        };
        self.0.insert(current, Setting { value, origin, key: path.to_owned() });
        Ok(())
    }

    /// The value of a key by its current name; `None` if no file and no override has it.
    pub(super) fn written(&self, key: &str) -> Option<&Setting<'a>> {
        self.0.get(key)
    }

    /// The value of a key that the built-in file has.
    ///
    /// # Errors
    /// If the key is missing; a test checks that the built-in file has every key.
    pub(super) fn get(&self, key: &str) -> Result<&Setting<'a>, ConfigError> {
        self.written(key).ok_or_else(|| error::new(format_args!("{BUILT_IN_NAME}: {key}: missing")))
    }
}

/// The message for a syntax error at an offset: with the key and the value, or else the text of the line. A missing value
/// and a decimal comma are explained.
fn syntax_error(text: &str, at: usize, message: &str) -> String {
    let start = text.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
    let line = text.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    let Some((key, value)) = line.split_once('=') else {
        return match line.trim() {
            "" => message.to_owned(),
            line => format!("{}: {message}", shortened(line)),
        };
    };
    let (key, value) = (key.trim(), value.split('#').next().unwrap_or_default().trim());
    if value.is_empty() {
        return format!("{}: expected a value after =", shortened(key));
    }
    let found = shortened(value);
    match error::with_decimal_point(value) {
        Some(number) => format!("{}: {}", shortened(key), error::decimal_comma(&found, &number)),
        None => format!("{}: {message}, found {found}", shortened(key)),
    }
}

/// The names, offsets and values of a table, in file order: errors are about the first invalid line.
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

/// A value in errors; an array or a table by its type.
fn found(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{:?}", shortened(text)),
        DeValue::Integer(integer) => shortened(&integer.to_string()),
        DeValue::Float(float) => shortened(float.as_str()),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(value) => value.to_string(),
        DeValue::Array(_) | DeValue::Table(_) => type_name(value).to_owned(),
    }
}

/// The name of a value's type in errors.
fn type_name(value: &DeValue<'_>) -> &'static str {
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
