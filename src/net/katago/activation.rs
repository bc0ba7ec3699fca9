//! Activation functions, and the passes over boards that apply them.
//!
//! Mish is x tanh(log(1 + e^x)) (D. Misra, "Mish: A Self Regularized Non-Monotonic Activation Function", 2019); SiLU is
//! x / (1 + e^-x). Both follow from e^x, which is computed without branches, so that the compiler vectorises it for the
//! instruction set of the kernel around it.

use crate::net::convolution::{self, Grid};
use crate::net::simd::{SimdKernel, Vector};

/// An activation function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activation {
    Identity,
    Relu,
    Mish,
    Silu,
}

impl Activation {
    /// The same function as convolutions know it, if they do.
    pub(super) fn fused(self) -> Option<convolution::Activation> {
        match self {
            Activation::Identity => Some(convolution::Activation::None),
            Activation::Relu => Some(convolution::Activation::Relu),
            Activation::Mish => Some(convolution::Activation::Mish),
            Activation::Silu => None,
        }
    }

    /// The activation of a word in the file.
    pub(super) fn from_word(word: &str) -> Option<Activation> {
        match word {
            "ACTIVATION_IDENTITY" => Some(Activation::Identity),
            "ACTIVATION_RELU" => Some(Activation::Relu),
            "ACTIVATION_MISH" => Some(Activation::Mish),
            "ACTIVATION_SILU" => Some(Activation::Silu),
            _ => None,
        }
    }

    /// Applies the function to each number.
    #[inline(always)]
    pub(super) fn apply(self, numbers: &mut [f32]) {
        match self {
            Activation::Identity => {}
            Activation::Relu => numbers.iter_mut().for_each(|x| *x = if *x > 0.0 { *x } else { 0.0 }),
            Activation::Mish => numbers.iter_mut().for_each(|x| *x = mish(*x)),
            Activation::Silu => numbers.iter_mut().for_each(|x| *x = silu(*x)),
        }
    }
}

#[inline(always)]
fn mish(x: f32) -> f32 {
    let e = exp(if x < 20.0 { x } else { 20.0 }); // beyond 20 the factor rounds to 1
    let n = e * (e + 2.0);
    x * (n / (n + 2.0))
}

/// SiLU.
#[inline(always)]
pub(super) fn silu(x: f32) -> f32 {
    x / (1.0 + exp(-x))
}

/// e^x within two units of the last place, for x from -87 to 88 and clamped to there: 2^n times a polynomial of the
/// rest, at most half of log 2 in size (the Taylor series to the seventh power).
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    /// Adding it rounds to an integer, which is then in the low bits.
    const ROUND: f32 = 12_582_912.0;
    /// Log 2 in two parts; the first has few bits, so that its product with an integer is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = if x > -87.0 { x } else { -87.0 };
    let x = if x < 88.0 { x } else { 88.0 };
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = x - n * LN_2[0] - n * LN_2[1];
    let series = [1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let p = series.into_iter().fold(0.0, |sum, factor| sum * r + factor);
    f32::from_bits(p.to_bits().wrapping_add(shifted.to_bits() << 23))
}

/// Scale, shift and activation of each channel of a batch of boards; the frames stay as they are.
pub(super) struct Affine<'a> {
    pub(super) grid: Grid,
    pub(super) inputs: &'a [f32],
    /// The length of a row of `inputs`, and the first channel that is read.
    pub(super) inputs_row: usize,
    pub(super) first: usize,
    pub(super) outputs: &'a mut [f32],
    /// For each channel of `outputs`, padding included.
    pub(super) scale: &'a [f32],
    /// Likewise, a row for each board.
    pub(super) shifts: &'a [f32],
    pub(super) activation: Activation,
}

impl SimdKernel for Affine<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Affine { grid, inputs, inputs_row, first, outputs, scale, shifts, activation } = self;
        let row = scale.len();
        let boards = inputs.chunks_exact(grid.cells() * inputs_row).zip(outputs.chunks_exact_mut(grid.cells() * row));
        for ((from, to), shift) in boards.zip(shifts.chunks_exact(row)) {
            for cells in grid.rows() {
                let from = from.get(cells.start * inputs_row..cells.end * inputs_row).unwrap_or_default();
                let to = to.get_mut(cells.start * row..cells.end * row).unwrap_or_default();
                for (from, to) in from.chunks_exact(inputs_row).zip(to.chunks_exact_mut(row)) {
                    let from = from.get(first..).unwrap_or_default().chunks_exact(V::LANES);
                    let factors = scale.chunks_exact(V::LANES).zip(shift.chunks_exact(V::LANES));
                    for ((to, from), (scale, shift)) in to.chunks_exact_mut(V::LANES).zip(from).zip(factors) {
                        let sum = V::load(from).times_plus(V::load(scale), V::load(shift));
                        match activation {
                            Activation::Relu => sum.max(V::splat(0.0)).store(to),
                            _ => sum.store(to),
                        }
                    }
                    match activation {
                        Activation::Relu => {}
                        activation => activation.apply(to),
                    }
                }
            }
        }
    }
}

/// Adds a bias, if any, to each channel of a batch of boards and applies an activation, in place.
pub(super) struct Finish<'a> {
    pub(super) grid: Grid,
    pub(super) values: &'a mut [f32],
    /// The padded number of channels.
    pub(super) row: usize,
    /// For each channel, padding included, a row for each board.
    pub(super) bias: Option<&'a [f32]>,
    pub(super) activation: Activation,
}

impl SimdKernel for Finish<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Finish { grid, values, row, bias, activation } = self;
        let mut biases = bias.unwrap_or_default().chunks_exact(row);
        for board in values.chunks_exact_mut(grid.cells() * row) {
            let bias = biases.next().unwrap_or_default();
            for cells in grid.rows() {
                let points = board.get_mut(cells.start * row..cells.end * row).unwrap_or_default();
                for point in points.chunks_exact_mut(row) {
                    for (to, bias) in point.chunks_exact_mut(V::LANES).zip(bias.chunks_exact(V::LANES)) {
                        V::load(to).plus(V::load(bias)).store(to);
                    }
                    activation.apply(point);
                }
            }
        }
    }
}

/// Applies an activation to numbers.
pub(super) struct Activate<'a> {
    pub(super) values: &'a mut [f32],
    pub(super) activation: Activation,
}

impl SimdKernel for Activate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        self.activation.apply(self.values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_agree_with_their_definitions() {
        for x in (-2000..2000).map(|k| k as f32 / 20.0 + 0.013) {
            let precise = f64::from(x);
            if (-87.0..88.0).contains(&x) {
                assert!((f64::from(exp(x)) / precise.exp() - 1.0).abs() < 3e-7, "exp {x}");
            }
            let expected =
                [precise, precise.max(0.0), precise * precise.exp().ln_1p().tanh(), precise / (1.0 + (-precise).exp())];
            let kinds = [Activation::Identity, Activation::Relu, Activation::Mish, Activation::Silu];
            for (kind, expected) in kinds.into_iter().zip(expected) {
                let mut found = [x];
                kind.apply(&mut found);
                let expected = if kind == Activation::Mish && x > 50.0 { precise } else { expected };
                let error = (f64::from(found[0]) - expected).abs();
                assert!(error < 1e-6 * (1.0 + precise.abs()), "{kind:?} {x}: {found:?} {expected}");
            }
        }
    }
}
