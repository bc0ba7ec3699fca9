//! 3x3 convolutions by Winograd's minimal filtering F(4x4, 3x3): 36 multiplications for a tile of 4x4 outputs and a
//! pair of input and output channel, where the definition takes 144.
//!
//! Input tiles are transformed and multiplied with transformed filters, as 36 matrix products; the products are
//! transformed to output tiles. Sources: S. Winograd, "Arithmetic Complexity of Computations", 1980; A. Lavin and S.
//! Gray, "Fast Algorithms for Convolutional Neural Networks", 2015, whose matrices are used.

use std::array::from_fn;

use crate::net::product::{Matrix, Product, padded};
use crate::net::simd::{InstructionSet, SimdKernel, Vector};

/// Side of an output tile, in points.
const TILE: usize = 4;

/// Side of an input tile: the output tile and a margin of one.
const PATCH: usize = TILE + 2;

/// Products per tile and pair of channels.
const PRODUCTS: usize = PATCH * PATCH;

/// Tiles per pass, so that their data stays in the cache.
const TILES_PER_PASS: usize = 64;

/// The filter transform G: a 3x3 filter g becomes G g G^T.
const FILTER: [[f64; 3]; PATCH] = [
    [0.25, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// The memory layout of a board: row by row with a frame of zeros, one cell wide above and on the left, and below and
/// on the right as wide as the input of the last tile requires.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Grid {
    pub(super) width: usize,
    pub(super) height: usize,
}

impl Grid {
    fn across(self) -> usize {
        self.width.div_ceil(TILE)
    }

    fn down(self) -> usize {
        self.height.div_ceil(TILE)
    }

    fn tiles(self) -> usize {
        self.across() * self.down()
    }

    fn row(self) -> usize {
        self.across() * TILE + 2
    }

    /// The number of cells, frame included.
    pub(super) fn cells(self) -> usize {
        self.row() * (self.down() * TILE + 2)
    }

    /// The cell of a point; `x` and `y` from 0.
    pub(super) fn cell(self, x: usize, y: usize) -> usize {
        (y + 1) * self.row() + x + 1
    }

    /// The cells of each row of the board, without the frame.
    pub(super) fn rows(self) -> impl Iterator<Item = std::ops::Range<usize>> {
        (0..self.height).map(move |y| self.cell(0, y)..self.cell(self.width, y))
    }
}

/// A 3x3 convolution with transformed weights.
#[derive(Clone, Debug)]
pub(super) struct Convolution {
    /// One matrix for each of the 36 products.
    matrices: Vec<Matrix>,
    bias: Vec<f32>,
    inputs: usize,
    /// Whether ReLU is applied at the end.
    is_relu: bool,
    set: InstructionSet,
}

impl Convolution {
    /// `weights` in the order output, input, row, column.
    pub(super) fn new(set: InstructionSet, weights: &[f32], bias: &[f32], inputs: usize) -> Convolution {
        let filters: Vec<[f32; PRODUCTS]> = weights.chunks_exact(9).map(transform_filter).collect();
        let weight = |product: usize, input: usize, output: usize| {
            filters.get(output * inputs + input).and_then(|filter| filter.get(product)).copied().unwrap_or_default()
        };
        let matrix = |product| Matrix::new(set, inputs, bias.len(), |input, output| weight(product, input, output));
        let mut padded_bias = bias.to_vec();
        padded_bias.resize(padded(bias.len()), 0.0);
        Convolution { matrices: (0..PRODUCTS).map(matrix).collect(), bias: padded_bias, inputs, is_relu: true, set }
    }

    /// The same convolution without ReLU at the end.
    pub(super) fn linear(mut self) -> Convolution {
        self.is_relu = false;
        self
    }

    /// The bias of each output channel.
    pub(super) fn bias(&self) -> &[f32] {
        &self.bias
    }

    /// Convolves a batch of boards, adds `bias` (one row per board) and, if `is_residual`, the old contents of
    /// `outputs`, then applies ReLU unless the convolution is linear.
    pub(super) fn apply(
        &self,
        grid: Grid,
        inputs: &[f32],
        outputs: &mut [f32],
        bias: &[f32],
        is_residual: bool,
        scratch: &mut ConvScratch,
    ) {
        let (from, to) = (grid.cells() * padded(self.inputs), grid.cells() * self.bias.len());
        let boards_per_pass = (TILES_PER_PASS / grid.tiles()).max(1);
        let boards = inputs.chunks(from * boards_per_pass).zip(outputs.chunks_mut(to * boards_per_pass));
        for ((inputs, outputs), bias) in boards.zip(bias.chunks(self.bias.len() * boards_per_pass)) {
            let tiles = inputs.len() / from * grid.tiles();
            let (patches, products) = scratch.for_tiles(tiles, padded(self.inputs), self.bias.len());
            self.set.run(InputTransform { grid, inputs, channels: padded(self.inputs), patches: &mut *patches });
            let each = patches.chunks_exact(tiles * padded(self.inputs));
            for ((matrix, from), to) in
                self.matrices.iter().zip(each).zip(products.chunks_exact_mut(tiles * self.bias.len()))
            {
                self.set.run(Product { matrix, inputs: from, stride: padded(self.inputs), outputs: to });
            }
            let (channels, is_relu) = (self.bias.len(), self.is_relu);
            self.set.run(OutputTransform { grid, products, channels, bias, is_residual, is_relu, outputs });
        }
    }
}

/// The filter transform of a 3x3 filter.
fn transform_filter(filter: &[f32]) -> [f32; PRODUCTS] {
    let at = |y: usize, x: usize| f64::from(filter.get(3 * y + x).copied().unwrap_or_default());
    from_fn(|product| {
        let (rows, columns) = (&FILTER[product / PATCH], &FILTER[product % PATCH]);
        let sum = |y: usize| columns.iter().enumerate().map(|(x, column)| column * at(y, x)).sum::<f64>();
        rows.iter().enumerate().map(|(y, row)| row * sum(y)).sum::<f64>() as f32
    })
}

/// Buffers for transformed tiles and their products.
#[derive(Debug, Default)]
pub(super) struct ConvScratch {
    patches: Vec<f32>,
    products: Vec<f32>,
}

impl ConvScratch {
    fn for_tiles(&mut self, tiles: usize, inputs: usize, outputs: usize) -> (&mut [f32], &mut [f32]) {
        let grow = |buffer: &mut Vec<f32>, length: usize| {
            if buffer.len() < length {
                buffer.resize(length, 0.0);
            }
        };
        let (patches, products) = (tiles * inputs * PRODUCTS, tiles * outputs * PRODUCTS);
        grow(&mut self.patches, patches);
        grow(&mut self.products, products);
        (self.patches.get_mut(..patches).unwrap_or_default(), self.products.get_mut(..products).unwrap_or_default())
    }
}

/// The input transform of all tiles.
struct InputTransform<'a> {
    grid: Grid,
    inputs: &'a [f32],
    channels: usize,
    patches: &'a mut [f32],
}

impl SimdKernel for InputTransform<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // by columns
    fn run<V: Vector>(self) {
        let InputTransform { grid, inputs, channels, patches } = self;
        let stride = patches.len() / PRODUCTS;
        let row = grid.row() * channels;
        let boards = inputs.chunks_exact(grid.cells() * channels);
        let corners = boards.flat_map(|board| {
            let corner =
                move |tile: usize| (tile / grid.across() * TILE * row) + tile % grid.across() * TILE * channels;
            (0..grid.tiles()).map(move |tile| board.get(corner(tile)..).unwrap_or_default())
        });
        for (tile, patch) in corners.enumerate() {
            for channel in (0..channels).step_by(V::LANES) {
                let cells: [[V; PATCH]; PATCH] = from_fn(|y| {
                    transform_input(from_fn(|x| {
                        V::load(patch.get(y * row + x * channels + channel..).unwrap_or_default())
                    }))
                });
                for x in 0..PATCH {
                    let column = transform_input(from_fn(|y| cells[y][x]));
                    for (y, vector) in column.into_iter().enumerate() {
                        let place = (y * PATCH + x) * stride + tile * channels + channel;
                        vector.store(patches.get_mut(place..).unwrap_or_default());
                    }
                }
            }
        }
    }
}

/// The input transform B^T of a row or column.
#[inline(always)]
fn transform_input<V: Vector>([a, b, c, d, e, f]: [V; PATCH]) -> [V; PATCH] {
    let [two, four, minus_five] = [2.0, 4.0, -5.0].map(V::splat);
    let minus_four = V::splat(-4.0);
    let (even, odd) = (minus_four.times_plus(c, e), minus_four.times_plus(b, d));
    let (even2, odd2) = (e.minus(c), d.minus(b));
    [
        four.times_plus(a, minus_five.times_plus(c, e)),
        even.plus(odd),
        even.minus(odd),
        two.times_plus(odd2, even2),
        V::splat(-2.0).times_plus(odd2, even2),
        four.times_plus(b, minus_five.times_plus(d, f)),
    ]
}

/// The output transform of all tiles, with bias, residual and ReLU.
struct OutputTransform<'a> {
    grid: Grid,
    products: &'a [f32],
    channels: usize,
    bias: &'a [f32],
    is_residual: bool,
    is_relu: bool,
    outputs: &'a mut [f32],
}

impl SimdKernel for OutputTransform<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(clippy::needless_range_loop)] // by columns
    fn run<V: Vector>(self) {
        let OutputTransform { grid, products, channels, bias, is_residual, is_relu, outputs } = self;
        let floor = V::splat(if is_relu { 0.0 } else { f32::NEG_INFINITY });
        let stride = products.len() / PRODUCTS;
        let boards = outputs.chunks_exact_mut(grid.cells() * channels).zip(bias.chunks_exact(channels));
        for (number, (board, bias)) in boards.enumerate() {
            for tile in 0..grid.tiles() {
                let (left, top) = (tile % grid.across() * TILE, tile / grid.across() * TILE);
                let (wide, high) = (TILE.min(grid.width - left), TILE.min(grid.height - top));
                let start = (number * grid.tiles() + tile) * channels;
                for channel in (0..channels).step_by(V::LANES) {
                    let bias = V::load(bias.get(channel..).unwrap_or_default());
                    let sums: [[V; TILE]; PATCH] = from_fn(|y| {
                        let place = |x| (y * PATCH + x) * stride + start + channel;
                        transform_output(from_fn(|x| V::load(products.get(place(x)..).unwrap_or_default())))
                    });
                    for x in 0..TILE {
                        let column = transform_output(from_fn(|y| sums[y][x]));
                        for (y, sum) in column.into_iter().enumerate() {
                            if x >= wide || y >= high {
                                continue;
                            }
                            let place = grid.cell(left + x, top + y) * channels + channel;
                            let to = board.get_mut(place..).unwrap_or_default();
                            let mut sum = sum.plus(bias);
                            if is_residual {
                                sum = sum.plus(V::load(to));
                            }
                            sum.max(floor).store(to);
                        }
                    }
                }
            }
        }
    }
}

/// The output transform A^T of a row or column.
#[inline(always)]
fn transform_output<V: Vector>([a, b, c, d, e, f]: [V; PATCH]) -> [V; TILE] {
    let [two, four, eight] = [2.0, 4.0, 8.0].map(V::splat);
    let (even, odd) = (b.plus(c), b.minus(c));
    let (even2, odd2) = (d.plus(e), d.minus(e));
    [
        a.plus(even).plus(even2),
        two.times_plus(odd2, odd),
        four.times_plus(even2, even),
        eight.times_plus(odd2, odd).plus(f),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]
    use super::*;

    #[test]
    fn winograd_agrees_with_the_definition() {
        let mut random = fastrand::Rng::with_seed(7);
        for set in InstructionSet::available() {
            for (width, height, inputs, outputs) in
                [(1, 1, 1, 1), (2, 3, 20, 16), (9, 9, 20, 64), (13, 7, 18, 40), (19, 19, 64, 64)]
            {
                let boards = 3;
                let grid = Grid { width, height };
                let mut number = || random.f32() - 0.5;
                let weights: Vec<f32> = (0..outputs * inputs * 9).map(|_| number()).collect();
                let bias: Vec<f32> = (0..outputs).map(|_| number()).collect();
                let convolution = Convolution::new(set, &weights, &bias, inputs);
                let (from_row, to_row) = (padded(inputs), padded(outputs));
                let mut from = vec![0.0; boards * grid.cells() * from_row];
                let mut to = vec![0.0; boards * grid.cells() * to_row];
                let mut expected = to.clone();
                let mut biases = Vec::new();
                for board in 0..boards {
                    for cell in grid.rows().flatten() {
                        (0..inputs).for_each(|k| from[(board * grid.cells() + cell) * from_row + k] = number());
                        (0..outputs).for_each(|k| to[(board * grid.cells() + cell) * to_row + k] = number());
                    }
                    let shift = |channel| if channel < outputs { board as f32 } else { 0.0 };
                    biases.extend(convolution.bias().iter().enumerate().map(|(k, bias)| bias + shift(k)));
                }
                for board in 0..boards {
                    for cell in grid.rows().flatten() {
                        for output in 0..outputs {
                            let mut sum = f64::from(biases[board * to_row + output]);
                            for (y, x) in (0..9).map(|k| (k / 3, k % 3)) {
                                let near = board * grid.cells() + cell + y * grid.row() + x - grid.row() - 1;
                                for input in 0..inputs {
                                    let weight = weights[(output * inputs + input) * 9 + 3 * y + x];
                                    sum += f64::from(weight) * f64::from(from[near * from_row + input]);
                                }
                            }
                            let place = (board * grid.cells() + cell) * to_row + output;
                            expected[place] = (sum + f64::from(to[place])).max(0.0) as f32;
                        }
                    }
                }
                convolution.apply(grid, &from, &mut to, &biases, true, &mut ConvScratch::default());
                for (place, (found, expected)) in to.iter().zip(&expected).enumerate() {
                    assert!((found - expected).abs() < 1e-4, "{set} {width}x{height} at {place}: {found} {expected}");
                }
            }
        }
    }
}
