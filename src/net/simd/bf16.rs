//! Products of small matrices of bfloat16, which some processors compute with registers that hold whole tiles.

use crate::net::simd::line::{LINE_WORDS, Line};

/// Rows of a product.
pub(in crate::net) const BF16_ROWS: usize = 96;

/// Columns of a product: one line of sums.
pub(in crate::net) const BF16_COLUMNS: usize = LINE_WORDS;

/// Two numbers in bfloat16, the upper halves of `f32`.
pub(in crate::net) type Pair = [u16; 2];

/// The sums of a product: one line for each row.
pub(in crate::net) type TileSums = [Line<f32>; BF16_ROWS * BF16_COLUMNS / LINE_WORDS];

/// The product of [`BF16_ROWS`] rows and [`BF16_COLUMNS`] columns, over any number of steps of 32 numbers.
#[derive(Clone, Copy)]
pub(in crate::net) struct Bf16Gemm<'a> {
    /// The memory of the rows. A line has the numbers of one step.
    pub(in crate::net) rows: &'a [Line<Pair>],
    /// Lines from one row to the next.
    pub(in crate::net) stride: usize,
    /// For each step, the line of the first row.
    pub(in crate::net) starts: &'a [usize],
    /// For each step, [`BF16_COLUMNS`] lines of weights: one for each pair of numbers, with a pair of weights for each
    /// column.
    pub(in crate::net) weights: &'a [Line<Pair>],
}

impl Bf16Gemm<'_> {
    /// Whether all lines that the product reads exist.
    pub(super) fn is_inside(&self) -> bool {
        let last_row = |start: &usize| self.stride.checked_mul(BF16_ROWS - 1)?.checked_add(*start);
        self.starts.iter().all(|start| last_row(start).is_some_and(|last| last < self.rows.len()))
            && self.weights.len() / BF16_COLUMNS >= self.starts.len()
    }

    /// Computes the product in plain Rust. Sums are rounded in another order than by tile registers.
    ///
    /// # Panics
    /// If the product reads beyond its slices.
    pub(super) fn multiply(&self, sums: &mut TileSums) {
        assert!(self.is_inside(), "a product of bfloat16 beyond its slices");
        for (row, sums) in sums.iter_mut().enumerate() {
            *sums = Line([0.0; LINE_WORDS]);
            for (start, weights) in self.starts.iter().zip(self.weights.as_chunks::<BF16_COLUMNS>().0) {
                let Some(numbers) = self.rows.get(start + row * self.stride) else { return };
                for (pair, weights) in numbers.0.iter().zip(weights) {
                    for (sum, weights) in sums.0.iter_mut().zip(&weights.0) {
                        let [even, odd] = [0, 1].map(|half| float(pair[half]) * float(weights[half]));
                        *sum += even + odd;
                    }
                }
            }
        }
    }
}

/// The nearest bfloat16, halves to even. Infinite numbers stay infinite, and what the processor makes of them (NaN) stays NaN.
#[inline(always)]
pub(in crate::net) fn bfloat(number: f32) -> u16 {
    let bits = number.to_bits();
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// The number in bfloat16.
fn float(bfloat: u16) -> f32 {
    f32::from_bits(u32::from(bfloat) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::simd::InstructionSet;

    #[test]
    fn numbers_are_rounded_to_the_nearest_with_halves_to_even() {
        // bfloat16 has 8 significant bits
        for (number, nearest) in [(1.0, 1.0), (257.0, 256.0), (259.0, 260.0), (-258.9, -258.0), (1e-3, 0.000_999_450_7)]
        {
            assert_eq!(float(bfloat(number)), nearest);
        }
        assert_eq!(float(bfloat(f32::NEG_INFINITY)), f32::NEG_INFINITY);
        assert!(float(bfloat(f32::INFINITY - f32::INFINITY)).is_nan() && float(bfloat(f32::NAN)).is_nan());
    }

    #[test]
    fn products_of_whole_numbers_are_exact() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut lines = |count| -> Vec<Line<Pair>> {
            let mut number = || bfloat(random.i32(-9..=9) as f32);
            (0..count).map(|_| Line(std::array::from_fn(|_| [number(), number()]))).collect()
        };
        let (rows, weights) = (lines(3 * BF16_ROWS + 20), lines(4 * BF16_COLUMNS));
        let starts = [0, 20, 7, 3];
        let product = Bf16Gemm { rows: &rows, stride: 3, starts: &starts, weights: &weights };
        for set in InstructionSet::available() {
            let mut sums = [Line([f32::NAN; LINE_WORDS]); BF16_ROWS];
            set.multiply_bf16(&product, &mut sums);
            for (row, column) in (0..BF16_ROWS).flat_map(|row| (0..BF16_COLUMNS).map(move |column| (row, column))) {
                let terms = (0..4 * 2 * LINE_WORDS).map(|term| {
                    let (step, number) = (term / (2 * LINE_WORDS), term % (2 * LINE_WORDS));
                    let weight = weights[step * BF16_COLUMNS + number / 2].0[column][number % 2];
                    float(rows[starts[step] + 3 * row].0[number / 2][number % 2]) * float(weight)
                });
                assert_eq!(sums[row].0[column], terms.sum::<f32>(), "{set} {row} {column}");
            }
            set.multiply_bf16(&Bf16Gemm { starts: &[], ..product }, &mut sums);
            assert!(sums.iter().all(|sums| sums.0 == [0.0; LINE_WORDS]));
        }
    }

    #[test]
    #[should_panic(expected = "beyond its slices")]
    fn a_product_beyond_its_rows_is_refused() {
        let rows = [Line([[0; 2]; LINE_WORDS]); BF16_ROWS];
        let product = Bf16Gemm { rows: &rows, stride: 1, starts: &[1], weights: &rows };
        InstructionSet::best().multiply_bf16(&product, &mut [Line([0.0; LINE_WORDS]); BF16_ROWS]);
    }
}
