//! `report`: searches every position of a game record and writes one HTML page with the board, graphs and mistakes.
//!
//! The player's review searches and rates the moves; `settled` scores the end of a finished game, `graph` draws win rate
//! and lead, `page` writes the HTML, which loads nothing from elsewhere. The board on it is a
//! [`Picture`](crate::picture::Picture).

mod graph;
mod page;
mod settled;

use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::config::option_values::{thread_count, whole};
use crate::io::files;
use crate::kernel::Position;
use crate::net::Net;
use crate::player::Options;
use crate::player::review::{AnalysisSettings, analyze_game, default_playouts, move_losses, remove_tempo_bias};
use crate::report::page::Page;
use crate::report::settled::settle;
use crate::search::StopSignal;
use crate::sgf;

/// Options of `report`.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub(crate) struct ReportArgs {
    /// The game record, in SGF
    pub(crate) record: PathBuf,

    /// The HTML file to write
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,

    /// Playouts per position; with a net of KataGo, evaluations [default: 4000, with such a net 100, with SmallNetSearch
    /// 400]
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1..))]
    pub(crate) playouts: Option<u64>,

    /// Positions searched in parallel [default: one per processor]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub(crate) threads: Option<usize>,
}

/// Analyzes the record and writes the page. `configured` supplies rules and komi that the record lacks; `options` and
/// `net` are the search's. `progress` is called with the number of positions done and their total.
///
/// The output file is checked for writing before the search starts.
///
/// # Errors
/// If a file cannot be read or written, is no game record, or has an illegal move. The message names the file.
pub(crate) fn make(
    args: &ReportArgs,
    configured: &Position,
    options: &Options,
    net: Option<&Net>,
    progress: impl FnMut(usize, usize) + Send,
) -> anyhow::Result<()> {
    let bytes = files::read(&args.record).map_err(anyhow::Error::msg).context("report")?;
    if files::is_same(&args.record, &args.output) {
        bail!("--output {}: that is the record", args.output.display());
    }
    files::check_writable(&args.output).map_err(anyhow::Error::msg).context("--output")?;
    let in_file = || format!("report {}", args.record.display());
    let record = sgf::read(&bytes).with_context(in_file)?;
    let mut like = configured.clone();
    *like.rule_mut() = sgf::rules_of(&record, configured.rule()).unwrap_or(*configured.rule());
    let end = sgf::position_of(&record, &like, None).with_context(in_file)?;
    let threads = args.threads.unwrap_or_else(|| Options { threads: 0, ..*options }.thread_count());
    let (coordinate, stop_signal) = (end.board().coordinate(), &StopSignal::default());
    let playouts = args.playouts.unwrap_or_else(|| default_playouts(net, &options.params, coordinate));
    let settings = AnalysisSettings { playouts, threads, options, net, stop_signal };
    // no one raises the flag
    let mut analyses = analyze_game(&end, settings, progress).unwrap_or_default();
    remove_tempo_bias(&end, &mut analyses);
    let mut losses = move_losses(&end, &analyses);
    settle(&record, &end, net, &mut analyses, &mut losses);
    let page = Page { record: &record, end: &end, analyses: &analyses, losses: &losses, playouts };
    files::write(&args.output, page.html()?.as_bytes()).map_err(anyhow::Error::msg).context("--output")
}
