//! The text of configuration errors: one line with the place of the value, its key and what was expected.
//!
//! Places are lines of a file or `--set` arguments. This module does not depend on the keys and checks nothing.

use std::fmt;

use crate::text::quote::{one_line, shortened};

/// The place of a value.
#[derive(Debug)]
pub(super) enum Origin {
    /// A line of a file, counted from 1.
    File { name: String, line: usize },
    /// The text after a `--set`.
    Override { text: String },
}

impl Origin {
    /// An error about the value of `key` at this place. The text of an override already contains the key.
    pub(super) fn error(&self, key: &str, message: impl fmt::Display) -> ConfigError {
        match self {
            Self::File { .. } => new(format_args!("{self}: {key}: {message}")),
            Self::Override { .. } => new(format_args!("{self}: {message}")),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { name, line } => write!(f, "{name}:{line}"),
            Self::Override { text } => write!(f, "--set {}", shortened(text)),
        }
    }
}

/// The error of a configuration. Displayed as one line with the place of the value and its key, where they are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConfigError(String);

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ConfigError {}

/// An error in one line; control characters in quoted input are escaped.
pub(super) fn new(message: impl fmt::Display) -> ConfigError {
    ConfigError(one_line(&message.to_string()))
}

/// The number that a text with a decimal comma means, such as 7.5 for `7,5`, written with a decimal point; `None` for
/// any other text.
pub(super) fn with_decimal_point(text: &str) -> Option<String> {
    let (whole, fraction) = text.split_once(',')?;
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let digits = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    (are_digits(digits) && are_digits(fraction)).then(|| format!("{whole}.{fraction}"))
}

/// The message for a number with a decimal comma.
pub(super) fn decimal_comma(found: &str, number: &str) -> String {
    format!("expected a decimal point, as in {number}, found {found}")
}

/// The line of byte `at`, counted from 1.
pub(super) fn line_of(text: &[u8], at: usize) -> usize {
    1 + text.iter().take(at).filter(|&&byte| byte == b'\n').count()
}
