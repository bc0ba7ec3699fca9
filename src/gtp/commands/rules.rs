//! Commands about rules and komi, with the names and keys of KataGo's and KGS's extensions.

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::{GameRule, is_same_rule_name};
use crate::protocol::rule_names::{self, RuleError};
use crate::text::quote::shortened;

pub(crate) fn kata_get_rules(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let rules = rule_names::to_json(engine.position.rule());
    Ok(Reply::output(rules.to_string()).field("rules", rules))
}

pub(crate) fn kata_set_rules(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let text = args.rest("rules")?;
    *engine.position.rule_mut() =
        rule_names::parse(*engine.position.rule(), text).map_err(|error| rule_error(&error))?;
    Ok(rules_reply(text))
}

/// The answer to a command that has set the rules by this name: how they differ from those that bear the name.
#[track_caller]
pub(crate) fn rules_reply(name: &str) -> Reply {
    match GameRule::approximation(name) {
        Some(note) => Reply::output(note).field("note", note),
        None => Reply::ok(),
    }
}

pub(crate) fn kata_set_rule(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word("key")?;
    let value = args.word("value")?;
    args.end()?;
    let mut rule = *engine.position.rule();
    rule_names::set(&mut rule, key, value).map_err(|error| rule_error(&error))?;
    *engine.position.rule_mut() = rule;
    Ok(Reply::ok())
}

pub(crate) fn kgs_rules(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let name = args.rest("name")?;
    let set = KGS_NAMES.iter().find(|(known, _)| is_same_rule_name(known, name)).map(|(_, set)| *set);
    let Some((set, rule)) = set.and_then(|set| Some((set, engine.position.rule().with_rule_set(set)?))) else {
        let expected = "expected chinese, aga, japanese, new_zealand or ing";
        return Err(CommandError::unexpected("rules", name, expected));
    };
    *engine.position.rule_mut() = rule;
    Ok(rules_reply(set))
}

pub(crate) fn komi(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let komi = args.komi()?;
    args.end()?;
    engine.position.rule_mut().komi = komi;
    Ok(Reply::ok())
}

pub(crate) fn can_not_put_on_my_eye(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let method = args.word("method")?;
    let rule = engine.position.rule_mut();
    match method {
        "get" => {
            args.end()?;
            let value = rule.can_not_put_on_my_eye;
            Ok(Reply::output(value.to_string()).msg("ok").field("value", value))
        }
        "set" => {
            let value = args.word("value")?;
            args.end()?;
            rule.can_not_put_on_my_eye = match value {
                "true" => true,
                "false" => false,
                _ => {
                    let found = shortened(value);
                    let error = CommandError::new(format!("unexpected method:{method} value:{found}"));
                    let error = error.field("method", method).field("value", found);
                    return Err(error.explained("expected true or false".to_owned()));
                }
            };
            Ok(Reply::ok())
        }
        _ => Err(CommandError::unexpected("method", method, "").explained("expected get or set".to_owned())),
    }
}

/// Rule names of KGS, and Ing's, each with the name of its rule set.
const KGS_NAMES: [(&str, &str); 5] = [
    ("chinese", "chinese-kgs"),
    ("aga", "aga"),
    ("japanese", "japanese"),
    ("new_zealand", "new-zealand"),
    ("ing", "ing"),
];

#[track_caller]
fn rule_error(error: &RuleError) -> CommandError {
    CommandError::unexpected(error.key, &error.found, &error.expected)
}

/// Arguments of `komi`.
pub(crate) fn komi_help() -> Vec<ArgumentHelp> {
    argument_help([("POINTS", "a number from -1000000 to 1000000, such as 6.5; negative for Black")])
}

/// Arguments of `can_not_put_on_my_eye`.
pub(crate) fn my_eye_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("get", "answers true or false"),
        ("set true", "refuses such moves, with the reason my_eye"),
        ("set false", "allows such moves; the default"),
    ])
}

/// Arguments of `kgs-rules`.
pub(crate) fn kgs_help() -> Vec<ArgumentHelp> {
    let names = KGS_NAMES.map(|(name, _)| name).join(", ");
    vec![ArgumentHelp { name: "NAME".to_owned(), meaning: names }]
}

/// The rules that `kata-set-rule` changes, with the meaning of each value.
fn rule_help() -> Vec<ArgumentHelp> {
    argument_help([
        ("ko SIMPLE", "a ko must not be retaken at once"),
        ("ko POSITIONAL", "a stone must not recreate an earlier board"),
        ("ko SITUATIONAL", "a stone must not recreate an earlier board with the same side to move"),
        ("scoring AREA", "stones and the empty points they surround"),
        ("scoring TERRITORY", "surrounded empty points and prisoners"),
        ("tax NONE", "all surrounded points count"),
        ("tax SEKI", "points surrounded in seki do not count"),
        ("tax ALL", "as SEKI, and each living group loses two points"),
        ("suicide true|false", "whether a ren of several stones may be played without a liberty"),
        (
            "hasButton true|false",
            "whether the first pass gives half a point and does not end the game; with scoring AREA only",
        ),
        ("whiteHandicapBonus 0|N-1|N", "White's points for N handicap stones"),
        ("friendlyPassOk true|false", "whether players agree on dead stones after two passes"),
    ])
}

/// Arguments of `kata-set-rule`.
pub(crate) fn set_rule_help() -> Vec<ArgumentHelp> {
    let mut all = argument_help([("KEY VALUE", "one of the following")]);
    all.extend(rule_help());
    all
}

/// An argument that is the name of a rule set.
pub(crate) fn rule_set_help(name: &str) -> ArgumentHelp {
    let names = GameRule::names().collect::<Vec<_>>().join(", ");
    ArgumentHelp { name: name.to_owned(), meaning: format!("a rule set: {names}") }
}

/// Arguments of `kata-set-rules`.
pub(crate) fn set_rules_help() -> Vec<ArgumentHelp> {
    let mut all = vec![rule_set_help("NAME")];
    all.extend(argument_help([(
        "JSON",
        "an object of the following keys; those left out are as in tromp-taylor, except that tax follows scoring",
    )]));
    all.extend(rule_help());
    all
}
