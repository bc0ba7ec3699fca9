//! The input of a KataGo net: version 7 of its features, 22 planes and 19 numbers.

/// Number of planes.
pub const PLANES: usize = 22;

/// Number of global inputs.
pub const GLOBALS: usize = 19;

/// The input of a position, from the perspective of the player to move.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Features {
    width: usize,
    height: usize,
    /// For each point, row by row from the top left, its planes as bits: bit `k` is plane `k`.
    points: Vec<u32>,
    globals: [f32; GLOBALS],
    /// Whether each move is legal, the pass last.
    legal: Vec<bool>,
}

impl Features {
    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// For each point, row by row from the top left, its planes as bits: bit `k` is plane `k`.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// The global inputs.
    pub fn globals(&self) -> &[f32; GLOBALS] {
        &self.globals
    }

    /// Whether each move is legal: a flag for each point, and one for the pass.
    pub fn legal(&self) -> &[bool] {
        &self.legal
    }
}

#[cfg(test)]
impl Features {
    /// Features of given planes and numbers.
    pub(super) fn from_parts(
        (width, height): (usize, usize),
        points: Vec<u32>,
        globals: [f32; GLOBALS],
        legal: Vec<bool>,
    ) -> Features {
        Features { width, height, points, globals, legal }
    }
}
