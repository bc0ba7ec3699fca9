//! Vectors of AVX-512 and AVX2.

use std::arch::x86_64::*;

use crate::net::simd::vector::{IntegerKernel, Integers, SimdKernel, Vector, head, head_mut};

vector!(
    Avx512,
    __m512,
    lanes: 16,
    gemm_vectors: 4,
    // with 14 rows the sums of integers spill to memory, and a product takes three times as long
    packed_rows: 13,
    panel_lines: 2,
    _mm512_set1_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_div_ps,
    _mm512_max_ps,
    _mm512_min_ps,
    _mm512_fmadd_ps,
    |exponent| _mm512_scalef_ps(_mm512_set1_ps(1.0), exponent),
    _mm512_reduce_max_ps
);
vector!(
    Avx2,
    __m256,
    lanes: 8,
    gemm_vectors: 2,
    packed_rows: 6,
    panel_lines: 1,
    _mm256_set1_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_div_ps,
    _mm256_max_ps,
    _mm256_min_ps,
    _mm256_fmadd_ps,
    |exponent| {
        let biased = _mm256_add_epi32(_mm256_cvtps_epi32(exponent), _mm256_set1_epi32(127));
        _mm256_castsi256_ps(_mm256_slli_epi32::<23>(biased))
    },
    largest_of_8
);

/// The largest lane.
#[inline]
#[target_feature(enable = "avx2")]
fn largest_of_8(numbers: __m256) -> f32 {
    let four = _mm_max_ps(_mm256_castps256_ps128(numbers), _mm256_extractf128_ps::<1>(numbers));
    let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_max_ss(two, _mm_shuffle_ps::<1>(two, two)))
}

/// Implements [`Integers`] by a type and functions of `std::arch`.
macro_rules! integers {
    ($name:ident, $float:ident, $inner:ty, $lanes:literal, $splat:ident, $float_of:ident, $pairs:expr,
     $narrowed:expr) => {
        #[derive(Clone, Copy)]
        struct $name($inner);

        // SAFETY of all blocks: as for `vector!`
        impl Integers for $name {
            type Float = $float;
            #[inline(always)]
            fn splat(number: i32) -> $name {
                $name(unsafe { $splat(number) })
            }
            #[inline(always)]
            fn load(from: &[i32]) -> $name {
                let from: &[i32; $lanes] = head(from);
                $name(unsafe { std::mem::transmute::<[i32; $lanes], $inner>(*from) })
            }
            #[inline(always)]
            fn add_dot_pairs(self, a: $name, b: $name) -> $name {
                $name(unsafe { $pairs(self.0, a.0, b.0) })
            }
            #[inline(always)]
            fn to_float(self) -> $float {
                $float(unsafe { $float_of(self.0) })
            }
            #[inline(always)]
            fn store_pairs(first: $float, second: $float, to: &mut [i32]) {
                let to: &mut [i32; $lanes] = head_mut(to);
                *to = unsafe { std::mem::transmute::<$inner, [i32; $lanes]>($narrowed(first.0, second.0)) };
            }
        }
    };
}

/// [`Integers`] of 512 bits.
macro_rules! wide_integers {
    ($name:ident, $pairs:expr) => {
        integers!($name, Avx512, __m512i, 16, _mm512_set1_epi32, _mm512_cvtepi32_ps, $pairs, |first, second| {
            // packs within parts of 128 bits: first their eighths of `first` and `second`, in turn
            let packed = _mm512_packs_epi32(_mm512_cvtps_epi32(first), _mm512_cvtps_epi32(second));
            _mm512_permutexvar_epi64(_mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7), packed)
        });
    };
}

/// [`Integers`] of 256 bits.
macro_rules! narrow_integers {
    ($name:ident, $pairs:expr) => {
        integers!($name, Avx2, __m256i, 8, _mm256_set1_epi32, _mm256_cvtepi32_ps, $pairs, |first, second| {
            // packs within halves of 128 bits: their quarters are in the order 0, 2, 1, 3
            let packed = _mm256_packs_epi32(_mm256_cvtps_epi32(first), _mm256_cvtps_epi32(second));
            _mm256_permute4x64_epi64::<0b11_01_10_00>(packed)
        });
    };
}

wide_integers!(Avx512Vnni, _mm512_dpwssd_epi32);
wide_integers!(Avx512Integers, |sum, a, b| _mm512_add_epi32(sum, _mm512_madd_epi16(a, b)));
narrow_integers!(AvxVnni, _mm256_dpwssd_avx_epi32);
narrow_integers!(Avx2Integers, |sum, a, b| _mm256_add_epi32(sum, _mm256_madd_epi16(a, b)));

#[target_feature(enable = "avx512f")]
pub(super) fn with_avx512<K: SimdKernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn with_avx2<K: SimdKernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2>()
}

#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub(super) fn with_avx512_vnni<K: IntegerKernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512Vnni>()
}

#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn with_avx512_integers<K: IntegerKernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512Integers>()
}

#[target_feature(enable = "avx2,fma,avxvnni")]
pub(super) fn with_avx_vnni<K: IntegerKernel>(kernel: K) -> K::Output {
    kernel.run::<AvxVnni>()
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn with_avx2_integers<K: IntegerKernel>(kernel: K) -> K::Output {
    kernel.run::<Avx2Integers>()
}
