//! The memory that the system grants: limits of a container or of `ulimit` may be below the configured size.

use std::fmt;

/// A MiB, in bytes.
const MIB: usize = 1 << 20;

/// Memory of the program other than for the search, in MiB: net, thread stacks, game and logs.
const OVERHEAD: u64 = 64;

/// The memory for a search in MiB: `wanted`, or as much as the system grants, found by bisection. Each test reserves
/// address space and releases it at once; no memory is used.
///
/// # Errors
/// If the system grants less than `min`.
pub fn probe_memory_mib(wanted: u64, min: u64) -> Result<u64, NotEnoughMemory> {
    let test = |mib: u64| if is_granted(mib + OVERHEAD) { Ok(mib) } else { Err(mib) };
    if test(wanted).is_ok() {
        return Ok(wanted);
    }
    let (mut low, mut high) = (0, wanted);
    while high - low > 1 {
        match test(low.midpoint(high)) {
            Ok(middle) => low = middle,
            Err(middle) => high = middle,
        }
    }
    if low >= min {
        return Ok(low);
    }
    Err(NotEnoughMemory { needed_mib: min + OVERHEAD })
}

/// The system grants less memory than the program needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotEnoughMemory {
    /// The memory that is needed, in MiB.
    pub needed_mib: u64,
}

impl fmt::Display for NotEnoughMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not enough memory: at least {} MiB are needed", self.needed_mib)
    }
}

impl std::error::Error for NotEnoughMemory {}

/// Whether the system grants one block of this size in MiB.
fn is_granted(mib: u64) -> bool {
    let bytes = usize::try_from(mib).ok().and_then(|mib| mib.checked_mul(MIB));
    bytes.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_granted() {
        assert_eq!(probe_memory_mib(16, 16), Ok(16));
        // more than any address space
        let too_much = 1 << 43;
        let found = probe_memory_mib(too_much, 16);
        assert!(found.as_ref().is_ok_and(|&mib| (16..too_much).contains(&mib)), "{found:?}");
        let refused = probe_memory_mib(too_much, too_much);
        assert_eq!(refused, Err(NotEnoughMemory { needed_mib: too_much + OVERHEAD }));
    }
}
