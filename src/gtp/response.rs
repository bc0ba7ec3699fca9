//! Replies and errors of commands, and GTP's framing of responses.
//!
//! The result of a command on its way to the output:
//!
//! 1. A handler returns a `HandlerOutcome` or a [`CommandError`]. The outcome is a [`Reply`], with text, log fields and
//!    the next step of the command loop, or a `GtpAnalysis`, a search that is still to be run. Such a search streams its
//!    report lines, and ends with an `AnalysisReply`: a `Reply` with the last line, and the last report.
//! 2. `finish_command` of the server makes a [`FinishedCommand`] of the reply or the error, and logs it.
//! 3. The server writes its [`Response`], the text in GTP's framing; of a streamed one, the last line.
//!
//! Only this file writes marks, ids and line ends, so no handler can break the framing. It does not depend on commands
//! or the search.

use std::fmt;
use std::panic::Location;

use serde_json::Value;

use crate::player::Interrupted;
use crate::text::quote::{shortened, unexpected};

/// `msg` of an error in the JSON log.
pub(crate) const ERROR: &str = "error";

/// The field of the JSON log with the length in bytes of a line that is refused because it exceeds the limit.
pub(crate) const LINE_LENGTH: &str = "lineLength";

/// Keys and values of an answer in the JSON log, in this order.
pub type Fields = Vec<(&'static str, Value)>;

/// The result of a command that succeeded.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// The text after `= `: empty, one line or several.
    pub text: String,
    /// `msg` in the JSON log: `ok`, `output` or another kind of event.
    pub msg: &'static str,
    /// Further keys in the JSON log.
    pub fields: Fields,
    /// Source location of the handler that replied, for the JSON log.
    pub caller: &'static Location<'static>,
    /// The next step of the command loop.
    pub next: Next,
    /// Whether the text is a board diagram, which a terminal may colour.
    pub is_diagram: bool,
}

/// The step of the command loop after an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Read the next line.
    Continue,
    /// Ponder until the next line arrives, if pondering is on.
    Ponder,
    /// End the session.
    Quit,
}

impl Reply {
    /// Success without text.
    #[track_caller]
    pub fn ok() -> Reply {
        Reply {
            text: String::new(),
            msg: "ok",
            fields: Vec::new(),
            caller: Location::caller(),
            next: Next::Continue,
            is_diagram: false,
        }
    }

    /// Success with text.
    #[track_caller]
    pub fn output(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), msg: "output", ..Reply::ok() }
    }

    /// Adds a key to the JSON log.
    pub fn field(mut self, key: &'static str, value: impl Into<Value>) -> Reply {
        self.fields.push((key, value.into()));
        self
    }

    /// Sets the next step of the command loop.
    pub fn then(mut self, next: Next) -> Reply {
        self.next = next;
        self
    }

    /// Sets `msg` of the JSON log.
    pub fn msg(mut self, msg: &'static str) -> Reply {
        self.msg = msg;
        self
    }
}

/// The result of a command that failed.
#[derive(Clone, PartialEq, Debug)]
pub struct CommandError {
    /// The text after `? `, one line.
    pub text: String,
    /// Further keys in the JSON log.
    pub fields: Fields,
    /// Source location of the failure, for the JSON log.
    pub caller: &'static Location<'static>,
    /// The reason in words, which a person at a terminal gets on stderr after the answer.
    pub explanation: Option<String>,
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for CommandError {}

impl From<Interrupted> for CommandError {
    #[track_caller]
    fn from(interrupted: Interrupted) -> CommandError {
        CommandError::new(interrupted.to_string())
    }
}

impl CommandError {
    /// An error with this text.
    #[track_caller]
    pub fn new(text: impl Into<String>) -> CommandError {
        CommandError { text: text.into(), fields: Vec::new(), caller: Location::caller(), explanation: None }
    }

    /// An error about one argument: `unexpected KEY:FOUND, EXPECTED`. A long FOUND is shortened.
    #[track_caller]
    pub fn unexpected(key: &'static str, found: &str, expected: &str) -> CommandError {
        CommandError::new(unexpected(key, found, expected)).field(key, shortened(found))
    }

    /// Adds the reason in words, for a person.
    pub fn explained(mut self, explanation: String) -> CommandError {
        self.explanation = Some(explanation);
        self
    }

    /// Adds a key to the JSON log.
    pub fn field(mut self, key: &'static str, value: impl Into<Value>) -> CommandError {
        self.fields.push((key, value.into()));
        self
    }
}

/// A command that has been run and logged: its response, not written yet, and the rest of its result.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct FinishedCommand {
    /// The response to write.
    pub response: Response,
    /// `msg` in the JSON log.
    pub msg: &'static str,
    /// Further keys in the JSON log. Together they have all the information of the text; of the last report of an analysis,
    /// they have the values of the best move only.
    pub fields: Fields,
    /// Whether the text is a board diagram, which a terminal may colour.
    pub is_diagram: bool,
    /// The next step of the command loop.
    pub next: Next,
}

/// A response in GTP's framing: mark, id, space, text and an empty line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Response {
    /// The id of the command as it was written, if it had one.
    pub id: Option<String>,
    /// Whether the command succeeded.
    pub is_success: bool,
    /// The text. `Display` removes empty lines and control characters, which would break the framing; an error becomes
    /// one line.
    pub text: String,
}

impl Response {
    /// The form in the plain-text log: without the final empty line and trailing white space.
    pub(crate) fn plain(&self) -> String {
        let framed = self.to_string();
        framed.trim_end().to_owned()
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_success { "=" } else { "?" })?;
        if let Some(id) = &self.id {
            f.write_str(id)?;
        }
        f.write_str(" ")?;
        if self.is_success && self.text.starts_with('\n') {
            f.write_str("\n")?;
        }
        // an empty line would end the answer; so would a line of control characters, which are removed below
        let is_blank = |character: char| character.is_whitespace() || character.is_control();
        let lines = self.text.lines().map(|line| line.trim_end_matches(is_blank)).filter(|line| !line.is_empty());
        for (index, line) in lines.enumerate() {
            if index > 0 {
                f.write_str(if self.is_success { "\n" } else { " " })?;
            }
            for character in line.chars().filter(|&character| character == '\t' || !character.is_control()) {
                fmt::Write::write_char(f, if character == '\t' { ' ' } else { character })?;
            }
        }
        f.write_str("\n\n")
    }
}

/// The first line of a streamed answer.
pub(crate) fn opening(id: Option<&str>) -> String {
    id.map_or_else(|| "= \n".to_owned(), |id| format!("={id} \n"))
}

/// The end of a streamed answer: the last line, if it is not empty, and the empty line.
pub(crate) fn closing(text: &str) -> String {
    if text.is_empty() { "\n".to_owned() } else { format!("{text}\n\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(id: Option<&str>, is_success: bool, text: &str, expected: &str) {
        let id = id.map(str::to_owned);
        assert_eq!(Response { id, is_success, text: text.to_owned() }.to_string(), expected);
    }

    #[test]
    fn framing_of_a_response() {
        check(None, true, "", "= \n\n");
        check(Some("12"), true, "", "=12 \n\n");
        check(None, true, "2", "= 2\n\n");
        check(Some("3"), false, "unknown command", "?3 unknown command\n\n");
        check(None, true, "a\n\n\nb\n", "= a\nb\n\n");
        check(None, true, "\n a\n", "= \n a\n\n");
        check(None, false, "a\nb", "? a b\n\n");
        check(None, true, "a\tb\x07c\r", "= a bc\n\n");
        check(None, true, "a \x01\n\x01\n \x07\t\nb", "= a\nb\n\n");
        check(None, false, "\x01\na\n\x01", "? a\n\n");
    }

    #[test]
    fn framing_of_a_streamed_answer() {
        assert_eq!(opening(None) + &closing(""), "= \n\n");
        assert_eq!(opening(Some("12")) + "info\n" + &closing("play D4"), "=12 \ninfo\nplay D4\n\n");
    }
}
