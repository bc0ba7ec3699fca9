//! The board: stones, their rens, and the simple ko. The only statement of what may be played.
//!
//! One [`Board`] serves the inspectable kernel and the playouts. It knows nothing of moves before the last one: superko,
//! prisoners, undo and scoring belong to [`Position`](super::Position).
//!
//! Rens are kept up to date as stones fall. Each is a ring of points with one of them as its head, where its size and
//! liberties are kept. An empty point is kept as a ren of its own, so that its liberties are the empty points beside it. Liberties are counted once for every stone they touch ("pseudo-liberties"), together with the sum
//! and the sum of squares of the touched points. That costs one addition a neighbour, is zero exactly when there is no
//! liberty, and tells atari exactly: by Cauchy's inequality count x sum of squares = sum² only if all the touched points
//! are the same one.
//!
//! What playouts do at every move is written so that few branches hang on chance: a processor that guesses wrong loses
//! the time of dozens of additions. Hence the sums where a question would do, and the rare cases out of line.

use std::fmt;

use super::check_board::PointSet;
use super::color::Color;
use super::coordinate::{CAPACITY, Coordinate, Grid, MAX_SIDE, Point};
use super::play_rule::IllegalMove;
use super::stone::Stone;

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

    /// What liberties the ren at a point has besides one that it is known to have; the point must hold a stone.
    #[inline]
    pub fn liberties_besides(&self, point: Point, liberty: Point) -> Rest {
        let head = self.head(point);
        let mut rest = self.liberties[head];
        for neighbor in self.neighbors(liberty) {
            if self.head(neighbor) == head {
                rest.remove(liberty);
            }
        }
        if rest.is_none() { Rest::None } else { rest.single().map_or(Rest::More, Rest::One) }
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
    pub fn prospect(&self, color: Color, point: Point) -> Prospect {
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
        Prospect { takes, joins: own != 0, is_wide, left }
    }

    /// As [`Board::prospect`], with another empty point counted as no liberty, as if an opponent's stone stood there.
    #[inline]
    pub fn prospect_without(&self, color: Color, point: Point, without: Point) -> Prospect {
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
    pub fn weak_beside(&self, color: Color, point: Point) -> [u32; 2] {
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

/// What liberties a ren has besides one of them: see [`Board::liberties_besides`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rest {
    /// None.
    None,
    /// Exactly this one.
    One(Point),
    /// Two or more.
    More,
}

/// What a new stone would have around it, before it takes anything: see [`Board::prospect`].
#[derive(Clone, Copy, Debug)]
pub struct Prospect {
    takes: bool,
    joins: bool,
    is_wide: bool,
    /// The liberties of its ren; without meaning if that is wide, because they may have overflown.
    left: Liberties,
}

impl Prospect {
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
    pub fn rest(&self) -> Rest {
        if self.is_safe() { Rest::More } else { self.left.single().map_or(Rest::None, Rest::One) }
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

/// The empty points in any order, and where each of them stands. Masked as [`Grid`] is.
struct EmptyPoints {
    points: [Point; CAPACITY],
    count: usize,
    places: Grid<u16>,
}

impl EmptyPoints {
    const fn new() -> EmptyPoints {
        EmptyPoints { points: [Point(0); CAPACITY], count: 0, places: Grid::new(0) }
    }

    fn clear(&mut self) {
        self.count = 0;
    }

    fn copy_from(&mut self, other: &EmptyPoints, area: usize) {
        let count = other.count % CAPACITY;
        self.points[..count].copy_from_slice(&other.points[..count]);
        self.count = other.count;
        self.places.copy_from(&other.places, area);
    }

    #[inline]
    fn as_slice(&self) -> &[Point] {
        &self.points[..self.count % CAPACITY]
    }

    #[inline]
    fn get(&self, place: usize) -> Point {
        self.points[place % CAPACITY]
    }

    #[inline]
    fn put(&mut self, place: usize, point: Point) {
        self.points[place % CAPACITY] = point;
        self.places[point] = place as u16;
    }

    #[inline]
    fn swap(&mut self, a: usize, b: usize) {
        let (at_a, at_b) = (self.get(a), self.get(b));
        self.put(a, at_b);
        self.put(b, at_a);
    }

    #[inline]
    fn add(&mut self, point: Point) {
        self.put(self.count, point);
        self.count += 1;
    }

    #[inline]
    fn remove(&mut self, point: Point) {
        self.count -= 1;
        self.put(usize::from(self.places[point]), self.get(self.count));
    }

    fn contains(&self, point: Point) -> bool {
        self.as_slice().get(usize::from(self.places[point])) == Some(&point)
    }
}

/// The four sides of a point: for each player, how many are closed by its stones or by wall.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Sides(u8);

impl Sides {
    const OPEN: Sides = Sides(0);

    /// One side closed by this player; four of them are the third bit.
    const fn one(color: Color) -> u8 {
        1 << (4 * color.index())
    }

    /// Whether this player or wall closes all four.
    #[inline]
    const fn are_all(self, color: Color) -> bool {
        self.0 & (4 * Self::one(color)) != 0
    }

    #[inline]
    fn close(&mut self, color: Color) {
        self.0 = self.0.wrapping_add(Self::one(color));
    }

    #[inline]
    fn open(&mut self, color: Color) {
        self.0 = self.0.wrapping_sub(Self::one(color));
    }
}

/// The next stone of the same ren, round in a ring; and how many there are, kept at the head, 0 for an empty point.
#[derive(Clone, Copy)]
struct Ring {
    next: Point,
    size: u16,
}

/// Whose stone stands on a cell, and the head of its ren, in one word: ten bits of head and a mark for each player.
#[derive(Clone, Copy)]
struct Cell(u16);

impl Cell {
    #[inline]
    const fn mark(color: Color) -> u16 {
        (CAPACITY as u16) << color.index()
    }

    #[inline]
    const fn new(color: Color, head: Point) -> Cell {
        Cell(Self::mark(color) | head.0)
    }

    #[inline]
    const fn without_stone(point: Point) -> Cell {
        Cell(point.0)
    }

    #[inline]
    const fn with_head(self, head: Point) -> Cell {
        Cell((self.0 / CAPACITY as u16 * CAPACITY as u16) | head.0)
    }

    #[inline]
    const fn is(self, color: Color) -> bool {
        self.0 & Self::mark(color) != 0
    }

    #[inline]
    const fn head(self) -> Point {
        Point(self.0 % CAPACITY as u16)
    }
}

/// The liberties of a ren, each counted once for every stone it touches: how many, the sum of their indices and the sum
/// of the squares of their indices, in one word.
///
/// A ren on the largest board has under 2,500 of them and no index is over 700, so count, sum and squares stay below
/// 2^12, 2^21 and 2^31. Values of cells without a stone may wrap; nobody reads those.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Liberties(u64);

/// What each point is as a liberty. To look it up is faster than to work it out.
static LIBERTY: [u64; CAPACITY] = {
    let mut words = [0; CAPACITY];
    let mut index = 0;
    while index < CAPACITY {
        let p = index as u64;
        words[index] = 1 | p << Liberties::COUNT_BITS | (p * p) << (Liberties::COUNT_BITS + Liberties::SUM_BITS);
        index += 1;
    }
    words
};

impl Liberties {
    const NONE: Liberties = Liberties(0);
    const COUNT_BITS: u32 = 12;
    const SUM_BITS: u32 = 21;

    /// A point counted once.
    #[inline]
    fn of(point: Point) -> u64 {
        LIBERTY[point.index() % CAPACITY]
    }

    #[inline]
    fn add(&mut self, point: Point) {
        self.0 = self.0.wrapping_add(Self::of(point));
    }

    #[inline]
    fn remove(&mut self, point: Point) {
        self.0 = self.0.wrapping_sub(Self::of(point));
    }

    #[inline]
    fn remove_often(&mut self, point: Point, times: u64) {
        self.0 = self.0.wrapping_sub(Self::of(point).wrapping_mul(times));
    }

    #[inline]
    const fn count(self) -> u64 {
        self.0 & ((1 << Self::COUNT_BITS) - 1)
    }

    #[inline]
    fn merge(&mut self, other: Liberties) {
        self.0 = self.0.wrapping_add(other.0);
    }

    #[inline]
    fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline]
    const fn parts(self) -> (u64, u64, u64) {
        let count = self.0 & ((1 << Self::COUNT_BITS) - 1);
        let sum = (self.0 >> Self::COUNT_BITS) & ((1 << Self::SUM_BITS) - 1);
        (count, sum, self.0 >> (Self::COUNT_BITS + Self::SUM_BITS))
    }

    /// Whether all of them are one point; a ren without liberties does not count.
    #[inline]
    fn is_single(self) -> bool {
        let (count, sum, squares) = self.parts();
        count != 0 && count * squares == sum * sum
    }

    /// Whether all of them are one point; true of `NONE` too.
    #[inline]
    fn agree(self) -> bool {
        let (count, sum, squares) = self.parts();
        count * squares == sum * sum
    }

    /// Whether they are this point, counted any number of times; true of `NONE` too.
    #[inline]
    fn are_all(self, point: Point) -> bool {
        let count = self.0 & ((1 << Self::COUNT_BITS) - 1);
        self.0 == count.wrapping_mul(Self::of(point))
    }

    /// The point, if there is exactly one.
    #[inline]
    fn single(self) -> Option<Point> {
        let (count, sum, _) = self.parts();
        self.is_single().then(|| Point((sum / count) as u16))
    }
}

const _: () = assert!(CAPACITY >= (MAX_SIDE as usize + 2) * (MAX_SIDE as usize + 2));
