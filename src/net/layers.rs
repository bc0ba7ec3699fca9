//! Layers that look at whole boards, or at no board at all.

use crate::net::convolution::Grid;
use crate::net::product::{Matrix, Product, padded};
use crate::net::simd::Path;

/// Sums of all inputs, each with its weight, and a bias.
#[derive(Debug)]
pub(super) struct Linear {
    matrix: Matrix,
    bias: Vec<f32>,
    inputs: usize,
    path: Path,
}

impl Linear {
    /// From weights in the order output, input.
    pub(super) fn new(path: Path, weights: &[f32], bias: &[f32], inputs: usize) -> Linear {
        let mut padded_bias = bias.to_vec();
        padded_bias.resize(padded(bias.len()), 0.0);
        Linear { matrix: Matrix::from_rows(path, weights, inputs, bias.len()), bias: padded_bias, inputs, path }
    }

    /// How many inputs there are.
    pub(super) fn inputs(&self) -> usize {
        self.inputs
    }

    /// The outputs, padded as channels are.
    pub(super) fn apply(&self, inputs: &[f32]) -> Vec<f32> {
        let mut outputs = vec![0.0; self.matrix.row()];
        self.path.run(Product { matrix: &self.matrix, inputs, stride: self.inputs, outputs: &mut outputs });
        outputs.iter_mut().zip(&self.bias).for_each(|(output, bias)| *output += bias);
        outputs
    }
}

/// The mean of each channel over the points of a board, and then the greatest number of each.
pub(super) fn pool(grid: Grid, board: &[f32], channels: usize) -> Vec<f32> {
    let row = padded(channels);
    let mut sums = vec![0.0; row];
    let mut greatest = vec![f32::NEG_INFINITY; row];
    for cells in grid.rows() {
        let points = board.get(cells.start * row..cells.end * row).unwrap_or_default();
        for point in points.chunks_exact(row) {
            for ((sum, greatest), number) in sums.iter_mut().zip(&mut greatest).zip(point) {
                *sum += number;
                *greatest = if number > greatest { *number } else { *greatest };
            }
        }
    }
    let area = (grid.width * grid.height) as f32;
    let means = sums.iter().map(|sum| sum / area);
    means.take(channels).chain(greatest.iter().copied().take(channels)).collect()
}

/// Adds the same numbers to the channels of every point.
pub(super) fn add_to_each(grid: Grid, board: &mut [f32], numbers: &[f32]) {
    let row = numbers.len();
    for cells in grid.rows() {
        let points = board.get_mut(cells.start * row..cells.end * row).unwrap_or_default();
        for point in points.chunks_exact_mut(row) {
            point.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
    }
}
