//! `play`: a game of a person against the engine, at a terminal or with moves from a pipe.
//!
//! `start` builds the game from the command line, `game` holds its state and the engine, and `session` is the
//! read-execute-print loop, the only file here that does input and output. `command` parses a line, `screen` draws the
//! board, `messages` formats the score and hints.

mod command;
mod game;
mod messages;
mod screen;
mod session;
mod start;

pub(crate) use command::completions;
pub(crate) use screen::BoardStyle;
pub(crate) use session::run;
pub(crate) use start::{PlayArgs, start};
