//! Light playouts: random games to the end, every sensible move as likely as any other.
//!
//! A player passes only if every legal move would fill one of its own eyes. Such a game ends with nearly every point
//! a stone or a one-point eye, so that its score can be read off point by point.

use fastrand::Rng;

use crate::kernel::{Board, Color, Point, Stone};

/// A playout is broken off after so many moves for each point of the board: sending-two-returning-one and the like need
/// never end.
pub const MOVES_PER_POINT: usize = 3;

/// Plays until both players have passed in a row or the moves are 3 for each point of the board. Gives the number of
/// moves, passes counted.
///
/// Legal is what [`Board::check`] says, so that a ko is the only repetition forbidden. Nothing is allocated.
pub fn play_out(board: &mut Board, to_move: Color, rng: &mut Rng) -> usize {
    // the two colours are written out, so that the compiler makes code for each
    let limit = MOVES_PER_POINT * board.coordinate().board_area();
    let mut length = 0;
    let mut passes = 0;
    let mut dice = Dice::new(rng);
    if to_move == Color::White {
        passes = usize::from(step(board, Color::White, &mut dice));
        length = 1;
    }
    while length < limit {
        passes = if step(board, Color::Black, &mut dice) { passes + 1 } else { 0 };
        length += 1;
        if passes == 2 || length == limit {
            break;
        }
        passes = if step(board, Color::White, &mut dice) { passes + 1 } else { 0 };
        length += 1;
        if passes == 2 {
            break;
        }
    }
    length
}

/// One move, or a pass where there is none; says whether it was a pass.
#[inline(always)]
fn step(board: &mut Board, color: Color, dice: &mut Dice) -> bool {
    match draw(board, color, dice) {
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

/// Whose point this is at the end of a playout: the stone's, or the only colour's beside an empty point.
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

/// Black's points minus White's at the end of a playout.
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

/// A legal move that fills no own eye, each with the same chance; `None` if there is none.
pub fn choose(board: &mut Board, color: Color, rng: &mut Rng) -> Option<Point> {
    draw(board, color, &mut Dice::new(rng))
}

/// As [`choose`]. Draws from the board's empty points; those refused go to the end of the list and are not drawn again.
#[inline(always)]
fn draw(board: &mut Board, color: Color, dice: &mut Dice) -> Option<Point> {
    let mut left = board.empty_points().len();
    while left > 0 {
        let drawn = dice.roll(left);
        let point = board.empty_point(drawn);
        if is_sensible(board, color, point) {
            return Some(point);
        }
        left -= 1;
        board.swap_empty(drawn, left);
    }
    None
}

/// Chance, always one number ahead: after a branch that the processor did not foresee the next draw can begin at once.
struct Dice<'a> {
    rng: &'a mut Rng,
    next: u32,
}

impl Dice<'_> {
    fn new(rng: &mut Rng) -> Dice<'_> {
        let next = rng.u32(..);
        Dice { rng, next }
    }

    /// A number below `sides`; as fair as a remainder to one part in millions, and a few times faster.
    #[inline(always)]
    fn roll(&mut self, sides: usize) -> usize {
        let rolled = (u64::from(self.next) * sides as u64) >> 32;
        self.next = self.rng.u32(..);
        rolled as usize
    }
}

#[inline(always)]
fn is_sensible(board: &Board, color: Color, point: Point) -> bool {
    !is_own_eye(board, color, point) && board.check(color, point).is_ok()
}

/// Whether an empty point is a true eye of one point: nothing but own stones and wall beside it, and of the points
/// diagonal to it at most one the opponent's; none at the edge, where there are fewer ways around.
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

    fn board(drawn: &[u8]) -> Board {
        let coordinate = Coordinate::square(5).unwrap();
        Board::from_stones(coordinate, &crate::kernel::parse_stones(coordinate, drawn).unwrap()).unwrap()
    }

    #[test]
    fn every_sensible_move_is_as_likely_as_any_other() {
        // Black fills none of its eyes in the first row, and may not play in White's, B4
        let mut board = board(b"+++++++ +.x.x.+ +xxxxx+ +oooo.+ +o.o.o+ +ooo.o+ +++++++");
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
    fn an_eye_is_false_with_two_opponents_at_its_corners_or_one_at_the_edge() {
        let eyes = |drawn: &[u8], color: Color| {
            let board = board(drawn);
            let points = board.coordinate().points().filter(|&p| board.stone(p) == Stone::Space);
            points.filter(|&p| is_own_eye(&board, color, p)).map(|p| board.coordinate().vertex(p)).collect::<Vec<_>>()
        };
        let drawn = b"+++++++ +.x.x.+ +xooxx+ +..x.x+ +...x.+ +.....+ +++++++";
        assert_eq!(eyes(drawn, Color::Black), ["E1", "D3"]);
        let drawn = b"+++++++ +.x.x.+ +xooxx+ +..x.x+ +..ox.+ +.....+ +++++++";
        assert_eq!(eyes(drawn, Color::Black), ["E1"]);
        assert!(eyes(drawn, Color::White).is_empty());
    }
}
