//! Construction of a board from stones or by copying, and the check of its derived fields, which recomputes them.

use std::fmt;

use crate::kernel::board::packed::{ColorAndHead, EmptyPoints, Liberties, NeighborCounts, Ring};
use crate::kernel::board::stones::{Board, Ko};
use crate::kernel::color::Color;
use crate::kernel::coordinate::{CAPACITY, Coordinate, MAX_SIDE, Point, PointMap};
use crate::kernel::point_set::PointSet;
use crate::kernel::stone::Stone;

const _: () = assert!(CAPACITY >= (MAX_SIDE as usize + 2) * (MAX_SIDE as usize + 2));

impl Board {
    /// An empty board.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Board, Coordinate};
    ///
    /// let board = Board::new(Coordinate::new(7, 5).ok_or("size")?);
    /// assert_eq!(board.empty_points().len(), 35);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(coordinate: Coordinate) -> Board {
        let mut board = Board::blank(coordinate);
        for point in coordinate.points() {
            board.stones[point] = Stone::Space;
        }
        board.rebuild();
        board
    }

    /// A board with these cells, frame included, in the order of [`Board::stones`]; no ko is banned. To get the cells
    /// from a text, use [`parse_framed`](crate::kernel::parse_framed) or
    /// [`parse_diagram`](crate::kernel::parse_diagram).
    ///
    /// # Errors
    /// [`SetupError`] if the number of cells is not [`Coordinate::memory_area`], if a cell of the frame is not wall or
    /// a point of the board is, or if a ren has no liberty.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Board, Coordinate, Stone::{Black, Space, Wall, White}};
    ///
    /// let cells = [
    ///     Wall, Wall, Wall, Wall, //
    ///     Wall, White, Space, Wall, //
    ///     Wall, Space, Black, Wall, //
    ///     Wall, Wall, Wall, Wall,
    /// ];
    /// let coordinate = Coordinate::square(2).ok_or("size")?;
    /// let board = Board::from_stones(coordinate, &cells)?;
    /// assert_eq!(board.stone(coordinate.parse_vertex("B2")?), Black);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_stones(coordinate: Coordinate, stones: &[Stone]) -> Result<Board, SetupError> {
        if stones.len() != coordinate.memory_area() {
            return Err(SetupError::Frame);
        }
        let mut board = Board::blank(coordinate);
        for (index, &stone) in stones.iter().enumerate() {
            let point = Point(index as u16);
            if (stone == Stone::Wall) == coordinate.contains(point) {
                return Err(SetupError::Frame);
            }
            board.stones[point] = stone;
        }
        board.rebuild();
        let dead = |&p: &Point| board.stone(p).color().is_some() && board.liberties[board.head(p)].is_none();
        match coordinate.points().find(dead) {
            Some(point) => Err(SetupError::NoLiberty { point, vertex: coordinate.vertex(point) }),
            None => Ok(board),
        }
    }

    /// Restores the stones and the ko of an earlier position of this board.
    pub(in crate::kernel) fn restore(&mut self, stones: &[Stone], ko: Option<Ko>) {
        for (index, &stone) in stones.iter().enumerate() {
            self.stones[Point(index as u16)] = stone;
        }
        self.ko = ko;
        self.rebuild();
    }

    /// Compares all incrementally updated fields with their values recomputed from the stones. For tests.
    ///
    /// # Panics
    /// If they differ, with the name of the field.
    pub fn assert_consistent(&self) {
        let mut fresh = Board::blank(self.coordinate);
        fresh.stones.clone_from(&self.stones);
        fresh.rebuild();
        assert_eq!(self.empty.as_slice().len(), fresh.empty.as_slice().len(), "number of empty points");
        for point in self.coordinate.points() {
            assert_eq!(self.neighbor_counts[point], fresh.neighbor_counts[point], "neighbor counts");
            if self.stones[point] == Stone::Space {
                assert!(self.empty.contains(point), "empty points");
                assert_eq!(self.head(point), point, "head of an empty point");
                assert_eq!(self.rings[point].next, point, "ring of an empty point");
                assert_eq!(self.rings[point].size, 0, "size of an empty point");
                assert_eq!(self.liberties[point], fresh.liberties[point], "liberties of an empty point");
                continue;
            }
            let head = self.head(point);
            assert_eq!(self.head(head), head, "head of a head");
            let ring: PointSet = self.ren_points(point).collect();
            for other in self.coordinate.points().filter(|&p| self.stones[p] != Stone::Space) {
                let same = fresh.head(other) == fresh.head(point);
                assert_eq!(ring.contains(other), same, "ring");
                assert_eq!(self.head(other) == head, same, "heads");
            }
            assert_eq!(self.liberties[head], fresh.liberties[fresh.head(point)], "liberties");
            assert!(!self.liberties[head].is_none(), "a ren without a liberty");
            assert_eq!(self.rings[head].size, fresh.rings[fresh.head(point)].size, "sizes");
        }
        if let Some(ko) = self.ko {
            assert_eq!(self.stones[ko.point], Stone::Space, "ko");
        }
    }

    /// A board whose cells are all wall.
    fn blank(coordinate: Coordinate) -> Board {
        Board {
            coordinate,
            stones: PointMap::new(Stone::Wall),
            ko: None,
            heads: PointMap::new(ColorAndHead(0)),
            rings: PointMap::new(Ring { next: Point(0), size: 0 }),
            liberties: PointMap::new(Liberties::NONE),
            neighbor_counts: PointMap::new(NeighborCounts::ZERO),
            empty: EmptyPoints::new(),
        }
    }

    /// Computes all derived fields from the stones.
    fn rebuild(&mut self) {
        let coordinate = self.coordinate;
        self.empty.clear();
        for index in 0..coordinate.memory_area() {
            let point = Point(index as u16);
            self.heads[point] = ColorAndHead::without_stone(point);
            self.rings[point] = Ring { next: point, size: 0 };
            self.liberties[point] = Liberties::NONE;
            self.neighbor_counts[point] = NeighborCounts::ZERO;
        }
        for point in coordinate.points() {
            self.neighbor_counts[point] = self.neighbor_counts_from_stones(point);
            for neighbor in self.neighbors(point) {
                if self.stones[neighbor] == Stone::Space {
                    self.liberties[point].add(neighbor);
                }
            }
            match self.stones[point].color() {
                None => self.empty.add(point),
                Some(color) => {
                    self.rings[point].size = 1;
                    // stones to the east and south are not in `heads` yet; they will join this one
                    self.heads[point] = ColorAndHead::new(color, point);
                    let other = self.head_beside(point, |cell| cell.is(color));
                    if other != point {
                        self.join_others(color, point, other, &mut ());
                    }
                }
            }
        }
    }

    fn neighbor_counts_from_stones(&self, point: Point) -> NeighborCounts {
        let mut counts = NeighborCounts::ZERO;
        for neighbor in self.neighbors(point) {
            match self.stones[neighbor] {
                Stone::Space => {}
                Stone::Black => counts.add(Color::Black),
                Stone::White => counts.add(Color::White),
                Stone::Wall => Color::BOTH.into_iter().for_each(|color| counts.add(color)),
            }
        }
        counts
    }
}

impl Clone for Board {
    fn clone(&self) -> Board {
        let mut board = Board::blank(self.coordinate);
        board.clone_from(self);
        board
    }

    fn clone_from(&mut self, other: &Board) {
        let area = other.coordinate.memory_area();
        self.coordinate = other.coordinate;
        self.stones.copy_from(&other.stones, area);
        self.ko = other.ko;
        self.heads.copy_from(&other.heads, area);
        self.rings.copy_from(&other.rings, area);
        self.liberties.copy_from(&other.liberties, area);
        self.neighbor_counts.copy_from(&other.neighbor_counts, area);
        self.empty.copy_from(&other.empty, area);
    }
}

/// Reason for which cells form no position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetupError {
    /// The number of cells is wrong, or wall is missing on the frame or stands inside it.
    Frame,
    /// A ren has no liberty.
    NoLiberty {
        /// The ren's first point, row by row.
        point: Point,
        /// The name of that point.
        vertex: String,
    },
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::Frame => f.write_str("the frame does not fit the board"),
            SetupError::NoLiberty { vertex, .. } => write!(f, "the ren at {vertex} has no liberty"),
        }
    }
}

impl std::error::Error for SetupError {}
