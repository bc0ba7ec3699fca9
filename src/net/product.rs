//! Matrix products: rows of inputs times a weight matrix, for fully connected layers and for convolutions other than
//! 3x3.

use crate::net::simd::{InstructionSet, ROWS, SimdKernel, Vector};

/// Lanes of the widest vector. Rows are padded to a multiple of it.
pub(super) const ALIGN: usize = 16;

/// The length of a row of `channels` values with padding.
pub(super) const fn padded(channels: usize) -> usize {
    channels.next_multiple_of(ALIGN)
}

/// A weight matrix stored in panels of columns: full panels of the instruction set's width, then panels of [`ALIGN`]
/// columns.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    weights: Vec<f32>,
    inputs: usize,
    outputs: usize,
}

impl Matrix {
    /// A matrix for an instruction set; `weight` gives the weight of an input and an output.
    pub(super) fn new(
        set: InstructionSet,
        inputs: usize,
        outputs: usize,
        weight: impl Fn(usize, usize) -> f32,
    ) -> Matrix {
        let mut weights = Vec::with_capacity(inputs * padded(outputs));
        for (first, width) in panels(outputs, set.panel()) {
            for input in 0..inputs {
                let column = |output| if output < outputs { weight(input, output) } else { 0.0 };
                weights.extend((first..first + width).map(column));
            }
        }
        Matrix { weights, inputs, outputs }
    }

    /// `weights` in the order output, input.
    pub(super) fn from_rows(set: InstructionSet, weights: &[f32], inputs: usize, outputs: usize) -> Matrix {
        let weight = |input, output| weights.get(output * inputs + input).copied().unwrap_or_default();
        Matrix::new(set, inputs, outputs, weight)
    }

    /// The padded length of a row of outputs.
    pub(super) fn row(&self) -> usize {
        padded(self.outputs)
    }
}

/// The first column and the width of each panel.
fn panels(outputs: usize, panel: usize) -> impl Iterator<Item = (usize, usize)> {
    let columns = padded(outputs);
    let full = columns / panel;
    let narrow = (columns - full * panel) / ALIGN;
    (0..full).map(move |k| (k * panel, panel)).chain((0..narrow).map(move |k| (full * panel + k * ALIGN, ALIGN)))
}

/// A matrix product. Rows of `inputs` start `stride` values apart; each gives a row of `outputs`.
pub(super) struct Product<'a> {
    pub(super) matrix: &'a Matrix,
    pub(super) inputs: &'a [f32],
    pub(super) stride: usize,
    pub(super) outputs: &'a mut [f32],
}

impl SimdKernel for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Matrix { weights, inputs, outputs } = self.matrix;
        let row = self.matrix.row();
        let mut rest = weights.as_slice();
        for (first, width) in panels(*outputs, V::LANES * V::COLUMNS) {
            let (weights, others) = rest.split_at(inputs * width);
            rest = others;
            let mut from = self.inputs;
            for to in self.outputs.chunks_mut(ROWS * row) {
                let strip = Strip { weights, inputs: *inputs, from, stride: self.stride, first, row };
                match (V::COLUMNS, width / V::LANES) {
                    (4, 4) => strip.rows::<V, 4>(to),
                    (2, 2) => strip.rows::<V, 2>(to),
                    _ => strip.rows::<V, 1>(to),
                }
                from = from.get(ROWS * self.stride..).unwrap_or_default();
            }
        }
    }
}

/// Up to [`ROWS`] rows of a product with one panel.
struct Strip<'a> {
    weights: &'a [f32],
    inputs: usize,
    from: &'a [f32],
    stride: usize,
    first: usize,
    row: usize,
}

impl Strip<'_> {
    /// Dispatches on the number of rows; the panel is `W` vectors wide.
    #[inline(always)]
    fn rows<V: Vector, const W: usize>(&self, to: &mut [f32]) {
        match to.len() / self.row {
            1 => self.sums::<V, W, 1>(to),
            2 => self.sums::<V, W, 2>(to),
            3 => self.sums::<V, W, 3>(to),
            4 => self.sums::<V, W, 4>(to),
            5 => self.sums::<V, W, 5>(to),
            ROWS => self.sums::<V, W, ROWS>(to),
            _ => {}
        }
    }

    /// The inner loop. All sums stay in registers: constant bounds let the compiler unroll the loops, and slices of
    /// known length leave no bounds checks inside.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    fn sums<V: Vector, const W: usize, const R: usize>(&self, to: &mut [f32]) {
        let count = self.inputs;
        let mut rows: [&[f32]; R] = [&[]; R];
        for (r, slice) in rows.iter_mut().enumerate() {
            let Some(row) = self.from.get(r * self.stride..).and_then(|row| row.get(..count)) else { return };
            *slice = row;
        }
        let mut sums = [[V::splat(0.0); W]; R];
        let mut weights = self.weights.chunks_exact(W * V::LANES);
        for input in 0..count {
            let Some(weights) = weights.next() else { return };
            let mut weight = [V::splat(0.0); W];
            for w in 0..W {
                weight[w] = V::load(&weights[w * V::LANES..]);
            }
            for r in 0..R {
                let number = V::splat(rows[r][input]);
                for w in 0..W {
                    sums[r][w] = number.mul_add(weight[w], sums[r][w]);
                }
            }
        }
        for r in 0..R {
            let Some(to) = to.get_mut(r * self.row + self.first..) else { return };
            let Some(to) = to.get_mut(..W * V::LANES) else { return };
            for w in 0..W {
                sums[r][w].store(&mut to[w * V::LANES..]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_agrees_with_the_definition() {
        let mut random = fastrand::Rng::with_seed(3);
        for set in InstructionSet::available() {
            for (rows, inputs, outputs) in [(1, 1, 1), (6, 20, 64), (13, 64, 64), (7, 5, 100), (29, 33, 32), (4, 64, 1)]
            {
                let stride = inputs + 3;
                let mut number = || random.i32(-8..=8) as f32;
                let weights: Vec<f32> = (0..inputs * outputs).map(|_| number()).collect();
                let from: Vec<f32> = (0..rows * stride).map(|_| number()).collect();
                let matrix = Matrix::new(set, inputs, outputs, |input, output| weights[input * outputs + output]);
                let mut to = vec![f32::NAN; rows * matrix.row()];
                set.run(Product { matrix: &matrix, inputs: &from, stride, outputs: &mut to });
                for row in 0..rows {
                    for output in 0..matrix.row() {
                        let term = |input: usize| from[row * stride + input] * weights[input * outputs + output];
                        let sum: f32 = if output < outputs { (0..inputs).map(term).sum() } else { 0.0 };
                        // products of small integers are exact
                        assert_eq!(to[row * matrix.row() + output], sum, "{set} {rows} {inputs} {outputs}");
                    }
                }
            }
        }
    }
}
