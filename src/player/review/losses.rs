//! The loss of each move of a game, in win probability and in points.
//!
//! Let vₙ be the value of position n (before move n + 1), win probability or lead, for the player of move n + 1. The
//! raw loss of that move is
//!
//! ```text
//! cₙ₊₁ = vₙ − v′ₙ₊₁
//! ```
//!
//! with v′ the same player's value after the move. [`remove_tempo_bias`] corrects the values first; [`move_losses`]
//! then sets the loss of an expected move, and negative losses, to 0.

use crate::kernel::{Color, Position};
use crate::player::review::analysis::PositionAnalysis;

/// Half the width, in moves, of the window of the median in [`remove_tempo_bias`].
const HALF_WINDOW: usize = 12;

/// Minimum number of moves in the window; the bias is taken as 0 below.
const MIN_SAMPLES: usize = 9;

/// The loss of a move for its player; never negative.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct MoveLoss {
    /// The loss of win probability, from 0 to 1.
    pub(crate) win_probability: f32,
    /// The loss of lead, in points.
    pub(crate) points: f32,
}

/// Subtracts the value of having the move from each position's win probability and lead.
///
/// A search finds the good moves of the side to move before it finds the replies to them, so that every move, even the
/// best, seems to lose a little. This bias is estimated as the median of the raw losses c of the moves around, and
/// split evenly between the position before the move and the one after it:
///
/// ```text
/// vₙ ← vₙ − bₙ / 2,   bₙ = max(0, median(cₙ₋₁₁ … cₙ₊₁₂))
/// ```
///
/// with vₙ from the view of the side to move; the window ends at the ends of the game. Win rates are clamped to 0..1. The
/// candidates of the position are shifted with it.
pub(crate) fn remove_tempo_bias(end: &Position, analyses: &mut [PositionAnalysis]) {
    let losses: Vec<MoveLoss> = raw_losses(end, analyses).collect();
    for (number, analysis) in analyses.iter_mut().enumerate() {
        let window = number.saturating_sub(HALF_WINDOW)..(number + HALF_WINDOW).min(losses.len());
        let window = losses.get(window).unwrap_or_default();
        let sign = if analysis.to_move == Color::Black { -0.5 } else { 0.5 };
        let win_probability = sign * tempo_bias(window.iter().map(|loss| loss.win_probability));
        let lead = sign * tempo_bias(window.iter().map(|loss| loss.points));
        analysis.win_probability = (analysis.win_probability + win_probability).clamp(0.0, 1.0);
        analysis.lead += lead;
        for candidate in &mut analysis.candidates {
            candidate.win_probability = (candidate.win_probability + win_probability).clamp(0.0, 1.0);
            candidate.lead += lead;
        }
    }
}

/// The median of raw losses (the upper one of two), at least 0; 0 if there are fewer than [`MIN_SAMPLES`].
fn tempo_bias(losses: impl Iterator<Item = f32>) -> f32 {
    let mut losses: Vec<f32> = losses.collect();
    losses.sort_by(f32::total_cmp);
    losses.get(losses.len() / 2).copied().filter(|_| losses.len() >= MIN_SAMPLES).unwrap_or_default().max(0.0)
}

/// For each move, its player's values before it less those after it; negative for a gain. 0 if the stones were edited by
/// hand after the move: the values after it are those of the edited position.
fn raw_losses(end: &Position, analyses: &[PositionAnalysis]) -> impl Iterator<Item = MoveLoss> {
    let steps = analyses.iter().zip(analyses.iter().skip(1));
    let moves = end.record().items().iter().zip(steps).zip(1..);
    moves.map(|((item, (before, after)), number)| match end.is_edited_at(number) {
        true => MoveLoss::default(),
        false => MoveLoss {
            win_probability: before.win_probability_of(item.color) - after.win_probability_of(item.color),
            points: before.lead_of(item.color) - after.lead_of(item.color),
        },
    })
}

/// The loss of each move: 0 for the move that the search expected, else max(0, raw loss). A gain is counted as 0, because
/// the values of two positions differ by sampling error.
pub(crate) fn move_losses(end: &Position, analyses: &[PositionAnalysis]) -> Vec<MoveLoss> {
    let expected = analyses.iter().map(|analysis| analysis.variation.first());
    let moves = end.record().items().iter().zip(expected).zip(raw_losses(end, analyses));
    let is_expected = moves.map(|((item, expected), loss)| (expected == Some(&item.play), loss));
    is_expected
        .map(|(is_expected, loss)| match is_expected {
            true => MoveLoss::default(),
            false => MoveLoss { win_probability: loss.win_probability.max(0.0), points: loss.points.max(0.0) },
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, Stone, played};
    use crate::player::review::analysis::CandidateSummary;

    #[test]
    fn tempo_bias_is_removed_and_a_blunder_stays() {
        let coordinate = Coordinate::square(5).unwrap();
        let empty = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let position = played(empty, &"pass ".repeat(40));
        // Black's win probability is 50%, seen 3% higher for the side to move, until White's blunder at move 30 makes
        // it 80%; the lead is even, seen 2 points higher, and 8 points from then on
        let truth = |number| if number < 30 { (0.5, 0.0) } else { (0.8, 8.0) };
        let mut analyses: Vec<PositionAnalysis> = (0..=40)
            .map(|number| {
                let to_move = if number % 2 == 0 { Color::Black } else { Color::White };
                let sign = f32::from(to_move.sign());
                let (win_probability, lead) = (truth(number).0 + sign * 0.03, truth(number).1 + sign * 2.0);
                let best = CandidateSummary { win_probability, lead, visits: 1, variation: Vec::new() };
                let (variation, ownership) = (Vec::new(), Vec::new());
                PositionAnalysis { to_move, win_probability, lead, variation, candidates: vec![best], ownership }
            })
            .collect();
        remove_tempo_bias(&position, &mut analyses);
        for (number, analysis) in analyses.iter().enumerate() {
            let (win_probability, lead) = truth(number);
            assert!(
                (analysis.win_probability - win_probability).abs() < 1e-4,
                "{number}: {}",
                analysis.win_probability
            );
            assert!((analysis.lead - lead).abs() < 1e-4, "{number}: {}", analysis.lead);
            let best = &analysis.candidates[0];
            assert_eq!((best.win_probability, best.lead), (analysis.win_probability, analysis.lead), "{number}");
        }
        let losses = move_losses(&position, &analyses);
        for (loss, number) in losses.iter().zip(1..) {
            let expected = if number == 30 { (0.3, 8.0) } else { (0.0, 0.0) };
            assert!((loss.win_probability - expected.0).abs() < 1e-4, "{number}: {loss:?}");
            assert!((loss.points - expected.1).abs() < 1e-4, "{number}: {loss:?}");
        }
    }

    /// The analyses of the positions of a game with these win rates of Black.
    fn analyses(win_probabilities: &[f32]) -> Vec<PositionAnalysis> {
        let analysis = |(number, &win_probability): (usize, &f32)| PositionAnalysis {
            to_move: if number.is_multiple_of(2) { Color::Black } else { Color::White },
            win_probability,
            lead: 20.0 * (win_probability - 0.5),
            variation: Vec::new(),
            candidates: Vec::new(),
            ownership: Vec::new(),
        };
        win_probabilities.iter().enumerate().map(analysis).collect()
    }

    #[test]
    fn stones_set_up_after_a_move_are_no_loss_of_the_move() {
        let coordinate = Coordinate::square(5).unwrap();
        let empty = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let mut position = played(empty, "C3 D4");
        let stones = position.board().stones_with([(coordinate.parse_vertex("B2").unwrap(), Stone::Black)]);
        position.edit(&stones).unwrap();
        let position = played(position, "C4");
        let losses = move_losses(&position, &analyses(&[0.6, 0.5, 0.9, 0.4]));
        let win_probabilities: Vec<f32> =
            losses.iter().map(|loss| (loss.win_probability * 10.0).round() / 10.0).collect();
        assert_eq!(win_probabilities, [0.1, 0.0, 0.5]);
    }

    #[test]
    fn tempo_bias_needs_samples_and_is_not_negative() {
        let bias = |losses: &[f32]| tempo_bias(losses.iter().copied());
        assert_eq!((bias(&[0.5; 8]), bias(&[0.5; 9]), bias(&[-0.5; 9])), (0.0, 0.5, 0.0));
        // the upper one of the two middle ones
        assert_eq!(bias(&[0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4, 1.0, 0.0]), 0.6);
    }
}
