//! The file that a log goes to, opened for appending, and its names.
//!
//! It knows which kind of rotation is asked for; `daily` and `sized` know how each is done. It does not know what a line
//! is about, only that one call writes at most one.

mod daily;
mod sized;
#[cfg(test)]
mod tests;

use std::{
    ffi::OsString,
    fmt, fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use tracing_appender::rolling::{RollingFileAppender, Rotation as Rolling};

use crate::engine_config::{LogConfig, Rotation};

use daily::DailyFile;
use sized::SizedFile;

/// Opens a log for appending, and makes its folder if need be.
pub(super) fn open(path: &Path, config: &LogConfig) -> io::Result<Box<dyn Write + Send>> {
    let max_files = config.max_files;
    Ok(match config.rotation {
        Rotation::Never => Box::new(open_appender(path)?),
        Rotation::Daily => Box::new(DailyFile::open(path, max_files, daily::today)?),
        Rotation::Size => Box::new(SizedFile::open(path, u64::from(config.max_megabytes) << 20, max_files)?),
    })
}

fn open_appender(path: &Path) -> io::Result<RollingFileAppender> {
    let name = path.file_name().ok_or_else(|| io::Error::other("not the name of a file"))?;
    let name = name.to_str().ok_or_else(|| io::Error::other("a name that is not Unicode"))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    RollingFileAppender::builder().rotation(Rolling::NEVER).filename_prefix(name).build(folder).map_err(|error| {
        match std::error::Error::source(&error).and_then(|source| source.downcast_ref::<io::Error>()) {
            Some(reason) => io::Error::new(reason.kind(), reason.to_string()),
            None => io::Error::other(error.to_string()),
        }
    })
}

/// `path` with `.suffix` after it.
fn with_suffix(path: &Path, suffix: impl fmt::Display) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{suffix}"));
    name.into()
}
