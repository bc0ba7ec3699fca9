//! What a move changed: the ears of a game while its board plays.

use crate::kernel::board::Observer;
use crate::kernel::check_board::PointSet;
use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, Point};

/// Listens which stones a move puts down and takes.
#[derive(Default, Debug)]
pub(super) struct Changes {
    placed: Vec<(Color, Point)>,
    /// The stones taken, of either colour.
    pub(super) captured: Vec<(Color, Point)>,
}

impl Changes {
    /// The points where something changed, perhaps twice.
    pub(super) fn points(&self) -> impl Iterator<Item = Point> {
        self.placed.iter().chain(&self.captured).map(|&(_, point)| point)
    }

    /// The changed points and their neighbours: whatever ren changed has a point among them.
    pub(super) fn touched(&self, coordinate: Coordinate) -> PointSet {
        let around = self.points().flat_map(|point| coordinate.neighbors(point));
        self.points().chain(around).collect()
    }

    /// What the hash of the board changes by.
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

/// Listens what the hash of the board changes by: the sum of the numbers of all stones put down or taken.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct HashChange(pub u64);

impl Observer for HashChange {
    #[inline]
    fn placed(&mut self, color: Color, point: Point) {
        self.0 ^= stone_hash(color, point);
    }

    #[inline]
    fn captured(&mut self, color: Color, point: Point) {
        self.0 ^= stone_hash(color, point);
    }
}

/// A number for a stone on a point: SplitMix64's finish (Steele, Lea and Flood 2014) of which stone it is.
pub(super) fn stone_hash(color: Color, point: Point) -> u64 {
    let stone = (point.index() * 2 + color.index() + 1) as u64;
    let mut z = stone.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
