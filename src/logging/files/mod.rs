//! The files of the logs.
//!
//! `tracing_appender::rolling` opens and appends to every log file, and makes its folder; see `appender`. Rotation is
//! implemented here, because the appender's differs from the documented behaviour of `Log.Rotation`:
//!
//! - `daily`: the appender changes files at midnight UTC; here it is local midnight, like the timestamps. The appender
//!   deletes old files by creation time, from all files whose name starts with the log's (`NAME.bak` and other logs
//!   included); `daily` deletes only `NAME.YYYY-MM-DD`, by that date. The appender reports a failure by `eprintln!`,
//!   which panics if stderr is closed.
//! - `size`: the appender has no rotation by size.

mod appender;
mod daily;
mod sized;
#[cfg(test)]
mod tests;

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use crate::config::{LogConfig, Rotation};
use crate::io::rotated_logs::{suffixes, with_suffix};

use appender::Appender;
use daily::DailyFile;
use sized::SizedFile;

/// Opens a log for appending. One call of `write` is one line.
///
/// # Errors
/// If the file or its folder cannot be made or opened.
pub(super) fn open(path: &Path, config: &LogConfig) -> io::Result<Box<dyn Write + Send>> {
    Ok(match config.rotation {
        Rotation::Never => Box::new(Appender::open(path)?),
        Rotation::Daily => Box::new(DailyFile::open(path, config.max_files, daily::today())?),
        Rotation::Size => Box::new(SizedFile::open(path, u64::from(config.max_megabytes) << 20, config.max_files)?),
    })
}

/// The files of a rotated log by its name, oldest first: those of earlier days, those with numbers, the greatest number
/// first, and the log itself, which may be missing. Without other files it is the log alone.
pub(crate) fn rotated_set(path: &Path) -> Vec<PathBuf> {
    let mut suffixes: Vec<_> = suffixes(path).collect();
    suffixes.sort_unstable_by_key(|suffix| suffix.age_key());
    let mut set: Vec<PathBuf> = suffixes.into_iter().map(|suffix| with_suffix(path, suffix)).collect();
    if set.is_empty() || path.exists() {
        set.push(path.to_owned());
    }
    set
}
