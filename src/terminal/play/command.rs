//! The commands of a game at the terminal: parsing, help and completion.

use crate::kernel::{Coordinate, Move};
use crate::player::level::STRONGEST;
use crate::text::quote::shortened;
use crate::text::suggestion::suggestion;

/// A parsed line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PlayCommand<'a> {
    Move(Move),
    Undo,
    Redo,
    Hint,
    Score,
    Review,
    /// A file to write; with `overwrite` it replaces an existing one without a question.
    Save {
        path: &'a str,
        overwrite: bool,
    },
    Load(&'a str),
    /// The options of a new game.
    New(&'a str),
    /// The level to set, or `None` to show it.
    Level(Option<u64>),
    /// Time settings, or nothing to show the clocks.
    Clock(&'a str),
    Resign,
    Board,
    /// The commands that are explained: the one of this name, or all.
    Help(Option<&'static str>),
    Quit,
}

/// Name, argument and help text of every command except a move.
const COMMANDS: [(&str, &str, &str); 16] = [
    ("pass", "", "pass; two passes in a row end the game"),
    ("undo", "", "take back your last move and the engine's answer"),
    ("redo", "", "replay the moves that undo took back"),
    ("hint", "", "the move the engine would play for you, with its win rate"),
    ("score", "", "the score, or an estimate of it while the game goes on"),
    ("review", "", "your moves that lost the most, by short searches"),
    ("save", "FILE", "write the game to a file, in SGF"),
    ("save!", "FILE", "the same; replaces an existing file"),
    ("load", "FILE", "continue from the end of a game in SGF"),
    ("new", "[OPTIONS]", "a new game, such as new size 9 handicap 2 color white"),
    ("level", "[N]", "show or set the engine's level, 1 to 10"),
    ("clock", "[TIMES]", "show or set the clocks, such as clock byoyomi 600 30 5"),
    ("resign", "", "resign the game"),
    ("board", "", "draw the board again"),
    ("help", "[COMMAND]", "list these commands, or explain one; ? is the same"),
    ("quit", "", "leave the game; exit and q are the same"),
];

/// Other names of commands, with their names in [`COMMANDS`].
const SYNONYMS: [(&str, &str); 3] = [("?", "help"), ("exit", "quit"), ("q", "quit")];

/// A typed word in lower case, and as the name of a command if it is another name of one.
fn lower_name(word: &str) -> String {
    let word = word.to_ascii_lowercase();
    match SYNONYMS.iter().find(|(synonym, _)| *synonym == word) {
        Some((_, name)) => (*name).to_owned(),
        None => word,
    }
}

impl PlayCommand<'_> {
    /// Parses a line; `None` if it is blank or a comment, which begins with `#`. A comment may also follow a command and a
    /// blank; after a command with a file name it is part of the name. A vertex outside the board is an error, an illegal
    /// move is not.
    ///
    /// # Errors
    /// A message for the person that names the unexpected text.
    pub(super) fn parse(line: &str, coordinate: Coordinate) -> Result<Option<PlayCommand<'_>>, String> {
        let line = line.trim();
        if line.starts_with('#') {
            return Ok(None);
        }
        let (word, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let name = lower_name(word);
        let rest = if TAKES_FILE.contains(&name.as_str()) { rest.trim() } else { without_comment(rest) };
        // quotes are not needed for blanks, but people write them
        let unquoted = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(rest);
        let file = || match unquoted {
            "" => Err(format!("{name} needs a file name: {name} FILE")),
            file => Ok(file),
        };
        let command = match name.as_str() {
            "" => return Ok(None),
            "save" => return Ok(Some(PlayCommand::Save { path: file()?, overwrite: false })),
            "save!" => return Ok(Some(PlayCommand::Save { path: file()?, overwrite: true })),
            "load" => return Ok(Some(PlayCommand::Load(file()?))),
            "new" => return Ok(Some(PlayCommand::New(rest))),
            "clock" => return Ok(Some(PlayCommand::Clock(rest))),
            "level" if rest.is_empty() => PlayCommand::Level(None),
            "level" => match rest.parse() {
                Ok(level @ 1..=STRONGEST) => return Ok(Some(PlayCommand::Level(Some(level)))),
                _ => return Err(format!("unexpected {}, expected a level, 1 to {STRONGEST}", shortened(rest))),
            },
            "pass" => PlayCommand::Move(Move::Pass),
            "undo" => PlayCommand::Undo,
            "redo" => PlayCommand::Redo,
            "hint" => PlayCommand::Hint,
            "score" => PlayCommand::Score,
            "review" => PlayCommand::Review,
            "resign" => PlayCommand::Resign,
            "board" => PlayCommand::Board,
            "help" if rest.is_empty() => PlayCommand::Help(None),
            "help" => return named_help(rest).map(Some),
            "quit" => PlayCommand::Quit,
            _ => match coordinate.parse_vertex(word) {
                Ok(point) => PlayCommand::Move(Move::Play(point)),
                Err(_) => {
                    let range = coordinate.expected_vertex(word);
                    let near = suggestion(COMMANDS.iter().map(|(name, ..)| *name), word);
                    return Err(format!("unexpected {}, expected a point, {range}, or help{near}", shortened(word)));
                }
            },
        };
        if rest.is_empty() { Ok(Some(command)) } else { Err(format!("unexpected {}, after {word}", shortened(rest))) }
    }
}

/// `help` with the name of a command.
///
/// # Errors
/// A message for the person if there is no such command.
fn named_help(word: &str) -> Result<PlayCommand<'static>, String> {
    let wanted = lower_name(word);
    match COMMANDS.iter().find(|(name, ..)| *name == wanted) {
        Some((name, ..)) => Ok(PlayCommand::Help(Some(name))),
        None => {
            let near = suggestion(COMMANDS.iter().map(|(name, ..)| *name), word);
            Err(format!("unexpected {}, expected a command{near}; help lists them", shortened(word)))
        }
    }
}

/// The commands whose argument is a file name, which may contain `#`.
const TAKES_FILE: [&str; 3] = ["save", "save!", "load"];

/// The text after a command without the comment, which begins with a `#` after a blank.
fn without_comment(rest: &str) -> &str {
    let is_begin = |(at, _): &(usize, &str)| {
        rest.get(..*at).is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t']))
    };
    let comment = rest.match_indices('#').find(is_begin);
    rest.get(..comment.map_or(rest.len(), |(at, _)| at)).unwrap_or(rest).trim()
}

/// The output of `help`, one command a line: the command of this name, or all.
pub(super) fn help(wanted: Option<&str>) -> String {
    let is_wanted = |name: &str| wanted.is_none_or(|wanted| wanted == name);
    let rows = COMMANDS.iter().filter(|(name, ..)| is_wanted(name));
    let rows = rows.map(|(name, argument, help)| format!("{:<14} {help}", format!("{name} {argument}")));
    let point = wanted.is_none().then(|| format!("{:<14} play a stone there", "D4"));
    point.into_iter().chain(rows).collect::<Vec<_>>().join("\n")
}

/// Completions of the word after `before`: the command names at the start of a line and after `help`, else nothing.
pub(crate) fn completions(before: &str) -> Vec<&'static str> {
    match before.trim() {
        "" | "help" => COMMANDS.iter().map(|(name, ..)| *name).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_command_parses_has_help_and_completes() {
        let coordinate = Coordinate::square(9).unwrap();
        for (name, argument, _) in COMMANDS {
            let argument = match name {
                "level" => "3",
                "help" => "Save",
                _ => argument,
            };
            let line = format!(" {} {argument} ", name.to_ascii_uppercase());
            assert!(PlayCommand::parse(&line, coordinate).unwrap().is_some(), "{name}");
            assert!(help(None).contains(name));
            assert!(help(Some(name)).starts_with(&format!("{name} ")) && help(Some(name)).lines().count() == 1);
        }
        for before in ["", "help "] {
            assert_eq!(completions(before), COMMANDS.map(|(name, ..)| name));
        }
        assert!(completions("save ").is_empty());
    }

    #[test]
    fn parses_moves_arguments_and_reports_errors() {
        let coordinate = Coordinate::new(9, 5).unwrap();
        let parse = |line: &'static str| PlayCommand::parse(line, coordinate);
        let point = coordinate.parse_vertex("J5").unwrap();
        assert_eq!(parse("j5"), Ok(Some(PlayCommand::Move(Move::Play(point)))));
        assert_eq!(parse("\tpass"), Ok(Some(PlayCommand::Move(Move::Pass))));
        for line in ["save a b.sgf ", "save \"a b.sgf\""] {
            assert_eq!(parse(line), Ok(Some(PlayCommand::Save { path: "a b.sgf", overwrite: false })));
        }
        assert_eq!(parse("save! a.sgf"), Ok(Some(PlayCommand::Save { path: "a.sgf", overwrite: true })));
        assert_eq!(parse("Load ~/a b.sgf"), Ok(Some(PlayCommand::Load("~/a b.sgf"))));
        assert_eq!(parse("new size 9"), Ok(Some(PlayCommand::New("size 9"))));
        assert_eq!(
            (parse("level"), parse("level 10")),
            (Ok(Some(PlayCommand::Level(None))), Ok(Some(PlayCommand::Level(Some(10)))))
        );
        for line in ["quit", "Exit", "q # bye"] {
            assert_eq!(parse(line), Ok(Some(PlayCommand::Quit)), "{line}");
        }
        for line in ["help", "?", "? # all"] {
            assert_eq!(parse(line), Ok(Some(PlayCommand::Help(None))), "{line}");
        }
        for (line, name) in [("help save!", "save!"), ("? LOAD", "load"), ("help exit", "quit"), ("help ?", "help")] {
            assert_eq!(parse(line), Ok(Some(PlayCommand::Help(Some(name)))), "{line}");
        }
        assert_eq!(parse("  "), Ok(None));
        assert_eq!(parse(" # a comment"), Ok(None));
        for line in ["J5 # a comment", "j5\t# a # comment", "J5 #", "J5  #x"] {
            assert_eq!(parse(line), Ok(Some(PlayCommand::Move(Move::Play(point)))), "{line:?}");
        }
        assert_eq!(parse("new size 9 # small"), Ok(Some(PlayCommand::New("size 9"))));
        assert_eq!(parse("level # which"), Ok(Some(PlayCommand::Level(None))));
        assert_eq!(parse("save game #1.sgf"), Ok(Some(PlayCommand::Save { path: "game #1.sgf", overwrite: false })));
        assert_eq!(parse("load # 1.sgf"), Ok(Some(PlayCommand::Load("# 1.sgf"))));
        for (line, message) in [
            ("J6", "unexpected J6, expected a point, A1 to J5, or help"),
            ("i5", "unexpected i5, expected a point, A1 to J5 (there is no column I), or help"),
            ("J5#", "unexpected J5#, expected a point, A1 to J5, or help"),
            ("J5 x#", "unexpected x#, after J5"),
            ("go", "unexpected go, expected a point, A1 to J5, or help"),
            ("D4 E5", "unexpected E5, after D4"),
            ("save", "save needs a file name: save FILE"),
            ("load", "load needs a file name: load FILE"),
            ("help sav", "unexpected sav, expected a command, did you mean save, save!?; help lists them"),
            ("help D4", "unexpected D4, expected a command; help lists them"),
            ("exit now", "unexpected now, after exit"),
            ("redo 3", "unexpected 3, after redo"),
            ("level 11", "unexpected 11, expected a level, 1 to 10"),
            ("level best", "unexpected best, expected a level, 1 to 10"),
        ] {
            assert_eq!(parse(line), Err(message.to_owned()));
        }
    }
}
