//! Sources of a game's input: lines of a pipe, or a person at a terminal, who can be asked.

use std::io::{self, BufRead};

use crate::protocol::line::{RawLine, StreamLines};
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

/// The outcome of asking a person for a line.
pub(crate) enum Typed<L> {
    Line(L),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or the terminal is closed.
    End,
}

impl<L> Typed<L> {
    /// The same with another form of the line.
    pub(crate) fn map<T>(self, form: impl FnOnce(L) -> T) -> Typed<T> {
        match self {
            Typed::Line(line) => Typed::Line(form(line)),
            Typed::Interrupted => Typed::Interrupted,
            Typed::End => Typed::End,
        }
    }
}

impl From<Typed<String>> for UserReply {
    fn from(typed: Typed<String>) -> UserReply {
        match typed {
            Typed::Line(line) => UserReply::Text(line),
            Typed::Interrupted => UserReply::Text(String::new()),
            Typed::End => UserReply::End,
        }
    }
}

/// The first line that `read` returns; `None` at the end. Ctrl-C drops the line that was begun.
pub(crate) fn first_line(mut read: impl FnMut() -> io::Result<Typed<RawLine>>) -> io::Result<Option<RawLine>> {
    loop {
        match read()? {
            Typed::Line(line) => return Ok(Some(line)),
            Typed::Interrupted => {}
            Typed::End => return Ok(None),
        }
    }
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
