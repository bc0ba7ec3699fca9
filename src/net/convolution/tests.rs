//! Tests of convolutions against the definition.

#![allow(clippy::indexing_slicing)]
use super::*;

/// A convolution and a batch of random boards; `outputs` holds what is there before.
struct Case {
    layout: BoardLayout,
    convolution: Conv3x3,
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
        made: impl Fn(&[f32], &[f32]) -> Conv3x3,
    ) -> Case {
        let mut random = fastrand::Rng::with_seed(7);
        let layout = BoardLayout { width, height };
        let mut number = || random.f32() - 0.5;
        let weights: Vec<f32> = (0..outputs * inputs * 9).map(|_| number()).collect();
        let bias: Vec<f32> = (0..outputs).map(|_| number()).collect();
        let convolution = made(&weights, &bias);
        let mut planes = |channels: usize| {
            let mut planes = vec![0.0; BOARDS * layout.cells() * padded(channels)];
            for board in 0..BOARDS {
                for cell in layout.rows().flatten() {
                    (0..channels)
                        .for_each(|k| planes[(board * layout.cells() + cell) * padded(channels) + k] = number());
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
        Case { layout, convolution, weights, inputs: from, outputs: to, biases, scale, shift }
    }

    fn options(
        &self,
        pre: Option<Activation>,
        accumulate: Accumulate,
        activation: Activation,
    ) -> ConvolutionOptions<'_> {
        let pre = pre.map(|activation| (self.scale.as_slice(), self.shift.as_slice(), activation));
        ConvolutionOptions { pre, bias: &self.biases, accumulate, activation }
    }

    fn found(&self, options: &ConvolutionOptions<'_>) -> Vec<f32> {
        let mut outputs = self.outputs.clone();
        self.convolution.apply_with(self.layout, &self.inputs, &mut outputs, options, &mut ConvScratch::default());
        outputs
    }

    fn expected(&self, options: &ConvolutionOptions<'_>) -> Vec<f32> {
        let Case { layout, weights, .. } = self;
        let (inputs, outputs) = (self.convolution.inputs, weights.len() / 9 / self.convolution.inputs);
        let value = |activation, x: f64| match activation {
            Activation::Identity => x,
            Activation::Relu => x.max(0.0),
            Activation::Mish => x * x.exp().ln_1p().tanh(),
            Activation::Silu => x / (1.0 + (-x).exp()),
        };
        let mut made: Vec<f64> = self.inputs.iter().copied().map(f64::from).collect();
        let mut expected = self.outputs.clone();
        let cells = || {
            (0..BOARDS)
                .flat_map(|board| layout.rows().flatten().map(move |cell| (board, board * layout.cells() + cell)))
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
                    let near = cell + y * layout.row() + x - layout.row() - 1;
                    for input in 0..inputs {
                        let weight = weights[(output * inputs + input) * 9 + 3 * y + x];
                        sum += f64::from(weight) * made[near * padded(inputs) + input];
                    }
                }
                let place = &mut expected[cell * padded(outputs) + output];
                let old = if options.accumulate == Accumulate::Add { f64::from(*place) } else { 0.0 };
                *place = value(options.activation, sum + old) as f32;
            }
        }
        expected
    }

    fn assert_near(&self, options: &ConvolutionOptions<'_>, tolerance: f32, what: &str) {
        let BoardLayout { width, height } = self.layout;
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
            let case = Case::new(shape, |weights, bias| Conv3x3::new(set, weights, bias, shape.2));
            case.assert_near(&case.options(None, Accumulate::Add, Activation::Relu), 1e-4, &set.to_string());
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
                let mut case =
                    Case::new(shape, |weights, bias| Conv3x3::with_precision(set, precision, weights, bias, shape.2));
                let Weights::Winograd(weights) = &mut case.convolution.weights else { unreachable!() };
                weights.tile_choice = TileChoice::Fixed(tile);
                // the rounding of a transformed row, amplified by up to 64 in the output transform
                let tolerance = if precision == Precision::F32 { 1e-4 } else { 2e-2 };
                for (pre, accumulate, activation) in [
                    (None, Accumulate::Overwrite, Activation::Identity),
                    (Some(Activation::Relu), Accumulate::Add, Activation::Mish),
                    (Some(Activation::Mish), Accumulate::Add, Activation::Identity),
                    (Some(Activation::Identity), Accumulate::Overwrite, Activation::Relu),
                ] {
                    case.assert_near(&case.options(pre, accumulate, activation), tolerance, &name);
                }
            }
        }
    }
}

#[test]
fn bfloat16_agrees_with_the_definition() {
    for (set, shape) in InstructionSet::available().into_iter().flat_map(|set| SHAPES.map(|shape| (set, shape))) {
        let mut case = Case::new(shape, |weights, bias| Conv3x3::new(set, weights, bias, shape.2));
        // numbers that are not rounded
        for number in case.weights.iter_mut().chain(&mut case.inputs) {
            *number = (*number * 32.0).round() / 32.0;
        }
        let bias = case.convolution.bias().to_vec();
        case.convolution = Conv3x3::with_precision(set, Precision::Bfloat16, &case.weights, &bias[..shape.3], shape.2);
        for (pre, tolerance) in [(None, 1e-4), (Some(Activation::Relu), 0.1), (Some(Activation::Mish), 0.1)] {
            let options = case.options(pre, Accumulate::Add, Activation::Mish);
            case.assert_near(&options, tolerance, &format!("{set} {pre:?}"));
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
                    Conv3x3::with_precision(set, Precision::Int16, weights, bias, shape.2)
                });
                case.found(&case.options(Some(Activation::Relu), Accumulate::Add, Activation::Mish))
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
        let convolution = Conv3x3::with_precision(set, Precision::Int16, &weights, &[0.0; 16], inputs);
        let layout = BoardLayout { width: 19, height: 19 };
        let mut from = vec![0.0; layout.cells() * inputs];
        layout.rows().for_each(|row| from[row.start * inputs..row.end * inputs].fill(3.0));
        let mut to = vec![0.0; layout.cells() * outputs];
        let options = ConvolutionOptions {
            pre: None,
            bias: &[0.0; 16],
            accumulate: Accumulate::Overwrite,
            activation: Activation::Identity,
        };
        convolution.apply_with(layout, &from, &mut to, &options, &mut ConvScratch::default());
        let center = to[layout.cell(9, 9) * outputs];
        assert!((center / (9.0 * 3.0 * 256.0) - 1.0).abs() < 1e-3, "{name}: {center}");
    }
}
