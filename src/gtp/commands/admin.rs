//! Commands about the engine itself.

use crate::gtp::Engine;
use crate::gtp::args::Args;
use crate::gtp::commands::table::{COMMANDS, Command, find};
use crate::gtp::response::{CommandError, Next, Reply};

/// The engine's name, as controllers show it.
pub const NAME: &str = "Kifuwarabe UEC14";

pub(crate) fn protocol_version(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::output("2"))
}

pub(crate) fn name(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::output(NAME))
}

pub(crate) fn version(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::output(env!("CARGO_PKG_VERSION")))
}

pub(crate) fn quit(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply { next: Next::Quit, ..Reply::ok() })
}

/// Cannot fail: no name, or several, is no known command.
pub(crate) fn known_command(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let is_known = args.optional().is_some_and(|name| find(name).is_some()) && args.end().is_ok();
    Ok(Reply::output(is_known.to_string()).field("value", is_known))
}

pub(crate) fn list_commands(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
    Ok(Reply::output(names.join("\n")))
}

pub(crate) fn help(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let Some(name) = args.optional() else {
        let width = COMMANDS.iter().map(|command| usage(command).len()).max().unwrap_or_default();
        let lines = COMMANDS.iter().map(|command| format!("{:width$}  {}", usage(command), command.help));
        return Ok(Reply::output(lines.collect::<Vec<_>>().join("\n")));
    };
    args.end()?;
    let command = find(name).ok_or_else(|| CommandError::unexpected("command", name, "see list_commands"))?;
    Ok(Reply::output(format!("{}\n{}", usage(command), command.help)))
}

fn usage(command: &Command) -> String {
    format!("{} {}", command.name, command.arguments).trim_end().to_owned()
}
