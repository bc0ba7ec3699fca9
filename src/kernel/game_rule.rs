//! What the players agreed on before the game.

/// The rules that a game adds to the board's own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameRule {
    /// Points added to White's score; negative means points for Black.
    pub komi: f64,
    /// Whether filling one's own one-point eye is refused as `my_eye`. Go allows it; it is all but always a loss.
    pub can_not_put_on_my_eye: bool,
}

impl GameRule {
    /// Go's rules with this komi.
    pub const fn with_komi(komi: f64) -> GameRule {
        GameRule { komi, can_not_put_on_my_eye: false }
    }
}
