//! A file opened for appending by `tracing_appender`, and opened again when it has been removed or renamed.
//!
//! The appender alone would continue to write to a removed file, and would append to an incomplete last line. This file
//! creates a removed file again, and ends an incomplete last line when it opens a file. If another engine that writes to
//! the same log has rotated it, both continue in the new file.

use std::{
    error::Error as _,
    fs,
    io::{self, Read as _, Seek as _, SeekFrom, Write},
    path::{Path, PathBuf},
};

use tracing_appender::rolling::{RollingFileAppender, Rotation};

use crate::io::files::{self, FileId};
use crate::logging::stderr::WarnOnce;

/// A log file.
pub(super) struct Appender {
    path: PathBuf,
    file: Box<dyn Write + Send>,
    /// The identity of the open file; `None` where the system has none.
    id: Option<FileId>,
    reopen_warning: WarnOnce,
}

impl Appender {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let (file, id) = open(path)?;
        Ok(Self { path: path.to_owned(), file, id, reopen_warning: WarnOnce::default() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Continues in another file; on an error, in the same one as before.
    pub(super) fn switch_to(&mut self, path: PathBuf) -> io::Result<()> {
        (self.file, self.id) = open(&path)?;
        self.path = path;
        Ok(())
    }

    /// Opens the path again, if it no longer leads to the open file, and creates a file there if there is none. Returns
    /// the length of the file in bytes, if it is known. The first failure is a warning.
    pub(super) fn follow_path(&mut self) -> Option<u64> {
        let removed = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        let is_open = match fs::metadata(&self.path) {
            Ok(metadata) if FileId::of(&metadata) == self.id => return Some(metadata.len()),
            Ok(_) => false,
            Err(reason) => !removed.contains(&reason.kind()),
        };
        if is_open {
            return None;
        }
        match self.switch_to(self.path.clone()) {
            Ok(()) => fs::metadata(&self.path).ok().map(|metadata| metadata.len()),
            Err(reason) => {
                self.reopen_warning.warn(format_args!("cannot open log {} again: {reason}", self.path.display()));
                None
            }
        }
    }

    /// Writes without a check that the path exists.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
}

impl Write for Appender {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.follow_path();
        self.append(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The open file of a log, with its identity.
type OpenFile = (Box<dyn Write + Send>, Option<FileId>);

/// Most times that a file is opened again because another engine rotated it meanwhile.
const MAX_REOPENINGS: usize = 8;

/// Opens a regular file by the appender. A pipe or a device is opened without it, because the appender would await the
/// reader of a pipe.
fn open(path: &Path) -> io::Result<OpenFile> {
    if let Some(stream) = files::open_stream(path)? {
        let id = FileId::of(&stream.metadata()?);
        return Ok((Box::new(stream), id));
    }
    let name = path.file_name().ok_or_else(|| io::Error::other("not the name of a file"))?;
    let name = name.to_str().ok_or_else(|| io::Error::other("a name that is not Unicode"))?;
    let append = || {
        let builder = RollingFileAppender::builder().rotation(Rotation::NEVER).filename_prefix(name);
        builder
            .build(path.parent().unwrap_or(Path::new("")))
            // the system's error, without the text that the appender adds
            .map_err(|error| io::Error::other(error.source().map_or_else(|| error.to_string(), ToString::to_string)))
    };
    let mut before = FileId::at(path);
    let mut file = append()?;
    let mut id = FileId::at(path);
    // the identity is that of the open file if it is the same before and after: another engine may rotate the file
    for _ in 0..MAX_REOPENINGS {
        if id == before {
            break;
        }
        before = id;
        file = append()?;
        id = FileId::at(path);
    }
    if has_torn_end(path).unwrap_or(false) {
        // On a full disk, the line stays incomplete.
        let _ = file.write_all(b"\n");
    }
    Ok((Box::new(file), id))
}

/// Whether the last line is incomplete, because the program was killed or the disk was full.
fn has_torn_end(path: &Path) -> io::Result<bool> {
    let mut file = files::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    let mut byte = [0];
    file.read_exact(&mut byte)?;
    Ok(byte != *b"\n")
}
