//! The eight symmetries of a board.

/// One of the eight rotations and reflections of the board. On a board that is not square, the four that would swap the
/// axes act as the other four.
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

    /// The source column and row of a column and row, all from 0.
    pub(super) fn source(self, x: usize, y: usize, width: usize, height: usize) -> (usize, usize) {
        let (x, y) = if self.0 & 4 != 0 && width == height { (y, x) } else { (x, y) };
        (if self.0 & 1 != 0 { width - 1 - x } else { x }, if self.0 & 2 != 0 { height - 1 - y } else { y })
    }
}
