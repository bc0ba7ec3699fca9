//! The key of a search's root, which decides whether a later search reuses the tree.

use crate::kernel::hash::FNV_PRIME;
use crate::kernel::{Color, GameRule, Position, RecordItem};
use crate::net::Net;
use crate::search::params::Params;
use crate::search::request::SearchRequest;
use crate::search::restrictions::Restrictions;

/// Everything that the values of a tree depend on.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct RootKey {
    /// [`history_hashes`] of the root position.
    history_hashes: Vec<u64>,
    pub(super) to_move: Color,
    /// [`SearchRequest::doubling_advantage_player`]; `None` if the advantage is 0.
    doubling_advantage_player: Option<Color>,
    rule: GameRule,
    /// Those that the values of the tree depend on.
    params: Params,
    /// [`SearchRequest::extra_komi`]. The number may change from move to move within a tree.
    extra_komi: f64,
    restrictions: Restrictions,
    /// [`Net::id`](crate::net::Net::id).
    net: Option<u64>,
}

impl RootKey {
    /// `params` are those of the request that the values of the tree depend on.
    pub(super) fn new(request: &SearchRequest<'_>, params: Params) -> RootKey {
        RootKey {
            history_hashes: history_hashes(request.position),
            to_move: request.color,
            doubling_advantage_player: (params.playout_doubling_advantage != 0.0)
                .then_some(request.doubling_advantage_player),
            rule: *request.position.rule(),
            params,
            extra_komi: request.extra_komi,
            restrictions: request.restrictions.cloned().unwrap_or_default(),
            net: request.net.map(Net::id),
        }
    }

    /// Whether a search of `next` may reuse a tree with this root: the same game continued, with the same settings. A
    /// restricted tree serves the same root only, because restrictions end at a depth below the root.
    pub(super) fn allows_tree_reuse_by(&self, next: &RootKey) -> bool {
        let depth = next.history_hashes.len().checked_sub(self.history_hashes.len());
        let has_extra_komi = |key: &RootKey| key.extra_komi != 0.0;
        next.history_hashes.starts_with(&self.history_hashes)
            && (self.rule, self.params, self.doubling_advantage_player, has_extra_komi(self), self.net)
                == (next.rule, next.params, next.doubling_advantage_player, has_extra_komi(next), next.net)
            && self.restrictions == next.restrictions
            && (depth == Some(0) || next.restrictions.is_empty())
    }

    /// The moves of a game that continues this one, from this position on.
    pub(super) fn moves_since<'p>(&self, position: &'p Position) -> impl Iterator<Item = &'p RecordItem> + use<'p> {
        position.record().items().iter().skip(self.history_hashes.len() - 1)
    }
}

/// A hash of every position of the game, the first to the current one, each over all positions up to it: one game
/// continues another exactly if its list starts with the other's.
///
/// A position is mixed in by a step of FNV-1a over words (`hash = (hash ^ word) · prime`), a rotation, and the side to
/// move in the lowest bit. Multiplication carries upwards only; the rotation moves upper bits to the lower end, so that
/// the next multiplication spreads them, too. The rotation, by 23 bits, is the engine's own. It is not
/// [`Fnv1a`](crate::kernel::hash::Fnv1a) alone because searches take seeds from [`history_hash`]: with another mixing,
/// games of one seed would have other moves.
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
pub fn history_hash(position: &Position) -> u64 {
    history_hashes(position).last().copied().unwrap_or_default()
}
