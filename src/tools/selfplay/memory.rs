//! The resident memory of the process, to detect growth from game to game.

use std::fs;

/// Resident memory of the process in bytes, from Linux's `/proc`; `None` on other systems.
pub(super) fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kilobytes << 10)
}

/// Means of the first and of the last tenth of the samples, in MiB; `None` for fewer than ten samples.
pub(super) fn first_and_last_tenth(bytes: &[u64]) -> Option<(f64, f64)> {
    let tenth = bytes.len() / 10;
    let mean = |part: &[u64]| part.iter().map(|&bytes| bytes as f64).sum::<f64>() / tenth as f64 / f64::from(1 << 20);
    let (first, last) = (bytes.get(..tenth)?, bytes.get(bytes.len() - tenth..)?);
    (tenth > 0).then(|| (mean(first), mean(last)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn tenths_need_ten_samples() {
        assert_eq!(first_and_last_tenth(&[1 << 20; 9]), None);
        let samples: Vec<u64> = (0..20).map(|megabytes| megabytes << 20).collect();
        assert_eq!(first_and_last_tenth(&samples), Some((0.5, 18.5)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn resident_memory_grows_with_an_allocation() {
        let before = resident().unwrap();
        let block = vec![1_u8; 64 << 20];
        let after = resident().unwrap();
        assert!(after >= before + (block.len() as u64 * 3 / 4), "{before} and {after}");
    }
}
