//! 3x3 convolutions by the definition, in bfloat16.
//!
//! The inputs of a board are rounded to rows of bfloat16, a row for each cell. In this layout a row of the board is followed
//! by one cell of the frame, which is also the one before the next row. So the inputs of a tap of the filter for a range
//! of cells are a range of rows, and a convolution is a sum of nine products with no more memory to prepare. Sums are
//! `f32`.

use crate::net::board_layout::BoardLayout;
use crate::net::simd::{
    BF16_COLUMNS, BF16_ROWS, Bf16Gemm, InstructionSet, LINE_WORDS, Line, Pair, SimdKernel, TileSums, Vector, bfloat,
};
use crate::net::winograd::{Accumulate, InputRows, OutputRows};

/// Numbers of a line of bfloat16.
const STEP: usize = 2 * LINE_WORDS;

/// Weights for [`DirectConvolution`].
#[derive(Clone, Debug)]
pub(super) struct DirectWeights {
    /// For each [`BF16_COLUMNS`] outputs, for each tap, for each [`STEP`] inputs the weights of a step of a product.
    lines: Vec<Line<Pair>>,
    /// The steps of a tap.
    steps: usize,
}

impl DirectWeights {
    /// The weights in the order output, input, row, column.
    pub(super) fn new(weights: &[f32], inputs: usize) -> DirectWeights {
        let outputs = weights.len() / (9 * inputs.max(1));
        let steps = inputs.div_ceil(STEP);
        let weight = |output: usize, input: usize, tap: usize| {
            let is_inside = output < outputs && input < inputs;
            let number = weights.get((output * inputs + input) * 9 + tap).filter(|_| is_inside);
            number.copied().map_or(0, bfloat)
        };
        let mut lines = Vec::with_capacity(outputs.div_ceil(BF16_COLUMNS) * 9 * steps * BF16_COLUMNS);
        for first in (0..outputs).step_by(BF16_COLUMNS) {
            for (tap, step) in (0..9).flat_map(|tap| (0..steps).map(move |step| (tap, step))) {
                for pair in 0..LINE_WORDS {
                    let input = step * STEP + 2 * pair;
                    lines.push(Line(std::array::from_fn(|k| {
                        [weight(first + k, input, tap), weight(first + k, input + 1, tap)]
                    })));
                }
            }
        }
        DirectWeights { lines, steps }
    }
}

/// Buffers of a convolution.
#[derive(Debug)]
pub(super) struct DirectScratch {
    rows: Vec<Line<Pair>>,
    starts: Vec<usize>,
    sums: Box<TileSums>,
}

impl Default for DirectScratch {
    fn default() -> DirectScratch {
        DirectScratch { rows: Vec::new(), starts: Vec::new(), sums: Box::new([Line([0.0; LINE_WORDS]); _]) }
    }
}

/// A convolution of a batch of boards.
pub(super) struct DirectConvolution<'a> {
    pub(super) set: InstructionSet,
    pub(super) weights: &'a DirectWeights,
    pub(super) layout: BoardLayout,
    pub(super) boards: usize,
    pub(super) source: InputRows<'a>,
    pub(super) target: OutputRows<'a>,
    pub(super) scratch: &'a mut DirectScratch,
}

impl SimdKernel for DirectConvolution<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let DirectConvolution { set, weights, layout, boards, source, mut target, scratch } = self;
        let steps = weights.steps;
        let layout = Bf16RowLayout { layout, steps };
        scratch.rows.resize((boards * layout.lines()).max(scratch.rows.len()), Line([[0; 2]; LINE_WORDS]));
        for (board, rows) in scratch.rows.chunks_exact_mut(layout.lines()).take(boards).enumerate() {
            match source.affine {
                None => layout.write::<V, false>(source, board, rows),
                Some(_) => layout.write::<V, true>(source, board, rows),
            }
        }
        let taps = (0..3).flat_map(|y| (0..3).map(move |x| y * layout.row() + x));
        scratch.starts.clear();
        scratch.starts.extend(taps.flat_map(|cell| cell * steps..(cell + 1) * steps));
        for (panel, weights) in weights.lines.chunks_exact(9 * steps * BF16_COLUMNS).enumerate() {
            for (board, rows) in scratch.rows.chunks_exact(layout.lines()).take(boards).enumerate() {
                for first in (0..layout.sums()).step_by(BF16_ROWS) {
                    let rows = rows.get(first * steps..).unwrap_or_default();
                    let gemm = Bf16Gemm { rows, stride: steps, starts: &scratch.starts, weights };
                    set.multiply_bf16(&gemm, &mut scratch.sums);
                    layout.finish::<V>(&mut target, board, first, panel * BF16_COLUMNS, &scratch.sums);
                }
            }
        }
    }
}

/// The rows of a board.
#[derive(Clone, Copy)]
struct Bf16RowLayout {
    layout: BoardLayout,
    /// Lines of a row.
    steps: usize,
}

impl Bf16RowLayout {
    /// Cells of a row of the board, with one cell of the frame.
    fn row(self) -> usize {
        self.layout.width + 1
    }

    /// Sums from the first point to the last, those of the frame between them included.
    fn sums(self) -> usize {
        self.row() * self.layout.height - 1
    }

    /// Lines of a board: those of the last product's last tap end it.
    fn lines(self) -> usize {
        (self.sums().next_multiple_of(BF16_ROWS) + 2 * self.row() + 2) * self.steps
    }

    /// Writes the inputs of a board, with zeros in the frame. What follows the last row of the frame is not written: only
    /// sums that are not used read it.
    #[inline(always)]
    fn write<V: Vector, const AFFINE: bool>(self, source: InputRows<'_>, board: usize, rows: &mut [Line<Pair>]) {
        let Bf16RowLayout { layout, steps } = self;
        let zero = Line([[0; 2]; LINE_WORDS]);
        let (frame, cells) = rows.split_at_mut((self.row() + 1) * steps);
        frame.fill(zero);
        for (row, from) in cells.chunks_mut(self.row() * steps).zip(layout.rows()) {
            for (cell, to) in from.zip(row.chunks_exact_mut(steps)) {
                let first = (board * layout.cells() + cell) * source.channels;
                for (step, line) in to.iter_mut().enumerate() {
                    let mut numbers = [0.0; STEP];
                    for channel in (0..STEP).step_by(V::LANES) {
                        let number = step * STEP + channel;
                        if number < source.channels {
                            let from = V::load(source.inputs.get(first + number..).unwrap_or_default());
                            let prepared = source.prepared::<V, AFFINE>(from, source.affine(number));
                            prepared.store(&mut numbers[channel..]);
                        }
                    }
                    let Some(to) = line.0.as_flattened_mut().first_chunk_mut::<STEP>() else { return };
                    for k in 0..STEP {
                        to[k] = bfloat(numbers[k]);
                    }
                }
            }
            row.get_mut(layout.width * steps..).unwrap_or_default().fill(zero);
        }
        let below = cells.get_mut(self.row() * layout.height * steps..).unwrap_or_default();
        below.iter_mut().take(self.row() * steps).for_each(|line| *line = zero);
    }

    /// Writes the outputs from `channel` of the sums from `first`.
    #[inline(always)]
    fn finish<V: Vector>(
        self,
        target: &mut OutputRows<'_>,
        board: usize,
        first: usize,
        channel: usize,
        sums: &TileSums,
    ) {
        let layout = self.layout;
        let channels = channel..target.channels.min(channel + BF16_COLUMNS);
        let bias = target.bias.get(board * target.channels + channels.start..).unwrap_or_default();
        let (mut y, mut x) = (first / self.row(), first % self.row());
        for sums in sums {
            if x == layout.width {
                (y, x) = (y + 1, 0);
                continue;
            }
            if y == layout.height {
                return;
            }
            let cell = board * layout.cells() + layout.cell(x, y);
            let to = target.outputs.get_mut(cell * target.channels + channels.start..).unwrap_or_default();
            for channel in (0..channels.len()).step_by(V::LANES) {
                let mut sum = V::load(&sums.0[channel..]).add(V::load(&bias[channel..]));
                if target.accumulate == Accumulate::Add {
                    sum = sum.add(V::load(&to[channel..]));
                }
                target.activation.of(sum).store(&mut to[channel..]);
            }
            x += 1;
        }
    }
}
