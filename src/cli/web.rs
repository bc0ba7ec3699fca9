//! `web`: a page in the browser, served until the program is ended.

use crate::cli::output::print;
use crate::cli::session::{begin, engine};
use crate::config::EngineConfig;
use crate::logging::InputSource;
use crate::web::{self, WebArgs};

/// Serves the page; its address is the only line on standard output.
pub(crate) fn run(args: &WebArgs, mut config: EngineConfig) -> anyhow::Result<()> {
    let mut engine = engine(&config)?;
    // a server that cannot listen begins no session, so that it leaves the log of another one alone
    let listener = web::listen(args)?;
    begin(&mut config, &mut engine, InputSource::Stdin)?;
    web::run(args, listener, engine, |address| print(&format!("{address}\n")))
}
