//! Hashing of integers: FNV-1a over words, and the output function of SplitMix64. Results are the same on every
//! machine, because logs, signatures and replayed searches depend on them.
//!
//! It does not resist deliberate collisions.

/// The prime of the 64-bit FNV-1a hash.
pub(crate) const FNV_PRIME: u64 = 0x0100_0000_01b3;

/// The 64-bit FNV-1a hash by Fowler, Noll and Vo, over 64-bit words in place of bytes: `hash = (hash ^ word) · prime`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Fnv1a(u64);

impl Default for Fnv1a {
    fn default() -> Fnv1a {
        Fnv1a(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv1a {
    /// The hash with one more word.
    #[inline]
    #[must_use]
    pub(crate) const fn with(self, word: u64) -> Fnv1a {
        Fnv1a((self.0 ^ word).wrapping_mul(FNV_PRIME))
    }

    /// The hash value.
    #[inline]
    pub(crate) const fn value(self) -> u64 {
        self.0
    }
}

/// 2^64 divided by the golden ratio, odd. Its multiples are spread evenly over 64 bits: seeds for numbered games,
/// threads or searches (D. Knuth, The Art of Computer Programming, volume 3, section 6.4).
pub(crate) const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Output number `word`, counted from 0, of the generator SplitMix64 with seed 0 (Steele, Lea and Flood, 2014).
/// Different words have different outputs.
#[inline]
pub(crate) const fn splitmix64(word: u64) -> u64 {
    let z = word.wrapping_add(1).wrapping_mul(GOLDEN_GAMMA);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published test vector of FNV-1a for the bytes of "foobar".
    #[test]
    fn published_test_vector() {
        let hash = "foobar".bytes().map(u64::from).fold(Fnv1a::default(), Fnv1a::with);
        assert_eq!(hash.value(), 0x8594_4171_f739_67e8);
    }

    /// The first outputs for seed 0, as published with the generator.
    #[test]
    fn published_outputs_of_splitmix64() {
        let published = [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f];
        assert_eq!([0, 1, 2].map(splitmix64), published);
    }
}
