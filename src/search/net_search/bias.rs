//! Subtree value bias: the mean error of the net's evaluations after moves of one local pattern, measured by the visits
//! below them.
//!
//! Moves have the same pattern if the same side plays the same point after the same move of the opponent, with the same
//! stones, and the same rens in atari, within two lines around it, and the same banned ko. The mean difference between
//! the utility found below such moves and the net's own corrects, by a share of it, the net's evaluation of each.
//! Source: KataGo's documentation of its search (`KataGoMethods.md`, "Subtree Value Bias Correction").

use std::collections::HashMap;

use crate::kernel::hash::Fnv1a;
use crate::kernel::{Board, Color, Move, Point};

/// Lines around the move that count.
const RADIUS: i16 = 2;

/// Sums over the nodes after moves of one pattern. The difference of a node is, for Black, the mean utility below it less the
/// net's own utility of it; its weight is a power of the weight of the visits below.
#[derive(Clone, Copy, Default)]
struct Entry {
    /// The sum of difference · weight.
    delta: f64,
    /// The sum of the weights.
    weight: f64,
}

/// The weight of an entry up to which its bias is 0: a floor against division by nearly 0. The value is KataGo's.
const MIN_ENTRY_WEIGHT: f64 = 0.001;

/// The share of a node's contribution that is subtracted when the node is freed; the rest is kept as evidence about moves
/// of its pattern (KataGo's `subtreeValueBiasFreeProp`).
const FREED_SHARE: f64 = 0.8;

/// The terms that a node has added to the sums of its entry.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct BiasContribution {
    delta: f64,
    weight: f64,
}

/// The sums of each pattern that a search has met (KataGo's `SubtreeValueBiasTable`).
#[derive(Default)]
pub(super) struct BiasTable {
    /// The index of the entry of each pattern, by its hash.
    entry_by_pattern: HashMap<u64, u32>,
    entries: Vec<Entry>,
}

/// Bytes of an entry: both tables grow by doubling, and the hash table has a byte more for each slot.
const ENTRY_BYTES: usize = 2 * (size_of::<Entry>() + size_of::<(u64, u32)>() + 1);

impl BiasTable {
    /// Bytes in use, estimated.
    pub(super) fn memory(&self) -> usize {
        self.entries.len() * ENTRY_BYTES
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.entry_by_pattern.clear();
        self.entries.clear();
    }

    /// Subtracts [`FREED_SHARE`] of the contribution of a node that is freed.
    pub(super) fn release(&mut self, index: u32, contribution: &BiasContribution) {
        if let Some(entry) = self.entries.get_mut(index as usize) {
            entry.delta -= FREED_SHARE * contribution.delta;
            entry.weight -= FREED_SHARE * contribution.weight;
        }
    }

    /// Removes the entries that no node uses and moves the others up, given the index at each node.
    pub(super) fn retain_used<'n>(&mut self, used: impl Iterator<Item = &'n mut u32>) {
        let mut next: Vec<Option<u32>> = vec![None; self.entries.len()];
        let mut kept = Vec::new();
        for index in used {
            let old = *index as usize;
            if let Some((slot, entry)) = next.get_mut(old).zip(self.entries.get(old)) {
                *index = *slot.get_or_insert_with(|| {
                    kept.push(*entry);
                    kept.len() as u32 - 1
                });
            }
        }
        self.entry_by_pattern.retain(|_, index| {
            let next = next.get(*index as usize).copied().flatten();
            next.inspect(|next| *index = *next).is_some()
        });
        self.entries = kept;
    }

    /// The index of the entry for a play of `color` on `board`, after a move of the opponent; adds an entry for a new
    /// pattern.
    pub(super) fn find_or_add(&mut self, board: &Board, color: Color, last: Move, play: Point) -> u32 {
        let hash = pattern_hash(board, color, last, play);
        let next = self.entries.len() as u32;
        let index = *self.entry_by_pattern.entry(hash).or_insert(next);
        if index == next {
            self.entries.push(Entry::default());
        }
        index
    }

    /// The bias of an entry, for Black: `Σ difference · weight / Σ weight`, or 0 up to [`MIN_ENTRY_WEIGHT`].
    pub(super) fn bias(&self, index: u32) -> f64 {
        let entry = self.entries.get(index as usize).filter(|entry| entry.weight > MIN_ENTRY_WEIGHT);
        entry.map_or(0.0, |entry| entry.delta / entry.weight)
    }

    /// Replaces what a node has added to an entry by `delta`, its difference for Black, with this weight.
    pub(super) fn update(&mut self, index: u32, contribution: &mut BiasContribution, delta: f64, weight: f64) {
        if let Some(entry) = self.entries.get_mut(index as usize) {
            let next = BiasContribution { delta: delta * weight, weight };
            entry.delta += next.delta - contribution.delta;
            entry.weight += next.weight - contribution.weight;
            *contribution = next;
        }
    }
}

/// A hash of the pattern of a move.
fn pattern_hash(board: &Board, color: Color, last: Move, play: Point) -> u64 {
    let coordinate = board.coordinate();
    let last = last.point().map_or(0, |point| point.index() as u64 + 1);
    let ko = board.ko().map_or(0, |ko| ko.point.index() as u64 + 1);
    let start = [color.index() as u64, last, play.index() as u64, ko].into_iter().fold(Fnv1a::default(), Fnv1a::with);
    let (x, y) = coordinate.xy(play);
    let near = |center: u8, offset: i16| u8::try_from(i16::from(center) + offset).ok();
    let cells = (-RADIUS..=RADIUS).flat_map(|dy| (-RADIUS..=RADIUS).map(move |dx| (dx, dy)));
    cells
        .map(|(dx, dy)| {
            let point = near(x, dx).zip(near(y, dy)).and_then(|(x, y)| coordinate.point(x, y));
            point.filter(|&point| coordinate.contains(point)).map_or(7, |point| {
                let stone = board.stone(point);
                stone as u64 | u64::from(stone.color().is_some() && board.is_atari(point)) << 2
            })
        })
        .fold(start, Fnv1a::with)
        .value()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::test_boards::board;

    #[test]
    fn moves_of_one_pattern_share_an_entry() {
        let one = board(&[".......", "..xo...", ".......", ".......", ".......", ".......", "......."]);
        let far = board(&[".......", "..xo...", ".......", ".......", ".......", ".......", ".....x."]);
        let near = board(&[".......", "..xo...", "....x..", ".......", ".......", ".......", "......."]);
        let point = |name: &str| one.coordinate().parse_vertex(name).unwrap();
        let mut table = BiasTable::default();
        let last = Move::Play(point("D2"));
        let entry = table.find_or_add(&one, Color::Black, last, point("D3"));
        assert_eq!(table.find_or_add(&far, Color::Black, last, point("D3")), entry);
        for (board, color, last, play) in [
            (&near, Color::Black, last, "D3"),
            (&one, Color::White, last, "D3"),
            (&one, Color::Black, Move::Pass, "D3"),
            (&one, Color::Black, last, "C3"),
        ] {
            assert_ne!(table.find_or_add(board, color, last, point(play)), entry);
        }
    }

    #[test]
    fn bias_is_the_mean_of_the_contributions() {
        let empty = board(&["...", "...", "..."]);
        let point = empty.coordinate().parse_vertex("B2").unwrap();
        let mut table = BiasTable::default();
        let entry = table.find_or_add(&empty, Color::Black, Move::Pass, point);
        assert_eq!(table.bias(entry), 0.0);
        let (mut one, mut other) = (BiasContribution::default(), BiasContribution::default());
        table.update(entry, &mut one, 0.5, 1.0);
        table.update(entry, &mut other, -0.1, 3.0);
        assert!((table.bias(entry) - 0.05).abs() < 1e-12);
        table.update(entry, &mut one, 0.1, 1.0);
        assert!((table.bias(entry) + 0.05).abs() < 1e-12);
        table.release(entry, &one);
        assert!((table.bias(entry) - (0.02 - 0.3) / 3.2).abs() < 1e-12);
    }

    #[test]
    fn entries_without_nodes_are_removed() {
        let empty = board(&["...", "...", "..."]);
        let mut table = BiasTable::default();
        let [b2, c3] = ["B2", "C3"].map(|name| empty.coordinate().parse_vertex(name).unwrap());
        let mut indices = [b2, c3].map(|point| table.find_or_add(&empty, Color::Black, Move::Pass, point));
        table.update(indices[1], &mut BiasContribution::default(), 0.5, 1.0);
        let before = table.memory();
        table.retain_used(indices[1..].iter_mut());
        assert_eq!((indices[1], table.memory(), table.bias(0)), (0, before / 2, 0.5));
        assert_eq!([c3, b2].map(|point| table.find_or_add(&empty, Color::Black, Move::Pass, point)), [0, 1]);
        assert_eq!(table.bias(1), 0.0, "made anew");
    }
}
