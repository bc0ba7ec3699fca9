//! Files that people and commands name: read whole, or replaced whole.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 64 << 20;

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

/// Replaces a file by these bytes, all or nothing: they are written beside it and then take its name.
///
/// # Errors
/// Why it cannot be written, with the absolute path; what was there before is then untouched.
pub fn write(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), String> {
    let path = path.as_ref();
    let write = || -> Result<(), String> {
        let (target, folder) = target(path)?;
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&target).map_or(0o666, |metadata| metadata.permissions().mode());
            builder.permissions(fs::Permissions::from_mode(mode));
        }
        let mut file = builder.tempfile_in(folder).map_err(|error| error.to_string())?;
        file.write_all(bytes).map_err(|error| error.to_string())?;
        file.persist(&target).map_err(|error| error.error.to_string())?;
        Ok(())
    };
    write().map_err(|reason| cannot_write(path, &reason))
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

/// The file that is replaced, and its folder. Through a link, the file it leads to is replaced and not the link.
fn target(path: &Path) -> Result<(PathBuf, PathBuf), String> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| absolute(path));
    if fs::metadata(&target).is_ok_and(|metadata| !metadata.is_file()) {
        return Err("not a regular file".to_owned());
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
