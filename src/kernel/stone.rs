//! The content of one cell of the walled board, and the character it is drawn with.

use std::fmt;

use crate::kernel::color::Color;

/// The content of one cell of the walled board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u8)]
pub enum Stone {
    /// An empty point, drawn `.`.
    #[default]
    Space,
    /// A black stone, drawn `x`.
    Black,
    /// A white stone, drawn `o`.
    White,
    /// A cell of the frame around the board, drawn `+`.
    Wall,
}

impl Stone {
    /// The owner of the stone; `None` for an empty point and for the wall.
    #[inline]
    pub const fn color(self) -> Option<Color> {
        match self {
            Stone::Black => Some(Color::Black),
            Stone::White => Some(Color::White),
            Stone::Space | Stone::Wall => None,
        }
    }

    /// The character this cell is drawn with.
    pub const fn symbol(self) -> char {
        match self {
            Stone::Space => '.',
            Stone::Black => Color::Black.symbol(),
            Stone::White => Color::White.symbol(),
            Stone::Wall => '+',
        }
    }

    /// The inverse of [`Stone::symbol`].
    pub const fn from_symbol(symbol: u8) -> Option<Stone> {
        match symbol {
            b'.' => Some(Stone::Space),
            b'x' => Some(Stone::Black),
            b'o' => Some(Stone::White),
            b'+' => Some(Stone::Wall),
            _ => None,
        }
    }
}

impl Color {
    /// The stone that this player puts on the board.
    #[inline]
    pub const fn stone(self) -> Stone {
        match self {
            Color::Black => Stone::Black,
            Color::White => Stone::White,
        }
    }
}

impl fmt::Display for Stone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Write::write_char(f, self.symbol())
    }
}
