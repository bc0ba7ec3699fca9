//! Arguments of a command, read one by one. Each reader says itself what it expected.

use std::ops::RangeInclusive;

use crate::gtp::response::CommandError;
use crate::kernel::{Color, Coordinate, Move, Point};
use crate::protocol::line::split_word;

/// What is left of a command's arguments.
#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    rest: &'a str,
    /// The command with its arguments' names, for error messages.
    usage: &'static str,
    name: &'static str,
}

impl<'a> Args<'a> {
    /// The arguments of a command of this name and usage.
    pub fn new(name: &'static str, usage: &'static str, arguments: &'a str) -> Args<'a> {
        Args { rest: arguments, usage, name }
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The next word, if there is one.
    pub fn optional(&mut self) -> Option<&'a str> {
        let (word, rest) = split_word(self.rest);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    /// The next word.
    ///
    /// # Errors
    /// If there is none.
    #[track_caller]
    pub fn word(&mut self, what: &str) -> Result<&'a str, CommandError> {
        match self.optional() {
            Some(word) => Ok(word),
            None => Err(CommandError::new(format!("missing {what}, usage: {}", self.usage()))),
        }
    }

    /// All that is left of the line: a path may have spaces in it.
    ///
    /// # Errors
    /// If nothing is left.
    #[track_caller]
    pub fn rest(&mut self, what: &str) -> Result<&'a str, CommandError> {
        if self.rest.is_empty() {
            self.word(what)?;
        }
        Ok(std::mem::take(&mut self.rest))
    }

    /// The name of a file: a word, or a text in double quotes, which may have spaces in it.
    ///
    /// # Errors
    /// If there is none, or the quotes are not closed.
    #[track_caller]
    pub fn file_name(&mut self) -> Result<&'a str, CommandError> {
        let Some(quoted) = self.rest.strip_prefix('"') else {
            return self.word("file name");
        };
        let Some((name, rest)) = quoted.split_once('"') else {
            return Err(CommandError::unexpected("file", self.rest, "expected a closing quote"));
        };
        self.rest = rest.trim_start();
        Ok(name)
    }

    /// A player.
    ///
    /// # Errors
    /// If the next word is missing or names no player.
    #[track_caller]
    pub fn color(&mut self) -> Result<Color, CommandError> {
        let word = self.word("color")?;
        match Color::parse(word) {
            Some(color) => Ok(color),
            None => Err(CommandError::unexpected("stone", word, "expected black or white")),
        }
    }

    /// A point of the board.
    ///
    /// # Errors
    /// If the next word is missing or names no point of this board.
    #[track_caller]
    pub fn point(&mut self, coordinate: Coordinate) -> Result<Point, CommandError> {
        let word = self.word("vertex")?;
        match coordinate.parse_vertex(word) {
            Ok(point) => Ok(point),
            Err(_) => Err(CommandError::unexpected("vertex", word, &expected_vertex(coordinate))),
        }
    }

    /// A point of the board, or a pass.
    ///
    /// # Errors
    /// If the next word is missing or is neither.
    #[track_caller]
    pub fn play(&mut self, coordinate: Coordinate) -> Result<Move, CommandError> {
        play(self.word("vertex")?, coordinate)
    }

    /// Points of the board and passes, separated by commas.
    ///
    /// # Errors
    /// If the next word is missing or something else is in it.
    #[track_caller]
    pub fn plays(&mut self, coordinate: Coordinate) -> Result<Vec<Move>, CommandError> {
        let mut plays = Vec::new();
        // no closure: the log names the place that asked
        for word in self.word("vertex")?.split(',') {
            plays.push(play(word, coordinate)?);
        }
        Ok(plays)
    }

    /// A whole number in a range.
    ///
    /// # Errors
    /// If the next word is missing, is no number, or one out of range.
    #[track_caller]
    pub fn number(&mut self, key: &'static str, range: RangeInclusive<u32>) -> Result<u32, CommandError> {
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
    pub fn float(&mut self, key: &'static str) -> Result<f64, CommandError> {
        let word = self.word(key)?;
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(CommandError::unexpected(key, word, "expected a number such as 6.5")),
        }
    }

    /// Makes sure that nothing is left.
    ///
    /// # Errors
    /// If there is another word.
    #[track_caller]
    pub fn end(&mut self) -> Result<(), CommandError> {
        match self.optional() {
            None => Ok(()),
            Some(word) => Err(self.unexpected(word)),
        }
    }

    /// The refusal of a word that has no place here.
    #[track_caller]
    pub fn unexpected(&self, word: &str) -> CommandError {
        CommandError::unexpected("argument", word, &format!("usage: {}", self.usage()))
    }

    fn usage(&self) -> String {
        let space = if self.usage.is_empty() { "" } else { " " };
        format!("{}{space}{}", self.name, self.usage)
    }
}

#[track_caller]
fn play(word: &str, coordinate: Coordinate) -> Result<Move, CommandError> {
    if word.eq_ignore_ascii_case("pass") {
        return Ok(Move::Pass);
    }
    match coordinate.parse_vertex(word) {
        Ok(point) => Ok(Move::Play(point)),
        Err(_) => Err(CommandError::unexpected("vertex", word, &format!("{} or pass", expected_vertex(coordinate)))),
    }
}

fn expected_vertex(coordinate: Coordinate) -> String {
    let last = coordinate.point(coordinate.width(), coordinate.height());
    format!("expected A1 to {}", last.map(|point| coordinate.vertex(point)).unwrap_or_default())
}
