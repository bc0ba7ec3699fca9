//! The type of a row of the command table: names, help texts, the effect on the game and a handler.

use crate::gtp::args::Args;
use crate::gtp::argument_help::ArgumentHelp;
use crate::gtp::commands::analyze::GtpAnalysis;
use crate::gtp::engine::Engine;
use crate::gtp::response::{CommandError, Reply};

/// A command of the engine.
pub struct Command {
    /// The name in a request, case-sensitive.
    pub name: &'static str,
    /// Names of its arguments, such as `COLOR VERTEX`. Part of error messages.
    pub arguments: &'static str,
    /// Its purpose, in one sentence. Shown by `help`.
    pub help: &'static str,
    /// The heading under which `help` lists it.
    pub(crate) subject: Subject,
    /// Its effect on the game.
    pub(crate) effect: GameEffect,
    /// Whether a replay, which can be of another version and without searches, gives its answer again.
    pub(crate) repeatability: Repeatability,
    /// Whether `list_commands` names it.
    pub(crate) is_listed: bool,
    /// Explanations of its arguments and answers beyond those common to all commands, if it has any.
    pub(crate) details: Option<fn() -> Vec<ArgumentHelp>>,
    /// The function that runs it.
    pub(crate) handler: Handler,
}

/// The effect of a command on the game, which its record is made from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GameEffect {
    /// None.
    None,
    /// Changes the game or its rules.
    Changes,
    /// Starts another game.
    Starts,
}

/// Whether a replay of a log gives the answer of a command again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Repeatability {
    /// It does, but for the words of errors in another version.
    Repeatable,
    /// Differs: it contains a time or a speed.
    Time,
    /// Differs if moves are not searched again: it depends on the times of earlier searches.
    DependsOnSearchTime,
    /// Differs in another version: it contains the version.
    Version,
    /// It names options, errors included: another version may have others, or other names for them.
    OptionNames,
}

/// The row of a table with this name. Names are case-sensitive.
pub(crate) fn find(commands: &'static [Command], name: &str) -> Option<&'static Command> {
    commands.iter().find(|command| command.name == name)
}

/// The function that runs a command, by its arguments and result.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// Reads and changes the engine, and replies.
    Reply(fn(&mut Engine, &mut Args<'_>) -> Result<Reply, CommandError>),
    /// Reads the arguments of a search whose progress is streamed.
    Analysis(fn(&Engine, &mut Args<'_>) -> Result<GtpAnalysis, CommandError>),
    /// Replies from the command table. The table is an argument, so that such a handler can be a row of it.
    Table(fn(&'static [Command], &mut Args<'_>) -> Result<Reply, CommandError>),
}

/// The subjects of commands, which are the headings of `help`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    Game,
    Genmove,
    Rules,
    Time,
    Score,
    Analysis,
    Show,
    Files,
    Setup,
    Parameters,
    Rendb,
    Coordinates,
    Gogui,
    Protocol,
}

impl Subject {
    /// Every subject with its heading, in the order of `help`.
    pub(crate) const ALL: [(Subject, &'static str); 14] = [
        (Subject::Game, "The game"),
        (Subject::Genmove, "Moves by the engine"),
        (Subject::Setup, "Positions and handicap"),
        (Subject::Rules, "Rules"),
        (Subject::Time, "Time"),
        (Subject::Score, "Score and life"),
        (Subject::Show, "Board and moves"),
        (Subject::Analysis, "Analysis"),
        (Subject::Parameters, "Strength and search parameters"),
        (Subject::Files, "Game records and pictures"),
        (Subject::Rendb, "Ren database"),
        (Subject::Coordinates, "Coordinates"),
        (Subject::Gogui, "GoGui"),
        (Subject::Protocol, "Protocol, match runners and servers"),
    ];
}
