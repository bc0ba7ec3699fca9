//! The status of stones: alive, dead or in seki. Scores, status lists, results and passes all use it.
//!
//! Three methods, the most reliable first:
//! 1. unconditional life ([`benson()`]): such rens are alive, and enemy stones in their territory are dead;
//! 2. [`seki`], where a local search recognises it;
//! 3. the ownership of all other stones, as a mean over a group of connected rens: by playouts, or by a net with a score
//!    head.
//!
//! In the score of a finished game, [`group_search`](crate::player::group_search) decides groups that the third method
//! leaves unsettled.
//!
//! The playouts start from the stones and the side to move alone, which also determine the RNG seed. So by playouts the
//! same position always has the same status, whatever its history is.

use std::collections::BTreeMap;

use crate::kernel::region::{regions, regions_without_living_stones};
use crate::kernel::{Benson, Board, Color, GameRule, Point, PointSet, Position, Stone, Symmetry, benson};
use crate::net::Net;
use crate::player::fixed_search::{FixedSearch, TREE_BYTES, seed};
use crate::player::seki;
use crate::search::{Limits, Searcher};

/// A group is dead if the mean ownership of its points is below this: 1 is always the group's colour, -1 always the
/// opponent's.
///
/// Tuned on finished games of another program. In playouts dead stones live too often, so their mean is often slightly
/// above zero, while that of weak living stones is rarely below 0.15.
const DEAD_BELOW: f32 = 0.1;

/// The absolute mean ownership of a group from which its status is clear: three of four playouts agree.
pub(crate) const CLEAR_OWNERSHIP: f32 = 0.5;

/// The status of every stone on a board. Each stone is in exactly one of the three sets, together with its whole ren.
#[derive(Clone, Debug)]
pub struct Status {
    /// Living stones, except those in seki.
    pub alive: PointSet,
    /// Stones in seki, of both colours.
    pub seki: PointSet,
    /// Stones that are removed before scoring.
    pub dead: PointSet,
    /// Mean ownership of every cell of the walled board, at the end of playouts or as a net predicts it, by
    /// [`Point::index`]: 1 for Black, -1 for White, 0 on the frame.
    pub ownership: Vec<f32>,
}

impl Status {
    /// Whether stones of both colours are alive or in seki.
    pub(super) fn has_both_colors(&self, board: &Board) -> bool {
        Color::BOTH
            .iter()
            .all(|color| self.alive.iter().chain(self.seki.iter()).any(|point| board.stone(point) == color.stone()))
    }

    /// The status with one group dead.
    pub(super) fn with_dead_group(&self, board: &Board, group: &[Point]) -> Status {
        let mut dead = self.dead;
        dead.extend(group.iter().copied());
        self.with_dead(board, dead)
    }

    /// The status with one group alive.
    pub(super) fn with_living_group(&self, board: &Board, group: &[Point]) -> Status {
        let mut dead = self.dead;
        group.iter().for_each(|&point| dead.remove(point));
        self.with_dead(board, dead)
    }

    fn with_dead(&self, board: &Board, mut dead: PointSet) -> Status {
        revive_unopposed_stones(board, &mut dead);
        Status::new(board, self.seki, dead, self.ownership.clone())
    }

    /// The points whose fate is proven: stones in seki, and the living stones and territory of both colours by
    /// unconditional life.
    pub(super) fn proven_points(&self, board: &Board) -> PointSet {
        let mut proven = self.seki;
        for life in Color::BOTH.map(|color| benson(board, color)) {
            proven.extend(life.alive.iter().chain(life.territory.iter()));
        }
        proven
    }

    /// All stones that are neither in seki nor dead are alive.
    fn new(board: &Board, seki: PointSet, dead: PointSet, ownership: Vec<f32>) -> Status {
        let stones = board.coordinate().points().filter(|&p| board.stone(p) != Stone::Space);
        let alive = stones.filter(|&p| !dead.contains(p) && !seki.contains(p)).collect();
        Status { alive, seki, dead, ownership }
    }
}

/// The number of playouts for the status of stones on a board of `area` points: `200000 / area`, from 200 to 1000. From
/// 15x15 up to 25x25 the time is about the same, near a tenth of a second, and less on smaller boards.
pub fn status_playouts(area: usize) -> usize {
    (200_000 / area.max(1)).clamp(200, 1000)
}

/// The status of every stone of a position: [by a net](status_by_net) of KataGo; without one, also with a native net,
/// from the [usual number](status_playouts) of new playouts.
pub(super) fn status_by_katago_or_playouts(position: &Position, net: Option<&Net>) -> Status {
    match net.filter(|net| net.katago().is_some()) {
        Some(net) => status_by_net(position, net),
        None => status_by_playouts(position, seki::MAX_NODES),
    }
}

/// The status of every stone of a position whose move was searched by playouts: from new playouts, with a shorter
/// search for seki than in a score. After a search by net the ownership of that search gives the status instead.
pub(super) fn status_for_move(position: &Position) -> Status {
    status_by_playouts(position, seki::MAX_NODES_OF_MOVE)
}

/// The status of every stone from the usual number of new playouts. The search for seki visits `seki_nodes` nodes at
/// most.
fn status_by_playouts(position: &Position, seki_nodes: usize) -> Status {
    let board = position.board();
    let playouts = status_playouts(board.coordinate().board_area());
    classify_with_ownership(board, ownership(board, position.to_move(), playouts), seki_nodes)
}

/// The status of every stone, from new playouts; see [`status_playouts`] for their number. After a first quarter, which
/// estimates the lead, half of the rest starts with each player. Part of the library for other programs and for tests:
/// the engine itself takes the ownership of a net of KataGo if it has one.
pub fn classify_stones(board: &Board, to_move: Color, playouts: usize) -> Status {
    classify_with_ownership(board, ownership(board, to_move, playouts), seki::MAX_NODES)
}

/// The status of every stone by a known ownership, as in [`Status::ownership`].
pub(super) fn classify_with_ownership(board: &Board, ownership: Vec<f32>, seki_nodes: usize) -> Status {
    let safe = Color::BOTH.map(|color| benson(board, color));
    let seki = seki::find_seki(board, &safe, seki_nodes);
    classify_others(board, &safe, seki, ownership)
}

/// The status of every stone by a known ownership, without the search for seki, which takes time.
pub(super) fn classify_without_seki(board: &Board, ownership: Vec<f32>) -> Status {
    let safe = Color::BOTH.map(|color| benson(board, color));
    classify_others(board, &safe, PointSet::new(), ownership)
}

/// Adds the status of the stones that are neither unconditionally alive nor in seki.
fn classify_others(board: &Board, safe: &[Benson; 2], seki: PointSet, ownership: Vec<f32>) -> Status {
    let mut dead = PointSet::new();
    for group in groups(board) {
        if is_dead(board, safe, &seki, &ownership, &group) {
            group.iter().for_each(|&point| {
                dead.insert(point);
            });
        }
    }
    revive_unopposed_stones(board, &mut dead);
    Status::new(board, seki, dead, ownership)
}

/// The status of every stone of a position by the ownership of a net with a score head.
pub(super) fn status_by_net(position: &Position, net: &Net) -> Status {
    classify_with_ownership(position.board(), ownership_by_net(position, net), seki::MAX_NODES)
}

/// The ownership of each cell of the walled board by a net, as a mean over the symmetries of the board.
fn ownership_by_net(position: &Position, net: &Net) -> Vec<f32> {
    let coordinate = position.board().coordinate();
    let symmetries: Vec<Symmetry> = Symmetry::all().collect();
    let output = net.evaluate_position(position, position.to_move(), &symmetries);
    let mut means = vec![0.0; coordinate.memory_area()];
    for (point, owner) in coordinate.points_from_highest_rank().zip(&output.ownership) {
        if let Some(mean) = means.get_mut(point.index()) {
            *mean = owner * f32::from(position.to_move().sign());
        }
    }
    means
}

/// The mean ownership of each cell of the walled board: see [`Status::ownership`].
///
/// A quarter of the playouts estimates the lead. The others add that lead of Black's to the komi, so that the game is
/// even and the search explores the moves that would decide it.
fn ownership(board: &Board, to_move: Color, playouts: usize) -> Vec<f32> {
    let coordinate = board.coordinate();
    let mut position = Position::new(coordinate, GameRule::with_komi(0.0), 0, to_move);
    let mut means = vec![0.0; coordinate.memory_area()];
    if position.set_up(board.stones()).is_err() {
        return means;
    }
    let seed = seed(board, to_move);
    let search = |color: Color, playouts: usize, extra_komi: f64| {
        let search = FixedSearch { extra_komi, ..FixedSearch::new(&position, color) };
        search.run(&mut Searcher::new(TREE_BYTES, seed), Limits::playouts(playouts as u64))
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

/// The stones of the board in groups of rens that live or die together.
///
/// Rens of a colour belong together if they have two liberties in common, because the opponent can take only one of
/// them; or if they are the only rens around an empty region, because the eyes in it are eyes of all of them. Points
/// are in row-by-row order from A1, groups in the order of their first points.
pub(crate) fn groups(board: &Board) -> Vec<Vec<Point>> {
    let mut sets = UnionFind::new(board);
    for region in regions(board.coordinate(), |p| board.stone(p) == Stone::Space) {
        if region.only_color(board).is_some() {
            for (&a, &b) in region.border.iter().zip(region.border.iter().skip(1)) {
                sets.unite(a, b);
            }
        }
    }
    for (a, b) in double_links(board, &sets) {
        sets.unite(a, b);
    }
    let mut groups = sets.groups(board);
    groups.sort_unstable();
    groups
}

/// Pairs of rens of a colour with two or more common liberties; each ren by its root.
fn double_links(board: &Board, sets: &UnionFind) -> Vec<(Point, Point)> {
    let mut links = BTreeMap::new();
    for &empty in board.empty_points() {
        let around = board.coordinate().neighbors(empty).into_iter().filter(|&p| board.stone(p).color().is_some());
        let mut roots: Vec<Point> = around.map(|p| sets.root(p)).collect();
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

/// Disjoint sets of stones: every stone points to another stone of its group, and the root to itself.
struct UnionFind(Vec<Point>);

impl UnionFind {
    /// Each ren of a board as a group.
    fn new(board: &Board) -> UnionFind {
        let mut sets = UnionFind(vec![Point::default(); board.coordinate().memory_area()]);
        for point in board.coordinate().points() {
            let root = board.ren_points(point).min().unwrap_or(point);
            sets.set(point, root);
        }
        sets
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

    /// The stones of each group, in the order of the roots.
    fn groups(&self, board: &Board) -> Vec<Vec<Point>> {
        let mut groups: BTreeMap<Point, Vec<Point>> = BTreeMap::new();
        for point in board.coordinate().points().filter(|&p| board.stone(p) != Stone::Space) {
            groups.entry(self.root(point)).or_default().push(point);
        }
        groups.into_values().collect()
    }
}

/// Whether a group is dead: not if it is unconditionally alive or in seki; yes inside the opponent's territory; else by
/// its mean ownership.
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
    mean_ownership(board, ownership, group).is_some_and(|mean| mean < DEAD_BELOW)
}

/// The player whose ownership of a point is at least `min_ownership`, from 0 to 1.
pub(super) fn owner(ownership: &[f32], point: Point, min_ownership: f32) -> Option<Color> {
    match ownership.get(point.index()) {
        Some(&owner) if owner >= min_ownership => Some(Color::Black),
        Some(&owner) if owner <= -min_ownership => Some(Color::White),
        _ => None,
    }
}

/// The mean ownership of a group from the perspective of its owner; `None` without stones.
pub(crate) fn mean_ownership(board: &Board, ownership: &[f32], group: &[Point]) -> Option<f32> {
    let color = board.stone(*group.first()?).color()?;
    let sum: f32 = group.iter().filter_map(|p| ownership.get(p.index())).sum();
    Some(sum * f32::from(color.sign()) / group.len() as f32)
}

/// The points with a stone.
pub(crate) fn all_stones(board: &Board) -> PointSet {
    PointSet::of_cells(board.stones(), |stone| stone.color().is_some())
}

/// Removes stones from `dead` that no living stone of the opponent borders, counting dead stones as empty: the opponent
/// could not capture them.
fn revive_unopposed_stones(board: &Board, dead: &mut PointSet) {
    for region in regions_without_living_stones(board, dead) {
        let is_unopposed =
            |&&p: &&Point| board.stone(p).color().is_some_and(|color| !region.is_bordered_by(board, color.opponent()));
        let alive: Vec<Point> = region.points.iter().filter(is_unopposed).copied().collect();
        alive.into_iter().for_each(|p| dead.remove(p));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::parse_diagram;

    #[test]
    fn groups_share_two_liberties_or_an_eye() {
        let board = parse_diagram(
            "
            . x . . o
            x . . . .
            x . . . o
            . . . x .
            . . x . .
            ",
        )
        .unwrap();
        let vertices = |group: Vec<Point>| {
            let vertices = group.into_iter().map(|point| board.coordinate().vertex(point).to_string());
            vertices.collect::<Vec<_>>().join(" ")
        };
        // A1 is an eye of its two rens; C5 and D4 share two liberties, E1 and E3 one
        let found: Vec<String> = groups(&board).into_iter().map(vertices).collect();
        assert_eq!(found, ["B1 A2 A3", "E1", "E3", "D4 C5"]);
    }
}
