//! Input planes of 0 and 1 over the points of a board, and how they are written to the memory of a net.

use crate::kernel::{Coordinate, Point, PointSet, Symmetry};
use crate::net::board_layout::BoardLayout;

/// Up to 32 planes, as bits of each point.
///
/// Points are indexed from the highest rank down, each rank west to east.
#[derive(Clone, PartialEq, Debug)]
pub struct PointPlanes {
    coordinate: Coordinate,
    bits: Vec<u32>,
}

impl PointPlanes {
    /// The same planes at every point: bit `k` is plane `k`.
    pub(super) fn new(coordinate: Coordinate, planes: u32) -> PointPlanes {
        PointPlanes { coordinate, bits: vec![planes; coordinate.board_area()] }
    }

    /// Sets planes at a point.
    pub(super) fn add(&mut self, point: Point, planes: u32) {
        if let Some(bits) = self.index(point).and_then(|index| self.bits.get_mut(index)) {
            *bits |= planes;
        }
    }

    /// Sets planes at each of some points.
    pub(super) fn add_all(&mut self, points: &PointSet, planes: u32) {
        points.iter().for_each(|point| self.add(point, planes));
    }

    /// For each point, its planes as bits: bit `k` is plane `k`.
    pub fn bits(&self) -> &[u32] {
        &self.bits
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        usize::from(self.coordinate.width())
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        usize::from(self.coordinate.height())
    }

    /// The index of a point in [`PointPlanes::bits`]; `None` for a cell of the frame.
    pub fn index(&self, point: Point) -> Option<usize> {
        self.coordinate.index_from_highest_rank(point)
    }

    /// The point at an index; `None` if there is none, as for the index of the pass.
    pub fn point(&self, index: usize) -> Option<Point> {
        let (x, row) = (index % self.width() + 1, index / self.width());
        let point = self.coordinate.point(x as u8, self.height().checked_sub(row)? as u8)?;
        self.coordinate.contains(point).then_some(point)
    }

    /// For each point of the transformed board, the index of its source point.
    pub fn sources(&self, symmetry: Symmetry) -> impl Iterator<Item = usize> {
        symmetry.sources(self.width(), self.height())
    }

    /// The memory layout of the board.
    pub(super) fn layout(&self) -> BoardLayout {
        BoardLayout { width: self.width(), height: self.height() }
    }

    /// Writes the points, transformed, to the cells of a board in the memory layout: `planes` numbers, 0 or 1, and
    /// zeros up to the `row` numbers of a cell. The frame stays as it is.
    pub(super) fn write(&self, symmetry: Symmetry, planes: usize, row: usize, board: &mut [f32]) {
        for (cell, source) in self.layout().rows().flatten().zip(self.sources(symmetry)) {
            let bits = self.bits.get(source).copied().unwrap_or_default();
            let cell = board.get_mut(cell * row..(cell + 1) * row).unwrap_or_default();
            cell.fill(0.0);
            cell.iter_mut().take(planes).enumerate().for_each(|(plane, to)| *to = (bits >> plane & 1) as f32);
        }
    }
}
