//! A log that starts a new file before it would exceed a size. `NAME` is the current file, `NAME.1` the one before, and
//! so on.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Write},
    path::Path,
};

use super::appender::Appender;
use crate::io::files;
use crate::io::rotated_logs::with_suffix;
use crate::logging::stderr::WarnOnce;

/// A log with files of limited size.
pub(super) struct SizedFile {
    file: Appender,
    /// Bytes in `file`, those of other engines included.
    size: u64,
    /// The maximum size: `max_bytes`, raised after a failed rotation so that not every line tries again, and
    /// `u64::MAX` for a device or a pipe, which has no size and must not be renamed.
    limit: u64,
    max_bytes: u64,
    max_files: u32,
    rotate_warning: WarnOnce,
}

impl SizedFile {
    pub(super) fn open(path: &Path, max_bytes: u64, max_files: u32) -> io::Result<Self> {
        let file = Appender::open(path)?;
        let metadata = fs::metadata(path)?;
        let limit = if metadata.is_file() { max_bytes } else { u64::MAX };
        // Files left from a run with a larger `max_files`.
        for number in max_files.. {
            if fs::remove_file(with_suffix(path, number)).is_err() {
                break;
            }
        }
        Ok(Self { file, size: metadata.len(), limit, max_bytes, max_files, rotate_warning: WarnOnce::default() })
    }

    /// Rotates the log before this number of bytes is written, unless another engine rotates it or has just done so.
    ///
    /// Engines that share a log rotate it one at a time, by a lock on `NAME.lock`, which stays. An engine that does not get
    /// the lock does not wait for it: its line goes to the file that is being renamed.
    fn rotate_once(&mut self, new: u64) -> io::Result<()> {
        let lock = files::open_with(
            &with_suffix(self.file.path(), "lock"),
            OpenOptions::new().write(true).create(true).truncate(false),
        );
        // file systems without locks: engines rotate without one
        if let Ok(lock) = &lock
            && matches!(lock.try_lock(), Err(TryLockError::WouldBlock))
        {
            return Ok(());
        }
        // another engine may have rotated the log before the lock was held
        self.size = self.file.follow_path().unwrap_or(self.size);
        if self.is_full(new) {
            self.rotate()?;
        }
        self.limit = self.max_bytes;
        Ok(())
    }

    /// Whether this number of bytes would make the file too large.
    fn is_full(&self, new: u64) -> bool {
        self.size > 0 && self.size.saturating_add(new) > self.limit
    }

    fn rotate(&mut self) -> io::Result<()> {
        let path = self.file.path().to_owned();
        if self.max_files <= 1 {
            // Empties the file.
            File::create(&path)?;
            self.size = 0;
            return Ok(());
        }
        let numbered = |number: u32| with_suffix(&path, number);
        // Files move up to the first free number, so that none is overwritten before all numbers are used.
        let last = self.max_files - 1;
        let free = (1..last).find(|number| !numbered(*number).exists()).unwrap_or(last);
        for number in (1..free).rev() {
            fs::rename(numbered(number), numbered(number + 1))?;
        }
        fs::rename(&path, numbered(1))?;
        if let Err(reason) = self.file.switch_to(path.clone()) {
            // The old file is still written to, so it gets its name back.
            let _ = fs::rename(numbered(1), &path);
            return Err(reason);
        }
        self.size = fs::metadata(&path).map_or(0, |metadata| metadata.len());
        Ok(())
    }
}

impl Write for SizedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // other engines may write to the same log, and rotate it
        self.size = self.file.follow_path().unwrap_or(self.size);
        let new = bytes.len() as u64;
        if self.is_full(new)
            && let Err(reason) = self.rotate_once(new)
        {
            self.limit = self.size.saturating_add(new).saturating_add(self.max_bytes);
            let path = self.file.path().display();
            self.rotate_warning.warn(format_args!("cannot rotate log {path}: {reason}"));
        }
        let written = self.file.append(bytes)?;
        self.size = self.size.saturating_add(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
