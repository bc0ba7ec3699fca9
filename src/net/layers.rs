//! Fully connected layers, global pooling, and sums of rows.

use crate::net::convolution::BoardLayout;
use crate::net::gemm::{Gemm, Matrix, padded};
use crate::net::simd::{InstructionSet, SimdKernel, Vector};

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

    /// The instruction set of the layer.
    pub(super) fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    /// Multiplies rows that start `stride` values apart; adds no bias.
    pub(super) fn multiply(&self, inputs: &[f32], stride: usize, outputs: &mut [f32]) {
        self.set.run(Gemm { matrix: &self.matrix, inputs, stride, outputs });
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

/// Vectors of channels that global pooling keeps in registers at a time.
const POOLED_VECTORS: usize = 4;

/// Global pooling: the mean of each channel over the points of a board, then the maximum of each.
pub(super) fn global_pool(set: InstructionSet, layout: BoardLayout, board: &[f32], channels: usize) -> Vec<f32> {
    let row = padded(channels);
    let mut pooled = vec![0.0; 2 * row];
    let (sums, maxima) = pooled.split_at_mut(row);
    set.run(SumsAndMaxima { layout, board, sums: &mut *sums, maxima: &mut *maxima });
    let area = (layout.width * layout.height) as f32;
    let means = sums.iter().map(|sum| sum / area);
    means.take(channels).chain(maxima.iter().copied().take(channels)).collect()
}

/// The sum and the maximum of each channel over the points of a board.
pub(super) struct SumsAndMaxima<'a> {
    pub(super) layout: BoardLayout,
    pub(super) board: &'a [f32],
    /// For each channel, padding included, as many as a point of the board has.
    pub(super) sums: &'a mut [f32],
    /// Likewise.
    pub(super) maxima: &'a mut [f32],
}

impl SimdKernel for SumsAndMaxima<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(mut self) {
        let channels = self.sums.len();
        let wide = channels - channels % (POOLED_VECTORS * V::LANES);
        for first in (0..wide).step_by(POOLED_VECTORS * V::LANES) {
            self.pool::<V, POOLED_VECTORS>(first);
        }
        for first in (wide..channels).step_by(V::LANES) {
            self.pool::<V, 1>(first);
        }
    }
}

impl SumsAndMaxima<'_> {
    /// Pools `W` vectors of channels.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // constant bounds keep the vectors in registers
    fn pool<V: Vector, const W: usize>(&mut self, first: usize) {
        let SumsAndMaxima { layout, board, sums, maxima } = self;
        let row = sums.len();
        let mut sum = [V::splat(0.0); W];
        let mut maximum = [V::splat(f32::NEG_INFINITY); W];
        for cells in layout.rows() {
            let points = board.get(cells.start * row..cells.end * row).unwrap_or_default();
            for point in points.chunks_exact(row) {
                let Some(channels) = point.get(first..first + W * V::LANES) else { return };
                for w in 0..W {
                    let numbers = V::load(&channels[w * V::LANES..]);
                    sum[w] = sum[w].add(numbers);
                    maximum[w] = numbers.max(maximum[w]);
                }
            }
        }
        for w in 0..W {
            sum[w].store(sums.get_mut(first + w * V::LANES..).unwrap_or_default());
            maximum[w].store(maxima.get_mut(first + w * V::LANES..).unwrap_or_default());
        }
    }
}

/// Adds one number per channel to every point of a board.
pub(super) struct AddToPoints<'a> {
    pub(super) layout: BoardLayout,
    pub(super) board: &'a mut [f32],
    /// A number for each channel, padding included.
    pub(super) numbers: &'a [f32],
}

impl SimdKernel for AddToPoints<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let AddToPoints { layout, board, numbers } = self;
        let row = numbers.len();
        for cells in layout.rows() {
            let points = board.get_mut(cells.start * row..cells.end * row).unwrap_or_default();
            for point in points.chunks_exact_mut(row) {
                for (sum, number) in point.chunks_exact_mut(V::LANES).zip(numbers.chunks_exact(V::LANES)) {
                    V::load(sum).add(V::load(number)).store(sum);
                }
            }
        }
    }
}

/// Adds numbers to as many others; both are rows with padding.
pub(super) struct AddRows<'a> {
    pub(super) sums: &'a mut [f32],
    pub(super) numbers: &'a [f32],
}

impl SimdKernel for AddRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for (sum, number) in self.sums.chunks_exact_mut(V::LANES).zip(self.numbers.chunks_exact(V::LANES)) {
            V::load(sum).add(V::load(number)).store(sum);
        }
    }
}
