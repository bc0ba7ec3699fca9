//! Legality, moves and captures.

use crate::kernel::board::packed::{ColorAndHead, Liberties, Ring};
use crate::kernel::board::stones::{Board, Ko, Observer};
use crate::kernel::color::Color;
use crate::kernel::coordinate::Point;
use crate::kernel::play_rule::IllegalMove;
use crate::kernel::stone::Stone;

impl Board {
    /// Whether `color` may play on `point` under simple ko and without suicide. Follows the steps of [`Board::play`]
    /// without changing the board.
    ///
    /// # Errors
    /// The first rule in this order that forbids the move: masonry, ko, then, if it captures nothing, opponent_eye or
    /// suicide.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, IllegalMove, parse_diagram};
    ///
    /// let board = parse_diagram(
    ///     ". x . o
    ///      x . o .
    ///      . o o x",
    /// )?;
    /// let point = |vertex| board.coordinate().parse_vertex(vertex);
    /// assert_eq!(board.check(Color::White, point("B1")?), Err(IllegalMove::Masonry));
    /// assert_eq!(board.check(Color::White, point("A1")?), Err(IllegalMove::OpponentEye));
    /// assert_eq!(board.check(Color::Black, point("D2")?), Err(IllegalMove::Suicide));
    /// assert_eq!(board.check(Color::White, point("D2")?), Ok(())); // captures D3
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline(always)] // so that a playout has code specialized for each colour
    pub fn check(&self, color: Color, point: Point) -> Result<(), IllegalMove> {
        if self.stones[point] != Stone::Space {
            return Err(IllegalMove::Masonry);
        }
        if !self.liberties[point].is_none() {
            // an empty neighbour makes any play legal, and a point where a ko could be retaken has none
            return Ok(());
        }
        if self.ko == Some(Ko { point, color }) {
            return Err(IllegalMove::Ko);
        }
        // counted without branches: a neighbour helps if it is a ren of `color` with another liberty, or an enemy ren
        // without one
        let around = self.around(point);
        let mut helpers = 0;
        for cell in around {
            let is_last_liberty = self.liberties[cell.head()].are_all(point);
            let helper = if is_last_liberty { color.opponent() } else { color };
            helpers += u32::from(cell.is(helper));
        }
        if helpers > 0 {
            return Ok(());
        }
        let has_own = around.iter().any(|cell| cell.is(color));
        Err(if has_own { IllegalMove::Suicide } else { IllegalMove::OpponentEye })
    }

    /// Plays a move if [`Board::check`] allows it; returns the number of captured stones.
    ///
    /// # Errors
    /// As [`Board::check`]; the board is then unchanged.
    ///
    /// # Examples
    /// ```
    /// use kifuwarabe_uec14::kernel::{Color, parse_diagram};
    ///
    /// let mut board = parse_diagram(
    ///     "o o x
    ///      x . .
    ///      . . .",
    /// )?;
    /// let b2 = board.coordinate().parse_vertex("B2")?;
    /// assert_eq!(board.play(Color::Black, b2, &mut ())?, 2);
    /// assert_eq!(
    ///     board,
    ///     parse_diagram(
    ///         ". . x
    ///          x x .
    ///          . . .",
    ///     )?
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn play(&mut self, color: Color, point: Point, observer: &mut impl Observer) -> Result<usize, IllegalMove> {
        self.check(color, point)?;
        Ok(self.play_legal(color, point, observer))
    }

    /// Plays a move that [`Board::check`] is known to allow; returns the number of captured enemy stones.
    ///
    /// The move may also be one that `check` refuses as `suicide`, for rules that allow it: then the joined ren is
    /// removed.
    #[inline(always)] // as `check`
    pub fn play_legal(&mut self, color: Color, point: Point, observer: &mut impl Observer) -> usize {
        debug_assert!(matches!(self.check(color, point), Ok(()) | Err(IllegalMove::Suicide)));
        self.stones[point] = color.stone();
        self.empty.remove(point);
        let own = self.liberties[point];
        self.liberties[point] = Liberties::NONE;
        let neighbors = self.neighbors(point);
        for neighbor in neighbors {
            self.neighbor_counts[neighbor].add(color);
        }
        let around = neighbors.map(|neighbor| self.heads[neighbor]);
        // heads of rens: one that the stone joins, another that it joins, and one that it captures; `point` if there is
        // none
        let (mut head, mut other, mut dead) = (point, point, point);
        for cell in around {
            let at = cell.head();
            let liberties = &mut self.liberties[at];
            liberties.remove(point);
            dead = if cell.is(color.opponent()) & liberties.is_none() { at } else { dead };
            let is_own = cell.is(color);
            other = if is_own & (at != head) { head } else { other };
            head = if is_own { at } else { head };
        }
        observer.placed(color, point);
        // inserts the stone into the ring after the head; a lone stone is its own head, and nothing changes
        self.heads[point] = ColorAndHead::new(color, head);
        self.rings[point].next = self.rings[head].next;
        self.rings[head].next = point;
        self.liberties[head].merge(own);
        self.rings[head].size += 1;
        if head != point {
            observer.joined(color, head);
        }
        if other != point {
            head = self.join_others(color, point, other, observer);
        }
        self.ko = None;
        if dead != point {
            return self.capture_around(color.opponent(), point, dead, observer);
        }
        if self.liberties[head].is_none() {
            self.remove_ren(color, point, observer);
        }
        0
    }

    /// The board after a move that [`Board::check`] allows, or refuses as `ko` or `suicide`, for rules that allow it.
    pub(crate) fn after(&self, color: Color, point: Point, observer: &mut impl Observer) -> Board {
        let mut after = self.clone();
        after.lift_ko();
        after.play_legal(color, point, observer);
        after
    }

    /// A pass: a banned ko may be retaken from now on.
    #[inline]
    pub fn pass(&mut self) {
        self.lift_ko();
    }

    /// Removes the ban on a ko without a move.
    #[inline]
    pub fn lift_ko(&mut self) {
        self.ko = None;
    }

    /// Removes every ren of `color` without a liberty next to the stone just played on `point`; `first` is the head of
    /// one of them. If this takes a ko, bans the retaking. Returns the number of removed stones.
    #[inline(never)]
    fn capture_around(&mut self, color: Color, point: Point, first: Point, observer: &mut impl Observer) -> usize {
        let head = self.head(point);
        let is_alone = (self.rings[head].size == 1) & self.liberties[head].is_none();
        let mut captured = 0;
        let mut last = first;
        loop {
            let is_dead =
                |cell: ColorAndHead| cell.is(color) & (cell.head() != last) & self.liberties[cell.head()].is_none();
            // found first, as in `join_others`
            let next = self.head_beside(point, is_dead);
            captured += self.remove_ren(color, last, observer);
            if next == point {
                break;
            }
            last = next;
        }
        if is_alone & (captured == 1) {
            self.ko = Some(Ko { point: last, color });
        }
        captured
    }

    /// Removes the ren at a point, which has no liberty, from the board.
    #[inline]
    fn remove_ren(&mut self, color: Color, start: Point, observer: &mut impl Observer) -> usize {
        let mut count = 0;
        let mut point = start;
        loop {
            self.stones[point] = Stone::Space;
            self.heads[point] = ColorAndHead::without_stone(point);
            self.liberties[point] = Liberties::NONE;
            self.empty.add(point);
            for neighbor in self.neighbors(point) {
                self.neighbor_counts[neighbor].remove(color);
            }
            observer.captured(color, point);
            count += 1;
            point = self.rings[point].next;
            if point == start {
                break;
            }
        }
        // the ren had no liberty, so the only empty points next to its points are each other: with all of them empty
        // now, each one becomes a liberty of its neighbours
        loop {
            for neighbor in self.neighbors(point) {
                let head = self.head(neighbor);
                self.liberties[head].add(point);
            }
            let next = self.rings[point].next;
            self.rings[point] = Ring { next: point, size: 0 };
            if next == start {
                return count;
            }
            point = next;
        }
    }
}
