//! One search by playouts: reuses the tree, expands the root, runs the threads and reads the result.
//!
//! Each simulation follows the tree from the root to a leaf (`select`), plays one playout from there and adds its result
//! to every node of the path (UCT) and to the path nodes' children that the same side played first, at any later time
//! (RAVE). Threads share the tree without locks; virtual losses spread them.

use std::time::Instant;

use fastrand::Rng;

use crate::net::Net;
use crate::net::native::Evaluation;
use crate::search::control::SearchControl;
use crate::search::eval_cache::EvalCache;
use crate::search::playout_search::context::PlayoutSearchContext;
use crate::search::playout_search::evaluator::SLOT_BYTES;
use crate::search::playout_search::root::{RootState, reuse_tree};
use crate::search::playout_search::stats::ThreadStats;
use crate::search::playout_search::tree::Tree;
use crate::search::playout_search::worker::Worker;
use crate::search::progress::ProgressSink;
use crate::search::request::SearchRequest;
use crate::search::result::SearchResult;
use crate::search::root::RootKey;
use crate::search::worker_threads::run_workers;

/// Searches positions by playouts; keeps tree and evaluations for later searches of the same game.
pub(in crate::search) struct PlayoutSearcher {
    tree: Tree,
    cache: EvalCache<Evaluation>,
    /// The net whose evaluations are in the cache, by [`Net::id`].
    net: Option<u64>,
    /// Key of the tree's root; `None` for an empty tree.
    root: Option<RootKey>,
    /// Statistics of all searches of that root.
    stats: Option<ThreadStats>,
}

impl PlayoutSearcher {
    /// A searcher with approximate bounds, in bytes, of the memory for the tree and for the cache of evaluations.
    pub(in crate::search) fn new(tree_bytes: usize, cache_bytes: usize) -> PlayoutSearcher {
        let (tree, cache) = (Tree::new(tree_bytes), EvalCache::new(cache_bytes, SLOT_BYTES));
        PlayoutSearcher { tree, cache, net: None, root: None, stats: None }
    }

    /// Bytes in use for the tree.
    pub(in crate::search) fn memory(&self) -> usize {
        self.tree.memory()
    }

    /// Searches a position. `rng` generates the random numbers of each thread.
    pub(in crate::search) fn search(
        &mut self,
        request: &SearchRequest<'_>,
        rng: impl Fn(u64) -> Rng,
        progress: ProgressSink<'_>,
    ) -> SearchResult {
        let begin = Instant::now();
        let net = request.net.map(Net::id);
        if net.is_some() && self.net.is_some_and(|of_cache| net != Some(of_cache)) {
            self.cache.clear();
        }
        self.net = net.or(self.net);
        let (old, new) = (self.root.take(), RootKey::new(request, request.params.of_playout_tree()));
        let earlier = self.stats.take().filter(|_| old.as_ref() == Some(&new));
        reuse_tree(&mut self.tree, old, &new, request);
        self.root = Some(new);
        let root = RootState::new(request);
        let control = SearchControl::new(begin);
        let context = PlayoutSearchContext::new(&self.tree, &self.cache, request, &root, control, earlier);
        context.expand_root();
        let mut workers = (0..).zip(&context.stats.threads).map(|(thread, stats)| {
            let (context, rng) = (&context, rng(thread));
            move |progress: Option<ProgressSink<'_>>| Worker::new(context, stats, rng).run(progress)
        });
        if let Some(first) = workers.next() {
            run_workers(|| first(Some(progress)), workers.map(|worker| || worker(None)));
        }
        let result = context.result();
        self.stats = context.stats.into_sum();
        result
    }
}
