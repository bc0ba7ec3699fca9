//! Activation functions.

use crate::net::board_layout::BoardLayout;
use crate::net::simd::{ROUNDING_SHIFT, SimdKernel, Vector};

/// A function that is applied to each number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Activation {
    /// The number itself.
    Identity,
    /// The maximum of 0 and the number.
    Relu,
    /// `x * tanh(ln(1 + e^x))`: D. Misra, "Mish: A Self Regularized Non-Monotonic Activation Function", 2019.
    Mish,
    /// `x / (1 + e^-x)`, the sigmoid linear unit.
    Silu,
}

impl Activation {
    /// The function's values.
    #[inline(always)]
    pub(super) fn of<V: Vector>(self, numbers: V) -> V {
        match self {
            Activation::Identity => numbers,
            Activation::Relu => numbers.max(V::splat(0.0)),
            Activation::Mish => mish(numbers),
            Activation::Silu => silu(numbers),
        }
    }
}

/// With `e = e^x`, `tanh(ln(1 + e))` is `n / (n + 2)` for `n = e * (e + 2)`.
#[inline(always)]
fn mish<V: Vector>(x: V) -> V {
    let two = V::splat(2.0);
    // beyond 20 the factor is 1 in `f32`; below -80 the product is nearly 0
    let e = exponential(x.min(V::splat(20.0)).max(V::splat(-80.0)));
    let n = e.mul(e.add(two));
    x.mul(n.div(n.add(two)))
}

#[inline(always)]
fn silu<V: Vector>(x: V) -> V {
    let e = exponential(V::splat(0.0).sub(x).min(V::splat(80.0)).max(V::splat(-80.0)));
    x.div(e.add(V::splat(1.0)))
}

/// `e^x` for `x` from -80 to 80, by `2^n * e^r` with whole `n`, and a polynomial for `e^r`. Without fused operations, so
/// that the result is the same on every instruction set. Constants: S. L. Moshier, Cephes Mathematical Library, `expf`.
#[inline(always)]
pub(super) fn exponential<V: Vector>(x: V) -> V {
    let shift = V::splat(ROUNDING_SHIFT);
    let n = x.mul(V::splat(std::f32::consts::LOG2_E)).add(shift).sub(shift);
    let r = x.sub(n.mul(V::splat(0.693_359_4))).sub(n.mul(V::splat(-2.121_944_4e-4)));
    let coefficients = [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    let mut polynomial = V::splat(1.987_569_1e-4);
    for coefficient in coefficients {
        polynomial = polynomial.mul(r).add(V::splat(coefficient));
    }
    polynomial.mul(r.mul(r)).add(r).add(V::splat(1.0)).mul(n.exp2_int())
}

/// Scale, shift and activation of the points of boards before a 3x3 convolution. Of the frame only the first cell is
/// written, with 0: the convolution reads it wherever a patch leaves the board.
///
/// For ReLU the convolution does the same while it reads its patches, also with a product that is rounded before the shift
/// is added. `katago::activation::Affine` prepares the inputs of other layers: it reads some of the channels, has shifts
/// for each board, and rounds once where the instruction set has fused operations. One pass for both would change results
/// in their last bits.
pub(super) struct ScaleShiftActivate<'a> {
    pub(super) layout: BoardLayout,
    pub(super) inputs: &'a [f32],
    pub(super) scale: &'a [f32],
    pub(super) shift: &'a [f32],
    pub(super) activation: Activation,
    pub(super) outputs: &'a mut [f32],
}

impl SimdKernel for ScaleShiftActivate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let ScaleShiftActivate { layout, inputs, scale, shift, activation, outputs } = self;
        let channels = scale.len();
        let board = layout.cells() * channels;
        outputs.iter_mut().take(channels).for_each(|number| *number = 0.0);
        for (inputs, outputs) in inputs.chunks_exact(board).zip(outputs.chunks_exact_mut(board)) {
            for cells in layout.rows() {
                let range = cells.start * channels..cells.end * channels;
                let points = inputs.get(range.clone()).unwrap_or_default().chunks_exact(channels);
                for (from, to) in points.zip(outputs.get_mut(range).unwrap_or_default().chunks_exact_mut(channels)) {
                    let scales = scale.chunks_exact(V::LANES).zip(shift.chunks_exact(V::LANES));
                    let vectors = from.chunks_exact(V::LANES).zip(to.chunks_exact_mut(V::LANES));
                    for ((scale, shift), (from, to)) in scales.zip(vectors) {
                        let number = V::load(from).mul(V::load(scale)).add(V::load(shift));
                        activation.of(number).store(to);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::simd::InstructionSet;

    struct All<'a>(Activation, &'a mut [f32]);

    impl SimdKernel for All<'_> {
        type Output = ();
        #[inline(always)]
        fn run<V: Vector>(self) {
            self.1.chunks_exact_mut(V::LANES).for_each(|numbers| self.0.of(V::load(numbers)).store(numbers));
        }
    }

    #[test]
    fn values_agree_with_the_definition_and_between_instruction_sets() {
        let numbers: Vec<f32> = (-1600..1600).map(|k| k as f32 * 0.0613).collect();
        let of = |set: InstructionSet, activation| {
            let mut values = numbers.clone();
            set.run(All(activation, &mut values));
            values
        };
        for set in InstructionSet::available() {
            assert_eq!(of(set, Activation::Identity), numbers, "{set}");
            assert!(of(set, Activation::Relu).iter().zip(&numbers).all(|(y, x)| *y == x.max(0.0)), "{set}");
            let mish = of(set, Activation::Mish);
            for (y, x) in mish.iter().zip(&numbers) {
                let expected = f64::from(*x) * f64::from(*x).exp().ln_1p().tanh();
                assert!((f64::from(*y) - expected).abs() < 1e-6 * expected.abs().max(1.0), "{set} {x}: {y} {expected}");
            }
            assert_eq!(mish, of(InstructionSet::best(), Activation::Mish), "{set}");
            for (y, x) in of(set, Activation::Silu).iter().zip(&numbers) {
                let expected = f64::from(*x) / (1.0 + f64::from(-*x).exp());
                assert!((f64::from(*y) - expected).abs() < 1e-6 * expected.abs().max(1.0), "{set} {x}: {y} {expected}");
            }
        }
    }
}
