//! The rules agreed on for a game: komi, and the rules in which rule sets differ.
//!
//! Terms and named sets follow KataGo's GTP extensions (`kata-set-rules`). [`Position`](crate::kernel::Position)
//! applies the rules to moves, [`score`](crate::kernel::score()) to the count.

use std::fmt;

use crate::kernel::board::Board;
use crate::kernel::color::Color;
use crate::kernel::coordinate::Point;
use crate::kernel::play_rule::IllegalMove;

/// Which repetitions are forbidden.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum KoRule {
    /// A ko may not be retaken at once.
    Simple,
    /// A play may not recreate any earlier board of the game (positional superko).
    Positional,
    /// A play may not recreate an earlier board with the same player to move (situational superko).
    Situational,
}

/// Method of counting points.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scoring {
    /// Living stones, and points that only one colour's living stones reach.
    Area,
    /// Points that only one colour's living stones reach, and prisoners.
    Territory,
}

/// Which surrounded points do not count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tax {
    /// All points count.
    None,
    /// Points surrounded by stones in seki do not count.
    Seki,
    /// As [`Tax::Seki`], and each living group counts two points fewer (group tax).
    All,
}

/// The handicap bonus: White's points for N handicap stones.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum HandicapBonus {
    /// Nothing.
    Zero,
    /// N - 1 points.
    NMinusOne,
    /// N points.
    N,
}

/// The bound, in points, that komi is clamped to in every computation: beyond the size of any board, and exact in
/// single precision.
pub const KOMI_LIMIT: f64 = 1e6;

/// Komi clamped to a range in which arithmetic is safe. Players may agree on any number.
pub(super) fn clamped_komi(komi: f64) -> f64 {
    komi.clamp(-KOMI_LIMIT, KOMI_LIMIT)
}

/// The rules that a game adds to those of the board.
///
/// # Examples
/// ```
/// use kifuwarabe_uec14::kernel::{GameRule, Scoring};
///
/// let rule = GameRule::with_komi(6.5).with_rule_set("japanese").ok_or("rules")?;
/// assert_eq!((rule.komi, rule.scoring), (6.5, Scoring::Territory));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GameRule {
    /// Points added to White's score; negative means points for Black.
    pub komi: f64,
    /// Whether filling one's own one-point eye is refused as `my_eye`. Go allows it; it nearly always loses points.
    pub can_not_put_on_my_eye: bool,
    /// Which repetitions are forbidden.
    pub ko: KoRule,
    /// Method of counting points.
    pub scoring: Scoring,
    /// Which surrounded points do not count.
    pub tax: Tax,
    /// Whether a play may leave its own ren of several stones without a liberty; the ren is then removed. Suicide of a
    /// single stone is never allowed.
    pub suicide: bool,
    /// The handicap bonus: White's points for handicap stones.
    pub handicap_bonus: HandicapBonus,
    /// Whether the players agree on dead stones after two passes, so that passing early loses nothing. Under territory
    /// scoring they always do, see [`GameRule::has_agreement`].
    pub friendly_pass: bool,
    /// Whether the first pass of the game gives half a point and does not count among the two that end it (button Go).
    /// Under territory scoring it has no effect. Source: KataGo's rule `hasButton`.
    pub has_button: bool,
}

/// The rule sets with their names; the first name of a set is the one that [`GameRule::name`] returns.
const RULE_SETS: [(&[&str], GameRule); 10] = [
    (&["chinese"], CHINESE),
    (&["chinese-ogs", "chinese-kgs"], GameRule { ko: KoRule::Positional, ..CHINESE }),
    (
        &["tromp-taylor"],
        GameRule {
            ko: KoRule::Positional,
            suicide: true,
            handicap_bonus: HandicapBonus::Zero,
            friendly_pass: false,
            ..CHINESE
        },
    ),
    // the server counts the board as it stands: "CGOS Rules of Play" at http://www.yss-aya.com/cgos/
    (
        &["cgos"],
        GameRule { ko: KoRule::Positional, handicap_bonus: HandicapBonus::Zero, friendly_pass: false, ..CHINESE },
    ),
    (
        &["japanese", "korean"],
        GameRule {
            scoring: Scoring::Territory,
            tax: Tax::Seki,
            handicap_bonus: HandicapBonus::Zero,
            // as in KataGo: it has no effect
            friendly_pass: false,
            ..CHINESE
        },
    ),
    (&["stone-scoring", "ancient-area"], GameRule { tax: Tax::All, handicap_bonus: HandicapBonus::Zero, ..CHINESE }),
    (&["aga", "bga", "french"], AGA),
    (&["aga-button"], GameRule { has_button: true, ..AGA }),
    // KataGo's approximation: see `approximation`
    (
        &["ing", "goe"],
        GameRule { ko: KoRule::Positional, suicide: true, handicap_bonus: HandicapBonus::Zero, ..CHINESE },
    ),
    (
        &["new-zealand", "nz"],
        GameRule { ko: KoRule::Situational, suicide: true, handicap_bonus: HandicapBonus::Zero, ..CHINESE },
    ),
];

const CHINESE: GameRule = GameRule {
    komi: 0.0,
    can_not_put_on_my_eye: false,
    ko: KoRule::Simple,
    scoring: Scoring::Area,
    tax: Tax::None,
    suicide: false,
    handicap_bonus: HandicapBonus::N,
    friendly_pass: true,
    has_button: false,
};

const AGA: GameRule = GameRule { ko: KoRule::Situational, handicap_bonus: HandicapBonus::NMinusOne, ..CHINESE };

impl GameRule {
    /// Chinese rules with this komi.
    pub const fn with_komi(komi: f64) -> GameRule {
        GameRule { komi, ..CHINESE }
    }

    /// The rules of a named set, such as `chinese`, with komi and `can_not_put_on_my_eye` of `self`. Case and the
    /// separators `-`, `_` and space in the name are ignored. `None` if there is no such set.
    pub fn with_rule_set(self, name: &str) -> Option<GameRule> {
        let (_, rule) = RULE_SETS.iter().find(|(names, _)| names.iter().any(|known| is_same_rule_name(known, name)))?;
        Some(GameRule { komi: self.komi, can_not_put_on_my_eye: self.can_not_put_on_my_eye, ..*rule })
    }

    /// Whether the players agree on dead stones after two passes. Otherwise every stone on the board is alive. As in
    /// KataGo, `friendlyPassOk` has no effect under territory scoring: there stones that have to be captured first would
    /// cost points.
    pub fn has_agreement(&self) -> bool {
        self.friendly_pass || self.scoring == Scoring::Territory
    }

    /// The rules in the form that [`GameRule::with_short_form`] reads, without komi and `can_not_put_on_my_eye`.
    pub fn to_short_form(&self) -> String {
        let GameRule { ko, scoring, tax, suicide, handicap_bonus, has_button, friendly_pass, .. } = self.effective();
        let flag = |name: &str, is_set: bool| if is_set { format!("{name}1") } else { String::new() };
        let bonus = match handicap_bonus {
            HandicapBonus::Zero => String::new(),
            bonus => format!("whb{bonus}"),
        };
        let suicide = u8::from(suicide);
        let (button, agreed) = (flag("button", has_button), flag("fpok", friendly_pass));
        format!("ko{ko}score{scoring}tax{tax}sui{suicide}{button}{bonus}{agreed}")
    }

    /// These rules without what has no effect under territory scoring: the button, and whether players agree on dead
    /// stones.
    fn effective(self) -> GameRule {
        let is_area = self.scoring == Scoring::Area;
        let (has_button, friendly_pass) = (self.has_button && is_area, self.friendly_pass && is_area);
        GameRule { has_button, friendly_pass, ..self }
    }

    /// The rules in the form in which KataGo writes them into records, such as `koSIMPLEscoreTERRITORYtaxSEKIsui0`,
    /// with komi and `can_not_put_on_my_eye` of `self`. `whb`, `button` and `fpok` may follow; without them, these rules
    /// are those of Tromp-Taylor. `None` for any other text.
    pub fn with_short_form(self, text: &str) -> Option<GameRule> {
        let mut rule = self.with_rule_set("tromp-taylor")?;
        let mut rest = without_prefix(text, "ko")?;
        (rule.ko, rest) = leading_word(rest, KoRule::ALL)?;
        (rule.scoring, rest) = leading_word(without_prefix(rest, "score")?, Scoring::ALL)?;
        (rule.tax, rest) = leading_word(without_prefix(rest, "tax")?, Tax::ALL)?;
        (rule.suicide, rest) = leading_flag(without_prefix(rest, "sui")?)?;
        while !rest.is_empty() {
            if let Some(after) = without_prefix(rest, "whb") {
                (rule.handicap_bonus, rest) = leading_word(after, HandicapBonus::ALL)?;
            } else if let Some(after) = without_prefix(rest, "button") {
                (rule.has_button, rest) = leading_flag(after)?;
            } else {
                (rule.friendly_pass, rest) = leading_flag(without_prefix(rest, "fpok")?)?;
            }
        }
        (!rule.has_button || rule.scoring == Scoring::Area).then_some(rule)
    }

    /// Checks a move under these rules, superko apart. `is_ko_banned`: whether the board's ko may not be retaken.
    ///
    /// # Errors
    /// The rule that forbids the move: see [`Position::check`](crate::kernel::Position::check).
    pub fn check(&self, board: &Board, color: Color, point: Point, is_ko_banned: bool) -> Result<(), IllegalMove> {
        let verdict = match board.check(color, point) {
            // retaking a ko captures a stone, so no other rule of the board can forbid it
            Err(IllegalMove::Ko) if !is_ko_banned => Ok(()),
            verdict => verdict,
        };
        let may_be_my_eye = matches!(verdict, Ok(()) | Err(IllegalMove::Suicide));
        let is_eye = || board.is_enclosed(color, point) && board.touches(color, point);
        if may_be_my_eye && self.can_not_put_on_my_eye && is_eye() {
            return Err(IllegalMove::MyEye);
        }
        match verdict {
            Err(IllegalMove::Suicide) if self.suicide => Ok(()),
            verdict => verdict,
        }
    }

    /// Differences of the rule set of this name from the rules that bear the name; `None` without any, or if there is no
    /// such set.
    pub fn approximation(name: &str) -> Option<&'static str> {
        let is_ing = ["ing", "goe"].iter().any(|known| is_same_rule_name(known, name));
        is_ing.then_some("nearest rules to Ing's: positional superko for its ko rule, area for its counting of stones")
    }

    /// [`GameRule::approximation`] for the name of these rules.
    pub fn approximation_note(&self) -> Option<&'static str> {
        self.name().and_then(GameRule::approximation)
    }

    /// The names of all rule sets.
    pub fn names() -> impl Iterator<Item = &'static str> {
        RULE_SETS.iter().flat_map(|(names, _)| names.iter().copied())
    }

    /// The name of the rule set with these values; komi, `can_not_put_on_my_eye` and what has no effect under territory
    /// scoring are ignored.
    pub fn name(&self) -> Option<&'static str> {
        let effective @ GameRule { komi, can_not_put_on_my_eye, .. } = self.effective();
        let is_equal = |rule: &GameRule| effective == GameRule { komi, can_not_put_on_my_eye, ..*rule };
        RULE_SETS.iter().find(|(_, rule)| is_equal(rule)).and_then(|(names, _)| names.first().copied())
    }

    /// [`GameRule::name`], or `other` for rules of no set.
    pub fn name_or_other(&self) -> &'static str {
        self.name().unwrap_or("other")
    }

    /// [`GameRule::name`], or the [`GameRule::to_short_form`] of rules of no set.
    pub fn name_or_short_form(&self) -> String {
        self.name().map_or_else(|| self.to_short_form(), str::to_owned)
    }

    /// The handicap bonus: White's points for this number of handicap stones, without komi. A single stone is worth
    /// none.
    pub fn handicap_bonus_points(&self, handicap: usize) -> f64 {
        match self.handicap_bonus {
            _ if handicap < 2 => 0.0,
            HandicapBonus::Zero => 0.0,
            HandicapBonus::NMinusOne => handicap as f64 - 1.0,
            HandicapBonus::N => handicap as f64,
        }
    }

    /// White's points beside those on the board: clamped komi plus [`GameRule::handicap_bonus_points`].
    pub fn komi_with_handicap_bonus(&self, handicap: usize) -> f64 {
        clamped_komi(self.komi) + self.handicap_bonus_points(handicap)
    }
}

/// Whether two names of rules are the same, ignoring case and the separators `-`, `_` and space.
pub(crate) fn is_same_rule_name(one: &str, other: &str) -> bool {
    let normalized = |name: &str| name.to_ascii_lowercase().replace(['-', '_', ' '], "");
    normalized(one) == normalized(other)
}

/// A text without a prefix, in any case; `None` without it.
fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// The value whose word a text begins with, the longest one, and the rest of the text.
fn leading_word<'a, T: Copy + fmt::Display>(text: &'a str, all: &[T]) -> Option<(T, &'a str)> {
    let found = all.iter().filter_map(|&value| Some((value, without_prefix(text, &value.to_string())?)));
    found.min_by_key(|(_, rest)| rest.len())
}

/// The flag that a text begins with, `0` or `1`, and the rest of the text.
fn leading_flag(text: &str) -> Option<(bool, &str)> {
    without_prefix(text, "1").map(|rest| (true, rest)).or_else(|| Some((false, without_prefix(text, "0")?)))
}

/// `Display` and `parse` for the values of a rule, from one table.
macro_rules! words {
    ($type:ty { $($variant:ident = $word:literal),* }) => {
        impl $type {
            /// Every value.
            pub const ALL: &'static [$type] = &[$(<$type>::$variant),*];

            /// The value displayed as this word, in any case.
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

    /// Whether players agree on dead stones is no question under territory scoring; Japanese rules with another scoring
    /// have no agreement.
    #[test]
    fn friendly_passes_mean_nothing_under_territory_scoring() {
        let japanese = GameRule::with_komi(6.5).with_rule_set("japanese").unwrap();
        for friendly_pass in [false, true] {
            let rule = GameRule { friendly_pass, ..japanese };
            assert_eq!((rule.name(), rule.has_agreement()), (Some("japanese"), true));
            assert_eq!(rule.to_short_form(), "koSIMPLEscoreTERRITORYtaxSEKIsui0");
        }
        assert!(!GameRule { scoring: Scoring::Area, ..japanese }.has_agreement());
    }

    #[test]
    fn short_forms_are_read_as_written() {
        let mut count = 0;
        let start = GameRule::with_komi(5.5);
        for (&ko, &scoring) in KoRule::ALL.iter().flat_map(|ko| Scoring::ALL.iter().map(move |scoring| (ko, scoring))) {
            for (&tax, &handicap_bonus) in
                Tax::ALL.iter().flat_map(|tax| HandicapBonus::ALL.iter().map(move |bonus| (tax, bonus)))
            {
                for flags in 0..8 {
                    let [suicide, has_button, friendly_pass] = [1, 2, 4].map(|bit| flags & bit != 0);
                    let is_area = scoring == Scoring::Area;
                    let rule = GameRule {
                        ko,
                        scoring,
                        tax,
                        handicap_bonus,
                        suicide,
                        has_button: has_button && is_area,
                        friendly_pass: friendly_pass && is_area,
                        ..start
                    };
                    let written = rule.to_short_form();
                    assert_eq!(start.with_short_form(&written), Some(rule), "{written}");
                    count += 1;
                }
            }
        }
        assert_eq!(count, KoRule::ALL.len() * 2 * Tax::ALL.len() * HandicapBonus::ALL.len() * 8);
    }

    #[test]
    fn short_forms_of_katago_are_read() {
        let rule = GameRule::with_komi(7.5);
        for (text, name) in [
            ("koSIMPLEscoreTERRITORYtaxSEKIsui0", "japanese"),
            ("kosimplescoreterritorytaxsekisui0", "japanese"),
            ("koPOSITIONALscoreAREAtaxNONEsui1", "tromp-taylor"),
            ("koPOSITIONALscoreAREAtaxNONEsui0", "cgos"),
            ("koPOSITIONALscoreAREAtaxNONEsui0whbNfpok1", "chinese-ogs"),
            ("koSITUATIONALscoreAREAtaxNONEsui0whbN-1fpok1", "aga"),
            ("koSITUATIONALscoreAREAtaxNONEsui0button1whbN-1fpok1", "aga-button"),
        ] {
            let read = rule.with_short_form(text).unwrap();
            assert_eq!((read.name(), read.komi), (Some(name), 7.5), "{text}");
        }
        let read = rule.with_short_form("koSITUATIONALscoreTERRITORYtaxNONEsui1").unwrap();
        assert_eq!((read.ko, read.tax, read.suicide), (KoRule::Situational, Tax::None, true));
        for text in ["", "ko", "koSIMPLE", "koSIMPLEscoreAREAtaxNONEsui2", "koSIMPLEscoreAREAtaxNONEsui0komi7", "日本"]
        {
            assert_eq!(rule.with_short_form(text), None, "{text}");
        }
        // a button has no effect under territory scoring
        assert_eq!(rule.with_short_form("koSIMPLEscoreTERRITORYtaxSEKIsui0button1"), None);
    }

    #[test]
    fn named_sets_round_trip() {
        let rule = GameRule::with_komi(7.5);
        assert_eq!(rule.name(), Some("chinese"));
        for name in GameRule::names() {
            let named = rule.with_rule_set(name).unwrap();
            assert_eq!(named.komi, 7.5);
            assert_eq!(rule.with_rule_set(named.name().unwrap()), Some(named));
        }
        for name in ["New_Zealand", "new zealand", "newzealand", "NZ"] {
            assert_eq!(rule.with_rule_set(name), rule.with_rule_set("new-zealand"));
        }
        for (name, set) in [
            ("tromptaylor", "tromp-taylor"),
            ("ChineseOGS", "chinese-ogs"),
            ("stone scoring", "stone-scoring"),
            ("ancient_area", "stone-scoring"),
            ("ancientarea", "stone-scoring"),
            ("french", "aga"),
        ] {
            assert_eq!(rule.with_rule_set(name).and_then(|rule| rule.name()), Some(set), "{name}");
        }
        for name in ["go", "", "-", "chinese japanese"] {
            assert_eq!(rule.with_rule_set(name), None, "{name}");
        }
    }

    #[test]
    fn approximate_sets_say_so() {
        for name in GameRule::names() {
            assert_eq!(GameRule::approximation(name).is_some(), ["ing", "goe"].contains(&name), "{name}");
        }
        assert_eq!(GameRule::with_komi(0.0).with_rule_set("GOE").and_then(|rule| rule.name()), Some("ing"));
        assert_eq!(GameRule::approximation("GOE"), GameRule::approximation("Ing"));
    }

    #[test]
    fn white_bonus_by_rule_set() {
        let bonus =
            |name: &str, n: usize| GameRule::with_komi(0.0).with_rule_set(name).unwrap().handicap_bonus_points(n);
        assert_eq!(
            (bonus("chinese", 0), bonus("chinese", 2), bonus("aga", 9), bonus("japanese", 9)),
            (0.0, 2.0, 8.0, 0.0)
        );
        assert_eq!(bonus("chinese", 1), 0.0);
    }
}
