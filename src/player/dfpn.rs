//! Local searches for the confirmation of life and death: can a player reach a goal where both play only within an
//! area, and either may pass?
//!
//! Depth-first proof-number search (df-pn) with a table of positions. Source: A. Nagai, "Df-pn algorithm for searching
//! AND/OR trees and its applications", 2002.
//!
//! A ko is fought as the confirmation of life and death of the Japanese Rules of Go (1989), article 7.2, has it: a
//! player whose stone was taken in a ko may retake only after a pass for this ko. So a pass is the only ko threat, and
//! it costs the turn in which the opponent can end the ko. A search ends after two other passes in a row. A position
//! that repeats one on the path fails the goal. (A failure by repetition is stored without its path, which can be wrong
//! in a position that other moves reach.) Neither player fills an own one-point eye.

use std::collections::HashMap;

use crate::kernel::hash::GOLDEN_GAMMA;
use crate::kernel::{Board, Color, HashChange, Ko, Point, PointSet, Stone};
use crate::playout::light::is_own_eye;

/// Depth limit in moves. A search that needs more is undecided.
const MAX_DEPTH: usize = 64;

/// A player who captures more stones than this at once has room for two eyes: no nakade shape is larger.
const LARGEST_NAKADE: usize = 6;

/// A proof or disproof number that decides.
const INFINITY: u32 = 1 << 30;

/// The goal of the player who moves first.
#[derive(Clone, Debug)]
pub(super) enum Goal {
    /// At the end the opponent has no stone on these points: those of a ren at the start, and of the rens of the
    /// player beside it. So stones count as alive if their capture lets their owner play a new stone there that stays, or if
    /// it costs the player stones beside them (article 7.1).
    Capture(PointSet),
    /// At the end none of the points of `region` is empty and beside stones of both colours, and none of the stones on
    /// `own`, the player's at the start, was captured.
    Fill { region: Vec<Point>, own: Vec<Point> },
}

/// A search within an area. The boards and the budget serve all queries.
pub(super) struct ProofSearch {
    /// Nodes that the search may still visit, over all queries. Each is a move or a pass tried.
    node_budget: usize,
    /// The board of each depth.
    boards: Vec<Board>,
    table: HashMap<u64, ProofNumbers>,
    /// Keys of the positions on the path.
    path: Vec<u64>,
    /// Nodes left to the present problem.
    nodes_left: usize,
    /// Whether the depth limit was reached in the present problem.
    depth_limit_reached: bool,
}

/// The setting of one problem.
struct Problem<'a> {
    player: Color,
    goal: &'a Goal,
    area: &'a PointSet,
}

/// Proof and disproof number.
#[derive(Clone, Copy, Debug)]
struct ProofNumbers {
    proof: u32,
    disproof: u32,
}

impl Goal {
    /// The capture of the ren at a point.
    pub(super) fn capture(board: &Board, ren: Point) -> Goal {
        let stones = || board.ren_points(ren);
        let beside = stones().flat_map(|p| board.coordinate().neighbors(p));
        let beside = beside.filter(|&p| board.stone(p).color().is_some()).flat_map(|p| board.ren_points(p));
        Goal::Capture(stones().chain(beside).collect())
    }
}

impl ProofNumbers {
    const UNKNOWN: ProofNumbers = ProofNumbers { proof: 1, disproof: 1 };

    const fn decided(is_reached: bool) -> ProofNumbers {
        if is_reached {
            ProofNumbers { proof: 0, disproof: INFINITY }
        } else {
            ProofNumbers { proof: INFINITY, disproof: 0 }
        }
    }

    /// The numbers of a position from those of its moves: at an OR node, where the player moves, one move is enough;
    /// at an AND node, where the opponent moves, every move has to be met.
    fn of(children: &[Child], is_or_node: bool) -> ProofNumbers {
        let sum = |number: fn(&ProofNumbers) -> u32| {
            let sum = children.iter().fold(0_u64, |sum, child| sum + u64::from(number(&child.numbers)));
            sum.min(u64::from(INFINITY)) as u32
        };
        let min =
            |number: fn(&ProofNumbers) -> u32| children.iter().map(|c| number(&c.numbers)).min().unwrap_or(INFINITY);
        match is_or_node {
            true => ProofNumbers { proof: min(|n| n.proof), disproof: sum(|n| n.disproof) },
            false => ProofNumbers { proof: sum(|n| n.proof), disproof: min(|n| n.disproof) },
        }
    }
}

/// A position of the search beside its board.
#[derive(Clone)]
struct State {
    /// Hash of the stones.
    hash: u64,
    to_move: Color,
    /// Passes in a row, without those for a ko.
    passes: u8,
    /// Kos that a player may not retake before a pass for them.
    bans: Vec<Ko>,
}

impl State {
    fn key(&self) -> u64 {
        let mix = |word: u64| (word + 1).wrapping_mul(GOLDEN_GAMMA).rotate_left(29).wrapping_mul(GOLDEN_GAMMA);
        let ban = |ko: &Ko| mix(1 << 20 | (ko.point.index() as u64) << 1 | ko.color.index() as u64);
        let turn = mix((self.to_move.index() as u64) << 2 | u64::from(self.passes));
        self.bans.iter().fold(self.hash ^ turn, |key, ko| key ^ ban(ko))
    }
}

/// A move of the search.
#[derive(Clone, Copy)]
enum LocalMove {
    Play(Point),
    Pass,
    /// A pass that allows the player to retake this ko.
    PassFor(Ko),
}

struct Child {
    play: LocalMove,
    state: State,
    key: u64,
    numbers: ProofNumbers,
}

impl ProofSearch {
    /// A search that may visit this number of nodes over all queries.
    pub(super) fn new(node_budget: usize) -> ProofSearch {
        ProofSearch {
            node_budget,
            boards: Vec::new(),
            table: HashMap::new(),
            path: Vec::new(),
            nodes_left: 0,
            depth_limit_reached: false,
        }
    }

    /// Whether `player`, who moves first, reaches a goal against every defence where both play within `area` only.
    /// `None` after `limit` nodes, or without budget.
    pub(super) fn reaches(
        &mut self,
        board: &Board,
        area: &PointSet,
        player: Color,
        goal: &Goal,
        limit: usize,
    ) -> Option<bool> {
        self.boards.resize_with(MAX_DEPTH + 2, || board.clone());
        self.boards.first_mut()?.clone_from(board);
        self.boards.first_mut()?.lift_ko();
        self.table.clear();
        self.path.clear();
        self.depth_limit_reached = false;
        let limit = limit.min(self.node_budget);
        self.nodes_left = limit;
        let problem = Problem { player, goal, area };
        let state = State { hash: 0, to_move: player, passes: 0, bans: Vec::new() };
        let found = self.mid(&problem, 0, &state, ProofNumbers { proof: INFINITY, disproof: INFINITY });
        self.node_budget -= limit - self.nodes_left;
        match found {
            ProofNumbers { proof: 0, .. } => Some(true),
            ProofNumbers { disproof: 0, .. } if !self.depth_limit_reached => Some(false),
            _ => None,
        }
    }

    /// Searches a position until its proof or disproof number reaches its threshold, and returns both (Nagai's MID,
    /// multiple iterative deepening).
    fn mid(&mut self, problem: &Problem<'_>, depth: usize, state: &State, thresholds: ProofNumbers) -> ProofNumbers {
        let key = state.key();
        self.path.push(key);
        let is_player = state.to_move == problem.player;
        let mut children = self.children(problem, depth, state);
        let numbers = loop {
            let numbers = ProofNumbers::of(&children, is_player);
            if numbers.proof >= thresholds.proof || numbers.disproof >= thresholds.disproof || self.nodes_left == 0 {
                break numbers;
            }
            // the most promising move, and the number of the next one
            let rank = |child: &Child| if is_player { child.numbers.proof } else { child.numbers.disproof };
            let Some(best) = (0..children.len()).min_by_key(|&index| children.get(index).map(rank)) else {
                break numbers;
            };
            let others = children.iter().enumerate().filter(|&(index, _)| index != best);
            let second = others.map(|(_, child)| rank(child)).min().unwrap_or(INFINITY).saturating_add(1);
            let Some(child) = children.get(best) else { break numbers };
            let rest = |bound: u32, sum: u32, own: u32| bound.saturating_sub(sum - own.min(sum)).min(INFINITY);
            let child_thresholds = match is_player {
                true => ProofNumbers {
                    proof: thresholds.proof.min(second),
                    disproof: rest(thresholds.disproof, numbers.disproof, child.numbers.disproof),
                },
                false => ProofNumbers {
                    proof: rest(thresholds.proof, numbers.proof, child.numbers.proof),
                    disproof: thresholds.disproof.min(second),
                },
            };
            let (play, next) = (child.play, child.state.clone());
            let found = if depth >= MAX_DEPTH {
                self.depth_limit_reached = true;
                ProofNumbers::decided(false)
            } else {
                self.play(depth, state, play);
                self.mid(problem, depth + 1, &next, child_thresholds)
            };
            // the same position may follow from two moves, as a pass for either of two kos
            let key = next.key();
            children.iter_mut().filter(|child| child.key == key).for_each(|child| child.numbers = found);
        };
        self.path.pop();
        self.table.insert(key, numbers);
        numbers
    }

    /// The moves of a position with their numbers from the table.
    fn children(&mut self, problem: &Problem<'_>, depth: usize, state: &State) -> Vec<Child> {
        let color = state.to_move;
        let Some(board) = self.boards.get(depth) else { return Vec::new() };
        let may_play = |p: Point| board.check(color, p).is_ok() && !is_own_eye(board, color, p);
        let points = board.empty_points().iter().filter(|&&p| problem.area.contains(p) && may_play(p));
        let mut moves: Vec<LocalMove> = points.map(|&p| LocalMove::Play(p)).collect();
        moves.push(LocalMove::Pass);
        moves.extend(state.bans.iter().filter(|ko| ko.color == color).map(|&ko| LocalMove::PassFor(ko)));
        let mut children = Vec::with_capacity(moves.len());
        for play in moves {
            let Some((next, outcome)) = self.try_move(problem, depth, state, play) else { continue };
            let key = next.key();
            let known = || self.table.get(&key).copied().unwrap_or(ProofNumbers::UNKNOWN);
            let numbers = match outcome {
                Some(is_reached) => ProofNumbers::decided(is_reached),
                None if self.path.contains(&key) => ProofNumbers::decided(false),
                None => known(),
            };
            children.push(Child { play, state: next, key, numbers });
        }
        children
    }

    /// Makes a move on the board of the next depth. Returns the state after it, and whether the goal is reached if that
    /// is decided; `None` if the move is a banned retaking of a ko.
    fn try_move(
        &mut self,
        problem: &Problem<'_>,
        depth: usize,
        state: &State,
        play: LocalMove,
    ) -> Option<(State, Option<bool>)> {
        self.nodes_left = self.nodes_left.saturating_sub(1);
        let color = state.to_move;
        let (change, captured) = self.play(depth, state, play);
        let board = self.boards.get_mut(depth + 1)?;
        let mut next = State { hash: state.hash ^ change, to_move: color.opponent(), passes: 0, bans: Vec::new() };
        match play {
            LocalMove::Play(point) => {
                let taken = board.ko();
                board.lift_ko();
                if taken.is_some() && state.bans.contains(&Ko { point, color }) {
                    return None;
                }
                let stays = |ko: &&Ko| board.stone(ko.point) == Stone::Space;
                next.bans = state.bans.iter().filter(stays).copied().chain(taken).collect();
            }
            LocalMove::Pass => {
                next.passes = state.passes + 1;
                next.bans.clone_from(&state.bans);
            }
            LocalMove::PassFor(ko) => next.bans = state.bans.iter().filter(|&&ban| ban != ko).copied().collect(),
        }
        let outcome = outcome(problem, board, color, captured, next.passes >= 2);
        Some((next, outcome))
    }

    /// Makes a move on the board of the next depth; returns the change of the hash and the number of captured stones.
    fn play(&mut self, depth: usize, state: &State, play: LocalMove) -> (u64, usize) {
        let mut change = HashChange::default();
        let (before, after) = self.boards.split_at_mut(depth + 1);
        let (Some(board), Some(next)) = (before.last(), after.first_mut()) else { return (0, 0) };
        next.clone_from(board);
        next.lift_ko();
        let captured = match play {
            LocalMove::Play(point) => next.play_legal(state.to_move, point, &mut change),
            LocalMove::Pass | LocalMove::PassFor(_) => 0,
        };
        (change.0, captured)
    }
}

/// Whether the goal is reached after a move of `color` that captured this number of stones; `None` if that is open.
fn outcome(problem: &Problem<'_>, board: &Board, color: Color, captured: usize, is_over: bool) -> Option<bool> {
    let opponent = problem.player.opponent().stone();
    match problem.goal {
        Goal::Capture(target) => {
            if captured > LARGEST_NAKADE && color != problem.player {
                return Some(false);
            }
            let is_gone = || target.iter().all(|p| board.stone(p) != opponent);
            if captured > LARGEST_NAKADE { is_gone().then_some(true) } else { is_over.then(is_gone) }
        }
        Goal::Fill { region, own } => {
            if captured > 0 && color != problem.player && own.iter().any(|&p| board.stone(p) != problem.player.stone())
            {
                return Some(false);
            }
            is_over.then(|| !region.iter().any(|&p| board.is_shared_liberty(p)))
        }
    }
}
