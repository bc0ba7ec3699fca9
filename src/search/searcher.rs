//! The search: reuses the tree, expands the root, runs the worker threads and reads the result.
//!
//! With a net with a score head, `net_search` runs instead. In the search by playouts, each simulation follows the tree
//! from the root to a leaf (`playout_search::select`), plays one playout from there and adds its result to
//! every node of the path (UCT) and to the path nodes' children that the same side played first, at any later time
//! (RAVE). Threads share the tree without locks; virtual losses spread them. With one thread, a seed and a limit of
//! playouts, a search is reproducible.

use std::time::Instant;

use fastrand::Rng;

use crate::kernel::hash::GOLDEN_GAMMA;
use crate::net::small::Evaluation;
use crate::search::details::AnalysisOptions;
use crate::search::eval_cache::EvalCache;
use crate::search::net_search::NetSearcher;
use crate::search::params::is_search_by_net;
use crate::search::playout_search::context::SearchContext;
use crate::search::playout_search::evaluator::SLOT_BYTES;
use crate::search::playout_search::root::{RootState, reuse_tree};
use crate::search::playout_search::tree::Tree;
use crate::search::playout_search::worker::Worker;
use crate::search::progress::ProgressSink;
use crate::search::request::SearchRequest;
use crate::search::result::SearchResult;
use crate::search::root::RootKey;
use crate::search::stats::ThreadStats;
use crate::search::worker_threads::run_workers;

/// Searches positions; keeps the tree and the net's evaluations for later searches of the same game.
///
/// ```
/// use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position, parse_stones};
/// use kifuwarabe_uec14::search::params::Params;
/// use kifuwarabe_uec14::search::{Limits, SearchRequest, Searcher, StopSignal};
///
/// // x is Black, o is White, + the frame; White's two stones are in atari at D4
/// let drawn = b"+++++++ +.xx..+ +xoo..+ +.xx..+ +.....+ +.....+ +++++++";
/// let coordinate = Coordinate::square(5).unwrap();
/// let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
/// position.set_up(&parse_stones(coordinate, drawn).unwrap()).unwrap();
///
/// let mut searcher = Searcher::new(16 << 20, 1); // 16 MiB, RNG seed 1
/// let (limits, params, signal) = (Limits::playouts(1000), Params::default(), StopSignal::default());
/// let result = searcher.search(&SearchRequest::new(&position, Color::Black, limits, &params, &signal));
/// assert_eq!(result.playouts, 1000);
/// assert!(result.value() > 0.5, "Black is ahead");
/// println!("{} wins {:.0}%", result.best().unwrap().play.vertex(coordinate), 100.0 * result.value());
/// ```
pub struct Searcher {
    tree: Tree,
    cache: EvalCache<Evaluation>,
    /// The search by a net with a score head, from its first use on.
    net_searcher: Option<NetSearcher>,
    /// Memory bound in bytes of each of the two searches.
    memory_bound: usize,
    /// Key of the tree's root; `None` for an empty tree.
    root: Option<RootKey>,
    /// Statistics of all searches of that root.
    stats: Option<ThreadStats>,
    seed: u64,
    /// Searches so far; part of each search's RNG seeds.
    searches: u64,
    /// The options of an analysis for every search.
    analysis: AnalysisOptions,
}

impl Searcher {
    /// A searcher with a memory bound in bytes, an eighth of it for the evaluation cache and the rest for the tree, and
    /// an RNG seed.
    pub fn new(memory: usize, seed: u64) -> Searcher {
        let cache_memory = memory / 8;
        let (tree, cache) = (Tree::new(memory - cache_memory), EvalCache::new(cache_memory, SLOT_BYTES));
        let analysis = AnalysisOptions::default();
        Searcher {
            tree,
            cache,
            net_searcher: None,
            memory_bound: memory,
            root: None,
            stats: None,
            seed,
            searches: 0,
            analysis,
        }
    }

    /// The searcher with the options of an analysis.
    #[must_use]
    pub fn for_analysis(self, analysis: AnalysisOptions) -> Searcher {
        Searcher { analysis, ..self }
    }

    /// Sets [`AnalysisOptions::ownership`] for the searches that follow.
    pub fn report_ownership(&mut self, ownership: bool) {
        self.analysis.ownership = ownership;
    }

    /// The RNG seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Number of searches so far.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// Bytes in use for the tree of the search by playouts and the graph of the search by net, without their caches.
    pub fn tree_and_graph_bytes(&self) -> usize {
        self.tree.memory() + self.net_searcher.as_ref().map_or(0, NetSearcher::memory)
    }

    /// Clears the tree and the evaluation cache.
    pub fn clear(&mut self) {
        self.tree.clear();
        self.cache.clear();
        (self.root, self.stats) = (None, None);
        self.net_searcher = None;
    }

    /// Searches a position.
    pub fn search(&mut self, request: &SearchRequest<'_>) -> SearchResult {
        self.search_with_progress(request, ProgressSink::default())
    }

    /// Searches a position, with progress reports.
    pub fn search_with_progress(&mut self, request: &SearchRequest<'_>, progress: ProgressSink<'_>) -> SearchResult {
        let begin = Instant::now();
        if let Some(net) =
            request.net.filter(|net| is_search_by_net(net, request.params, request.position.board().coordinate()))
        {
            self.searches += 1;
            let (seed, searches) = (self.seed, self.searches);
            let searcher = self.net_searcher.get_or_insert_with(|| NetSearcher::new(self.memory_bound));
            return searcher.search(net, request, self.analysis, |thread| rng(seed, searches, thread), progress);
        }
        let (old, new) = (self.root.take(), RootKey::new(request));
        let earlier = self.stats.take().filter(|_| old.as_ref() == Some(&new));
        reuse_tree(&mut self.tree, old, &new, request);
        self.root = Some(new);
        self.searches += 1;
        let root = RootState::new(request);
        let context = SearchContext::new(&self.tree, &self.cache, request, &root, begin, earlier, &self.analysis);
        context.expand_root();
        let mut workers = (0..).zip(&context.stats.threads).map(|(number, stats)| {
            let (context, rng) = (&context, rng(self.seed, self.searches, number));
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

/// The random numbers of a thread of a search.
fn rng(seed: u64, searches: u64, thread: u64) -> Rng {
    Rng::with_seed(seed ^ (searches << 16 | thread).wrapping_mul(GOLDEN_GAMMA))
}
