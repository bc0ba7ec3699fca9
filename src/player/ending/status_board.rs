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
            dead: status.dead.clone(),
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

    /// Whether a living stone of `color` is beside a point.
    pub(super) fn touches(&self, color: Color, point: Point) -> bool {
        self.board.coordinate().neighbors(point).into_iter().any(|p| self.living(p) == Some(color))
    }

    /// Whether a point is beside living stones of both colours.
    fn is_dame(&self, point: Point) -> bool {
        Color::BOTH.into_iter().all(|color| self.touches(color, point))
    }

    /// Whether the region of a point, without the dame, borders on a living stone of `color`.
    fn is_open_to(&self, color: Color, point: Point) -> bool {
        let coordinate = self.board.coordinate();
        let mut seen = PointSet::new();
        let mut reached = vec![point];
        seen.insert(point);
        while let Some(here) = reached.pop() {
            for p in coordinate.neighbors(here).into_iter().filter(|&p| coordinate.contains(p)) {
                match self.living(p) {
                    Some(owner) if owner == color => return true,
                    Some(_) => {}
                    None if self.is_dame(p) => {}
                    None => {
                        if seen.insert(p) {
                            reached.push(p);
                        }
                    }
                }
            }
        }
        false
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

    /// The points beside living stones of both colours.
    pub(super) fn dame(&self) -> PointSet {
        self.board.empty_points().iter().copied().filter(|&p| self.is_dame(p)).collect()
    }

    /// The points of the regions of empty points and dead stones without the dame, each with whether living stones of
    /// Black and of White border it.
    fn regions(&self, dame: &PointSet) -> Vec<(Vec<Point>, [bool; 2])> {
        let coordinate = self.board.coordinate();
        let is_inside = |p: &Point| self.living(*p).is_none() && !dame.contains(*p);
        let regions = connected_sets(coordinate, coordinate.points().filter(is_inside).collect()).into_iter();
        regions
            .map(|points| {
                let borders = Color::BOTH.map(|color| points.iter().any(|&p| self.touches(color, p)));
                (points, borders)
            })
            .collect()
    }

    /// The regions that living stones of one colour enclose.
    pub(super) fn enclosures(&self) -> Vec<Enclosure> {
        let owned = |(points, borders): (Vec<Point>, [bool; 2])| match borders {
            [true, false] => Some(Enclosure { owner: Color::Black, points }),
            [false, true] => Some(Enclosure { owner: Color::White, points }),
            _ => None,
        };
        self.regions(&self.dame()).into_iter().filter_map(owned).collect()
    }

    /// The points of both players. Points in regions that both border count for their clear owners by `ownership`.
    pub(super) fn count_points(&self, scoring: Scoring, ownership: &[f32]) -> PointEstimate {
        let StatusBoard { board, captured, .. } = self;
        let coordinate = board.coordinate();
        let mut board_margin = 0;
        let dame = self.dame();
        let mut undecided = Vec::new();
        for (points, borders) in self.regions(&dame) {
            match borders {
                [true, false] => board_margin += points.len() as i32,
                [false, true] => board_margin -= points.len() as i32,
                [false, false] => {}
                [true, true] => {
                    board_margin += points.iter().map(|p| clear_owner_sign(ownership, *p)).sum::<i32>();
                    undecided.extend(points.into_iter().filter(|&p| board.stone(p) == Stone::Space));
                }
            }
        }
        match scoring {
            Scoring::Area => {
                let stones = coordinate.points().filter_map(|p| self.living(p));
                board_margin += stones.map(|color| i32::from(color.sign())).sum::<i32>();
            }
            Scoring::Territory => {
                let dead = self.dead.iter().filter_map(|p| board.stone(p).color());
                board_margin -= dead.map(|color| i32::from(color.sign())).sum::<i32>();
                board_margin += captured[0] as i32 - captured[1] as i32;
            }
        }
        PointEstimate { board_margin, dame: dame.iter().collect(), undecided }
    }
}

/// 1 for a point of Black's, -1 for one of White's, 0 without a clear owner.
pub(super) fn clear_owner_sign(ownership: &[f32], point: Point) -> i32 {
    owner(ownership, point, CLEAR_OWNERSHIP).map_or(0, |color| i32::from(color.sign()))
}
