//! Products of bfloat16 matrices by the tile registers of AMX (Intel Advanced Matrix Extensions).
//!
//! The standard library has no stable functions for these instructions, so they are written in assembly. Source: Intel,
//! "Intel 64 and IA-32 Architectures Software Developer's Manual", volume 1, chapter 18, and volume 2 (`TDPBF16PS`).

use std::arch::asm;
use std::arch::x86_64::__cpuid_count;

use crate::net::simd::bf16::{BF16_COLUMNS, BF16_ROWS, Bf16Gemm, Pair, TileSums};
use crate::net::simd::line::Line;

/// The tile registers of this processor. A value exists only if the processor has them and the system lets this process
/// use them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TileUnit(());

/// Rows of a tile.
const TILE_ROWS: usize = 16;

/// Bytes of a row of a tile, a cache line.
const LINE: usize = size_of::<Line<Pair>>();

/// The operand of `LDTILECFG`.
#[repr(C, align(64))]
struct TileConfig([u8; 64]);

/// All eight tiles have 16 rows of 64 bytes.
static CONFIG: TileConfig = {
    let mut bytes = [0; 64];
    bytes[0] = 1; // palette
    let mut tile = 0;
    while tile < 8 {
        bytes[16 + 2 * tile] = LINE as u8;
        bytes[48 + tile] = TILE_ROWS as u8;
        tile += 1;
    }
    TileConfig(bytes)
};

/// Adds the product of the next tile of rows, and of the weights in `tmm7`, to the sums in a register. Weights of the eighth
/// step from here are fetched into the cache meanwhile.
macro_rules! add_product {
    ($sums:literal, prefetch $($ahead:literal)*) => {
        concat!(
            "tileloadd tmm6, [{row} + {stride}]\n",
            "add {row}, {tile}\n",
            $("prefetcht0 [{weights} + ", $ahead, "]\n",)*
            "tdpbf16ps tmm", $sums, ", tmm6, tmm7"
        )
    };
}

impl TileUnit {
    /// The tile registers, if they can be used.
    pub(super) fn detect() -> Option<TileUnit> {
        const LEAF: u32 = 7;
        const BF16_AND_TILE: u32 = 1 << 22 | 1 << 24;
        if __cpuid_count(0, 0).eax < LEAF || __cpuid_count(LEAF, 0).edx & BF16_AND_TILE != BF16_AND_TILE {
            return None;
        }
        is_permitted().then_some(TileUnit(()))
    }

    /// Computes a product.
    ///
    /// # Panics
    /// If the product reads beyond its slices.
    pub(super) fn multiply(self, product: &Bf16Gemm<'_>, sums: &mut TileSums) {
        assert!(product.is_inside(), "a product of bfloat16 beyond its slices");
        let Bf16Gemm { rows, stride, starts, weights } = *product;
        if starts.is_empty() {
            sums.fill(Line([0.0; _]));
            return;
        }
        // SAFETY: `TileUnit` exists only if the instructions can be used. `Bf16Gemm::is_inside` has just checked what
        // is read: 96 rows from each start, of a line each, and 16 lines of weights for each start. `sums` has 96 lines.
        // `CONFIG` is a valid configuration of palette 1. A prefetch beyond the weights reads nothing.
        unsafe {
            asm!(
                "ldtilecfg [{config}]",
                "tilezero tmm0",
                "tilezero tmm1",
                "tilezero tmm2",
                "tilezero tmm3",
                "tilezero tmm4",
                "tilezero tmm5",
                "2:",
                "mov {row}, [{starts}]",
                "shl {row}, 6",
                "add {row}, {rows}",
                "tileloadd tmm7, [{weights} + {line}]",
                add_product!(0, prefetch 8192 8256 8320),
                add_product!(1, prefetch 8384 8448 8512),
                add_product!(2, prefetch 8576 8640 8704),
                add_product!(3, prefetch 8768 8832 8896),
                add_product!(4, prefetch 8960 9024),
                add_product!(5, prefetch 9088 9152),
                "add {starts}, 8",
                "add {weights}, 1024",
                "dec {steps}",
                "jnz 2b",
                "tilestored [{sums} + {line}], tmm0",
                "tilestored [{sums} + {line} + 1024], tmm1",
                "tilestored [{sums} + {line} + 2048], tmm2",
                "tilestored [{sums} + {line} + 3072], tmm3",
                "tilestored [{sums} + {line} + 4096], tmm4",
                "tilestored [{sums} + {line} + 5120], tmm5",
                "tilerelease",
                config = in(reg) &raw const CONFIG,
                rows = in(reg) rows.as_ptr(),
                stride = in(reg) stride * LINE,
                tile = in(reg) stride * LINE * TILE_ROWS,
                line = in(reg) LINE,
                sums = in(reg) sums.as_mut_ptr(),
                starts = inout(reg) starts.as_ptr() => _,
                weights = inout(reg) weights.as_ptr() => _,
                steps = inout(reg) starts.len() => _,
                row = out(reg) _,
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nostack),
            );
        }
    }
}

const _: () = assert!(BF16_ROWS == 6 * TILE_ROWS && BF16_COLUMNS == 16 && LINE == 64);

/// Whether the system lets this process use the tile registers, whose state is so large that Linux saves it only for
/// processes that asked. Source: the kernel's documentation, "Using XSTATE features in user space applications".
fn is_permitted() -> bool {
    #[cfg(target_os = "linux")]
    {
        const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
        const XFEATURE_XTILEDATA: libc::c_long = 18;
        // SAFETY: the call changes nothing but the permission
        unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0 }
    }
    #[cfg(not(target_os = "linux"))]
    false
}
