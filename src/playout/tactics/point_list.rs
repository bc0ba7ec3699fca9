//! A list of points on the stack.

use crate::kernel::Point;

/// A list of up to `N` points; points beyond that are dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointList<const N: usize> {
    points: [Point; N],
    len: usize,
}

impl<const N: usize> PointList<N> {
    /// An empty list.
    #[inline]
    pub(crate) fn new() -> PointList<N> {
        PointList { points: [Point::default(); N], len: 0 }
    }

    /// Adds a point unless it is in the list or the list is full; returns whether it was added.
    #[inline]
    pub(crate) fn insert(&mut self, point: Point) -> bool {
        !self.contains(point) && self.push(point)
    }

    /// Adds a point known to be new unless the list is full; returns whether it was added.
    #[inline]
    pub(crate) fn push(&mut self, point: Point) -> bool {
        match self.points.get_mut(self.len) {
            Some(slot) => {
                *slot = point;
                self.len += 1;
                true
            }
            None => false,
        }
    }

    /// Whether the point is in the list.
    #[inline]
    pub(crate) fn contains(&self, point: Point) -> bool {
        self.as_slice().contains(&point)
    }

    /// The points in insertion order.
    #[inline]
    pub(crate) fn as_slice(&self) -> &[Point] {
        self.points.get(..self.len).unwrap_or_default()
    }
}
