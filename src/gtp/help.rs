//! `help`, `list_commands` and `known_command`: views of the command table.
//!
//! The table is an argument of these functions, not an import, because they are rows of it.

use textwrap::{Options, WordSplitter, fill};

use crate::gtp::args::{Args, usage};
use crate::gtp::argument_help::{ArgumentHelp, argument_help};
use crate::gtp::command::{Command, Subject, find};
use crate::gtp::response::{CommandError, Reply};

/// Longest line of `help`, in columns.
const WIDTH: usize = 79;

/// Width of the first column of `help`. A longer name has a line of its own.
const NAME_WIDTH: usize = 26;

/// Arguments that mean the same in all commands that do not explain them otherwise.
const COMMON_ARGUMENTS: [(&str, &str); 2] = [
    ("COLOR", "b, black, w or white, in any case"),
    ("VERTEX", "a point such as D4, in any case; columns are letters without I, rows are numbers from 1"),
];

/// Never fails: without a name, or with several, the answer is `false`.
pub(crate) fn known_command(commands: &'static [Command], args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let is_known = args.optional().is_some_and(|name| find(commands, name).is_some()) && args.end().is_ok();
    Ok(Reply::output(is_known.to_string()).field("value", is_known))
}

pub(crate) fn list_commands(commands: &'static [Command], args: &mut Args<'_>) -> Result<Reply, CommandError> {
    args.end()?;
    let listed = commands.iter().filter(|command| command.is_listed);
    let names: Vec<&str> = listed.map(|command| command.name).collect();
    Ok(Reply::output(names.join("\n")))
}

/// All commands by subject, or one with all its arguments.
pub(crate) fn help(commands: &'static [Command], args: &mut Args<'_>) -> Result<Reply, CommandError> {
    let Some(name) = args.optional() else { return Ok(Reply::output(format!("\n{}", overview(commands)))) };
    args.end()?;
    let command = find(commands, name).ok_or_else(|| CommandError::unexpected("command", name, "see list_commands"))?;
    Ok(Reply::output(manual(command)))
}

/// The argument of `help`.
pub(crate) fn command_help() -> Vec<ArgumentHelp> {
    argument_help([("[COMMAND]", "the name of a command; without it, all commands are listed")])
}

/// The argument of `known_command`.
pub(crate) fn name_help() -> Vec<ArgumentHelp> {
    argument_help([("NAME", "any word")])
}

/// All commands under the headings of their subjects.
fn overview(commands: &[Command]) -> String {
    let mut lines = Vec::new();
    for (subject, heading) in Subject::ALL {
        lines.push(format!("{heading}:"));
        let rows = commands.iter().filter(|command| command.subject == subject);
        lines.extend(rows.map(|command| row(&usage(command.name, command.arguments), command.help)));
    }
    lines.push("help COMMAND explains a command and its arguments.".to_owned());
    lines.join("\n")
}

/// One command: usage, purpose and arguments.
fn manual(command: &Command) -> String {
    let mut lines = vec![usage(command.name, command.arguments), fill(command.help, options())];
    lines.extend(arguments(command).iter().map(|argument| row(&argument.name, &argument.meaning)));
    lines.join("\n")
}

/// The arguments of a command with their meanings: common ones first.
fn arguments(command: &Command) -> Vec<ArgumentHelp> {
    let own = command.details.map_or_else(Vec::new, |details| details());
    let is_own = |name: &str| own.iter().any(|argument| words(&argument.name).next() == Some(name));
    let is_common = |name: &str| words(command.arguments).any(|word| word == name) && !is_own(name);
    let mut all = argument_help(COMMON_ARGUMENTS);
    all.retain(|argument| is_common(&argument.name));
    all.extend(own);
    all
}

/// The names in a usage such as `[COLOR] [N] a|b ...`.
fn words(usage: &str) -> impl Iterator<Item = &str> {
    usage.split(|character: char| "[]| ,".contains(character)).filter(|word| !word.is_empty() && *word != "...")
}

/// A name and its meaning in two columns, the second wrapped by words.
fn row(name: &str, meaning: &str) -> String {
    let indent = " ".repeat(NAME_WIDTH + 4);
    if name.len() > NAME_WIDTH {
        let wrapped = fill(meaning, options().initial_indent(&indent).subsequent_indent(&indent));
        return format!("  {name}\n{wrapped}");
    }
    let first = format!("  {name:NAME_WIDTH$}  ");
    fill(meaning, options().initial_indent(&first).subsequent_indent(&indent))
}

fn options<'a>() -> Options<'a> {
    // words such as `one-point` are not split
    Options::new(WIDTH).word_splitter(WordSplitter::NoHyphenation)
}
