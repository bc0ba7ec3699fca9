//! The game record (棋譜): the moves since the position was set.

use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, Point, VertexError};

/// A stone put on a point, or a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// A stone on this point.
    Play(Point),
    /// No stone.
    Pass,
}

impl Move {
    /// The point of the stone; `None` for a pass.
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Play(point) => Some(point),
            Move::Pass => None,
        }
    }

    /// All moves on a board, legal or not: its points from the highest rank down, then the pass. The order of every
    /// list with a number for each move, such as a policy.
    pub fn all(coordinate: Coordinate) -> impl Iterator<Item = Move> {
        coordinate.points_from_highest_rank().map(Move::Play).chain([Move::Pass])
    }

    /// The place of the move in [`Move::all`]; `None` if its point is not on the board.
    pub fn index(self, coordinate: Coordinate) -> Option<usize> {
        match self {
            Move::Play(point) => coordinate.index_from_highest_rank(point),
            Move::Pass => Some(coordinate.board_area()),
        }
    }

    /// Parses a GTP vertex: `pass`, in any case, or the name of a point.
    ///
    /// # Errors
    /// As [`Coordinate::parse_vertex`].
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Coordinate, Move, VertexError};
    ///
    /// let coordinate = Coordinate::square(9).ok_or("size")?;
    /// assert_eq!(Move::parse("PASS", coordinate), Ok(Move::Pass));
    /// assert_eq!(Move::parse("d4", coordinate)?.vertex(coordinate), "D4");
    /// assert_eq!(Move::parse("resign", coordinate), Err(VertexError));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(text: &str, coordinate: Coordinate) -> Result<Move, VertexError> {
        if text.eq_ignore_ascii_case("pass") { Ok(Move::Pass) } else { coordinate.parse_vertex(text).map(Move::Play) }
    }

    /// The GTP vertex: `D4` or `pass`.
    pub fn vertex(self, coordinate: Coordinate) -> String {
        match self {
            Move::Play(point) => coordinate.vertex(point),
            Move::Pass => "pass".to_owned(),
        }
    }

    /// The GTP vertices of some moves, separated by blanks.
    pub(crate) fn vertices(moves: &[Move], coordinate: Coordinate) -> String {
        moves.iter().map(|play| play.vertex(coordinate)).collect::<Vec<_>>().join(" ")
    }
}

/// One move of the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordItem {
    /// Colour that moved.
    pub color: Color,
    /// The move.
    pub play: Move,
    /// The captured stones, row by row; the mover's own ren if the move was a suicide.
    pub captured: Vec<Point>,
    /// Whether the stone can be retaken as a ko: it captured exactly one stone, stands alone and has one liberty.
    pub takes_ko: bool,
}

/// The moves since the position was set, oldest first.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
///
/// let coordinate = Coordinate::square(9).ok_or("size")?;
/// let mut position = Position::new(coordinate, GameRule::with_komi(7.0), 200, Color::Black);
/// position.play(Color::Black, coordinate.parse_vertex("E5")?)?;
/// position.pass(Color::White);
/// let record = position.record();
/// assert_eq!((record.len(), record.latest().next()), (2, Some(None)));
/// assert_eq!(record.text(coordinate), "[1]E5 [2]pass");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    items: Vec<RecordItem>,
}

impl Record {
    /// The moves, oldest first.
    pub fn items(&self) -> &[RecordItem] {
        &self.items
    }

    /// The number of moves (何手目), 0 before the first move.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no move.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The points of the moves, latest first; `None` for a pass.
    pub fn latest(&self) -> impl Iterator<Item = Option<Point>> {
        self.items.iter().rev().map(|item| item.play.point())
    }

    /// The moves in one line: `[1]D3(D3) [2]C3(C3)`. After a move that can be retaken as a ko, its point follows in
    /// parentheses.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, GameRule, Position, parse_diagram};
    ///
    /// let board = parse_diagram(
    ///     ". x o .
    ///      x o . o
    ///      . x o .",
    /// )?;
    /// let coordinate = board.coordinate();
    /// let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 200, Color::Black);
    /// position.set_up(board.stones())?;
    /// position.play(Color::Black, coordinate.parse_vertex("C2")?)?;
    /// assert_eq!(position.record().text(coordinate), "[1]C2(C2)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn text(&self, coordinate: Coordinate) -> String {
        let mut moves = Vec::with_capacity(self.items.len());
        for (item, number) in self.items.iter().zip(1..) {
            let vertex = item.play.vertex(coordinate);
            let ko = if item.takes_ko { format!("({vertex})") } else { String::new() };
            moves.push(format!("[{number}]{vertex}{ko}"));
        }
        moves.join(" ")
    }

    pub(super) fn push(&mut self, item: RecordItem) {
        self.items.push(item);
    }

    pub(super) fn pop(&mut self) -> Option<RecordItem> {
        self.items.pop()
    }

    pub(super) fn clear(&mut self) {
        self.items.clear();
    }
}
