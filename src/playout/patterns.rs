//! 3x3 patterns: contents of the eight cells around an empty point where a local move is good.
//!
//! The patterns are those of MoGo: S. Gelly, Y. Wang, R. Munos and O. Teytaud, "Modification of UCT with patterns in
//! Monte-Carlo Go", INRIA RR-6062 (2006). A table with two bits for each of the 65,536 combinations of eight cells holds every rotation,
//! reflection and colour swap, so a match is one look-up.

use std::sync::OnceLock;

use crate::kernel::{Board, Color, Point, Stone};

/// Number of combinations of eight cells, two bits a cell.
const CODES: usize = 1 << 16;

/// The patterns, row by row; the move is in the middle.
///
/// `x` and `o` are stones of the two sides, `X` and `O` anything but that side's stone, `.` is empty, `+` wall, `?`
/// anything. [`Mover::Any`]: good for both sides; [`Mover::X`]: for `x` only.
const PATTERNS: &[(Mover, &str)] = &[
    // hane
    (Mover::Any, "xox ... ???"),
    (Mover::Any, "xo. ... ?.?"),
    (Mover::Any, "xo? x.. X.?"),
    (Mover::X, "xoo ... ?.?"),
    // cut
    (Mover::Any, "xo? o.O ?O?"),
    (Mover::Any, "xo? o.x ???"),
    (Mover::Any, "?x? o.o OOO"),
    // edge
    (Mover::Any, "x.? o.? +++"),
    (Mover::Any, "ox? x.o +++"),
    (Mover::Any, "?x? X.o +++"),
    (Mover::X, "?xo X.X +++"),
    (Mover::Any, "?ox x.o +++"),
];

/// The side for which a pattern is good.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mover {
    Any,
    X,
}

/// Offsets of a pattern's cells, row by row, without the middle.
const PLACES: [(i8, i8); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// Bit of a code: it matches a pattern.
const MATCHES: u32 = 1;
/// Bit of a code: the point may lie in a small eye space ([`Code::may_be_nakade`]).
const MAY_BE_NAKADE: u32 = 2;

/// Both bits of every code, by side to move.
pub(crate) struct Patterns([Box<Table>; 2]);

/// Two bits per code.
type Table = [u32; CODES / 16];

impl Patterns {
    /// The shared table, built on first use.
    pub(crate) fn shared() -> &'static Patterns {
        static TABLE: OnceLock<Patterns> = OnceLock::new();
        TABLE.get_or_init(Patterns::build)
    }

    /// Whether a move on an empty point matches a pattern.
    #[inline]
    pub(crate) fn matches(&self, board: &Board, color: Color, point: Point) -> bool {
        self.bits(color, Window::around(board, point).code(CENTER)) & MATCHES != 0
    }

    /// Two masks over the eight points around a point: those that are empty and match a pattern for this colour, and
    /// those that are empty and may lie in a small eye space of the opponent's. Bits in the order of
    /// [`crate::kernel::Coordinate::neighbors`], then north east, north west, south east, south west.
    #[inline]
    pub(super) fn around(&self, board: &Board, color: Color, point: Point) -> (u32, u32) {
        let window = Window::around(board, point);
        let (mut matching, mut nakade_candidates) = (0, 0);
        for (number, place) in AROUND.into_iter().enumerate() {
            // a mask, because a branch on emptiness would be mispredicted
            let bits = self.bits(color, window.code(place)) & u32::from(window.is_space(place)).wrapping_neg();
            matching |= (bits & 1) << number;
            nakade_candidates |= (bits >> 1) << number;
        }
        (matching, nakade_candidates)
    }

    /// Both bits of a code.
    #[inline]
    fn bits(&self, color: Color, Code(code): Code) -> u32 {
        let [black, white] = &self.0;
        let table = if color == Color::Black { black } else { white };
        // 16 bits divided by 16 are always below 4096
        table[usize::from(code / 16)] >> (2 * (code % 16)) & 3
    }

    fn build() -> Patterns {
        let mut tables = Patterns([Box::new([0; CODES / 16]), Box::new([0; CODES / 16])]);
        for code in 0..=u16::MAX {
            for mover in Color::BOTH {
                if Code(code).may_be_nakade(mover) {
                    tables.set(mover, usize::from(code), MAY_BE_NAKADE);
                }
            }
        }
        for &(mover, pattern) in PATTERNS {
            let cells: Vec<u8> = pattern.bytes().filter(|&cell| cell != b' ').collect();
            let [a, b, c, d, _, e, f, g, h] = cells[..] else { continue };
            for symmetry in 0..8 {
                let mut turned = [b'?'; 8];
                for (cell, place) in [a, b, c, d, e, f, g, h].into_iter().zip(PLACES) {
                    let to = turn(place, symmetry);
                    if let Some(slot) = PLACES.iter().position(|&p| p == to).and_then(|at| turned.get_mut(at)) {
                        *slot = cell;
                    }
                }
                for x in Color::BOTH {
                    for color in Color::BOTH {
                        if mover == Mover::Any || color == x {
                            tables.set_matching(&turned, x, color, 0, 0);
                        }
                    }
                }
            }
        }
        tables
    }

    fn set(&mut self, mover: Color, code: usize, bits: u32) {
        let [black, white] = &mut self.0;
        let table = if mover == Color::Black { black } else { white };
        if let Some(word) = table.get_mut(code / 16) {
            *word |= bits << (2 * (code % 16));
        }
    }

    /// Sets every code that a pattern matches, with `x` as this colour; `code` holds the first `done` cells.
    fn set_matching(&mut self, cells: &[u8; 8], x: Color, mover: Color, done: usize, code: usize) {
        let Some(&cell) = cells.get(done) else {
            self.set(mover, code, MATCHES);
            return;
        };
        for stone in [Stone::Space, Stone::Black, Stone::White, Stone::Wall] {
            let is_x = stone == x.stone();
            let is_o = stone == x.opponent().stone();
            let fits = match cell {
                b'x' => is_x,
                b'o' => is_o,
                b'X' => !is_x,
                b'O' => !is_o,
                b'.' => stone == Stone::Space,
                b'+' => stone == Stone::Wall,
                _ => true,
            };
            if fits {
                self.set_matching(cells, x, mover, done + 1, code | (stone as usize) << (2 * done));
            }
        }
    }
}

/// An offset under one of the eight symmetries of the square.
const fn turn((x, y): (i8, i8), symmetry: u8) -> (i8, i8) {
    let (x, y) = if symmetry & 1 != 0 { (-x, y) } else { (x, y) };
    let (x, y) = if symmetry & 2 != 0 { (x, -y) } else { (x, y) };
    if symmetry & 4 != 0 { (y, x) } else { (x, y) }
}

/// The 5x5 cells around a point, from which the codes of the point and its eight surrounding points are cut. Cells
/// outside the frame are arbitrary.
///
/// Each word has a byte per column from the west, with four cells from the north, two bits each; the second and third
/// word begin one and two rows further south.
struct Window([u64; 3]);

/// One of the nine middle cells of a window: row from the north and column from the west, 0 to 2 each.
#[derive(Clone, Copy)]
struct Place {
    row: u8,
    column: u8,
}

/// The middle of a window.
const CENTER: Place = Place { row: 1, column: 1 };

/// Its neighbours in the order of [`crate::kernel::Coordinate::neighbors`], then north east, north west, south east,
/// south west.
const AROUND: [Place; 8] = {
    const fn place(row: u8, column: u8) -> Place {
        Place { row, column }
    }
    [place(1, 2), place(0, 1), place(1, 0), place(2, 1), place(0, 2), place(0, 0), place(2, 2), place(2, 0)]
};

/// The eight cells around a point, two bits each, column by column from the west. Patterns and eye spaces are
/// symmetric, so columns may stand for rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Code(u16);

impl Window {
    /// The window around a point of the board.
    #[inline]
    fn around(board: &Board, point: Point) -> Window {
        let coordinate = board.coordinate();
        let [_, north, _, south] = coordinate.neighbors(point);
        let [_, far_north, ..] = coordinate.neighbors(north);
        let [.., far_south] = coordinate.neighbors(south);
        let [a, b, c] = [board.row_window(far_north), board.row_window(north), board.row_window(point)];
        let [d, e] = [board.row_window(south), board.row_window(far_south)];
        let from_second = b | c << 2 | d << 4 | e << 6;
        Window([a | b << 2 | c << 4 | d << 6, from_second, from_second >> 2])
    }

    /// The eight cells around a middle cell.
    #[inline]
    fn code(&self, place: Place) -> Code {
        let [first, second, third] = self.0;
        let columns = match place.row {
            0 => first,
            1 => second,
            _ => third,
        } >> (8 * u32::from(place.column));
        Code((columns & 0x3f | columns >> 2 & 0xc0 | columns >> 4 & 0x300 | columns >> 6 & 0xfc00) as u16)
    }

    /// Whether a middle cell is empty.
    #[inline]
    fn is_space(&self, place: Place) -> bool {
        let [_, second, _] = self.0;
        second >> (8 * u32::from(place.column + 1) + 2 * u32::from(place.row)) & 3 == 0
    }
}

impl Code {
    /// Mask of the four neighbours of the middle.
    const BESIDE: u16 = 0b00_11_00_11_11_00_11_00;

    /// Number of empty cells.
    fn spaces(self) -> u32 {
        8 - ((self.0 | self.0 >> 1) & 0x5555).count_ones()
    }

    /// Whether an empty point with these cells around may lie in a dead shape of three to six points surrounded by the
    /// mover's opponent: a necessary condition.
    fn may_be_nakade(self, mover: Color) -> bool {
        let beside = (0..8).filter(|place| Self::BESIDE >> (2 * place) & 3 != 0);
        let mut beside = beside.map(|place| self.0 >> (2 * place) & 3);
        // in a dead shape, at most five points surround any one
        self.spaces() < 6
            && beside.clone().any(|cell| cell == Stone::Space as u16)
            && beside.all(|cell| cell != mover.stone() as u16)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;
    use crate::kernel::test_boards::board;

    /// The empty points that match a pattern.
    fn matched(rows: &[&str], color: Color) -> String {
        let board = board(rows);
        let coordinate = board.coordinate();
        let empty = coordinate.points().filter(|&p| board.stone(p) == Stone::Space);
        let points: Vec<Point> = empty.filter(|&p| Patterns::shared().matches(&board, color, p)).collect();
        coordinate.vertices(&points)
    }

    #[test]
    fn hane_patterns_match() {
        assert_eq!(matched(&[".....", ".xox.", ".....", ".....", "....."], Color::Black), "B1 C1 D1 B3 C3 D3");
        assert_eq!(matched(&[".....", ".....", "..xo.", ".....", "....."], Color::White), "C2 D2 C4 D4");
    }

    #[test]
    fn cut_patterns_match() {
        let rows = [".....", ".xo..", ".o...", ".....", "....."];
        for color in Color::BOTH {
            assert!(matched(&rows, color).split(' ').any(|vertex| vertex == "C3"));
        }
        assert_eq!(matched(&["....."; 5], Color::Black), "");
    }

    /// The code of a point, stone by stone.
    fn code(board: &Board, point: Point) -> Code {
        let coordinate = board.coordinate();
        let [_, north, _, south] = coordinate.neighbors(point);
        let ([a, _, b, _], [c, _, d, _]) = (coordinate.neighbors(north), coordinate.neighbors(south));
        let [e, _, w, _] = coordinate.neighbors(point);
        let cells = [b, w, d, north, south, a, e, c];
        Code(cells.iter().rev().fold(0, |code, &p| code << 2 | board.stone(p) as u16))
    }

    #[test]
    fn window_codes_agree_with_the_stones() {
        let mut rng = fastrand::Rng::with_seed(7);
        for (width, height) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2), (5, 5), (9, 9), (25, 25)] {
            let coordinate = Coordinate::new(width, height).unwrap();
            let mut board = Board::new(coordinate);
            let mut color = Color::Black;
            for _ in 0..coordinate.board_area() {
                for point in coordinate.points() {
                    let window = Window::around(&board, point);
                    assert_eq!(window.code(CENTER), code(&board, point));
                    let [_, north, _, south] = coordinate.neighbors(point);
                    let ([a, _, b, _], [c, _, d, _]) = (coordinate.neighbors(north), coordinate.neighbors(south));
                    let [e, n, w, s] = coordinate.neighbors(point);
                    for (near, place) in [e, n, w, s, a, b, c, d].into_iter().zip(AROUND) {
                        assert_eq!(window.is_space(place), board.stone(near) == Stone::Space);
                        if coordinate.contains(near) {
                            assert_eq!(window.code(place), code(&board, near));
                        }
                    }
                }
                let Some(point) = crate::playout::light::choose(&mut board, color, &mut rng) else { break };
                board.play_legal(color, point, &mut ());
                color = color.opponent();
            }
        }
    }

    #[test]
    fn patterns_are_symmetric() {
        let Patterns([black, white]) = Patterns::shared();
        let bit = |table: &Table, code: usize| table[code / 16] >> (2 * (code % 16)) & MATCHES != 0;
        let mut count = 0;
        for code in 0..CODES {
            let cells: Vec<usize> = (0..8).map(|place| code >> (2 * place) & 3).collect();
            let swapped = |cell: usize| [0, 2, 1, 3][cell];
            let pack = |cells: Vec<usize>| cells.iter().rev().fold(0, |code, cell| code << 2 | cell);
            assert_eq!(bit(black, code), bit(white, pack(cells.iter().map(|&c| swapped(c)).collect())));
            // reflected, and rotated by a quarter
            let reflected: Vec<usize> = [2, 1, 0, 4, 3, 7, 6, 5].iter().map(|&i: &usize| cells[i]).collect();
            assert_eq!(bit(black, code), bit(black, pack(reflected)));
            let rotated: Vec<usize> = [5, 3, 0, 6, 1, 7, 4, 2].iter().map(|&i: &usize| cells[i]).collect();
            assert_eq!(bit(black, code), bit(black, pack(rotated)));
            count += usize::from(bit(black, code));
        }
        assert!(count > 1000, "{count}");
    }
}
