//! The fields of a board, their accessors, and the rings of stones that make up its rens.

use std::fmt;

use crate::kernel::board::packed::{ColorAndHead, EmptyPoints, Liberties, NeighborCounts, Ring};
use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, Point, PointMap};
use crate::kernel::point_set::PointSet;
use crate::kernel::stone::Stone;

/// A ban on retaking a ko.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ko {
    /// The point of the captured stone.
    pub point: Point,
    /// The player who may not play there.
    pub color: Color,
}

/// Receives the changes that a play makes to the board, in the order in which they happen. `()` ignores them at no
/// cost.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Color, Observer, Point, parse_diagram};
///
/// struct Captures(Vec<Point>);
/// impl Observer for Captures {
///     fn captured(&mut self, _color: Color, point: Point) {
///         self.0.push(point);
///     }
/// }
///
/// let mut board = parse_diagram(
///     "o x .
///      . . .",
/// )?;
/// let coordinate = board.coordinate();
/// let mut captures = Captures(Vec::new());
/// board.play(Color::Black, coordinate.parse_vertex("A2")?, &mut captures)?;
/// assert_eq!(coordinate.vertices(&captures.0), "A1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer {
    /// A stone was placed on a point.
    fn placed(&mut self, _color: Color, _point: Point) {}
    /// The stone just placed joined the ren of one of its neighbours; `point` is a stone of that ren.
    fn joined(&mut self, _color: Color, _point: Point) {}
    /// A stone of this colour was removed from a point.
    fn captured(&mut self, _color: Color, _point: Point) {}
}

impl Observer for () {}

/// Stones, rens and simple ko on a walled board.
///
/// Two boards are equal if they have the same size, stones and ko. `clone_from` copies only the cells that the board
/// has; `clone` also initializes the storage of the largest board.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Board, Color, Coordinate};
///
/// let coordinate = Coordinate::square(9).ok_or("size")?;
/// let mut board = Board::new(coordinate);
/// let point = coordinate.parse_vertex("E5")?;
/// board.play(Color::Black, point, &mut ())?;
/// assert_eq!(board.liberty_count(point), 4);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Board {
    pub(super) coordinate: Coordinate,
    /// All fields below the ko are derived from this one: see `rebuild`.
    pub(super) stones: PointMap<Stone>,
    /// Not derived.
    pub(super) ko: Option<Ko>,
    /// Derived. The stone again, with the head of its ren; a cell without a stone is its own head.
    pub(super) heads: PointMap<ColorAndHead>,
    /// Derived. Next stone and size in one grid, because they are written together.
    pub(super) rings: PointMap<Ring>,
    /// Derived. Valid for heads and for empty points; meaningless for the wall.
    pub(super) liberties: PointMap<Liberties>,
    /// Derived. Valid for every point.
    pub(super) neighbor_counts: PointMap<NeighborCounts>,
    /// Derived.
    pub(super) empty: EmptyPoints,
}

impl Board {
    /// Size of the board and names of its points.
    #[inline]
    pub fn coordinate(&self) -> Coordinate {
        self.coordinate
    }

    /// The content of a cell; the frame is [`Stone::Wall`].
    #[inline]
    pub fn stone(&self, point: Point) -> Stone {
        self.stones[point]
    }

    /// All cells, frame included, from rank 1 up, each rank west to east: `(width + 2) · (height + 2)` of them.
    pub fn stones(&self) -> &[Stone] {
        self.stones.cells(self.coordinate.memory_area())
    }

    /// All cells, as [`Board::stones`], with other contents at some points. A point outside of the cells is ignored.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Board, Coordinate, Stone};
    ///
    /// let empty = Board::new(Coordinate::square(9).ok_or("size")?);
    /// let point = empty.coordinate().parse_vertex("E5")?;
    /// let board = Board::from_stones(empty.coordinate(), &empty.stones_with([(point, Stone::Black)]))?;
    /// assert_eq!(board.stone(point), Stone::Black);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stones_with(&self, changes: impl IntoIterator<Item = (Point, Stone)>) -> Vec<Stone> {
        let mut stones = self.stones().to_vec();
        for (point, stone) in changes {
            if let Some(cell) = stones.get_mut(point.index()) {
                *cell = stone;
            }
        }
        stones
    }

    /// The point of a ko that a colour may not retake now, if any.
    pub(crate) fn ko_point_of(&self, color: Color) -> Option<Point> {
        self.ko().filter(|ko| ko.color == color).map(|ko| ko.point)
    }

    /// The ko that may not be retaken now, if any.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, IllegalMove, parse_diagram};
    ///
    /// let mut board = parse_diagram(
    ///     ". x o .
    ///      x o . o
    ///      . x o .",
    /// )?;
    /// let coordinate = board.coordinate();
    /// let [b2, c2] = [coordinate.parse_vertex("B2")?, coordinate.parse_vertex("C2")?];
    /// board.play(Color::Black, c2, &mut ())?;
    /// assert_eq!(board.ko().map(|ko| (ko.point, ko.color)), Some((b2, Color::White)));
    /// assert_eq!(board.check(Color::White, b2), Err(IllegalMove::Ko));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn ko(&self) -> Option<Ko> {
        self.ko
    }

    /// The empty points, in no particular order.
    #[inline]
    pub fn empty_points(&self) -> &[Point] {
        self.empty.as_slice()
    }

    /// The element of [`Board::empty_points`] with this index. An index out of range returns an arbitrary cell.
    #[inline]
    pub fn empty_point(&self, index: usize) -> Point {
        self.empty.get(index)
    }

    /// Whether all four neighbours of a point of the board are stones of this player or wall.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, parse_diagram};
    ///
    /// let board = parse_diagram(
    ///     ". x .
    ///      x x .",
    /// )?;
    /// let a1 = board.coordinate().parse_vertex("A1")?;
    /// assert!(board.is_enclosed(Color::Black, a1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn is_enclosed(&self, color: Color, point: Point) -> bool {
        self.neighbor_counts[point].is_enclosed(color)
    }

    /// Whether a stone of `color` is beside a point.
    pub fn touches(&self, color: Color, point: Point) -> bool {
        self.coordinate().neighbors(point).into_iter().any(|neighbor| self.stone(neighbor) == color.stone())
    }

    /// Whether a point is empty and beside stones of both colours.
    pub fn is_shared_liberty(&self, point: Point) -> bool {
        self.stone(point) == Stone::Space && Color::BOTH.into_iter().all(|color| self.touches(color, point))
    }

    /// Swaps two elements of [`Board::empty_points`]; both indices must be in range.
    #[inline]
    pub fn swap_empty(&mut self, a: usize, b: usize) {
        self.empty.swap(a, b);
    }

    /// The stones of the ren at a point, in the order of the ring, that stone first. An empty point yields only itself.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::parse_diagram;
    ///
    /// let board = parse_diagram(
    ///     "x x .
    ///      . . x",
    /// )?;
    /// let coordinate = board.coordinate();
    /// let ren: Vec<_> = board.ren_points(coordinate.parse_vertex("B1")?).collect();
    /// assert_eq!(coordinate.vertices(&ren), "B1 A1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ren_points(&self, point: Point) -> impl Iterator<Item = Point> {
        let next = move |&here: &Point| Some(self.rings[here].next).filter(|&next| next != point);
        std::iter::successors(Some(point), next)
    }

    /// The number of stones of the ren at a point, which must hold a stone.
    #[inline]
    pub fn ren_size(&self, point: Point) -> usize {
        usize::from(self.rings[self.head(point)].size)
    }

    /// The number of different liberties of the ren at a point, which must hold a stone. Walks the ren.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::parse_diagram;
    ///
    /// let board = parse_diagram(
    ///     ". x o
    ///      x x .
    ///      . . .",
    /// )?;
    /// let b2 = board.coordinate().parse_vertex("B2")?;
    /// assert_eq!((board.ren_size(b2), board.liberty_count(b2)), (3, 4)); // A1, A3, B3 and C2
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn liberty_count(&self, point: Point) -> usize {
        let mut seen = PointSet::new();
        let neighbors = self.ren_points(point).flat_map(|stone| self.neighbors(stone));
        neighbors.filter(|&p| self.stones[p] == Stone::Space && seen.insert(p)).count()
    }

    /// The last liberty of the ren at a point, if it is in atari; the point must hold a stone.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::parse_diagram;
    ///
    /// let board = parse_diagram(
    ///     "o x .
    ///      . . .",
    /// )?;
    /// let coordinate = board.coordinate();
    /// let [a1, b1] = [coordinate.parse_vertex("A1")?, coordinate.parse_vertex("B1")?];
    /// assert_eq!(board.atari(a1), Some(coordinate.parse_vertex("A2")?));
    /// assert_eq!(board.atari(b1), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn atari(&self, point: Point) -> Option<Point> {
        self.liberties[self.head(point)].single()
    }

    /// Whether the ren at a point has exactly one liberty; the point must hold a stone.
    #[inline]
    pub fn is_atari(&self, point: Point) -> bool {
        self.liberties[self.head(point)].is_single()
    }

    /// The stone that represents the ren at a point: the same for all its stones, until the next move.
    #[inline]
    pub fn ren_head(&self, point: Point) -> Point {
        self.head(point)
    }

    /// The rens that have a stone in `stones`, as lists of all their points. Points are in row-by-row order from A1, rens
    /// in the order of their first points.
    pub(crate) fn rens_among(&self, stones: &PointSet) -> Vec<Vec<Point>> {
        let mut seen = PointSet::new();
        let mut rens = Vec::new();
        for point in self.coordinate.points() {
            if stones.contains(point) && !seen.contains(point) {
                let mut ren: Vec<Point> = self.ren_points(point).collect();
                ren.sort_unstable();
                seen.extend(ren.iter().copied());
                rens.push(ren);
            }
        }
        rens
    }

    #[inline]
    pub(super) fn neighbors(&self, point: Point) -> [Point; 4] {
        self.coordinate.neighbors(point)
    }

    #[inline]
    pub(super) fn around(&self, point: Point) -> [ColorAndHead; 4] {
        self.neighbors(point).map(|neighbor| self.heads[neighbor])
    }

    /// The head of a stone's ren.
    #[inline]
    pub(super) fn head(&self, point: Point) -> Point {
        self.heads[point].head()
    }

    /// The head of the last neighbouring ren that satisfies the predicate; the point itself if there is none.
    #[inline]
    pub(super) fn head_beside(&self, point: Point, is_sought: impl Fn(ColorAndHead) -> bool) -> Point {
        self.around(point).into_iter().fold(point, |found, cell| if is_sought(cell) { cell.head() } else { found })
    }

    /// Merges the ren at a point with all other rens of its colour next to it; `first` is the head of one of these.
    /// Returns the head of the merged ren.
    #[inline(never)]
    pub(super) fn join_others(
        &mut self,
        color: Color,
        point: Point,
        first: Point,
        observer: &mut impl Observer,
    ) -> Point {
        let mut other = first;
        loop {
            let head = self.head(point);
            // found before the merge, so that the processor need not wait for it
            let next = self.head_beside(point, |cell| cell.is(color) & (cell.head() != other) & (cell.head() != head));
            observer.joined(color, other);
            let head = self.join(head, other);
            if next == point {
                return head;
            }
            other = next;
        }
    }

    /// Merges two rens, given by their heads. The smaller one is relabelled.
    #[inline]
    fn join(&mut self, a: Point, b: Point) -> Point {
        let (into, from) = if self.rings[a].size >= self.rings[b].size { (a, b) } else { (b, a) };
        let cell = self.heads[from].with_head(into);
        let mut point = from;
        let mut left = self.rings[from].size;
        loop {
            // four stones at a time: a shorter ring is passed more than once, without harm. Most rens have up to four
            // stones, and the end of a loop that stops at the exact size is mispredicted
            for _ in 0..4 {
                self.heads[point] = cell;
                point = self.rings[point].next;
            }
            if left <= 4 {
                break;
            }
            left -= 4;
        }
        // swapping two successors turns two rings into one
        let next = self.rings[into].next;
        self.rings[into].next = self.rings[from].next;
        self.rings[from].next = next;
        let from_liberties = self.liberties[from];
        self.liberties[into].merge(from_liberties);
        self.rings[into].size += self.rings[from].size;
        into
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.coordinate == other.coordinate && self.ko == other.ko && self.stones() == other.stones()
    }
}

impl Eq for Board {}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.stones().chunks(self.coordinate.memory_width()) {
            writeln!(f)?;
            for stone in row {
                stone.fmt(f)?;
            }
        }
        write!(f, "\nko: {:?}", self.ko)
    }
}
