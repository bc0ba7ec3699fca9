//! Drawn boards, with and without frame, read as stones.

use std::fmt;

use crate::kernel::board::{Board, SetupError};
use crate::kernel::coordinate::{Coordinate, MAX_SIDE};
use crate::kernel::stone::Stone;

/// Parses the cells of a drawn board with its frame, such as the files `data/board1.txt` and the answer of `board`.
///
/// The characters `x o . +` are the cells, row by row; all other bytes are skipped, as are the prefix `. ` and the
/// lines with `'''` in the answer of `board`.
///
/// # Errors
/// [`BoardTextError`] if the number of cells is not [`Coordinate::memory_area`], if a cell of the frame is not wall, or
/// if a point of the board is.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Board, Coordinate, parse_framed};
///
/// let drawn = "
///     ++++
///     +.x+
///     +o.+
///     ++++";
/// let coordinate = Coordinate::square(2).ok_or("size")?;
/// let board = Board::from_stones(coordinate, &parse_framed(coordinate, drawn.as_bytes())?)?;
/// assert_eq!(board.empty_points().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_framed(coordinate: Coordinate, text: &[u8]) -> Result<Vec<Stone>, BoardTextError> {
    let size = coordinate.memory_area();
    let mut stones = Vec::with_capacity(size);
    for line in text.split(|&byte| byte == b'\n') {
        if line.windows(3).any(|quotes| quotes == b"'''") {
            continue;
        }
        let line = line.strip_prefix(b". ").unwrap_or(line);
        for stone in line.iter().filter_map(|&byte| Stone::from_symbol(byte)) {
            if stones.len() == size {
                return Err(BoardTextError::OutOfBounds { size });
            }
            stones.push(stone);
        }
    }
    if stones.len() < size {
        return Err(BoardTextError::NotEnough { found: stones.len(), size });
    }
    for y in 0..=coordinate.height() + 1 {
        for x in 0..=coordinate.width() + 1 {
            let Some(point) = coordinate.point(x, y) else { continue };
            let found = stones.get(point.index()).copied().unwrap_or_default();
            if (found == Stone::Wall) == coordinate.contains(point) {
                return Err(BoardTextError::Frame { x, y, found });
            }
        }
    }
    Ok(stones)
}

/// The error of [`parse_framed`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardTextError {
    /// Fewer cells than the walled board has.
    NotEnough {
        /// Number of cells found.
        found: usize,
        /// Number of cells expected.
        size: usize,
    },
    /// More cells than the walled board has.
    OutOfBounds {
        /// Number of cells expected.
        size: usize,
    },
    /// Wall inside the board, or a cell of the frame that is not wall.
    Frame {
        /// Column of the cell; 0 is the frame.
        x: u8,
        /// Row of the cell; 0 is the frame.
        y: u8,
        /// The cell in the text.
        found: Stone,
    },
}

impl BoardTextError {
    /// Number of cells found and expected, for errors about their number. Parsing stops when the board is full, so the
    /// two are equal for [`BoardTextError::OutOfBounds`].
    pub const fn cell_counts(self) -> Option<(usize, usize)> {
        match self {
            BoardTextError::NotEnough { found, size } => Some((found, size)),
            BoardTextError::OutOfBounds { size } => Some((size, size)),
            BoardTextError::Frame { .. } => None,
        }
    }
}

impl fmt::Display for BoardTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoardTextError::NotEnough { found, size } => write!(f, "not enough size i:{found} size:{size}"),
            BoardTextError::OutOfBounds { size } => write!(f, "board out of bounds i:{size} size:{size}"),
            BoardTextError::Frame { x, y, found: Stone::Wall } => {
                write!(f, "wall inside the board x:{x} y:{y}, expected one of . x o")
            }
            BoardTextError::Frame { x, y, found } => {
                write!(f, "hole in the frame x:{x} y:{y}, expected +, found {found}")
            }
        }
    }
}

impl std::error::Error for BoardTextError {}

/// Parses a drawn board without frame: one line for each row, rank 1 first, of `x` (Black), `o` (White) and `.`
/// (empty). Blanks and empty lines are ignored. The size of the board is that of the drawing.
///
/// # Errors
/// [`DiagramError`] if a character is none of these, if the rows do not form a board of 1 to [`MAX_SIDE`] points a
/// side, or if a ren has no liberty.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Stone, parse_diagram};
///
/// let board = parse_diagram(
///     ". x o
///      . . .",
/// )?;
/// let coordinate = board.coordinate();
/// assert_eq!((coordinate.width(), coordinate.height()), (3, 2));
/// assert_eq!(board.stone(coordinate.parse_vertex("C1")?), Stone::White);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_diagram(drawn: &str) -> Result<Board, DiagramError> {
    let symbols = |line: &str| line.chars().filter(|symbol| !symbol.is_whitespace()).collect::<Vec<_>>();
    let rows: Vec<Vec<char>> = drawn.lines().map(symbols).filter(|row| !row.is_empty()).collect();
    let width = rows.first().map_or(0, Vec::len);
    let size = (u8::try_from(width).ok(), u8::try_from(rows.len()).ok());
    let coordinate = match size {
        (Some(width), Some(height)) if rows.iter().all(|row| row.len() == usize::from(width)) => {
            Coordinate::new(width, height).ok_or(DiagramError::Size)?
        }
        _ => return Err(DiagramError::Size),
    };
    let mut stones = vec![Stone::Wall; coordinate.memory_area()];
    for (point, symbol) in coordinate.points().zip(rows.into_iter().flatten()) {
        let stone = u8::try_from(symbol).ok().and_then(Stone::from_symbol).filter(|&stone| stone != Stone::Wall);
        if let Some(cell) = stones.get_mut(point.index()) {
            *cell = stone.ok_or(DiagramError::Symbol(symbol))?;
        }
    }
    Board::from_stones(coordinate, &stones).map_err(DiagramError::Setup)
}

/// The error of [`parse_diagram`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiagramError {
    /// The rows have different lengths, or their size is not one of a board.
    Size,
    /// A character other than `x`, `o`, `.` and blanks.
    Symbol(char),
    /// The stones do not form a position.
    Setup(SetupError),
}

impl fmt::Display for DiagramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiagramError::Size => {
                write!(f, "the rows do not form a board of 1 to {MAX_SIDE} points a side")
            }
            DiagramError::Symbol(symbol) => write!(f, "unexpected {symbol:?}, expected one of . x o"),
            DiagramError::Setup(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DiagramError {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn errors_of_framed_boards_name_the_cell() {
        let coordinate = Coordinate::square(2).unwrap();
        let error = |text: &str| parse_framed(coordinate, text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error(""), "not enough size i:0 size:16");
        assert_eq!(error("++++ +..+ +..+ +++++"), "board out of bounds i:16 size:16");
        assert_eq!(error("++++ +.++ +..+ ++++"), "wall inside the board x:2 y:1, expected one of . x o");
        assert_eq!(error("++x+ +..+ +..+ ++++"), "hole in the frame x:2 y:0, expected +, found x");
        assert_eq!(error("++++ +..o +..+ ++++"), "hole in the frame x:3 y:1, expected +, found o");
        assert_eq!(error("++++ +..+ +..+ ++.+"), "hole in the frame x:2 y:3, expected +, found .");
    }

    #[test]
    fn errors_about_the_number_of_cells_tell_it() {
        let coordinate = Coordinate::square(2).unwrap();
        let facts = |text: &str| parse_framed(coordinate, text.as_bytes()).unwrap_err().cell_counts();
        assert_eq!(facts("+++"), Some((3, 16)));
        assert_eq!(facts("++++ +..+ +..+ +++++"), Some((16, 16)));
        assert_eq!(facts("++++ +.++ +..+ ++++"), None);
    }

    #[test]
    fn diagrams_ignore_blanks_and_refuse_other_drawings() {
        let board = parse_diagram("\n  . x\n\n o.\n").unwrap();
        let cells: String = board.stones().iter().map(|stone| stone.symbol()).collect();
        assert_eq!(cells, "+++++.x++o.+++++");
        for (drawn, error) in [
            ("", "the rows do not form a board of 1 to 25 points a side"),
            ("..\n...", "the rows do not form a board of 1 to 25 points a side"),
            (&".".repeat(26), "the rows do not form a board of 1 to 25 points a side"),
            (&".".repeat(300), "the rows do not form a board of 1 to 25 points a side"),
            (".+", "unexpected '+', expected one of . x o"),
            ("連", "unexpected '連', expected one of . x o"),
            ("xo", "the ren at A1 has no liberty"),
        ] {
            assert_eq!(parse_diagram(drawn).unwrap_err().to_string(), error, "{drawn}");
        }
    }
}
