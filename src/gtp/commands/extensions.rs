//! Commands of match runners and servers that tell the engine something, or ask who it is.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::commands::admin::NAME;
use crate::gtp::response::{CommandError, Reply};

/// The game may only be adjourned: the position stays.
pub(crate) fn kgs_game_over(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::ok())
}

/// What CGOS tells of the opponent and of the result is for the logs, which have every line.
pub(crate) fn noted(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.rest("text")?;
    Ok(Reply::ok())
}

pub(crate) fn gomill_describe_engine(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let rule = engine.position.rule();
    let rules = rule.name().unwrap_or("other");
    let eye = if rule.can_not_put_on_my_eye { "refused" } else { "allowed" };
    Ok(Reply::output(format!(
        "{NAME} {}\nrules: {rules}\nfilling one's own one-point eye: {eye}",
        env!("CARGO_PKG_VERSION")
    )))
}
