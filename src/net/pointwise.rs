//! Products of the channels of points with a matrix, in 16-bit integers: 1x1 convolutions and layers of transformers.
//!
//! The channels of a point are a row with a scale of its own, like the rows of a
//! [Winograd convolution](crate::net::quantized). The points of a board are packed, multiplied, and then written with
//! what is to be done afterwards, so that a weight that was read is used for all of them.

use std::slice;

use crate::net::board_layout::BoardLayout;
use crate::net::convolution::{Accumulate, Activation, ConvolutionOptions};
use crate::net::gemm::padded;
use crate::net::packed_gemm::{LINE_WORDS, Line};
use crate::net::quantized::{QuantizedGemms, QuantizedPanels, QuantizedScratch, RowPacker, quantize};
use crate::net::simd::{InstructionSet, IntegerKernel, Integers, SimdKernel, Vector};

/// The most rows that [`multiply_rows`] packs together.
const ROWS_PER_CHUNK: usize = 384;

/// A weight matrix of 16-bit integers with its shape and the instruction set that it is stored for.
#[derive(Debug)]
pub(super) struct QuantizedMatrix {
    weights: QuantizedPanels,
    inputs: usize,
    /// Padded.
    outputs: usize,
    set: InstructionSet,
}

impl QuantizedMatrix {
    /// A matrix for an instruction set; `weights` in the order output, input.
    pub(super) fn new(set: InstructionSet, weights: &[f32], inputs: usize) -> QuantizedMatrix {
        let outputs = padded(weights.len() / inputs.max(1));
        QuantizedMatrix { weights: quantize(set.integer_panel_lines(), weights, inputs), inputs, outputs, set }
    }

    /// The padded number of outputs.
    pub(super) fn row(&self) -> usize {
        self.outputs
    }

    /// A 1x1 convolution of a batch of boards, as [`Conv3x3::apply_with`](crate::net::convolution::Conv3x3::apply_with)
    /// does those of 3x3.
    pub(super) fn convolve(
        &self,
        layout: BoardLayout,
        inputs: &[f32],
        outputs: &mut [f32],
        options: &ConvolutionOptions<'_>,
        scratch: &mut QuantizedScratch,
    ) {
        let ConvolutionOptions { pre, bias, accumulate, activation } = *options;
        let (from_row, to_row) = (padded(self.inputs), self.outputs);
        let count = layout.width * layout.height;
        let boards = inputs.chunks_exact(layout.cells() * from_row);
        let boards = boards.zip(outputs.chunks_exact_mut(layout.cells() * to_row)).zip(bias.chunks_exact(to_row));
        for ((from, to), bias) in boards {
            scratch.prepare(1, count, from_row, to_row);
            for (first, cells) in (0..count).step_by(layout.width).zip(layout.rows()) {
                let points = from.get(cells.start * from_row..cells.end * from_row).unwrap_or_default();
                let rows = Rows { first, count };
                let pack = PackRows { points, stride: from_row, channels: from_row, pre, rows, scratch: &mut *scratch };
                self.set.run_integer(pack);
            }
            self.multiply(count, scratch);
            for (first, cells) in (0..count).step_by(layout.width).zip(layout.rows()) {
                let outputs = to.get_mut(cells.start * to_row..cells.end * to_row).unwrap_or_default();
                let (row, sums, bias) = (to_row, scratch.sums.as_slice(), Some(bias));
                let rows = Rows { first, count };
                self.set.run(UnpackRows { sums, rows, outputs, row, bias, accumulate, activation });
            }
        }
    }

    /// The products of packed rows.
    fn multiply(&self, count: usize, scratch: &mut QuantizedScratch) {
        let (matrices, channels) = (slice::from_ref(&self.weights), padded(self.inputs));
        self.set.run_integer(QuantizedGemms { matrices, count, channels, scratch, stride: 0 });
    }
}

/// Multiplies rows that start `stride` values apart by several matrices with as many inputs. Each has a slice for its
/// rows of outputs.
pub(super) fn multiply_rows(
    products: &mut [(&QuantizedMatrix, &mut [f32])],
    inputs: &[f32],
    stride: usize,
    scratch: &mut QuantizedScratch,
) {
    let Some((set, channels)) = products.first().map(|(matrix, _)| (matrix.set, matrix.inputs)) else { return };
    let most = products.iter().map(|(matrix, _)| matrix.outputs).max().unwrap_or_default();
    let all = inputs.len() / stride;
    let chunks = all.div_ceil(ROWS_PER_CHUNK).max(1);
    for chunk in 0..chunks {
        let (start, end) = (chunk * all / chunks, (chunk + 1) * all / chunks);
        let count = end - start;
        let rows = Rows { first: 0, count };
        scratch.prepare(1, count, padded(channels), most);
        let points = inputs.get(start * stride..end * stride).unwrap_or_default();
        set.run_integer(PackRows { points, stride, channels, pre: None, rows, scratch: &mut *scratch });
        for (matrix, outputs) in &mut *products {
            matrix.multiply(count, scratch);
            let outputs = outputs.get_mut(start * matrix.outputs..end * matrix.outputs).unwrap_or_default();
            let (row, sums) = (matrix.outputs, scratch.sums.as_slice());
            let (accumulate, activation) = (Accumulate::Overwrite, Activation::Identity);
            set.run(UnpackRows { sums, rows, outputs, row, bias: None, accumulate, activation });
        }
    }
}

/// Some of the packed rows of a product.
#[derive(Clone, Copy)]
struct Rows {
    first: usize,
    /// The number of all packed rows.
    count: usize,
}

/// Packs adjacent points as rows, after a scale, a shift and an activation if there are any; `channels` is padded then.
struct PackRows<'a> {
    points: &'a [f32],
    /// Values from a point to the next, and those of them that are packed.
    stride: usize,
    channels: usize,
    pre: Option<(&'a [f32], &'a [f32], Activation)>,
    rows: Rows,
    /// Prepared for all rows.
    scratch: &'a mut QuantizedScratch,
}

impl IntegerKernel for PackRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Integers>(self) {
        let PackRows { points, stride, channels, pre, rows: Rows { first, count }, scratch } = self;
        let mut packer = RowPacker::new(scratch, channels, count);
        for (number, point) in points.chunks_exact(stride).enumerate() {
            let Some(point) = point.get(..channels) else { return };
            let (blocks, rest) = point.as_chunks::<LINE_WORDS>();
            let (full, others) = packer.row.split_at_mut(blocks.len());
            match pre {
                None => full.iter_mut().zip(blocks).for_each(|(to, from)| to.0 = *from),
                Some((scale, shift, activation)) => {
                    let affine = scale.as_chunks::<LINE_WORDS>().0.iter().zip(shift.as_chunks::<LINE_WORDS>().0);
                    for ((to, from), (scale, shift)) in full.iter_mut().zip(blocks).zip(affine) {
                        for lane in (0..LINE_WORDS).step_by(I::Float::LANES) {
                            let number = I::Float::load(&from[lane..]).mul(I::Float::load(&scale[lane..]));
                            let number = number.add(I::Float::load(&shift[lane..]));
                            activation.of(number).store(&mut to.0[lane..]);
                        }
                    }
                }
            }
            if let Some(to) = others.first_mut() {
                to.0.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            }
            packer.pack::<I>(first + number);
        }
    }
}

/// Writes the sums of packed rows to adjacent points: `activation(sums + bias + outputs)`, the last term only with
/// [`Accumulate::Add`].
struct UnpackRows<'a> {
    sums: &'a [Line<f32>],
    rows: Rows,
    outputs: &'a mut [f32],
    /// Padded channels.
    row: usize,
    /// A number for each channel, padding included; `None` for zeros.
    bias: Option<&'a [f32]>,
    accumulate: Accumulate,
    activation: Activation,
}

impl SimdKernel for UnpackRows<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let UnpackRows { sums, rows: Rows { first, count }, outputs, row, bias, accumulate, activation } = self;
        for (number, to) in outputs.chunks_exact_mut(row).enumerate() {
            let from = sums.iter().skip(first + number).step_by(count);
            for (block, (from, to)) in from.zip(to.as_chunks_mut::<LINE_WORDS>().0).enumerate() {
                let bias = bias.and_then(|bias| bias.get(block * LINE_WORDS..)?.first_chunk::<LINE_WORDS>());
                for lane in (0..LINE_WORDS).step_by(V::LANES) {
                    let mut sum = V::load(&from.0[lane..]);
                    if let Some(bias) = bias {
                        sum = sum.add(V::load(&bias[lane..]));
                    }
                    if accumulate == Accumulate::Add {
                        sum = sum.add(V::load(&to[lane..]));
                    }
                    activation.of(sum).store(&mut to[lane..]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn products_of_rows_agree_with_the_definition_and_between_instruction_sets() {
        let mut random = fastrand::Rng::with_seed(4);
        for (inputs, outputs) in [(1, 1), (16, 16), (33, 5), (48, 96), (100, 40)] {
            let weights: Vec<f32> = (0..inputs * outputs).map(|_| random.f32() - 0.5).collect();
            let stride = inputs + 2;
            let rows = ROWS_PER_CHUNK + 5;
            let from: Vec<f32> = (0..rows * stride).map(|_| random.f32() * 4.0 - 2.0).collect();
            let mut first: Option<Vec<f32>> = None;
            for (set, name) in InstructionSet::with_each_integer_isa() {
                let matrix = QuantizedMatrix::new(set, &weights, inputs);
                let [mut one, mut two] = [(); 2].map(|()| vec![f32::NAN; rows * matrix.row()]);
                let scratch = &mut QuantizedScratch::default();
                multiply_rows(&mut [(&matrix, &mut one), (&matrix, &mut two)], &from, stride, scratch);
                assert_eq!(one, two, "{name}");
                for (row, (to, from)) in one.chunks_exact(matrix.row()).zip(from.chunks_exact(stride)).enumerate() {
                    for (output, to) in to.iter().enumerate() {
                        let of_output = weights.chunks_exact(inputs).nth(output).unwrap_or_default();
                        let expected: f32 = from.iter().zip(of_output).map(|(number, weight)| number * weight).sum();
                        let bound = 3e-4 * (inputs as f32).sqrt();
                        assert!((to - expected).abs() < bound, "{name} {row} {output}: {to} {expected}");
                    }
                }
                assert_eq!(first.get_or_insert_with(|| one.clone()), &one, "{name} {inputs} {outputs}");
            }
        }
    }

    #[test]
    fn convolutions_agree_with_the_definition() {
        const BOARDS: usize = 2;
        let layout = BoardLayout { width: 5, height: 7 };
        let (inputs, outputs) = (20, 40);
        let (from_row, to_row) = (padded(inputs), padded(outputs));
        let mut random = fastrand::Rng::with_seed(9);
        let mut row = |channels: usize| {
            let number = |channel| if channel < channels { random.f32() * 2.0 - 1.0 } else { 0.0 };
            (0..padded(channels)).map(number).collect::<Vec<f32>>()
        };
        let weights: Vec<f32> = (0..outputs).flat_map(|_| row(inputs).into_iter().take(inputs)).collect();
        let (scale, shift) = (row(inputs), row(inputs));
        let bias = [row(outputs), row(outputs)].concat();
        let mut boards = |channels: usize| {
            let mut boards = vec![0.0; BOARDS * layout.cells() * padded(channels)];
            for board in boards.chunks_exact_mut(layout.cells() * padded(channels)) {
                for cell in layout.rows().flatten() {
                    board[cell * padded(channels)..][..padded(channels)].copy_from_slice(&row(channels));
                }
            }
            boards
        };
        let (from, old) = (boards(inputs), boards(outputs));
        let pres = [None, Some((scale.as_slice(), shift.as_slice(), Activation::Relu))];
        for (pre, accumulate, activation) in [
            (pres[0], Accumulate::Overwrite, Activation::Identity),
            (pres[1], Accumulate::Add, Activation::Relu),
            (pres[1], Accumulate::Add, Activation::Identity),
        ] {
            let relu = |activation, x: f64| if activation == Activation::Relu { x.max(0.0) } else { x };
            let prepared = |place: usize| match pre {
                None => f64::from(from[place]),
                Some((scale, shift, activation)) => {
                    let channel = place % from_row;
                    relu(activation, f64::from(from[place]) * f64::from(scale[channel]) + f64::from(shift[channel]))
                }
            };
            let mut expected: Vec<f64> = old.iter().copied().map(f64::from).collect();
            for (board, cell) in (0..BOARDS).flat_map(|board| layout.rows().flatten().map(move |cell| (board, cell))) {
                let point = board * layout.cells() + cell;
                for (output, weights) in weights.chunks_exact(inputs).enumerate() {
                    let products = weights.iter().enumerate();
                    let sum: f64 =
                        products.map(|(k, weight)| prepared(point * from_row + k) * f64::from(*weight)).sum();
                    let to = &mut expected[point * to_row + output];
                    let kept = if accumulate == Accumulate::Add { *to } else { 0.0 };
                    *to = relu(activation, sum + f64::from(bias[board * to_row + output]) + kept);
                }
            }
            let options = ConvolutionOptions { pre, bias: &bias, accumulate, activation };
            for (set, name) in InstructionSet::with_each_integer_isa() {
                let mut found = old.clone();
                let matrix = QuantizedMatrix::new(set, &weights, inputs);
                matrix.convolve(layout, &from, &mut found, &options, &mut QuantizedScratch::default());
                for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    let difference = (f64::from(*found) - expected).abs();
                    assert!(difference < 2e-3, "{name} {options:?} at {place}: {found} {expected}");
                }
            }
        }
    }
}
