//! Fully connected layers and global pooling.

use crate::net::convolution::BoardLayout;
use crate::net::product::{Matrix, Product, padded};
use crate::net::simd::InstructionSet;

/// A fully connected layer.
#[derive(Debug)]
pub(super) struct Linear {
    matrix: Matrix,
    bias: Vec<f32>,
    inputs: usize,
    set: InstructionSet,
}

impl Linear {
    /// A layer of this matrix, with a bias for each output.
    pub(super) fn new(set: InstructionSet, matrix: Matrix, mut bias: Vec<f32>, inputs: usize) -> Linear {
        bias.resize(matrix.row(), 0.0);
        Linear { matrix, bias, inputs, set }
    }

    /// The number of inputs.
    pub(super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of outputs, padded like channels.
    pub(super) fn row(&self) -> usize {
        self.matrix.row()
    }

    /// Multiplies rows that start `stride` values apart; adds no bias.
    pub(super) fn multiply(&self, inputs: &[f32], stride: usize, outputs: &mut [f32]) {
        self.set.run(Product { matrix: &self.matrix, inputs, stride, outputs });
    }

    /// The outputs of rows that start `stride` values apart.
    pub(super) fn apply_rows(&self, inputs: &[f32], stride: usize, outputs: &mut [f32]) {
        self.multiply(inputs, stride, outputs);
        for row in outputs.chunks_exact_mut(self.row()) {
            row.iter_mut().zip(&self.bias).for_each(|(output, bias)| *output += bias);
        }
    }

    /// The outputs of one row.
    pub(super) fn apply(&self, inputs: &[f32]) -> Vec<f32> {
        let mut outputs = vec![0.0; self.row()];
        self.apply_rows(inputs, self.inputs, &mut outputs);
        outputs
    }
}

/// Global pooling: the mean of each channel over the points of a board, then the maximum of each.
pub(super) fn global_pool(layout: BoardLayout, board: &[f32], channels: usize) -> Vec<f32> {
    let row = padded(channels);
    let mut sums = vec![0.0; row];
    let mut maxima = vec![f32::NEG_INFINITY; row];
    add_sums_and_maxima(layout, board, row, &mut sums, &mut maxima);
    let area = (layout.width * layout.height) as f32;
    let means = sums.iter().map(|sum| sum / area);
    means.take(channels).chain(maxima.iter().copied().take(channels)).collect()
}

/// Adds the numbers of a board's points to `sums`, and raises `maxima` to the largest of them, for as many channels as
/// these have. `row` is the padded number of channels of the board.
pub(super) fn add_sums_and_maxima(
    layout: BoardLayout,
    board: &[f32],
    row: usize,
    sums: &mut [f32],
    maxima: &mut [f32],
) {
    for cells in layout.rows() {
        let points = board.get(cells.start * row..cells.end * row).unwrap_or_default();
        for point in points.chunks_exact(row) {
            for ((sum, maximum), number) in sums.iter_mut().zip(&mut *maxima).zip(point) {
                *sum += number;
                *maximum = if number > maximum { *number } else { *maximum };
            }
        }
    }
}

/// Adds one number per channel to every point.
pub(super) fn add_to_points(layout: BoardLayout, board: &mut [f32], numbers: &[f32]) {
    let row = numbers.len();
    for cells in layout.rows() {
        let points = board.get_mut(cells.start * row..cells.end * row).unwrap_or_default();
        for point in points.chunks_exact_mut(row) {
            point.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
    }
}
