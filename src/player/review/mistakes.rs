//! Classes of moves that lost something: inaccuracy, mistake, blunder.

use crate::player::review::losses::MoveLoss;

/// Severity of a move by its losses: see [`MoveClass::of`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum MoveClass {
    Inaccuracy,
    Mistake,
    Blunder,
}

/// The smallest losses of win probability, from 0 to 1, of an inaccuracy, a mistake and a blunder: those of Lichess, which
/// states them as 0.1, 0.2 and 0.3 on a scale from -1 to 1 (`lila`, `Advice.scala`).
const MIN_WIN_RATE_LOSS: [f32; 3] = [0.05, 0.1, 0.15];

/// The smallest losses in points of the same: those of KaTrain's colours from yellow on (`eval_thresholds` 1.5, 3 and 6).
const MIN_POINTS_LOSS: [f32; 3] = [1.5, 3.0, 6.0];

impl MoveClass {
    /// All classes, the mildest first.
    pub(crate) const ALL: [MoveClass; 3] = [MoveClass::Inaccuracy, MoveClass::Mistake, MoveClass::Blunder];

    /// The class of a loss: the greatest one whose threshold it reaches in win probability; `None` below all.
    ///
    /// Points decide together with the win probability: a move that loses the points of a class is that class if it also
    /// reaches the win-rate threshold of the class below it (that of an inaccuracy: half of it). In a
    /// decided game a few points more or less mean nothing: players give them up for safety, and leads are less exact.
    pub(crate) fn of(loss: MoveLoss) -> Option<MoveClass> {
        let is_reached = |class: &MoveClass| {
            let by_points =
                loss.points >= class.min_points() && loss.win_probability >= class.min_win_probability_with_points();
            loss.win_probability >= class.min_win_probability() || by_points
        };
        Self::ALL.into_iter().rev().find(is_reached)
    }

    /// The loss of win probability, from 0 to 1, from which on a move is of this class.
    pub(crate) fn min_win_probability(self) -> f32 {
        MIN_WIN_RATE_LOSS[self.index()]
    }

    /// The loss in points from which on a move is of this class, if it also loses
    /// [`min_win_probability_with_points`](MoveClass::min_win_probability_with_points).
    pub(crate) fn min_points(self) -> f32 {
        MIN_POINTS_LOSS[self.index()]
    }

    /// The loss of win probability, from 0 to 1, that a loss in points needs to count.
    pub(crate) fn min_win_probability_with_points(self) -> f32 {
        match self {
            MoveClass::Inaccuracy => MIN_WIN_RATE_LOSS[0] / 2.0,
            MoveClass::Mistake => MoveClass::Inaccuracy.min_win_probability(),
            MoveClass::Blunder => MoveClass::Mistake.min_win_probability(),
        }
    }

    /// Its place in [`MoveClass::ALL`].
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// The name, in the singular.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            MoveClass::Inaccuracy => "inaccuracy",
            MoveClass::Mistake => "mistake",
            MoveClass::Blunder => "blunder",
        }
    }

    /// The name, in the plural.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            MoveClass::Inaccuracy => "inaccuracies",
            MoveClass::Mistake => "mistakes",
            MoveClass::Blunder => "blunders",
        }
    }
}

/// A move that lost enough to have a class, an inaccuracy included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Mistake {
    /// The number of the move, from 1.
    pub(crate) number: usize,
    pub(crate) loss: MoveLoss,
    pub(crate) class: MoveClass,
}

/// The moves that have a class, in the order of the game.
pub(crate) fn mistakes(losses: &[MoveLoss]) -> Vec<Mistake> {
    let classes = (1..).zip(losses).map(|(number, &loss)| (number, loss, MoveClass::of(loss)));
    classes.filter_map(|(number, loss, class)| Some(Mistake { number, loss, class: class? })).collect()
}

/// At most `count` of some mistakes, the largest loss of win probability first.
pub(crate) fn largest_mistakes(mistakes: &[Mistake], count: usize) -> Vec<Mistake> {
    let mut largest = mistakes.to_vec();
    largest.sort_by(|a, b| b.loss.win_probability.total_cmp(&a.loss.win_probability));
    largest.truncate(count);
    largest
}

/// The first blunder; else the first mistake.
pub(crate) fn first_serious(mistakes: &[Mistake]) -> Option<Mistake> {
    let first = |class| mistakes.iter().find(|mistake| mistake.class == class).copied();
    first(MoveClass::Blunder).or_else(|| first(MoveClass::Mistake))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn loss(win_probability: f32, points: f32) -> MoveLoss {
        MoveLoss { win_probability, points }
    }

    #[test]
    fn class_is_by_win_rate_or_by_both() {
        use MoveClass::{Blunder, Inaccuracy, Mistake};
        for (win_probability, points, class) in [
            (0.0, 0.0, None),
            (0.049, 1.4, None),
            (0.05, 0.0, Some(Inaccuracy)),
            (0.1, 0.0, Some(Mistake)),
            (0.15, 0.0, Some(Blunder)),
            (0.03, 1.5, Some(Inaccuracy)),
            (0.06, 3.0, Some(Mistake)),
            (0.11, 6.0, Some(Blunder)),
            // a decided game: points alone decide nothing
            (0.0, 20.0, None),
            (0.03, 20.0, Some(Inaccuracy)),
            (0.09, 20.0, Some(Mistake)),
        ] {
            assert_eq!(MoveClass::of(loss(win_probability, points)), class, "{win_probability} {points}");
        }
    }

    #[test]
    fn mistakes_are_in_the_order_of_the_game_and_the_largest_in_that_of_losses() {
        let losses = [0.0, 0.12, 0.04, 0.5, 0.05].map(|win_probability| loss(win_probability, 0.0));
        let found = mistakes(&losses);
        let numbers = |mistakes: &[Mistake]| mistakes.iter().map(|mistake| mistake.number).collect::<Vec<_>>();
        assert_eq!((numbers(&found), numbers(&largest_mistakes(&found, 2))), (vec![2, 4, 5], vec![4, 2]));
        assert_eq!(first_serious(&found).unwrap().number, 4);
        assert_eq!(first_serious(&found[..1]).unwrap().number, 2);
        assert_eq!(first_serious(&found[2..]), None);
    }
}
