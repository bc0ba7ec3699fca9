//! What a record's own words about its rules mean.

use crate::kernel::GameRule;
use crate::sgf::Game;

/// The rules that a record names, if it names any that are known here. Komi and the eye rule are those of `rule`.
///
/// Records have the names in all spellings: `Chinese`, `chinese rules`, `New Zealand`, `NZ`.
pub fn rules_of(game: &Game, rule: &GameRule) -> Option<GameRule> {
    let name = game.rules.as_deref()?.trim().to_ascii_lowercase();
    let name = name.strip_suffix("rules").unwrap_or(&name).trim_end();
    rule.named(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::Coordinate;

    #[test]
    fn rules_by_the_names_that_records_have() {
        let named = |written: Option<&str>| {
            let game = Game { rules: written.map(str::to_owned), ..Game::new(Coordinate::square(9).unwrap()) };
            rules_of(&game, &GameRule::with_komi(5.5)).and_then(|rule| rule.name())
        };
        for (written, name) in [
            ("Chinese", "chinese"),
            ("japanese rules", "japanese"),
            ("NZ", "new-zealand"),
            ("New Zealand", "new-zealand"),
            ("Tromp-Taylor", "tromp-taylor"),
            ("AGA", "aga"),
            (" Korean ", "japanese"),
        ] {
            assert_eq!(named(Some(written)), Some(name), "{written}");
        }
        for written in [None, Some(""), Some("rules"), Some("GOE"), Some("chess"), Some("日本")] {
            assert_eq!(named(written), None, "{written:?}");
        }
    }
}
