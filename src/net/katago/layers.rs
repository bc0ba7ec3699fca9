//! Layers of KataGo's nets, prepared for one instruction set.

use crate::net::board_layout::BoardLayout;
use crate::net::convolution::{Accumulate, Conv3x3, ConvolutionOptions};
use crate::net::gemm::{Gemm, Matrix, padded};
use crate::net::katago::activation::{Activation, AddBiasActivate, Affine};
use crate::net::katago::buffers::{Boards, Scratch};
use crate::net::katago::layer_desc;
use crate::net::katago::model_desc::NormActivationDesc;
use crate::net::layers::{AddRows, Linear};
use crate::net::pointwise::{QuantizedMatrix, multiply_rows};
use crate::net::precision::{NumberType, Precision};
use crate::net::simd::InstructionSet;

/// The instruction set and the number types for which layers are prepared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backend {
    pub(super) set: InstructionSet,
    /// The number type of 3x3 convolutions.
    precision: Precision,
    /// The number type of 1x1 convolutions, and of the linear layers of transformer blocks.
    of_points: NumberType,
}

impl Backend {
    /// The backend of a trunk.
    pub(super) fn of_trunk(set: InstructionSet, precision: Precision) -> Backend {
        Backend { set, precision, of_points: precision.of_points(set) }
    }

    /// The backend of the heads: their outputs are used as they are, and take little time.
    pub(super) fn of_heads(set: InstructionSet, precision: Precision) -> Backend {
        Backend { set, precision, of_points: NumberType::F32 }
    }
}

/// Numbers padded with zeros like channels.
pub(super) fn pad(mut numbers: Vec<f32>) -> Vec<f32> {
    numbers.resize(padded(numbers.len()), 0.0);
    numbers
}

impl layer_desc::ConvDesc {
    /// The weight of a filter tap, an input and an output; 0 outside the filter.
    fn weight(&self, (y, x): (usize, usize), input: usize, output: usize) -> f32 {
        let place = ((y * self.width + x) * self.inputs + input) * self.outputs + output;
        self.weights.get(place).copied().unwrap_or_default()
    }

    /// This convolution followed by a scale of each output.
    pub(super) fn scaled(mut self, scale: &[f32]) -> layer_desc::ConvDesc {
        for outputs in self.weights.chunks_exact_mut(self.outputs) {
            outputs.iter_mut().zip(scale).for_each(|(weight, scale)| *weight *= scale);
        }
        self
    }
}

/// A convolution with bias and activation.
#[derive(Debug)]
pub(super) struct Convolution {
    filter: Filter,
    /// Padded like the outputs.
    bias: Vec<f32>,
    activation: Activation,
    outputs: usize,
    set: InstructionSet,
}

/// The kinds of filters.
#[derive(Debug)]
enum Filter {
    /// 3x3.
    Conv3x3(Box<Conv3x3>),
    /// 1x1, in integers.
    Pointwise(QuantizedMatrix),
    /// Any other size, and 1x1 in `f32`.
    Gemm(MatrixFilter),
}

impl Convolution {
    /// A convolution with a bias for each output and an activation.
    pub(super) fn new(
        backend: Backend,
        layer: &layer_desc::ConvDesc,
        bias: Vec<f32>,
        activation: Activation,
    ) -> Convolution {
        let Backend { set, precision, of_points } = backend;
        let layer_desc::ConvDesc { height, width, inputs, outputs, .. } = *layer;
        let filter = if (height, width) == (3, 3) {
            let mut weights = vec![0.0; layer.weights.len()];
            for (row, from) in layer.weights.chunks_exact(outputs).enumerate() {
                let (tap, input) = (row / inputs, row % inputs);
                for (output, weight) in from.iter().enumerate() {
                    if let Some(to) = weights.get_mut((output * inputs + input) * 9 + tap) {
                        *to = *weight;
                    }
                }
            }
            let kernel = Conv3x3::with_precision(set, precision, &weights, &bias, inputs);
            Filter::Conv3x3(Box::new(kernel))
        } else if (height, width) == (1, 1) && of_points == NumberType::Int16 {
            Filter::Pointwise(QuantizedMatrix::new(set, &transposed(&layer.weights, outputs), inputs))
        } else {
            let matrix = Matrix::new(set, height * width * inputs, outputs, |row, output| {
                let (tap, input) = (row / inputs, row % inputs);
                layer.weight((tap / width, tap % width), input, output)
            });
            Filter::Gemm(MatrixFilter { matrix, taps: Taps { height, width, channels: inputs } })
        };
        Convolution { filter, bias: pad(bias), activation, outputs, set }
    }

    /// Without bias and activation.
    pub(super) fn plain(backend: Backend, layer: &layer_desc::ConvDesc) -> Convolution {
        Convolution::new(backend, layer, vec![0.0; layer.outputs], Activation::Identity)
    }

    /// Followed by a batch norm and an activation.
    pub(super) fn with_norm(backend: Backend, layer: layer_desc::ConvDesc, after: NormActivationDesc) -> Convolution {
        Convolution::new(backend, &layer.scaled(&after.norm.scale), after.norm.shift, after.activation)
    }

    /// The number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Convolves a batch, after a norm if there is one, in a buffer to be freed by the caller.
    pub(super) fn apply(&self, before: Option<&Norm>, inputs: &Boards, scratch: &mut Scratch) -> Boards {
        let mut outputs = scratch.boards(self.outputs);
        let bias = scratch.rows(&self.bias);
        self.write(before, inputs, &mut outputs, &bias, Accumulate::Overwrite, scratch);
        scratch.free_flat(bias);
        outputs
    }

    /// Likewise, with a bias of its own for each board instead of the layer's.
    pub(super) fn apply_biased(&self, inputs: &Boards, bias: &[f32], scratch: &mut Scratch) -> Boards {
        let mut outputs = scratch.boards(self.outputs);
        self.write(None, inputs, &mut outputs, bias, Accumulate::Overwrite, scratch);
        outputs
    }

    /// Convolves a batch, after a norm if there is one, and adds the result to `outputs`.
    pub(super) fn add(&self, before: Option<&Norm>, inputs: &Boards, outputs: &mut Boards, scratch: &mut Scratch) {
        let bias = scratch.rows(&self.bias);
        self.write(before, inputs, outputs, &bias, Accumulate::Add, scratch);
        scratch.free_flat(bias);
    }

    fn write(
        &self,
        before: Option<&Norm>,
        inputs: &Boards,
        outputs: &mut Boards,
        bias: &[f32],
        accumulate: Accumulate,
        scratch: &mut Scratch,
    ) {
        let layout = scratch.batch.layout;
        let pre = before.map(|norm| (norm.scale.as_slice(), norm.shift.as_slice(), norm.activation));
        let options = ConvolutionOptions { pre, bias, accumulate, activation: self.activation };
        match &self.filter {
            Filter::Conv3x3(kernel) => {
                kernel.apply_with(layout, inputs.values(), outputs.values_mut(), &options, &mut scratch.conv);
            }
            Filter::Pointwise(matrix) => {
                matrix.convolve(layout, inputs.values(), outputs.values_mut(), &options, scratch.conv.quantized());
            }
            Filter::Gemm(filter) => {
                match before {
                    None => filter.apply(self.set, inputs, outputs, accumulate, scratch),
                    Some(norm) => {
                        let inputs = norm.apply(inputs, 0, scratch);
                        filter.apply(self.set, &inputs, outputs, accumulate, scratch);
                        scratch.free_boards(inputs);
                    }
                }
                let (row, activation) = (outputs.row, self.activation);
                self.set.run(AddBiasActivate { layout, values: outputs.values_mut(), row, bias, activation });
            }
        }
    }
}

/// The transpose of a matrix with rows of `columns` numbers.
fn transposed(numbers: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|column| numbers.iter().skip(column).step_by(columns)).copied().collect()
}

/// A filter as a matrix, whose inputs are those of all taps of a point in one row.
#[derive(Debug)]
struct MatrixFilter {
    matrix: Matrix,
    taps: Taps,
}

impl MatrixFilter {
    /// Writes or adds the sums to the outputs.
    fn apply(
        &self,
        set: InstructionSet,
        inputs: &Boards,
        outputs: &mut Boards,
        accumulate: Accumulate,
        scratch: &mut Scratch,
    ) {
        let (layout, matrix, taps) = (scratch.batch.layout, &self.matrix, self.taps);
        let (from_row, to_row) = (inputs.row, outputs.row);
        let mut sums = scratch.flat(layout.width * matrix.row());
        let mut patches = scratch.flat(if taps.is_point() { 0 } else { layout.width * taps.length() });
        let each = inputs.values().chunks_exact(layout.cells() * from_row);
        for (from, to) in each.zip(outputs.values_mut().chunks_exact_mut(layout.cells() * to_row)) {
            for (y, cells) in layout.rows().enumerate() {
                let (inputs, stride) = match taps.is_point() {
                    true => (from.get(cells.start * from_row..).unwrap_or_default(), from_row),
                    false => {
                        taps.gather(layout, from, from_row, y, &mut patches);
                        (patches.as_slice(), taps.length())
                    }
                };
                set.run(Gemm { matrix, inputs, stride, outputs: &mut sums });
                let to = to.get_mut(cells.start * to_row..cells.end * to_row).unwrap_or_default();
                match accumulate {
                    Accumulate::Add => set.run(AddRows { sums: to, numbers: &sums }),
                    Accumulate::Overwrite => to.copy_from_slice(&sums),
                }
            }
        }
        scratch.free_flat(patches);
        scratch.free_flat(sums);
    }
}

/// The inputs of a filter.
#[derive(Clone, Copy, Debug)]
struct Taps {
    height: usize,
    width: usize,
    channels: usize,
}

impl Taps {
    fn is_point(self) -> bool {
        (self.height, self.width) == (1, 1)
    }

    /// The number of inputs of a point.
    fn length(self) -> usize {
        self.height * self.width * self.channels
    }

    /// Writes the inputs of the points of row `y` of a board (im2col).
    fn gather(self, layout: BoardLayout, board: &[f32], stride: usize, y: usize, patches: &mut [f32]) {
        for (x, patch) in patches.chunks_exact_mut(self.length()).enumerate() {
            for (tap, to) in patch.chunks_exact_mut(self.channels).enumerate() {
                // beyond the left or upper edge the subtraction wraps around to beyond the other one
                let near_x = (x + tap % self.width).wrapping_sub(self.width / 2);
                let near_y = (y + tap / self.width).wrapping_sub(self.height / 2);
                match near_x < layout.width && near_y < layout.height {
                    true => {
                        let from = board.get(layout.cell(near_x, near_y) * stride..).unwrap_or_default();
                        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
                    }
                    false => to.fill(0.0),
                }
            }
        }
    }
}

/// Scale, shift and activation of each channel.
#[derive(Debug)]
pub(super) struct Norm {
    /// Padded, as is the shift.
    pub(super) scale: Vec<f32>,
    pub(super) shift: Vec<f32>,
    activation: Activation,
    set: InstructionSet,
}

impl Norm {
    pub(super) fn new(set: InstructionSet, layer: NormActivationDesc) -> Norm {
        let layer_desc::NormDesc { scale, shift } = layer.norm;
        Norm { scale: pad(scale), shift: pad(shift), activation: layer.activation, set }
    }

    /// The result for channels of a batch from `first` on, in a buffer to be freed by the caller.
    pub(super) fn apply(&self, inputs: &Boards, first: usize, scratch: &mut Scratch) -> Boards {
        let shifts = scratch.rows(&self.shift);
        let outputs = self.apply_shifted(inputs, first, &shifts, scratch);
        scratch.free_flat(shifts);
        outputs
    }

    /// Likewise, with shifts of its own for each board.
    pub(super) fn apply_shifted(&self, inputs: &Boards, first: usize, shifts: &[f32], scratch: &mut Scratch) -> Boards {
        let mut outputs = scratch.boards(self.scale.len());
        self.set.run(Affine {
            layout: scratch.batch.layout,
            inputs: inputs.values(),
            inputs_row: inputs.row,
            first,
            outputs: outputs.values_mut(),
            scale: &self.scale,
            shifts,
            activation: self.activation,
        });
        outputs
    }
}

/// A fully connected layer of a file, with a bias if it has one.
pub(super) fn linear(set: InstructionSet, layer: &layer_desc::LinearDesc, bias: Option<Vec<f32>>) -> Linear {
    let layer_desc::LinearDesc { inputs, outputs, ref weights } = *layer;
    let weight = |input: usize, output: usize| weights.get(input * outputs + output).copied().unwrap_or_default();
    Linear::new(set, Matrix::new(set, inputs, outputs, weight), bias.unwrap_or_default(), inputs)
}

/// A fully connected layer without bias for each point of a batch.
#[derive(Debug)]
pub(super) enum PointLinear {
    F32(Linear),
    Int16(QuantizedMatrix),
}

impl PointLinear {
    pub(super) fn new(backend: Backend, layer: &layer_desc::LinearDesc) -> PointLinear {
        match backend.of_points {
            NumberType::F32 => PointLinear::F32(linear(backend.set, layer, None)),
            NumberType::Int16 => {
                let weights = transposed(&layer.weights, layer.outputs);
                PointLinear::Int16(QuantizedMatrix::new(backend.set, &weights, layer.inputs))
            }
        }
    }

    /// The number of outputs, padded like channels.
    pub(super) fn row(&self) -> usize {
        match self {
            PointLinear::F32(layer) => layer.row(),
            PointLinear::Int16(matrix) => matrix.row(),
        }
    }

    /// The outputs of layers with the same inputs, rows that start `stride` values apart. Each layer has a slice for its
    /// rows of outputs.
    pub(super) fn multiply_each(
        products: &mut [(&PointLinear, &mut [f32])],
        inputs: &[f32],
        stride: usize,
        scratch: &mut Scratch,
    ) {
        let mut quantized = Vec::new();
        for (layer, outputs) in products {
            match layer {
                PointLinear::F32(layer) => layer.multiply(inputs, stride, outputs),
                PointLinear::Int16(matrix) => quantized.push((matrix, &mut **outputs)),
            }
        }
        multiply_rows(&mut quantized, inputs, stride, scratch.conv.quantized());
    }
}

/// The outputs of a layer for rows that start `stride` values apart, in a buffer to be freed by the caller.
pub(super) fn apply_linear(layer: &Linear, inputs: &[f32], stride: usize, scratch: &mut Scratch) -> Vec<f32> {
    let mut outputs = scratch.flat(inputs.len() / stride * layer.row());
    layer.apply_rows(inputs, stride, &mut outputs);
    outputs
}
