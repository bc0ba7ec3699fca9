//! A ladder reader on a scratch board.

use crate::kernel::{Board, Color, Point, Stone};
use crate::playout::tactics::captures::counter_captures;
use crate::playout::tactics::point_list::PointList;

/// Maximum length of a ladder, in moves of both sides.
const LADDER_DEPTH: usize = 120;

/// Maximum number of pending alternatives of the attacker.
const LADDER_FORKS: usize = 8;

/// Maximum number of lines read per ladder.
const LADDER_LINES: usize = 12;

/// Reads ladders; keeps its board between readings, to allocate it once.
pub(crate) struct LadderReader(Option<Box<Board>>);

/// An alternative of the attacker: `attack` after the first `length` moves.
#[derive(Clone, Copy)]
struct Fork {
    length: usize,
    attack: Point,
}

impl LadderReader {
    /// A reader without a board; the first reading allocates it.
    pub(crate) const fn new() -> LadderReader {
        LadderReader(None)
    }

    /// Whether the ren at a point, which is in atari, is captured in a ladder with its owner to move.
    ///
    /// It escapes if it gets three liberties, if it can capture a neighbour, or if the ladder exceeds the limits of
    /// length, forks or lines.
    pub(crate) fn is_captured(&mut self, board: &Board, ren: Point) -> bool {
        let scratch = self.scratch(board);
        read(board, scratch, ren, &mut [Point::default(); LADDER_DEPTH], 0)
    }

    /// Whether the opponent's move `attack` captures the ren at a point in a ladder. The ren has two liberties;
    /// `attack` is one of them, and legal.
    pub(crate) fn captures_after(&mut self, board: &Board, ren: Point, attack: Point) -> bool {
        let Some(color) = board.stone(ren).color() else { return false };
        let scratch = self.scratch(board);
        let mut path = [Point::default(); LADDER_DEPTH];
        path[0] = attack;
        scratch.play_legal(color.opponent(), attack, &mut ());
        read(board, scratch, ren, &mut path, 1)
    }

    /// The scratch board, as a copy of `board`.
    fn scratch(&mut self, board: &Board) -> &mut Board {
        let scratch = self.0.get_or_insert_with(|| Box::new(Board::new(board.coordinate())));
        scratch.as_mut().clone_from(board);
        scratch
    }
}

/// Depth-first search from `scratch`, which is `board` after the first `length` moves of `path`, with the ren's owner
/// to move: whether some line captures the ren.
fn read(board: &Board, scratch: &mut Board, ren: Point, path: &mut [Point; LADDER_DEPTH], mut length: usize) -> bool {
    let Some(color) = board.stone(ren).color() else { return false };
    let first = if length == 0 { color } else { color.opponent() };
    let mut forks = [Fork { length: 0, attack: ren }; LADDER_FORKS];
    let mut fork_count = 0;
    let mut lines = 0;
    loop {
        if read_line(scratch, ren, color, path, &mut length, &mut forks, &mut fork_count) {
            return true;
        }
        lines += 1;
        let Some(last) = fork_count.checked_sub(1).filter(|_| lines < LADDER_LINES) else { return false };
        fork_count = last;
        let Some(&fork) = forks.get(last) else { return false };
        scratch.clone_from(board);
        let mut to_move = first;
        for &point in path.iter().take(fork.length) {
            scratch.play_legal(to_move, point, &mut ());
            to_move = to_move.opponent();
        }
        length = fork.length;
        let Some(slot) = path.get_mut(length) else { return false };
        *slot = fork.attack;
        length += 1;
        scratch.play_legal(color.opponent(), fork.attack, &mut ());
    }
}

/// Plays one line until the ren, which is in atari with its owner to move, escapes (`false`) or is captured (`true`);
/// adds the attacker's alternatives to `forks`.
fn read_line(
    board: &mut Board,
    ren: Point,
    color: Color,
    path: &mut [Point; LADDER_DEPTH],
    length: &mut usize,
    forks: &mut [Fork; LADDER_FORKS],
    fork_count: &mut usize,
) -> bool {
    loop {
        let Some(liberty) = board.atari(ren) else { return false };
        let mut captures = PointList::<1>::new();
        counter_captures(board, ren, &mut captures);
        if !captures.as_slice().is_empty() {
            return false;
        }
        if board.check(color, liberty).is_err() {
            return true;
        }
        let Some([escape, attack]) = path.get_mut(*length..*length + 2) else { return false };
        board.play_legal(color, liberty, &mut ());
        *escape = liberty;
        let mut open = [Point::default(); 3];
        let [one, two] = match board.liberties_up_to(ren, &mut open) {
            0 | 1 => return true,
            2 => [open[0], open[1]],
            _ => return false,
        };
        // after an attack on one liberty the ren extends on the other, which must not give it three liberties
        let holds = |attack: Point, other: Point| {
            let room = board.coordinate().neighbors(other);
            let room = room.iter().filter(|&&p| p != attack && board.stone(p) == Stone::Space).count();
            room < 3 && board.check(color.opponent(), attack).is_ok()
        };
        let next = match (holds(one, two), holds(two, one)) {
            (false, false) => return false,
            (true, false) => one,
            (false, true) => two,
            (true, true) => {
                if let Some(slot) = forks.get_mut(*fork_count) {
                    *slot = Fork { length: *length + 1, attack: two };
                    *fork_count += 1;
                }
                one
            }
        };
        board.play_legal(color.opponent(), next, &mut ());
        *attack = next;
        *length += 2;
    }
}
