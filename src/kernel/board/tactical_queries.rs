//! What a search asks of a board: liberties one by one, and what a stone would have around it before it is played.

use crate::kernel::board::Board;
use crate::kernel::board::packed::{Cell, Liberties};
use crate::kernel::color::Color;
use crate::kernel::coordinate::{CAPACITY, Point};
use crate::kernel::stone::Stone;

impl Board {
    /// What liberties the ren at a point has besides one that it is known to have; the point must hold a stone.
    #[inline]
    pub fn liberties_besides(&self, point: Point, liberty: Point) -> OtherLiberties {
        let head = self.head(point);
        let mut rest = self.liberties[head];
        for neighbor in self.neighbors(liberty) {
            if self.head(neighbor) == head {
                rest.remove(liberty);
            }
        }
        if rest.is_none() {
            OtherLiberties::None
        } else {
            rest.single().map_or(OtherLiberties::More, OtherLiberties::One)
        }
    }

    /// Notes liberties of the ren at a point, each once, until `found` is full, and says how many it has noted; the point
    /// must hold a stone.
    #[inline]
    pub fn liberties_up_to<const N: usize>(&self, point: Point, found: &mut [Point; N]) -> usize {
        let mut count = 0;
        let mut stone = point;
        loop {
            for neighbor in self.neighbors(stone) {
                if self.stones[neighbor] == Stone::Space && !found.iter().take(count).any(|&p| p == neighbor) {
                    let Some(place) = found.get_mut(count) else { return count };
                    *place = neighbor;
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

    /// How many empty points are beside an empty point.
    #[inline]
    pub fn open_sides(&self, point: Point) -> usize {
        self.liberties[point].count() as usize
    }

    /// What a stone of this colour on an empty point has around it. Counted without branches and without a walk.
    #[inline(always)] // as `check`
    pub fn prospect(&self, color: Color, point: Point) -> PlacementInfo {
        let around @ [a, b, c, d] = self.around(point);
        let mut left = self.liberties[point];
        let (mut takes, mut own, mut is_wide) = (false, 0, false);
        for cell in around {
            let liberties = self.liberties[cell.head()];
            let is_own = cell.is(color);
            takes |= cell.is(color.opponent()) & liberties.are_all(point);
            own += u64::from(is_own);
            // a point has four sides, so that more than twelve of them are four points at least
            is_wide |= is_own & (liberties.count() > 12);
            left.merge(if is_own { liberties } else { Liberties::NONE });
        }
        // a ren that touches the point with k of its stones was added k times, and with it k times k of the point
        let same = |a: Cell, b: Cell| u64::from(a.is(color) & (a.0 == b.0));
        let pairs = same(a, b) + same(a, c) + same(a, d) + same(b, c) + same(b, d) + same(c, d);
        left.remove_often(point, own + 2 * pairs);
        PlacementInfo { takes, joins: own != 0, is_wide, left }
    }

    /// As [`Board::prospect`], with another empty point counted as no liberty, as if an opponent's stone stood there.
    #[inline]
    pub fn prospect_without(&self, color: Color, point: Point, without: Point) -> PlacementInfo {
        let mut prospect = self.prospect(color, point);
        let mut times = 0;
        let beside = self.around(without);
        for cell in self.around(point) {
            times += u64::from(cell.head() == without);
            for other in beside {
                times += u64::from(cell.is(color) & (cell.0 == other.0));
            }
        }
        prospect.left.remove_often(without, times);
        prospect
    }

    /// Which of a point's four neighbours, in their order, are stones of this colour in atari: a bit for each.
    #[inline(always)] // as `check`
    pub fn ataris_beside(&self, color: Color, point: Point) -> u32 {
        let mut found = 0;
        for (place, cell) in self.around(point).into_iter().enumerate() {
            found |= u32::from(cell.is(color) & self.liberties[cell.head()].agree()) << place;
        }
        found
    }

    /// Of a point's four neighbours, in their order, that are stones of this colour: those in atari, and those whose ren may
    /// have two liberties, as [`Board::may_have_two`] says.
    #[inline(always)] // as `check`
    pub fn weak_neighbors(&self, color: Color, point: Point) -> [u32; 2] {
        let (mut ataris, mut twos) = (0, 0);
        for (place, cell) in self.around(point).into_iter().enumerate() {
            let is_own = cell.is(color);
            ataris |= u32::from(is_own & self.liberties[cell.head()].agree()) << place;
            twos |= u32::from(is_own & self.has_few(cell.head())) << place;
        }
        [ataris, twos]
    }

    /// Whether the ren at a point may have exactly two liberties: never said wrongly of one or two stones, and of others
    /// never denied wrongly.
    #[inline]
    pub fn may_have_two(&self, point: Point) -> bool {
        self.has_few(self.head(point))
    }

    /// As [`Board::may_have_two`], of the ren with this head.
    ///
    /// Two stones touch no point twice. Of a larger ren no more stones touch two points, each counted once for each point,
    /// than it has: one that touches both of them, in line or across a corner, is joined to the rest by a stone that touches
    /// neither. And a point has but four sides.
    #[inline(always)]
    fn has_few(&self, head: Point) -> bool {
        let count = self.liberties[head].count();
        (count >= 2) & (count <= u64::from(self.rings[head].size.clamp(2, 8)))
    }

    /// What stands on eight cells of a row, a byte each from the lowest, of which this one is the third; what is outside the
    /// frame is anything.
    #[inline]
    pub fn row_around(&self, point: Point) -> u64 {
        // only the second cell of the first row has too few before it, and all there is wall
        let start = point.index().saturating_sub(2).min(CAPACITY - 8);
        let mut row = 0;
        for (place, &stone) in self.stones.cells(CAPACITY)[start..start + 8].iter().enumerate() {
            row |= u64::from(stone as u8) << (8 * place);
        }
        row
    }
}

/// What liberties a ren has besides one of them: see [`Board::liberties_besides`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OtherLiberties {
    /// None.
    None,
    /// Exactly this one.
    One(Point),
    /// Two or more.
    More,
}

/// What a new stone would have around it, before it takes anything: see [`Board::prospect`].
#[derive(Clone, Copy, Debug)]
pub struct PlacementInfo {
    takes: bool,
    joins: bool,
    is_wide: bool,
    /// The liberties of its ren; without meaning if that is wide, because they may have overflown.
    left: Liberties,
}

impl PlacementInfo {
    /// Whether it takes stones, unless the ko is banned.
    #[inline]
    pub fn takes(&self) -> bool {
        self.takes
    }

    /// Whether stones of its colour are beside it.
    #[inline]
    pub fn joins(&self) -> bool {
        self.joins
    }

    /// Whether its ren has at least one liberty.
    #[inline]
    pub fn lives(&self) -> bool {
        self.is_wide | !self.left.is_none()
    }

    /// Whether its ren has two liberties at least.
    #[inline]
    pub fn is_safe(&self) -> bool {
        self.is_wide | !self.left.agree()
    }

    /// The liberties of its ren.
    #[inline]
    pub fn rest(&self) -> OtherLiberties {
        if self.is_safe() {
            OtherLiberties::More
        } else {
            self.left.single().map_or(OtherLiberties::None, OtherLiberties::One)
        }
    }
}
