//! Hashes of positions, by which repetitions are recognized.
//!
//! The hash of a board is the exclusive or of a number for each stone (A. Zobrist, 1970). Different boards are taken to
//! have different hashes, unlike in the kernel, which compares the stones as well: a coincidence, were it ever to
//! happen, would withhold a legal move from a search.

use std::sync::Arc;

use crate::kernel::hash::splitmix64;
use crate::kernel::{Board, Color, Observer, Point};

/// The hashes of earlier positions.
#[derive(Clone, Default)]
pub(super) struct HashHistory {
    /// Those of the position that the game was made from, ascending.
    root: Arc<[u64]>,
    /// Those since.
    pub(super) recent: Vec<u64>,
}

impl HashHistory {
    /// Number of times that a hash is among them.
    pub(super) fn count(&self, hash: u64) -> usize {
        let first = self.root.partition_point(|&other| other < hash);
        let in_root = self.root.iter().skip(first).take_while(|&&other| other == hash).count();
        in_root + self.recent.iter().filter(|&&other| other == hash).count()
    }

    /// Makes all hashes those of the root, which clones share.
    pub(super) fn freeze(&mut self) {
        let mut hashes: Vec<u64> = self.root.iter().copied().chain(self.recent.drain(..)).collect();
        hashes.sort_unstable();
        self.root = hashes.into();
    }
}

/// Observes a move and computes the change of the hash of the stones.
#[derive(Default)]
pub(super) struct HashChange(pub(super) u64);

impl Observer for HashChange {
    fn placed(&mut self, color: Color, point: Point) {
        self.0 ^= stone_hash(color, point);
    }

    fn captured(&mut self, color: Color, point: Point) {
        self.0 ^= stone_hash(color, point);
    }
}

/// The number of a stone in the hash of a board (Zobrist hashing).
pub(super) fn stone_hash(color: Color, point: Point) -> u64 {
    splitmix64(16 + 2 * point.index() as u64 + color.index() as u64)
}

/// The hash of the stones of a board.
pub(super) fn stones_hash(board: &Board) -> u64 {
    let points = board.coordinate().points();
    points.filter_map(|point| Some(stone_hash(board.stone(point).color()?, point))).fold(0, |sum, stone| sum ^ stone)
}
