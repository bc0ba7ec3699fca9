//! The commands of a game at the terminal: parsing, help and completion.

use crate::io::quote::shortened;
use crate::kernel::{Coordinate, Move};

/// A parsed line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PlayCommand<'a> {
    Move(Move),
    Undo,
    Hint,
    Score,
    Save(&'a str),
    Resign,
    Board,
    Help,
    Quit,
}

/// Name, argument and help text of every command except a move.
const COMMANDS: [(&str, &str, &str); 9] = [
    ("pass", "", "pass; two passes in a row end the game"),
    ("undo", "", "take back your last move and the engine's answer"),
    ("hint", "", "the move the engine would play for you, with its win rate"),
    ("score", "", "the score as the stones stand"),
    ("save", "FILE", "write the game to a file, in SGF"),
    ("resign", "", "resign the game"),
    ("board", "", "draw the board again"),
    ("help", "", "list these commands"),
    ("quit", "", "leave the game"),
];

impl PlayCommand<'_> {
    /// Parses a line; `None` if it is blank. A vertex outside the board is an error, an illegal move is not.
    ///
    /// # Errors
    /// A message for the person that names the unexpected text.
    pub(super) fn parse(line: &str, coordinate: Coordinate) -> Result<Option<PlayCommand<'_>>, String> {
        let line = line.trim();
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let rest = rest.trim();
        let name = word.to_ascii_lowercase();
        let command = match name.as_str() {
            "" => return Ok(None),
            "save" if rest.is_empty() => return Err("save needs a file name: save FILE".to_owned()),
            "save" => return Ok(Some(PlayCommand::Save(rest))),
            "pass" => PlayCommand::Move(Move::Pass),
            "undo" => PlayCommand::Undo,
            "hint" => PlayCommand::Hint,
            "score" => PlayCommand::Score,
            "resign" => PlayCommand::Resign,
            "board" => PlayCommand::Board,
            "help" => PlayCommand::Help,
            "quit" => PlayCommand::Quit,
            _ => match coordinate.parse_vertex(word) {
                Ok(point) => PlayCommand::Move(Move::Play(point)),
                Err(_) => {
                    let last = coordinate.point(coordinate.width(), coordinate.height());
                    let last = last.map(|point| coordinate.vertex(point)).unwrap_or_default();
                    return Err(format!("unexpected {}, expected a point, A1 to {last}, or help", shortened(word)));
                }
            },
        };
        if rest.is_empty() { Ok(Some(command)) } else { Err(format!("unexpected {}, after {word}", shortened(rest))) }
    }
}

/// The output of `help`, one command a line.
pub(super) fn help() -> String {
    let rows = COMMANDS.iter().map(|(name, argument, help)| format!("{:<12} {help}", format!("{name} {argument}")));
    let point = format!("{:<12} play a stone there", "D4");
    std::iter::once(point).chain(rows).collect::<Vec<_>>().join("\n")
}

/// Completions of the word after `before`: the command names at the start of a line, nothing elsewhere.
pub(crate) fn completions(before: &str) -> Vec<&'static str> {
    if before.trim().is_empty() { COMMANDS.iter().map(|(name, ..)| *name).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_command_parses_has_help_and_completes() {
        let coordinate = Coordinate::square(9).unwrap();
        for (name, argument, _) in COMMANDS {
            let line = format!(" {} {argument} ", name.to_ascii_uppercase());
            assert!(PlayCommand::parse(&line, coordinate).unwrap().is_some(), "{name}");
            assert!(help().contains(name));
        }
        assert_eq!(completions(""), COMMANDS.map(|(name, ..)| name));
        assert!(completions("save ").is_empty());
    }

    #[test]
    fn parses_moves_arguments_and_reports_errors() {
        let coordinate = Coordinate::new(9, 5).unwrap();
        let parse = |line: &'static str| PlayCommand::parse(line, coordinate);
        let point = coordinate.parse_vertex("J5").unwrap();
        assert_eq!(parse("j5"), Ok(Some(PlayCommand::Move(Move::Play(point)))));
        assert_eq!(parse("\tpass"), Ok(Some(PlayCommand::Move(Move::Pass))));
        assert_eq!(parse("save a b.sgf "), Ok(Some(PlayCommand::Save("a b.sgf"))));
        assert_eq!(parse("  "), Ok(None));
        for (line, message) in [
            ("J6", "unexpected J6, expected a point, A1 to J5, or help"),
            ("go", "unexpected go, expected a point, A1 to J5, or help"),
            ("D4 E5", "unexpected E5, after D4"),
            ("save", "save needs a file name: save FILE"),
        ] {
            assert_eq!(parse(line), Err(message.to_owned()));
        }
    }
}
