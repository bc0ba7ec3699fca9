//! Recognition of seki: living rens of both colours with a shared liberty that neither player can take away.
//!
//! Source: the Japanese Rules of Go (1989), articles 7 and 8: stones are alive if the opponent, who moves first, cannot
//! capture them, and living stones with dame are in seki. Dame that can be filled is no dame at the end, so for every
//! empty region with a liberty that opposing rens share, proof-number searches ([`ProofSearch`]) ask whether
//! - either player, who moves first, can take all shared liberties of the region away without losing a ren beside them,
//! - the opponent, who moves first, can capture one of these rens.
//!
//! If neither is so, the rens are in seki. Two living groups with dame between them fail the first test, and so do dead
//! stones. Eyes, further groups and kos are part of the searches.
//!
//! The area of the searches grows from the rens at the shared liberties: their empty regions, the rens beside these,
//! and so on. Unconditionally alive rens and rens with liberties outside end it: they cannot be captured by plays in it.
//! With areas of more than [`MAX_EMPTY_POINTS`] empty points, or beyond the limits of the searches, no seki is
//! recognised; then playouts decide.

use crate::kernel::region::{Region, regions};
use crate::kernel::{Benson, Board, Color, Point, PointSet, Stone};
use crate::player::dfpn::{Goal, ProofSearch};
use crate::playout::light::is_own_eye;
use crate::playout::tactics::nakade::{is_dead_shape, is_rectangular_six};

/// An empty region with more points than this is open: a ren beside it is not in seki.
const MAX_REGION: usize = 10;

/// Upper limit of the empty points in an area.
const MAX_EMPTY_POINTS: usize = 20;

/// Limit of search nodes for a whole board where its status is asked for: at most some tenths of a second. When it is
/// reached, no further seki is recognised.
pub(super) const MAX_NODES: usize = 200_000;

/// The same where a move is chosen.
pub(super) const MAX_NODES_OF_MOVE: usize = 50_000;

/// Limits of search nodes for one question: each round of searches takes up what the one before left open.
const NODE_LIMITS: [usize; 3] = [1_000, 5_000, 60_000];

/// The stones in seki, as whole rens. `safe` is the unconditional life of Black and White, `max_nodes` the limit of search
/// nodes.
pub(super) fn find_seki(board: &Board, safe: &[Benson; 2], max_nodes: usize) -> PointSet {
    let map = SekiMap::new(board, safe);
    let mut search = ProofSearch::new(max_nodes);
    let mut candidates: Vec<SharedRegion<'_>> = map.regions.iter().filter_map(|region| map.candidate(region)).collect();
    // easy ones first, so that a hard one does not use up the budget
    for limit in NODE_LIMITS {
        for candidate in &mut candidates {
            candidate.decide(board, &mut search, limit);
        }
    }
    let found = candidates.iter().filter(|candidate| candidate.is_seki == Some(true));
    let mut seki = found.flat_map(|candidate| &candidate.rens).flat_map(|&ren| board.ren_points(ren)).collect();
    map.add_joined(&mut seki);
    seki
}

/// Points at which both players may play in a search.
struct SearchArea {
    points: PointSet,
    /// A stone of each ren that the area has been extended to and that can be captured in it. If one of them is
    /// captured by the opponent who moves first, other fights are open, and a search in the area cannot decide seki.
    outer_rens: Vec<Point>,
}

/// An empty region with liberties that opposing rens share, and its verdict.
struct SharedRegion<'a> {
    region: &'a Region,
    /// A stone of each ren at these liberties.
    rens: Vec<Point>,
    /// The areas in which no search has decided, each within the next.
    areas: Vec<SearchArea>,
    /// The verdict of the largest area with one.
    is_seki: Option<bool>,
}

impl SharedRegion<'_> {
    /// Searches the areas that are left, the largest first, with a limit of nodes for each question. A verdict
    /// makes those of smaller areas superfluous.
    fn decide(&mut self, board: &Board, search: &mut ProofSearch, limit: usize) {
        for number in (0..self.areas.len()).rev() {
            let Some(area) = self.areas.get(number) else { return };
            if let Some(is_seki) = self.is_seki_in(board, search, area, limit) {
                self.is_seki = Some(is_seki);
                self.areas.drain(..=number);
                return;
            }
        }
    }

    /// Whether the rens are in seki if both play only within an area; `None` beyond the limits.
    fn is_seki_in(&self, board: &Board, search: &mut ProofSearch, area: &SearchArea, limit: usize) -> Option<bool> {
        let mut reaches = |player: Color, goal: &Goal| search.reaches(board, &area.points, player, goal, limit);
        let rens_of = |color: Color| self.rens.iter().filter(move |&&ren| board.stone(ren) == color.stone());
        let fill = |player: Color| {
            let own = rens_of(player).flat_map(|&ren| board.ren_points(ren)).collect();
            Goal::Fill { region: self.region.points.clone(), own }
        };
        let filled = Color::BOTH.map(|player| reaches(player, &fill(player)));
        if filled.contains(&Some(true)) {
            return Some(false);
        }
        if filled.contains(&None) {
            return None;
        }
        let mut is_captured = |ren: Point| {
            let attacker = board.stone(ren).color().map_or(Color::Black, Color::opponent);
            reaches(attacker, &Goal::capture(board, ren))
        };
        for &ren in &self.rens {
            if is_captured(ren)? {
                return Some(false);
            }
        }
        for &ren in &area.outer_rens {
            if is_captured(ren)? {
                return None;
            }
        }
        Some(true)
    }
}

/// Adds one stone of each ren beside a point to `rens`, if none of its stones is among them.
fn add_rens_around(board: &Board, point: Point, rens: &mut Vec<Point>) {
    for neighbor in board.coordinate().neighbors(point) {
        let is_known = |&ren: &Point| board.ren_head(ren) == board.ren_head(neighbor);
        if board.stone(neighbor).color().is_some() && !rens.iter().any(is_known) {
            rens.push(neighbor);
        }
    }
}

/// The empty regions of a board, and the rens that plays near them cannot capture.
struct SekiMap<'a> {
    board: &'a Board,
    regions: Vec<Region>,
    /// Stones of rens that are unconditionally alive, beside an open region, or of a group with two eyes.
    uncapturable: PointSet,
}

impl<'a> SekiMap<'a> {
    fn new(board: &'a Board, safe: &[Benson; 2]) -> SekiMap<'a> {
        let regions = regions(board.coordinate(), |p| board.stone(p) == Stone::Space);
        let open = regions.iter().filter(|region| region.points.len() > MAX_REGION);
        let mut uncapturable = PointSet::new();
        for &stone in open.flat_map(|region| &region.border) {
            if !uncapturable.contains(stone) {
                uncapturable.extend(board.ren_points(stone));
            }
        }
        uncapturable.extend(safe.iter().flat_map(|benson| benson.alive.iter()));
        uncapturable.extend(two_eyed(board, &regions).iter());
        SekiMap { board, regions, uncapturable }
    }

    /// The candidate of a region; `None` if it has no liberty that opposing rens share, or is open.
    fn candidate<'r>(&self, region: &'r Region) -> Option<SharedRegion<'r>> {
        let shared = self.contested_points(region);
        if shared.is_empty() || region.points.len() > MAX_REGION {
            return None;
        }
        let mut rens = Vec::new();
        shared.iter().for_each(|&point| add_rens_around(self.board, point, &mut rens));
        let areas = self.areas(&rens);
        Some(SharedRegion { region, rens, areas, is_seki: None })
    }

    /// The points of a region beside capturable rens of both colours, and beside no uncapturable ones.
    fn contested_points(&self, region: &Region) -> Vec<Point> {
        let neighbors = |p: Point| self.board.coordinate().neighbors(p);
        let is_contested = |&p: &Point| {
            self.board.is_shared_liberty(p) && neighbors(p).into_iter().all(|stone| !self.uncapturable.contains(stone))
        };
        region.points.iter().copied().filter(is_contested).collect()
    }

    /// Adds to the stones in seki the rens that have liberties only in empty regions beside a ren of their colour in
    /// seki: other rens of the same group, and the stones of kos.
    fn add_joined(&self, seki: &mut PointSet) {
        let board = self.board;
        loop {
            let mut added: Vec<Point> = Vec::new();
            for head in board.coordinate().points().filter(|&p| board.stone(p).color().is_some()) {
                if board.ren_head(head) != head || seki.contains(head) || self.uncapturable.contains(head) {
                    continue;
                }
                let is_beside = |region: &&Region| region.border.iter().any(|&p| board.ren_head(p) == head);
                let is_joined = |&p: &Point| board.stone(p) == board.stone(head) && seki.contains(p);
                if self.regions.iter().filter(is_beside).all(|region| region.border.iter().any(is_joined)) {
                    added.extend(board.ren_points(head));
                }
            }
            if added.is_empty() {
                return;
            }
            seki.extend(added);
        }
    }

    /// The areas around rens, each within the next: the empty regions beside the rens, with all stones on the border of
    /// these; then the same for these stones, until it changes nothing more or [`MAX_EMPTY_POINTS`] is exceeded.
    fn areas(&self, rens: &[Point]) -> Vec<SearchArea> {
        let board = self.board;
        let mut areas: Vec<SearchArea> = Vec::new();
        let mut stones: PointSet = rens.iter().flat_map(|&ren| board.ren_points(ren)).collect();
        let mut inside = vec![false; self.regions.len()];
        let mut outer_rens: Vec<Point> = Vec::new();
        loop {
            let mut added = Vec::new();
            for (region, is_inside) in self.regions.iter().zip(&mut inside) {
                if !*is_inside && region.border.iter().any(|&p| stones.contains(p) && !self.uncapturable.contains(p)) {
                    *is_inside = true;
                    added.push(region);
                }
            }
            let chosen =
                || self.regions.iter().zip(&inside).filter(|&(_, &is_inside)| is_inside).map(|(region, _)| region);
            if added.is_empty() || chosen().map(|region| region.points.len()).sum::<usize>() > MAX_EMPTY_POINTS {
                return areas;
            }
            let mut known: Vec<Point> = rens.iter().chain(&outer_rens).map(|&ren| board.ren_head(ren)).collect();
            for &stone in added.iter().flat_map(|region| &region.border) {
                stones.extend(board.ren_points(stone));
                let head = board.ren_head(stone);
                if !areas.is_empty() && !self.uncapturable.contains(stone) && !known.contains(&head) {
                    known.push(head);
                    outer_rens.push(head);
                }
            }
            let empty = chosen().flat_map(|region| region.points.iter().copied());
            areas.push(SearchArea { points: stones.iter().chain(empty).collect(), outer_rens: outer_rens.clone() });
        }
    }
}

/// The stones of groups that have two eyes by their shape: two regions that are eyes, or a region that is large enough
/// for two. Here rens form a group if they border an empty region that only their colour borders; groups that share a ren
/// are one. Groups in seki have no two eyes.
fn two_eyed(board: &Board, regions: &[Region]) -> PointSet {
    let mut groups: Vec<(PointSet, usize)> = Vec::new();
    for region in regions {
        let Some(color) = region.only_color(board) else { continue };
        let mut stones: PointSet = region.border.iter().flat_map(|&p| board.ren_points(p)).collect();
        let mut eyes = eyes(board, region, color);
        groups.retain(|(others, their_eyes)| {
            let is_joined = others.iter().any(|p| stones.contains(p));
            if is_joined {
                eyes += their_eyes;
                stones.extend(others.iter());
            }
            !is_joined
        });
        groups.push((stones, eyes));
    }
    groups.iter().filter(|(_, eyes)| *eyes >= 2).flat_map(|(stones, _)| stones.iter()).collect()
}

/// The number of eyes, 0 to 2, that a region of empty points surrounded by one colour is sure to give if the opponent
/// plays there first: none by a false eye, one by a nakade shape ([`is_dead_shape`]), else two. In the corner, four
/// points and the rectangle of six count as one eye, because a lack of outside liberties or a ko can kill there.
fn eyes(board: &Board, region: &Region, color: Color) -> usize {
    let walls = |p: Point| board.coordinate().neighbors(p).iter().filter(|&&p| board.stone(p) == Stone::Wall).count();
    let is_in_corner = || region.points.iter().any(|&p| walls(p) > 1);
    match region.points.as_slice() {
        [point] => usize::from(is_own_eye(board, color, *point)),
        points if is_dead_shape(board, points) => 1,
        [_, _, _, _] if is_in_corner() => 1,
        points @ [_, _, _, _, _, _] if is_rectangular_six(board, points) && is_in_corner() => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test_boards;

    #[test]
    fn nakade_shapes_and_weak_corners_are_one_eye() {
        for (rows, expected) in [
            // the rectangle of six at the side and in the corner
            (["x...x..", "x...xxx", "xxxxxxx"], 2),
            (["...x.x.", "...xxxx", "xxxxxxx"], 1),
            // the rabbity six, the bulky five, four in a row at the side and in the corner
            (["xx..xxx", "x...xxx", "xx.xxxx"], 1),
            (["xx..xxx", "x...xxx", "xxxxxxx"], 1),
            (["x....xx", "xxxxxxx", "xxxxxxx"], 2),
            (["....xxx", "xxxxxxx", "xxxxxxx"], 1),
        ] {
            let board = test_boards::board(&rows);
            let regions = regions(board.coordinate(), |p| board.stone(p) == Stone::Space);
            let found: Vec<usize> = regions.iter().map(|region| eyes(&board, region, Color::Black)).collect();
            assert_eq!(found.first(), Some(&expected), "{rows:?}");
        }
    }
}
