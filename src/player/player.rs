//! The player: runs searches and turns their results into moves, passes and resignation.
//!
//! From move to move a player keeps its search tree and a summary of the game: series of lost moves, whether the end is
//! near, the time of a playout, and the time of moves beyond their budget. It keeps no clock: callers compute the
//! limits of a request from theirs ([`Player::limits`]).

mod choose;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fastrand::Rng;

use crate::kernel::{Color, Position};
use crate::net::Net;
use crate::player::clock::Clock;
use crate::player::level::{Level, level};
use crate::player::options::{Options, SearcherOptions};
use crate::player::playout_time::PlayoutTime;
use crate::player::request::PlayerRequest;
use crate::player::resign::LossStreak;
use crate::player::score::{FinalScore, Interrupted, interruptible_final_score};
use crate::player::score_cache::CachedScore;
use crate::player::status::{Status, status_by_katago_or_playouts};
use crate::player::time::{GameProgress, OverrunTracker, time_budget};
use crate::player::trace::{Purpose, SearchRecord, SearchTrace};
use crate::player::virtual_komi::virtual_komi;
use crate::search::params::is_search_by_net;
use crate::search::{Limits, ProgressSink, SearchRequest, SearchResult, Searcher, StopSignal};

/// A player, who reuses the search of one move for the next.
pub struct Player {
    /// The options of searches.
    pub options: Options,
    /// The net that evaluates positions, if one is used.
    pub net: Option<Arc<Net>>,
    /// Records of searches, and searches to repeat in a replay.
    pub trace: SearchTrace,
    searcher: Searcher,
    /// The options with which the searcher was made.
    searcher_options: SearcherOptions,
    /// The series of lost moves of each colour, by [`Color::index`](crate::kernel::Color::index).
    loss_streaks: [LossStreak; 2],
    /// Whether the last search found the game near its end.
    is_near_end: bool,
    pub(super) playout_time: PlayoutTime,
    /// Time of recent moves beyond their budget.
    overrun: OverrunTracker,
    /// Time of the last move.
    last_move_time: Duration,
    /// Whether the tree comes from a search that was stronger than the level allows.
    tree_exceeds_level: bool,
    /// Random choices of weak levels.
    rng: Rng,
    /// The last final score.
    last_score: Mutex<Option<CachedScore>>,
}

impl Player {
    /// A player with these options and without a net.
    pub fn new(options: Options) -> Player {
        Player::with_seed(options, options.resolved_seed())
    }

    fn with_seed(options: Options, seed: u64) -> Player {
        Player {
            searcher: searcher(&options, seed),
            searcher_options: options.of_searcher(),
            net: None,
            trace: SearchTrace::default(),
            options,
            loss_streaks: Default::default(),
            is_near_end: false,
            playout_time: PlayoutTime::default(),
            overrun: OverrunTracker::default(),
            last_move_time: Duration::ZERO,
            tree_exceeds_level: false,
            rng: Rng::with_seed(seed),
            last_score: Mutex::default(),
        }
    }

    /// Memory in use by the tree of the search by playouts and the graph of the search by net, in MiB, without the
    /// caches of evaluations. A check of the free memory for a larger `MemoryMB` counts it as granted already, because
    /// it is given back when the next search makes a searcher of the new size.
    pub fn tree_memory_mib(&self) -> u64 {
        (self.searcher.tree_and_graph_bytes() >> 20) as u64
    }

    /// Forgets the game: tree, series of lost moves, whether the end is near. Keeps timing.
    pub fn new_game(&mut self) {
        self.clear_cache();
        self.loss_streaks = Default::default();
        self.is_near_end = false;
    }

    /// Clears search tree and evaluation cache.
    pub fn clear_cache(&mut self) {
        self.searcher.clear();
        self.tree_exceeds_level = false;
    }

    /// Resets everything but options, net and trace; random numbers start from the seed again.
    pub fn restart(&mut self) {
        let before = std::mem::replace(self, Player::with_seed(self.options, self.seed()));
        (self.net, self.trace) = (before.net, before.trace);
    }

    /// Sets the options; another `Seed` takes effect at once.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
        if options.seed != self.searcher_options.seed {
            self.restart_random_numbers();
        }
    }

    /// Random numbers start from the option `Seed`, or where that is 0 from a seed drawn now. The tree is cleared.
    pub fn restart_random_numbers(&mut self) {
        self.start_from_seed(self.next_seed());
    }

    /// The option `Seed`, or where that is 0 a drawn seed; in a replay the one that was drawn then.
    fn next_seed(&self) -> u64 {
        let drawn = self.trace.drawn_seed().filter(|_| self.options.seed == 0);
        drawn.unwrap_or_else(|| self.options.resolved_seed())
    }

    /// Random numbers start from this seed. The tree is cleared, and its memory is that of the options.
    pub fn start_from_seed(&mut self, seed: u64) {
        self.searcher = searcher(&self.options, seed);
        self.searcher_options = self.options.of_searcher();
        self.rng = Rng::with_seed(seed);
    }

    /// The limits of a search for a move of `color`. With a time limit for the game, the time is a share of the clock
    /// ([`time_budget`]); the other limits, and the time of a game without limit, are those of the options.
    pub(crate) fn limits(&self, clock: &Clock, position: &Position, color: Color) -> Limits {
        let limits = self.options.limits();
        let Some(remaining) = clock.remaining(color) else { return limits };
        let board = position.board();
        let progress = GameProgress {
            area: board.coordinate().board_area(),
            moves_played: position.record().len(),
            empty: board.empty_points().len(),
        };
        let lag = self.overrun.reserved_time(self.options.lag_buffer);
        let time = time_budget(remaining, lag, progress);
        let time = if self.options.max_time > 0.0 { time.capped(self.options.max_time) } else { time };
        Limits { time: Some(time), ..limits }
    }

    /// Searches a position for display, at full strength whatever the level is.
    pub fn analyze_position(&mut self, request: &PlayerRequest<'_>, progress: ProgressSink<'_>) -> SearchResult {
        self.tree_exceeds_level = true;
        self.search(request, Purpose::Analysis, self.net.clone(), progress)
    }

    /// The same with [`Player::playout_net`], for positions unlike those of games, such as a board with only a part of
    /// its handicap stones.
    pub(crate) fn analyze_with_playout_net(&mut self, request: &PlayerRequest<'_>) -> SearchResult {
        self.tree_exceeds_level = true;
        self.search(request, Purpose::Analysis, self.playout_net(), ProgressSink::default())
    }

    /// Searches during the opponent's turn; weak levels do not.
    pub fn ponder(&mut self, request: &PlayerRequest<'_>) {
        if self.level(request.position).is_none() {
            self.search(request, Purpose::Ponder, self.net.clone(), ProgressSink::default());
        }
    }

    /// The configured level on this board, one by playouts where it cannot search by net; `None` at full strength.
    fn level(&self, position: &Position) -> Option<Level> {
        let coordinate = position.board().coordinate();
        match level(self.options.level, coordinate)? {
            level @ Level::Visits { fallback_playouts, .. } => match self.level_net() {
                net @ Some(_) if self.is_search_by_net(net.as_deref(), position) => Some(level),
                _ => Some(Level::Playouts(fallback_playouts)),
            },
            level => Some(level),
        }
    }

    /// The net of a search for a move. A level below the strongest plays with a built-in net, so that it plays equally
    /// well whatever the player's net is: [`Player::playout_net`], with which it plays like people, or
    /// [`Player::level_net`].
    fn move_net(&self, position: &Position) -> Option<Arc<Net>> {
        match self.level(position) {
            None => self.net.clone(),
            Some(Level::Visits { .. }) => self.level_net(),
            Some(Level::Policy { .. } | Level::Playouts(_)) => self.playout_net(),
        }
    }

    /// The net of levels that search by net: the built-in net. `None` if no net is used, and if the player's net has no
    /// score head, since it then plays at all levels.
    fn level_net(&self) -> Option<Arc<Net>> {
        let net = self.net.as_ref()?;
        if net.native().is_some_and(|net| !net.has_score()) {
            return None;
        }
        match net.is_built_in() {
            true => Some(net.clone()),
            false => Net::built_in_with(net.precision()).ok(),
        }
    }

    /// The net of searches by playouts: the player's, if it has no score head, else the net of human moves. `None` if
    /// no net is used.
    fn playout_net(&self) -> Option<Arc<Net>> {
        let net = self.net.as_ref()?;
        match net.native().is_some_and(|net| !net.has_score()) {
            true => Some(net.clone()),
            false => Net::human().ok(),
        }
    }

    /// The score of a position: see [`final_score_with`](crate::player::final_score_with). The last one is kept, since GUIs
    /// ask for the score and for the stones of each status one after the other.
    ///
    /// # Errors
    /// If a user interrupts the command that counts, by [`StopSignal::flag`] for example. The end of the input does not.
    pub fn final_score(&self, position: &Position, stop_signal: &StopSignal) -> Result<FinalScore, Interrupted> {
        let mut last = self.last_score.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = last.as_ref().filter(|known| known.is_of(position, self.net.as_ref())) {
            return Ok(known.score.clone());
        }
        let score = interruptible_final_score(position, self.net.as_deref(), stop_signal)?;
        *last = Some(CachedScore::new(position, self.net.as_ref(), score.clone()));
        Ok(score)
    }

    /// The status of every stone of a position, independent of the rules about dead stones; see [`Player::final_score`]
    /// for the status at the end of the game.
    pub fn status(&self, position: &Position) -> Status {
        status_by_katago_or_playouts(position, self.net.as_deref())
    }

    /// Time of the last move, decision included; in a replay the time in the log.
    pub fn last_move_time(&self) -> Duration {
        self.last_move_time
    }

    /// The RNG seed.
    pub fn seed(&self) -> u64 {
        self.searcher.seed()
    }

    /// Whether a search with this net is a search by net.
    fn is_search_by_net(&self, net: Option<&Net>, position: &Position) -> bool {
        let (params, coordinate) = (&self.options.params, position.board().coordinate());
        net.is_some_and(|net| is_search_by_net(net, params, coordinate))
    }

    /// Makes a new searcher if the memory or the seed in the options has changed, or a recorded search had another seed.
    fn update_searcher(&mut self, recorded_seed: Option<u64>) {
        let is_other_seed = recorded_seed.is_some_and(|seed| seed != self.searcher.seed());
        if is_other_seed || self.searcher_options != self.options.of_searcher() {
            let seed = match recorded_seed {
                Some(seed) => seed,
                None if self.searcher_options.seed == self.options.seed => self.searcher.seed(),
                None => self.next_seed(),
            };
            self.start_from_seed(seed);
        }
    }

    /// Runs a search, or repeats the recorded one that is next in a replay.
    fn search(
        &mut self,
        request: &PlayerRequest<'_>,
        purpose: Purpose,
        net: Option<Arc<Net>>,
        progress: ProgressSink<'_>,
    ) -> SearchResult {
        let recorded = self.trace.peek(purpose);
        self.update_searcher(recorded.map(|record| record.seed));
        let PlayerRequest { position, color, restrictions, .. } = *request;
        let never_stop = StopSignal::default();
        let (limits, stop_signal) = match recorded {
            Some(record) => (
                Limits { single_root_symmetry: record.single_root_symmetry, ..Limits::playouts(record.simulations) },
                &never_stop,
            ),
            None if self.trace.is_replaying() => (Limits::playouts(1), &never_stop),
            None => (request.limits, request.stop_signal),
        };
        let is_search_by_net = self.is_search_by_net(net.as_deref(), position);
        let params = match purpose {
            Purpose::Analysis => self.options.params.for_analysis(),
            _ => self.options.params,
        };
        let threads = recorded.map_or_else(|| self.options.thread_count(), |record| record.threads);
        let search_request = SearchRequest {
            position,
            color,
            limits,
            threads,
            params: &params,
            extra_komi: match purpose {
                Purpose::Analysis => 0.0,
                // such a net distinguishes good moves from bad ones in won and lost positions, too
                _ if is_search_by_net => 0.0,
                _ => virtual_komi(position, &self.options),
            },
            // during the opponent's turn, the engine is not to move
            doubling_advantage_player: if purpose == Purpose::Ponder { color.opponent() } else { color },
            restrictions,
            net: net.as_deref(),
            detailed_ownership: request.detailed_ownership,
            ignore_pre_root_history: false,
            stop_signal,
            stops_if_interrupted_only: false,
        };
        let mut result = self.searcher.search_with_progress(&search_request, progress);
        result.completed = match recorded {
            Some(record) => record.completed,
            // a replay without a record searches one playout as a placeholder
            None => result.completed && !self.trace.is_replaying(),
        };
        self.trace.record(SearchRecord {
            purpose,
            color,
            seed: self.searcher.seed(),
            number: self.searcher.searches(),
            threads,
            simulations: result.simulations,
            playouts: result.playouts,
            visits: result.visits,
            elapsed: result.elapsed,
            single_root_symmetry: limits.uses_single_root_symmetry(),
            end_searches_allowed: false,
            completed: result.completed,
        });
        result
    }
}

/// A searcher with the memory of the options.
fn searcher(options: &Options, seed: u64) -> Searcher {
    Searcher::new((options.memory_mb as usize) << 20, seed)
}
