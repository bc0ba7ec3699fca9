//! What the players agreed on before the game: komi, and the rules in which rule sets differ.
//!
//! The terms and the named sets are those that KataGo's GTP extensions brought into use. What a rule means for a move is
//! said in [`Position`](super::Position).

use std::fmt;

/// Which repetitions are forbidden.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum KoRule {
    /// A ko may not be retaken at once.
    Simple,
    /// A stone may not recreate any earlier board of the game, whoever was to move then.
    Positional,
    /// A stone may not recreate an earlier board with the same player to move.
    Situational,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scoring {
    /// Stones on the board, and empty points that only one colour's stones reach.
    Area,
    /// Such empty points, and prisoners.
    Territory,
}

/// Which points are not counted after all.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tax {
    /// All count.
    None,
    /// Empty points surrounded by stones in seki do not count.
    Seki,
    /// As [`Tax::Seki`], and two points fewer for each living group.
    All,
}

/// What White gets for Black's handicap stones, of which there are N.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HandicapBonus {
    /// Nothing.
    Zero,
    /// N - 1 points.
    NMinusOne,
    /// N points.
    N,
}

/// The most points that komi counts for, for either player: more than there are on any board, and few enough to be
/// counted in single precision.
const MOST_KOMI: f64 = 1e6;

/// Komi as far as it counts. Players may agree on any number.
pub fn counted_komi(komi: f64) -> f64 {
    komi.clamp(-MOST_KOMI, MOST_KOMI)
}

/// The rules that a game adds to the board's own.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameRule {
    /// Points added to White's score; negative means points for Black.
    pub komi: f64,
    /// Whether filling one's own one-point eye is refused as `my_eye`. Go allows it; it is all but always a loss.
    pub can_not_put_on_my_eye: bool,
    /// Which repetitions are forbidden.
    pub ko: KoRule,
    /// What is counted.
    pub scoring: Scoring,
    /// Which points are not counted after all.
    pub tax: Tax,
    /// Whether a ren of more than one stone may be left without a liberty; it is taken then. A lone stone never may.
    pub suicide: bool,
    /// What White gets for handicap stones.
    pub handicap_bonus: HandicapBonus,
    /// Whether two passes leave dead stones to be agreed on, so that passing early loses nothing.
    pub friendly_pass: bool,
}

/// The named rule sets: `chinese` and the like, each with its values. Several names may share a set.
const NAMED: [(&[&str], GameRule); 7] = [
    (&["chinese"], set(KoRule::Simple, Scoring::Area, Tax::None, false, HandicapBonus::N, true)),
    (&["chinese-ogs", "chinese-kgs"], set(KoRule::Positional, Scoring::Area, Tax::None, false, HandicapBonus::N, true)),
    (&["tromp-taylor"], set(KoRule::Positional, Scoring::Area, Tax::None, true, HandicapBonus::Zero, false)),
    (&["japanese", "korean"], set(KoRule::Simple, Scoring::Territory, Tax::Seki, false, HandicapBonus::Zero, true)),
    (
        &["stone-scoring", "ancient-area"],
        set(KoRule::Simple, Scoring::Area, Tax::All, false, HandicapBonus::Zero, true),
    ),
    (
        &["aga", "bga", "french"],
        set(KoRule::Situational, Scoring::Area, Tax::None, false, HandicapBonus::NMinusOne, true),
    ),
    (&["new-zealand", "nz"], set(KoRule::Situational, Scoring::Area, Tax::None, true, HandicapBonus::Zero, true)),
];

const fn set(
    ko: KoRule,
    scoring: Scoring,
    tax: Tax,
    suicide: bool,
    handicap_bonus: HandicapBonus,
    friendly_pass: bool,
) -> GameRule {
    GameRule { komi: 0.0, can_not_put_on_my_eye: false, ko, scoring, tax, suicide, handicap_bonus, friendly_pass }
}

impl GameRule {
    /// Chinese rules with this komi.
    pub const fn with_komi(komi: f64) -> GameRule {
        let rule = set(KoRule::Simple, Scoring::Area, Tax::None, false, HandicapBonus::N, true);
        GameRule { komi, ..rule }
    }

    /// These rules with the ones of a named set in place, `chinese` and the like, in any case; its words may stand together,
    /// or apart by `-`, `_` or a space. Komi and the eye rule stay.
    pub fn named(self, name: &str) -> Option<GameRule> {
        let (_, rule) = NAMED.iter().find(|(names, _)| names.iter().any(|known| is_same_name(known, name)))?;
        Some(GameRule { komi: self.komi, can_not_put_on_my_eye: self.can_not_put_on_my_eye, ..*rule })
    }

    /// The names of all sets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().flat_map(|(names, _)| names.iter().copied())
    }

    /// The name of the set that these rules are, if they are one.
    pub fn name(&self) -> Option<&'static str> {
        let same = |rule: &GameRule| {
            *self == GameRule { komi: self.komi, can_not_put_on_my_eye: self.can_not_put_on_my_eye, ..*rule }
        };
        NAMED.iter().find(|(_, rule)| same(rule)).and_then(|(names, _)| names.first().copied())
    }

    /// Points White gets for this many handicap stones, komi not counted.
    pub fn white_bonus(&self, handicap: usize) -> f64 {
        match self.handicap_bonus {
            _ if handicap < 2 => 0.0,
            HandicapBonus::Zero => 0.0,
            HandicapBonus::NMinusOne => handicap as f64 - 1.0,
            HandicapBonus::N => handicap as f64,
        }
    }

    /// Points White has on top of those on the board: komi as far as it counts, and the bonus for handicap stones.
    pub fn points_ahead(&self, handicap: usize) -> f64 {
        counted_komi(self.komi) + self.white_bonus(handicap)
    }
}

/// Whether two names of rules are one: in any case, their words together or apart by `-`, `_` or a space.
pub fn is_same_name(one: &str, other: &str) -> bool {
    let together = |name: &str| name.to_ascii_lowercase().replace(['-', '_', ' '], "");
    together(one) == together(other)
}

/// Words by which the values of a rule are written, both ways.
macro_rules! words {
    ($type:ty { $($variant:ident = $word:literal),* }) => {
        impl $type {
            /// Every value.
            pub const ALL: &'static [$type] = &[$(<$type>::$variant),*];

            /// The value that is written so, in any case.
            pub fn parse(word: &str) -> Option<$type> {
                Self::ALL.iter().copied().find(|value| value.to_string().eq_ignore_ascii_case(word))
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(<$type>::$variant => $word),* })
            }
        }
    };
}

words!(KoRule { Simple = "SIMPLE", Positional = "POSITIONAL", Situational = "SITUATIONAL" });
words!(Scoring { Area = "AREA", Territory = "TERRITORY" });
words!(Tax { None = "NONE", Seki = "SEKI", All = "ALL" });
words!(HandicapBonus { Zero = "0", NMinusOne = "N-1", N = "N" });

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_and_sets() {
        let rule = GameRule::with_komi(7.5);
        assert_eq!(rule.name(), Some("chinese"));
        for name in GameRule::names() {
            let named = rule.named(name).unwrap();
            assert_eq!(named.komi, 7.5);
            assert_eq!(rule.named(named.name().unwrap()), Some(named));
        }
        for name in ["New_Zealand", "new zealand", "newzealand", "NZ"] {
            assert_eq!(rule.named(name), rule.named("new-zealand"));
        }
        for (name, set) in [
            ("tromptaylor", "tromp-taylor"),
            ("ChineseOGS", "chinese-ogs"),
            ("stone scoring", "stone-scoring"),
            ("ancient_area", "stone-scoring"),
            ("ancientarea", "stone-scoring"),
            ("french", "aga"),
        ] {
            assert_eq!(rule.named(name).and_then(|rule| rule.name()), Some(set), "{name}");
        }
        for name in ["go", "", "-", "chinese japanese"] {
            assert_eq!(rule.named(name), None, "{name}");
        }
    }

    #[test]
    fn handicap_bonus() {
        let bonus = |name: &str, n: usize| GameRule::with_komi(0.0).named(name).unwrap().white_bonus(n);
        assert_eq!(
            (bonus("chinese", 0), bonus("chinese", 2), bonus("aga", 9), bonus("japanese", 9)),
            (0.0, 2.0, 8.0, 0.0)
        );
        assert_eq!(bonus("chinese", 1), 0.0);
    }
}
