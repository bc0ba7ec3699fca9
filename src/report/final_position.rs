//! The end of a finished game, as it is scored.

use crate::kernel::{Color, Move, Position};
use crate::net::Net;
use crate::player::review::{MoveLoss, PositionAnalysis, move_losses};
use crate::player::score::{FinalScore, final_score_with};
use crate::sgf::GameRecord;

/// The score of a game that was counted.
pub(super) struct CountedScore {
    /// The score, such as `B+3.5`.
    pub(super) score: String,
    /// Whether the game was finished; if not, both players passed, and it was counted as the board stands.
    pub(super) is_finished: bool,
}

/// If the game was counted (its result or two passes say so), the final score replaces the search's evaluation of the
/// last positions, so that the page shows the result and not an estimate of it. In a finished game these are the last
/// position and those before the passes at its end, and the passes lose nothing. In an unfinished game that two passes
/// ended it is the last position only, and the last pass has its loss by the score. `losses` has an entry for each move.
pub(super) fn apply_final_score(
    record: &GameRecord,
    end: &Position,
    net: Option<&Net>,
    analyses: &mut [PositionAnalysis],
    losses: &mut [MoveLoss],
) -> Option<CountedScore> {
    if record.counted_margin().is_none() && !end.is_over() {
        return None;
    }
    let items = end.record().items();
    let passes = items.iter().rev().take_while(|item| item.play == Move::Pass).count();
    let counted = final_score_with(end, net);
    let is_finished = counted.is_finished;
    if !is_finished && !end.is_over() {
        return None;
    }
    let first = if is_finished { items.len() - passes } else { items.len() };
    for analysis in analyses.iter_mut().skip(first) {
        *analysis = as_scored(end, &counted, analysis.to_move);
    }
    if is_finished {
        losses.iter_mut().skip(first).for_each(|loss| *loss = MoveLoss::default());
    } else if let (Some(loss), Some(by_score)) = (losses.last_mut(), move_losses(end, analyses).pop()) {
        *loss = by_score;
    }
    Some(CountedScore { score: counted.score.to_string(), is_finished })
}

/// A position with the evaluation that its score implies.
fn as_scored(position: &Position, counted: &FinalScore, to_move: Color) -> PositionAnalysis {
    let margin = counted.score.margin();
    let coordinate = position.board().coordinate();
    let mut ownership = vec![0.0; coordinate.memory_area()];
    for point in coordinate.points() {
        if let (Some(number), Some(owner)) = (ownership.get_mut(point.index()), counted.owner(point)) {
            *number = f32::from(owner.sign());
        }
    }
    PositionAnalysis {
        to_move,
        win_rate: if margin > 0.0 {
            1.0
        } else if margin < 0.0 {
            0.0
        } else {
            0.5
        },
        lead: margin as f32,
        variation: vec![Move::Pass],
        candidates: Vec::new(),
        ownership,
    }
}
