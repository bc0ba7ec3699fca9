//! Helpers of the tests: drawn boards, conversions between the kernel and the oracle, programs and data that may be absent,
//! and tables of games.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kifuwarabe_uec14::kernel::{
    Board, Color, Coordinate, GameRule, IllegalMove, Ko, Move, Observer, Point, Position, Stone,
};

use crate::oracle::{self, Oracle, Place, Verdict};

pub const MAX_MOVES: u32 = 10_000;

/// Boards that are not square, as width and height: a row, a column, thin ones, and the largest.
pub const RECTANGLES: [(u8, u8); 11] =
    [(1, 7), (25, 1), (2, 3), (2, 25), (25, 2), (3, 7), (7, 3), (9, 13), (13, 9), (25, 24), (24, 25)];

/// Whether tests that take minutes are enabled, by `KIFUWARABE_SLOW_TESTS=1`.
pub fn slow_tests() -> bool {
    std::env::var("KIFUWARABE_SLOW_TESTS").is_ok_and(|value| value == "1")
}

/// Prints why a test, or a part of it, is skipped. `.ci/run` lists these lines.
pub fn skipped(reason: &str) {
    eprintln!("SKIPPED: {reason}");
}

/// Whether a program is in the search path: it prints its version.
pub fn is_installed(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// The shape of a time stamp of the JSON log, for [`has_shape`].
pub const STAMP: &str = "dddd-dd-ddTdd:dd:dd.ddd+dddd";

/// Whether a text begins with this shape, in which `d` is a digit and `+` a sign.
pub fn has_shape(text: &str, shape: &str) -> bool {
    text.len() >= shape.len()
        && text.bytes().zip(shape.bytes()).all(|(found, wanted)| match wanted {
            b'd' => found.is_ascii_digit(),
            b'+' => b"+-".contains(&found),
            wanted => found == wanted,
        })
}

/// A file or folder of test data that is not part of the project, below the folder that `KIFUWARABE_TEST_DATA` names, or
/// else `../shared`; prints SKIPPED and gives `None` where it is absent.
pub fn external(path: &str) -> Option<PathBuf> {
    let root = std::env::var_os("KIFUWARABE_TEST_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let path = root.join(path);
    if !path.exists() {
        skipped(&format!("{} is absent (KIFUWARABE_TEST_DATA names the folder of test data)", path.display()));
    }
    path.canonicalize().ok()
}

pub fn rule(can_not_put_on_my_eye: bool) -> GameRule {
    GameRule { can_not_put_on_my_eye, ..GameRule::with_komi(6.5) }
}

pub fn empty_position(coordinate: Coordinate) -> Position {
    Position::new(coordinate, rule(false), MAX_MOVES, Color::Black)
}

/// The cells of a drawn board, walls included: `.`, `x`, `o`, rank 1 first, blanks around a row ignored.
pub fn parse(drawn: &str) -> (Coordinate, Vec<Stone>) {
    let rows: Vec<&str> = drawn.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
    let coordinate = Coordinate::new(rows[0].len() as u8, rows.len() as u8).unwrap();
    let mut stones = vec![Stone::Wall; coordinate.memory_area()];
    for (row, y) in rows.iter().zip(1..) {
        assert_eq!(row.len(), usize::from(coordinate.width()), "rows of different lengths:\n{drawn}");
        for (symbol, x) in row.chars().zip(1..) {
            stones[coordinate.point(x, y).unwrap().index()] = match symbol {
                '.' => Stone::Space,
                'x' => Stone::Black,
                'o' => Stone::White,
                other => panic!("`{other}` in a drawn board"),
            };
        }
    }
    (coordinate, stones)
}

/// Makes moves of alternating players: vertices or `pass`, separated by blanks.
pub fn make_moves(position: &mut Position, moves: &str) {
    for word in moves.split_whitespace() {
        let play = Move::parse(word, position.board().coordinate()).unwrap();
        position.make_move(position.to_move(), play).unwrap();
    }
}

/// A drawn board.
pub fn board(drawn: &str) -> Board {
    let (coordinate, stones) = parse(drawn);
    Board::from_stones(coordinate, &stones).unwrap()
}

/// A game that starts from a drawn board, Black to move.
pub fn position(drawn: &str) -> Position {
    let (coordinate, stones) = parse(drawn);
    let mut position = empty_position(coordinate);
    position.set_up(&stones).unwrap();
    position
}

pub fn draw(board: &Board) -> String {
    let mut text = String::new();
    for y in 1..=board.coordinate().height() {
        for x in 1..=board.coordinate().width() {
            text += &board.stone(board.coordinate().point(x, y).unwrap()).to_string();
        }
        text.push('\n');
    }
    text
}

/// The colour and point banned by the ko, such as `white C3`; empty without a ko.
pub fn ko_text(board: &Board) -> String {
    board.ko().map(|Ko { point, color }| format!("{color} {}", board.coordinate().vertex(point))).unwrap_or_default()
}

pub fn sign(color: Color) -> i8 {
    match color {
        Color::Black => oracle::BLACK,
        Color::White => oracle::WHITE,
    }
}

pub fn color_of(sign: i8) -> Color {
    if sign == oracle::BLACK { Color::Black } else { Color::White }
}

pub fn stone_of(cell: i8) -> Stone {
    match cell {
        oracle::EMPTY => Stone::Space,
        oracle::BLACK => Stone::Black,
        oracle::WHITE => Stone::White,
        _ => Stone::Wall,
    }
}

pub fn point_of(coordinate: Coordinate, (row, column): Place) -> Point {
    coordinate.point(column as u8, row as u8).unwrap()
}

/// The oracle's grid as cells of the kernel, walls included.
pub fn stones_of(coordinate: Coordinate, oracle: &Oracle) -> Vec<Stone> {
    let rows = 0..coordinate.memory_height();
    rows.flat_map(|row| (0..coordinate.memory_width()).map(move |column| stone_of(oracle.cells[row][column]))).collect()
}

pub fn verdict_of(answer: Result<(), IllegalMove>) -> Verdict {
    match answer {
        Ok(()) => Verdict::Legal,
        Err(IllegalMove::Masonry) => Verdict::Masonry,
        Err(IllegalMove::Ko) => Verdict::Ko,
        Err(IllegalMove::OpponentEye) => Verdict::OpponentEye,
        Err(IllegalMove::MyEye) => Verdict::MyEye,
        Err(IllegalMove::Suicide) => Verdict::Suicide,
        Err(IllegalMove::Superko) => panic!("the oracle has no superko"),
    }
}

/// An observer that records all events.
#[derive(Default, Debug)]
pub struct Events {
    pub placed: Vec<(Color, Point)>,
    pub joined: Vec<(Color, Point)>,
    pub captured: Vec<(Color, Point)>,
}

impl Observer for Events {
    fn placed(&mut self, color: Color, point: Point) {
        self.placed.push((color, point));
    }

    fn joined(&mut self, color: Color, point: Point) {
        self.joined.push((color, point));
    }

    fn captured(&mut self, color: Color, point: Point) {
        self.captured.push((color, point));
    }
}

pub fn sorted(points: impl IntoIterator<Item = Point>) -> Vec<Point> {
    let mut points: Vec<Point> = points.into_iter().collect();
    points.sort_unstable();
    points
}

/// A net in KataGo's format, of random weights.
pub fn tiny_katago_net() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/katago_tiny_8.txt.gz")
}

/// KataGo's program: the one that `KIFUWARABE_KATAGO` names, or the one in the search path; `None` prints SKIPPED.
pub fn katago() -> Option<PathBuf> {
    let named = std::env::var_os("KIFUWARABE_KATAGO").map(PathBuf::from);
    let program = named.unwrap_or_else(|| PathBuf::from("katago"));
    let version = Command::new(&program).arg("version").stderr(Stdio::null()).output();
    if !version.is_ok_and(|output| output.status.success()) {
        skipped(&format!("no KataGo at {}: set KIFUWARABE_KATAGO to its program", program.display()));
        return None;
    }
    Some(program)
}

/// A table of 9x9 games of 24 moves, each to a point of its own.
pub fn game_table(games: i32) -> String {
    let mut table = String::new();
    for game in 0..games {
        let mut moves = String::new();
        for number in 0..24 {
            let place = (number * 37 + game * 11) % 81;
            let point = |n: i32| char::from(b'a' + n as u8);
            let color = if number % 2 == 0 { 'B' } else { 'W' };
            write!(moves, "{color}{}{}", point(place % 9), point(place / 9)).unwrap();
        }
        let result = ["B+R", "W+3.5", "?"][game as usize % 3];
        writeln!(table, "{game}\t9\t7\t\t{result}\t\t\t\t\t24\t0\t0\t0\t\t{moves}").unwrap();
    }
    table
}
