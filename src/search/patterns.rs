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

/// Where the cells of a shape's drawing go in a code: rank by rank, the middle left out.
const PLACES: [(i8, i8); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// The patterns, for each player to move.
pub struct Patterns([Box<[u64; CODES / 64]>; 2]);

impl Patterns {
    /// The only table of them, laid out when first asked for.
    pub fn shared() -> &'static Patterns {
        static TABLE: OnceLock<Patterns> = OnceLock::new();
        TABLE.get_or_init(Patterns::build)
    }

    /// Whether a player's move on an empty point matches a pattern.
    #[inline]
    pub fn matches(&self, board: &Board, color: Color, point: Point) -> bool {
        self.has(color, Window::around(board, point).code(CENTER))
    }

    /// Whether a player's move in the middle of these eight cells matches a pattern.
    #[inline]
    pub fn has(&self, color: Color, Code(code): Code) -> bool {
        let [black, white] = &self.0;
        let table = if color == Color::Black { black } else { white };
        // 16 bits divided by 64 are always below 1024
        table[usize::from(code / 64)] >> (code % 64) & 1 != 0
    }

    fn build() -> Patterns {
        let mut tables = Patterns([Box::new([0; CODES / 64]), Box::new([0; CODES / 64])]);
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

    /// Sets the bit of every code that a drawing stands for, `x` being this player; the first `done` cells are in `code`.
    fn lay_out(&mut self, cells: &[u8; 8], x: Color, mover: Color, done: usize, code: usize) {
        let Some(&cell) = cells.get(done) else {
            let [black, white] = &mut self.0;
            let table = if mover == Color::Black { black } else { white };
            if let Some(word) = table.get_mut(code / 64) {
                *word |= 1 << (code % 64);
            }
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
pub struct Window([u16; 5]);

/// A cell of a window and where its surroundings begin: row and column, from 0 to 2 each.
#[derive(Clone, Copy)]
pub struct Place {
    row: u8,
    column: u8,
}

/// The point that a window is around.
pub const CENTER: Place = Place { row: 1, column: 1 };

/// The neighbours of that point, in the order of [`crate::kernel::Coordinate::neighbors`], and those at its corners: north
/// east, north west, south east, south west.
pub const AROUND: [Place; 8] = {
    const fn place(row: u8, column: u8) -> Place {
        Place { row, column }
    }
    [place(1, 2), place(0, 1), place(1, 0), place(2, 1), place(0, 2), place(0, 0), place(2, 2), place(2, 0)]
};

/// What stands on the eight cells around a point: two bits each, row by row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code(u16);

impl Window {
    /// The window around a point of the board.
    #[inline]
    pub fn around(board: &Board, point: Point) -> Window {
        let coordinate = board.coordinate();
        let row = |here: Point| {
            let [east, _, west, _] = coordinate.neighbors(here);
            let [far_east, ..] = coordinate.neighbors(east);
            let [_, _, far_west, _] = coordinate.neighbors(west);
            let cell = |p: Point, column: u32| (board.stone(p) as u16) << (2 * column);
            cell(far_west, 0) | cell(west, 1) | cell(here, 2) | cell(east, 3) | cell(far_east, 4)
        };
        let [_, north, _, south] = coordinate.neighbors(point);
        let [_, far_north, ..] = coordinate.neighbors(north);
        let [.., far_south] = coordinate.neighbors(south);
        Window([far_north, north, point, south, far_south].map(row))
    }

    /// The eight cells around one of the nine in the middle.
    #[inline]
    pub fn code(&self, place: Place) -> Code {
        let shift = 2 * u32::from(place.column);
        let row = |number: u8| self.0.get(usize::from(number)).copied().unwrap_or(0) >> shift;
        let middle = row(place.row + 1);
        Code(row(place.row) & 63 | (middle & 3) << 6 | (middle >> 4 & 3) << 8 | (row(place.row + 2) & 63) << 10)
    }
}

impl Code {
    /// How many of the cells are empty.
    #[inline]
    pub fn spaces(self) -> u32 {
        8 - ((self.0 | self.0 >> 1) & 0x5555).count_ones()
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

    #[test]
    fn a_window_knows_the_surroundings_of_all_neighbours() {
        let coordinate = Coordinate::square(5).unwrap();
        let drawn = b"+++++++ +x.o.x+ +.xo..+ +oo.x.+ +..xx.+ +o..o.+ +++++++";
        let board = Board::from_stones(coordinate, &crate::kernel::parse_stones(coordinate, drawn).unwrap()).unwrap();
        for point in coordinate.points() {
            let window = Window::around(&board, point);
            let [_, north, _, south] = coordinate.neighbors(point);
            let ([a, _, b, _], [c, _, d, _]) = (coordinate.neighbors(north), coordinate.neighbors(south));
            let [e, n, w, s] = coordinate.neighbors(point);
            for (near, place) in [e, n, w, s, a, b, c, d].into_iter().zip(AROUND) {
                if coordinate.contains(near) {
                    assert_eq!(window.code(place), Window::around(&board, near).code(CENTER));
                }
            }
            let (x, y) = coordinate.xy(point);
            let around = (y - 1..=y + 1).flat_map(|v| (x - 1..=x + 1).map(move |u| (u, v))).filter(|&p| p != (x, y));
            let spaces = around.filter(|&(u, v)| board.stone(coordinate.point(u, v).unwrap()) == Stone::Space);
            assert_eq!(window.code(CENTER).spaces() as usize, spaces.count());
        }
    }

    #[test]
    fn every_pattern_holds_turned_and_recoloured() {
        let Patterns([black, white]) = Patterns::shared();
        let bit = |table: &[u64; CODES / 64], code: usize| table[code / 64] >> (code % 64) & 1 != 0;
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
