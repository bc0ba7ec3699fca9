//! Komi as nets read it.

use crate::kernel::{Position, Scoring, button_points};

/// White's points beside those on the board.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Komi {
    /// Komi and the handicap bonus
    /// ([`GameRule::komi_with_handicap_bonus`](crate::kernel::GameRule::komi_with_handicap_bonus)), plus half a point
    /// if White has taken the button, minus half a point if Black has.
    pub compensation: f64,
    /// The kind of scoring.
    pub scoring: Scoring,
    /// Under territory scoring, [`Position::black_minus_white_stones`]: added to komi, it turns a count of area into one
    /// of territory and prisoners. 0 under area scoring.
    pub black_minus_white_stones: f64,
}

impl Komi {
    /// The komi of a position.
    pub fn of_position(position: &Position) -> Komi {
        let rule = position.rule();
        let button = position.taken_button().map_or(0.0, button_points);
        Komi {
            compensation: rule.komi_with_handicap_bonus(position.handicap()) - button,
            scoring: rule.scoring,
            black_minus_white_stones: match rule.scoring {
                Scoring::Area => 0.0,
                Scoring::Territory => position.black_minus_white_stones(),
            },
        }
    }
}

impl From<f64> for Komi {
    /// Komi under area scoring.
    fn from(compensation: f64) -> Komi {
        Komi { compensation, scoring: Scoring::Area, black_minus_white_stones: 0.0 }
    }
}
