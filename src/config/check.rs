//! [`Settings`] to [`EngineConfig`]: whether what was written makes sense.
//!
//! It knows the type and range of every key, and asks the kernel whether a drawn board is a position. It does not know
//! how the values were written down: that an error names the place is up to their origins.

use std::{
    fmt,
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

use toml::de::{DeInteger, DeValue};

use crate::config::error::Origin;
use crate::config::keys::{COLORS, CONSOLE_MODES, ILLEGAL_MOVES, ROTATIONS, SEARCH, Words, value_of};
use crate::config::settings::Settings;
use crate::config::{EngineConfig, GameConfig, GtpConfig, LogConfig, NetConfig, PathsConfig};
use crate::io::text::shortened;
use crate::kernel::{Board, Coordinate, GameRule, Stone, parse_stones};
use crate::player::options::{self, Kind, Options, Perspective, Value};

impl Settings<'_> {
    /// The checked configuration; relative paths start from the folder of `source`.
    pub(super) fn check(&self, source: Option<&Path>) -> anyhow::Result<EngineConfig> {
        let board_size = self.integer("Game.BoardSize", 2..=25)?;
        let komi = self.finite("Game.Komi")?;
        let rule = self.rules("Game.Rules", komi)?;
        let max_moves = self.integer("Game.MaxMoves", 1..=1_000_000)?;
        let board_data = self.text("Game.BoardData")?.to_owned();
        let game = GameConfig {
            rule,
            board_size,
            max_moves,
            stones: self.stones(board_size, &board_data)?,
            board_data,
            play_first: self.word("Game.PlayFirst", COLORS, "black or white")?,
        };
        let folder = source.and_then(Path::parent).unwrap_or(Path::new(""));
        let paths = PathsConfig {
            plain_text_log: self.path("Paths.PlainTextLog", folder)?,
            json_log: self.path("Paths.JsonLog", folder)?,
            data_folder: self.path("Paths.DataFolder", folder)?,
        };
        // Two writers in one file would tear each other's rotation. A device is nobody's file.
        if let Some(path) = &paths.json_log
            && paths.plain_text_log.as_ref() == Some(path)
            && (path.is_file() || !path.exists())
        {
            let key = "Paths.JsonLog";
            return Err(self.get(key)?.origin.error(key, "the same file as Paths.PlainTextLog"));
        }
        let gtp = GtpConfig { illegal_move: self.word("Gtp.IllegalMove", ILLEGAL_MOVES, "reason or standard")? };
        let net = NetConfig { is_used: self.flag("Net.Use")?, file: self.path("Net.File", folder)? };
        let log = LogConfig {
            console: self.word("Log.Console", CONSOLE_MODES, "one of auto, echo, full, off")?,
            rotation: self.word("Log.Rotation", ROTATIONS, "one of never, daily, size")?,
            max_megabytes: self.integer("Log.MaxMegabytes", 1..=4096)?,
            max_files: self.integer("Log.MaxFiles", 1..=1000)?,
        };
        Ok(EngineConfig { source: source.map(Path::to_owned), game, paths, gtp, search: self.search()?, net, log })
    }

    /// The search's own table says what its options are and may be, and what they are where nothing is written.
    fn search(&self) -> anyhow::Result<Options> {
        let mut search = Options::default();
        for (name, kind) in options::names().filter_map(options::find) {
            let key = format!("{SEARCH}.{name}");
            let Some(setting) = self.written(&key) else { continue };
            let value = match kind {
                Kind::Whole { min, max } => Value::Whole(self.integer(&key, min..=max)?),
                Kind::Number { min, max } => Value::Number(self.number(&key, min..=max)?),
                Kind::Flag => Value::Flag(self.flag(&key)?),
                Kind::Perspective => Value::Perspective(self.word(&key, Perspective::WORDS, &kind.to_string())?),
            };
            let refused = |_| setting.origin.error(&key, format_args!("expected {kind}, found {value}"));
            search.set(name, value).map_err(refused)?;
        }
        Ok(search)
    }

    fn flag(&self, key: &str) -> anyhow::Result<bool> {
        let setting = self.get(key)?;
        setting.value.as_bool().ok_or_else(|| setting.expected(key, "true or false"))
    }

    fn number(&self, key: &str, range: RangeInclusive<f64>) -> anyhow::Result<f64> {
        let value = self.finite(key)?;
        if range.contains(&value) {
            return Ok(value);
        }
        let (low, high, found) = (range.start(), range.end(), format!("{value:?}"));
        Err(self.get(key)?.origin.error(key, format_args!("expected {low} to {high}, found {found}")))
    }

    fn integer<T>(&self, key: &str, range: RangeInclusive<T>) -> anyhow::Result<T>
    where
        T: TryFrom<i64> + PartialOrd + fmt::Display,
    {
        let setting = self.get(key)?;
        let DeValue::Integer(integer) = &setting.value else {
            return Err(setting.expected(key, "an integer"));
        };
        to_i64(integer).and_then(|value| T::try_from(value).ok()).filter(|value| range.contains(value)).ok_or_else(
            || {
                let (low, high, found) = (range.start(), range.end(), integer.to_string());
                setting.origin.error(key, format_args!("expected {low} to {high}, found {}", shortened(&found)))
            },
        )
    }

    fn finite(&self, key: &str) -> anyhow::Result<f64> {
        let setting = self.get(key)?;
        let (value, found) = match &setting.value {
            // Beyond 2^53 an integer is no longer exact, which no komi minds.
            DeValue::Integer(integer) => (to_i64(integer).map(|value| value as f64), integer.to_string()),
            DeValue::Float(float) => (float.as_str().parse().ok(), float.as_str().to_owned()),
            _ => return Err(setting.expected(key, "a number")),
        };
        value.filter(|value: &f64| value.is_finite()).ok_or_else(|| {
            setting.origin.error(key, format_args!("expected a finite number, found {}", shortened(&found)))
        })
    }

    fn rules(&self, key: &str, komi: f64) -> anyhow::Result<GameRule> {
        let name = self.text(key)?;
        match GameRule::with_komi(komi).named(name) {
            Some(rule) => Ok(rule),
            None => {
                let names: Vec<_> = GameRule::names().collect();
                let (names, found) = (names.join(", "), shortened(name));
                Err(self.get(key)?.origin.error(key, format_args!("expected one of {names}, found {found:?}")))
            }
        }
    }

    fn text(&self, key: &str) -> anyhow::Result<&str> {
        let setting = self.get(key)?;
        setting.value.as_str().ok_or_else(|| setting.expected(key, "a string"))
    }

    fn word<T: Copy>(&self, key: &str, words: &Words<T>, what: &str) -> anyhow::Result<T> {
        let text = self.text(key)?;
        match value_of(words, text) {
            Some(value) => Ok(value),
            None => {
                let found = shortened(text);
                Err(self.get(key)?.origin.error(key, format_args!("expected {what}, found {found:?}")))
            }
        }
    }

    /// Absolute, so that the configuration means the same wherever it is printed to and read back.
    fn path(&self, key: &str, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
        let text = self.text(key)?;
        if text.is_empty() {
            return Ok(None);
        }
        let path = folder.join(text);
        Ok(Some(std::path::absolute(&path).unwrap_or(path)))
    }

    fn stones(&self, board_size: u8, board_data: &str) -> anyhow::Result<Option<Vec<Stone>>> {
        const SIZE: &str = "Game.BoardSize";
        const DATA: &str = "Game.BoardData";
        if board_data.trim().is_empty() {
            return Ok(None);
        }
        let (size, data) = (&self.get(SIZE)?.origin, &self.get(DATA)?.origin);
        let Some(coordinate) = Coordinate::square(board_size) else {
            return Err(size.error(SIZE, format_args!("no board has size {board_size}")));
        };
        let mistake = match parse_stones(coordinate, board_data.as_bytes()) {
            Ok(stones) => match Board::from_stones(coordinate, &stones) {
                Ok(_) => return Ok(Some(stones)),
                Err(reason) => reason.to_string(),
            },
            Err(reason) => reason.to_string(),
        };
        Err(match (size, data) {
            // The drawing was there first: what was typed for this run is what does not fit.
            (Origin::Override { .. }, Origin::File { .. }) => {
                size.error(SIZE, format_args!("{DATA} at {data} does not fit: {mistake}"))
            }
            _ => data.error(DATA, format_args!("no position for BoardSize {board_size}: {mistake}")),
        })
    }
}

/// `None` beyond 64 bits.
fn to_i64(integer: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}
