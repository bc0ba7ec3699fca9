//! Global pooling, and convolutions to which a bias from it is added.

use crate::net::gemm::padded;
use crate::net::katago::buffers::{Boards, Scratch};
use crate::net::katago::layer_desc::ConvDesc;
use crate::net::katago::layers::{Backend, Convolution, Norm, apply_linear, linear};
use crate::net::katago::model_desc::GlobalPoolingDesc;
use crate::net::layers::{Linear, SumsAndMaxima};
use crate::net::simd::InstructionSet;

/// A convolution, to whose result a bias from global pooling of another convolution is added, with norm and activation.
#[derive(Debug)]
pub(super) struct GlobalPoolingBias {
    convolutions: Convolutions,
    pooling_norm: Norm,
    channels: usize,
    pool_to_bias: Linear,
    norm: Norm,
}

/// The two convolutions.
#[derive(Debug)]
enum Convolutions {
    /// As one convolution, whose outputs are those of the regular one, padded, and then those to pool.
    SideBySide(Convolution),
    /// With filters of different sizes. As one convolution they would need memory for the larger filter times the
    /// outputs of both, which can be many times the size of the file.
    Separate { regular: Convolution, pooling: Convolution },
}

impl Convolutions {
    fn new(backend: Backend, regular: &ConvDesc, pooling: &ConvDesc) -> Convolutions {
        match (regular.height, regular.width) == (pooling.height, pooling.width) {
            true => Convolutions::SideBySide(Convolution::plain(backend, &side_by_side(regular, pooling))),
            false => Convolutions::Separate {
                regular: Convolution::plain(backend, regular),
                pooling: Convolution::plain(backend, pooling),
            },
        }
    }
}

/// A convolution with the outputs of the first one, padded, and then those of the second one; both have the same inputs
/// and filter size.
fn side_by_side(first: &ConvDesc, second: &ConvDesc) -> ConvDesc {
    let ConvDesc { height, width, inputs, .. } = *first;
    let outputs = padded(first.outputs) + second.outputs;
    let mut weights = Vec::with_capacity(height * width * inputs * outputs);
    let rows = first.weights.chunks_exact(first.outputs).zip(second.weights.chunks_exact(second.outputs));
    for (row, (first_weights, second_weights)) in rows.enumerate() {
        weights.extend(first_weights);
        weights.resize(row * outputs + padded(first.outputs), 0.0);
        weights.extend(second_weights);
    }
    ConvDesc { height, width, inputs, outputs, weights }
}

impl GlobalPoolingBias {
    pub(super) fn new(backend: Backend, layer: GlobalPoolingDesc) -> GlobalPoolingBias {
        GlobalPoolingBias {
            convolutions: Convolutions::new(backend, &layer.regular, &layer.pooling),
            channels: layer.pooling.outputs,
            pooling_norm: Norm::new(backend.set, layer.pooling_norm),
            pool_to_bias: linear(backend.set, &layer.pool_to_bias, None),
            norm: Norm::new(backend.set, layer.norm),
        }
    }

    /// The result, and a row of pooled numbers for each board, in buffers to be freed by the caller.
    pub(super) fn apply(&self, before: Option<&Norm>, inputs: &Boards, scratch: &mut Scratch) -> (Boards, Vec<f32>) {
        let row = self.norm.scale.len();
        let (regular, pooling) = match &self.convolutions {
            Convolutions::SideBySide(convolution) => {
                let both = convolution.apply(before, inputs, scratch);
                let pooling = self.pooling_norm.apply(&both, row, scratch);
                (both, pooling)
            }
            Convolutions::Separate { regular, pooling } => {
                let outputs = pooling.apply(before, inputs, scratch);
                let pooling = self.pooling_norm.apply(&outputs, 0, scratch);
                scratch.free_boards(outputs);
                (regular.apply(before, inputs, scratch), pooling)
            }
        };
        let set = self.pool_to_bias.instruction_set();
        let pooled = pool(set, &pooling, self.channels, Pooling::WithMaximum, scratch);
        scratch.free_boards(pooling);
        let mut shifts = apply_linear(&self.pool_to_bias, &pooled, self.pool_to_bias.inputs(), scratch);
        for row in shifts.chunks_exact_mut(row) {
            let norm = self.norm.scale.iter().zip(&self.norm.shift);
            row.iter_mut().zip(norm).for_each(|(sum, (scale, shift))| *sum = *sum * scale + shift);
        }
        let outputs = self.norm.apply_shifted(&regular, 0, &shifts, scratch);
        scratch.free_flat(shifts);
        scratch.free_boards(regular);
        (outputs, pooled)
    }
}

/// The third output of global pooling for each channel. The first two are the mean, and the mean times a tenth of the
/// board's side less 14.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pooling {
    /// The maximum: in the trunk and the policy head.
    WithMaximum,
    /// The mean times the square of that factor, less a tenth: in the value head.
    OfMeans,
}

/// Global pooling over the points of each board: three numbers for each channel, first the means of all channels, in a
/// buffer to be freed by the caller. The side of a board is the square root of its area. Source: D. J. Wu,
/// "Accelerating Self-Play Learning in Go", 2019, and KataGo's code for the constants.
pub(super) fn pool(
    set: InstructionSet,
    boards: &Boards,
    channels: usize,
    pooling: Pooling,
    scratch: &mut Scratch,
) -> Vec<f32> {
    let batch = scratch.batch;
    let area = batch.area() as f32;
    let side = (area.sqrt() - 14.0) * 0.1;
    let mut pooled = scratch.flat(batch.boards * 3 * channels);
    let mut padded = scratch.flat(2 * boards.row);
    let (sums, maxima) = padded.split_at_mut(boards.row);
    let each = boards.values().chunks_exact(batch.layout.cells() * boards.row);
    for (board, pooled) in each.zip(pooled.chunks_exact_mut(3 * channels)) {
        set.run(SumsAndMaxima { layout: batch.layout, board, sums: &mut *sums, maxima: &mut *maxima });
        let (means, rest) = pooled.split_at_mut(channels);
        let (scaled, third) = rest.split_at_mut(channels);
        let outputs = means.iter_mut().zip(scaled).zip(third);
        for (((mean, scaled), third), (sum, maximum)) in outputs.zip(sums.iter().zip(&*maxima)) {
            *mean = sum / area;
            *scaled = *mean * side;
            *third = match pooling {
                Pooling::WithMaximum => *maximum,
                Pooling::OfMeans => *mean * (side * side - 0.1),
            };
        }
    }
    scratch.free_flat(padded);
    pooled
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic)]
    use super::*;
    use crate::net::board_layout::BoardLayout;
    use crate::net::katago::activation::Activation;
    use crate::net::katago::buffers::Batch;
    use crate::net::katago::layer_desc::{LinearDesc, NormDesc};
    use crate::net::katago::model_desc::NormActivationDesc;
    use crate::net::precision::Precision;

    fn layer(side: usize, outputs: usize, weight: f32) -> ConvDesc {
        let inputs = 2;
        let weights = vec![weight; side * side * inputs * outputs];
        ConvDesc { height: side, width: side, inputs, outputs, weights }
    }

    #[test]
    fn only_filters_of_one_size_are_put_side_by_side() {
        let backend = Backend::of_heads(InstructionSet::best(), Precision::F32);
        let convolutions = |side, other| Convolutions::new(backend, &layer(side, 3, 1.0), &layer(other, 5, 2.0));
        assert!(matches!(convolutions(3, 3), Convolutions::SideBySide(both) if both.outputs() == padded(3) + 5));
        for (side, other) in [(1, 19), (3, 1)] {
            let Convolutions::Separate { regular, pooling } = convolutions(side, other) else {
                panic!("{side} {other}")
            };
            assert_eq!((regular.outputs(), pooling.outputs()), (3, 5));
        }
    }

    #[test]
    fn outputs_side_by_side_are_padded_between() {
        let both = side_by_side(&layer(3, 3, 1.0), &layer(3, 5, 2.0));
        let row = [vec![1.0; 3], vec![0.0; padded(3) - 3], vec![2.0; 5]].concat();
        assert_eq!(both.outputs, row.len());
        assert_eq!(both.weights, row.repeat(3 * 3 * 2));
    }

    /// Numbers from -1 to 1.
    fn numbers(count: usize, seed: u64) -> Vec<f32> {
        let mut rng = fastrand::Rng::with_seed(seed);
        (0..count).map(|_| rng.f32() * 2.0 - 1.0).collect()
    }

    fn norm(channels: usize) -> NormActivationDesc {
        let norm = NormDesc { scale: numbers(channels, 1), shift: numbers(channels, 2) };
        NormActivationDesc { norm, activation: Activation::Relu }
    }

    /// A 3x3 convolution of 2 inputs with 3 outputs, and pooling of this one with 5 outputs.
    fn result(pooling: ConvDesc) -> (Vec<f32>, Vec<f32>) {
        let regular = ConvDesc { weights: numbers(3 * 3 * 2 * 3, 3), ..layer(3, 3, 0.0) };
        let pool_to_bias = LinearDesc { inputs: 15, outputs: 3, weights: numbers(45, 4) };
        let layer = GlobalPoolingDesc { regular, pooling, pooling_norm: norm(5), pool_to_bias, norm: norm(3) };
        let layer = GlobalPoolingBias::new(Backend::of_heads(InstructionSet::best(), Precision::F32), layer);
        let (layout, mut scratch) = (BoardLayout { width: 4, height: 3 }, Scratch::default());
        scratch.start(Batch { layout, boards: 2 });
        let mut inputs = scratch.boards(2);
        let row = inputs.row;
        for (number, board) in inputs.values_mut().chunks_exact_mut(layout.cells() * row).enumerate() {
            for (x, y) in (0..3).flat_map(|y| (0..4).map(move |x| (x, y))) {
                let cell = layout.cell(x, y) * row;
                board[cell..cell + 2].copy_from_slice(&numbers(2, (100 * number + 10 * y + x) as u64));
            }
        }
        let (outputs, pooled) = layer.apply(None, &inputs, &mut scratch);
        let cells: Vec<usize> = layout.rows().flatten().collect();
        let boards = outputs.values().chunks_exact(layout.cells() * outputs.row);
        let outputs =
            boards.flat_map(|board| cells.iter().flat_map(|cell| &board[cell * outputs.row..cell * outputs.row + 3]));
        (outputs.copied().collect(), pooled)
    }

    #[test]
    fn convolutions_apart_give_the_results_of_those_side_by_side() {
        let weights = numbers(2 * 5, 5);
        let apart = result(ConvDesc { weights: weights.clone(), ..layer(1, 5, 0.0) });
        // the same filter with zeros around it
        let mut padded = layer(3, 5, 0.0);
        padded.weights[4 * 10..5 * 10].copy_from_slice(&weights);
        let together = result(padded);
        assert_eq!((apart.0.len(), apart.1.len()), (2 * 12 * 3, 2 * 15));
        for (apart, together) in [(apart.0, together.0), (apart.1, together.1)] {
            assert!(apart.iter().any(|&number| number > 0.1), "{apart:?}");
            let is_near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4;
            assert!(apart.iter().zip(&together).all(is_near), "{apart:?}\n{together:?}");
        }
    }
}
