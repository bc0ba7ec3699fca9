//! Keys of positions: 64-bit numbers by which repetitions are recognized.
//!
//! The key of a board is the exclusive or of a number for each stone (A. Zobrist, 1970). Different boards are taken to
//! have different keys, unlike in the kernel, which compares the stones as well: a coincidence, were it ever to happen,
//! would withhold a legal move from a search.

use std::sync::Arc;

use crate::kernel::hash::GOLDEN_GAMMA;
use crate::kernel::{Board, Color, Observer, Point};

/// The keys of earlier positions.
#[derive(Clone, Default)]
pub(super) struct HashHistory {
    /// Those of the position that the game was made from, ascending.
    root: Arc<[u64]>,
    /// Those since.
    pub(super) recent: Vec<u64>,
}

impl HashHistory {
    /// How often a key is among them.
    pub(super) fn count(&self, key: u64) -> usize {
        let first = self.root.partition_point(|&other| other < key);
        let in_root = self.root.iter().skip(first).take_while(|&&other| other == key).count();
        in_root + self.recent.iter().filter(|&&other| other == key).count()
    }

    /// Makes all keys those of the root, which clones share.
    pub(super) fn freeze(&mut self) {
        let mut keys: Vec<u64> = self.root.iter().copied().chain(self.recent.drain(..)).collect();
        keys.sort_unstable();
        self.root = keys.into();
    }
}

/// Observes a move and computes the change of the key of the stones.
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

/// The output function of the generator SplitMix64 (Steele, Lea and Flood, 2014), for the state `word` steps after 0.
pub(super) fn mixed(word: u64) -> u64 {
    let z = word.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The number of a stone in the key of a board (Zobrist hashing).
pub(super) fn stone_hash(color: Color, point: Point) -> u64 {
    mixed(16 + 2 * point.index() as u64 + color.index() as u64)
}

/// The key of the stones of a board.
pub(super) fn stones_hash(board: &Board) -> u64 {
    let points = board.coordinate().points();
    points.filter_map(|point| Some(stone_hash(board.stone(point).color()?, point))).fold(0, |sum, key| sum ^ key)
}
