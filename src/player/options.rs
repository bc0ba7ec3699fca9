//! The options of a player: limits, threads, memory, seed, level, and the tuning parameters of [`params`].
//!
//! One table of names and value types serves `[Search]` of engine.toml, `--set`, `kata-get-param`, `kata-set-param` and
//! GoGui's parameter dialog. Names that were replaced stay valid: [`RENAMED`] maps each to its present name. The type
//! is defined here and not in the configuration, so that players and searches need no file.

use std::fmt;
use std::thread::available_parallelism;

use crate::kernel::Color;
use crate::player::level::STRONGEST;
use crate::search::limits::{Limits, TimeBudget};
use crate::search::params::{self, PARAMS, Param, ParamKind, Params};

/// The upper bound of `Threads`.
pub(crate) const MAX_THREADS: u64 = 64;

/// The greatest seed, 2^53 - 1: the greatest whole number that every JSON reader keeps exactly.
pub const MAX_SEED: u64 = (1 << 53) - 1;

/// The lower bound of `MemoryMB`, in MiB.
pub const MIN_MEMORY_MB: u64 = 16;

/// Former names and the present ones. The old names stay valid wherever an option is named, so that
/// configurations, scripts and logs of earlier versions keep their meaning; output has the present names only.
pub const RENAMED: [(&str, &str); 10] = [
    ("Exploration", "UctExploration"),
    ("Lag", "LagBuffer"),
    ("NetAfter", "NetMinVisits"),
    ("NetExploration", "Cpuct"),
    ("NetFirstPlay", "FpuReduction"),
    ("NetValue", "NetValueWeight"),
    ("Playouts", "MaxPlayouts"),
    ("ResignMoves", "ResignConsecTurns"),
    ("SmallNetSearch", "NativeNetSearch"),
    ("Visits", "MaxVisits"),
];

/// The present name of an option: `name` itself, unless it was replaced.
pub fn current_name(name: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
}

/// The value of an option.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum OptionValue {
    /// A whole number.
    Integer(u64),
    /// A finite number.
    Number(f64),
    /// A switch.
    Boolean(bool),
    /// The player that win rates and scores are reported for.
    Perspective(Perspective),
}

/// The player that an analysis reports win rates, leads and ownership for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Perspective {
    /// The player whose move is searched.
    SideToMove,
    /// Always Black.
    Black,
    /// Always White.
    White,
}

impl Perspective {
    /// The spelling of each in configurations and commands.
    pub const NAMES: &[(&str, Perspective)] =
        &[("side-to-move", Perspective::SideToMove), ("black", Perspective::Black), ("white", Perspective::White)];

    /// The player reported for in a search for a move of `color`.
    pub fn of(self, color: Color) -> Color {
        match self {
            Perspective::SideToMove => color,
            Perspective::Black => Color::Black,
            Perspective::White => Color::White,
        }
    }

    fn word(self) -> &'static str {
        Perspective::NAMES.iter().find(|(_, perspective)| *perspective == self).map_or("", |(word, _)| word)
    }
}

/// The type and range of an option's value; displayed as the range.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueType {
    /// A whole number from `min` to `max`.
    Integer {
        /// The lower bound, itself allowed.
        min: u64,
        /// The upper bound, itself allowed.
        max: u64,
    },
    /// A finite number from `min` to `max`.
    Number {
        /// The lower bound, itself allowed.
        min: f64,
        /// The upper bound, itself allowed.
        max: f64,
    },
    /// `true` or `false`.
    Boolean,
    /// One of [`Perspective::NAMES`].
    Perspective,
}

/// A row of the table of options. The tuning parameters have a table of their own, [`PARAMS`].
struct Row {
    name: &'static str,
    help: &'static str,
    value_type: ValueType,
    get: fn(&Options) -> OptionValue,
    set: fn(&mut Options, OptionValue),
}

macro_rules! options {
    ($($(#[doc = $help:literal])* $field:ident: $type:ty = $default:expr, $name:literal $variant:ident, $value_type:expr;)*) => {
        /// The options of a player, with defaults as in `engine.toml`.
        ///
        /// ```
        /// use kifuwarabe_uec14::player::options::{OptionError, Options, OptionValue};
        ///
        /// let mut options = Options::default();
        /// assert_eq!(options.set("MaxPlayouts", OptionValue::Integer(400)), Ok(()));
        /// assert_eq!(options.limits().playouts, 400);
        /// // the name up to version 0.15
        /// assert_eq!(options.get("Playouts"), Some(OptionValue::Integer(400)));
        /// assert_eq!(options.set("Handicap", OptionValue::Integer(2)), Err(OptionError::Unknown));
        /// ```
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Options {
            $($(#[doc = $help])* pub $field: $type,)*
            /// The tuning parameters of the search and its playouts.
            pub params: Params,
        }

        static ROWS: &[Row] = &[$(Row {
            name: $name,
            help: concat!($($help),*).trim_ascii(),
            value_type: $value_type,
            get: |options| OptionValue::$variant(options.$field),
            set: |options, value| if let OptionValue::$variant(value) = value { options.$field = value },
        }),*];

        impl Default for Options {
            fn default() -> Options {
                Options { $($field: $default,)* params: Params::default() }
            }
        }
    };
}

options! {
    /// Threads that search one tree; 0 takes one for every processor.
    threads: u64 = 1, "Threads" Integer, ValueType::Integer { min: 0, max: MAX_THREADS };
    /// Seconds for a move where no time control is set.
    seconds: f64 = 5.0, "Seconds" Number, ValueType::Number { min: 0.001, max: 3600.0 };
    /// Upper limit of the seconds for a move, with and without time control; 0 is no limit. Without time control it takes
    /// the place of `Seconds`.
    max_time: f64 = 0.0, "MaxTime" Number, ValueType::Number { min: 0.0, max: 86400.0 };
    /// Upper limit of the playouts for a move, or of the simulations in a search by net; 0 is no limit.
    max_playouts: u64 = 0, "MaxPlayouts" Integer, ValueType::Integer { min: 0, max: 1_000_000_000_000 };
    /// Upper limit of the root's visits, including those of a reused tree; 0 is no limit.
    max_visits: u64 = 0, "MaxVisits" Integer, ValueType::Integer { min: 0, max: 1_000_000_000_000 };
    /// Seconds reserved per move for communication lag.
    lag_buffer: f64 = 0.1, "LagBuffer" Number, ValueType::Number { min: 0.0, max: 60.0 };
    /// Memory of each kind of search, in MiB; a session that uses both can take twice this.
    memory_mb: u64 = 512, "MemoryMB" Integer, ValueType::Integer { min: MIN_MEMORY_MB, max: 65536 };
    /// RNG seed; 0 picks a random seed at start.
    seed: u64 = 0, "Seed" Integer, ValueType::Integer { min: 0, max: MAX_SEED };
    /// Playing strength, from 1, the weakest, to 10.
    level: u64 = STRONGEST, "Level" Integer, ValueType::Integer { min: 1, max: STRONGEST };
    /// Whether the engine resigns lost games.
    resign: bool = true, "Resign" Boolean, ValueType::Boolean;
    /// Whether the search goes on while the opponent thinks.
    ponder: bool = false, "Ponder" Boolean, ValueType::Boolean;
    /// Whether a search for a move sends GoGui's live graphics.
    live_graphics: bool = false, "LiveGraphics" Boolean, ValueType::Boolean;
    /// The player that an analysis reports win rates, leads and ownership for.
    report_winrate_as: Perspective = Perspective::SideToMove, "ReportWinrateAs" Perspective, ValueType::Perspective;
}

/// Reason for not setting an option.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum OptionError {
    /// No option has this name.
    Unknown,
    /// The value has another type or is out of range.
    Expected(ValueType),
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::Unknown => f.write_str("unknown option"),
            OptionError::Expected(value_type) => write!(f, "expected {value_type}"),
        }
    }
}

impl std::error::Error for OptionError {}

/// The present names of all options, the tuning parameters after the others.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name).chain(PARAMS.iter().map(|param| param.name))
}

/// The present name and the value type of an option; `name` may be one that was replaced. Names are case-sensitive.
pub fn find(name: &str) -> Option<(&'static str, ValueType)> {
    match row(name) {
        Some(row) => Some((row.name, row.value_type)),
        None => param(name).map(|param| (param.name, ValueType::of(param))),
    }
}

/// The description of an option, in a sentence or two.
pub fn describe(name: &str) -> Option<&'static str> {
    row(name).map(|row| row.help).or_else(|| param(name).map(|param| param.help))
}

/// The row of an option by its present name or one that was replaced, as for [`param`].
fn row(name: &str) -> Option<&'static Row> {
    let name = current_name(name);
    ROWS.iter().find(|row| row.name == name)
}

fn param(name: &str) -> Option<&'static Param> {
    params::find(current_name(name))
}

/// The options that need a new searcher when they change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SearcherOptions {
    pub(super) memory_mb: u64,
    pub(super) seed: u64,
}

impl Options {
    /// The options of a searcher.
    pub(super) fn of_searcher(&self) -> SearcherOptions {
        SearcherOptions { memory_mb: self.memory_mb, seed: self.seed }
    }

    /// The value of an option by its present name or one that was replaced; `None` if there is no such option.
    pub fn get(&self, name: &str) -> Option<OptionValue> {
        match row(name) {
            Some(row) => Some((row.get)(self)),
            None => {
                param(name).and_then(|param| ValueType::of(param).admit(OptionValue::Number((param.get)(&self.params))))
            }
        }
    }

    /// Sets an option by its present name or one that was replaced. Numbers are converted to the type of the option
    /// where they are equal to one of its values: 2 and 2.0, and 1 and 0 of a switch.
    ///
    /// # Errors
    /// [`OptionError`], without any change.
    pub fn set(&mut self, name: &str, value: OptionValue) -> Result<(), OptionError> {
        let (name, value_type) = find(name).ok_or(OptionError::Unknown)?;
        let value = value_type.admit(value).ok_or(OptionError::Expected(value_type))?;
        match (row(name), value) {
            (Some(row), value) => (row.set)(self, value),
            (None, value) => {
                let number = value.number().ok_or(OptionError::Expected(value_type))?;
                self.params.set(name, number).map_err(|_| OptionError::Expected(value_type))?;
            }
        }
        Ok(())
    }

    /// The limits of a search without a clock: `max_time`, `max_playouts` and `max_visits` where one of them is set, else
    /// `seconds`.
    pub fn limits(&self) -> Limits {
        let is_timed = (self.max_playouts, self.max_visits) == (0, 0);
        let seconds = if self.max_time > 0.0 { self.max_time } else { self.seconds };
        let or_none = |count: u64| if count == 0 { u64::MAX } else { count };
        Limits {
            time: (self.max_time > 0.0 || is_timed).then(|| TimeBudget::new(seconds, seconds).with_expiring_time()),
            playouts: or_none(self.max_playouts),
            visits: or_none(self.max_visits),
            ..Limits::NONE
        }
    }

    /// The memory of each of `searches` that run in parallel, in MiB: an equal share of `memory_mb`, rounded up.
    pub(crate) fn memory_share_mb(&self, searches: usize) -> u64 {
        self.memory_mb.div_ceil(searches.max(1) as u64)
    }

    /// The RNG seed: the option, or where that is 0 a random one from 1 to [`MAX_SEED`].
    pub fn resolved_seed(&self) -> u64 {
        if self.seed == 0 { fastrand::u64(1..=MAX_SEED) } else { self.seed }
    }

    /// The number of search threads, 1 to 64: the option, or where that is 0 the number of processors.
    pub fn thread_count(&self) -> usize {
        match usize::try_from(self.threads) {
            Ok(threads @ 1..) => threads.min(MAX_THREADS as usize),
            _ => processor_count(),
        }
    }
}

/// The number of processors, 1 to 64; 1 where it is unknown.
pub(crate) fn processor_count() -> usize {
    available_parallelism().map_or(1, usize::from).min(MAX_THREADS as usize)
}

/// The whole number that a float is, if it is one that floats keep exactly.
fn whole(number: f64) -> Option<u64> {
    ((0.0..=MAX_SEED as f64).contains(&number) && number.fract() == 0.0).then_some(number as u64)
}

/// The switch that a word spells, in any case, as KataGo reads it.
pub(crate) fn read_flag(word: &str) -> Option<bool> {
    word.to_ascii_lowercase().parse().ok()
}

impl OptionValue {
    /// The value as a number; of a switch, 1 or 0.
    fn number(self) -> Option<f64> {
        match self {
            OptionValue::Integer(whole) => Some(whole as f64),
            OptionValue::Number(number) => Some(number),
            OptionValue::Boolean(flag) => Some(f64::from(u8::from(flag))),
            OptionValue::Perspective(_) => None,
        }
    }
}

impl ValueType {
    /// The type and range of a tuning parameter.
    fn of(param: &Param) -> ValueType {
        let Param { min, max, .. } = *param;
        match param.kind {
            ParamKind::Number => ValueType::Number { min, max },
            ParamKind::Integer => ValueType::Integer { min: min as u64, max: max as u64 },
            ParamKind::Boolean => ValueType::Boolean,
        }
    }

    /// The valid values in words, for an error about `text`.
    pub(crate) fn expected(self, text: &str) -> String {
        let is_fraction = text.parse().is_ok_and(|number: f64| number.fract() != 0.0);
        match self {
            ValueType::Integer { .. } if is_fraction => format!("a whole number from {self}"),
            _ => self.to_string(),
        }
    }

    /// The value that `text` spells, if it has this type and is in range. A whole number may be spelled as a float, and
    /// a switch as 1 or 0.
    pub fn read(self, text: &str) -> Option<OptionValue> {
        let number = || text.parse().ok().map(OptionValue::Number);
        let value = match self {
            ValueType::Integer { .. } => text.parse().ok().map(OptionValue::Integer).or_else(number)?,
            ValueType::Number { .. } => number()?,
            ValueType::Boolean => read_flag(text).map(OptionValue::Boolean).or_else(number)?,
            ValueType::Perspective => {
                let (_, perspective) = Perspective::NAMES.iter().find(|(word, _)| word.eq_ignore_ascii_case(text))?;
                OptionValue::Perspective(*perspective)
            }
        };
        self.admit(value)
    }

    /// The value, if it is in range and has this type or can be converted to it: see [`Options::set`].
    fn admit(self, value: OptionValue) -> Option<OptionValue> {
        match (self, value) {
            (ValueType::Integer { .. }, OptionValue::Number(number)) => {
                self.admit(OptionValue::Integer(whole(number)?))
            }
            (ValueType::Boolean, OptionValue::Integer(flag @ 0..=1)) => Some(OptionValue::Boolean(flag == 1)),
            (ValueType::Boolean, OptionValue::Number(number)) => self.admit(OptionValue::Integer(whole(number)?)),
            (ValueType::Integer { min, max }, OptionValue::Integer(whole)) => {
                (min..=max).contains(&whole).then_some(value)
            }
            // exact up to 2^53; ranges end far below
            (ValueType::Number { .. }, OptionValue::Integer(whole)) => self.admit(OptionValue::Number(whole as f64)),
            (ValueType::Number { min, max }, OptionValue::Number(number)) => {
                (min..=max).contains(&number).then_some(value)
            }
            (ValueType::Boolean, OptionValue::Boolean(_)) | (ValueType::Perspective, OptionValue::Perspective(_)) => {
                Some(value)
            }
            _ => None,
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueType::Integer { min, max } => write!(f, "{min} to {max}"),
            ValueType::Number { min, max } => write!(f, "{min} to {max}"),
            ValueType::Boolean => f.write_str("true or false"),
            ValueType::Perspective => f.write_str("side-to-move, black or white"),
        }
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Integer(whole) => whole.fmt(f),
            OptionValue::Number(number) => number.fmt(f),
            OptionValue::Boolean(flag) => flag.fmt(f),
            OptionValue::Perspective(perspective) => f.write_str(perspective.word()),
        }
    }
}

#[cfg(test)]
mod tests;
