//! One thread of a search: again and again a way through the tree, a playout from its end, and the result counted.

use std::sync::atomic::{AtomicBool, Ordering};

use fastrand::Rng;

use crate::kernel::{Board, Color, HashChange, KoRule, Move, Point, PointSet, Scoring, areas};
use crate::playout::heavy;
use crate::playout::light::owner;
use crate::search::evaluator::{EvalInput, Evaluator};
use crate::search::limits::Limits;
use crate::search::params::Params;
use crate::search::priors::{Prior, priors};
use crate::search::progress::ProgressSink;
use crate::search::searcher::SearchContext;
use crate::search::stats::{StatsRecorder, ThreadStats};
use crate::search::tree::{MOST_VISITS, Node, Tree};

/// Stops all threads when the first one ends, even if it ends by a fault: the others would go on for ever.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// One thread of a search.
pub(crate) struct Worker<'a> {
    search: &'a SearchContext<'a>,
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
    counter: StatsRecorder<'a>,
    evaluator: Option<Evaluator<'a>>,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(search: &'a SearchContext<'a>, stats: &'a ThreadStats, rng: Rng) -> Worker<'a> {
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
            counter: StatsRecorder::new(stats),
            evaluator: search.evaluator(),
        }
    }

    /// Plays until somebody says stop; the thread that watches and reports says it.
    pub(crate) fn run(mut self, mut watch: Option<ProgressSink<'_>>) {
        let _others_stop_too = StopOnDrop(&self.search.stop);
        let Limits { playouts, visits, .. } = self.search.request.limits;
        let most = playouts.min(visits.min(MOST_VISITS).saturating_sub(self.search.visits_before)).max(1);
        while !self.search.stop.load(Ordering::Relaxed) {
            if self.search.playouts.fetch_add(1, Ordering::Relaxed) >= most {
                // so that they are counted exactly
                self.search.playouts.fetch_sub(1, Ordering::Relaxed);
                break;
            }
            self.simulate();
            if let Some(progress) = &mut watch
                && (self.search.is_time_up(self.counter.playouts()) || self.search.report(progress).is_break())
            {
                break;
            }
        }
    }

    /// One way through the tree, one playout, and its result counted.
    fn simulate(&mut self) {
        let start = self.search.start;
        self.board.clone_from(&start.board);
        self.path.clear();
        self.moves.clear();
        self.boards.clear();
        let Some(leaf) = self.select_leaf() else { return };
        let recent = self.recent();
        let rule = self.search.request.position.rule();
        let area = if leaf.is_over && !rule.friendly_pass {
            let areas = areas(&self.board, &PointSet::new());
            self.counter.margin(&self.board, |p| Color::BOTH.into_iter().find(|color| areas[color.index()].contains(p)))
        } else {
            heavy::play_out(&mut self.board, leaf.to_move, recent, &self.search.policy, &mut self.rng, &mut self.moves);
            self.counter.margin(&self.board, |p| owner(&self.board, p))
        };
        let parity = if rule.scoring == Scoring::Territory { leaf.played_less } else { 0 };
        let lead = (area + parity) as f32 + start.bonus;
        self.counter.count(lead, self.path.get(1).map(|node| node.cell()));
        let params = self.search.request.params;
        let result = result(lead, params);
        let value_correction = self.net_value_on_path().map_or(0.0, |(net_value_on_path, open)| {
            params.net_value_weight as f32 * open * (net_value_on_path - result)
        });
        self.back_up(result + value_correction);
    }

    /// Follows the tree from the root to a leaf, and lets it grow there. `None` if the way ended at a move that turned
    /// out to be forbidden.
    fn select_leaf(&mut self) -> Option<Leaf> {
        let tree = self.search.tree;
        let params = self.search.request.params;
        let start = self.search.start;
        let is_superko = self.search.request.position.rule().ko != KoRule::Simple;
        let longest = 3 * self.board.coordinate().board_area();
        let mut color = self.search.request.color;
        let mut hash = start.hash;
        let mut passes = start.passes;
        let mut played_less = 0;
        let mut node = tree.root();
        node.add_virtual_loss();
        self.path.push(node);
        while passes < 2 && self.moves.len() < longest {
            if tree.children(node).is_empty() {
                if f64::from(node.visits()) <= params.expand_after || tree.is_full() {
                    break;
                }
                self.expand(node, color);
            }
            self.request_eval(node, color, hash);
            let Some(child) = select(tree, node, params) else { break };
            let Some(play) = child.play() else { continue };
            self.boards.push((hash, color));
            match play {
                Move::Pass => {
                    self.board.pass();
                    passes += 1;
                }
                Move::Play(point) => {
                    let mut change = HashChange::default();
                    if self.board.play(color, point, &mut change).is_err() {
                        child.forbid();
                        self.cancel_visit();
                        return None;
                    }
                    hash ^= change.0;
                    if is_superko && self.repeats(hash, color.opponent()) {
                        child.forbid();
                        self.cancel_visit();
                        return None;
                    }
                    passes = 0;
                    played_less += if color == Color::Black { -1 } else { 1 };
                }
            }
            child.add_virtual_loss();
            self.moves.push(play);
            self.path.push(child);
            node = child;
            color = color.opponent();
        }
        Some(Leaf { to_move: color, is_over: passes >= 2, played_less })
    }

    /// The points of the moves made, the latest first: those on the way from the root, then those that led there.
    fn latest(&self) -> impl Iterator<Item = Option<Point>> {
        self.moves.iter().rev().map(|play| play.point()).chain(self.search.start.latest.iter().copied())
    }

    /// The points of the last two moves, the latest first.
    fn recent(&self) -> [Option<Point>; 2] {
        let mut latest = self.latest();
        [(); 2].map(|()| latest.next().flatten())
    }

    /// Adds the moves of the position on the board after a leaf.
    fn expand(&mut self, node: &Node, color: Color) {
        let recent = self.recent();
        let depth = self.moves.len();
        self.search.tree.expand(node, || {
            self.priors.clear();
            priors(&self.board, color, recent, self.search.request.params, &mut self.priors);
            self.search.remove_restricted(color, depth, &mut self.priors);
            &self.priors
        });
    }

    /// Asks the net about the position on the board after a node that has been passed often enough.
    fn request_eval(&mut self, node: &'a Node, color: Color, hash: u64) {
        let is_asked = self.evaluator.is_some() && !node.is_evaluated();
        if !is_asked || f64::from(node.visits()) < self.search.request.params.net_min_visits {
            return;
        }
        // the root has been asked about at the beginning
        let Some(&parent) = self.path.iter().nth_back(1) else { return };
        let Some(mut evaluator) = self.evaluator.take() else { return };
        let chance = self.rng.u64(..);
        evaluator.ask([parent, node], &EvalInput { board: &self.board, color, hash }, self.latest(), chance);
        self.evaluator = Some(evaluator);
    }

    /// What the net thinks of the last position of the path that it was asked about, the chance that Black wins, and how far
    /// the playouts from there leave that open: 1 if each side wins half of them, 0 if one wins all.
    fn net_value_on_path(&self) -> Option<(f32, f32)> {
        self.evaluator.as_ref()?;
        let root_color = self.search.request.color;
        // the root comes after no other, and was asked about at the beginning
        let is_after_advised = |number: usize| {
            number.checked_sub(1).and_then(|before| self.path.get(before)).is_none_or(|node| node.is_evaluated())
        };
        self.path.iter().enumerate().rev().find_map(|(number, node)| {
            let value = node.net_value().filter(|_| is_after_advised(number))?;
            let mover = if number % 2 == 0 { root_color.opponent() } else { root_color };
            let mean = node.mean().value;
            Some((if mover == Color::Black { value } else { 1.0 - value }, 4.0 * mean * (1.0 - mean)))
        })
    }

    /// Whether superko forbids this board.
    fn repeats(&self, hash: u64, to_move: Color) -> bool {
        let is_positional = self.search.request.position.rule().ko == KoRule::Positional;
        let mut before = self.search.start.forbidden.iter().chain(&self.boards);
        before.any(|&(old, player)| old == hash && (is_positional || player == to_move))
    }

    /// Takes the marks of this way back.
    fn cancel_visit(&self) {
        self.path.iter().for_each(|node| node.cancel_visit());
    }

    /// Counts a result, 0 to 1 for Black, from the end of the playout back to the root.
    fn back_up(&mut self, result: f32) {
        let for_player = |color: Color| if color == Color::Black { result } else { 1.0 - result };
        let root_color = self.search.request.color;
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
            node.add_result(for_player(mover));
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

/// The move to follow after a node.
fn select<'t>(tree: &'t Tree, node: &Node, params: &Params) -> Option<&'t Node> {
    let children = tree.children(node).iter();
    if node.is_evaluated() {
        // for who moves next
        let mean = node.mean();
        let so_far = if mean.weight > 0.0 { 1.0 - mean.value } else { 0.5 };
        let first_play = so_far - params.fpu_reduction as f32;
        let explore = params.cpuct as f32 * mean.weight.max(1.0).sqrt();
        best_of(children, |child| puct_value(child, first_play, explore, params))
    } else {
        let log = if params.uct_exploration > 0.0 { (node.visits() as f32 + 1.0).ln() } else { 0.0 };
        best_of(children, |child| uct_value(child, log, params))
    }
}

/// The move of the greatest value among those that are not forbidden.
fn best_of<'t>(children: impl Iterator<Item = &'t Node>, value: impl Fn(&Node) -> f32) -> Option<&'t Node> {
    let mut best = None;
    let mut best_value = f32::NEG_INFINITY;
    for child in children {
        let value = value(child);
        if value > best_value && !child.is_forbidden() {
            best_value = value;
            best = Some(child);
        }
    }
    best
}

/// The prospects of a move, of which its own results, those of playouts with the same move later and the prior are
/// weighed. `log` is the logarithm of the playouts through the position before.
#[inline]
fn uct_value(child: &Node, log: f32, params: &Params) -> f32 {
    let exploration = params.uct_exploration as f32;
    let (own, prior) = (child.mean(), child.prior());
    let weight = own.weight + prior.weight;
    let mut value = if weight > 0.0 { (own.value * own.weight + prior.value * prior.weight) / weight } else { 1.0 };
    value = with_rave(value, weight, child, params.rave_equivalence as f32);
    if exploration > 0.0 {
        value += exploration * (log / (own.weight + 1.0)).sqrt();
    }
    value
}

/// The prospects of a move, and a bonus that is the greater the more the net likes it and the less it was tried (PUCT:
/// C. D. Rosin, "Multi-armed bandits with episode context", 2011, as D. Silver and others have it).
#[inline]
fn puct_value(child: &Node, first_play: f32, explore: f32, params: &Params) -> f32 {
    let own = child.mean();
    // which moves are tried at all is for the net to say
    let value = match own.weight {
        0.0 => first_play,
        weight => with_rave(own.value, weight, child, params.net_rave as f32),
    };
    value + explore * child.policy() / (1.0 + own.weight)
}

/// A value that rests on so many playouts, and what other playouts say that had the same move later; of these the less
/// the more there are of the former.
#[inline]
fn with_rave(value: f32, weight: f32, child: &Node, equivalence: f32) -> f32 {
    let rave = child.rave();
    if rave.weight > 0.0 && equivalence > 0.0 {
        let beta = rave.weight / (rave.weight + weight + rave.weight * weight / equivalence);
        value + beta * (rave.value - value)
    } else {
        value
    }
}
