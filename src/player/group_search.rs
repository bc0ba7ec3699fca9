//! The status of groups that playouts leave unsettled.
//!
//! A search from the position decides. Its komi is half-way between the score with the group alive and the score with
//! it dead, so the owner wins by saving it and the opponent by capturing it, with the side to move of the position.

use crate::kernel::{Color, Point, Position};
use crate::player::fixed_search::{
    FixedSearch, SearchStage, TREE_BYTES, UserInterrupt, search_in_stages, seed, without_history,
};
use crate::player::status::{Status, groups, mean_ownership};
use crate::search::Searcher;

/// The mean ownership of a group, from -1 for the opponent to 1 for its owner, that leaves its status unsettled.
const UNSETTLED_OWNERSHIP: std::ops::Range<f32> = -0.3..0.35;

/// Smaller groups are left to the fill-in: their ownership is that of the region around them.
const MIN_STONES: usize = 6;

/// Groups whose status is searched, at most.
const MAX_GROUPS: usize = 3;

/// The least difference in points that a group has to make.
const MIN_SWING: f64 = 3.0;

/// Playouts of the stages of a search; the next one follows while the status is unsettled.
const STAGES: [u64; 3] = [2000, 4000, 8000];

/// Win probabilities that leave the status unsettled.
const UNSETTLED_PROBABILITY: std::ops::Range<f32> = 0.25..0.75;

/// Playouts for one position, at most: the first group gets all stages, further ones what is left.
const MAX_PLAYOUTS: u64 = 20_000;

/// Decides the unsettled groups at the end of a game, those worth most first. `margin` is Black's margin for a status,
/// `None` if the endgame cannot be filled in with it.
pub(super) fn resolve_unsettled_groups(
    position: &Position,
    mut status: Status,
    margin: impl Fn(&Status) -> Option<f64>,
    interrupt: UserInterrupt<'_>,
) -> Status {
    let board = position.board();
    let alternatives = |status: &Status, group: &[Point]| {
        let (alive, dead) = (status.with_living_group(board, group), status.with_dead_group(board, group));
        Some([(margin(&alive)?, alive), (margin(&dead)?, dead)])
    };
    let swing = |group: &[Point]| {
        let [(if_alive, _), (if_dead, _)] = alternatives(&status, group)?;
        Some((if_alive - if_dead).abs())
    };
    let unsettled = unsettled_groups(position, &status).into_iter().filter_map(|group| Some((swing(&group)?, group)));
    let mut unsettled: Vec<_> = unsettled.filter(|&(swing, _)| swing >= MIN_SWING).collect();
    unsettled.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut playouts = MAX_PLAYOUTS;
    for (_, group) in unsettled.into_iter().take(MAX_GROUPS) {
        let Some([(if_alive, alive), (if_dead, dead)]) = alternatives(&status, &group) else { continue };
        let margin = (if_alive + if_dead) / 2.0;
        let Some(black) = black_win_probability(position, margin, &mut playouts, interrupt) else { break };
        status = if (black > 0.5) == (if_alive > if_dead) { alive } else { dead };
    }
    status
}

/// The groups whose status is unsettled, neither in seki nor decided by unconditional life.
fn unsettled_groups(position: &Position, status: &Status) -> Vec<Vec<Point>> {
    let board = position.board();
    let proven = status.proven_points(board);
    let is_unsettled = |group: &Vec<Point>| {
        group.len() >= MIN_STONES
            && mean_ownership(board, &status.ownership, group).is_some_and(|mean| UNSETTLED_OWNERSHIP.contains(&mean))
            && !group.iter().any(|&point| proven.contains(point))
    };
    groups(board).into_iter().filter(is_unsettled).collect()
}

/// The probability that Black gets more than a margin, with the side to move of the position; `None` without playouts, and
/// after an interrupt.
fn black_win_probability(
    position: &Position,
    margin: f64,
    playouts_left: &mut u64,
    interrupt: UserInterrupt<'_>,
) -> Option<f32> {
    let color = position.to_move();
    let (start, points) = without_history(position)?;
    let mut searcher = Searcher::new(TREE_BYTES, seed(position.board(), color));
    let search = FixedSearch { extra_komi: margin - points, interrupt, ..FixedSearch::new(&start, color) };
    let stages = STAGES.map(|playouts| SearchStage::new(playouts, UNSETTLED_PROBABILITY));
    let result = search_in_stages(&mut searcher, &search, Color::Black, stages, playouts_left)?;
    Some(result.win_probability)
}
