//! Owners of points at the end of playouts, for all playouts and for those of each first move.
//!
//! One writer adds; others may read at any time, and see a playout in some counters and not yet in others.

use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use crate::search::details::Ownership;

/// Sums over playouts: a row for each first move by its cell, and one for all playouts.
pub(super) struct OwnershipStats {
    cells: usize,
    /// Playouts of each row.
    counts: Vec<AtomicI32>,
    /// By row and cell: playouts in which the cell was Black's minus those in which it was White's.
    sums: Vec<AtomicI32>,
    /// By row and cell: playouts in which the cell had an owner.
    owned: Vec<AtomicI32>,
}

impl OwnershipStats {
    /// Zero sums for a board of this number of cells.
    pub(super) fn new(cells: usize) -> OwnershipStats {
        let zeros = |count: usize| std::iter::repeat_with(AtomicI32::default).take(count).collect();
        let rows = cells + 1;
        OwnershipStats { cells, counts: zeros(rows), sums: zeros(rows * cells), owned: zeros(rows * cells) }
    }

    /// Adds a playout: the owner of each cell, 1 for Black and -1 for White, and the cell of its first move.
    pub(super) fn add(&self, owners: &[i8], first: Option<usize>) {
        for row in first.into_iter().chain([self.cells]) {
            self.counts.get(row).into_iter().for_each(|count| add(count, 1));
            for ((sum, owned), &owner) in self.row(&self.sums, row).iter().zip(self.row(&self.owned, row)).zip(owners) {
                if owner != 0 {
                    add(sum, i32::from(owner));
                    add(owned, 1);
                }
            }
        }
    }

    /// Adds the sums of another thread, which has ended.
    pub(super) fn add_all(&mut self, other: &OwnershipStats) {
        let lists = [(&mut self.counts, &other.counts), (&mut self.sums, &other.sums), (&mut self.owned, &other.owned)];
        for (sums, others) in lists {
            for (sum, other) in sums.iter_mut().zip(others) {
                let sum = sum.get_mut();
                *sum = sum.wrapping_add(other.load(Relaxed));
            }
        }
    }

    /// Mean and deviation over several threads' playouts that began with a move on this cell, or over all playouts;
    /// `None` without playouts.
    pub(super) fn ownership<'a>(
        parts: impl Iterator<Item = &'a OwnershipStats>,
        first: Option<usize>,
    ) -> Option<Ownership> {
        let (mut count, mut sums, mut owned) = (0, Vec::new(), Vec::new());
        for part in parts {
            let row = first.unwrap_or(part.cells);
            count += part.counts.get(row)?.load(Relaxed);
            for (totals, list) in [(&mut sums, &part.sums), (&mut owned, &part.owned)] {
                totals.resize(part.cells, 0);
                for (total, number) in totals.iter_mut().zip(part.row(list, row)) {
                    *total += number.load(Relaxed);
                }
            }
        }
        let share = |sum: i32| sum as f32 / count as f32;
        (count > 0).then(|| {
            let mean: Vec<f32> = sums.iter().map(|&sum| share(sum).clamp(-1.0, 1.0)).collect();
            let spread = |(&owned, mean): (&i32, &f32)| (share(owned).min(1.0) - mean * mean).max(0.0).sqrt();
            Ownership { stdev: owned.iter().zip(&mean).map(spread).collect(), mean }
        })
    }

    fn row<'a>(&self, list: &'a [AtomicI32], row: usize) -> &'a [AtomicI32] {
        list.get(row * self.cells..(row + 1) * self.cells).unwrap_or_default()
    }
}

/// Adds to a counter that has one writer.
pub(super) fn add(sum: &AtomicI32, value: i32) {
    sum.store(sum.load(Relaxed).wrapping_add(value), Relaxed);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn owners_are_kept_for_each_first_move() {
        let (a, b) = (OwnershipStats::new(3), OwnershipStats::new(3));
        a.add(&[1, -1, 0], Some(0));
        a.add(&[1, 1, 0], Some(0));
        b.add(&[-1, 1, 1], Some(2));
        b.add(&[1, 1, 0], None);
        let of = |first| OwnershipStats::ownership([&a, &b].into_iter(), first);
        assert_eq!(of(Some(0)).unwrap(), Ownership { mean: vec![1.0, 0.0, 0.0], stdev: vec![0.0, 1.0, 0.0] });
        assert_eq!(of(Some(1)), None);
        let all = of(None).unwrap();
        assert_eq!(all.mean, [0.5, 0.5, 0.25]);
        // 1 - 0.5², and a quarter of the playouts own the last point
        let expected = [0.75f32, 0.75, 0.25 - 0.0625].map(f32::sqrt);
        assert!(all.stdev.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6));
        let mut sum = OwnershipStats::new(3);
        [&a, &b].into_iter().for_each(|part| sum.add_all(part));
        assert_eq!(OwnershipStats::ownership([&sum].into_iter(), None).unwrap(), all);
    }
}
