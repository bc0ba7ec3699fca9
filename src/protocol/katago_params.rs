//! KataGo's names of search parameters, in one table: each is an option of this engine, or has a reason why it is none.
//!
//! `kata-get-param`, `kata-set-param` and the settings of analysis queries read it. Values are in KataGo's units: where
//! KataGo writes a great number for "no limit", options have 0. Parameters of KataGo that are in no row change details of
//! its search that are fixed here.

use crate::io::memory;
use crate::player::options::{self, MIN_MEMORY_MB, OptionValue, Options, ValueType};

/// KataGo's value of `maxVisits` and `maxPlayouts` for no limit.
const UNLIMITED_VISITS: u64 = 1 << 50;

/// KataGo's value of `maxTime` for no limit, in seconds.
const UNLIMITED_SECONDS: f64 = 1e20;

/// The counterpart of a parameter of KataGo.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum ParamMapping {
    /// The option of this name, with the same values.
    Option(&'static str),
    /// The limit of this name, in whose option 0 is no limit.
    Limit(&'static str),
    /// No option, for this reason.
    Unsupported(&'static str),
}

/// No option decides whether the net is shown the moves before the position.
const SHOWS_EARLIER_MOVES: ParamMapping = ParamMapping::Unsupported(
    "GTP searches always give the network the moves before the position; \
     analysis queries do so only with ignorePreRootHistory false",
);

/// The level decides whether moves are drawn.
const DRAWS_BY_LEVEL: ParamMapping =
    ParamMapping::Unsupported("only levels 1 to 3 draw moves at random, with the temperature of the level");

/// KataGo's names, sorted.
pub const KATAGO_NAMES: &[(&str, ParamMapping)] = &[
    ("allowResignation", ParamMapping::Option("Resign")),
    ("analysisIgnorePreRootHistory", SHOWS_EARLIER_MOVES),
    ("analysisWideRootNoise", ParamMapping::Option("AnalysisWideRootNoise")),
    ("antiMirror", ParamMapping::Unsupported("the search does not look for mirrored games")),
    ("chosenMoveTemperature", DRAWS_BY_LEVEL),
    ("chosenMoveTemperatureEarly", DRAWS_BY_LEVEL),
    ("conservativePass", ParamMapping::Unsupported("it is always on")),
    ("cpuctExploration", ParamMapping::Option("CpuctExploration")),
    ("cpuctExplorationBase", ParamMapping::Option("CpuctExplorationBase")),
    ("cpuctExplorationLog", ParamMapping::Option("CpuctExplorationLog")),
    ("cpuctUtilityStdevPrior", ParamMapping::Option("CpuctUtilityStdevPrior")),
    ("cpuctUtilityStdevPriorWeight", ParamMapping::Option("CpuctUtilityStdevPriorWeight")),
    ("cpuctUtilityStdevScale", ParamMapping::Option("CpuctUtilityStdevScale")),
    ("delayMoveMax", ParamMapping::Unsupported("moves are never delayed")),
    ("delayMoveScale", ParamMapping::Unsupported("moves are never delayed")),
    ("dynamicScoreCenterScale", ParamMapping::Option("DynamicScoreCenterScale")),
    ("dynamicScoreCenterZeroWeight", ParamMapping::Option("DynamicScoreCenterZeroWeight")),
    ("dynamicScoreUtilityFactor", ParamMapping::Option("DynamicScoreUtilityFactor")),
    (
        "enableMorePassingHacks",
        ParamMapping::Unsupported(
            "where a pass would end the game, the search makes no extra visits of passes and other moves",
        ),
    ),
    ("enablePassingHacks", ParamMapping::Unsupported("it is always on")),
    ("fpuParentWeightByVisitedPolicyPow", ParamMapping::Option("FpuParentWeightByVisitedPolicyPow")),
    ("fpuReductionMax", ParamMapping::Option("FpuReductionMax")),
    ("genmoveAntiMirror", ParamMapping::Unsupported("the search does not look for mirrored games")),
    ("humanSLProfile", ParamMapping::Unsupported("human SL networks are not supported")),
    ("ignorePreRootHistory", SHOWS_EARLIER_MOVES),
    ("lagBuffer", ParamMapping::Option("LagBuffer")),
    ("lcbStdevs", ParamMapping::Option("LcbStdevs")),
    ("maxPlayouts", ParamMapping::Limit("MaxPlayouts")),
    ("maxPlayoutsPondering", ParamMapping::Unsupported("pondering ends with the next line")),
    ("maxTime", ParamMapping::Limit("MaxTime")),
    ("maxTimePondering", ParamMapping::Unsupported("pondering ends with the next line")),
    ("maxVisits", ParamMapping::Limit("MaxVisits")),
    ("maxVisitsPondering", ParamMapping::Unsupported("pondering ends with the next line")),
    ("minVisitPropForLCB", ParamMapping::Option("MinVisitPropForLcb")),
    ("noisePruneUtilityScale", ParamMapping::Option("NoisePruneUtilityScale")),
    ("numSearchThreads", ParamMapping::Option("Threads")),
    ("playoutDoublingAdvantage", ParamMapping::Option("PlayoutDoublingAdvantage")),
    (
        "playoutDoublingAdvantagePla",
        ParamMapping::Unsupported("the advantage is always that of the player whose move is searched"),
    ),
    ("policyOptimism", ParamMapping::Unsupported("it is 1, at the root 0.2")),
    ("ponderingEnabled", ParamMapping::Option("Ponder")),
    ("rootEndingBonusPoints", ParamMapping::Option("RootEndingBonusPoints")),
    ("rootFpuReductionMax", ParamMapping::Option("RootFpuReductionMax")),
    ("rootNumSymmetriesToSample", ParamMapping::Option("RootNumSymmetriesToSample")),
    ("rootPolicyOptimism", ParamMapping::Unsupported("it is 0.2")),
    ("rootPolicyTemperature", ParamMapping::Option("RootPolicyTemperature")),
    ("rootSymmetryPruning", ParamMapping::Option("RootSymmetryPruning")),
    ("searchFactorAfterOnePass", ParamMapping::Unsupported("a search after a pass has the limits of any other")),
    ("searchFactorAfterTwoPass", ParamMapping::Unsupported("a search after two passes has the limits of any other")),
    ("staticScoreUtilityFactor", ParamMapping::Option("StaticScoreUtilityFactor")),
    ("subtreeValueBiasFactor", ParamMapping::Option("SubtreeValueBiasFactor")),
    ("subtreeValueBiasWeightExponent", ParamMapping::Option("SubtreeValueBiasWeightExponent")),
    ("uncertaintyCoeff", ParamMapping::Option("UncertaintyCoeff")),
    ("uncertaintyMaxWeight", ParamMapping::Option("UncertaintyMaxWeight")),
    ("valueWeightExponent", ParamMapping::Option("ValueWeightExponent")),
    ("wideRootNoise", ParamMapping::Option("WideRootNoise")),
    ("winLossUtilityFactor", ParamMapping::Option("WinLossUtilityFactor")),
];

/// The row of a parameter by its name of KataGo; `None` if it is in no row. Names are case-sensitive.
pub fn find(name: &str) -> Option<(&'static str, ParamMapping)> {
    KATAGO_NAMES.iter().find(|(theirs, _)| *theirs == name).copied()
}

impl ParamMapping {
    /// The option.
    pub fn option(self) -> Option<&'static str> {
        match self {
            ParamMapping::Option(name) | ParamMapping::Limit(name) => Some(name),
            ParamMapping::Unsupported(_) => None,
        }
    }

    /// The value of the option in KataGo's units.
    pub fn get(self, options: &Options) -> Option<OptionValue> {
        let value = options.get(self.option()?)?;
        let is_zero = matches!(value, OptionValue::Integer(0)) || value == OptionValue::Number(0.0);
        Some(self.no_limit().filter(|_| is_zero).unwrap_or(value))
    }

    /// KataGo's value for no limit, if this is one.
    pub fn no_limit(self) -> Option<OptionValue> {
        match self {
            ParamMapping::Limit("MaxTime") => Some(OptionValue::Number(UNLIMITED_SECONDS)),
            ParamMapping::Limit(_) => Some(OptionValue::Integer(UNLIMITED_VISITS)),
            ParamMapping::Option(_) | ParamMapping::Unsupported(_) => None,
        }
    }

    /// The values of a limit that [`ParamMapping::to_option_text`] accepts, in words.
    pub fn accepted_values(self) -> String {
        let Some(great) = self.no_limit() else { return String::new() };
        let least = if matches!(great, OptionValue::Integer(_)) { "a whole number from 1" } else { "more than 0" };
        format!("{least}; {great} or more means no limit")
    }

    /// A value in KataGo's units as one of the option: a limit above the greatest of the option is 0. `None` for a limit of
    /// 0, which KataGo does not have.
    pub fn to_option_text(self, text: &str) -> Option<&str> {
        let name = match self {
            ParamMapping::Limit(name) => name,
            ParamMapping::Option(_) | ParamMapping::Unsupported(_) => return Some(text),
        };
        let number: f64 = text.parse().ok()?;
        let (_, value_type) = options::find(name)?;
        let max = match value_type {
            ValueType::Integer { max, .. } => max as f64,
            ValueType::Number { max, .. } => max,
            ValueType::Boolean | ValueType::Perspective => return None,
        };
        match number {
            number if number > max => Some("0"),
            number if number > 0.0 && value_type.read(text).is_some() => Some(text),
            _ => None,
        }
    }
}

/// The settings in `NAME=VALUE,NAME=VALUE`, each as written and as name and value; `None` for one without `=`.
pub(crate) fn split_settings(text: &str) -> impl Iterator<Item = (&str, Option<(&str, &str)>)> {
    text.split(',').map(str::trim).filter(|setting| !setting.is_empty()).map(|setting| {
        let pair = setting.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        (setting, pair)
    })
}

/// Reason for not setting a parameter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SetError {
    /// No option has this name, nor a counterpart with it.
    Unknown,
    /// The value is invalid; the valid ones, in words.
    Expected(String),
}

/// Sets an option to the value of a text, by its name, one that was replaced, or KataGo's with a value in KataGo's
/// units. More memory than before must be granted by the system, beyond `memory_in_use`, that of the player's tree and
/// graph in MiB.
pub(crate) fn set(options: &mut Options, name: &str, text: &str, memory_in_use: u64) -> Result<(), SetError> {
    let (name, text) = match find(name) {
        Some((_, mapping)) => {
            let value = mapping.to_option_text(text).ok_or_else(|| SetError::Expected(mapping.accepted_values()))?;
            (mapping.option().ok_or(SetError::Unknown)?, value)
        }
        None => (name, text),
    };
    let (name, value_type) = options::find(name).ok_or(SetError::Unknown)?;
    let expected = || SetError::Expected(value_type.expected(text));
    let value = value_type.read(text).ok_or_else(expected)?;
    if let ("MemoryMB", OptionValue::Integer(wanted)) = (name, value)
        && wanted > options.memory_mb
    {
        let granted = memory::probe_growth_mib(wanted, memory_in_use).max(options.memory_mb);
        if granted < wanted {
            return Err(SetError::Expected(format!("{MIN_MEMORY_MB} to {granted}, as much as the system grants")));
        }
    }
    options.set(name, value).map_err(|_| expected())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::player::options;

    #[test]
    fn rows_are_sorted_and_name_options() {
        assert!(KATAGO_NAMES.is_sorted_by(|a, b| a.0 < b.0));
        let options = Options::default();
        for (theirs, mapping) in KATAGO_NAMES {
            assert!(options::find(theirs).is_none(), "{theirs} is an option of ours");
            assert!(theirs.starts_with(|first: char| first.is_ascii_lowercase()));
            match mapping {
                ParamMapping::Unsupported(reason) => {
                    assert!(reason.len() > 8 && !reason.ends_with('.'), "{theirs}: {reason}")
                }
                mapping => {
                    let (present, _) = options::find(mapping.option().unwrap()).unwrap();
                    assert_eq!(Some(present), mapping.option(), "{theirs}: a present name");
                    assert!(mapping.get(&options).is_some(), "{theirs}");
                }
            }
        }
    }

    #[test]
    fn no_limit_is_a_great_number() {
        let mut options = Options::default();
        let shown = |options: &Options, name| find(name).unwrap().1.get(options).unwrap().to_string();
        assert_eq!(shown(&options, "maxVisits"), "1125899906842624");
        assert_eq!(shown(&options, "maxTime"), "100000000000000000000");
        options.set("MaxVisits", OptionValue::Integer(400)).unwrap();
        options.set("MaxTime", OptionValue::Number(2.5)).unwrap();
        assert_eq!((shown(&options, "maxVisits"), shown(&options, "maxTime")), ("400".to_owned(), "2.5".to_owned()));
        let to_option_text = |name, text| find(name).unwrap().1.to_option_text(text);
        for (name, text, expected) in [
            ("maxVisits", "1125899906842624", Some("0")),
            ("maxVisits", "1000000000001", Some("0")),
            ("maxVisits", "1000000000000", Some("1000000000000")),
            ("maxVisits", "1", Some("1")),
            ("maxVisits", "1e3", Some("1e3")),
            ("maxVisits", "1.5", None),
            ("maxVisits", "1e20", Some("0")),
            ("maxVisits", "0", None),
            ("maxVisits", "many", None),
            ("maxTime", "1e20", Some("0")),
            ("maxTime", "86401", Some("0")),
            ("maxTime", "86400", Some("86400")),
            ("maxTime", "0.5", Some("0.5")),
            ("maxTime", "-1", None),
            ("wideRootNoise", "0", Some("0")),
        ] {
            assert_eq!(to_option_text(name, text), expected, "{name} {text}");
        }
    }
}
