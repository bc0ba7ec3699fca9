//! The words that a board stores for each point, packed so that a playout adds and compares whole words at once.

use crate::kernel::color::Color;
use crate::kernel::coordinate::{CAPACITY, Point, PointMap};

/// The empty points in no particular order, with the index of each, so that removal costs O(1). Indices are masked as
/// in [`PointMap`].
pub(super) struct EmptyPoints {
    points: [Point; CAPACITY],
    count: usize,
    indices: PointMap<u16>,
}

impl EmptyPoints {
    pub(super) const fn new() -> EmptyPoints {
        EmptyPoints { points: [Point(0); CAPACITY], count: 0, indices: PointMap::new(0) }
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    pub(super) fn copy_from(&mut self, other: &EmptyPoints, area: usize) {
        let count = other.count % CAPACITY;
        self.points[..count].copy_from_slice(&other.points[..count]);
        self.count = other.count;
        self.indices.copy_from(&other.indices, area);
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[Point] {
        &self.points[..self.count % CAPACITY]
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Point {
        self.points[index % CAPACITY]
    }

    #[inline]
    fn put(&mut self, index: usize, point: Point) {
        self.points[index % CAPACITY] = point;
        self.indices[point] = index as u16;
    }

    #[inline]
    pub(super) fn swap(&mut self, a: usize, b: usize) {
        let (at_a, at_b) = (self.get(a), self.get(b));
        self.put(a, at_b);
        self.put(b, at_a);
    }

    #[inline]
    pub(super) fn add(&mut self, point: Point) {
        self.put(self.count, point);
        self.count += 1;
    }

    #[inline]
    pub(super) fn remove(&mut self, point: Point) {
        self.count -= 1;
        self.put(usize::from(self.indices[point]), self.get(self.count));
    }

    pub(super) fn contains(&self, point: Point) -> bool {
        self.as_slice().get(usize::from(self.indices[point])) == Some(&point)
    }
}

/// For each player, the number of the four neighbours of a point that are its stones or wall: four bits for Black, four
/// for White.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NeighborCounts(u8);

impl NeighborCounts {
    pub(super) const ZERO: NeighborCounts = NeighborCounts(0);

    /// One neighbour of this player; the third bit is set exactly when it has all four.
    const fn one(color: Color) -> u8 {
        1 << (4 * color.index())
    }

    /// Whether all four neighbours are stones of this player or wall.
    #[inline]
    pub(super) const fn is_enclosed(self, color: Color) -> bool {
        self.0 & (4 * Self::one(color)) != 0
    }

    #[inline]
    pub(super) fn add(&mut self, color: Color) {
        self.0 = self.0.wrapping_add(Self::one(color));
    }

    #[inline]
    pub(super) fn remove(&mut self, color: Color) {
        self.0 = self.0.wrapping_sub(Self::one(color));
    }
}

/// The next stone in the ring of the same ren, and the size of the ren in stones, valid at the head; 0 for an empty
/// point.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    pub(super) next: Point,
    pub(super) size: u16,
}

/// The stone on a cell and the head of its ren in one word: ten bits for the head, then one bit for each player.
#[derive(Clone, Copy)]
pub(super) struct ColorAndHead(pub(super) u16);

impl ColorAndHead {
    #[inline]
    const fn mark(color: Color) -> u16 {
        (CAPACITY as u16) << color.index()
    }

    #[inline]
    pub(super) const fn new(color: Color, head: Point) -> ColorAndHead {
        ColorAndHead(Self::mark(color) | head.0)
    }

    #[inline]
    pub(super) const fn without_stone(point: Point) -> ColorAndHead {
        ColorAndHead(point.0)
    }

    #[inline]
    pub(super) const fn with_head(self, head: Point) -> ColorAndHead {
        ColorAndHead((self.0 / CAPACITY as u16 * CAPACITY as u16) | head.0)
    }

    #[inline]
    pub(super) const fn is(self, color: Color) -> bool {
        self.0 & Self::mark(color) != 0
    }

    #[inline]
    pub(super) const fn head(self) -> Point {
        Point(self.0 % CAPACITY as u16)
    }
}

/// The pseudo-liberties of a ren: their count n, the sum Σp of their indices and the sum of squares Σp², in one word.
///
/// A ren on the largest board has fewer than 2,500 pseudo-liberties and every index is at most 700, so n, Σp and Σp²
/// stay below 2^12, 2^21 and 2^31. Values for wall cells may wrap; they are never read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Liberties(u64);

/// The word of each point as a single pseudo-liberty. A look-up is faster than the multiplication.
static LIBERTY: [u64; CAPACITY] = {
    let mut words = [0; CAPACITY];
    let mut index = 0;
    while index < CAPACITY {
        let p = index as u64;
        words[index] = 1 | p << Liberties::COUNT_BITS | (p * p) << (Liberties::COUNT_BITS + Liberties::SUM_BITS);
        index += 1;
    }
    words
};

impl Liberties {
    pub(super) const NONE: Liberties = Liberties(0);
    const COUNT_BITS: u32 = 12;
    const SUM_BITS: u32 = 21;

    /// The word of one point, counted once.
    #[inline]
    fn of(point: Point) -> u64 {
        LIBERTY[point.index() % CAPACITY]
    }

    #[inline]
    pub(super) fn add(&mut self, point: Point) {
        self.0 = self.0.wrapping_add(Self::of(point));
    }

    #[inline]
    pub(super) fn remove(&mut self, point: Point) {
        self.0 = self.0.wrapping_sub(Self::of(point));
    }

    #[inline]
    pub(super) fn remove_times(&mut self, point: Point, times: u64) {
        self.0 = self.0.wrapping_sub(Self::of(point).wrapping_mul(times));
    }

    #[inline]
    pub(super) const fn count(self) -> u64 {
        self.0 & ((1 << Self::COUNT_BITS) - 1)
    }

    #[inline]
    pub(super) fn merge(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_add(other.0);
    }

    #[inline]
    pub(super) fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline]
    const fn parts(self) -> (u64, u64, u64) {
        let sum = (self.0 >> Self::COUNT_BITS) & ((1 << Self::SUM_BITS) - 1);
        (self.count(), sum, self.0 >> (Self::COUNT_BITS + Self::SUM_BITS))
    }

    /// Whether there is exactly one liberty: n > 0 and n · Σp² = (Σp)².
    #[inline]
    pub(super) fn is_single(self) -> bool {
        let (count, sum, squares) = self.parts();
        count != 0 && count * squares == sum * sum
    }

    /// Whether there is at most one liberty: n · Σp² = (Σp)².
    #[inline]
    pub(super) fn is_at_most_one(self) -> bool {
        let (count, sum, squares) = self.parts();
        count * squares == sum * sum
    }

    /// Whether all pseudo-liberties are this point; also true for `NONE`.
    #[inline]
    pub(super) fn are_all(self, point: Point) -> bool {
        self.0 == self.count().wrapping_mul(Self::of(point))
    }

    /// The liberty, if there is exactly one: Σp / n.
    #[inline]
    pub(super) fn single(self) -> Option<Point> {
        let (count, sum, _) = self.parts();
        self.is_single().then(|| Point((sum / count) as u16))
    }
}
