//! Connected regions of a board and their borders, by flood fill.

use crate::kernel::board::Board;
use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, Point};
use crate::kernel::point_set::PointSet;
use crate::kernel::stone::Stone;

/// A maximal set of points that are connected along the lines of the board.
#[derive(Clone, Debug)]
pub(crate) struct Region {
    /// The points, in breadth-first order from the first one row by row.
    pub(crate) points: Vec<Point>,
    /// The points of the board next to the region, each once, without the frame.
    pub(crate) border: Vec<Point>,
}

impl Region {
    /// The only colour of stones on the border; `None` if there are both or none.
    pub(crate) fn only_color(&self, board: &Board) -> Option<Color> {
        let mut colors = self.border.iter().filter_map(|&p| board.stone(p).color());
        let first = colors.next()?;
        colors.all(|color| color == first).then_some(first)
    }

    /// Whether a stone of a colour is on the border.
    pub(crate) fn is_bordered_by(&self, board: &Board, color: Color) -> bool {
        self.border.iter().any(|&p| board.stone(p) == color.stone())
    }
}

/// The regions of empty points and dead stones, as returned by [`regions`]. Their borders are living stones.
pub(crate) fn regions_without_living_stones(board: &Board, dead: &PointSet) -> Vec<Region> {
    regions(board.coordinate(), |p| board.stone(p) == Stone::Space || dead.contains(p))
}

/// The regions of the points that satisfy `inside`, ordered by their first points, row by row.
pub(crate) fn regions(coordinate: Coordinate, inside: impl Fn(Point) -> bool) -> Vec<Region> {
    let all: PointSet = coordinate.points().filter(|&p| inside(p)).collect();
    let with_border = |points: Vec<Point>| {
        let mut seen = PointSet::new();
        let around = points.iter().flat_map(|&p| coordinate.neighbors(p));
        let border = around.filter(|&p| coordinate.contains(p) && !all.contains(p) && seen.insert(p)).collect();
        Region { border, points }
    };
    connected_sets(coordinate, all).into_iter().map(with_border).collect()
}

/// The connected sets of some points, each in breadth-first order, ordered by their first points, row by row: the points
/// of the [`regions`], without the time for their borders.
pub(crate) fn connected_sets(coordinate: Coordinate, mut left: PointSet) -> Vec<Vec<Point>> {
    let sets = coordinate.points().map(|start| take_connected(coordinate, start, &mut left));
    sets.filter(|points| !points.is_empty()).collect()
}

/// The points of `left` that are connected with `start`, in breadth-first order; removes them from `left`. None if `start`
/// is not one of them.
pub(crate) fn take_connected(coordinate: Coordinate, start: Point, left: &mut PointSet) -> Vec<Point> {
    let mut found = Vec::new();
    let mut reach = |found: &mut Vec<Point>, point: Point| {
        if left.contains(point) {
            left.remove(point);
            found.push(point);
        }
    };
    reach(&mut found, start);
    let mut next = 0;
    while let Some(&here) = found.get(next) {
        next += 1;
        coordinate.neighbors(here).into_iter().for_each(|neighbor| reach(&mut found, neighbor));
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn regions_with_their_borders() {
        let coordinate = Coordinate::new(3, 2).unwrap();
        let outer = regions(coordinate, |p| coordinate.xy(p).0 != 2);
        let names: Vec<_> =
            outer.iter().map(|r| (coordinate.vertices(&r.points), coordinate.vertices(&r.border))).collect();
        assert_eq!(names, [("A1 A2".into(), "B1 B2".into()), ("C1 C2".into(), "B1 B2".into())]);
        let all = regions(coordinate, |_| true);
        assert_eq!((all.len(), all[0].points.len(), all[0].border.len()), (1, 6, 0));
    }
}
