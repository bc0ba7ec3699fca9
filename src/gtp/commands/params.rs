//! Commands that show and change search parameters and, in GoGui's dialogs, rules.
//!
//! All parameters are rows of one table in `player::options`; `kata-` commands read and write them by name, or by the
//! name of KataGo (`protocol::katago_params`). GoGui's dialog commands answer a line `[TYPE] KEY VALUE` for each
//! parameter, and set one if given a key and a value.

use std::collections::HashMap;

use serde_json::{Map, Value as Json};

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::commands::rules::{rule_set_help, rules_reply};
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::GameRule;
use crate::player::options::{self, OptionValue, Options, Perspective, ValueType};
use crate::protocol::katago_params::{self, KATAGO_NAMES, ParamMapping, SetError};
use crate::text::suggestion::suggestion;

pub(crate) fn kata_list_params(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::output(names()))
}

pub(crate) fn kata_get_param(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let param = Param::read(args.word("name")?)?;
    args.end()?;
    let value = param.get(&engine.player.options).ok_or_else(|| unknown(param.name))?;
    Ok(Reply::output(value.to_string()).field("param", param.name).field("value", json(value)))
}

pub(crate) fn kata_get_params(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let values = all_params().map(|param| Some((param.name.to_owned(), json(param.get(&engine.player.options)?))));
    let params = Json::Object(values.flatten().collect::<Map<_, _>>());
    Ok(Reply::output(params.to_string()).field("params", params))
}

/// The value applies from the next search on. The tree is kept if it does not depend on the value.
pub(crate) fn kata_set_param(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let param = Param::read(args.word("name")?)?;
    set_option(engine, param, args, "value")
}

/// Sets all parameters of a JSON object, or none. Of two names of one parameter the one that changes it counts, so that a
/// client can send the answer of `kata-get-params` with any of its values changed.
pub(crate) fn kata_set_params(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let text = args.rest("JSON")?;
    let params: Map<String, Json> = serde_json::from_str(text).map_err(|reason| {
        let expected = format!("expected a JSON object of names and values: {reason}");
        CommandError::unexpected("params", text, &expected)
    })?;
    let present = engine.player.options;
    let mut options = present;
    let mut set = HashMap::new();
    for (name, value) in &params {
        let param = Param::read(name)?;
        let word = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut with_it = options;
        param.set(engine, &mut with_it, &word)?;
        if let Some(other) = set.get(param.option) {
            let [before, now, then] = [&present, &options, &with_it].map(|options| param.get(options));
            if then == now || then == before {
                continue;
            } else if now != before {
                let expected = format!("expected one value: {other} is another name of the same");
                return Err(CommandError::unexpected("param", name, &expected));
            }
        }
        set.insert(param.option, name);
        options = with_it;
    }
    Ok(set_options(engine, options))
}

/// The key of a seed in the log that a command drew, because `Seed` is 0: a replay takes it from there.
pub(crate) const DRAWN_SEED: &str = "drawnSeed";

#[track_caller]
fn set_options(engine: &mut Engine, options: Options) -> Reply {
    let seed_before = engine.player.seed();
    engine.player.set_options(options);
    seed_reply(engine, seed_before)
}

/// The answer to a command after which the seed in use may be another one.
#[track_caller]
fn seed_reply(engine: &Engine, seed_before: u64) -> Reply {
    let seed = engine.player.seed();
    let is_drawn = engine.player.options.seed == 0 && seed != seed_before;
    if is_drawn { Reply::ok().field(DRAWN_SEED, seed) } else { Reply::ok() }
}

/// A parameter by the name that a command gave it.
#[derive(Clone, Copy)]
struct Param {
    /// The present name, or KataGo's.
    name: &'static str,
    /// The present name.
    option: &'static str,
    value_type: ValueType,
    /// Set if the name is KataGo's, whose values may have other units.
    mapping: Option<ParamMapping>,
}

impl Param {
    /// The parameter of a name: a present one, one that was replaced, or KataGo's.
    fn read(word: &str) -> Result<Param, CommandError> {
        if let Some((name, value_type)) = options::find(word) {
            return Ok(Param { name, option: name, value_type, mapping: None });
        }
        match katago_params::find(word) {
            Some((_, ParamMapping::Unsupported(reason))) => {
                let text = format!("KataGo's {word} is no parameter here: {reason}");
                Err(CommandError::new(text).field("param", word))
            }
            Some((name, mapping)) => Param::of_katago(name, mapping).ok_or_else(|| unknown(word)),
            None => Err(unknown(word)),
        }
    }

    /// The parameter of a row of KataGo's names, if it is one.
    fn of_katago(name: &'static str, mapping: ParamMapping) -> Option<Param> {
        let (option, value_type) = options::find(mapping.option()?)?;
        Some(Param { name, option, value_type, mapping: Some(mapping) })
    }

    fn get(self, options: &Options) -> Option<OptionValue> {
        match self.mapping {
            Some(mapping) => mapping.get(options),
            None => options.get(self.option),
        }
    }

    /// Sets the parameter in `options` to the value of `word`. A memory size that the system does not grant is an error.
    #[track_caller]
    fn set(self, engine: &Engine, options: &mut Options, word: &str) -> Result<(), CommandError> {
        katago_params::set(options, self.name, word, engine.player.tree_memory_mib()).map_err(|error| match error {
            SetError::Unknown => unknown(self.name),
            SetError::Expected(expected) => CommandError::unexpected(self.name, word, &format!("expected {expected}")),
        })
    }
}

/// Every parameter: the present names, then KataGo's.
fn all_params() -> impl Iterator<Item = Param> {
    let own = options::names().filter_map(|name| Param::read(name).ok());
    own.chain(KATAGO_NAMES.iter().filter_map(|&(name, mapping)| Param::of_katago(name, mapping)))
}

/// Sets a parameter to the last argument, which usage messages call `key`.
#[track_caller]
fn set_option(
    engine: &mut Engine,
    param: Param,
    args: &mut Args<'_>,
    key: &'static str,
) -> Result<Reply, CommandError> {
    let word = args.word(key)?;
    args.end()?;
    let mut options = engine.player.options;
    param.set(engine, &mut options, word)?;
    Ok(set_options(engine, options))
}

/// The seed in use: that of `Seed`, or the one drawn at the start, or when it was set, if that is 0.
pub(crate) fn get_random_seed(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let seed = engine.player.seed();
    Ok(Reply::output(seed.to_string()).field("value", seed))
}

/// Sets the parameter `Seed`. Random numbers start again, even from the same seed.
pub(crate) fn set_random_seed(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let seed_before = engine.player.seed();
    set_option(engine, Param::read("Seed")?, args, "seed")?;
    engine.player.restart_random_numbers();
    engine.cached_analyses = Default::default();
    Ok(seed_reply(engine, seed_before))
}

/// Arguments of `set_random_seed`.
pub(crate) fn seed_help() -> Vec<ArgumentHelp> {
    argument_help([("N", "the seed of random numbers; 0 draws one")])
}

/// Clears search tree, evaluation cache and the result of display commands, so that the next search starts from an empty tree.
pub(crate) fn clear_cache(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    engine.player.clear_cache();
    engine.cached_analyses = Default::default();
    Ok(Reply::ok())
}

/// Shows or sets the parameter `Level`.
pub(crate) fn level(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    const NAME: &str = "Level";
    if args.is_empty() {
        let level = engine.player.options.level;
        return Ok(Reply::output(level.to_string()).field("param", NAME).field("value", level));
    }
    set_option(engine, Param::read(NAME)?, args, "level")
}

/// Shows or sets search parameters.
pub(crate) fn search_params(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let Some(word) = args.optional() else {
        let options = &engine.player.options;
        let line = |name| Some(search_line(name, options::find(name)?.1, options.get(name)?));
        return Ok(Reply::output(options::names().filter_map(line).collect::<Vec<_>>().join("\n")));
    };
    set_option(engine, Param::read(word)?, args, "value")
}

/// A dialog line for a search parameter.
fn search_line(name: &str, value_type: ValueType, value: OptionValue) -> String {
    match (value_type, value) {
        (ValueType::Perspective, value) => {
            list(Perspective::NAMES.iter().map(|(word, _)| *word), name, &value.to_string())
        }
        (_, OptionValue::Boolean(flag)) => format!("[bool] {name} {}", u8::from(flag)),
        (_, value) => format!("[string] {name} {value}"),
    }
}

const RULES: &str = "Rules";
const KOMI: &str = "Komi";
const MY_EYE: &str = "Can_not_put_on_my_eye";

/// Shows or sets rules and komi.
pub(crate) fn rule_params(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let Some(key) = args.optional() else {
        let rule = engine.position.rule();
        let other = rule.name().is_none().then_some("other");
        let lines = [
            list(other.into_iter().chain(GameRule::names()), RULES, rule.name_or_other()),
            format!("[string] {KOMI} {}", rule.komi),
            format!("[bool] {MY_EYE} {}", u8::from(rule.can_not_put_on_my_eye)),
        ];
        return Ok(Reply::output(lines.join("\n")));
    };
    let mut rule = *engine.position.rule();
    let mut reply = Reply::ok();
    match key {
        RULES => {
            let word = args.word("value")?;
            reply = rules_reply(word);
            let names = || GameRule::names().collect::<Vec<_>>().join(" ");
            let unknown = || CommandError::unexpected("rules", word, &format!("expected one of {}", names()));
            rule = rule.with_rule_set(word).ok_or_else(unknown)?;
        }
        KOMI => rule.komi = args.komi()?,
        MY_EYE => rule.can_not_put_on_my_eye = args.number("value", 0..=1)? == 1,
        _ => {
            let expected = format!("expected {RULES}, {KOMI} or {MY_EYE}");
            return Err(CommandError::unexpected("param", key, &expected));
        }
    }
    args.end()?;
    *engine.position.rule_mut() = rule;
    Ok(reply)
}

/// A dialog line for a choice from a list.
fn list<'a>(words: impl Iterator<Item = &'a str>, key: &str, value: &str) -> String {
    format!("[list/{}] {key} {value}", words.collect::<Vec<_>>().join("/"))
}

/// The error for an unknown name of a parameter. The nearest names are given in place of all.
#[track_caller]
fn unknown(name: &str) -> CommandError {
    let nearest = suggestion(all_params().map(|param| param.name), name);
    CommandError::unexpected("param", name, nearest.strip_prefix(", ").unwrap_or("see kata-list-params"))
}

fn names() -> String {
    all_params().map(|param| param.name).collect::<Vec<_>>().join(" ")
}

fn json(value: OptionValue) -> Json {
    match value {
        OptionValue::Integer(whole) => Json::from(whole),
        OptionValue::Number(number) => Json::from(number),
        OptionValue::Boolean(flag) => Json::from(flag),
        word @ OptionValue::Perspective(_) => Json::from(word.to_string()),
    }
}

/// A parameter in `help`, with the bounds and the default of its value.
fn help_of(param: Param) -> ArgumentHelp {
    let default = param.get(&Options::default()).map(|value| value.to_string()).unwrap_or_default();
    let meaning = match param.mapping {
        Some(_) => format!("KataGo's name of {}, in KataGo's units; default {default}.", param.option),
        None => {
            let help = options::describe(param.option).unwrap_or_default();
            format!("{help} Value: {}, default {default}.", param.value_type)
        }
    };
    ArgumentHelp { name: param.name.to_owned(), meaning }
}

/// Arguments of `kata-get-param`.
pub(crate) fn param_help() -> Vec<ArgumentHelp> {
    let mut all = argument_help([("NAME", "one of the following; case-sensitive")]);
    all.extend(all_params().map(help_of));
    all
}

/// Arguments of `kata-set-param`.
pub(crate) fn set_param_help() -> Vec<ArgumentHelp> {
    let mut all = param_help();
    all.splice(1..1, argument_help([("VALUE", "a value within the bounds of the parameter")]));
    all
}

/// Arguments of `kata-set-params`.
pub(crate) fn set_params_help() -> Vec<ArgumentHelp> {
    argument_help([("JSON", "an object such as {\"maxVisits\": 400}; names and values as for kata-set-param")])
}

/// Arguments of `level`.
pub(crate) fn level_help() -> Vec<ArgumentHelp> {
    argument_help([("[N]", "1 to 10, 10 is the strongest; without it, the answer is the present level")])
}

/// Arguments of `kifuwarabe-search_params`.
pub(crate) fn search_dialog_help() -> Vec<ArgumentHelp> {
    argument_help([(
        "[KEY VALUE]",
        "the name of a search parameter and its value, see help kata-set-param; without it, all are shown",
    )])
}

/// Arguments of `kifuwarabe-rule_params`.
pub(crate) fn rule_dialog_help() -> Vec<ArgumentHelp> {
    let mut all = argument_help([
        ("[KEY VALUE]", "one of the following; without it, all are shown"),
        ("Komi POINTS", "points added to White's score"),
        ("Can_not_put_on_my_eye 0|1", "1 refuses filling one's own one-point eye"),
    ]);
    all.push(rule_set_help("Rules NAME"));
    all
}
