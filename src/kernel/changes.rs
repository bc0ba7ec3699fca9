//! The stones that one move places and captures, collected while the board plays it.

use crate::kernel::board::Observer;
use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, Point};
use crate::kernel::point_set::PointSet;
use crate::kernel::zobrist::stone_hash;

/// The stones that a move places and captures.
#[derive(Default, Debug)]
pub(super) struct Changes {
    placed: Vec<(Color, Point)>,
    /// The captured stones, of either colour.
    pub(super) captured: Vec<(Color, Point)>,
}

impl Changes {
    /// The changed points; a stone that is placed and captured at once appears twice.
    pub(super) fn points(&self) -> impl Iterator<Item = Point> {
        self.placed.iter().chain(&self.captured).map(|&(_, point)| point)
    }

    /// The changed points and their neighbours. Every ren that differs after the move has a point in this set.
    pub(super) fn touched(&self, coordinate: Coordinate) -> PointSet {
        let around = self.points().flat_map(|point| coordinate.neighbors(point));
        self.points().chain(around).collect()
    }

    /// The change of the board's hash: `hash after = hash before ^ change`.
    pub(super) fn hash(&self) -> u64 {
        let stones = self.placed.iter().chain(&self.captured);
        stones.fold(0, |sum, &(color, point)| sum ^ stone_hash(color, point))
    }
}

impl Observer for Changes {
    fn placed(&mut self, color: Color, point: Point) {
        self.placed.push((color, point));
    }

    fn captured(&mut self, color: Color, point: Point) {
        self.captured.push((color, point));
    }
}
