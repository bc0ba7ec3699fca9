//! Boards as text, and text as boards.

use std::fmt;
use std::fmt::Write;

use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, FILES};
use crate::kernel::position::Position;
use crate::kernel::record::Move;
use crate::kernel::stone::Stone;

/// The drawing of the `board` command: frame, files and ranks, rank 1 at the top, every row beginning with `. `.
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

/// The cells in one line, the frame included: the board as the JSON log has it.
pub fn cells_text(stones: &[Stone]) -> String {
    stones.iter().map(|stone| stone.symbol()).collect()
}

/// The drawing of the `showboard` command: rank 1 at the bottom, coordinates on all sides, the last move in brackets,
/// and beside it what the stones do not show.
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
    let mut facts = vec![
        format!("to move: {}", position.to_move()),
        format!("moves: {}", position.record().len()),
        format!("komi: {}", position.rule().komi),
    ];
    for color in Color::BOTH {
        let name = if color == Color::Black { "Black (X)" } else { "White (O)" };
        facts.push(format!("{name} has taken: {}", position.prisoners(color)));
    }
    if let Some(ko) = position.banned_ko() {
        facts.push(format!("ko: {} not at {}", ko.color, coordinate.vertex(ko.point)));
    }
    for fact in facts {
        let _ = write!(text, "\n{fact}");
    }
    text
}

fn showboard_symbol(stone: Stone) -> char {
    stone.symbol().to_ascii_uppercase()
}

/// Reads the cells of a drawn board, such as the files `data/board1.txt` and the answer of `board`.
///
/// The characters `x o . +` are the cells, row by row with the frame; every other byte is passed over. What the answer of
/// `board` has around its rows, the mark `. ` and the lines with `'''`, is passed over too.
///
/// # Errors
/// [`BoardTextError`] if there are more or fewer cells than the walled board has, or the frame is not where it belongs.
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

/// A text that draws no board of the size wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardTextError {
    /// Fewer cells than the walled board has.
    NotEnough {
        /// Cells found.
        found: usize,
        /// Cells wanted.
        size: usize,
    },
    /// More cells than the walled board has.
    OutOfBounds {
        /// Cells wanted.
        size: usize,
    },
    /// Wall inside the board, or something else than wall on its frame.
    Frame {
        /// Column of the cell, counted with the frame from 0.
        x: u8,
        /// Row of the cell, counted with the frame from 0.
        y: u8,
        /// What the text has there.
        found: Stone,
    },
}

impl BoardTextError {
    /// Cells found and cells wanted, where their number is what is wrong.
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_board_prints_is_read_back() {
        let coordinate = Coordinate::new(3, 2).unwrap();
        let drawn = b"  ABC\n +++++\n1+x.o+\n2+..x+\n +++++\n";
        let stones = parse_stones(coordinate, drawn).unwrap();
        let text = board_text(coordinate, &stones);
        assert_eq!(text, "board:'''\n.     ABC\n.    +++++\n.  1 +x.o+\n.  2 +..x+\n.    +++++\n. '''");
        assert_eq!(parse_stones(coordinate, format!("= {text}\n").as_bytes()).unwrap(), stones);
    }

    #[test]
    fn errors_name_the_place() {
        let coordinate = Coordinate::square(2).unwrap();
        let error = |text: &str| parse_stones(coordinate, text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error(""), "not enough size i:0 size:16");
        assert_eq!(error("++++ +..+ +..+ +++++"), "board out of bounds i:16 size:16");
        assert_eq!(error("++++ +.++ +..+ ++++"), "wall inside the board x:2 y:1, expected one of . x o");
        assert_eq!(error("++x+ +..+ +..+ ++++"), "hole in the frame x:2 y:0, expected +, found x");
    }
}
