//! The board: stones, their rens, and the simple ko. The only statement of what may be played.
//!
//! One [`Board`] serves the inspectable kernel and the playouts. It knows nothing of moves before the last one: superko,
//! prisoners, undo and scoring belong to [`Position`](super::Position).
//!
//! Rens are kept up to date as stones fall. Each is a ring of points with one of them as its head, where its size and
//! liberties are kept. An empty point is kept as a ren of its own, so that its liberties are the empty points beside it.
//! Liberties are counted once for every stone they touch ("pseudo-liberties"), together with the sum and the sum of squares
//! of the touched points. That costs one addition a neighbour, is zero exactly when there is no liberty, and tells atari
//! exactly: by Cauchy's inequality count x sum of squares = sum² only if all the touched points are the same one. `packed`
//! has these words, and `outlook` what a search reads from them.
//!
//! What playouts do at every move is written so that few branches hang on chance: a processor that guesses wrong loses
//! the time of dozens of additions. Hence the sums where a question would do, and the rare cases out of line.

mod packed;
mod tactical_queries;

use std::fmt;

use crate::kernel::check_board::PointSet;
use crate::kernel::color::Color;
use crate::kernel::coordinate::{CAPACITY, Coordinate, Grid, MAX_SIDE, Point};
use crate::kernel::play_rule::IllegalMove;
use crate::kernel::stone::Stone;

use crate::kernel::board::packed::{Cell, EmptyPoints, Liberties, Ring, Sides};
pub use crate::kernel::board::tactical_queries::OtherLiberties;
pub use crate::kernel::board::tactical_queries::PlacementInfo;

/// A ban on retaking a ko.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Ko {
    /// Where the taken stone stood.
    pub point: Point,
    /// Who may not play there.
    pub color: Color,
}

/// Hears what a play does to the board, as it happens. `()` hears nothing and costs nothing.
pub trait Observer {
    /// A stone was put on a point.
    fn placed(&mut self, _color: Color, _point: Point) {}
    /// The stone just put there joined the ren of one of its neighbours; `point` is a stone of that ren.
    fn joined(&mut self, _color: Color, _point: Point) {}
    /// A stone of this colour was taken from a point.
    fn captured(&mut self, _color: Color, _point: Point) {}
}

impl Observer for () {}

/// Stones, rens and simple ko on a walled board.
///
/// Two boards are equal if they have the same size, stones and ko. `clone_from` costs what the board's size costs;
/// `clone` also makes room for the largest board.
pub struct Board {
    coordinate: Coordinate,
    /// Unique: everything below the ko is derived from it, and [`Board::rebuild`] derives it.
    stones: Grid<Stone>,
    /// Unique.
    ko: Option<Ko>,
    /// Derived. The stone again, with the head of its ren; a cell without a stone is its own head.
    cells: Grid<Cell>,
    /// Derived. Side by side, because they are written together.
    rings: Grid<Ring>,
    /// Derived, kept at the head and for every empty point; what is kept for the wall has no meaning.
    liberties: Grid<Liberties>,
    /// Derived, kept for every point.
    sides: Grid<Sides>,
    /// Derived.
    empty: EmptyPoints,
}

impl Board {
    /// An empty board.
    pub fn new(coordinate: Coordinate) -> Board {
        let mut board = Board::blank(coordinate);
        for point in coordinate.points() {
            board.stones[point] = Stone::Space;
        }
        board.rebuild();
        board
    }

    /// A board with these cells, the frame included, row by row; no ko is banned.
    ///
    /// # Errors
    /// [`SetupError`] if the cells are not as many as the walled board has, the frame is not wall all round and nowhere
    /// else, or a ren has no liberty.
    pub fn from_stones(coordinate: Coordinate, stones: &[Stone]) -> Result<Board, SetupError> {
        if stones.len() != coordinate.memory_area() {
            return Err(SetupError::Frame);
        }
        let mut board = Board::blank(coordinate);
        for (index, &stone) in stones.iter().enumerate() {
            let point = Point(index as u16);
            if (stone == Stone::Wall) == coordinate.contains(point) {
                return Err(SetupError::Frame);
            }
            board.stones[point] = stone;
        }
        board.rebuild();
        let dead = |&p: &Point| board.stone(p).color().is_some() && board.liberties[board.head(p)].is_none();
        match coordinate.points().find(dead) {
            Some(point) => Err(SetupError::NoLiberty { point, vertex: coordinate.vertex(point) }),
            None => Ok(board),
        }
    }

    /// Size of the board and names of its points.
    #[inline]
    pub fn coordinate(&self) -> Coordinate {
        self.coordinate
    }

    /// What stands on a cell.
    #[inline]
    pub fn stone(&self, point: Point) -> Stone {
        self.stones[point]
    }

    /// All cells, the frame included, row by row.
    pub fn stones(&self) -> &[Stone] {
        self.stones.cells(self.coordinate.memory_area())
    }

    /// The retake that is banned now, if any.
    #[inline]
    pub fn ko(&self) -> Option<Ko> {
        self.ko
    }

    /// The empty points, in any order.
    #[inline]
    pub fn empty_points(&self) -> &[Point] {
        self.empty.as_slice()
    }

    /// One of the [`Board::empty_points`], by its place, which is below their number; what another gives has no meaning.
    #[inline]
    pub fn empty_point(&self, place: usize) -> Point {
        self.empty.get(place)
    }

    /// Whether all there is beside a point of the board is this player's stones and wall.
    #[inline]
    pub fn is_enclosed(&self, color: Color, point: Point) -> bool {
        self.sides[point].are_all(color)
    }

    /// Exchanges two of the [`Board::empty_points`], by their places; both are below their number.
    #[inline]
    pub fn swap_empty(&mut self, a: usize, b: usize) {
        self.empty.swap(a, b);
    }

    /// The stones of the ren at a point, from that stone round its ring; of an empty point only itself.
    pub fn ren_points(&self, point: Point) -> impl Iterator<Item = Point> {
        let next = move |&here: &Point| Some(self.rings[here].next).filter(|&next| next != point);
        std::iter::successors(Some(point), next)
    }

    /// How many stones the ren at a point has; the point must hold a stone.
    #[inline]
    pub fn ren_size(&self, point: Point) -> usize {
        usize::from(self.rings[self.head(point)].size)
    }

    /// How many liberties the ren at a point has, each counted once; the point must hold a stone.
    pub fn liberty_count(&self, point: Point) -> usize {
        let mut seen = PointSet::new();
        let neighbors = self.ren_points(point).flat_map(|stone| self.neighbors(stone));
        neighbors.filter(|&p| self.stones[p] == Stone::Space && seen.insert(p)).count()
    }

    /// The liberty of the ren at a point, if it has exactly one; the point must hold a stone.
    #[inline]
    pub fn atari(&self, point: Point) -> Option<Point> {
        self.liberties[self.head(point)].single()
    }

    /// Whether the ren at a point has exactly one liberty; the point must hold a stone.
    #[inline]
    pub fn is_atari(&self, point: Point) -> bool {
        self.liberties[self.head(point)].is_single()
    }

    /// A stone that stands for the whole ren at a point: the same for each of its stones, until the next move.
    #[inline]
    pub fn ren_head(&self, point: Point) -> Point {
        self.head(point)
    }

    /// Whether `color` may play on `point`: simple ko, no suicide. Reads as [`Board::play`] does, and changes nothing.
    ///
    /// # Errors
    /// The first rule in this order that forbids it: masonry, ko, then, if nothing is taken, opponent_eye or suicide.
    #[inline(always)] // so that a playout has code for each colour
    pub fn check(&self, color: Color, point: Point) -> Result<(), IllegalMove> {
        if self.stones[point] != Stone::Space {
            return Err(IllegalMove::Masonry);
        }
        if !self.liberties[point].is_none() {
            // there is an empty point beside it, as there never is where a ko could be retaken
            return Ok(());
        }
        if self.ko == Some(Ko { point, color }) {
            return Err(IllegalMove::Ko);
        }
        // counted without branches: a neighbour helps if it is one's own with another liberty, or an enemy without
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

    /// Plays a move if [`Board::check`] allows it; says how many stones it took.
    ///
    /// # Errors
    /// As [`Board::check`]; the board is then unchanged.
    pub fn play(&mut self, color: Color, point: Point, observer: &mut impl Observer) -> Result<usize, IllegalMove> {
        self.check(color, point)?;
        Ok(self.play_legal(color, point, observer))
    }

    /// Plays a move that [`Board::check`] is known to allow; says how many of the opponent's stones it took.
    ///
    /// It may also be one that is refused as `suicide`, for rules that allow it: the joined ren is then taken itself.
    #[inline(always)] // as `check`
    pub fn play_legal(&mut self, color: Color, point: Point, observer: &mut impl Observer) -> usize {
        debug_assert!(matches!(self.check(color, point), Ok(()) | Err(IllegalMove::Suicide)));
        self.stones[point] = color.stone();
        self.empty.remove(point);
        let own = self.liberties[point];
        self.liberties[point] = Liberties::NONE;
        let neighbors = self.neighbors(point);
        for neighbor in neighbors {
            self.sides[neighbor].close(color);
        }
        let around = neighbors.map(|neighbor| self.cells[neighbor]);
        // heads of rens: one that the stone joins, another that it joins, one that it takes; the point where there is none
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
        // the stone goes into the ring behind the head; alone, it is its own head, and this writes what is there
        self.cells[point] = Cell::new(color, head);
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

    /// Somebody passes: a banned ko may be retaken from now on.
    #[inline]
    pub fn pass(&mut self) {
        self.ko = None;
    }

    /// Takes the ban off a ko without a move.
    #[inline]
    pub fn lift_ko(&mut self) {
        self.ko = None;
    }

    /// Puts back stones and ko that this board had, or had with fewer stones.
    pub(super) fn restore(&mut self, stones: &[Stone], ko: Option<Ko>) {
        for (index, &stone) in stones.iter().enumerate() {
            self.stones[Point(index as u16)] = stone;
        }
        self.ko = ko;
        self.rebuild();
    }

    /// Compares all that is kept up to date with the same derived anew from the stones.
    ///
    /// # Panics
    /// If they differ, with the field's name.
    pub fn assert_consistent(&self) {
        let mut fresh = Board::blank(self.coordinate);
        fresh.stones.clone_from(&self.stones);
        fresh.rebuild();
        assert_eq!(self.empty.as_slice().len(), fresh.empty.as_slice().len(), "number of empty points");
        for point in self.coordinate.points() {
            assert_eq!(self.sides[point], fresh.sides[point], "sides");
            if self.stones[point] == Stone::Space {
                assert!(self.empty.contains(point), "empty points");
                assert_eq!(self.head(point), point, "head of an empty point");
                assert_eq!(self.rings[point].next, point, "ring of an empty point");
                assert_eq!(self.rings[point].size, 0, "size of an empty point");
                assert_eq!(self.liberties[point], fresh.liberties[point], "liberties of an empty point");
                continue;
            }
            let head = self.head(point);
            assert_eq!(self.head(head), head, "head of a head");
            let mine: PointSet = self.ren_points(point).collect();
            for other in self.coordinate.points().filter(|&p| self.stones[p] != Stone::Space) {
                let same = fresh.head(other) == fresh.head(point);
                assert_eq!(mine.contains(other), same, "ring");
                assert_eq!(self.head(other) == head, same, "heads");
            }
            assert_eq!(self.liberties[head], fresh.liberties[fresh.head(point)], "liberties");
            assert!(!self.liberties[head].is_none(), "a ren without a liberty");
            assert_eq!(self.rings[head].size, fresh.rings[fresh.head(point)].size, "sizes");
        }
        if let Some(ko) = self.ko {
            assert_eq!(self.stones[ko.point], Stone::Space, "ko");
        }
    }

    /// A board of wall only.
    fn blank(coordinate: Coordinate) -> Board {
        Board {
            coordinate,
            stones: Grid::new(Stone::Wall),
            ko: None,
            cells: Grid::new(Cell(0)),
            rings: Grid::new(Ring { next: Point(0), size: 0 }),
            liberties: Grid::new(Liberties::NONE),
            sides: Grid::new(Sides::OPEN),
            empty: EmptyPoints::new(),
        }
    }

    /// Derives all derived fields from the stones.
    fn rebuild(&mut self) {
        let coordinate = self.coordinate;
        self.empty.clear();
        for index in 0..coordinate.memory_area() {
            let point = Point(index as u16);
            self.cells[point] = Cell::without_stone(point);
            self.rings[point] = Ring { next: point, size: 0 };
            self.liberties[point] = Liberties::NONE;
            self.sides[point] = Sides::OPEN;
        }
        for point in coordinate.points() {
            self.sides[point] = self.sides_anew(point);
            for neighbor in self.neighbors(point) {
                if self.stones[neighbor] == Stone::Space {
                    self.liberties[point].add(neighbor);
                }
            }
            match self.stones[point].color() {
                None => self.empty.add(point),
                Some(color) => {
                    self.rings[point].size = 1;
                    // stones to the east and south are not in the cells yet; they will join this one
                    self.cells[point] = Cell::new(color, point);
                    let other = self.head_beside(point, |cell| cell.is(color));
                    if other != point {
                        self.join_others(color, point, other, &mut ());
                    }
                }
            }
        }
    }

    fn sides_anew(&self, point: Point) -> Sides {
        let mut sides = Sides::OPEN;
        for neighbor in self.neighbors(point) {
            match self.stones[neighbor] {
                Stone::Space => {}
                Stone::Black => sides.close(Color::Black),
                Stone::White => sides.close(Color::White),
                Stone::Wall => Color::BOTH.into_iter().for_each(|color| sides.close(color)),
            }
        }
        sides
    }

    #[inline]
    fn neighbors(&self, point: Point) -> [Point; 4] {
        self.coordinate.neighbors(point)
    }

    #[inline]
    fn around(&self, point: Point) -> [Cell; 4] {
        self.neighbors(point).map(|neighbor| self.cells[neighbor])
    }

    /// The head of a stone's ren.
    #[inline]
    fn head(&self, point: Point) -> Point {
        self.cells[point].head()
    }

    /// Joins the ren at a point with the other rens of its colour next to it, of which the first is given by its head.
    /// Gives the head of all.
    #[inline(never)]
    fn join_others(&mut self, color: Color, point: Point, first: Point, observer: &mut impl Observer) -> Point {
        let mut other = first;
        loop {
            let head = self.head(point);
            // sought before the joining, so that the processor need not wait for it
            let next = self.head_beside(point, |cell| cell.is(color) & (cell.head() != other) & (cell.head() != head));
            observer.joined(color, other);
            let head = self.join(head, other);
            if next == point {
                return head;
            }
            other = next;
        }
    }

    /// The head of the last ren next to a point for which this holds; or else the point.
    #[inline]
    fn head_beside(&self, point: Point, is_sought: impl Fn(Cell) -> bool) -> Point {
        self.around(point).into_iter().fold(point, |found, cell| if is_sought(cell) { cell.head() } else { found })
    }

    /// Makes one ren of two, given by their heads. The smaller one is relabelled.
    #[inline]
    fn join(&mut self, a: Point, b: Point) -> Point {
        let (into, from) = if self.rings[a].size >= self.rings[b].size { (a, b) } else { (b, a) };
        let cell = self.cells[from].with_head(into);
        let mut point = from;
        let mut left = self.rings[from].size;
        loop {
            // always four, round and round in a shorter ring: most have up to four stones, and when one of them ends is
            // anybody's guess
            for _ in 0..4 {
                self.cells[point] = cell;
                point = self.rings[point].next;
            }
            if left <= 4 {
                break;
            }
            left -= 4;
        }
        // exchanging two successors makes one ring of two
        let next = self.rings[into].next;
        self.rings[into].next = self.rings[from].next;
        self.rings[from].next = next;
        let from_liberties = self.liberties[from];
        self.liberties[into].merge(from_liberties);
        self.rings[into].size += self.rings[from].size;
        into
    }

    /// Takes every ren of `color` beside a point that has no liberty left, of which the first is given by its head, and
    /// bans the retaking of a ko. Says how many stones were taken.
    #[inline(never)]
    fn capture_around(&mut self, color: Color, point: Point, first: Point, observer: &mut impl Observer) -> usize {
        let head = self.head(point);
        let is_alone = (self.rings[head].size == 1) & self.liberties[head].is_none();
        let mut captured = 0;
        let mut last = first;
        loop {
            let is_dead = |cell: Cell| cell.is(color) & (cell.head() != last) & self.liberties[cell.head()].is_none();
            // sought first, as in `join_others`
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

    /// Takes the ren at a point, which has no liberty, off the board.
    #[inline]
    fn remove_ren(&mut self, color: Color, start: Point, observer: &mut impl Observer) -> usize {
        let mut count = 0;
        let mut point = start;
        loop {
            self.stones[point] = Stone::Space;
            self.cells[point] = Cell::without_stone(point);
            self.liberties[point] = Liberties::NONE;
            self.empty.add(point);
            for neighbor in self.neighbors(point) {
                self.sides[neighbor].open(color);
            }
            observer.captured(color, point);
            count += 1;
            point = self.rings[point].next;
            if point == start {
                break;
            }
        }
        // its points have no other empty ones beside them than each other: now that all are empty, each tells its neighbours
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

impl Clone for Board {
    fn clone(&self) -> Board {
        let mut board = Board::blank(self.coordinate);
        board.clone_from(self);
        board
    }

    fn clone_from(&mut self, other: &Board) {
        let area = other.coordinate.memory_area();
        self.coordinate = other.coordinate;
        self.stones.copy_from(&other.stones, area);
        self.ko = other.ko;
        self.cells.copy_from(&other.cells, area);
        self.rings.copy_from(&other.rings, area);
        self.liberties.copy_from(&other.liberties, area);
        self.sides.copy_from(&other.sides, area);
        self.empty.copy_from(&other.empty, area);
    }
}

impl PartialEq for Board {
    fn eq(&self, other: &Board) -> bool {
        self.coordinate == other.coordinate && self.ko == other.ko && self.stones() == other.stones()
    }
}

impl Eq for Board {}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.stones().chunks(self.coordinate.memory_width()) {
            writeln!(f)?;
            for stone in row {
                stone.fmt(f)?;
            }
        }
        write!(f, "\nko: {:?}", self.ko)
    }
}

/// Cells that make no position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetupError {
    /// The cells are not as many as the walled board has, or wall stands elsewhere than on the frame.
    Frame,
    /// A ren has no liberty.
    NoLiberty {
        /// The ren's first point, row by row.
        point: Point,
        /// The name of that point.
        vertex: String,
    },
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SetupError::Frame => f.write_str("the frame does not fit the board"),
            SetupError::NoLiberty { vertex, .. } => write!(f, "the ren at {vertex} has no liberty"),
        }
    }
}

impl std::error::Error for SetupError {}

const _: () = assert!(CAPACITY >= (MAX_SIDE as usize + 2) * (MAX_SIDE as usize + 2));
