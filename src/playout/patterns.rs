//! Shapes of the eight cells around an empty point, in which it is worth a move beside the last one.
//!
//! The shapes are those of MoGo: S. Gelly, Y. Wang, R. Munos and O. Teytaud, "Modification of UCT with Patterns in
//! Monte-Carlo Go", INRIA RR-6062 (2006). Every way to turn, mirror and recolour them is laid out once in a table of
//! bits, one for every content of the eight cells, so that a look-up is one access.

use std::sync::OnceLock;

use crate::kernel::{Board, Color, Point, Stone};

/// Contents of eight cells, two bits each.
const CODES: usize = 1 << 16;

/// The shapes, row by row; the move is in the middle.
///
/// `x` and `o` are the two players, `X` and `O` anything but that player, `.` is empty, `+` wall, `?` anything. A shape
/// holds for both players unless it is named for one.
const SHAPES: &[(Mover, &str)] = &[
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

/// Who moves where a shape is good.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mover {
    Any,
    X,
}

/// Where the cells of a shape's drawing are, rank by rank, the middle left out.
const PLACES: [(i8, i8); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// What is known of a code: two bits each.
const MATCHES: u32 = 1;
const NARROW: u32 = 2;

/// The patterns, for each player to move, and which empty points may lie in a small eye space of the other player's.
pub struct Patterns([Box<Table>; 2]);

/// What is known of every code, two bits each.
type Table = [u32; CODES / 16];

impl Patterns {
    /// The only table of them, laid out when first asked for.
    pub fn shared() -> &'static Patterns {
        static TABLE: OnceLock<Patterns> = OnceLock::new();
        TABLE.get_or_init(Patterns::build)
    }

    /// Whether a player's move on an empty point matches a pattern.
    #[inline]
    pub fn matches(&self, board: &Board, color: Color, point: Point) -> bool {
        self.known(color, Window::around(board, point).code(CENTER)) & MATCHES != 0
    }

    /// Of the eight points around one: which of them are empty and match a pattern for this player, and which of them are
    /// empty and may lie in a small eye space of the other player's. A bit for each, in the order of
    /// [`crate::kernel::Coordinate::neighbors`], then north east, north west, south east, south west.
    #[inline]
    pub fn around(&self, board: &Board, color: Color, point: Point) -> (u32, u32) {
        let window = Window::around(board, point);
        let (mut matching, mut narrow) = (0, 0);
        for (number, place) in AROUND.into_iter().enumerate() {
            // a mask and no branch: what stands there is anybody's guess
            let known = self.known(color, window.code(place)) & u32::from(window.is_space(place)).wrapping_neg();
            matching |= (known & 1) << number;
            narrow |= (known >> 1) << number;
        }
        (matching, narrow)
    }

    #[inline]
    fn known(&self, color: Color, Code(code): Code) -> u32 {
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
                    tables.note(mover, usize::from(code), NARROW);
                }
            }
        }
        for &(mover, drawing) in SHAPES {
            let cells: Vec<u8> = drawing.bytes().filter(|&cell| cell != b' ').collect();
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
                            tables.lay_out(&turned, x, color, 0, 0);
                        }
                    }
                }
            }
        }
        tables
    }

    fn note(&mut self, mover: Color, code: usize, what: u32) {
        let [black, white] = &mut self.0;
        let table = if mover == Color::Black { black } else { white };
        if let Some(word) = table.get_mut(code / 16) {
            *word |= what << (2 * (code % 16));
        }
    }

    /// Notes every code that a drawing stands for, `x` being this player; the first `done` cells are in `code`.
    fn lay_out(&mut self, cells: &[u8; 8], x: Color, mover: Color, done: usize, code: usize) {
        let Some(&cell) = cells.get(done) else {
            self.note(mover, code, MATCHES);
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
                self.lay_out(cells, x, mover, done + 1, code | (stone as usize) << (2 * done));
            }
        }
    }
}

/// One of the eight ways to turn or mirror a square.
const fn turn((x, y): (i8, i8), symmetry: u8) -> (i8, i8) {
    let (x, y) = if symmetry & 1 != 0 { (-x, y) } else { (x, y) };
    let (x, y) = if symmetry & 2 != 0 { (x, -y) } else { (x, y) };
    if symmetry & 4 != 0 { (y, x) } else { (x, y) }
}

/// The cells of a board around a point, two steps each way, so that the surroundings of all its neighbours are known at
/// once. Cells outside the frame are anything.
///
/// A byte for each of the five columns from the west, with four cells from the north in it, two bits each; and again from
/// one row and from two rows further south.
struct Window([u64; 3]);

/// A cell of a window and where its surroundings begin: row and column, from 0 to 2 each.
#[derive(Clone, Copy)]
struct Place {
    row: u8,
    column: u8,
}

/// The point that a window is around.
const CENTER: Place = Place { row: 1, column: 1 };

/// The neighbours of that point, in the order of [`crate::kernel::Coordinate::neighbors`], and those at its corners: north
/// east, north west, south east, south west.
const AROUND: [Place; 8] = {
    const fn place(row: u8, column: u8) -> Place {
        Place { row, column }
    }
    [place(1, 2), place(0, 1), place(1, 0), place(2, 1), place(0, 2), place(0, 0), place(2, 2), place(2, 0)]
};

/// What stands on the eight cells around a point: two bits each, column by column from the west. Patterns do not tell
/// columns from rows, nor do eye spaces.
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

    /// The eight cells around one of the nine in the middle.
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

    /// Whether one of the nine in the middle is empty.
    #[inline]
    fn is_space(&self, place: Place) -> bool {
        let [_, second, _] = self.0;
        second >> (8 * u32::from(place.column + 1) + 2 * u32::from(place.row)) & 3 == 0
    }
}

impl Code {
    /// The four cells beside the middle.
    const BESIDE: u16 = 0b00_11_00_11_11_00_11_00;

    /// How many of the cells are empty.
    fn spaces(self) -> u32 {
        8 - ((self.0 | self.0 >> 1) & 0x5555).count_ones()
    }

    /// Whether an empty point with these cells around may lie in an eye space of three to six points that only stones of
    /// this player's opponent surround, and that has the shape of a nakade.
    fn may_be_nakade(self, mover: Color) -> bool {
        let beside = (0..8).filter(|place| Self::BESIDE >> (2 * place) & 3 != 0);
        let mut beside = beside.map(|place| self.0 >> (2 * place) & 3);
        // no dead shape has more than five of its points around one of them
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

    fn matched(drawn: &[u8], color: Color) -> String {
        let coordinate = Coordinate::square(5).unwrap();
        let stones = crate::kernel::parse_stones(coordinate, drawn).unwrap();
        let board = Board::from_stones(coordinate, &stones).unwrap();
        let empty = coordinate.points().filter(|&p| board.stone(p) == Stone::Space);
        let points: Vec<Point> = empty.filter(|&p| Patterns::shared().matches(&board, color, p)).collect();
        coordinate.vertices(&points)
    }

    #[test]
    fn hane_at_the_head_of_two_and_between_two() {
        assert_eq!(
            matched(b"+++++++ +.....+ +.xox.+ +.....+ +.....+ +.....+ +++++++", Color::Black),
            "B1 C1 D1 B3 C3 D3"
        );
        assert_eq!(matched(b"+++++++ +.....+ +.....+ +..xo.+ +.....+ +.....+ +++++++", Color::White), "C2 D2 C4 D4");
    }

    #[test]
    fn cuts() {
        let drawn = b"+++++++ +.....+ +.xo..+ +.o...+ +.....+ +.....+ +++++++";
        for color in Color::BOTH {
            assert!(matched(drawn, color).split(' ').any(|vertex| vertex == "C3"));
        }
        assert_eq!(matched(b"+++++++ +.....+ +.....+ +.....+ +.....+ +.....+ +++++++", Color::Black), "");
    }

    /// What a code says, seen from the stones one by one.
    fn code(board: &Board, point: Point) -> Code {
        let coordinate = board.coordinate();
        let [_, north, _, south] = coordinate.neighbors(point);
        let ([a, _, b, _], [c, _, d, _]) = (coordinate.neighbors(north), coordinate.neighbors(south));
        let [e, _, w, _] = coordinate.neighbors(point);
        let cells = [b, w, d, north, south, a, e, c];
        Code(cells.iter().rev().fold(0, |code, &p| code << 2 | board.stone(p) as u16))
    }

    #[test]
    fn a_window_knows_the_surroundings_of_all_neighbours() {
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
    fn every_pattern_holds_turned_and_recoloured() {
        let Patterns([black, white]) = Patterns::shared();
        let bit = |table: &Table, code: usize| table[code / 16] >> (2 * (code % 16)) & MATCHES != 0;
        let mut count = 0;
        for code in 0..CODES {
            let cells: Vec<usize> = (0..8).map(|place| code >> (2 * place) & 3).collect();
            let recoloured = |cell: usize| [0, 2, 1, 3][cell];
            let pack = |cells: Vec<usize>| cells.iter().rev().fold(0, |code, cell| code << 2 | cell);
            assert_eq!(bit(black, code), bit(white, pack(cells.iter().map(|&c| recoloured(c)).collect())));
            // mirrored west to east, and turned by a quarter
            let mirrored: Vec<usize> = [2, 1, 0, 4, 3, 7, 6, 5].iter().map(|&i: &usize| cells[i]).collect();
            assert_eq!(bit(black, code), bit(black, pack(mirrored)));
            let turned: Vec<usize> = [5, 3, 0, 6, 1, 7, 4, 2].iter().map(|&i: &usize| cells[i]).collect();
            assert_eq!(bit(black, code), bit(black, pack(turned)));
            count += usize::from(bit(black, code));
        }
        assert!(count > 1000, "{count}");
    }
}
