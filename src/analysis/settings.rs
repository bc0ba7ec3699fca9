//! What a search is told by the names that KataGo's configuration has for it.

use std::ops::RangeInclusive;
use std::time::Duration;

use serde_json::Value;

use crate::player::Options;
use crate::player::options::{self, OptionError};
use crate::search::params;

/// KataGo's names of options, and names that are the same here.
const NAMES: [(&str, &str); 6] = [
    ("maxVisits", "MaxVisits"),
    ("maxPlayouts", "MaxPlayouts"),
    ("numSearchThreads", "Threads"),
    ("numSearchThreadsPerAnalysisThread", "Threads"),
    ("Seed", "Seed"),
    ("MemoryMB", "MemoryMB"),
];

/// Moves of a variation that are told where nothing is said of it.
const VARIATION: usize = 15;

/// How many can be asked for.
pub(super) const VARIATIONS: RangeInclusive<i64> = 1..=1000;

/// How positions are searched.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Settings {
    /// What searches are told, but for how long they take.
    pub(super) options: Options,
    /// The longest variation that is told.
    pub(super) variation: usize,
    /// The longest that a search may take, if that was set.
    time: Option<Duration>,
}

/// Why something cannot be set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum BadSetting {
    /// There is nothing of that name.
    Unknown,
    /// It may be something else, as this says.
    Expected(String),
}

impl Settings {
    /// As a game's moves are searched.
    pub(super) fn new(options: Options) -> Settings {
        Settings { options, variation: VARIATION, time: None }
    }

    /// The longest that a search may take: as where no clock limits a move, unless something else was set. It is taken
    /// in full, however clear things are.
    pub(super) fn longest(&self) -> Duration {
        self.time.or(self.options.limits().time.map(|time| time.hard)).unwrap_or(Duration::MAX)
    }

    /// Limits searches to so many visits, whatever the limit was before.
    pub(super) fn limit_visits(&mut self, visits: u64) {
        (self.options.max_visits, self.options.max_playouts) = (visits, 0);
    }

    /// Sets one thing by name.
    pub(super) fn set(&mut self, name: &str, value: &Value) -> Result<(), BadSetting> {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match name {
            "maxTime" => self.limit_time(&text),
            "analysisPVLen" => self.limit_variation(&text),
            "reportAnalysisWinratesAs" => {
                let word = match text.to_ascii_lowercase().as_str() {
                    "sidetomove" => "side-to-move".to_owned(),
                    word => word.to_owned(),
                };
                self.set_option("ReportWinrateAs", &word, "BLACK, WHITE or SIDETOMOVE")
            }
            name => {
                let named = NAMES.iter().find(|(theirs, _)| *theirs == name).map(|(_, ours)| *ours);
                let known = named.or_else(|| params::find(options::current_name(name)).map(|param| param.name));
                self.set_option(known.ok_or(BadSetting::Unknown)?, &text, "")
            }
        }
    }

    fn limit_time(&mut self, text: &str) -> Result<(), BadSetting> {
        let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
        let seconds = seconds.ok_or_else(|| BadSetting::Expected("a number of seconds".to_owned()))?;
        // more than can be told is no limit
        self.time = Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
        Ok(())
    }

    fn limit_variation(&mut self, text: &str) -> Result<(), BadSetting> {
        let (least, most) = VARIATIONS.into_inner();
        let moves = text.parse().ok().filter(|moves| VARIATIONS.contains(moves));
        let moves = moves.ok_or_else(|| BadSetting::Expected(format!("a whole number from {least} to {most}")))?;
        self.variation = moves as usize;
        Ok(())
    }

    fn set_option(&mut self, name: &'static str, text: &str, expected: &str) -> Result<(), BadSetting> {
        let (_, value_type) = options::find(name).ok_or(BadSetting::Unknown)?;
        let bad =
            || BadSetting::Expected(if expected.is_empty() { value_type.to_string() } else { expected.to_owned() });
        let value = value_type.read(text).ok_or_else(bad)?;
        self.options.set(name, value).map_err(|error| match error {
            OptionError::Unknown => BadSetting::Unknown,
            OptionError::Expected(_) => bad(),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;
    use crate::player::options::Perspective;

    #[test]
    fn settings_go_by_the_names_that_clients_know() {
        let mut settings = Settings::new(Options::default());
        assert_eq!(settings.longest(), Duration::from_secs(5));
        let visits = Settings::new(Options { max_visits: 9, ..Options::default() });
        assert_eq!(visits.longest(), Duration::MAX);
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
        let Options { max_visits, max_playouts, threads, report_winrate_as, seed, params, .. } = settings.options;
        assert_eq!((max_visits, max_playouts, threads, seed, params.uct_exploration), (500, 600, 3, 7, 0.5));
        assert_eq!((report_winrate_as, settings.longest()), (Perspective::Black, Duration::from_millis(2500)));
        assert_eq!(settings.variation, 30);
        settings.set("Exploration", &json!(0.25)).unwrap();
        assert_eq!(settings.options.params.uct_exploration, 0.25, "by its replaced name");
        settings.set("reportAnalysisWinratesAs", &json!("SideToMove")).unwrap();
        assert_eq!(settings.options.report_winrate_as, Perspective::SideToMove);
        settings.limit_visits(20);
        assert_eq!((settings.options.max_visits, settings.options.max_playouts), (20, 0));
        settings.set("maxTime", &json!(1e300)).unwrap();
        assert_eq!(settings.longest(), Duration::MAX);
    }

    #[test]
    fn a_setting_that_is_refused_changes_nothing() {
        let mut settings = Settings::new(Options::default());
        for name in ["wideRootNoise", "Level", "Seconds", "visits", ""] {
            assert_eq!(settings.set(name, &json!(1)), Err(BadSetting::Unknown), "{name}");
        }
        for (name, value, expected) in [
            ("maxTime", json!(0), "a number of seconds"),
            ("maxTime", json!(null), "a number of seconds"),
            ("analysisPVLen", json!(0), "a whole number from 1 to 1000"),
            ("analysisPVLen", json!(2.5), "a whole number from 1 to 1000"),
            ("numSearchThreads", json!(-1), "0 to 64"),
            ("maxVisits", json!([1]), "0 to 1000000000000"),
            ("reportAnalysisWinratesAs", json!("ME"), "BLACK, WHITE or SIDETOMOVE"),
        ] {
            assert_eq!(settings.set(name, &value), Err(BadSetting::Expected(expected.to_owned())), "{name}");
        }
        assert_eq!(settings, Settings::new(Options::default()));
    }
}
