//! SIMD vectors, and the choice of the instruction set at run time.
//!
//! This folder is the only place of `unsafe` code. Its contract:
//!
//! - Only `InstructionSet::run` passes a vector type to a `SimdKernel`, only `InstructionSet::run_integer` one to an
//!   `IntegerKernel`, and an [`InstructionSet`] exists only after the processor reported the instructions. So no
//!   unsupported instruction is executed.
//! - Memory is accessed through arrays whose length was checked, never by a bare pointer and a count.
//!
//! Vector methods and everything that calls them are inlined into one function per instruction set, the only function
//! that is compiled with these instructions enabled.
#![allow(unsafe_code)]

/// Implements [`Vector`] by a type and functions of `std::arch`.
#[allow(unused_macros)] // on other architectures
macro_rules! vector {
    ($name:ident, $inner:ty, $lanes:literal, $columns:literal, $strip:literal, $panel:literal,
     $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $max:ident, $min:ident,
     $fused:expr, $power:expr, $largest:expr) => {
        #[derive(Clone, Copy)]
        pub(super) struct $name($inner);

        // SAFETY of all blocks: only `InstructionSet::run` and `run_integer` pass this type on, after the processor
        // reported the instructions; loads and stores go through an array of the vector's length
        impl Vector for $name {
            const LANES: usize = $lanes;
            const COLUMNS: usize = $columns;
            const STRIP: usize = $strip;
            const PANEL: usize = $panel;
            #[inline(always)]
            fn splat(number: f32) -> $name {
                $name(unsafe { $splat(number) })
            }
            #[inline(always)]
            fn load(from: &[f32]) -> $name {
                let from: &[f32; $lanes] = $crate::net::simd::head(from);
                $name(unsafe { $load(from.as_ptr()) })
            }
            #[inline(always)]
            fn store(self, to: &mut [f32]) {
                let to: &mut [f32; $lanes] = $crate::net::simd::head_mut(to);
                unsafe { $store(to.as_mut_ptr(), self.0) }
            }
            #[inline(always)]
            fn plus(self, other: $name) -> $name {
                $name(unsafe { $add(self.0, other.0) })
            }
            #[inline(always)]
            fn minus(self, other: $name) -> $name {
                $name(unsafe { $sub(self.0, other.0) })
            }
            #[inline(always)]
            fn times(self, other: $name) -> $name {
                $name(unsafe { $mul(self.0, other.0) })
            }
            #[inline(always)]
            fn over(self, other: $name) -> $name {
                $name(unsafe { $div(self.0, other.0) })
            }
            #[inline(always)]
            fn times_plus(self, factor: $name, summand: $name) -> $name {
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
            fn power_of_two(self) -> $name {
                $name(unsafe { $power(self.0) })
            }
            #[inline(always)]
            fn largest(self) -> f32 {
                unsafe { $largest(self.0) }
            }
        }
    };
}

#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::fmt;

use crate::net::simd::portable::{Portable, PortableIntegers};

/// A SIMD vector of `f32`.
pub(super) trait Vector: Copy {
    /// Number of lanes.
    const LANES: usize;
    /// Output vectors that a matrix product keeps in registers for each of [`ROWS`] rows.
    const COLUMNS: usize;
    /// Rows that a product of blocked rows keeps in registers, see `net/blocked.rs`.
    const STRIP: usize;
    /// Cache lines of outputs that such a product keeps in registers for each row, 1 or 2.
    const PANEL: usize;
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
    fn plus(self, other: Self) -> Self;
    /// The difference.
    fn minus(self, other: Self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// The quotient.
    fn over(self, other: Self) -> Self;
    /// `self * factor + summand`, fused where the instruction set can.
    fn times_plus(self, factor: Self, summand: Self) -> Self;
    /// The lane-wise maximum.
    fn max(self, other: Self) -> Self;
    /// The lane-wise minimum.
    fn min(self, other: Self) -> Self;
    /// 2 to the power of each lane, a whole number from -126 to 127.
    fn power_of_two(self) -> Self;
    /// The largest lane.
    fn largest(self) -> f32;
}

/// A SIMD vector of `i32`, which are also used as pairs of `i16`: the lower half first.
pub(super) trait Integers: Copy {
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
    fn plus_pairs(self, a: Self, b: Self) -> Self;
    /// The nearest `f32`.
    fn to_float(self) -> Self::Float;
    /// Rounds the lanes of `first`, then those of `second`, to the nearest `i16`, halves to even, and stores them as
    /// [`Vector::LANES`] pairs. The numbers must be in the range of `i16`.
    ///
    /// # Panics
    /// If the slice is shorter than a vector.
    fn store_pairs(first: Self::Float, second: Self::Float, to: &mut [i32]);
}

/// Rows of a matrix product that are in registers at a time.
pub(super) const ROWS: usize = 6;

/// A computation that is generic over the vector type.
pub(super) trait SimdKernel {
    /// The result.
    type Output;
    /// Computes the result. Must be `#[inline(always)]`, as must everything that it calls with vectors.
    fn run<V: Vector>(self) -> Self::Output;
}

/// A computation with integers that is generic over the vector type.
pub(super) trait IntegerKernel {
    /// The result.
    type Output;
    /// As [`SimdKernel::run`].
    fn run<I: Integers>(self) -> Self::Output;
}

/// An instruction set that this processor supports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InstructionSet(Isa, Dots);

/// The instructions for `f32`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Isa {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
    Portable,
}

/// The instructions for sums of products of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Dots {
    #[cfg(target_arch = "x86_64")]
    Avx512Vnni,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    AvxVnni,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Dots {
    /// What the processor supports, fastest first; the last is the portable code.
    fn available() -> Vec<Dots> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                if is_x86_feature_detected!("avx512vnni") {
                    sets.push(Dots::Avx512Vnni);
                }
                sets.push(Dots::Avx512);
            }
            if is_x86_feature_detected!("avxvnni") {
                sets.push(Dots::AvxVnni);
            }
            sets.push(Dots::Avx2);
        }
        sets.push(Dots::Portable);
        sets
    }

    /// Whether the vectors have 512 bits.
    fn are_wide(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return matches!(self, Dots::Avx512Vnni | Dots::Avx512);
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }
}

impl InstructionSet {
    /// The supported instruction sets, fastest first; the last is the portable one.
    pub fn available() -> Vec<InstructionSet> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let fastest = |wide: bool| Dots::available().into_iter().find(|dots| wide || !dots.are_wide());
            if is_x86_feature_detected!("avx512f") {
                sets.push(InstructionSet(Isa::Avx512, fastest(true).unwrap_or(Dots::Portable)));
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                sets.push(InstructionSet(Isa::Avx2, fastest(false).unwrap_or(Dots::Portable)));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            sets.push(InstructionSet(Isa::Neon, Dots::Portable));
        }
        sets.push(InstructionSet(Isa::Portable, Dots::Portable));
        sets
    }

    /// One instruction set for each set of integer instructions that the processor supports, with their name.
    #[cfg(test)]
    pub(super) fn with_each_dots() -> Vec<(InstructionSet, String)> {
        let set = InstructionSet::best();
        Dots::available().into_iter().map(|dots| (InstructionSet(set.0, dots), format!("{dots:?}"))).collect()
    }

    /// Whether sums of products of `i16` are faster than those of `f32`.
    pub(super) fn has_fast_integers(self) -> bool {
        self.1 != Dots::Portable
    }

    /// The fastest supported instruction set.
    pub fn best() -> InstructionSet {
        InstructionSet::available().first().copied().unwrap_or(InstructionSet(Isa::Portable, Dots::Portable))
    }

    /// The number of matrix columns in a panel.
    pub(super) fn panel(self) -> usize {
        struct Panel;
        impl SimdKernel for Panel {
            type Output = usize;
            #[inline(always)]
            fn run<V: Vector>(self) -> usize {
                V::LANES * V::COLUMNS
            }
        }
        self.run(Panel)
    }

    /// [`Vector::PANEL`] of the vectors for `f32`.
    pub(super) fn blocked_panel(self) -> usize {
        struct Panel;
        impl SimdKernel for Panel {
            type Output = usize;
            #[inline(always)]
            fn run<V: Vector>(self) -> usize {
                V::PANEL
            }
        }
        self.run(Panel)
    }

    /// [`Vector::PANEL`] of the vectors for integers.
    pub(super) fn integer_panel(self) -> usize {
        struct Panel;
        impl IntegerKernel for Panel {
            type Output = usize;
            #[inline(always)]
            fn run<I: Integers>(self) -> usize {
                I::Float::PANEL
            }
        }
        self.run_integer(Panel)
    }

    /// Runs a kernel with the vectors of this instruction set.
    pub(super) fn run<K: SimdKernel>(self, kernel: K) -> K::Output {
        match self.0 {
            // SAFETY: this variant exists only if the processor supports the instructions
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { x86::with_avx512(kernel) },
            // SAFETY: as above
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { x86::with_avx2(kernel) },
            // SAFETY: as above
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => unsafe { neon::with_neon(kernel) },
            Isa::Portable => kernel.run::<Portable>(),
        }
    }

    /// Runs a kernel with the integer vectors of this instruction set.
    pub(super) fn run_integer<K: IntegerKernel>(self, kernel: K) -> K::Output {
        match self.1 {
            // SAFETY: this variant exists only if the processor supports the instructions
            #[cfg(target_arch = "x86_64")]
            Dots::Avx512Vnni => unsafe { x86::with_avx512_vnni(kernel) },
            // SAFETY: as above
            #[cfg(target_arch = "x86_64")]
            Dots::Avx512 => unsafe { x86::with_avx512_integers(kernel) },
            // SAFETY: as above
            #[cfg(target_arch = "x86_64")]
            Dots::AvxVnni => unsafe { x86::with_avx_vnni(kernel) },
            // SAFETY: as above
            #[cfg(target_arch = "x86_64")]
            Dots::Avx2 => unsafe { x86::with_avx2_integers(kernel) },
            Dots::Portable => kernel.run::<PortableIntegers>(),
        }
    }
}

/// Tells the processor to fetch the beginning of a slice into its cache.
#[inline(always)]
pub(super) fn prefetch<T>(from: &[T]) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing, and SSE is in the baseline
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(from.as_ptr().cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = from;
}

impl fmt::Display for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self.0 {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => "AVX2",
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => "NEON",
            Isa::Portable => "portable",
        })
    }
}

impl fmt::Debug for InstructionSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The first `N` values of a slice.
#[inline(always)]
fn head<T, const N: usize>(from: &[T]) -> &[T; N] {
    match from.first_chunk() {
        Some(head) => head,
        None => too_short(from.len(), N),
    }
}

/// The first `N` values of a slice, mutable.
#[inline(always)]
fn head_mut<T, const N: usize>(to: &mut [T]) -> &mut [T; N] {
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Sums;

    impl SimdKernel for Sums {
        type Output = (usize, Vec<f32>);
        #[inline(always)]
        fn run<V: Vector>(self) -> (usize, Vec<f32>) {
            let numbers: Vec<f32> = (0..V::LANES).map(|k| k as f32 - 2.5).collect();
            let a = V::load(&numbers);
            let b = V::splat(0.5);
            let mut out = vec![0.0; 9 * V::LANES];
            let power = b.plus(a).power_of_two();
            let results =
                [a.plus(b), a.minus(b), a.times_plus(b, a), a.max(b), b, a.times(b), b.over(a), a.min(b), power];
            for (out, result) in out.chunks_exact_mut(V::LANES).zip(results) {
                result.store(out);
            }
            (V::LANES, out)
        }
    }

    #[test]
    fn every_instruction_set_computes_the_same() {
        let sets = InstructionSet::available();
        assert_eq!(sets.last().map(ToString::to_string).as_deref(), Some("portable"));
        assert!(sets.first() == Some(&InstructionSet::best()));
        for set in sets {
            let (lanes, out) = set.run(Sums);
            assert_eq!(set.panel() % lanes, 0);
            for (lane, x) in (0..lanes).map(|k| (k, k as f32 - 2.5)) {
                let expected =
                    [x + 0.5, x - 0.5, x * 1.5, x.max(0.5), 0.5, x * 0.5, 0.5 / x, x.min(0.5), (x + 0.5).exp2()];
                for (number, expected) in expected.into_iter().enumerate() {
                    assert_eq!(out.get(number * lanes + lane), Some(&expected), "{set}");
                }
            }
        }
    }

    struct Pairs;

    impl IntegerKernel for Pairs {
        type Output = Vec<f32>;
        #[inline(always)]
        fn run<I: Integers>(self) -> Vec<f32> {
            let lanes = I::Float::LANES;
            let numbers: Vec<f32> =
                (0..2 * lanes).map(|k| [-32768.0, -2.5, 1.5, 7000.4][k % 4] + (k / 4) as f32).collect();
            let mut pairs = vec![0; lanes];
            I::store_pairs(I::Float::load(&numbers), I::Float::load(&numbers[lanes..]), &mut pairs);
            let sums = I::splat(5).plus_pairs(I::load(&pairs), I::splat(3 | -2 << 16)).to_float();
            let mut out = vec![0.0; lanes];
            sums.store(&mut out);
            out.into_iter().take(4).collect()
        }
    }

    #[test]
    fn integers_are_pairs_of_halves_and_round_to_even() {
        for (set, name) in InstructionSet::with_each_dots() {
            let expected = [5.0 - 98304.0 + 4.0, 5.0 + 6.0 - 14000.0, 5.0 - 98301.0 + 4.0, 5.0 + 6.0 - 14002.0];
            assert_eq!(set.run_integer(Pairs), expected, "{name}");
        }
    }

    #[test]
    #[should_panic(expected = "a vector of")]
    fn a_vector_cannot_exceed_its_slice() {
        struct Beyond;
        impl SimdKernel for Beyond {
            type Output = ();
            #[inline(always)]
            fn run<V: Vector>(self) {
                V::splat(1.0).store(&mut [0.0; 3]);
            }
        }
        InstructionSet::best().run(Beyond);
    }
}
