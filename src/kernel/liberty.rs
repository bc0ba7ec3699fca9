//! `GetLiberty`: the whole ren of any of its points, by flood fill.
//!
//! This is the tool for looking at a board. It reads stones only and trusts none of the board's running counts, so the
//! tests hold those against it.

use crate::kernel::board::Board;
use crate::kernel::check_board::{CheckBoard, PointSet};
use crate::kernel::coordinate::{Coordinate, Point};
use crate::kernel::ren::Ren;
use crate::kernel::stone::Stone;

/// The ren at a point, walked from that point; `None` on the wall.
pub fn get_liberty(board: &Board, point: Point) -> Option<Ren> {
    LibertySearch::new(board).find_ren(point)
}

/// A flood fill over one board that finds each ren once.
pub struct LibertySearch<'a> {
    board: &'a Board,
    coordinate: Coordinate,
    check_board: CheckBoard,
    /// The way back from the point in hand: each point with the directions it has left, so that a ren of any length
    /// costs no call stack.
    path: Vec<(Point, usize)>,
}

impl<'a> LibertySearch<'a> {
    /// A search that has found nothing yet.
    pub fn new(board: &'a Board) -> LibertySearch<'a> {
        LibertySearch { board, coordinate: board.coordinate(), check_board: CheckBoard::new(), path: Vec::new() }
    }

    /// Every ren of the board, scanned file by file.
    pub fn find_all(mut self) -> Vec<Ren> {
        let points = self.coordinate.points_by_file();
        points.filter_map(|point| self.find_ren(point)).collect()
    }

    /// The ren at a point, walked depth first from there: east, north, west, south. `None` on the wall and for a ren
    /// found before.
    pub fn find_ren(&mut self, point: Point) -> Option<Ren> {
        let stone = self.board.stone(point);
        if stone == Stone::Wall || self.check_board.stone.contains(point) {
            return None;
        }
        let mut ren = Ren::new(stone);
        self.enter(point, &mut ren);
        while let Some((here, mut direction)) = self.path.pop() {
            let neighbors = self.coordinate.neighbors(here);
            while let Some(&next) = neighbors.get(direction) {
                direction += 1;
                if self.belongs(next, &mut ren) {
                    self.path.push((here, direction));
                    self.enter(next, &mut ren);
                    break;
                }
            }
        }
        for &liberty in &ren.liberties {
            self.check_board.liberty.remove(liberty);
        }
        Some(ren)
    }

    /// The ren at a point, walked from the point where a scan of the board would meet it first.
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

    /// The points of an empty ren, in no order that matters.
    fn empty_ren(&self, point: Point) -> Vec<Point> {
        let mut seen = PointSet::from_iter([point]);
        let mut points = vec![point];
        let mut next = 0;
        while let Some(&here) = points.get(next) {
            next += 1;
            for neighbor in self.coordinate.neighbors(here) {
                if self.board.stone(neighbor) == Stone::Space && seen.insert(neighbor) {
                    points.push(neighbor);
                }
            }
        }
        points
    }

    fn enter(&mut self, point: Point, ren: &mut Ren) {
        self.check_board.stone.insert(point);
        ren.locations.push(point);
        self.path.push((point, 0));
    }

    /// Whether a neighbour of the ren's points is a point of it not yet walked; if it is none, notes what it is.
    fn belongs(&mut self, point: Point, ren: &mut Ren) -> bool {
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
