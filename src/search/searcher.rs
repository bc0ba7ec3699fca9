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

use crate::kernel::{Board, Color, GameRule, HashChange, KoRule, Move, Point, PointSet, Position, Scoring, areas};

use super::heavy::{self, Policy};
use super::interrupt::Interrupt;
use super::params::Params;
use super::playout::owner;
use super::prior::{Prior, priors};
use super::stop::{self, Standing, should_stop};
use super::time::Allotment;
use super::tree::{Mean, Node, Tree};

/// After so many playouts the moves are compared, to see whether one is best already.
const LOOK_EVERY: u64 = 16;

/// When to stop. Whatever is reached first ends the search; something is always searched.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limits {
    /// Usual time.
    pub wanted: Duration,
    /// Time if it is not yet clear which move is best.
    pub most: Duration,
    /// Playouts of this search.
    pub playouts: u64,
    /// Playouts that the tree rests on, those of earlier searches counted.
    pub visits: u64,
}

impl Limits {
    /// No limit at all but the order to stop.
    pub const NONE: Limits =
        Limits { wanted: Duration::MAX, most: Duration::MAX, playouts: u64::MAX, visits: u64::MAX };

    /// The same with less time.
    pub fn shortened_by(self, time: Duration) -> Limits {
        Limits { wanted: self.wanted.saturating_sub(time), most: self.most.saturating_sub(time), ..self }
    }

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
    /// Nodes of the tree.
    pub nodes: usize,
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
struct Start {
    board: Board,
    /// The last two moves, the latest first, where they were plays.
    recent: [Option<Point>; 2],
    /// Passes in a row just made.
    passes: usize,
    hash: u64,
    /// Boards that superko forbids, with who would be to move.
    forbidden: Vec<(u64, Color)>,
    /// What is added to Black's area to make it Black's score, if both players make as many moves from here on.
    bonus: f32,
}

impl Start {
    fn new(task: &Task<'_>) -> Start {
        let position = task.position;
        let items = position.record().items();
        let last = |back: usize| items.len().checked_sub(back).and_then(|number| items.get(number));
        let play = |back| match last(back)?.play {
            Move::Play(point) => Some(point),
            Move::Pass => None,
        };
        let is_pass = last(1).is_some_and(|item| item.play == Move::Pass);
        let mut bonus = -effective_komi(position) - task.extra_komi;
        if position.rule().scoring == Scoring::Territory {
            bonus += played_less(position);
        }
        Start {
            board: position.board().clone(),
            recent: [play(1), play(2)],
            passes: usize::from(is_pass),
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
struct Search<'a> {
    tree: &'a Tree,
    task: &'a Task<'a>,
    policy: Policy,
    start: &'a Start,
    begin: Instant,
    stop: AtomicBool,
    playouts: AtomicU64,
    visits_before: u64,
}

/// What a thread has counted.
struct Tally {
    /// Of each cell: how often it was Black's less how often White's.
    owners: Vec<i32>,
    /// Sum of Black's leads.
    lead: f64,
    playouts: u64,
}

impl Tally {
    /// Black's points less White's at the end of a game; their owners are counted.
    fn count(&mut self, board: &Board, owner: impl Fn(Point) -> Option<Color>) -> i32 {
        let mut margin = 0;
        for point in board.coordinate().points() {
            let owner = match owner(point) {
                Some(Color::Black) => 1,
                Some(Color::White) => -1,
                None => 0,
            };
            margin += owner;
            if let Some(sum) = self.owners.get_mut(point.index()) {
                *sum += owner;
            }
        }
        margin
    }
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
    fn is_time_up(&self, playouts: u64) -> bool {
        let Limits { wanted, most, .. } = self.task.limits;
        let elapsed = self.begin.elapsed();
        if self.task.interrupt.says_stop(elapsed) || elapsed >= most {
            return true;
        }
        if most == Duration::MAX || !playouts.is_multiple_of(LOOK_EVERY) {
            return false;
        }
        let children = self.tree.children(self.tree.root()).iter().filter(|child| !child.is_forbidden());
        let standing = Standing::new(children.map(|child| {
            let Mean { value, weight } = child.mean();
            stop::Candidate { visits: weight as u64, value: f64::from(value) }
        }));
        should_stop(standing, Allotment { wanted, most }, elapsed, self.playouts.load(Ordering::Relaxed))
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
            nodes: self.tree.len(),
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

/// Stops all threads when the first one ends, even if it ends by a fault: the others would go on for ever.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One thread of a search.
struct Worker<'a> {
    search: &'a Search<'a>,
    rng: Rng,
    board: Board,
    /// From the root to the leaf.
    path: Vec<&'a Node>,
    /// What was played after each node of the path, and then in the playout.
    moves: Vec<Move>,
    priors: Vec<Prior>,
    /// Boards of the path, for superko.
    boards: Vec<(u64, Color)>,
    /// Who played first on each cell, seen from a node of the path: [`Color::index`] + 1, or 0.
    first: Vec<u8>,
    tally: Tally,
}

impl<'a> Worker<'a> {
    fn new(search: &'a Search<'a>, rng: Rng) -> Worker<'a> {
        let board = search.start.board.clone();
        let coordinate = board.coordinate();
        let longest = 6 * coordinate.board_area() + 8;
        Worker {
            search,
            rng,
            board,
            path: Vec::with_capacity(longest),
            moves: Vec::with_capacity(longest),
            priors: Vec::with_capacity(coordinate.board_area() + 1),
            boards: Vec::with_capacity(longest),
            first: vec![0; coordinate.memory_area()],
            tally: Tally { owners: vec![0; coordinate.memory_area()], lead: 0.0, playouts: 0 },
        }
    }

    /// Plays until somebody says stop; the thread that watches says it.
    fn run(mut self, watches: bool) -> Tally {
        let _others_stop_too = StopOnDrop(&self.search.stop);
        let Limits { playouts, visits, .. } = self.search.task.limits;
        let most = playouts.min(visits.saturating_sub(self.search.visits_before)).max(1);
        while !self.search.stop.load(Ordering::Relaxed) {
            if self.search.playouts.fetch_add(1, Ordering::Relaxed) >= most {
                break;
            }
            self.simulate();
            if watches && self.search.is_time_up(self.tally.playouts) {
                break;
            }
        }
        self.tally
    }

    /// One way through the tree, one playout, and its result counted.
    fn simulate(&mut self) {
        let start = self.search.start;
        self.board.clone_from(&start.board);
        self.path.clear();
        self.moves.clear();
        self.boards.clear();
        let Some(leaf) = self.descend() else { return };
        let recent = match self.moves.len() {
            0 => start.recent,
            1 => [self.played(1), start.recent[0]],
            _ => [1, 2].map(|back| self.played(back)),
        };
        let rule = self.search.task.position.rule();
        let area = if leaf.is_over && !rule.friendly_pass {
            let areas = areas(&self.board, &PointSet::new());
            self.tally.count(&self.board, |p| Color::BOTH.into_iter().find(|color| areas[color.index()].contains(p)))
        } else {
            heavy::play_out(&mut self.board, leaf.to_move, recent, &self.search.policy, &mut self.rng, &mut self.moves);
            self.tally.count(&self.board, |p| owner(&self.board, p))
        };
        let parity = if rule.scoring == Scoring::Territory { leaf.played_less } else { 0 };
        let lead = (area + parity) as f32 + start.bonus;
        self.tally.lead += f64::from(lead);
        self.tally.playouts += 1;
        let result = result(lead, self.search.task.params);
        self.back_up(result);
    }

    /// Follows the tree from the root to a leaf, and lets it grow there. `None` if the way ended at a move that turned
    /// out to be forbidden.
    fn descend(&mut self) -> Option<Leaf> {
        let tree = self.search.tree;
        let params = self.search.task.params;
        let start = self.search.start;
        let is_superko = self.search.task.position.rule().ko != KoRule::Simple;
        let longest = 3 * self.board.coordinate().board_area();
        let mut color = self.search.task.color;
        let mut hash = start.hash;
        let mut passes = start.passes;
        let mut played_less = 0;
        let mut node = tree.root();
        node.enter();
        self.path.push(node);
        while passes < 2 && self.moves.len() < longest {
            if tree.children(node).is_empty() {
                if f64::from(node.visits()) <= params.expand_after || tree.is_full() {
                    break;
                }
                self.grow(node, color);
            }
            let Some(child) = select(tree.children(node), node.visits(), params) else { break };
            let Some(play) = child.play() else { continue };
            match play {
                Move::Pass => {
                    self.board.pass();
                    passes += 1;
                }
                Move::Play(point) => {
                    self.boards.push((hash, color));
                    let mut change = HashChange::default();
                    if self.board.play(color, point, &mut change).is_err() {
                        child.forbid();
                        self.withdraw();
                        return None;
                    }
                    hash ^= change.0;
                    if is_superko && self.repeats(hash, color.opponent()) {
                        child.forbid();
                        self.withdraw();
                        return None;
                    }
                    passes = 0;
                    played_less += if color == Color::Black { -1 } else { 1 };
                }
            }
            child.enter();
            self.moves.push(play);
            self.path.push(child);
            node = child;
            color = color.opponent();
        }
        Some(Leaf { to_move: color, is_over: passes >= 2, played_less })
    }

    /// The play so many moves back on the way from the root; `None` for a pass, or where the way is not so long.
    fn played(&self, back: usize) -> Option<Point> {
        match self.moves.len().checked_sub(back).and_then(|number| self.moves.get(number)) {
            Some(&Move::Play(point)) => Some(point),
            _ => None,
        }
    }

    /// Adds the moves of the position on the board after a leaf.
    fn grow(&mut self, node: &Node, color: Color) {
        let recent = [1, 2].map(|back| self.played(back));
        self.search.tree.expand(node, || {
            self.priors.clear();
            priors(&self.board, color, recent, self.search.task.params, &mut self.priors);
            &self.priors
        });
    }

    /// Whether superko forbids this board.
    fn repeats(&self, hash: u64, to_move: Color) -> bool {
        let is_positional = self.search.task.position.rule().ko == KoRule::Positional;
        let mut before = self.search.start.forbidden.iter().chain(&self.boards);
        before.any(|&(old, player)| old == hash && (is_positional || player == to_move))
    }

    /// Takes the marks of this way back.
    fn withdraw(&self) {
        self.path.iter().for_each(|node| node.withdraw());
    }

    /// Counts a result, 0 to 1 for Black, from the end of the playout back to the root.
    fn back_up(&mut self, result: f32) {
        let for_player = |color: Color| if color == Color::Black { result } else { 1.0 - result };
        let root_color = self.search.task.color;
        self.first.fill(0);
        for (number, play) in self.moves.iter().enumerate().rev() {
            let color = if number % 2 == 0 { root_color } else { root_color.opponent() };
            let mark = color.index() as u8 + 1;
            if let Move::Play(point) = play
                && let Some(first) = self.first.get_mut(point.index())
            {
                *first = mark;
            }
            if let Some(node) = self.path.get(number) {
                let value = for_player(color);
                for child in self.search.tree.children(node) {
                    if self.first.get(child.cell()) == Some(&mark) {
                        child.add_rave(value);
                    }
                }
            }
        }
        for (number, node) in self.path.iter().enumerate() {
            let mover = if number % 2 == 0 { root_color.opponent() } else { root_color };
            node.leave(for_player(mover));
        }
    }
}

/// Where a way through the tree ended.
struct Leaf {
    to_move: Color,
    /// Whether both players have passed.
    is_over: bool,
    /// Stones that White has put down more than Black on the way.
    played_less: i32,
}

/// What a lead of Black's is worth: 0 to 1, mostly whether it is one, a little how great it is.
fn result(lead: f32, params: &Params) -> f32 {
    let win = if lead > 0.0 {
        1.0
    } else if lead < 0.0 {
        0.0
    } else {
        0.5
    };
    let weight = params.score_weight as f32;
    // the same on every machine, as a library's curves need not be
    let size = 0.5 + 0.5 * lead / (lead.abs() + 20.0);
    win * (1.0 - weight) + size * weight
}

/// The move to follow: the one with the best prospects, of which its own results, those of playouts with the same move
/// later and the prior are weighed.
fn select<'t>(children: &'t [Node], visits: u32, params: &Params) -> Option<&'t Node> {
    let equivalence = params.rave_equivalence as f32;
    let exploration = params.exploration as f32;
    let log = if exploration > 0.0 { (visits as f32 + 1.0).ln() } else { 0.0 };
    let mut best = None;
    let mut best_value = f32::NEG_INFINITY;
    for child in children {
        let (own, prior) = (child.mean(), child.prior());
        let weight = own.weight + prior.weight;
        let mut value = if weight > 0.0 { (own.value * own.weight + prior.value * prior.weight) / weight } else { 1.0 };
        let rave = child.rave();
        if rave.weight > 0.0 && equivalence > 0.0 {
            let beta = rave.weight / (rave.weight + weight + rave.weight * weight / equivalence);
            value += beta * (rave.value - value);
        }
        if exploration > 0.0 {
            value += exploration * (log / (own.weight + 1.0)).sqrt();
        }
        if value > best_value && !child.is_forbidden() {
            best_value = value;
            best = Some(child);
        }
    }
    best
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
