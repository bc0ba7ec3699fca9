//! The Zobrist hash of a board: the exclusive or of one number for each stone (A. Zobrist, 1970).
//!
//! The numbers are computed from colour and point instead of being drawn at random, so that hashes are the same in
//! every run. The hash covers the stones only, neither the ko nor the player to move. Equal boards have equal hashes;
//! code that must not confuse different boards compares the stones as well.

use crate::kernel::board::{Board, Observer};
use crate::kernel::color::Color;
use crate::kernel::coordinate::Point;
use crate::kernel::hash::splitmix64;

/// The number for one stone.
pub(crate) fn stone_hash(color: Color, point: Point) -> u64 {
    splitmix64((point.index() * 2 + color.index()) as u64)
}

/// The hash of the stones of a board.
pub(crate) fn board_hash(board: &Board) -> u64 {
    let points = board.coordinate().points();
    points.filter_map(|point| Some(stone_hash(board.stone(point).color()?, point))).fold(0, |sum, stone| sum ^ stone)
}

/// Observes a move and computes the change of the board's hash: the exclusive or of the numbers of all stones placed or
/// captured.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct HashChange(pub(crate) u64);

impl Observer for HashChange {
    #[inline]
    fn placed(&mut self, color: Color, point: Point) {
        self.0 ^= stone_hash(color, point);
    }

    #[inline]
    fn captured(&mut self, color: Color, point: Point) {
        self.0 ^= stone_hash(color, point);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashSet;

    use super::*;
    use crate::kernel::coordinate::CAPACITY;
    use crate::kernel::test_boards::board;

    #[test]
    fn every_stone_has_a_number_of_its_own() {
        let all = (0..CAPACITY as u16).flat_map(|index| Color::BOTH.map(|color| stone_hash(color, Point::at(index))));
        assert_eq!(all.collect::<HashSet<_>>().len(), 2 * CAPACITY);
    }

    #[test]
    fn a_change_turns_the_hash_before_a_move_into_the_hash_after_it() {
        // a move that captures two rens
        let mut board = board(&[".xo.", "xo..", "ox..", "...."]);
        let before = board_hash(&board);
        let mut change = HashChange::default();
        let point = board.coordinate().parse_vertex("A1").unwrap();
        board.play(Color::White, point, &mut change).unwrap();
        assert_eq!(board_hash(&board), before ^ change.0);
        assert_ne!(change.0, stone_hash(Color::White, point));
    }
}
