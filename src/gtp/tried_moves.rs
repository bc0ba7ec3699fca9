//! The moves of the game that `trymove` tried, so that `popgo` takes back these only.
//!
//! A tried move is a move of the game until it is taken back. It is known by the number of moves with it: `undo` forgets
//! those that it takes back, and a new game all. Other commands need not know of them: `popgo` compares numbers of
//! moves, and takes back only the last move.

use crate::kernel::Position;

/// The moves that were tried and not taken back, oldest first: the number of moves after each.
#[derive(Clone, Default, Debug)]
pub(crate) struct TriedMoves(Vec<usize>);

impl TriedMoves {
    /// Remembers the last move of a position as tried.
    pub(crate) fn push(&mut self, position: &Position) {
        self.0.push(position.record().len());
    }

    /// Forgets the last move of a position as tried; `false` if it was not.
    pub(crate) fn pop(&mut self, position: &Position) -> bool {
        let last = position.record().len();
        self.0.pop_if(|tried| *tried == last).is_some()
    }

    /// Forgets the moves that are no longer in the record of a position, because they were taken back.
    pub(crate) fn forget_undone(&mut self, position: &Position) {
        let length = position.record().len();
        self.0.retain(|tried| *tried <= length);
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
