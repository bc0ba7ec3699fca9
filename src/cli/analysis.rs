//! `analysis`: KataGo's analysis protocol on standard input and output.

use std::io::BufReader;

use anyhow::Context;
use clap::Args;

use crate::analysis::{self, AnalysisConfig};
use crate::cli::global::KataGoFiles;
use crate::cli::output::{stdin, stdout, warn_ignored};
use crate::cli::session::{limit_memory, net_name, used_net};
use crate::cli::signals;
use crate::config::EngineConfig;
use crate::config::option_values::thread_count;
use crate::player::options::processor_count;
use crate::terminal::progress::write_stderr;

/// Options of `analysis`. Those of KataGo are accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Args)]
pub(crate) struct AnalysisArgs {
    /// Positions searched in parallel [default: one per processor]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub(crate) analysis_threads: Option<usize>,

    /// Default settings of queries, by KataGo's names: maxVisits=500,maxTime=8
    #[arg(long, value_name = "NAME=VALUE,...")]
    pub(crate) override_config: Vec<String>,

    /// Exit at the end of input without finishing pending queries
    #[arg(long)]
    pub(crate) quit_without_waiting: bool,

    /// KataGo's file options.
    #[command(flatten)]
    pub(crate) katago: KataGoFiles,
}

/// Answers queries until the end of input. Ignored options and a ready message go to stderr.
pub(crate) fn run(args: &AnalysisArgs, mut config: EngineConfig) -> anyhow::Result<()> {
    let name = env!("CARGO_PKG_NAME");
    if let Some(warning) = limit_memory(&mut config.search)? {
        write_stderr(format_args!("[{name}] warning: {warning}"));
    }
    let mut analysis_config = AnalysisConfig::new(config.search);
    analysis_config.parallel_positions = args.analysis_threads.unwrap_or_else(processor_count);
    analysis_config.finishes_pending = !args.quit_without_waiting;
    analysis_config.net = used_net(&config)?.map(|net| (net_name(&config.net), net));
    let mut ignored: Vec<String> = args.katago.ignored().collect();
    for settings in &args.override_config {
        ignored.extend(analysis_config.set(settings).map_err(anyhow::Error::msg).context("--override-config")?);
    }
    signals::exit_on_sigterm()?;
    warn_ignored(args.katago.model.as_deref(), ignored);
    write_stderr(format_args!("[{name}] {}", analysis::READY));
    analysis::serve(&analysis_config, BufReader::new(stdin()), stdout())?;
    Ok(())
}
