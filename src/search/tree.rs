//! The tree of a search: what was found out about each move, shared by threads without locks.
//!
//! Nodes lie in blocks, one block for all moves of a position. Blocks are handed out in order, from memory that is taken
//! as it is needed and never beyond a bound. A block lies behind the node it belongs to, always; so a tree can be closed
//! up in place when the game goes on and most of it is of no use any more.
//!
//! Counts are read while others add to them. That does no harm: a count may be one behind, it is never torn.

use std::sync::atomic::{AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::kernel::{Move, Point};
use crate::search::priors::Prior;

/// Nodes of a chunk of memory. A block never crosses the border between two chunks.
const CHUNK: usize = 1 << 14;

/// Bytes that are kept back for all else than the tree, or an eighth of a small one's.
const RESERVE: usize = 4 << 20;

/// No more playouts than this are made through a node: far from where its count would run over.
pub const MOST_VISITS: u64 = 1 << 30;

/// A result from 0 to 1 is added as a whole number of this unit.
const UNIT: f32 = 65536.0;

/// RAVE results are no longer counted from here on: a move with so many is judged by its own results.
const RAVE_ENOUGH: u64 = 1 << 21;
const RAVE_VALUE_BITS: u32 = 40;

/// [`Node::children`] of a leaf.
const LEAF: u32 = 0;
/// [`Node::children`] of a leaf whose moves are being added.
const GROWING: u32 = 1;
/// The first block lies behind these: the root is 0, and 1 means something else.
const FIRST_BLOCK: u32 = 2;

/// Set in [`Node::count`]: the net has said what it thinks of the moves that follow.
const EVALUATED: u16 = 1 << 15;
/// Set in [`Node::count`]: somebody asks the net about them.
const EVAL_CLAIMED: u16 = 1 << 14;

/// [`Node::play`] of a pass: a cell of the frame.
const PASS: u16 = 0;
/// [`Node::play`] of a move that the rules forbid here, found out after it was added.
const FORBIDDEN: u16 = u16::MAX;

/// A move of the tree, and what is known about it.
///
/// All values are from 0, lost, to 1, won, for the player who makes the move.
#[derive(Default)]
pub struct Node {
    /// Sum of the results, in [`UNIT`]s.
    value: AtomicU64,
    /// Of playouts in which the move was made later: how many, above the sum of their results in [`UNIT`]s.
    rave: AtomicU64,
    /// Playouts through this move, those under way counted.
    visits: AtomicU32,
    /// Where the moves that follow are.
    children: AtomicU32,
    /// The prior value in 1/65535 above its weight in 1/8 playouts. Once the net has been asked about the position before,
    /// the chance it gives to this move in 1/65535 above what it says of the position after it: 0 if it was not asked, or
    /// the chance to win in 1/65534 and 1.
    prior: AtomicU32,
    /// How many moves follow, and [`ADVISED`] and [`ASKED`].
    count: AtomicU16,
    play: AtomicU16,
}

const _: () = assert!(size_of::<Node>() == 32);

/// A mean and what it rests on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Mean {
    /// From 0 to 1; what it is without any weight has no meaning.
    pub value: f32,
    /// Playouts.
    pub weight: f32,
}

impl Node {
    /// The move; `None` if the rules forbid it.
    pub fn play(&self) -> Option<Move> {
        match self.play.load(Ordering::Relaxed) {
            FORBIDDEN => None,
            PASS => Some(Move::Pass),
            index => Some(Move::Play(Point::at(index))),
        }
    }

    /// The index of the cell that is played on; that of a pass is one of the frame, that of a forbidden move none.
    #[inline]
    pub fn cell(&self) -> usize {
        usize::from(self.play.load(Ordering::Relaxed))
    }

    /// Whether the rules forbid the move.
    #[inline]
    pub fn is_forbidden(&self) -> bool {
        self.play.load(Ordering::Relaxed) == FORBIDDEN
    }

    /// Notes that the rules forbid the move here: it will not be chosen again.
    pub fn forbid(&self) {
        self.play.store(FORBIDDEN, Ordering::Relaxed);
    }

    /// Playouts through this move, those under way counted.
    #[inline]
    pub fn visits(&self) -> u32 {
        self.visits.load(Ordering::Relaxed)
    }

    /// The mean of the results. A playout under way counts as lost: others look elsewhere meanwhile.
    #[inline]
    pub fn mean(&self) -> Mean {
        let weight = self.visits() as f32;
        Mean { value: self.value.load(Ordering::Relaxed) as f32 / (weight.max(1.0) * UNIT), weight }
    }

    /// The mean of the results of playouts in which the player made the move later.
    #[inline]
    pub fn rave(&self) -> Mean {
        let rave = self.rave.load(Ordering::Relaxed);
        let weight = (rave >> RAVE_VALUE_BITS) as f32;
        Mean { value: (rave & ((1 << RAVE_VALUE_BITS) - 1)) as f32 / (weight.max(1.0) * UNIT), weight }
    }

    /// What was thought of the move before it was tried.
    #[inline]
    pub fn prior(&self) -> Mean {
        let prior = self.prior.load(Ordering::Relaxed);
        Mean { value: (prior >> 16) as f32 / 65535.0, weight: (prior & 0xffff) as f32 / 8.0 }
    }

    /// Whether the net has been asked about the position after this move, so that those that follow have a
    /// [`Node::policy`] and no more a [`Node::prior`].
    #[inline]
    pub fn is_evaluated(&self) -> bool {
        self.count.load(Ordering::Acquire) & EVALUATED != 0
    }

    /// The chance from 0 to 1 that the net gives to this move, if it was asked about the position before.
    #[inline]
    pub fn policy(&self) -> f32 {
        (self.prior.load(Ordering::Relaxed) >> 16) as f32 / 65535.0
    }

    /// The chance to win that the net gives to who made this move, if it was asked about the position after it and the one
    /// before.
    #[inline]
    pub fn net_value(&self) -> Option<f32> {
        let value = self.prior.load(Ordering::Relaxed) & 0xffff;
        value.checked_sub(1).map(|value| value as f32 / 65534.0)
    }

    /// Notes the chance from 0 to 1 that the net gives to this move, where it had a prior or with `again` another chance.
    pub fn set_policy(&self, chance: f32, again: bool) {
        let known = if again { self.prior.load(Ordering::Relaxed) & 0xffff } else { 0 };
        self.prior.store(((chance.clamp(0.0, 1.0) * 65535.0) as u32) << 16 | known, Ordering::Relaxed);
    }

    /// Notes that the moves that follow have their policy, and the chance from 0 to 1 to win that the net gives to who is to
    /// move after this one. `is_known`: whether this move has a policy itself.
    pub fn set_evaluated(&self, win: f32, is_known: bool) {
        if is_known {
            let value = ((1.0 - win.clamp(0.0, 1.0)) * 65534.0) as u32 + 1;
            self.prior.fetch_and(0xffff_0000, Ordering::Relaxed);
            self.prior.fetch_or(value, Ordering::Relaxed);
        }
        self.count.fetch_or(EVALUATED, Ordering::Release);
    }

    /// How many moves follow.
    #[inline]
    fn count(&self) -> u16 {
        self.count.load(Ordering::Relaxed) & !(EVALUATED | EVAL_CLAIMED)
    }

    /// Claims the question to the net about the moves that follow; `false` if somebody else has.
    pub fn try_claim_eval(&self) -> bool {
        self.count.fetch_or(EVAL_CLAIMED, Ordering::Relaxed) & EVAL_CLAIMED == 0
    }

    /// Gives up a claim whose question was not asked.
    pub fn release_eval(&self) {
        self.count.fetch_and(!EVAL_CLAIMED, Ordering::Relaxed);
    }

    /// A playout goes through this move.
    pub fn add_virtual_loss(&self) {
        self.visits.fetch_add(1, Ordering::Relaxed);
    }

    /// The playout has ended with this result, 0 to 1.
    pub fn add_result(&self, result: f32) {
        self.value.fetch_add((result * UNIT) as u64, Ordering::Relaxed);
    }

    /// The playout that went through this move is of no use.
    pub fn cancel_visit(&self) {
        self.visits.fetch_sub(1, Ordering::Relaxed);
    }

    /// Counts a result, 0 to 1, of a playout in which the move was made later. Where threads meet, one of their results
    /// may be lost.
    #[inline]
    pub fn add_rave(&self, result: f32) {
        let rave = self.rave.load(Ordering::Relaxed);
        if rave >> RAVE_VALUE_BITS < RAVE_ENOUGH {
            self.rave.store(rave + (1 << RAVE_VALUE_BITS) + (result * UNIT) as u64, Ordering::Relaxed);
        }
    }

    fn begin(&self, prior: &Prior) {
        let play = match prior.play {
            Move::Pass => PASS,
            Move::Play(point) => point.index() as u16,
        };
        let value = (prior.value.clamp(0.0, 1.0) * 65535.0) as u32;
        let weight = (prior.weight * 8.0).clamp(0.0, 65535.0) as u32;
        self.value.store(0, Ordering::Relaxed);
        self.rave.store(0, Ordering::Relaxed);
        self.visits.store(0, Ordering::Relaxed);
        self.children.store(LEAF, Ordering::Relaxed);
        self.prior.store(value << 16 | weight, Ordering::Relaxed);
        self.count.store(0, Ordering::Relaxed);
        self.play.store(play, Ordering::Relaxed);
    }

    fn copy_from(&self, other: &Node) {
        self.value.store(other.value.load(Ordering::Relaxed), Ordering::Relaxed);
        self.rave.store(other.rave.load(Ordering::Relaxed), Ordering::Relaxed);
        self.visits.store(other.visits.load(Ordering::Relaxed), Ordering::Relaxed);
        self.children.store(other.children.load(Ordering::Relaxed), Ordering::Relaxed);
        self.prior.store(other.prior.load(Ordering::Relaxed), Ordering::Relaxed);
        self.count.store(other.count.load(Ordering::Relaxed), Ordering::Relaxed);
        self.play.store(other.play.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// A tree, with a bound on its memory.
pub struct Tree {
    /// An empty one is one for which the system had no memory.
    chunks: Vec<OnceLock<Box<[Node]>>>,
    /// How many chunks there can be: fewer than agreed on once the system has had no memory for one.
    most_chunks: AtomicUsize,
    /// Given back when the system has no memory left, so that there is some for all else.
    reserve: Mutex<Option<Vec<u8>>>,
    /// Where the next block goes.
    next: AtomicU32,
    /// Stands for nodes that there are not, so that no index can be wrong.
    null_node: Node,
}

impl Tree {
    /// A tree that is only a root, and never takes more than so much memory, in bytes, or room for one block.
    pub fn new(bytes: usize) -> Tree {
        let chunks = (bytes / (CHUNK * size_of::<Node>())).clamp(1, (u32::MAX / 2) as usize / CHUNK);
        let mut tree = Tree {
            chunks: Vec::new(),
            most_chunks: AtomicUsize::new(chunks),
            reserve: Mutex::default(),
            next: AtomicU32::new(FIRST_BLOCK),
            null_node: Node::default(),
        };
        tree.chunks.resize_with(chunks, OnceLock::new);
        tree.clear();
        tree
    }

    /// Forgets everything; the memory is kept for what comes.
    pub fn clear(&mut self) {
        *self.next.get_mut() = FIRST_BLOCK;
        self.retry_allocation();
        self.take_chunk(0);
        self.root().begin(&Prior { play: Move::Pass, value: 0.5, weight: 0.0 });
    }

    /// The position that is thought about, as the move that led to it.
    pub fn root(&self) -> &Node {
        self.node(0)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.next.load(Ordering::Relaxed) as usize - FIRST_BLOCK as usize + 1
    }

    /// Whether there is nothing but the root.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// How much memory its nodes take by now, in bytes.
    pub fn memory(&self) -> usize {
        self.chunks.iter().filter_map(OnceLock::get).map(|chunk| size_of_val::<[Node]>(chunk)).sum()
    }

    /// Whether nothing is left of the memory that the tree may take. It can be searched all the same.
    pub fn is_full(&self) -> bool {
        self.next.load(Ordering::Relaxed) as usize + MOST_MOVES > self.most_chunks.load(Ordering::Relaxed) * CHUNK
    }

    /// Whether the system had no memory for it when it was to grow.
    pub fn allocation_failed(&self) -> bool {
        self.most_chunks.load(Ordering::Relaxed) < self.chunks.len()
    }

    /// The moves that follow a node; none if they have not been added yet.
    #[inline]
    pub fn children(&self, node: &Node) -> &[Node] {
        let first = node.children.load(Ordering::Acquire);
        if first < FIRST_BLOCK {
            return &[];
        }
        let place = first as usize % CHUNK;
        let count = usize::from(node.count());
        self.chunk(first).get(place..place + count).unwrap_or_default()
    }

    /// Adds moves after a leaf, if there is room and no other thread is doing it. `priors` is asked only if so.
    pub fn expand<'p>(&self, node: &Node, priors: impl FnOnce() -> &'p [Prior]) -> bool {
        if self.is_full()
            || node.children.compare_exchange(LEAF, GROWING, Ordering::Acquire, Ordering::Relaxed).is_err()
        {
            return false;
        }
        let priors = priors();
        let block = self.take_block(priors.len()).filter(|_| !priors.is_empty());
        let Some(first) = block else {
            node.children.store(LEAF, Ordering::Release);
            return false;
        };
        if !self.take_chunk(first) {
            node.children.store(LEAF, Ordering::Release);
            return false;
        }
        let place = first as usize % CHUNK;
        for (child, prior) in self.chunk(first).iter().skip(place).zip(priors) {
            child.begin(prior);
        }
        node.count.store(priors.len() as u16, Ordering::Relaxed);
        node.children.store(first, Ordering::Release);
        true
    }

    /// Makes the move at this place among the root's the new root. What does not follow it is lost, and its memory is free
    /// again after [`Tree::compact`].
    pub fn advance(&mut self, number: usize) {
        let root = self.root();
        match self.children(root).get(number) {
            Some(child) if !child.is_forbidden() => root.copy_from(child),
            _ => self.clear(),
        }
    }

    /// Moves the blocks that hang on the root together, in their order.
    pub fn compact(&mut self) {
        // where each block is and, once it has been moved, where it has gone
        let mut blocks = self.blocks();
        blocks.sort_unstable_by_key(|block| block.first);
        let mut next = FIRST_BLOCK;
        for number in 0..blocks.len() {
            let Some(&Block { first, count, parent, .. }) = blocks.get(number) else { break };
            let to = Tree::place_block(next, usize::from(count));
            for offset in 0..u32::from(count) {
                self.node(to + offset).copy_from(self.node(first + offset));
            }
            if let Some(block) = blocks.get_mut(number) {
                block.to = to;
            }
            let parent = match blocks.binary_search_by(|block| {
                if block.first + u32::from(block.count) <= parent {
                    std::cmp::Ordering::Less
                } else if block.first > parent {
                    std::cmp::Ordering::Greater
                } else {
                    std::cmp::Ordering::Equal
                }
            }) {
                Ok(home) => blocks.get(home).map_or(parent, |home| home.to + (parent - home.first)),
                Err(_) => 0,
            };
            self.node(parent).children.store(to, Ordering::Relaxed);
            next = to + u32::from(count);
        }
        *self.next.get_mut() = next;
        self.retry_allocation();
    }

    /// The blocks that hang on the root, parents before children.
    fn blocks(&self) -> Vec<Block> {
        let block = |parent: u32| {
            let node = self.node(parent);
            let first = node.children.load(Ordering::Relaxed);
            let count = node.count();
            (first >= FIRST_BLOCK).then_some(Block { first, count, parent, to: first })
        };
        let mut blocks: Vec<Block> = block(0).into_iter().collect();
        let mut seen = 0;
        while let Some(&Block { first, count, .. }) = blocks.get(seen) {
            blocks.extend((first..first + u32::from(count)).filter_map(block));
            seen += 1;
        }
        blocks
    }

    /// Room for a block, if there is some left.
    fn take_block(&self, count: usize) -> Option<u32> {
        let take = |next| {
            let end = Tree::place_block(next, count) as usize + count;
            (end <= self.chunks.len() * CHUNK).then_some(end as u32)
        };
        let before = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Tree::place_block(before, count))
    }

    /// Where a block goes that may begin here at the earliest.
    fn place_block(next: u32, count: usize) -> u32 {
        let next = next as usize;
        let place = if next % CHUNK + count > CHUNK { next.next_multiple_of(CHUNK) } else { next };
        place as u32
    }

    /// Whether there is memory for the chunk of this node.
    fn take_chunk(&self, index: u32) -> bool {
        let number = index as usize / CHUNK;
        let Some(chunk) = self.chunks.get(number) else { return false };
        let is_there = !chunk.get_or_init(|| chunk_of(CHUNK)).is_empty();
        if !is_there {
            self.most_chunks.fetch_min(number, Ordering::Relaxed);
            self.reserve.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        is_there
    }

    /// Forgets that the system had no memory: it may have some again.
    fn retry_allocation(&mut self) {
        for chunk in self.chunks.iter_mut().filter(|chunk| chunk.get().is_some_and(|chunk| chunk.is_empty())) {
            chunk.take();
        }
        *self.most_chunks.get_mut() = self.chunks.len();
        let reserve = RESERVE.min(self.chunks.len() * CHUNK * size_of::<Node>() / 8);
        self.reserve.get_mut().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| room(reserve));
    }

    #[inline]
    fn chunk(&self, index: u32) -> &[Node] {
        self.chunks.get(index as usize / CHUNK).and_then(OnceLock::get).map_or(&[], |chunk| chunk)
    }

    fn node(&self, index: u32) -> &Node {
        self.chunk(index).get(index as usize % CHUNK).unwrap_or(&self.null_node)
    }
}

/// New nodes; none if the system has no memory for them.
fn chunk_of(nodes: usize) -> Box<[Node]> {
    let mut chunk = room(nodes);
    chunk.resize_with(chunk.capacity().min(nodes), Node::default);
    chunk.into_boxed_slice()
}

/// Room for so many values, or none if the system has no memory for them.
fn room<T>(count: usize) -> Vec<T> {
    let mut room = Vec::new();
    // that there is none is what an empty one says
    let _ = room.try_reserve_exact(count);
    room
}

/// The most moves that follow a position: every point of the largest board, and a pass.
const MOST_MOVES: usize = 25 * 25 + 1;

#[derive(Clone, Copy)]
struct Block {
    first: u32,
    count: u16,
    /// The node whose moves these are.
    parent: u32,
    /// Where the block is moved to.
    to: u32,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn priors(count: u16, value: f32) -> Vec<Prior> {
        let play = |number| if number == 0 { Move::Pass } else { Move::Play(Point::at(number)) };
        (0..count).map(|number| Prior { play: play(number), value, weight: 20.0 }).collect()
    }

    #[test]
    fn what_a_node_remembers() {
        let tree = Tree::new(0);
        assert!(tree.is_empty());
        assert!(tree.expand(tree.root(), || priors(3, 0.25).leak()));
        let moves = tree.children(tree.root());
        let (pass, play, other) = (&moves[0], &moves[1], &moves[2]);
        assert_eq!((pass.play(), play.play()), (Some(Move::Pass), Some(Move::Play(Point::at(1)))));
        assert!((play.prior().value - 0.25).abs() < 1e-4);
        assert_eq!(play.prior().weight, 20.0);
        play.add_virtual_loss();
        play.add_virtual_loss();
        play.add_result(1.0);
        assert_eq!(play.mean(), Mean { value: 0.5, weight: 2.0 });
        play.add_rave(1.0);
        play.add_rave(0.25);
        assert_eq!(play.rave(), Mean { value: 0.625, weight: 2.0 });
        other.forbid();
        assert_eq!((other.play(), other.is_forbidden()), (None, true));
        assert!(!tree.expand(tree.root(), || unreachable!("grown already")));
    }

    #[test]
    fn rave_stops_before_it_runs_over() {
        let node = Node::default();
        node.rave.store((RAVE_ENOUGH - 1) << RAVE_VALUE_BITS, Ordering::Relaxed);
        node.add_rave(1.0);
        node.add_rave(1.0);
        assert_eq!(node.rave().weight as u64, RAVE_ENOUGH);
    }

    #[test]
    fn a_full_tree_stays_within_its_memory() {
        let tree = Tree::new(CHUNK * size_of::<Node>());
        let moves = priors(100, 0.5).leak();
        let mut grown = 0;
        let mut level = vec![tree.root()];
        while let Some(node) = level.pop() {
            grown += usize::from(tree.expand(node, || &*moves));
            level.extend(tree.children(node));
        }
        assert!(tree.is_full());
        assert_eq!(tree.len(), grown * 100 + 1);
        assert!(tree.len() <= CHUNK);
        assert_eq!(tree.chunks.iter().filter(|chunk| chunk.get().is_some()).count(), 1);
    }

    #[test]
    fn a_tree_for_which_there_is_no_memory_is_searched_on() {
        assert!(chunk_of(usize::MAX / 2).is_empty());
        let mut tree = Tree::new(4 * CHUNK * size_of::<Node>());
        // what happens when the system refuses
        tree.chunks[1].set(Box::default()).unwrap_or_else(|_| unreachable!("taken already"));
        let moves = priors(100, 0.5).leak();
        let mut level = vec![tree.root()];
        while let Some(node) = level.pop() {
            tree.expand(node, || &*moves);
            level.extend(tree.children(node));
        }
        assert!(tree.is_full() && tree.allocation_failed());
        assert!(tree.reserve.lock().unwrap().is_none(), "what was kept back is for others");
        tree.advance(1);
        tree.compact();
        assert!(!tree.is_full() && !tree.allocation_failed());
        assert!(tree.chunks[1].get().is_none(), "it is asked again");
    }

    /// The tree below a node as text: moves and visits.
    fn drawn(tree: &Tree, node: &Node, out: &mut String) {
        *out += &format!("{:?}:{}(", node.play(), node.visits());
        tree.children(node).iter().for_each(|child| drawn(tree, child, out));
        out.push(')');
    }

    #[test]
    fn advancing_keeps_what_follows_the_move_and_nothing_else() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..20 {
            let mut tree = Tree::new(CHUNK * size_of::<Node>() * 8);
            for visit in 0..2000 {
                let mut node = tree.root();
                node.add_virtual_loss();
                while let Some(child) = random.choice(tree.children(node)) {
                    child.add_virtual_loss();
                    node = child;
                }
                let moves = priors(random.u16(1..60), visit as f32 / 2000.0).leak();
                tree.expand(node, || &*moves);
            }
            while !tree.children(tree.root()).is_empty() {
                let number = random.usize(..tree.children(tree.root()).len());
                let mut before = String::new();
                drawn(&tree, &tree.children(tree.root())[number], &mut before);
                tree.advance(number);
                tree.compact();
                let mut after = String::new();
                drawn(&tree, tree.root(), &mut after);
                assert_eq!(after, before);
                let nodes = after.matches(':').count();
                assert!(tree.len() >= nodes && tree.len() <= nodes + 8 * 60, "{} for {nodes}", tree.len());
            }
        }
    }

    #[test]
    fn advancing_to_nowhere_forgets() {
        let mut tree = Tree::new(0);
        tree.root().add_virtual_loss();
        tree.advance(3);
        assert_eq!((tree.root().visits(), tree.len()), (0, 1));
    }
}
