//! The memory that the system grants: limits of a container or of `ulimit` may be below the configured size.

use std::fmt;
use std::fs;
use std::path::{Component, Path};

/// A MiB, in bytes.
const MIB: usize = 1 << 20;

/// Memory of the program other than for the search, in MiB: net, thread stacks, game and logs.
const OVERHEAD: u64 = 64;

/// The memory for a search in MiB: `wanted`, or as much as the system grants, found by bisection. Each test reserves
/// address space and releases it at once; no memory is used. The limit of a container, which reserving does not notice, is
/// read from its control groups.
///
/// # Errors
/// If the system grants less than `min`.
pub fn probe_memory_mib(wanted: u64, min: u64) -> Result<u64, NotEnoughMemory> {
    probe(wanted, min, 0)
}

/// The memory in MiB for a search that holds `in_use` of it already: `wanted`, or as much as the system grants.
pub(crate) fn probe_growth_mib(wanted: u64, in_use: u64) -> u64 {
    probe(wanted, 0, in_use).unwrap_or_default()
}

fn probe(wanted: u64, min: u64, in_use: u64) -> Result<u64, NotEnoughMemory> {
    let limit = group_limit_mib(Path::new("/")).unwrap_or(u64::MAX);
    let is_free = |mib: u64| mib + OVERHEAD <= limit && is_granted(mib.saturating_sub(in_use) + OVERHEAD);
    let test = |mib: u64| if is_free(mib) { Ok(mib) } else { Err(mib) };
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

/// The memory limit of this process by its control groups and those above them, of version 2 and 1, in MiB; `None` without
/// one. `root` is the root folder.
fn group_limit_mib(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let limits = groups.lines().filter_map(|line| {
        // number, controllers, path; the controllers of version 2 are not listed
        let (_, line) = line.split_once(':')?;
        let (controllers, path) = line.split_once(':')?;
        let (mount, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        limit_above(&root.join(mount), Path::new(path), file)
    });
    limits.min().map(|bytes| bytes / MIB as u64)
}

/// The least number in the files of this name in the folder `path` below `mount` and in the folders above it. A container
/// may see its own group as `mount` while `path` is that of the host, so that not all folders exist.
fn limit_above(mount: &Path, path: &Path, file: &str) -> Option<u64> {
    let below: Vec<_> = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let folders = (0..=below.len()).filter_map(|depth| below.get(..depth));
    // `max` is no number
    let limit = |parts: &[Component<'_>]| {
        let folder = parts.iter().fold(mount.to_owned(), |folder, part| folder.join(part));
        fs::read_to_string(folder.join(file)).ok()?.trim().parse().ok()
    };
    folders.filter_map(limit).min()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
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
    #[test]
    fn the_least_limit_of_the_control_groups_counts() {
        let limit = |groups: &str, files: &[(&str, &str)]| {
            let root = tempfile::tempdir().unwrap();
            for (path, text) in [("proc/self/cgroup", groups)].iter().chain(files) {
                let path = root.path().join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            group_limit_mib(root.path())
        };
        let (top, inner) = ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/a/b/memory.max");
        assert_eq!(limit("0::/a/b\n", &[(inner, "max\n")]), None);
        assert_eq!(limit("0::/a/b\n", &[(inner, "104857600\n")]), Some(100));
        assert_eq!(limit("0::/a/b\n", &[(inner, "104857600\n"), (top, "max\n")]), Some(100));
        assert_eq!(limit("0::/a/b\n", &[("sys/fs/cgroup/a/memory.max", "52428800\n"), (inner, "max\n")]), Some(50));
        // a container that sees its own group at the top
        assert_eq!(limit("0::/\n", &[(top, "104857600\n")]), Some(100));
        assert_eq!(limit("0::/../../other\n", &[(top, "104857600\n")]), Some(100));
        // version 1
        let groups = "12:cpu,cpuacct:/x\n5:hugetlb,memory:/docker/1\n1:name=systemd:/a/b\n0::/a/b\n";
        let [outer, own] = ["", "docker/1/"].map(|at| format!("sys/fs/cgroup/memory/{at}memory.limit_in_bytes"));
        assert_eq!(limit(groups, &[(&outer, "9223372036854771712\n"), (&own, "104857600\n")]), Some(100));
        assert_eq!(limit(groups, &[(&outer, "52428800\n")]), Some(50));
        assert_eq!(limit(groups, &[(&own, "104857600\n"), (inner, "52428800\n")]), Some(50));
        // another system
        assert_eq!(limit("", &[]), None);
    }
}
