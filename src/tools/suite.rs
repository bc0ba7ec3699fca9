//! Tactical problems: positions in which the right move decides the game, with their solutions.
//!
//! The problems are drawn as text in `data/suite/` and embedded in the program. This module parses them and checks a
//! solution. It does not depend on the search.
//!
//! A problem is a few lines of `key: value` with a drawn board below; lines that start with `#` are comments. The keys,
//! in any order:
//!
//! - `title`, unique; the first key of every problem;
//! - `theme`, one of [`Theme`]'s words;
//! - `to move`, `black` or `white`;
//! - `komi`, and `rules` if not `chinese`;
//! - `played`, optional: moves after the drawn board, as in `white C3`, separated by commas;
//! - `best`, the points that solve it, or `avoid`, the points that do not;
//! - `about`, the reason in one line.

use std::fmt;
use std::str::FromStr;

use crate::kernel::{
    BoardTextError, Color, Coordinate, GameRule, IllegalMove, MAX_SIDE, Move, Point, Position, SetupError, parse_framed,
};

/// File names to pairs of path and content.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$((concat!("data/suite/", $name), include_str!(concat!("../../data/suite/", $name)))),*]
    };
}

/// The files of `data/suite/` with their contents, one file per theme.
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

/// Characters of an invalid text that a message quotes.
const QUOTED: usize = 60;

/// Expected length of a game; sets only the number of digits in names of rens.
const MAX_MOVES: u32 = 722;

/// A position and the moves that solve it.
#[derive(Clone)]
pub struct Problem {
    /// The name, unique among the built-in problems.
    pub title: String,
    /// The tactic that it tests.
    pub theme: Theme,
    /// The position with its rules and komi; the player to move solves the problem.
    pub position: Position,
    /// The moves that solve it. If empty, every move solves it except those of `avoid`.
    pub best: Vec<Point>,
    /// The moves that do not solve it; empty unless `best` is empty.
    pub avoid: Vec<Point>,
    /// The reason, in one line.
    pub about: String,
}

impl Problem {
    /// The player who solves the problem.
    pub fn to_move(&self) -> Color {
        self.position.to_move()
    }

    /// Whether a move solves the problem. A pass solves only problems with `avoid`.
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
        /// The tactic that a problem tests.
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
    /// Capture, or escape from capture.
    Capture = "capture",
    /// Start a ladder that works, leave one that does not, or break it.
    Ladder = "ladder",
    /// Capture with a net (geta).
    Net = "net",
    /// Sacrifice one stone and recapture more on the same point.
    Snapback = "snapback",
    /// Play the vital point inside an eye of three to six.
    Nakade = "nakade",
    /// Make two eyes.
    Live = "live",
    /// Prevent two eyes.
    Kill = "kill",
    /// Make a seki, or leave one as it is.
    Seki = "seki",
    /// Win a capturing race.
    Semeai = "semeai",
    /// Connect.
    Connect = "connect",
    /// Cut.
    Cut = "cut",
    /// Start, win or avoid a ko.
    Ko = "ko",
    /// The last points.
    Endgame = "endgame",
    /// Sacrifice a stone to destroy an eye or to gain a liberty.
    ThrowIn = "throw-in",
    /// Connect-and-die: an atari that a connection does not save.
    Oiotoshi = "oiotoshi",
}

impl fmt::Display for Theme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// An error in a text of problems.
#[derive(Clone, PartialEq, Debug)]
pub struct SuiteError {
    /// The name of the text.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The fault.
    pub fault: Fault,
}

/// A fault of a problem in the file.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// A line that is neither `key: value` nor of a board.
    Line(String),
    /// A line before the first title.
    NoTitle,
    /// An unknown key.
    Key(String),
    /// A repeated key.
    Repeated(&'static str),
    /// A problem without this key, or without a board.
    Missing(&'static str),
    /// Neither moves that solve it nor moves to avoid, or both.
    BestOrAvoid,
    /// An invalid value.
    Value {
        /// The key.
        key: &'static str,
        /// The value, or its invalid part.
        found: String,
        /// The valid values.
        expected: String,
    },
    /// A number of rows that no square board with its frame has.
    Row,
    /// Rows that are no board.
    Board(BoardTextError),
    /// Stones that are no position.
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
    /// A title that is not unique.
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
            Fault::Illegal { key, vertex, reason } => {
                write!(f, "{key}: {vertex} cannot be played: {}", reason.described())
            }
            Fault::SameTitle(title) => write!(f, "another problem is called {title}"),
        }
    }
}

const KEYS: [&str; 9] = ["title", "theme", "to move", "komi", "rules", "played", "best", "avoid", "about"];

/// The embedded problems.
///
/// # Errors
/// None in a release: a test parses them.
pub fn built_in() -> Result<Vec<Problem>, SuiteError> {
    let mut problems = Vec::new();
    for (file, text) in FILES {
        problems.extend(read(file, text)?);
    }
    Ok(problems)
}

/// Parses the problems of a text. Errors name the text by `file`.
///
/// # Errors
/// The first fault with its line. A problem with a missing key is reported at the line of its title.
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
    /// The line of its title.
    line: usize,
    /// The values of [`KEYS`] in that order, each with its line.
    values: [Option<(usize, &'a str)>; KEYS.len()],
    rows: Vec<&'a str>,
    /// The line of the board's first row.
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
            // a row of column letters above or below the board
            let is_letters = row.trim().chars().all(|character| character.is_ascii_uppercase());
            return if is_letters { Ok(()) } else { Err(Fault::Line(quoted(row))) };
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
            rule = self.parsed("rules", &words(GameRule::names()), |text| rule.with_rule_set(text))?;
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

    /// The drawn board.
    fn board(&self, rule: GameRule) -> Result<Position, (usize, Fault)> {
        if self.rows.is_empty() {
            return Err((self.line, Fault::Missing("board")));
        }
        let refused = |fault: Fault| (self.board_line, fault);
        let side = self.rows.len().checked_sub(2).and_then(|side| u8::try_from(side).ok());
        let coordinate = side.and_then(Coordinate::square).ok_or_else(|| refused(Fault::Row))?;
        let stones = parse_framed(coordinate, self.rows.join("\n").as_bytes());
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

    /// The points of a key, each a legal move; none without the key.
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

/// A text in quotation marks, escaped and cut to [`QUOTED`] characters.
fn quoted(text: &str) -> String {
    format!("{:?}", text.chars().take(QUOTED).collect::<String>())
}

#[cfg(test)]
mod tests;
