//! The command line: options and subcommands.
//!
//! [`run`] is the whole program. It parses the options, runs the subcommand (default: the GTP engine) and returns the
//! exit code. Signal handlers, the working directory and the exit code are set in this folder only.

mod analysis;
mod completions;
mod global;
mod gtp;
mod log2sgf;
mod options;
mod output;
mod play;
mod replay;
mod report;
mod session;
mod signals;
mod tips;
mod web;

use std::process::ExitCode;

use crate::cli::options::{Cli, Subcommand};
use crate::cli::output::print;
use crate::cli::session::{load_net, start_position, used_net};
use crate::config::{EngineConfig, IllegalMoveAnswer};
use crate::terminal::progress::{stages, with_late_spinner, write_stderr};
use crate::text::quote::one_line;
use crate::tools::{bench, eval, labels, score, selfplay};

/// Runs the program with the arguments of the process. The exit code after an error is 2; its text
/// is on stderr, one line or a usage message.
pub fn run() -> ExitCode {
    let cli = match Cli::read(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() => {
            // it quotes arguments
            write_stderr(format_args!("{}", error.render().to_string().trim_end()));
            return ExitCode::from(2);
        }
        // the text of --help or --version
        Err(help) => return exit_code(print(&help.render().to_string()).map(|()| ExitCode::SUCCESS)),
    };
    exit_code(signals::survive_file_size_limit().map_err(anyhow::Error::from).and_then(|()| dispatch(&cli)))
}

/// The exit code; of an error 2, after a line about it.
fn exit_code(outcome: anyhow::Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        write_stderr(format_args!("{}: {}", env!("CARGO_PKG_NAME"), one_line(&format!("{error:#}"))));
        ExitCode::from(2)
    })
}

fn dispatch(cli: &Cli) -> anyhow::Result<ExitCode> {
    match &cli.command {
        Some(Subcommand::Replay(args)) => replay::run(&cli.global, args),
        Some(Subcommand::Log2sgf(args)) => log2sgf::run(&cli.global, args),
        Some(Subcommand::Completions(args)) => {
            print(&completions::script(args, Cli::definition())).map(|()| ExitCode::SUCCESS)
        }
        Some(Subcommand::Man) => print(&completions::man_page(Cli::definition())?).map(|()| ExitCode::SUCCESS),
        None
        | Some(
            Subcommand::Analysis(_)
            | Subcommand::Bench(_)
            | Subcommand::Eval(_)
            | Subcommand::Gtp(_)
            | Subcommand::Labels(_)
            | Subcommand::Play(_)
            | Subcommand::Report(_)
            | Subcommand::Selfplay(_)
            | Subcommand::Web(_),
        ) => run_configured(cli).map(|()| ExitCode::SUCCESS),
    }
}

/// Runs a subcommand that reads the configuration.
fn run_configured(cli: &Cli) -> anyhow::Result<()> {
    let mut config = EngineConfig::load(cli.config_file(), &cli.global.set)?;
    if cli.global.strict_gtp {
        config.gtp.illegal_move = IllegalMoveAnswer::Standard;
    }
    if let Some(Subcommand::Gtp(args)) = &cli.command {
        let ignored = args.apply(&mut config.search);
        output::warn_ignored(args.katago.model.as_deref(), ignored);
    }
    if cli.global.print_config {
        return print(&config.to_toml());
    }
    // the GTP engine logs it; a game at the terminal and a score show it for the rules that they are played by
    let tells_rules = matches!(cli.command, None | Some(Subcommand::Gtp(_) | Subcommand::Play(_) | Subcommand::Web(_)));
    if let Some(note) = session::rules_note(&config).filter(|_| !tells_rules) {
        write_stderr(format_args!("[{}] {note}", env!("CARGO_PKG_NAME")));
    }
    match &cli.command {
        Some(Subcommand::Analysis(args)) => analysis::run(args, config),
        Some(Subcommand::Bench(args)) => {
            print(&bench::run(args, &config.search, used_net(&config)?.as_deref(), stages("bench"))?)
        }
        Some(Subcommand::Eval(args)) => {
            let (net, start) = (load_net(&config.net)?, start_position(&config, args.size)?);
            print(&eval::run(args, &net, &start, stages("eval"))?)
        }
        Some(Subcommand::Labels(args)) => {
            let start = start_position(&config, args.size.or(Some(config.game.board_size)))?;
            let (net, board) = (used_net(&config)?, (start.board().coordinate(), *start.rule()));
            print(&labels::run(args, net.as_deref(), board, config.search.thread_count(), stages("labels"))?)
        }
        Some(Subcommand::Play(args)) => play::run(args, &config),
        Some(Subcommand::Report(args)) => {
            let position = start_position(&config, None)?;
            report::run(args, &position, &config.search, used_net(&config)?.as_deref())
        }
        Some(Subcommand::Selfplay(args)) => {
            let start = start_position(&config, args.size.or(Some(config.game.board_size)))?;
            print(&selfplay::run(args, &config.search, used_net(&config)?, &start, stages("selfplay"))?)
        }
        Some(Subcommand::Web(args)) => web::run(args, config),
        _ => match &cli.global.score {
            Some(path) => {
                let (start, net) = (start_position(&config, None)?, used_net(&config)?);
                let score = || score::run(path, &start, cli.global.json, net.as_deref());
                print(&with_late_spinner("scoring", score)?)
            }
            None => gtp::run(cli.global.debug_input.as_deref(), config),
        },
    }
}
