//! `log2sgf`: the games of a JSON log as SGF.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::global::GlobalOptions;
use crate::cli::output::print;
use crate::cli::session::{engine_without_net, session_config, session_number};
use crate::io::files;
use crate::replay;
use crate::sgf;
use crate::terminal::progress::write_stderr;
use crate::text::quote::one_line;

/// Options of `log2sgf`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub(crate) struct Log2sgfArgs {
    /// The JSON log; a rotated log by its name alone, or by its files, oldest first
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Number of the session in the log, from 1 [default: all sessions]
    #[arg(long, value_name = "K", value_parser = session_number)]
    pub(crate) session: Option<usize>,

    /// The SGF file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace the SGF file if it exists
    #[arg(long, requires = "output")]
    pub(crate) overwrite: bool,
}

/// Writes the games. Exit code 2 if some may be missing, because the log is damaged or a command cannot be replayed.
pub(crate) fn run(global: &GlobalOptions, args: &Log2sgfArgs) -> anyhow::Result<ExitCode> {
    if let Some(path) = &args.output {
        let is_log = replay::log_files(&args.files).iter().any(|log| files::is_same(log, path));
        anyhow::ensure!(!is_log, "--output {}: that is the log", path.display());
        let is_kept = !args.overwrite && std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() > 0);
        anyhow::ensure!(!is_kept, "--output {}: this file exists; --overwrite replaces it", path.display());
    }
    let (mut text, mut is_complete, mut is_found, mut last) = (String::new(), true, false, 0);
    let mut report_damage = |reason: &str| {
        write_stderr(format_args!("[log2sgf] {}", one_line(reason)));
        is_complete = false;
    };
    for session in replay::Sessions::new(&args.files) {
        let (number, session) = session.map_err(anyhow::Error::msg)?;
        last = number;
        if args.session.is_some_and(|selected| selected != number) {
            continue;
        }
        is_found = true;
        let session = match session {
            Ok(session) => session,
            Err(reason) => {
                report_damage(&reason);
                continue;
            }
        };
        let engine = session_config(global, &session.start).and_then(|config| engine_without_net(&config));
        let engine = match engine {
            Ok(engine) => engine,
            Err(error) => {
                report_damage(&format!("session {number}: {error:#}"));
                continue;
            }
        };
        let (games, lost) = in_folder(&session.start.folder, || replay::records(&session, engine));
        for game in &games {
            text += &sgf::write(game);
            text.push('\n');
        }
        lost.iter().chain(&session.damage).for_each(|reason| report_damage(reason));
        if let Some(line) = session.cut_message() {
            write_stderr(format_args!("[log2sgf] {line}"));
        }
    }
    anyhow::ensure!(is_found, "{}", replay::no_session(&args.files, args.session, last));
    let searched = if is_complete { "the log" } else { "what could be read of the log" };
    anyhow::ensure!(!text.is_empty(), "no move in {searched}");
    match &args.output {
        Some(path) => files::write(path, text.as_bytes())?,
        None => print(&text)?,
    }
    Ok(ExitCode::from(if is_complete { 0 } else { 2 }))
}

/// Runs `work` with `folder` as working directory, or with the present one if `folder` cannot be entered.
fn in_folder<T>(folder: &Path, work: impl FnOnce() -> T) -> T {
    let here = std::env::current_dir().ok().filter(|_| std::env::set_current_dir(folder).is_ok());
    let outcome = work();
    // an error is ignored: the folder existed a moment ago
    let _ = here.map(std::env::set_current_dir);
    outcome
}
