//! A log that moves on to a new file before it would pass a size.
//!
//! It knows how its files are numbered, and that a device has no size. It does not know which rotation was asked for.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::super::console::warn;
use super::{Anew, end_last_line, with_suffix};

/// A log that moves on to a new file before it would pass a size.
///
/// `NAME` is being written, `NAME.1` is the one before, and so on.
pub(super) struct SizedFile {
    path: PathBuf,
    file: File,
    /// Bytes in `file`.
    size: u64,
    /// Bytes at which it moves on: `max_bytes`, and more after a failure, so that not every line tries again.
    limit: u64,
    max_bytes: u64,
    max_files: u32,
    warned: bool,
    anew: Anew,
}

impl SizedFile {
    pub(super) fn open(path: &Path, max_bytes: u64, max_files: u32) -> io::Result<Self> {
        let mut file = append(path)?;
        end_last_line(path, &mut file);
        let metadata = file.metadata()?;
        // A device or a pipe has no size, and must not be renamed.
        let limit = if metadata.is_file() { max_bytes } else { u64::MAX };
        // Left from a time with more files.
        for number in max_files.. {
            if fs::remove_file(with_suffix(path, number)).is_err() {
                break;
            }
        }
        let (path, size, anew) = (path.to_owned(), metadata.len(), Anew::default());
        Ok(Self { path, file, size, limit, max_bytes, max_files, warned: false, anew })
    }

    fn move_on(&mut self) -> io::Result<()> {
        if self.max_files <= 1 {
            self.file.set_len(0)?;
            self.size = 0;
            return Ok(());
        }
        let numbered = |number: u32| with_suffix(&self.path, number);
        // Files move up as far as the first free number: what need not go is not lost.
        let last = self.max_files - 1;
        let free = (1..last).find(|number| !numbered(*number).exists()).unwrap_or(last);
        for number in (1..free).rev() {
            fs::rename(numbered(number), numbered(number + 1))?;
        }
        let previous = numbered(1);
        let moved = match fs::rename(&self.path, &previous) {
            Ok(()) => true,
            // Someone has taken it away already.
            Err(reason) if reason.kind() == io::ErrorKind::NotFound => false,
            Err(reason) => return Err(reason),
        };
        match append(&self.path) {
            Ok(file) => {
                self.size = file.metadata().map_or(0, |metadata| metadata.len());
                self.file = file;
                Ok(())
            }
            Err(reason) => {
                if moved {
                    // The old file is still the one that is written, so let it have its name back.
                    let _ = fs::rename(&previous, &self.path);
                }
                Err(reason)
            }
        }
    }
}

fn append(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    OpenOptions::new().append(true).create(true).open(path)
}

impl Write for SizedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len() as u64;
        if let Some(file) = self.anew.begin(&self.path, append) {
            (self.file, self.size) = (file, 0);
        }
        if self.size > 0 && self.size.saturating_add(length) > self.limit {
            match self.move_on() {
                Ok(()) => self.limit = self.max_bytes,
                Err(reason) => {
                    self.limit = self.size.saturating_add(length).saturating_add(self.max_bytes);
                    if !self.warned {
                        self.warned = true;
                        warn(format_args!("cannot rotate log {}: {reason}", self.path.display()));
                    }
                }
            }
        }
        let written = self.file.write(bytes)?;
        self.size = self.size.saturating_add(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
