//! The ren database: the rens of every position of a game, each under its own name.
//!
//! The update after a move is incremental: `Changes` collects the changed points while the board plays, only rens that
//! touch one of them are searched again, and all other rens are shared with the previous position (`Arc`). No rule of
//! Go depends on the database.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use crate::kernel::board::Board;
use crate::kernel::changes::Changes;
use crate::kernel::coordinate::{Coordinate, Point};
use crate::kernel::liberty::LibertySearch;
use crate::kernel::point_set::PointSet;
use crate::kernel::ren::Ren;
use crate::kernel::stone::Stone;

/// The key of a ren: the ordinal of its position, and its smallest point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RenId {
    /// The ordinal of the position, 1 before the first move.
    pub ordinal: u32,
    /// The smallest point of the ren.
    pub location: Point,
}

/// The rens of several positions, by ordinal and smallest point.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Color, GameRule, Position, parse_diagram};
///
/// let board = parse_diagram(
///     "x o
///      x .",
/// )?;
/// let mut position = Position::new(board.coordinate(), GameRule::with_komi(0.5), 200, Color::Black);
/// position.set_up(board.stones())?;
/// assert_eq!(position.ren_db().dump(), "[001,01A]5 9\n[001,01B]6\n[001,02B]10");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct RenDb {
    coordinate: Coordinate,
    /// Number of digits that an ordinal is padded to.
    ordinal_digits: usize,
    /// By ordinal. Never holds an empty map.
    positions: BTreeMap<u32, PositionRens>,
}

/// The rens of one position by their smallest points; unchanged rens are shared between positions.
pub(super) type PositionRens = Arc<BTreeMap<Point, Arc<Ren>>>;

impl RenDb {
    /// An empty database. Ordinals are padded to the number of digits of `max_moves` + 1.
    pub fn new(coordinate: Coordinate, max_moves: u32) -> RenDb {
        let ordinal_digits = (u64::from(max_moves) + 1).to_string().len();
        RenDb { coordinate, ordinal_digits, positions: BTreeMap::new() }
    }

    /// The size of the boards.
    pub fn coordinate(&self) -> Coordinate {
        self.coordinate
    }

    /// All rens, ascending by key.
    pub fn iter(&self) -> impl Iterator<Item = (RenId, &Ren)> {
        self.positions
            .iter()
            .flat_map(|(&ordinal, rens)| rens.iter().map(move |(&location, ren)| (RenId { ordinal, location }, &**ren)))
    }

    /// Number of rens, of all positions together.
    pub fn len(&self) -> usize {
        self.positions.values().map(|rens| rens.len()).sum()
    }

    /// Whether the database has no ren.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The ordinals of the positions in the database, ascending.
    pub fn ordinals(&self) -> impl Iterator<Item = u32> {
        self.positions.keys().copied()
    }

    /// The cells, frame included, of the position with this ordinal, as its rens describe it; points without a ren are
    /// empty.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Coordinate, Ren, RenDb, Stone, parse_diagram};
    ///
    /// let coordinate = Coordinate::new(3, 2).ok_or("size")?;
    /// let mut ren_db = RenDb::new(coordinate, 200);
    /// let mut ren = Ren::new(Stone::Black);
    /// ren.locations = vec![coordinate.parse_vertex("A1")?, coordinate.parse_vertex("A2")?];
    /// assert!(ren_db.register(1, ren));
    /// let board = parse_diagram(
    ///     "x . .
    ///      x . .",
    /// )?;
    /// assert_eq!(ren_db.stones(1), board.stones());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stones(&self, ordinal: u32) -> Vec<Stone> {
        let rens = self.positions.get(&ordinal).into_iter().flat_map(|rens| rens.values());
        let of_stones = rens.filter(|ren| ren.stone.color().is_some());
        Board::new(self.coordinate)
            .stones_with(of_stones.flat_map(|ren| ren.locations.iter().map(|&location| (location, ren.stone))))
    }

    /// The name of a ren, such as `001,01A`: the ordinal, then the smallest point as two-digit rank and file.
    pub fn name(&self, id: RenId) -> String {
        let (rank, file) = (self.coordinate.rank(id.location), self.coordinate.file(id.location));
        format!("{},{rank:02}{file}", self.ordinal_name(id.ordinal))
    }

    /// An ordinal as [`RenDb::name`] writes it.
    pub fn ordinal_name(&self, ordinal: u32) -> String {
        format!("{ordinal:0digits$}", digits = self.ordinal_digits)
    }

    /// One line for each ren, with its name and the indices of its points: `[001,01A]22 23`.
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

    /// Adds a ren unless its key is taken; returns whether it was added. A ren without points has no key and is not
    /// added.
    pub fn register(&mut self, ordinal: u32, ren: Ren) -> bool {
        let Some(location) = ren.minimum_location() else { return false };
        let rens = Arc::make_mut(self.positions.entry(ordinal).or_default());
        let is_new = !rens.contains_key(&location);
        if is_new {
            rens.insert(location, Arc::new(ren));
        }
        is_new
    }

    /// Registers the rens of a board that share no point with a ren of this ordinal, so that after loading the rens of
    /// another board each point still belongs to one ren.
    pub(super) fn register_all(&mut self, ordinal: u32, board: &Board) {
        let stored = self.positions.get(&ordinal).into_iter().flat_map(|rens| rens.values());
        let taken: PointSet = stored.flat_map(|ren| ren.locations.iter().copied()).collect();
        for ren in LibertySearch::new(board).find_all() {
            if !ren.locations.iter().any(|&location| taken.contains(location)) {
                self.register(ordinal, ren);
            }
        }
    }

    /// The rens of a board after a move, given the rens before it and the changes.
    pub(super) fn rens_after(board: &Board, before: &PositionRens, changes: &Changes) -> PositionRens {
        let coordinate = board.coordinate();
        let touched = changes.touched(coordinate);
        let is_untouched = |ren: &Ren| !ren.locations.iter().any(|&location| touched.contains(location));
        let mut rens = BTreeMap::clone(before);
        rens.retain(|_, ren| is_untouched(ren));
        let mut search = LibertySearch::new(board);
        for point in changes.points() {
            let [east, north, west, south] = coordinate.neighbors(point);
            for point in [point, east, north, west, south] {
                if let Some(ren) = search.find_ren_as_scanned(point)
                    && let Some(location) = ren.minimum_location()
                {
                    rens.insert(location, Arc::new(ren));
                }
            }
        }
        Arc::new(rens)
    }

    /// The rens of a board.
    pub(super) fn rens_of(board: &Board) -> PositionRens {
        let rens = LibertySearch::new(board).find_all().into_iter();
        Arc::new(rens.filter_map(|ren| Some((ren.minimum_location()?, Arc::new(ren)))).collect())
    }

    /// Sets or removes the rens of an ordinal; returns the previous ones.
    pub(super) fn replace(&mut self, ordinal: u32, rens: Option<PositionRens>) -> Option<PositionRens> {
        match rens {
            Some(rens) => self.positions.insert(ordinal, rens),
            None => self.positions.remove(&ordinal),
        }
    }
}
