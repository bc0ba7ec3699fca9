//! The memory of evaluations, kept by a thread from one evaluation to the next.

use crate::net::convolution::{ConvScratch, Grid};
use crate::net::product::padded;

/// Reusable buffers of one thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The boards of the evaluation in progress.
    pub(super) batch: Batch,
    /// Free buffers of boards by the length of a row, with zeros in the frames.
    boards: Vec<Boards>,
    /// Free buffers without a frame.
    flat: Vec<Vec<f32>>,
    pub(super) conv: ConvScratch,
}

/// The number and the size of boards that are evaluated together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Batch {
    pub(super) grid: Grid,
    pub(super) boards: usize,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch { grid: Grid { width: 0, height: 0 }, boards: 0 }
    }
}

impl Batch {
    /// The number of points of a board.
    pub(super) fn area(self) -> usize {
        self.grid.width * self.grid.height
    }
}

/// A batch of boards in the layout of [`Grid`], channels last.
#[derive(Debug)]
pub(super) struct Boards {
    /// The padded number of channels.
    pub(super) row: usize,
    pub(super) values: Vec<f32>,
}

impl Scratch {
    /// Starts an evaluation. The buffers of another board size are given up, because their frames are elsewhere.
    pub(super) fn start(&mut self, batch: Batch) {
        if self.batch.grid != batch.grid {
            self.boards.clear();
        }
        self.batch = batch;
    }

    /// A buffer with zeros in the frames and anything else on the boards.
    pub(super) fn boards(&mut self, channels: usize) -> Boards {
        let row = padded(channels);
        let place = self.boards.iter().position(|boards| boards.row == row);
        let mut boards = place.map_or_else(|| Boards { row, values: Vec::new() }, |place| self.boards.remove(place));
        boards.values.resize(self.batch.boards * self.batch.grid.cells() * row, 0.0);
        boards
    }

    /// A buffer with any content.
    pub(super) fn flat(&mut self, length: usize) -> Vec<f32> {
        let mut flat = self.flat.pop().unwrap_or_default();
        flat.resize(length, 0.0);
        flat
    }

    /// A buffer with a copy of a row for each board.
    pub(super) fn rows(&mut self, row: &[f32]) -> Vec<f32> {
        let mut rows = self.flat(self.batch.boards * row.len());
        rows.chunks_exact_mut(row.len()).for_each(|to| to.copy_from_slice(row));
        rows
    }

    /// Takes back a buffer of boards.
    pub(super) fn free_boards(&mut self, boards: Boards) {
        self.boards.push(boards);
    }

    /// Takes back a buffer.
    pub(super) fn free_flat(&mut self, flat: Vec<f32>) {
        self.flat.push(flat);
    }
}
