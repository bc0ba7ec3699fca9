//! Rules in the notation of KataGo: the name of a rule set such as `japanese`, a JSON object with a key for each rule,
//! or the short form of its records.
//!
//! The notation has no key for komi. `score` is another key of `scoring`, as in KataGo.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::kernel::{GameRule, HandicapBonus, KoRule, Scoring, Tax};
use crate::player::options::read_flag;
use crate::text::quote::unexpected;

/// An invalid name, key or value of a rule. Displayed as `unexpected KEY:FOUND, EXPECTED`, with a long FOUND shortened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RuleError {
    /// The key whose value is wrong; `rules` for a name or object, `key` for an unknown key.
    pub(crate) key: &'static str,
    /// The text found.
    pub(crate) found: String,
    /// The values expected, as a phrase.
    pub(crate) expected: String,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&unexpected(self.key, &self.found, &self.expected))
    }
}

/// The rules as a JSON object.
pub(crate) fn to_json(rule: &GameRule) -> Value {
    json!({
        "ko": rule.ko.to_string(),
        "scoring": rule.scoring.to_string(),
        "tax": rule.tax.to_string(),
        "suicide": rule.suicide,
        "hasButton": rule.has_button,
        "whiteHandicapBonus": rule.handicap_bonus.to_string(),
        "friendlyPassOk": rule.friendly_pass,
    })
}

/// `rule` with the rules in `text`, the name of a set, a JSON object or the [`GameRule::with_short_form`]. Keys that an
/// object lacks are as in Tromp-Taylor rules, except `tax`, which is `SEKI` under territory scoring. Komi and
/// `can_not_put_on_my_eye` stay.
///
/// # Errors
/// [`RuleError`], for the first key that is wrong.
pub(crate) fn parse(rule: GameRule, text: &str) -> Result<GameRule, RuleError> {
    match rule.with_rule_set(text).or_else(|| rule.with_short_form(text)) {
        Some(rule) => Ok(rule),
        None if text.starts_with('{') => parse_object(rule, text),
        None => Err(error("rules", text, expected_names())),
    }
}

fn parse_object(rule: GameRule, text: &str) -> Result<GameRule, RuleError> {
    let object: Map<String, Value> = serde_json::from_str(text)
        .map_err(|reason| error("rules", text, format!("expected a JSON object: {reason}")))?;
    let mut rule = rule.with_rule_set("tromp-taylor").unwrap_or(rule);
    if let (Some(_), Some(score)) = (object.get("scoring"), object.get("score")) {
        return Err(error("score", &score.to_string(), "expected scoring or score, not both"));
    }
    let scoring = object.get("scoring").or(object.get("score"));
    if scoring.and_then(Value::as_str).and_then(Scoring::parse) == Some(Scoring::Territory) {
        rule.tax = Tax::Seki;
    }
    for (key, value) in &object {
        match value {
            Value::String(value) => set_alone(&mut rule, key, value)?,
            value => set_alone(&mut rule, key, &value.to_string())?,
        }
    }
    check(&rule)?;
    Ok(rule)
}

/// Whether the values of different rules fit each other.
fn check(rule: &GameRule) -> Result<(), RuleError> {
    match rule.has_button && rule.scoring == Scoring::Territory {
        true => Err(error("hasButton", "true", "expected false with scoring TERRITORY")),
        false => Ok(()),
    }
}

/// Sets one rule by the key of the JSON object.
///
/// # Errors
/// [`RuleError`], without any change.
pub(crate) fn set(rule: &mut GameRule, key: &str, value: &str) -> Result<(), RuleError> {
    let mut changed = *rule;
    set_alone(&mut changed, key, value)?;
    check(&changed)?;
    *rule = changed;
    Ok(())
}

/// As [`set`], whether the rules fit each other or not.
fn set_alone(rule: &mut GameRule, key: &str, value: &str) -> Result<(), RuleError> {
    match key {
        "ko" => rule.ko = choose(KoRule::parse(value), KoRule::ALL, "ko", value)?,
        "scoring" | "score" => rule.scoring = choose(Scoring::parse(value), Scoring::ALL, "scoring", value)?,
        "tax" => rule.tax = choose(Tax::parse(value), Tax::ALL, "tax", value)?,
        "whiteHandicapBonus" => {
            let bonus = HandicapBonus::parse(value);
            rule.handicap_bonus = choose(bonus, HandicapBonus::ALL, "whiteHandicapBonus", value)?;
        }
        "suicide" => rule.suicide = flag("suicide", value)?,
        "friendlyPassOk" => rule.friendly_pass = flag("friendlyPassOk", value)?,
        "hasButton" => rule.has_button = flag("hasButton", value)?,
        _ => {
            let keys = "expected ko, scoring, tax, suicide, hasButton, whiteHandicapBonus or friendlyPassOk";
            return Err(error("key", key, keys));
        }
    }
    Ok(())
}

fn choose<T: ToString>(found: Option<T>, all: &[T], key: &'static str, value: &str) -> Result<T, RuleError> {
    found.ok_or_else(|| {
        let names: Vec<String> = all.iter().map(ToString::to_string).collect();
        error(key, value, format!("expected one of {}", names.join(" ")))
    })
}

fn flag(key: &'static str, value: &str) -> Result<bool, RuleError> {
    read_flag(value).ok_or_else(|| error(key, value, "expected true or false"))
}

fn expected_names() -> String {
    let names: Vec<&str> = GameRule::names().collect();
    format!("expected a JSON object, KataGo's short form or one of {}", names.join(" "))
}

fn error(key: &'static str, found: &str, expected: impl Into<String>) -> RuleError {
    RuleError { key, found: found.to_owned(), expected: expected.into() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_named_set_is_written_and_parsed() {
        let rule = GameRule::with_komi(6.5);
        for name in GameRule::names() {
            let named = parse(rule, name).unwrap();
            let parsed = parse(rule, &to_json(&named).to_string()).unwrap();
            assert_eq!((to_json(&parsed), parsed.komi), (to_json(&named), 6.5), "{name}");
        }
    }

    #[test]
    fn spellings_of_katago_are_accepted() {
        let rule = GameRule::with_komi(6.5);
        let named = parse(rule, r#"{"scoring":"TERRITORY","suicide":true}"#).unwrap();
        assert_eq!(parse(rule, r#"{"score":"TERRITORY","suicide":"True"}"#), Ok(named));
        // of equal names the last one counts
        assert_eq!(parse(rule, r#"{"scoring":"AREA","suicide":true,"scoring":"TERRITORY"}"#), Ok(named));
        let mut changed = named;
        set(&mut changed, "score", "AREA").unwrap();
        set(&mut changed, "suicide", "FALSE").unwrap();
        assert_eq!((changed.scoring, changed.suicide), (Scoring::Area, false));
    }

    #[test]
    fn button_is_set_under_area_scoring_only() {
        let mut rule = parse(GameRule::with_komi(7.0), "chinese").unwrap();
        set(&mut rule, "hasButton", "true").unwrap();
        assert_eq!((rule.has_button, &to_json(&rule)["hasButton"]), (true, &Value::Bool(true)));
        let before = rule;
        assert!(set(&mut rule, "scoring", "TERRITORY").is_err());
        assert_eq!(rule, before);
        set(&mut rule, "hasButton", "false").unwrap();
        set(&mut rule, "scoring", "TERRITORY").unwrap();
        assert!(set(&mut rule, "hasButton", "true").is_err() && !rule.has_button);
    }

    #[test]
    fn errors_name_key_and_value() {
        for (text, expected) in [
            ("chess", "unexpected rules:chess, expected a JSON object, KataGo's short form or one of "),
            ("{", "unexpected rules:{, expected a JSON object: "),
            (r#"{"ko":"MAYBE"}"#, "unexpected ko:MAYBE, expected one of "),
            (r#"{"suicide":2}"#, "unexpected suicide:2, expected true or false"),
            (r#"{"hasButton":1}"#, "unexpected hasButton:1, expected true or false"),
            (r#"{"hasButton":true,"scoring":"TERRITORY"}"#, "unexpected hasButton:true, expected false with scoring "),
            (r#"{"scoring":"AREA","score":"AREA"}"#, "unexpected score:\"AREA\", expected scoring or score, not both"),
            (r#"{"komi":7}"#, "unexpected key:komi, expected ko, "),
        ] {
            let error = parse(GameRule::with_komi(6.5), text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
