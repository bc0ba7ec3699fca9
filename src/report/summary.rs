//! Quality of each player's moves, in each phase of a game: accuracy, points lost, and mistakes.

use crate::kernel::{Color, Position};
use crate::player::review::MoveClass;
use crate::player::review::MoveLoss;

/// A part of a game by the number of the move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Phase {
    Opening,
    MiddleGame,
    Endgame,
    Whole,
}

/// The end of the opening and of the middle game, in moves for each point of the board: those of KaTrain's game report,
/// 51 and 145 moves on 19x19.
const OPENING_SHARE: f64 = 0.14;
const MIDDLE_GAME_SHARE: f64 = 0.4;

impl Phase {
    /// The phases in order, then the whole game.
    pub(super) const ALL: [Phase; 4] = [Phase::Opening, Phase::MiddleGame, Phase::Endgame, Phase::Whole];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::MiddleGame => "middle game",
            Phase::Endgame => "endgame",
            Phase::Whole => "game",
        }
    }

    /// The phase that move `number`, from 1, of a game on a board of `area` points belongs to.
    pub(super) fn of(number: usize, area: usize) -> Phase {
        Phase::ALL.into_iter().find(|phase| phase.has(number, area)).unwrap_or(Phase::Whole)
    }

    /// Whether move `number`, from 1, of a game on a board of `area` points belongs to the phase.
    fn has(self, number: usize, area: usize) -> bool {
        let end = |share: f64| (share * area as f64).ceil() as usize;
        match self {
            Phase::Opening => number < end(OPENING_SHARE),
            Phase::MiddleGame => (end(OPENING_SHARE)..end(MIDDLE_GAME_SHARE)).contains(&number),
            Phase::Endgame => number >= end(MIDDLE_GAME_SHARE),
            Phase::Whole => true,
        }
    }
}

/// Quality of a player's moves in a phase.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Summary {
    /// The number of moves.
    pub(super) moves: usize,
    /// The mean of [`accuracy`] over the moves, from 0 to 100.
    pub(super) accuracy: f64,
    /// The mean number of points lost by a move.
    pub(super) points_lost: f64,
    /// The number of moves that the search expected.
    pub(super) expected: usize,
    /// The number of moves of each class, as in [`MoveClass::ALL`].
    pub(super) classes: [usize; 3],
}

/// The accuracy of a move from its loss of win rate, from 0 to 100: 100 for no loss, 64 for 10%, 40 for 20%.
///
/// `103.1668 · exp(−0.04354 · loss in per cent) − 3.1669`, at least 0. Source: Lichess, "Accuracy metric"
/// (lichess.org/page/accuracy), which was fitted to chess.
pub(super) fn accuracy(loss: MoveLoss) -> f64 {
    (103.1668 * (-0.04354 * 100.0 * f64::from(loss.win_probability)).exp() - 3.1669).clamp(0.0, 100.0)
}

/// The summary of a player's moves in a phase; `None` without moves. `losses` and `is_expected` have an entry for each
/// move of the game.
pub(super) fn summarize(
    end: &Position,
    losses: &[MoveLoss],
    is_expected: &[bool],
    color: Color,
    phase: Phase,
) -> Option<Summary> {
    let area = end.board().coordinate().board_area();
    let mut summary = Summary::default();
    for (number, ((item, &loss), &is_expected)) in (1..).zip(end.record().items().iter().zip(losses).zip(is_expected)) {
        if item.color != color || !phase.has(number, area) {
            continue;
        }
        summary.moves += 1;
        summary.accuracy += accuracy(loss);
        summary.points_lost += f64::from(loss.points);
        summary.expected += usize::from(is_expected);
        if let Some(count) = MoveClass::of(loss).and_then(|class| summary.classes.get_mut(class.index())) {
            *count += 1;
        }
    }
    summary.accuracy /= summary.moves.max(1) as f64;
    summary.points_lost /= summary.moves.max(1) as f64;
    (summary.moves > 0).then_some(summary)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, played};

    #[test]
    fn accuracy_falls_with_the_loss() {
        let of = |win_probability: f32| accuracy(MoveLoss { win_probability, points: 0.0 }).round();
        assert_eq!([0.0, 0.1, 0.2, 0.5, 1.0].map(of), [100.0, 64.0, 40.0, 9.0, 0.0]);
    }

    #[test]
    fn phases_follow_the_area_of_the_board() {
        for (area, opening, middle_game) in [(361, 50, 144), (81, 11, 32), (25, 3, 9)] {
            let last = |phase: Phase| (1..1000).filter(|&number| phase.has(number, area)).max().unwrap();
            assert_eq!((last(Phase::Opening), last(Phase::MiddleGame)), (opening, middle_game), "{area}");
            for number in 1..1000 {
                assert_eq!(Phase::ALL.iter().filter(|phase| phase.has(number, area)).count(), 2, "{area} {number}");
            }
        }
    }

    #[test]
    fn summaries_count_the_moves_of_a_player() {
        let coordinate = Coordinate::square(5).unwrap();
        let empty = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let position = played(empty, "A1 B2 C3 D4 E5");
        let losses = [(0.0, 1.0), (0.2, 0.0), (0.0, 2.0), (0.0, 0.0), (0.06, 0.0)]
            .map(|(win_probability, points)| MoveLoss { win_probability, points });
        let is_expected = [true, false, false, true, false];
        let of = |color, phase| summarize(&position, &losses, &is_expected, color, phase);
        let black = of(Color::Black, Phase::Whole).unwrap();
        assert_eq!((black.moves, black.points_lost, black.expected, black.classes), (3, 1.0, 1, [1, 0, 0]));
        let white = of(Color::White, Phase::Opening).unwrap();
        assert_eq!((white.moves, white.accuracy.round(), white.classes), (1, 40.0, [0, 0, 1]));
        assert_eq!(of(Color::White, Phase::Endgame), None);
    }
}
