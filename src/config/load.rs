//! Finds and reads `engine.toml`, applies overrides, and returns a checked [`EngineConfig`].

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::config::error::{self, ConfigError};
use crate::config::settings::{BUILT_IN_NAME, Settings};
use crate::config::types::EngineConfig;

/// The file name to look for if no file is given.
pub(super) const FILE_NAME: &str = "engine.toml";

/// The defaults: the repository's `engine.toml`.
pub(super) const BUILT_IN: &str = include_str!("../../engine.toml");

/// Upper limit of a configuration's size, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

impl EngineConfig {
    /// Reads `file`; without one, `engine.toml` in the working directory, else beside the program, else the built-in
    /// defaults. Then applies `sets`, each `SECTION.KEY=VALUE` as after `--set`, and checks the result.
    ///
    /// # Errors
    /// One line with the place, a file and line or the `--set`, and the key: an unreadable file, invalid TOML, an
    /// unknown key, a value of the wrong type or out of range, a drawn board that is not a legal position. An invalid
    /// file is never skipped in favour of the next candidate.
    pub fn load(file: Option<&Path>, sets: &[String]) -> Result<Self, ConfigError> {
        let mut candidates = vec![PathBuf::from(FILE_NAME)];
        if let Some(folder) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
            candidates.push(folder.join(FILE_NAME));
        }
        Self::load_from(file, &candidates, sets)
    }

    /// The built-in defaults with `sets` applied; reads no file.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn built_in(sets: &[String]) -> Result<Self, ConfigError> {
        Self::load_from(None, &[], sets)
    }

    /// The configuration in a log, written by [`to_toml`](Self::to_toml) of this or an earlier version, with `sets`
    /// applied. Logs and echo are off unless `sets` turns them on, so that a replay does not write to the log that it
    /// reads.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn recorded(text: &str, sets: &[String]) -> Result<Self, ConfigError> {
        let mut settings = Settings::default();
        settings.add_file(BUILT_IN_NAME, BUILT_IN)?;
        settings.add_file("the configuration in the log", text)?;
        let quiet = ["Paths.PlainTextLog=", "Paths.JsonLog=", "Log.Console=off"];
        for set in quiet.into_iter().chain(sets.iter().map(String::as_str)) {
            settings.add_override(set)?;
        }
        settings.check(None)
    }

    pub(super) fn load_from(file: Option<&Path>, candidates: &[PathBuf], sets: &[String]) -> Result<Self, ConfigError> {
        let found = match file {
            Some(path) => Some((path, read(path).map_err(|reason| unreadable(path, &reason))?)),
            None => look_up(candidates)?,
        };
        let mut settings = Settings::default();
        settings.add_file(BUILT_IN_NAME, BUILT_IN)?;
        if let Some((path, text)) = &found {
            settings.add_file(&path.to_string_lossy(), text)?;
        }
        for set in sets {
            settings.add_override(set)?;
        }
        settings.check(found.as_ref().map(|(path, _)| *path))
    }
}

/// The first candidate that exists, with its text.
fn look_up(candidates: &[PathBuf]) -> Result<Option<(&Path, String)>, ConfigError> {
    for path in candidates {
        match read(path) {
            Ok(text) => return Ok(Some((path, text))),
            // a link that leads nowhere is a mistake
            Err(reason) if reason.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {}
            Err(reason) => return Err(unreadable(path, &reason)),
        }
    }
    Ok(None)
}

/// The text of a file of at most [`MAX_FILE_BYTES`]; the limit also ends reading from endless devices. It may be a pipe, as
/// from a shell's `<(...)`.
fn read(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(io::Error::other(format!("larger than {MAX_FILE_BYTES} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let line = error::line_of(error.as_bytes(), error.utf8_error().valid_up_to());
        io::Error::other(format!("not UTF-8 on line {line}"))
    })
}

fn unreadable(path: &Path, reason: &io::Error) -> ConfigError {
    error::new(format_args!("{}: cannot read the configuration: {reason}", path.display()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_not_skipped() {
        use super::{FILE_NAME, look_up};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        std::os::unix::fs::symlink(folder.path().join("absent.toml"), &path).unwrap();
        let error = look_up(std::slice::from_ref(&path)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: cannot read the configuration: ", path.display())), "{error}");
    }
}
