//! A ren (連): a maximal connected group of points with the same content: black stones, white stones, or empty points.

use crate::kernel::color::Colors;
use crate::kernel::coordinate::Point;
use crate::kernel::stone::Stone;

/// A ren as [`get_liberty`](crate::kernel::get_liberty) finds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ren {
    /// The content of its points; never [`Stone::Wall`].
    pub stone: Stone,
    /// Its points, in the order found.
    pub locations: Vec<Point>,
    /// The empty points next to it, in the order found; none for a ren of empty points.
    pub liberties: Vec<Point>,
    /// The colours of the rens next to it, without its own.
    pub adjacent: Colors,
}

impl Ren {
    /// A ren without points, to be filled.
    pub fn new(stone: Stone) -> Ren {
        Ren { stone, locations: Vec::new(), liberties: Vec::new(), adjacent: Colors::NONE }
    }

    /// Number of points.
    pub fn area(&self) -> usize {
        self.locations.len()
    }

    /// Number of liberties.
    pub fn liberty_area(&self) -> usize {
        self.liberties.len()
    }

    /// Its point with the smallest index, which identifies it within a position; `None` if it has no points.
    pub fn minimum_location(&self) -> Option<Point> {
        self.locations.iter().copied().min()
    }
}
