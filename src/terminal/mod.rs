//! A person at a terminal: the prompt for GTP commands, a game, and progress on stderr.

pub mod play;
pub mod progress;
pub mod prompt;
