//! The input of the page's script: positions, candidates with their variations, as numbers and letters only.

use serde::{Serialize, Serializer};

use crate::kernel::{Board, Color, Coordinate, Move, Observer, Point, Stone};
use crate::picture::points::{index, letter, move_index};
use crate::player::review::first_serious;
use crate::player::review::{CandidateSummary, PositionAnalysis};
use crate::report::review::Review;

/// Maximum length of a variation, in moves.
const MAX_VARIATION: usize = 10;

/// Number of ownership levels, written as the letters `a` (White, -1) to `y` (Black, 1).
const OWNERSHIP_STEPS: f32 = 25.0;

/// The smallest losses in the data, in per cent and in points: smaller ones would round to 0 and are left out.
const MIN_LOSS: (f32, f32) = (0.5, 0.05);

/// The input of the script. A point is its index from the highest rank down, a pass is -1.
#[derive(Serialize)]
pub(super) struct PageData {
    width: u8,
    height: u8,
    /// The position to open.
    first: usize,
    /// The stones of the first position, one character a point: `.`, `x`, `o`.
    start: String,
    steps: Vec<Step>,
    /// See [`Review::unfinished_count`].
    #[serde(skip_serializing_if = "Option::is_none")]
    unfinished_count: Option<String>,
}

/// A position, and the move that led to it.
#[derive(Serialize)]
struct Step {
    /// The move: colour, `b` or `w`, and point.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<(&'static str, i32)>,
    /// The move's loss of win rate in per cent.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
    /// The move's loss in points.
    #[serde(skip_serializing_if = "Option::is_none")]
    points: Option<f64>,
    /// The name of the move's class.
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'static str>,
    /// Points whose stone differs from the position before, with the character of the new one.
    changes: Vec<(i32, char)>,
    /// The player of the next move, `b` or `w`.
    to_move: &'static str,
    /// Black's win rate in per cent.
    win_rate: f64,
    /// Black's lead in points.
    lead: f64,
    /// The prisoners of Black and of White.
    prisoners: [usize; 2],
    /// The expected moves.
    variation: Vec<i32>,
    /// The moves that the search preferred, the best one first.
    candidates: Vec<CandidateData>,
    /// One letter a point, see [`OWNERSHIP_STEPS`].
    ownership: String,
}

/// A candidate. To keep the page small it is written as an array of its fields in this order, by which `report.js` reads
/// them.
struct CandidateData {
    /// The win rate of its player in per cent.
    win_rate: f64,
    /// Black's lead in points.
    lead: f64,
    visits: u32,
    /// The moves, this one first.
    variation: Vec<i32>,
    /// The moves of the variation that capture: the index of the move, and the points that it empties.
    captures: Vec<(usize, Vec<i32>)>,
}

impl Serialize for CandidateData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let CandidateData { win_rate, lead, visits, variation, captures } = self;
        (win_rate, lead, visits, variation, captures).serialize(serializer)
    }
}

/// The data of a game.
pub(super) fn page_data(review: &Review) -> PageData {
    let end = &review.game.end;
    let coordinate = end.board().coordinate();
    let from_highest_rank: Vec<Point> = coordinate.points_from_highest_rank().collect();
    let symbol = |stones: &[Stone], point: Point| stones.get(point.index()).copied().unwrap_or_default().symbol();
    let positions = review.analyses.iter().zip(review.prisoners()).enumerate();
    let steps = positions.map(|(number, (analysis, prisoners))| {
        let before = number.checked_sub(1);
        let item = before.and_then(|before| end.record().items().get(before));
        let loss = before.and_then(|before| review.losses.get(before).copied());
        let (stones, stones_before) = (end.stones_at(number), end.stones_at(number.saturating_sub(1)));
        let changed = from_highest_rank.iter().zip(0..);
        let changed = changed.filter(|&(&point, _)| symbol(stones_before, point) != symbol(stones, point));
        let candidate = |candidate| candidate_data(coordinate, stones, analysis.to_move, candidate);
        Step {
            played: item.map(|item| (letter(item.color), move_index(coordinate, item.play))),
            loss: loss.map(|loss| loss.win_probability * 100.0).filter(|&loss| loss >= MIN_LOSS.0).map(rounded),
            points: loss.map(|loss| loss.points).filter(|&points| points >= MIN_LOSS.1).map(rounded),
            class: review.mistake(number).map(|mistake| mistake.class.name()),
            changes: changed.map(|(&point, index)| (index, symbol(stones, point))).collect(),
            to_move: letter(analysis.to_move),
            win_rate: rounded(analysis.win_probability * 100.0),
            lead: rounded(analysis.lead),
            prisoners,
            variation: shown(&analysis.variation).iter().map(|&play| move_index(coordinate, play)).collect(),
            candidates: analysis.candidates.iter().map(candidate).collect(),
            ownership: ownership(analysis, &from_highest_rank),
        }
    });
    let start = end.stones_at(0);
    PageData {
        width: coordinate.width(),
        height: coordinate.height(),
        first: first_serious(&review.mistakes).map_or(review.move_count(), |mistake| mistake.number - 1),
        start: from_highest_rank.iter().map(|&point| symbol(start, point)).collect(),
        steps: steps.collect(),
        unfinished_count: review.unfinished_count(),
    }
}

fn candidate_data(
    coordinate: Coordinate,
    stones: &[Stone],
    first: Color,
    candidate: &CandidateSummary,
) -> CandidateData {
    let (mut variation, mut captures) = (Vec::new(), Vec::new());
    // a position of a game is a valid board
    let mut board = Board::from_stones(coordinate, stones).unwrap_or_else(|_| Board::new(coordinate));
    let mut color = first;
    for &play in shown(&candidate.variation) {
        let mut captured = Captured(Vec::new());
        if let Move::Play(point) = play
            && board.play(color, point, &mut captured).is_err()
        {
            break;
        }
        if !captured.0.is_empty() {
            let points = captured.0.into_iter().map(|point| index(coordinate, point));
            captures.push((variation.len(), points.collect()));
        }
        variation.push(move_index(coordinate, play));
        color = color.opponent();
    }
    CandidateData {
        win_rate: rounded(first.own_probability(candidate.win_probability) * 100.0),
        lead: rounded(candidate.lead),
        visits: candidate.visits,
        variation,
        captures,
    }
}

/// The points that a move empties.
struct Captured(Vec<Point>);

impl Observer for Captured {
    fn captured(&mut self, _color: Color, point: Point) {
        self.0.push(point);
    }
}

/// The ownership of a position, one letter a point.
fn ownership(analysis: &PositionAnalysis, from_highest_rank: &[Point]) -> String {
    let letter = |point: &Point| {
        let ownership = analysis.ownership.get(point.index()).copied().unwrap_or_default();
        let step = ((ownership.clamp(-1.0, 1.0) + 1.0) / 2.0 * (OWNERSHIP_STEPS - 1.0)).round();
        char::from(b'a' + step as u8)
    };
    from_highest_rank.iter().map(letter).collect()
}

/// The part of a variation that is shown.
pub(super) fn shown(variation: &[Move]) -> &[Move] {
    variation.get(..MAX_VARIATION).unwrap_or(variation)
}

/// Rounded to one decimal; small negative numbers become 0, not −0.
pub(super) fn rounded(number: impl Into<f64>) -> f64 {
    (number.into() * 10.0).round() / 10.0 + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_not_rounded_to_negative_zero() {
        assert_eq!([-0.04, 0.04, -0.06].map(|number: f64| format!("{:.1}", rounded(number))), ["0.0", "0.0", "-0.1"]);
    }
}
