//! The eight symmetries of a board.

use crate::kernel::coordinate::{Coordinate, Point};

/// Bits of a symmetry: it reverses the columns, reverses the rows, and swaps the axes.
const COLUMNS: u8 = 1;
const ROWS: u8 = 2;
const AXES: u8 = 4;

/// One of the eight rotations and reflections of the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Symmetry(u8);

impl Symmetry {
    /// All eight; the first is the identity.
    pub fn all() -> impl Iterator<Item = Symmetry> {
        (0..8).map(Symmetry)
    }

    /// The symmetry of an index modulo 8; 0 is the identity.
    pub const fn from_index(index: u64) -> Symmetry {
        Symmetry((index % 8) as u8)
    }

    /// Whether columns become rows, so that a board that is not square gets another shape.
    pub(crate) const fn swaps_axes(self) -> bool {
        self.0 & AXES != 0
    }

    /// For each cell of a transformed grid, row by row, the index of its source. The grid keeps its shape: on one that is
    /// not square, the four symmetries that would swap the axes act as the other four.
    pub(crate) fn sources(self, width: usize, height: usize) -> impl Iterator<Item = usize> {
        let symmetry = if width == height { self } else { Symmetry(self.0 & !AXES) };
        (0..width * height).map(move |index| {
            let (x, y) = symmetry.source(index % width, index / width, width, height);
            y * width + x
        })
    }

    /// The points of a board row by row as they lie after the transformation, which may give it another shape.
    pub(crate) fn points(self, coordinate: Coordinate) -> impl Iterator<Item = Point> {
        let (width, height) = (coordinate.width(), coordinate.height());
        let (columns, rows) = if self.swaps_axes() { (height, width) } else { (width, height) };
        let cells = (0..rows).flat_map(move |y| (0..columns).map(move |x| (x, y)));
        cells.filter_map(move |(x, y)| {
            let (x, y) = self.source(x.into(), y.into(), width.into(), height.into());
            coordinate.point(x as u8 + 1, y as u8 + 1)
        })
    }

    /// By cell index, where the transformation takes each point; a cell of the frame stays. `None` for a symmetry that would
    /// give the board another shape.
    pub(crate) fn images(self, coordinate: Coordinate) -> Option<Vec<Point>> {
        if self.swaps_axes() && coordinate.width() != coordinate.height() {
            return None;
        }
        let mut images: Vec<Point> = (0..coordinate.memory_area() as u16).map(Point::at).collect();
        for (image, source) in Symmetry::default().points(coordinate).zip(self.points(coordinate)) {
            if let Some(slot) = images.get_mut(source.index()) {
                *slot = image;
            }
        }
        Some(images)
    }

    /// The column and row, from 0, of a grid of this width and height that come to a column and row.
    fn source(self, x: usize, y: usize, width: usize, height: usize) -> (usize, usize) {
        let (x, y) = if self.swaps_axes() { (y, x) } else { (x, y) };
        let x = if self.0 & COLUMNS != 0 { width - 1 - x } else { x };
        (x, if self.0 & ROWS != 0 { height - 1 - y } else { y })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn points_of_every_symmetry() {
        let coordinate = Coordinate::new(3, 2).unwrap();
        let names = |symmetry: Symmetry| coordinate.vertices(&symmetry.points(coordinate).collect::<Vec<_>>());
        let all: Vec<String> = Symmetry::all().map(names).collect();
        let kept = ["A1 B1 C1 A2 B2 C2", "C1 B1 A1 C2 B2 A2", "A2 B2 C2 A1 B1 C1", "C2 B2 A2 C1 B1 A1"];
        let swapped = ["A1 A2 B1 B2 C1 C2", "C1 C2 B1 B2 A1 A2", "A2 A1 B2 B1 C2 C1", "C2 C1 B2 B1 A2 A1"];
        assert_eq!(all, [kept, swapped].concat());
    }

    /// An image is where a point is found again in the transformed order.
    #[test]
    fn images_are_inverse_to_points() {
        for (width, height) in [(4, 4), (3, 5)] {
            let coordinate = Coordinate::new(width, height).unwrap();
            let points: Vec<Point> = coordinate.points().collect();
            for symmetry in Symmetry::all() {
                let Some(images) = symmetry.images(coordinate) else {
                    assert!(width != height && symmetry.swaps_axes());
                    continue;
                };
                let back: Vec<Point> = symmetry.points(coordinate).map(|source| images[source.index()]).collect();
                assert_eq!(back, points, "{symmetry:?} {coordinate}");
            }
        }
    }

    /// In the order of points row by row, the sources are the points; a grid that is not square keeps its shape.
    #[test]
    fn sources_are_points_where_the_shape_stays() {
        for (width, height) in [(4, 4), (3, 5)] {
            let coordinate = Coordinate::new(width, height).unwrap();
            let points: Vec<Point> = coordinate.points().collect();
            for symmetry in Symmetry::all() {
                let is_kept = width == height || !symmetry.swaps_axes();
                let like = if is_kept { symmetry } else { Symmetry(symmetry.0 & !AXES) };
                let sources = symmetry.sources(width.into(), height.into()).map(|index| points[index]);
                assert!(sources.eq(like.points(coordinate)), "{symmetry:?} {coordinate}");
            }
        }
    }
}
