//! Read-only queries for playouts and the net's features: single liberties, and the effects of a stone before it is
//! played.

use crate::kernel::board::packed::{ColorAndHead, Liberties};
use crate::kernel::board::stones::Board;
use crate::kernel::color::Color;
use crate::kernel::coordinate::{CAPACITY, Point};
use crate::kernel::stone::Stone;

impl Board {
    /// The liberties of the ren at a point except a known one; the point must hold a stone.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{LibertyClass, parse_diagram};
    ///
    /// let board = parse_diagram(
    ///     "x . .
    ///      . . .",
    /// )?;
    /// let point = |vertex| board.coordinate().parse_vertex(vertex);
    /// assert_eq!(board.other_liberties(point("A1")?, point("B1")?), LibertyClass::One(point("A2")?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn other_liberties(&self, point: Point, liberty: Point) -> LibertyClass {
        let head = self.head(point);
        let mut rest = self.liberties[head];
        for neighbor in self.neighbors(liberty) {
            if self.head(neighbor) == head {
                rest.remove(liberty);
            }
        }
        if rest.is_none() { LibertyClass::None } else { rest.single().map_or(LibertyClass::More, LibertyClass::One) }
    }

    /// Writes up to `N` different liberties of the ren at a point into `found` and returns their number; the point must
    /// hold a stone. Stops when `found` is full.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Point, parse_diagram};
    ///
    /// let board = parse_diagram(
    ///     "x x .
    ///      . o .",
    /// )?;
    /// let coordinate = board.coordinate();
    /// let mut found = [Point::default(); 4];
    /// let count = board.liberties_up_to(coordinate.parse_vertex("A1")?, &mut found);
    /// assert_eq!(coordinate.vertices(&found[..count]), "A2 C1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn liberties_up_to<const N: usize>(&self, point: Point, found: &mut [Point; N]) -> usize {
        let mut count = 0;
        let mut stone = point;
        loop {
            for neighbor in self.neighbors(stone) {
                if self.stones[neighbor] == Stone::Space && !found.iter().take(count).any(|&p| p == neighbor) {
                    let Some(slot) = found.get_mut(count) else { return count };
                    *slot = neighbor;
                    count += 1;
                    if count == N {
                        return count;
                    }
                }
            }
            stone = self.rings[stone].next;
            if stone == point {
                return count;
            }
        }
    }

    /// The number of empty neighbours, 0 to 4, of an empty point.
    #[inline]
    pub fn empty_neighbors(&self, point: Point) -> usize {
        self.liberties[point].count() as usize
    }

    /// The ren that a stone of this colour on an empty point would form. Computed from the stored sums, without
    /// branches and without walking any ren.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, LibertyClass, parse_diagram};
    ///
    /// let board = parse_diagram(
    ///     ". x o
    ///      . o .",
    /// )?;
    /// let point = |vertex| board.coordinate().parse_vertex(vertex);
    /// let info = board.placement_info(Color::Black, point("A1")?);
    /// assert!(info.connects() && !info.captures() && !info.has_two_liberties());
    /// assert_eq!(info.liberties(), LibertyClass::One(point("A2")?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline(always)] // as `check`
    pub fn placement_info(&self, color: Color, point: Point) -> PlacementInfo {
        let around @ [a, b, c, d] = self.around(point);
        let mut left = self.liberties[point];
        let (mut captures, mut own, mut has_four_liberties) = (false, 0, false);
        for cell in around {
            let liberties = self.liberties[cell.head()];
            let is_own = cell.is(color);
            captures |= cell.is(color.opponent()) & liberties.are_all(point);
            own += u64::from(is_own);
            // a point has four sides, so more than twelve pseudo-liberties are at least four liberties
            has_four_liberties |= is_own & (liberties.count() > 12);
            left.merge(if is_own { liberties } else { Liberties::NONE });
        }
        // a ren that touches the point with k of its stones was added k times, and with it k · k times the point itself
        let same = |a: ColorAndHead, b: ColorAndHead| u64::from(a.is(color) & (a.0 == b.0));
        let pairs = same(a, b) + same(a, c) + same(a, d) + same(b, c) + same(b, d) + same(c, d);
        left.remove_times(point, own + 2 * pairs);
        PlacementInfo { captures, connects: own != 0, has_four_liberties, liberties: left }
    }

    /// As [`Board::placement_info`], but without counting another empty point as a liberty, as if an enemy stone stood
    /// there.
    #[inline]
    pub fn placement_info_without(&self, color: Color, point: Point, without: Point) -> PlacementInfo {
        let mut info = self.placement_info(color, point);
        let mut times = 0;
        let beside = self.around(without);
        for cell in self.around(point) {
            times += u64::from(cell.head() == without);
            for other in beside {
                times += u64::from(cell.is(color) & (cell.0 == other.0));
            }
        }
        info.liberties.remove_times(without, times);
        info
    }

    /// The neighbours of a point that are stones of this colour in atari, one bit for each, in the order of
    /// [`Coordinate::neighbors`](crate::kernel::Coordinate::neighbors), lowest bit first.
    #[inline(always)] // as `check`
    pub fn atari_neighbors(&self, color: Color, point: Point) -> u32 {
        let mut found = 0;
        for (bit, cell) in self.around(point).into_iter().enumerate() {
            found |= u32::from(cell.is(color) & self.liberties[cell.head()].is_at_most_one()) << bit;
        }
        found
    }

    /// The neighbours of a point that are stones of this colour in atari, and those whose ren may have two liberties
    /// ([`Board::may_have_two_liberties`]); bits as in [`Board::atari_neighbors`].
    #[inline(always)] // as `check`
    pub fn weak_neighbors(&self, color: Color, point: Point) -> [u32; 2] {
        let (mut ataris, mut twos) = (0, 0);
        for (bit, cell) in self.around(point).into_iter().enumerate() {
            let is_own = cell.is(color);
            ataris |= u32::from(is_own & self.liberties[cell.head()].is_at_most_one()) << bit;
            twos |= u32::from(is_own & self.has_few_liberties(cell.head())) << bit;
        }
        [ataris, twos]
    }

    /// Whether the ren at a point may have exactly two liberties. Exact for rens of one or two stones; for larger rens
    /// there are false positives but no false negatives.
    #[inline]
    pub fn may_have_two_liberties(&self, point: Point) -> bool {
        self.has_few_liberties(self.head(point))
    }

    /// As [`Board::may_have_two_liberties`], for the ren with this head: 2 ≤ n ≤ max(2, min(size, 8)), n being the
    /// number of pseudo-liberties.
    ///
    /// Two adjacent stones have no common neighbour, so n is exact up to size 2. A larger ren with two liberties
    /// has n ≤ size: a stone that touches both of them, in line or across a corner, is connected to the rest by a stone
    /// that touches neither. And n ≤ 8, because each of the two liberties has four sides.
    #[inline(always)]
    fn has_few_liberties(&self, head: Point) -> bool {
        let count = self.liberties[head].count();
        (count >= 2) & (count <= u64::from(self.rings[head].size.clamp(2, 8)))
    }

    /// Eight consecutive cells of a row as [`Stone`] codes, one byte each, lowest byte first; the given cell is the
    /// third. Cells outside the frame have arbitrary values.
    #[inline]
    pub fn row_window(&self, point: Point) -> u64 {
        // the cell north of A1, index 1, has one cell before it only: its window starts one cell late, in a row of wall
        let start = point.index().saturating_sub(2).min(CAPACITY - 8);
        let mut row = 0;
        for (byte, &stone) in self.stones.cells(CAPACITY)[start..start + 8].iter().enumerate() {
            row |= u64::from(stone as u8) << (8 * byte);
        }
        row
    }
}

/// The liberties of a ren besides a known one ([`Board::other_liberties`]), or those of a ren yet to be formed
/// ([`PlacementInfo::liberties`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LibertyClass {
    /// None.
    None,
    /// Exactly this one.
    One(Point),
    /// Two or more.
    More,
}

/// The ren that a new stone would form, before captured stones are removed: see [`Board::placement_info`].
#[derive(Clone, Copy, Debug)]
pub struct PlacementInfo {
    captures: bool,
    connects: bool,
    /// A neighbouring ren of the colour has at least four liberties, the point itself included.
    has_four_liberties: bool,
    /// The pseudo-liberties of the ren; meaningless if `has_four_liberties`, because the sums may have overflowed.
    liberties: Liberties,
}

impl PlacementInfo {
    /// Whether the stone captures, provided that no ko ban forbids it.
    #[inline]
    pub fn captures(&self) -> bool {
        self.captures
    }

    /// Whether a stone of the same colour is next to the point.
    #[inline]
    pub fn connects(&self) -> bool {
        self.connects
    }

    /// Whether the ren has at least one liberty.
    #[inline]
    pub fn has_liberty(&self) -> bool {
        self.has_four_liberties | !self.liberties.is_none()
    }

    /// Whether the ren has at least two liberties.
    #[inline]
    pub fn has_two_liberties(&self) -> bool {
        self.has_four_liberties | !self.liberties.is_at_most_one()
    }

    /// The liberties of the ren.
    #[inline]
    pub fn liberties(&self) -> LibertyClass {
        if self.has_two_liberties() {
            LibertyClass::More
        } else {
            self.liberties.single().map_or(LibertyClass::None, LibertyClass::One)
        }
    }
}
