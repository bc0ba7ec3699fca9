//! The files that commands name. What was read is noted, so that a session can be made again where the files are others;
//! then nothing is written.

use std::collections::VecDeque;

use crate::io::files::DataFolder;

/// The largest file that is noted with what it holds, in bytes.
const MOST_NOTED: usize = 1 << 20;

/// Reads and writes files for commands.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct CommandFiles {
    /// Where they lie.
    pub folder: DataFolder,
    /// `None`: nobody wants to know.
    noted: Option<Vec<FileAccess>>,
    /// Files as they were read and written the first time; `None`: this is the first time.
    given: Option<VecDeque<FileAccess>>,
}

/// A file that was read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileAccess {
    /// As the command named it.
    pub path: String,
    /// What was done with it, and why it could not be.
    pub outcome: Result<FileOperation, String>,
}

/// What was done with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FileOperation {
    /// It was read, and held this; `None` where that was too much to note.
    Read(Option<Vec<u8>>),
    /// It was written.
    Written,
}

impl CommandFiles {
    /// From now on notes what is used, until it is taken.
    pub fn note(&mut self) {
        self.noted = Some(Vec::new());
    }

    /// What was noted since it was last taken.
    pub fn take(&mut self) -> Vec<FileAccess> {
        self.noted.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// From now on files are read as they were then, in place of those last given, and none is written.
    pub fn load(&mut self, files: &[FileAccess]) {
        self.given = Some(files.iter().cloned().collect());
    }

    /// From now on files are those that there are.
    pub fn finish(&mut self) {
        self.given = None;
    }

    /// Reads a file.
    ///
    /// # Errors
    /// As [`DataFolder::read`].
    pub fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let outcome = match self.again(path) {
            Some(FileAccess { outcome: Ok(FileOperation::Read(Some(bytes))), .. }) => Ok(bytes),
            Some(FileAccess { outcome: Err(reason), .. }) => Err(reason),
            _ => self.folder.read(path),
        };
        let noted = |bytes: &Vec<u8>| FileOperation::Read((bytes.len() <= MOST_NOTED).then(|| bytes.clone()));
        self.add(path, outcome.as_ref().map(noted).map_err(String::clone));
        outcome
    }

    /// Writes a file.
    ///
    /// # Errors
    /// As [`DataFolder::write`].
    pub fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), String> {
        let outcome = match self.again(path) {
            Some(used) => used.outcome.map(drop),
            None if self.given.is_some() => Ok(()),
            None => self.folder.write(path, bytes),
        };
        self.add(path, outcome.clone().map(|()| FileOperation::Written));
        outcome
    }

    /// What was done with this file the first time.
    fn again(&mut self, path: &str) -> Option<FileAccess> {
        let given = self.given.as_mut()?;
        if given.front().is_some_and(|used| used.path == path) { given.pop_front() } else { None }
    }

    fn add(&mut self, path: &str, outcome: Result<FileOperation, String>) {
        if let Some(noted) = &mut self.noted {
            noted.push(FileAccess { path: path.to_owned(), outcome });
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_was_read_is_read_again_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        let mut shelf = CommandFiles::default();
        shelf.note();
        shelf.write(&path("a"), b"first").unwrap();
        assert_eq!(shelf.read(&path("a")).unwrap(), b"first");
        shelf.write(&path("a"), &vec![0; MOST_NOTED + 1]).unwrap();
        assert_eq!(shelf.read(&path("a")).unwrap().len(), MOST_NOTED + 1);
        let missing = shelf.read(&path("b")).unwrap_err();
        let used = shelf.take();
        assert_eq!(used[1].outcome, Ok(FileOperation::Read(Some(b"first".to_vec()))));
        assert_eq!((used.len(), &used[3].outcome), (5, &Ok(FileOperation::Read(None))));

        let mut other = CommandFiles::default();
        other.write(&path("a"), b"another").unwrap();
        other.write(&path("b"), b"there now").unwrap();
        shelf.load(&used);
        shelf.write(&path("a"), b"first").unwrap();
        assert_eq!(shelf.read(&path("a")).unwrap(), b"first");
        shelf.write(&path("a"), b"").unwrap();
        assert_eq!(shelf.read(&path("a")).unwrap(), b"another", "too large for a note");
        assert_eq!(shelf.read(&path("b")).unwrap_err(), missing);
        shelf.write(&path("c"), b"").unwrap();
        assert!(!folder.path().join("c").exists() && shelf.take().len() == 6);
        shelf.finish();
        assert_eq!(shelf.read(&path("b")).unwrap(), b"there now");
    }
}
