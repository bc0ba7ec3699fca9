//! Winograd's minimal filtering for 3x3 filters and tiles of 2x2, 3x3 and 4x4 outputs. A tile takes 16, 25 or 36
//! multiplications for a pair of input and output channel, where the definition takes 36, 81 or 144.
//!
//! Input tiles are transformed and multiplied with transformed filters, as 16, 25 or 36 matrix products; the products
//! are transformed to output tiles. Sources: S. Winograd, "Arithmetic Complexity of Computations", 1980; A. Lavin and S.
//! Gray, "Fast Algorithms for Convolutional Neural Networks", 2015, whose matrices are used for tiles of 2x2 and 4x4.

use std::array::from_fn;
use std::marker::PhantomData;

use crate::net::activation::Activation;
use crate::net::board_layout::Tiling;
use crate::net::packed_gemm::{LINE_WORDS, Line};
use crate::net::simd::{SimdKernel, Vector};

/// Repeats a block for each number from 0 to 5 below a constant. The compiler does not unroll a loop over so many vectors,
/// and without that it checks the length of each slice again.
macro_rules! unrolled {
    ($index:ident in 0..$end:ident $block:block) => {
        unrolled!($index $end $block 0 1 2 3 4 5)
    };
    ($index:ident $end:ident $block:block $($number:literal)*) => {
        $({
            const $index: usize = $number;
            if $index < $end $block
        })*
    };
}
pub(super) use unrolled;

/// A form of the algorithm for tiles of side `T` with patches of side `P`, a margin of one around them.
pub(super) trait WinogradForm<const T: usize, const P: usize> {
    /// The filter transform G: a 3x3 filter g becomes G g G^T.
    const FILTER: [[f64; 3]; P];
    /// The input transform B^T of a row or column.
    fn input<V: Vector>(numbers: [V; P]) -> [V; P];
    /// As `input`, with the same result on every instruction set: every factor is a power of two or
    /// the negative of one, so that a product is exact and a fused operation rounds like multiplication and addition.
    #[inline(always)]
    fn exact_input<V: Vector>(numbers: [V; P]) -> [V; P] {
        Self::input(numbers)
    }
    /// The output transform A^T of a row or column; every factor is a power of two.
    fn output<V: Vector>(numbers: [V; P]) -> [V; T];
}

/// F(4x4, 3x3).
pub(super) struct F4;

impl WinogradForm<4, 6> for F4 {
    const FILTER: [[f64; 3]; 6] = [
        [0.25, 0.0, 0.0],
        [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
        [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
        [0.0, 0.0, 1.0],
    ];

    #[inline(always)]
    fn input<V: Vector>([a, b, c, d, e, f]: [V; 6]) -> [V; 6] {
        let (two, four) = (V::splat(2.0), V::splat(4.0));
        let (minus_four, minus_five) = (V::splat(-4.0), V::splat(-5.0));
        let (even, odd) = (minus_four.mul_add(c, e), minus_four.mul_add(b, d));
        let (even2, odd2) = (e.sub(c), d.sub(b));
        [
            four.mul_add(a, minus_five.mul_add(c, e)),
            even.add(odd),
            even.sub(odd),
            two.mul_add(odd2, even2),
            V::splat(-2.0).mul_add(odd2, even2),
            four.mul_add(b, minus_five.mul_add(d, f)),
        ]
    }

    #[inline(always)]
    fn exact_input<V: Vector>([a, b, c, d, e, f]: [V; 6]) -> [V; 6] {
        let (two, four) = (V::splat(2.0), V::splat(4.0));
        let (minus_two, minus_four) = (V::splat(-2.0), V::splat(-4.0));
        let (even, odd) = (minus_four.mul_add(c, e), minus_four.mul_add(b, d));
        let (even2, odd2) = (e.sub(c), d.sub(b));
        [
            four.mul_add(a.sub(c), even2),
            even.add(odd),
            even.sub(odd),
            two.mul_add(odd2, even2),
            minus_two.mul_add(odd2, even2),
            minus_four.mul_add(odd2, f.sub(d)),
        ]
    }

    #[inline(always)]
    fn output<V: Vector>([a, b, c, d, e, f]: [V; 6]) -> [V; 4] {
        let (two, four, eight) = (V::splat(2.0), V::splat(4.0), V::splat(8.0));
        let (even, odd) = (b.add(c), b.sub(c));
        let (even2, odd2) = (d.add(e), d.sub(e));
        [a.add(even).add(even2), two.mul_add(odd2, odd), four.mul_add(even2, even), eight.mul_add(odd2, odd).add(f)]
    }
}

/// F(3x3, 3x3), by interpolation at 0, 1, -1, 2 and infinity.
pub(super) struct F3;

impl WinogradForm<3, 5> for F3 {
    const FILTER: [[f64; 3]; 5] = [
        [0.5, 0.0, 0.0],
        [-0.5, -0.5, -0.5],
        [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
        [1.0 / 6.0, 1.0 / 3.0, 2.0 / 3.0],
        [0.0, 0.0, 1.0],
    ];

    #[inline(always)]
    fn input<V: Vector>([a, b, c, d, e]: [V; 5]) -> [V; 5] {
        let two = V::splat(2.0);
        let (c_to_d, b_to_d) = (d.sub(c), d.sub(b));
        [
            two.mul_add(a.sub(c), b_to_d),
            V::splat(-2.0).mul_add(b, c_to_d),
            two.mul_add(b.sub(c), c_to_d),
            b_to_d,
            V::splat(-2.0).mul_add(b_to_d, e.sub(c)),
        ]
    }

    #[inline(always)]
    fn output<V: Vector>([a, b, c, d, e]: [V; 5]) -> [V; 3] {
        let (sum, difference) = (b.add(c), b.sub(c));
        [a.add(sum).add(d), V::splat(2.0).mul_add(d, difference), V::splat(4.0).mul_add(d, sum).add(e)]
    }
}

/// F(2x2, 3x3).
pub(super) struct F2;

impl WinogradForm<2, 4> for F2 {
    const FILTER: [[f64; 3]; 4] = [[1.0, 0.0, 0.0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0.0, 0.0, 1.0]];

    #[inline(always)]
    fn input<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 4] {
        [a.sub(c), b.add(c), c.sub(b), b.sub(d)]
    }

    #[inline(always)]
    fn output<V: Vector>([a, b, c, d]: [V; 4]) -> [V; 2] {
        [a.add(b).add(c), b.sub(c).sub(d)]
    }
}

/// Filters that are transformed together: their sums stay in the nearest cache.
const FILTER_CHUNK: usize = 256;

/// The filter transforms of 3x3 filters, one for each 9 of `weights`; the transformed weights of an element are
/// adjacent.
pub(super) fn transform_filters<F: WinogradForm<T, P>, const T: usize, const P: usize>(weights: &[f32]) -> Vec<f32> {
    let filters = weights.as_chunks::<9>().0;
    let mut transformed = vec![0.0; filters.len() * P * P];
    for (number, filters_of_chunk) in filters.chunks(FILTER_CHUNK).enumerate() {
        let mut sums = [[0.0; 3]; FILTER_CHUNK];
        for (x, columns) in F::FILTER.iter().enumerate() {
            for (sums, filter) in sums.iter_mut().zip(filters_of_chunk) {
                for (sum, row) in sums.iter_mut().zip(filter.as_chunks::<3>().0) {
                    *sum = columns.iter().zip(row).map(|(column, weight)| column * f64::from(*weight)).sum::<f64>();
                }
            }
            for (y, rows) in F::FILTER.iter().enumerate() {
                let first = (y * P + x) * filters.len() + number * FILTER_CHUNK;
                for (to, sums) in transformed.iter_mut().skip(first).zip(&sums).take(filters_of_chunk.len()) {
                    *to = rows.iter().zip(sums).map(|(row, sum)| row * sum).sum::<f64>() as f32;
                }
            }
        }
    }
    transformed
}

/// Some tiles of a batch.
#[derive(Clone, Copy)]
pub(super) struct Tiles<'a> {
    tiling: &'a Tiling,
    first: usize,
    pub(super) count: usize,
}

impl<'a> Tiles<'a> {
    /// All tiles in chunks of at most `most`, nearly equally large.
    pub(super) fn chunks(tiling: &'a Tiling, most: usize) -> impl Iterator<Item = Tiles<'a>> {
        let all = tiling.boards.len();
        let chunks = all.div_ceil(most.max(1)).max(1);
        (0..chunks).map(move |chunk| {
            let first = chunk * all / chunks;
            Tiles { tiling, first, count: (chunk + 1) * all / chunks - first }
        })
    }

    /// The cells of the patch of a tile.
    #[inline(always)]
    pub(super) fn patch<const P: usize>(self, tile: usize) -> Option<&'a [[u32; P]; P]> {
        let cells = self.tiling.sources.get((self.first + tile) * P * P..)?;
        cells.as_chunks::<P>().0.first_chunk()
    }

    /// The cells of a tile, and its board.
    #[inline(always)]
    fn target<const T: usize>(self, tile: usize) -> Option<(&'a [[u32; T]; T], usize)> {
        let cells = self.tiling.targets.get((self.first + tile) * T * T..)?;
        Some((cells.as_chunks::<T>().0.first_chunk()?, *self.tiling.boards.get(self.first + tile)? as usize))
    }
}

/// The inputs of a batch, channels last, and what is done with them first.
#[derive(Clone, Copy)]
pub(super) struct InputRows<'a> {
    pub(super) inputs: &'a [f32],
    /// Padded channels.
    pub(super) channels: usize,
    /// Scale and shift of each channel, followed by ReLU; what is outside of the board stays 0.
    pub(super) affine: Option<(&'a [f32], &'a [f32])>,
}

/// The channels of each cell of a patch, in blocks of a line.
pub(super) type Patch<'a, const P: usize> = [[&'a [[f32; LINE_WORDS]]; P]; P];

// Loops over arrays instead of `from_fn` and `map`, which the compiler does not always inline: then the vectors would be
// passed in memory. Slices of one known length, so that the loops over channels have no bounds checks.
impl<'a> InputRows<'a> {
    /// The channels of the cells of a patch.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    pub(super) fn patch<const P: usize>(self, cells: &[[u32; P]; P]) -> Option<Patch<'a, P>> {
        let mut patch: Patch<'a, P> = [[&[]; P]; P];
        unrolled!(Y in 0..P {
            for x in 0..P {
                let channels = self.inputs.get(cells[Y][x] as usize * self.channels..)?.get(..self.channels)?;
                patch[Y][x] = channels.as_chunks().0;
            }
        });
        Some(patch)
    }

    /// Transforms the rows of a patch, for the vector of channels from `lane` of a block. Cells outside of the board
    /// are 0.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    pub(super) fn rows<
        V: Vector,
        F: WinogradForm<T, P>,
        const T: usize,
        const P: usize,
        const EXACT: bool,
        const AFFINE: bool,
    >(
        self,
        cells: &[[u32; P]; P],
        patch: &Patch<'_, P>,
        block: usize,
        lane: usize,
        rows: &mut [[V; P]; P],
    ) {
        let affine = self.affine::<V>(block * LINE_WORDS + lane);
        unrolled!(Y in 0..P {
            let mut row = [V::splat(0.0); P];
            for x in 0..P {
                // a cell outside of the board is one of the frame, which is 0
                if !AFFINE || cells[Y][x] != 0 {
                    row[x] = self.prepared::<V, AFFINE>(V::load(&patch[Y][x][block][lane..]), affine);
                }
            }
            rows[Y] = if EXACT { F::exact_input(row) } else { F::input(row) };
        });
    }

    /// Scale and shift of the channels from `channel`.
    #[inline(always)]
    pub(super) fn affine<V: Vector>(self, channel: usize) -> (V, V) {
        let Some((scale, shift)) = self.affine else { return (V::splat(1.0), V::splat(0.0)) };
        let (scale, shift) = (scale.get(channel..).unwrap_or_default(), shift.get(channel..).unwrap_or_default());
        (V::load(scale), V::load(shift))
    }

    /// Channels of a point after scale, shift and ReLU.
    #[inline(always)]
    pub(super) fn prepared<V: Vector, const AFFINE: bool>(self, numbers: V, (scale, shift): (V, V)) -> V {
        if AFFINE { numbers.mul(scale).add(shift).max(V::splat(0.0)) } else { numbers }
    }
}

/// A transformed column of a patch whose rows are transformed.
#[inline(always)]
#[allow(clippy::needless_range_loop)]
pub(super) fn column<V: Vector, F: WinogradForm<T, P>, const T: usize, const P: usize, const EXACT: bool>(
    rows: &[[V; P]; P],
    x: usize,
) -> [V; P] {
    let mut column = [V::splat(0.0); P];
    for y in 0..P {
        column[y] = rows[y][x];
    }
    if EXACT { F::exact_input(column) } else { F::input(column) }
}

/// The use of the old contents of outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Accumulate {
    Overwrite,
    /// The sums are added to them: a residual connection.
    Add,
}

/// The outputs of a batch, channels last, and what is done with the sums.
pub(super) struct OutputRows<'a> {
    pub(super) outputs: &'a mut [f32],
    /// Padded channels.
    pub(super) channels: usize,
    /// A bias for each board and channel.
    pub(super) bias: &'a [f32],
    pub(super) accumulate: Accumulate,
    pub(super) activation: Activation,
}

impl OutputRows<'_> {
    /// Transforms products to outputs. Element `k` starts at line `k * stride`.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // by columns
    pub(super) fn transform<V: Vector, F: WinogradForm<T, P>, const T: usize, const P: usize>(
        self,
        tiles: Tiles<'_>,
        products: &[Line<f32>],
        stride: usize,
    ) {
        let OutputRows { outputs, channels, bias, accumulate, activation } = self;
        let (outputs, blocks) = (outputs.as_chunks_mut::<LINE_WORDS>().0, channels / LINE_WORDS);
        let lines = blocks * tiles.count;
        let mut elements: [[&[Line<f32>]; P]; P] = [[&[]; P]; P];
        for y in 0..P {
            for x in 0..P {
                let Some(element) = products.get((y * P + x) * stride..).and_then(|from| from.get(..lines)) else {
                    return;
                };
                elements[y][x] = element;
            }
        }
        let mut sums = [[V::splat(0.0); T]; P];
        for tile in 0..tiles.count {
            let Some((cells, board)) = tiles.target::<T>(tile) else { return };
            let bias = bias.get(board * channels..).unwrap_or_default().as_chunks::<LINE_WORDS>().0;
            for ((block, line), bias) in (tile..lines).step_by(tiles.count).enumerate().zip(bias) {
                for lane in (0..LINE_WORDS).step_by(V::LANES) {
                    let bias = V::load(&bias[lane..]);
                    for y in 0..P {
                        let mut row = [V::splat(0.0); P];
                        for x in 0..P {
                            row[x] = V::load(&elements[y][x][line].0[lane..]);
                        }
                        sums[y] = F::output(row);
                    }
                    for x in 0..T {
                        let mut column = [V::splat(0.0); P];
                        for y in 0..P {
                            column[y] = sums[y][x];
                        }
                        let column = F::output(column);
                        for y in 0..T {
                            let cell = cells[y][x] as usize;
                            if cell == 0 {
                                continue;
                            }
                            let Some(to) = outputs.get_mut(cell * blocks + block) else { return };
                            let mut sum = column[y].add(bias);
                            if accumulate == Accumulate::Add {
                                sum = sum.add(V::load(&to[lane..]));
                            }
                            activation.of(sum).store(&mut to[lane..]);
                        }
                    }
                }
            }
        }
    }
}

/// The lines of an element for transformed patches, or for sums. An odd number: the addresses of the elements of
/// a tile must not fall into the same few places of the cache.
pub(super) fn stride(tiles: usize, channels: usize) -> usize {
    (tiles * channels.div_ceil(LINE_WORDS)) | 1
}

/// The input transform of some tiles, in `f32`. Element `k` starts at line `k * stride`.
pub(super) struct InputTransform<'a, F, const T: usize, const P: usize> {
    pub(super) form: PhantomData<F>,
    pub(super) tiles: Tiles<'a>,
    pub(super) source: InputRows<'a>,
    pub(super) patches: &'a mut [Line<f32>],
    pub(super) stride: usize,
}

impl<const T: usize, const P: usize, F: WinogradForm<T, P>> SimdKernel for InputTransform<'_, F, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        match self.source.affine {
            None => self.transform::<V, false>(),
            Some(_) => self.transform::<V, true>(),
        }
    }
}

impl<const T: usize, const P: usize, F: WinogradForm<T, P>> InputTransform<'_, F, T, P> {
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    fn transform<V: Vector, const AFFINE: bool>(self) {
        let InputTransform { tiles, source, patches, stride, .. } = self;
        let blocks = source.channels / LINE_WORDS;
        let lines = blocks * tiles.count;
        let mut chunks = patches.chunks_exact_mut(stride);
        let mut elements: [[&mut [Line<f32>]; P]; P] = from_fn(|_| from_fn(|_| Default::default()));
        unrolled!(Y in 0..P {
            for x in 0..P {
                let Some(element) = chunks.next().and_then(|to| to.get_mut(..lines)) else { return };
                elements[Y][x] = element;
            }
        });
        let mut rows = [[V::splat(0.0); P]; P];
        for tile in 0..tiles.count {
            let Some(cells) = tiles.patch::<P>(tile) else { return };
            let Some(patch) = source.patch(cells) else { return };
            for (block, line) in (0..blocks).zip((tile..lines).step_by(tiles.count)) {
                for lane in (0..LINE_WORDS).step_by(V::LANES) {
                    source.rows::<V, F, T, P, false, AFFINE>(cells, &patch, block, lane, &mut rows);
                    unrolled!(X in 0..P {
                        let column = column::<V, F, T, P, false>(&rows, X);
                        for y in 0..P {
                            column[y].store(&mut elements[y][X][line].0[lane..]);
                        }
                    });
                }
            }
        }
    }
}

/// The output transform of some tiles. Element `k` starts at line `k * stride`.
pub(super) struct OutputTransform<'a, F, const T: usize, const P: usize> {
    pub(super) form: PhantomData<F>,
    pub(super) tiles: Tiles<'a>,
    pub(super) target: OutputRows<'a>,
    pub(super) products: &'a [Line<f32>],
    pub(super) stride: usize,
}

impl<const T: usize, const P: usize, F: WinogradForm<T, P>> SimdKernel for OutputTransform<'_, F, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        self.target.transform::<V, F, T, P>(self.tiles, self.products, self.stride);
    }
}
