//! [`EngineConfig`] to TOML: every key in the order of `engine.toml`, with paths made absolute.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::config::keys::{COLORS, CONSOLE_MODES, ILLEGAL_MOVES, PRECISIONS, ROTATIONS, name_of};
use crate::config::settings::BUILT_IN_NAME;
use crate::config::types::EngineConfig;
use crate::kernel::Coordinate;
use crate::player::options::{self, OptionValue, Options};
use crate::search::params::{self, ParamKind};
use crate::text::quote::one_line;

impl EngineConfig {
    /// The configuration as TOML that loads to an equal one, after a comment with its source.
    ///
    /// Paths that are not Unicode are printed with replacement characters.
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
             [Net]\nUse = {}\nFile = {}\nPrecision = {}\n\n\
             [Log]\nConsole = {}\nRotation = {}\nMaxMegabytes = {}\nMaxFiles = {}\n",
            game.rule.komi,
            quote(game.rule.name().unwrap_or_default()),
            board_size(game.board_size),
            game.max_moves,
            quote(&game.board_data),
            quote(name_of(COLORS, game.play_first)),
            path(&paths.plain_text_log),
            path(&paths.json_log),
            path(&paths.data_folder),
            quote(name_of(ILLEGAL_MOVES, gtp.illegal_move)),
            search_lines(search),
            net.is_used,
            path(&net.file),
            quote(name_of(PRECISIONS, net.precision)),
            quote(name_of(CONSOLE_MODES, log.console)),
            quote(name_of(ROTATIONS, log.rotation)),
            log.max_megabytes,
            log.max_files,
        )
    }
}

/// The size of a board as a value of TOML: the side of a square board as an integer, else a string.
fn board_size(coordinate: Coordinate) -> String {
    coordinate.side().map_or_else(|| quote(&coordinate.size_text()), |side| side.to_string())
}

/// A line for every option, with a description for the tuning parameters, which `engine.toml` does not list.
fn search_lines(search: &Options) -> String {
    let mut lines = String::new();
    for name in options::names() {
        let value = match search.get(name) {
            Some(OptionValue::Number(number)) => format!("{number:?}"),
            Some(perspective @ OptionValue::Perspective(_)) => quote(&perspective.to_string()),
            Some(value) => value.to_string(),
            None => continue,
        };
        // writing to a String cannot fail
        let _ = match params::find(name) {
            None => writeln!(lines, "{name} = {value}"),
            Some(param) if param.kind == ParamKind::Boolean => writeln!(lines, "{name} = {value} # {}", param.help),
            Some(param) => writeln!(lines, "{name} = {value} # {} {} to {}.", param.help, param.min, param.max),
        };
    }
    lines
}

/// `text` as a TOML string.
pub(super) fn quote(text: &str) -> String {
    toml::Value::from(text).to_string()
}
