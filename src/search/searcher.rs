//! The search: a tree that grows where playouts do well.
//!
//! From the root, the most promising move is followed until a move is met that has not been tried enough; from there a
//! playout decides. Its result is counted for every move on the way (UCT: L. Kocsis and C. Szepesvari, "Bandit Based
//! Monte-Carlo Planning", 2006), and for every move beside the way that the same player made later in it (RAVE: S. Gelly
//! and D. Silver, "Monte-Carlo tree search and rapid action value estimation in computer Go", 2011). What is thought of
//! a move before it is tried counts as so many playouts.
//!
//! Threads share the tree; a playout under way counts as lost. With one thread, a seed and a limit of playouts, the same
//! game gets the same search.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::kernel::{Board, Color, GameRule, KoRule, Move, Point, Position, Scoring};
use crate::net::{Net, features};
use crate::playout::heavy::Policy;
use crate::search::eval_cache::EvalCache;
use crate::search::evaluator::{EvalCost, EvalInput, Evaluator};
use crate::search::limits::{Limits, RankedMove, RootRanking, should_stop};
use crate::search::params::Params;
use crate::search::priors::{Prior, priors};
use crate::search::progress::ProgressSink;
use crate::search::restrictions::Restrictions;
use crate::search::stats::{Lead, SearchStats, ThreadStats};
use crate::search::stop_signal::StopSignal;
use crate::search::tree::{Mean, Node, Tree};
use crate::search::worker::Worker;

/// After so many playouts the moves are compared, to see whether one is best already.
const LOOK_EVERY: u64 = 16;

/// Playouts that speak for a move's lead however many were made before; half of them all do, too.
const SOUND_LEAD: u64 = 100;

/// A move that was considered.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// The move.
    pub play: Move,
    /// Playouts that began with it.
    pub visits: u32,
    /// The mean of their results, from 0, lost, to 1, won, for who makes the move.
    pub value: f32,
    /// What was thought of it before it was tried, likewise.
    pub prior: f32,
    /// The chance from 0 to 1 that the net gives to it, if the net was asked.
    pub policy: Option<f32>,
    /// What both players are expected to play, this move first.
    pub variation: Vec<Move>,
    /// Playouts through each move of the variation.
    pub variation_visits: Vec<u32>,
    /// Black's lead at the end of this search's playouts that began with it, if there were enough to speak for all. The
    /// fewer they are, the nearer the mean is to that of all playouts.
    pub lead: Option<Lead>,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// The moves considered, the one to play first. Never empty: a pass is always considered.
    pub candidates: Vec<Candidate>,
    /// Playouts of this search.
    pub playouts: u64,
    /// Ways taken through the tree for them, those given up for a repetition among them.
    pub simulations: u64,
    /// Playouts that the tree rests on, those of earlier searches counted.
    pub visits: u64,
    /// Whether no order ended it.
    pub completed: bool,
    /// How long it took.
    pub elapsed: Duration,
    /// How long of this it took to begin: what was known before is put in order.
    pub setup_time: Duration,
    /// Positions that the net was asked about.
    pub evaluations: u64,
    /// Time spent asking it, all threads together.
    pub eval_time: Duration,
    /// For every cell of the walled board, by its index: 1 for a point that was always Black's at the end of the
    /// playouts, -1 for one that was always White's; 0 on the frame.
    pub ownership: Vec<f32>,
    /// For every cell likewise: how much owning it at the end went along with winning, from 0 to 1;
    /// below 0 if it was rather the loser's.
    pub criticality: Vec<f32>,
    /// The mean of Black's lead in points at the end of the playouts, komi counted.
    pub lead: f32,
    /// The standard deviation of a playout's lead.
    pub lead_deviation: f32,
}

impl SearchResult {
    /// The move to play.
    pub fn best(&self) -> Option<&Candidate> {
        self.candidates.first()
    }

    /// How the player to move stands: from 0, lost, to 1, won.
    pub fn value(&self) -> f32 {
        self.best().map_or(0.5, |best| best.value)
    }

    /// Black's lead if the best move is made: what [`SearchResult::value`] goes with. That of all playouts, the bad moves'
    /// too, while too few began with the best.
    pub fn best_lead(&self) -> Lead {
        let all = Lead { mean: self.lead, deviation: self.lead_deviation, playouts: self.playouts };
        self.best().and_then(|best| best.lead).unwrap_or(all)
    }
}

/// Searches positions, and keeps what it found for those that follow.
pub struct Searcher {
    tree: Tree,
    /// What the net has said so far.
    cache: EvalCache,
    /// What the tree was grown from.
    root: Option<Root>,
    seed: u64,
    /// Searches so far: each has chances of its own.
    searches: u64,
}

/// What a tree rests on.
#[derive(Clone, PartialEq, Debug)]
struct Root {
    /// A number for every position of the game up to here, with all that led to it.
    history_hashes: Vec<u64>,
    to_move: Color,
    rule: GameRule,
    params: Params,
    /// Whether komi is added in thought: what a move is worth depends on it.
    has_extra_komi: bool,
    restrictions: Restrictions,
    has_net: bool,
}

impl Root {
    /// Whether a tree grown from here is of use for the next search. Moves left out near the root are left out at other
    /// depths once a move has been made.
    fn leads_to(&self, next: &Root) -> bool {
        let depth = next.history_hashes.len().checked_sub(self.history_hashes.len());
        next.history_hashes.starts_with(&self.history_hashes)
            && (self.rule, self.params, self.has_extra_komi, self.has_net)
                == (next.rule, next.params, next.has_extra_komi, next.has_net)
            && self.restrictions == next.restrictions
            && (depth == Some(0) || next.restrictions.is_empty())
    }
}

/// A search to be made.
pub struct SearchRequest<'a> {
    /// The position to think about.
    pub position: &'a Position,
    /// Whose move is sought, be it their turn or not.
    pub color: Color,
    /// When to stop.
    pub limits: Limits,
    /// Threads to search with, at least one.
    pub threads: usize,
    /// What the search is tuned by.
    pub params: &'a Params,
    /// Points added to White's score while thinking, beyond those of the rules.
    pub extra_komi: f64,
    /// Moves left out near the root, if any.
    pub restrictions: Option<&'a Restrictions>,
    /// The net that is asked which moves are worth looking at, if there is one.
    pub net: Option<&'a Net>,
    /// Says when the search shall stop.
    pub stop_signal: &'a StopSignal,
}

impl Searcher {
    /// A searcher that keeps what takes at most so much memory, in bytes: most of it a tree, an eighth what the net has
    /// said. The same seed gets the same chances.
    pub fn new(memory: usize, seed: u64) -> Searcher {
        let for_answers = memory / 8;
        let (tree, cache) = (Tree::new(memory - for_answers), EvalCache::new(for_answers));
        Searcher { tree, cache, root: None, seed, searches: 0 }
    }

    /// Where its chances start from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How many searches it has made.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// How much memory its tree takes by now, in bytes.
    pub fn memory(&self) -> usize {
        self.tree.memory()
    }

    /// Forgets all that was found.
    pub fn forget(&mut self) {
        self.tree.clear();
        self.cache.clear();
        self.root = None;
    }

    /// Searches a position.
    pub fn search(&mut self, request: &SearchRequest<'_>) -> SearchResult {
        self.search_with_progress(request, ProgressSink::default())
    }

    /// Searches a position and says now and then what was found so far.
    pub fn search_with_progress(&mut self, request: &SearchRequest<'_>, progress: ProgressSink<'_>) -> SearchResult {
        let begin = Instant::now();
        self.reuse_tree(request);
        self.searches += 1;
        let root = RootState::new(request);
        let stats = || ThreadStats::new(request.position.board().coordinate());
        let search = SearchContext {
            tree: &self.tree,
            request,
            policy: Policy::new(request.params),
            start: &root,
            begin,
            setup_time: begin.elapsed(),
            stop: AtomicBool::new(false),
            playouts: AtomicU64::new(0),
            visits_before: u64::from(self.tree.root().visits()),
            cache: &self.cache,
            eval_cost: EvalCost::default(),
            stats: SearchStats(std::iter::repeat_with(stats).take(request.threads.max(1)).collect()),
        };
        search.expand_root();
        let chance = |thread: u64| {
            Rng::with_seed(self.seed ^ (self.searches << 16 | thread).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        };
        thread::scope(|scope| {
            let mut workers = (0..).zip(&search.stats.0).map(|(number, stats)| (chance(number), stats));
            let first = workers.next();
            let others: Vec<_> = workers
                .map(|(rng, stats)| {
                    let search = &search;
                    let worker = move || Worker::new(search, stats, rng).run(None);
                    thread::Builder::new().spawn_scoped(scope, worker)
                })
                // a machine that has no room for a thread is searched with fewer
                .filter_map(Result::ok)
                .collect();
            if let Some((rng, stats)) = first {
                Worker::new(&search, stats, rng).run(Some(progress));
            }
            // a fault in one thread has stopped the others, and what it had counted stays
            others.into_iter().for_each(|other| drop(other.join()));
        });
        search.result()
    }

    /// Makes the root of the tree the position to think about: what was found about it before is kept.
    fn reuse_tree(&mut self, request: &SearchRequest<'_>) {
        let position = request.position;
        let root = Root {
            history_hashes: history_hashes(position),
            to_move: request.color,
            rule: *position.rule(),
            params: *request.params,
            has_extra_komi: request.extra_komi != 0.0,
            restrictions: request.restrictions.cloned().unwrap_or_default(),
            has_net: request.net.is_some(),
        };
        let kept = self.root.take().filter(|old| old.leads_to(&root));
        match kept {
            Some(old) => {
                let moves = position.record().items().iter().skip(old.history_hashes.len() - 1);
                let mut to_move = old.to_move;
                for item in moves {
                    let children = self.tree.children(self.tree.root());
                    let number = children.iter().position(|child| child.play() == Some(item.play));
                    match number.filter(|_| item.color == to_move) {
                        Some(number) => self.tree.advance(number),
                        None => self.tree.clear(),
                    }
                    to_move = item.color.opponent();
                }
                if to_move != request.color {
                    self.tree.clear();
                }
                // once for all the moves made since
                if root.history_hashes.len() > old.history_hashes.len() {
                    self.tree.compact();
                }
            }
            None => self.tree.clear(),
        }
        self.root = Some(root);
    }
}

/// A number for every position of a game, each of which tells of all positions before it.
pub(crate) fn history_hashes(position: &Position) -> Vec<u64> {
    let board = position.board();
    let size = (board.coordinate().width(), board.coordinate().height());
    let mut sum = u64::from(size.0) << 32 | u64::from(size.1) << 24 | (position.handicap() as u64);
    let now = (position.hash(), position.to_move());
    let mut numbers: Vec<u64> = Vec::with_capacity(position.record().len() + 1);
    for (hash, to_move) in position.history().chain([now]) {
        sum = (sum ^ hash).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23) ^ to_move.index() as u64;
        numbers.push(sum);
    }
    numbers
}

/// A number for a position of a game, which tells of all positions before it, too.
pub fn fingerprint(position: &Position) -> u64 {
    history_hashes(position).last().copied().unwrap_or_default()
}

/// Where every playout begins.
pub(crate) struct RootState {
    pub(crate) board: Board,
    /// The last moves, the latest first.
    pub(crate) latest: Vec<Option<Point>>,
    /// Passes in a row just made.
    pub(crate) passes: usize,
    pub(crate) hash: u64,
    /// Boards that superko forbids, with who would be to move.
    pub(crate) forbidden: Vec<(u64, Color)>,
    /// What is added to Black's area to make it Black's score, if both players make as many moves from here on.
    pub(crate) bonus: f32,
}

impl RootState {
    fn new(request: &SearchRequest<'_>) -> RootState {
        let position = request.position;
        let mut bonus = -position.rule().points_ahead(position.handicap()) - request.extra_komi;
        if position.rule().scoring == Scoring::Territory {
            bonus += played_less(position);
        }
        let mut board = position.board().clone();
        if position.banned_ko().is_none() {
            board.lift_ko();
        }
        RootState {
            board,
            latest: position.record().latest().take(features::MOVES).collect(),
            passes: usize::from(position.record().ends_in_pass()),
            hash: position.hash(),
            forbidden: match position.rule().ko {
                KoRule::Simple => Vec::new(),
                _ => position.history().collect(),
            },
            bonus: bonus as f32,
        }
    }

    /// The points of the last two moves, the latest first.
    fn recent(&self) -> [Option<Point>; 2] {
        [0, 1].map(|number| self.latest.get(number).copied().flatten())
    }
}

/// Stones that White has put down more than Black, as prisoners and stones on the board tell: what Black's score by
/// territory is greater than that by area.
fn played_less(position: &Position) -> f64 {
    let board = position.board();
    let stones = |color: Color| board.coordinate().points().filter(|&p| board.stone(p) == color.stone()).count() as f64;
    let put = |color: Color| stones(color) + f64::from(position.prisoners(color.opponent()));
    put(Color::White) - put(Color::Black)
}

/// What the threads of one search share.
pub(crate) struct SearchContext<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) request: &'a SearchRequest<'a>,
    pub(crate) policy: Policy,
    pub(crate) start: &'a RootState,
    begin: Instant,
    setup_time: Duration,
    pub(crate) stop: AtomicBool,
    pub(crate) playouts: AtomicU64,
    pub(crate) visits_before: u64,
    cache: &'a EvalCache,
    eval_cost: EvalCost,
    /// One for each thread.
    stats: SearchStats,
}

impl SearchContext<'_> {
    /// The moves of the root are in the tree from the start, and only those that the rules of the game allow.
    fn expand_root(&self) {
        let root = self.tree.root();
        let SearchRequest { position, color, .. } = *self.request;
        let mut moves = Vec::new();
        priors(&self.start.board, color, self.start.recent(), self.request.params, &mut moves);
        let pass = moves.iter().find(|prior| prior.play == Move::Pass).copied();
        self.remove_restricted(color, 0, &mut moves);
        let is_legal = |prior: &Prior| prior.play.point().is_none_or(|point| position.check(color, point).is_ok());
        if !moves.iter().any(is_legal) {
            // whoever has no move left passes
            moves = Vec::from_iter(pass);
        }
        self.tree.expand(root, || &moves);
        for child in self.tree.children(root) {
            if let Some(Move::Play(point)) = child.play()
                && position.check(color, point).is_err()
            {
                child.forbid();
            }
        }
        if let Some(mut evaluator) = self.evaluator() {
            let has_time = !self.request.limits.single_root_symmetry();
            let input = EvalInput { board: &self.start.board, color, hash: self.start.hash };
            evaluator.evaluate_root(&input, self.start.latest.iter().copied(), has_time);
        }
    }

    /// Someone who asks the net, if there is one.
    pub(crate) fn evaluator(&self) -> Option<Evaluator<'_>> {
        let position = self.request.position;
        let komi = position.rule().points_ahead(position.handicap());
        self.request.net.map(|net| Evaluator::new(net, self.tree, self.cache, &self.eval_cost, komi))
    }

    /// Takes away what the task leaves out after so many moves from the root.
    pub(crate) fn remove_restricted(&self, color: Color, depth: usize, moves: &mut Vec<Prior>) {
        if let Some(restrictions) = self.request.restrictions {
            moves.retain(|prior| restrictions.admits(color, prior.play, depth));
        }
    }

    /// Makes a report if one is due; says whether to go on.
    pub(crate) fn report(&self, progress: &mut ProgressSink<'_>) -> ControlFlow<()> {
        progress.give(self.begin, || self.result())
    }

    /// Whether to stop after so many playouts of the thread that asks, every time after one.
    pub(crate) fn is_time_up(&self, playouts: u64) -> bool {
        let elapsed = self.begin.elapsed();
        if self.request.stop_signal.should_stop(elapsed) {
            return true;
        }
        let Some(budget) = self.request.limits.time else { return false };
        if elapsed >= budget.hard {
            return true;
        }
        if !playouts.is_multiple_of(LOOK_EVERY) {
            return false;
        }
        let children = self.tree.children(self.tree.root()).iter().filter(|child| !child.is_forbidden());
        let ranking = RootRanking::new(children.map(|child| {
            let Mean { value, weight } = child.mean();
            RankedMove { visits: weight as u64, value: f64::from(value) }
        }));
        should_stop(ranking, budget, elapsed, self.playouts.load(Ordering::Relaxed))
    }

    fn result(&self) -> SearchResult {
        let (lead, elapsed) = (self.stats.lead(), self.begin.elapsed());
        SearchResult {
            candidates: self.candidates(),
            playouts: self.stats.playouts(),
            simulations: self.playouts.load(Ordering::Relaxed),
            visits: u64::from(self.tree.root().visits()),
            completed: !self.request.stop_signal.should_stop(elapsed),
            elapsed,
            setup_time: self.setup_time,
            evaluations: self.eval_cost.evaluations(),
            eval_time: self.eval_cost.time(),
            ownership: self.stats.ownership(),
            criticality: self.stats.criticality(),
            lead: lead.mean + self.request.extra_komi as f32,
            lead_deviation: lead.deviation,
        }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let leads = self.stats.leads_after();
        let candidate = |child: &Node| {
            let play = child.play()?;
            let visits = child.visits();
            let (variation, variation_visits) = std::iter::once((play, visits)).chain(self.variation(child)).unzip();
            let lead = leads.get(child.cell()).copied().flatten();
            // results of earlier searches are in the tree, their leads are not
            let lead = lead.filter(|lead| lead.playouts >= SOUND_LEAD.min(u64::from(visits).div_ceil(2)));
            Some(Candidate {
                play,
                visits,
                value: child.mean().value,
                prior: child.prior().value,
                policy: self.tree.root().is_evaluated().then(|| child.policy()),
                variation,
                variation_visits,
                lead: lead.map(|lead| Lead { mean: lead.mean + self.request.extra_komi as f32, ..lead }),
            })
        };
        let mut candidates: Vec<Candidate> =
            self.tree.children(self.tree.root()).iter().filter_map(candidate).collect();
        candidates.sort_by(|a, b| {
            b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)).then(b.prior.total_cmp(&a.prior))
        });
        if candidates.is_empty() {
            candidates.push(Candidate {
                play: Move::Pass,
                visits: 0,
                value: 0.5,
                prior: 0.5,
                policy: None,
                variation: vec![Move::Pass],
                variation_visits: vec![0],
                lead: None,
            });
        }
        candidates
    }

    /// What is expected after a move, with the playouts through each.
    fn variation(&self, node: &Node) -> Vec<(Move, u32)> {
        let mut moves = Vec::new();
        let mut node = node;
        while let Some(child) = self.tree.children(node).iter().max_by_key(|child| child.visits())
            && child.visits() > 0
            && let Some(play) = child.play()
        {
            moves.push((play, child.visits()));
            node = child;
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::LazyLock;

    use super::*;
    use crate::kernel::test_boards::stones;

    fn position(drawn: &[&str]) -> Position {
        let (coordinate, stones) = stones(drawn);
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        position.set_up(&stones).unwrap();
        position
    }

    fn search(searcher: &mut Searcher, position: &Position, threads: usize) -> SearchResult {
        searcher.search(&SearchRequest { threads, ..request(position, &Params::default()) })
    }

    fn request<'a>(position: &'a Position, params: &'a Params) -> SearchRequest<'a> {
        static NOBODY: LazyLock<StopSignal> = LazyLock::new(StopSignal::default);
        SearchRequest {
            position,
            color: position.to_move(),
            limits: Limits::playouts(400),
            threads: 1,
            params,
            extra_komi: 0.0,
            restrictions: None,
            net: None,
            stop_signal: &NOBODY,
        }
    }

    fn play(position: &mut Position, vertex: &str) {
        let point = position.board().coordinate().parse_vertex(vertex).unwrap();
        position.play(position.to_move(), point).unwrap();
    }

    const KO: [&str; 5] = [".xo..", "x.xo.", ".xo..", ".....", "....."];

    #[test]
    fn what_was_found_about_the_moves_played_is_kept_even_past_a_ko() {
        let mut position = position(&KO);
        position.set_to_move(Color::White);
        let mut searcher = Searcher::new(64 << 20, 1);
        assert_eq!(search(&mut searcher, &position, 1).visits, 400);
        play(&mut position, "B2");
        assert!(position.board().ko().is_some());
        let found = search(&mut searcher, &position, 1);
        assert!(found.visits > 400 && found.playouts == 400, "{}", found.visits);
        let expected = found.best().unwrap().visits;
        match found.best().unwrap().play {
            Move::Play(point) => position.play(Color::Black, point).unwrap(),
            Move::Pass => position.pass(Color::Black),
        }
        assert_eq!(search(&mut searcher, &position, 1).visits, u64::from(expected) + 400);
    }

    #[test]
    fn what_was_found_is_forgotten_when_it_does_not_belong_to_the_game() {
        let mut position = position(&KO);
        let mut searcher = Searcher::new(64 << 20, 1);
        search(&mut searcher, &position, 1);
        position.rule_mut().komi = 5.5;
        assert_eq!(search(&mut searcher, &position, 1).visits, 400);
        play(&mut position, "E5");
        position.undo().unwrap();
        play(&mut position, "A5");
        position.undo().unwrap();
        assert_eq!(search(&mut searcher, &position, 1).visits, 800, "the same position");
        position.set_to_move(Color::White);
        assert_eq!(search(&mut searcher, &position, 1).visits, 400);
    }

    #[test]
    fn threads_count_each_playout_once() {
        let position = position(&KO);
        let mut searcher = Searcher::new(64 << 20, 1);
        for threads in 1..=4 {
            searcher.forget();
            let found = search(&mut searcher, &position, threads);
            assert_eq!((found.playouts, found.visits), (400, 400));
            let children: u64 = found.candidates.iter().map(|candidate| u64::from(candidate.visits)).sum();
            assert_eq!(children, 400);
            assert!(found.candidates.iter().all(|candidate| (0.0..=1.0).contains(&candidate.value)));
        }
    }

    /// The moves of a report or of what was found at last, by name, with their visits.
    fn moves(position: &Position, found: &SearchResult) -> Vec<(String, u32)> {
        let coordinate = position.board().coordinate();
        found.candidates.iter().map(|candidate| (candidate.play.vertex(coordinate), candidate.visits)).collect()
    }

    #[test]
    fn reports_cover_all_threads_and_may_end_the_search() {
        let position = position(&KO);
        let params = Params::default();
        let request = SearchRequest { limits: Limits::NONE, threads: 3, ..request(&position, &params) };
        let mut progress: Vec<SearchResult> = Vec::new();
        let mut on_progress = |result: &SearchResult| {
            progress.push(result.clone());
            if progress.len() < 5 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let every = Duration::from_millis(2);
        let found =
            Searcher::new(64 << 20, 1).search_with_progress(&request, ProgressSink::new(every, &mut on_progress));
        assert_eq!(progress.len(), 5);
        assert!(progress.is_sorted_by(|a, b| a.playouts < b.playouts));
        assert!((1..).zip(&progress).all(|(number, result)| result.elapsed >= every * number));
        for result in progress.iter().chain([&found]) {
            assert!(result.ownership.iter().all(|owner| owner.abs() <= 1.0) && result.lead.abs() <= 25.0);
            assert!(result.playouts <= result.visits, "{} playouts under way are visits", result.playouts);
            for candidate in &result.candidates {
                assert_eq!(candidate.variation.len(), candidate.variation_visits.len());
                assert_eq!(candidate.variation.first(), Some(&candidate.play));
            }
        }
        // what the threads counted is the tree's
        assert_eq!(found.playouts, found.visits);
        let best = found.best().unwrap();
        assert!(best.variation_visits.is_sorted_by(|a, b| a >= b) && best.variation_visits.len() > 1);
        assert!(best.lead.is_some_and(|lead| lead.deviation > 0.0));
    }

    #[test]
    fn moves_left_out_are_not_tried_and_have_no_part_in_later_searches() {
        let position = position(&KO);
        let coordinate = position.board().coordinate();
        let move_at = |vertex| Move::Play(coordinate.parse_vertex(vertex).unwrap());
        let params = Params::default();
        let mut searcher = Searcher::new(64 << 20, 1);
        let free = searcher.search(&request(&position, &params));
        let best = free.best().unwrap().play;

        let mut restrictions = Restrictions::default();
        restrictions.avoid(Color::Black, [best], 1);
        let restricted = SearchRequest { restrictions: Some(&restrictions), ..request(&position, &params) };
        let found = searcher.search(&restricted);
        assert_eq!(found.visits, 400, "a tree of its own");
        assert!(found.candidates.iter().all(|candidate| candidate.play != best));
        assert_eq!(searcher.search(&restricted).visits, 800, "which is kept");
        let found = searcher.search(&request(&position, &params));
        assert_eq!(found.visits, 400);
        assert!(found.candidates.iter().any(|candidate| candidate.play == best && candidate.visits > 0));

        // one move for each side
        let mut restrictions = Restrictions::default();
        restrictions.allow(coordinate, Color::Black, &[move_at("E5")], 1);
        restrictions.allow(coordinate, Color::White, &[move_at("A5")], 2);
        let found =
            searcher.search(&SearchRequest { restrictions: Some(&restrictions), ..request(&position, &params) });
        assert_eq!(moves(&position, &found), [("E5".to_owned(), 400)]);
        assert_eq!(found.best().unwrap().variation.get(1), Some(&move_at("A5")));
        assert!(found.best().unwrap().variation.len() > 3, "beyond it moves are free");

        // no move at all is left, or none that is legal: then the pass
        let mut restrictions = Restrictions::default();
        restrictions.allow(coordinate, Color::Black, &[], 1);
        let none = restrictions.clone();
        restrictions = Restrictions::default();
        restrictions.allow(coordinate, Color::Black, &[move_at("B1"), move_at("C1")], 1);
        for restrictions in [&none, &restrictions] {
            let found =
                searcher.search(&SearchRequest { restrictions: Some(restrictions), ..request(&position, &params) });
            assert_eq!((found.visits, moves(&position, &found)), (400, vec![("pass".to_owned(), 400)]));
            assert!(found.best().unwrap().lead.is_some());
        }
    }

    /// White sends two stones in at A1, Black takes them at C1, and White one at B1: the board is again what it was.
    const SEND_TWO: [&str; 5] = [".o.o.", "xxoo.", ".xxo.", "...o.", "....."];

    #[test]
    fn situational_superko_knows_who_was_to_move_before_a_pass() {
        let mut position = position(&SEND_TWO);
        *position.rule_mut() = position.rule().named("aga").unwrap();
        let coordinate = position.board().coordinate();
        let move_at = |vertex| Move::Play(coordinate.parse_vertex(vertex).unwrap());
        let mut restrictions = Restrictions::default();
        restrictions.allow(coordinate, Color::Black, &[Move::Pass, move_at("C1")], 9);
        restrictions.allow(coordinate, Color::White, &[move_at("A1"), move_at("B1")], 9);
        restrictions.avoid(Color::Black, [move_at("C1")], 1);
        let params = Params::default();
        let request = SearchRequest { restrictions: Some(&restrictions), ..request(&position, &params) };
        let found = Searcher::new(64 << 20, 1).search(&request);
        let pass = found.candidates.iter().find(|candidate| candidate.play == Move::Pass).unwrap();
        assert!(pass.variation.len() >= 3, "{:?}", moves(&position, &found));
        let mut game = position.clone();
        for play in &pass.variation {
            let color = game.to_move();
            match *play {
                Move::Play(point) => game.play(color, point).unwrap(),
                Move::Pass => game.pass(color),
            }
        }
    }

    /// White has the board by 4.5 points at a komi of 7.5.
    const SETTLED: [&str; 9] = [
        ".....x...",
        "..xxo.x..",
        "..xoxx.xx",
        "..xooxxxo",
        ".xxo.oooo",
        "xxo.o..oo",
        "xooooo.o.",
        "xoo..o.o.",
        "xxxoo.o..",
    ];

    const OPEN: [&str; 9] = ["........."; 9];

    #[test]
    fn the_net_is_heard_on_who_wins_as_far_as_playouts_leave_that_open() {
        let net = Net::built_in().unwrap();
        let whites_chance = |drawn: &[&str], net_value_weight: f64| {
            let mut position = position(drawn);
            position.rule_mut().komi = 7.5;
            position.set_to_move(Color::White);
            let params = Params { net_value_weight, ..Params::default() };
            let request = SearchRequest { net: Some(&net), ..request(&position, &params) };
            f64::from(Searcher::new(64 << 20, 1).search(&request).value())
        };
        // the playouts' own word is that White wins nearly all
        let settled = whites_chance(&SETTLED, 0.0);
        assert!(settled > 0.98 && (whites_chance(&SETTLED, 0.2) - settled).abs() < 0.01);
        // the net thinks better of Black's first moves than playouts do
        assert!(whites_chance(&OPEN, 0.0) - whites_chance(&OPEN, 1.0) > 0.05);
    }

    #[test]
    fn a_ko_that_nobody_has_begun_may_be_retaken() {
        let mut position = position(&KO);
        position.set_to_move(Color::White);
        play(&mut position, "B2");
        let retake = position.board().coordinate().parse_vertex("C2").unwrap();
        assert!(position.check(Color::Black, retake).is_ok(), "Black has made no move");
        let found = search(&mut Searcher::new(64 << 20, 1), &position, 1);
        assert!(found.candidates.iter().any(|candidate| candidate.play == Move::Play(retake) && candidate.visits > 0));
    }

    #[test]
    fn a_move_that_superko_forbids_is_not_considered() {
        let mut position = position(&KO);
        *position.rule_mut() = position.rule().named("chinese-ogs").unwrap();
        position.set_to_move(Color::White);
        play(&mut position, "B2");
        let retake = position.board().coordinate().parse_vertex("C2").unwrap();
        assert!(position.check(Color::Black, retake).is_err());
        let found = search(&mut Searcher::new(64 << 20, 1), &position, 1);
        assert!(found.candidates.iter().all(|candidate| candidate.play != Move::Play(retake)));
    }
}
