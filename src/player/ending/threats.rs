//! Threats at the end of a game: captures of living stones, and dead stones that come alive.

use crate::kernel::{Color, Point, Stone};
use crate::player::ending::status_board::StatusBoard;
use crate::player::tactical_reader::attack;
use crate::playout::tactics::ladder::LadderReader;

/// A move that wins stones unless the opponent answers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Threat {
    /// The move.
    pub(super) attack: Point,
    /// A stone of the ren that it captures or revives.
    pub(super) ren: Point,
    /// Points that it gains.
    pub(super) gain: i32,
}

/// A ren of at most this many stones is threatened only if a living stone of the attacker is beside it or one point
/// away: its capture by dead stones gains nothing.
const MAX_STONES_OUT_OF_REACH: i32 = 2;

/// Reads threats; keeps the board of the ladder reader.
pub(super) struct ThreatReader {
    ladder: LadderReader,
}

impl ThreatReader {
    pub(super) fn new() -> ThreatReader {
        ThreatReader { ladder: LadderReader::new() }
    }

    /// The threats of `attacker`, who has the move: living rens in atari, living rens with two liberties that a ladder
    /// catches, and dead rens of the attacker that a move joins to living ones.
    pub(super) fn of(&mut self, status_board: &StatusBoard, attacker: Color) -> Vec<Threat> {
        let board = &status_board.board;
        let living = status_board.living_stones()[attacker.opponent().index()];
        let mut found = Vec::new();
        for point in (living - status_board.status_locked).iter() {
            if board.ren_head(point) == point {
                found.extend(self.capture(status_board, attacker, point));
            }
        }
        found.extend(revivals(status_board, attacker));
        found
    }

    /// The capture of a ren by a move of the attacker, if it can be captured.
    fn capture(&mut self, status_board: &StatusBoard, attacker: Color, ren: Point) -> Option<Threat> {
        let board = &status_board.board;
        let mut liberties = [Point::default(); 3];
        if board.liberties_up_to(ren, &mut liberties) == liberties.len() {
            return None; // not caught by a ladder
        }
        let size = board.ren_size(ren) as i32;
        if size <= MAX_STONES_OUT_OF_REACH && !is_in_reach(status_board, attacker, ren) {
            return None;
        }
        let attack = attack(board, ren, &mut self.ladder)?;
        let mut lost = 0;
        if board.is_atari(ren) {
            let mut after = board.clone();
            after.play_legal(attacker, attack, &mut ());
            let is_retaken = after.atari(attack).is_some_and(|p| after.check(attacker.opponent(), p).is_ok());
            lost = if is_retaken { after.ren_size(attack) as i32 } else { 0 };
        }
        Some(Threat { attack, ren, gain: 2 * (size - lost) }).filter(|threat| threat.gain > 0)
    }
}

/// Whether living stones of `attacker` are beside a ren or one point away from it.
fn is_in_reach(status_board: &StatusBoard, attacker: Color, ren: Point) -> bool {
    let board = &status_board.board;
    let coordinate = board.coordinate();
    board.ren_points(ren).any(|stone| {
        coordinate.neighbors(stone).into_iter().any(|p| {
            status_board.living(p) == Some(attacker)
                || (board.stone(p) == Stone::Space && status_board.touches(attacker, p))
        })
    })
}

/// The moves that join a dead ren of `color` to a living one and leave it with two liberties or more.
fn revivals(status_board: &StatusBoard, color: Color) -> Vec<Threat> {
    let board = &status_board.board;
    let mut found = Vec::new();
    if status_board.dead.is_empty() {
        return found;
    }
    for &attack in board.empty_points() {
        let around = board.coordinate().neighbors(attack);
        let is_dead = |p: &Point| {
            board.stone(*p) == color.stone()
                && status_board.dead.contains(*p)
                && !status_board.status_locked.contains(*p)
        };
        let mut dead = around.into_iter().filter(is_dead).peekable();
        if dead.peek().is_none() || !status_board.touches(color, attack) || board.check(color, attack).is_err() {
            continue;
        }
        for ren in dead {
            let mut after = board.clone();
            after.play_legal(color, attack, &mut ());
            if !after.is_atari(attack) {
                found.push(Threat { attack, ren, gain: 2 * board.ren_size(ren) as i32 });
            }
        }
    }
    found
}

/// Moves that may answer a threat: its attack, the liberties of its ren, and those of the opponent's rens beside it that
/// have at most three.
pub(super) fn defenses(status_board: &StatusBoard, threat: &Threat) -> Vec<Point> {
    let board = &status_board.board;
    let color = board.stone(threat.ren);
    let mut found = vec![threat.attack];
    for stone in board.ren_points(threat.ren) {
        for beside in board.coordinate().neighbors(stone) {
            if board.stone(beside) == Stone::Space {
                found.push(beside);
            } else if board.stone(beside).color().is_some() && board.stone(beside) != color {
                let mut liberties = [Point::default(); 4];
                let count = board.liberties_up_to(beside, &mut liberties);
                if count < liberties.len() {
                    found.extend(liberties.into_iter().take(count));
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
