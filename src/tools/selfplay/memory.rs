//! The memory that the process takes, to see whether it grows with the games.

use std::fs;

/// Bytes of the process that are in memory; `None` where the system does not say it as Linux does.
pub(super) fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kilobytes << 10)
}

/// Means of the first and of the last tenth, in MiB; `None` where there are too few to have tenths.
pub(super) fn ends(bytes: &[u64]) -> Option<(f64, f64)> {
    let tenth = bytes.len() / 10;
    let mean = |some: &[u64]| some.iter().map(|&bytes| bytes as f64).sum::<f64>() / tenth as f64 / f64::from(1 << 20);
    let (first, last) = (bytes.get(..tenth)?, bytes.get(bytes.len() - tenth..)?);
    (tenth > 0).then(|| (mean(first), mean(last)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_ends_of_a_run() {
        assert_eq!(ends(&[1 << 20; 9]), None);
        let run: Vec<u64> = (0..20).map(|megabytes| megabytes << 20).collect();
        assert_eq!(ends(&run), Some((0.5, 18.5)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn memory_that_is_used_is_seen() {
        let before = resident().unwrap();
        let taken = vec![1_u8; 64 << 20];
        let after = resident().unwrap();
        assert!(after >= before + (taken.len() as u64 * 3 / 4), "{before} and {after}");
    }
}
