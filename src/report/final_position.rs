//! The end of a finished game, as it is scored.

use crate::kernel::{Color, Move, Position};
use crate::net::Net;
use crate::player::review::MoveLoss;
use crate::player::review::PositionAnalysis;
use crate::player::score::{FinalScore, final_score_with};
use crate::sgf::GameRecord;

/// If the game was counted, as its result or two passes show, and is finished, replaces the evaluation by searches of
/// its last position, and of those before the passes at its end, by the final score, so that the page shows the
/// result and not an estimate of it. These passes lose nothing. `losses` has an entry for each move.
pub(super) fn apply_final_score(
    record: &GameRecord,
    end: &Position,
    net: Option<&Net>,
    analyses: &mut [PositionAnalysis],
    losses: &mut [MoveLoss],
) {
    if record.counted_margin().is_none() && end.ending_passes() < 2 {
        return;
    }
    let items = end.record().items();
    let passes = items.iter().rev().take_while(|item| item.play == Move::Pass).count();
    let first = items.len() - passes;
    let counted = final_score_with(end, net);
    if !counted.is_finished {
        return;
    }
    for analysis in analyses.iter_mut().skip(first) {
        *analysis = as_scored(end, &counted, analysis.to_move);
    }
    losses.iter_mut().skip(first).for_each(|loss| *loss = MoveLoss::default());
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
