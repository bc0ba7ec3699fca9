//! SIMD vectors, and the choice of the instruction set at run time.
//!
//! This folder is the only place of `unsafe` code. Its contract:
//!
//! - Only `InstructionSet::run` passes a vector type to a `SimdKernel`, only `InstructionSet::run_integer` one to an
//!   `IntegerKernel`, and an [`InstructionSet`] exists only after the processor reported the instructions. So no
//!   unsupported instruction is executed.
//! - Memory is accessed through arrays whose length was checked. The exceptions: `amx` gives its instructions pointers
//!   and a count, after a check that every row they read is inside, and a prefetch reads nothing.
//!
//! Vector methods and everything that calls them are inlined into the entry functions of `x86` and `neon`, which with
//! their helpers are the only functions compiled with these instructions enabled.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod amx;
#[macro_use]
mod vector;
mod bf16;
mod line;
#[cfg(target_arch = "aarch64")]
mod neon;
mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::fmt;

pub(super) use crate::net::simd::bf16::{BF16_COLUMNS, BF16_ROWS, Bf16Gemm, Pair, TileSums, bfloat};
pub(super) use crate::net::simd::line::{LINE_WORDS, Line};
use crate::net::simd::portable::{Portable, PortableIntegers};
pub(super) use crate::net::simd::vector::{
    GEMM_ROWS, IntegerKernel, Integers, ROUNDING_SHIFT, SimdKernel, Vector, rounded,
};

/// An instruction set that this processor supports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InstructionSet {
    float: Isa,
    integer: IntegerIsa,
    bf16: Bf16Isa,
}

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
enum IntegerIsa {
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

/// The instructions for products of bfloat16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bf16Isa {
    #[cfg(target_arch = "x86_64")]
    Amx(amx::TileUnit),
    Portable,
}

impl Bf16Isa {
    /// The fastest of the processor.
    #[cfg(target_arch = "x86_64")]
    fn best() -> Bf16Isa {
        amx::TileUnit::detect().map_or(Bf16Isa::Portable, Bf16Isa::Amx)
    }
}

impl IntegerIsa {
    /// The instruction sets of the processor, fastest first; the last is the portable code.
    #[cfg(any(test, target_arch = "x86_64"))]
    fn available() -> Vec<IntegerIsa> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw") {
                if is_x86_feature_detected!("avx512vnni") {
                    sets.push(IntegerIsa::Avx512Vnni);
                }
                sets.push(IntegerIsa::Avx512);
            }
            if is_x86_feature_detected!("avxvnni") {
                sets.push(IntegerIsa::AvxVnni);
            }
            sets.push(IntegerIsa::Avx2);
        }
        sets.push(IntegerIsa::Portable);
        sets
    }

    /// Whether the vectors have 512 bits.
    #[cfg(target_arch = "x86_64")]
    fn has_512_bits(self) -> bool {
        matches!(self, IntegerIsa::Avx512Vnni | IntegerIsa::Avx512)
    }
}

impl InstructionSet {
    /// Plain Rust.
    const PORTABLE: InstructionSet =
        InstructionSet { float: Isa::Portable, integer: IntegerIsa::Portable, bf16: Bf16Isa::Portable };

    /// The supported instruction sets, fastest first; the last is the portable one.
    pub fn available() -> Vec<InstructionSet> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let fastest = |wide: bool| IntegerIsa::available().into_iter().find(|isa| wide || !isa.has_512_bits());
            if is_x86_feature_detected!("avx512f") {
                let integer = fastest(true).unwrap_or(IntegerIsa::Portable);
                sets.push(InstructionSet { float: Isa::Avx512, integer, bf16: Bf16Isa::best() });
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                let integer = fastest(false).unwrap_or(IntegerIsa::Portable);
                sets.push(InstructionSet { float: Isa::Avx2, integer, bf16: Bf16Isa::Portable });
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            sets.push(InstructionSet { float: Isa::Neon, ..InstructionSet::PORTABLE });
        }
        sets.push(InstructionSet::PORTABLE);
        sets
    }

    /// One instruction set for each set of integer instructions that the processor supports, with their name.
    #[cfg(test)]
    pub(super) fn with_each_integer_isa() -> Vec<(InstructionSet, String)> {
        let set = InstructionSet::best();
        IntegerIsa::available()
            .into_iter()
            .map(|integer| (InstructionSet { integer, ..set }, format!("{integer:?}")))
            .collect()
    }

    /// Whether sums of products of `i16` are faster than those of `f32`.
    pub(super) fn has_fast_integers(self) -> bool {
        self.integer != IntegerIsa::Portable
    }

    /// Whether products of bfloat16 are faster than those of `f32` and `i16`.
    pub(super) fn has_fast_bf16(self) -> bool {
        self.bf16 != Bf16Isa::Portable
    }

    /// Computes a matrix product of bfloat16.
    ///
    /// # Panics
    /// If the product reads beyond its slices.
    pub(super) fn multiply_bf16(self, product: &Bf16Gemm<'_>, sums: &mut TileSums) {
        match self.bf16 {
            #[cfg(target_arch = "x86_64")]
            Bf16Isa::Amx(unit) => unit.multiply(product, sums),
            Bf16Isa::Portable => product.multiply(sums),
        }
    }

    /// The fastest supported instruction set.
    pub fn best() -> InstructionSet {
        InstructionSet::available().first().copied().unwrap_or(InstructionSet::PORTABLE)
    }

    /// The number of matrix columns in a panel of `net/gemm.rs`.
    pub(super) fn panel_columns(self) -> usize {
        struct Panel;
        impl SimdKernel for Panel {
            type Output = usize;
            #[inline(always)]
            fn run<V: Vector>(self) -> usize {
                V::LANES * V::GEMM_VECTORS
            }
        }
        self.run(Panel)
    }

    /// [`Vector::PANEL_LINES`] of the vectors for `f32`.
    pub(super) fn float_panel_lines(self) -> usize {
        struct Panel;
        impl SimdKernel for Panel {
            type Output = usize;
            #[inline(always)]
            fn run<V: Vector>(self) -> usize {
                V::PANEL_LINES
            }
        }
        self.run(Panel)
    }

    /// [`Vector::PANEL_LINES`] of the vectors for integers.
    pub(super) fn integer_panel_lines(self) -> usize {
        struct Panel;
        impl IntegerKernel for Panel {
            type Output = usize;
            #[inline(always)]
            fn run<I: Integers>(self) -> usize {
                I::Float::PANEL_LINES
            }
        }
        self.run_integer(Panel)
    }

    /// Runs a kernel with the vectors of this instruction set.
    pub(super) fn run<K: SimdKernel>(self, kernel: K) -> K::Output {
        match self.float {
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
        match self.integer {
            // SAFETY: this variant exists only if the processor supports the instructions
            #[cfg(target_arch = "x86_64")]
            IntegerIsa::Avx512Vnni => unsafe { x86::with_avx512_vnni(kernel) },
            // SAFETY: as above
            #[cfg(target_arch = "x86_64")]
            IntegerIsa::Avx512 => unsafe { x86::with_avx512_integers(kernel) },
            // SAFETY: as above
            #[cfg(target_arch = "x86_64")]
            IntegerIsa::AvxVnni => unsafe { x86::with_avx_vnni(kernel) },
            // SAFETY: as above
            #[cfg(target_arch = "x86_64")]
            IntegerIsa::Avx2 => unsafe { x86::with_avx2_integers(kernel) },
            IntegerIsa::Portable => kernel.run::<PortableIntegers>(),
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
        f.pad(match self.float {
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
            let power = b.add(a).exp2_int();
            let results = [a.add(b), a.sub(b), a.mul_add(b, a), a.max(b), b, a.mul(b), b.div(a), a.min(b), power];
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
            assert_eq!(set.panel_columns() % lanes, 0);
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
            let sums = I::splat(5).add_dot_pairs(I::load(&pairs), I::splat(3 | -2 << 16)).to_float();
            let mut out = vec![0.0; lanes];
            sums.store(&mut out);
            out.into_iter().take(4).collect()
        }
    }

    #[test]
    fn integers_are_pairs_of_halves_and_round_to_even() {
        for (set, name) in InstructionSet::with_each_integer_isa() {
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
