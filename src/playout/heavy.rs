//! Heavy playouts: games to the end in which the players answer what the last move threatens.
//!
//! In the order in which a move is looked for: stones that can be taken beside the last two moves; own stones that the last
//! move put in atari; rens of two liberties beside it from which one atari leaves no way out; the vital point of a small eye
//! space; a 3x3 pattern beside the last move (S. Gelly and others, INRIA RR-6062, 2006); and at last any move that fills no
//! own eye and gives no stones away. Every step but the last is skipped at times, as the parameters say, so that no position
//! is always played the same.

use std::cell::RefCell;

use fastrand::Rng;

use crate::kernel::{Board, Color, Move, Point};
use crate::playout::light::MOVES_PER_POINT;
use crate::playout::patterns::Patterns;
use crate::playout::tactics::{
    Ladder, Points, counter_captures, escapes, is_safe, is_safe_without, is_self_atari, is_sensible, liberties_after,
    nakade_point, two_liberties_of,
};
use crate::search::params::Params;

/// Moves drawn one by one before the empty points are gone through in a row.
const DRAWS: usize = 4;

/// What playouts are played by: the parameters, made ready.
pub struct Policy {
    capture: u16,
    capture_caught: u16,
    escape: u16,
    two_liberties: u16,
    nakade: u16,
    pattern: u16,
    pattern_before: u16,
    patterns: &'static Patterns,
}

impl Policy {
    /// The policy of these parameters.
    pub fn new(params: &Params) -> Policy {
        let chance = |value: f64| (value * f64::from(CERTAIN)).round() as u16;
        Policy {
            capture: chance(params.playout_capture),
            capture_caught: chance(params.playout_capture_caught),
            escape: chance(params.playout_escape),
            two_liberties: chance(params.playout_two_liberties),
            nakade: chance(params.playout_nakade),
            pattern: chance(params.playout_pattern),
            pattern_before: chance(params.playout_pattern_before),
            patterns: Patterns::shared(),
        }
    }
}

/// Chances are out of so many.
const CERTAIN: u16 = 256;

/// Plays until both players have passed in a row or the moves are 3 for each point of the board. Gives the number of
/// moves, passes counted.
///
/// `recent` are the two moves before, the latest first, `None` for a pass or no move. Every move is pushed to `moves`; if
/// that has room for 3 moves for each point of the board, nothing is allocated, but for the first ladder that a thread reads.
pub fn play_out(
    board: &mut Board,
    to_move: Color,
    recent: [Option<Point>; 2],
    policy: &Policy,
    rng: &mut Rng,
    moves: &mut Vec<Move>,
) -> usize {
    LADDER.with_borrow_mut(|ladder| play_on(board, to_move, recent, policy, ladder, rng, moves))
}

thread_local! {
    /// A board to read ladders on: it remembers nothing, but making one for every playout would cost more than reading.
    static LADDER: RefCell<Ladder> = const { RefCell::new(Ladder::new()) };
}

fn play_on(
    board: &mut Board,
    to_move: Color,
    recent: [Option<Point>; 2],
    policy: &Policy,
    ladder: &mut Ladder,
    rng: &mut Rng,
    moves: &mut Vec<Move>,
) -> usize {
    let limit = MOVES_PER_POINT * board.coordinate().board_area();
    let mut color = to_move;
    let [mut last, mut before] = recent;
    let mut passes = 0;
    let mut length = 0;
    while passes < 2 && length < limit {
        let chosen = policy.choose(board, color, [last, before], ladder, rng);
        match chosen {
            Some(point) => {
                board.play_legal(color, point, &mut ());
                moves.push(Move::Play(point));
                passes = 0;
            }
            None => {
                board.pass();
                moves.push(Move::Pass);
                passes += 1;
            }
        }
        before = last;
        last = chosen;
        color = color.opponent();
        length += 1;
    }
    length
}

impl Policy {
    /// The next move of a playout, `None` to pass.
    pub fn choose(
        &self,
        board: &Board,
        color: Color,
        recent: [Option<Point>; 2],
        ladder: &mut Ladder,
        rng: &mut Rng,
    ) -> Option<Point> {
        // the two colours are written out, so that the compiler makes code for each
        match color {
            Color::Black => self.choose_for(board, Color::Black, recent, ladder, rng),
            Color::White => self.choose_for(board, Color::White, recent, ladder, rng),
        }
    }

    #[inline(always)]
    fn choose_for(
        &self,
        board: &Board,
        color: Color,
        recent: [Option<Point>; 2],
        ladder: &mut Ladder,
        rng: &mut Rng,
    ) -> Option<Point> {
        if let [Some(last), before] = recent {
            // one draw for all chances of the move, a byte each
            let [a, b, c, d, e, f, g, _] = rng.u64(..).to_le_bytes().map(u16::from);
            let wanted = [a < self.capture, g < self.capture_caught];
            let [ataris, twos] = board.weak_neighbors(color, last);
            let may_escape = (b < self.escape) & (ataris != 0);
            let attack = board.may_have_two_liberties(last);
            let may_decide = (c < self.two_liberties) & (attack | (twos != 0));
            let answer = capture(board, color, last, before, wanted, rng)
                .or_else(|| may_escape.then(|| escape(board, last, ataris, ladder, rng)).flatten())
                .or_else(|| may_decide.then(|| two_liberties(board, last, attack, twos, rng)).flatten())
                .or_else(|| self.shape(board, color, last, [d < self.nakade, e < self.pattern], rng))
                .or_else(|| {
                    let before = before.filter(|_| f < self.pattern_before);
                    before.and_then(|before| self.shape(board, color, before, [false, true], rng))
                });
            if answer.is_some() {
                return answer;
            }
        }
        random(board, color, rng)
    }

    /// The vital point of a small eye space beside the last move, or a move that matches a pattern on one of the eight
    /// points around it.
    #[inline]
    fn shape(&self, board: &Board, color: Color, last: Point, wanted: [bool; 2], rng: &mut Rng) -> Option<Point> {
        let coordinate = board.coordinate();
        let [east, north, west, south] = coordinate.neighbors(last);
        let [north_east, _, north_west, _] = coordinate.neighbors(north);
        let [south_east, _, south_west, _] = coordinate.neighbors(south);
        let around = [east, north, west, south, north_east, north_west, south_east, south_west];
        let (mut matching, mut narrow) = self.patterns.around(board, color, last);
        let [nakade, pattern] = wanted;
        narrow &= if nakade { 15 } else { 0 };
        while narrow != 0 {
            let start = *around.get(narrow.trailing_zeros() as usize)?;
            if let Some(vital) = nakade_point(board, color.opponent(), start)
                && board.check(color, vital).is_ok()
            {
                return Some(vital);
            }
            narrow &= narrow - 1;
        }
        if !pattern {
            return None;
        }
        while matching != 0 {
            let mut rest = matching;
            for _ in 0..rng.u32(..matching.count_ones()) {
                rest &= rest - 1;
            }
            let place = rest.trailing_zeros();
            let point = *around.get(place as usize)?;
            if is_sensible(board, color, point) {
                return Some(point);
            }
            matching &= !(1 << place);
        }
        None
    }
}

/// One of the points, each with the same chance.
#[inline]
fn any<const N: usize>(points: &Points<N>, rng: &mut Rng) -> Option<Point> {
    let points = points.as_slice();
    match points {
        [] => None,
        &[only] => Some(only),
        _ => points.get(rng.usize(..points.len())).copied(),
    }
}

/// Takes the ren of the last move, or one beside the own move before that, if that is wanted; unless those that are caught
/// are wanted too, only stones that could stretch to two liberties, because the others can wait.
#[inline(always)]
fn capture(
    board: &Board,
    color: Color,
    last: Point,
    before: Option<Point>,
    [wanted, even_caught]: [bool; 2],
    rng: &mut Rng,
) -> Option<Point> {
    // seldom is anything in atari: looked at without being wanted, because the chance would be a branch to guess
    let beside = before.map_or(0, |before| board.atari_neighbors(color.opponent(), before));
    if !(wanted & ((beside != 0) | board.is_atari(last))) {
        return None;
    }
    let mut found = Points::<8>::new();
    let mut note = |ren: Point| {
        if let Some(liberty) = board.atari(ren)
            && board.check(color, liberty).is_ok()
            && (even_caught || !is_self_atari(board, color.opponent(), liberty))
        {
            found.insert(liberty);
        }
    };
    note(last);
    if let Some(before) = before {
        for (place, neighbor) in board.coordinate().neighbors(before).into_iter().enumerate() {
            if beside >> place & 1 != 0 {
                note(neighbor);
            }
        }
    }
    any(&found, rng)
}

/// Saves a ren that the last move put in atari; a bit for each neighbour of that move says whether it did.
fn escape(board: &Board, last: Point, ataris: u32, ladder: &mut Ladder, rng: &mut Rng) -> Option<Point> {
    let mut found = Points::<8>::new();
    let mut rens = Points::<4>::new();
    for (place, neighbor) in board.coordinate().neighbors(last).into_iter().enumerate() {
        if ataris >> place & 1 != 0 && rens.insert(board.ren_head(neighbor)) {
            escapes(board, neighbor, ladder, &mut found);
        }
    }
    any(&found, rng)
}

/// Puts the ren of the last move in an atari from which it cannot stretch, or keeps an own ren beside it from that. Where
/// this is to be looked at: whether for the first, and a bit for each neighbour of that move for the second.
fn two_liberties(board: &Board, last: Point, attack: bool, own: u32, rng: &mut Rng) -> Option<Point> {
    let mut found = Points::<8>::new();
    if attack && let Some(pair) = two_liberties_of(board, last) {
        decisive(board, last, pair, &mut found, true);
    }
    let mut rens = Points::<4>::new();
    for (place, neighbor) in board.coordinate().neighbors(last).into_iter().enumerate() {
        if own >> place & 1 != 0
            && rens.insert(board.ren_head(neighbor))
            && let Some(pair) = two_liberties_of(board, neighbor)
        {
            decisive(board, neighbor, pair, &mut found, false);
        }
    }
    any(&found, rng)
}

/// Notes moves that decide about a ren of two liberties: of its attacker's, those that leave it no good stretch; of its
/// owner's, those that answer such a threat.
#[inline]
fn decisive(board: &Board, ren: Point, [one, two]: [Point; 2], found: &mut Points<8>, attack: bool) {
    let Some(color) = board.stone(ren).color() else { return };
    for (here, there) in [(one, two), (two, one)] {
        let threatens = |p: Point, rest: Point| {
            // two free points beside where it would stretch to are enough
            board.empty_neighbors(rest) < 3
                && !is_safe_without(board, color, rest, p)
                && is_safe(board, color.opponent(), p)
        };
        if !threatens(here, there) {
            continue;
        }
        if attack {
            found.insert(here);
            continue;
        }
        counter_captures(board, ren, found);
        for point in [here, there] {
            if board.check(color, point).is_ok()
                && liberties_after(board, color, point, &mut [Point::default(); 3]) == 3
            {
                found.insert(point);
            }
        }
    }
}

/// Any sensible move, with nearly the same chance; `None` if there is none.
#[inline(always)]
fn random(board: &Board, color: Color, rng: &mut Rng) -> Option<Point> {
    let empty = board.empty_points();
    if empty.is_empty() {
        return None;
    }
    for _ in 0..DRAWS {
        let point = *empty.get(rng.usize(..empty.len()))?;
        if is_sensible(board, color, point) {
            return Some(point);
        }
    }
    sensible_from(board, color, rng.usize(..empty.len()))
}

/// The first sensible move of the empty points, from this place on and round.
#[inline(never)]
fn sensible_from(board: &Board, color: Color, start: usize) -> Option<Point> {
    let (before, after) = board.empty_points().split_at_checked(start)?;
    after.iter().chain(before).copied().find(|&point| is_sensible(board, color, point))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;
    use crate::kernel::test_boards::board;
    use crate::playout::light::{margin, owner};

    /// Every step taken for certain.
    fn certain() -> Policy {
        let mut params = Params::default();
        for name in [
            "PlayoutCapture",
            "PlayoutCaptureCaught",
            "PlayoutEscape",
            "PlayoutTwoLiberties",
            "PlayoutNakade",
            "PlayoutPattern",
        ] {
            params.set(name, 1.0).unwrap();
        }
        Policy::new(&params)
    }

    /// The moves that answer a last move, in 200 draws.
    fn answers(board: &Board, color: Color, last: &str) -> Vec<String> {
        let last = board.coordinate().parse_vertex(last).unwrap();
        let (policy, mut ladder, mut rng) = (certain(), Ladder::new(), Rng::with_seed(4));
        let mut found: Vec<String> = (0..200)
            .filter_map(|_| policy.choose(board, color, [Some(last), None], &mut ladder, &mut rng))
            .map(|point| board.coordinate().vertex(point))
            .collect();
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn signature() {
        let board = Board::new(Coordinate::square(9).unwrap());
        let policy = Policy::new(&Params::default());
        let mut rng = Rng::with_seed(1);
        let mut moves = Vec::with_capacity(MOVES_PER_POINT * 81);
        let (mut length, mut wins) = (0, 0);
        for _ in 0..2000 {
            let mut game = board.clone();
            moves.clear();
            let played = play_out(&mut game, Color::Black, [None, None], &policy, &mut rng, &mut moves);
            assert_eq!(played, moves.len());
            length += played;
            wins += usize::from(margin(&game) > 0);
            let mut again = board.clone();
            let mut color = Color::Black;
            for &play in &moves {
                match play {
                    Move::Play(point) => {
                        again.play(color, point, &mut ()).unwrap();
                    }
                    Move::Pass => again.pass(),
                }
                color = color.opponent();
            }
            assert_eq!(again, game);
        }
        assert_eq!(moves.capacity(), MOVES_PER_POINT * 81);
        assert_eq!((length, wins), (215_935, 1093));
    }

    #[test]
    fn the_last_move_is_taken_when_in_atari() {
        let board = board(&[".....", ".xo..", ".ox..", ".xo..", "..x.."]);
        assert_eq!(answers(&board, Color::Black, "B3"), ["A3"]);
    }

    #[test]
    fn a_ren_put_in_atari_stretches_or_takes() {
        let stretch = board(&[".....", "..x..", ".xo..", "..x..", "....."]);
        assert_eq!(answers(&stretch, Color::White, "B3"), ["D3"]);
    }

    #[test]
    fn the_vital_point_is_taken_beside_the_last_move() {
        let board = board(&["...oo", "ooooo", "xxxxo", "....x", "....."]);
        assert_eq!(answers(&board, Color::Black, "D1"), ["B1"]);
    }

    #[test]
    fn seki_survives() {
        // nobody may play at D1 and D2
        let board = board(&["oxo.xo.", "oxo.xoo", "oxoxxo.", "oxoxxoo", "oxxxxoo", "oooooo.", "o.o.ooo"]);
        let policy = Policy::new(&Params::default());
        let mut rng = Rng::with_seed(5);
        let point = board.coordinate().parse_vertex("E1").unwrap();
        let mut kept = 0;
        for number in 0..500 {
            let mut game = board.clone();
            let mut moves = Vec::with_capacity(MOVES_PER_POINT * 49);
            let first = if number % 2 == 0 { Color::Black } else { Color::White };
            let last = board.coordinate().parse_vertex(if first == Color::Black { "C1" } else { "E1" }).unwrap();
            play_out(&mut game, first, [Some(last), None], &policy, &mut rng, &mut moves);
            kept += usize::from(owner(&game, point) == Some(Color::Black));
        }
        assert_eq!(kept, 500);
    }
}
