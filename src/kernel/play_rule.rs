//! The reasons for refusing a move, each with its name in answers.

use std::fmt;

/// The rule that forbids a move. Displayed as [`IllegalMove::name`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum IllegalMove {
    /// The point holds a stone or is wall.
    Masonry,
    /// A single stone without a liberty that captures nothing: the point is an eye of the opponent.
    OpponentEye,
    /// The point is the mover's own one-point eye, and the game forbids filling those.
    MyEye,
    /// The joined ren of several stones would have no liberty, and the stone captures nothing.
    Suicide,
    /// The move would retake a ko at once.
    Ko,
    /// The move would repeat an earlier position.
    Superko,
}

impl IllegalMove {
    /// The name of the rule in answers: `masonry`, `opponent_eye`, `my_eye`, `suicide`, `ko` or `superko`.
    pub const fn name(self) -> &'static str {
        match self {
            IllegalMove::Masonry => "masonry",
            IllegalMove::OpponentEye => "opponent_eye",
            IllegalMove::MyEye => "my_eye",
            IllegalMove::Suicide => "suicide",
            IllegalMove::Ko => "ko",
            IllegalMove::Superko => "superko",
        }
    }

    /// An explanation for people, about a move of anyone's.
    pub const fn explanation(self) -> &'static str {
        match self {
            IllegalMove::Masonry => "there is a stone on the point",
            IllegalMove::OpponentEye => "the stone would stand alone in the opponent's eye, without a liberty",
            IllegalMove::MyEye => "the point is an eye of the player's own, and this game forbids filling it",
            IllegalMove::Suicide => "the player's stones would be left without a liberty, and nothing is taken",
            IllegalMove::Ko => "the ko may not be retaken at once",
            IllegalMove::Superko => "the board would be as it was before",
        }
    }

    /// The name of the rule and the explanation: `masonry: there is a stone on the point`.
    pub fn described(self) -> String {
        format!("{}: {}", self.name(), self.explanation())
    }
}

impl fmt::Display for IllegalMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl std::error::Error for IllegalMove {}
