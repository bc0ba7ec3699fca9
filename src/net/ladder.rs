//! Ladders as KataGo reads them, for the features of both kinds of nets: whether atari after atari takes a chain.
//!
//! The defender may extend and capture, the attacker only fills the defender's liberties. A line in which the attacker
//! leaves a ko to be retaken counts as an escape, a reading of 25,000 moves without a result as none. Neither side
//! plays suicide, whatever the rules: it would gain nothing. The cases of KataGo's `searchIsLadderCaptured`
//! (`cpp/game/board.cpp`) are followed one by one, including the bounds that end a reading early.

use crate::kernel::{Color, Point, PointSet, Stone};
use crate::net::undo_board::UndoBoard;

/// The number of moves after which a reading is given up: KataGo's `MAX_LADDER_SEARCH_NODE_BUDGET`.
const BUDGET: u32 = 25_000;

/// The results of all ladders on a board.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct LadderPoints {
    /// Stones that a ladder captures, by the opponent's move if they have two liberties.
    pub(super) captured: PointSet,
    /// Moves that begin the capture of a chain of two liberties.
    pub(super) working_moves: PointSet,
}

/// Reads the ladders of all chains with one or two liberties. `working_moves` has the moves against chains of
/// `defender` only.
pub(super) fn ladders(board: &mut UndoBoard, defender: Color) -> LadderPoints {
    let mut found = LadderPoints::default();
    let mut reader = KatagoLadderReader { moves: Vec::with_capacity(64), nodes: 0 };
    for point in board.coordinate().points() {
        let Some(color) = board.stone(point).color().filter(|_| board.head(point) == point) else { continue };
        let is_captured = match board.liberties(point) {
            1 => reader.read(board, color, point),
            2 => {
                let liberties = board.two_liberties(point);
                let works = liberties.map(|liberty| reader.captures_after(board, color, point, liberty));
                for (liberty, works) in liberties.into_iter().zip(works) {
                    if works && color == defender {
                        found.working_moves.insert(liberty);
                    }
                }
                works.contains(&true)
            }
            _ => false,
        };
        if is_captured {
            for stone in board.chain(point) {
                found.captured.insert(stone);
            }
        }
    }
    found
}

/// The buffer and the counter of a reading.
struct KatagoLadderReader {
    /// Moves still to be tried, those of the current node last.
    moves: Vec<Point>,
    /// Moves played so far.
    nodes: u32,
}

/// A chain that one side tries to capture.
#[derive(Clone, Copy)]
struct LadderTarget {
    defender: Color,
    /// A stone of the chain.
    target: Point,
    /// The depth at which the chain counts as captured.
    max_depth: usize,
}

impl KatagoLadderReader {
    /// Whether a ladder captures a chain after the attacker's move on one of its two liberties: one of the two moves of
    /// KataGo's `searchIsLadderCapturedAttackerFirst2Libs`.
    fn captures_after(&mut self, board: &mut UndoBoard, defender: Color, target: Point, liberty: Point) -> bool {
        if !board.is_legal(defender.opponent(), liberty) {
            return false;
        }
        let mark = board.play(defender.opponent(), liberty);
        let works = board.liberties(target) == 1 && self.read(board, defender, target);
        board.undo(mark);
        works
    }

    /// Whether a chain in atari is captured although it moves first: KataGo's `searchIsLadderCaptured` with
    /// `defenderFirst`. It may retake any ko with its first move.
    fn read(&mut self, board: &mut UndoBoard, defender: Color, target: Point) -> bool {
        let ko = board.ko.take();
        self.nodes = 0;
        self.moves.clear();
        let ladder = LadderTarget { defender, target, max_depth: board.coordinate().board_area() * 3 / 2 };
        let is_captured = self.captured_on_defenders_turn(board, ladder, 0) && self.nodes < BUDGET;
        board.ko = ko;
        is_captured
    }

    /// Whether the chain is captured after a move; `None` if the move is illegal.
    fn after(
        &mut self,
        board: &mut UndoBoard,
        ladder: LadderTarget,
        color: Color,
        point: Point,
        depth: usize,
    ) -> Option<bool> {
        if !board.is_legal(color, point) {
            return None;
        }
        if self.nodes >= BUDGET {
            return Some(false);
        }
        self.nodes += 1;
        let mark = board.play(color, point);
        let is_captured = if color == ladder.defender {
            self.captured_on_attackers_turn(board, ladder, depth + 1)
        } else {
            self.captured_on_defenders_turn(board, ladder, depth + 1)
        };
        board.undo(mark);
        Some(is_captured)
    }

    /// Whether the chain is captured with the defender to move.
    fn captured_on_defenders_turn(&mut self, board: &mut UndoBoard, ladder: LadderTarget, depth: usize) -> bool {
        if depth >= ladder.max_depth {
            return true;
        }
        if board.liberties(ladder.target) >= 2 || board.ko.is_some() {
            return false;
        }
        let start = self.moves.len();
        self.add_captures(board, ladder, start);
        let extension = board.last_liberty(ladder.target);
        if !self.moves.iter().skip(start).any(|&point| point == extension) {
            self.moves.push(extension);
        }
        let count = self.moves.len() - start;
        let last = self.moves.last().copied().unwrap_or(extension);
        let (least, most) = liberty_bounds(board, ladder.defender, last);
        let is_captured = if least >= 3 {
            false
        } else if count == 1 && most <= 1 {
            true
        } else {
            (start..start + count).all(|index| {
                let point = self.moves.get(index).copied().unwrap_or(extension);
                self.nodes >= BUDGET || self.after(board, ladder, ladder.defender, point, depth) != Some(false)
            })
        };
        self.moves.truncate(start);
        is_captured
    }

    /// Whether the chain is captured with the attacker to move.
    fn captured_on_attackers_turn(&mut self, board: &mut UndoBoard, ladder: LadderTarget, depth: usize) -> bool {
        if depth >= ladder.max_depth {
            return true;
        }
        let count = board.liberties(ladder.target);
        if count != 2 {
            return count < 2;
        }
        let [mut one, mut two] = board.two_liberties(ladder.target);
        let (empties_one, empties_two) = (board.empties(one), board.empties(two));
        if empties_one == 0 && empties_two == 0 && is_double_ko(board, ladder, [one, two]) {
            return true;
        }
        let attacker = ladder.defender.opponent();
        if !board.neighbors(one).contains(&two) {
            // a defender with three free neighbours beside the last liberty cannot be kept in atari
            match (empties_one >= 3, empties_two >= 3) {
                (true, true) => return false,
                (true, false) => return self.after(board, ladder, attacker, one, depth) == Some(true),
                (false, true) => return self.after(board, ladder, attacker, two, depth) == Some(true),
                (false, false) => {}
            }
        }
        // the liberty where the defender would gain more is tried first
        let gain_x2 = |point: Point, empties: usize| 2 * empties + joined_liberties_x2(board, ladder.defender, point);
        if gain_x2(two, empties_two) > gain_x2(one, empties_one) {
            std::mem::swap(&mut one, &mut two);
        }
        [one, two]
            .into_iter()
            .any(|point| self.nodes < BUDGET && self.after(board, ladder, attacker, point, depth) == Some(true))
    }

    /// Adds the moves by which the defender captures chains next to the target, each once: KataGo's
    /// `findLibertyGainingCaptures`.
    fn add_captures(&mut self, board: &UndoBoard, ladder: LadderTarget, start: usize) {
        let attacker = ladder.defender.opponent().stone();
        for stone in board.chain(ladder.target) {
            for neighbor in board.neighbors(stone) {
                if board.stone(neighbor) == attacker && board.liberties(neighbor) == 1 {
                    let liberty = board.last_liberty(neighbor);
                    if !self.moves.iter().skip(start).any(|&point| point == liberty) {
                        self.moves.push(liberty);
                    }
                }
            }
        }
    }
}

/// Whether the two last liberties are kos, neither of which the defender may connect for more liberties, and no chain of
/// the attacker beside the target is in atari (KataGo's `hasLibertyGainingCaptures`).
fn is_double_ko(board: &mut UndoBoard, ladder: LadderTarget, liberties: [Point; 2]) -> bool {
    let attacker = ladder.defender.opponent();
    let is_tight = liberties.into_iter().all(|point| takes_ko(board, attacker, point))
        && liberties.into_iter().all(|point| {
            let mark = board.play(ladder.defender, point);
            let count = board.liberties(point);
            board.undo(mark);
            count <= 2
        });
    let is_atari = |point: Point| board.stone(point) == attacker.stone() && board.liberties(point) == 1;
    is_tight && !board.chain(ladder.target).any(|stone| board.neighbors(stone).into_iter().any(is_atari))
}

/// Whether a stone would capture exactly one stone, on one side, with the opponent's stones or the wall on the others:
/// KataGo's `wouldBeKoCapture`.
fn takes_ko(board: &UndoBoard, color: Color, point: Point) -> bool {
    let mut captured = None;
    for neighbor in board.neighbors(point) {
        let stone = board.stone(neighbor);
        if stone == Stone::Wall {
            continue;
        }
        if stone != color.opponent().stone() {
            return false;
        }
        if board.liberties(neighbor) == 1 && captured.replace(neighbor).is_some() {
            return false;
        }
    }
    captured.is_some_and(|chain| board.size(chain) == 1)
}

/// The least and the most liberties that a stone and the chains that it joins may have: KataGo's
/// `getBoundNumLibertiesAfterPlay`. Chains are counted once for each side that they touch.
fn liberty_bounds(board: &UndoBoard, color: Color, point: Point) -> (usize, usize) {
    let (mut empties, mut captures, mut captured_stones, mut joined_liberties, mut max_joined) = (0, 0, 0, 0, 0);
    for neighbor in board.neighbors(point) {
        match board.stone(neighbor).color() {
            None => empties += usize::from(board.stone(neighbor) == Stone::Space),
            Some(owner) if owner == color => {
                let others = board.liberties(neighbor) - 1;
                joined_liberties += others;
                max_joined = max_joined.max(others);
            }
            Some(_) if board.liberties(neighbor) == 1 => {
                captures += 1;
                captured_stones += board.size(neighbor);
            }
            Some(_) => {}
        }
    }
    (captures + max_joined.max(empties), empties + captured_stones + joined_liberties)
}

/// Twice the liberties that a stone would gain by joining chains, estimated: the liberties of each less one and a half.
/// KataGo's `countHeuristicConnectionLibertiesX2`.
fn joined_liberties_x2(board: &UndoBoard, color: Color, point: Point) -> usize {
    let own = board.neighbors(point).into_iter().filter(|&neighbor| board.stone(neighbor) == color.stone());
    own.map(|neighbor| (2 * board.liberties(neighbor)).saturating_sub(3)).sum()
}
