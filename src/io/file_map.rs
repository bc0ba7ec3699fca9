//! A map from files to values, by paths of which several may lead to the same file.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::io::files::{self, FileId};

/// Values of files. Paths are compared as by [`files::is_same`], but each is resolved once only.
pub(crate) struct FileMap<T> {
    by_id: HashMap<FileId, T>,
    by_destination: HashMap<PathBuf, T>,
}

impl<T> Default for FileMap<T> {
    fn default() -> FileMap<T> {
        FileMap { by_id: HashMap::new(), by_destination: HashMap::new() }
    }
}

impl<T: Copy> FileMap<T> {
    /// The value of the file that this path leads to; `None` if it had none, and `value` from now on.
    pub(crate) fn get_or_insert(&mut self, path: &Path, value: T) -> Option<T> {
        let (id, destination) = (FileId::at(path), files::destination(path));
        let of_id = id.and_then(|id| self.by_id.get(&id));
        let known = of_id.or_else(|| self.by_destination.get(&destination)).copied();
        if known.is_none() {
            self.by_id.extend(id.map(|id| (id, value)));
            self.by_destination.insert(destination, value);
        }
        known
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;

    use super::*;

    #[test]
    fn paths_to_one_file_have_one_value() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("file"), "").unwrap();
        fs::write(path("other"), "").unwrap();
        fs::hard_link(path("file"), path("hard")).unwrap();
        fs::create_dir(path("sub")).unwrap();
        let mut map = FileMap::default();
        assert_eq!(map.get_or_insert(&path("file"), 1), None);
        assert_eq!(map.get_or_insert(&path("other"), 2), None);
        assert_eq!(map.get_or_insert(&path("absent"), 3), None);
        assert_eq!(map.get_or_insert(&path("sub/../file"), 4), Some(1));
        assert_eq!(map.get_or_insert(&path("sub/../absent"), 4), Some(3));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(path("absent"), path("link")).unwrap();
            assert_eq!(map.get_or_insert(&path("link"), 4), Some(3));
            assert_eq!(map.get_or_insert(&path("hard"), 4), Some(1));
        }
    }
}
