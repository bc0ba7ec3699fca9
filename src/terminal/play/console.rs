//! Sources of a game's input: lines of a pipe, or a person at a terminal, who can be asked.

use std::io::{self, BufRead};

use crate::protocol::line::StreamLines;
use crate::protocol::reader::CommandSource;
use crate::terminal::echo::EchoOff;

/// The answer to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum UserReply {
    /// A line; empty after Ctrl-C.
    Text(String),
    /// The input ended.
    End,
    /// No person can answer questions.
    NonInteractive,
}

/// The source of a game's commands. The defaults are those of a source without a person.
pub(crate) trait Console: CommandSource {
    /// Columns and rows of the screen; `None` if there is none.
    fn screen_size(&mut self) -> Option<(usize, usize)> {
        None
    }

    /// Sets the text before each line that the person types.
    fn set_prompt(&mut self, _prompt: String) {}

    /// Asks a question and reads the answer.
    ///
    /// # Errors
    /// The error of the source.
    fn ask(&mut self, _question: &str) -> io::Result<UserReply> {
        Ok(UserReply::NonInteractive)
    }

    /// Holds what is typed from now on, until the value is dropped.
    fn hold_keys(&self) -> Option<EchoOff> {
        None
    }
}

impl<R: BufRead> Console for StreamLines<R> {}
