//! Which stones are alive, dead or in seki: the one judgement for scores, status lists, results and passing.
//!
//! Three judges, the surest first:
//! 1. unconditional life ([`benson()`]): such rens live, and enemy stones in their territory are dead;
//! 2. [`seki`], where a short search finds it;
//! 3. for all other stones, who owns their points at the end of the playouts of a search. Rens that hang together are
//!    judged as one.
//!
//! The search begins from the stones alone and its chance from the stones too, so that the same position is always
//! judged the same, whatever was played and taken back before.

use std::collections::BTreeMap;

use crate::kernel::region::regions;
use crate::kernel::{Benson, Board, Color, GameRule, Point, PointSet, Position, Stone, benson};
use crate::player::seki;
use crate::search::limits::Limits;
use crate::search::params::Params;
use crate::search::request::SearchRequest;
use crate::search::searcher::Searcher;
use crate::search::stop_signal::StopSignal;

/// Stones are dead if their points are their owner's less than this at the end of playouts: the mean over the points, 1
/// for always the owner's and -1 for always the opponent's.
///
/// Found on finished games of another program: random play finds too many ways to live, so that the mean of dead stones
/// is often a little above zero, while that of weak living ones is seldom below 0.15.
const DEAD_BELOW: f32 = 0.1;

/// Memory of the tree of such a search: room for every playout to add a block.
const TREE_BYTES: usize = 32 << 20;

/// The judgement of a position.
#[derive(Clone, Debug)]
pub struct Status {
    /// Living stones, except those in seki.
    pub alive: PointSet,
    /// Living stones of both colours that neither player can attack without losing more.
    pub seki: PointSet,
    /// Stones that their owner would take off at the end.
    pub dead: PointSet,
    /// For every cell of the walled board, by its index: 1 for a point that is always Black's at the end of playouts, -1
    /// for one that is always White's; 0 on the frame.
    pub ownership: Vec<f32>,
}

/// How many playouts are enough for a board of so many points. Their moves together are as many for every size, within
/// bounds, and take a tenth of a second or so.
pub fn status_playouts(area: usize) -> usize {
    (200_000 / area.max(1)).clamp(200, 1000)
}

/// Judges every stone of a position: each is in exactly one of the three sets, together with its whole ren.
///
/// `playouts` begin half with `to_move` and half with the opponent; see [`effort`].
pub fn classify_stones(board: &Board, to_move: Color, playouts: usize) -> Status {
    judge_by(board, ownership(board, to_move, playouts))
}

/// Judges every stone by who owns the points at the end of playouts that were made before: see [`Status::ownership`].
pub fn judge_by(board: &Board, ownership: Vec<f32>) -> Status {
    let safe = Color::BOTH.map(|color| benson(board, color));
    let seki = seki::find(board, &safe);
    judge_others(board, &safe, seki, ownership)
}

/// As [`judge_by`], without looking for seki: for when there is no time.
pub fn classify_without_seki(board: &Board, ownership: Vec<f32>) -> Status {
    let safe = Color::BOTH.map(|color| benson(board, color));
    judge_others(board, &safe, PointSet::new(), ownership)
}

/// Judges the stones that are neither safe nor in seki.
fn judge_others(board: &Board, safe: &[Benson; 2], seki: PointSet, ownership: Vec<f32>) -> Status {
    let mut dead = PointSet::new();
    for group in groups(board) {
        if is_dead(board, safe, &seki, &ownership, &group) {
            group.iter().for_each(|&point| {
                dead.insert(point);
            });
        }
    }
    revive(board, &mut dead);
    let stones = board.coordinate().points().filter(|&p| board.stone(p) != Stone::Space);
    let alive = stones.filter(|&p| !dead.contains(p) && !seki.contains(p)).collect();
    Status { alive, seki, dead, ownership }
}

/// Who owns each cell of the walled board at the end of playouts: see [`Status::ownership`].
///
/// A quarter of the playouts tell who leads by how much. In the others that lead is taken back by komi, so that the
/// search looks closest at what the game would hang on.
fn ownership(board: &Board, to_move: Color, playouts: usize) -> Vec<f32> {
    let coordinate = board.coordinate();
    let mut position = Position::new(coordinate, GameRule::with_komi(0.0), 0, to_move);
    let mut means = vec![0.0; coordinate.memory_area()];
    if position.set_up(board.stones()).is_err() {
        return means;
    }
    let seed = seed(board, to_move);
    let search = |color: Color, playouts: usize, extra_komi: f64| {
        Searcher::new(TREE_BYTES, seed).search(&SearchRequest {
            position: &position,
            color,
            limits: Limits::playouts(playouts as u64),
            threads: 1,
            params: &Params::default(),
            extra_komi,
            restrictions: None,
            net: None,
            stop_signal: &StopSignal::default(),
        })
    };
    let lead = f64::from(search(to_move, playouts / 4, 0.0).lead).round();
    for color in Color::BOTH {
        let result = search(color, playouts * 3 / 8, lead);
        for (mean, owner) in means.iter_mut().zip(&result.ownership) {
            *mean += owner / 2.0;
        }
    }
    means
}

const fn sign(color: Color) -> i32 {
    match color {
        Color::Black => 1,
        Color::White => -1,
    }
}

/// A number that is the same for the same stones and player: FNV-1a, by Fowler, Noll and Vo.
fn seed(board: &Board, to_move: Color) -> u64 {
    let cells = board.stones().iter().map(|&stone| stone as u64).chain([to_move.index() as u64]);
    cells.fold(0xcbf2_9ce4_8422_2325, |hash, cell| (hash ^ cell).wrapping_mul(0x0100_0000_01b3))
}

/// The stones of the board in groups that live or die as one.
///
/// Rens of a colour hang together if they have two liberties in common, one of which they can always take; or if they
/// surround the same empty points and nobody else touches these, because then the points are eyes of both or of neither.
fn groups(board: &Board) -> Vec<Vec<Point>> {
    let mut forest = UnionFind::new(board);
    for region in regions(board.coordinate(), |p| board.stone(p) == Stone::Space) {
        let mut colors = region.border.iter().filter_map(|&p| board.stone(p).color());
        let first = colors.next();
        if colors.all(|color| Some(color) == first) {
            for (&a, &b) in region.border.iter().zip(region.border.iter().skip(1)) {
                forest.unite(a, b);
            }
        }
    }
    for (a, b) in double_links(board, &forest) {
        forest.unite(a, b);
    }
    forest.groups(board)
}

/// Pairs of rens of a colour that have two or more liberties in common, each ren by its root.
fn double_links(board: &Board, forest: &UnionFind) -> Vec<(Point, Point)> {
    let mut links = BTreeMap::new();
    for &empty in board.empty_points() {
        let around = board.coordinate().neighbors(empty).into_iter().filter(|&p| board.stone(p).color().is_some());
        let mut roots: Vec<Point> = around.map(|p| forest.root(p)).collect();
        roots.sort_unstable();
        roots.dedup();
        for (number, &a) in roots.iter().enumerate() {
            for &b in roots.iter().skip(number + 1).filter(|&&b| board.stone(a) == board.stone(b)) {
                *links.entry((a, b)).or_insert(0) += 1;
            }
        }
    }
    links.into_iter().filter(|&(_, common)| common >= 2).map(|(pair, _)| pair).collect()
}

/// Which stones hang together: every stone points to another of its group, the root to itself.
struct UnionFind(Vec<Point>);

impl UnionFind {
    /// The rens of a board, each a group.
    fn new(board: &Board) -> UnionFind {
        let mut forest = UnionFind(vec![Point::default(); board.coordinate().memory_area()]);
        for point in board.coordinate().points() {
            let root = board.ren_points(point).min().unwrap_or(point);
            forest.set(point, root);
        }
        forest
    }

    fn set(&mut self, point: Point, parent: Point) {
        if let Some(slot) = self.0.get_mut(point.index()) {
            *slot = parent;
        }
    }

    fn root(&self, mut point: Point) -> Point {
        while let Some(&parent) = self.0.get(point.index()).filter(|&&parent| parent != point) {
            point = parent;
        }
        point
    }

    fn unite(&mut self, a: Point, b: Point) {
        let (a, b) = (self.root(a), self.root(b));
        self.set(a, b);
    }

    /// The stones of each group.
    fn groups(&self, board: &Board) -> Vec<Vec<Point>> {
        let mut groups: BTreeMap<Point, Vec<Point>> = BTreeMap::new();
        for point in board.coordinate().points().filter(|&p| board.stone(p) != Stone::Space) {
            groups.entry(self.root(point)).or_default().push(point);
        }
        groups.into_values().collect()
    }
}

/// What the three judges say of a group.
fn is_dead(board: &Board, safe: &[Benson; 2], seki: &PointSet, ownership: &[f32], group: &[Point]) -> bool {
    let Some(color) = group.first().and_then(|&p| board.stone(p).color()) else { return false };
    let [black, white] = safe;
    let (own, other) = if color == Color::Black { (black, white) } else { (white, black) };
    let any = |set: &PointSet| group.iter().any(|&p| set.contains(p));
    if any(&own.alive) || any(seki) {
        return false;
    }
    if any(&other.territory) {
        return true;
    }
    let sum: f32 = group.iter().filter_map(|p| ownership.get(p.index())).sum();
    sum * (sign(color) as f32) < DEAD_BELOW * group.len() as f32
}

/// Takes back deaths that nobody profits by: stones among which no living stone of the opponent is left.
fn revive(board: &Board, dead: &mut PointSet) {
    for region in regions(board.coordinate(), |p| board.stone(p) == Stone::Space || dead.contains(p)) {
        let borders = |color: Color| region.border.iter().any(|&p| board.stone(p) == color.stone());
        let lonely = |&&p: &&Point| board.stone(p).color().is_some_and(|color| !borders(color.opponent()));
        let revived: Vec<Point> = region.points.iter().filter(lonely).copied().collect();
        revived.into_iter().for_each(|p| dead.remove(p));
    }
}
