//! Vectors of NEON.

use std::arch::aarch64::*;

use crate::net::simd::vector::{SimdKernel, Vector};

vector!(
    Neon,
    float32x4_t,
    lanes: 4,
    gemm_vectors: 4,
    packed_rows: 6,
    panel_lines: 1,
    vdupq_n_f32,
    vaddq_f32,
    vsubq_f32,
    vmulq_f32,
    vdivq_f32,
    vmaxq_f32,
    vminq_f32,
    |factor, other, summand| vfmaq_f32(summand, factor, other),
    |exponent| {
        let biased = vaddq_s32(vcvtnq_s32_f32(exponent), vdupq_n_s32(127));
        vreinterpretq_f32_s32(vshlq_n_s32::<23>(biased))
    },
    vmaxvq_f32
);

#[target_feature(enable = "neon")]
pub(super) fn with_neon<K: SimdKernel>(kernel: K) -> K::Output {
    kernel.run::<Neon>()
}
