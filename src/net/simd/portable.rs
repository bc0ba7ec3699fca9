//! Vectors in plain Rust, which the compiler vectorises for the baseline of the target.

use crate::net::simd::vector::{Integers, Vector, head, head_mut, rounded};

/// Four lanes of `f32`.
#[derive(Clone, Copy)]
pub(super) struct Portable([f32; 4]);

impl Portable {
    #[inline(always)]
    fn each(self, other: Portable, operation: impl Fn(f32, f32) -> f32) -> Portable {
        let (Portable([a, b, c, d]), Portable([e, f, g, h])) = (self, other);
        Portable([operation(a, e), operation(b, f), operation(c, g), operation(d, h)])
    }
}

impl Vector for Portable {
    const LANES: usize = 4;
    const GEMM_VECTORS: usize = 2;
    const PACKED_ROWS: usize = 3;
    const PANEL_LINES: usize = 1;
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
    fn add(self, other: Portable) -> Portable {
        self.each(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Portable) -> Portable {
        self.each(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Portable) -> Portable {
        self.each(other, |a, b| a * b)
    }
    #[inline(always)]
    fn div(self, other: Portable) -> Portable {
        self.each(other, |a, b| a / b)
    }
    #[inline(always)]
    fn mul_add(self, factor: Portable, summand: Portable) -> Portable {
        // two roundings: fused multiply-add is not in the baseline
        self.mul(factor).add(summand)
    }
    #[inline(always)]
    fn max(self, other: Portable) -> Portable {
        self.each(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn min(self, other: Portable) -> Portable {
        self.each(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn exp2_int(self) -> Portable {
        Portable(self.0.map(|exponent| f32::from_bits((127 + exponent as i32).cast_unsigned() << 23)))
    }
    #[inline(always)]
    fn reduce_max(self) -> f32 {
        let [a, b, c, d] = self.0;
        a.max(b).max(c.max(d))
    }
}

/// Four lanes of `i32`.
#[derive(Clone, Copy)]
pub(super) struct PortableIntegers([i32; 4]);

/// The sum of the products of two pairs of `i16`.
#[inline(always)]
fn pair_product(a: i32, b: i32) -> i32 {
    (i32::from(a as i16) * i32::from(b as i16)).wrapping_add((a >> 16) * (b >> 16))
}

impl Integers for PortableIntegers {
    type Float = Portable;
    #[inline(always)]
    fn splat(number: i32) -> PortableIntegers {
        PortableIntegers([number; 4])
    }
    #[inline(always)]
    fn load(from: &[i32]) -> PortableIntegers {
        PortableIntegers(*head(from))
    }
    #[inline(always)]
    fn add_dot_pairs(self, a: PortableIntegers, b: PortableIntegers) -> PortableIntegers {
        let ([s, t, u, v], [a, b, c, d], [e, f, g, h]) = (self.0, a.0, b.0);
        let sum = |sum: i32, a, b| sum.wrapping_add(pair_product(a, b));
        PortableIntegers([sum(s, a, e), sum(t, b, f), sum(u, c, g), sum(v, d, h)])
    }
    #[inline(always)]
    fn to_float(self) -> Portable {
        Portable(self.0.map(|number| number as f32))
    }
    #[inline(always)]
    fn store_pairs(first: Portable, second: Portable, to: &mut [i32]) {
        let ([a, b, c, d], [e, f, g, h]) = (first.0, second.0);
        let pair = |low, high| (rounded(low) & 0xffff) | rounded(high) << 16;
        *head_mut(to) = [pair(a, b), pair(c, d), pair(e, f), pair(g, h)];
    }
}
