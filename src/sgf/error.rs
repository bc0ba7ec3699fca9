//! The errors of the reader, each displayed in one line.

use std::fmt;

use crate::kernel::{Coordinate, MAX_SIDE, MIN_SIDE};
use crate::sgf::limits::{MAX_NODES, MAX_SETUP, MAX_VALUES};
use crate::text::quote::is_unsafe;

/// The maximum number of characters of the file that a message quotes.
const MAX_QUOTED: usize = 24;

/// The reason why a file cannot be read. Displayed as `byte OFFSET: PROBLEM`.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::sgf;
///
/// let error = sgf::read(b"(;SZ[19];B[dd]").unwrap_err();
/// assert_eq!(error.to_string(), "byte 14: the file ends inside the game");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SgfError {
    /// The offset in bytes from the start, counted after conversion to UTF-8, without a byte-order mark.
    pub offset: usize,
    /// The problem at that offset.
    pub problem: SgfProblem,
}

/// The kinds of problems. Quoted texts are shortened, and unsafe characters in them replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SgfProblem {
    /// No `(;` anywhere, and no `(` with a property.
    NoGame,
    /// The data ends inside a line of the tree, or inside a node's properties.
    Cut,
    /// The data ends inside the value of a property.
    CutValue,
    /// A character that cannot stand between properties.
    Unexpected(char),
    /// A property without a value.
    NoValue,
    /// A value without a property.
    NoProperty,
    /// A property or a parenthesis where `;` is expected.
    NoNode,
    /// A `GM` other than 1.
    OtherGame(String),
    /// An `SZ` that is neither one number from [`MIN_SIDE`] to [`MAX_SIDE`] nor two of them.
    Size(String),
    /// A value that names no point of the board.
    Point {
        /// The property, such as `AB`.
        property: &'static str,
        /// Its value.
        value: String,
        /// The size of the board.
        coordinate: Coordinate,
    },
    /// A second value of one move.
    SecondMove(String),
    /// Setup properties that name more than [`MAX_SETUP`] points together.
    TooMuchSetup,
    /// A tree of more than [`MAX_NODES`] nodes, or of more than [`MAX_VALUES`] values.
    TreeTooLarge,
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
            SgfProblem::NoGame => write!(f, "no game record: no `(;` was found, and no `(` before a property"),
            SgfProblem::Cut => write!(f, "the file ends inside the game"),
            SgfProblem::CutValue => write!(f, "the file ends before the `]` of the value that begins here"),
            SgfProblem::Unexpected(found) => write!(f, "`{found}` stands between properties"),
            SgfProblem::NoValue => write!(f, "a property without a value"),
            SgfProblem::NoProperty => write!(f, "a value without a property"),
            SgfProblem::NoNode => write!(f, "no `;` follows a `(`"),
            SgfProblem::OtherGame(value) => write!(f, "GM[{value}]: only Go is read, which is GM[1]"),
            SgfProblem::Size(value) => {
                write!(
                    f,
                    "SZ[{value}]: expected {MIN_SIDE} to {MAX_SIDE} points a side, or width and height as in 9:13"
                )
            }
            SgfProblem::Point { property, value, coordinate } => {
                write!(f, "{property}[{value}]: no point of a {coordinate} board")
            }
            SgfProblem::SecondMove(value) => write!(f, "a second value [{value}] of one move"),
            SgfProblem::TooMuchSetup => write!(f, "more than {MAX_SETUP} points are set up"),
            SgfProblem::TreeTooLarge => write!(f, "a tree of more than {MAX_NODES} nodes or {MAX_VALUES} values"),
        }
    }
}

/// The start of a value, shortened and made printable for a message of one line.
pub(super) fn quote(value: &[u8]) -> String {
    // a character has at most four bytes
    let start = value.get(..4 * MAX_QUOTED + 4).unwrap_or(value);
    let text = String::from_utf8_lossy(start);
    let mut quoted: String = text.chars().take(MAX_QUOTED).map(printable).collect();
    if text.chars().nth(MAX_QUOTED).is_some() {
        quoted.push('…');
    }
    quoted
}

/// The character, or U+FFFD for one that may change how the text around it is shown.
pub(super) fn printable(found: char) -> char {
    if is_unsafe(found) { char::REPLACEMENT_CHARACTER } else { found }
}
