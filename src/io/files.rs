//! Files that people and commands name: read whole, or replaced whole; and the folder that commands may be kept to.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::NamedTempFile;

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// What the name of a file ends with that is still being written.
const UNFINISHED: &str = ".kifuwarabe-tmp";

/// How much of a name an unfinished file's repeats, in characters: names may not grow beyond what the system allows.
const REPEATED: usize = 50;

/// Where the files that commands name may lie: anywhere, or in one folder and those below it.
///
/// It keeps out who can only send commands, not who can make links in the folder while a command runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DataFolder(Option<Confines>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Confines {
    /// The folder as it was named, absolute.
    folder: PathBuf,
    /// Where that leads to, all links followed.
    real: PathBuf,
}

impl DataFolder {
    /// Keeps to a folder; relative paths start from it.
    ///
    /// # Errors
    /// If there is no such folder, with the absolute path.
    pub fn new(folder: &Path) -> Result<DataFolder, String> {
        let folder = absolute(folder);
        let real = fs::canonicalize(&folder).ok().filter(|real| real.is_dir());
        match real {
            Some(real) => Ok(DataFolder(Some(Confines { folder, real }))),
            None => Err(format!("no such folder: {}", folder.display())),
        }
    }

    /// As [`read()`], of a file that a command names.
    ///
    /// # Errors
    /// As [`read()`], and if the file lies elsewhere.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        read(self.place(Path::new(path)).map_err(|reason| format!("cannot read {path}: {reason}"))?)
    }

    /// As [`write()`], of a file that a command names.
    ///
    /// # Errors
    /// As [`write()`], and if the file lies elsewhere.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), String> {
        write(self.place(Path::new(path)).map_err(|reason| format!("cannot write {path}: {reason}"))?, bytes)
    }

    /// The file that a path means here, links followed.
    fn place(&self, path: &Path) -> Result<PathBuf, String> {
        let Some(Confines { folder, real }) = &self.0 else { return Ok(path.to_owned()) };
        let outside = || format!("outside of the data folder {}", folder.display());
        let inside = folder.join(path);
        // what is outside by its name is not even looked for
        if !inside.starts_with(folder) || path.components().any(|part| part == Component::ParentDir) {
            return Err(outside());
        }
        let place = match fs::canonicalize(&inside) {
            Ok(place) => place,
            Err(_) if fs::symlink_metadata(&inside).is_ok() => return Err("a link that leads nowhere".to_owned()),
            // a file that is not there yet lies where its folder does
            Err(_) => match (inside.parent().map(fs::canonicalize), inside.file_name()) {
                (Some(Ok(parent)), Some(name)) => parent.join(name),
                _ => return Err("no such folder".to_owned()),
            },
        };
        if place.starts_with(real) { Ok(place) } else { Err(outside()) }
    }
}

/// The bytes of a file.
///
/// # Errors
/// Why it cannot be read, with the absolute path. Folders, pipes and devices are refused: reading those may never end.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>, String> {
    let path = path.as_ref();
    let read = || {
        let metadata = fs::metadata(path).map_err(|error| error.to_string())?;
        if !metadata.is_file() {
            return Err("not a regular file".to_owned());
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(path).map_err(|error| error.to_string())?;
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(format!("larger than {MAX_FILE} bytes"));
        }
        Ok(bytes)
    };
    read().map_err(|reason| format!("cannot read {}: {reason}", absolute(path).display()))
}

/// Replaces a file by these bytes, all or nothing: they are written beside it and then take its name. It keeps its mode.
///
/// What a program leaves that is killed in the middle of this, the next save of the same file clears away.
///
/// # Errors
/// Why it cannot be written, with the absolute path; what was there before is then untouched.
pub fn write(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), String> {
    let path = path.as_ref();
    let write = || -> Result<(), String> {
        let (target, folder) = target(path)?;
        clear_away(&target, &folder);
        let mut file = begin(&target, &folder).map_err(|error| error.to_string())?;
        // on the disk before it takes the name: then a machine that stops has the one file or the other
        file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(|error| error.to_string())?;
        file.persist(&target).map_err(|error| error.error.to_string())?;
        Ok(())
    };
    write().map_err(|reason| cannot_write(path, &reason))
}

/// An empty file beside the target, with its mode; locked, by which others see that somebody writes it.
fn begin(target: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let permissions = fs::metadata(target).map(|metadata| metadata.permissions()).ok();
    let prefix = unfinished(target);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(UNFINISHED);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(permissions.clone().unwrap_or(fs::Permissions::from_mode(0o666)));
    }
    loop {
        let file = builder.tempfile_in(folder)?;
        // where no file can be locked, none is cleared away
        let _ = file.as_file().lock();
        // somebody who cleared away may have come between
        if !file.path().try_exists()? {
            continue;
        }
        if let Some(permissions) = permissions {
            // what the process may not give to new files, too; where there are no modes, nothing is lost
            let _ = file.as_file().set_permissions(permissions);
        }
        return Ok(file);
    }
}

/// Removes what was begun for this target by programs that were killed before its end: what nobody holds locked.
fn clear_away(target: &Path, folder: &Path) {
    let prefix = unfinished(target);
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_unfinished = name.to_str().is_some_and(|name| name.starts_with(&prefix) && name.ends_with(UNFINISHED));
        if !is_unfinished || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = fs::OpenOptions::new().write(true).open(entry.path())
            && file.try_lock().is_ok()
        {
            // what cannot be removed now is tried again with the next save
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// How the names of unfinished files for this target begin.
fn unfinished(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    format!(".{}.", name.chars().take(REPEATED).collect::<String>())
}

/// Finds out whether [`write()`] has a chance, before something is done that takes long. A file is made for it, and gone.
///
/// # Errors
/// Why a file cannot be written, with the absolute path.
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), String> {
    let path = path.as_ref();
    let try_folder = |(_, folder): (PathBuf, PathBuf)| tempfile::tempfile_in(folder).map_err(|error| error.to_string());
    target(path).and_then(try_folder).map(drop).map_err(|reason| cannot_write(path, &reason))
}

/// Whether two names lead to one file.
pub fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

/// The file that is replaced, and its folder. Through a link, the file it leads to is replaced and not the link.
fn target(path: &Path) -> Result<(PathBuf, PathBuf), String> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| absolute(path));
    if let Ok(metadata) = fs::metadata(&target) {
        if !metadata.is_file() {
            return Err("not a regular file".to_owned());
        }
        // the folder would let it be replaced, but whoever protected it does not want that
        if metadata.permissions().readonly() {
            return Err("it is read-only".to_owned());
        }
        fs::OpenOptions::new().append(true).open(&target).map_err(|error| error.to_string())?;
    }
    let folder = target.parent().unwrap_or(Path::new(".")).to_owned();
    if !folder.is_dir() {
        return Err("no such folder".to_owned());
    }
    Ok((target, folder))
}

fn cannot_write(path: &Path, reason: &str) -> String {
    format!("cannot write {}: {reason}", absolute(path).display())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
