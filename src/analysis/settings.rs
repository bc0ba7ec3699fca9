//! Search settings by KataGo's configuration names.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::Value;

use crate::player::Options;
use crate::player::options;
use crate::protocol::katago_params::{self, KATAGO_NAMES, SetError};
use crate::search::params;

/// KataGo's names of options that every search has.
const KATAGO_OPTIONS: [&str; 3] = ["maxVisits", "maxPlayouts", "numSearchThreads"];

/// KataGo's other name of `numSearchThreads` in analyses.
const THREADS_OF_ANALYSIS: &str = "numSearchThreadsPerAnalysisThread";

/// This engine's own settings beside the tuning parameters.
const OWN_OPTIONS: [&str; 2] = ["Seed", "MemoryMB"];

/// KataGo's names of settings that a search by net has with one value only.
const FIXED: [(&str, bool); 7] = [
    ("antiMirror", false),
    ("conservativePass", true),
    ("enableMorePassingHacks", false),
    ("enablePassingHacks", true),
    ("useGraphSearch", true),
    ("useLcbForSelection", true),
    ("useNoisePruning", true),
];

/// KataGo's name of the setting that hides the moves before the root from the net, in analyses only.
const IGNORE_PRE_ROOT_HISTORY: &str = "ignorePreRootHistory";

/// The default noise at the root of an analysis, as KataGo's: the search is a little wider there than in play.
const WIDE_ROOT_NOISE: f64 = 0.04;

/// The parameter of noise in GTP's analyses. Here the noise of an analysis is the search's own.
const NOISE_IN_GTP: &str = "AnalysisWideRootNoise";

/// KataGo's names of all settings.
pub fn names() -> impl Iterator<Item = &'static str> {
    let options = KATAGO_OPTIONS.into_iter().chain([THREADS_OF_ANALYSIS]);
    let net_search_params = KATAGO_NAMES.iter().map(|(name, _)| *name).filter(|name| parameter(name).is_some());
    let others = ["maxTime", "analysisPVLen", "reportAnalysisWinratesAs"];
    options
        .chain(net_search_params)
        .chain([IGNORE_PRE_ROOT_HISTORY])
        .chain(FIXED.iter().map(|(name, _)| *name))
        .chain(others)
}

/// This engine's name of a parameter of a search by net that KataGo has under the name `theirs`.
fn parameter(theirs: &str) -> Option<&'static str> {
    let name = params::find(katago_params::find(theirs)?.1.option()?)?.name;
    (name != NOISE_IN_GTP).then_some(name)
}

/// Whether a setting is an option of the search, by its name or KataGo's.
fn is_option(name: &str) -> bool {
    let own = params::find(options::current_name(name)).filter(|param| param.name != NOISE_IN_GTP);
    OWN_OPTIONS.contains(&name) || own.is_some() || KATAGO_OPTIONS.contains(&name) || parameter(name).is_some()
}

/// Whether a setting has an effect on searches by net only.
pub(super) fn affects_net_search_only(name: &str) -> bool {
    let is_named = |(theirs, _): &(&str, _)| parameter(theirs).is_some_and(|ours| *theirs == name || ours == name);
    name == IGNORE_PRE_ROOT_HISTORY || KATAGO_NAMES.iter().any(is_named)
}

/// Default of [`Settings::pv_length`].
const DEFAULT_PV_LENGTH: usize = 15;

/// Valid values of [`Settings::pv_length`].
pub(super) const PV_LENGTHS: RangeInclusive<i64> = 1..=1000;

/// Settings of the search of a query's positions.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Settings {
    /// Search options, without the time limit.
    pub(super) options: Options,
    /// The maximum number of moves in a reported variation after its first.
    pub(super) pv_length: usize,
    /// As in a [`SearchRequest`](crate::search::SearchRequest).
    pub(super) ignore_pre_root_history: bool,
    /// The time limit of a search, if set.
    time: Option<Duration>,
}

/// Reason for rejecting a setting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SettingError {
    /// Unknown name.
    Unknown,
    /// A value that is not supported; holds the only supported one.
    Unsupported(bool),
    /// Invalid value; the valid ones.
    Expected(String),
}

impl Settings {
    /// The settings of the engine's options.
    pub(super) fn new(mut options: Options) -> Settings {
        options.params.wide_root_noise = WIDE_ROOT_NOISE;
        // KataGo's analyses show the net no move before the root
        Settings { options, pv_length: DEFAULT_PV_LENGTH, ignore_pre_root_history: true, time: None }
    }

    /// The time of a search: the setting, or the option for moves without a clock. It is used in full, even if the best
    /// move is clear.
    pub(super) fn max_time(&self) -> Duration {
        self.time.or(self.options.limits().time.map(|time| time.hard)).unwrap_or(Duration::MAX)
    }

    /// Replaces all limits of playouts and visits by a limit of visits.
    pub(super) fn limit_visits(&mut self, visits: u64) {
        (self.options.max_visits, self.options.max_playouts) = (visits, 0);
    }

    /// Sets one value by name.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Result<(), SettingError> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if let Some((_, only)) = FIXED.iter().find(|(fixed, _)| *fixed == name) {
            return if flag(&text)? == *only { Ok(()) } else { Err(SettingError::Unsupported(*only)) };
        }
        match name {
            "maxTime" => self.limit_time(&text),
            "analysisPVLen" => self.limit_pv(&text),
            IGNORE_PRE_ROOT_HISTORY => {
                self.ignore_pre_root_history = flag(&text)?;
                Ok(())
            }
            "reportAnalysisWinratesAs" => {
                let word = if text.eq_ignore_ascii_case("sidetomove") { "side-to-move" } else { &text };
                let expected = || SettingError::Expected("BLACK, WHITE or SIDETOMOVE".to_owned());
                self.set_option("ReportWinrateAs", word).map_err(|_| expected())
            }
            THREADS_OF_ANALYSIS => self.set_option("numSearchThreads", &text),
            name if is_option(name) => self.set_option(name, &text),
            _ => Err(SettingError::Unknown),
        }
    }

    fn limit_time(&mut self, text: &str) -> Result<(), SettingError> {
        let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
        let seconds = seconds.ok_or_else(|| SettingError::Expected("a number of seconds above 0".to_owned()))?;
        // beyond the range of Duration there is no limit
        self.time = Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        Ok(())
    }

    fn limit_pv(&mut self, text: &str) -> Result<(), SettingError> {
        let (min, max) = PV_LENGTHS.into_inner();
        let moves = text.parse().ok().filter(|moves| PV_LENGTHS.contains(moves));
        let moves = moves.ok_or_else(|| SettingError::Expected(format!("a whole number from {min} to {max}")))?;
        self.pv_length = moves as usize;
        Ok(())
    }

    fn set_option(&mut self, name: &str, text: &str) -> Result<(), SettingError> {
        // the search of a query holds no memory yet
        katago_params::set(&mut self.options, name, text, 0).map_err(|error| match error {
            SetError::Unknown => SettingError::Unknown,
            SetError::Expected(expected) => SettingError::Expected(expected),
        })
    }
}

/// A switch.
fn flag(text: &str) -> Result<bool, SettingError> {
    options::read_flag(text).ok_or_else(|| SettingError::Expected("true or false".to_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;
    use crate::player::options::Perspective;

    #[test]
    fn settings_have_katago_names() {
        let mut settings = Settings::new(Options::default());
        assert_eq!(settings.max_time(), Duration::from_secs(5));
        let visits = Settings::new(Options { max_visits: 9, ..Options::default() });
        assert_eq!(visits.max_time(), Duration::MAX);
        for (name, value) in [
            ("maxVisits", json!(500)),
            ("maxPlayouts", json!("600")),
            ("maxTime", json!(2.5)),
            ("numSearchThreads", json!(3)),
            ("reportAnalysisWinratesAs", json!("BLACK")),
            ("Seed", json!(7)),
            ("UctExploration", json!(0.5)),
            ("analysisPVLen", json!(30)),
        ] {
            settings.set(name, &value).unwrap();
        }
        let Options { max_visits: visits, max_playouts: playouts, threads, report_winrate_as, seed, params, .. } =
            settings.options;
        assert_eq!((visits, playouts, threads, seed, params.uct_exploration), (500, 600, 3, 7, 0.5));
        assert_eq!((report_winrate_as, settings.max_time()), (Perspective::Black, Duration::from_millis(2500)));
        assert_eq!(settings.pv_length, 30);
        settings.set("reportAnalysisWinratesAs", &json!("SideToMove")).unwrap();
        assert_eq!(settings.options.report_winrate_as, Perspective::SideToMove);
        settings.limit_visits(20);
        assert_eq!((settings.options.max_visits, settings.options.max_playouts), (20, 0));
        settings.set("maxVisits", &json!(1_u64 << 50)).unwrap();
        assert_eq!(settings.options.max_visits, 0);
        settings.set("numSearchThreadsPerAnalysisThread", &json!(2)).unwrap();
        assert_eq!(settings.options.threads, 2);
        settings.set("maxTime", &json!(1e300)).unwrap();
        assert_eq!(settings.max_time(), Duration::MAX);
    }

    #[test]
    fn former_names_of_parameters_are_accepted() {
        for (former, current) in options::RENAMED.iter().filter(|(_, current)| params::find(current).is_some()) {
            let (mut by_former, mut by_current) =
                (Settings::new(Options::default()), Settings::new(Options::default()));
            let value = match params::find(current).unwrap() {
                // a switch that is on by default
                params::Param { kind: params::ParamKind::Boolean, .. } => json!(false),
                params::Param { max, .. } => json!(max),
            };
            assert_eq!(by_former.set(former, &value), Ok(()), "{former}");
            by_current.set(current, &value).unwrap();
            assert_eq!(by_former, by_current, "{former}");
            assert_ne!(by_former, Settings::new(Options::default()), "{former}");
        }
    }

    #[test]
    fn a_rejected_setting_changes_nothing() {
        let mut settings = Settings::new(Options::default());
        for name in ["widerRootNoise", "Level", "Seconds", "visits", ""] {
            assert_eq!(settings.set(name, &json!(1)), Err(SettingError::Unknown), "{name}");
        }
        for (name, value, expected) in [
            ("maxTime", json!(0), "a number of seconds above 0"),
            ("maxTime", json!(null), "a number of seconds above 0"),
            ("analysisPVLen", json!(0), "a whole number from 1 to 1000"),
            ("analysisPVLen", json!(2.5), "a whole number from 1 to 1000"),
            ("numSearchThreads", json!(-1), "0 to 64"),
            ("maxVisits", json!([1]), "a whole number from 1; 1125899906842624 or more means no limit"),
            ("maxPlayouts", json!(0), "a whole number from 1; 1125899906842624 or more means no limit"),
            ("numSearchThreadsPerAnalysisThread", json!(65), "0 to 64"),
            ("reportAnalysisWinratesAs", json!("ME"), "BLACK, WHITE or SIDETOMOVE"),
            ("wideRootNoise", json!(5.5), "0 to 5"),
            ("playoutDoublingAdvantage", json!("NaN"), "-3 to 3"),
            ("ignorePreRootHistory", json!(1), "true or false"),
            ("antiMirror", json!(""), "true or false"),
            ("rootNumSymmetriesToSample", json!(9), "1 to 8"),
            ("rootSymmetryPruning", json!(2), "true or false"),
        ] {
            assert_eq!(settings.set(name, &value), Err(SettingError::Expected(expected.to_owned())), "{name}");
        }
        assert_eq!(settings.set("antiMirror", &json!(true)), Err(SettingError::Unsupported(false)));
        assert_eq!(settings.set("antiMirror", &json!(false)), Ok(()));
        assert_eq!(settings, Settings::new(Options::default()));
    }

    #[test]
    fn every_name_of_katago_sets_a_value() {
        let values = [json!(1), json!(2), json!(0.5), json!(400), json!(true), json!(false), json!("BLACK")];
        for name in names() {
            let results = values.iter().map(|value| {
                let mut settings = Settings::new(Options::default());
                (settings.set(name, value), settings != Settings::new(Options::default()))
            });
            let is_fixed = FIXED.iter().any(|(fixed, _)| *fixed == name);
            let accepted: Vec<bool> =
                results.filter(|(result, _)| result.is_ok()).map(|(_, changed)| changed).collect();
            assert!(accepted.contains(&!is_fixed), "{name}");
        }
        assert!(
            affects_net_search_only("LcbStdevs")
                && affects_net_search_only("wideRootNoise")
                && !affects_net_search_only("maxTime")
        );
    }
}
