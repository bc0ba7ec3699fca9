//! Light playouts: random games to the end, every sensible move as likely as any other.
//!
//! A player passes only if every legal move would fill one of its own eyes. Such a game ends with nearly every point
//! a stone or a one-point eye, so that its score can be read off point by point.

use fastrand::Rng;

use crate::kernel::{Board, Color, MAX_SIDE, Point, Stone};

/// A playout is broken off after so many moves for each point of the board: sending-two-returning-one and the like need
/// never end.
pub const MOVES_PER_POINT: usize = 3;

/// Plays until both players have passed in a row or the moves are 3 for each point of the board. Gives the number of
/// moves, passes counted.
///
/// Legal is what [`Board::check`] says, so that a ko is the only repetition forbidden. Nothing is allocated.
pub fn play_out(board: &mut Board, to_move: Color, rng: &mut Rng) -> usize {
    let limit = MOVES_PER_POINT * board.coordinate().board_area();
    let mut color = to_move;
    let mut passes = 0;
    let mut length = 0;
    while passes < 2 && length < limit {
        match choose(board, color, rng) {
            Some(point) => {
                board.play_legal(color, point, &mut ());
                passes = 0;
            }
            None => {
                board.pass();
                passes += 1;
            }
        }
        color = color.opponent();
        length += 1;
    }
    length
}

/// Whose point this is at the end of a playout: the stone's, or the only colour's beside an empty point.
pub fn owner(board: &Board, point: Point) -> Option<Color> {
    if let Some(color) = board.stone(point).color() {
        return Some(color);
    }
    let around = board.coordinate().neighbors(point);
    let mut colors = around.iter().filter_map(|&p| board.stone(p).color());
    let first = colors.next()?;
    colors.all(|color| color == first).then_some(first)
}

/// Black's points minus White's at the end of a playout.
pub fn margin(board: &Board) -> i32 {
    let value = |point| match owner(board, point) {
        Some(Color::Black) => 1,
        Some(Color::White) => -1,
        None => 0,
    };
    board.coordinate().points().map(value).sum()
}

/// A legal move that fills no own eye, each with the same chance; `None` if there is none.
pub fn choose(board: &Board, color: Color, rng: &mut Rng) -> Option<Point> {
    let empty = board.empty_points();
    // nearly always the first draw will do, and no list has to be copied; drawing again after a refusal would be as fair
    let first = *empty.get(rng.usize(..empty.len().max(1)))?;
    if is_sensible(board, color, first) { Some(first) } else { choose_among(board, color, empty, rng) }
}

#[cold]
fn choose_among(board: &Board, color: Color, empty: &[Point], rng: &mut Rng) -> Option<Point> {
    let mut candidates = [Point::default(); MAX_SIDE as usize * MAX_SIDE as usize];
    let candidates = candidates.get_mut(..empty.len())?;
    candidates.copy_from_slice(empty);
    for left in (1..=candidates.len()).rev() {
        let drawn = rng.usize(..left);
        let point = *candidates.get(drawn)?;
        if is_sensible(board, color, point) {
            return Some(point);
        }
        candidates.swap(drawn, left - 1);
    }
    None
}

fn is_sensible(board: &Board, color: Color, point: Point) -> bool {
    !is_own_eye(board, color, point) && board.check(color, point).is_ok()
}

/// Whether an empty point is a true eye of one point: nothing but own stones and wall beside it, and of the points
/// diagonal to it at most one the opponent's; none at the edge, where there are fewer ways around.
pub fn is_own_eye(board: &Board, color: Color, point: Point) -> bool {
    let coordinate = board.coordinate();
    let [east, north, west, south] = coordinate.neighbors(point);
    let own = |p: Point| matches!(board.stone(p), stone if stone == color.stone() || stone == Stone::Wall);
    if !(own(east) && own(north) && own(west) && own(south)) {
        return false;
    }
    let [north_east, _, north_west, _] = coordinate.neighbors(north);
    let [south_east, _, south_west, _] = coordinate.neighbors(south);
    let diagonals = [north_east, north_west, south_east, south_west].map(|p| board.stone(p));
    let opponents = diagonals.iter().filter(|&&stone| stone == color.opponent().stone()).count();
    let edge = usize::from(diagonals.contains(&Stone::Wall));
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
        assert!((mean / 111.0 - 1.0).abs() < 0.02, "mean length {mean}");
        assert_eq!((length, wins), (220_965, 1048));
    }

    fn board(drawn: &[u8]) -> Board {
        let coordinate = Coordinate::square(5).unwrap();
        Board::from_stones(coordinate, &crate::kernel::parse_stones(coordinate, drawn).unwrap()).unwrap()
    }

    #[test]
    fn every_sensible_move_is_as_likely_as_any_other() {
        // Black fills none of its eyes in the first row, and may not play in White's, B4
        let board = board(b"+++++++ +.x.x.+ +xxxxx+ +oooo.+ +o.o.o+ +ooo.o+ +++++++");
        let mut rng = Rng::with_seed(2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..9000 {
            let point = choose(&board, Color::Black, &mut rng).unwrap();
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
