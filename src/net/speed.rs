//! The speed of convolutions, measured by a test that prints it.
//!
//! `cargo test --release --lib net::speed -- --ignored --nocapture` prints how often a second a residual net of 30
//! convolutions of 192 channels, 3x3 or 1x1, could be evaluated, and the share of the processor's peak, the
//! multiplications that it does in a loop without memory accesses. Times are the sum over the layers of the shortest
//! time of each, so that other load on the machine disturbs less.

#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Instant;

use crate::net::convolution::{Accumulate, Activation, BoardLayout, Conv3x3, ConvScratch, ConvolutionOptions};
use crate::net::gemm::ALIGN;
use crate::net::packed_gemm::Line;
use crate::net::pointwise::QuantizedMatrix;
use crate::net::precision::Precision;
use crate::net::quantized::QuantizedScratch;
use crate::net::simd::{InstructionSet, IntegerKernel, Integers, SimdKernel, Vector};

const CHANNELS: usize = 192;
const LAYERS: usize = 30;

/// Rounds of the loops that measure the peak.
const ROUNDS: usize = 40_000;

/// Sums in registers.
const SUMS: usize = 12;

struct Peak;

impl SimdKernel for Peak {
    type Output = f64;
    #[inline(always)]
    fn run<V: Vector>(self) -> f64 {
        let factor = V::splat(black_box(0.5));
        let mut sums = [factor; SUMS];
        let start = Instant::now();
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum = sum.mul_add(factor, factor);
            }
        }
        let time = start.elapsed().as_secs_f64();
        black_box(sums.into_iter().fold(factor, V::add).reduce_max());
        (ROUNDS * SUMS * V::LANES) as f64 / time
    }
}

impl IntegerKernel for Peak {
    type Output = f64;
    #[inline(always)]
    fn run<I: Integers>(self) -> f64 {
        let factor = I::splat(black_box(1));
        let mut sums = [factor; SUMS];
        let start = Instant::now();
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum = sum.add_dot_pairs(*sum, factor);
            }
        }
        let time = start.elapsed().as_secs_f64();
        for sum in sums {
            black_box(sum.to_float().reduce_max());
        }
        (ROUNDS * SUMS * 2 * I::Float::LANES) as f64 / time
    }
}

/// A convolution.
enum Layer {
    Conv3x3(Conv3x3),
    /// 1x1.
    Pointwise(QuantizedMatrix),
}

/// The buffers of layers.
#[derive(Default)]
struct Scratch {
    conv: ConvScratch,
    quantized: QuantizedScratch,
}

impl Layer {
    fn new(set: InstructionSet, precision: Precision, side: usize) -> Layer {
        let weights: Vec<f32> =
            (0..side * side * CHANNELS * CHANNELS).map(|_| (fastrand::f32() - 0.5) * 0.05).collect();
        match side {
            3 => Layer::Conv3x3(Conv3x3::with_precision(set, precision, &weights, &[0.0; CHANNELS], CHANNELS)),
            _ => Layer::Pointwise(QuantizedMatrix::new(set, &weights, CHANNELS)),
        }
    }

    fn apply(
        &self,
        layout: BoardLayout,
        from: &[f32],
        to: &mut [f32],
        options: &ConvolutionOptions<'_>,
        scratch: &mut Scratch,
    ) {
        match self {
            Layer::Conv3x3(layer) => layer.apply_with(layout, from, to, options, &mut scratch.conv),
            Layer::Pointwise(matrix) => matrix.convolve(layout, from, to, options, &mut scratch.quantized),
        }
    }

    /// Multiplications for each pair of input and output channel, for a batch.
    fn multiplications(&self, layout: BoardLayout, boards: usize) -> usize {
        match self {
            Layer::Conv3x3(layer) => layer.multiplications(layout, boards),
            Layer::Pointwise(_) => layout.width * layout.height * boards,
        }
    }
}

/// Seconds for one batch through all layers.
fn seconds(layers: &[Layer], layout: BoardLayout, boards: usize, rounds: usize) -> f64 {
    let (mut from, mut to) = (Vec::new(), Vec::new());
    let length = boards * layout.cells() * CHANNELS;
    let (mut from, mut to) = (aligned(&mut from, length), aligned(&mut to, length));
    let points: Vec<usize> = layout.rows().flatten().collect();
    for (board, cell) in (0..boards).flat_map(|board| points.iter().map(move |cell| (board, cell))) {
        let start = (board * layout.cells() + cell) * CHANNELS;
        from[start..start + CHANNELS].fill_with(fastrand::f32);
    }
    let bias = vec![0.0; boards * CHANNELS];
    let (scale, shift) = (vec![0.5; CHANNELS], vec![-0.1; CHANNELS]);
    let mut scratch = Scratch::default();
    let mut shortest = vec![f64::INFINITY; layers.len()];
    for _ in 0..rounds {
        for (number, (layer, shortest)) in layers.iter().zip(&mut shortest).enumerate() {
            let start = Instant::now();
            let options = ConvolutionOptions {
                pre: (number % 2 == 0).then_some((&scale, &shift, Activation::Relu)),
                bias: &bias,
                accumulate: if number % 2 == 1 { Accumulate::Add } else { Accumulate::Overwrite },
                activation: if number % 2 == 0 { Activation::Relu } else { Activation::Identity },
            };
            layer.apply(layout, from, to, &options, &mut scratch);
            *shortest = shortest.min(start.elapsed().as_secs_f64());
            (from, to) = (to, from);
        }
    }
    shortest.into_iter().sum()
}

#[test]
#[ignore = "a measurement"]
fn evaluations_a_second() {
    let set = InstructionSet::best();
    for (precision, filter) in [(Precision::F32, 3), (Precision::Int16, 3), (Precision::Int16, 1)] {
        let layers: Vec<Layer> = (0..LAYERS).map(|_| Layer::new(set, precision, filter)).collect();
        for (threads, side, boards) in
            [1, 2].iter().flat_map(|t| [19, 9].iter().flat_map(move |s| [1, 2, 4, 8].map(|boards| (*t, *s, boards))))
        {
            let layout = BoardLayout { width: side, height: side };
            let peaks = (0..50).map(|_| match precision {
                Precision::F32 => set.run(Peak),
                _ => set.run_integer(Peak),
            });
            let peak = peaks.fold(0.0, f64::max);
            let rounds = 80 / boards;
            let time = std::thread::scope(|scope| {
                let run = || seconds(&layers, layout, boards, rounds);
                let threads: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).fold(0.0, f64::max)
            });
            let products = layers[0].multiplications(layout, boards) * CHANNELS * CHANNELS * LAYERS;
            println!(
                "{filter}x{filter} {precision:?} {set} {side}x{side} batch {boards} threads {threads}: {:.1} evaluations/s, {:.0}% of {:.0} GMAC/s",
                (threads * boards) as f64 / time,
                100.0 * products as f64 / time / peak,
                peak / 1e9,
            );
        }
    }
}

/// The part of `memory` of a length that begins with a cache line; `memory` grows if it has to, by zeros.
fn aligned(memory: &mut Vec<f32>, length: usize) -> &mut [f32] {
    memory.resize(memory.len().max(length + ALIGN), 0.0);
    let start = memory.as_ptr().align_offset(size_of::<Line<f32>>());
    memory.get_mut(start..start + length).unwrap_or_default()
}
