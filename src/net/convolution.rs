//! 3x3 convolutions over boards, channels last, in the layout of [`BoardLayout`].
//!
//! ```text
//! let convolution = Conv3x3::with_precision(set, Precision::Int16, &weights, &bias, inputs);
//! let options = ConvolutionOptions { pre: Some((&scale, &shift, Activation::Relu)), bias: &rows,
//!     accumulate: Accumulate::Overwrite, activation: Activation::Relu };
//! convolution.apply_with(layout, &from, &mut to, &options, &mut scratch);
//! ```
//!
//! - [`Conv3x3::with_precision`] prepares weights (output, input, row, column) and a bias; [`Conv3x3::new`] is
//!   the same in `f32`, with tiles that depend on the board only.
//! - [`Conv3x3::apply_with`] computes for every point of every board of a batch
//!   `activation(convolution(pre(inputs)) + bias + outputs)`, the last term only with [`Accumulate::Add`]. `pre`, a scale
//!   and a shift for each channel and an activation, is what a batch norm before the convolution does. It applies to the
//!   points; beyond the board stays 0. The frame of `inputs` must be 0 and that of `outputs` is not written.
//! - Rows of channels, `bias`, `scale` and `shift` are padded ([`padded`]), all padding with 0.
//!
//! Outputs are computed in tiles of 4x4, 3x3 or 2x2 points. Larger tiles need fewer multiplications for a point, but
//! cover more points beyond the edge: 3x3 is best on 9x9, 4x4 on 13x13 and 19x19. Smaller tiles need fewer weights, so
//! they are used for small batches, when reading weights takes longer than multiplying. A result depends on the tiles by
//! rounding only. The weights for each kind of tile are made when they are needed first.

use std::marker::PhantomData;
use std::sync::OnceLock;

pub(super) use crate::net::activation::Activation;
use crate::net::activation::ScaleShiftActivate;
pub(super) use crate::net::board_layout::BoardLayout;
use crate::net::board_layout::Tiling;
use crate::net::direct::{DirectConvolution, DirectScratch, DirectWeights};
use crate::net::gemm::padded;
use crate::net::packed_gemm::{FloatGemms, LINE_WORDS, Line, Panels};
use crate::net::precision::{NumberType, Precision};
use crate::net::quantized::{QuantizedGemms, QuantizedPanels, QuantizedScratch, QuantizedTransform, quantize};
use crate::net::simd::InstructionSet;
pub(super) use crate::net::winograd::Accumulate;
use crate::net::winograd::{
    F2, F3, F4, InputRows, InputTransform, OutputRows, OutputTransform, Tiles, WinogradForm, stride, transform_filters,
};

/// Bytes of transformed tiles in a chunk. More tiles use each weight more often, fewer stay in a nearer cache.
const BYTES_PER_CHUNK: usize = 3_500 << 10;

/// For how many products each weight must be used so that multiplying takes as long as reading it from memory.
const USES_PER_WEIGHT: usize = 34;

/// The operations before and after a convolution.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConvolutionOptions<'a> {
    /// A scale and a shift for each input channel, and what is applied to the shifted numbers.
    pub(super) pre: Option<(&'a [f32], &'a [f32], Activation)>,
    /// A row of biases for each board.
    pub(super) bias: &'a [f32],
    pub(super) accumulate: Accumulate,
    /// The activation of the sums.
    pub(super) activation: Activation,
}

/// A 3x3 convolution.
#[derive(Clone, Debug)]
pub(super) struct Conv3x3 {
    weights: Weights,
    bias: Vec<f32>,
    inputs: usize,
    set: InstructionSet,
}

/// The weights of a convolution.
#[derive(Clone, Debug)]
enum Weights {
    /// For products of transformed tiles.
    Winograd(WinogradWeights),
    /// For products of points, in bfloat16.
    Direct(DirectWeights),
}

/// Weights for products of transformed tiles.
#[derive(Clone, Debug)]
struct WinogradWeights {
    /// In the order output, input, row, column.
    filters: Vec<f32>,
    inputs: usize,
    set: InstructionSet,
    number_type: NumberType,
    tile_choice: TileChoice,
    /// Transformed weights for tiles of 2x2, 3x3 and 4x4.
    transformed: [OnceLock<TransformedWeights>; 3],
}

/// The inputs of the choice of a tile side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TileChoice {
    /// The board and the number of boards, whichever takes less time.
    Batch,
    /// The board: the fewest multiplications.
    Board,
    /// None: a fixed side.
    #[cfg(test)]
    Fixed(usize),
}

/// Transformed weights for each element of transformed patches.
#[derive(Clone, Debug)]
enum TransformedWeights {
    F32(Vec<Panels<f32>>),
    Int16(Vec<QuantizedPanels>),
}

impl Conv3x3 {
    /// A convolution in `f32`; `weights` in the order output, input, row, column.
    pub(super) fn new(set: InstructionSet, weights: &[f32], bias: &[f32], inputs: usize) -> Conv3x3 {
        let weights = WinogradWeights::new(set, NumberType::F32, TileChoice::Board, weights, inputs);
        Conv3x3::with_weights(set, Weights::Winograd(weights), bias, inputs)
    }

    /// A convolution; `weights` in the order output, input, row, column.
    pub(super) fn with_precision(
        set: InstructionSet,
        precision: Precision,
        weights: &[f32],
        bias: &[f32],
        inputs: usize,
    ) -> Conv3x3 {
        let tiled = |number| Weights::Winograd(WinogradWeights::new(set, number, TileChoice::Batch, weights, inputs));
        let weights = match precision {
            Precision::F32 => tiled(NumberType::F32),
            Precision::Int16 => tiled(NumberType::Int16),
            Precision::Bfloat16 => Weights::Direct(DirectWeights::new(weights, inputs)),
        };
        Conv3x3::with_weights(set, weights, bias, inputs)
    }

    fn with_weights(set: InstructionSet, weights: Weights, bias: &[f32], inputs: usize) -> Conv3x3 {
        let mut padded_bias = bias.to_vec();
        padded_bias.resize(padded(bias.len()), 0.0);
        Conv3x3 { weights, bias: padded_bias, inputs, set }
    }

    /// The bias of each output channel.
    pub(super) fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// Convolves a batch of boards, adds `bias` (one row per board) and, with [`Accumulate::Add`], the old
    /// contents of `outputs`, then applies ReLU.
    pub(super) fn apply(
        &self,
        layout: BoardLayout,
        inputs: &[f32],
        outputs: &mut [f32],
        bias: &[f32],
        accumulate: Accumulate,
        scratch: &mut ConvScratch,
    ) {
        let options = ConvolutionOptions { pre: None, bias, accumulate, activation: Activation::Relu };
        self.apply_with(layout, inputs, outputs, &options, scratch);
    }

    /// Convolves a batch of boards with what is to be done before and after.
    pub(super) fn apply_with(
        &self,
        layout: BoardLayout,
        inputs: &[f32],
        outputs: &mut [f32],
        options: &ConvolutionOptions<'_>,
        scratch: &mut ConvScratch,
    ) {
        let channels = padded(self.inputs);
        let board = layout.cells() * channels;
        let boards = inputs.len() / board;
        let ConvScratch { tiling, activated, buffers } = scratch;
        let mut source = InputRows { inputs, channels, affine: None };
        match options.pre {
            None => {}
            // cheap enough for all the patches that a point is part of
            Some((scale, shift, Activation::Relu)) => source.affine = Some((scale, shift)),
            Some((scale, shift, activation)) => {
                let length = boards * board;
                activated.resize(length.max(activated.len()), 0.0);
                let to = activated.get_mut(..length).unwrap_or_default();
                self.set.run(ScaleShiftActivate { layout, inputs, scale, shift, activation, outputs: &mut *to });
                source.inputs = to;
            }
        }
        let ConvolutionOptions { bias, accumulate, activation, .. } = *options;
        let target = OutputRows { outputs, channels: self.bias.len(), bias, accumulate, activation };
        match &self.weights {
            Weights::Direct(weights) => {
                let scratch = &mut buffers.direct;
                self.set.run(DirectConvolution { set: self.set, weights, layout, boards, source, target, scratch });
            }
            Weights::Winograd(weights) => {
                let call = ConvCall { layout, boards, source, target, tiling, buffers };
                match weights.tile(layout, boards) {
                    2 => weights.apply(F2, call),
                    3 => weights.apply(F3, call),
                    _ => weights.apply(F4, call),
                }
            }
        }
    }

    /// Multiplications for each pair of input and output channel, for a batch.
    #[cfg(test)]
    pub(super) fn multiplications(&self, layout: BoardLayout, boards: usize) -> usize {
        match &self.weights {
            Weights::Direct(_) => 9 * layout.cells() * boards,
            Weights::Winograd(weights) => {
                let side = weights.tile(layout, boards);
                (side + 2) * (side + 2) * layout.tiles(side) * boards
            }
        }
    }
}

impl WinogradWeights {
    fn new(
        set: InstructionSet,
        number_type: NumberType,
        tile_choice: TileChoice,
        filters: &[f32],
        inputs: usize,
    ) -> WinogradWeights {
        WinogradWeights {
            filters: filters.to_vec(),
            inputs,
            set,
            number_type,
            tile_choice,
            transformed: Default::default(),
        }
    }

    /// The side of the tiles for a batch, 2, 3 or 4.
    fn tile(&self, layout: BoardLayout, boards: usize) -> usize {
        let least_uses = match self.tile_choice {
            TileChoice::Batch => USES_PER_WEIGHT,
            TileChoice::Board => 0,
            #[cfg(test)]
            TileChoice::Fixed(side) => return side,
        };
        let cost = |side: usize| (side + 2) * (side + 2) * (boards * layout.tiles(side)).max(least_uses);
        [4, 3, 2].into_iter().min_by_key(|&side| cost(side)).unwrap_or(4)
    }

    /// The weights for tiles of a side.
    fn transformed(&self, tile: usize) -> &TransformedWeights {
        let [two, three, four] = &self.transformed;
        match tile {
            2 => two.get_or_init(|| self.transform(F2)),
            3 => three.get_or_init(|| self.transform(F3)),
            _ => four.get_or_init(|| self.transform(F4)),
        }
    }

    fn transform<F: WinogradForm<T, P>, const T: usize, const P: usize>(&self, _: F) -> TransformedWeights {
        let (set, inputs) = (self.set, self.inputs.max(1));
        let filters = transform_filters::<F, T, P>(&self.filters);
        let outputs = self.filters.len() / (9 * inputs);
        let elements = filters.chunks_exact((inputs * outputs).max(1));
        match self.number_type {
            NumberType::F32 => TransformedWeights::F32(
                elements
                    .map(|weights| {
                        let weight = |input, output| weights.get(output * inputs + input).copied().unwrap_or_default();
                        Panels::new(set.float_panel_lines(), inputs, outputs, weight)
                    })
                    .collect(),
            ),
            NumberType::Int16 => TransformedWeights::Int16(
                elements.map(|weights| quantize(set.integer_panel_lines(), weights, inputs)).collect(),
            ),
        }
    }

    fn apply<F: WinogradForm<T, P>, const T: usize, const P: usize>(&self, _: F, call: ConvCall<'_>) {
        let ConvCall { layout, boards, source, target, tiling, buffers } = call;
        let channels = target.channels;
        tiling.prepare(layout, boards, T);
        let most = BYTES_PER_CHUNK / (P * P * size_of::<f32>() * source.channels.max(channels));
        for tiles in Tiles::chunks(tiling, most) {
            let (form, count) = (PhantomData::<F>, tiles.count);
            let (products, stride) = match self.transformed(T) {
                TransformedWeights::F32(matrices) => {
                    let stride = stride(count, source.channels.max(channels));
                    let lines = &mut buffers.lines;
                    lines.resize((stride * (P * P + 1)).max(lines.len()), Line([0.0; LINE_WORDS]));
                    let patches = lines.get_mut(stride..).unwrap_or_default();
                    self.set.run(InputTransform { form, tiles, source, patches, stride });
                    self.set.run(FloatGemms { matrices, count, lines, stride });
                    (lines.as_slice(), stride)
                }
                TransformedWeights::Int16(matrices) => {
                    let (scratch, stride) = (&mut buffers.quantized, stride(count, channels));
                    scratch.prepare(P * P, count, source.channels, channels);
                    self.set.run_integer(QuantizedTransform { form, tiles, source, scratch: &mut *scratch });
                    let channels = source.channels;
                    self.set.run_integer(QuantizedGemms { matrices, count, channels, scratch: &mut *scratch, stride });
                    (scratch.sums.as_slice(), stride)
                }
            };
            let target = OutputRows { outputs: &mut *target.outputs, ..target };
            self.set.run(OutputTransform { form, tiles, target, products, stride });
        }
    }
}

/// A call of [`Conv3x3::apply_with`].
struct ConvCall<'a> {
    layout: BoardLayout,
    boards: usize,
    source: InputRows<'a>,
    target: OutputRows<'a>,
    tiling: &'a mut Tiling,
    buffers: &'a mut Buffers,
}

/// Buffers for transformed tiles and their products.
#[derive(Debug, Default)]
pub(super) struct ConvScratch {
    tiling: Tiling,
    activated: Vec<f32>,
    buffers: Buffers,
}

impl ConvScratch {
    /// The buffers of products in integers, for convolutions other than 3x3.
    pub(super) fn quantized(&mut self) -> &mut QuantizedScratch {
        &mut self.buffers.quantized
    }
}

#[derive(Debug, Default)]
struct Buffers {
    lines: Vec<Line<f32>>,
    quantized: QuantizedScratch,
    direct: DirectScratch,
}

#[cfg(test)]
mod tests;
