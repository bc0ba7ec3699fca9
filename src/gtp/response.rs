//! What a command gives back, and the only place that knows how an answer is framed.

use std::fmt;
use std::panic::Location;

use serde_json::Value;

use crate::gtp::commands::analyze::Analysis;
use crate::io::quote::shortened;

/// Facts of an answer for the JSON log, flat and in this order.
pub type Fields = Vec<(&'static str, Value)>;

/// What a command that succeeded gives back.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// The text after `= `; may be empty, may have several lines.
    pub text: String,
    /// The kind of event in the JSON log: `ok`, `output` and the like.
    pub msg: &'static str,
    /// The answer's facts for the JSON log.
    pub fields: Fields,
    /// Where in the code the answer was made.
    pub caller: &'static Location<'static>,
    /// What the loop does after it.
    pub next: Next,
    /// Whether the text draws a board, which may be coloured at a terminal.
    pub is_diagram: bool,
}

/// What the command loop does after an answer.
#[derive(Clone, PartialEq, Debug)]
pub enum Next {
    /// Reads the next line.
    Continue,
    /// Thinks on until the next line comes, if the options say so.
    Ponder,
    /// Searches and says what it finds, as the rest of this answer.
    Analyze(Box<Analysis>),
    /// Ends.
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

    /// Success with a text.
    #[track_caller]
    pub fn output(text: impl Into<String>) -> Reply {
        Reply { text: text.into(), msg: "output", ..Reply::ok() }
    }

    /// Adds a fact for the JSON log.
    pub fn field(mut self, key: &'static str, value: impl Into<Value>) -> Reply {
        self.fields.push((key, value.into()));
        self
    }

    /// Says what to do next.
    pub fn then(mut self, next: Next) -> Reply {
        self.next = next;
        self
    }

    /// Names the kind of event in the JSON log.
    pub fn msg(mut self, msg: &'static str) -> Reply {
        self.msg = msg;
        self
    }
}

/// Why a command was refused.
#[derive(Clone, PartialEq, Debug)]
pub struct CommandError {
    /// The text after `? `, one line.
    pub text: String,
    /// The refusal's facts for the JSON log.
    pub fields: Fields,
    /// Where in the code it was refused.
    pub caller: &'static Location<'static>,
}

impl CommandError {
    /// A refusal with this text.
    #[track_caller]
    pub fn new(text: impl Into<String>) -> CommandError {
        CommandError { text: text.into(), fields: Vec::new(), caller: Location::caller() }
    }

    /// A refusal of one argument: `unexpected KEY:FOUND`, then what was expected.
    #[track_caller]
    pub fn unexpected(key: &'static str, found: &str, expected: &str) -> CommandError {
        let comma = if expected.is_empty() { "" } else { ", " };
        CommandError::new(format!("unexpected {key}:{}{comma}{expected}", shortened(found)))
            .field(key, shortened(found))
    }

    /// Adds a fact for the JSON log.
    pub fn field(mut self, key: &'static str, value: impl Into<Value>) -> CommandError {
        self.fields.push((key, value.into()));
        self
    }
}

/// How a command ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// What is written.
    pub response: Response,
    /// The kind of event in the JSON log.
    pub msg: &'static str,
    /// The facts in the JSON log. They hold all that the answer says.
    pub fields: Fields,
    /// Whether the text draws a board, which may be coloured at a terminal.
    pub is_diagram: bool,
    /// What the loop does after it.
    pub next: Next,
}

/// An answer in GTP's framing: mark, id, space, text and an empty line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Response {
    /// The id of the command, if it had one.
    pub id: Option<u32>,
    /// Whether the command succeeded.
    pub is_success: bool,
    /// The text; whatever would break the framing is mended when it is displayed.
    pub text: String,
}

impl Response {
    /// The answer without the empty line that ends it, and without white space at its end: as the log has it.
    pub fn plain(&self) -> String {
        let framed = self.to_string();
        framed.trim_end().to_owned()
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_success { "=" } else { "?" })?;
        if let Some(id) = self.id {
            write!(f, "{id}")?;
        }
        f.write_str(" ")?;
        if self.is_success && self.text.starts_with('\n') {
            f.write_str("\n")?;
        }
        // an empty line would end the answer early, and so would one of nothing but what is left out below
        let is_nothing = |character: char| character.is_whitespace() || character.is_control();
        let lines = self.text.lines().map(|line| line.trim_end_matches(is_nothing)).filter(|line| !line.is_empty());
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

/// The first line of an answer that is given line by line.
pub fn opening(id: Option<u32>) -> String {
    id.map_or_else(|| "= \n".to_owned(), |id| format!("={id} \n"))
}

/// The end of an answer that is given line by line: a last line, which may be empty, and the empty line.
pub fn closing(text: &str) -> String {
    if text.is_empty() { "\n".to_owned() } else { format!("{text}\n\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(id: Option<u32>, is_success: bool, text: &str, expected: &str) {
        assert_eq!(Response { id, is_success, text: text.to_owned() }.to_string(), expected);
    }

    #[test]
    fn framing() {
        check(None, true, "", "= \n\n");
        check(Some(12), true, "", "=12 \n\n");
        check(None, true, "2", "= 2\n\n");
        check(Some(3), false, "unknown command", "?3 unknown command\n\n");
        check(None, true, "a\n\n\nb\n", "= a\nb\n\n");
        check(None, true, "\n a\n", "= \n a\n\n");
        check(None, false, "a\nb", "? a b\n\n");
        check(None, true, "a\tb\x07c\r", "= a bc\n\n");
        check(None, true, "a \x01\n\x01\n \x07\t\nb", "= a\nb\n\n");
        check(None, false, "\x01\na\n\x01", "? a\n\n");
    }

    #[test]
    fn framing_line_by_line() {
        assert_eq!(opening(None) + &closing(""), "= \n\n");
        assert_eq!(opening(Some(12)) + "info\n" + &closing("play D4"), "=12 \ninfo\nplay D4\n\n");
    }
}
