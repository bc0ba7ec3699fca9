//! Questions about captures that a search asks often: answered on the board as it stands, without allocation.
//!
//! Nothing here states a rule: what may be played is what [`Board::check`] allows.

use crate::kernel::{Board, Color, Ko, OtherLiberties, Point, Stone};
use crate::playout::light::is_own_eye;

/// A stone counts as dead shape up to this size: no larger one can be filled so that only one eye is left.
const LARGEST_NAKADE: usize = 6;

/// How many moves deep ladders are read.
const LADDER_DEPTH: usize = 120;

/// How many forks of a ladder are remembered, and how many lines are read in all.
const LADDER_FORKS: usize = 8;
const LADDER_LINES: usize = 12;

/// A short list of points, each once; what does not fit is left out.
#[derive(Clone, Copy, Debug)]
pub struct Points<const N: usize> {
    points: [Point; N],
    len: usize,
}

impl<const N: usize> Points<N> {
    /// The empty list.
    #[inline]
    pub fn new() -> Points<N> {
        Points { points: [Point::default(); N], len: 0 }
    }

    /// Adds a point, if it is new and there is room; says whether it was added.
    #[inline]
    pub fn insert(&mut self, point: Point) -> bool {
        !self.contains(point) && self.push(point)
    }

    /// Adds a point known to be new, if there is room; says whether it was added.
    #[inline]
    pub fn push(&mut self, point: Point) -> bool {
        match self.points.get_mut(self.len) {
            Some(slot) => {
                *slot = point;
                self.len += 1;
                true
            }
            None => false,
        }
    }

    /// Whether the point is in the list.
    #[inline]
    pub fn contains(&self, point: Point) -> bool {
        self.as_slice().contains(&point)
    }

    /// The points, in the order in which they came.
    #[inline]
    pub fn as_slice(&self) -> &[Point] {
        self.points.get(..self.len).unwrap_or_default()
    }
}

impl<const N: usize> Default for Points<N> {
    fn default() -> Points<N> {
        Points::new()
    }
}

/// Notes liberties that the new stone's ren would have if `color` played on an empty point, each once, until `found` is
/// full, and says how many it has noted. Captured stones leave liberties.
#[inline]
pub fn liberties_after<const N: usize>(board: &Board, color: Color, point: Point, found: &mut [Point; N]) -> usize {
    let around = board.coordinate().neighbors(point);
    // a cell of the frame, which is no liberty: so that all can be compared, however many are noted
    found.fill(Point::default());
    let mut count = 0;
    let mut taken = Points::<4>::new();
    let mut joined = Points::<4>::new();
    for neighbor in around {
        let stone = board.stone(neighbor);
        let is_taken = stone == color.opponent().stone() && board.is_atari(neighbor);
        if is_taken {
            taken.insert(board.ren_head(neighbor));
        }
        if stone == color.stone() {
            joined.insert(board.ren_head(neighbor));
        }
        if stone == Stone::Space && note(found, &mut count, neighbor) {
            return N;
        }
    }
    if !taken.as_slice().is_empty() {
        for neighbor in around {
            let is_taken = board.stone(neighbor) != Stone::Space && taken.contains(board.ren_head(neighbor));
            if is_taken && note(found, &mut count, neighbor) {
                return N;
            }
        }
    }
    let is_taken = |p: Point| {
        !taken.as_slice().is_empty() && board.stone(p) == color.opponent().stone() && taken.contains(board.ren_head(p))
    };
    for &ren in joined.as_slice() {
        for stone in board.ren_points(ren) {
            for neighbor in board.coordinate().neighbors(stone) {
                let is_liberty = (board.stone(neighbor) == Stone::Space) & (neighbor != point) || is_taken(neighbor);
                if is_liberty && note(found, &mut count, neighbor) {
                    return N;
                }
            }
        }
    }
    count
}

/// Notes a point that is not among those found; says whether that filled the room.
#[inline(always)]
fn note<const N: usize>(found: &mut [Point; N], count: &mut usize, point: Point) -> bool {
    let is_known = found.iter().fold(false, |known, &p| known | (p == point));
    if !is_known && let Some(slot) = found.get_mut(*count) {
        *slot = point;
        *count += 1;
    }
    *count == N
}

/// The liberties of the ren at a point, which must hold a stone, if there are two.
#[inline]
pub fn two_liberties_of(board: &Board, ren: Point) -> Option<[Point; 2]> {
    // a cell of the frame, which is no liberty
    let none = Point::default();
    let [mut one, mut two] = [none; 2];
    for stone in board.ren_points(ren) {
        let mut is_more = false;
        for neighbor in board.coordinate().neighbors(stone) {
            let is_new = (board.stone(neighbor) == Stone::Space) & (neighbor != one) & (neighbor != two);
            is_more |= is_new & (two != none);
            two = if is_new & (one != none) { neighbor } else { two };
            one = if one == none && is_new { neighbor } else { one };
        }
        if is_more {
            return None;
        }
    }
    (two != none).then_some([one, two])
}

/// Whether the new stone's ren would have exactly one liberty, or none, if `color` played on an empty point.
#[inline]
pub fn is_self_atari(board: &Board, color: Color, point: Point) -> bool {
    if board.empty_neighbors(point) >= 2 {
        return false;
    }
    let placement = board.placement_info(color, point);
    if placement.captures() {
        return liberties_after(board, color, point, &mut [Point::default(); 2]) < 2;
    }
    !placement.has_two_liberties()
}

/// Whether a move on an empty point is allowed and leaves its ren two liberties or more.
#[inline]
pub fn is_safe(board: &Board, color: Color, point: Point) -> bool {
    if board.empty_neighbors(point) >= 2 {
        return true;
    }
    let placement = board.placement_info(color, point);
    if placement.captures() {
        return board.ko() != Some(Ko { point, color })
            && liberties_after(board, color, point, &mut [Point::default(); 2]) == 2;
    }
    placement.has_two_liberties()
}

/// Whether a ren would have two liberties or more after a move on an empty point if an opponent's stone stood on another
/// one.
#[inline]
pub fn is_safe_without(board: &Board, color: Color, point: Point, without: Point) -> bool {
    let placement = board.placement_info_without(color, point, without);
    if placement.captures() {
        let mut found = [Point::default(); 3];
        let count = liberties_after(board, color, point, &mut found);
        return found.iter().take(count).filter(|&&p| p != without).count() >= 2;
    }
    placement.has_two_liberties()
}

/// Whether a move puts its own ren in atari for nothing.
///
/// Something is gained where stones are taken, where a single stone leaves a ren beside it short of liberties (throw-in,
/// snapback), and where the ren that takes the stones is left with a shape of one eye only ([`is_dead_shape`]).
#[inline]
pub fn is_bad_self_atari(board: &Board, color: Color, point: Point) -> bool {
    if board.empty_neighbors(point) >= 2 {
        return false;
    }
    let placement = board.placement_info(color, point);
    match placement.liberties() {
        _ if placement.captures() => false,
        OtherLiberties::More => false,
        OtherLiberties::One(left) => !self_atari_gains(board, color, point, left),
        OtherLiberties::None => true,
    }
}

/// Whether a move on an empty point is allowed, fills no own eye and gives no stones away for nothing; a single stone may be
/// given away anywhere, because in playouts throw-ins are missed more than wasted moves harm.
#[inline(always)] // so that a playout has code for each colour
pub fn is_sensible(board: &Board, color: Color, point: Point) -> bool {
    // the usual ends first; what is left is summed up, because a processor guesses it wrong
    if board.empty_neighbors(point) >= 2 {
        return true;
    }
    if is_own_eye(board, color, point) {
        return false;
    }
    let placement = board.placement_info(color, point);
    if placement.captures() {
        return board.ko() != Some(Ko { point, color });
    }
    if placement.has_two_liberties() | (placement.has_liberty() & !placement.connects()) {
        return true;
    }
    match placement.liberties() {
        OtherLiberties::One(left) => self_atari_gains(board, color, point, left),
        OtherLiberties::None | OtherLiberties::More => false,
    }
}

/// Whether no stone of a colour is beside a point.
#[inline]
fn is_alone(board: &Board, color: Color, point: Point) -> bool {
    board.coordinate().neighbors(point).iter().all(|&p| board.stone(p) != color.stone())
}

/// Whether a self-atari that takes nothing gains something; `left` is the liberty it leaves.
fn self_atari_gains(board: &Board, color: Color, point: Point, left: Point) -> bool {
    let around = board.coordinate().neighbors(point);
    if is_alone(board, color, point) {
        return around.into_iter().any(|neighbor| {
            board.stone(neighbor) == color.opponent().stone()
                && board.liberties_up_to(neighbor, &mut [Point::default(); 4]) < 4
        });
    }
    // the opponent can only take the stones with the ren that is itself left without another liberty
    let is_answered = around.into_iter().any(|neighbor| {
        board.stone(neighbor) == color.opponent().stone()
            && board.other_liberties(neighbor, point) == OtherLiberties::One(left)
    });
    if !is_answered {
        return false;
    }
    let mut ren = Points::<LARGEST_NAKADE>::new();
    ren.push(point);
    for neighbor in around {
        if board.stone(neighbor) == color.stone() && !ren.contains(neighbor) {
            for p in board.ren_points(neighbor) {
                if !ren.push(p) {
                    return false;
                }
            }
        }
    }
    is_dead_shape(board, ren.as_slice())
}

/// Whether so many points hold one eye only once they are surrounded and an opponent moves first: two or three in any
/// shape, four in a square or a T, five as a cross or bulky, six as a rabbit's.
pub fn is_dead_shape(board: &Board, points: &[Point]) -> bool {
    let (edges, most) = degree_stats(board, points);
    match points.len() {
        0..=3 => true,
        4 => edges == 8 || most == 3,
        5 => edges == 10 || most == 4,
        6 => edges == 12 && most == 4,
        _ => false,
    }
}

/// How many neighbours the points of a shape have within it, all together, and how many the best has.
fn degree_stats(board: &Board, points: &[Point]) -> (usize, usize) {
    let counts = points.iter().map(|&p| degree(board, points, p));
    counts.fold((0, 0), |(sum, most), count| (sum + count, most.max(count)))
}

fn degree(board: &Board, points: &[Point], point: Point) -> usize {
    board.coordinate().neighbors(point).iter().filter(|p| points.contains(p)).count()
}

/// The vital point of the eye space around an empty point, if it is one: three to six empty points that one colour
/// alone surrounds, whose owner gets two eyes there by playing on that point, and one eye if the opponent does. A square
/// of four has none.
#[inline]
pub fn nakade_point(board: &Board, owner: Color, start: Point) -> Option<Point> {
    let mut space = Points::<LARGEST_NAKADE>::new();
    space.push(start);
    let mut done = 0;
    while let Some(&point) = space.as_slice().get(done) {
        for neighbor in board.coordinate().neighbors(point) {
            let stone = board.stone(neighbor);
            if stone == owner.opponent().stone()
                || stone == Stone::Space && !space.contains(neighbor) && !space.push(neighbor)
            {
                return None;
            }
        }
        done += 1;
    }
    let points = space.as_slice();
    let (edges, most) = degree_stats(board, points);
    if points.len() < 3 || points.len() == 4 && edges == 8 || !is_dead_shape(board, points) {
        return None;
    }
    points.iter().copied().find(|&p| degree(board, points, p) == most)
}

/// Notes moves that take a ren of the opponent that is in atari beside the ren at a point, which must hold a stone.
#[inline]
pub fn counter_captures<const N: usize>(board: &Board, ren: Point, found: &mut Points<N>) {
    let Some(color) = board.stone(ren).color() else { return };
    for stone in board.ren_points(ren) {
        for neighbor in board.coordinate().neighbors(stone) {
            if board.stone(neighbor) == color.opponent().stone()
                && let Some(liberty) = board.atari(neighbor)
                && board.check(color, liberty).is_ok()
            {
                found.insert(liberty);
            }
        }
    }
}

/// Notes moves that may save the ren at a point, which is in atari: taking a neighbour, or stretching to two liberties
/// or more from which no ladder follows.
pub fn escapes<const N: usize>(board: &Board, ren: Point, ladder: &mut Ladder, found: &mut Points<N>) {
    let Some(color) = board.stone(ren).color() else { return };
    counter_captures(board, ren, found);
    let Some(liberty) = board.atari(ren) else { return };
    if found.contains(liberty) || board.check(color, liberty).is_err() {
        return;
    }
    match liberties_after(board, color, liberty, &mut [Point::default(); 3]) {
        0 | 1 => {}
        2 => {
            if !ladder.catches(board, ren) {
                found.insert(liberty);
            }
        }
        _ => {
            found.insert(liberty);
        }
    }
}

/// A board to read ladders on, kept between readings so that none has to be made.
#[derive(Default)]
pub struct Ladder(Option<Box<Board>>);

/// A fork of a ladder: after so many moves this one is still to be tried.
#[derive(Clone, Copy)]
struct Fork {
    length: usize,
    attack: Point,
}

impl Ladder {
    /// A reader that has not read anything.
    pub const fn new() -> Ladder {
        Ladder(None)
    }

    /// Whether the ren at a point, which is in atari, is caught in a ladder though its owner moves.
    ///
    /// A ren is taken to escape when it gets three liberties, when a stone of the ladder can be taken, or when the ladder
    /// is too long or forks too often.
    pub fn catches(&mut self, board: &Board, ren: Point) -> bool {
        let scratch = self.scratch(board);
        read(board, scratch, ren, &mut [Point::default(); LADDER_DEPTH], 0)
    }

    /// Whether a move of the opponent's puts the ren at a point, which has two liberties, in an atari from which there is
    /// no escape. The move must be one of them, and allowed.
    pub fn attack_works(&mut self, board: &Board, ren: Point, attack: Point) -> bool {
        let Some(color) = board.stone(ren).color() else { return false };
        let scratch = self.scratch(board);
        let mut path = [Point::default(); LADDER_DEPTH];
        path[0] = attack;
        scratch.play_legal(color.opponent(), attack, &mut ());
        read(board, scratch, ren, &mut path, 1)
    }

    fn scratch(&mut self, board: &Board) -> &mut Board {
        let scratch = self.0.get_or_insert_with(|| Box::new(Board::new(board.coordinate())));
        scratch.as_mut().clone_from(board);
        scratch
    }
}

/// Reads on from `scratch`, which is `board` after the first `length` moves of `path`; the ren's owner is to move.
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
        let mut mover = first;
        for &point in path.iter().take(fork.length) {
            scratch.play_legal(mover, point, &mut ());
            mover = mover.opponent();
        }
        length = fork.length;
        let Some(slot) = path.get_mut(length) else { return false };
        *slot = fork.attack;
        length += 1;
        scratch.play_legal(color.opponent(), fork.attack, &mut ());
    }
}

/// Plays a ladder on until the ren, which is in atari and whose owner moves, has escaped or is caught.
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
        let mut captures = Points::<1>::new();
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
        // an attack from one side leaves the ren the other, which must not lead to three liberties
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;
    use crate::kernel::test_boards::board;

    fn at(board: &Board, vertex: &str) -> Point {
        board.coordinate().parse_vertex(vertex).unwrap()
    }

    fn liberties(board: &Board, color: Color, vertex: &str) -> usize {
        liberties_after(board, color, at(board, vertex), &mut [Point::default(); 8])
    }

    #[test]
    fn liberties_after_a_move_count_what_it_joins_and_takes() {
        let board = board(&[".xo..", "xxoo.", "oo.o.", "..xo.", "....."]);
        assert_eq!(liberties(&board, Color::White, "D1"), 6);
        assert_eq!(liberties(&board, Color::Black, "D1"), 1);
        assert_eq!(liberties(&board, Color::White, "A1"), 2, "of the points of three stones taken, two are beside it");
        assert_eq!(liberties(&board, Color::Black, "A1"), 0);
        assert_eq!(liberties(&board, Color::Black, "C3"), 2);
        let ko = super::tests::board(&[".xo.", "xo.o", ".xo.", "...."]);
        assert_eq!(liberties(&ko, Color::Black, "C2"), 1);
        assert!(!is_bad_self_atari(&ko, Color::Black, at(&ko, "C2")), "it takes a stone");
    }

    #[test]
    fn liberties_after_a_capture_agree_with_the_board() {
        let mut rng = fastrand::Rng::with_seed(3);
        let empty = Board::new(Coordinate::square(7).unwrap());
        for _ in 0..200 {
            let mut game = empty.clone();
            let mut color = Color::Black;
            for _ in 0..80 {
                let Some(point) = crate::playout::light::choose(&mut game, color, &mut rng) else { break };
                for &point in game.empty_points() {
                    if game.check(color, point).is_ok() {
                        let mut next = game.clone();
                        next.play_legal(color, point, &mut ());
                        let mut found = [Point::default(); 49];
                        let count = liberties_after(&game, color, point, &mut found);
                        assert_eq!(count, next.liberty_count(point), "{game:?}");
                        assert_eq!(count == 1, next.is_atari(point));
                        assert_eq!(count, next.liberties_up_to(point, &mut found));
                        assert_eq!(is_safe(&game, color, point), count >= 2);
                        for &without in game.empty_points().iter().filter(|&&p| p != point) {
                            let left = found.iter().take(count).filter(|&&p| p != without).count();
                            assert_eq!(is_safe_without(&game, color, point, without), left >= 2, "{game:?}");
                        }
                    }
                }
                game.play_legal(color, point, &mut ());
                let count = game.liberty_count(point);
                assert_eq!(two_liberties_of(&game, point).is_some(), count == 2);
                assert!(game.may_have_two_liberties(point) || count != 2, "{game:?}");
                color = color.opponent();
            }
        }
    }

    #[test]
    fn giving_stones_away_is_bad_unless_it_leaves_a_dead_shape_or_a_shortage() {
        // Black's three in the corner leave White one eye: the third stone is no loss
        let shape = board(&["x..oo", "ooooo", "xxxxx", "....."]);
        assert!(!is_bad_self_atari(&shape, Color::Black, at(&shape, "B1")));
        // four in a row leave two eyes
        let row = board(&["xx..o", "ooooo", "xxxxx", "....."]);
        assert!(!is_bad_self_atari(&row, Color::Black, at(&row, "C1")), "three are dead");
        let row = board(&["xxx..o", "oooooo", "xxxxxx", "......"]);
        assert!(is_bad_self_atari(&row, Color::Black, at(&row, "D1")));
        // White has another way out: the stones are lost
        let out = board(&["x..o..", "oooo..", "xxxx..", "......"]);
        assert!(is_bad_self_atari(&out, Color::Black, at(&out, "B1")));
    }

    #[test]
    fn the_prospect_of_a_stone_agrees_with_the_board() {
        let mut rng = fastrand::Rng::with_seed(6);
        let empty = Board::new(Coordinate::square(7).unwrap());
        for _ in 0..200 {
            let mut game = empty.clone();
            let mut color = Color::Black;
            for _ in 0..80 {
                let Some(point) = crate::playout::light::choose(&mut game, color, &mut rng) else { break };
                for &point in game.empty_points() {
                    let mut next = game.clone();
                    let taken = next.play(color, point, &mut ());
                    let placement = game.placement_info(color, point);
                    let agrees = match placement.liberties() {
                        _ if placement.captures() => {
                            taken.is_ok_and(|count| count > 0) || game.ko() == Some(Ko { point, color })
                        }
                        OtherLiberties::More => taken.is_ok() && !next.is_atari(point),
                        OtherLiberties::One(left) => taken == Ok(0) && next.atari(point) == Some(left),
                        OtherLiberties::None => taken.is_err(),
                    };
                    assert!(agrees, "{game:?}");
                    if is_sensible(&game, color, point) {
                        assert!(game.check(color, point).is_ok() && !is_own_eye(&game, color, point));
                    }
                }
                game.play_legal(color, point, &mut ());
                color = color.opponent();
            }
        }
    }

    #[test]
    fn snapback_is_no_bad_self_atari() {
        let board = board(&["..ox", "ooox", "xxxx", "...."]);
        // White takes the stone at A1, and then has one liberty
        assert!(is_self_atari(&board, Color::Black, at(&board, "B1")));
        assert!(!is_bad_self_atari(&board, Color::Black, at(&board, "B1")));
    }

    #[test]
    fn seki_is_left_alone() {
        let board = board(&["oxo.xo.", "oxo.xoo", "oxoxxo.", "oxoxxoo", "oxxxxoo", "oooooo.", "o.o.ooo"]);
        for color in Color::BOTH {
            for vertex in ["D1", "D2"] {
                assert!(is_bad_self_atari(&board, color, at(&board, vertex)), "{color} {vertex}");
            }
        }
    }

    #[test]
    fn dead_shapes_and_their_vital_points() {
        let vital = |drawn: &[&str]| {
            let board = board(drawn);
            let coordinate = board.coordinate();
            let start = *board.empty_points().first().unwrap();
            nakade_point(&board, Color::White, start).map(|p| coordinate.vertex(p))
        };
        assert_eq!(vital(&["...o", "oooo"]), Some("B1".to_owned()));
        assert_eq!(vital(&["..oo", ".ooo", "oooo"]), Some("A1".to_owned()));
        assert_eq!(vital(&["....", "oooo"]), None, "four in a row have two");
        assert_eq!(vital(&["..oo", "..oo", "oooo"]), None, "a square is dead as it is");
        assert_eq!(vital(&["...o", "o.oo", "oooo"]), Some("B1".to_owned()));
        assert_eq!(vital(&["..oo", "o..o", "oooo"]), None, "a zigzag");
        assert_eq!(vital(&["...o", "..oo", "oooo"]), Some("B1".to_owned()), "bulky five");
        assert_eq!(vital(&["o.oo", "...o", "o.oo", "oooo"]), Some("B2".to_owned()), "crossed five");
        assert_eq!(vital(&["o.oo", "...o", "..oo", "oooo"]), Some("B2".to_owned()), "rabbity six");
        assert_eq!(vital(&["...o", "...o", "oooo"]), None, "a rectangle of six");
        assert_eq!(vital(&[".....", "oo..o", "ooooo"]), None, "seven");
        assert_eq!(vital(&["...o", "xooo", "...."]), None, "not White's alone");
        assert_eq!(vital(&["..oo", "oooo"]), None, "two");
    }

    #[test]
    fn ladders_run_to_the_edge_or_to_a_breaker() {
        let drawn = |breaker: &str| -> Vec<String> {
            let mut rows: Vec<String> = [
                "..x......",
                ".xox.....",
                ".x.......",
                ".........",
                ".........",
                ".........",
                ".........",
                ".........",
                ".........",
            ]
            .map(str::to_owned)
            .to_vec();
            if let Some((x, y)) = breaker.split_once(',') {
                let (x, y): (usize, usize) = (x.parse().unwrap(), y.parse().unwrap());
                rows[y].replace_range(x..=x, "o");
            }
            rows
        };
        let mut ladder = Ladder::new();
        let rows = drawn("");
        let open = board(&rows.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(open.is_atari(at(&open, "C2")));
        assert!(ladder.catches(&open, at(&open, "C2")), "{open:?}");
        let before = open.clone();
        let rows = drawn("6,6");
        let broken = board(&rows.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(!ladder.catches(&broken, at(&broken, "C2")));
        assert_eq!(open, before);
        // and the escape is offered only where it works
        let mut found = Points::<8>::new();
        escapes(&open, at(&open, "C2"), &mut ladder, &mut found);
        assert!(found.as_slice().is_empty());
        escapes(&broken, at(&broken, "C2"), &mut ladder, &mut found);
        assert_eq!(found.as_slice(), [at(&broken, "C3")]);
    }

    #[test]
    fn an_attack_is_made_from_the_right_side() {
        // White's stone at C2 can go to C3 or D2: C3 is where it would get no further
        let board = board(&["..x......", ".xo......", ".x.......", ".........", ".........", ".........", "........."]);
        let mut ladder = Ladder::new();
        let ren = at(&board, "C2");
        let works: Vec<String> = ["C3", "D2"]
            .into_iter()
            .filter(|vertex| ladder.attack_works(&board, ren, at(&board, vertex)))
            .map(str::to_owned)
            .collect();
        assert_eq!(works, ["D2"]);
    }

    #[test]
    fn a_ren_is_saved_by_taking_its_neighbour() {
        let board = board(&["xo.x.", "xox..", ".xo..", ".....", "....."]);
        // C1 is suicide, but Black's two in the corner are in atari too
        let mut found = Points::<8>::new();
        escapes(&board, at(&board, "B1"), &mut Ladder::new(), &mut found);
        assert_eq!(found.as_slice(), [at(&board, "A3")]);
        let board = super::tests::board(&[".xo..", "xo...", "xxo..", ".....", "....."]);
        let mut found = Points::<8>::new();
        counter_captures(&board, at(&board, "B2"), &mut found);
        assert_eq!(found.as_slice(), [at(&board, "A1")]);
    }

    #[test]
    fn points_are_kept_once_and_in_bounds() {
        let mut points = Points::<2>::new();
        let [a, b] = [1, 2].map(|x| Coordinate::square(5).unwrap().point(x, 1).unwrap());
        assert!(points.insert(a) && !points.insert(a) && points.insert(b) && !points.push(a));
        assert_eq!(points.as_slice(), [a, b]);
    }
}
