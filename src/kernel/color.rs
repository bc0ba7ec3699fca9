//! The two players, and sets of players.

use std::fmt;

/// A player. The content of a cell is a [`Stone`](crate::kernel::Stone), which is also empty or wall.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// Black, drawn `x`.
    Black,
    /// White, drawn `o`.
    White,
}

impl Color {
    /// Black, then White.
    pub const BOTH: [Color; 2] = [Color::Black, Color::White];

    /// The other player.
    #[inline]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// Parses a GTP colour: `black`, `b`, `white` or `w`, in any case.
    pub fn parse(text: &str) -> Option<Color> {
        match text.to_ascii_lowercase().as_str() {
            "black" | "b" => Some(Color::Black),
            "white" | "w" => Some(Color::White),
            _ => None,
        }
    }

    /// 0 for Black, 1 for White: the index of this player in a pair.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// 1 for Black, -1 for White: what turns a number for Black into one for this player.
    #[inline]
    pub const fn sign(self) -> i8 {
        match self {
            Color::Black => 1,
            Color::White => -1,
        }
    }

    /// The name of this player in sentences: `Black` or `White`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::Black => "Black",
            Color::White => "White",
        }
    }

    /// Black's win probability, from this player's.
    #[inline]
    pub fn black_probability(self, own: f32) -> f32 {
        match self {
            Color::Black => own,
            Color::White => 1.0 - own,
        }
    }

    /// This player's win probability, from Black's.
    #[inline]
    pub fn own_probability(self, black: f32) -> f32 {
        match self {
            Color::Black => black,
            Color::White => 1.0 - black,
        }
    }

    /// The letter of this player in results and lists of moves: `B` or `W`.
    pub const fn letter(self) -> char {
        match self {
            Color::Black => 'B',
            Color::White => 'W',
        }
    }

    /// The character that this player's stones are drawn with: `x` or `o`.
    pub const fn symbol(self) -> char {
        match self {
            Color::Black => 'x',
            Color::White => 'o',
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::Black => "black",
            Color::White => "white",
        })
    }
}

/// A set of players, such as the colours of the stones next to a ren (`adjacentColor` in the answer of `test_get_liberty`).
///
/// Displayed as an empty string, `x`, `o` or `xo`.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Colors(u8);

impl Colors {
    /// The empty set.
    pub const NONE: Colors = Colors(0);

    /// Adds a player; adding a player twice changes nothing.
    #[inline]
    pub fn add(&mut self, color: Color) {
        self.0 |= 1 << color.index();
    }

    /// Whether the player is in the set.
    #[inline]
    pub fn contains(self, color: Color) -> bool {
        self.0 & (1 << color.index()) != 0
    }
}

impl fmt::Display for Colors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for color in Color::BOTH {
            if self.contains(color) {
                fmt::Write::write_char(f, color.symbol())?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Colors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Colors({self})")
    }
}
