//! [`Settings`] to [`EngineConfig`]: checks the type and range of every value, and the consistency of values.
//!
//! The kernel decides whether a drawn board is a legal position. Errors name the place of a value by its [`Origin`];
//! this module does not depend on the parsing of files.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use toml::de::{DeInteger, DeValue};

use crate::config::error::{self, ConfigError, Origin};
use crate::config::keys::{COLORS, CONSOLE_MODES, ILLEGAL_MOVES, Names, PRECISIONS, ROTATIONS, SEARCH, value_of};
use crate::config::option_values;
use crate::config::settings::Settings;
use crate::config::types::{EngineConfig, GameConfig, GtpConfig, LogConfig, NetConfig, PathsConfig, Rotation};
use crate::io::files;
use crate::io::rotated_logs::is_rotated_name;
use crate::kernel::{Board, BoardTextError, Coordinate, GameRule, KOMI_LIMIT, MAX_SIDE, MIN_SIDE, Stone, parse_framed};
use crate::player::options::{self, OptionValue, Options, Perspective, ValueType};
use crate::text::plural::counted;
use crate::text::quote::shortened;

impl Settings<'_> {
    /// The checked configuration; relative paths start from the folder of `source`.
    pub(super) fn check(&self, source: Option<&Path>) -> Result<EngineConfig, ConfigError> {
        let board_size = self.board_size("Game.BoardSize")?;
        let komi = self.number("Game.Komi", -KOMI_LIMIT..=KOMI_LIMIT)?;
        let rule = self.rules("Game.Rules", komi)?;
        let max_moves = self.integer("Game.MaxMoves", 1..=1_000_000)?;
        let board_data = self.text("Game.BoardData")?.to_owned();
        let game = GameConfig {
            rule,
            board_size,
            max_moves,
            stones: self.stones(board_size, &board_data)?,
            board_data,
            play_first: self.named("Game.PlayFirst", COLORS, "black or white")?,
        };
        let folder = source.and_then(Path::parent).unwrap_or(Path::new(""));
        let paths = PathsConfig {
            plain_text_log: self.path("Paths.PlainTextLog", folder)?,
            json_log: self.path("Paths.JsonLog", folder)?,
            data_folder: self.path("Paths.DataFolder", folder)?,
        };
        // two writers would break each other's rotation; devices are not rotated
        if let Some(path) = &paths.json_log
            && paths.plain_text_log.as_ref().is_some_and(|plain| files::is_same(plain, path))
            && (path.is_file() || !path.exists())
        {
            return Err(self.get("Paths.JsonLog")?.error("the same file as Paths.PlainTextLog"));
        }
        let gtp = GtpConfig { illegal_move: self.named("Gtp.IllegalMove", ILLEGAL_MOVES, "reason or standard")? };
        let net = NetConfig {
            is_used: self.flag("Net.Use")?,
            file: self.path("Net.File", folder)?,
            precision: self.named("Net.Precision", PRECISIONS, "one of auto, f32, int16, bf16")?,
        };
        let log = LogConfig {
            console: self.named("Log.Console", CONSOLE_MODES, "one of auto, echo, full, off")?,
            rotation: self.named("Log.Rotation", ROTATIONS, "one of never, daily, size")?,
            max_megabytes: self.integer("Log.MaxMegabytes", 1..=4096)?,
            max_files: self.integer("Log.MaxFiles", 1..=1000)?,
        };
        if let (Some(plain), Some(json)) = (&paths.plain_text_log, &paths.json_log)
            && log.rotation != Rotation::Never
        {
            for (key, one, other, other_key) in [
                ("Paths.JsonLog", json, plain, "Paths.PlainTextLog"),
                ("Paths.PlainTextLog", plain, json, "Paths.JsonLog"),
            ] {
                if is_rotated_name(one, other) {
                    return Err(self.get(key)?.error(format_args!("the name of an older file of {other_key}")));
                }
            }
        }
        Ok(EngineConfig { source: source.map(Path::to_owned), game, paths, gtp, search: self.search()?, net, log })
    }

    /// The `[Search]` section, checked against the table of options, which defines types, ranges and defaults.
    fn search(&self) -> Result<Options, ConfigError> {
        let mut search = Options::default();
        for (name, value_type) in options::names().filter_map(options::find) {
            let key = format!("{SEARCH}.{name}");
            let Some(setting) = self.written(&key) else { continue };
            let value = match (value_type, &setting.value) {
                // converted by the option, if it is a whole number, or 1 or 0 of a switch
                (ValueType::Integer { .. } | ValueType::Boolean, DeValue::Float(_))
                | (ValueType::Boolean, DeValue::Integer(_)) => {
                    OptionValue::Number(self.finite(&key, &value_type.to_string())?)
                }
                (ValueType::Integer { min, max }, _) => OptionValue::Integer(self.integer(&key, min..=max)?),
                (ValueType::Number { min, max }, _) => OptionValue::Number(self.number(&key, min..=max)?),
                (ValueType::Boolean, _) => OptionValue::Boolean(self.flag(&key)?),
                (ValueType::Perspective, _) => {
                    OptionValue::Perspective(self.named(&key, Perspective::NAMES, &value_type.to_string())?)
                }
            };
            let expected = value_type.expected(&value.to_string());
            let refused = |_| setting.error(format_args!("expected {expected}, found {value}"));
            search.set(name, value).map_err(refused)?;
        }
        Ok(search)
    }

    fn flag(&self, key: &str) -> Result<bool, ConfigError> {
        let setting = self.get(key)?;
        setting.value.as_bool().ok_or_else(|| setting.expected("true or false"))
    }

    fn number(&self, key: &str, range: RangeInclusive<f64>) -> Result<f64, ConfigError> {
        let (low, high) = (range.start(), range.end());
        let value = self.finite(key, &format!("a number from {low} to {high}"))?;
        if range.contains(&value) {
            return Ok(value);
        }
        Err(self.get(key)?.error(format_args!("expected {low} to {high}, found {value:?}")))
    }

    fn integer<T>(&self, key: &str, range: RangeInclusive<T>) -> Result<T, ConfigError>
    where
        T: TryFrom<i64> + PartialOrd + fmt::Display,
    {
        let setting = self.get(key)?;
        let (low, high) = (range.start(), range.end());
        let DeValue::Integer(integer) = &setting.value else {
            return Err(setting.expected(&format!("a whole number from {low} to {high}")));
        };
        let value = to_i64(integer).and_then(|value| T::try_from(value).ok()).filter(|value| range.contains(value));
        value.ok_or_else(|| setting.expected(&format!("{low} to {high}")))
    }

    /// The size of a board: an integer for a square, or a text.
    fn board_size(&self, key: &str) -> Result<Coordinate, ConfigError> {
        let setting = self.get(key)?;
        match &setting.value {
            DeValue::Integer(_) => {
                let side = self.integer(key, MIN_SIDE..=MAX_SIDE)?;
                Coordinate::square(side).ok_or_else(|| setting.error(format_args!("no board has size {side}")))
            }
            DeValue::String(text) => option_values::board_size(text)
                .map_err(|expected| setting.error(format_args!("{expected}, found {:?}", shortened(text)))),
            _ => Err(setting.expected("an integer or a string such as \"9x13\"")),
        }
    }

    /// A finite number; `expected` describes it for the error about a value of another type.
    fn finite(&self, key: &str, expected: &str) -> Result<f64, ConfigError> {
        let setting = self.get(key)?;
        let (value, found) = match &setting.value {
            // inexact beyond 2^53, far outside of any useful value
            DeValue::Integer(integer) => (to_i64(integer).map(|value| value as f64), integer.to_string()),
            DeValue::Float(float) => (float.as_str().parse().ok(), float.as_str().to_owned()),
            value => {
                let number = value.as_str().and_then(|text| Some((text, error::with_decimal_point(text)?)));
                return Err(match number {
                    Some((text, number)) => setting.error(error::decimal_comma(text, &number)),
                    None => setting.expected(expected),
                });
            }
        };
        value
            .filter(|value: &f64| value.is_finite())
            .ok_or_else(|| setting.error(format_args!("expected a finite number, found {}", shortened(&found))))
    }

    fn rules(&self, key: &str, komi: f64) -> Result<GameRule, ConfigError> {
        let setting = self.get(key)?;
        let rule = setting.value.as_str().and_then(|name| GameRule::with_komi(komi).with_rule_set(name));
        rule.ok_or_else(|| {
            let names: Vec<_> = GameRule::names().collect();
            setting.expected(&format!("one of {}", names.join(", ")))
        })
    }

    fn text(&self, key: &str) -> Result<&str, ConfigError> {
        let setting = self.get(key)?;
        setting.value.as_str().ok_or_else(|| setting.expected("a string"))
    }

    fn named<T: Copy>(&self, key: &str, names: &Names<T>, expected: &str) -> Result<T, ConfigError> {
        let setting = self.get(key)?;
        setting.value.as_str().and_then(|text| value_of(names, text)).ok_or_else(|| setting.expected(expected))
    }

    /// An absolute path, so that a printed configuration can be read back from any folder; `None` for an empty string.
    fn path(&self, key: &str, folder: &Path) -> Result<Option<PathBuf>, ConfigError> {
        let text = self.text(key)?;
        if text.is_empty() {
            return Ok(None);
        }
        let path = folder.join(files::in_home(text));
        Ok(Some(std::path::absolute(&path).unwrap_or(path)))
    }

    fn stones(&self, coordinate: Coordinate, board_data: &str) -> Result<Option<Vec<Stone>>, ConfigError> {
        const SIZE: &str = "Game.BoardSize";
        const DATA: &str = "Game.BoardData";
        if board_data.trim().is_empty() {
            return Ok(None);
        }
        let (size, data) = (&self.get(SIZE)?.origin, &self.get(DATA)?.origin);
        let reason = match parse_framed(coordinate, board_data.as_bytes()) {
            Ok(stones) => match Board::from_stones(coordinate, &stones) {
                Ok(_) => return Ok(Some(stones)),
                Err(reason) => reason.to_string(),
            },
            Err(reason) => drawing_error(reason, coordinate),
        };
        Err(match (size, data) {
            // the drawing comes from a file and the size from `--set`: the error is about the size
            (Origin::Override { .. }, Origin::File { .. }) => {
                size.error(SIZE, format_args!("{DATA} at {data} does not fit: {reason}"))
            }
            _ => data.error(DATA, format_args!("no position for BoardSize {}: {reason}", coordinate.size_text())),
        })
    }
}

/// The error about a drawn board for `coordinate`, as a sentence where the number of its cells is wrong.
fn drawing_error(error: BoardTextError, coordinate: Coordinate) -> String {
    let board = format!("a {coordinate} board with its frame has");
    match error {
        BoardTextError::NotEnough { found, size } => {
            format!("the drawing has {}, {board} {size}", counted(found, "cell"))
        }
        BoardTextError::OutOfBounds { size } => format!("the drawing has more than {size} cells, {board} {size}"),
        BoardTextError::Frame { .. } => error.to_string(),
    }
}

/// The value of a TOML integer; `None` if it does not fit in 64 bits.
fn to_i64(integer: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(integer.as_str(), integer.radix()).ok()
}
