//! `web`: a page in the browser, served until the program is ended.

use crate::cli::output::print;
use crate::cli::session::{begin, engine};
use crate::config::EngineConfig;
use crate::web::{self, WebArgs};

/// Serves the page; its address is the only line on standard output.
pub(crate) fn run(args: &WebArgs, mut config: EngineConfig) -> anyhow::Result<()> {
    let mut engine = engine(&config)?;
    begin(&mut config, &mut engine, false)?;
    web::run(args, engine, |address| print(&format!("{address}\n")))
}
