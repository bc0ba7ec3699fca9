//! The game record (棋譜): the moves since the position was set.

use crate::kernel::color::Color;
use crate::kernel::coordinate::{Coordinate, Point};

/// A stone put on a point, or a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Move {
    /// A stone on this point.
    Play(Point),
    /// No stone.
    Pass,
}

impl Move {
    /// Where the stone goes; `None` for a pass.
    pub const fn point(self) -> Option<Point> {
        match self {
            Move::Play(point) => Some(point),
            Move::Pass => None,
        }
    }

    /// The GTP vertex: `D4` or `pass`.
    pub fn vertex(self, coordinate: Coordinate) -> String {
        match self {
            Move::Play(point) => coordinate.vertex(point),
            Move::Pass => "pass".to_owned(),
        }
    }
}

/// One move of the record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordItem {
    /// Who moved.
    pub color: Color,
    /// What was played.
    pub play: Move,
    /// The stones it took off the board, row by row; its own ren if it was a suicide.
    pub captured: Vec<Point>,
    /// The move's own point, if its stone can be retaken as a ko: it took exactly one stone, stands alone and has one
    /// liberty.
    pub ko: Option<Point>,
}

/// The moves since the position was set, oldest first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Record {
    items: Vec<RecordItem>,
}

impl Record {
    /// The moves, oldest first.
    pub fn items(&self) -> &[RecordItem] {
        &self.items
    }

    /// How many moves there are: the number of the position after the last one.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is no move yet.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The points of the moves, the latest first; `None` for a pass.
    pub fn latest(&self) -> impl Iterator<Item = Option<Point>> {
        self.items.iter().rev().map(|item| item.play.point())
    }

    /// Whether the last move was a pass.
    pub fn ends_in_pass(&self) -> bool {
        self.latest().next() == Some(None)
    }

    /// The moves in one line: `[1]D3(D3) [2]C3(C3)`, a move that can be retaken as a ko with its point in brackets.
    pub fn text(&self, coordinate: Coordinate) -> String {
        let mut words = Vec::with_capacity(self.items.len());
        for (item, ordinal) in self.items.iter().zip(1..) {
            let ko = item.ko.map(|point| format!("({})", coordinate.vertex(point))).unwrap_or_default();
            words.push(format!("[{ordinal}]{}{ko}", item.play.vertex(coordinate)));
        }
        words.join(" ")
    }

    pub(super) fn push(&mut self, item: RecordItem) {
        self.items.push(item);
    }

    pub(super) fn pop(&mut self) -> Option<RecordItem> {
        self.items.pop()
    }

    pub(super) fn clear(&mut self) {
        self.items.clear();
    }
}
