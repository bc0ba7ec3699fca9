//! Matrix products (GEMM) of packed rows and a weight matrix: for Winograd convolutions, and in integers for 1x1 ones.
//!
//! A row is cut into blocks of one cache line, 16 words of 32 bits; block `b` of row `r` of `n` rows is at `b * n + r`.
//! So the rows of a micro-tile are adjacent memory, their addresses have constant distances, and every access is to a
//! whole line. A word of an input row is an `f32` or a pair of `i16`. Weights are stored in panels of one or two lines of
//! outputs ([`Vector::PANEL_LINES`]): for each input word the lines of the panel.

use crate::net::simd::{Integers, SimdKernel, Vector, prefetch};
pub(super) use crate::net::simd::{LINE_WORDS, Line};

/// The most rows in a micro-tile of a last panel that is narrower than the others. Few, because a loop of its own is
/// compiled for each number of rows.
const NARROW_ROWS: usize = 6;

/// A weight matrix in panels.
#[derive(Clone, Debug)]
pub(super) struct Panels<E> {
    lines: Vec<Line<E>>,
    words: usize,
    blocks: usize,
}

impl<E: Copy + Default> Panels<E> {
    /// A matrix for rows of `words` words and of `outputs` outputs, in panels of `panel` lines; `weight` gives the
    /// weight of an input word and an output.
    pub(super) fn new(panel: usize, words: usize, outputs: usize, weight: impl Fn(usize, usize) -> E) -> Panels<E> {
        let blocks = outputs.div_ceil(LINE_WORDS);
        let column = |word, output| if output < outputs { weight(word, output) } else { E::default() };
        let line = |word, block: usize| Line(std::array::from_fn(|k| column(word, block * LINE_WORDS + k)));
        let mut lines = Vec::with_capacity(words * blocks);
        for (first, wide) in panels(blocks, panel) {
            for word in 0..words {
                lines.extend((first..first + wide).map(|block| line(word, block)));
            }
        }
        Panels { lines, words, blocks }
    }
}

/// The first block and the number of blocks of each panel.
fn panels(blocks: usize, panel: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..blocks).step_by(panel).map(move |first| (first, panel.min(blocks - first)))
}

/// A vector of accumulators: sums of products.
pub(super) trait Accumulators: Copy {
    /// A word of an input row, or a weight.
    type Word: Copy;
    /// The vector of as many `f32`.
    type Float: Vector;
    fn splat(word: Self::Word) -> Self;
    fn zero() -> Self;
    fn load(from: &[Self::Word]) -> Self;
    /// The sums plus products.
    fn plus_products(self, a: Self, b: Self) -> Self;
    /// The sums, multiplied by the scales of their columns and of their row if the words have any.
    fn scaled(self, scales: Option<(Self::Float, f32)>) -> Self::Float;
}

/// Accumulators of `f32`.
#[derive(Clone, Copy)]
pub(super) struct FloatAccumulators<V>(V);

impl<V: Vector> Accumulators for FloatAccumulators<V> {
    type Word = f32;
    type Float = V;
    #[inline(always)]
    fn splat(word: f32) -> Self {
        FloatAccumulators(V::splat(word))
    }
    #[inline(always)]
    fn zero() -> Self {
        FloatAccumulators(V::splat(0.0))
    }
    #[inline(always)]
    fn load(from: &[f32]) -> Self {
        FloatAccumulators(V::load(from))
    }
    #[inline(always)]
    fn plus_products(self, a: Self, b: Self) -> Self {
        FloatAccumulators(a.0.mul_add(b.0, self.0))
    }
    #[inline(always)]
    fn scaled(self, _: Option<(V, f32)>) -> V {
        self.0
    }
}

/// Accumulators of the products of pairs of `i16`.
#[derive(Clone, Copy)]
pub(super) struct PairAccumulators<I>(I);

impl<I: Integers> Accumulators for PairAccumulators<I> {
    type Word = i32;
    type Float = I::Float;
    #[inline(always)]
    fn splat(word: i32) -> Self {
        PairAccumulators(I::splat(word))
    }
    #[inline(always)]
    fn zero() -> Self {
        PairAccumulators(I::splat(0))
    }
    #[inline(always)]
    fn load(from: &[i32]) -> Self {
        PairAccumulators(I::load(from))
    }
    #[inline(always)]
    fn plus_products(self, a: Self, b: Self) -> Self {
        PairAccumulators(self.0.add_dot_pairs(a.0, b.0))
    }
    #[inline(always)]
    fn scaled(self, scales: Option<(I::Float, f32)>) -> I::Float {
        let sums = self.0.to_float();
        scales.map_or(sums, |(columns, row)| sums.mul(columns).mul(I::Float::splat(row)))
    }
}

/// A product of `count` rows for each element of transformed patches. Matrix `k` has its inputs at line
/// `(k + 1) * stride` of `lines` and its sums at line `k * stride`, in place of the inputs of the one before.
pub(super) struct FloatGemms<'a> {
    pub(super) matrices: &'a [Panels<f32>],
    pub(super) count: usize,
    pub(super) lines: &'a mut [Line<f32>],
    pub(super) stride: usize,
}

impl SimdKernel for FloatGemms<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector>(self) {
        for (element, panels) in self.matrices.iter().enumerate() {
            let Some((outputs, inputs)) = self.lines.split_at_mut_checked((element + 1) * self.stride) else { return };
            let outputs = outputs.get_mut(element * self.stride..).unwrap_or_default();
            let following = self.matrices.get(element + 1);
            PackedGemm { panels, following, count: self.count, inputs, outputs, scales: None }
                .run::<FloatAccumulators<V>>();
        }
    }
}

/// A product of `count` rows.
pub(super) struct PackedGemm<'a, E> {
    pub(super) panels: &'a Panels<E>,
    /// The matrix of the product that follows, to be fetched into the cache in time.
    pub(super) following: Option<&'a Panels<E>>,
    pub(super) count: usize,
    pub(super) inputs: &'a [Line<E>],
    pub(super) outputs: &'a mut [Line<f32>],
    /// Scales of the output columns and of the rows, for integers.
    pub(super) scales: Option<(&'a [Line<f32>], &'a [f32])>,
}

impl<E: Copy + Default> PackedGemm<'_, E> {
    #[inline(always)]
    pub(super) fn run<S: Accumulators<Word = E>>(self) {
        let Panels { lines, words, blocks } = self.panels;
        let mut rest = lines.as_slice();
        for (first, wide) in panels(*blocks, S::Float::PANEL_LINES) {
            let (weights, next) = rest.split_at(words * wide);
            rest = next;
            let mut row = 0;
            let tiles = self
                .count
                .div_ceil(if wide < S::Float::PANEL_LINES { NARROW_ROWS } else { S::Float::PACKED_ROWS })
                .max(1);
            let next = if next.is_empty() { self.following.map_or(next, |panels| &panels.lines) } else { next };
            let ahead = next.len().min(words * S::Float::PANEL_LINES).div_ceil(tiles);
            for number in 0..tiles {
                // all micro-tiles have the same number of rows, or one row more
                let rows = self.count / tiles + usize::from(number < self.count % tiles);
                let prefetched = next.get(number * ahead..).unwrap_or_default();
                let prefetched = prefetched.get(..ahead).unwrap_or(prefetched);
                let tile = MicroTile { weights, prefetched, count: self.count, row, first, scales: self.scales };
                row += rows;
                tile.rows::<S>(wide, rows, self.inputs, self.outputs);
            }
        }
    }
}

/// Up to [`Vector::PACKED_ROWS`] rows of a product with one panel.
struct MicroTile<'a, E> {
    weights: &'a [Line<E>],
    /// Weights that are needed soon.
    prefetched: &'a [Line<E>],
    count: usize,
    row: usize,
    first: usize,
    scales: Option<(&'a [Line<f32>], &'a [f32])>,
}

impl<E: Copy> MicroTile<'_, E> {
    /// Dispatches on the width of the panel and the number of rows.
    #[inline(always)]
    fn rows<S: Accumulators<Word = E>>(&self, wide: usize, rows: usize, inputs: &[Line<E>], outputs: &mut [Line<f32>]) {
        macro_rules! dispatch {
            ($lines:literal $vectors:literal: $($rows:literal)*) => {
                match rows {
                    $($rows if $rows <= S::Float::PACKED_ROWS => self.sums::<S, $lines, $vectors, $rows>(inputs, outputs),)*
                    _ => {}
                }
            };
        }
        match (wide, LINE_WORDS / S::Float::LANES) {
            (2, 1) => dispatch!(2 2: 1 2 3 4 5 6 7 8 9 10 11 12 13),
            (1, 1) => dispatch!(1 1: 1 2 3 4 5 6),
            (1, 2) => dispatch!(1 2: 1 2 3 4 5 6),
            (1, 4) => dispatch!(1 4: 1 2 3 4 5 6),
            _ => {}
        }
    }

    /// The inner loop. All sums stay in registers: constant bounds let the compiler unroll the loops.
    #[inline(always)]
    #[allow(clippy::needless_range_loop)]
    fn sums<S: Accumulators<Word = E>, const L: usize, const W: usize, const R: usize>(
        &self,
        inputs: &[Line<E>],
        outputs: &mut [Line<f32>],
    ) {
        let mut sums = [[S::zero(); W]; R];
        let mut prefetched = self.prefetched.iter();
        for (block, weights) in self.weights.chunks(L * LINE_WORDS).enumerate() {
            let Some(rows) = inputs.get(block * self.count + self.row..).and_then(<[_]>::first_chunk::<R>) else {
                return;
            };
            for (word, weights) in (0..LINE_WORDS).zip(weights.chunks_exact(L)) {
                let Some(weights) = weights.first_chunk::<L>() else { return };
                let mut weight = [S::zero(); W];
                for w in 0..W {
                    weight[w] =
                        S::load(&weights[w * S::Float::LANES / LINE_WORDS].0[w * S::Float::LANES % LINE_WORDS..]);
                }
                if let Some(line) = prefetched.next() {
                    prefetch(&line.0);
                }
                for r in 0..R {
                    let number = S::splat(rows[r].0[word]);
                    for w in 0..W {
                        sums[r][w] = sums[r][w].plus_products(number, weight[w]);
                    }
                }
            }
        }
        for w in 0..W {
            let (line, lane) = (w * S::Float::LANES / LINE_WORDS, w * S::Float::LANES % LINE_WORDS);
            let place = (self.first + line) * self.count + self.row;
            let Some(to) = outputs.get_mut(place..).and_then(<[_]>::first_chunk_mut::<R>) else { return };
            let scales = self.scales.and_then(|(columns, rows)| {
                let columns = S::Float::load(columns.get(self.first + line)?.0.get(lane..)?);
                Some((columns, rows.get(self.row..)?.first_chunk::<R>()?))
            });
            for r in 0..R {
                let scales = scales.map(|(columns, rows)| (columns, rows[r]));
                sums[r][w].scaled(scales).store(&mut to[r].0[lane..]);
            }
        }
    }
}
