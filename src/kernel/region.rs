//! Connected parts of a board, with what surrounds them.

use crate::kernel::check_board::PointSet;
use crate::kernel::coordinate::{Coordinate, Point};

/// Points that hang together, up and down, left and right.
#[derive(Clone, Debug)]
pub struct Region {
    /// The points, nearest to the first one first.
    pub points: Vec<Point>,
    /// The points of the board beside them that are not among them, each once; the frame is left out.
    pub border: Vec<Point>,
}

/// The parts into which the points for which `inside` holds fall, in the order of their first points, row by row.
pub fn regions(coordinate: Coordinate, inside: impl Fn(Point) -> bool) -> Vec<Region> {
    let mut seen = PointSet::new();
    let mut found = Vec::new();
    for start in coordinate.points() {
        if inside(start) && seen.insert(start) {
            found.push(fill(coordinate, start, &inside, &mut seen));
        }
    }
    found
}

fn fill(coordinate: Coordinate, start: Point, inside: impl Fn(Point) -> bool, seen: &mut PointSet) -> Region {
    let mut region = Region { points: vec![start], border: Vec::new() };
    let mut noted = PointSet::new();
    let mut next = 0;
    while let Some(&here) = region.points.get(next) {
        next += 1;
        for neighbor in coordinate.neighbors(here).into_iter().filter(|&p| coordinate.contains(p)) {
            if !inside(neighbor) {
                if noted.insert(neighbor) {
                    region.border.push(neighbor);
                }
            } else if seen.insert(neighbor) {
                region.points.push(neighbor);
            }
        }
    }
    region
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn two_columns_and_the_one_between() {
        let coordinate = Coordinate::new(3, 2).unwrap();
        let outer = regions(coordinate, |p| coordinate.xy(p).0 != 2);
        let names: Vec<_> =
            outer.iter().map(|r| (coordinate.vertices(&r.points), coordinate.vertices(&r.border))).collect();
        assert_eq!(names, [("A1 A2".into(), "B1 B2".into()), ("C1 C2".into(), "B1 B2".into())]);
        let all = regions(coordinate, |_| true);
        assert_eq!((all.len(), all[0].points.len(), all[0].border.len()), (1, 6, 0));
    }
}
