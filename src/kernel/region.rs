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
    let mut seen = PointSet::new();
    let mut found = Vec::new();
    for start in coordinate.points() {
        if inside(start) && seen.insert(start) {
            found.push(fill(coordinate, start, &inside, &mut seen));
        }
    }
    found
}

/// The region of `start`. `seen` has it already, and gets the other points of the region.
pub(crate) fn fill(
    coordinate: Coordinate,
    start: Point,
    inside: impl Fn(Point) -> bool,
    seen: &mut PointSet,
) -> Region {
    let mut region = Region { points: vec![start], border: Vec::new() };
    let mut border = PointSet::new();
    let mut next = 0;
    while let Some(&here) = region.points.get(next) {
        next += 1;
        for neighbor in coordinate.neighbors(here).into_iter().filter(|&p| coordinate.contains(p)) {
            if !inside(neighbor) {
                if border.insert(neighbor) {
                    region.border.push(neighbor);
                }
            } else if seen.insert(neighbor) {
                region.points.push(neighbor);
            }
        }
    }
    region
}

/// The points of `left` that are connected with `start`, in breadth-first order, without their border; removes them from
/// `left`. Faster than [`fill`] where the border is not asked for.
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
