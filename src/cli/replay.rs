//! `replay`: a session run again from its JSON log.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;

use crate::cli::global::GlobalOptions;
use crate::cli::gtp::serve_streams;
use crate::cli::output::print;
use crate::cli::session::{begin, engine, session_config, session_number};
use crate::config::EngineConfig;
use crate::logging::InputSource;
use crate::net::Net;
use crate::replay::{self, ReplayMode, SessionStart};
use crate::terminal::progress::write_stderr;
use crate::text::plural::counted;
use crate::text::quote;

/// The value of `--until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// After the command with this number.
    Command(usize),
    /// After all commands.
    End,
}

/// Options of `replay`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub(crate) struct ReplayArgs {
    /// The JSON log; a rotated log by its name alone, or by its files, oldest first
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Number of the session in the log, from 1 [default: the last]
    #[arg(long, value_name = "K", value_parser = session_number)]
    pub(crate) session: Option<usize>,

    /// Stop after command N or at the end, then read commands from standard input
    #[arg(long, value_name = "N|end", value_parser = until)]
    pub(crate) until: Option<Until>,

    /// Play the logged moves without searching: fast, and needed for searches that cannot be repeated
    #[arg(long)]
    pub(crate) no_search: bool,
}

/// A number of commands, or `end` for all.
fn until(text: &str) -> Result<Until, String> {
    match text {
        "end" => Ok(Until::End),
        text => text.parse().map(Until::Command).map_err(|_| "expected the number of a command, or end".to_owned()),
    }
}

/// The net of human moves, if a session used it for all searches, as versions up to 0.15 did.
fn earlier_net(config: &EngineConfig, start: &SessionStart) -> anyhow::Result<Option<Arc<Net>>> {
    let human = Net::human().context("the net built in")?;
    let is_used = start.net.as_ref().is_some_and(|net| net.digest == human.digest());
    Ok(Some(human).filter(|_| is_used && config.net.is_used && config.net.file.is_none()))
}

/// Replays a session. Exit code 1 if an answer differs, 2 if the log is damaged.
pub(crate) fn run(global: &GlobalOptions, args: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let session = replay::session(&args.files, args.session).map_err(anyhow::Error::msg)?;
    let count = session.commands.len();
    if let Some(Until::Command(until)) = args.until {
        let number = session.number;
        let commands = counted(count, "command");
        anyhow::ensure!(until <= count, "unexpected --until {until}, session {number} has {commands}");
    }
    let mut config = session_config(global, &session.start)?;
    let mut engine = engine(&config)?;
    if let Some(net) = earlier_net(&config, &session.start)? {
        engine.player.net = Some(net);
    }
    if config.search.seed == 0 {
        engine.player.start_from_seed(session.start.seed);
    }
    if let Err(reason) = std::env::set_current_dir(&session.start.folder) {
        write_stderr(format_args!(
            "[replay] no folder {}, where the session ran: {reason}",
            session.start.folder.display()
        ));
    }
    let present = begin(&mut config, &mut engine, InputSource::Stdin)?;
    // with `--until`, the session continues on stdout, which then has GTP answers only
    let write_message = |line: &str| match args.until {
        // it quotes the log
        None => print(&format!("{}\n", quote::lines(line))),
        Some(_) => {
            write_stderr(format_args!("[replay] {}", line.replace('\n', "\n[replay] ")));
            Ok(())
        }
    };
    let wanted = if args.no_search { ReplayMode::LoggedMoves } else { ReplayMode::RepeatSearches };
    for line in replay::opening_messages(&session, &present, wanted) {
        write_message(&line)?;
    }
    let last = match args.until {
        Some(Until::Command(number)) => number,
        Some(Until::End) | None => count,
    };
    let summary = replay::run(&mut engine, &session, last, wanted.possible_for(&session))?;
    for line in replay::summary_messages(&session, &summary) {
        write_message(&line)?;
    }
    if summary.difference.is_some() {
        return Ok(ExitCode::from(1));
    }
    if args.until.is_some() {
        // a reader counts the lines of its stream from 1, after the signal has counted those of the log
        engine.stop_signal = Arc::default();
        serve_streams(&mut engine)?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::from(if session.damage.is_some() { 2 } else { 0 }))
}
