//! The configuration: `engine.toml` and `--set` overrides to a checked [`EngineConfig`].
//!
//! `load` finds the file, `settings` parses TOML and collects the last value of every key, `check` turns the values
//! into `types`, `print` writes them as TOML again. `keys` has the names of sections, keys and enumerated values,
//! `error` the text of errors, `option_values` the parsers of command-line values. This folder opens no log, loads no
//! net and acts on no value.

mod check;
mod error;
mod keys;
mod load;
pub(crate) mod option_values;
mod print;
mod settings;
#[cfg(test)]
mod tests;
mod types;

pub use crate::config::error::ConfigError;
pub use crate::config::types::{
    ConsoleMode, EngineConfig, GameConfig, GtpConfig, IllegalMoveAnswer, LogConfig, NetConfig, PathsConfig, Rotation,
};
