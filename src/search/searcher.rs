//! Dispatches a request to [`PlayoutSearcher`] or [`NetSearcher`], with an RNG per search and thread.
//!
//! With one thread, a seed and a limit of playouts, searches are reproducible.

use fastrand::Rng;

use crate::kernel::hash::GOLDEN_GAMMA;
use crate::search::net_search::NetSearcher;
use crate::search::params::is_search_by_net;
use crate::search::playout_search::PlayoutSearcher;
use crate::search::progress::ProgressSink;
use crate::search::request::SearchRequest;
use crate::search::result::SearchResult;

/// Searches positions; keeps the tree and the net's evaluations for later searches of the same game.
///
/// ```
/// use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position, parse_framed};
/// use kifuwarabe_uec14::search::params::Params;
/// use kifuwarabe_uec14::search::{Limits, SearchRequest, Searcher, StopSignal};
///
/// // x is Black, o is White, + the frame; White's two stones are in atari at D4
/// let drawn = b"+++++++ +.xx..+ +xoo..+ +.xx..+ +.....+ +.....+ +++++++";
/// let coordinate = Coordinate::square(5).unwrap();
/// let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
/// position.set_up(&parse_framed(coordinate, drawn).unwrap()).unwrap();
///
/// let mut searcher = Searcher::new(16 << 20, 1); // 16 MiB, RNG seed 1
/// let (limits, params, signal) = (Limits::playouts(1000), Params::default(), StopSignal::default());
/// let result = searcher.search(&SearchRequest::new(&position, Color::Black, limits, &params, &signal));
/// assert_eq!(result.playouts, 1000);
/// assert!(result.win_probability() > 0.5, "Black is ahead");
/// println!("{} wins {:.0}%", result.best().unwrap().play.vertex(coordinate), 100.0 * result.win_probability());
/// ```
pub struct Searcher {
    /// The search by playouts, from its first use on.
    playout_searcher: Option<PlayoutSearcher>,
    /// The search by a net with a score head, from its first use on.
    net_searcher: Option<NetSearcher>,
    /// Memory bound in bytes of each of the two searches.
    memory_bound: usize,
    seed: u64,
    /// Searches so far; part of each search's RNG seeds.
    searches: u64,
}

impl Searcher {
    /// A searcher with a memory bound in bytes of each of the two searches, an eighth of it for the evaluation cache and
    /// the rest for tree or graph, and an RNG seed.
    pub fn new(memory: usize, seed: u64) -> Searcher {
        Searcher { playout_searcher: None, net_searcher: None, memory_bound: memory, seed, searches: 0 }
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
        self.playout_searcher.as_ref().map_or(0, PlayoutSearcher::memory)
            + self.net_searcher.as_ref().map_or(0, NetSearcher::memory)
    }

    /// Forgets trees, graphs and evaluations.
    pub fn clear(&mut self) {
        (self.playout_searcher, self.net_searcher) = (None, None);
    }

    /// Searches a position.
    pub fn search(&mut self, request: &SearchRequest<'_>) -> SearchResult {
        self.search_with_progress(request, ProgressSink::default())
    }

    /// Searches a position, with progress reports.
    pub fn search_with_progress(&mut self, request: &SearchRequest<'_>, progress: ProgressSink<'_>) -> SearchResult {
        self.searches += 1;
        let (seed, searches, cache_bytes) = (self.seed, self.searches, self.memory_bound / 8);
        let bytes = self.memory_bound - cache_bytes;
        let rng = |thread| rng(seed, searches, thread);
        let coordinate = request.position.board().coordinate();
        match request.net.filter(|net| is_search_by_net(net, request.params, coordinate)) {
            Some(net) => {
                let searcher = self.net_searcher.get_or_insert_with(|| NetSearcher::new(bytes, cache_bytes));
                searcher.search(net, request, rng, progress)
            }
            None => {
                let searcher = self.playout_searcher.get_or_insert_with(|| PlayoutSearcher::new(bytes, cache_bytes));
                searcher.search(request, rng, progress)
            }
        }
    }
}

/// The random numbers of a thread of a search.
fn rng(seed: u64, searches: u64, thread: u64) -> Rng {
    Rng::with_seed(seed ^ (searches << 16 | thread).wrapping_mul(GOLDEN_GAMMA))
}
