//! How much memory the system gives.

/// A MiB, in bytes.
const MIB: usize = 1 << 20;

/// What the program needs beside its search's memory, in MiB: the net, stacks of threads, a game and its logs.
const ELSE: u64 = 64;

/// The memory that a search may take, in MiB: what was agreed on, or less where the system does not give so much. It is
/// asked for and given back at once, so nothing is used up.
///
/// # Errors
/// One line where there is less than `least`.
pub fn granted(agreed: u64, least: u64) -> Result<u64, String> {
    let most = |mib: u64| if is_given(mib + ELSE) { Ok(mib) } else { Err(mib) };
    if most(agreed).is_ok() {
        return Ok(agreed);
    }
    let (mut low, mut high) = (0, agreed);
    while high - low > 1 {
        match most(low.midpoint(high)) {
            Ok(middle) => low = middle,
            Err(middle) => high = middle,
        }
    }
    if low >= least {
        return Ok(low);
    }
    Err(format!("the system gives too little memory: {} MiB are needed at least", least + ELSE))
}

/// Whether the system gives so many MiB in one piece.
fn is_given(mib: u64) -> bool {
    let bytes = usize::try_from(mib).ok().and_then(|mib| mib.checked_mul(MIB));
    bytes.is_some_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_there_is_is_granted_and_no_more() {
        assert_eq!(granted(16, 16), Ok(16));
        // more than any machine has addresses for
        let most = 1 << 43;
        let found = granted(most, 16);
        assert!(found.as_ref().is_ok_and(|&mib| (16..most).contains(&mib)), "{found:?}");
        let refused = granted(most, most);
        assert!(refused.as_ref().is_err_and(|reason| reason.contains(&(most + ELSE).to_string())), "{refused:?}");
    }
}
