//! Form of reported search results: the player for whom a protocol reports win probability, score and ownership.
//!
//! Searches report win probability for the side to move at their root, and leads and ownership for Black. GTP
//! analysis lines and KataGo's JSON protocol report both for one player, which `ReportWinrateAs` chooses.

use std::ops::{Add, Neg, Sub};

use crate::kernel::{Color, Coordinate};

/// View of a reported search result: board, side to move, player reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ReportView {
    /// The board, for the names of points.
    pub coordinate: Coordinate,
    /// The side to move at the root of the search, which may differ from that of the position.
    pub to_move: Color,
    /// The player that values are reported for.
    pub reported: Color,
}

impl ReportView {
    /// The reported player's win probability, 0 to 1, from that of the side to move.
    pub(crate) fn reported_win_probability<N: From<f32> + Sub<Output = N>>(self, win_probability: N) -> N {
        if self.reported == self.to_move { win_probability } else { N::from(1.0) - win_probability }
    }

    /// The reported player's utility or points, from those of the side to move. Never negative zero.
    pub(crate) fn reported_from_side_to_move<N: From<f32> + Add<Output = N> + Neg<Output = N>>(self, value: N) -> N {
        (if self.reported == self.to_move { value } else { -value }) + N::from(0.0)
    }

    /// The reported player's points or ownership, from Black's. Never negative zero.
    pub(crate) fn reported_from_black<N: From<f32> + Add<Output = N> + Neg<Output = N>>(self, black: N) -> N {
        (if self.reported == Color::Black { black } else { -black }) + N::from(0.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn values_for_each_player() {
        let view = |to_move, reported| ReportView { coordinate: Coordinate::square(9).unwrap(), to_move, reported };
        let (black, white) = (Color::Black, Color::White);
        for (to_move, reported, win_probability, points) in [
            (black, black, 0.75, 3.5),
            (black, white, 0.25, -3.5),
            (white, black, 0.25, 3.5),
            (white, white, 0.75, -3.5),
        ] {
            let view = view(to_move, reported);
            assert_eq!((view.reported_win_probability(0.75), view.reported_from_black(3.5)), (win_probability, points));
            assert_eq!(view.reported_from_side_to_move(0.5), 2.0 * win_probability - 1.0);
            assert_eq!(
                (view.reported_from_black(0.0).to_string(), view.reported_from_side_to_move(0.0).to_string()),
                ("0".into(), "0".into())
            );
        }
    }
}
