//! Sets of cells of a board.

use crate::kernel::coordinate::{CAPACITY, Point};

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
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct PointSet([u64; CAPACITY / 64]);

impl PointSet {
    /// The empty set.
    pub const fn new() -> PointSet {
        PointSet([0; CAPACITY / 64])
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

    /// The cells, in ascending order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = Point> {
        self.0.iter().zip(0..).flat_map(|(&word, number)| {
            let without_lowest = |&bits: &u64| Some(bits & (bits - 1)).filter(|&bits| bits != 0);
            let remaining = std::iter::successors(Some(word).filter(|&word| word != 0), without_lowest);
            remaining.map(move |bits| Point(number * 64 + bits.trailing_zeros() as u16))
        })
    }

    #[inline]
    fn word_and_bit(point: Point) -> (usize, u64) {
        let index = point.index() & (CAPACITY - 1);
        (index / 64, 1 << (index % 64))
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
}
