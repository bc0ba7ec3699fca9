//! `report`: reviews of game records as pages, annotated records and JSON.

use std::io::BufReader;

use crate::cli::output::{print, stdin};
use crate::kernel::Position;
use crate::net::Net;
use crate::player::Options;
use crate::report::{self, ReportArgs, ReportEvent};
use crate::terminal::progress::{ProgressBar, write_stderr};
use crate::text::quote;

/// Runs it, with a progress bar for each record, or serves requests. Messages go to stderr if an output goes to stdout.
pub(crate) fn run(args: &ReportArgs, position: &Position, options: &Options, net: Option<&Net>) -> anyhow::Result<()> {
    if args.serve {
        return report::serve(args, position, options, net, BufReader::new(stdin()), print);
    }
    let mut bar = None;
    let progress = |done, all| {
        bar.get_or_insert_with(ProgressBar::start).show(done, all);
        if done == all {
            bar = None;
        }
    };
    report::run(args, position, options, net, progress, |event| {
        match event {
            ReportEvent::Output(text) => print(&text)?,
            ReportEvent::Finished(line) if !args.uses_stdout() => print(&(quote::lines(&line) + "\n"))?,
            ReportEvent::Finished(line) => write_stderr(format_args!("{line}")),
            ReportEvent::Warning(line) => write_stderr(format_args!("{}: {line}", env!("CARGO_PKG_NAME"))),
        }
        Ok(())
    })
}
