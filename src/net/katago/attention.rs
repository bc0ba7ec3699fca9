//! Transformer blocks: attention, in which each point sums values of all points, and gated feed-forward layers.
//!
//! The weight of a value is the softmax of the dot products of the point's query with the keys of all points.
//!
//! Sources: A. Vaswani and others, "Attention Is All You Need", 2017; N. Shazeer, "GLU Variants Improve Transformer",
//! 2020, for the gate; B. Zhang and R. Sennrich, "Root Mean Square Layer Normalization", 2019; J. Su and others,
//! "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021; KataGo's `neuralnet/desc.cpp` for its angles.

use std::num::NonZero;
use std::sync::{Arc, Mutex, PoisonError};

use crate::net::activation::exponential;
use crate::net::board_layout::BoardLayout;
use crate::net::gemm::{ALIGN, RowsGemm, padded};
use crate::net::katago::activation::Activation;
use crate::net::katago::buffers::{Batch, Boards, Scratch};
use crate::net::katago::layer_desc;
use crate::net::katago::layers::{Backend, PointLinear, pad};
use crate::net::katago::model_desc::{self, RotaryEmbedding};
use crate::net::layers::AddRows;
use crate::net::simd::{InstructionSet, SimdKernel, Vector};

/// A norm: the root mean square of the channels of a point becomes 1; then scale, shift and activation.
#[derive(Debug)]
pub(super) struct RmsNorm {
    channels: usize,
    epsilon: f32,
    /// Whether the mean is over the whole board.
    is_spatial: bool,
    /// Padded, as is the shift.
    scale: Vec<f32>,
    shift: Vec<f32>,
    activation: Activation,
    set: InstructionSet,
}

impl RmsNorm {
    pub(super) fn new(set: InstructionSet, norm: model_desc::RmsNormDesc) -> RmsNorm {
        let model_desc::RmsNormDesc { scale, shift, epsilon, is_spatial, activation } = norm;
        RmsNorm { channels: scale.len(), epsilon, is_spatial, scale: pad(scale), shift: pad(shift), activation, set }
    }

    /// Normalises every point of a batch.
    pub(super) fn apply_in_place(&self, boards: &mut Boards, batch: Batch) {
        let row = boards.row;
        for board in boards.values_mut().chunks_exact_mut(batch.layout.cells() * row) {
            let spatial = self.is_spatial.then(|| {
                let rows = batch.layout.rows().map(|cells| {
                    self.set.run(Squares(board.get(cells.start * row..cells.end * row).unwrap_or_default()))
                });
                self.factor(rows.sum(), batch.area())
            });
            for cells in batch.layout.rows() {
                let points = board.get_mut(cells.start * row..cells.end * row).unwrap_or_default();
                self.set.run(Normalize { norm: self, points, factor: spatial });
            }
        }
    }

    /// The normalised points of a batch without frames, in a buffer to be freed by the caller.
    fn apply(&self, boards: &Boards, scratch: &mut Scratch) -> Vec<f32> {
        let batch = scratch.batch;
        let row = boards.row;
        let mut points = scratch.flat(batch.boards * batch.area() * row);
        let rows = boards.values().chunks_exact(batch.layout.cells() * row).flat_map(|board| {
            batch.layout.rows().map(move |cells| board.get(cells.start * row..cells.end * row).unwrap_or_default())
        });
        for (to, from) in points.chunks_exact_mut(batch.layout.width * row).zip(rows) {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            self.set.run(Normalize { norm: self, points: to, factor: None });
        }
        points
    }

    /// One over the root mean square, from the sum of the squares of all channels of `points` points.
    fn factor(&self, squares: f32, points: usize) -> f32 {
        1.0 / (squares / (points * self.channels) as f32 + self.epsilon).sqrt()
    }
}

/// Normalises points, in place.
struct Normalize<'a> {
    norm: &'a RmsNorm,
    points: &'a mut [f32],
    /// Instead of the factor of each point.
    factor: Option<f32>,
}

impl SimdKernel for Normalize<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let Normalize { norm, points, factor } = self;
        for point in points.chunks_exact_mut(norm.scale.len()) {
            let factor = V::splat(factor.unwrap_or_else(|| norm.factor(squares::<V>(point), 1)));
            let affine = norm.scale.chunks_exact(V::LANES).zip(norm.shift.chunks_exact(V::LANES));
            for (numbers, (scale, shift)) in point.chunks_exact_mut(V::LANES).zip(affine) {
                let number = V::load(numbers).mul(factor).mul(V::load(scale)).add(V::load(shift));
                norm.activation.of(number).store(numbers);
            }
        }
    }
}

/// The sum of the squares of numbers.
struct Squares<'a>(&'a [f32]);

impl SimdKernel for Squares<'_> {
    type Output = f32;

    #[inline(always)]
    fn run<V: Vector>(self) -> f32 {
        squares::<V>(self.0)
    }
}

/// The sum of the squares of numbers: of every sixteenth from each of the first sixteen, then of these, so that it is the
/// same on every instruction set.
#[inline(always)]
fn squares<V: Vector>(numbers: &[f32]) -> f32 {
    let mut sums = [0.0f32; ALIGN];
    for (first, sums) in (0..ALIGN).step_by(V::LANES).zip(sums.chunks_exact_mut(V::LANES)) {
        let mut sum = V::splat(0.0);
        for part in numbers.as_chunks::<ALIGN>().0 {
            let part = V::load(&part[first..]);
            sum = sum.add(part.mul(part));
        }
        sum.store(sums);
    }
    sums.into_iter().sum()
}

/// SwiGLU: replaces each of `numbers` by its SiLU times the number of `gates` at the same place.
struct Gate<'a> {
    numbers: &'a mut [f32],
    gates: &'a [f32],
}

impl SimdKernel for Gate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for (number, gate) in self.numbers.chunks_exact_mut(V::LANES).zip(self.gates.chunks_exact(V::LANES)) {
            Activation::Silu.of(V::load(number)).mul(V::load(gate)).store(number);
        }
    }
}

/// Adds rows of points without frames to a batch.
fn add_points(set: InstructionSet, points: &[f32], boards: &mut Boards, batch: Batch) {
    let row = boards.row;
    let from = points.chunks_exact(batch.area() * row);
    for (board, from) in boards.values_mut().chunks_exact_mut(batch.layout.cells() * row).zip(from) {
        for (cells, from) in batch.layout.rows().zip(from.chunks_exact(batch.layout.width * row)) {
            let sums = board.get_mut(cells.start * row..cells.end * row).unwrap_or_default();
            set.run(AddRows { sums, numbers: from });
        }
    }
}

/// A feed-forward block (SwiGLU): two products for each point, multiplied after SiLU of the first, then a third
/// product.
#[derive(Debug)]
pub(super) struct FeedForward {
    norm: RmsNorm,
    linear: PointLinear,
    gate: PointLinear,
    last: PointLinear,
    set: InstructionSet,
}

impl FeedForward {
    pub(super) fn new(
        backend: Backend,
        norm: model_desc::RmsNormDesc,
        layers: [&layer_desc::LinearDesc; 3],
    ) -> FeedForward {
        let set = backend.set;
        let [linear, gate, last] = layers.map(|layer| PointLinear::new(backend, layer));
        FeedForward { norm: RmsNorm::new(set, norm), linear, gate, last, set }
    }

    /// Adds the block's result to the trunk.
    pub(super) fn apply(&self, trunk: &mut Boards, scratch: &mut Scratch) {
        let mut points = self.norm.apply(trunk, scratch);
        let count = points.len() / trunk.row;
        let mut inner = scratch.flat(count * self.linear.row());
        let mut gate = scratch.flat(count * self.gate.row());
        let mut products = [(&self.linear, &mut inner[..]), (&self.gate, &mut gate[..])];
        PointLinear::multiply_each(&mut products, &points, trunk.row, scratch);
        self.set.run(Gate { numbers: &mut inner, gates: &gate });
        PointLinear::multiply_each(&mut [(&self.last, &mut points[..])], &inner, self.linear.row(), scratch);
        add_points(self.set, &points, trunk, scratch.batch);
        [gate, inner, points].into_iter().for_each(|buffer| scratch.free_flat(buffer));
    }
}

/// Buffers for one head on one board.
struct HeadBuffers {
    /// Points of the board.
    area: usize,
    /// Numbers in a row of `keys` and `weights`, the padding included.
    columns: usize,
    /// Numbers in a row of `values` and `sums`, the padding included.
    width: usize,
    /// A row for each number of a key, a column for each point.
    keys: Vec<f32>,
    /// The value of each point, a row.
    values: Vec<f32>,
    /// For each point, a row with its weights of all points.
    weights: Vec<f32>,
    /// For each point, a row with the weighted sum of the values.
    sums: Vec<f32>,
}

/// An attention block.
#[derive(Debug)]
pub(super) struct Attention {
    norm: RmsNorm,
    query: PointLinear,
    key: PointLinear,
    value: PointLinear,
    output: PointLinear,
    query_heads: usize,
    kv_heads: usize,
    query_head_dim: usize,
    value_head_dim: usize,
    /// For each key-value head and each pair of numbers, the angle per column and per row; empty without rotation.
    angles: Vec<[f32; 2]>,
    /// For the size of the boards that were evaluated last, cosine and sine of each of the angles at each point.
    rotations: Mutex<Option<(BoardLayout, Arc<[f32]>)>>,
    set: InstructionSet,
}

impl Attention {
    pub(super) fn new(backend: Backend, layer: model_desc::AttentionDesc) -> Attention {
        let model_desc::AttentionDesc { query_heads, kv_heads, query_head_dim, value_head_dim, .. } = layer;
        let angles = match layer.rotary_embedding {
            RotaryEmbedding::None => Vec::new(),
            RotaryEmbedding::Learned(angles) => angles,
            RotaryEmbedding::Fixed(base) => fixed_angles(base, query_head_dim).repeat(kv_heads),
        };
        let set = backend.set;
        let [query, key, value, output] =
            [&layer.query, &layer.key, &layer.value, &layer.output].map(|layer| PointLinear::new(backend, layer));
        let norm = RmsNorm::new(set, layer.norm);
        let rotations = Mutex::default();
        Attention {
            norm,
            query,
            key,
            value,
            output,
            query_heads,
            kv_heads,
            query_head_dim,
            value_head_dim,
            angles,
            rotations,
            set,
        }
    }

    /// Adds the block's result to the trunk.
    pub(super) fn apply(&self, trunk: &mut Boards, scratch: &mut Scratch) {
        let batch = scratch.batch;
        let area = batch.area();
        let mut points = self.norm.apply(trunk, scratch);
        let [queries, keys, values] = self.project(&points, trunk.row, scratch);
        let row = self.query_heads * self.value_head_dim;
        let mut results = scratch.flat(points.len() / trunk.row * row);
        let mut head_buffers = self.head_buffers(scratch);
        let inputs = queries.chunks_exact(area * self.query.row()).zip(keys.chunks_exact(area * self.key.row()));
        let inputs = inputs.zip(values.chunks_exact(area * self.value.row()));
        for (((queries, keys), values), results) in inputs.zip(results.chunks_exact_mut(area * row)) {
            for head in 0..self.query_heads {
                if head % (self.query_heads / self.kv_heads) == 0 {
                    self.copy_kv_head(head * self.kv_heads / self.query_heads, keys, values, &mut head_buffers);
                }
                self.weights_of_head(head, queries, &mut head_buffers);
                self.weighted_values(head, &mut head_buffers, results);
            }
        }
        PointLinear::multiply_each(&mut [(&self.output, &mut points[..])], &results, row, scratch);
        add_points(self.set, &points, trunk, batch);
        let HeadBuffers { keys: head_keys, values: head_values, weights, sums, .. } = head_buffers;
        let used = [results, sums, weights, head_values, head_keys, values, keys, queries, points];
        used.into_iter().for_each(|buffer| scratch.free_flat(buffer));
    }

    /// Queries, keys and values of all heads, a row for each point: linear layers of `points`, whose rows have `row`
    /// numbers. Queries and keys are rotated, and queries are divided by the square root of their length.
    fn project(&self, points: &[f32], row: usize, scratch: &mut Scratch) -> [Vec<f32>; 3] {
        let layers = [&self.query, &self.key, &self.value];
        let [mut queries, mut keys, mut values] = layers.map(|layer| scratch.flat(points.len() / row * layer.row()));
        let outputs = [&mut queries[..], &mut keys[..], &mut values[..]];
        let mut products: Vec<_> = layers.into_iter().zip(outputs).collect();
        PointLinear::multiply_each(&mut products, points, row, scratch);
        let rotations = self.rotations(scratch.batch.layout);
        self.rotate(&mut queries, self.query.row(), self.query_heads, &rotations);
        self.rotate(&mut keys, self.key.row(), self.kv_heads, &rotations);
        let factor = 1.0 / (self.query_head_dim as f32).sqrt();
        queries.iter_mut().for_each(|number| *number *= factor);
        [queries, keys, values]
    }

    /// Buffers for one head on one board.
    fn head_buffers(&self, scratch: &mut Scratch) -> HeadBuffers {
        let area = scratch.batch.area();
        let (columns, width) = (padded(area), padded(self.value_head_dim));
        HeadBuffers {
            area,
            columns,
            width,
            keys: scratch.flat(self.query_head_dim * columns),
            values: scratch.flat(area * width),
            weights: scratch.flat(area * columns),
            sums: scratch.flat(area * width),
        }
    }

    /// Copies the keys and the values of a key-value head, from those of all heads on a board.
    fn copy_kv_head(&self, kv_head: usize, keys: &[f32], values: &[f32], buffers: &mut HeadBuffers) {
        buffers.keys.fill(0.0);
        let head_columns =
            HeadColumns { row: self.key.row(), first: kv_head * self.query_head_dim, width: self.query_head_dim };
        for (point, key) in head_columns.of(keys).enumerate() {
            let to = buffers.keys.get_mut(point..).unwrap_or_default().iter_mut().step_by(buffers.columns);
            to.zip(key).for_each(|(to, number)| *to = *number);
        }
        buffers.values.fill(0.0);
        let head_columns =
            HeadColumns { row: self.value.row(), first: kv_head * self.value_head_dim, width: self.value_head_dim };
        for (to, value) in buffers.values.chunks_exact_mut(buffers.width).zip(head_columns.of(values)) {
            to.iter_mut().zip(value).for_each(|(to, number)| *to = *number);
        }
    }

    /// The weights of a head on a board: the softmax of the products of each point's query with the keys of all points.
    fn weights_of_head(&self, head: usize, queries: &[f32], buffers: &mut HeadBuffers) {
        let HeadBuffers { area, columns, keys, weights, .. } = buffers;
        let inputs = queries.get(head * self.query_head_dim..).unwrap_or_default();
        let (stride, terms) = (self.query.row(), self.query_head_dim);
        let right = (keys.as_slice(), *columns);
        self.set.run(RowsGemm { right, terms, inputs, stride, outputs: weights });
        self.set.run(Softmax { rows: weights, row: *columns, count: *area });
    }

    /// For each point of a board, the values of all points weighted for a head, in the columns of the head.
    fn weighted_values(&self, head: usize, buffers: &mut HeadBuffers, results: &mut [f32]) {
        let HeadBuffers { area, columns, width, values, weights, sums, .. } = buffers;
        let right = (values.as_slice(), *width);
        self.set.run(RowsGemm { right, terms: *area, inputs: weights, stride: *columns, outputs: sums });
        let row = self.query_heads * self.value_head_dim;
        for (result, sum) in results.chunks_exact_mut(row).zip(sums.chunks_exact(*width)) {
            let to = result.get_mut(head * self.value_head_dim..).unwrap_or_default();
            to.iter_mut().zip(sum).take(self.value_head_dim).for_each(|(to, sum)| *to = *sum);
        }
    }

    /// Cosine and sine of the rotation of each pair of numbers, a row for each point. The angle is the sum of an angle
    /// of the column and one of the row.
    fn rotations(&self, layout: BoardLayout) -> Arc<[f32]> {
        let mut cached = self.rotations.lock().unwrap_or_else(PoisonError::into_inner);
        match &*cached {
            Some((cached_layout, rotations)) if *cached_layout == layout => rotations.clone(),
            _ => {
                let rotations: Arc<[f32]> = self.new_rotations(layout).into();
                *cached = Some((layout, rotations.clone()));
                rotations
            }
        }
    }

    /// Computes the rotations.
    fn new_rotations(&self, layout: BoardLayout) -> Vec<f32> {
        let mut rotations = vec![0.0; 2 * self.angles.len() * layout.width * layout.height];
        let Some(row) = NonZero::new(2 * self.angles.len()) else { return rotations };
        let (row, width) = (row.get(), layout.width);
        let rotation = |angle: f32| [angle.cos(), angle.sin()];
        // the upper row, then the left column, then all others from these two
        for (x, rotations) in rotations.chunks_exact_mut(row).take(width).enumerate() {
            let angles = self.angles.iter().map(|[column, _]| x as f32 * column);
            rotations.as_chunks_mut::<2>().0.iter_mut().zip(angles).for_each(|(to, angle)| *to = rotation(angle));
        }
        let top = (width * row).min(rotations.len());
        let (top, rest) = rotations.split_at_mut(top);
        for (y, rotations) in rest.chunks_exact_mut(width * row).enumerate() {
            let (left, others) = rotations.split_at_mut(row);
            let angles = self.angles.iter().map(|[_, row]| (y + 1) as f32 * row);
            left.as_chunks_mut::<2>().0.iter_mut().zip(angles).for_each(|(to, angle)| *to = rotation(angle));
            for (to, from) in others.chunks_exact_mut(row).zip(top.chunks_exact(row).skip(1)) {
                let factors = from.as_chunks::<2>().0.iter().zip(left.as_chunks::<2>().0);
                for (to, ([c, s], [cosine, sine])) in to.as_chunks_mut::<2>().0.iter_mut().zip(factors) {
                    *to = [c * cosine - s * sine, s * cosine + c * sine];
                }
            }
        }
        rotations
    }

    /// Rotates the pairs of numbers of all heads.
    fn rotate(&self, numbers: &mut [f32], row: usize, heads: usize, rotations: &[f32]) {
        if self.angles.is_empty() {
            return;
        }
        let pairs = self.query_head_dim / 2;
        let rotations = rotations.chunks_exact(2 * self.angles.len()).cycle();
        for (point, rotations) in numbers.chunks_exact_mut(row).zip(rotations) {
            for (head, numbers) in point.chunks_exact_mut(self.query_head_dim).take(heads).enumerate() {
                let first = 2 * (head * self.kv_heads / heads) * pairs;
                let rotations = rotations.get(first..first + 2 * pairs).unwrap_or_default();
                for ([a, b], [cosine, sine]) in
                    numbers.as_chunks_mut::<2>().0.iter_mut().zip(rotations.as_chunks::<2>().0)
                {
                    (*a, *b) = (*a * cosine - *b * sine, *a * sine + *b * cosine);
                }
            }
        }
    }
}

/// The angles per column and row that follow from a base: the first half of the pairs turn with the row, the others
/// with the column.
fn fixed_angles(base: f32, query_head_dim: usize) -> Vec<[f32; 2]> {
    let (pairs, half) = (query_head_dim / 2, query_head_dim / 4);
    let angle = |number: usize| 1.0 / base.powf((2 * number) as f32 / pairs as f32);
    (0..pairs).map(|pair| if pair < half { [0.0, angle(pair)] } else { [angle(pair - half), 0.0] }).collect()
}

/// The columns of a head in rows of numbers.
#[derive(Clone, Copy)]
struct HeadColumns {
    row: usize,
    first: usize,
    width: usize,
}

impl HeadColumns {
    fn of(self, numbers: &[f32]) -> impl Iterator<Item = &[f32]> {
        let columns = move |row: &'_ [f32]| self.first..(self.first + self.width).min(row.len());
        numbers.chunks_exact(self.row).map(move |row| row.get(columns(row)).unwrap_or_default())
    }
}

/// The softmax of the first `count` numbers of each row; the padding after them becomes 0.
struct Softmax<'a> {
    rows: &'a mut [f32],
    /// The padded length of a row.
    row: usize,
    count: usize,
}

impl SimdKernel for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        let fold = |numbers: &[f32], first: f32, join: fn(V, V) -> V| {
            let parts = numbers.chunks_exact(V::LANES).map(|part| V::load(part));
            let mut lanes = [first; ALIGN];
            parts.fold(V::splat(first), join).store(&mut lanes);
            lanes
        };
        for row in self.rows.chunks_exact_mut(self.row) {
            let padding = |row: &mut [f32], number: f32| row.iter_mut().skip(self.count).for_each(|to| *to = number);
            padding(row, f32::MIN);
            let maximum = fold(row, f32::MIN, |a, b| a.max(b)).into_iter().fold(f32::MIN, f32::max);
            for part in row.chunks_exact_mut(V::LANES) {
                exponential(V::load(part).sub(V::splat(maximum)).max(V::splat(-80.0))).store(part);
            }
            padding(row, 0.0);
            let sum: f32 = fold(row, 0.0, |a, b| a.add(b)).into_iter().take(V::LANES).sum();
            let factor = 1.0 / sum;
            row.iter_mut().for_each(|number| *number *= factor);
        }
    }
}
