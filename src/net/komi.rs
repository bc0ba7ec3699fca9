//! Komi as nets read it.

/// White's points beside those on the board.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Komi {
    /// White's compensation ([`GameRule::white_compensation`](crate::kernel::GameRule::white_compensation)), and half a
    /// point for a button that has been taken.
    pub compensation: f64,
    /// Under territory scoring, the stones that Black has played less those of White, captured ones included: added to
    /// komi, it turns a count of area into one of territory and prisoners. `None` under area scoring.
    pub black_minus_white_moves: Option<f64>,
}

impl From<f64> for Komi {
    /// Komi under area scoring.
    fn from(compensation: f64) -> Komi {
        Komi { compensation, black_minus_white_moves: None }
    }
}
