//! Why a game record cannot be read, in one line.

use std::fmt;

use crate::kernel::MAX_SIDE;
use crate::sgf::MIN_SIDE;
use crate::sgf::read::MAX_SETUP;

/// Characters of the file that a message quotes at most.
const QUOTED: usize = 24;

/// A file that is no game record, or whose board is unclear.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SgfError {
    /// Where, in bytes from the start. A file in another encoding is counted as if it were written in UTF-8.
    pub offset: usize,
    /// What was found there.
    pub problem: SgfProblem,
}

/// What is wrong with a game record. Texts are shortened and without control characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SgfProblem {
    /// No `(;` anywhere.
    NoGame,
    /// The data end inside the main line.
    Cut,
    /// The data end inside the value of a property.
    CutValue,
    /// A character that cannot stand between properties.
    Unexpected(char),
    /// A property without a value.
    NoValue,
    /// A value without a property.
    NoProperty,
    /// A property or a parenthesis where a node has to begin.
    NoNode,
    /// A `GM` other than 1.
    OtherGame(String),
    /// An `SZ` that is not one number from [`MIN_SIDE`] to [`MAX_SIDE`], or twice the same.
    Size(String),
    /// A value that names no point of the board.
    Point {
        /// The property, as `AB`.
        property: &'static str,
        /// What it holds.
        value: String,
        /// The side of the board, in points.
        side: u8,
    },
    /// A second value of a move.
    SecondMove(String),
    /// Setup properties that name more than [`MAX_SETUP`] points together.
    TooMuchSetup,
}

impl SgfError {
    pub(super) fn new(offset: usize, problem: SgfProblem) -> SgfError {
        SgfError { offset, problem }
    }
}

impl fmt::Display for SgfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.offset, self.problem)
    }
}

impl std::error::Error for SgfError {}

impl fmt::Display for SgfProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SgfProblem::NoGame => write!(f, "no game record: no `(;` was found"),
            SgfProblem::Cut => write!(f, "the file ends before the `)` of the main line"),
            SgfProblem::CutValue => write!(f, "the file ends before the `]` of the value that begins here"),
            SgfProblem::Unexpected(found) => write!(f, "`{found}` stands between properties"),
            SgfProblem::NoValue => write!(f, "a property without a value"),
            SgfProblem::NoProperty => write!(f, "a value without a property"),
            SgfProblem::NoNode => write!(f, "no `;` follows a `(`"),
            SgfProblem::OtherGame(value) => write!(f, "GM[{value}]: only Go is read, which is GM[1]"),
            SgfProblem::Size(value) => {
                write!(f, "SZ[{value}]: only square boards of {MIN_SIDE} to {MAX_SIDE} points a side are read")
            }
            SgfProblem::Point { property, value, side } => {
                write!(f, "{property}[{value}]: no point of a {side}x{side} board")
            }
            SgfProblem::SecondMove(value) => write!(f, "a second value [{value}] of one move"),
            SgfProblem::TooMuchSetup => write!(f, "more than {MAX_SETUP} points are set up"),
        }
    }
}

/// The beginning of a value, fit for a message of one line.
pub(super) fn quote(value: &[u8]) -> String {
    // four bytes are the longest character
    let start = value.get(..4 * QUOTED + 4).unwrap_or(value);
    let text = String::from_utf8_lossy(start);
    let mut quoted: String = text.chars().take(QUOTED).map(printable).collect();
    if text.chars().nth(QUOTED).is_some() {
        quoted.push('…');
    }
    quoted
}

/// The character, or a mark where it is one that would break a line.
pub(super) fn printable(found: char) -> char {
    if found.is_control() || matches!(found, '\u{2028}' | '\u{2029}') { char::REPLACEMENT_CHARACTER } else { found }
}
