//! The root of a search: its board as playouts start from it, and the reuse of an earlier search's tree.

use crate::kernel::hash::FNV_PRIME;
use crate::kernel::{Board, Color, GameRule, KoRule, Point, Position, RecordItem, Scoring, button_points};
use crate::net::Komi;
use crate::net::small::features;
use crate::search::params::Params;
use crate::search::request::SearchRequest;
use crate::search::restrictions::Restrictions;
use crate::search::tree::Tree;

/// Everything that the values of a tree depend on.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RootKey {
    /// [`history_hashes`] of the root position.
    history_hashes: Vec<u64>,
    to_move: Color,
    rule: GameRule,
    params: Params,
    /// Whether there is virtual komi. Its size may change from move to move within a tree.
    has_extra_komi: bool,
    restrictions: Restrictions,
    has_net: bool,
}

impl RootKey {
    pub(super) fn new(request: &SearchRequest<'_>) -> RootKey {
        RootKey {
            history_hashes: history_hashes(request.position),
            to_move: request.color,
            rule: *request.position.rule(),
            params: *request.params,
            has_extra_komi: request.extra_komi != 0.0,
            restrictions: request.restrictions.cloned().unwrap_or_default(),
            has_net: request.net.is_some(),
        }
    }

    /// Whether a tree with this root can serve a search of `next`: the same game continued, with the same settings. A
    /// tree for which a player was taken to be stronger serves that player only. A restricted tree serves the same root
    /// only, because restrictions end at a depth below the root.
    pub(super) fn can_serve(&self, next: &RootKey) -> bool {
        let depth = next.history_hashes.len().checked_sub(self.history_hashes.len());
        next.history_hashes.starts_with(&self.history_hashes)
            && (self.rule, self.params, self.has_extra_komi, self.has_net)
                == (next.rule, next.params, next.has_extra_komi, next.has_net)
            && self.restrictions == next.restrictions
            && (self.params.playout_doubling_advantage == 0.0 || self.to_move == next.to_move)
            && (depth == Some(0) || next.restrictions.is_empty())
    }

    /// The moves of a game that continues this one, from this position on.
    pub(super) fn moves_since<'p>(&self, position: &'p Position) -> impl Iterator<Item = &'p RecordItem> + use<'p> {
        position.record().items().iter().skip(self.history_hashes.len() - 1)
    }
}

/// Makes the tree fit a request, whose root has the key `new`: keeps the subtree of the moves played since the search of
/// `old`, or clears it.
///
/// Excluding root moves biases parent values, so a restricted search gets a tree of its own.
pub(super) fn reuse_tree(tree: &mut Tree, old: Option<RootKey>, new: &RootKey, request: &SearchRequest<'_>) {
    match old.filter(|old| old.can_serve(new)) {
        Some(old) => {
            let mut to_move = old.to_move;
            for item in old.moves_since(request.position) {
                let children = tree.children(tree.root());
                let number = children.iter().position(|child| child.play() == Some(item.play));
                match number.filter(|_| item.color == to_move) {
                    Some(number) => tree.advance(number),
                    None => tree.clear(),
                }
                to_move = item.color.opponent();
            }
            if to_move != request.color {
                tree.clear();
            }
            if new.history_hashes.len() > old.history_hashes.len() {
                tree.compact();
            }
        }
        None => tree.clear(),
    }
}

/// A hash of every position of the game, the first to the current one, each over all positions up to it: one game
/// continues another exactly if its list starts with the other's.
pub(crate) fn history_hashes(position: &Position) -> Vec<u64> {
    let board = position.board();
    let size = (board.coordinate().width(), board.coordinate().height());
    let mut hash = u64::from(size.0) << 32 | u64::from(size.1) << 24 | (position.handicap() as u64);
    let now = (position.hash(), position.to_move());
    let mut hashes: Vec<u64> = Vec::with_capacity(position.record().len() + 1);
    for (stones, to_move) in position.history().chain([now]) {
        hash = (hash ^ stones).wrapping_mul(FNV_PRIME).rotate_left(23) ^ to_move.index() as u64;
        hashes.push(hash);
    }
    hashes
}

/// A hash of a position and all positions before it in its game.
pub fn fingerprint(position: &Position) -> u64 {
    history_hashes(position).last().copied().unwrap_or_default()
}

/// The state from which every simulation starts.
pub(super) struct RootState {
    pub(super) board: Board,
    /// The last moves, the latest first; `None` is a pass.
    pub(super) latest: Vec<Option<Point>>,
    /// 1 if the last move was a pass that counts for the end of the game, else 0.
    pub(super) passes: usize,
    /// Hash of the stones.
    pub(super) hash: u64,
    /// Earlier boards by hash, with the side to move, that superko forbids to repeat; empty under simple ko.
    pub(super) forbidden: Vec<(u64, Color)>,
    /// Whether the next pass takes the button.
    pub(super) is_button_open: bool,
    /// Komi as a net reads it.
    pub(super) komi: Komi,
    /// Points added to Black's area margin to get Black's lead: minus komi, handicap compensation and virtual komi, and
    /// half a point for a button that has been taken.
    /// Under territory scoring also White's stones played minus Black's so far, which turns area into territory.
    pub(super) bonus: f32,
}

impl RootState {
    pub(super) fn new(request: &SearchRequest<'_>) -> RootState {
        let position = request.position;
        let rule = position.rule();
        let is_territory = rule.scoring == Scoring::Territory;
        let button = position.taken_button().map_or(0.0, button_points);
        let komi = Komi {
            compensation: rule.white_compensation(position.handicap()) - button,
            // 0 has no sign in a key
            stones_played: is_territory.then(|| 0.0 - stones_played_difference(position)),
        };
        let bonus = -komi.compensation - komi.stones_played.unwrap_or(0.0) - request.extra_komi;
        let mut board = position.board().clone();
        if position.banned_ko().is_none() {
            board.lift_ko();
        }
        RootState {
            board,
            latest: position.record().latest().take(features::HISTORY_MOVES).collect(),
            passes: position.ending_passes().min(1),
            is_button_open: position.is_button_open(),
            hash: position.hash(),
            forbidden: match position.rule().ko {
                KoRule::Simple => Vec::new(),
                _ => position.superko_history().collect(),
            },
            komi,
            bonus: bonus as f32,
        }
    }

    /// The points of the last two moves, the latest first.
    pub(super) fn recent(&self) -> [Option<Point>; 2] {
        [0, 1].map(|number| self.latest.get(number).copied().flatten())
    }
}

/// Stones played by White minus stones played by Black, from prisoners and stones on the board: Black's territory score
/// minus Black's area score.
fn stones_played_difference(position: &Position) -> f64 {
    let board = position.board();
    let stones = |color: Color| board.coordinate().points().filter(|&p| board.stone(p) == color.stone()).count() as f64;
    let played = |color: Color| stones(color) + f64::from(position.prisoners(color.opponent()));
    played(Color::White) - played(Color::Black)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;
    use crate::net::katago::game::Game;
    use crate::search::limits::Limits;
    use crate::search::stop_signal::StopSignal;

    /// Both searches give a net the same komi, under territory scoring with the stones that were played and captured.
    #[test]
    fn komi_is_that_of_a_search_by_evaluations() {
        let mut rng = fastrand::Rng::with_seed(3);
        for rules in ["japanese", "chinese", "aga-button"] {
            let rule = GameRule::with_komi(6.5).named(rules).unwrap();
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
                assert_eq!(root.komi, Game::new(&position, position.to_move()).komi(), "{rules}, move {number}");
                assert_eq!(root.komi.stones_played.is_some(), rules == "japanese");
            }
            assert!(Color::BOTH.into_iter().all(|color| position.prisoners(color) > 0), "{rules}");
        }
    }
}
