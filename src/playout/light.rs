//! Light playouts: uniformly random legal moves that fill no own eye.
//!
//! A side passes only if every legal move would fill one of its eyes. At the end nearly every point is a stone or a
//! one-point eye, so the score is counted point by point.

use fastrand::Rng;

use crate::kernel::{Board, Color, Point, Stone};

/// Maximum length of a playout, in moves per point of the board: without superko, cycles such as sending two, returning
/// one may not end.
pub const MOVES_PER_POINT: usize = 3;

/// Plays until two passes in a row or [`MOVES_PER_POINT`] moves per point. Returns the number of moves, passes
/// included.
///
/// Legality is that of [`Board::check`]: simple ko, no superko. Allocates nothing.
pub fn play_out(board: &mut Board, to_move: Color, rng: &mut Rng) -> usize {
    // written out for both colours, so that the compiler specializes each
    let limit = MOVES_PER_POINT * board.coordinate().board_area();
    let mut length = 0;
    let mut passes = 0;
    let rng = &mut LookaheadRng::new(rng);
    if to_move == Color::White {
        passes = usize::from(step(board, Color::White, rng));
        length = 1;
    }
    while length < limit {
        passes = if step(board, Color::Black, rng) { passes + 1 } else { 0 };
        length += 1;
        if passes == 2 || length == limit {
            break;
        }
        passes = if step(board, Color::White, rng) { passes + 1 } else { 0 };
        length += 1;
        if passes == 2 {
            break;
        }
    }
    length
}

/// Plays a random move, or passes if there is none; returns whether it was a pass.
#[inline(always)]
fn step(board: &mut Board, color: Color, rng: &mut LookaheadRng) -> bool {
    match draw(board, color, rng) {
        Some(point) => {
            board.play_legal(color, point, &mut ());
            false
        }
        None => {
            board.pass();
            true
        }
    }
}

/// Owner of a point at the end of a playout: the stone's colour; for an empty point, the colour of its neighbouring stones
/// if they are of one colour.
pub fn owner(board: &Board, point: Point) -> Option<Color> {
    if let Some(color) = board.stone(point).color() {
        return Some(color);
    }
    let around = board.coordinate().neighbors(point).map(|p| board.stone(p));
    match Color::BOTH.map(|color| around.contains(&color.stone())) {
        [true, false] => Some(Color::Black),
        [false, true] => Some(Color::White),
        _ => None,
    }
}

/// Black's points minus White's at the end of a playout (area, without komi).
pub fn margin(board: &Board) -> i32 {
    let value = |color| match color {
        Some(Color::Black) => 1,
        Some(Color::White) => -1,
        None => 0,
    };
    let stones: i32 = board.stones().iter().map(|stone| value(stone.color())).sum();
    let eyes: i32 = board.empty_points().iter().map(|&point| value(owner(board, point))).sum();
    stones + eyes
}

/// A uniformly random legal move that fills no own eye; `None` if there is none. Reorders the board's list of empty
/// points.
pub fn choose(board: &mut Board, color: Color, rng: &mut Rng) -> Option<Point> {
    draw(board, color, &mut LookaheadRng::new(rng))
}

/// As [`choose`]: draws from the list of empty points, and moves refused points behind the ones still to draw from.
#[inline(always)]
fn draw(board: &mut Board, color: Color, rng: &mut LookaheadRng) -> Option<Point> {
    let mut left = board.empty_points().len();
    while left > 0 {
        let index = rng.below(left);
        let point = board.empty_point(index);
        if is_legal_non_eye(board, color, point) {
            return Some(point);
        }
        left -= 1;
        board.swap_empty(index, left);
    }
    None
}

/// A random number generator that is one number ahead, so that a draw after a mispredicted branch need not wait for it.
struct LookaheadRng<'a> {
    rng: &'a mut Rng,
    next: u32,
}

impl LookaheadRng<'_> {
    fn new(rng: &mut Rng) -> LookaheadRng<'_> {
        let next = rng.u32(..);
        LookaheadRng { rng, next }
    }

    /// A random number below `bound`, by multiplication instead of division; the bias is below `bound / 2³²`.
    #[inline(always)]
    fn below(&mut self, bound: usize) -> usize {
        let number = (u64::from(self.next) * bound as u64) >> 32;
        self.next = self.rng.u32(..);
        number as usize
    }
}

/// Whether a light playout may play a move: legal, and no own eye filled.
#[inline(always)]
fn is_legal_non_eye(board: &Board, color: Color, point: Point) -> bool {
    !is_own_eye(board, color, point) && board.check(color, point).is_ok()
}

/// Whether an empty point is a one-point eye and not false: its neighbours are own stones or wall, and at most one of
/// its diagonals is the opponent's, none at the edge.
#[inline]
pub fn is_own_eye(board: &Board, color: Color, point: Point) -> bool {
    if !board.is_enclosed(color, point) {
        return false;
    }
    let corners = board.coordinate().diagonals(point).map(|p| board.stone(p));
    let opponents: u32 = corners.iter().map(|&stone| u32::from(stone == color.opponent().stone())).sum();
    let edge = u32::from(corners.contains(&Stone::Wall));
    opponents + edge < 2
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;
    use crate::kernel::test_boards::board;

    #[test]
    fn signature_and_mean_length() {
        let board = Board::new(Coordinate::square(9).unwrap());
        let mut rng = Rng::with_seed(1);
        let (mut length, mut wins) = (0, 0);
        const GAMES: usize = 2000;
        for _ in 0..GAMES {
            let mut game = board.clone();
            length += play_out(&mut game, Color::Black, &mut rng);
            wins += usize::from(margin(&game) > 0);
        }
        let mean = length as f64 / GAMES as f64;
        assert!((mean / 111.0 - 1.0).abs() < 0.005, "mean length {mean}");
        assert_eq!((length, wins), (222_099, 983));
    }

    #[test]
    fn choose_is_uniform_over_legal_non_eye_moves() {
        // Black's eyes are in the first row; B4 is suicide
        let mut board = board(&[".x.x.", "xxxxx", "oooo.", "o.o.o", "ooo.o"]);
        let mut rng = Rng::with_seed(2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..9000 {
            let point = choose(&mut board, Color::Black, &mut rng).unwrap();
            *counts.entry(board.coordinate().vertex(point)).or_insert(0) += 1;
        }
        assert_eq!(counts.keys().collect::<Vec<_>>(), ["D4", "D5", "E3"]);
        // three standard deviations of a count are 134
        assert!(counts.values().all(|count| (2866..=3134).contains(count)), "{counts:?}");
    }

    #[test]
    fn eye_is_false_with_two_opponents_on_diagonals_or_one_at_the_edge() {
        let eyes = |rows: &[&str], color: Color| {
            let board = board(rows);
            let points = board.coordinate().points().filter(|&p| board.stone(p) == Stone::Space);
            points.filter(|&p| is_own_eye(&board, color, p)).map(|p| board.coordinate().vertex(p)).collect::<Vec<_>>()
        };
        let rows = [".x.x.", "xooxx", "..x.x", "...x.", "....."];
        assert_eq!(eyes(&rows, Color::Black), ["E1", "D3"]);
        let rows = [".x.x.", "xooxx", "..x.x", "..ox.", "....."];
        assert_eq!(eyes(&rows, Color::Black), ["E1"]);
        assert!(eyes(&rows, Color::White).is_empty());
    }
}
