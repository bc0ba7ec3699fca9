//! The root of a search by playouts: the board from which its simulations start, and the reuse of an earlier search's tree.

use crate::kernel::{Board, Color, KoRule, Point};
use crate::net::Komi;
use crate::net::history::HISTORY_MOVES;
use crate::search::playout_search::tree::Tree;
use crate::search::request::SearchRequest;
use crate::search::root::RootKey;

/// Makes the tree fit a request, whose root has the key `new`: keeps the subtree of the moves played since the search of
/// `old`, or clears it.
///
/// Excluding root moves biases parent values, so a restricted search gets a tree of its own.
pub(super) fn reuse_tree(tree: &mut Tree, old: Option<RootKey>, new: &RootKey, request: &SearchRequest<'_>) {
    match old.filter(|old| old.allows_tree_reuse_by(new)) {
        Some(old) => {
            let mut to_move = old.to_move;
            for item in old.moves_since(request.position) {
                let children = tree.children(tree.root());
                let index = children.iter().position(|child| child.play() == Some(item.play));
                match index.filter(|_| item.color == to_move) {
                    Some(index) => tree.advance(index),
                    None => tree.clear(),
                }
                to_move = item.color.opponent();
            }
            if to_move != request.color {
                tree.clear();
            }
            if old.moves_since(request.position).next().is_some() {
                tree.compact();
            }
        }
        None => tree.clear(),
    }
}

/// The state from which every simulation starts.
pub(super) struct RootState {
    pub(super) board: Board,
    /// The last moves, the latest first; `None` is a pass.
    pub(super) last_moves: Vec<Option<Point>>,
    /// Whether the last move was a pass that counts for the end of the game: one that took the button does not.
    pub(super) last_move_is_pass: bool,
    /// Hash of the stones.
    pub(super) hash: u64,
    /// Earlier boards by hash, with the side to move, that superko forbids to repeat; empty under simple ko.
    pub(super) superko_hashes: Vec<(u64, Color)>,
    /// Whether the next pass takes the button.
    pub(super) is_button_open: bool,
    /// Komi as a net reads it.
    pub(super) komi: Komi,
    /// Points added to Black's area margin to get Black's lead: minus komi, handicap bonus and virtual komi; plus half
    /// a point if Black has taken the button, minus half a point if White has. Under territory scoring also minus
    /// [`Komi::black_minus_white_stones`], which turns area into territory.
    pub(super) margin_to_lead: f32,
}

impl RootState {
    pub(super) fn new(request: &SearchRequest<'_>) -> RootState {
        let position = request.position;
        let komi = Komi::of_position(position);
        let margin_to_lead = -komi.compensation - komi.black_minus_white_stones - request.extra_komi;
        let mut board = position.board().clone();
        if position.banned_ko().is_none() {
            board.lift_ko();
        }
        RootState {
            board,
            last_moves: position.record().latest().take(HISTORY_MOVES).collect(),
            last_move_is_pass: position.ending_passes() > 0,
            is_button_open: position.is_button_open(),
            hash: position.hash(),
            superko_hashes: match position.rule().ko {
                KoRule::Simple => Vec::new(),
                _ => position.superko_history().collect(),
            },
            komi,
            margin_to_lead: margin_to_lead as f32,
        }
    }

    /// The points of the last two moves, the latest first.
    pub(super) fn last_two_points(&self) -> [Option<Point>; 2] {
        [0, 1].map(|index| self.last_moves.get(index).copied().flatten())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, Position, Scoring};
    use crate::net::history::BoardHistory;
    use crate::search::limits::Limits;
    use crate::search::params::Params;
    use crate::search::stop_signal::StopSignal;

    /// Both searches give a net the same komi, under territory scoring with the stones that were played and captured.
    #[test]
    fn komi_is_that_of_a_search_by_net() {
        let mut rng = fastrand::Rng::with_seed(3);
        for rules in ["japanese", "chinese", "aga-button"] {
            let rule = GameRule::with_komi(6.5).with_rule_set(rules).unwrap();
            let mut position = Position::new(Coordinate::square(5).unwrap(), rule, 0, Color::Black);
            for number in 0..60 {
                let color = position.to_move();
                let empty = position.board().empty_points().to_vec();
                match empty.get(rng.usize(..empty.len().max(1))) {
                    Some(&point) if number % 9 != 8 && position.play(color, point).is_ok() => {}
                    _ => position.pass(color),
                }
                let (params, stop_signal) = (Params::default(), StopSignal::default());
                let request = SearchRequest::new(&position, position.to_move(), Limits::NONE, &params, &stop_signal);
                let root = RootState::new(&request);
                assert_eq!(
                    root.komi,
                    BoardHistory::new(&position, position.to_move()).komi(),
                    "{rules}, move {number}"
                );
                assert_eq!(root.komi.scoring == Scoring::Territory, rules == "japanese");
            }
            assert!(Color::BOTH.into_iter().all(|color| position.prisoners(color) > 0), "{rules}");
        }
    }
}
