//! Commands about the engine itself: its name and version, the end of the session, and messages of match runners and
//! servers that need no more than an acknowledgement.

use crate::gtp::args::Args;
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Next, Reply};
use crate::text::quote::with_double_arrows;
use crate::{NAME, VERSION};

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
    Ok(Reply::output(VERSION))
}

pub(crate) fn quit(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::ok().then(Next::Quit))
}

pub(crate) fn gomill_describe_engine(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let rule = engine.position.rule();
    let rules = rule.name_or_other();
    let eye = if rule.can_not_put_on_my_eye { "refused" } else { "allowed" };
    Ok(Reply::output(format!("{NAME} {VERSION}\nrules: {rules}\nfilling one's own one-point eye: {eye}")))
}

/// The rest of the line.
pub(crate) fn echo(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let text = if args.is_empty() { "" } else { args.rest("text")? };
    Ok(Reply::output(text).field("text", text))
}

/// The beginnings of lines that a controller which reads stdout and stderr as one stream takes for answers.
const ANSWER_BEGINNINGS: [&str; 4] = ["=", "?", "info", "play"];

/// The rest of the line, on stderr too. There the name of the command is put before a text that looks like an answer, and
/// arrows are double.
pub(crate) fn echo_err(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let reply = echo(engine, args)?;
    let is_like_answer = ANSWER_BEGINNINGS.iter().any(|start| reply.text.starts_with(start));
    let prefix = if is_like_answer { "echo_err: " } else { "" };
    (engine.write_stderr)(&format!("{prefix}{}\n", with_double_arrows(&reply.text)));
    Ok(reply)
}

/// GoGui checks that this command exists before it sends `# interrupt`.
pub(crate) fn gogui_interrupt(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::ok())
}

/// Every line of input ends an analysis, so there is nothing left to stop.
pub(crate) fn stop(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::ok())
}

/// The position stays: the game may only be adjourned.
pub(crate) fn kgs_game_over(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    Ok(Reply::ok())
}

/// The opponent of the next game on CGOS. Its client sends no rules, and the server counts every stone on the board as
/// alive, so the rules become those of CGOS. Komi and `can_not_put_on_my_eye` stay.
pub(crate) fn cgos_opponent(engine: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.rest(args.names())?;
    if let Some(rule) = engine.position.rule().with_rule_set("cgos") {
        *engine.position.rule_mut() = rule;
    }
    Ok(Reply::ok())
}

/// The result of a game on CGOS. Every line is logged, so nothing else is done with it.
pub(crate) fn cgos_gameover(_: &mut Engine, args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.rest(args.names())?;
    Ok(Reply::ok())
}

/// Arguments of `echo` and `echo_err`.
pub(crate) fn echo_help() -> Vec<ArgumentHelp> {
    argument_help([("[TEXT]", "the rest of the line, which is repeated")])
}

/// The argument of `cgos-gameover`.
pub(crate) fn cgos_result_help() -> Vec<ArgumentHelp> {
    argument_help([("RESULT", "the rest of the line, such as B+3.5")])
}

/// The argument of `cgos-opponent_name`.
pub(crate) fn cgos_name_help() -> Vec<ArgumentHelp> {
    argument_help([("NAME", "the rest of the line")])
}

/// The argument of `cgos-opponent_rating`.
pub(crate) fn cgos_rating_help() -> Vec<ArgumentHelp> {
    argument_help([("RATING", "the rest of the line, such as 1800")])
}
