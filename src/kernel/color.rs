//! The two players, and sums of them.

use std::fmt;

use crate::kernel::stone::Stone;

/// A player. The colour of a grid point is a [`Stone`].
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

    /// The stone this player puts on the board.
    #[inline]
    pub const fn stone(self) -> Stone {
        match self {
            Color::Black => Stone::Black,
            Color::White => Stone::White,
        }
    }

    /// Reads `black`, `b`, `white` or `w`, in any case: the GTP colours.
    pub fn parse(text: &str) -> Option<Color> {
        match text.to_ascii_lowercase().as_str() {
            "black" | "b" => Some(Color::Black),
            "white" | "w" => Some(Color::White),
            _ => None,
        }
    }

    /// 0 for Black, 1 for White: the place of this player in a pair.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
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

/// A sum of colours: which players have stones somewhere. Displayed as ``, `x`, `o` or `xo`.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Colors(u8);

impl Colors {
    /// Neither player.
    pub const NONE: Colors = Colors(0);

    /// Adds a player to the sum; adding one twice changes nothing.
    #[inline]
    pub fn add(&mut self, color: Color) {
        self.0 |= 1 << color.index();
    }

    /// Whether the player is in the sum.
    #[inline]
    pub fn contains(self, color: Color) -> bool {
        self.0 & (1 << color.index()) != 0
    }
}

impl fmt::Display for Colors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for color in Color::BOTH {
            if self.contains(color) {
                color.stone().fmt(f)?;
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
