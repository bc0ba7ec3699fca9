//! Handicap points and star points, which depend on the size of the board only.
//!
//! Fixed handicap points and their order follow GTP version 2, section 4.1.1, whose table of square boards gives each
//! axis a low, a middle and a high line. On other boards each axis has the lines of the square board of its length, as
//! in KataGo.

use crate::kernel::coordinate::{Coordinate, Point};

/// The corners in handicap order, as (file, rank): two opposite ones first; with three stones the corner of the last
/// file and the first rank stays empty.
const CORNERS: [(AxisPosition, AxisPosition); 4] = [
    (AxisPosition::Low, AxisPosition::Low),
    (AxisPosition::High, AxisPosition::High),
    (AxisPosition::Low, AxisPosition::High),
    (AxisPosition::High, AxisPosition::Low),
];

/// The middles of the sides: of the first and the last file, then of the first and the last rank.
const SIDES: [(AxisPosition, AxisPosition); 4] = [
    (AxisPosition::Low, AxisPosition::Middle),
    (AxisPosition::High, AxisPosition::Middle),
    (AxisPosition::Middle, AxisPosition::Low),
    (AxisPosition::Middle, AxisPosition::High),
];

const CENTER: (AxisPosition, AxisPosition) = (AxisPosition::Middle, AxisPosition::Middle);

/// The smallest side, in points, of a board with fixed points in the corners.
const MIN_SIDE_WITH_CORNERS: u8 = 7;

/// The smallest side, in points, of a board with star points in the middles of its sides.
const MIN_SIDE_WITH_SIDE_STARS: u8 = 17;

/// The position of a fixed point on one axis.
#[derive(Clone, Copy)]
enum AxisPosition {
    Low,
    Middle,
    High,
}

/// The smallest side, in points, of a board with fixed points in its middle.
const MIN_SIDE_WITH_MIDDLES: u8 = 9;

/// The maximum number of stones of a [`fixed`] handicap: 9 if both sides are odd and at least 9 points, else 4 if both
/// are at least 7, else 0.
pub const fn max_fixed(coordinate: Coordinate) -> usize {
    let (width, height) = (coordinate.width(), coordinate.height());
    if width < MIN_SIDE_WITH_CORNERS || height < MIN_SIDE_WITH_CORNERS {
        0
    } else if has_middle(width)
        && has_middle(height)
        && width >= MIN_SIDE_WITH_MIDDLES
        && height >= MIN_SIDE_WITH_MIDDLES
    {
        9
    } else {
        4
    }
}

/// Whether one of the lines of an axis is the middle one.
const fn has_middle(side: u8) -> bool {
    side % 2 == 1
}

/// The numbers of stones that a fixed handicap can have, for an error message.
pub fn expected_fixed(coordinate: Coordinate) -> String {
    match max_fixed(coordinate) {
        0 => format!("there are no fixed points on {coordinate}, expected a board of 7x7 or more"),
        max => format!("expected 2 to {max} on {coordinate}"),
    }
}

/// The points of a fixed handicap of `n` stones, in handicap order. `None` unless `n` is 2 to [`max_fixed`].
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Coordinate, handicap};
///
/// let coordinate = Coordinate::square(19).ok_or("size")?;
/// let points = handicap::fixed(coordinate, 3).ok_or("handicap")?;
/// assert_eq!(coordinate.vertices(&points), "D4 Q16 D16");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fixed(coordinate: Coordinate, n: usize) -> Option<Vec<Point>> {
    if n < 2 || n > max_fixed(coordinate) {
        return None;
    }
    // the centre gets the last stone of an odd number above four
    let paired = if n > 4 { n - n % 2 } else { n };
    let others = CORNERS.iter().chain(&SIDES).take(paired);
    let center = (paired < n).then_some(&CENTER);
    others.chain(center).map(|&(file, rank)| on_axes(coordinate, file, rank)).collect()
}

/// The star points (hoshi): corners, centre, and on large boards the middles of the sides, row by row. Empty if a side
/// has fewer than 7 points.
pub fn star_points(coordinate: Coordinate) -> Vec<Point> {
    let (width, height) = (coordinate.width(), coordinate.height());
    let has_sides = width.min(height) >= MIN_SIDE_WITH_SIDE_STARS;
    let mut positions = Vec::new();
    if width.min(height) >= MIN_SIDE_WITH_CORNERS {
        positions.extend(CORNERS);
        let sides = SIDES.into_iter().filter(|(file, _)| match file {
            AxisPosition::Middle => has_middle(width),
            AxisPosition::Low | AxisPosition::High => has_middle(height),
        });
        positions.extend(sides.filter(|_| has_sides));
        positions.extend(Some(CENTER).filter(|_| has_middle(width) && has_middle(height)));
    }
    let mut points: Vec<Point> =
        positions.into_iter().filter_map(|(file, rank)| on_axes(coordinate, file, rank)).collect();
    points.sort_unstable();
    points.dedup();
    points
}

/// Points for a free handicap of `n` stones: the fixed ones first, then repeatedly the point with the largest distance
/// to the nearest stone or cell of the frame.
///
/// Returns `n` different points, but at most the number of points of the board minus two: two opposite corners stay
/// empty, because White's first stone would otherwise capture all others.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{Coordinate, handicap};
///
/// let coordinate = Coordinate::square(5).ok_or("size")?;
/// assert_eq!(coordinate.vertices(&handicap::free(coordinate, 5)), "C3 B2 D4 D2 B4");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn free(coordinate: Coordinate, n: usize) -> Vec<Point> {
    let n = n.min(coordinate.board_area().saturating_sub(2));
    let mut points = fixed(coordinate, n.min(max_fixed(coordinate))).unwrap_or_default();
    let mut free_points: Vec<FreePoint> = coordinate.points().map(|point| FreePoint::new(coordinate, point)).collect();
    // row by row, so the first and the last point are opposite corners
    free_points.pop();
    free_points.drain(..free_points.len().min(1));
    for &point in &points {
        place(&mut free_points, coordinate.xy(point));
    }
    while points.len() < n {
        // `max_by_key` returns the last of equal elements; reversed, the first point wins
        let Some(best) = free_points.iter().rev().max_by_key(|point| (point.clearance, point.spread)) else {
            break;
        };
        let xy = best.xy;
        points.push(best.point);
        place(&mut free_points, xy);
    }
    points
}

/// A point without a stone.
struct FreePoint {
    point: Point,
    xy: (u8, u8),
    /// Square of the distance, in points, to the nearest stone or to the frame.
    clearance: u32,
    /// Sum of the squares of the distances to all stones. Breaks ties of `clearance` in favour of emptier parts of the
    /// board.
    spread: u32,
}

impl FreePoint {
    fn new(coordinate: Coordinate, point: Point) -> FreePoint {
        let (x, y) = coordinate.xy(point);
        let across = x.min((coordinate.width() + 1).saturating_sub(x));
        let along = y.min((coordinate.height() + 1).saturating_sub(y));
        let line = u32::from(across.min(along));
        FreePoint { point, xy: (x, y), clearance: line * line, spread: 0 }
    }
}

/// Updates the free points for a stone at column and row `xy`, and removes that point.
fn place(free_points: &mut Vec<FreePoint>, xy: (u8, u8)) {
    free_points.retain_mut(|point| {
        let across = u32::from(point.xy.0.abs_diff(xy.0));
        let along = u32::from(point.xy.1.abs_diff(xy.1));
        let squared_distance = across * across + along * along;
        point.clearance = point.clearance.min(squared_distance);
        point.spread += squared_distance;
        squared_distance > 0
    });
}

/// The point at these positions of the two axes.
fn on_axes(coordinate: Coordinate, file: AxisPosition, rank: AxisPosition) -> Option<Point> {
    let (width, height) = (coordinate.width(), coordinate.height());
    let number = |position, side: u8| {
        let line = if side >= 13 { 4 } else { 3 };
        match position {
            AxisPosition::Low => line,
            AxisPosition::Middle => side.div_ceil(2),
            AxisPosition::High => (side + 1).saturating_sub(line),
        }
    };
    coordinate.point(number(file, width), number(rank, height))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::HashSet;

    use super::*;
    use crate::kernel::coordinate::MAX_SIDE;

    /// Corners, sides and centre of every size with fixed points, from the table in the GTP specification.
    const TABLE: [(u8, &str, &str, &str); 19] = [
        (7, "C3 E5 C5 E3", "", ""),
        (8, "C3 F6 C6 F3", "", ""),
        (9, "C3 G7 C7 G3", "C5 G5 E3 E7", "E5"),
        (10, "C3 H8 C8 H3", "", ""),
        (11, "C3 J9 C9 J3", "C6 J6 F3 F9", "F6"),
        (12, "C3 K10 C10 K3", "", ""),
        (13, "D4 K10 D10 K4", "D7 K7 G4 G10", "G7"),
        (14, "D4 L11 D11 L4", "", ""),
        (15, "D4 M12 D12 M4", "D8 M8 H4 H12", "H8"),
        (16, "D4 N13 D13 N4", "", ""),
        (17, "D4 O14 D14 O4", "D9 O9 J4 J14", "J9"),
        (18, "D4 P15 D15 P4", "", ""),
        (19, "D4 Q16 D16 Q4", "D10 Q10 K4 K16", "K10"),
        (20, "D4 R17 D17 R4", "", ""),
        (21, "D4 S18 D18 S4", "D11 S11 L4 L18", "L11"),
        (22, "D4 T19 D19 T4", "", ""),
        (23, "D4 U20 D20 U4", "D12 U12 M4 M20", "M12"),
        (24, "D4 V21 D21 V4", "", ""),
        (25, "D4 W22 D22 W4", "D13 W13 N4 N22", "N13"),
    ];

    fn names(side: u8, n: usize) -> Option<String> {
        let coordinate = Coordinate::square(side).unwrap();
        fixed(coordinate, n).map(|points| coordinate.vertices(&points))
    }

    #[test]
    fn fixed_points_match_the_specification() {
        for (side, corners, sides, center) in TABLE {
            let corners: Vec<&str> = corners.split(' ').collect();
            let sides: Vec<&str> = sides.split(' ').filter(|name| !name.is_empty()).collect();
            for n in 0..=12 {
                let mut expected: Vec<&str> = corners.iter().take(n).copied().collect();
                expected.extend(sides.iter().take(n.saturating_sub(4) / 2 * 2));
                if n >= 5 && n % 2 == 1 && !center.is_empty() {
                    expected.push(center);
                }
                let valid = n >= 2 && expected.len() == n;
                assert_eq!(names(side, n), valid.then(|| expected.join(" ")), "{n} stones on {side}x{side}");
            }
            let max = 4 + sides.len() + usize::from(!center.is_empty());
            assert_eq!(max_fixed(Coordinate::square(side).unwrap()), max, "{side}");
        }
    }

    #[test]
    fn fixed_order_on_19x19() {
        let expected = [
            (2, "D4 Q16"),
            (3, "D4 Q16 D16"),
            (4, "D4 Q16 D16 Q4"),
            (5, "D4 Q16 D16 Q4 K10"),
            (6, "D4 Q16 D16 Q4 D10 Q10"),
            (7, "D4 Q16 D16 Q4 D10 Q10 K10"),
            (8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
            (9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        ];
        for (n, vertices) in expected {
            assert_eq!(names(19, n).as_deref(), Some(vertices));
        }
    }

    #[test]
    fn boards_with_a_side_below_7_have_no_fixed_points() {
        for side in 1..7 {
            for other in 1..=MAX_SIDE {
                for (width, height) in [(side, other), (other, side)] {
                    let coordinate = Coordinate::new(width, height).unwrap();
                    assert_eq!(max_fixed(coordinate), 0, "{coordinate}");
                    assert!((0..12).all(|n| fixed(coordinate, n).is_none()), "{coordinate}");
                }
            }
        }
    }

    /// On an axis of a rectangular board the points have the coordinates of the square board of that side.
    #[test]
    fn fixed_points_of_rectangular_boards_take_each_coordinate_from_the_square_board() {
        for width in 7..=MAX_SIDE {
            for height in 7..=MAX_SIDE {
                let coordinate = Coordinate::new(width, height).unwrap();
                let [across, along] = [width, height].map(|side| Coordinate::square(side).unwrap());
                let max = max_fixed(across).min(max_fixed(along));
                assert_eq!(max_fixed(coordinate), max, "{coordinate}");
                for n in 2..=9 {
                    let expected = (n <= max).then(|| {
                        let pairs = fixed(across, n).unwrap().into_iter().zip(fixed(along, n).unwrap());
                        pairs.map(|(a, b)| coordinate.point(across.xy(a).0, along.xy(b).1).unwrap()).collect()
                    });
                    assert_eq!(fixed(coordinate, n), expected, "{n} stones on {coordinate}");
                }
            }
        }
        // KataGo 1.17.2 answers the same sets
        for (width, height, vertices) in
            [(9, 13, "C4 G10 C10 G4 C7 G7 E4 E10 E7"), (13, 9, "D3 K7 D7 K3 D5 K5 G3 G7 G5"), (19, 8, "D3 Q6 D6 Q3")]
        {
            let coordinate = Coordinate::new(width, height).unwrap();
            let points = fixed(coordinate, max_fixed(coordinate)).unwrap();
            assert_eq!(coordinate.vertices(&points), vertices, "{coordinate}");
        }
    }

    #[test]
    fn star_points_of_every_size() {
        let stars = |width, height| {
            let coordinate = Coordinate::new(width, height).unwrap();
            coordinate.vertices(&star_points(coordinate))
        };
        assert_eq!(stars(19, 19), "D4 K4 Q4 D10 K10 Q10 D16 K16 Q16");
        assert_eq!(stars(13, 13), "D4 K4 G7 D10 K10");
        assert_eq!(stars(9, 9), "C3 G3 E5 C7 G7");
        assert_eq!(stars(8, 8), "C3 F3 C6 F6");
        assert_eq!(stars(6, 19), "");
        assert_eq!(stars(9, 19), "C4 G4 E10 C16 G16");
        assert_eq!(stars(19, 9), "D3 Q3 K5 D7 Q7");
        assert_eq!(stars(18, 19), "D4 P4 D10 P10 D16 P16");
        for side in 1..=MAX_SIDE {
            for other in 1..=MAX_SIDE {
                let coordinate = Coordinate::new(side, other).unwrap();
                assert!(star_points(coordinate).iter().all(|&point| coordinate.contains(point)), "{side}x{other}");
            }
        }
    }

    #[test]
    fn free_handicap_of_any_number_starts_with_the_fixed_points() {
        let squares = (1..=MAX_SIDE).map(|side| (side, side));
        let rectangles = [(1, 25), (25, 1), (2, 25), (25, 2), (3, 7), (9, 13), (25, 24)];
        for (width, height) in squares.chain(rectangles) {
            let coordinate = Coordinate::new(width, height).unwrap();
            let area = coordinate.board_area();
            for n in (2..=area).filter(|n| area <= 81 || n % 37 == 2 || n + 3 > area) {
                let points = free(coordinate, n);
                let different: HashSet<Point> = points.iter().copied().collect();
                assert_eq!(points.len(), n.min(area.saturating_sub(2)), "{n} stones on {coordinate}");
                assert_eq!(different.len(), points.len());
                assert!(points.iter().all(|&point| coordinate.contains(point)));
                if let Some(fixed) = fixed(coordinate, n.min(max_fixed(coordinate))) {
                    assert!(points.starts_with(&fixed));
                }
                // stones are left out only if at least half of the board is black
                assert!(points.len() == n || points.len() * 2 >= area || area == 1);
            }
        }
    }

    #[test]
    fn free_handicap_is_spread_evenly() {
        let coordinate = Coordinate::square(19).unwrap();
        let nearest = |n| {
            let points: Vec<(u8, u8)> = free(coordinate, n).into_iter().map(|point| coordinate.xy(point)).collect();
            let pairs = points.iter().flat_map(|a| points.iter().map(move |b| (a, b))).filter(|(a, b)| a != b);
            pairs.map(|(a, b)| u32::from(a.0.abs_diff(b.0)) + u32::from(a.1.abs_diff(b.1))).min()
        };
        assert_eq!([9, 13, 25, 40].map(nearest), [Some(6), Some(6), Some(3), Some(2)]);
        assert_eq!(coordinate.vertices(&free(coordinate, 13)), "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10 G7 N13 N7 G13");
        let small = Coordinate::square(5).unwrap();
        assert_eq!(small.vertices(&free(small, 5)), "C3 B2 D4 D2 B4");
    }
}
