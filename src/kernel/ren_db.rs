//! The ren database: the rens of every position of a game, each under its own name.
//!
//! It states no rule. While a move is played it listens which points change (`Changes`); afterwards it looks only at
//! the rens that touch those, and shares all others with the position before.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use crate::kernel::board::Board;
use crate::kernel::changes::Changes;
use crate::kernel::coordinate::{Coordinate, Point};
use crate::kernel::liberty::LibertySearch;
use crate::kernel::ren::Ren;
use crate::kernel::stone::Stone;

/// Names a ren: the ordinal of a position, 1 before the first move, and the ren's smallest point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RenId {
    /// Which position, counted from 1.
    pub ordinal: u32,
    /// The smallest point of the ren.
    pub location: Point,
}

/// Rens by position and smallest point.
#[derive(Clone, PartialEq, Debug)]
pub struct RenDb {
    coordinate: Coordinate,
    /// Digits that an ordinal is padded to.
    figures: usize,
    /// Never holds an empty section.
    sections: BTreeMap<u32, Section>,
}

/// The rens of one position, by their smallest points. Shared between positions that have them in common.
pub(super) type Section = Arc<BTreeMap<Point, Arc<Ren>>>;

impl RenDb {
    /// A database without rens. Ordinals are written with as many digits as `max_moves` + 1 has.
    pub fn new(coordinate: Coordinate, max_moves: u32) -> RenDb {
        let figures = (u64::from(max_moves) + 1).to_string().len();
        RenDb { coordinate, figures, sections: BTreeMap::new() }
    }

    /// The size of the boards whose rens these are.
    pub fn coordinate(&self) -> Coordinate {
        self.coordinate
    }

    /// Every ren by its name, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (RenId, &Ren)> {
        self.sections.iter().flat_map(|(&ordinal, section)| {
            section.iter().map(move |(&location, ren)| (RenId { ordinal, location }, &**ren))
        })
    }

    /// How many rens there are.
    pub fn len(&self) -> usize {
        self.sections.values().map(|section| section.len()).sum()
    }

    /// Whether there is no ren.
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty()
    }

    /// The ordinals of the positions that have rens here, ascending.
    pub fn ordinals(&self) -> impl Iterator<Item = u32> {
        self.sections.keys().copied()
    }

    /// The cells of a position as far as its rens here say; points that no ren covers are empty.
    pub fn stones(&self, ordinal: u32) -> Vec<Stone> {
        let mut stones = Board::new(self.coordinate).stones().to_vec();
        for ren in self.sections.get(&ordinal).into_iter().flat_map(|section| section.values()) {
            for location in ren.locations.iter().filter(|_| ren.stone.color().is_some()) {
                if let Some(cell) = stones.get_mut(location.index()) {
                    *cell = ren.stone;
                }
            }
        }
        stones
    }

    /// A ren's name in writing: `001,01A`, the ordinal, then the smallest point as rank and file.
    pub fn name(&self, id: RenId) -> String {
        let (rank, file) = (self.coordinate.rank(id.location), self.coordinate.file(id.location));
        format!("{},{rank:02}{file}", self.ordinal_name(id.ordinal))
    }

    /// An ordinal in writing, as in [`RenDb::name`].
    pub fn ordinal_name(&self, ordinal: u32) -> String {
        format!("{ordinal:0figures$}", figures = self.figures)
    }

    /// Every ren with its name and the numbers of its points, a ren a line: `[001,01A]22 23`.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        for (id, ren) in self.iter() {
            // writing to a String cannot fail
            let _ = write!(text, "{}[{}]", if text.is_empty() { "" } else { "\n" }, self.name(id));
            for (index, location) in ren.locations.iter().enumerate() {
                let _ = write!(text, "{}{location}", if index == 0 { "" } else { " " });
            }
        }
        text
    }

    /// Adds a ren under its name unless that name is taken; says whether it was added. A ren without points has no name.
    pub fn register(&mut self, ordinal: u32, ren: Ren) -> bool {
        let Some(location) = ren.minimum_location() else { return false };
        let section = Arc::make_mut(self.sections.entry(ordinal).or_default());
        let is_new = !section.contains_key(&location);
        if is_new {
            section.insert(location, Arc::new(ren));
        }
        is_new
    }

    /// Registers every ren of a board that has no entry under this ordinal yet.
    pub(super) fn register_all(&mut self, ordinal: u32, board: &Board) {
        for ren in LibertySearch::new(board).find_all() {
            self.register(ordinal, ren);
        }
    }

    /// The rens of a board, given those of the board before and what has changed since.
    pub(super) fn section_after(board: &Board, before: &Section, changes: &Changes) -> Section {
        let coordinate = board.coordinate();
        let touched = changes.touched(coordinate);
        let is_untouched = |ren: &Ren| !ren.locations.iter().any(|&location| touched.contains(location));
        let mut section = BTreeMap::clone(before);
        section.retain(|_, ren| is_untouched(ren));
        let mut search = LibertySearch::new(board);
        for point in changes.points() {
            let [east, north, west, south] = coordinate.neighbors(point);
            for point in [point, east, north, west, south] {
                if let Some(ren) = search.find_ren_as_scanned(point)
                    && let Some(location) = ren.minimum_location()
                {
                    section.insert(location, Arc::new(ren));
                }
            }
        }
        Arc::new(section)
    }

    /// The rens of a board, as one section.
    pub(super) fn section_of(board: &Board) -> Section {
        let rens = LibertySearch::new(board).find_all().into_iter();
        Arc::new(rens.filter_map(|ren| Some((ren.minimum_location()?, Arc::new(ren)))).collect())
    }

    /// Puts a section under an ordinal, or takes it away; gives back what was there.
    pub(super) fn replace(&mut self, ordinal: u32, section: Option<Section>) -> Option<Section> {
        match section {
            Some(section) => self.sections.insert(ordinal, section),
            None => self.sections.remove(&ordinal),
        }
    }
}
