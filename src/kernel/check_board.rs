//! Marks for flood fills.

use super::coordinate::{CAPACITY, Point};

/// A set of cells of a walled board.
#[derive(Clone, Debug)]
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
