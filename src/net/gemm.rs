//! Matrix products (GEMM) in `f32`: for fully connected layers, attention, and convolutions other than 3x3.

use crate::net::simd::{GEMM_ROWS, InstructionSet, SimdKernel, Vector};

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
        for (first, width) in panels(outputs, set.panel_columns()) {
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
pub(super) struct Gemm<'a> {
    pub(super) matrix: &'a Matrix,
    pub(super) inputs: &'a [f32],
    pub(super) stride: usize,
    pub(super) outputs: &'a mut [f32],
}

impl SimdKernel for Gemm<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Gemm { matrix, inputs, stride, outputs } = self;
        let mut rest = matrix.weights.as_slice();
        for (first, width) in panels(matrix.outputs, V::LANES * V::GEMM_VECTORS) {
            let (weights, others) = rest.split_at(matrix.inputs * width);
            rest = others;
            let panel = Panel { weights, pitch: width, terms: matrix.inputs, first, row: matrix.row() };
            panel.multiply::<V>(width / V::LANES, inputs, stride, outputs);
        }
    }
}

/// A matrix product whose right side changes with every evaluation, so that it is not stored in panels.
pub(super) struct RowsGemm<'a> {
    /// Rows of a padded length, and that length, which is the length of a row of outputs too.
    pub(super) right: (&'a [f32], usize),
    /// The number of rows of the right side.
    pub(super) terms: usize,
    pub(super) inputs: &'a [f32],
    pub(super) stride: usize,
    pub(super) outputs: &'a mut [f32],
}

impl SimdKernel for RowsGemm<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let RowsGemm { right: (right, row), terms, inputs, stride, outputs } = self;
        let mut first = 0;
        while first < row {
            let vectors = ((row - first) / V::LANES).clamp(1, V::GEMM_VECTORS);
            // a power of two, see `Panel::multiply`
            let vectors = 1 << vectors.ilog2();
            let panel = Panel { weights: right.get(first..).unwrap_or_default(), pitch: row, terms, first, row };
            panel.multiply::<V>(vectors, inputs, stride, outputs);
            first += vectors * V::LANES;
        }
    }
}

/// Some columns of the right side of a product.
#[derive(Clone, Copy)]
struct Panel<'a> {
    weights: &'a [f32],
    /// Values from a row of the weights to the next.
    pitch: usize,
    /// The number of rows.
    terms: usize,
    /// The first of the columns.
    first: usize,
    /// The length of a row of outputs.
    row: usize,
}

impl Panel<'_> {
    /// Multiplies all rows by as many vectors of columns: 1, 2 or 4, and not more than [`Vector::GEMM_VECTORS`].
    #[inline(always)]
    fn multiply<V: Vector>(self, vectors: usize, inputs: &[f32], stride: usize, outputs: &mut [f32]) {
        let mut from = inputs;
        for to in outputs.chunks_mut(GEMM_ROWS * self.row) {
            let tile = MicroTile { panel: self, from, stride };
            match vectors {
                4 if V::GEMM_VECTORS >= 4 => tile.rows::<V, 4>(to),
                2 if V::GEMM_VECTORS >= 2 => tile.rows::<V, 2>(to),
                _ => tile.rows::<V, 1>(to),
            }
            from = from.get(GEMM_ROWS * stride..).unwrap_or_default();
        }
    }
}

/// Up to [`GEMM_ROWS`] rows of a product with one panel.
struct MicroTile<'a> {
    panel: Panel<'a>,
    from: &'a [f32],
    stride: usize,
}

impl MicroTile<'_> {
    /// Dispatches on the number of rows; the panel is `W` vectors wide.
    #[inline(always)]
    fn rows<V: Vector, const W: usize>(&self, to: &mut [f32]) {
        match to.len() / self.panel.row {
            1 => self.sums::<V, W, 1>(to),
            2 => self.sums::<V, W, 2>(to),
            3 => self.sums::<V, W, 3>(to),
            4 => self.sums::<V, W, 4>(to),
            5 => self.sums::<V, W, 5>(to),
            GEMM_ROWS => self.sums::<V, W, GEMM_ROWS>(to),
            _ => {}
        }
    }

    /// The inner loop. All sums stay in registers: constant bounds let the compiler unroll the loops, and slices of
    /// known length leave no bounds checks inside.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    fn sums<V: Vector, const W: usize, const R: usize>(&self, to: &mut [f32]) {
        let Panel { weights, pitch, terms, first, row: to_row } = self.panel;
        let mut rows: [&[f32]; R] = [&[]; R];
        for (r, slice) in rows.iter_mut().enumerate() {
            let Some(row) = self.from.get(r * self.stride..).and_then(|row| row.get(..terms)) else { return };
            *slice = row;
        }
        let mut sums = [[V::splat(0.0); W]; R];
        let mut weights = weights.chunks(pitch);
        for term in 0..terms {
            let Some(weights) = weights.next().and_then(|row| row.get(..W * V::LANES)) else { return };
            let mut weight = [V::splat(0.0); W];
            for w in 0..W {
                weight[w] = V::load(&weights[w * V::LANES..]);
            }
            for r in 0..R {
                let number = V::splat(rows[r][term]);
                for w in 0..W {
                    sums[r][w] = number.mul_add(weight[w], sums[r][w]);
                }
            }
        }
        for r in 0..R {
            let Some(to) = to.get_mut(r * to_row + first..).and_then(|to| to.get_mut(..W * V::LANES)) else { return };
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
    fn products_agree_with_the_definition() {
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
                set.run(Gemm { matrix: &matrix, inputs: &from, stride, outputs: &mut to });
                let mut right = vec![0.0; inputs * matrix.row()];
                for (row, weights) in right.chunks_exact_mut(matrix.row()).zip(weights.chunks_exact(outputs)) {
                    row[..outputs].copy_from_slice(weights);
                }
                let right = (right.as_slice(), matrix.row());
                let mut same = vec![f32::NAN; to.len()];
                set.run(RowsGemm { right, terms: inputs, inputs: &from, stride, outputs: &mut same });
                assert_eq!(same, to, "{set} {rows} {inputs} {outputs}");
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
