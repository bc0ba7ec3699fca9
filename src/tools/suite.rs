//! Tactical problems: positions in which the right move decides the game, and what the right moves are.
//!
//! The problems are in `data/suite/`, in text for people to read and to draw, and are built into the program. This module
//! reads them into values and judges an answer. It knows no search.
//!
//! A problem is a few lines of `key: value` with a drawn board below them; a line that begins with `#` is a remark. The
//! keys are, in any order:
//!
//! - `title`, by which it is known; the first key of every problem;
//! - `theme`, one of [`Theme`]'s words;
//! - `to move`, `black` or `white`;
//! - `komi`, and `rules` where they are not `chinese`;
//! - `played`, where there is any: moves after the board as drawn, as `white C3`, separated by commas;
//! - `best`, the points any of which solves it, or `avoid`, the points none of which does;
//! - `about`, the reason, in a line.

use std::fmt;
use std::str::FromStr;

use crate::kernel::{
    BoardTextError, Color, Coordinate, GameRule, IllegalMove, MAX_SIDE, Move, Point, Position, SetupError, parse_stones,
};

/// Names of files to names and texts.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("data/suite/", $name), include_str!(concat!("../../data/suite/", $name)))),*]
    };
}

/// The files of `data/suite/` with their texts, a file a theme.
const FILES: &[(&str, &str)] = files![
    "capture.txt",
    "connect.txt",
    "cut.txt",
    "endgame.txt",
    "kill.txt",
    "ko.txt",
    "ladder.txt",
    "live.txt",
    "nakade.txt",
    "net.txt",
    "oiotoshi.txt",
    "seki.txt",
    "semeai.txt",
    "snapback.txt",
    "throw-in.txt",
];

/// As much of a refused text as a message quotes, in characters.
const QUOTED: usize = 60;

/// Moves that a game is expected to last; sets only how rens are named.
const MAX_MOVES: u32 = 722;

/// A position and the moves that solve it.
#[derive(Clone)]
pub struct Problem {
    /// By what it is known; no two of the built-in problems have the same.
    pub title: String,
    /// What it tests.
    pub theme: Theme,
    /// The position, its rules and komi, with the player to move to be asked.
    pub position: Position,
    /// The moves that solve it; where there are none, any move does that is not to be avoided.
    pub best: Vec<Point>,
    /// The moves that do not solve it; only where `best` is empty.
    pub avoid: Vec<Point>,
    /// Why, in a line.
    pub about: String,
}

impl Problem {
    /// Who is asked for a move.
    pub fn to_move(&self) -> Color {
        self.position.to_move()
    }

    /// Whether a move solves the problem. A pass does only where moves are to be avoided.
    pub fn is_solved(&self, answer: Move) -> bool {
        match answer {
            Move::Play(point) if self.best.is_empty() => !self.avoid.contains(&point),
            Move::Play(point) => self.best.contains(&point),
            Move::Pass => self.best.is_empty(),
        }
    }
}

/// Declares the themes with their words.
macro_rules! themes {
    ($($(#[$doc:meta])* $theme:ident = $word:literal),* $(,)?) => {
        /// What a problem tests.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Theme {
            $($(#[$doc])* $theme),*
        }

        impl Theme {
            /// Every theme.
            pub const ALL: &'static [Theme] = &[$(Theme::$theme),*];

            /// The word in the files.
            pub const fn word(self) -> &'static str {
                match self { $(Theme::$theme => $word),* }
            }
        }
    };
}

themes! {
    /// Take, or save from being taken.
    Capture = "capture",
    /// Start a ladder that works, leave one that does not, or break it.
    Ladder = "ladder",
    /// Catch at a distance.
    Net = "net",
    /// Give one stone, take more back on the same point.
    Snapback = "snapback",
    /// Play the vital point inside an eye of three to six.
    Nakade = "nakade",
    /// Live by two eyes.
    Live = "live",
    /// Keep a group from two eyes.
    Kill = "kill",
    /// Make a seki, or leave one alone.
    Seki = "seki",
    /// Win a race of liberties.
    Semeai = "semeai",
    /// Connect.
    Connect = "connect",
    /// Cut.
    Cut = "cut",
    /// Begin a ko, win it, or do without.
    Ko = "ko",
    /// The last points.
    Endgame = "endgame",
    /// Give a stone to take an eye or a liberty.
    ThrowIn = "throw-in",
    /// Connect and die: an atari that connecting does not help.
    Oiotoshi = "oiotoshi",
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A text that is no collection of problems.
#[derive(Clone, PartialEq, Debug)]
pub struct SuiteError {
    /// What the text is called.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What is wrong with a problem.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// A line that is neither `key: value` nor of a board.
    Line(String),
    /// A line before the first title.
    NoTitle,
    /// An unknown key.
    Key(String),
    /// A key for the second time.
    Repeated(&'static str),
    /// A problem without this key, or without a board.
    Missing(&'static str),
    /// Neither moves that solve it nor moves to avoid, or both.
    BestOrAvoid,
    /// A value that is not what it should be.
    Value {
        /// The key.
        key: &'static str,
        /// The value, or the part that is refused.
        found: String,
        /// What should stand there.
        expected: String,
    },
    /// A row of the board that is longer or shorter than the first one, or too many of them.
    Row,
    /// The rows make no board.
    Board(BoardTextError),
    /// The stones make no position.
    Setup(SetupError),
    /// A move that cannot be played.
    Illegal {
        /// The key that names it.
        key: &'static str,
        /// The point's name.
        vertex: String,
        /// The rule it breaks.
        reason: IllegalMove,
    },
    /// A title that another problem has.
    SameTitle(String),
}

impl fmt::Display for SuiteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.fault)
    }
}

impl std::error::Error for SuiteError {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Line(found) => write!(f, "expected `key: value` or a row of a board, found {found}"),
            Fault::NoTitle => f.write_str("expected `title: …` first"),
            Fault::Key(found) => write!(f, "unknown key {found}, expected one of {}", KEYS.join(", ")),
            Fault::Repeated(key) => write!(f, "{key} for the second time"),
            Fault::Missing(key) => write!(f, "this problem has no {key}"),
            Fault::BestOrAvoid => f.write_str("expected one of best and avoid"),
            Fault::Value { key, found, expected } => write!(f, "{key}: expected {expected}, found {found}"),
            Fault::Row => write!(f, "expected a square board of 1 to {MAX_SIDE} points a side in its frame"),
            Fault::Board(error) => error.fmt(f),
            Fault::Setup(error) => error.fmt(f),
            Fault::Illegal { key, vertex, reason } => write!(f, "{key}: {vertex} cannot be played: {reason}"),
            Fault::SameTitle(title) => write!(f, "another problem is called {title}"),
        }
    }
}

const KEYS: [&str; 9] = ["title", "theme", "to move", "komi", "rules", "played", "best", "avoid", "about"];

/// The problems that are built in.
///
/// # Errors
/// Never as released: a test reads them.
pub fn built_in() -> Result<Vec<Problem>, SuiteError> {
    let mut problems = Vec::new();
    for (file, text) in FILES {
        problems.extend(read(file, text)?);
    }
    Ok(problems)
}

/// The problems of a text; `file` is what an error calls it.
///
/// # Errors
/// The first mistake, with its line; a problem that lacks something is named by the line of its title.
pub fn read(file: &str, text: &str) -> Result<Vec<Problem>, SuiteError> {
    let at = |line: usize, fault: Fault| SuiteError { file: file.to_owned(), line, fault };
    let mut drafts: Vec<Draft> = Vec::new();
    for (row, line) in text.lines().zip(1..) {
        let row = row.trim_end();
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        if row.starts_with("title:") {
            drafts.push(Draft::new(line));
        }
        let draft = drafts.last_mut().ok_or_else(|| at(line, Fault::NoTitle))?;
        draft.add(line, row).map_err(|fault| at(line, fault))?;
    }
    let mut problems: Vec<Problem> = Vec::new();
    for draft in &drafts {
        let problem = draft.problem().map_err(|(line, fault)| at(line, fault))?;
        if problems.iter().any(|other| other.title == problem.title) {
            return Err(at(draft.line, Fault::SameTitle(problem.title)));
        }
        problems.push(problem);
    }
    Ok(problems)
}

/// The lines of one problem.
struct Draft<'a> {
    /// Where it begins.
    line: usize,
    /// The values of [`KEYS`] in that order, each with its line.
    values: [Option<(usize, &'a str)>; KEYS.len()],
    rows: Vec<&'a str>,
    /// Where the board begins.
    board_line: usize,
}

impl<'a> Draft<'a> {
    fn new(line: usize) -> Draft<'a> {
        Draft { line, values: [None; KEYS.len()], rows: Vec::new(), board_line: line }
    }

    fn add(&mut self, line: usize, row: &'a str) -> Result<(), Fault> {
        if row.contains('+') && !row.contains(':') {
            if self.rows.is_empty() {
                self.board_line = line;
            }
            self.rows.push(row);
            return Ok(());
        }
        let Some((key, value)) = row.split_once(':') else {
            // the names of the files stand above and below a board
            let is_files = row.trim().chars().all(|character| character.is_ascii_uppercase());
            return if is_files { Ok(()) } else { Err(Fault::Line(quoted(row))) };
        };
        let known = KEYS.iter().zip(&mut self.values).find(|(known, _)| **known == key);
        let (known, slot) = known.ok_or_else(|| Fault::Key(quoted(key)))?;
        if slot.replace((line, value.trim())).is_some() {
            return Err(Fault::Repeated(known));
        }
        Ok(())
    }

    fn problem(&self) -> Result<Problem, (usize, Fault)> {
        let (_, title) = self.required("title")?;
        let (_, about) = self.required("about")?;
        let theme = self.parsed("theme", &words(Theme::ALL.iter().map(|theme| theme.word())), |text| {
            Theme::ALL.iter().copied().find(|theme| theme.word() == text)
        })?;
        let to_move = self.parsed("to move", "black or white", Color::parse)?;
        let komi = self.parsed("komi", "a number", |text| f64::from_str(text).ok().filter(|komi| komi.is_finite()))?;
        let mut rule = GameRule::with_komi(komi);
        if self.value("rules").is_some() {
            rule = self.parsed("rules", &words(GameRule::names()), |text| rule.named(text))?;
        }
        let mut position = self.board(rule)?;
        self.play(&mut position)?;
        position.set_to_move(to_move);
        let best = self.points("best", &position)?;
        let avoid = self.points("avoid", &position)?;
        if best.is_empty() == avoid.is_empty() {
            return Err((self.line, Fault::BestOrAvoid));
        }
        Ok(Problem { title: title.to_owned(), theme, position, best, avoid, about: about.to_owned() })
    }

    /// The board as drawn.
    fn board(&self, rule: GameRule) -> Result<Position, (usize, Fault)> {
        if self.rows.is_empty() {
            return Err((self.line, Fault::Missing("board")));
        }
        let refused = |fault: Fault| (self.board_line, fault);
        let side = self.rows.len().checked_sub(2).and_then(|side| u8::try_from(side).ok());
        let coordinate = side.and_then(Coordinate::square).ok_or_else(|| refused(Fault::Row))?;
        let stones = parse_stones(coordinate, self.rows.join("\n").as_bytes());
        let stones = stones.map_err(|error| refused(Fault::Board(error)))?;
        let mut position = Position::new(coordinate, rule, MAX_MOVES, Color::Black);
        position.set_up(&stones).map_err(|error| refused(Fault::Setup(error)))?;
        Ok(position)
    }

    /// Plays the moves after the board.
    fn play(&self, position: &mut Position) -> Result<(), (usize, Fault)> {
        let Some((line, moves)) = self.value("played") else { return Ok(()) };
        for written in moves.split(',').map(str::trim) {
            let coordinate = position.board().coordinate();
            let read = written.split_once(' ').and_then(|(color, vertex)| {
                Some((Color::parse(color)?, coordinate.parse_vertex(vertex.trim()).ok()?, vertex.trim()))
            });
            let Some((color, point, vertex)) = read else {
                return Err((line, value_fault("played", written, "moves such as `white C3`")));
            };
            position.play(color, point).map_err(|reason| (line, illegal("played", vertex, reason)))?;
        }
        Ok(())
    }

    /// The points after a key, each of which can be played; none without the key.
    fn points(&self, key: &'static str, position: &Position) -> Result<Vec<Point>, (usize, Fault)> {
        let Some((line, text)) = self.value(key) else { return Ok(Vec::new()) };
        let mut points = Vec::new();
        for vertex in text.split_whitespace() {
            let coordinate = position.board().coordinate();
            let point = coordinate.parse_vertex(vertex);
            let point = point.map_err(|_| (line, value_fault(key, vertex, "a point of the board")))?;
            position.check(position.to_move(), point).map_err(|reason| (line, illegal(key, vertex, reason)))?;
            points.push(point);
        }
        if points.is_empty() {
            return Err((line, value_fault(key, text, "points such as D4")));
        }
        Ok(points)
    }

    fn value(&self, key: &str) -> Option<(usize, &'a str)> {
        KEYS.iter().zip(self.values).find(|(known, _)| **known == key).and_then(|(_, value)| value)
    }

    fn required(&self, key: &'static str) -> Result<(usize, &'a str), (usize, Fault)> {
        let value = self.value(key).filter(|(_, text)| !text.is_empty());
        value.ok_or((self.line, Fault::Missing(key)))
    }

    fn parsed<T>(
        &self,
        key: &'static str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<T, (usize, Fault)> {
        let (line, text) = self.required(key)?;
        parse(text).ok_or_else(|| (line, value_fault(key, text, expected)))
    }
}

fn words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    format!("one of {}", words.collect::<Vec<_>>().join(", "))
}

fn value_fault(key: &'static str, found: &str, expected: &str) -> Fault {
    Fault::Value { key, found: quoted(found), expected: expected.to_owned() }
}

fn illegal(key: &'static str, vertex: &str, reason: IllegalMove) -> Fault {
    Fault::Illegal { key, vertex: vertex.to_owned(), reason }
}

/// A text in quotation marks, in one line and not too long.
fn quoted(text: &str) -> String {
    format!("{:?}", text.chars().take(QUOTED).collect::<String>())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::kernel::Stone;

    const GOOD: &str = "# one problem
title: Take
theme: ko
to move: black
komi: 0.5
rules: japanese
played: black D2, white C2
best: E5
about: a reason

     ABCDE
    +++++++
  1 +..xo.+
  2 +.xo.o+
  3 +..xo.+
  4 +.....+
  5 +.....+
    +++++++
";

    /// The good problem above, changed, and the refusal.
    #[track_caller]
    fn check(from: &str, to: &str, expected: &str) {
        assert!(GOOD.contains(from), "{from}");
        let text = GOOD.replacen(from, to, 1);
        assert_eq!(read("suite.txt", &text).map(|_| ()).unwrap_err().to_string(), expected);
    }

    #[test]
    fn every_problem_is_sound() {
        let problems = built_in().unwrap();
        let titles: BTreeSet<&str> = problems.iter().map(|problem| problem.title.as_str()).collect();
        assert_eq!(titles.len(), problems.len());
        let mut themes: BTreeMap<Theme, usize> = BTreeMap::new();
        for problem in &problems {
            *themes.entry(problem.theme).or_default() += 1;
            let color = problem.to_move();
            assert!(problem.best.is_empty() != problem.avoid.is_empty(), "{}", problem.title);
            for &point in problem.best.iter().chain(&problem.avoid) {
                assert_eq!(problem.position.check(color, point), Ok(()), "{}", problem.title);
                assert_eq!(problem.is_solved(Move::Play(point)), problem.avoid.is_empty());
            }
            assert_eq!(problem.is_solved(Move::Pass), problem.best.is_empty());
            // a tie would be neither solved nor missed
            assert_ne!(problem.position.rule().komi.fract(), 0.0, "{}", problem.title);
            assert!(!problem.about.is_empty());
        }
        assert!(problems.len() >= 36, "{}", problems.len());
        assert_eq!(themes.len(), Theme::ALL.len(), "{themes:?}");
    }

    #[test]
    fn a_problem_is_read() {
        let text = GOOD;
        let [problem] = &read("suite.txt", text).unwrap()[..] else { unreachable!() };
        let coordinate = problem.position.board().coordinate();
        let point = |vertex: &str| coordinate.parse_vertex(vertex).unwrap();
        assert_eq!((problem.theme, problem.to_move(), coordinate.width()), (Theme::Ko, Color::Black, 5));
        assert_eq!(problem.position.rule().name(), Some("japanese"));
        assert_eq!(problem.position.board().stone(point("C2")), Stone::White);
        assert_eq!(problem.best, [point("E5")]);
        assert!(problem.is_solved(Move::Play(point("E5"))) && !problem.is_solved(Move::Play(point("A5"))));
        let avoiding = text.replace("best:", "avoid:");
        let [problem] = &read("suite.txt", &avoiding).unwrap()[..] else { unreachable!() };
        assert!(!problem.is_solved(Move::Play(point("E5"))) && problem.is_solved(Move::Pass));
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        check("title: Take", "about: x", "suite.txt:2: expected `title: …` first");
        check(
            "theme: ko",
            "theme: kou",
            "suite.txt:3: theme: expected one of capture, ladder, net, snapback, nakade, live, kill, seki, semeai, connect, cut, ko, endgame, throw-in, oiotoshi, found \"kou\"",
        );
        check("to move: black\n", "", "suite.txt:2: this problem has no to move");
        check("to move: black", "to move: green", "suite.txt:4: to move: expected black or white, found \"green\"");
        check("komi: 0.5", "komi: inf", "suite.txt:5: komi: expected a number, found \"inf\"");
        check(
            "komi: 0.5",
            "Komi: 0.5",
            "suite.txt:5: unknown key \"Komi\", expected one of title, theme, to move, komi, rules, played, best, avoid, about",
        );
        check("komi: 0.5", "komi: 0.5\nkomi: 1.5", "suite.txt:6: komi for the second time");
        check("komi: 0.5", "komi 0.5", "suite.txt:5: expected `key: value` or a row of a board, found \"komi 0.5\"");
        check("white C2", "white", "suite.txt:7: played: expected moves such as `white C3`, found \"white\"");
        check("white C2", "white C1", "suite.txt:7: played: C1 cannot be played: masonry");
        check("best: E5", "best: E6", "suite.txt:8: best: expected a point of the board, found \"E6\"");
        check("best: E5", "best: C2", "suite.txt:8: best: C2 cannot be played: masonry");
        check("best: E5", "best:", "suite.txt:8: best: expected points such as D4, found \"\"");
        check("best: E5\n", "", "suite.txt:2: expected one of best and avoid");
        check("best: E5", "best: E5\navoid: A1", "suite.txt:2: expected one of best and avoid");
        check("  1 +..xo.+", "  1 +..xo.x+", "suite.txt:12: board out of bounds i:49 size:49");
        check("  1 +..xo.+", "  1 +...+", "suite.txt:12: not enough size i:47 size:49");
        check("about: a reason", "about: a reason\n\ntitle: Take", "suite.txt:2: this problem has no board");
        check("about: a reason", "about:", "suite.txt:2: this problem has no about");
    }

    #[test]
    fn titles_are_told_apart() {
        let text = GOOD;
        let error = read("suite.txt", &format!("{text}{text}")).map(|_| ()).unwrap_err();
        assert_eq!(error.to_string(), "suite.txt:20: another problem is called Take");
    }
}
