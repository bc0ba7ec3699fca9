//! The operations of a vector type, computations with one, and access to slices by checked lengths.

/// Implements [`Vector`] by a type and functions of `std::arch`. The sizes are the constants of the trait.
#[allow(unused_macros)] // on other architectures
macro_rules! vector {
    ($name:ident, $inner:ty,
     lanes: $lanes:literal, gemm_vectors: $gemm_vectors:literal,
     packed_rows: $packed_rows:literal, panel_lines: $panel_lines:literal,
     $splat:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $max:ident, $min:ident,
     $fused:expr, $power:expr, $largest:expr) => {
        #[derive(Clone, Copy)]
        pub(in crate::net) struct $name($inner);

        // SAFETY of all blocks: only `InstructionSet::run` and `run_integer` pass this type on, after the processor
        // reported the instructions; a vector is loaded from and stored to an array of its size, in which every value is
        // valid. The functions of `std::arch` for it go through memory if debug assertions are enabled.
        impl Vector for $name {
            const LANES: usize = $lanes;
            const GEMM_VECTORS: usize = $gemm_vectors;
            const PACKED_ROWS: usize = $packed_rows;
            const PANEL_LINES: usize = $panel_lines;
            #[inline(always)]
            fn splat(number: f32) -> $name {
                $name(unsafe { $splat(number) })
            }
            #[inline(always)]
            fn load(from: &[f32]) -> $name {
                let from: &[f32; $lanes] = $crate::net::simd::vector::head(from);
                $name(unsafe { std::mem::transmute::<[f32; $lanes], $inner>(*from) })
            }
            #[inline(always)]
            fn store(self, to: &mut [f32]) {
                let to: &mut [f32; $lanes] = $crate::net::simd::vector::head_mut(to);
                *to = unsafe { std::mem::transmute::<$inner, [f32; $lanes]>(self.0) };
            }
            #[inline(always)]
            fn add(self, other: $name) -> $name {
                $name(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn sub(self, other: $name) -> $name {
                $name(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn mul(self, other: $name) -> $name {
                $name(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            fn div(self, other: $name) -> $name {
                $name(unsafe { $div(self.0, other.0) })
            }
            #[inline(always)]
            fn mul_add(self, factor: $name, summand: $name) -> $name {
                $name(unsafe { $fused(self.0, factor.0, summand.0) })
            }
            #[inline(always)]
            fn max(self, other: $name) -> $name {
                $name(unsafe { $max(self.0, other.0) })
            }
            #[inline(always)]
            fn min(self, other: $name) -> $name {
                $name(unsafe { $min(self.0, other.0) })
            }
            #[inline(always)]
            fn exp2_int(self) -> $name {
                $name(unsafe { $power(self.0) })
            }
            #[inline(always)]
            fn reduce_max(self) -> f32 {
                unsafe { $largest(self.0) }
            }
        }
    };
}

/// A SIMD vector of `f32`.
pub(in crate::net) trait Vector: Copy {
    /// Number of lanes.
    const LANES: usize;
    /// Output vectors that a matrix product keeps in registers for each of [`GEMM_ROWS`] rows.
    const GEMM_VECTORS: usize;
    /// Rows that a product of packed rows keeps in registers, see `net/packed_gemm.rs`.
    const PACKED_ROWS: usize;
    /// Cache lines of outputs that such a product keeps in registers for each row, 1 or 2.
    const PANEL_LINES: usize;
    /// The same value in every lane.
    fn splat(number: f32) -> Self;
    /// Loads the beginning of a slice.
    ///
    /// # Panics
    /// If the slice is shorter than a vector.
    fn load(from: &[f32]) -> Self;
    /// Stores to the beginning of a slice.
    ///
    /// # Panics
    /// If the slice is shorter than a vector.
    fn store(self, to: &mut [f32]);
    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The difference.
    fn sub(self, other: Self) -> Self;
    /// The product.
    fn mul(self, other: Self) -> Self;
    /// The quotient.
    fn div(self, other: Self) -> Self;
    /// `self * factor + summand`, fused where the instruction set can.
    fn mul_add(self, factor: Self, summand: Self) -> Self;
    /// The lane-wise maximum.
    fn max(self, other: Self) -> Self;
    /// The lane-wise minimum.
    fn min(self, other: Self) -> Self;
    /// 2 to the power of each lane, a whole number from -126 to 127.
    fn exp2_int(self) -> Self;
    /// The largest lane.
    fn reduce_max(self) -> f32;
}

/// A SIMD vector of `i32`, which are also used as pairs of `i16`: the lower half first.
pub(in crate::net) trait Integers: Copy {
    /// The vector of as many `f32`.
    type Float: Vector;
    /// The same value in every lane.
    fn splat(number: i32) -> Self;
    /// Loads the beginning of a slice.
    ///
    /// # Panics
    /// If the slice is shorter than a vector.
    fn load(from: &[i32]) -> Self;
    /// In each lane `self` plus the two products of `i16` of the pairs `a` and `b`. The sum must fit in `i32`.
    fn add_dot_pairs(self, a: Self, b: Self) -> Self;
    /// The nearest `f32`.
    fn to_float(self) -> Self::Float;
    /// Rounds the lanes of `first`, then those of `second`, to the nearest `i16`, halves to even, and stores them as
    /// [`Vector::LANES`] pairs. The numbers must be in the range of `i16`.
    ///
    /// # Panics
    /// If the slice is shorter than a vector.
    fn store_pairs(first: Self::Float, second: Self::Float, to: &mut [i32]);
}

/// 1.5 · 2^23: a number below 2^22 in absolute value that is added to it is rounded to a whole one, halves to even,
/// because an `f32` beyond 2^23 has no fraction.
pub(in crate::net) const ROUNDING_SHIFT: f32 = 12_582_912.0;

/// The nearest whole number of one below 2^22 in absolute value, halves to even: [`f32::round_ties_even`], which is a
/// call of the C library on processors without SSE4.1, for which the program is compiled.
#[inline(always)]
pub(in crate::net) fn rounded(number: f32) -> i32 {
    (number + ROUNDING_SHIFT).to_bits().cast_signed() - ROUNDING_SHIFT.to_bits().cast_signed()
}

/// Rows of a matrix product that are in registers at a time.
pub(in crate::net) const GEMM_ROWS: usize = 6;

/// A computation that is generic over the vector type.
pub(in crate::net) trait SimdKernel {
    /// The result.
    type Output;
    /// Computes the result. Must be `#[inline(always)]`, as must everything that it calls with vectors.
    fn run<V: Vector>(self) -> Self::Output;
}

/// A computation with integers that is generic over the vector type.
pub(in crate::net) trait IntegerKernel {
    /// The result.
    type Output;
    /// As [`SimdKernel::run`].
    fn run<I: Integers>(self) -> Self::Output;
}

/// The first `N` values of a slice.
#[inline(always)]
pub(super) fn head<T, const N: usize>(from: &[T]) -> &[T; N] {
    match from.first_chunk() {
        Some(head) => head,
        None => too_short(from.len(), N),
    }
}

/// The first `N` values of a slice, mutable.
#[inline(always)]
pub(super) fn head_mut<T, const N: usize>(to: &mut [T]) -> &mut [T; N] {
    let length = to.len();
    match to.first_chunk_mut() {
        Some(head) => head,
        None => too_short(length, N),
    }
}

#[cold]
#[inline(never)]
#[allow(clippy::panic)] // a bug in this folder's index arithmetic; no input causes it
fn too_short(length: usize, lanes: usize) -> ! {
    panic!("a vector of {lanes} in a slice of {length}")
}
