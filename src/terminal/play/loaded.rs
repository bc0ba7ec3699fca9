//! A game that was loaded from a record and goes on: the record is kept, and the moves made here are added to it.

use crate::kernel::{Position, RecordItem};
use crate::sgf::{GameTree, NodeId};

/// A record, and the game at the end of its main line.
pub(super) struct LoadedGame {
    tree: GameTree,
    /// Moves of the game at that end, as its history has them: a set-up begins a new history.
    moves: usize,
}

impl LoadedGame {
    /// The record whose main line ends in `position`.
    pub(super) fn new(tree: GameTree, position: &Position) -> LoadedGame {
        LoadedGame { tree, moves: position.record().len() }
    }

    /// The record, with the moves of `position` as its main line if there are new ones. With those, or an `end` of the game
    /// here, `RE` becomes `result`; every other property stays.
    pub(super) fn continued(&self, position: &Position, result: Option<&str>, has_end: bool) -> GameTree {
        let mut tree = self.tree.clone();
        let line = tree.main_line();
        let moves: Vec<NodeId> = line.iter().filter(|&&id| tree.move_of(id).is_some()).copied().collect();
        let replayed = moves.get(moves.len().saturating_sub(self.moves)..).unwrap_or_default();
        let items = position.record().items();
        let is_same = |id: NodeId, item: &RecordItem| tree.move_of(id) == Some((item.color, item.play));
        let common = replayed.iter().zip(items).take_while(|&(&id, item)| is_same(id, item)).count();
        let new = items.get(common..).unwrap_or_default();
        if new.is_empty() && !has_end {
            return tree;
        }
        let before = replayed.get(common).and_then(|&next| tree.parent(next));
        let mut node = before.or(line.last().copied()).unwrap_or(tree.root());
        for item in new {
            let Some(child) = tree.add_child(node, item.color, item.play) else { break };
            node = child;
        }
        tree.promote(node);
        tree.set_text(tree.root(), "RE", result.unwrap_or_default());
        tree
    }
}
