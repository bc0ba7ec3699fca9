//! `engine.toml` to [`EngineConfig`]: what a configuration is, and which file it is read from.
//!
//! It knows the types, and where to look for the file. What may stand in the file is in `keys`, how it is read in
//! `settings`, whether it makes sense in `check`, and how it is printed in `print`. It does not know what the settings
//! do, and opens no log.

mod check;
mod error;
mod keys;
pub(crate) mod option_values;
mod print;
mod settings;
#[cfg(test)]
mod tests;

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use crate::config::settings::Settings;
use crate::kernel::{Color, GameRule, Stone};
use crate::player::Options;

/// The name that is looked for where no file is given.
const FILE_NAME: &str = "engine.toml";

/// The defaults: the repository's own `engine.toml`.
const BUILT_IN: &str = include_str!("../../engine.toml");

/// What the defaults are called where a file's path would stand.
const BUILT_IN_NAME: &str = "built-in defaults";

/// The size above which a file is not taken for a configuration, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// The whole configuration: every key has a value, and every value has been checked.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineConfig {
    /// The file it was read from; `None`: the built-in defaults.
    pub source: Option<PathBuf>,
    /// `[Game]`: the game to be played.
    pub game: GameConfig,
    /// `[Paths]`: where files lie.
    pub paths: PathsConfig,
    /// `[Gtp]`: how commands are answered.
    pub gtp: GtpConfig,
    /// `[Search]`: what a search is told.
    pub search: Options,
    /// `[Net]`: the net that the search asks.
    pub net: NetConfig,
    /// `[Log]`: how the logs and stderr behave.
    pub log: LogConfig,
}

/// `[Game]`: the game to be played.
#[derive(Debug, Clone, PartialEq)]
pub struct GameConfig {
    /// Komi, and the rules by their name.
    pub rule: GameRule,
    /// Points along a side, 2 to 25.
    pub board_size: u8,
    /// Moves a game is expected to last; only sets how many digits the position number of a ren's id has.
    pub max_moves: u32,
    /// The drawn starting position as it was written; empty: an empty board.
    pub board_data: String,
    /// The drawn starting position, frame and all, row by row, known to be a position; `None`: an empty board.
    pub stones: Option<Vec<Stone>>,
    /// Who moves first.
    pub play_first: Color,
}

/// `[Paths]`: where files lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathsConfig {
    /// The log for people, absolute; `None`: that log is off.
    pub plain_text_log: Option<PathBuf>,
    /// The log for programs, absolute; `None`: that log is off.
    pub json_log: Option<PathBuf>,
    /// The folder that files named by commands must lie in, absolute; `None`: they may lie anywhere.
    pub data_folder: Option<PathBuf>,
}

/// `[Gtp]`: how commands are answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GtpConfig {
    /// How an illegal move is refused.
    pub illegal_move: IllegalMoveAnswer,
}

/// How an illegal move is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IllegalMoveAnswer {
    /// With the rule it breaks: `ko my_stone:x point:D3`.
    Reason,
    /// With GTP's own text, `illegal move`, for match runners that look for it.
    Standard,
}

/// `[Net]`: the net that the search asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetConfig {
    /// Whether one is asked.
    pub is_used: bool,
    /// Its file, absolute; `None`: the one built in.
    pub file: Option<PathBuf>,
}

/// `[Log]`: how the logs and stderr behave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    /// What stderr shows besides warnings.
    pub console: ConsoleMode,
    /// When a log moves on to a new file.
    pub rotation: Rotation,
    /// The largest size of a log file in MiB, for [`Rotation::Size`].
    pub max_megabytes: u32,
    /// How many files of each log are kept, for [`Rotation::Daily`] and [`Rotation::Size`].
    pub max_files: u32,
}

/// What stderr shows besides warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsoleMode {
    /// [`Echo`](Self::Echo) where commands come from a program or a file and a person watches, else [`Off`](Self::Off).
    Auto,
    /// The commands.
    Echo,
    /// The commands and the answers.
    Full,
    /// Nothing.
    Off,
}

/// When a log moves on to a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// It grows for ever.
    Never,
    /// Every local day.
    Daily,
    /// Before it would pass [`LogConfig::max_megabytes`].
    Size,
}

impl EngineConfig {
    /// Reads `file`, or without one the first `engine.toml` found in the working directory or beside the program, or
    /// the built-in defaults; then applies `sets`, each `KEY=VALUE` as after `--set`, all at once.
    ///
    /// # Errors
    /// One line that names the file and line, or the `--set`, and the key: a file that cannot be read, is no TOML, has an
    /// unknown key or a value of the wrong type or range, or a drawn board that is no position. A file that is there but
    /// wrong is never passed over for the next one.
    pub fn load(file: Option<&Path>, sets: &[String]) -> anyhow::Result<Self> {
        let mut candidates = vec![PathBuf::from(FILE_NAME)];
        if let Some(folder) = std::env::current_exe().ok().as_deref().and_then(Path::parent) {
            candidates.push(folder.join(FILE_NAME));
        }
        Self::load_from(file, &candidates, sets)
    }

    /// The built-in defaults with `sets` applied, whatever files there are.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn built_in(sets: &[String]) -> anyhow::Result<Self> {
        Self::load_from(None, &[], sets)
    }

    /// A configuration as a log has it, written by [`to_toml`](Self::to_toml), with `sets` applied. No log is begun, and
    /// nothing echoed, unless one of these says so.
    ///
    /// # Errors
    /// As for [`load`](Self::load).
    pub fn recorded(text: &str, sets: &[String]) -> anyhow::Result<Self> {
        let mut settings = Settings::default();
        settings.add_file(BUILT_IN_NAME, BUILT_IN)?;
        settings.add_file("the configuration in the log", text)?;
        let quiet = ["Paths.PlainTextLog=", "Paths.JsonLog=", "Log.Console=off"];
        for set in quiet.into_iter().chain(sets.iter().map(String::as_str)) {
            settings.add_override(set)?;
        }
        settings.check(None)
    }

    fn load_from(file: Option<&Path>, candidates: &[PathBuf], sets: &[String]) -> anyhow::Result<Self> {
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

/// The first of the candidates that exists, with its text.
fn look_up(candidates: &[PathBuf]) -> anyhow::Result<Option<(&Path, String)>> {
    for path in candidates {
        match read(path) {
            Ok(text) => return Ok(Some((path, text))),
            Err(reason) if reason.kind() == io::ErrorKind::NotFound => {}
            Err(reason) => return Err(unreadable(path, &reason)),
        }
    }
    Ok(None)
}

/// The text of a file, up to the largest size of a configuration: the name may be that of an endless device.
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

fn unreadable(path: &Path, reason: &io::Error) -> anyhow::Error {
    error::new(format_args!("{}: cannot read the configuration: {reason}", path.display()))
}
