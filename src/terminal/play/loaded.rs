//! A game that was loaded from a record and goes on: the record is kept, and the moves made here are added to it.

use crate::kernel::{Color, Move, Position, RecordItem};
use crate::sgf::{GameTree, NodeId};

/// A record, and the game at the end of its main line.
pub(super) struct LoadedGame {
    tree: GameTree,
    /// The number of moves of its main line that were played.
    played: usize,
}

impl LoadedGame {
    /// A record whose main line was played up to `end`, the last move or the one before an illegal move.
    pub(super) fn new(tree: GameTree, end: &Position) -> LoadedGame {
        LoadedGame { tree, played: end.record().len() }
    }

    /// The record, with the moves of `position` as its main line if there are new ones, or if moves were taken back. Then, or
    /// with an `end` of the game here, `RE` becomes `result`; every other property stays. Moves of the record after the
    /// position become a variation, beside the new moves or an empty node, where the main line ends, with the result as its
    /// comment.
    pub(super) fn continued(&self, position: &Position, result: Option<&str>, has_end: bool) -> GameTree {
        let mut tree = self.tree.clone();
        let line = tree.main_line();
        // irregular files have several moves in a node
        let moves: Vec<(NodeId, (Color, Move))> =
            line.iter().flat_map(|&id| tree.moves(id).map(move |played| (id, played))).collect();
        let items = position.record().items();
        let is_same =
            |&(&(_, played), item): &(&(NodeId, (Color, Move)), &RecordItem)| played == (item.color, item.play);
        let mut common = moves.iter().zip(items).take_while(is_same).count();
        // a node of which some moves were taken back has no place for others: they are repeated in a variation
        let node_of = |number: usize| moves.get(number).map(|&(id, _)| id);
        while common > 0 && node_of(common - 1) == node_of(common) {
            common -= 1;
        }
        let new = items.get(common..).unwrap_or_default();
        let is_shorter = items.len() < self.played;
        if new.is_empty() && !has_end && !is_shorter {
            return tree;
        }
        let before = node_of(common).and_then(|next| tree.parent(next));
        let mut node = before.or(line.last().copied()).unwrap_or(tree.root());
        for item in new {
            let Some(child) = tree.add_child(node, item.color, item.play) else { break };
            node = child;
        }
        if (has_end || is_shorter)
            && !tree.children(node).is_empty()
            && let Some(end) = tree.add_empty_child(node)
        {
            if let Some(result) = result {
                tree.set_text(end, "C", result);
            }
            node = end;
        }
        tree.promote(node);
        tree.set_text(tree.root(), "RE", result.unwrap_or_default());
        tree
    }
}
