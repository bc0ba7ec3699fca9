//! How a mistake is told: one line that says where it is and what was expected there.
//!
//! It knows places, in a file or on the command line. It does not know which keys there are, nor what is wrong.

use std::fmt;

use crate::io::text::{one_line, shortened};

/// Where a value was written.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    File { name: String, line: usize },
    Override { text: String },
}

impl Origin {
    /// The error of this value of `key`. An override's text already has the key.
    pub(super) fn error(&self, key: &str, message: impl fmt::Display) -> anyhow::Error {
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

/// An error of one line, whatever its message quotes.
pub(super) fn new(message: impl fmt::Display) -> anyhow::Error {
    anyhow::Error::msg(one_line(&message.to_string()))
}

/// The number of the line that byte `at` is on, from 1.
pub(super) fn line_of(text: &[u8], at: usize) -> usize {
    1 + text.iter().take(at).filter(|&&byte| byte == b'\n').count()
}
