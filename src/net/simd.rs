//! Vectors of numbers as the processor has them, and the choice among what this one has.
//!
//! This is the only module with `unsafe` in it. Two things are promised in exchange:
//!
//! - A vector type is handed to a `Job` by `Path::run` alone, and a [`Path`] exists only if the processor was asked and
//!   has the instructions. So no instruction is met that the processor lacks.
//! - Memory is read and written through arrays whose length is checked first, never by a bare pointer and a count.
//!
//! Every method of a vector and all that calls it is inlined into one function for each path, the only place where the
//! compiler is told that it may use the instructions.
#![allow(unsafe_code)]

use std::fmt;

/// A few numbers that are added and multiplied at once.
pub(super) trait Vector: Copy {
    /// How many numbers.
    const LANES: usize;
    /// How many vectors of outputs a matrix product has in registers at once, for each of [`ROWS`] rows.
    const COLUMNS: usize;
    /// The same number everywhere.
    fn splat(number: f32) -> Self;
    /// The first numbers of a slice.
    ///
    /// # Panics
    /// If there are too few.
    fn load(from: &[f32]) -> Self;
    /// Writes the numbers to the beginning of a slice.
    ///
    /// # Panics
    /// If there is too little room.
    fn store(self, to: &mut [f32]);
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The difference.
    fn minus(self, other: Self) -> Self;
    /// The product, and something added to it.
    fn times_plus(self, factor: Self, summand: Self) -> Self;
    /// The greater of each two.
    fn max(self, other: Self) -> Self;
}

/// Rows of a matrix product that are in registers at once.
pub(super) const ROWS: usize = 6;

/// Work that is done with vectors of whatever kind.
pub(super) trait Job {
    /// What comes of it.
    type Output;
    /// Does it. To be marked `#[inline(always)]`, and so all it calls with vectors.
    fn run<V: Vector>(self) -> Self::Output;
}

/// Instructions that this processor has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Path(Kind);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
    Portable,
}

impl Path {
    /// All that this processor has, the fastest first; the last needs nothing of it.
    pub fn available() -> Vec<Path> {
        let mut kinds = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                kinds.push(Kind::Avx512);
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                kinds.push(Kind::Avx2);
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            kinds.push(Kind::Neon);
        }
        kinds.push(Kind::Portable);
        kinds.into_iter().map(Path).collect()
    }

    /// The fastest.
    pub fn best() -> Path {
        Path::available().first().copied().unwrap_or(Path(Kind::Portable))
    }

    /// How many columns of a matrix are kept together for a product.
    pub(super) fn panel(self) -> usize {
        struct Panel;
        impl Job for Panel {
            type Output = usize;
            #[inline(always)]
            fn run<V: Vector>(self) -> usize {
                V::LANES * V::COLUMNS
            }
        }
        self.run(Panel)
    }

    /// Does a job.
    pub(super) fn run<J: Job>(self, job: J) -> J::Output {
        match self.0 {
            // SAFETY: a path of this kind exists only where the processor has the instructions
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => unsafe { x86::with_avx512(job) },
            // SAFETY: as above
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => unsafe { x86::with_avx2(job) },
            // SAFETY: as above
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => unsafe { neon::with_neon(job) },
            Kind::Portable => job.run::<Portable>(),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "AVX-512",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "AVX2",
            #[cfg(target_arch = "aarch64")]
            Kind::Neon => "NEON",
            Kind::Portable => "portable",
        })
    }
}

impl fmt::Debug for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The first numbers of a slice, as many as a vector has.
#[inline(always)]
fn head<const N: usize>(from: &[f32]) -> &[f32; N] {
    match from.first_chunk() {
        Some(head) => head,
        None => too_short(from.len(), N),
    }
}

/// The same, to be written to.
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
#[allow(clippy::panic)] // a mistake in this folder's own arithmetic, no input's
fn too_short(length: usize, lanes: usize) -> ! {
    panic!("a vector of {lanes} in a slice of {length}")
}

/// Numbers that the compiler puts into what vectors every processor of the kind has.
#[derive(Clone, Copy)]
struct Portable([f32; 4]);

impl Portable {
    #[inline(always)]
    fn each(self, other: Portable, of: impl Fn(f32, f32) -> f32) -> Portable {
        let (Portable([a, b, c, d]), Portable([e, f, g, h])) = (self, other);
        Portable([of(a, e), of(b, f), of(c, g), of(d, h)])
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
        // rounded twice: in one step only where the processor can
        self.each(factor, |a, b| a * b).plus(summand)
    }
    #[inline(always)]
    fn max(self, other: Portable) -> Portable {
        self.each(other, |a, b| if a > b { a } else { b })
    }
}

/// Implements [`Vector`] by a type and functions of `core::arch`.
#[allow(unused_macros)] // where there is neither
macro_rules! vector {
    ($name:ident, $inner:ty, $lanes:literal, $columns:literal,
     $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $max:ident, $fused:expr) => {
        #[derive(Clone, Copy)]
        pub(super) struct $name($inner);

        // SAFETY of all blocks: `Path::run` alone hands this type out, where the processor has the instructions; what is
        // read and written is an array of as many numbers as the vector has
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

    use super::{Job, Vector};

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
    pub(super) fn with_avx512<J: Job>(job: J) -> J::Output {
        job.run::<Avx512>()
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn with_avx2<J: Job>(job: J) -> J::Output {
        job.run::<Avx2>()
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use std::arch::aarch64::*;

    use super::{Job, Vector};

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
    pub(super) fn with_neon<J: Job>(job: J) -> J::Output {
        job.run::<Neon>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sums;

    impl Job for Sums {
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
    fn every_path_reckons_the_same() {
        let paths = Path::available();
        assert_eq!(paths.last().map(ToString::to_string).as_deref(), Some("portable"));
        assert!(paths.first() == Some(&Path::best()));
        for path in paths {
            let (lanes, out) = path.run(Sums);
            assert_eq!(path.panel() % lanes, 0);
            for (lane, x) in (0..lanes).map(|k| (k, k as f32 - 2.5)) {
                let expected = [x + 0.5, x - 0.5, x * 1.5, x.max(0.5), 0.5];
                for (number, expected) in expected.into_iter().enumerate() {
                    assert_eq!(out.get(number * lanes + lane), Some(&expected), "{path}");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "a vector of")]
    fn a_vector_never_reaches_beyond_a_slice() {
        struct Beyond;
        impl Job for Beyond {
            type Output = ();
            #[inline(always)]
            fn run<V: Vector>(self) {
                V::splat(1.0).store(&mut [0.0; 3]);
            }
        }
        Path::best().run(Beyond);
    }
}
