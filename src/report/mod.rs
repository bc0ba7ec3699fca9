//! `report`: a game record looked at position by position, and what was found as one page for a browser.
//!
//! `analysis` finds, `graph` draws the course of the game and `page` writes the page, which holds all it needs:
//! nothing is fetched. The board in it is a [`Picture`](crate::picture::Picture).

mod analysis;
mod graph;
mod page;

use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::config::option_values::thread_count;
use crate::io::files;
use crate::kernel::Position;
use crate::net::Net;
use crate::player::Options;
use crate::report::analysis::{Effort, analyse, even_out};
use crate::report::page::Page;
use crate::sgf;

/// Options of `report`.
#[derive(Debug, Clone, PartialEq, Eq, clap::Args)]
pub struct ReportArgs {
    /// The game record, in SGF
    pub record: PathBuf,

    /// The HTML file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,

    /// Playouts per position
    #[arg(long, value_name = "K", default_value_t = 4000, value_parser = clap::value_parser!(u64).range(1..))]
    pub playouts: u64,

    /// Positions searched in parallel [default: one per processor]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<usize>,
}

/// Makes the report that was asked for. `configured` has the rules and komi of which the record says nothing, `options`
/// and `net` say how positions are searched. `progress` hears how many positions are done, of how many.
///
/// # Errors
/// A file that cannot be read or written, that is no game record, or whose moves cannot be played; the message names the
/// file. That the page can be written is seen to first.
pub fn make(
    asked: &ReportArgs,
    configured: &Position,
    options: &Options,
    net: Option<&Net>,
    progress: impl FnMut(usize, usize) + Send,
) -> anyhow::Result<()> {
    let bytes = files::read(&asked.record).map_err(anyhow::Error::msg).context("report")?;
    if files::is_same(&asked.record, &asked.output) {
        bail!("--output {}: that is the record", asked.output.display());
    }
    files::check_writable(&asked.output).map_err(anyhow::Error::msg).context("--output")?;
    let in_file = || format!("report {}", asked.record.display());
    let record = sgf::read(&bytes).with_context(in_file)?;
    let mut like = configured.clone();
    *like.rule_mut() = sgf::rules_of(&record, configured.rule()).unwrap_or(*configured.rule());
    let end = sgf::position_of(&record, &like, None).with_context(in_file)?;
    let threads = asked.threads.unwrap_or_else(|| Options { threads: 0, ..*options }.thread_count());
    let mut found = analyse(&end, Effort { playouts: asked.playouts, threads, options, net }, progress);
    even_out(&end, &mut found);
    let page = Page { record: &record, end: &end, found: &found, playouts: asked.playouts };
    files::write(&asked.output, page.html()?.as_bytes()).map_err(anyhow::Error::msg).context("--output")
}
