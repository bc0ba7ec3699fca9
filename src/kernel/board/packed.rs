//! What a board keeps for each point, packed so that a playout adds and compares whole words.

use crate::kernel::color::Color;
use crate::kernel::coordinate::{CAPACITY, Grid, Point};

/// The empty points in any order, and where each of them stands. Masked as [`Grid`] is.
pub(super) struct EmptyPoints {
    points: [Point; CAPACITY],
    count: usize,
    places: Grid<u16>,
}

impl EmptyPoints {
    pub(super) const fn new() -> EmptyPoints {
        EmptyPoints { points: [Point(0); CAPACITY], count: 0, places: Grid::new(0) }
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    pub(super) fn copy_from(&mut self, other: &EmptyPoints, area: usize) {
        let count = other.count % CAPACITY;
        self.points[..count].copy_from_slice(&other.points[..count]);
        self.count = other.count;
        self.places.copy_from(&other.places, area);
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[Point] {
        &self.points[..self.count % CAPACITY]
    }

    #[inline]
    pub(super) fn get(&self, place: usize) -> Point {
        self.points[place % CAPACITY]
    }

    #[inline]
    fn put(&mut self, place: usize, point: Point) {
        self.points[place % CAPACITY] = point;
        self.places[point] = place as u16;
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
        self.put(usize::from(self.places[point]), self.get(self.count));
    }

    pub(super) fn contains(&self, point: Point) -> bool {
        self.as_slice().get(usize::from(self.places[point])) == Some(&point)
    }
}

/// The four sides of a point: for each player, how many are closed by its stones or by wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Sides(u8);

impl Sides {
    pub(super) const OPEN: Sides = Sides(0);

    /// One side closed by this player; four of them are the third bit.
    const fn one(color: Color) -> u8 {
        1 << (4 * color.index())
    }

    /// Whether this player or wall closes all four.
    #[inline]
    pub(super) const fn are_all(self, color: Color) -> bool {
        self.0 & (4 * Self::one(color)) != 0
    }

    #[inline]
    pub(super) fn close(&mut self, color: Color) {
        self.0 = self.0.wrapping_add(Self::one(color));
    }

    #[inline]
    pub(super) fn open(&mut self, color: Color) {
        self.0 = self.0.wrapping_sub(Self::one(color));
    }
}

/// The next stone of the same ren, round in a ring; and how many there are, kept at the head, 0 for an empty point.
#[derive(Clone, Copy)]
pub(super) struct Ring {
    pub(super) next: Point,
    pub(super) size: u16,
}

/// Whose stone stands on a cell, and the head of its ren, in one word: ten bits of head and a mark for each player.
#[derive(Clone, Copy)]
pub(super) struct Cell(pub(super) u16);

impl Cell {
    #[inline]
    const fn mark(color: Color) -> u16 {
        (CAPACITY as u16) << color.index()
    }

    #[inline]
    pub(super) const fn new(color: Color, head: Point) -> Cell {
        Cell(Self::mark(color) | head.0)
    }

    #[inline]
    pub(super) const fn without_stone(point: Point) -> Cell {
        Cell(point.0)
    }

    #[inline]
    pub(super) const fn with_head(self, head: Point) -> Cell {
        Cell((self.0 / CAPACITY as u16 * CAPACITY as u16) | head.0)
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

/// The liberties of a ren, each counted once for every stone it touches: how many, the sum of their indices and the sum
/// of the squares of their indices, in one word.
///
/// A ren on the largest board has under 2,500 of them and no index is over 700, so count, sum and squares stay below
/// 2^12, 2^21 and 2^31. Values of cells without a stone may wrap; nobody reads those.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Liberties(u64);

/// What each point is as a liberty. To look it up is faster than to work it out.
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

    /// A point counted once.
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
    pub(super) fn remove_often(&mut self, point: Point, times: u64) {
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

    /// Whether all of them are one point; a ren without liberties does not count.
    #[inline]
    pub(super) fn is_single(self) -> bool {
        let (count, sum, squares) = self.parts();
        count != 0 && count * squares == sum * sum
    }

    /// Whether all of them are one point; true of `NONE` too.
    #[inline]
    pub(super) fn agree(self) -> bool {
        let (count, sum, squares) = self.parts();
        count * squares == sum * sum
    }

    /// Whether they are this point, counted any number of times; true of `NONE` too.
    #[inline]
    pub(super) fn are_all(self, point: Point) -> bool {
        self.0 == self.count().wrapping_mul(Self::of(point))
    }

    /// The point, if there is exactly one.
    #[inline]
    pub(super) fn single(self) -> Option<Point> {
        let (count, sum, _) = self.parts();
        self.is_single().then(|| Point((sum / count) as u16))
    }
}
