//! Unconditional life: rens that cannot be captured even if their owner always passes.
//!
//! Source: D. B. Benson, "Life in the Game of Go", Information Sciences 10 (1976), 17-29. The points that a colour does
//! not occupy form connected regions. A region is vital to a ren if each of its empty points is a liberty of the ren. A
//! set of rens is unconditionally alive if each of them has two vital regions that only rens of the set border. The
//! largest such set is found by removing the rens and regions that violate this condition, until none does.

use crate::kernel::board::Board;
use crate::kernel::color::Color;
use crate::kernel::coordinate::Point;
use crate::kernel::point_set::PointSet;
use crate::kernel::region::{Region, regions};
use crate::kernel::stone::Stone;

/// The unconditionally safe stones and points of one colour.
#[derive(Clone, Debug)]
pub struct Benson {
    /// The stones that cannot be captured.
    pub alive: PointSet,
    /// The points of regions that only `alive` stones border and in which the opponent cannot live: empty points, and
    /// enemy stones that the owner can capture. Disjoint from `alive`.
    pub territory: PointSet,
}

/// The unconditionally safe stones and points of `color`.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Color, benson, parse_diagram};
///
/// let board = parse_diagram(
///     ". x . x .
///      x x x x .
///      . . . . .
///      . . . . .",
/// )?;
/// let black = benson(&board, Color::Black);
/// let coordinate = board.coordinate();
/// assert_eq!(black.alive.iter().count(), 6);
/// assert_eq!(coordinate.vertices(&black.territory.iter().collect::<Vec<_>>()), "A1 C1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn benson(board: &Board, color: Color) -> Benson {
    let coordinate = board.coordinate();
    let rens = Rens::new(board, color);
    let regions = regions(coordinate, |p| board.stone(p) != color.stone());
    let regions: Vec<BorderedRegion> =
        regions.into_iter().map(|region| BorderedRegion::new(board, &rens, region)).collect();
    let (ren_lives, region_lives) = prune(rens.count, &regions);
    let lives = |ren: &usize| ren_lives.get(*ren).copied().unwrap_or(false);
    let alive = coordinate.points().filter(|&p| rens.at(p).is_some_and(|ren| lives(&ren))).collect();
    let kept = regions.iter().zip(&region_lives).filter(|&(_, &kept)| kept).map(|(region, _)| region);
    let safe = kept
        .filter(|region| !region.rens.is_empty())
        .filter(|region| !region.vital.is_empty() || !has_room_for_two_eyes(board, color, &region.region));
    let territory = safe.flat_map(|bordered| bordered.region.points.iter().copied()).collect();
    Benson { alive, territory }
}

/// The rens of one colour, numbered.
struct Rens {
    count: usize,
    numbers: Vec<Option<usize>>,
}

impl Rens {
    fn new(board: &Board, color: Color) -> Rens {
        let mut rens = Rens { count: 0, numbers: vec![None; board.coordinate().memory_area()] };
        for start in board.coordinate().points().filter(|&p| board.stone(p) == color.stone()) {
            if rens.at(start).is_some() {
                continue;
            }
            for point in board.ren_points(start) {
                if let Some(number) = rens.numbers.get_mut(point.index()) {
                    *number = Some(rens.count);
                }
            }
            rens.count += 1;
        }
        rens
    }

    fn at(&self, point: Point) -> Option<usize> {
        self.numbers.get(point.index()).copied().flatten()
    }
}

/// A region with the rens on its border.
struct BorderedRegion {
    region: Region,
    rens: Vec<usize>,
    /// The rens to which the region is vital.
    vital: Vec<usize>,
}

impl BorderedRegion {
    fn new(board: &Board, rens: &Rens, region: Region) -> BorderedRegion {
        let mut around: Vec<usize> = region.border.iter().filter_map(|&p| rens.at(p)).collect();
        around.sort_unstable();
        around.dedup();
        let empty = |p: &&Point| board.stone(**p) == Stone::Space;
        let touches = |p: Point, ren: usize| board.coordinate().neighbors(p).iter().any(|&q| rens.at(q) == Some(ren));
        let is_vital = |ren: &usize| region.points.iter().filter(empty).all(|&p| touches(p, *ren));
        let vital = around.iter().copied().filter(is_vital).collect();
        BorderedRegion { region, rens: around, vital }
    }
}

/// Benson's iteration: for each ren and each region, whether it remains. Rens with fewer than two remaining vital
/// regions are removed, then regions that a removed ren borders, until nothing changes.
fn prune(count: usize, regions: &[BorderedRegion]) -> (Vec<bool>, Vec<bool>) {
    let mut ren_lives = vec![true; count];
    let mut region_lives = vec![true; regions.len()];
    loop {
        let mut eyes = vec![0; count];
        for (region, _) in regions.iter().zip(&region_lives).filter(|&(_, &lives)| lives) {
            for &ren in &region.vital {
                if let Some(eyes) = eyes.get_mut(ren) {
                    *eyes += 1;
                }
            }
        }
        let mut changed = false;
        for (lives, &eyes) in ren_lives.iter_mut().zip(&eyes) {
            changed |= *lives && eyes < 2;
            *lives &= eyes >= 2;
        }
        if !changed {
            return (ren_lives, region_lives);
        }
        for (region, lives) in regions.iter().zip(&mut region_lives) {
            *lives &= region.rens.iter().all(|&ren| ren_lives.get(ren) == Some(&true));
        }
    }
}

/// Whether the opponent of `color` may make two eyes in a region: whether two of its points that are not adjacent touch
/// no stone of `color`. An eye consists of such points only, because the stones around the region stay.
fn has_room_for_two_eyes(board: &Board, color: Color, region: &Region) -> bool {
    let coordinate = board.coordinate();
    let inner = |p: &Point| coordinate.neighbors(*p).iter().all(|&q| board.stone(q) != color.stone());
    let inner: Vec<Point> = region.points.iter().copied().filter(inner).collect();
    // three points are never pairwise adjacent, so more than two always include two that are not
    match inner.as_slice() {
        [] | [_] => false,
        [a, b] => !coordinate.neighbors(*a).contains(b),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::test_boards::board;

    /// The board with the living stones (`X`, `O`) and the safe points (`b`, `w`) marked.
    fn marked(board: &Board) -> String {
        let [black, white] = Color::BOTH.map(|color| benson(board, color));
        let coordinate = board.coordinate();
        let mark = |p: Point| match () {
            () if black.alive.contains(p) => 'X',
            () if white.alive.contains(p) => 'O',
            () if black.territory.contains(p) => 'b',
            () if white.territory.contains(p) => 'w',
            () => board.stone(p).symbol(),
        };
        let cells: Vec<char> = coordinate.points().map(mark).collect();
        cells.chunks(usize::from(coordinate.width())).map(|row| row.iter().collect::<String>() + "\n").collect()
    }

    #[track_caller]
    fn check(drawn: &str, expected: &str) {
        let rows: Vec<&str> = drawn.lines().collect();
        assert_eq!(marked(&board(&rows)), expected.to_owned() + "\n");
    }

    #[test]
    fn two_eyes_are_alive_and_one_is_not() {
        check(".x.x..\nxxxx..\n......\n......", "bXbX..\nXXXX..\n......\n......");
        check("..x...\nxxx...\n......\n......", "..x...\nxxx...\n......\n......");
        // an eye of two points
        check("..x.x.\nxxxxx.\n......\n......", "bbXbX.\nXXXXX.\n......\n......");
    }

    #[test]
    fn a_region_with_an_empty_point_that_is_no_liberty_is_not_vital() {
        // A1 is no liberty, so the opponent may play there and next to it
        check("..x.x.\n..xxx.\nxxx...\n......\n......", "..x.x.\n..xxx.\nxxx...\n......\n......");
        // with an enemy stone on A1 all empty points of the region are liberties
        check("o.x.x.\n..xxx.\nxxx...\n......\n......", "bbXbX.\nbbXXX.\nXXX...\n......\n......");
    }

    #[test]
    fn a_false_eye_does_not_count() {
        // A2 and B1 have no other eye than A1, so A1 does not count for the rest either
        let drawn = ".xx.xo.\nxoxxxo.\nxooooo.\nxxo....\n.......";
        check(drawn, drawn);
    }

    #[test]
    fn rens_that_share_their_eyes_live_together() {
        check(".xo...\nx.xo..\n.xxo..\nxxoo..\noo....", "bXo...\nXbXo..\nbXXo..\nXXoo..\noo....");
    }

    #[test]
    fn enemy_stones_in_an_eye() {
        check("o.xx.x.\nooxxxx.\nxxx....\n.......\n.......", "bbXXbX.\nbbXXXX.\nXXX....\n.......\n.......");
        // a region with room for one eye is safe, one with room for two is not
        check(
            ".ox.x.x..\noxxxxxx..\nxx.......\n.........\n.........",
            "bbXbXbX..\nbXXXXXX..\nXX.......\n.........\n.........",
        );
        check(
            "..ox.x.x.\n.oxxxxxx.\noxx......\nxx.......\n.........",
            "..oXbXbX.\n.oXXXXXX.\noXX......\nXX.......\n.........",
        );
        // one point that touches no black stone is one eye, and so are two adjacent ones
        check("..x.x.x\n..xxxxx\nxxx....\n.......", "bbXbXbX\nbbXXXXX\nXXX....\n.......");
        check("...x.x.x\n...xxxxx\nxxxx....\n........", "bbbXbXbX\nbbbXXXXX\nXXXX....\n........");
    }

    #[test]
    fn a_seki_is_not_unconditional() {
        // both rens in the corner have one eye and share C1; the outer black stones are alive by themselves
        check(
            ".x.o.ox.x\nxxooooxxx\noooxxxxxx\nxxxx.x...\n...xxx...\n.........",
            ".x.o.oXbX\nxxooooXXX\noooXXXXXX\nXXXXbX...\n...XXX...\n.........",
        );
    }

    #[test]
    fn empty_full_and_small_boards() {
        check("...\n...\n...", "...\n...\n...");
        check("xx\nx.", "xx\nx.");
        check("x.xx\nxxx.", "XbXX\nXXXb");
    }
}
