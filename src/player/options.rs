//! What a search is told before it starts: how long, how wide, how much memory, and the numbers of [`params`].
//!
//! One table of names serves `[Search]` of engine.toml, `--set` and the commands that read and change a value while the
//! engine runs. The type lives here, and not with the configuration, so that the search knows nothing of files.

use std::fmt;
use std::thread::available_parallelism;

use crate::kernel::Color;
use crate::player::level::STRONGEST;
use crate::search::limits::{Limits, TimeBudget};
use crate::search::params::{self, PARAMS, Params};

/// The most threads that search at once.
const MAX_THREADS: u64 = 64;

/// The greatest seed: the bound is that of numbers which JSON keeps exactly.
pub const MOST_SEED: u64 = (1 << 53) - 1;

/// The least memory that a search can be given, in MiB.
pub const LEAST_MEMORY: u64 = 16;

/// A value of an option.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value {
    /// A count.
    Whole(u64),
    /// A quantity.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// A point of view.
    Perspective(Perspective),
}

/// Whose chances an analysis tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Perspective {
    /// Those of the player whose move is sought.
    SideToMove,
    /// Black's.
    Black,
    /// White's.
    White,
}

impl Perspective {
    /// The words for each.
    pub const WORDS: &[(&str, Perspective)] =
        &[("side-to-move", Perspective::SideToMove), ("black", Perspective::Black), ("white", Perspective::White)];

    /// Whose chances are told in a search for a move of this colour.
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

/// What an option may be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A whole number.
    Whole {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// A finite number.
    Number {
        /// The least.
        min: f64,
        /// The greatest.
        max: f64,
    },
    /// True or false.
    Flag,
    /// One of the words of [`Perspective`].
    Perspective,
}

/// A row of the table of options, those of [`PARAMS`] left out.
struct Row {
    name: &'static str,
    help: &'static str,
    kind: Kind,
    get: fn(&Options) -> Value,
    set: fn(&mut Options, Value),
}

macro_rules! options {
    ($($(#[doc = $help:literal])* $field:ident: $type:ty = $default:expr, $name:literal $variant:ident, $kind:expr;)*) => {
        /// What a search is told.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct Options {
            $($(#[doc = $help])* pub $field: $type,)*
            /// The numbers it is tuned by.
            pub params: Params,
        }

        static ROWS: &[Row] = &[$(Row {
            name: $name,
            help: concat!($($help),*).trim_ascii(),
            kind: $kind,
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
    /// Threads that search at once; 0 is one for every processor.
    threads: u64 = 1, "Threads" Whole, Kind::Whole { min: 0, max: MAX_THREADS };
    /// Seconds for a move where no time was agreed on.
    seconds: f64 = 5.0, "Seconds" Number, Kind::Number { min: 0.001, max: 3600.0 };
    /// Playouts for a move at most; 0 is no limit.
    playouts: u64 = 0, "Playouts" Whole, Kind::Whole { min: 0, max: 1_000_000_000_000 };
    /// Visits of the root at most, those kept from the search before counted; 0 is no limit.
    visits: u64 = 0, "Visits" Whole, Kind::Whole { min: 0, max: 1_000_000_000_000 };
    /// Seconds of every move kept back for the way to the controller and back.
    lag: f64 = 0.1, "Lag" Number, Kind::Number { min: 0.0, max: 60.0 };
    /// The most memory that the tree and what the net said may take, in MiB.
    memory_mb: u64 = 512, "MemoryMB" Whole, Kind::Whole { min: LEAST_MEMORY, max: 65536 };
    /// Where chance starts from; 0 is anew every time.
    seed: u64 = 0, "Seed" Whole, Kind::Whole { min: 0, max: MOST_SEED };
    /// How strong to play, from 1 to 10.
    level: u64 = STRONGEST, "Level" Whole, Kind::Whole { min: 1, max: STRONGEST };
    /// Whether a lost game is given up.
    resign: bool = true, "Resign" Flag, Kind::Flag;
    /// Whether the search goes on while the opponent thinks.
    ponder: bool = false, "Ponder" Flag, Kind::Flag;
    /// Whether a search for a move is drawn on the board of a front end that can.
    live_graphics: bool = false, "LiveGraphics" Flag, Kind::Flag;
    /// Whose chances an analysis tells.
    report_winrate_as: Perspective = Perspective::SideToMove, "ReportWinrateAs" Perspective, Kind::Perspective;
}

/// Why an option cannot be set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum OptionError {
    /// There is none of that name.
    Unknown,
    /// The value is of another kind, or not within the bounds.
    Expected(Kind),
}

/// The names of all options, the tuning numbers after the others.
pub fn names() -> impl Iterator<Item = &'static str> {
    ROWS.iter().map(|row| row.name).chain(PARAMS.iter().map(|param| param.name))
}

/// The name as the table has it, and what the option may be. Names are case-sensitive.
pub fn find(name: &str) -> Option<(&'static str, Kind)> {
    match row(name) {
        Some(row) => Some((row.name, row.kind)),
        None => params::find(name).map(|param| (param.name, Kind::Number { min: param.min, max: param.max })),
    }
}

/// What the option means, in a sentence or two.
pub fn describe(name: &str) -> Option<&'static str> {
    row(name).map(|row| row.help).or_else(|| params::find(name).map(|param| param.help))
}

fn row(name: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.name == name)
}

impl Options {
    /// Reads one by name.
    pub fn get(&self, name: &str) -> Option<Value> {
        match row(name) {
            Some(row) => Some((row.get)(self)),
            None => params::find(name).map(|param| Value::Number((param.get)(&self.params))),
        }
    }

    /// Sets one by name. A whole number does where any number does.
    ///
    /// # Errors
    /// [`OptionError`]; nothing is changed then.
    pub fn set(&mut self, name: &str, value: Value) -> Result<(), OptionError> {
        let (_, kind) = find(name).ok_or(OptionError::Unknown)?;
        let value = kind.admit(value).ok_or(OptionError::Expected(kind))?;
        match (row(name), value) {
            (Some(row), value) => (row.set)(self, value),
            (None, Value::Number(number)) => {
                self.params.set(name, number).map_err(|_| OptionError::Expected(kind))?;
            }
            (None, _) => return Err(OptionError::Expected(kind)),
        }
        Ok(())
    }

    /// What a move may take where no clock runs: the seconds, unless a number of playouts or of visits is set.
    pub fn limits(&self) -> Limits {
        let is_timed = (self.playouts, self.visits) == (0, 0);
        let or_none = |count: u64| if count == 0 { u64::MAX } else { count };
        Limits {
            time: is_timed.then(|| TimeBudget::new(self.seconds, self.seconds)),
            playouts: or_none(self.playouts),
            visits: or_none(self.visits),
            ..Limits::NONE
        }
    }

    /// Where chance starts from: the seed, or anywhere that a seed can be.
    pub fn chance(&self) -> u64 {
        if self.seed == 0 { fastrand::u64(1..=MOST_SEED) } else { self.seed }
    }

    /// How many threads search, at least 1: the option, or what the machine has.
    pub fn thread_count(&self) -> usize {
        let soft = match usize::try_from(self.threads) {
            Ok(soft @ 1..) => soft,
            // a machine that does not say how many processors it has is used as if it had one
            _ => available_parallelism().map_or(1, usize::from),
        };
        soft.min(MAX_THREADS as usize)
    }
}

impl Kind {
    /// The value of this kind that `text` writes, if it is within the bounds.
    pub fn read(self, text: &str) -> Option<Value> {
        let value = match self {
            Kind::Whole { .. } => Value::Whole(text.parse().ok()?),
            Kind::Number { .. } => Value::Number(text.parse().ok()?),
            Kind::Flag => Value::Flag(text.parse().ok()?),
            Kind::Perspective => {
                let (_, perspective) = Perspective::WORDS.iter().find(|(word, _)| *word == text)?;
                Value::Perspective(*perspective)
            }
        };
        self.admit(value)
    }

    /// The value, made this kind's, if it may be so.
    fn admit(self, value: Value) -> Option<Value> {
        match (self, value) {
            (Kind::Whole { min, max }, Value::Whole(whole)) => (min..=max).contains(&whole).then_some(value),
            // whole numbers of this size are what their spelling says
            (Kind::Number { .. }, Value::Whole(whole)) => self.admit(Value::Number(whole as f64)),
            (Kind::Number { min, max }, Value::Number(number)) => (min..=max).contains(&number).then_some(value),
            (Kind::Flag, Value::Flag(_)) | (Kind::Perspective, Value::Perspective(_)) => Some(value),
            _ => None,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Whole { min, max } => write!(f, "{min} to {max}"),
            Kind::Number { min, max } => write!(f, "{min} to {max}"),
            Kind::Flag => f.write_str("true or false"),
            Kind::Perspective => f.write_str("side-to-move, black or white"),
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
    fn every_option_is_read_and_set_by_its_name() {
        let default = Options::default();
        let names: Vec<&str> = names().collect();
        assert_eq!(names.len(), ROWS.len() + PARAMS.len());
        for (number, &name) in names.iter().enumerate() {
            assert!(!names.iter().skip(number + 1).any(|&other| other == name), "{name} twice");
            let (_, kind) = find(name).unwrap();
            let values = match kind {
                Kind::Whole { min, max } => vec![Value::Whole(min), Value::Whole(max)],
                Kind::Number { min, max } => vec![Value::Number(min), Value::Number(max)],
                Kind::Flag => vec![Value::Flag(true), Value::Flag(false)],
                Kind::Perspective => Perspective::WORDS.iter().map(|(_, view)| Value::Perspective(*view)).collect(),
            };
            let mut options = default;
            let before = options.get(name).unwrap();
            for value in values {
                options.set(name, value).unwrap();
                assert_eq!(options.get(name), Some(value), "{name}");
                assert_eq!(kind.read(&value.to_string()), Some(value), "{name}");
            }
            options.set(name, before).unwrap();
            assert_eq!(options, default, "{name}");
        }
    }

    #[test]
    fn a_refused_value_changes_nothing() {
        let mut options = Options::default();
        assert_eq!(options.set("threads", Value::Whole(2)), Err(OptionError::Unknown));
        assert_eq!(options.get("threads"), None);
        for (name, value, expected) in [
            ("Threads", Value::Whole(65), "0 to 64"),
            ("Threads", Value::Number(2.0), "0 to 64"),
            ("Seconds", Value::Whole(0), "0.001 to 3600"),
            ("Seconds", Value::Number(f64::NAN), "0.001 to 3600"),
            ("Resign", Value::Whole(1), "true or false"),
            ("PlayoutCapture", Value::Whole(2), "0 to 1"),
            ("PlayoutCapture", Value::Flag(true), "0 to 1"),
            ("ReportWinrateAs", Value::Flag(true), "side-to-move, black or white"),
        ] {
            let Err(OptionError::Expected(kind)) = options.set(name, value) else { unreachable!("{name}") };
            assert_eq!(kind.to_string(), expected);
        }
        assert_eq!(options, Options::default());
        options.set("Seconds", Value::Whole(2)).unwrap();
        assert_eq!(options.seconds, 2.0);
    }

    #[test]
    fn no_number_of_threads_means_all_processors() {
        let threads = |threads| Options { threads, ..Options::default() }.thread_count();
        assert_eq!((threads(1), threads(64)), (1, 64));
        assert!((1..=64).contains(&threads(0)));
    }
}
