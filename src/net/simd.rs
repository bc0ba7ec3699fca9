//! SIMD vectors, and the choice of the instruction set at run time.
//!
//! This is the only module with `unsafe` code. Its contract:
//!
//! - Only `InstructionSet::run` passes a vector type to a `SimdKernel`, and an [`InstructionSet`] exists only after the
//!   processor reported the instructions. So no unsupported instruction is executed.
//! - Memory is accessed through arrays whose length was checked, never by a bare pointer and a count.
//!
//! Vector methods and everything that calls them are inlined into one function per instruction set, the only function
//! that is compiled with these instructions enabled.
#![allow(unsafe_code)]

use std::fmt;

/// A SIMD vector of `f32`.
pub(super) trait Vector: Copy {
    /// Number of lanes.
    const LANES: usize;
    /// Output vectors that a matrix product keeps in registers for each of [`ROWS`] rows.
    const COLUMNS: usize;
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
    /// `self * factor + summand`, fused where the instruction set can.
    fn times_plus(self, factor: Self, summand: Self) -> Self;
    /// The lane-wise maximum.
    fn max(self, other: Self) -> Self;
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

/// An instruction set that this processor supports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InstructionSet(Isa);

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

impl InstructionSet {
    /// The supported instruction sets, fastest first; the last is the portable one.
    pub fn available() -> Vec<InstructionSet> {
        let mut sets = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                sets.push(Isa::Avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                sets.push(Isa::Avx2);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            sets.push(Isa::Neon);
        }
        sets.push(Isa::Portable);
        sets.into_iter().map(InstructionSet).collect()
    }

    /// The fastest supported instruction set.
    pub fn best() -> InstructionSet {
        InstructionSet::available().first().copied().unwrap_or(InstructionSet(Isa::Portable))
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
fn head<const N: usize>(from: &[f32]) -> &[f32; N] {
    match from.first_chunk() {
        Some(head) => head,
        None => too_short(from.len(), N),
    }
}

/// The first `N` values of a slice, mutable.
#[inline(always)]
fn head_mut<const N: usize>(to: &mut [f32]) -> &mut [f32; N] {
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

/// Four lanes in plain Rust, which the compiler vectorises for the baseline of the target.
#[derive(Clone, Copy)]
struct Portable([f32; 4]);

impl Portable {
    #[inline(always)]
    fn each(self, other: Portable, operation: impl Fn(f32, f32) -> f32) -> Portable {
        let (Portable([a, b, c, d]), Portable([e, f, g, h])) = (self, other);
        Portable([operation(a, e), operation(b, f), operation(c, g), operation(d, h)])
    }
}

impl Vector for Portable {
    const LANES: usize = 4;
    const COLUMNS: usize = 2;
    #[inline(always)]
    fn splat(number: f32) -> Portable {
        Portable([number; 4])
    }
    #[inline(always)]
    fn load(from: &[f32]) -> Portable {
        Portable(*head(from))
    }
    #[inline(always)]
    fn store(self, to: &mut [f32]) {
        *head_mut(to) = self.0;
    }
    #[inline(always)]
    fn plus(self, other: Portable) -> Portable {
        self.each(other, |a, b| a + b)
    }
    #[inline(always)]
    fn minus(self, other: Portable) -> Portable {
        self.each(other, |a, b| a - b)
    }
    #[inline(always)]
    fn times_plus(self, factor: Portable, summand: Portable) -> Portable {
        // two roundings: fused multiply-add is not in the baseline
        self.each(factor, |a, b| a * b).plus(summand)
    }
    #[inline(always)]
    fn max(self, other: Portable) -> Portable {
        self.each(other, |a, b| if a > b { a } else { b })
    }
}

/// Implements [`Vector`] by a type and functions of `std::arch`.
#[allow(unused_macros)] // on other architectures
macro_rules! vector {
    ($name:ident, $inner:ty, $lanes:literal, $columns:literal,
     $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $max:ident, $fused:expr) => {
        #[derive(Clone, Copy)]
        pub(super) struct $name($inner);

        // SAFETY of all blocks: only `InstructionSet::run` passes this type on, after the processor reported the
        // instructions; loads and stores go through an array of the vector's length
        impl Vector for $name {
            const LANES: usize = $lanes;
            const COLUMNS: usize = $columns;
            #[inline(always)]
            fn splat(number: f32) -> $name {
                $name(unsafe { $splat(number) })
            }
            #[inline(always)]
            fn load(from: &[f32]) -> $name {
                let from: &[f32; $lanes] = super::head(from);
                $name(unsafe { $load(from.as_ptr()) })
            }
            #[inline(always)]
            fn store(self, to: &mut [f32]) {
                let to: &mut [f32; $lanes] = super::head_mut(to);
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
            fn times_plus(self, factor: $name, summand: $name) -> $name {
                $name(unsafe { $fused(self.0, factor.0, summand.0) })
            }
            #[inline(always)]
            fn max(self, other: $name) -> $name {
                $name(unsafe { $max(self.0, other.0) })
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    use super::{SimdKernel, Vector};

    vector!(
        Avx512,
        __m512,
        16,
        4,
        _mm512_set1_ps,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        _mm512_sub_ps,
        _mm512_max_ps,
        _mm512_fmadd_ps
    );
    vector!(
        Avx2,
        __m256,
        8,
        2,
        _mm256_set1_ps,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_sub_ps,
        _mm256_max_ps,
        _mm256_fmadd_ps
    );

    #[target_feature(enable = "avx512f")]
    pub(super) fn with_avx512<K: SimdKernel>(kernel: K) -> K::Output {
        kernel.run::<Avx512>()
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn with_avx2<K: SimdKernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2>()
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::*;

    use super::{SimdKernel, Vector};

    vector!(
        Neon,
        float32x4_t,
        4,
        4,
        vdupq_n_f32,
        vld1q_f32,
        vst1q_f32,
        vaddq_f32,
        vsubq_f32,
        vmaxq_f32,
        |factor, other, summand| vfmaq_f32(summand, factor, other)
    );

    #[target_feature(enable = "neon")]
    pub(super) fn with_neon<K: SimdKernel>(kernel: K) -> K::Output {
        kernel.run::<Neon>()
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
            let mut out = vec![0.0; 5 * V::LANES];
            let results = [a.plus(b), a.minus(b), a.times_plus(b, a), a.max(b), b];
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
                let expected = [x + 0.5, x - 0.5, x * 1.5, x.max(0.5), 0.5];
                for (number, expected) in expected.into_iter().enumerate() {
                    assert_eq!(out.get(number * lanes + lane), Some(&expected), "{set}");
                }
            }
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
