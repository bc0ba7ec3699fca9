//! Files that commands read and write, recorded for the JSON log and repeatable in a replay.
//!
//! Recording keeps the bytes that each command read, so that a session replays on a machine without its files. During a
//! replay, reads return recorded bytes (a file too large to record is read from disk) and nothing is written. Paths and
//! their confinement belong to [`DataFolder`].

use std::collections::VecDeque;

use crate::io::files::DataFolder;

/// Largest file that is recorded with its content, in bytes.
const MAX_RECORDED_BYTES: usize = 1 << 20;

/// Reads and writes files for commands.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct CommandFiles {
    /// Start of relative paths, and whether others are refused.
    pub folder: DataFolder,
    /// Accesses since the last call of `take_recorded`; `None` while recording is off.
    recorded: Option<Vec<FileAccess>>,
    /// Accesses to repeat; `None` outside of a replay.
    replayed: Option<VecDeque<FileAccess>>,
}

/// One access to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileAccess {
    /// The path as the command named it.
    pub path: String,
    /// The operation, or the reason why it failed.
    pub outcome: Result<FileOperation, String>,
}

/// A successful access to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileOperation {
    /// The file was read; `None` if it was too large to record.
    Read(Option<Vec<u8>>),
    /// The file was written.
    Written,
}

impl CommandFiles {
    /// Starts to record accesses.
    pub fn start_recording(&mut self) {
        self.recorded = Some(Vec::new());
    }

    /// Removes and returns the accesses recorded since the last call.
    pub(crate) fn take_recorded(&mut self) -> Vec<FileAccess> {
        self.recorded.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Starts a replay of these accesses, which replace earlier ones: reads return recorded bytes, nothing is written.
    pub(crate) fn start_replay(&mut self, accesses: &[FileAccess]) {
        self.replayed = Some(accesses.iter().cloned().collect());
    }

    /// Makes the next command read these bytes as its file of this name, as if a replay had recorded them. To be followed
    /// by `end_replay`.
    pub(crate) fn supply(&mut self, path: &str, bytes: Vec<u8>) {
        self.start_replay(&[FileAccess { path: path.to_owned(), outcome: Ok(FileOperation::Read(Some(bytes))) }]);
    }

    /// Ends a replay.
    pub(crate) fn end_replay(&mut self) {
        self.replayed = None;
    }

    /// Reads a file. A replay returns the recorded bytes or error; without a replay, or if the file was too large to
    /// record, it is read from disk.
    ///
    /// # Errors
    /// As [`DataFolder::read`].
    pub(crate) fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let outcome = match self.next_replayed(path) {
            Some(FileAccess { outcome: Ok(FileOperation::Read(Some(bytes))), .. }) => Ok(bytes),
            Some(FileAccess { outcome: Err(reason), .. }) => Err(reason),
            _ => self.folder.read(path).map_err(|error| error.to_string()),
        };
        let operation =
            |bytes: &Vec<u8>| FileOperation::Read((bytes.len() <= MAX_RECORDED_BYTES).then(|| bytes.clone()));
        self.record(path, outcome.as_ref().map(operation).map_err(String::clone));
        outcome
    }

    /// Writes a file; in a replay, returns the recorded outcome and writes nothing.
    ///
    /// # Errors
    /// As [`DataFolder::write`].
    pub(crate) fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let outcome = match self.next_replayed(path) {
            Some(access) => access.outcome.map(drop),
            None if self.replayed.is_some() => Ok(()),
            None => self.folder.write(path, bytes).map_err(|error| error.to_string()),
        };
        self.record(path, outcome.clone().map(|()| FileOperation::Written));
        outcome
    }

    /// The next access of a replay, if it is of this file.
    fn next_replayed(&mut self, path: &str) -> Option<FileAccess> {
        let replayed = self.replayed.as_mut()?;
        if replayed.front().is_some_and(|access| access.path == path) { replayed.pop_front() } else { None }
    }

    fn record(&mut self, path: &str, outcome: Result<FileOperation, String>) {
        if let Some(recorded) = &mut self.recorded {
            recorded.push(FileAccess { path: path.to_owned(), outcome });
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_replay_reads_recorded_bytes_and_writes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let mut files = CommandFiles::default();
        files.start_recording();
        files.write(&path("a"), b"first").unwrap();
        assert_eq!(files.read(&path("a")).unwrap(), b"first");
        files.write(&path("a"), &vec![0; MAX_RECORDED_BYTES + 1]).unwrap();
        assert_eq!(files.read(&path("a")).unwrap().len(), MAX_RECORDED_BYTES + 1);
        let missing = files.read(&path("b")).unwrap_err();
        let accesses = files.take_recorded();
        assert_eq!(accesses[1].outcome, Ok(FileOperation::Read(Some(b"first".to_vec()))));
        assert_eq!((accesses.len(), &accesses[3].outcome), (5, &Ok(FileOperation::Read(None))));

        let mut other = CommandFiles::default();
        other.write(&path("a"), b"another").unwrap();
        other.write(&path("b"), b"there now").unwrap();
        files.start_replay(&accesses);
        files.write(&path("a"), b"first").unwrap();
        assert_eq!(files.read(&path("a")).unwrap(), b"first");
        files.write(&path("a"), b"").unwrap();
        assert_eq!(files.read(&path("a")).unwrap(), b"another", "too large to be recorded");
        assert_eq!(files.read(&path("b")).unwrap_err(), missing);
        files.write(&path("c"), b"").unwrap();
        assert!(!folder.path().join("c").exists() && files.take_recorded().len() == 6);
        files.end_replay();
        assert_eq!(files.read(&path("b")).unwrap(), b"there now");
    }
}
