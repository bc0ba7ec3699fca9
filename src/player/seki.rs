//! Recognition of seki: opposing rens with a shared liberty that neither player can fill.
//!
//! A depth-first search of all plays in the local area tests each empty point beside rens of both colours, none of them
//! unconditionally alive. The rens are in seki if
//! - an opponent who moves first can capture none of them, and
//! - for each player, a stone played on the point is captured or illegal.
//!
//! Two living groups with a dame between them fail the second test, stones dead inside a group the first. Seki with
//! more than [`MAX_EMPTY_POINTS`] empty points, or one beyond the limits of the search, is not recognised; then
//! playouts decide.

use crate::kernel::region::regions;
use crate::kernel::{Benson, Board, Color, Point, PointSet, Stone};

/// Upper limit of the empty points in the regions where the rens have liberties.
const MAX_EMPTY_POINTS: usize = 8;

/// Depth limit of the search, in moves.
const MAX_DEPTH: usize = 12;

/// Limit of searched positions for a whole board. When it is reached, no further seki is recognised.
const MAX_POSITIONS: usize = 30_000;

/// A defender who captures more stones than this makes two eyes: no nakade shape is larger.
const LARGEST_NAKADE: usize = 6;

/// The stones in seki, as whole rens. `safe` is the unconditional life of Black and White.
pub(crate) fn find(board: &Board, safe: &[Benson; 2]) -> PointSet {
    let mut search = CaptureSearch { positions_left: MAX_POSITIONS, area: PointSet::new() };
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

/// One stone of each ren beside a point.
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

/// The area of the search: the empty regions in which the rens have liberties, and all rens on the border of these
/// regions. `None` with more than [`MAX_EMPTY_POINTS`] empty points.
fn area(board: &Board, rens: &[Point]) -> Option<PointSet> {
    let stones_of_rens: PointSet = rens.iter().flat_map(|&ren| board.ren_points(ren)).collect();
    let empty_regions = regions(board.coordinate(), |p| board.stone(p) == Stone::Space);
    let mut area = PointSet::new();
    let mut empty_points = 0;
    for region in empty_regions.iter().filter(|region| region.border.iter().any(|&p| stones_of_rens.contains(p))) {
        empty_points += region.points.len();
        if empty_points > MAX_EMPTY_POINTS {
            return None;
        }
        let stones = region.border.iter().flat_map(|&p| board.ren_points(p));
        region.points.iter().copied().chain(stones).for_each(|p| {
            area.insert(p);
        });
    }
    Some(area)
}

/// A search for captures within an area. Results are `None` after [`MAX_POSITIONS`].
struct CaptureSearch {
    positions_left: usize,
    area: PointSet,
}

impl CaptureSearch {
    /// Whether `rens`, the rens around `point`, are in seki.
    fn is_seki(&mut self, board: &Board, point: Point, rens: &[Point]) -> Option<bool> {
        for color in Color::BOTH {
            let mut next = board.clone();
            let can_fill = next.play(color, point, &mut ()).is_ok()
                && !self.captures(&next, color.opponent(), color.opponent(), point, MAX_DEPTH)?;
            if can_fill {
                return Some(false);
            }
        }
        for &ren in rens {
            let Some(color) = board.stone(ren).color() else { continue };
            if self.captures(board, color.opponent(), color.opponent(), ren, MAX_DEPTH)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether `attacker` can capture the stone at `target` against every defence; the defender may also pass.
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
        let is_attacking = to_move == attacker;
        if is_attacking && board.atari(target).is_some_and(|liberty| board.check(to_move, liberty).is_ok()) {
            return Some(true);
        }
        let mut next = board.clone();
        if !is_attacking {
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
            let captured = next.play_legal(to_move, point, &mut ());
            if !is_attacking && captured > LARGEST_NAKADE {
                return Some(false);
            }
            if self.captures(&next, attacker, to_move.opponent(), target, depth - 1)? == is_attacking {
                return Some(is_attacking);
            }
        }
        Some(!is_attacking)
    }
}
