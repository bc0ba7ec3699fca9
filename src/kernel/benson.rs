//! Unconditional life: rens that cannot be taken though their owner passes for ever.
//!
//! After D. B. Benson, "Life in the Game of Go", Information Sciences 10 (1976), 17-29. The points without stones of a
//! colour fall into regions. A region is vital to a ren if each of its empty points is a liberty of the ren. A set of rens
//! lives if each of them has two regions that are vital to it and bordered by rens of the set only. The largest such set
//! is found by striking out what does not satisfy this until nothing more has to go.

use crate::kernel::board::Board;
use crate::kernel::check_board::PointSet;
use crate::kernel::color::Color;
use crate::kernel::coordinate::Point;
use crate::kernel::region::{Region, regions};
use crate::kernel::stone::Stone;

/// What one colour holds whatever the opponent does, even if it never answers.
#[derive(Clone, Debug)]
pub struct Benson {
    /// The stones that cannot be taken.
    pub alive: PointSet,
    /// Points of regions that only such stones surround and in which the opponent has no room to live: empty points,
    /// and enemy stones that the owner can take. No point of `alive` is among them.
    pub territory: PointSet,
}

/// The unconditional life of `color`.
pub fn benson(board: &Board, color: Color) -> Benson {
    let coordinate = board.coordinate();
    let rens = Rens::new(board, color);
    let regions = regions(coordinate, |p| board.stone(p) != color.stone());
    let regions: Vec<Bounded> = regions.into_iter().map(|region| Bounded::new(board, &rens, region)).collect();
    let (ren_lives, region_lives) = strike_out(rens.count, &regions);
    let lives = |ren: &usize| ren_lives.get(*ren).copied().unwrap_or(false);
    let alive = coordinate.points().filter(|&p| rens.at(p).is_some_and(|ren| lives(&ren))).collect();
    let kept = regions.iter().zip(&region_lives).filter(|&(_, &kept)| kept).map(|(region, _)| region);
    let safe = kept
        .filter(|region| !region.rens.is_empty())
        .filter(|region| !region.vital.is_empty() || !has_room(board, color, &region.region));
    let territory = safe.flat_map(|bounded| bounded.region.points.iter().copied()).collect();
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

/// A region with the rens around it.
struct Bounded {
    region: Region,
    rens: Vec<usize>,
    /// Those of the rens that have every empty point of the region as a liberty.
    vital: Vec<usize>,
}

impl Bounded {
    fn new(board: &Board, rens: &Rens, region: Region) -> Bounded {
        let mut around: Vec<usize> = region.border.iter().filter_map(|&p| rens.at(p)).collect();
        around.sort_unstable();
        around.dedup();
        let empty = |p: &&Point| board.stone(**p) == Stone::Space;
        let touches = |p: Point, ren: usize| board.coordinate().neighbors(p).iter().any(|&q| rens.at(q) == Some(ren));
        let is_vital = |ren: &usize| region.points.iter().filter(empty).all(|&p| touches(p, *ren));
        let vital = around.iter().copied().filter(is_vital).collect();
        Bounded { region, rens: around, vital }
    }
}

/// Which of the rens and which of the regions are left when nothing more has to be struck out.
fn strike_out(count: usize, regions: &[Bounded]) -> (Vec<bool>, Vec<bool>) {
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

/// Whether the opponent of `color` could have two eyes in a region: two points, not side by side, that touch no stone of
/// `color`. An eye lies within such points whatever else is played, because the stones around the region stay.
fn has_room(board: &Board, color: Color, region: &Region) -> bool {
    let coordinate = board.coordinate();
    let inner = |p: &Point| coordinate.neighbors(*p).iter().all(|&q| board.stone(q) != color.stone());
    let inner: Vec<Point> = region.points.iter().copied().filter(inner).collect();
    // no three points are side by side with one another, so more than two leave room for certain
    match inner.as_slice() {
        [] | [_] => false,
        [a, b] => !coordinate.neighbors(*a).contains(b),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;

    /// Draws which stones live (`X`, `O`) and which points are safe (`b`, `w`) over the board.
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
        let rows =
            |text: &str| text.lines().map(|row| row.trim().to_owned() + "\n").filter(|row| row != "\n").collect();
        let (drawn, expected): (String, String) = (rows(drawn), rows(expected));
        let width = drawn.lines().next().unwrap().len();
        let coordinate = Coordinate::new(width as u8, drawn.lines().count() as u8).unwrap();
        let mut stones = vec![Stone::Wall; coordinate.memory_area()];
        for (point, symbol) in coordinate.points().zip(drawn.bytes().filter(|&b| b != b'\n')) {
            stones[point.index()] = Stone::from_symbol(symbol).unwrap();
        }
        assert_eq!(marked(&Board::from_stones(coordinate, &stones).unwrap()), expected);
    }

    #[test]
    fn two_eyes_live_and_one_does_not() {
        check(".x.x..\nxxxx..\n......\n......", "bXbX..\nXXXX..\n......\n......");
        check("..x...\nxxx...\n......\n......", "..x...\nxxx...\n......\n......");
        // two points are as good an eye as one
        check("..x.x.\nxxxxx.\n......\n......", "bbXbX.\nXXXXX.\n......\n......");
    }

    #[test]
    fn a_region_with_an_empty_point_that_is_no_liberty_is_not_vital() {
        // A1 is no liberty, so the opponent may play there and beside it
        check("..x.x.\n..xxx.\nxxx...\n......\n......", "..x.x.\n..xxx.\nxxx...\n......\n......");
        // a stone of the opponent there leaves only liberties
        check("o.x.x.\n..xxx.\nxxx...\n......\n......", "bbXbX.\nbbXXX.\nXXX...\n......\n......");
    }

    #[test]
    fn a_false_eye_is_none() {
        // A2 and its like have no eye but A1, so that it does not count for the others either
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
        // a place for one eye is not enough to live, a larger one may be
        check(
            ".ox.x.x..\noxxxxxx..\nxx.......\n.........\n.........",
            "bbXbXbX..\nbXXXXXX..\nXX.......\n.........\n.........",
        );
        check(
            "..ox.x.x.\n.oxxxxxx.\noxx......\nxx.......\n.........",
            "..oXbXbX.\n.oXXXXXX.\noXX......\nXX.......\n.........",
        );
    }

    #[test]
    fn a_seki_is_not_unconditional() {
        // both of the rens in the corner have one eye, and C1 in common; the outer black stones live by themselves
        check(
            ".x.o.ox.x\nxxooooxxx\noooxxxxxx\nxxxx.x...\n...xxx...\n.........",
            ".x.o.oXbX\nxxooooXXX\noooXXXXXX\nXXXXbX...\n...XXX...\n.........",
        );
    }

    #[test]
    fn the_ends_of_the_scale() {
        check("...\n...\n...", "...\n...\n...");
        check("xx\nx.", "xx\nx.");
        check("x.xx\nxxx.", "XbXX\nXXXb");
    }
}
