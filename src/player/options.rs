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

/// Names up to version 0.15 and the present ones. The old names stay valid wherever an option is named, so that
/// configurations, scripts and logs of earlier versions keep their meaning; output has the present names only.
pub const RENAMED: [(&str, &str); 9] = [
    ("Exploration", "UctExploration"),
    ("Lag", "LagBuffer"),
    ("NetAfter", "NetMinVisits"),
    ("NetExploration", "Cpuct"),
    ("NetFirstPlay", "FpuReduction"),
    ("NetValue", "NetValueWeight"),
    ("Playouts", "MaxPlayouts"),
    ("ResignMoves", "ResignConsecTurns"),
    ("Visits", "MaxVisits"),
];

/// The present name of an option: `name` itself, unless it was replaced.
pub fn current_name(name: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new)
}

/// The value of an option.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// A whole number.
    Whole(u64),
    /// A finite number.
    Number(f64),
    /// A switch.
    Flag(bool),
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
    pub const WORDS: &[(&str, Perspective)] =
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
        Perspective::WORDS.iter().find(|(_, perspective)| *perspective == self).map_or("", |(word, _)| word)
    }
}

/// The type and range of an option's value; displayed as the range.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ValueType {
    /// A whole number from `min` to `max`.
    Whole {
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
    Flag,
    /// One of [`Perspective::WORDS`].
    Perspective,
}

/// A row of the table of options. The tuning parameters have a table of their own, [`PARAMS`].
struct Row {
    name: &'static str,
    help: &'static str,
    value_type: ValueType,
    get: fn(&Options) -> Value,
    set: fn(&mut Options, Value),
}

macro_rules! options {
    ($($(#[doc = $help:literal])* $field:ident: $type:ty = $default:expr, $name:literal $variant:ident, $value_type:expr;)*) => {
        /// The options of a player, with defaults as in `engine.toml`.
        ///
        /// ```
        /// use kifuwarabe_uec14::player::options::{OptionError, Options, Value};
        ///
        /// let mut options = Options::default();
        /// assert_eq!(options.set("MaxPlayouts", Value::Whole(400)), Ok(()));
        /// assert_eq!(options.limits().playouts, 400);
        /// // the name up to version 0.15
        /// assert_eq!(options.get("Playouts"), Some(Value::Whole(400)));
        /// assert_eq!(options.set("Handicap", Value::Whole(2)), Err(OptionError::Unknown));
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
            get: |options| Value::$variant(options.$field),
            set: |options, value| if let Value::$variant(value) = value { options.$field = value },
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
    threads: u64 = 1, "Threads" Whole, ValueType::Whole { min: 0, max: MAX_THREADS };
    /// Seconds for a move where no time control is set.
    seconds: f64 = 5.0, "Seconds" Number, ValueType::Number { min: 0.001, max: 3600.0 };
    /// Upper limit of the seconds for a move, with and without time control; 0 is no limit. Without time control it takes
    /// the place of `Seconds`.
    max_time: f64 = 0.0, "MaxTime" Number, ValueType::Number { min: 0.0, max: 86400.0 };
    /// Upper limit of the playouts for a move, or of the simulations in a search by net; 0 is no limit.
    max_playouts: u64 = 0, "MaxPlayouts" Whole, ValueType::Whole { min: 0, max: 1_000_000_000_000 };
    /// Upper limit of the root's visits, including those of a reused tree; 0 is no limit.
    max_visits: u64 = 0, "MaxVisits" Whole, ValueType::Whole { min: 0, max: 1_000_000_000_000 };
    /// Seconds reserved per move for communication lag.
    lag_buffer: f64 = 0.1, "LagBuffer" Number, ValueType::Number { min: 0.0, max: 60.0 };
    /// Memory of each kind of search, in MiB; a session that uses both can take twice this.
    memory_mb: u64 = 512, "MemoryMB" Whole, ValueType::Whole { min: MIN_MEMORY_MB, max: 65536 };
    /// RNG seed; 0 picks a random seed at start.
    seed: u64 = 0, "Seed" Whole, ValueType::Whole { min: 0, max: MAX_SEED };
    /// Playing strength, from 1, the weakest, to 10.
    level: u64 = STRONGEST, "Level" Whole, ValueType::Whole { min: 1, max: STRONGEST };
    /// Whether the engine resigns lost games.
    resign: bool = true, "Resign" Flag, ValueType::Flag;
    /// Whether the search goes on while the opponent thinks.
    ponder: bool = false, "Ponder" Flag, ValueType::Flag;
    /// Whether a search for a move sends GoGui's live graphics.
    live_graphics: bool = false, "LiveGraphics" Flag, ValueType::Flag;
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

impl Options {
    /// The value of an option by its present name or one that was replaced; `None` if there is no such option.
    pub fn get(&self, name: &str) -> Option<Value> {
        match row(name) {
            Some(row) => Some((row.get)(self)),
            None => param(name).and_then(|param| ValueType::of(param).admit(Value::Number((param.get)(&self.params)))),
        }
    }

    /// Sets an option by its present name or one that was replaced. Numbers are converted to the type of the option
    /// where they are equal to one of its values: 2 and 2.0, and 1 and 0 of a switch.
    ///
    /// # Errors
    /// [`OptionError`], without any change.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), OptionError> {
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

impl Value {
    /// The value as a number; of a switch, 1 or 0.
    fn number(self) -> Option<f64> {
        match self {
            Value::Whole(whole) => Some(whole as f64),
            Value::Number(number) => Some(number),
            Value::Flag(flag) => Some(f64::from(u8::from(flag))),
            Value::Perspective(_) => None,
        }
    }
}

impl ValueType {
    /// The type and range of a tuning parameter.
    fn of(param: &Param) -> ValueType {
        let Param { min, max, .. } = *param;
        match param.kind {
            ParamKind::Number => ValueType::Number { min, max },
            ParamKind::Whole => ValueType::Whole { min: min as u64, max: max as u64 },
            ParamKind::Flag => ValueType::Flag,
        }
    }

    /// The valid values in words, for an error about `text`.
    pub(crate) fn expected(self, text: &str) -> String {
        let is_fraction = text.parse().is_ok_and(|number: f64| number.fract() != 0.0);
        match self {
            ValueType::Whole { .. } if is_fraction => format!("a whole number from {self}"),
            _ => self.to_string(),
        }
    }

    /// The value that `text` spells, if it has this type and is in range. A whole number may be spelled as a float, and
    /// a switch as 1 or 0.
    pub fn read(self, text: &str) -> Option<Value> {
        let number = || text.parse().ok().map(Value::Number);
        let value = match self {
            ValueType::Whole { .. } => text.parse().ok().map(Value::Whole).or_else(number)?,
            ValueType::Number { .. } => number()?,
            ValueType::Flag => read_flag(text).map(Value::Flag).or_else(number)?,
            ValueType::Perspective => {
                let (_, perspective) = Perspective::WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(text))?;
                Value::Perspective(*perspective)
            }
        };
        self.admit(value)
    }

    /// The value, if it is in range and has this type or can be converted to it: see [`Options::set`].
    fn admit(self, value: Value) -> Option<Value> {
        match (self, value) {
            (ValueType::Whole { .. }, Value::Number(number)) => self.admit(Value::Whole(whole(number)?)),
            (ValueType::Flag, Value::Whole(flag @ 0..=1)) => Some(Value::Flag(flag == 1)),
            (ValueType::Flag, Value::Number(number)) => self.admit(Value::Whole(whole(number)?)),
            (ValueType::Whole { min, max }, Value::Whole(whole)) => (min..=max).contains(&whole).then_some(value),
            // exact up to 2^53; ranges end far below
            (ValueType::Number { .. }, Value::Whole(whole)) => self.admit(Value::Number(whole as f64)),
            (ValueType::Number { min, max }, Value::Number(number)) => (min..=max).contains(&number).then_some(value),
            (ValueType::Flag, Value::Flag(_)) | (ValueType::Perspective, Value::Perspective(_)) => Some(value),
            _ => None,
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueType::Whole { min, max } => write!(f, "{min} to {max}"),
            ValueType::Number { min, max } => write!(f, "{min} to {max}"),
            ValueType::Flag => f.write_str("true or false"),
            ValueType::Perspective => f.write_str("side-to-move, black or white"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Whole(whole) => whole.fmt(f),
            Value::Number(number) => number.fmt(f),
            Value::Flag(flag) => flag.fmt(f),
            Value::Perspective(perspective) => f.write_str(perspective.word()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn options_are_read_and_set_by_name() {
        let default = Options::default();
        let names: Vec<&str> = names().collect();
        assert_eq!(names.len(), ROWS.len() + PARAMS.len());
        for (number, &name) in names.iter().enumerate() {
            assert!(!names.iter().skip(number + 1).any(|&other| other == name), "{name} twice");
            let (name, value_type) = find(name).unwrap();
            let values = match value_type {
                ValueType::Whole { min, max } => vec![Value::Whole(min), Value::Whole(max)],
                ValueType::Number { min, max } => vec![Value::Number(min), Value::Number(max)],
                ValueType::Flag => vec![Value::Flag(true), Value::Flag(false)],
                ValueType::Perspective => {
                    Perspective::WORDS.iter().map(|(_, view)| Value::Perspective(*view)).collect()
                }
            };
            let mut options = default;
            let before = options.get(name).unwrap();
            for value in values {
                options.set(name, value).unwrap();
                assert_eq!(options.get(name), Some(value), "{name}");
                assert_eq!(value_type.read(&value.to_string()), Some(value), "{name}");
            }
            options.set(name, before).unwrap();
            assert_eq!(options, default, "{name}");
        }
    }

    #[test]
    fn invalid_values_change_nothing() {
        let mut options = Options::default();
        assert_eq!(options.set("threads", Value::Whole(2)), Err(OptionError::Unknown));
        assert_eq!(options.get("threads"), None);
        for (name, value, expected) in [
            ("Threads", Value::Whole(65), "0 to 64"),
            ("Threads", Value::Number(2.5), "0 to 64"),
            ("Threads", Value::Number(-1.0), "0 to 64"),
            ("Seconds", Value::Whole(0), "0.001 to 3600"),
            ("Seconds", Value::Number(f64::NAN), "0.001 to 3600"),
            ("Resign", Value::Whole(2), "true or false"),
            ("SmallNetSearch", Value::Number(0.3), "true or false"),
            ("RootNumSymmetriesToSample", Value::Number(2.7), "1 to 8"),
            ("PlayoutCapture", Value::Whole(2), "0 to 1"),
            ("PlayoutCapture", Value::Flag(true), "0 to 1"),
            ("ReportWinrateAs", Value::Flag(true), "side-to-move, black or white"),
        ] {
            let Err(OptionError::Expected(value_type)) = options.set(name, value) else { unreachable!("{name}") };
            assert_eq!(value_type.to_string(), expected);
        }
        assert_eq!(options, Options::default());
        options.set("Seconds", Value::Whole(2)).unwrap();
        assert_eq!(options.seconds, 2.0);
    }

    #[test]
    fn numbers_are_converted_to_the_type_of_the_option() {
        let mut options = Options::default();
        for (name, value, expected) in [
            ("Threads", Value::Number(2.0), "2"),
            ("RootNumSymmetriesToSample", Value::Number(7.0), "7"),
            ("Resign", Value::Whole(0), "false"),
            ("SmallNetSearch", Value::Number(0.0), "false"),
            ("SmallNetSearch", Value::Flag(true), "true"),
        ] {
            options.set(name, value).unwrap();
            assert_eq!(options.get(name).unwrap().to_string(), expected, "{name}");
            let (_, value_type) = find(name).unwrap();
            assert_eq!(value_type.read(&value.to_string()), options.get(name), "{name}");
        }
        let (_, whole) = find("RootNumSymmetriesToSample").unwrap();
        assert_eq!(["2.7", "9"].map(|text| whole.expected(text)), ["a whole number from 1 to 8", "1 to 8"]);
        let (_, switch) = find("SmallNetSearch").unwrap();
        assert_eq!((switch.read("0.0"), switch.read("2"), switch.read("yes")), (Some(Value::Flag(false)), None, None));
    }

    #[test]
    fn max_time_takes_the_place_of_seconds() {
        let limits = |max_time, max_visits| Options { max_time, max_visits, ..Options::default() }.limits();
        let time = |seconds: f64| Some(TimeBudget::new(seconds, seconds).with_expiring_time());
        for (max_time, max_visits, expected) in
            [(0.0, 0, time(5.0)), (0.0, 9, None), (2.0, 0, time(2.0)), (9.0, 9, time(9.0))]
        {
            let limits = limits(max_time, max_visits);
            assert_eq!(limits.time, expected, "{max_time} {max_visits}");
            assert_eq!(limits.visits, if max_visits == 0 { u64::MAX } else { max_visits });
        }
    }

    #[test]
    fn zero_threads_takes_every_processor() {
        let threads = |threads| Options { threads, ..Options::default() }.thread_count();
        assert_eq!((threads(1), threads(64)), (1, 64));
        assert!((1..=64).contains(&threads(0)));
    }

    #[test]
    fn replaced_names_stay_valid() {
        let default = Options::default();
        for (old, new) in RENAMED {
            assert!(!names().any(|name| name == old), "{old} names an option");
            let (name, value_type) = find(old).unwrap();
            assert_eq!((name, Some((name, value_type))), (new, find(new)));
            assert_eq!(default.get(old), default.get(new));
            let (min, max) = match value_type {
                ValueType::Whole { min, max } => (Value::Whole(min), Value::Whole(max)),
                ValueType::Number { min, max } => (Value::Number(min), Value::Number(max)),
                ValueType::Flag | ValueType::Perspective => unreachable!("{old}"),
            };
            for value in [min, max] {
                let (mut by_old, mut by_new) = (default, default);
                by_old.set(old, value).unwrap();
                by_new.set(new, value).unwrap();
                assert_eq!((by_old, by_old.get(new)), (by_new, Some(value)), "{old}");
            }
        }
        assert_eq!((current_name("Seed"), current_name("lag"), find("lag")), ("Seed", "lag", None));
    }
}
