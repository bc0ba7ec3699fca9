//! Points of the walled board and their names.
//!
//! A board is stored with its frame, one cell thick on every side, from rank 1 up, each rank west to east: on 19x19 the
//! corner of the frame is 0 and A1 is 22. North is towards rank 1. This module does not know the content of a cell.

use std::fmt;
use std::str::FromStr;

/// Names of the files, west to east, without `I`.
pub(crate) const FILES: &str = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// The shortest side of a board that commands, records and the configuration take, in points. Boards of one row exist
/// in the kernel, but no other program plays on them.
pub const MIN_SIDE: u8 = 2;

/// The longest side of a board, in points; GTP has no file names beyond Z.
pub const MAX_SIDE: u8 = 25;

/// Thickness of the frame on both sides together.
const BOTH_WALLS: usize = 2;

/// Cells of the largest walled board, rounded up to a power of two: see [`PointMap`].
pub(super) const CAPACITY: usize = 1024;

/// A cell of a walled board, as its index counted from the corner of the frame beside A1: from rank 1 up, each rank
/// west to east.
///
/// The index of a named point depends on the width of the board, so a point is valid for boards of one width only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Point(pub(super) u16);

impl Point {
    /// The cell with this index.
    #[inline]
    pub const fn at(index: u16) -> Point {
        Point(index)
    }

    /// The index of this cell.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The size of a board, and the arithmetic of its points. Displayed as `9x13`: width, then height.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::Coordinate;
///
/// let coordinate = Coordinate::square(19).ok_or("size")?;
/// let point = coordinate.parse_vertex("A1")?;
/// assert_eq!(point.index(), 22);
/// assert_eq!(coordinate.vertex(point), "A1");
/// assert_eq!(coordinate.to_string(), "19x19");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Coordinate {
    width: u8,
    height: u8,
}

impl Coordinate {
    /// A board of `width` x `height` points; `None` unless both are 1 to [`MAX_SIDE`].
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::Coordinate;
    ///
    /// let coordinate = Coordinate::new(9, 7).ok_or("size")?;
    /// assert_eq!((coordinate.board_area(), coordinate.memory_area()), (9 * 7, 11 * 9));
    /// assert_eq!(Coordinate::new(9, 26), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn new(width: u8, height: u8) -> Option<Coordinate> {
        if width >= 1 && width <= MAX_SIDE && height >= 1 && height <= MAX_SIDE {
            Some(Coordinate { width, height })
        } else {
            None
        }
    }

    /// A square board; `None` unless `side` is 1 to [`MAX_SIDE`].
    pub const fn square(side: u8) -> Option<Coordinate> {
        Coordinate::new(side, side)
    }

    /// Whether both sides have at least [`MIN_SIDE`] points, as every board that a person chooses.
    pub fn has_min_sides(&self) -> bool {
        self.width.min(self.height) >= MIN_SIDE
    }

    /// Points of a side, if the board is square.
    pub const fn side(self) -> Option<u8> {
        if self.width == self.height { Some(self.width) } else { None }
    }

    /// The size as options and files spell it: `19` for a square board, else `9x13`. The inverse of
    /// [`Coordinate::from_str`].
    pub fn size_text(self) -> String {
        self.side().map_or_else(|| self.to_string(), |side| side.to_string())
    }

    /// Points in a row, without the frame.
    #[inline]
    pub const fn width(self) -> u8 {
        self.width
    }

    /// Points in a column, without the frame.
    #[inline]
    pub const fn height(self) -> u8 {
        self.height
    }

    /// Cells in a row, including the frame.
    #[inline]
    pub const fn memory_width(self) -> usize {
        self.width as usize + BOTH_WALLS
    }

    /// Cells in a column, including the frame.
    #[inline]
    pub const fn memory_height(self) -> usize {
        self.height as usize + BOTH_WALLS
    }

    /// Number of cells of the walled board.
    #[inline]
    pub const fn memory_area(self) -> usize {
        self.memory_width() * self.memory_height()
    }

    /// Number of points of the board, without the frame.
    #[inline]
    pub const fn board_area(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// The cell in column `x` and row `y`, where 0 is the frame and A1 is `x` 1, `y` 1. `None` beyond the frame.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::Coordinate;
    ///
    /// let coordinate = Coordinate::square(19).ok_or("size")?;
    /// let point = coordinate.point(2, 3).ok_or("cell")?;
    /// assert_eq!((point.index(), coordinate.vertex(point).as_str()), (65, "B3"));
    /// assert_eq!(coordinate.xy(point), (2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn point(self, x: u8, y: u8) -> Option<Point> {
        let inside = usize::from(x) < self.memory_width() && usize::from(y) < self.memory_height();
        inside.then(|| self.cell(x, y))
    }

    /// Column and row of a cell, where 0 is the frame. The inverse of [`Coordinate::point`].
    #[inline]
    pub const fn xy(self, point: Point) -> (u8, u8) {
        let width = self.memory_width();
        ((point.index() % width) as u8, (point.index() / width) as u8)
    }

    /// Whether the cell is a point of the board, not of the frame.
    pub const fn contains(self, point: Point) -> bool {
        let (x, y) = self.xy(point);
        x >= 1 && x <= self.width && y >= 1 && y <= self.height
    }

    /// The letter of the point's file. A cell of the frame has none; the character is then meaningless.
    pub fn file(self, point: Point) -> char {
        let (x, _) = self.xy(point);
        file_letter(usize::from(x).wrapping_sub(1)).unwrap_or('?')
    }

    /// The point's rank, 1 for the top row.
    pub const fn rank(self, point: Point) -> u8 {
        self.xy(point).1
    }

    /// The name of the point, such as `A1`.
    pub fn vertex(self, point: Point) -> String {
        format!("{}{}", self.file(point), self.rank(point))
    }

    /// Names of several points, separated by single spaces.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::Coordinate;
    ///
    /// let coordinate = Coordinate::square(3).ok_or("size")?;
    /// let points: Vec<_> = coordinate.points().take(4).collect();
    /// assert_eq!(coordinate.vertices(&points), "A1 B1 C1 A2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn vertices(self, points: &[Point]) -> String {
        let mut text = String::with_capacity(points.len() * 4);
        for &point in points {
            if !text.is_empty() {
                text.push(' ');
            }
            text += &self.vertex(point);
        }
        text
    }

    /// The names of the board's first and last point, as messages state the range: `A1 to T19`.
    fn vertex_range(self) -> String {
        let last = self.cell(self.width, self.height);
        format!("A1 to {}", self.vertex(last))
    }

    /// The vertices of the board for the message about a text that names none: their range, and after a name of column I
    /// that there is none.
    pub(crate) fn expected_vertex(self, text: &str) -> String {
        let rank = text.strip_prefix(['I', 'i']).unwrap_or_default();
        let is_on_i = !rank.is_empty() && rank.bytes().all(|digit| digit.is_ascii_digit());
        self.vertex_range() + if is_on_i { " (there is no column I)" } else { "" }
    }

    /// Parses the name of a point, such as `A1` or `t19`: a letter except `I`, and a number without leading zeros.
    ///
    /// # Errors
    /// [`VertexError`] if the text has another form (`pass` included), or the point is off the board.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Coordinate, VertexError};
    ///
    /// let coordinate = Coordinate::square(9).ok_or("size")?;
    /// assert_eq!(coordinate.vertex(coordinate.parse_vertex("j9")?), "J9");
    /// assert_eq!(coordinate.parse_vertex("K9"), Err(VertexError));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse_vertex(self, text: &str) -> Result<Point, VertexError> {
        let mut characters = text.chars();
        let letter = characters.next().ok_or(VertexError)?.to_ascii_uppercase();
        let rank = characters.as_str();
        let x = FILES.find(letter).ok_or(VertexError)? + 1;
        let is_plain = rank.bytes().all(|digit| digit.is_ascii_digit()) && !rank.starts_with('0');
        let y: usize = rank.parse().map_err(|_| VertexError)?;
        if is_plain && x <= usize::from(self.width) && y <= usize::from(self.height) {
            Ok(self.cell(x as u8, y as u8))
        } else {
            Err(VertexError)
        }
    }

    /// The points of the board from rank 1 up, each rank west to east (A1 first).
    pub fn points(self) -> impl Iterator<Item = Point> {
        (1..=self.height).flat_map(move |y| (1..=self.width).map(move |x| self.cell(x, y)))
    }

    /// The points from the highest rank down, each rank west to east: the order in which GTP and KataGo list a board
    /// (A19 first on 19x19).
    pub fn points_from_highest_rank(self) -> impl Iterator<Item = Point> {
        (1..=self.height).rev().flat_map(move |y| (1..=self.width).map(move |x| self.cell(x, y)))
    }

    /// The place of a point among [`Coordinate::points_from_highest_rank`], from 0; `None` for a cell of the frame.
    pub fn index_from_highest_rank(self, point: Point) -> Option<usize> {
        let (x, rank) = self.xy(point);
        let row = usize::from(self.height).checked_sub(usize::from(rank))?;
        self.contains(point).then(|| row * usize::from(self.width) + usize::from(x) - 1)
    }

    /// The points of the board, file by file from A1: the scan order of rens.
    pub fn points_by_file(self) -> impl Iterator<Item = Point> {
        (1..=self.width).flat_map(move |x| (1..=self.height).map(move |y| self.cell(x, y)))
    }

    /// The cells east, north, west and south of a point of the board; any of them may be wall. North is towards rank 1.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::Coordinate;
    ///
    /// let coordinate = Coordinate::square(9).ok_or("size")?;
    /// let neighbors = coordinate.neighbors(coordinate.parse_vertex("C3")?);
    /// assert_eq!(coordinate.vertices(&neighbors), "D3 C2 B3 C4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub const fn neighbors(self, point: Point) -> [Point; 4] {
        let width = self.memory_width() as u16;
        let Point(p) = point;
        // wrapping: the result for cells of the frame is unspecified, but must not panic
        [Point(p.wrapping_add(1)), Point(p.wrapping_sub(width)), Point(p.wrapping_sub(1)), Point(p.wrapping_add(width))]
    }

    /// The cells north-east, north-west, south-west and south-east of a point of the board.
    #[inline]
    pub const fn diagonals(self, point: Point) -> [Point; 4] {
        let [_, Point(north), _, Point(south)] = self.neighbors(point);
        [
            Point(north.wrapping_add(1)),
            Point(north.wrapping_sub(1)),
            Point(south.wrapping_sub(1)),
            Point(south.wrapping_add(1)),
        ]
    }

    /// The cell of a column and row known to be on the walled board.
    fn cell(self, x: u8, y: u8) -> Point {
        Point((usize::from(y) * self.memory_width() + usize::from(x)) as u16)
    }
}

impl fmt::Display for Coordinate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl FromStr for Coordinate {
    type Err = SizeError;

    /// Parses the size of a board: `19`, or width and height as in `9x13`.
    ///
    /// # Errors
    /// [`SizeError`] if the text has another form, or a side is not 1 to [`MAX_SIDE`] points.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Coordinate, SizeError};
    ///
    /// assert_eq!("9x13".parse(), Coordinate::new(9, 13).ok_or(SizeError));
    /// assert_eq!("9".parse(), Coordinate::square(9).ok_or(SizeError));
    /// assert_eq!("9x26".parse::<Coordinate>(), Err(SizeError));
    /// ```
    fn from_str(text: &str) -> Result<Coordinate, SizeError> {
        let (width, height) = text.split_once(['x', 'X']).unwrap_or((text, text));
        // `parse` alone would take a sign and leading zeros
        let side = |text: &str| match text.starts_with(|first| ('1'..='9').contains(&first)) {
            true => text.parse().map_err(|_| SizeError),
            false => Err(SizeError),
        };
        Coordinate::new(side(width)?, side(height)?).ok_or(SizeError)
    }
}

/// The text is no size of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SizeError;

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected 1 to {MAX_SIDE}, or width and height such as 9x13")
    }
}

impl std::error::Error for SizeError {}

/// The letter of the file `x`, where A is 0; `None` beyond Z.
pub(crate) fn file_letter(x: usize) -> Option<char> {
    FILES.as_bytes().get(x).map(|&letter| char::from(letter))
}

/// The text names no point of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VertexError;

impl fmt::Display for VertexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no point of the board")
    }
}

impl std::error::Error for VertexError {}

/// One value for every cell of a walled board of any size.
///
/// The length of the array is a power of two and indices are masked to it, so that the compiler can omit bounds checks.
/// [`PointMap::copy_from`] copies only the cells that the board has.
#[derive(Clone)]
pub(crate) struct PointMap<T>([T; CAPACITY]);

impl<T: Copy> PointMap<T> {
    pub(crate) const fn new(value: T) -> PointMap<T> {
        PointMap([value; CAPACITY])
    }

    /// Copies the first `area` cells; the others are unchanged.
    #[inline]
    pub(super) fn copy_from(&mut self, other: &PointMap<T>, area: usize) {
        let area = area.min(CAPACITY);
        self.0[..area].copy_from_slice(&other.0[..area]);
    }

    /// The first `area` cells.
    #[inline]
    pub(super) fn cells(&self, area: usize) -> &[T] {
        &self.0[..area.min(CAPACITY)]
    }
}

impl<T> std::ops::Index<Point> for PointMap<T> {
    type Output = T;

    #[inline]
    fn index(&self, point: Point) -> &T {
        &self.0[point.index() & (CAPACITY - 1)]
    }
}

impl<T> std::ops::IndexMut<Point> for PointMap<T> {
    #[inline]
    fn index_mut(&mut self, point: Point) -> &mut T {
        &mut self.0[point.index() & (CAPACITY - 1)]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn vertex_and_parse_vertex_are_inverse_on_every_size() {
        for width in 1..=MAX_SIDE {
            for height in 1..=MAX_SIDE {
                let coordinate = Coordinate::new(width, height).unwrap();
                assert_eq!(coordinate.points().count(), coordinate.board_area());
                assert_eq!(coordinate.points_by_file().count(), coordinate.board_area());
                for point in coordinate.points() {
                    let (x, y) = coordinate.xy(point);
                    assert_eq!(coordinate.point(x, y), Some(point));
                    assert_eq!(coordinate.parse_vertex(&coordinate.vertex(point)), Ok(point));
                    assert!(coordinate.contains(point));
                }
            }
        }
    }

    #[test]
    fn size_text_and_from_str_are_inverse_on_every_size() {
        for width in 1..=MAX_SIDE {
            for height in 1..=MAX_SIDE {
                let coordinate = Coordinate::new(width, height).unwrap();
                let spellings = [coordinate.size_text(), coordinate.to_string(), format!("{width}X{height}")];
                assert_eq!(spellings.map(|text| text.parse()), [Ok(coordinate); 3]);
                assert_eq!(coordinate.size_text().contains('x'), width != height);
                assert_eq!(coordinate.side(), (width == height).then_some(width));
            }
        }
    }

    #[test]
    fn invalid_sizes_are_refused() {
        for text in [
            "", "x", "0", "9x0", "26", "9x26", "9x", "x9", "9x9x9", "9 9", "9:13", "-9", "9x-9", "9.0", "256", "+9",
            "09", "9x+9", "9x09",
        ] {
            assert_eq!(text.parse::<Coordinate>(), Err(SizeError), "{text:?}");
        }
    }

    #[test]
    fn indices_on_19x19_match_the_blog_series() {
        let board = Coordinate::square(19).unwrap();
        assert_eq!(board.parse_vertex("A1").unwrap().index(), 22);
        assert_eq!(board.parse_vertex("N6").unwrap().index(), 139);
        assert_eq!(board.parse_vertex("e13").unwrap().index(), 278);
        assert_eq!(board.point(2, 3).unwrap().index(), 65);
        assert_eq!(board.neighbors(Point(65)), [Point(66), Point(44), Point(64), Point(86)]);
    }

    #[test]
    fn invalid_vertices_are_refused() {
        let board = Coordinate::square(19).unwrap();
        for text in
            ["", "a", "9", "I5", "A0", "A00", "A01", "A20", "U1", "Z26", "A+1", "A-1", "AA1", "A1 ", "あ1", "A١"]
        {
            assert_eq!(board.parse_vertex(text), Err(VertexError), "{text:?}");
        }
        assert!(Coordinate::square(25).unwrap().parse_vertex("Z25").is_ok());
    }

    #[test]
    fn a_name_of_column_i_is_explained() {
        let board = Coordinate::new(19, 9).unwrap();
        for text in ["I5", "i12"] {
            assert_eq!(board.expected_vertex(text), "A1 to T9 (there is no column I)");
        }
        for text in ["", "I", "IV", "In", "A10", "U1"] {
            assert_eq!(board.expected_vertex(text), "A1 to T9", "{text:?}");
        }
    }
}
