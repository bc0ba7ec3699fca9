//! Commands about rules, with the names and keys of KataGo's and KGS's extensions.

use serde_json::{Map, Value, json};

use crate::gtp::args::Args;
use crate::gtp::engine::Engine;
use crate::gtp::key::{Key, keys};
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{GameRule, HandicapBonus, KoRule, Scoring, Tax, is_same_name};

pub(crate) fn kata_get_rules(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let rules = written(engine.position.rule());
    Ok(Reply::output(rules.to_string()).field("rules", rules))
}

pub(crate) fn kata_set_rules(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let text = args.rest("rules")?;
    *engine.position.rule_mut() = read(*engine.position.rule(), text)?;
    Ok(Reply::ok())
}

pub(crate) fn kata_set_rule(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word("key")?;
    let value = args.word("value")?;
    args.end()?;
    let mut rule = *engine.position.rule();
    set(&mut rule, key, value)?;
    *engine.position.rule_mut() = rule;
    Ok(Reply::ok())
}

pub(crate) fn kgs_rules(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let name = args.rest("name")?;
    let set = KGS_NAMES.iter().find(|(known, _)| is_same_name(known, name));
    let Some(rule) = set.and_then(|(_, set)| engine.position.rule().named(set)) else {
        let expected = "expected chinese, aga, japanese or new_zealand";
        return Err(CommandError::unexpected("rules", name, expected));
    };
    *engine.position.rule_mut() = rule;
    Ok(Reply::ok())
}

/// Rule names of KGS, and the named set of each.
const KGS_NAMES: [(&str, &str); 4] =
    [("chinese", "chinese-kgs"), ("aga", "aga"), ("japanese", "japanese"), ("new_zealand", "new-zealand")];

fn written(rule: &GameRule) -> Value {
    json!({
        "ko": rule.ko.to_string(),
        "scoring": rule.scoring.to_string(),
        "tax": rule.tax.to_string(),
        "suicide": rule.suicide,
        "hasButton": false,
        "whiteHandicapBonus": rule.handicap_bonus.to_string(),
        "friendlyPassOk": rule.friendly_pass,
    })
}

/// The rules that a text says in place of these: a named set or a JSON object. Keys that an object leaves out are as in
/// Tromp-Taylor rules, except `tax`, which goes with the scoring. Komi stays.
///
/// # Errors
/// What is wrong with the text.
#[track_caller]
pub fn read(rule: GameRule, text: &str) -> Result<GameRule, CommandError> {
    match rule.named(text) {
        Some(rule) => Ok(rule),
        None if text.starts_with('{') => read_object(rule, text),
        None => Err(CommandError::unexpected("rules", text, &expected_names())),
    }
}

fn read_object(rule: GameRule, text: &str) -> Result<GameRule, CommandError> {
    let object: Map<String, Value> = serde_json::from_str(text)
        .map_err(|error| CommandError::unexpected("rules", text, &format!("expected a JSON object: {error}")))?;
    let mut rule = rule.named("tromp-taylor").unwrap_or(rule);
    if object.get("scoring").and_then(Value::as_str).and_then(Scoring::parse) == Some(Scoring::Territory) {
        rule.tax = Tax::Seki;
    }
    for (key, value) in &object {
        match value {
            Value::String(value) => set(&mut rule, key, value)?,
            value => set(&mut rule, key, &value.to_string())?,
        }
    }
    Ok(rule)
}

fn set(rule: &mut GameRule, key: &str, value: &str) -> Result<(), CommandError> {
    match key {
        "ko" => rule.ko = choose(KoRule::parse(value), KoRule::ALL, "ko", value)?,
        "scoring" => rule.scoring = choose(Scoring::parse(value), Scoring::ALL, "scoring", value)?,
        "tax" => rule.tax = choose(Tax::parse(value), Tax::ALL, "tax", value)?,
        "whiteHandicapBonus" => {
            let bonus = HandicapBonus::parse(value);
            rule.handicap_bonus = choose(bonus, HandicapBonus::ALL, "whiteHandicapBonus", value)?;
        }
        "suicide" => rule.suicide = flag("suicide", value)?,
        "friendlyPassOk" => rule.friendly_pass = flag("friendlyPassOk", value)?,
        "hasButton" if flag("hasButton", value)? => {
            return Err(CommandError::unexpected("hasButton", value, "expected false: there is no button go here"));
        }
        "hasButton" => {}
        _ => {
            let keys = "expected ko, scoring, tax, suicide, hasButton, whiteHandicapBonus or friendlyPassOk";
            return Err(CommandError::unexpected("key", key, keys));
        }
    }
    Ok(())
}

fn choose<T: ToString>(found: Option<T>, all: &[T], key: &'static str, value: &str) -> Result<T, CommandError> {
    found.ok_or_else(|| {
        let words: Vec<String> = all.iter().map(ToString::to_string).collect();
        CommandError::unexpected(key, value, &format!("expected one of {}", words.join(" ")))
    })
}

fn flag(key: &'static str, value: &str) -> Result<bool, CommandError> {
    value.parse().map_err(|_| CommandError::unexpected(key, value, "expected true or false"))
}

fn expected_names() -> String {
    let names: Vec<&str> = GameRule::names().collect();
    format!("expected a JSON object or one of {}", names.join(" "))
}

/// Arguments of `kgs-rules`.
pub(crate) fn kgs_keys() -> Vec<Key> {
    let names = KGS_NAMES.map(|(name, _)| name).join(", ");
    vec![Key { name: "NAME".to_owned(), meaning: names }]
}

/// The rules that `kata-set-rule` changes, with the meaning of each value.
fn rule_keys() -> Vec<Key> {
    keys([
        ("ko SIMPLE", "a ko must not be retaken at once"),
        ("ko POSITIONAL", "a stone must not recreate an earlier board"),
        ("ko SITUATIONAL", "a stone must not recreate an earlier board with the same side to move"),
        ("scoring AREA", "stones and the empty points they surround"),
        ("scoring TERRITORY", "surrounded empty points and prisoners"),
        ("tax NONE", "all surrounded points count"),
        ("tax SEKI", "points surrounded in seki do not count"),
        ("tax ALL", "as SEKI, and each living group loses two points"),
        ("suicide true|false", "whether a ren of several stones may be played without a liberty"),
        ("hasButton false", "button go is not supported"),
        ("whiteHandicapBonus 0|N-1|N", "White's points for N handicap stones"),
        ("friendlyPassOk true|false", "whether players agree on dead stones after two passes"),
    ])
}

/// Arguments of `kata-set-rule`.
pub(crate) fn set_rule_keys() -> Vec<Key> {
    let mut all = keys([("KEY VALUE", "one of the following")]);
    all.extend(rule_keys());
    all
}

/// Arguments of `kata-set-rules`.
pub(crate) fn set_rules_keys() -> Vec<Key> {
    let names = GameRule::names().collect::<Vec<_>>().join(", ");
    let mut all = vec![Key { name: "NAME".to_owned(), meaning: format!("a rule set: {names}") }];
    all.extend(keys([(
        "JSON",
        "an object of the following keys; those left out are as in tromp-taylor, except that tax follows scoring",
    )]));
    all.extend(rule_keys());
    all
}
