//! Conversion between boards and text: the answers of `board` and `showboard`, and drawn boards with and without frame.

use std::fmt;
use std::fmt::Write;

use crate::kernel::board::{Board, SetupError};
use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, FILES, MAX_SIDE};
use crate::kernel::position::Position;
use crate::kernel::record::Move;
use crate::kernel::stone::Stone;

/// The text of the `board` command: the cells with frame, files and ranks, rank 1 at the top, each row with
/// the prefix `. `.
pub fn board_text(coordinate: Coordinate, stones: &[Stone]) -> String {
    let files = FILES.get(..usize::from(coordinate.width())).unwrap_or(FILES);
    let mut text = format!("board:'''\n.     {files}");
    for (y, row) in stones.chunks(coordinate.memory_width()).enumerate() {
        let rank = if (1..=usize::from(coordinate.height())).contains(&y) { y.to_string() } else { String::new() };
        // writing to a String cannot fail
        let _ = write!(text, "\n. {rank:>2} {}", cells_text(row));
    }
    text.push_str("\n. '''");
    text
}

/// The cells in one line, frame included: the format of the JSON log.
pub fn cells_text(stones: &[Stone]) -> String {
    stones.iter().map(|stone| stone.symbol()).collect()
}

/// The text of the `showboard` command: rank 1 at the bottom, coordinates on all sides, the last move in parentheses,
/// and below it the player to move, the number of moves, komi, prisoners and ko.
pub fn showboard_text(position: &Position) -> String {
    let board = position.board();
    let coordinate = board.coordinate();
    let last = match position.record().items().last().map(|item| item.play) {
        Some(Move::Play(point)) => Some(point),
        Some(Move::Pass) | None => None,
    };
    let mut files = String::new();
    for file in FILES.chars().take(usize::from(coordinate.width())) {
        files.push(' ');
        files.push(file);
    }
    let mut text = format!("  {files}");
    for y in (1..=coordinate.height()).rev() {
        let _ = write!(text, "\n{y:>2}");
        let mut gap = ' ';
        for x in 1..=coordinate.width() {
            let Some(point) = coordinate.point(x, y) else { continue };
            let is_last = last == Some(point);
            let _ = write!(text, "{}{}", if is_last { '(' } else { gap }, showboard_symbol(board.stone(point)));
            gap = if is_last { ')' } else { ' ' };
        }
        let _ = write!(text, "{gap}{y}");
    }
    let _ = write!(text, "\n  {files}");
    let mut lines = vec![
        format!("to move: {}", position.to_move()),
        format!("moves: {}", position.record().len()),
        format!("komi: {}", position.rule().komi),
    ];
    for color in Color::BOTH {
        let name = if color == Color::Black { "Black (X)" } else { "White (O)" };
        lines.push(format!("{name} has taken: {}", position.prisoners(color)));
    }
    if let Some(ko) = position.banned_ko() {
        lines.push(format!("ko: {} not at {}", ko.color, coordinate.vertex(ko.point)));
    }
    for line in lines {
        let _ = write!(text, "\n{line}");
    }
    text
}

fn showboard_symbol(stone: Stone) -> char {
    stone.symbol().to_ascii_uppercase()
}

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
/// use kifuwarabe_uec14::kernel::{Board, Coordinate, parse_stones};
///
/// let drawn = "
///     ++++
///     +.x+
///     +o.+
///     ++++";
/// let coordinate = Coordinate::square(2).ok_or("size")?;
/// let board = Board::from_stones(coordinate, &parse_stones(coordinate, drawn.as_bytes())?)?;
/// assert_eq!(board.empty_points().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_stones(coordinate: Coordinate, text: &[u8]) -> Result<Vec<Stone>, BoardTextError> {
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

/// The error of [`parse_stones`].
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
    pub const fn size_facts(self) -> Option<(usize, usize)> {
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
/// use kifuwarabe_uec14::kernel::{Stone, parse_board};
///
/// let board = parse_board(
///     ". x o
///      . . .",
/// )?;
/// let coordinate = board.coordinate();
/// assert_eq!((coordinate.width(), coordinate.height()), (3, 2));
/// assert_eq!(board.stone(coordinate.parse_vertex("C1")?), Stone::White);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn parse_board(drawn: &str) -> Result<Board, DiagramError> {
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

/// The error of [`parse_board`].
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
    fn parse_stones_reads_board_text() {
        let coordinate = Coordinate::new(3, 2).unwrap();
        let drawn = b"  ABC\n +++++\n1+x.o+\n2+..x+\n +++++\n";
        let stones = parse_stones(coordinate, drawn).unwrap();
        let text = board_text(coordinate, &stones);
        assert_eq!(text, "board:'''\n.     ABC\n.    +++++\n.  1 +x.o+\n.  2 +..x+\n.    +++++\n. '''");
        assert_eq!(parse_stones(coordinate, format!("= {text}\n").as_bytes()).unwrap(), stones);
    }

    #[test]
    fn parse_stones_errors_name_the_cell() {
        let coordinate = Coordinate::square(2).unwrap();
        let error = |text: &str| parse_stones(coordinate, text.as_bytes()).unwrap_err().to_string();
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
        let facts = |text: &str| parse_stones(coordinate, text.as_bytes()).unwrap_err().size_facts();
        assert_eq!(facts("+++"), Some((3, 16)));
        assert_eq!(facts("++++ +..+ +..+ +++++"), Some((16, 16)));
        assert_eq!(facts("++++ +.++ +..+ ++++"), None);
    }

    #[test]
    fn parse_board_ignores_blanks_and_refuses_other_drawings() {
        let board = parse_board("\n  . x\n\n o.\n").unwrap();
        assert_eq!(cells_text(board.stones()), "+++++.x++o.+++++");
        for (drawn, error) in [
            ("", "the rows do not form a board of 1 to 25 points a side"),
            ("..\n...", "the rows do not form a board of 1 to 25 points a side"),
            (&".".repeat(26), "the rows do not form a board of 1 to 25 points a side"),
            (&".".repeat(300), "the rows do not form a board of 1 to 25 points a side"),
            (".+", "unexpected '+', expected one of . x o"),
            ("連", "unexpected '連', expected one of . x o"),
            ("xo", "the ren at A1 has no liberty"),
        ] {
            assert_eq!(parse_board(drawn).unwrap_err().to_string(), error, "{drawn}");
        }
    }
}
