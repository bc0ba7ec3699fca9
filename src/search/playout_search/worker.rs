//! One thread of a search: simulations until a limit, each with selection, expansion, playout and backup.
//!
//! Selection adds a virtual loss (a visit without result) to every node of the path; backup adds the result. A
//! simulation that runs into an illegal move marks it forbidden and takes its visits back.

use std::sync::atomic::Ordering;

use fastrand::Rng;

use crate::kernel::{Board, Color, HashChange, KoRule, Move, Point, PointSet, Scoring, areas, open_button_points};
use crate::playout::heavy;
use crate::playout::light::{MOVES_PER_POINT, owner};
use crate::search::params::Params;
use crate::search::playout_search::context::PlayoutSearchContext;
use crate::search::playout_search::evaluator::{EvalInput, Evaluator};
use crate::search::playout_search::node::Node;
use crate::search::playout_search::priors::{Prior, adapt_to_rule, is_allowed, priors};
use crate::search::playout_search::select::select_child;
use crate::search::playout_search::stats::{StatsRecorder, ThreadStats};
use crate::search::progress::ProgressSink;
use crate::search::stop_signal::StopOnDrop;
use crate::search::tax::{tax_difference_after_playout, tax_difference_at_end};

/// One thread of a search by playouts.
pub(super) struct Worker<'a> {
    context: &'a PlayoutSearchContext<'a>,
    rng: Rng,
    board: Board,
    /// Nodes of the simulation, from the root to the leaf.
    path: Vec<&'a Node>,
    /// Moves of the simulation: one after each node of the path but the last, then the playout's.
    moves: Vec<Move>,
    priors: Vec<Prior>,
    /// Boards before each move of the path, with the side to move, for superko; those since the button was taken.
    path_hashes: Vec<(u64, Color)>,
    /// During backup, the colour that played first on each cell from the current node on: [`Color::index`] + 1, or 0.
    first_player: Vec<u8>,
    recorder: StatsRecorder<'a>,
    evaluator: Option<Evaluator<'a>>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(context: &'a PlayoutSearchContext<'a>, stats: &'a ThreadStats, rng: Rng) -> Worker<'a> {
        let board = context.root.board.clone();
        let coordinate = board.coordinate();
        // the path is limited like a playout, which follows it
        let longest = 2 * MOVES_PER_POINT * coordinate.board_area() + 8;
        Worker {
            context,
            rng,
            board,
            path: Vec::with_capacity(longest),
            moves: Vec::with_capacity(longest),
            priors: Vec::with_capacity(coordinate.board_area() + 1),
            path_hashes: Vec::with_capacity(longest),
            first_player: vec![0; coordinate.memory_area()],
            recorder: StatsRecorder::new(stats),
            evaluator: context.evaluator(),
        }
    }

    /// Simulates until a limit is reached or another thread ends. The thread with a progress sink also checks the time
    /// and the stop signal.
    pub(super) fn run(mut self, mut progress: Option<ProgressSink<'_>>) {
        let _stop_the_others = StopOnDrop(&self.context.control.stop);
        let max_simulations = self.context.request.limits.max_simulations(self.context.visits_before);
        while !self.context.control.stop.load(Ordering::Relaxed) {
            if self.context.simulations.fetch_add(1, Ordering::Relaxed) >= max_simulations {
                // keep the count exact
                self.context.simulations.fetch_sub(1, Ordering::Relaxed);
                break;
            }
            self.simulate();
            if let Some(progress) = &mut progress
                && (self.context.should_stop(self.recorder.playouts()) || self.context.report(progress).is_break())
            {
                break;
            }
        }
    }

    /// One simulation: selection, playout, backup.
    ///
    /// The backed-up result mixes the playout's result `r` ([`playout_result`]) with the net's value `v` of the deepest
    /// path node that has one ([`Worker::net_value_on_path`]), both for Black: `r + w·4p(1 − p)·(v − r)`, with `p` that
    /// node's mean result and `w` the net's value weight. The outcome uncertainty `4p(1 − p)` is 1 if each side wins
    /// half of the playouts and 0 if one side wins all, so the net does not override playouts that agree. This mixture is
    /// the engine's own; its weight was tuned by matches.
    fn simulate(&mut self) {
        let root = self.context.root;
        self.board.clone_from(&root.board);
        self.path.clear();
        self.moves.clear();
        self.path_hashes.clear();
        let Some(leaf) = self.select_leaf() else { return };
        let last_two_points = self.last_two_points();
        let rule = self.context.request.position.rule();
        let taxed_margin = if leaf.is_over && !rule.has_agreement() {
            let areas = areas(&self.board, &PointSet::new());
            let owner_by_area = |p: Point| Color::BOTH.into_iter().find(|color| areas[color.index()].contains(p));
            self.recorder.set_owners(&self.board, owner_by_area) - tax_difference_at_end(&self.board, rule)
        } else {
            heavy::play_out(
                &mut self.board,
                leaf.to_move,
                last_two_points,
                &self.context.policy,
                &mut self.rng,
                &mut self.moves,
            );
            let margin = self.recorder.set_owners(&self.board, |p| owner(&self.board, p));
            margin - tax_difference_after_playout(&self.board, rule)
        };
        // territory = area - (Black's stones played - White's); the playout itself is counted as even
        let stones_played = if rule.scoring == Scoring::Territory { leaf.black_minus_white_stones } else { 0 };
        let margin = taxed_margin - stones_played;
        let lead = margin as f32 + root.margin_to_lead + self.button_lead();
        self.recorder.add_playout(lead, self.path.get(1).map(|node| node.cell()));
        let params = &self.context.params;
        let result = playout_result(lead, params);
        let value_correction = self.net_value_on_path().map_or(0.0, |(net_value, uncertainty)| {
            params.net_value_weight as f32 * uncertainty * (net_value - result)
        });
        self.back_up(result + value_correction);
    }

    /// The button as a part of Black's lead: half a point for the first pass of the simulation, if it takes the button.
    fn button_lead(&self) -> f32 {
        let PlayoutSearchContext { root, request, .. } = self.context;
        if root.is_button_open { open_button_points(&self.moves, request.color) as f32 } else { 0.0 }
    }

    /// Descends from the root to a leaf, with virtual losses, expanding and requesting evaluations on the way. `None`
    /// if a move proved illegal: it is marked forbidden, and the visits are taken back.
    fn select_leaf(&mut self) -> Option<Leaf> {
        let tree = self.context.tree;
        let params = &self.context.params;
        let root = self.context.root;
        let rule = self.context.request.position.rule();
        let is_superko = rule.ko != KoRule::Simple;
        let mut is_button_open = root.is_button_open;
        let longest = MOVES_PER_POINT * self.board.coordinate().board_area();
        let mut color = self.context.request.color;
        let mut hash = root.hash;
        let mut passes = usize::from(root.last_move_is_pass);
        let mut black_minus_white_stones = 0;
        let mut node = tree.root();
        node.add_virtual_loss();
        self.path.push(node);
        while passes < 2 && self.moves.len() < longest {
            if tree.children(node).is_empty() {
                if node.visits() <= params.expand_after || tree.is_full() {
                    break;
                }
                self.expand(node, color);
            }
            self.request_eval(node, color, hash, black_minus_white_stones);
            let Some(child) = select_child(tree, node, params) else { break };
            let Some(play) = child.play() else { continue };
            self.path_hashes.push((hash, color));
            match play {
                Move::Pass => {
                    self.board.pass();
                    if is_button_open {
                        is_button_open = false;
                        self.path_hashes.clear();
                    } else {
                        passes += 1;
                    }
                }
                Move::Play(point) => {
                    let mut change = HashChange::default();
                    if !is_allowed(&self.board, color, point, rule) {
                        child.forbid();
                        self.cancel_visit();
                        return None;
                    }
                    self.board.play_legal(color, point, &mut change);
                    hash ^= change.0;
                    let forbidden: &[_] =
                        if is_button_open == root.is_button_open { &root.superko_hashes } else { &[] };
                    if is_superko && self.repeats(forbidden, hash, color.opponent()) {
                        child.forbid();
                        self.cancel_visit();
                        return None;
                    }
                    passes = 0;
                    black_minus_white_stones += i32::from(color.sign());
                }
            }
            child.add_virtual_loss();
            self.moves.push(play);
            self.path.push(child);
            node = child;
            color = color.opponent();
        }
        Some(Leaf { to_move: color, is_over: passes >= 2, black_minus_white_stones })
    }

    /// Points of the moves played, the latest first: the simulation's, then the game's.
    fn last_moves(&self) -> impl Iterator<Item = Option<Point>> {
        self.moves.iter().rev().map(|play| play.point()).chain(self.context.root.last_moves.iter().copied())
    }

    /// Points of the last two moves, the latest first.
    fn last_two_points(&self) -> [Option<Point>; 2] {
        let mut last_moves = self.last_moves();
        [(); 2].map(|()| last_moves.next().flatten())
    }

    /// Expands a leaf with the moves of the current board.
    fn expand(&mut self, node: &Node, color: Color) {
        let last_two_points = self.last_two_points();
        let depth = self.moves.len();
        let (rule, params) = (self.context.request.position.rule(), &self.context.params);
        self.context.tree.expand(node, || {
            self.priors.clear();
            priors(&self.board, color, last_two_points, params, &mut self.priors);
            adapt_to_rule(&self.board, color, rule, params, &mut self.priors);
            self.context.remove_restricted(color, depth, &mut self.priors);
            &self.priors
        });
    }

    /// Requests the net's evaluation of the current board, the position after a node, once it has enough visits.
    /// `black_minus_white_stones` is Black's stones minus White's on the path.
    fn request_eval(&mut self, node: &'a Node, color: Color, hash: u64, black_minus_white_stones: i32) {
        let is_due = self.evaluator.is_some() && !node.is_evaluated();
        if !is_due || node.visits() < self.context.params.net_min_visits {
            return;
        }
        // the root was evaluated before the first simulation
        let Some(&parent) = self.path.iter().nth_back(1) else { return };
        let Some(mut evaluator) = self.evaluator.take() else { return };
        let symmetry = self.rng.u64(..);
        let mut komi = self.context.root.komi;
        if komi.scoring == Scoring::Territory {
            komi.black_minus_white_stones += f64::from(black_minus_white_stones);
        }
        let input = EvalInput { board: &self.board, color, hash, komi };
        evaluator.request([parent, node], &input, self.last_moves(), symmetry);
        self.evaluator = Some(evaluator);
    }

    /// The net's value (Black's win probability) of the deepest node of the path that has one, and the outcome
    /// uncertainty `4p(1 − p)` there, `p` the node's mean result.
    fn net_value_on_path(&self) -> Option<(f32, f32)> {
        self.evaluator.as_ref()?;
        let root_color = self.context.request.color;
        // before its parent is evaluated, a node holds a prior in place of the net's value; the root always has one
        let is_parent_evaluated = |depth: usize| {
            depth.checked_sub(1).and_then(|above| self.path.get(above)).is_none_or(|node| node.is_evaluated())
        };
        self.path.iter().enumerate().rev().find_map(|(depth, node)| {
            let value = node.net_value().filter(|_| is_parent_evaluated(depth))?;
            let played_by = if depth % 2 == 0 { root_color.opponent() } else { root_color };
            let mean = node.mean().value;
            Some((played_by.black_probability(value), 4.0 * mean * (1.0 - mean)))
        })
    }

    /// Whether superko forbids the board of this hash: it is one of the forbidden ones of the game or of the path,
    /// under situational superko with the same side to move.
    fn repeats(&self, forbidden: &[(u64, Color)], hash: u64, to_move: Color) -> bool {
        let is_positional = self.context.request.position.rule().ko == KoRule::Positional;
        let mut before = forbidden.iter().chain(&self.path_hashes);
        before.any(|&(old, old_to_move)| old == hash && (is_positional || old_to_move == to_move))
    }

    /// Takes the path's virtual losses back.
    fn cancel_visit(&self) {
        self.path.iter().for_each(|node| node.cancel_visit());
    }

    /// Adds a result, 0 to 1 for Black, to the path's nodes and to their children's RAVE statistics.
    ///
    /// A child of a path node gets a RAVE result if, from that node on, the side to move there was the first to play
    /// the child's point. The moves are walked backwards, so `first_player` ends up with the earliest.
    fn back_up(&mut self, result: f32) {
        let for_player = |color: Color| color.own_probability(result);
        let root_color = self.context.request.color;
        self.first_player.fill(0);
        for (depth, play) in self.moves.iter().enumerate().rev() {
            let color = if depth % 2 == 0 { root_color } else { root_color.opponent() };
            let mark = color.index() as u8 + 1;
            if let Move::Play(point) = play
                && let Some(first) = self.first_player.get_mut(point.index())
            {
                *first = mark;
            }
            if let Some(node) = self.path.get(depth) {
                let value = for_player(color);
                for child in self.context.tree.children(node) {
                    if self.first_player.get(child.cell()) == Some(&mark) {
                        child.add_rave(value);
                    }
                }
            }
        }
        for (depth, node) in self.path.iter().enumerate() {
            let played_by = if depth % 2 == 0 { root_color.opponent() } else { root_color };
            node.add_result(for_player(played_by));
        }
    }
}

/// The end of a descent.
struct Leaf {
    to_move: Color,
    /// Whether both sides have passed in a row.
    is_over: bool,
    /// Stones played by Black minus stones played by White on the path.
    black_minus_white_stones: i32,
}

/// The lead in points at which `size` of [`playout_result`] is half way from 1/2 to its bound; chosen by hand.
const SCORE_SCALE: f32 = 20.0;

/// A playout's result for Black, 0 to 1: `(1 − s)·win + s·size`, with `s` the score weight.
///
/// `win` is 1 for a win, 0 for a loss, 0.5 for a draw; `size = 1/2 + lead / (2(|lead| + 20))` grows with Black's lead
/// in points. The engine's own formula. A win is worth at least `1 − s/2`, a loss at most `s/2`. `size` needs no
/// library function, so it is the same on every machine.
fn playout_result(lead: f32, params: &Params) -> f32 {
    let win = if lead > 0.0 {
        1.0
    } else if lead < 0.0 {
        0.0
    } else {
        0.5
    };
    let weight = params.score_weight as f32;
    let size = 0.5 + 0.5 * lead / (lead.abs() + SCORE_SCALE);
    win * (1.0 - weight) + size * weight
}

#[cfg(test)]
mod tests;
