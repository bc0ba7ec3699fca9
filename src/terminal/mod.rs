//! The interactive terminal: line editing, a game against the engine, and progress on stderr.

pub(crate) mod echo;
pub(crate) mod plain;
pub(crate) mod play;
pub(crate) mod progress;
pub(crate) mod prompt;
