//! The memory of evaluations, kept by a thread from one evaluation to the next.

use std::ops::Range;

use crate::net::board_layout::BoardLayout;
use crate::net::convolution::ConvScratch;
use crate::net::gemm::{ALIGN, padded};

/// Size in bytes of a cache line and of the widest vector.
const CACHE_LINE: usize = 64;

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
    pub(super) layout: BoardLayout,
    pub(super) boards: usize,
}

impl Default for Batch {
    fn default() -> Batch {
        Batch { layout: BoardLayout { width: 0, height: 0 }, boards: 0 }
    }
}

impl Batch {
    /// The number of points of a board.
    pub(super) fn area(self) -> usize {
        self.layout.width * self.layout.height
    }
}

/// A batch of boards in the layout of [`BoardLayout`], channels last.
#[derive(Debug)]
pub(super) struct Boards {
    /// The padded number of channels.
    pub(super) row: usize,
    memory: Vec<f32>,
    /// The part of the memory in use, which begins with a cache line.
    range: Range<usize>,
}

impl Boards {
    /// The numbers of all cells, board by board.
    pub(super) fn values(&self) -> &[f32] {
        self.memory.get(self.range.clone()).unwrap_or_default()
    }

    /// The numbers, to be changed.
    pub(super) fn values_mut(&mut self) -> &mut [f32] {
        self.memory.get_mut(self.range.clone()).unwrap_or_default()
    }

    /// Makes room for a number of values; memory that is new holds zeros.
    fn resize(&mut self, length: usize) {
        if self.memory.len() < length + ALIGN {
            self.memory = vec![0.0; length + ALIGN];
            self.range.start = self.memory.as_ptr().align_offset(CACHE_LINE).min(ALIGN);
        }
        self.range.end = self.range.start + length;
    }
}

impl Scratch {
    /// Starts an evaluation. The buffers of another board size are given up, because their frames are elsewhere.
    pub(super) fn start(&mut self, batch: Batch) {
        if self.batch.layout != batch.layout {
            self.boards.clear();
        }
        self.batch = batch;
    }

    /// A buffer with zeros in the frames and anything else on the boards.
    pub(super) fn boards(&mut self, channels: usize) -> Boards {
        let row = padded(channels);
        let place = self.boards.iter().position(|boards| boards.row == row);
        let new = || Boards { row, memory: Vec::new(), range: 0..0 };
        let mut boards = place.map_or_else(new, |place| self.boards.remove(place));
        boards.resize(self.batch.boards * self.batch.layout.cells() * row);
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
