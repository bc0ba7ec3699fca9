//! A file opened for appending by `tracing_appender`, and created again when it has been removed.
//!
//! The appender alone would continue to write to a removed file, and would append to an incomplete last line. This file
//! creates a removed file again, and ends an incomplete last line when it opens a file.

use std::{
    error::Error as _,
    ffi::OsString,
    fmt,
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write},
    path::{Path, PathBuf},
};

use tracing_appender::rolling::{RollingFileAppender, Rotation};

use crate::logging::stderr::WarnOnce;

/// A log file.
pub(super) struct Appender {
    path: PathBuf,
    file: RollingFileAppender,
    reopen_warning: WarnOnce,
}

impl Appender {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.to_owned(), file: open(path)?, reopen_warning: WarnOnce::default() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Continues in another file; on an error, in the same one as before.
    pub(super) fn switch_to(&mut self, path: PathBuf) -> io::Result<()> {
        self.file = open(&path)?;
        self.path = path;
        Ok(())
    }

    /// Creates the file again if its path no longer exists, and returns whether it did. The first failure is a warning.
    pub(super) fn reopen_if_removed(&mut self) -> bool {
        let removed = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        if !fs::symlink_metadata(&self.path).is_err_and(|reason| removed.contains(&reason.kind())) {
            return false;
        }
        let result = self.switch_to(self.path.clone());
        if let Err(reason) = &result {
            self.reopen_warning.warn(format_args!("cannot open log {} again: {reason}", self.path.display()));
        }
        result.is_ok()
    }

    /// Writes without a check that the path exists.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
}

impl Write for Appender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.reopen_if_removed();
        self.append(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn open(path: &Path) -> io::Result<RollingFileAppender> {
    let name = path.file_name().ok_or_else(|| io::Error::other("not the name of a file"))?;
    let name = name.to_str().ok_or_else(|| io::Error::other("a name that is not Unicode"))?;
    let builder = RollingFileAppender::builder().rotation(Rotation::NEVER).filename_prefix(name);
    let mut file = builder
        .build(path.parent().unwrap_or(Path::new("")))
        // The system's error, without the text that the appender adds.
        .map_err(|error| io::Error::other(error.source().map_or_else(|| error.to_string(), ToString::to_string)))?;
    if has_torn_end(path).unwrap_or(false) {
        // On a full disk, the line stays incomplete.
        let _ = file.write_all(b"\n");
    }
    Ok(file)
}

/// Whether the last line is incomplete, because the program was killed or the disk was full.
fn has_torn_end(path: &Path) -> io::Result<bool> {
    // A device or a pipe must not be read.
    if !fs::metadata(path)?.is_file() {
        return Ok(false);
    }
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    Ok(byte != *b"\n")
}

/// `path.suffix`.
pub(super) fn with_suffix(path: &Path, suffix: impl fmt::Display) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{suffix}"));
    name.into()
}
