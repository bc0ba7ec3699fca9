//! Seki: opposing rens that share a liberty which neither player can afford to fill.
//!
//! Recognised is what a search of all plays shows that stays on the few points concerned: an empty point beside rens of
//! both colours, none of them unconditionally alive, such that
//! - none of these rens can be captured by an opponent who moves first, and
//! - whoever plays on the point has the stones there captured.
//!
//! Two living groups with a neutral point between them fail the second test, stones dead inside a group the first. Seki
//! with more than eight empty points, or one that the search does not see through, is not recognised: such stones are
//! left to the playouts.

use crate::kernel::region::regions;
use crate::kernel::{Benson, Board, Color, Point, PointSet, Stone};

/// The most empty points that the rens of a seki may have as liberties, or connected with these.
const ROOM: usize = 8;

/// How many moves deep captures are looked for.
const DEPTH: usize = 12;

/// How many positions are looked at on one board, all points together, before nothing more is recognised.
const POSITIONS: usize = 30_000;

/// A defender who takes more stones than this has room to live: no larger shape can be reduced to one eye.
const LARGEST_NAKADE: usize = 6;

/// The stones in seki, whole rens; `safe` is the unconditional life of Black and White.
pub(crate) fn find(board: &Board, safe: &[Benson; 2]) -> PointSet {
    let mut search = Search { positions_left: POSITIONS, area: PointSet::new() };
    let mut found = PointSet::new();
    for point in board.coordinate().points().filter(|&p| board.stone(p) == Stone::Space) {
        let rens = rens_around(board, point);
        let has = |color: Color| rens.iter().any(|&p| board.stone(p) == color.stone());
        let is_safe = |&p: &Point| safe.iter().any(|benson| benson.alive.contains(p));
        if !has(Color::Black) || !has(Color::White) || rens.iter().any(is_safe) {
            continue;
        }
        let Some(area) = area(board, &rens) else { continue };
        search.area = area;
        if search.is_seki(board, point, &rens) == Some(true) {
            rens.iter().flat_map(|&ren| board.ren_points(ren)).for_each(|p| {
                found.insert(p);
            });
        }
    }
    found
}

/// A stone of each ren beside a point.
fn rens_around(board: &Board, point: Point) -> Vec<Point> {
    let mut rens: Vec<Point> = Vec::new();
    for neighbor in board.coordinate().neighbors(point) {
        let known = rens.iter().any(|&ren| board.ren_points(ren).any(|p| p == neighbor));
        if board.stone(neighbor).color().is_some() && !known {
            rens.push(neighbor);
        }
    }
    rens
}

/// Where the fight for these rens takes place: the empty regions in which they have liberties, and the points of the rens
/// around those, which may be taken. `None` if that is too much.
fn area(board: &Board, rens: &[Point]) -> Option<PointSet> {
    let ours: PointSet = rens.iter().flat_map(|&ren| board.ren_points(ren)).collect();
    let empty = regions(board.coordinate(), |p| board.stone(p) == Stone::Space);
    let mut area = PointSet::new();
    let mut room = 0;
    for region in empty.iter().filter(|region| region.border.iter().any(|&p| ours.contains(p))) {
        room += region.points.len();
        if room > ROOM {
            return None;
        }
        let stones = region.border.iter().flat_map(|&p| board.ren_points(p));
        region.points.iter().copied().chain(stones).for_each(|p| {
            area.insert(p);
        });
    }
    Some(area)
}

/// A search for captures within an area. Answers are `None` where it would have taken too long.
struct Search {
    positions_left: usize,
    area: PointSet,
}

impl Search {
    fn is_seki(&mut self, board: &Board, point: Point, rens: &[Point]) -> Option<bool> {
        for color in Color::BOTH {
            let mut next = board.clone();
            let can_fill = next.play(color, point, &mut ()).is_ok()
                && !self.captures(&next, color.opponent(), color.opponent(), point, DEPTH)?;
            if can_fill {
                return Some(false);
            }
        }
        for &ren in rens {
            let Some(color) = board.stone(ren).color() else { continue };
            if self.captures(board, color.opponent(), color.opponent(), ren, DEPTH)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether `attacker` can capture the stone at `target`, however its owner, who may pass, defends.
    fn captures(
        &mut self,
        board: &Board,
        attacker: Color,
        to_move: Color,
        target: Point,
        depth: usize,
    ) -> Option<bool> {
        if board.stone(target) == Stone::Space {
            return Some(true);
        }
        if depth == 0 {
            return Some(false);
        }
        self.positions_left = self.positions_left.checked_sub(1)?;
        let attacks = to_move == attacker;
        if attacks && board.atari(target).is_some_and(|liberty| board.check(to_move, liberty).is_ok()) {
            return Some(true);
        }
        let mut next = board.clone();
        if !attacks {
            next.pass();
            if !self.captures(&next, attacker, attacker, target, depth - 1)? {
                return Some(false);
            }
        }
        for &point in board.empty_points().iter().filter(|&&p| board.check(to_move, p).is_ok()) {
            if !self.area.contains(point) {
                continue;
            }
            next.clone_from(board);
            let taken = next.play_legal(to_move, point, &mut ());
            if !attacks && taken > LARGEST_NAKADE {
                return Some(false);
            }
            if self.captures(&next, attacker, to_move.opponent(), target, depth - 1)? == attacks {
                return Some(attacks);
            }
        }
        Some(!attacks)
    }
}
