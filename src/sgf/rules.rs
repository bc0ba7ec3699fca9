//! The rules that a record names.

use crate::kernel::{GameRule, Position, is_same_rule_name};
use crate::sgf::position::handicap_mismatch;
use crate::sgf::record::GameRecord;

/// The rules named by `RU`; `None` if it is absent or unknown. Komi and `can_not_put_on_my_eye` are those of `rule`.
///
/// Accepts the spellings found in records: `Chinese`, `chinese rules`, `New Zealand`, `NZ`, and KataGo's
/// [`GameRule::with_short_form`].
pub fn rules_of(record: &GameRecord, rule: &GameRule) -> Option<GameRule> {
    let written = record.rules.as_deref()?;
    rule.with_rule_set(&name_in(written)).or_else(|| rule.with_short_form(written.trim()))
}

/// The name of the rule set that `RU` names, such as `korean`; `None` if it names none.
pub fn rule_set_name(record: &GameRecord) -> Option<&'static str> {
    let written = name_in(record.rules.as_deref()?);
    GameRule::names().find(|name| is_same_rule_name(name, &written))
}

/// The start of a game with the board and the rules of a record, for [`position_of`](crate::sgf::position_of); rules
/// that it does not name, komi and the other settings are those of `configured`.
pub fn defaults_for(record: &GameRecord, configured: &Position) -> Position {
    let mut defaults = configured.new_game(record.coordinate);
    *defaults.rule_mut() = rules_of(record, configured.rule()).unwrap_or(*configured.rule());
    defaults
}

/// The value of `RU` if it names no rules known here.
pub fn unknown_rules<'a>(record: &'a GameRecord, used: &GameRule) -> Option<&'a str> {
    record.rules.as_deref().filter(|_| rules_of(record, used).is_none())
}

/// One line for each of `KM`, `RU` and `HA` that cannot be used: a value of unknown meaning, in whose place komi or rules
/// of `used` count, and a number of handicap stones that are not on the board.
pub fn unknown_settings(record: &GameRecord, used: &GameRule) -> Vec<String> {
    let komi = record.unclear_komi.as_ref();
    let rules = unknown_rules(record, used);
    let mut lines = Vec::new();
    lines.extend(komi.map(|text| format!("KM[{text}] is no komi known here: {} is used", used.komi)));
    lines.extend(rules.map(|text| format!("RU[{text}] names no rules known here: {} is used", used.name_or_other())));
    lines.extend(handicap_mismatch(record).map(|(declared, counted)| {
        let counts =
            if counted == 0 { "no handicap counts".to_owned() } else { format!("a handicap of {counted} counts") };
        format!("HA[{declared}] without that many black stones set up: {counts}")
    }));
    lines
}

/// The name of rules in a value of `RU`.
fn name_in(written: &str) -> String {
    let name = written.trim().to_ascii_lowercase();
    name.strip_suffix("rules").unwrap_or(&name).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;

    #[test]
    fn unknown_komi_and_rules_are_reported() {
        let used = GameRule::with_komi(5.5);
        let lines = |text: &str| unknown_settings(&crate::sgf::read(text.as_bytes()).unwrap(), &used);
        for text in ["(;SZ[9])", "(;SZ[9]KM[7]RU[NZ])", "(;SZ[9]KM[x]KM[7]RU[]KM[y])"] {
            assert!(lines(text).is_empty(), "{text}");
        }
        assert_eq!(
            lines("(;SZ[9]KM[500]RU[foo])"),
            ["KM[500] is no komi known here: 5.5 is used", "RU[foo] names no rules known here: chinese is used"]
        );
        for text in ["(;SZ[9]HA[0])", "(;SZ[9]HA[1])", "(;SZ[9]HA[2]AB[aa][cc])"] {
            assert!(lines(text).is_empty(), "{text}");
        }
        for text in ["(;SZ[9]HA[2])", "(;SZ[9]HA[2]AB[aa])", "(;SZ[9]HA[2]AB[aa]AW[cc])"] {
            assert_eq!(lines(text), ["HA[2] without that many black stones set up: no handicap counts"], "{text}");
        }
        // Black's first moves count, and so do more stones than were declared
        assert!(lines("(;SZ[9]HA[3];B[cc];B[gg];B[cg];W[ee])").is_empty());
        for text in ["(;SZ[9]HA[2]AB[cc][gg][cg];W[ee])", "(;SZ[9]HA[2];B[cc];B[gg];B[cg];W[ee];W[ef])"] {
            let expected = match text.contains(";W[ef]") {
                true => "HA[2] without that many black stones set up: no handicap counts",
                false => "HA[2] without that many black stones set up: a handicap of 3 counts",
            };
            assert_eq!(lines(text), [expected], "{text}");
        }
    }

    #[test]
    fn rules_of_accepts_spellings_of_records() {
        let named = |written: Option<&str>| {
            let new = GameRecord::new(Coordinate::square(9).unwrap());
            let record = GameRecord { rules: written.map(str::to_owned), ..new };
            rules_of(&record, &GameRule::with_komi(5.5)).and_then(|rule| rule.name())
        };
        for (written, name) in [
            ("Chinese", "chinese"),
            ("japanese rules", "japanese"),
            ("NZ", "new-zealand"),
            ("New Zealand", "new-zealand"),
            ("Tromp-Taylor", "tromp-taylor"),
            ("AGA", "aga"),
            (" Korean ", "japanese"),
            ("Ing", "ing"),
            ("GOE", "ing"),
            ("Ing rules", "ing"),
            ("koSIMPLEscoreTERRITORYtaxSEKIsui0", "japanese"),
        ] {
            assert_eq!(named(Some(written)), Some(name), "{written}");
        }
        let korean =
            GameRecord { rules: Some(" Korean rules".into()), ..GameRecord::new(Coordinate::square(9).unwrap()) };
        assert_eq!(rule_set_name(&korean), Some("korean"));
        for written in [None, Some(""), Some("rules"), Some("chess"), Some("日本")] {
            assert_eq!(named(written), None, "{written:?}");
        }
    }
}
