//! The part of the engine's kernel that the search's files use, on a board of one point: a node then has two children at most.

/// As the kernel's.
pub(crate) const MAX_SIDE: u8 = 1;

/// As the kernel's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Point(u16);

impl Point {
    pub(crate) const fn at(index: u16) -> Point {
        Point(index)
    }

    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// As the kernel's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Move {
    Play(Point),
    Pass,
}
