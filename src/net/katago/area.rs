//! Areas as KataGo counts them, for features and for the score if the game ended.
//!
//! A player's area is the chains that are alive even if their owner always passes, with their territory; other stones;
//! and empty regions with stones of one colour around them. With a tax, groups in seki keep their stones and lose the
//! points around them.
//!
//! The unconditional life is Benson's (see [`kernel::benson`](crate::kernel::benson())), extended: a region of living
//! chains is territory if at most one of its points touches none of them, or if no enemy stone is in it.

use crate::kernel::{Color, Point, PointMap, PointSet, Stone, Tax};
use crate::net::undo_board::UndoBoard;

/// Owners of points under area scoring.
pub(in crate::net) struct Area {
    owners: PointMap<Stone>,
    /// White's points less Black's, the group tax included, without komi.
    pub(in crate::net) white_minus_black: i32,
}

impl Area {
    /// The area as it is scored under a tax. With `suicide`, an eye is safe only if each of its points touches the
    /// chain, enemy stones included: they could be removed by their owner's suicide.
    pub(in crate::net) fn new(board: &UndoBoard, tax: Tax, suicide: bool) -> Area {
        let area = all_area(board, suicide);
        let (owners, parts) = if tax == Tax::None { (area, 0) } else { without_seki(board, &area) };
        let tax = if tax == Tax::All { 2 * parts } else { 0 };
        let points = board.coordinate().points().map(|point| match owners[point].color() {
            Some(Color::White) => 1,
            Some(Color::Black) => -1,
            None => 0,
        });
        Area { white_minus_black: points.sum::<i32>() - tax, owners }
    }

    /// The owner of a point.
    pub(in crate::net) fn owner(&self, point: Point) -> Option<Color> {
        self.owners[point].color()
    }
}

/// The area without a tax; [`Stone::Space`] on points of neither side.
fn all_area(board: &UndoBoard, suicide: bool) -> PointMap<Stone> {
    let mut area = PointMap::new(Stone::Space);
    for color in Color::BOTH {
        add_area(board, color, suicide, &mut area);
    }
    for point in board.coordinate().points().filter(|&point| board.stone(point).color().is_some()) {
        if area[point] == Stone::Space {
            area[point] = board.stone(point);
        }
    }
    area
}

/// A maximal connected set of points without stones of one colour, with an empty point among them: an enclosed region
/// of Benson's. It may be an eye of that colour, or the rest of the board.
struct EnclosedRegion {
    /// Start of its points in the list of all regions' points, and their number.
    first: usize,
    count: usize,
    /// The chains that it is vital to: each of its points (with suicide) or empty points (without) is next to them.
    vital: [Option<Point>; 4],
    /// Points that touch no stone of the colour, counted up to two.
    inner: usize,
    has_enemy: bool,
    /// Whether a chain on its border may die.
    is_open: bool,
}

/// Adds the area of one colour: its living chains with their territory, and on points not taken yet the empty regions
/// with only its stones around them.
fn add_area(board: &UndoBoard, color: Color, suicide: bool, area: &mut PointMap<Stone>) {
    let points = || board.coordinate().points();
    let is_head = |point: &Point| board.stone(*point) == color.stone() && board.head(*point) == *point;
    let mut alive: Vec<Point> = points().filter(is_head).collect();
    if alive.is_empty() {
        return;
    }
    let mut of_point = PointMap::new(u16::MAX);
    let mut list = Vec::with_capacity(board.coordinate().board_area());
    let mut regions: Vec<EnclosedRegion> = Vec::new();
    for start in points() {
        if board.stone(start) == Stone::Space && of_point[start] == u16::MAX {
            let number = regions.len() as u16;
            regions.push(enclosed_region(board, color, suicide, start, number, &mut of_point, &mut list));
        }
    }
    // Benson's iteration
    let mut eyes = PointMap::new(0_u16);
    loop {
        for &head in &alive {
            eyes[head] = 0;
        }
        for &head in regions.iter().filter(|region| !region.is_open).flat_map(|region| &region.vital).flatten() {
            eyes[head] += 1;
        }
        let count = alive.len();
        alive.retain(|&head| {
            let lives = eyes[head] >= 2;
            if !lives {
                for neighbor in board.chain(head).flat_map(|stone| board.neighbors(stone)) {
                    if let Some(region) = regions.get_mut(usize::from(of_point[neighbor])) {
                        region.is_open = true;
                    }
                }
            }
            lives
        });
        if alive.len() == count {
            break;
        }
    }
    for point in alive.iter().flat_map(|&head| board.chain(head)) {
        area[point] = color.stone();
    }
    for region in &regions {
        let is_safe = !region.is_open && (region.inner <= 1 || !region.has_enemy);
        for &point in list.iter().skip(region.first).take(region.count) {
            if is_safe || (!region.has_enemy && area[point] == Stone::Space) {
                area[point] = color.stone();
            }
        }
    }
}

/// The enclosed region of an empty point. Its points are appended to `list`, and `of_point` gets its number.
fn enclosed_region(
    board: &UndoBoard,
    color: Color,
    suicide: bool,
    start: Point,
    number: u16,
    of_point: &mut PointMap<u16>,
    list: &mut Vec<Point>,
) -> EnclosedRegion {
    let first = list.len();
    let mut region = EnclosedRegion { first, count: 0, vital: [None; 4], inner: 0, has_enemy: false, is_open: false };
    for (slot, &head) in region.vital.iter_mut().zip(board.heads_around(color, start).as_slice()) {
        *slot = Some(head);
    }
    list.push(start);
    of_point[start] = number;
    while let Some(&point) = list.get(first + region.count) {
        region.count += 1;
        let is_enemy = board.stone(point) != Stone::Space;
        region.has_enemy |= is_enemy;
        if region.inner < 2 && !board.touches(color, point) {
            region.inner += 1;
        }
        if suicide || !is_enemy {
            for slot in &mut region.vital {
                *slot = slot.filter(|&head| board.chain_touches(head, point));
            }
        }
        for neighbor in board.neighbors(point) {
            let stone = board.stone(neighbor);
            if stone != color.stone() && stone != Stone::Wall && of_point[neighbor] == u16::MAX {
                of_point[neighbor] = number;
                list.push(neighbor);
            }
        }
    }
    region
}

/// The stones of an area and the surrounded points of its parts that are not in seki, and the number of White's such
/// parts less Black's. A part is in seki if it touches a neutral point or has a stone of its owner in atari.
fn without_seki(board: &UndoBoard, area: &PointMap<Stone>) -> (PointMap<Stone>, i32) {
    let is_part = |point: Point| board.coordinate().contains(point) && area[point] != Stone::Space;
    let is_neutral = |point: Point| board.stone(point) == Stone::Space && area[point] == Stone::Space;
    let is_weak = |point: Point| {
        (board.stone(point) == area[point] && board.liberties(point) == 1)
            || board.neighbors(point).into_iter().any(is_neutral)
    };
    let mut queue = Vec::new();
    // marks the part at a point
    let mut fill = |start: Point, marks: &mut PointSet| {
        queue.push(start);
        marks.insert(start);
        while let Some(point) = queue.pop() {
            for neighbor in board.neighbors(point) {
                if is_part(neighbor) && area[neighbor] == area[start] && marks.insert(neighbor) {
                    queue.push(neighbor);
                }
            }
        }
    };
    let (mut seki, mut independent) = (PointSet::new(), PointSet::new());
    for point in board.coordinate().points().filter(|&point| is_part(point)) {
        if !seki.contains(point) && is_weak(point) {
            fill(point, &mut seki);
        }
    }
    let (mut owners, mut count) = (PointMap::new(Stone::Space), 0);
    for point in board.coordinate().points().filter(|&point| is_part(point)) {
        if !seki.contains(point) && !independent.contains(point) {
            fill(point, &mut independent);
            count += if area[point] == Stone::White { 1 } else { -1 };
        }
        if independent.contains(point) || area[point] == board.stone(point) {
            owners[point] = area[point];
        }
    }
    (owners, count)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{GameRule, parse_diagram};

    /// Owners drawn as a board: `x` and `o` for the players, `.` for neither.
    fn drawn(board: &str, rule: &str, suicide: bool) -> (String, i32) {
        let board = parse_diagram(board).unwrap();
        let tax = GameRule::with_komi(0.0).with_rule_set(rule).unwrap().tax;
        let area = Area::new(&UndoBoard::new(board.coordinate(), board.stones(), None), tax, suicide);
        let width = usize::from(board.coordinate().width());
        let owners: Vec<char> = board.coordinate().points().map(|p| area.owner(p).map_or('.', Color::symbol)).collect();
        let rows: Vec<String> = owners.chunks(width).map(|row| row.iter().collect()).collect();
        (rows.join("\n"), area.white_minus_black)
    }

    #[test]
    fn dead_stones_within_living_chains() {
        let board = ".x.xo.\nxxxxo.\no.xoo.\n.xxo..";
        let (owners, score) = drawn(board, "chinese", false);
        assert_eq!(owners, "xxxxoo\nxxxxoo\nxxxooo\nxxxooo");
        assert_eq!(score, 10 - 14);
    }

    #[test]
    fn suicide_makes_an_eye_with_an_enemy_stone_unsafe() {
        // the region of three points with a white stone touches the chain at its empty points only
        let board = "oo.x.\n.xxxx\nxxxxx";
        let without = drawn(board, "chinese", false);
        let with = drawn(board, "chinese", true);
        assert_eq!(without.0, "xxxxx\nxxxxx\nxxxxx");
        assert_eq!(with.0, "oo.xx\n.xxxx\nxxxxx");
    }

    #[test]
    fn taxes() {
        // two living groups, each of two eyes in one part
        let board = ".x.x.o.o.\nxxxx.oooo";
        assert_eq!(drawn(board, "chinese", false).0, "xxxx.oooo\nxxxx.oooo");
        // a neutral point between them: both touch it, so the eyes do not count
        assert_eq!(drawn(board, "stone-scoring", false).0, ".x.x.o.o.\nxxxx.oooo");
        let board = ".x.xo.o.\nxxxxoooo";
        assert_eq!(drawn(board, "stone-scoring", false), ("xxxxoooo\nxxxxoooo".to_owned(), 0));
        // Black has two parts, White one
        let board = ".x.xo.o.ox.\nxxxxooooox.\n.x.xo.o.oxx";
        let (_, score) = drawn(board, "stone-scoring", false);
        assert_eq!(score, 15 - 18 + 2);
    }
}
