//! The state of a game as a page shows it.

use std::collections::{BTreeMap, HashMap};

use crate::kernel::benson::benson;
use crate::kernel::{Color, Coordinate, Move, Point, PointSet, Position, Ren, RenId, Stone};
use crate::picture::points::{index, letter, move_index};
use crate::search::SearchResult;
use crate::web::event::{Analysis, ByColor, CandidateMove, Hint, RenOnBoard};
use crate::web::game::NodeEvaluation;

/// Candidates that are shown.
const MAX_CANDIDATES: usize = 30;

/// Moves of a variation that are shown.
const MAX_VARIATION: usize = 20;

/// The stones from the highest rank down: `.`, `x`, `o`.
pub(super) fn board_text(position: &Position) -> String {
    let board = position.board();
    board.coordinate().points_from_highest_rank().map(|point| board.stone(point).symbol()).collect()
}

/// The point of the last move's stone, -1 after a pass; `None` at the start, and if the stone is gone.
pub(super) fn last_move(position: &Position) -> Option<i32> {
    let coordinate = position.board().coordinate();
    match position.record().items().last()?.play {
        Move::Pass => Some(move_index(coordinate, Move::Pass)),
        Move::Play(_) => position.last_stone().map(|point| index(coordinate, point)),
    }
}

/// The empty points where the side to move may not play, each with the name of the rule.
pub(super) fn illegal_points(position: &Position) -> BTreeMap<i32, &'static str> {
    let (board, color) = (position.board(), position.to_move());
    let refused = |&point: &Point| {
        let rule = position.check(color, point).err()?;
        Some((index(board.coordinate(), point), rule.name()))
    };
    board.empty_points().iter().filter_map(refused).collect()
}

/// The prisoners of each colour: the stones that it took.
pub(super) fn prisoners(position: &Position) -> ByColor<u32> {
    ByColor { b: position.prisoners(Color::Black), w: position.prisoners(Color::White) }
}

/// The stones and the territory that cannot be taken even from a player who always passes, of both colours.
pub(super) fn safe_points(position: &Position) -> PointSet {
    let mut safe = PointSet::new();
    for color in Color::BOTH {
        let found = benson(position.board(), color);
        for point in found.alive.iter().chain(found.territory.iter()) {
            safe.insert(point);
        }
    }
    safe
}

/// The rens of the board as the ren database has them.
pub(super) fn rens(position: &Position, safe: &PointSet) -> Vec<RenOnBoard> {
    let (ren_db, now) = (position.ren_db(), position.ordinal());
    let coordinate = position.board().coordinate();
    let known: HashMap<RenId, &Ren> = ren_db.iter().collect();
    let indices = |points: &[Point]| points.iter().map(|&point| index(coordinate, point)).collect();
    let on_board = |(id, ren): (RenId, &Ren)| {
        let color = ren.stone.color().filter(|_| id.ordinal == now)?;
        let at = |ordinal: u32| RenId { ordinal, ..id };
        let is_same = |&ordinal: &u32| {
            let before = known.get(&at(ordinal));
            before.is_some_and(|before| before.stone == ren.stone && before.locations == ren.locations)
        };
        let since = (0..now).rev().take_while(is_same).last().unwrap_or(now);
        Some(RenOnBoard {
            color: letter(color),
            stones: indices(&ren.locations),
            liberties: indices(&ren.liberties),
            safe: ren.minimum_location().is_some_and(|point| safe.contains(point)),
            atari: ren.liberty_area() == 1,
            name: ren_db.name(at(since)),
            // the first position has the ordinal 1
            since: since.saturating_sub(1) as usize,
        })
    };
    ren_db.iter().filter_map(on_board).collect()
}

/// The indices of a set of points.
pub(super) fn indices(coordinate: Coordinate, points: &PointSet) -> Vec<i32> {
    points.iter().map(|point| index(coordinate, point)).collect()
}

/// The evaluation of a position by a search: Black's win rate and lead.
pub(super) fn value(result: &SearchResult, color: Color) -> NodeEvaluation {
    let win_probability = rounded(color.black_probability(result.win_probability()));
    NodeEvaluation { win_probability, lead: rounded(result.best_lead().mean), visits: result.visits }
}

/// A search as an event.
pub(super) fn analysis(
    node: u32,
    result: &SearchResult,
    position: &Position,
    with_policy: bool,
    done: bool,
) -> Analysis {
    let (coordinate, color) = (position.board().coordinate(), position.to_move());
    let NodeEvaluation { win_probability, lead, visits } = value(result, color);
    let per_point = |values: &[f32], parts: f32| -> Vec<i16> {
        let at = |point: Point| values.get(point.index()).copied().unwrap_or_default();
        coordinate.points_from_highest_rank().map(|point| (at(point) * parts).round() as i16).collect()
    };
    let candidates = result.with_symmetric_moves();
    let searched = candidates.iter().filter(|candidate| candidate.visits > 0);
    let moves = searched.take(MAX_CANDIDATES).map(|candidate| CandidateMove {
        point: move_index(coordinate, candidate.play),
        is_symmetry_of: candidate.symmetry_of.map(|play| move_index(coordinate, play)),
        visits: candidate.visits,
        win_rate: rounded(color.black_probability(candidate.win_probability)),
        lead: candidate.lead.map(|lead| rounded(lead.mean)),
        prior: rounded(candidate.selection_prior()),
        pv: variation(coordinate, &candidate.variation),
    });
    let policy = with_policy.then(|| {
        let mut policy = vec![0.0; coordinate.memory_area()];
        for candidate in candidates.iter() {
            let slot = candidate.play.point().and_then(|point| policy.get_mut(point.index()));
            if let Some(slot) = slot {
                *slot = candidate.selection_prior();
            }
        }
        per_point(&policy, 1000.0)
    });
    Analysis {
        node,
        visits,
        win_rate: win_probability,
        lead,
        lead_stdev: rounded(result.best_lead().stdev),
        moves: moves.collect(),
        ownership: per_point(&result.ownership, 100.0),
        criticality: (!result.criticality.is_empty()).then(|| per_point(&result.criticality, 100.0)),
        policy,
        done,
    }
}

/// The best move as an event.
pub(super) fn hint(node: u32, result: &SearchResult, position: &Position) -> Hint {
    let (coordinate, color) = (position.board().coordinate(), position.to_move());
    let NodeEvaluation { win_probability, lead, visits } = value(result, color);
    let best = result.best();
    Hint {
        node,
        point: best.map_or(-1, |best| move_index(coordinate, best.play)),
        win_rate: win_probability,
        lead,
        lead_stdev: rounded(result.best_lead().stdev),
        visits,
        pv: variation(coordinate, best.map_or(&[][..], |best| &best.variation)),
    }
}

/// The owners of all points in the letters of an event.
pub(super) fn owners(position: &Position, owner: impl Fn(Point) -> Option<Color>, seki: &PointSet) -> String {
    let board = position.board();
    let symbol = |point: Point| match owner(point) {
        _ if board.stone(point) != Stone::Space && seki.contains(point) => 's',
        Some(Color::Black) => 'b',
        Some(Color::White) => 'w',
        None => '.',
    };
    board.coordinate().points_from_highest_rank().map(symbol).collect()
}

fn variation(coordinate: Coordinate, moves: &[Move]) -> Vec<i32> {
    moves.iter().take(MAX_VARIATION).map(|&play| move_index(coordinate, play)).collect()
}

/// Rounded to a ten-thousandth: a page shows less.
fn rounded(number: f32) -> f32 {
    (number * 1e4).round() / 1e4
}
