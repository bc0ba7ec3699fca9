//! A ren (連): a maximal connected group of points of one colour, of empty points too.

use crate::kernel::color::Colors;
use crate::kernel::coordinate::Point;
use crate::kernel::stone::Stone;

/// A ren as a flood fill finds it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ren {
    /// What its points hold; never [`Stone::Wall`].
    pub stone: Stone,
    /// Its points, in the order met.
    pub locations: Vec<Point>,
    /// Empty points next to it, in the order met; none for a ren of empty points.
    pub liberties: Vec<Point>,
    /// Colours of the rens next to it, its own left out.
    pub adjacent: Colors,
}

impl Ren {
    /// A ren without points yet.
    pub fn new(stone: Stone) -> Ren {
        Ren { stone, locations: Vec::new(), liberties: Vec::new(), adjacent: Colors::NONE }
    }

    /// How many points it has.
    pub fn area(&self) -> usize {
        self.locations.len()
    }

    /// How many liberties it has.
    pub fn liberty_area(&self) -> usize {
        self.liberties.len()
    }

    /// Its smallest point, which names it; `None` only before it has points.
    pub fn minimum_location(&self) -> Option<Point> {
        self.locations.iter().copied().min()
    }
}
