//! [`EngineConfig`] to TOML.
//!
//! It knows the order and spelling of what is printed. It does not know how that is read again.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::config::keys::{COLORS, CONSOLE_MODES, ILLEGAL_MOVES, ROTATIONS, word_of};
use crate::config::{BUILT_IN_NAME, EngineConfig};
use crate::io::text::one_line;
use crate::player::options::{self, Options, Value};
use crate::search::params;

impl EngineConfig {
    /// The configuration as TOML that loads to the same one, after a comment that says where it came from.
    ///
    /// A log path that is not Unicode is shown as well as it can be.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let source = match &self.source {
            Some(path) => one_line(&path.to_string_lossy()),
            None => BUILT_IN_NAME.to_owned(),
        };
        let path = |path: &Option<PathBuf>| {
            let text = path.as_deref().map(Path::to_string_lossy).unwrap_or_default();
            quote(&text)
        };
        let Self { game, paths, gtp, search, net, log, .. } = self;
        format!(
            "# configuration from {source}\n\n\
             [Game]\nKomi = {:?}\nRules = {}\nBoardSize = {}\nMaxMoves = {}\nBoardData = {}\nPlayFirst = {}\n\n\
             [Paths]\nPlainTextLog = {}\nJsonLog = {}\nDataFolder = {}\n\n\
             [Gtp]\nIllegalMove = {}\n\n\
             [Search]\n{}\n\
             [Net]\nUse = {}\nFile = {}\n\n\
             [Log]\nConsole = {}\nRotation = {}\nMaxMegabytes = {}\nMaxFiles = {}\n",
            game.rule.komi,
            quote(game.rule.name().unwrap_or_default()),
            game.board_size,
            game.max_moves,
            quote(&game.board_data),
            quote(word_of(COLORS, game.play_first)),
            path(&paths.plain_text_log),
            path(&paths.json_log),
            path(&paths.data_folder),
            quote(word_of(ILLEGAL_MOVES, gtp.illegal_move)),
            search_lines(search),
            net.is_used,
            path(&net.file),
            quote(word_of(CONSOLE_MODES, log.console)),
            quote(word_of(ROTATIONS, log.rotation)),
            log.max_megabytes,
            log.max_files,
        )
    }
}

/// A line for every option of the search, with what it does where no key of `engine.toml` says it.
fn search_lines(search: &Options) -> String {
    let mut lines = String::new();
    for name in options::names() {
        let value = match search.get(name) {
            Some(Value::Number(number)) => format!("{number:?}"),
            Some(word @ Value::Perspective(_)) => quote(&word.to_string()),
            Some(value) => value.to_string(),
            None => continue,
        };
        // a String takes all that is written to it
        let _ = match params::find(name) {
            None => writeln!(lines, "{name} = {value}"),
            Some(param) => writeln!(lines, "{name} = {value} # {} {} to {}.", param.help, param.min, param.max),
        };
    }
    lines
}

/// A TOML string.
pub(super) fn quote(text: &str) -> String {
    toml::Value::from(text).to_string()
}
