//! The options of `report`.

use std::path::PathBuf;

use crate::config::option_values::{thread_count, whole};

/// Options of `report`.
#[derive(Debug, Clone, PartialEq, Eq, Default, clap::Args)]
// in errors, the usage of clap names the options that were given as if they were required
#[command(override_usage = concat!(
    env!("CARGO_PKG_NAME"),
    " report [OPTIONS] <RECORD>...\n       ",
    env!("CARGO_PKG_NAME"),
    " report [OPTIONS] --serve"
))]
pub(crate) struct ReportArgs {
    /// The game records, in SGF
    #[arg(required_unless_present = "serve", value_name = "RECORD")]
    pub(crate) records: Vec<PathBuf>,

    /// The page to write, `-` for stdout; for several records, the folder of the pages and of index.html [default: beside
    /// each record, with the ending .html; no page if --sgf or --json is given]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Write the record with the analysis in it, `-` for stdout; for several records, a folder
    #[arg(long, value_name = "FILE")]
    pub(crate) sgf: Option<PathBuf>,

    /// Write the numbers as JSON, a line for each record, `-` for stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Replace existing files, also those that `report` did not write
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// Visits per position; in a search by playouts each is a playout, of which fewer than 1000 make losses mostly random
    /// [default: 200; with a net of KataGo 100; in a search by playouts 4000]
    #[arg(long, visible_alias = "playouts", value_name = "K", value_parser = whole::<u64>(1..))]
    pub(crate) visits: Option<u64>,

    /// Positions searched in parallel [default: one per processor]
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub(crate) threads: Option<usize>,

    /// Review the records that lines of stdin name, {"id": "1", "record": "game.sgf"}, and answer each with a line of
    /// numbers
    #[arg(long, conflicts_with_all = ["records", "output", "sgf", "json", "overwrite"])]
    pub(crate) serve: bool,
}
