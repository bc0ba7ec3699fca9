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
    fmt,
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write},
    path::{Path, PathBuf},
};

use tracing_appender::rolling::{RollingFileAppender, Rotation as Rolling};

use crate::config::{LogConfig, Rotation};

use super::console::warn;
use daily::DailyFile;
use sized::SizedFile;

/// Opens a log for appending, and makes its folder if need be.
pub(super) fn open(path: &Path, config: &LogConfig) -> io::Result<Box<dyn Write + Send>> {
    let max_files = config.max_files;
    Ok(match config.rotation {
        Rotation::Never => {
            Box::new(Growing { path: path.to_owned(), file: open_appender(path)?, anew: Anew::default() })
        }
        Rotation::Daily => Box::new(DailyFile::open(path, max_files, daily::today)?),
        Rotation::Size => Box::new(SizedFile::open(path, u64::from(config.max_megabytes) << 20, max_files)?),
    })
}

/// A log that grows for ever.
struct Growing {
    path: PathBuf,
    file: RollingFileAppender,
    anew: Anew,
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(file) = self.anew.begin(&self.path, open_appender) {
            self.file = file;
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Begins a log anew whose file has been taken away: what is written to a file without a name is lost.
#[derive(Default)]
struct Anew {
    /// Somebody has been told that this fails.
    warned: bool,
}

impl Anew {
    /// A new file if there is none of that name any more.
    fn begin<F>(&mut self, path: &Path, open: impl Fn(&Path) -> io::Result<F>) -> Option<F> {
        let gone = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        let is_gone = fs::symlink_metadata(path).is_err_and(|reason| gone.contains(&reason.kind()));
        if !is_gone {
            return None;
        }
        match open(path) {
            Ok(file) => Some(file),
            Err(reason) => {
                if !std::mem::replace(&mut self.warned, true) {
                    warn(format_args!("cannot open log {} again: {reason}", path.display()));
                }
                None
            }
        }
    }
}

/// Ends a last line that was cut short when the program was stopped, so that the next one is not glued to it.
fn end_last_line(path: &Path, file: &mut impl Write) {
    let last_byte = || -> io::Result<u8> {
        let mut file = File::open(path)?;
        // a device or a pipe must not be read
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        file.seek(SeekFrom::End(-1))?;
        let mut byte = [0];
        file.read_exact(&mut byte)?;
        Ok(u8::from_be_bytes(byte))
    };
    if last_byte().is_ok_and(|byte| byte != b'\n') {
        // if the disk is full, so be it
        let _ = file.write_all(b"\n");
    }
}

fn open_appender(path: &Path) -> io::Result<RollingFileAppender> {
    let name = path.file_name().ok_or_else(|| io::Error::other("not the name of a file"))?;
    let name = name.to_str().ok_or_else(|| io::Error::other("a name that is not Unicode"))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder)?;
    let builder = RollingFileAppender::builder().rotation(Rolling::NEVER).filename_prefix(name);
    let mut file = builder.build(folder).map_err(|error| {
        match std::error::Error::source(&error).and_then(|source| source.downcast_ref::<io::Error>()) {
            Some(reason) => io::Error::new(reason.kind(), reason.to_string()),
            None => io::Error::other(error.to_string()),
        }
    })?;
    end_last_line(path, &mut file);
    Ok(file)
}

/// `path` with `.suffix` after it.
fn with_suffix(path: &Path, suffix: impl fmt::Display) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(format!(".{suffix}"));
    name.into()
}
