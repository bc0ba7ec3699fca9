//! The search tree: nodes in a bounded memory, shared by all threads without locks.
//!
//! The children of a node are one block of consecutive nodes. Blocks are allocated in order from chunks, and a chunk is
//! taken from the system when the first block needs it, up to the bound. When memory is full, search continues without
//! expanding nodes. A block always lies behind its parent, so compaction after a move of the game can move the blocks
//! that are still reachable forward in place.
//!
//! The tree has no transpositions: positions reached by two move orders are two nodes.

use std::sync::{OnceLock, PoisonError};

use crate::kernel::{MAX_SIDE, Move};
use crate::search::playout_search::node::{EXPANDING, LEAF, Node};
use crate::search::playout_search::priors::Prior;
use crate::search::sync::{AtomicU32, AtomicUsize, Mutex, Ordering};

/// Nodes per chunk. A block never crosses the border between two chunks.
const NODES_PER_CHUNK: usize = if cfg!(loom) { 8 } else { 1 << 14 };

/// Bytes reserved for allocations outside the tree; at most an eighth of the tree's bound.
const RESERVE_BYTES: usize = 4 << 20;

/// Bytes that must be left when a chunk has been taken, for allocations outside the tree until the next one is refused.
const MIN_FREE_BYTES: usize = 1 << 20;

/// Index of the first block: 0 is the root ([`LEAF`] as a child index), 1 is [`EXPANDING`].
const FIRST_BLOCK: u32 = 2;

/// The most children of a node: every point of the largest board, and a pass.
const MAX_CHILDREN: usize = MAX_SIDE as usize * MAX_SIDE as usize + 1;

/// A tree with a memory bound.
pub(super) struct Tree {
    /// An empty chunk is one that the system refused.
    chunks: Vec<OnceLock<Box<[Node]>>>,
    /// Number of usable chunks: fewer than `chunks.len()` once the system has refused one.
    max_chunks: AtomicUsize,
    /// Memory given back when the system refuses a chunk, for allocations outside the tree.
    reserve: Mutex<Option<Vec<u8>>>,
    /// Index at which the next block may begin.
    next: AtomicU32,
    /// Stands in for every index out of bounds.
    null_node: Node,
}

impl Tree {
    /// A tree with a root only, bounded to `bytes` or one chunk, whichever is more.
    pub(super) fn new(bytes: usize) -> Tree {
        let chunks =
            (bytes / (NODES_PER_CHUNK * size_of::<Node>())).clamp(1, (u32::MAX / 2) as usize / NODES_PER_CHUNK);
        let mut tree = Tree {
            chunks: Vec::new(),
            max_chunks: AtomicUsize::new(chunks),
            reserve: Mutex::default(),
            next: AtomicU32::new(FIRST_BLOCK),
            null_node: Node::default(),
        };
        tree.chunks.resize_with(chunks, OnceLock::new);
        tree.clear();
        tree
    }

    /// Removes every node but a new root; the chunks stay allocated.
    pub(super) fn clear(&mut self) {
        self.next.store(FIRST_BLOCK, Ordering::Relaxed);
        self.retry_allocation();
        self.allocate_chunk(0);
        self.root().init(&Prior { play: Move::Pass, value: 0.5, weight: 0.0 });
    }

    /// The root.
    pub(super) fn root(&self) -> &Node {
        self.node(0)
    }

    /// Bytes allocated for nodes.
    pub(super) fn memory(&self) -> usize {
        self.chunks.iter().filter_map(OnceLock::get).map(|chunk| size_of_val::<[Node]>(chunk)).sum()
    }

    /// Whether no node can be expanded any more.
    pub(super) fn is_full(&self) -> bool {
        self.next.load(Ordering::Relaxed) as usize + MAX_CHILDREN
            > self.max_chunks.load(Ordering::Relaxed) * NODES_PER_CHUNK
    }

    /// Whether the system refused memory within the bound.
    pub(super) fn allocation_failed(&self) -> bool {
        self.max_chunks.load(Ordering::Relaxed) < self.chunks.len()
    }

    /// The children of a node; empty for a leaf.
    #[inline]
    pub(super) fn children(&self, node: &Node) -> &[Node] {
        let first = node.first_child.load(Ordering::Acquire);
        if first < FIRST_BLOCK {
            return &[];
        }
        let offset = first as usize % NODES_PER_CHUNK;
        let count = usize::from(node.child_count());
        self.chunk(first).get(offset..offset + count).unwrap_or_default()
    }

    /// Adds children to a leaf, unless the tree is full or another thread is expanding it; returns whether it did.
    /// `priors` is called only if they can be added.
    pub(super) fn expand<'p>(&self, node: &Node, priors: impl FnOnce() -> &'p [Prior]) -> bool {
        if self.is_full()
            || node.first_child.compare_exchange(LEAF, EXPANDING, Ordering::Acquire, Ordering::Relaxed).is_err()
        {
            return false;
        }
        let priors = priors();
        let block = self.allocate_block(priors.len()).filter(|_| !priors.is_empty());
        let Some(first) = block else {
            node.first_child.store(LEAF, Ordering::Release);
            return false;
        };
        if !self.allocate_chunk(first) {
            node.first_child.store(LEAF, Ordering::Release);
            return false;
        }
        let offset = first as usize % NODES_PER_CHUNK;
        for (child, prior) in self.chunk(first).iter().skip(offset).zip(priors) {
            child.init(prior);
        }
        node.count_and_flags.store(priors.len() as u16, Ordering::Relaxed);
        node.first_child.store(first, Ordering::Release);
        true
    }

    /// Makes the root's child of this index the new root. The other nodes become unreachable; [`Tree::compact`] frees
    /// them.
    pub(super) fn advance(&mut self, index: usize) {
        let root = self.root();
        match self.children(root).get(index) {
            Some(child) if !child.is_forbidden() => root.copy_from(child),
            _ => self.clear(),
        }
    }

    /// Moves the blocks reachable from the root forward, in their order, over the unreachable ones.
    pub(super) fn compact(&mut self) {
        // in order of their old index; `to` is the new one
        let mut blocks = self.blocks();
        blocks.sort_unstable_by_key(|block| block.first);
        let mut next = FIRST_BLOCK;
        for index in 0..blocks.len() {
            let Some(&Block { first, count, parent, .. }) = blocks.get(index) else { break };
            let to = Tree::place_block(next, usize::from(count));
            for offset in 0..u32::from(count) {
                self.node(to + offset).copy_from(self.node(first + offset));
            }
            if let Some(block) = blocks.get_mut(index) {
                block.to = to;
            }
            // the parent's block was moved before: it lies in front of this one
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
            self.node(parent).first_child.store(to, Ordering::Relaxed);
            next = to + u32::from(count);
        }
        self.next.store(next, Ordering::Relaxed);
        self.retry_allocation();
    }

    /// The blocks reachable from the root, parents before children.
    fn blocks(&self) -> Vec<Block> {
        let block = |parent: u32| {
            let node = self.node(parent);
            let first = node.first_child.load(Ordering::Relaxed);
            let count = node.child_count();
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

    /// Reserves the indices of a block; `None` beyond the bound.
    fn allocate_block(&self, count: usize) -> Option<u32> {
        let take = |next| {
            let end = Tree::place_block(next, count) as usize + count;
            (end <= self.chunks.len() * NODES_PER_CHUNK).then_some(end as u32)
        };
        let before = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).ok()?;
        Some(Tree::place_block(before, count))
    }

    /// The first index, from `next` on, at which a block does not cross the border of a chunk.
    fn place_block(next: u32, count: usize) -> u32 {
        let next = next as usize;
        let first = if next % NODES_PER_CHUNK + count > NODES_PER_CHUNK {
            next.next_multiple_of(NODES_PER_CHUNK)
        } else {
            next
        };
        first as u32
    }

    /// Takes the chunk of a node from the system, unless it is there; returns whether it is there now.
    fn allocate_chunk(&self, index: u32) -> bool {
        let chunk_index = index as usize / NODES_PER_CHUNK;
        let Some(chunk) = self.chunks.get(chunk_index) else { return false };
        let is_there = !chunk.get_or_init(|| new_chunk(NODES_PER_CHUNK)).is_empty();
        if !is_there {
            self.max_chunks.fetch_min(chunk_index, Ordering::Relaxed);
            self.reserve.lock().unwrap_or_else(PoisonError::into_inner).take();
        }
        is_there
    }

    /// Makes chunks that the system refused usable again, and fills the reserve: memory may be available by now.
    fn retry_allocation(&mut self) {
        for chunk in self.chunks.iter_mut().filter(|chunk| chunk.get().is_some_and(|chunk| chunk.is_empty())) {
            chunk.take();
        }
        self.max_chunks.store(self.chunks.len(), Ordering::Relaxed);
        let reserve = RESERVE_BYTES.min(self.chunks.len() * NODES_PER_CHUNK * size_of::<Node>() / 8);
        self.reserve
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(|| try_with_capacity(reserve));
    }

    #[inline]
    fn chunk(&self, index: u32) -> &[Node] {
        self.chunks.get(index as usize / NODES_PER_CHUNK).and_then(OnceLock::get).map_or(&[], |chunk| chunk)
    }

    fn node(&self, index: u32) -> &Node {
        self.chunk(index).get(index as usize % NODES_PER_CHUNK).unwrap_or(&self.null_node)
    }
}

/// A chunk of new nodes; empty if the system refuses the memory, or would have less than [`MIN_FREE_BYTES`] left.
fn new_chunk(nodes: usize) -> Box<[Node]> {
    let mut chunk = try_with_capacity(nodes);
    // without the black box the compiler may leave the allocation out
    if std::hint::black_box(try_with_capacity::<u8>(MIN_FREE_BYTES)).capacity() == 0 {
        return Box::default();
    }
    chunk.resize_with(chunk.capacity().min(nodes), Node::default);
    chunk.into_boxed_slice()
}

/// An empty vector with this capacity; without capacity if the system refuses the memory.
fn try_with_capacity<T>(count: usize) -> Vec<T> {
    let mut vector = Vec::new();
    // on failure the capacity stays 0, which callers check
    let _ = vector.try_reserve_exact(count);
    vector
}

/// The children of a node, during compaction.
#[derive(Clone, Copy)]
struct Block {
    first: u32,
    count: u16,
    /// Index of the parent node.
    parent: u32,
    /// New index of the first node.
    to: u32,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Point;
    use crate::search::playout_search::node::Mean;

    /// Number of nodes.
    fn len(tree: &Tree) -> usize {
        tree.next.load(Ordering::Relaxed) as usize - FIRST_BLOCK as usize + 1
    }

    fn priors(count: u16, value: f32) -> Vec<Prior> {
        let play = |number| if number == 0 { Move::Pass } else { Move::Play(Point::at(number)) };
        (0..count).map(|number| Prior { play: play(number), value, weight: 20.0 }).collect()
    }

    #[test]
    fn children_hold_priors_results_and_rave() {
        let tree = Tree::new(0);
        assert_eq!(len(&tree), 1);
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
        assert!(!tree.expand(tree.root(), || unreachable!("expanded already")));
    }

    #[test]
    fn full_tree_stays_within_its_bound() {
        let tree = Tree::new(NODES_PER_CHUNK * size_of::<Node>());
        let moves = priors(100, 0.5).leak();
        let mut expanded = 0;
        let mut level = vec![tree.root()];
        while let Some(node) = level.pop() {
            expanded += usize::from(tree.expand(node, || &*moves));
            level.extend(tree.children(node));
        }
        assert!(tree.is_full());
        assert_eq!(len(&tree), expanded * 100 + 1);
        assert!(len(&tree) <= NODES_PER_CHUNK);
        assert_eq!(tree.chunks.iter().filter(|chunk| chunk.get().is_some()).count(), 1);
    }

    #[test]
    fn refused_chunk_ends_expansion_until_retried() {
        assert!(new_chunk(usize::MAX / 2).is_empty());
        let mut tree = Tree::new(4 * NODES_PER_CHUNK * size_of::<Node>());
        // as if the system refused it
        tree.chunks[1].set(Box::default()).unwrap_or_else(|_| unreachable!("allocated already"));
        let moves = priors(100, 0.5).leak();
        let mut level = vec![tree.root()];
        while let Some(node) = level.pop() {
            tree.expand(node, || &*moves);
            level.extend(tree.children(node));
        }
        assert!(tree.is_full() && tree.allocation_failed());
        assert!(tree.reserve.lock().unwrap().is_none(), "the reserve is given back");
        tree.advance(1);
        tree.compact();
        assert!(!tree.is_full() && !tree.allocation_failed());
        assert!(tree.chunks[1].get().is_none(), "the refusal is forgotten");
    }

    /// The tree below a node as text: moves and visits.
    fn dump(tree: &Tree, node: &Node, out: &mut String) {
        *out += &format!("{:?}:{}(", node.play(), node.visits());
        tree.children(node).iter().for_each(|child| dump(tree, child, out));
        out.push(')');
    }

    #[test]
    fn advance_and_compact_keep_the_subtree_only() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..20 {
            let mut tree = Tree::new(NODES_PER_CHUNK * size_of::<Node>() * 8);
            for visit in 0..2000 {
                let mut node = tree.root();
                node.add_virtual_loss();
                while let Some(child) = rng.choice(tree.children(node)) {
                    child.add_virtual_loss();
                    node = child;
                }
                let moves = priors(rng.u16(1..60), visit as f32 / 2000.0).leak();
                tree.expand(node, || &*moves);
            }
            while !tree.children(tree.root()).is_empty() {
                let number = rng.usize(..tree.children(tree.root()).len());
                let mut before = String::new();
                dump(&tree, &tree.children(tree.root())[number], &mut before);
                tree.advance(number);
                tree.compact();
                let mut after = String::new();
                dump(&tree, tree.root(), &mut after);
                assert_eq!(after, before);
                let nodes = after.matches(':').count();
                assert!(len(&tree) >= nodes && len(&tree) <= nodes + 8 * 60, "{} for {nodes}", len(&tree));
            }
        }
    }

    #[test]
    fn advance_to_a_missing_child_clears() {
        let mut tree = Tree::new(0);
        tree.root().add_virtual_loss();
        tree.advance(3);
        assert_eq!((tree.root().visits(), len(&tree)), (0, 1));
    }
}
