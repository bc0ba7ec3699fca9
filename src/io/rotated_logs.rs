//! The names of the files of a rotated log: `NAME.YYYY-MM-DD` or `NAME.1`, `NAME.2` and so on beside `NAME`.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;

use crate::io::files;

/// The suffix that rotation adds, after a dot, to the name of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RotationSuffix {
    /// The local day of its lines.
    Day(NaiveDate),
    /// The age of the file, from 1.
    Number(u32),
}

impl RotationSuffix {
    /// The suffix of a text; `None` if rotation never writes it, as `2022-9-14`, `0` and `02`.
    fn parse(text: &str) -> Option<RotationSuffix> {
        let day = || text.parse().ok().map(RotationSuffix::Day);
        let number = text.parse().ok().filter(|number| *number > 0).map(RotationSuffix::Number);
        number.or_else(day).filter(|suffix| suffix.to_string() == text)
    }

    /// The key that sorts older files first: days, then numbers downwards.
    pub(crate) fn age_key(self) -> (bool, Option<NaiveDate>, Reverse<u32>) {
        match self {
            RotationSuffix::Day(day) => (false, Some(day), Reverse(0)),
            RotationSuffix::Number(number) => (true, None, Reverse(number)),
        }
    }
}

impl fmt::Display for RotationSuffix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RotationSuffix::Day(day) => day.fmt(f),
            RotationSuffix::Number(number) => number.fmt(f),
        }
    }
}

/// `path.suffix`.
pub(crate) fn with_suffix(path: &Path, suffix: impl fmt::Display) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{suffix}"));
    name.into()
}

/// The suffixes of the files that rotation has left beside a log.
pub(crate) fn suffixes(log: &Path) -> impl Iterator<Item = RotationSuffix> + use<> {
    let name = log.file_name().map(ToOwned::to_owned);
    let folder = log.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    entries.filter_map(move |entry| suffix_after(entry.file_name().to_str()?, name.as_ref()?.to_str()?))
}

/// Whether rotation of a log would rename a file to this path, or delete it there. Links are followed.
pub(crate) fn is_rotated_name(path: &Path, log: &Path) -> bool {
    [path, &files::destination(path)].into_iter().any(|path| {
        let names = path.file_name().and_then(|name| name.to_str()).zip(log.file_name().and_then(|name| name.to_str()));
        names.is_some_and(|(name, log)| suffix_after(name, log).is_some())
            && path.parent().zip(log.parent()).is_some_and(|(folder, other)| files::is_same(folder, other))
    })
}

/// The suffix of a file name that is the name of a log with a suffix.
fn suffix_after(name: &str, log: &str) -> Option<RotationSuffix> {
    RotationSuffix::parse(name.strip_prefix(log)?.strip_prefix('.')?)
}
