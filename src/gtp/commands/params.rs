//! Commands that read and change what the search is told, in the words of KataGo's extensions.

use serde_json::{Map, Value as Json};

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::response::{CommandError, Reply};
use crate::io::memory;
use crate::player::options::{self, Value, ValueType};

/// The parameter that says how much memory a search may take.
const MEMORY: &str = "MemoryMB";

pub(crate) fn kata_list_params(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::output(names()))
}

pub(crate) fn kata_get_param(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let (name, _) = param(args)?;
    args.end()?;
    let value = engine.player.options.get(name).ok_or_else(|| unknown(name))?;
    Ok(Reply::output(value.to_string()).field("param", name).field("value", json(value)))
}

pub(crate) fn kata_get_params(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let values = options::names().filter_map(|name| Some((name.to_owned(), json(engine.player.options.get(name)?))));
    let params = Json::Object(values.collect::<Map<_, _>>());
    Ok(Reply::output(params.to_string()).field("params", params))
}

/// The next search starts with the new value. What was found so far stays where the value has no part in it.
pub(crate) fn kata_set_param(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let (name, value_type) = param(args)?;
    let word = args.word("value")?;
    args.end()?;
    set(engine, name, value_type, word, word)?;
    Ok(Reply::ok())
}

/// Sets a parameter to what `text` means, which a refusal quotes as `word`; to no more memory than the system gives.
#[track_caller]
pub(crate) fn set(
    engine: &mut Engine,
    name: &'static str,
    value_type: ValueType,
    word: &str,
    text: &str,
) -> Result<(), CommandError> {
    let refused = || CommandError::unexpected(name, word, &format!("expected {value_type}"));
    let value = value_type.read(text).ok_or_else(refused)?;
    if let (MEMORY, Value::Whole(agreed)) = (name, value)
        && !is_given(engine, agreed)
    {
        return Err(CommandError::unexpected(name, word, "the system gives less"));
    }
    engine.player.options.set(name, value).map_err(|_| refused())
}

/// Whether the system gives so many MiB to the search: no more than now it gives always, more where it has what the search
/// does not take already.
fn is_given(engine: &Engine, agreed: u64) -> bool {
    let more = agreed.saturating_sub(engine.player.memory_mb());
    agreed <= engine.player.options.memory_mb || memory::granted(more, more).is_ok()
}

/// How strong to play: the option of that name.
pub(crate) fn level(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    const NAME: &str = "Level";
    if args.is_empty() {
        let level = engine.player.options.level;
        return Ok(Reply::output(level.to_string()).field("param", NAME).field("value", level));
    }
    let (_, value_type) = options::find(NAME).ok_or_else(|| unknown(NAME))?;
    let word = args.word("level")?;
    args.end()?;
    set(engine, NAME, value_type, word, word)?;
    Ok(Reply::ok())
}

/// The name of a parameter, and what it may be.
fn param(args: &mut Args<'_>) -> Result<(&'static str, ValueType), CommandError> {
    let word = args.word("name")?;
    options::find(word).ok_or_else(|| unknown(word))
}

fn unknown(name: &str) -> CommandError {
    CommandError::unexpected("param", name, &format!("expected one of {}", names()))
}

fn names() -> String {
    options::names().collect::<Vec<_>>().join(" ")
}

fn json(value: Value) -> Json {
    match value {
        Value::Whole(whole) => Json::from(whole),
        Value::Number(number) => Json::from(number),
        Value::Flag(flag) => Json::from(flag),
        word @ Value::Perspective(_) => Json::from(word.to_string()),
    }
}
