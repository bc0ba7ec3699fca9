//! Files named by people and commands: read whole or replaced whole, with an optional folder that confines commands.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::NamedTempFile;

/// Upper limit of a file that [`read`] reads, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// The suffix of temporary files.
const TEMPORARY_SUFFIX: &str = ".kifuwarabe-tmp";

/// Characters of a target's name in the name of its temporary file; systems limit the length of names.
const MAX_PREFIX: usize = 50;

/// The names of some files, for a message.
pub(crate) fn join_paths(files: &[PathBuf]) -> String {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    names.join(" ")
}

/// The error of reading or writing a file. Displayed as one line with its path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileError {
    operation: Operation,
    path: PathBuf,
    problem: String,
}

/// The operation that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operation {
    Read,
    Write,
}

impl FileError {
    /// A file that cannot be read, with its absolute path.
    pub(crate) fn read(path: &Path, error: &io::Error) -> FileError {
        let problem = match error.kind() {
            io::ErrorKind::WouldBlock => NOT_REGULAR.to_owned(),
            _ => error.to_string(),
        };
        FileError { operation: Operation::Read, path: absolute(path), problem }
    }

    /// The reason alone, without the path.
    pub(crate) fn problem(&self) -> &str {
        &self.problem
    }

    /// A file that cannot be written, with its absolute path.
    fn write(path: &Path, problem: String) -> FileError {
        FileError { operation: Operation::Write, path: absolute(path), problem }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let operation = match self.operation {
            Operation::Read => "read",
            Operation::Write => "write",
        };
        write!(f, "cannot {operation} {}: {}", self.path.display(), self.problem)
    }
}

impl std::error::Error for FileError {}

/// There is no folder at this absolute path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NoFolderError(PathBuf);

impl fmt::Display for NoFolderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no such folder: {}", self.0.display())
    }
}

impl std::error::Error for NoFolderError {}

/// The folder that commands may read and write files in, with its subfolders; by default every folder.
///
/// It confines a remote user who can only send commands. It does not protect against a local user who makes links in
/// the folder while a command runs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DataFolder(Option<Confinement>);

#[derive(Clone, PartialEq, Eq, Debug)]
struct Confinement {
    /// The folder as it was named, as an absolute path.
    folder: PathBuf,
    /// The same folder with all links resolved.
    real: PathBuf,
}

impl DataFolder {
    /// Confines commands to a folder, from which relative paths start.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn new(folder: &Path) -> Result<DataFolder, NoFolderError> {
        let folder = absolute(folder);
        let real = fs::canonicalize(&folder).ok().filter(|real| real.is_dir());
        match real {
            Some(real) => Ok(DataFolder(Some(Confinement { folder, real }))),
            None => Err(NoFolderError(folder)),
        }
    }

    /// Reads a file named by a command; see [`read()`].
    ///
    /// # Errors
    /// As [`read()`], and if the file lies outside of the folder.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, FileError> {
        read(self.resolve(path, Operation::Read)?)
    }

    /// Replaces a file named by a command; see [`write()`].
    ///
    /// # Errors
    /// As [`write()`], and if the file lies outside of the folder.
    pub fn write(&self, path: &str, bytes: &[u8]) -> Result<(), FileError> {
        write(self.resolve(path, Operation::Write)?, bytes)
    }

    /// The file of a path, with links resolved. An error has the path as it was named.
    fn resolve(&self, path: &str, operation: Operation) -> Result<PathBuf, FileError> {
        self.confined(path).map_err(|problem| FileError { operation, path: path.into(), problem })
    }

    fn confined(&self, path: &str) -> Result<PathBuf, String> {
        // different names would become one
        if path.contains(char::REPLACEMENT_CHARACTER) {
            return Err("the name has U+FFFD, in place of bytes that are not UTF-8".to_owned());
        }
        let path = Path::new(path);
        if names_folder(path) {
            return Err(NAME_OF_FOLDER.to_owned());
        }
        let Some(Confinement { folder, real }) = &self.0 else { return Ok(path.to_owned()) };
        let outside = || format!("outside of the data folder {}", folder.display());
        let inside = folder.join(path);
        // refused before any access to the file system
        if !inside.starts_with(folder) || path.components().any(|part| part == Component::ParentDir) {
            return Err(outside());
        }
        let resolved = match fs::canonicalize(&inside) {
            Ok(resolved) => resolved,
            Err(_) if fs::symlink_metadata(&inside).is_ok() => return Err("a link that leads nowhere".to_owned()),
            // a file that does not exist yet
            Err(_) => match (inside.parent().map(fs::canonicalize), inside.file_name()) {
                (Some(Ok(parent)), Some(name)) => parent.join(name),
                _ => return Err("no such folder".to_owned()),
            },
        };
        if resolved.starts_with(real) { Ok(resolved) } else { Err(outside()) }
    }
}

/// The user's folder for what the program keeps between its runs; `None` on a system without one.
pub(crate) fn state_folder() -> Option<PathBuf> {
    let folder = dirs::state_dir().or_else(dirs::data_local_dir)?;
    Some(folder.join(env!("CARGO_PKG_NAME")))
}

/// A path as a person writes it: `~/` at its start is the person's home folder, as in a shell.
pub(crate) fn in_home(path: &str) -> PathBuf {
    match path.strip_prefix("~/").zip(dirs::home_dir()) {
        Some((rest, home)) => home.join(rest.trim_start_matches('/')),
        None => path.into(),
    }
}

/// Reads a file.
///
/// # Errors
/// The system's error. Folders, pipes and devices are refused, because reading them may never end, and files over 64 MiB.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>, FileError> {
    read_up_to(path.as_ref(), MAX_FILE)
}

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// As [`read`], for files over `limit` bytes.
pub(crate) fn read_up_to(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let read = || {
        let mut bytes = Vec::new();
        let file = open(path)?;
        file.take(limit + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > limit {
            return Err(io::Error::other(format!("larger than {limit} bytes")));
        }
        Ok(bytes)
    };
    read().map_err(|error| FileError::read(path, &error))
}

/// The reason for refusing a pipe or a device.
const NOT_REGULAR: &str = "not a regular file, expected one";

/// The reason for refusing a folder.
const FOLDER: &str = "a folder, expected a file";

/// Opens a regular file for reading.
///
/// # Errors
/// As [`open_with`].
pub(crate) fn open(path: &Path) -> io::Result<File> {
    open_with(path, OpenOptions::new().read(true))
}

/// Opens a regular file with these options, or creates it if they ask for it. It never waits: a pipe, whose opening may
/// wait for the other end, and a device are refused before they are opened. A file of a pseudo file system that has
/// nothing to read yet, such as `/proc/kmsg`, gives [`io::ErrorKind::WouldBlock`] when it is read.
///
/// # Errors
/// The system's error, or one for a file that is not regular.
pub(crate) fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let refuse_others = |metadata: Metadata| match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::other(if metadata.is_dir() { FOLDER } else { NOT_REGULAR })),
    };
    if let Ok(metadata) = fs::metadata(path) {
        refuse_others(metadata)?;
    }
    let file = without_waiting(options).open(path)?;
    // the path may lead to another file by now
    refuse_others(file.metadata()?)?;
    Ok(file)
}

/// Opens a pipe or a device that exists at this path, for writing; `None` if there is no file, or a regular one.
///
/// # Errors
/// The system's error; that a pipe has no reader, whose arrival opening it would otherwise await; or that it is a folder.
pub(crate) fn open_stream(path: &Path) -> io::Result<Option<File>> {
    let Some(metadata) = fs::metadata(path).ok().filter(|metadata| !metadata.is_file()) else { return Ok(None) };
    if metadata.is_dir() {
        return Err(io::Error::other(FOLDER));
    }
    #[cfg(unix)]
    let is_pipe = std::os::unix::fs::FileTypeExt::is_fifo(&metadata.file_type());
    match without_waiting(OpenOptions::new().append(true)).open(path) {
        Ok(file) => {
            // from here on, a write waits until the reader has room
            #[cfg(unix)]
            rustix::fs::fcntl_setfl(&file, rustix::fs::OFlags::APPEND)?;
            Ok(Some(file))
        }
        #[cfg(unix)]
        Err(error) if is_pipe && error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error()) => {
            Err(io::Error::other("a pipe that no program reads, expected a file or a pipe with a reader"))
        }
        Err(error) => Err(error),
    }
}

/// The options, so that neither opening nor reading waits for another process.
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    options
}

/// Creates or replaces a file atomically: the bytes go to a temporary file in the same folder, which is then renamed.
/// The mode of an existing file is kept.
///
/// If the program is killed during the write, the temporary file stays until the next write of the same file removes
/// it.
///
/// # Errors
/// The reason of the system; the former file is then unchanged.
pub fn write(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
    let path = path.as_ref();
    let write = || -> Result<(), String> {
        let (target, folder) = target(path)?;
        remove_abandoned(&target, &folder);
        let mut file = create_temporary(&target, &folder).map_err(|error| error.to_string())?;
        // synced before the rename, so that a crash leaves either the old or the new file
        let open = file.as_file_mut();
        open.write_all(bytes).and_then(|()| open.sync_all()).map_err(|error| error.to_string())?;
        file.persist(&target).map_err(|error| error.error.to_string())?;
        Ok(())
    };
    write().map_err(|problem| FileError::write(path, problem))
}

/// Appends to a regular file that exists. If that fails, the part that was written is removed again.
///
/// # Errors
/// The reason of the system.
pub(crate) fn append(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let append = || {
        let mut file = open_with(path, OpenOptions::new().append(true))?;
        let length = file.metadata()?.len();
        file.write_all(bytes).inspect_err(|_| {
            // the first error is the one to report
            let _ = file.set_len(length);
        })
    };
    append().map_err(|error| FileError::write(path, error.to_string()))
}

/// An empty temporary file in the target's folder with the target's mode. It is locked while it is open, which protects
/// it from [`remove_abandoned`] in other processes.
fn create_temporary(target: &Path, folder: &Path) -> io::Result<NamedTempFile> {
    let permissions = fs::metadata(target).map(|metadata| metadata.permissions()).ok();
    let prefix = temporary_prefix(target);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(permissions.as_ref().map_or(0o666, PermissionsExt::mode));
    }
    loop {
        // not opened by `tempfile`, whose errors name the temporary file and lack the words of the system
        let file = tempfile::Builder::new()
            .prefix(&prefix)
            .suffix(TEMPORARY_SUFFIX)
            .make_in(folder, |path| options.open(path))?;
        // file systems without locks: abandoned files cannot be locked either, and stay
        let _ = file.as_file().lock();
        // another process may have removed it before it was locked
        if !file.path().try_exists()? {
            continue;
        }
        if let Some(permissions) = permissions {
            // also the bits that the umask removes; file systems without modes fail here, without harm
            let _ = file.as_file().set_permissions(permissions);
        }
        return Ok(file);
    }
}

/// Removes temporary files of this target that no process holds locked: their writers were killed.
fn remove_abandoned(target: &Path, folder: &Path) {
    let prefix = temporary_prefix(target);
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_temporary =
            name.to_str().is_some_and(|name| name.starts_with(&prefix) && name.ends_with(TEMPORARY_SUFFIX));
        if !is_temporary || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(file) = open_with(&entry.path(), OpenOptions::new().write(true))
            && file.try_lock().is_ok()
        {
            // if this fails, the next write tries again
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The beginning of the names of this target's temporary files.
fn temporary_prefix(target: &Path) -> String {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    format!(".{}.", name.chars().take(MAX_PREFIX).collect::<String>())
}

/// Tests whether [`write()`] would probably succeed, before a long computation whose result it writes. It creates an
/// unnamed temporary file.
///
/// # Errors
/// As [`write()`].
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), FileError> {
    let path = path.as_ref();
    let try_folder = |(_, folder): (PathBuf, PathBuf)| tempfile::tempfile_in(folder).map_err(|error| error.to_string());
    target(path).and_then(try_folder).map(drop).map_err(|problem| FileError::write(path, problem))
}

/// Whether two paths lead to the same file, by symbolic or hard links, too. The file need not exist yet.
pub fn is_same(one: &Path, other: &Path) -> bool {
    match (FileId::at(one), FileId::at(other)) {
        (Some(one), Some(other)) => one == other,
        _ => destination(one) == destination(other),
    }
}

/// The identity of a file: its device and its number there. Hard links have the same one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FileId {
    device: u64,
    number: u64,
}

impl FileId {
    /// The identity of the file of this metadata; `None` where the system has none.
    pub(crate) fn of(metadata: &Metadata) -> Option<FileId> {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            Some(FileId { device: metadata.dev(), number: metadata.ino() })
        }
        #[cfg(not(unix))]
        {
            let _ = metadata;
            None
        }
    }

    /// The identity of the file that has a path now; `None` if there is none, or where the system has no identities.
    pub(crate) fn at(path: &Path) -> Option<FileId> {
        fs::metadata(path).ok().and_then(|metadata| FileId::of(&metadata))
    }
}

/// Most links that are followed in a path, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// The path of a file that need not exist, with the links and the `..` of all its components resolved, those of folders
/// that do not exist, too.
pub(crate) fn destination(path: &Path) -> PathBuf {
    let path = without_links(&absolute(path));
    let existing = path.ancestors().find_map(|folder| Some((fs::canonicalize(folder).ok()?, folder)));
    match existing.and_then(|(real, folder)| Some((real, path.strip_prefix(folder).ok()?))) {
        // component by component: joining an empty rest would add a separator
        Some((real, rest)) => real.iter().chain(rest).collect(),
        None => path,
    }
}

/// An absolute path with each `..` and each link followed, also one to a file or folder that does not exist.
fn without_links(path: &Path) -> PathBuf {
    let components = |path: &Path| path.components().map(|part| PathBuf::from(part.as_os_str())).rev().collect();
    let mut waiting: Vec<PathBuf> = components(path);
    let mut followed = 0;
    let mut real = PathBuf::new();
    while let Some(part) = waiting.pop() {
        if part == Path::new("..") {
            real.pop();
            continue;
        }
        // an absolute part replaces the folder
        real.push(part);
        if followed < MAX_LINKS
            && let Ok(next) = fs::read_link(&real)
        {
            followed += 1;
            real.pop();
            let next: Vec<PathBuf> = components(&next);
            waiting.extend(next);
        }
    }
    real
}

/// The reason for refusing the name of a folder.
const NAME_OF_FOLDER: &str = "the name of a folder, expected that of a file";

/// Whether a path can lead to a folder only, because it ends in a separator or `.`. The standard library drops these
/// ends, so that `x.sgf/` would be the file `x.sgf`.
pub(crate) fn names_folder(path: &Path) -> bool {
    let mut end = path.to_str().unwrap_or_default().chars().rev();
    match end.next() {
        Some('.') => end.next().is_some_and(std::path::is_separator),
        Some(last) => std::path::is_separator(last),
        None => false,
    }
}

/// The file to replace, and its folder. Links are resolved: the file is replaced, not the link.
fn target(path: &Path) -> Result<(PathBuf, PathBuf), String> {
    if names_folder(path) {
        return Err(NAME_OF_FOLDER.to_owned());
    }
    let target = destination(path);
    if let Ok(metadata) = fs::metadata(&target) {
        // a rename would replace a read-only file, too
        if metadata.is_file() && metadata.permissions().readonly() {
            return Err("it is read-only".to_owned());
        }
        open_with(&target, OpenOptions::new().append(true)).map_err(|error| error.to_string())?;
    }
    let folder = target.parent().unwrap_or(Path::new(".")).to_owned();
    if !folder.is_dir() {
        return Err("no such folder".to_owned());
    }
    Ok((target, folder))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
