//! The hashes of earlier positions, by which repetitions are recognized.
//!
//! Different boards are taken to have different hashes, unlike in the kernel, which compares the stones as well: a
//! coincidence, were it ever to happen, would withhold a legal move from a search.

use std::sync::Arc;

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
