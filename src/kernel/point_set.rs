//! Sets of cells of a board.

use std::ops::{BitAnd, BitOr, Sub};

use crate::kernel::coordinate::{CAPACITY, Coordinate, Point};

/// Bits of a word.
const BITS: usize = 64;

/// A set of cells of a walled board, one bit for each cell.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Point, PointSet};
///
/// let mut set: PointSet = [Point::at(65), Point::at(22)].into_iter().collect();
/// assert!(!set.insert(Point::at(22)), "already in the set");
/// set.remove(Point::at(65));
/// assert_eq!(set.iter().collect::<Vec<_>>(), [Point::at(22)]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PointSet([u64; CAPACITY / BITS]);

impl PointSet {
    /// The empty set.
    pub const fn new() -> PointSet {
        PointSet([0; CAPACITY / BITS])
    }

    /// Adds a cell; returns whether it was new.
    #[inline]
    pub fn insert(&mut self, point: Point) -> bool {
        let (word, bit) = Self::word_and_bit(point);
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// Removes a cell.
    #[inline]
    pub fn remove(&mut self, point: Point) {
        let (word, bit) = Self::word_and_bit(point);
        self.0[word] &= !bit;
    }

    /// Whether the cell is in the set.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        let (word, bit) = Self::word_and_bit(point);
        self.0[word] & bit != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The number of cells in the set.
    pub(crate) fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The cells whose contents satisfy a predicate; the content of cell `i` is `cells[i]`.
    pub(crate) fn of_cells<T>(cells: &[T], is_in: impl Fn(&T) -> bool) -> PointSet {
        let mut set = PointSet::new();
        for (word, cells) in set.0.iter_mut().zip(cells.chunks(BITS)) {
            *word = cells.iter().zip(0..).fold(0, |word, (cell, bit)| word | u64::from(is_in(cell)) << bit);
        }
        set
    }

    /// The cells beside the points of this set, which are on the board. Points of the set are among them only if they
    /// are beside others.
    pub(crate) fn neighbors(self, coordinate: Coordinate) -> PointSet {
        let width = coordinate.memory_width();
        let [east, north] = [1, width].map(|distance| self.shifted_up(distance));
        let [west, south] = [1, width].map(|distance| self.shifted_down(distance));
        east | north | west | south
    }

    /// The points of `inside` that are connected with a point of this set by points of `inside`, and this set.
    pub(crate) fn spread_in(self, inside: PointSet, coordinate: Coordinate) -> PointSet {
        let mut reached = self;
        loop {
            let further = reached | (reached.neighbors(coordinate) & inside);
            if further == reached {
                return reached;
            }
            reached = further;
        }
    }

    /// The cells whose indices are greater by `distance`, less than [`BITS`].
    fn shifted_up(self, distance: usize) -> PointSet {
        let mut below = 0;
        PointSet(self.0.map(|word| {
            let carried = below >> (BITS - distance);
            below = word;
            word << distance | carried
        }))
    }

    /// The cells whose indices are less by `distance`, less than [`BITS`].
    fn shifted_down(self, distance: usize) -> PointSet {
        let mut shifted = self;
        let above = self.0.into_iter().skip(1).chain([0]);
        for (word, above) in shifted.0.iter_mut().zip(above) {
            *word = *word >> distance | above << (BITS - distance);
        }
        shifted
    }

    /// Combines the words of two sets.
    #[inline]
    fn combined(mut self, other: PointSet, combine: impl Fn(u64, u64) -> u64) -> PointSet {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word = combine(*word, other);
        }
        self
    }

    /// The cells, in ascending order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = Point> {
        self.0.iter().zip(0..).flat_map(|(&word, number)| {
            let without_lowest = |&bits: &u64| Some(bits & (bits - 1)).filter(|&bits| bits != 0);
            let remaining = std::iter::successors(Some(word).filter(|&word| word != 0), without_lowest);
            remaining.map(move |bits| Point(number * BITS as u16 + bits.trailing_zeros() as u16))
        })
    }

    #[inline]
    fn word_and_bit(point: Point) -> (usize, u64) {
        let index = point.index() & (CAPACITY - 1);
        (index / BITS, 1 << (index % BITS))
    }
}

/// The intersection.
impl BitAnd for PointSet {
    type Output = PointSet;
    #[inline]
    fn bitand(self, other: PointSet) -> PointSet {
        self.combined(other, |a, b| a & b)
    }
}

/// The union.
impl BitOr for PointSet {
    type Output = PointSet;
    #[inline]
    fn bitor(self, other: PointSet) -> PointSet {
        self.combined(other, |a, b| a | b)
    }
}

/// The points that are not in the other set.
impl Sub for PointSet {
    type Output = PointSet;
    #[inline]
    fn sub(self, other: PointSet) -> PointSet {
        self.combined(other, |a, b| a & !b)
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> PointSet {
        let mut set = PointSet::new();
        set.extend(points);
        set
    }
}

impl Extend<Point> for PointSet {
    fn extend<I: IntoIterator<Item = Point>>(&mut self, points: I) {
        for point in points {
            self.insert(point);
        }
    }
}

impl Default for PointSet {
    fn default() -> PointSet {
        PointSet::new()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn iter_yields_ascending_indices() {
        assert!(PointSet::new().is_empty());
        let points = [Point(1023), Point(0), Point(64), Point(63), Point(1), Point(700)];
        let set: PointSet = points.into_iter().collect();
        assert!(!set.is_empty());
        let indices: Vec<usize> = set.iter().map(Point::index).collect();
        assert_eq!(indices, [0, 1, 63, 64, 700, 1023]);
    }

    #[test]
    fn neighbors_are_those_of_the_points() {
        for size in [1, 2, 9, 19, 25] {
            let coordinate = Coordinate::square(size).unwrap();
            for point in coordinate.points() {
                let expected: PointSet = coordinate.neighbors(point).into_iter().collect();
                assert_eq!(PointSet::from_iter([point]).neighbors(coordinate), expected);
            }
        }
    }

    #[test]
    fn a_set_spreads_to_what_is_connected() {
        let coordinate = Coordinate::new(4, 3).unwrap();
        let points =
            |names: &str| -> PointSet { names.split(' ').map(|name| coordinate.parse_vertex(name).unwrap()).collect() };
        let inside = points("A1 B1 B2 D1 D2 D3 C3");
        let spread = |names| points(names).spread_in(inside, coordinate);
        assert_eq!(spread("B2"), points("A1 B1 B2"));
        assert_eq!(spread("C1"), points("A1 B1 B2 C1 D1 D2 D3 C3"));
        assert_eq!(points("A1 B1") | points("B1 C1"), points("A1 B1 C1"));
        assert_eq!(points("A1 B1") & points("B1 C1"), points("B1"));
        assert_eq!(points("A1 B1") - points("B1 C1"), points("A1"));
        let stones = PointSet::of_cells(&[false, true, true, false], |&is_in| is_in);
        assert_eq!(stones.iter().map(Point::index).collect::<Vec<_>>(), [1, 2]);
    }
}
