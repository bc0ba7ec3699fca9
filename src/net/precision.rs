//! The number types in which the products of a net are computed.

use std::fmt;

use crate::net::simd::InstructionSet;

/// The number type in which the products of a net's convolutions are computed, and those of the linear layers of its
/// transformer blocks. The heads, which are small, are computed in `f32`, apart from 3x3 convolutions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precision {
    /// `f32`.
    F32,
    /// Products of `i16`, see `net/quantized.rs`. As fast as `f32` where the processor has no fast instructions for
    /// them, see `InstructionSet::has_fast_integers`.
    Int16,
    /// bfloat16 in 3x3 convolutions, see `net/direct.rs`; other products as with [`Precision::Int16`]. Slow where the
    /// processor has no instructions for products of tiles, see `InstructionSet::has_fast_bf16`.
    Bfloat16,
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Precision {
    /// The name in settings and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::Int16 => "int16",
            Precision::Bfloat16 => "bf16",
        }
    }

    /// The fastest on an instruction set. Outputs stay close to those of `f32`.
    pub fn fastest(set: InstructionSet) -> Precision {
        if set.has_fast_bf16() { Precision::Bfloat16 } else { Precision::reproducible(set) }
    }

    /// The fastest that gives the same outputs on all processors of an architecture with fast integer instructions, to
    /// the last bit.
    pub fn reproducible(set: InstructionSet) -> Precision {
        if set.has_fast_integers() { Precision::Int16 } else { Precision::F32 }
    }

    /// The number type of products of points with a matrix: 1x1 convolutions and linear layers.
    pub(super) fn of_points(self, set: InstructionSet) -> NumberType {
        if self != Precision::F32 && set.has_fast_integers() { NumberType::Int16 } else { NumberType::F32 }
    }
}

/// The number types of products, other than bfloat16.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NumberType {
    F32,
    Int16,
}
