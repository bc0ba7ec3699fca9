//! Products of rows with 16-bit integers, and Winograd convolutions by them.
//!
//! A row of inputs (of a Winograd convolution: one element of the transformed patch of a tile) is scaled so that its
//! largest number becomes [`LARGEST_INPUT`] and rounded to whole numbers; the weights of an output have a scale of
//! their own. Sums are exact in `i32`: [`quantize`] chooses the scales so that they cannot overflow. The scaled sums
//! are `f32` again.
//!
//! Everything else (transforms, scales, bias) uses `f32` operations whose result does not depend on the instruction set,
//! so a convolution has the same result, bit by bit, on all of them.

use std::marker::PhantomData;

use crate::net::packed_gemm::{LINE_WORDS, Line, PackedGemm, PairAccumulators, Panels};
use crate::net::simd::{IntegerKernel, Integers, Vector, rounded};
use crate::net::winograd::{InputRows, Tiles, WinogradForm, column, stride, unrolled};

/// The largest absolute value of a transformed input: 14 bits with the sign.
const LARGEST_INPUT: u16 = (1 << 13) - 1;

/// A weight matrix: in a Winograd convolution, that of one element of transformed patches.
#[derive(Clone, Debug)]
pub(super) struct QuantizedPanels {
    panels: Panels<i32>,
    /// The factors of the output channels' sums, besides the rows' scales.
    scales: Vec<Line<f32>>,
}

/// Quantises a weight matrix, in the order output, input, for panels of `panel` lines.
pub(super) fn quantize(panel: usize, weights: &[f32], inputs: usize) -> QuantizedPanels {
    // with rounding, the absolute weights of an output must not sum up to more
    let largest_sum = f64::from(i32::MAX / i32::from(LARGEST_INPUT)) - inputs as f64;
    let (outputs, words) = (weights.len() / inputs.max(1), inputs.div_ceil(2));
    let mut scales = vec![Line([0.0; LINE_WORDS]); outputs.div_ceil(LINE_WORDS)];
    let mut pairs = vec![0; outputs * words];
    let rows = weights.chunks_exact(inputs.max(1)).zip(pairs.chunks_exact_mut(words.max(1)));
    for ((row, pairs), scale) in rows.zip(scales.iter_mut().flat_map(|line| &mut line.0)) {
        let sizes = || row.iter().map(|weight| f64::from(*weight).abs());
        let largest = sizes().fold(0.0, f64::max);
        *scale = (largest / f64::from(i16::MAX)).max(sizes().sum::<f64>() / largest_sum) as f32;
        if *scale > 0.0 {
            for (pair, weights) in pairs.iter_mut().zip(row.chunks(2)) {
                let (low, high) = match weights {
                    [low, high] => (*low, *high),
                    _ => (weights.iter().sum(), 0.0),
                };
                *pair = (rounded(low / *scale) & 0xffff) | rounded(high / *scale) << 16;
            }
        }
    }
    let pair = |word, output: usize| pairs.get(output * words + word).copied().unwrap_or_default();
    QuantizedPanels { panels: Panels::new(panel, words, outputs, pair), scales }
}

/// Buffers of a chunk of tiles, or of rows: the elements of tiles, or the only one.
#[derive(Debug, Default)]
pub(super) struct QuantizedScratch {
    /// The transformed patch of one tile, or one row: for each block of channels its elements.
    patch: Vec<Line<f32>>,
    /// Packed rows of pairs for each element.
    rows: Vec<Line<i32>>,
    /// The scale of each row.
    scales: Vec<f32>,
    /// The scaled sums of each element.
    pub(super) sums: Vec<Line<f32>>,
}

impl QuantizedScratch {
    /// Grows the buffers to what a chunk of `tiles` tiles or rows needs, with padded numbers of inputs and outputs.
    pub(super) fn prepare(&mut self, elements: usize, tiles: usize, inputs: usize, outputs: usize) {
        let grow =
            |lines: &mut Vec<Line<f32>>, length: usize| lines.resize(length.max(lines.len()), Line([0.0; LINE_WORDS]));
        grow(&mut self.patch, elements * 2 * blocks(inputs));
        grow(&mut self.sums, elements * stride(tiles, outputs));
        self.rows.resize((elements * row_stride(tiles, inputs)).max(self.rows.len()), Line([0; LINE_WORDS]));
        self.scales.resize((elements * tiles).max(self.scales.len()), 0.0);
    }
}

/// Packs the rows of a product with one matrix.
pub(super) struct RowPacker<'a> {
    /// The channels of the row to be packed next; what is beyond the channels stays 0.
    pub(super) row: &'a mut [Line<f32>],
    pairs: &'a mut [Line<i32>],
    scales: &'a mut [f32],
    count: usize,
}

impl<'a> RowPacker<'a> {
    /// A packer of `count` rows into buffers that were prepared for them.
    pub(super) fn new(scratch: &'a mut QuantizedScratch, channels: usize, count: usize) -> RowPacker<'a> {
        let QuantizedScratch { patch, rows: pairs, scales, .. } = scratch;
        let row = patch.get_mut(..2 * blocks(channels)).unwrap_or_default();
        row.fill(Line([0.0; LINE_WORDS]));
        RowPacker { row, pairs, scales, count }
    }

    /// Packs the channels as row `number`.
    #[inline(always)]
    pub(super) fn pack<I: Integers>(&mut self, number: usize) {
        let pairs = self.pairs.get_mut(number..).unwrap_or_default();
        let Some(scale) = self.scales.get_mut(number) else { return };
        *scale = quantize_row::<I>(self.row.iter().map(|line| &line.0), pairs.iter_mut().step_by(self.count));
    }
}

/// Blocks of a row of pairs.
fn blocks(channels: usize) -> usize {
    channels.div_ceil(2 * LINE_WORDS)
}

/// The lines for the rows of an element; odd, see [`stride`].
fn row_stride(tiles: usize, channels: usize) -> usize {
    (tiles * blocks(channels)) | 1
}

/// The input transform of some tiles, rounded to integers.
pub(super) struct QuantizedTransform<'a, F, const T: usize, const P: usize> {
    pub(super) form: PhantomData<F>,
    pub(super) tiles: Tiles<'a>,
    pub(super) source: InputRows<'a>,
    /// Prepared for the chunk.
    pub(super) scratch: &'a mut QuantizedScratch,
}

impl<const T: usize, const P: usize, F: WinogradForm<T, P>> IntegerKernel for QuantizedTransform<'_, F, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Integers>(self) {
        match self.source.affine {
            None => self.transform::<I, false>(),
            Some(_) => self.transform::<I, true>(),
        }
    }
}

impl<const T: usize, const P: usize, F: WinogradForm<T, P>> QuantizedTransform<'_, F, T, P> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    fn transform<I: Integers, const AFFINE: bool>(self) {
        let QuantizedTransform { tiles, source, scratch, .. } = self;
        let QuantizedScratch { patch: transformed, rows: pairs, scales, .. } = scratch;
        let (count, channels) = (tiles.count, source.channels);
        let blocks = channels / LINE_WORDS;
        let transformed = transformed.get_mut(..P * P * blocks.next_multiple_of(2)).unwrap_or_default();
        transformed.iter_mut().skip(P * P * blocks).for_each(|line| *line = Line([0.0; LINE_WORDS]));
        let mut rows = [[I::Float::splat(0.0); P]; P];
        for tile in 0..count {
            let Some(cells) = tiles.patch::<P>(tile) else { return };
            let Some(patch) = source.patch(cells) else { return };
            for (block, to) in (0..blocks).zip(transformed.chunks_exact_mut(P * P)) {
                for lane in (0..LINE_WORDS).step_by(I::Float::LANES) {
                    source.rows::<I::Float, F, T, P, true, AFFINE>(cells, &patch, block, lane, &mut rows);
                    unrolled!(X in 0..P {
                        let column = column::<I::Float, F, T, P, true>(&rows, X);
                        for y in 0..P {
                            column[y].store(&mut to[y * P + X].0[lane..]);
                        }
                    });
                }
            }
            for element in 0..P * P {
                let pairs = pairs.get_mut(element * row_stride(count, channels) + tile..).unwrap_or_default();
                let Some(scale) = scales.get_mut(element * count + tile) else { return };
                *scale = quantize_row::<I>(
                    transformed.chunks_exact(P * P).map(|block| &block[element].0),
                    pairs.iter_mut().step_by(count),
                );
            }
        }
    }
}

/// The products of the rows that a [`QuantizedTransform`] or a [`RowPacker`] left in the buffers.
pub(super) struct QuantizedGemms<'a> {
    /// The matrix of each element.
    pub(super) matrices: &'a [QuantizedPanels],
    /// The number of rows of an element.
    pub(super) count: usize,
    /// Padded input channels.
    pub(super) channels: usize,
    pub(super) scratch: &'a mut QuantizedScratch,
    /// Lines for the sums of an element.
    pub(super) stride: usize,
}

impl IntegerKernel for QuantizedGemms<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Integers>(self) {
        let QuantizedGemms { matrices, count, channels, scratch, stride } = self;
        let QuantizedScratch { rows, scales, sums, .. } = scratch;
        for (element, QuantizedPanels { panels, scales: columns }) in matrices.iter().enumerate() {
            let inputs = rows.get(element * row_stride(count, channels)..).unwrap_or_default();
            let outputs = sums.get_mut(element * stride..).unwrap_or_default();
            let scales = Some((columns.as_slice(), scales.get(element * count..).unwrap_or_default()));
            let following = matrices.get(element + 1).map(|matrix| &matrix.panels);
            PackedGemm { panels, following, count, inputs, outputs, scales }.run::<PairAccumulators<I>>();
        }
    }
}

/// Writes the blocks of a row as pairs of `i16` to the lines `to`; returns its scale.
#[inline(always)]
fn quantize_row<'a, 'b, I: Integers>(
    blocks: impl Iterator<Item = &'b [f32; LINE_WORDS]> + Clone,
    to: impl Iterator<Item = &'a mut Line<i32>>,
) -> f32 {
    let lanes = I::Float::LANES;
    let zero = I::Float::splat(0.0);
    let (mut maxima, mut minima) = (zero, zero);
    for block in blocks.clone() {
        for lane in (0..LINE_WORDS).step_by(lanes) {
            let numbers = I::Float::load(&block[lane..]);
            (maxima, minima) = (maxima.max(numbers), minima.min(numbers));
        }
    }
    let largest = maxima.max(zero.sub(minima)).reduce_max();
    // an infinite factor would make NaN of zeros
    let factor = I::Float::splat(if largest == 0.0 { 0.0 } else { f32::from(LARGEST_INPUT) / largest });
    let mut blocks = blocks;
    for to in to {
        let (Some(low), Some(high)) = (blocks.next(), blocks.next()) else { break };
        let number = |number: usize| {
            I::Float::load(&(if number < LINE_WORDS { low } else { high })[number % LINE_WORDS..]).mul(factor)
        };
        for first in (0..2 * LINE_WORDS).step_by(2 * lanes) {
            I::store_pairs(number(first), number(first + lanes), &mut to.0[first / 2..]);
        }
    }
    largest / f32::from(LARGEST_INPUT)
}
