//! What may be typed in a game.

use crate::io::quote::shortened;
use crate::kernel::{Coordinate, Move};

/// One thing to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command<'a> {
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

/// The words, what follows them, and what they do.
const WORDS: [(&str, &str, &str); 9] = [
    ("pass", "", "play no stone; when both pass, the game is over"),
    ("undo", "", "take your last move back, and the answer to it"),
    ("hint", "", "what the engine would play in your place, and why"),
    ("score", "", "how the game stands"),
    ("save", "FILE", "write the game to a file, in SGF"),
    ("resign", "", "give the game up"),
    ("board", "", "draw the board again"),
    ("help", "", "this"),
    ("quit", "", "leave"),
];

impl Command<'_> {
    /// What a line says; nothing if it is empty.
    ///
    /// # Errors
    /// What was expected.
    pub(super) fn parse(line: &str, coordinate: Coordinate) -> Result<Option<Command<'_>>, String> {
        let line = line.trim();
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let rest = rest.trim();
        let known = word.to_ascii_lowercase();
        let command = match known.as_str() {
            "" => return Ok(None),
            "save" if rest.is_empty() => return Err("save what? type save FILE".to_owned()),
            "save" => return Ok(Some(Command::Save(rest))),
            "pass" => Command::Move(Move::Pass),
            "undo" => Command::Undo,
            "hint" => Command::Hint,
            "score" => Command::Score,
            "resign" => Command::Resign,
            "board" => Command::Board,
            "help" => Command::Help,
            "quit" => Command::Quit,
            _ => match coordinate.parse_vertex(word) {
                Ok(point) => Command::Move(Move::Play(point)),
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

/// What `help` says.
pub(super) fn help() -> String {
    let rows = WORDS.iter().map(|(word, argument, help)| format!("{:<12} {help}", format!("{word} {argument}")));
    let point = format!("{:<12} put a stone there", "D4");
    std::iter::once(point).chain(rows).collect::<Vec<_>>().join("\n")
}

/// The words that may stand after what has been typed.
pub fn completions(before: &str) -> Vec<&'static str> {
    if before.trim().is_empty() { WORDS.iter().map(|(word, ..)| *word).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_word_is_known_and_helped_with() {
        let coordinate = Coordinate::square(9).unwrap();
        for (word, argument, _) in WORDS {
            let line = format!(" {} {argument} ", word.to_ascii_uppercase());
            assert!(Command::parse(&line, coordinate).unwrap().is_some(), "{word}");
            assert!(help().contains(word));
        }
        assert_eq!(completions(""), WORDS.map(|(word, ..)| word));
        assert!(completions("save ").is_empty());
    }

    #[test]
    fn lines() {
        let coordinate = Coordinate::new(9, 5).unwrap();
        let parse = |line: &'static str| Command::parse(line, coordinate);
        let point = coordinate.parse_vertex("J5").unwrap();
        assert_eq!(parse("j5"), Ok(Some(Command::Move(Move::Play(point)))));
        assert_eq!(parse("\tpass"), Ok(Some(Command::Move(Move::Pass))));
        assert_eq!(parse("save a b.sgf "), Ok(Some(Command::Save("a b.sgf"))));
        assert_eq!(parse("  "), Ok(None));
        for (line, complaint) in [
            ("J6", "unexpected J6, expected a point, A1 to J5, or help"),
            ("go", "unexpected go, expected a point, A1 to J5, or help"),
            ("D4 E5", "unexpected E5, after D4"),
            ("save", "save what? type save FILE"),
        ] {
            assert_eq!(parse(line), Err(complaint.to_owned()));
        }
    }
}
