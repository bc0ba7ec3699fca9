//! Parameters as GoGui's dialogs show and change them: without arguments a line `[type] KEY VALUE` for each, with a key
//! and a value one is set.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::commands::params::set;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::GameRule;
use crate::player::options::{self, Perspective, Value, ValueType};

/// What the search is told.
pub(crate) fn search_params(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let Some(word) = args.optional() else {
        let options = &engine.player.options;
        let line = |name| Some(search_line(name, options::find(name)?.1, options.get(name)?));
        return Ok(Reply::output(options::names().filter_map(line).collect::<Vec<_>>().join("\n")));
    };
    let names = || options::names().collect::<Vec<_>>().join(" ");
    let Some((name, value_type)) = options::find(word) else {
        return Err(CommandError::unexpected("param", word, &format!("expected one of {}", names())));
    };
    let word = args.word("value")?;
    args.end()?;
    let text = match (value_type, word) {
        (ValueType::Flag, "1") => "true",
        (ValueType::Flag, "0") => "false",
        (_, word) => word,
    };
    set(engine, name, value_type, word, text)?;
    Ok(Reply::ok())
}

fn search_line(name: &str, value_type: ValueType, value: Value) -> String {
    match (value_type, value) {
        (ValueType::Perspective, value) => {
            list(Perspective::WORDS.iter().map(|(word, _)| *word), name, &value.to_string())
        }
        (_, Value::Flag(flag)) => format!("[bool] {name} {}", u8::from(flag)),
        (_, value) => format!("[string] {name} {value}"),
    }
}

const RULES: &str = "Rules";
const KOMI: &str = "Komi";
const MY_EYE: &str = "Can_not_put_on_my_eye";

/// What the players agreed on.
pub(crate) fn rule_params(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let Some(key) = args.optional() else {
        let rule = engine.position.rule();
        let other = rule.name().is_none().then_some("other");
        let lines = [
            list(other.into_iter().chain(GameRule::names()), RULES, rule.name().unwrap_or("other")),
            format!("[string] {KOMI} {}", rule.komi),
            format!("[bool] {MY_EYE} {}", u8::from(rule.can_not_put_on_my_eye)),
        ];
        return Ok(Reply::output(lines.join("\n")));
    };
    let mut rule = *engine.position.rule();
    match key {
        RULES => {
            let word = args.word("value")?;
            let names = || GameRule::names().collect::<Vec<_>>().join(" ");
            let unknown = || CommandError::unexpected("rules", word, &format!("expected one of {}", names()));
            rule = rule.named(word).ok_or_else(unknown)?;
        }
        KOMI => rule.komi = args.float("komi")?,
        MY_EYE => rule.can_not_put_on_my_eye = args.number("value", 0..=1)? == 1,
        _ => {
            let expected = format!("expected {RULES}, {KOMI} or {MY_EYE}");
            return Err(CommandError::unexpected("param", key, &expected));
        }
    }
    args.end()?;
    *engine.position.rule_mut() = rule;
    Ok(Reply::ok())
}

/// A line for a value out of a list.
fn list<'a>(words: impl Iterator<Item = &'a str>, key: &str, value: &str) -> String {
    format!("[list/{}] {key} {value}", words.collect::<Vec<_>>().join("/"))
}
