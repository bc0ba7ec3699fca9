//! The owners of all points if nothing more is played: the static value of a position near its end.

use crate::kernel::region::connected_sets;
use crate::kernel::{Board, Color, HashChange, Point, PointSet, Scoring, Stone};
use crate::player::status::{CLEAR_OWNERSHIP, Status, owner};

/// A position near its end with the stones that count as dead.
#[derive(Clone)]
pub(super) struct StatusBoard {
    /// The stones, dead ones included.
    pub(super) board: Board,
    /// The dead stones on the board.
    pub(super) dead: PointSet,
    /// Stones that changed their status in an earlier attempt of the fill-in: they keep the new one, alive or dead, without
    /// reading.
    pub(super) status_locked: PointSet,
    /// Stones captured by Black and by White since the fill-in began.
    pub(super) captured: [u32; 2],
    /// The hash of the stones, relative to the board with which the fill-in began.
    pub(super) hash: u64,
}

/// The points of both players, and the undecided points.
pub(super) struct PointEstimate {
    /// Black's points minus White's, without komi and earlier prisoners.
    pub(super) board_margin: i32,
    /// Empty points beside living stones of both colours.
    pub(super) dame: Vec<Point>,
    /// Empty points of regions that living stones of both colours border even without the dame.
    pub(super) undecided: Vec<Point>,
}

/// A region of empty points and dead stones that living stones of one colour enclose.
pub(super) struct Enclosure {
    pub(super) owner: Color,
    pub(super) points: Vec<Point>,
}

impl StatusBoard {
    /// A board with the dead stones of a status.
    pub(super) fn new(board: &Board, status: &Status) -> StatusBoard {
        StatusBoard {
            board: board.clone(),
            dead: status.dead,
            status_locked: PointSet::new(),
            captured: [0; 2],
            hash: 0,
        }
    }

    /// A board on which all stones are alive.
    #[cfg(test)]
    pub(super) fn with_all_alive(board: &Board) -> StatusBoard {
        let owner = |stone: &Stone| stone.color().map_or(0.0, |color| f32::from(color.sign()));
        let ownership = board.stones().iter().map(owner).collect();
        StatusBoard::new(board, &crate::player::status::classify_without_seki(board, ownership))
    }

    /// The colour of a living stone at a point.
    pub(super) fn living(&self, point: Point) -> Option<Color> {
        self.board.stone(point).color().filter(|_| !self.dead.contains(point))
    }

    /// The living stones of both colours.
    pub(super) fn living_stones(&self) -> [PointSet; 2] {
        let stones = self.board.stones();
        Color::BOTH.map(|color| PointSet::of_cells(stones, |&stone| stone == color.stone()) - self.dead)
    }

    /// Whether a living stone of `color` is beside a point.
    pub(super) fn touches(&self, color: Color, point: Point) -> bool {
        let is_living_stone = |p| self.board.stone(p) == color.stone() && !self.dead.contains(p);
        self.board.coordinate().neighbors(point).into_iter().any(is_living_stone)
    }

    /// Whether the region of a point, without the points beside living stones of both colours, borders on a living
    /// stone of `color`.
    fn is_open_to(&self, color: Color, point: Point) -> bool {
        let coordinate = self.board.coordinate();
        let Neighborhoods { living, beside: [black, white], empty } = self.neighborhoods();
        let inside = (empty | self.dead) - (black & white);
        let region = PointSet::from_iter([point]).spread_in(inside, coordinate);
        !(region.neighbors(coordinate) & living[color.index()]).is_empty()
    }

    /// Plays a legal move. In a region that only the opponent borders, the new stone is dead unless it captures. If it
    /// joins dead stones to living ones, all of them live.
    pub(super) fn play(&mut self, color: Color, point: Point) {
        let is_joined = self.touches(color, point) || self.is_open_to(color, point);
        let mut change = HashChange::default();
        let taken = self.board.play_legal(color, point, &mut change);
        self.hash ^= change.0;
        self.captured[color.index()] += taken as u32;
        if taken > 0 {
            let gone: Vec<Point> = self.dead.iter().filter(|&p| self.board.stone(p) == Stone::Space).collect();
            gone.into_iter().for_each(|p| self.dead.remove(p));
        }
        for p in self.board.ren_points(point) {
            if is_joined || taken > 0 {
                self.dead.remove(p);
            } else {
                self.dead.insert(p);
            }
        }
    }

    /// The empty points beside living stones of both colours.
    pub(super) fn dame(&self) -> PointSet {
        self.neighborhoods().dame()
    }

    fn neighborhoods(&self) -> Neighborhoods {
        let living = self.living_stones();
        let beside = living.map(|stones| stones.neighbors(self.board.coordinate()));
        let empty = PointSet::of_cells(self.board.stones(), |&stone| stone == Stone::Space);
        Neighborhoods { living, beside, empty }
    }

    /// The regions that living stones of one colour enclose.
    pub(super) fn enclosures(&self) -> Vec<Enclosure> {
        let coordinate = self.board.coordinate();
        let owned = |points: Vec<Point>| {
            let owner = match Color::BOTH.map(|color| points.iter().any(|&p| self.touches(color, p))) {
                [true, false] => Color::Black,
                [false, true] => Color::White,
                _ => return None,
            };
            Some(Enclosure { owner, points })
        };
        connected_sets(coordinate, self.inside(&self.neighborhoods())).into_iter().filter_map(owned).collect()
    }

    /// The points of both players. Points in regions that both border count for their clear owners by `ownership`.
    pub(super) fn count_points(&self, scoring: Scoring, ownership: &[f32]) -> PointEstimate {
        let StatusBoard { board, captured, .. } = self;
        let coordinate = board.coordinate();
        let sets = self.neighborhoods();
        let inside = self.inside(&sets);
        // the regions that living stones of Black border, and of White
        let [black, white] = sets.beside.map(|beside| (beside & inside).spread_in(inside, coordinate));
        let open = black & white;
        let mut board_margin = (black - open).len() as i32 - (white - open).len() as i32;
        board_margin += open.iter().map(|p| clear_owner_sign(ownership, p)).sum::<i32>();
        match scoring {
            Scoring::Area => {
                let [black, white] = sets.living.map(PointSet::len);
                board_margin += black as i32 - white as i32;
            }
            Scoring::Territory => {
                let dead = self.dead.iter().filter_map(|p| board.stone(p).color());
                board_margin -= dead.map(|color| i32::from(color.sign())).sum::<i32>();
                board_margin += captured[0] as i32 - captured[1] as i32;
            }
        }
        let dame = sets.dame().iter().collect();
        PointEstimate { board_margin, dame, undecided: (open & sets.empty).iter().collect() }
    }

    /// The empty points without the dame, and the dead stones.
    fn inside(&self, sets: &Neighborhoods) -> PointSet {
        (sets.empty - sets.dame()) | self.dead
    }
}

/// Sets of cells of a [`StatusBoard`].
struct Neighborhoods {
    /// The living stones of Black and of White.
    living: [PointSet; 2],
    /// The cells beside them.
    beside: [PointSet; 2],
    /// The empty points.
    empty: PointSet,
}

impl Neighborhoods {
    /// The empty points beside living stones of both colours.
    fn dame(&self) -> PointSet {
        let [black, white] = self.beside;
        self.empty & black & white
    }
}

/// 1 for a point of Black's, -1 for one of White's, 0 without a clear owner.
pub(super) fn clear_owner_sign(ownership: &[f32], point: Point) -> i32 {
    owner(ownership, point, CLEAR_OWNERSHIP).map_or(0, |color| i32::from(color.sign()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;

    /// The estimate, by visiting point by point: the dame, the undecided points, and Black's points less White's.
    fn visited(status_board: &StatusBoard, scoring: Scoring, ownership: &[f32]) -> (Vec<Point>, Vec<Point>, i32) {
        let board = &status_board.board;
        let coordinate = board.coordinate();
        let touches = |point: Point| Color::BOTH.map(|color| status_board.touches(color, point));
        let is_dame = |p: &Point| board.stone(*p) == Stone::Space && touches(*p) == [true; 2];
        let dame: Vec<Point> = coordinate.points().filter(is_dame).collect();
        let inside = coordinate.points().filter(|p| status_board.living(*p).is_none() && !is_dame(p)).collect();
        let (mut undecided, mut margin) = (Vec::new(), 0);
        for points in connected_sets(coordinate, inside) {
            let borders = points.iter().fold([false; 2], |[black, white], &p| {
                let [beside_black, beside_white] = touches(p);
                [black || beside_black, white || beside_white]
            });
            match borders {
                [true, true] => {
                    margin += points.iter().map(|&p| clear_owner_sign(ownership, p)).sum::<i32>();
                    undecided.extend(points.into_iter().filter(|&p| board.stone(p) == Stone::Space));
                }
                [black, white] => margin += (i32::from(black) - i32::from(white)) * points.len() as i32,
            }
        }
        let stones = coordinate.points().filter_map(|p| Some((board.stone(p).color()?, status_board.living(p))));
        margin += stones.fold(0, |sum, (color, living)| match (scoring, living) {
            (Scoring::Area, Some(_)) => sum + i32::from(color.sign()),
            (Scoring::Territory, None) => sum - i32::from(color.sign()),
            _ => sum,
        });
        undecided.sort_unstable();
        (dame, undecided, margin)
    }

    #[test]
    fn sets_of_points_give_the_estimate_that_visiting_the_points_gives() {
        let mut rng = fastrand::Rng::with_seed(6);
        for number in 0..200 {
            let coordinate = Coordinate::new(rng.u8(2..=19), rng.u8(2..=19)).unwrap();
            let mut board = Board::new(coordinate);
            for _ in 0..rng.usize(0..coordinate.board_area()) {
                let color = if rng.bool() { Color::Black } else { Color::White };
                let point = *rng.choice(board.empty_points()).unwrap();
                let _ = board.play(color, point, &mut ());
            }
            let ownership: Vec<f32> = board.stones().iter().map(|_| 2.0 * rng.f32() - 1.0).collect();
            let mut status_board = StatusBoard::with_all_alive(&board);
            let is_dead = |&p: &Point| board.stone(p) != Stone::Space && board.ren_head(p).index().is_multiple_of(5);
            status_board.dead = coordinate.points().filter(is_dead).collect();
            for scoring in [Scoring::Area, Scoring::Territory] {
                let found = status_board.count_points(scoring, &ownership);
                let expected = visited(&status_board, scoring, &ownership);
                assert_eq!((found.dame, found.undecided, found.board_margin), expected, "board {number}, {scoring:?}");
            }
        }
    }
}
