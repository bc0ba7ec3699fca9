//! The board: stones, their rens, and the simple ko. The only statement of what may be played.
//!
//! One [`Board`] serves the inspectable kernel and the playouts. It knows nothing of moves before the last one: superko,
//! prisoners, undo and scoring belong to [`Position`](super::Position).
//!
//! Rens are kept up to date as stones fall. Each is a ring of points with one of them as its head, where its size and
//! liberties are kept. Liberties are counted once for every stone they touch ("pseudo-liberties"), together with the sum
//! and the sum of squares of the touched points. That costs one addition a neighbour, is zero exactly when there is no
//! liberty, and tells atari exactly: by Cauchy's inequality count x sum of squares = sum² only if all the touched points
//! are the same one.

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
    /// Derived. The head of a stone's ren; any other cell is its own head, and what is kept for it has no meaning.
    heads: Grid<Point>,
    /// Derived. The next stone of the same ren, round in a ring.
    nexts: Grid<Point>,
    /// Derived, kept at the head.
    liberties: Grid<Liberties>,
    /// Derived, kept at the head: stones of the ren.
    sizes: Grid<u16>,
    /// Derived. The empty points, in any order.
    empty_points: [Point; MAX_SIDE as usize * MAX_SIDE as usize],
    empty_count: usize,
    /// Derived. Where an empty point stands in `empty_points`.
    empty_places: Grid<u16>,
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
        let dead = |&p: &Point| board.stone(p).color().is_some() && board.liberties[board.heads[p]].is_none();
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
        &self.empty_points[..self.empty_count.min(self.empty_points.len())]
    }

    /// The stones of the ren at a point, from that stone round its ring; of an empty point only itself.
    pub fn ren_points(&self, point: Point) -> impl Iterator<Item = Point> {
        let next = move |&here: &Point| Some(self.nexts[here]).filter(|&next| next != point);
        std::iter::successors(Some(point), next)
    }

    /// How many stones the ren at a point has; the point must hold a stone.
    #[inline]
    pub fn ren_size(&self, point: Point) -> usize {
        usize::from(self.sizes[self.heads[point]])
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
        self.liberties[self.heads[point]].single()
    }

    /// Whether the ren at a point has exactly one liberty; the point must hold a stone.
    #[inline]
    pub fn is_atari(&self, point: Point) -> bool {
        self.liberties[self.heads[point]].is_single()
    }

    /// A stone that stands for the whole ren at a point: the same for each of its stones, until the next move.
    #[inline]
    pub fn ren_head(&self, point: Point) -> Point {
        self.heads[point]
    }

    /// What liberties the ren at a point has besides one that it is known to have; the point must hold a stone.
    #[inline]
    pub fn liberties_besides(&self, point: Point, liberty: Point) -> Rest {
        let head = self.heads[point];
        let mut rest = self.liberties[head];
        for neighbor in self.neighbors(liberty) {
            if self.heads[neighbor] == head {
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
            stone = self.nexts[stone];
            if stone == point {
                return count;
            }
        }
    }

    /// Whether `color` may play on `point`: simple ko, no suicide. Reads as [`Board::play`] does, and changes nothing.
    ///
    /// # Errors
    /// The first rule in this order that forbids it: masonry, ko, then, if nothing is taken, opponent_eye or suicide.
    #[inline]
    pub fn check(&self, color: Color, point: Point) -> Result<(), IllegalMove> {
        if self.stones[point] != Stone::Space {
            return Err(IllegalMove::Masonry);
        }
        if self.ko == Some(Ko { point, color }) {
            return Err(IllegalMove::Ko);
        }
        let mut reason = IllegalMove::OpponentEye;
        for neighbor in self.neighbors(point) {
            let stone = self.stones[neighbor];
            if stone == Stone::Space {
                return Ok(());
            }
            if stone == Stone::Wall {
                continue;
            }
            let is_last_liberty = self.liberties[self.heads[neighbor]].is_single();
            if stone == color.stone() {
                if !is_last_liberty {
                    return Ok(());
                }
                reason = IllegalMove::Suicide;
            } else if is_last_liberty {
                return Ok(());
            }
        }
        Err(reason)
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
    pub fn play_legal(&mut self, color: Color, point: Point, observer: &mut impl Observer) -> usize {
        debug_assert!(matches!(self.check(color, point), Ok(()) | Err(IllegalMove::Suicide)));
        self.place(color, point, observer);
        let (captured, last) = self.capture_around(color.opponent(), point, observer);
        let head = self.heads[point];
        if self.liberties[head].is_none() {
            self.remove_ren(color, point, observer);
            self.ko = None;
            return 0;
        }
        let is_ko = captured == 1 && self.sizes[head] == 1 && self.liberties[head].is_single();
        self.ko = is_ko.then_some(Ko { point: last, color: color.opponent() });
        captured
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
        assert_eq!(self.empty_count, fresh.empty_count, "empty_count");
        for point in self.coordinate.points() {
            if self.stones[point] == Stone::Space {
                let place = usize::from(self.empty_places[point]);
                assert_eq!(self.empty_points().get(place), Some(&point), "empty_points");
                assert_eq!(self.heads[point], point, "head of an empty point");
                continue;
            }
            let head = self.heads[point];
            assert_eq!(self.heads[head], head, "head of a head");
            let mine: PointSet = self.ren_points(point).collect();
            for other in self.coordinate.points().filter(|&p| self.stones[p] != Stone::Space) {
                let same = fresh.heads[other] == fresh.heads[point];
                assert_eq!(mine.contains(other), same, "ring");
                assert_eq!(self.heads[other] == head, same, "heads");
            }
            assert_eq!(self.liberties[head], fresh.liberties[fresh.heads[point]], "liberties");
            assert!(!self.liberties[head].is_none(), "a ren without a liberty");
            assert_eq!(self.sizes[head], fresh.sizes[fresh.heads[point]], "sizes");
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
            heads: Grid::new(Point(0)),
            nexts: Grid::new(Point(0)),
            liberties: Grid::new(Liberties::NONE),
            sizes: Grid::new(0),
            empty_points: [Point(0); MAX_SIDE as usize * MAX_SIDE as usize],
            empty_count: 0,
            empty_places: Grid::new(0),
        }
    }

    /// Derives all derived fields from the stones.
    fn rebuild(&mut self) {
        let coordinate = self.coordinate;
        self.empty_count = 0;
        for index in 0..coordinate.memory_area() {
            self.reset_cell(Point(index as u16));
        }
        for point in coordinate.points() {
            match self.stones[point].color() {
                None => self.add_empty(point),
                Some(color) => {
                    for neighbor in self.neighbors(point) {
                        if self.stones[neighbor] == Stone::Space {
                            self.liberties[point].add(neighbor);
                        }
                    }
                    self.sizes[point] = 1;
                    // rens to the west and north are complete as far as they have been read; the others join later
                    self.join_neighbors(color, point, &mut ());
                }
            }
        }
    }

    #[inline]
    fn neighbors(&self, point: Point) -> [Point; 4] {
        self.coordinate.neighbors(point)
    }

    #[inline]
    fn reset_cell(&mut self, point: Point) {
        self.heads[point] = point;
        self.nexts[point] = point;
        self.liberties[point] = Liberties::NONE;
        self.sizes[point] = 0;
    }

    /// Puts a stone down and joins it to its own colour; rens of the other colour may be left without a liberty.
    #[inline]
    fn place(&mut self, color: Color, point: Point, observer: &mut impl Observer) {
        self.stones[point] = color.stone();
        self.remove_empty(point);
        let mut own = Liberties::NONE;
        for neighbor in self.neighbors(point) {
            if self.stones[neighbor] == Stone::Space {
                own.add(neighbor);
            }
            // for a cell that holds no stone this is kept in vain, which is cheaper than asking
            let head = self.heads[neighbor];
            self.liberties[head].remove(point);
        }
        self.liberties[point] = own;
        self.sizes[point] = 1;
        observer.placed(color, point);
        self.join_neighbors(color, point, observer);
    }

    /// Joins the stone at a point with the rens of its colour next to it that have a size.
    #[inline]
    fn join_neighbors(&mut self, color: Color, point: Point, observer: &mut impl Observer) {
        for neighbor in self.neighbors(point) {
            if self.stones[neighbor] == color.stone()
                && self.heads[neighbor] != self.heads[point]
                && self.sizes[self.heads[neighbor]] > 0
            {
                observer.joined(color, neighbor);
                self.join(self.heads[point], self.heads[neighbor]);
            }
        }
    }

    /// Makes one ren of two, given by their heads. The smaller one is relabelled.
    #[inline]
    fn join(&mut self, a: Point, b: Point) {
        let (into, from) = if self.sizes[a] >= self.sizes[b] { (a, b) } else { (b, a) };
        let mut point = from;
        loop {
            self.heads[point] = into;
            let next = self.nexts[point];
            if next == from {
                break;
            }
            point = next;
        }
        // `point` is the last of its ring: exchanging two successors makes one ring of two
        self.nexts[point] = self.nexts[into];
        self.nexts[into] = from;
        let from_liberties = self.liberties[from];
        self.liberties[into].merge(from_liberties);
        self.sizes[into] += self.sizes[from];
    }

    /// Takes every ren of `color` beside a point that has no liberty left. Gives the number of stones, and the last one.
    #[inline]
    fn capture_around(&mut self, color: Color, point: Point, observer: &mut impl Observer) -> (usize, Point) {
        let mut captured = 0;
        let mut last = point;
        for neighbor in self.neighbors(point) {
            if self.stones[neighbor] == color.stone() && self.liberties[self.heads[neighbor]].is_none() {
                captured += self.remove_ren(color, neighbor, observer);
                last = neighbor;
            }
        }
        (captured, last)
    }

    /// Takes the ren at a point off the board.
    #[cold]
    #[inline(never)]
    fn remove_ren(&mut self, color: Color, start: Point, observer: &mut impl Observer) -> usize {
        let mut count = 0;
        let mut point = start;
        loop {
            let next = self.nexts[point];
            self.stones[point] = Stone::Space;
            for neighbor in self.neighbors(point) {
                let head = self.heads[neighbor];
                self.liberties[head].add(point);
            }
            self.reset_cell(point);
            self.add_empty(point);
            observer.captured(color, point);
            count += 1;
            if next == start {
                return count;
            }
            point = next;
        }
    }

    #[inline]
    fn add_empty(&mut self, point: Point) {
        if let Some(slot) = self.empty_points.get_mut(self.empty_count) {
            *slot = point;
            self.empty_places[point] = self.empty_count as u16;
            self.empty_count += 1;
        }
    }

    #[inline]
    fn remove_empty(&mut self, point: Point) {
        let place = usize::from(self.empty_places[point]);
        self.empty_count -= 1;
        let moved = self.empty_points[self.empty_count];
        self.empty_points[place] = moved;
        self.empty_places[moved] = place as u16;
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
        self.heads.copy_from(&other.heads, area);
        self.nexts.copy_from(&other.nexts, area);
        self.liberties.copy_from(&other.liberties, area);
        self.sizes.copy_from(&other.sizes, area);
        let points = other.coordinate.board_area().min(self.empty_points.len());
        self.empty_points[..points].copy_from_slice(&other.empty_points[..points]);
        self.empty_count = other.empty_count;
        self.empty_places.copy_from(&other.empty_places, area);
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

/// The liberties of a ren, each counted once for every stone it touches: how many, the sum of their indices and the sum
/// of the squares of their indices, in one word.
///
/// A ren on the largest board has under 2,500 of them and no index is over 700, so count, sum and squares stay below
/// 2^12, 2^21 and 2^31. Values of cells without a stone may wrap; nobody reads those.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Liberties(u64);

impl Liberties {
    const NONE: Liberties = Liberties(0);
    const COUNT_BITS: u32 = 12;
    const SUM_BITS: u32 = 21;

    #[inline]
    const fn of(point: Point) -> u64 {
        let p = point.0 as u64;
        1 | p << Self::COUNT_BITS | (p * p) << (Self::COUNT_BITS + Self::SUM_BITS)
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

    /// The point, if there is exactly one.
    #[inline]
    fn single(self) -> Option<Point> {
        let (count, sum, _) = self.parts();
        self.is_single().then(|| Point((sum / count) as u16))
    }
}

const _: () = assert!(CAPACITY >= (MAX_SIDE as usize + 2) * (MAX_SIDE as usize + 2));
