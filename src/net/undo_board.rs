//! A board for reading ahead: exact numbers of liberties of chains (rens), and moves that can be taken back.
//!
//! Playing writes every changed cell to a journal; taking back restores them in reverse order. Nothing is allocated for
//! a move once the journal has grown to the depth of the reading. The kernel's board has neither exact liberties nor a
//! fast undo, because playouts need none.

use crate::kernel::{Board, Color, Coordinate, Point, PointMap, Stone};

/// A cell. The stones of a chain form a ring; the numbers are valid at the head of the chain.
#[derive(Clone, Copy)]
struct Cell {
    stone: Stone,
    /// A stone that represents the chain; the cell 0, which is wall, for a cell without a stone.
    head: Point,
    next: Point,
    liberties: u16,
    size: u16,
}

impl Cell {
    const fn without_stone(stone: Stone) -> Cell {
        Cell { stone, head: Point::at(0), next: Point::at(0), liberties: 0, size: 0 }
    }
}

/// The state to return to with [`UndoBoard::undo`].
#[derive(Clone, Copy)]
pub(super) struct Mark {
    journal: usize,
    ko: Option<Point>,
}

/// Different neighbouring chains, by their heads.
pub(super) struct ChainHeads {
    heads: [Point; 4],
    count: usize,
}

impl ChainHeads {
    /// Adds a head that is not among them yet.
    fn add(&mut self, head: Point) {
        if !self.as_slice().contains(&head)
            && let Some(slot) = self.heads.get_mut(self.count)
        {
            *slot = head;
            self.count += 1;
        }
    }

    pub(super) fn as_slice(&self) -> &[Point] {
        self.heads.get(..self.count).unwrap_or_default()
    }
}

/// A board whose moves can be taken back.
pub(super) struct UndoBoard {
    coordinate: Coordinate,
    cells: PointMap<Cell>,
    /// The point that may not be played on because of a simple ko, whoever is to move.
    pub(super) ko: Option<Point>,
    journal: Vec<(Point, Cell)>,
}

impl UndoBoard {
    /// A board with `to_move` to move.
    pub(super) fn of(board: &Board, to_move: Color) -> UndoBoard {
        UndoBoard::new(board.coordinate(), board.stones(), board.ko_point_of(to_move))
    }

    /// The board of these cells, frame included.
    pub(super) fn new(coordinate: Coordinate, stones: &[Stone], ko: Option<Point>) -> UndoBoard {
        let cells = PointMap::new(Cell::without_stone(Stone::Wall));
        let mut board = UndoBoard { coordinate, cells, ko, journal: Vec::with_capacity(256) };
        for (index, &stone) in stones.iter().enumerate() {
            board.cells[Point::at(index as u16)] = Cell::without_stone(stone);
        }
        // the chain that counted each empty point last
        let mut counted = PointMap::new(Point::at(0));
        for start in coordinate.points() {
            if board.stone(start).color().is_some() && board.head(start) == Point::at(0) {
                board.link(start, &mut counted);
            }
        }
        board
    }

    /// Links the stones connected to a stone that belongs to no chain yet, and counts their liberties.
    fn link(&mut self, start: Point, counted: &mut PointMap<Point>) {
        let stone = self.stone(start);
        let (mut size, mut liberties) = (1, 0);
        self.cells[start] = Cell { stone, head: start, next: start, liberties: 0, size: 0 };
        // stones found are inserted after the last one, so that the ring is also the queue
        let (mut at, mut last) = (start, start);
        loop {
            for neighbor in self.coordinate.neighbors(at) {
                let cell = self.cells[neighbor];
                if cell.stone == Stone::Space {
                    liberties += u16::from(counted[neighbor] != start);
                    counted[neighbor] = start;
                } else if cell.stone == stone && cell.head == Point::at(0) {
                    self.cells[neighbor] = Cell { head: start, next: start, ..cell };
                    self.cells[last].next = neighbor;
                    last = neighbor;
                    size += 1;
                }
            }
            at = self.cells[at].next;
            if at == start {
                break;
            }
        }
        let head = &mut self.cells[start];
        (head.size, head.liberties) = (size, liberties);
    }

    pub(super) fn coordinate(&self) -> Coordinate {
        self.coordinate
    }

    #[inline]
    pub(super) fn stone(&self, point: Point) -> Stone {
        self.cells[point].stone
    }

    /// The stone that represents the chain at a point, until the next move; the cell 0 if there is no stone.
    #[inline]
    pub(super) fn head(&self, point: Point) -> Point {
        self.cells[point].head
    }

    /// The next stone of the ring of a chain.
    #[inline]
    pub(super) fn next(&self, point: Point) -> Point {
        self.cells[point].next
    }

    /// The stones of the chain at a point, that stone first.
    pub(super) fn chain(&self, point: Point) -> impl Iterator<Item = Point> {
        let next = move |&here: &Point| Some(self.next(here)).filter(|&next| next != point);
        std::iter::successors(Some(point), next)
    }

    /// The number of liberties of the chain at a point, which must hold a stone.
    #[inline]
    pub(super) fn liberties(&self, point: Point) -> usize {
        usize::from(self.cells[self.head(point)].liberties)
    }

    /// The number of stones of the chain at a point, which must hold a stone.
    #[inline]
    pub(super) fn size(&self, point: Point) -> usize {
        usize::from(self.cells[self.head(point)].size)
    }

    #[inline]
    pub(super) fn neighbors(&self, point: Point) -> [Point; 4] {
        self.coordinate.neighbors(point)
    }

    /// The number of empty neighbours.
    #[inline]
    pub(super) fn empties(&self, point: Point) -> usize {
        self.neighbors(point).into_iter().filter(|&neighbor| self.stone(neighbor) == Stone::Space).count()
    }

    /// The different chains of a colour next to a point.
    pub(super) fn heads_around(&self, color: Color, point: Point) -> ChainHeads {
        let mut heads = ChainHeads { heads: [Point::at(0); 4], count: 0 };
        for neighbor in self.neighbors(point) {
            if self.stone(neighbor) == color.stone() {
                heads.add(self.head(neighbor));
            }
        }
        heads
    }

    /// Whether any stone of the chain with this head is next to a point.
    #[inline]
    pub(super) fn chain_touches(&self, head: Point, point: Point) -> bool {
        self.neighbors(point).into_iter().any(|neighbor| self.head(neighbor) == head)
    }

    /// Whether any stone of a colour is next to a point, as [`Board::touches`](crate::kernel::Board::touches).
    #[inline]
    pub(super) fn touches(&self, color: Color, point: Point) -> bool {
        self.neighbors(point).into_iter().any(|neighbor| self.stone(neighbor) == color.stone())
    }

    /// Up to two liberties of the chain at a point, which must have at least one; a single one is given twice.
    pub(super) fn two_liberties(&self, point: Point) -> [Point; 2] {
        let mut first = None;
        let mut stone = point;
        loop {
            for neighbor in self.neighbors(stone) {
                if self.stone(neighbor) == Stone::Space {
                    match first {
                        None => first = Some(neighbor),
                        Some(first) if first != neighbor => return [first, neighbor],
                        Some(_) => {}
                    }
                }
            }
            stone = self.next(stone);
            if stone == point {
                return [first.unwrap_or(point); 2];
            }
        }
    }

    /// The liberty of the chain at a point, which must be in atari.
    pub(super) fn last_liberty(&self, point: Point) -> Point {
        let mut stone = point;
        loop {
            for neighbor in self.neighbors(stone) {
                if self.stone(neighbor) == Stone::Space {
                    return neighbor;
                }
            }
            stone = self.next(stone);
            if stone == point {
                return point;
            }
        }
    }

    /// Whether a colour may play on a point under simple ko and without suicide.
    pub(super) fn is_legal(&self, color: Color, point: Point) -> bool {
        if self.stone(point) != Stone::Space || self.ko == Some(point) {
            return false;
        }
        self.neighbors(point).into_iter().any(|neighbor| match self.stone(neighbor).color() {
            None => self.stone(neighbor) == Stone::Space,
            Some(owner) => (self.liberties(neighbor) == 1) == (owner != color),
        })
    }

    /// Plays a move that [`UndoBoard::is_legal`] allows, ko apart.
    pub(super) fn play(&mut self, color: Color, point: Point) -> Mark {
        let mark = Mark { journal: self.journal.len(), ko: self.ko };
        let liberties = self.empties(point) as u16;
        let stone = color.stone();
        self.write(point, Cell { stone, head: point, next: point, liberties, size: 1 });
        for &head in self.heads_around(color, point).as_slice() {
            self.add_liberty(head, -1);
            self.join(self.head(point), head);
        }
        let (mut captured, mut last) = (0, point);
        for &head in self.heads_around(color.opponent(), point).as_slice() {
            self.add_liberty(head, -1);
            if self.liberties(head) == 0 {
                captured += self.remove(color, head);
                last = head;
            }
        }
        let is_ko = captured == 1 && self.size(point) == 1 && self.liberties(point) == 1;
        self.ko = is_ko.then_some(last);
        mark
    }

    /// Takes back all moves since a mark.
    pub(super) fn undo(&mut self, mark: Mark) {
        while self.journal.len() > mark.journal {
            if let Some((point, cell)) = self.journal.pop() {
                self.cells[point] = cell;
            }
        }
        self.ko = mark.ko;
    }

    #[inline]
    fn write(&mut self, point: Point, cell: Cell) {
        self.journal.push((point, self.cells[point]));
        self.cells[point] = cell;
    }

    fn add_liberty(&mut self, head: Point, change: i16) {
        let cell = self.cells[head];
        self.write(head, Cell { liberties: cell.liberties.wrapping_add_signed(change), ..cell });
    }

    /// Merges two chains, given by their heads.
    fn join(&mut self, a: Point, b: Point) {
        let (into, from) = if self.size(a) >= self.size(b) { (a, b) } else { (b, a) };
        let (size, mut liberties) = (self.cells[from].size, 0);
        let mut stone = from;
        loop {
            for neighbor in self.neighbors(stone) {
                liberties += u16::from(self.stone(neighbor) == Stone::Space && !self.chain_touches(into, neighbor));
            }
            let cell = self.cells[stone];
            self.write(stone, Cell { head: into, ..cell });
            stone = cell.next;
            if stone == from {
                break;
            }
        }
        // exchanging two successors turns two rings into one
        let (cell, next) = (self.cells[into], self.cells[from].next);
        self.write(from, Cell { next: cell.next, ..self.cells[from] });
        self.write(into, Cell { next, size: cell.size + size, liberties: cell.liberties + liberties, ..cell });
    }

    /// Removes the chain with this head, whose stones have neighbours of `color` only. Returns the number of stones.
    fn remove(&mut self, color: Color, head: Point) -> usize {
        let (mut stone, mut count) = (head, 0);
        loop {
            let next = self.next(stone);
            self.write(stone, Cell::without_stone(Stone::Space));
            count += 1;
            for &beside in self.heads_around(color, stone).as_slice() {
                self.add_liberty(beside, 1);
            }
            stone = next;
            if stone == head {
                return count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Board;

    fn assert_equal(undo_board: &UndoBoard, board: &Board) {
        assert_eq!(undo_board.ko, board.ko().map(|ko| ko.point));
        for point in board.coordinate().points() {
            assert_eq!(undo_board.stone(point), board.stone(point));
            if board.stone(point).color().is_some() {
                assert_eq!(undo_board.liberties(point), board.liberty_count(point));
                assert_eq!(undo_board.size(point), board.ren_size(point));
                assert_eq!(undo_board.chain(point).count(), board.ren_size(point));
            }
        }
    }

    /// Every number agrees with the kernel's board through games of arbitrary moves, and after taking them back.
    #[test]
    fn agrees_with_the_board() {
        for (seed, (width, height)) in [(2, 2), (3, 5), (5, 5), (9, 9), (9, 9)].into_iter().enumerate() {
            let coordinate = Coordinate::new(width, height).unwrap();
            let mut board = Board::new(coordinate);
            let mut undo_board = UndoBoard::new(coordinate, board.stones(), None);
            let empty = undo_board.play(Color::Black, coordinate.points().next().unwrap());
            undo_board.undo(empty);
            let mut color = Color::Black;
            let mut state = seed as u64;
            for _ in 0..6 * coordinate.board_area() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let point = coordinate.points().nth((state >> 33) as usize % coordinate.board_area()).unwrap();
                let is_legal = board.check(color, point).is_ok();
                assert_eq!(undo_board.is_legal(color, point), is_legal);
                if is_legal {
                    board.play(color, point, &mut ()).unwrap();
                    undo_board.play(color, point);
                    assert_equal(&undo_board, &board);
                    assert_equal(&UndoBoard::new(coordinate, board.stones(), undo_board.ko), &board);
                    color = color.opponent();
                }
            }
            undo_board.undo(empty);
            assert_equal(&undo_board, &Board::new(coordinate));
        }
    }
}
