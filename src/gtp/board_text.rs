//! Boards as text: the answers of `board` and `showboard`, and the cells in the JSON log.

use std::fmt::Write;

use crate::kernel::coordinate::FILES;
use crate::kernel::{Color, Coordinate, Position, Stone};

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
    let last = position.last_stone();
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
        let (name, symbol) = (color.name(), showboard_symbol(color.stone()));
        lines.push(format!("{name} ({symbol}) has taken: {}", position.prisoners(color)));
    }
    if let Some(ko) = position.banned_ko() {
        lines.push(format!("ko: {} not at {}", ko.color, coordinate.vertex(ko.point)));
    }
    for line in lines {
        let _ = write!(text, "\n{line}");
    }
    text
}

/// The texts of all points in the order of [`Coordinate::points_from_highest_rank`], a rank a line.
pub(crate) fn rows_text(coordinate: Coordinate, texts: &[String], separator: &str) -> String {
    let rows = texts.chunks(usize::from(coordinate.width())).map(|row| row.join(separator));
    rows.collect::<Vec<_>>().join("\n")
}

fn showboard_symbol(stone: Stone) -> char {
    stone.symbol().to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::parse_framed;

    #[test]
    fn the_answer_of_board_reads_back() {
        let coordinate = Coordinate::new(3, 2).unwrap();
        let text = b"  ABC\n +++++\n1+x.o+\n2+..x+\n +++++\n";
        let stones = parse_framed(coordinate, text).unwrap();
        let text = board_text(coordinate, &stones);
        assert_eq!(text, "board:'''\n.     ABC\n.    +++++\n.  1 +x.o+\n.  2 +..x+\n.    +++++\n. '''");
        assert_eq!(parse_framed(coordinate, format!("= {text}\n").as_bytes()).unwrap(), stones);
    }
}
