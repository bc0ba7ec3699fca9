//! Typed readers of a command's arguments, one word after another.
//!
//! Each reader consumes its words and returns a value of the kernel, or a [`CommandError`] with the word and the
//! expected values, so that handlers need no error texts of their own for common arguments. This file does not depend
//! on commands.

use std::ops::RangeInclusive;

use crate::gtp::response::CommandError;
use crate::kernel::{Color, Coordinate, KOMI_LIMIT, Move, Point};
use crate::protocol::line::{is_space, split_word};

/// Whether a text begins as a number does.
pub(crate) fn begins_number(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '.' | '+' | '-'))
}

/// The arguments of a command that have not been read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Args<'a> {
    rest: &'a str,
    /// Name and argument names of the command, for error messages.
    name: &'static str,
    usage: &'static str,
}

impl<'a> Args<'a> {
    /// The arguments of the command `name`, whose argument names are `usage`.
    pub(crate) fn new(name: &'static str, usage: &'static str, arguments: &'a str) -> Args<'a> {
        Args { rest: arguments, usage, name }
    }

    /// The names of the arguments, as the usage shows them.
    pub(crate) fn names(&self) -> &'static str {
        self.usage
    }

    /// Whether all arguments have been read.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next word, if there is one.
    pub(crate) fn optional(&mut self) -> Option<&'a str> {
        let (word, rest) = split_word(self.rest);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// The next word. An error names it `argument`.
    ///
    /// # Errors
    /// If there is none.
    #[track_caller]
    pub(crate) fn word(&mut self, argument: &str) -> Result<&'a str, CommandError> {
        match self.optional() {
            Some(word) => Ok(word),
            None => Err(CommandError::new(format!("missing {argument}, usage: {}", self.usage()))),
        }
    }

    /// The rest of the line, spaces included: a path or a JSON object.
    ///
    /// # Errors
    /// If all arguments have been read.
    #[track_caller]
    pub(crate) fn rest(&mut self, argument: &str) -> Result<&'a str, CommandError> {
        if self.rest.is_empty() {
            self.word(argument)?;
        }
        Ok(std::mem::take(&mut self.rest))
    }

    /// A file name: a word, or a text in double quotes, which may contain spaces.
    ///
    /// # Errors
    /// If it is missing or empty, the closing quote is missing, or a character other than a space follows it.
    #[track_caller]
    pub(crate) fn file_name(&mut self) -> Result<&'a str, CommandError> {
        let Some(quoted) = self.rest.strip_prefix('"') else {
            return self.word("FILE");
        };
        let Some((name, rest)) = quoted.split_once('"') else {
            return Err(CommandError::unexpected("file", self.rest, "expected a closing quote"));
        };
        if name.is_empty() {
            return Err(CommandError::unexpected("file", "\"\"", "expected a file name"));
        }
        if !rest.is_empty() && !rest.starts_with(is_space) {
            return Err(CommandError::unexpected("file", self.rest, "expected a space after the closing quote"));
        }
        self.rest = rest.trim_start_matches(is_space);
        Ok(name)
    }

    /// A path: the rest of the line, spaces included. Double quotes around it are not part of it.
    ///
    /// # Errors
    /// If it is missing, or if there is nothing between the quotes.
    #[track_caller]
    pub(crate) fn path(&mut self) -> Result<&'a str, CommandError> {
        let path = self.rest("path")?;
        match path.strip_prefix('"').and_then(|path| path.strip_suffix('"')) {
            Some("") => Err(CommandError::unexpected("file", path, "expected a file name")),
            Some(quoted) => Ok(quoted),
            None => Ok(path),
        }
    }

    /// A colour: `b`, `black`, `w` or `white`, in any case.
    ///
    /// # Errors
    /// If the next word is missing or no colour.
    #[track_caller]
    pub(crate) fn color(&mut self) -> Result<Color, CommandError> {
        let word = self.word("color")?;
        match Color::parse(word) {
            Some(color) => Ok(color),
            None => Err(CommandError::unexpected("stone", word, "expected black or white")),
        }
    }

    /// A point of the board, such as `D4`.
    ///
    /// # Errors
    /// If the next word is missing or no point of this board.
    #[track_caller]
    pub(crate) fn point(&mut self, coordinate: Coordinate) -> Result<Point, CommandError> {
        let word = self.word("vertex")?;
        match coordinate.parse_vertex(word) {
            Ok(point) => Ok(point),
            Err(_) => Err(CommandError::unexpected("vertex", word, &expected_vertex(word, coordinate))),
        }
    }

    /// A point of the board, or `pass`.
    ///
    /// # Errors
    /// If the next word is missing or neither.
    #[track_caller]
    pub(crate) fn play(&mut self, coordinate: Coordinate) -> Result<Move, CommandError> {
        play(self.word("vertex")?, coordinate)
    }

    /// Points and passes separated by commas, such as `D4,Q16,pass`. Empty parts are skipped, as in KataGo.
    ///
    /// # Errors
    /// If the next word is missing, one of its parts is neither a point nor `pass`, or there is no part.
    #[track_caller]
    pub(crate) fn plays(&mut self, coordinate: Coordinate) -> Result<Vec<Move>, CommandError> {
        let mut plays = Vec::new();
        let words = self.word("vertex")?;
        // a loop, not a closure: #[track_caller] does not pass through closures
        for word in words.split(',').filter(|word| !word.is_empty()) {
            plays.push(play(word, coordinate)?);
        }
        if plays.is_empty() { play(words, coordinate).map(|play| vec![play]) } else { Ok(plays) }
    }

    /// An integer within a range.
    ///
    /// # Errors
    /// If the next word is missing, no integer, or out of range.
    #[track_caller]
    pub(crate) fn number(&mut self, key: &'static str, range: RangeInclusive<u32>) -> Result<u32, CommandError> {
        let word = self.word(key)?;
        match word.parse() {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => Err(CommandError::unexpected(key, word, &format!("expected {} to {}", range.start(), range.end()))),
        }
    }

    /// A finite number.
    ///
    /// # Errors
    /// If the next word is missing or is no such number.
    #[track_caller]
    pub(crate) fn float(&mut self, key: &'static str) -> Result<f64, CommandError> {
        let word = self.word(key)?;
        match word.parse::<f64>() {
            // -0 is 0
            Ok(number) if number.is_finite() => Ok(number + 0.0),
            _ => Err(CommandError::unexpected(key, word, "expected a number such as 6.5")),
        }
    }

    /// Komi in points, up to [`KOMI_LIMIT`] for either player.
    ///
    /// # Errors
    /// If the next word is missing or is no such number.
    #[track_caller]
    pub(crate) fn komi(&mut self) -> Result<f64, CommandError> {
        let mut rest = *self;
        let komi = self.float("komi")?;
        if komi.abs() > KOMI_LIMIT {
            let expected = format!("expected -{KOMI_LIMIT} to {KOMI_LIMIT}");
            return Err(CommandError::unexpected("komi", rest.word("komi")?, &expected));
        }
        Ok(komi)
    }

    /// Checks that all arguments have been read.
    ///
    /// # Errors
    /// If a word is left.
    #[track_caller]
    pub(crate) fn end(&mut self) -> Result<(), CommandError> {
        match self.optional() {
            None => Ok(()),
            Some(word) => Err(self.unexpected(word)),
        }
    }

    /// The error for a surplus word. It quotes the usage.
    #[track_caller]
    pub(crate) fn unexpected(&self, word: &str) -> CommandError {
        CommandError::unexpected("argument", word, &format!("usage: {}", self.usage()))
    }

    fn usage(&self) -> String {
        usage(self.name, self.usage)
    }
}

/// A command with the names of its arguments, such as `play COLOR VERTEX`.
pub(crate) fn usage(name: &str, arguments: &str) -> String {
    format!("{name} {arguments}").trim_end().to_owned()
}

#[track_caller]
fn play(word: &str, coordinate: Coordinate) -> Result<Move, CommandError> {
    match Move::parse(word, coordinate) {
        Ok(play) => Ok(play),
        // not in a closure, which would be the logged caller
        Err(_) => {
            let expected = format!("{} or pass", expected_vertex(word, coordinate));
            Err(CommandError::unexpected("vertex", word, &expected))
        }
    }
}

/// The vertices of a board, for the message about a word that names none of them.
pub(crate) fn expected_vertex(word: &str, coordinate: Coordinate) -> String {
    format!("expected {}", coordinate.expected_vertex(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_file_name_ends_at_a_space() {
        let read = |arguments: &'static str| {
            let mut args = Args::new("loadsgf", "FILE [NUMBER]", arguments);
            let name = args.file_name().map_err(|error| error.text)?;
            Ok((name, args.optional()))
        };
        assert_eq!(read("\"a b.sgf\""), Ok(("a b.sgf", None)));
        assert_eq!(read("\"a b.sgf\" \t1"), Ok(("a b.sgf", Some("1"))));
        for rest in ["\"a b.sgf\"1", "\"a b.sgf\"\u{3000}1"] {
            let expected = format!("unexpected file:{rest}, expected a space after the closing quote");
            assert_eq!(read(rest), Err(expected));
        }
    }
}
