//! The end of a finished game, as it is scored.

use crate::kernel::{Color, Move, Position};
use crate::player::review::analysis::{AnalysisSettings, PositionAnalysis};
use crate::player::review::losses::{MoveLoss, move_losses};
use crate::player::score::{FinalScore, interruptible_final_score};

/// Most positions that are scored after searches by playouts, which takes some tenths of a second each on 19x19.
const MAX_EARLIER_POSITIONS: usize = 30;

/// Replaces the search's evaluation of the last positions by the final score, so that a review shows the result and not
/// an estimate of it.
///
/// In a finished game these are the last position and those before the passes at its end, and the passes lose nothing.
/// After searches by playouts, up to [`MAX_EARLIER_POSITIONS`] earlier positions of the finished game get their own
/// scores, too, and a move between them other than that of the fill-in loses what the scores differ by: playouts rate a
/// dame as a mistake. A net does not, and the scores of large boards take long; without agreement on dead stones a score
/// counts those as alive that are still to be captured. If the stop signal is set meanwhile, positions are left as they
/// were.
///
/// In an unfinished game that two passes ended it is the last position only, and the last pass has its loss by the
/// score.
///
/// `final_score` is the score of `end`; `losses` has an entry for each move.
pub(crate) fn apply_final_score(
    end: &Position,
    final_score: &FinalScore,
    settings: AnalysisSettings<'_>,
    analyses: &mut [PositionAnalysis],
    losses: &mut [MoveLoss],
) {
    let items = end.record().items();
    if !final_score.is_finished {
        apply_score(end, final_score, Move::Pass, analyses.last_mut());
        if let (Some(loss), Some(by_score)) = (losses.last_mut(), move_losses(end, analyses).pop()) {
            *loss = by_score;
        }
        return;
    }
    let passes = items.iter().rev().take_while(|item| item.play == Move::Pass).count();
    let before_passes = items.len() - passes;
    analyses
        .iter_mut()
        .skip(before_passes)
        .for_each(|analysis| apply_score(end, final_score, Move::Pass, Some(analysis)));
    losses.iter_mut().skip(before_passes).for_each(|loss| *loss = MoveLoss::default());
    if settings.is_search_by_net(end.board().coordinate()) || !end.rule().has_agreement() {
        return;
    }
    let first = apply_earlier_scores(end, before_passes, settings, analyses);
    let by_scores = move_losses(end, analyses);
    for (loss, by_score) in losses.iter_mut().zip(by_scores).take(before_passes).skip(first) {
        *loss = by_score;
    }
}

/// Evaluates the positions before position `number`, back to the last one that was not finished, by their scores. Returns
/// the number of the first one.
fn apply_earlier_scores(
    end: &Position,
    number: usize,
    settings: AnalysisSettings<'_>,
    analyses: &mut [PositionAnalysis],
) -> usize {
    let mut position = end.clone();
    let mut first = number;
    while position.undo().is_ok() {
        let moves = position.record().len();
        if moves >= number {
            continue;
        }
        if number - moves > MAX_EARLIER_POSITIONS {
            break;
        }
        let counted = interruptible_final_score(&position, settings.net, settings.stop_signal);
        let Some(score) = counted.ok().filter(|score| score.is_finished) else { break };
        apply_score(&position, &score, score.expected_move(position.to_move()), analyses.get_mut(moves));
        first = moves;
    }
    first
}

/// Evaluates a position as its score implies, with `expected` as the best move.
fn apply_score(position: &Position, score: &FinalScore, expected: Move, analysis: Option<&mut PositionAnalysis>) {
    if let Some(analysis) = analysis {
        *analysis = as_scored(position, score, expected, analysis.to_move);
    }
}

/// A position with the evaluation that its score implies.
fn as_scored(position: &Position, score: &FinalScore, expected: Move, to_move: Color) -> PositionAnalysis {
    let margin = score.score.margin();
    let coordinate = position.board().coordinate();
    let mut ownership = vec![0.0; coordinate.memory_area()];
    for point in coordinate.points() {
        if let (Some(number), Some(owner)) = (ownership.get_mut(point.index()), score.owner(point)) {
            *number = f32::from(owner.sign());
        }
    }
    PositionAnalysis {
        to_move,
        win_probability: score.score.winner().map_or(0.5, |winner| winner.black_probability(1.0)),
        lead: margin as f32,
        variation: vec![expected],
        candidates: Vec::new(),
        ownership,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::played;
    use crate::kernel::test_boards::position;
    use crate::player::Options;
    use crate::player::final_score_with;
    use crate::player::review::{analyze_game, remove_tempo_bias};
    use crate::search::StopSignal;

    /// The end of a game from a drawn board with the dame C1, its analyses by playouts, and its losses before and after
    /// the final score is applied.
    fn reviewed(rules: &str, moves: &str, visits: u64) -> (Position, Vec<PositionAnalysis>, [Vec<MoveLoss>; 2]) {
        let rows = [".x.o.", ".xxoo", "xxoo.", ".xxox", "x.xo."];
        let end = played(position(&rows, rules, 0.5, Color::Black), moves);
        let (options, stop_signal) = (Options::default(), StopSignal::default());
        let settings = AnalysisSettings { visits, threads: 1, options: &options, net: None, stop_signal: &stop_signal };
        let mut analyses = analyze_game(&end, settings, |_, _| {}).unwrap();
        remove_tempo_bias(&end, &mut analyses);
        let by_search = move_losses(&end, &analyses);
        let score = final_score_with(&end, None);
        assert!(score.is_finished);
        let mut losses = by_search.clone();
        apply_final_score(&end, &score, settings, &mut analyses, &mut losses);
        (end, analyses, [by_search, losses])
    }

    /// The dame C1 is worth two points under area scoring.
    #[test]
    fn a_pass_in_place_of_a_dame_loses_what_the_scores_differ_by() {
        let (end, analyses, [_, losses]) = reviewed("chinese", "pass C1 pass pass", 20);
        assert_eq!(losses[0].points, 2.0, "{losses:?}");
        assert_eq!(losses[1..], [MoveLoss::default(); 3]);
        let dame = Move::parse("C1", end.board().coordinate()).unwrap();
        assert_eq!(analyses[0].variation, [dame]);
    }

    /// The dame C1 decides nothing, but playouts win more games from the position before it.
    #[test]
    fn a_dame_in_a_finished_game_loses_nothing_by_playouts() {
        let (_, analyses, [by_search, losses]) = reviewed("japanese", "C1 pass pass pass", 500);
        assert!(by_search[0].win_probability > 0.05, "{by_search:?}");
        assert_eq!(losses, [MoveLoss::default(); 4]);
        assert!(
            analyses.iter().all(|analysis| (analysis.win_probability, analysis.lead) == (0.0, -1.5)),
            "{analyses:?}"
        );
    }
}
