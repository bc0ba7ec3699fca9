//! Marks for flood fills.

use crate::kernel::coordinate::{CAPACITY, Point};

/// A set of cells of a walled board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PointSet([u64; CAPACITY / 64]);

impl PointSet {
    /// The empty set.
    pub const fn new() -> PointSet {
        PointSet([0; CAPACITY / 64])
    }

    /// Adds a cell; says whether it was new.
    #[inline]
    pub fn insert(&mut self, point: Point) -> bool {
        let (word, bit) = Self::place(point);
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// Takes a cell out.
    #[inline]
    pub fn remove(&mut self, point: Point) {
        let (word, bit) = Self::place(point);
        self.0[word] &= !bit;
    }

    /// Whether the cell is in the set.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        let (word, bit) = Self::place(point);
        self.0[word] & bit != 0
    }

    /// Whether there is no cell in it.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The cells, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = Point> {
        self.0.iter().zip(0..).flat_map(|(&word, number)| {
            let following = |&left: &u64| Some(left & (left - 1)).filter(|&left| left != 0);
            let rests = std::iter::successors(Some(word).filter(|&word| word != 0), following);
            rests.map(move |rest| Point(number * 64 + rest.trailing_zeros() as u16))
        })
    }

    #[inline]
    fn place(point: Point) -> (usize, u64) {
        let index = point.index() & (CAPACITY - 1);
        (index / 64, 1 << (index % 64))
    }
}

impl FromIterator<Point> for PointSet {
    fn from_iter<I: IntoIterator<Item = Point>>(points: I) -> PointSet {
        let mut set = PointSet::new();
        for point in points {
            set.insert(point);
        }
        set
    }
}

impl Default for PointSet {
    fn default() -> PointSet {
        PointSet::new()
    }
}

/// The check board: which points a flood fill has walked, and which it has noted as liberties.
#[derive(Clone, Debug, Default)]
pub struct CheckBoard {
    /// Points that belong to a ren already found.
    pub stone: PointSet,
    /// Points already noted as a liberty of the ren in hand.
    pub liberty: PointSet,
}

impl CheckBoard {
    /// A check board without a mark.
    pub fn new() -> CheckBoard {
        CheckBoard::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_come_in_the_order_of_their_indices() {
        assert!(PointSet::new().is_empty());
        let points = [Point(1023), Point(0), Point(64), Point(63), Point(1), Point(700)];
        let set: PointSet = points.into_iter().collect();
        assert!(!set.is_empty());
        let indices: Vec<usize> = set.iter().map(Point::index).collect();
        assert_eq!(indices, [0, 1, 63, 64, 700, 1023]);
    }
}
