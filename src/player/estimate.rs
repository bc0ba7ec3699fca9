//! The estimate of an unfinished position: its points by their probable owners.
//!
//! The owner of a point is probable by the status of its stone, or by the ownership of an empty point. The bounds from
//! which an owner counts are such that the score comes near to the expected lead.

use crate::kernel::{Board, Color, Point, PointSet, Position, Score, score_of_areas, without_taxed_territory};
use crate::player::status::{Status, all_stones, groups, mean_ownership, owner};

/// The absolute ownership from which a point counts for its owner in an estimate, if no other bound brings the estimate
/// nearer to the expected lead.
pub(super) const USUAL_OWNERSHIP_BOUND: f32 = 0.4;

/// The bounds from which an empty point counts for its owner in an estimate.
const OWNERSHIP_BOUNDS: std::ops::RangeInclusive<f32> = 0.05..=0.9;

/// The score of a position whose points go to their probable owners.
pub(super) struct Estimate {
    /// The status of each stone.
    pub(super) status: Status,
    pub(super) score: Score,
    /// The points of Black and of White, without taxed territory.
    pub(super) areas: [PointSet; 2],
}

/// The estimate of an unfinished position: owners of its points that give a score near to Black's expected `lead`. If
/// that is unknown, it is taken to be the sum of the ownership.
pub(super) fn estimate(position: &Position, status: Status, lead: Option<f64>) -> Estimate {
    let board = position.board();
    let status = with_expected_groups(board, status);
    let usual = probable_score(position, status.clone(), USUAL_OWNERSHIP_BOUND);
    let usual_sum = sum_of_owners(board, &status, USUAL_OWNERSHIP_BOUND);
    let expected = match lead {
        // komi and prisoners, which no bound changes, are the difference of score and owners
        Some(lead) => usual_sum + (lead - usual.score.margin()) as f32,
        None => board.coordinate().points().map(|point| ownership_of(&status, point)).sum(),
    };
    let bound = bound_near(board, &status, usual_sum, expected);
    if bound == USUAL_OWNERSHIP_BOUND { usual } else { probable_score(position, status, bound) }
}

/// A status whose undecided groups are dead or alive so that the sum over the owners of all stones comes near to the sum
/// of their ownership: first those groups that are nearest to even.
fn with_expected_groups(board: &Board, mut status: Status) -> Status {
    let stones = all_stones(board);
    let expected: f32 = stones.iter().map(|p| ownership_of(&status, p)).sum();
    let mut estimated: f32 =
        stones.iter().map(|p| sign(probable_owner(board, &status, p, USUAL_OWNERSHIP_BOUND))).sum();
    for group in undecided_groups(board, &status) {
        let Some((color, &first)) = group.first().and_then(|p| Some((board.stone(*p).color()?, p))) else { continue };
        let is_dead = status.dead.contains(first);
        let swing = if is_dead { 2.0 } else { -2.0 } * group.len() as f32 * sign(Some(color));
        if (estimated + swing - expected).abs() < (estimated - expected).abs() {
            status = match is_dead {
                true => status.with_living_group(board, &group),
                false => status.with_dead_group(board, &group),
            };
            estimated += swing;
        }
    }
    status
}

/// Black's points less White's, if every point goes to its probable owner.
fn sum_of_owners(board: &Board, status: &Status, bound: f32) -> f32 {
    board.coordinate().points().map(|point| sign(probable_owner(board, status, point, bound))).sum()
}

/// The absolute ownership from which empty points have to count for their owners so that [`sum_of_owners`] comes
/// near to an expected sum; `usual_sum` is that by [`USUAL_OWNERSHIP_BOUND`]. Early in a game most points belong to
/// neither player by it, and yet a lead is expected.
fn bound_near(board: &Board, status: &Status, usual_sum: f32, expected: f32) -> f32 {
    let mut empty: Vec<f32> = board.empty_points().iter().map(|&p| ownership_of(status, p)).collect();
    empty.sort_by(|one, other| other.abs().total_cmp(&one.abs()));
    let error = |sum: f32| (sum - expected).abs();
    let mut nearest = (error(usual_sum), USUAL_OWNERSHIP_BOUND);
    let mut sum = sum_of_owners(board, status, *OWNERSHIP_BOUNDS.end());
    empty.retain(|owner| owner.abs() < *OWNERSHIP_BOUNDS.end() && owner.abs() >= *OWNERSHIP_BOUNDS.start());
    for owners in empty.chunk_by(|one, other| one.abs() == other.abs()) {
        sum += owners.iter().map(|owner| owner.signum()).sum::<f32>();
        let (found, bound) = (error(sum), owners.first().map_or(0.0, |owner| owner.abs()));
        // a bound takes the place of the nearest one if its sum is nearer by more than half a point, or no farther and
        // the bound closer to the usual one
        let is_nearer = found + 0.5 < nearest.0;
        let is_as_near =
            found <= nearest.0 && (bound - USUAL_OWNERSHIP_BOUND).abs() < (nearest.1 - USUAL_OWNERSHIP_BOUND).abs();
        if is_nearer || is_as_near {
            nearest = (found, bound);
        }
    }
    nearest.1
}

/// The ownership of a point, 0 where it is unknown.
fn ownership_of(status: &Status, point: Point) -> f32 {
    status.ownership.get(point.index()).copied().unwrap_or_default()
}

/// The score if every point goes to its probable owner.
pub(super) fn probable_score(position: &Position, status: Status, bound: f32) -> Estimate {
    let board = position.board();
    let owned = Color::BOTH.map(|color| {
        let points = board.coordinate().points();
        points.filter(|&p| probable_owner(board, &status, p, bound) == Some(color)).collect()
    });
    let input = position.score_input(&status.dead, &status.seki);
    let score = score_of_areas(&input, &owned);
    let areas = without_taxed_territory(&input, owned);
    Estimate { status, score, areas }
}

/// The probable owner of a point: of a stone by its status, of an empty point by ownership of at least `bound` in
/// absolute value.
fn probable_owner(board: &Board, status: &Status, point: Point, bound: f32) -> Option<Color> {
    match board.stone(point).color() {
        Some(color) if status.dead.contains(point) => Some(color.opponent()),
        Some(color) => Some(color),
        None => owner(&status.ownership, point, bound),
    }
}

/// 1 for Black, -1 for White, 0 for neither.
fn sign(owner: Option<Color>) -> f32 {
    owner.map_or(0.0, |color| f32::from(color.sign()))
}

/// The groups whose mean ownership is below [`USUAL_OWNERSHIP_BOUND`] in absolute value, those nearest to even first;
/// groups with [proven points](Status::proven_points) are left out.
fn undecided_groups(board: &Board, status: &Status) -> Vec<Vec<Point>> {
    let proven = status.proven_points(board);
    let with_mean = |group: Vec<Point>| Some((mean_ownership(board, &status.ownership, &group)?.abs(), group));
    let mut undecided: Vec<(f32, Vec<Point>)> = groups(board).into_iter().filter_map(with_mean).collect();
    undecided
        .retain(|(mean, group)| *mean < USUAL_OWNERSHIP_BOUND && !group.iter().any(|&point| proven.contains(point)));
    undecided.sort_by(|one, other| one.0.total_cmp(&other.0));
    undecided.into_iter().map(|(_, group)| group).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{GameRule, parse_diagram};
    use crate::player::status::classify_without_seki;

    #[test]
    fn undecided_groups_are_set_by_the_expected_lead() {
        let board = parse_diagram("xxx.ooo\n.......\n.......\n.......\n.......\n.......\n.......").unwrap();
        // the ownership of the stones of Black and White and of the empty points; then who lives in the estimate
        for (black, white, empty, expected) in [
            // a group is dead below 0.1, unless that is farther from the sum over the stones
            (0.05, -1.0, 0.0, "black white"),
            (1.0, -0.05, 0.1, "black white"),
            (-0.05, -1.0, -0.1, "white"),
            (1.0, 0.05, 0.0, "black"),
            // two undecided groups
            (0.3, 0.3, 0.0, "black white"),
            (0.05, -0.05, 0.0, "black white"),
            // a decided group stays
            (0.45, -1.0, -0.1, "black white"),
        ] {
            let mut ownership = vec![0.0; board.coordinate().memory_area()];
            for point in board.coordinate().points() {
                ownership[point.index()] = match board.stone(point).color() {
                    Some(Color::Black) => black,
                    Some(Color::White) => white,
                    None => empty,
                };
            }
            let status = with_expected_groups(&board, classify_without_seki(&board, ownership));
            let lives = |color: &Color| status.alive.iter().any(|point| board.stone(point) == color.stone());
            let living: Vec<String> = Color::BOTH.iter().filter(|color| lives(color)).map(Color::to_string).collect();
            assert_eq!(living.join(" "), expected, "{black} {white} {empty}");
        }
    }

    /// Early in a game few points have a clear owner, and the estimate is the expected lead all the same.
    #[test]
    fn estimates_come_near_to_the_expected_lead() {
        let rule = GameRule::with_komi(0.0);
        for (strength, rows) in [
            (0.3, "..x.x..\n.......\n.......\n.......\n.......\n.......\n..o.o.."),
            (0.95, "x......\n.......\n.......\n.......\n.......\n.......\n......."),
        ] {
            let board = parse_diagram(rows).unwrap();
            let coordinate = board.coordinate();
            let mut ownership = vec![0.0; coordinate.memory_area()];
            for (number, point) in coordinate.points().enumerate() {
                ownership[point.index()] = match board.stone(point).color() {
                    Some(color) => 0.9 * f32::from(color.sign()),
                    None => strength * (0.4 + number as f32 / 80.0),
                };
            }
            let expected: f32 = ownership.iter().sum();
            let mut position = Position::new(coordinate, rule, 0, Color::Black);
            position.edit(board.stones()).unwrap();
            let status = classify_without_seki(&board, ownership);
            let found = estimate(&position, status.clone(), None).score.margin();
            assert!((found - f64::from(expected)).abs() <= 1.0, "{strength}: {found}, expected {expected}");
            let found = estimate(&position, status, Some(7.0)).score.margin();
            assert!((found - 7.0).abs() <= 1.0, "{strength}: {found}");
        }
    }
}
