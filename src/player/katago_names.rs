//! KataGo's names of search parameters, in one table: each is an option of this engine, or has a reason why it is none.
//!
//! `kata-get-param` and `kata-set-param` read it. Values are in KataGo's units: where KataGo writes a great number for
//! "no limit", options have 0. Parameters of KataGo that are in no row change details of its search that are fixed here.

use crate::player::options::{Options, Value};

/// KataGo's value of `maxVisits` and `maxPlayouts` for no limit.
const NO_COUNT: u64 = 1 << 50;

/// KataGo's value of `maxTime` for no limit, in seconds.
const NO_TIME: f64 = 1e20;

/// The counterpart of a parameter of KataGo.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Meaning {
    /// The option of this name, with the same values.
    Option(&'static str),
    /// The limit of this name, in whose option 0 is no limit.
    Limit(&'static str),
    /// The option of this name, in which 1 is `true` and 0 is `false`.
    Switch(&'static str),
    /// Nothing, for this reason.
    None(&'static str),
}

/// KataGo's names, sorted.
pub const KATAGO_NAMES: &[(&str, Meaning)] = &[
    ("allowResignation", Meaning::Option("Resign")),
    ("analysisIgnorePreRootHistory", Meaning::None("the net is always given the moves before the position")),
    ("analysisWideRootNoise", Meaning::Option("AnalysisWideRootNoise")),
    ("antiMirror", Meaning::None("the search does not look for mirrored games")),
    ("chosenMoveTemperature", Meaning::None("moves are not drawn at random; see Level")),
    ("chosenMoveTemperatureEarly", Meaning::None("moves are not drawn at random; see Level")),
    ("conservativePass", Meaning::None("always on")),
    ("cpuctExploration", Meaning::Option("CpuctExploration")),
    ("cpuctExplorationBase", Meaning::Option("CpuctExplorationBase")),
    ("cpuctExplorationLog", Meaning::Option("CpuctExplorationLog")),
    ("cpuctUtilityStdevPrior", Meaning::Option("CpuctUtilityStdevPrior")),
    ("cpuctUtilityStdevPriorWeight", Meaning::Option("CpuctUtilityStdevPriorWeight")),
    ("cpuctUtilityStdevScale", Meaning::Option("CpuctUtilityStdevScale")),
    ("delayMoveMax", Meaning::None("moves are never delayed")),
    ("delayMoveScale", Meaning::None("moves are never delayed")),
    ("dynamicScoreCenterScale", Meaning::Option("DynamicScoreCenterScale")),
    ("dynamicScoreCenterZeroWeight", Meaning::Option("DynamicScoreCenterZeroWeight")),
    ("dynamicScoreUtilityFactor", Meaning::Option("DynamicScoreUtilityFactor")),
    ("enablePassingHacks", Meaning::None("always on")),
    ("fpuParentWeightByVisitedPolicyPow", Meaning::Option("FpuParentWeightByVisitedPolicyPow")),
    ("fpuReductionMax", Meaning::Option("FpuReductionMax")),
    ("genmoveAntiMirror", Meaning::None("the search does not look for mirrored games")),
    ("humanSLProfile", Meaning::None("human SL nets are not supported")),
    ("ignorePreRootHistory", Meaning::None("the net is always given the moves before the position")),
    ("lagBuffer", Meaning::Option("LagBuffer")),
    ("lcbStdevs", Meaning::Option("LcbStdevs")),
    ("maxPlayouts", Meaning::Limit("MaxPlayouts")),
    ("maxPlayoutsPondering", Meaning::None("pondering ends with the next line")),
    ("maxTime", Meaning::Limit("MaxTime")),
    ("maxTimePondering", Meaning::None("pondering ends with the next line")),
    ("maxVisits", Meaning::Limit("MaxVisits")),
    ("maxVisitsPondering", Meaning::None("pondering ends with the next line")),
    ("minVisitPropForLCB", Meaning::Option("MinVisitPropForLcb")),
    ("noisePruneUtilityScale", Meaning::Option("NoisePruneUtilityScale")),
    ("numSearchThreads", Meaning::Option("Threads")),
    ("playoutDoublingAdvantage", Meaning::Option("PlayoutDoublingAdvantage")),
    ("playoutDoublingAdvantagePla", Meaning::None("the advantage is always that of the player whose move is searched")),
    ("policyOptimism", Meaning::None("fixed: 1, at the root 0.2")),
    ("ponderingEnabled", Meaning::Option("Ponder")),
    ("rootEndingBonusPoints", Meaning::Option("RootEndingBonusPoints")),
    ("rootFpuReductionMax", Meaning::Option("RootFpuReductionMax")),
    ("rootNumSymmetriesToSample", Meaning::Option("RootNumSymmetriesToSample")),
    ("rootPolicyOptimism", Meaning::None("fixed: 0.2")),
    ("rootPolicyTemperature", Meaning::Option("RootPolicyTemperature")),
    ("rootSymmetryPruning", Meaning::Switch("RootSymmetryPruning")),
    ("searchFactorAfterOnePass", Meaning::None("a search after a pass has the limits of any other")),
    ("searchFactorAfterTwoPass", Meaning::None("a search after two passes has the limits of any other")),
    ("staticScoreUtilityFactor", Meaning::Option("StaticScoreUtilityFactor")),
    ("subtreeValueBiasFactor", Meaning::Option("SubtreeValueBiasFactor")),
    ("subtreeValueBiasWeightExponent", Meaning::Option("SubtreeValueBiasWeightExponent")),
    ("uncertaintyCoeff", Meaning::Option("UncertaintyCoeff")),
    ("uncertaintyMaxWeight", Meaning::Option("UncertaintyMaxWeight")),
    ("valueWeightExponent", Meaning::Option("ValueWeightExponent")),
    ("wideRootNoise", Meaning::Option("WideRootNoise")),
    ("winLossUtilityFactor", Meaning::Option("WinLossUtilityFactor")),
];

/// The counterpart of the parameter of this name of KataGo; `None` if it is in no row. Names are case-sensitive.
pub fn find(name: &str) -> Option<Meaning> {
    KATAGO_NAMES.iter().find(|(theirs, _)| *theirs == name).map(|(_, meaning)| *meaning)
}

impl Meaning {
    /// The option.
    pub fn option(self) -> Option<&'static str> {
        match self {
            Meaning::Option(name) | Meaning::Limit(name) | Meaning::Switch(name) => Some(name),
            Meaning::None(_) => None,
        }
    }

    /// The value of the option in KataGo's units.
    pub fn get(self, options: &Options) -> Option<Value> {
        let value = options.get(self.option()?)?;
        let is_zero = matches!(value, Value::Whole(0)) || value == Value::Number(0.0);
        if let Meaning::Switch(_) = self {
            return Some(Value::Flag(!is_zero));
        }
        Some(self.no_limit().filter(|_| is_zero).unwrap_or(value))
    }

    /// KataGo's value for no limit, if this is one.
    pub fn no_limit(self) -> Option<Value> {
        match self {
            Meaning::Limit("MaxTime") => Some(Value::Number(NO_TIME)),
            Meaning::Limit(_) => Some(Value::Whole(NO_COUNT)),
            Meaning::Option(_) | Meaning::Switch(_) | Meaning::None(_) => None,
        }
    }

    /// The values that [`Meaning::admit`] accepts, in words.
    pub fn admitted(self) -> String {
        match self.no_limit() {
            Some(great) => format!("more than 0; {great} is no limit"),
            None => "true or false".to_owned(),
        }
    }

    /// A value in KataGo's units as one of the option: a limit that KataGo never reaches is 0. `None` for a limit of 0,
    /// which KataGo does not have, and for a switch that is neither `true` nor `false`.
    pub fn admit(self, text: &str) -> Option<&str> {
        let name = match self {
            Meaning::Limit(name) => name,
            Meaning::Switch(_) => return text.parse().ok().map(|is_on| if is_on { "1" } else { "0" }),
            Meaning::Option(_) | Meaning::None(_) => return Some(text),
        };
        let number: f64 = text.parse().ok()?;
        let no_limit = if name == "MaxTime" { 1e18 } else { NO_COUNT as f64 };
        match number {
            number if number >= no_limit => Some("0"),
            number if number > 0.0 => Some(text),
            _ => None,
        }
    }
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
        for (theirs, meaning) in KATAGO_NAMES {
            assert!(options::find(theirs).is_none(), "{theirs} is an option of ours");
            assert!(theirs.starts_with(|first: char| first.is_ascii_lowercase()));
            match meaning {
                Meaning::None(reason) => assert!(reason.len() > 8 && !reason.ends_with('.'), "{theirs}: {reason}"),
                meaning => {
                    let (present, _) = options::find(meaning.option().unwrap()).unwrap();
                    assert_eq!(Some(present), meaning.option(), "{theirs}: a present name");
                    assert!(meaning.get(&options).is_some(), "{theirs}");
                }
            }
        }
    }

    #[test]
    fn no_limit_is_a_great_number() {
        let mut options = Options::default();
        let shown = |options: &Options, name| find(name).unwrap().get(options).unwrap().to_string();
        assert_eq!(shown(&options, "maxVisits"), "1125899906842624");
        assert_eq!(shown(&options, "maxTime"), "100000000000000000000");
        options.set("MaxVisits", Value::Whole(400)).unwrap();
        options.set("MaxTime", Value::Number(2.5)).unwrap();
        assert_eq!((shown(&options, "maxVisits"), shown(&options, "maxTime")), ("400".to_owned(), "2.5".to_owned()));
        let admit = |name, text| find(name).unwrap().admit(text);
        for (name, text, expected) in [
            ("maxVisits", "1125899906842624", Some("0")),
            ("maxVisits", "1", Some("1")),
            ("maxVisits", "0", None),
            ("maxVisits", "many", None),
            ("maxTime", "1e20", Some("0")),
            ("maxTime", "0.5", Some("0.5")),
            ("maxTime", "-1", None),
            ("wideRootNoise", "0", Some("0")),
            ("rootSymmetryPruning", "false", Some("0")),
            ("rootSymmetryPruning", "1", None),
        ] {
            assert_eq!(admit(name, text), expected, "{name} {text}");
        }
    }
}
