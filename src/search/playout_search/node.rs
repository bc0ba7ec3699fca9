//! A node of the search tree: one move with its statistics, updated by all threads without locks.
//!
//! Every field is an atomic, read and written with relaxed ordering. A reader may see one playout in some fields and
//! not yet in others; a single field is never torn. Sums are fixed-point integers, because those have an atomic
//! addition.

use crate::kernel::{Move, Point};
use crate::search::playout_search::priors::Prior;
use crate::search::sync::{AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Fixed-point unit of summed results: 1.0 is added as this number.
const RESULT_UNIT: f32 = 65536.0;

/// RAVE updates stop at this count, below the overflow of the sum; a node with that many relies on its own visits.
const MAX_RAVE_COUNT: u64 = 1 << 21;
/// Bits of [`Node::rave`] for the sum of results; the count is above them.
const RAVE_SUM_BITS: u32 = 40;

/// [`Node::first_child`] of a leaf.
pub(super) const LEAF: u32 = 0;
/// [`Node::first_child`] of a leaf that a thread is expanding.
pub(super) const EXPANDING: u32 = 1;

/// Flag in [`Node::count_and_flags`]: the net has evaluated the position after this move.
const EVALUATED: u16 = 1 << 15;
/// Flag in [`Node::count_and_flags`]: a thread has claimed the evaluation of that position.
const EVAL_CLAIMED: u16 = 1 << 14;

/// [`Node::play`] of a pass: a cell of the frame.
const PASS: u16 = 0;
/// [`Node::play`] of a move that was found illegal after the node was added.
const FORBIDDEN: u16 = u16::MAX;

/// A move of the tree with its statistics; the root's move is without meaning.
///
/// All values are win probabilities, 0 to 1, of the side that makes the move.
#[derive(Default)]
pub(super) struct Node {
    /// Sum of the results, in [`RESULT_UNIT`]s.
    result_sum: AtomicU64,
    /// RAVE (AMAF) statistics: count above [`RAVE_SUM_BITS`], below it the sum of results in [`RESULT_UNIT`]s.
    rave: AtomicU64,
    /// Playouts through this move, those under way (virtual losses) included.
    visits: AtomicU32,
    /// Index of the first child, [`LEAF`] or [`EXPANDING`].
    pub(super) first_child: AtomicU32,
    /// Before the net has evaluated the parent: the prior's value in 1/65535 (high half) and weight in 1/8 playouts
    /// (low half). After it: the policy probability in 1/65535 (high half) and the net's value of this move (low half),
    /// 0 for none, else 1 + value in 1/65534.
    prior: AtomicU32,
    /// Number of children, with the flags [`EVALUATED`] and [`EVAL_CLAIMED`].
    pub(super) count_and_flags: AtomicU16,
    play: AtomicU16,
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Node>() == 32);

/// A mean with the number of playouts behind it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Mean {
    /// 0 to 1; without meaning if the weight is 0.
    pub(super) value: f32,
    /// Playouts.
    pub(super) weight: f32,
}

impl Node {
    /// The move; `None` if it is forbidden.
    pub(super) fn play(&self) -> Option<Move> {
        match self.play.load(Ordering::Relaxed) {
            FORBIDDEN => None,
            PASS => Some(Move::Pass),
            index => Some(Move::Play(Point::at(index))),
        }
    }

    /// Cell index of the move: a frame cell for a pass, no cell for a forbidden move.
    #[inline]
    pub(super) fn cell(&self) -> usize {
        usize::from(self.play.load(Ordering::Relaxed))
    }

    /// Whether the move was found illegal.
    #[inline]
    pub(super) fn is_forbidden(&self) -> bool {
        self.play.load(Ordering::Relaxed) == FORBIDDEN
    }

    /// Marks the move illegal (a superko repetition or a kernel refusal); it is never selected again. The tree has no
    /// transpositions, so a node has one history and the mark holds for every visit.
    pub(super) fn forbid(&self) {
        self.play.store(FORBIDDEN, Ordering::Relaxed);
    }

    /// Playouts through this move, those under way included.
    #[inline]
    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    /// Mean result. A playout under way is a visit with result 0 (virtual loss), which leads other threads to other
    /// moves.
    #[inline]
    pub(super) fn mean(&self) -> Mean {
        let weight = self.visits() as f32;
        Mean { value: self.result_sum.load(Ordering::Relaxed) as f32 / (weight.max(1.0) * RESULT_UNIT), weight }
    }

    /// RAVE mean: results of playouts through the parent in which the same side played this point first, at any later
    /// time.
    #[inline]
    pub(super) fn rave(&self) -> Mean {
        let rave = self.rave.load(Ordering::Relaxed);
        let weight = (rave >> RAVE_SUM_BITS) as f32;
        Mean { value: (rave & ((1 << RAVE_SUM_BITS) - 1)) as f32 / (weight.max(1.0) * RESULT_UNIT), weight }
    }

    /// The heuristic prior, valid until the net evaluates the parent. After that the value is the policy probability
    /// and the weight is without meaning.
    #[inline]
    pub(super) fn prior(&self) -> Mean {
        let prior = self.prior.load(Ordering::Relaxed);
        Mean { value: (prior >> 16) as f32 / 65535.0, weight: (prior & 0xffff) as f32 / 8.0 }
    }

    /// Whether the net has evaluated the position after this move: its children have a [`Node::policy`] instead of a
    /// [`Node::prior`].
    #[inline]
    pub(super) fn is_evaluated(&self) -> bool {
        self.count_and_flags.load(Ordering::Acquire) & EVALUATED != 0
    }

    /// The net's policy probability of this move, 0 to 1; valid once the net has evaluated the parent.
    #[inline]
    pub(super) fn policy(&self) -> f32 {
        (self.prior.load(Ordering::Relaxed) >> 16) as f32 / 65535.0
    }

    /// The net's win probability after this move, for the side that made it; valid once the net has evaluated the
    /// parent, and `None` until it evaluates the position after this move, too.
    #[inline]
    pub(super) fn net_value(&self) -> Option<f32> {
        let value = self.prior.load(Ordering::Relaxed) & 0xffff;
        value.checked_sub(1).map(|value| value as f32 / 65534.0)
    }

    /// Replaces the prior by a policy probability, 0 to 1.
    pub(super) fn set_policy(&self, probability: f32) {
        self.prior.store(policy_bits(probability), Ordering::Relaxed);
    }

    /// Replaces the policy probability by another one. The low half is the net's value, which is kept.
    pub(super) fn replace_policy(&self, probability: f32) {
        let value = self.prior.load(Ordering::Relaxed) & 0xffff;
        self.prior.store(policy_bits(probability) | value, Ordering::Relaxed);
    }

    /// Marks the children's policies as set, and stores the net's win probability, 0 to 1, of the side to move after
    /// this move. It must be `None` if the parent is not evaluated: then this node still holds a prior there.
    pub(super) fn set_evaluated(&self, win_probability: Option<f32>) {
        if let Some(win_probability) = win_probability {
            let value = ((1.0 - win_probability.clamp(0.0, 1.0)) * 65534.0) as u32 + 1;
            self.prior.fetch_and(0xffff_0000, Ordering::Relaxed);
            self.prior.fetch_or(value, Ordering::Relaxed);
        }
        self.count_and_flags.fetch_or(EVALUATED, Ordering::Release);
    }

    /// Number of children.
    #[inline]
    pub(super) fn child_count(&self) -> u16 {
        self.count_and_flags.load(Ordering::Relaxed) & !(EVALUATED | EVAL_CLAIMED)
    }

    /// Claims the evaluation of the position after this move; `false` if another thread has it.
    pub(super) fn try_claim_eval(&self) -> bool {
        self.count_and_flags.fetch_or(EVAL_CLAIMED, Ordering::Relaxed) & EVAL_CLAIMED == 0
    }

    /// Gives up a claim without an evaluation.
    pub(super) fn release_eval(&self) {
        self.count_and_flags.fetch_and(!EVAL_CLAIMED, Ordering::Relaxed);
    }

    /// Counts a visit whose result is not known yet: a loss until [`Node::add_result`].
    pub(super) fn add_virtual_loss(&self) {
        self.visits.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds the result, 0 to 1, of a visit counted by [`Node::add_virtual_loss`].
    pub(super) fn add_result(&self, result: f32) {
        self.result_sum.fetch_add((result * RESULT_UNIT) as u64, Ordering::Relaxed);
    }

    /// Takes back a visit without a result.
    pub(super) fn cancel_visit(&self) {
        self.visits.fetch_sub(1, Ordering::Relaxed);
    }

    /// Adds a RAVE result, 0 to 1. Not a single atomic step: of two threads at once, one result may be lost.
    #[inline]
    pub(super) fn add_rave(&self, result: f32) {
        let rave = self.rave.load(Ordering::Relaxed);
        if rave >> RAVE_SUM_BITS < MAX_RAVE_COUNT {
            self.rave.store(rave + (1 << RAVE_SUM_BITS) + (result * RESULT_UNIT) as u64, Ordering::Relaxed);
        }
    }

    /// Makes this an unvisited leaf with a prior.
    pub(super) fn init(&self, prior: &Prior) {
        let play = match prior.play {
            Move::Pass => PASS,
            Move::Play(point) => point.index() as u16,
        };
        let value = (prior.value.clamp(0.0, 1.0) * 65535.0) as u32;
        let weight = (prior.weight * 8.0).clamp(0.0, 65535.0) as u32;
        self.result_sum.store(0, Ordering::Relaxed);
        self.rave.store(0, Ordering::Relaxed);
        self.visits.store(0, Ordering::Relaxed);
        self.first_child.store(LEAF, Ordering::Relaxed);
        self.prior.store(value << 16 | weight, Ordering::Relaxed);
        self.count_and_flags.store(0, Ordering::Relaxed);
        self.play.store(play, Ordering::Relaxed);
    }

    /// Copies every field.
    pub(super) fn copy_from(&self, other: &Node) {
        self.result_sum.store(other.result_sum.load(Ordering::Relaxed), Ordering::Relaxed);
        self.rave.store(other.rave.load(Ordering::Relaxed), Ordering::Relaxed);
        self.visits.store(other.visits.load(Ordering::Relaxed), Ordering::Relaxed);
        self.first_child.store(other.first_child.load(Ordering::Relaxed), Ordering::Relaxed);
        self.prior.store(other.prior.load(Ordering::Relaxed), Ordering::Relaxed);
        self.count_and_flags.store(other.count_and_flags.load(Ordering::Relaxed), Ordering::Relaxed);
        self.play.store(other.play.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// A policy probability as the upper half of [`Node::prior`]'s bits.
fn policy_bits(probability: f32) -> u32 {
    ((probability.clamp(0.0, 1.0) * 65535.0) as u32) << 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rave_stops_at_its_maximum_count() {
        let node = Node::default();
        node.rave.store((MAX_RAVE_COUNT - 1) << RAVE_SUM_BITS, Ordering::Relaxed);
        node.add_rave(1.0);
        node.add_rave(1.0);
        assert_eq!(node.rave().weight as u64, MAX_RAVE_COUNT);
    }
}
