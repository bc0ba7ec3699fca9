//! The status of groups that playouts leave open, by a search for the result that depends on it.
//!
//! The mean ownership of playouts says little about a group that lives by one exact answer. The score with the group
//! alive and the score without it lie apart. With komi half-way between them, the player who needs the one or the other
//! wins a search from the position by saving or killing the group, whoever is to move.

use crate::kernel::{Board, Color, Point, Position};
use crate::player::status::{Status, groups};
use crate::search::params::Params;
use crate::search::{Limits, SearchRequest, Searcher, StopSignal};

/// The mean ownership of a group, from -1 for the opponent to 1 for its owner, that leaves its status open.
const OPEN: std::ops::Range<f32> = -0.4..0.4;

/// Groups whose status is searched, at most.
const MAX_GROUPS: usize = 3;

/// The least difference in points that a group has to make.
const MIN_SWING: f64 = 3.0;

/// Playouts of the stages of a search; the next one follows while the result is open.
const STAGES: [u64; 3] = [2000, 4000, 8000];

/// Win probabilities that leave the result open.
const UNCLEAR: std::ops::Range<f32> = 0.25..0.75;

/// Memory of a search tree in bytes.
const TREE_BYTES: usize = 32 << 20;

/// The status of a finished game with its open groups decided, those first that make the greatest difference. `margin`
/// is Black's for a status.
pub(super) fn decide_open_groups(position: &Position, mut status: Status, margin: impl Fn(&Status) -> f64) -> Status {
    let both = |status: &Status, group: &[Point]| {
        [false, true].map(|is_dead| {
            let status = with_group(status, group, is_dead);
            (margin(&status), status)
        })
    };
    let swing = |group: &[Point]| {
        let [(if_alive, _), (if_dead, _)] = both(&status, group);
        (if_alive - if_dead).abs()
    };
    let open = open_groups(position.board(), &status).into_iter().map(|group| (swing(&group), group));
    let mut open: Vec<_> = open.filter(|&(swing, _)| swing >= MIN_SWING).collect();
    open.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, group) in open.into_iter().take(MAX_GROUPS) {
        let [(if_alive, alive), (if_dead, dead)] = both(&status, &group);
        let black = black_wins(position, (if_alive + if_dead) / 2.0);
        status = if (black > 0.5) == (if_alive > if_dead) { alive } else { dead };
    }
    status
}

/// The groups whose status is open, neither in seki nor decided by unconditional life.
fn open_groups(board: &Board, status: &Status) -> Vec<Vec<Point>> {
    let is_open = |group: &Vec<Point>| {
        let Some(color) = group.first().and_then(|&p| board.stone(p).color()) else { return false };
        let sum: f32 = group.iter().filter_map(|p| status.ownership.get(p.index())).sum();
        let mean = sum * f32::from(color.sign()) / group.len() as f32;
        OPEN.contains(&mean) && !group.iter().any(|&p| status.seki.contains(p))
    };
    groups(board).into_iter().filter(is_open).collect()
}

/// The status with one group dead or alive.
fn with_group(status: &Status, group: &[Point], is_dead: bool) -> Status {
    let mut status = status.clone();
    for &point in group {
        let (from, to) = match is_dead {
            true => (&mut status.alive, &mut status.dead),
            false => (&mut status.dead, &mut status.alive),
        };
        from.remove(point);
        to.insert(point);
    }
    status
}

/// The probability that Black gets more than a margin, with the side to move of the position.
fn black_wins(position: &Position, margin: f64) -> f32 {
    let color = position.to_move();
    let mut searcher = Searcher::new(TREE_BYTES, position.hash());
    let mut probability = 0.5;
    for playouts in STAGES {
        let result = searcher.search(&SearchRequest {
            position,
            color,
            limits: Limits::playouts(playouts),
            threads: 1,
            params: &Params::default(),
            extra_komi: margin,
            restrictions: None,
            net: None,
            stop_signal: &StopSignal::default(),
        });
        let value = result.best().map_or(0.5, |best| best.value);
        probability = if color == Color::Black { value } else { 1.0 - value };
        if !UNCLEAR.contains(&probability) {
            break;
        }
    }
    probability
}
