//! The files that commands name. What was read is noted, so that a session can be made again where the files are others;
//! then nothing is written.

use std::collections::VecDeque;

use crate::io::files::DataFolder;

/// The largest file that is noted with what it holds, in bytes.
const MOST_NOTED: usize = 1 << 20;

/// Reads and writes files for commands.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Shelf {
    /// Where they lie.
    pub folder: DataFolder,
    /// `None`: nobody wants to know.
    noted: Option<Vec<Used>>,
    /// Files as they were read and written the first time; `None`: this is the first time.
    given: Option<VecDeque<Used>>,
}

/// A file that was read or written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Used {
    /// As the command named it.
    pub path: String,
    /// What was done with it, and why it could not be.
    pub outcome: Result<Use, String>,
}

/// What was done with a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Use {
    /// It was read, and held this; `None` where that was too much to note.
    Read(Option<Vec<u8>>),
    /// It was written.
    Written,
}

impl Shelf {
    /// From now on notes what is used, until it is taken.
    pub fn note(&mut self) {
        self.noted = Some(Vec::new());
    }

    /// What was noted since it was last taken.
    pub fn take(&mut self) -> Vec<Used> {
        self.noted.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// From now on files are read as they were then, in place of those last given, and none is written.
    pub fn give(&mut self, files: &[Used]) {
        self.given = Some(files.iter().cloned().collect());
    }

    /// From now on files are those that there are.
    pub fn let_go(&mut self) {
        self.given = None;
    }

    /// Reads a file.
    ///
    /// # Errors
    /// As [`DataFolder::read`].
    pub fn read(&mut self, path: &str) -> Result<Vec<u8>, String> {
        let outcome = match self.again(path) {
            Some(Used { outcome: Ok(Use::Read(Some(bytes))), .. }) => Ok(bytes),
            Some(Used { outcome: Err(reason), .. }) => Err(reason),
            _ => self.folder.read(path),
        };
        let noted = |bytes: &Vec<u8>| Use::Read((bytes.len() <= MOST_NOTED).then(|| bytes.clone()));
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
        self.add(path, outcome.clone().map(|()| Use::Written));
        outcome
    }

    /// What was done with this file the first time.
    fn again(&mut self, path: &str) -> Option<Used> {
        let given = self.given.as_mut()?;
        if given.front().is_some_and(|used| used.path == path) { given.pop_front() } else { None }
    }

    fn add(&mut self, path: &str, outcome: Result<Use, String>) {
        if let Some(noted) = &mut self.noted {
            noted.push(Used { path: path.to_owned(), outcome });
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
        let mut shelf = Shelf::default();
        shelf.note();
        shelf.write(&path("a"), b"first").unwrap();
        assert_eq!(shelf.read(&path("a")).unwrap(), b"first");
        shelf.write(&path("a"), &vec![0; MOST_NOTED + 1]).unwrap();
        assert_eq!(shelf.read(&path("a")).unwrap().len(), MOST_NOTED + 1);
        let missing = shelf.read(&path("b")).unwrap_err();
        let used = shelf.take();
        assert_eq!(used[1].outcome, Ok(Use::Read(Some(b"first".to_vec()))));
        assert_eq!((used.len(), &used[3].outcome), (5, &Ok(Use::Read(None))));

        let mut other = Shelf::default();
        other.write(&path("a"), b"another").unwrap();
        other.write(&path("b"), b"there now").unwrap();
        shelf.give(&used);
        shelf.write(&path("a"), b"first").unwrap();
        assert_eq!(shelf.read(&path("a")).unwrap(), b"first");
        shelf.write(&path("a"), b"").unwrap();
        assert_eq!(shelf.read(&path("a")).unwrap(), b"another", "too large for a note");
        assert_eq!(shelf.read(&path("b")).unwrap_err(), missing);
        shelf.write(&path("c"), b"").unwrap();
        assert!(!folder.path().join("c").exists() && shelf.take().len() == 6);
        shelf.let_go();
        assert_eq!(shelf.read(&path("b")).unwrap(), b"there now");
    }
}
