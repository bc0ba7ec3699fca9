//! `GetLiberty`: the whole ren at a point, by flood fill.
//!
//! The search reads stones only, none of the board's incrementally updated fields, so that tests can compare those
//! fields with its result. The exception is [`LibertySearch::find_ren_as_scanned`], which reads the ring of a ren to
//! find its first point.

use crate::kernel::board::Board;
use crate::kernel::check_board::CheckBoard;
use crate::kernel::coordinate::{Coordinate, Point};
use crate::kernel::region;
use crate::kernel::ren::Ren;
use crate::kernel::stone::Stone;

/// The ren at a point, with locations and liberties in depth-first order from that point; `None` on the wall.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{get_liberty, parse_diagram};
///
/// let board = parse_diagram(
///     ". x x
///      . o x
///      . . .",
/// )?;
/// let coordinate = board.coordinate();
/// let ren = get_liberty(&board, coordinate.parse_vertex("B1")?).ok_or("wall")?;
/// assert_eq!(coordinate.vertices(&ren.locations), "B1 C1 C2");
/// assert_eq!(coordinate.vertices(&ren.liberties), "C3 A1");
/// assert_eq!(ren.adjacent.to_string(), "o");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn get_liberty(board: &Board, point: Point) -> Option<Ren> {
    LibertySearch::new(board).find_ren(point)
}

/// A flood fill over one board that finds each ren once.
pub struct LibertySearch<'a> {
    board: &'a Board,
    coordinate: Coordinate,
    check_board: CheckBoard,
    /// The explicit stack of the depth-first search: each point with its next direction. A long ren cannot overflow the
    /// call stack.
    path: Vec<(Point, usize)>,
}

impl<'a> LibertySearch<'a> {
    /// A search with an empty check board.
    pub fn new(board: &'a Board) -> LibertySearch<'a> {
        LibertySearch { board, coordinate: board.coordinate(), check_board: CheckBoard::new(), path: Vec::new() }
    }

    /// Every ren of the board, scanned file by file.
    pub fn find_all(mut self) -> Vec<Ren> {
        let points = self.coordinate.points_by_file();
        points.filter_map(|point| self.find_ren(point)).collect()
    }

    /// The ren at a point, depth first from there: east, north, west, south. `None` on the wall and for a ren already
    /// found.
    pub fn find_ren(&mut self, point: Point) -> Option<Ren> {
        let stone = self.board.stone(point);
        if stone == Stone::Wall || self.check_board.stone.contains(point) {
            return None;
        }
        let mut ren = Ren::new(stone);
        self.visit(point, &mut ren);
        while let Some((here, mut direction)) = self.path.pop() {
            let neighbors = self.coordinate.neighbors(here);
            while let Some(&next) = neighbors.get(direction) {
                direction += 1;
                if self.is_unvisited_member(next, &mut ren) {
                    self.path.push((here, direction));
                    self.visit(next, &mut ren);
                    break;
                }
            }
        }
        for &liberty in &ren.liberties {
            self.check_board.liberty.remove(liberty);
        }
        Some(ren)
    }

    /// The ren at a point, depth first from its first point in scan order, as [`LibertySearch::find_all`] finds it.
    /// `None` on the wall and for a ren already found.
    pub fn find_ren_as_scanned(&mut self, point: Point) -> Option<Ren> {
        if self.check_board.stone.contains(point) {
            return None;
        }
        let by_file = |&p: &Point| self.coordinate.xy(p);
        let start = match self.board.stone(point) {
            Stone::Wall => None,
            Stone::Space => self.empty_ren(point).into_iter().min_by_key(by_file),
            Stone::Black | Stone::White => self.board.ren_points(point).min_by_key(by_file),
        };
        self.find_ren(start?)
    }

    /// The points of an empty ren, in no particular order.
    fn empty_ren(&self, point: Point) -> Vec<Point> {
        let mut empty = self.board.empty_points().iter().copied().collect();
        region::take_connected(self.coordinate, point, &mut empty)
    }

    fn visit(&mut self, point: Point, ren: &mut Ren) {
        self.check_board.stone.insert(point);
        ren.locations.push(point);
        self.path.push((point, 0));
    }

    /// Whether a neighbour of the ren is an unvisited point of it. A neighbour outside the ren is registered as a
    /// liberty or an adjacent colour.
    fn is_unvisited_member(&mut self, point: Point, ren: &mut Ren) -> bool {
        let stone = self.board.stone(point);
        if stone == ren.stone {
            return !self.check_board.stone.contains(point);
        }
        if let Some(color) = stone.color() {
            ren.adjacent.add(color);
        } else if stone == Stone::Space && self.check_board.liberty.insert(point) {
            ren.liberties.push(point);
        }
        false
    }
}
