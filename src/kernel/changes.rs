//! The stones that one move places and captures, collected while the board plays it.

use crate::kernel::board::Observer;
use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, Point};
use crate::kernel::point_set::PointSet;
use crate::kernel::zobrist::HashChange;

/// The stones that a move places and captures.
#[derive(Default, Debug)]
pub(super) struct Changes {
    placed: Vec<(Color, Point)>,
    /// The captured stones, of either colour.
    pub(super) captured: Vec<(Color, Point)>,
    /// The change of the board's hash.
    pub(super) hash: HashChange,
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
}

impl Observer for Changes {
    fn placed(&mut self, color: Color, point: Point) {
        self.placed.push((color, point));
        self.hash.placed(color, point);
    }

    fn captured(&mut self, color: Color, point: Point) {
        self.captured.push((color, point));
        self.hash.captured(color, point);
    }
}
