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

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::kernel::{Board, Color, GameRule, KoRule, Move, Point, Position, Scoring};

use super::heavy::Policy;
use super::interrupt::Interrupt;
use super::params::Params;
use super::prior::priors;
use super::stop::{self, Standing, should_stop};
use super::time::Allotment;
use super::tree::{Mean, Node, Tree};
use super::worker::{Tally, Worker};

/// After so many playouts the moves are compared, to see whether one is best already.
const LOOK_EVERY: u64 = 16;

/// When to stop. Whatever is reached first ends the search; something is always searched.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Time, if there is a limit.
    pub time: Option<Allotment>,
    /// Playouts of this search.
    pub playouts: u64,
    /// Playouts that the tree rests on, those of earlier searches counted.
    pub visits: u64,
}

impl Limits {
    /// No limit at all but the order to stop.
    pub const NONE: Limits = Limits { time: None, playouts: u64::MAX, visits: u64::MAX };

    /// A number of playouts.
    pub const fn playouts(playouts: u64) -> Limits {
        Limits { playouts, ..Limits::NONE }
    }
}

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
    /// What both players are expected to play, this move first.
    pub variation: Vec<Move>,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Thought {
    /// The moves considered, the one to play first. Never empty: a pass is always considered.
    pub candidates: Vec<Candidate>,
    /// Playouts of this search.
    pub playouts: u64,
    /// Playouts that the tree rests on, those of earlier searches counted.
    pub visits: u64,
    /// How long it took.
    pub elapsed: Duration,
    /// For every cell of the walled board, by its index: 1 for a point that was always Black's at the end of the
    /// playouts, -1 for one that was always White's; 0 on the frame.
    pub ownership: Vec<f32>,
    /// The mean of Black's lead in points at the end of the playouts, komi counted.
    pub lead: f32,
}

impl Thought {
    /// The move to play.
    pub fn best(&self) -> Option<&Candidate> {
        self.candidates.first()
    }

    /// How the player to move stands: from 0, lost, to 1, won.
    pub fn value(&self) -> f32 {
        self.best().map_or(0.5, |best| best.value)
    }
}

/// Searches positions, and keeps what it found for those that follow.
pub struct Searcher {
    tree: Tree,
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
    lineage: Vec<u64>,
    to_move: Color,
    rule: GameRule,
    params: Params,
}

/// A search to be made.
pub struct Task<'a> {
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
    /// Says when the search shall stop.
    pub interrupt: &'a Interrupt,
}

impl Searcher {
    /// A searcher whose tree takes at most so much memory, in bytes. The same seed gets the same chances.
    pub fn new(memory: usize, seed: u64) -> Searcher {
        Searcher { tree: Tree::new(memory), root: None, seed, searches: 0 }
    }

    /// Forgets all that was found.
    pub fn forget(&mut self) {
        self.tree.clear();
        self.root = None;
    }

    /// Searches a position.
    pub fn think(&mut self, task: &Task<'_>) -> Thought {
        let begin = Instant::now();
        self.settle_root(task);
        self.searches += 1;
        let root = Start::new(task);
        let search = Search {
            tree: &self.tree,
            task,
            policy: Policy::new(task.params),
            start: &root,
            begin,
            stop: AtomicBool::new(false),
            playouts: AtomicU64::new(0),
            visits_before: u64::from(self.tree.root().visits()),
        };
        search.grow_root();
        let chance = |thread: u64| {
            Rng::with_seed(self.seed ^ (self.searches << 16 | thread).wrapping_mul(0x9e37_79b9_7f4a_7c15))
        };
        let tallies: Vec<Tally> = thread::scope(|scope| {
            let others: Vec<_> = (1..task.threads.max(1) as u64)
                .map(|number| {
                    let rng = chance(number);
                    let search = &search;
                    let worker = move || Worker::new(search, rng).run(false);
                    thread::Builder::new().spawn_scoped(scope, worker)
                })
                // a machine that has no room for a thread is searched with fewer
                .filter_map(Result::ok)
                .collect();
            let first = Worker::new(&search, chance(0)).run(true);
            std::iter::once(first).chain(others.into_iter().filter_map(|other| other.join().ok())).collect()
        });
        search.thought(&tallies)
    }

    /// Makes the root of the tree the position to think about: what was found about it before is kept.
    fn settle_root(&mut self, task: &Task<'_>) {
        let position = task.position;
        let root =
            Root { lineage: lineage(position), to_move: task.color, rule: *position.rule(), params: *task.params };
        let kept = self
            .root
            .take()
            .filter(|old| old.rule == root.rule && old.params == root.params && root.lineage.starts_with(&old.lineage));
        match kept {
            Some(old) => {
                let moves = position.record().items().iter().skip(old.lineage.len() - 1);
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
                if to_move != task.color {
                    self.tree.clear();
                }
                // once for all the moves made since
                if root.lineage.len() > old.lineage.len() {
                    self.tree.close_up();
                }
            }
            None => self.tree.clear(),
        }
        self.root = Some(root);
    }
}

/// A number for every position of a game, each of which tells of all positions before it.
fn lineage(position: &Position) -> Vec<u64> {
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

/// Points that White has on top of those on the board.
fn effective_komi(position: &Position) -> f64 {
    position.rule().komi + position.rule().white_bonus(position.handicap())
}

/// Where every playout begins.
pub(super) struct Start {
    pub(super) board: Board,
    /// The last two moves, the latest first, where they were plays.
    pub(super) recent: [Option<Point>; 2],
    /// Passes in a row just made.
    pub(super) passes: usize,
    pub(super) hash: u64,
    /// Boards that superko forbids, with who would be to move.
    pub(super) forbidden: Vec<(u64, Color)>,
    /// What is added to Black's area to make it Black's score, if both players make as many moves from here on.
    pub(super) bonus: f32,
}

impl Start {
    fn new(task: &Task<'_>) -> Start {
        let position = task.position;
        let mut latest = position.record().latest();
        let mut bonus = -effective_komi(position) - task.extra_komi;
        if position.rule().scoring == Scoring::Territory {
            bonus += played_less(position);
        }
        Start {
            board: position.board().clone(),
            recent: [(); 2].map(|()| latest.next().flatten()),
            passes: usize::from(position.record().ends_in_pass()),
            hash: position.hash(),
            forbidden: match position.rule().ko {
                KoRule::Simple => Vec::new(),
                _ => position.history().collect(),
            },
            bonus: bonus as f32,
        }
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
pub(super) struct Search<'a> {
    pub(super) tree: &'a Tree,
    pub(super) task: &'a Task<'a>,
    pub(super) policy: Policy,
    pub(super) start: &'a Start,
    begin: Instant,
    pub(super) stop: AtomicBool,
    pub(super) playouts: AtomicU64,
    pub(super) visits_before: u64,
}

impl Search<'_> {
    /// The moves of the root are in the tree from the start, and only those that the rules of the game allow.
    fn grow_root(&self) {
        let root = self.tree.root();
        let Task { position, color, .. } = *self.task;
        let mut moves = Vec::new();
        priors(position.board(), color, self.start.recent, self.task.params, &mut moves);
        self.tree.expand(root, || &moves);
        for child in self.tree.children(root) {
            if let Some(Move::Play(point)) = child.play()
                && position.check(color, point).is_err()
            {
                child.forbid();
            }
        }
    }

    /// Whether to stop after so many playouts of the thread that asks, every time after one.
    pub(super) fn is_time_up(&self, playouts: u64) -> bool {
        let elapsed = self.begin.elapsed();
        if self.task.interrupt.says_stop(elapsed) {
            return true;
        }
        let Some(allotment) = self.task.limits.time else { return false };
        if elapsed >= allotment.most {
            return true;
        }
        if !playouts.is_multiple_of(LOOK_EVERY) {
            return false;
        }
        let children = self.tree.children(self.tree.root()).iter().filter(|child| !child.is_forbidden());
        let standing = Standing::new(children.map(|child| {
            let Mean { value, weight } = child.mean();
            stop::Candidate { visits: weight as u64, value: f64::from(value) }
        }));
        should_stop(standing, allotment, elapsed, self.playouts.load(Ordering::Relaxed))
    }

    fn thought(&self, tallies: &[Tally]) -> Thought {
        let playouts: u64 = tallies.iter().map(|tally| tally.playouts).sum();
        let weight = playouts.max(1) as f32;
        let mut ownership = vec![0.0; self.start.board.coordinate().memory_area()];
        for tally in tallies {
            for (mean, &owner) in ownership.iter_mut().zip(&tally.owners) {
                *mean += owner as f32 / weight;
            }
        }
        Thought {
            candidates: self.candidates(),
            playouts,
            visits: u64::from(self.tree.root().visits()),
            elapsed: self.begin.elapsed(),
            ownership,
            lead: tallies.iter().map(|tally| tally.lead).sum::<f64>() as f32 / weight,
        }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let candidate = |child: &Node| {
            let play = child.play()?;
            Some(Candidate {
                play,
                visits: child.visits(),
                value: child.mean().value,
                prior: child.prior().value,
                variation: std::iter::once(play).chain(self.variation(child)).collect(),
            })
        };
        let mut candidates: Vec<Candidate> =
            self.tree.children(self.tree.root()).iter().filter_map(candidate).collect();
        candidates.sort_by(|a, b| {
            b.visits.cmp(&a.visits).then(b.value.total_cmp(&a.value)).then(b.prior.total_cmp(&a.prior))
        });
        if candidates.is_empty() {
            let variation = vec![Move::Pass];
            candidates.push(Candidate { play: Move::Pass, visits: 0, value: 0.5, prior: 0.5, variation });
        }
        candidates
    }

    /// What is expected after a move.
    fn variation(&self, node: &Node) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut node = node;
        while let Some(child) = self.tree.children(node).iter().max_by_key(|child| child.visits())
            && child.visits() > 0
            && let Some(play) = child.play()
        {
            moves.push(play);
            node = child;
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::search::drawn::stones;

    fn position(drawn: &[&str]) -> Position {
        let (coordinate, stones) = stones(drawn);
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        position.set_up(&stones).unwrap();
        position
    }

    fn think(searcher: &mut Searcher, position: &Position, threads: usize) -> Thought {
        searcher.think(&Task {
            position,
            color: position.to_move(),
            limits: Limits::playouts(400),
            threads,
            params: &Params::default(),
            extra_komi: 0.0,
            interrupt: &Interrupt::default(),
        })
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
        assert_eq!(think(&mut searcher, &position, 1).visits, 400);
        play(&mut position, "B2");
        assert!(position.board().ko().is_some());
        let found = think(&mut searcher, &position, 1);
        assert!(found.visits > 400 && found.playouts == 400, "{}", found.visits);
        let expected = found.best().unwrap().visits;
        match found.best().unwrap().play {
            Move::Play(point) => position.play(Color::Black, point).unwrap(),
            Move::Pass => position.pass(Color::Black),
        }
        assert_eq!(think(&mut searcher, &position, 1).visits, u64::from(expected) + 400);
    }

    #[test]
    fn what_was_found_is_forgotten_when_it_does_not_belong_to_the_game() {
        let mut position = position(&KO);
        let mut searcher = Searcher::new(64 << 20, 1);
        think(&mut searcher, &position, 1);
        position.rule_mut().komi = 5.5;
        assert_eq!(think(&mut searcher, &position, 1).visits, 400);
        play(&mut position, "E5");
        position.undo().unwrap();
        play(&mut position, "A5");
        position.undo().unwrap();
        assert_eq!(think(&mut searcher, &position, 1).visits, 800, "the same position");
        position.set_to_move(Color::White);
        assert_eq!(think(&mut searcher, &position, 1).visits, 400);
    }

    #[test]
    fn threads_count_each_playout_once() {
        let position = position(&KO);
        let mut searcher = Searcher::new(64 << 20, 1);
        for threads in 1..=4 {
            searcher.forget();
            let found = think(&mut searcher, &position, threads);
            assert_eq!((found.playouts, found.visits), (400, 400));
            let children: u64 = found.candidates.iter().map(|candidate| u64::from(candidate.visits)).sum();
            assert_eq!(children, 400);
            assert!(found.candidates.iter().all(|candidate| (0.0..=1.0).contains(&candidate.value)));
        }
    }

    #[test]
    fn a_move_that_superko_forbids_is_not_considered() {
        let mut position = position(&KO);
        *position.rule_mut() = position.rule().named("chinese-ogs").unwrap();
        position.set_to_move(Color::White);
        play(&mut position, "B2");
        let retake = position.board().coordinate().parse_vertex("C2").unwrap();
        assert!(position.check(Color::Black, retake).is_err());
        let found = think(&mut Searcher::new(64 << 20, 1), &position, 1);
        assert!(found.candidates.iter().all(|candidate| candidate.play != Move::Play(retake)));
    }
}
