//! The rules that a record names.

use crate::kernel::GameRule;
use crate::sgf::record::GameRecord;

/// The rules named by `RU`; `None` if it is absent or unknown. Komi and the eye rule are those of `rule`.
///
/// Accepts the spellings found in records: `Chinese`, `chinese rules`, `New Zealand`, `NZ`, and KataGo's
/// [`GameRule::short_form`].
pub fn rules_of(record: &GameRecord, rule: &GameRule) -> Option<GameRule> {
    let written = record.rules.as_deref()?;
    rule.named(&name_in(written)).or_else(|| rule.short_form(written.trim()))
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
        for written in [None, Some(""), Some("rules"), Some("chess"), Some("日本")] {
            assert_eq!(named(written), None, "{written:?}");
        }
    }
}
