//! `play`: a game of a person against the engine, at a terminal or with moves from a pipe.
//!
//! `start` builds a game from options, `game` holds its state and the engine, `error` the reasons for its refusals,
//! `loaded` a record that it continues, `time_text` puts times into words, and `session` is the read-execute-print loop,
//! the only file here that does input and output. `console` is the source of its lines, `command` parses a line,
//! `screen` draws the board and `panel` what stands beside it, `messages` formats scores, hints and reviews.

mod command;
mod console;
mod error;
mod game;
mod loaded;
mod messages;
mod panel;
mod screen;
mod session;
mod start;
mod time_text;

pub(crate) use command::completions;
pub(crate) use console::{Console, Typed, UserReply, first_line};
pub(crate) use screen::BoardStyle;
pub(crate) use session::run;
pub(crate) use start::{PlayArgs, start};
