//! The memory layout of boards, and how tiles cover them.

/// The memory layout of a board: row by row with a frame of zeros, one cell wide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BoardLayout {
    pub(super) width: usize,
    pub(super) height: usize,
}

impl BoardLayout {
    /// The number of cells of a row, frame included.
    pub(super) fn row(self) -> usize {
        self.width + 2
    }

    /// The number of cells, frame included.
    pub(super) fn cells(self) -> usize {
        self.row() * (self.height + 2)
    }

    /// The cell of a point; `x` and `y` from 0.
    pub(super) fn cell(self, x: usize, y: usize) -> usize {
        (y + 1) * self.row() + x + 1
    }

    /// The cells of each row of the board, without the frame.
    pub(super) fn rows(self) -> impl Iterator<Item = std::ops::Range<usize>> {
        (0..self.height).map(move |y| self.cell(0, y)..self.cell(self.width, y))
    }

    /// The number of tiles of a side that cover the board.
    pub(super) fn tiles(self, side: usize) -> usize {
        self.width.div_ceil(side) * self.height.div_ceil(side)
    }
}

/// The cells that the tiles of a batch of boards read and write.
#[derive(Debug, Default)]
pub(super) struct Tiling {
    made_for: Option<(BoardLayout, usize, usize)>,
    /// For each tile the cells of its patch, the tile and a margin of one, row by row. 0, a cell of the frame, stands
    /// for every cell outside of the board.
    pub(super) sources: Vec<u32>,
    /// For each tile its cells, row by row, and 0 for what is outside of the board.
    pub(super) targets: Vec<u32>,
    /// The board of each tile.
    pub(super) boards: Vec<u32>,
}

impl Tiling {
    /// Describes the tiles of a side for a number of boards.
    pub(super) fn prepare(&mut self, layout: BoardLayout, boards: usize, side: usize) {
        let wanted = Some((layout, boards, side));
        if self.made_for == wanted {
            return;
        }
        self.made_for = wanted;
        self.sources.clear();
        self.targets.clear();
        self.boards.clear();
        for board in 0..boards {
            // `x` and `y` from 1, where 0 is the frame
            let cell = |x: usize, y: usize| {
                let on_board = (1..=layout.width).contains(&x) && (1..=layout.height).contains(&y);
                if on_board { (board * layout.cells() + y * layout.row() + x) as u32 } else { 0 }
            };
            for (top, left) in
                (0..layout.height).step_by(side).flat_map(|y| (0..layout.width).step_by(side).map(move |x| (y, x)))
            {
                let patch = (top..top + side + 2).flat_map(|y| (left..left + side + 2).map(move |x| (x, y)));
                self.sources.extend(patch.map(|(x, y)| cell(x, y)));
                let tile = (top + 1..=top + side).flat_map(|y| (left + 1..=left + side).map(move |x| (x, y)));
                self.targets.extend(tile.map(|(x, y)| cell(x, y)));
                self.boards.push(board as u32);
            }
        }
    }
}
