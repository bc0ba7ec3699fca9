//! Commands about the rules agreed on, in the words of KataGo's and KGS's extensions.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::response::{CommandError, Reply};
use crate::kernel::is_same_name;
use crate::protocol::rule_names::{self, RuleError};

pub(crate) fn kata_get_rules(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let rules = rule_names::to_json(engine.position.rule());
    Ok(Reply::output(rules.to_string()).field("rules", rules))
}

pub(crate) fn kata_set_rules(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let text = args.rest("rules")?;
    *engine.position.rule_mut() = rule_names::parse(*engine.position.rule(), text).map_err(|error| refused(&error))?;
    Ok(Reply::ok())
}

pub(crate) fn kata_set_rule(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let key = args.word("key")?;
    let value = args.word("value")?;
    args.end()?;
    let mut rule = *engine.position.rule();
    rule_names::set(&mut rule, key, value).map_err(|error| refused(&error))?;
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

/// KGS's names of rules, and what they are called here.
const KGS_NAMES: [(&str, &str); 4] =
    [("chinese", "chinese-kgs"), ("aga", "aga"), ("japanese", "japanese"), ("new_zealand", "new-zealand")];

#[track_caller]
fn refused(error: &RuleError) -> CommandError {
    CommandError::unexpected(error.key, &error.found, &error.expected)
}
