//! 3x3 convolutions over boards, channels last, in the layout of [`BoardLayout`].
//!
//! ```text
//! let convolution = Convolution::with_precision(set, Precision::Int16, &weights, &bias, inputs);
//! let options = ConvolutionOptions { pre: Some((&scale, &shift, Activation::Relu)), bias: &rows, is_residual: false,
//!                         activation: Activation::Relu };
//! convolution.apply_with(grid, &from, &mut to, &options, &mut scratch);
//! ```
//!
//! - [`Convolution::with_precision`] prepares weights (output, input, row, column) and a bias; [`Convolution::new`] is
//!   the same in `f32`, with tiles that depend on the board only.
//! - [`Convolution::apply_with`] computes for every point of every board of a batch
//!   `activation(convolution(pre(inputs)) + bias + outputs)`, the last term only if `is_residual`. `pre`, a scale and a
//!   shift for each channel and an activation, is what a batch norm before the convolution does. It applies to the
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
use crate::net::blocked::{BLOCK, FloatProducts, Line, Panels};
pub(super) use crate::net::grid::BoardLayout;
use crate::net::grid::Tiling;
pub(super) use crate::net::precision::Precision;
use crate::net::product::padded;
use crate::net::quantized::{Quantized, QuantizedProducts, QuantizedScratch, QuantizedTransform, quantize};
use crate::net::simd::InstructionSet;
use crate::net::winograd::{
    F2, F3, F4, Form, InputTransform, OutputTransform, Source, Target, Tiles, stride, transform_filters,
};

/// Bytes of transformed tiles in a pass. More tiles use each weight more often, fewer stay in a nearer cache.
const BYTES_PER_PASS: usize = 3_500 << 10;

/// For how many products each weight must be used so that multiplying takes as long as reading it from memory.
const USES_PER_WEIGHT: usize = 34;

/// The operations before and after a convolution.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConvolutionOptions<'a> {
    /// A scale and a shift for each input channel, and what is applied to the shifted numbers.
    pub(super) pre: Option<(&'a [f32], &'a [f32], Activation)>,
    /// A row of biases for each board.
    pub(super) bias: &'a [f32],
    /// Whether the old contents of the outputs are added.
    pub(super) is_residual: bool,
    /// The activation of the sums.
    pub(super) activation: Activation,
}

/// A 3x3 convolution.
#[derive(Clone, Debug)]
pub(super) struct Convolution {
    weights: Vec<f32>,
    precision: Precision,
    tile_choice: TileChoice,
    /// Weights for tiles of 2x2, 3x3 and 4x4.
    products: [OnceLock<Products>; 3],
    bias: Vec<f32>,
    inputs: usize,
    set: InstructionSet,
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

/// Transformed weights for each product.
#[derive(Clone, Debug)]
enum Products {
    F32(Vec<Panels<f32>>),
    Int16(Vec<Quantized>),
}

impl Convolution {
    /// A convolution in `f32`; `weights` in the order output, input, row, column.
    pub(super) fn new(set: InstructionSet, weights: &[f32], bias: &[f32], inputs: usize) -> Convolution {
        let convolution = Convolution::with_precision(set, Precision::F32, weights, bias, inputs);
        Convolution { tile_choice: TileChoice::Board, ..convolution }
    }

    /// A convolution; `weights` in the order output, input, row, column.
    pub(super) fn with_precision(
        set: InstructionSet,
        precision: Precision,
        weights: &[f32],
        bias: &[f32],
        inputs: usize,
    ) -> Convolution {
        let mut padded_bias = bias.to_vec();
        padded_bias.resize(padded(bias.len()), 0.0);
        Convolution {
            weights: weights.to_vec(),
            precision,
            tile_choice: TileChoice::Batch,
            products: Default::default(),
            bias: padded_bias,
            inputs,
            set,
        }
    }

    /// The bias of each output channel.
    pub(super) fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// Convolves a batch of boards, adds `bias` (one row per board) and, if `is_residual`, the old contents of
    /// `outputs`, then applies ReLU.
    pub(super) fn apply(
        &self,
        grid: BoardLayout,
        inputs: &[f32],
        outputs: &mut [f32],
        bias: &[f32],
        is_residual: bool,
        scratch: &mut ConvScratch,
    ) {
        let options = ConvolutionOptions { pre: None, bias, is_residual, activation: Activation::Relu };
        self.apply_with(grid, inputs, outputs, &options, scratch);
    }

    /// Convolves a batch of boards with what is to be done before and after.
    pub(super) fn apply_with(
        &self,
        grid: BoardLayout,
        inputs: &[f32],
        outputs: &mut [f32],
        options: &ConvolutionOptions<'_>,
        scratch: &mut ConvScratch,
    ) {
        let channels = padded(self.inputs);
        let board = grid.cells() * channels;
        let boards = inputs.len() / board;
        let ConvScratch { tiling, activated, buffers } = scratch;
        let mut source = Source { inputs, channels, affine: None };
        match options.pre {
            None => {}
            // cheap enough for all the patches that a point is part of
            Some((scale, shift, Activation::Relu)) => source.affine = Some((scale, shift)),
            Some((scale, shift, activation)) => {
                let length = boards * board;
                activated.resize(length.max(activated.len()), 0.0);
                let to = activated.get_mut(..length).unwrap_or_default();
                self.set.run(ScaleShiftActivate { grid, inputs, scale, shift, activation, outputs: &mut *to });
                source.inputs = to;
            }
        }
        let batch = Batch { grid, boards, source, outputs, options, tiling, buffers };
        match self.tile(grid, boards) {
            2 => self.apply_form(F2, batch),
            3 => self.apply_form(F3, batch),
            _ => self.apply_form(F4, batch),
        }
    }

    /// Products per pair of channels for a batch.
    #[cfg(test)]
    pub(super) fn products_of(&self, grid: BoardLayout, boards: usize) -> usize {
        let side = self.tile(grid, boards);
        (side + 2) * (side + 2) * grid.tiles(side) * boards
    }

    /// The side of the tiles for a batch, 2, 3 or 4.
    fn tile(&self, grid: BoardLayout, boards: usize) -> usize {
        let least_uses = match self.tile_choice {
            TileChoice::Batch => USES_PER_WEIGHT,
            TileChoice::Board => 0,
            #[cfg(test)]
            TileChoice::Fixed(side) => return side,
        };
        let cost = |side: usize| (side + 2) * (side + 2) * (boards * grid.tiles(side)).max(least_uses);
        [4, 3, 2].into_iter().min_by_key(|&side| cost(side)).unwrap_or(4)
    }

    /// The weights for tiles of a side.
    fn products(&self, tile: usize) -> &Products {
        let [two, three, four] = &self.products;
        match tile {
            2 => two.get_or_init(|| self.transformed(F2)),
            3 => three.get_or_init(|| self.transformed(F3)),
            _ => four.get_or_init(|| self.transformed(F4)),
        }
    }

    fn transformed<F: Form<T, P>, const T: usize, const P: usize>(&self, _: F) -> Products {
        let filters = transform_filters::<F, T, P>(&self.weights);
        let outputs = self.weights.len() / (9 * self.inputs.max(1));
        let weight = |product: usize| {
            let (filters, inputs) = (&filters, self.inputs);
            move |input, output| filters.get((output * inputs + input) * P * P + product).copied().unwrap_or_default()
        };
        let (set, inputs) = (self.set, self.inputs);
        match self.precision {
            Precision::F32 => {
                let panels = |product| Panels::new(set.blocked_panel(), inputs, outputs, weight(product));
                Products::F32((0..P * P).map(panels).collect())
            }
            Precision::Int16 => {
                let quantized = |product| quantize(set.integer_panel(), inputs, outputs, weight(product));
                Products::Int16((0..P * P).map(quantized).collect())
            }
        }
    }

    fn apply_form<F: Form<T, P>, const T: usize, const P: usize>(&self, _: F, batch: Batch<'_>) {
        let Batch { grid, boards, source, outputs, options, tiling, buffers } = batch;
        let ConvolutionOptions { bias, is_residual, activation, .. } = *options;
        let channels = self.bias.len();
        tiling.prepare(grid, boards, T);
        let most = BYTES_PER_PASS / (P * P * size_of::<f32>() * source.channels.max(channels));
        for tiles in Tiles::passes(tiling, most) {
            let (form, count) = (PhantomData::<F>, tiles.count);
            let (products, stride) = match self.products(T) {
                Products::F32(matrices) => {
                    let stride = stride(count, source.channels.max(channels));
                    let lines = &mut buffers.lines;
                    lines.resize((stride * (P * P + 1)).max(lines.len()), Line([0.0; BLOCK]));
                    let patches = lines.get_mut(stride..).unwrap_or_default();
                    self.set.run(InputTransform { form, tiles, source, patches, stride });
                    self.set.run(FloatProducts { matrices, count, lines, stride });
                    (lines.as_slice(), stride)
                }
                Products::Int16(matrices) => {
                    let (scratch, stride) = (&mut buffers.quantized, stride(count, channels));
                    scratch.prepare(P * P, count, source.channels, channels);
                    self.set.run_integer(QuantizedTransform { form, tiles, source, scratch: &mut *scratch });
                    let channels = source.channels;
                    self.set.run_integer(QuantizedProducts {
                        matrices,
                        count,
                        channels,
                        scratch: &mut *scratch,
                        stride,
                    });
                    (scratch.sums.as_slice(), stride)
                }
            };
            let target = Target { outputs: &mut *outputs, channels, bias, is_residual, activation };
            self.set.run(OutputTransform { form, tiles, target, products, stride });
        }
    }
}

/// A call of [`Convolution::apply_with`].
struct Batch<'a> {
    grid: BoardLayout,
    boards: usize,
    source: Source<'a>,
    outputs: &'a mut [f32],
    options: &'a ConvolutionOptions<'a>,
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

#[derive(Debug, Default)]
struct Buffers {
    lines: Vec<Line<f32>>,
    quantized: QuantizedScratch,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]
    use super::*;

    /// A convolution and a batch of random boards; `outputs` holds what is there before.
    struct Case {
        grid: BoardLayout,
        convolution: Convolution,
        weights: Vec<f32>,
        inputs: Vec<f32>,
        outputs: Vec<f32>,
        biases: Vec<f32>,
        scale: Vec<f32>,
        shift: Vec<f32>,
    }

    const BOARDS: usize = 3;

    impl Case {
        fn new(
            (width, height, inputs, outputs): (usize, usize, usize, usize),
            made: impl Fn(&[f32], &[f32]) -> Convolution,
        ) -> Case {
            let mut random = fastrand::Rng::with_seed(7);
            let grid = BoardLayout { width, height };
            let mut number = || random.f32() - 0.5;
            let weights: Vec<f32> = (0..outputs * inputs * 9).map(|_| number()).collect();
            let bias: Vec<f32> = (0..outputs).map(|_| number()).collect();
            let convolution = made(&weights, &bias);
            let mut planes = |channels: usize| {
                let mut planes = vec![0.0; BOARDS * grid.cells() * padded(channels)];
                for board in 0..BOARDS {
                    for cell in grid.rows().flatten() {
                        (0..channels)
                            .for_each(|k| planes[(board * grid.cells() + cell) * padded(channels) + k] = number());
                    }
                }
                planes
            };
            let (from, to) = (planes(inputs), planes(outputs));
            let mut biases = Vec::new();
            for board in 0..BOARDS {
                let shift = |channel| if channel < outputs { board as f32 } else { 0.0 };
                biases.extend(convolution.bias().iter().enumerate().map(|(k, bias)| bias + shift(k)));
            }
            let mut row = || (0..padded(inputs)).map(|k| if k < inputs { 2.0 * number() } else { 0.0 }).collect();
            let (scale, shift) = (row(), row());
            Case { grid, convolution, weights, inputs: from, outputs: to, biases, scale, shift }
        }

        fn options(
            &self,
            pre: Option<Activation>,
            is_residual: bool,
            activation: Activation,
        ) -> ConvolutionOptions<'_> {
            let pre = pre.map(|activation| (self.scale.as_slice(), self.shift.as_slice(), activation));
            ConvolutionOptions { pre, bias: &self.biases, is_residual, activation }
        }

        fn found(&self, options: &ConvolutionOptions<'_>) -> Vec<f32> {
            let mut outputs = self.outputs.clone();
            self.convolution.apply_with(self.grid, &self.inputs, &mut outputs, options, &mut ConvScratch::default());
            outputs
        }

        fn expected(&self, options: &ConvolutionOptions<'_>) -> Vec<f32> {
            let Case { grid, weights, .. } = self;
            let (inputs, outputs) = (self.convolution.inputs, weights.len() / 9 / self.convolution.inputs);
            let value = |activation, x: f64| match activation {
                Activation::None => x,
                Activation::Relu => x.max(0.0),
                Activation::Mish => x * x.exp().ln_1p().tanh(),
                Activation::Silu => x / (1.0 + (-x).exp()),
            };
            let mut made: Vec<f64> = self.inputs.iter().copied().map(f64::from).collect();
            let mut expected = self.outputs.clone();
            let cells = || {
                (0..BOARDS)
                    .flat_map(|board| grid.rows().flatten().map(move |cell| (board, board * grid.cells() + cell)))
            };
            if let Some((scale, shift, activation)) = options.pre {
                for (_, cell) in cells() {
                    for (k, number) in made[cell * padded(inputs)..][..inputs].iter_mut().enumerate() {
                        *number = value(activation, *number * f64::from(scale[k]) + f64::from(shift[k]));
                    }
                }
            }
            for (board, cell) in cells() {
                for output in 0..outputs {
                    let mut sum = f64::from(self.biases[board * padded(outputs) + output]);
                    for (y, x) in (0..9).map(|k| (k / 3, k % 3)) {
                        let near = cell + y * grid.row() + x - grid.row() - 1;
                        for input in 0..inputs {
                            let weight = weights[(output * inputs + input) * 9 + 3 * y + x];
                            sum += f64::from(weight) * made[near * padded(inputs) + input];
                        }
                    }
                    let place = &mut expected[cell * padded(outputs) + output];
                    let old = if options.is_residual { f64::from(*place) } else { 0.0 };
                    *place = value(options.activation, sum + old) as f32;
                }
            }
            expected
        }

        fn assert_near(&self, options: &ConvolutionOptions<'_>, tolerance: f32, what: &str) {
            let BoardLayout { width, height } = self.grid;
            for (place, (found, expected)) in self.found(options).iter().zip(&self.expected(options)).enumerate() {
                let difference = (found - expected).abs();
                assert!(difference < tolerance, "{what} {width}x{height} at {place}: {found} {expected}");
            }
        }
    }

    const SHAPES: [(usize, usize, usize, usize); 5] =
        [(1, 1, 1, 1), (2, 3, 20, 16), (9, 9, 20, 64), (13, 7, 18, 40), (19, 19, 64, 64)];

    #[test]
    fn winograd_agrees_with_the_definition() {
        for set in InstructionSet::available() {
            for shape in SHAPES {
                let case = Case::new(shape, |weights, bias| Convolution::new(set, weights, bias, shape.2));
                case.assert_near(&case.options(None, true, Activation::Relu), 1e-4, &set.to_string());
            }
        }
    }

    #[test]
    fn all_tiles_and_options_agree_with_the_definition() {
        let shapes = [(9, 9, 20, 50), (19, 5, 48, 16)];
        for (set, name) in InstructionSet::with_each_integer_isa() {
            for (shape, precision) in
                shapes.into_iter().flat_map(|shape| [(shape, Precision::F32), (shape, Precision::Int16)])
            {
                for tile in [2, 3, 4] {
                    let mut case = Case::new(shape, |weights, bias| {
                        Convolution::with_precision(set, precision, weights, bias, shape.2)
                    });
                    case.convolution.tile_choice = TileChoice::Fixed(tile);
                    // the rounding of a transformed row, amplified by up to 64 in the output transform
                    let tolerance = if precision == Precision::F32 { 1e-4 } else { 2e-2 };
                    for (pre, is_residual, activation) in [
                        (None, false, Activation::None),
                        (Some(Activation::Relu), true, Activation::Mish),
                        (Some(Activation::Mish), true, Activation::None),
                        (Some(Activation::None), false, Activation::Relu),
                    ] {
                        case.assert_near(&case.options(pre, is_residual, activation), tolerance, &name);
                    }
                }
            }
        }
    }

    #[test]
    fn integers_give_the_same_on_every_instruction_set() {
        for shape in SHAPES {
            let results: Vec<Vec<f32>> = InstructionSet::with_each_integer_isa()
                .into_iter()
                .map(|(set, _)| {
                    let case = Case::new(shape, |weights, bias| {
                        Convolution::with_precision(set, Precision::Int16, weights, bias, shape.2)
                    });
                    case.found(&case.options(Some(Activation::Relu), true, Activation::Mish))
                })
                .collect();
            assert!(results.iter().all(|result| result == &results[0]), "{shape:?}");
        }
    }

    #[test]
    fn the_largest_inputs_and_weights_do_not_overflow() {
        let (inputs, outputs) = (256, 16);
        for (set, name) in InstructionSet::with_each_integer_isa() {
            let weights = vec![1.0; 9 * inputs * outputs];
            let convolution = Convolution::with_precision(set, Precision::Int16, &weights, &[0.0; 16], inputs);
            let grid = BoardLayout { width: 19, height: 19 };
            let mut from = vec![0.0; grid.cells() * inputs];
            grid.rows().for_each(|row| from[row.start * inputs..row.end * inputs].fill(3.0));
            let mut to = vec![0.0; grid.cells() * outputs];
            let options =
                ConvolutionOptions { pre: None, bias: &[0.0; 16], is_residual: false, activation: Activation::None };
            convolution.apply_with(grid, &from, &mut to, &options, &mut ConvScratch::default());
            let center = to[grid.cell(9, 9) * outputs];
            assert!((center / (9.0 * 3.0 * 256.0) - 1.0).abs() < 1e-3, "{name}: {center}");
        }
    }
}
