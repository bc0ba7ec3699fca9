//! Komi as nets read it.

/// White's points beside those on the board.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Komi {
    /// Komi and handicap compensation by the rules.
    pub agreed: f64,
    /// Under territory scoring, the stones that Black has played less those of White, captured ones included: added to
    /// komi it makes territory and prisoners of area. `None` under area scoring.
    pub stones_played: Option<f64>,
}

impl From<f64> for Komi {
    /// Komi under area scoring.
    fn from(agreed: f64) -> Komi {
        Komi { agreed, stones_played: None }
    }
}
