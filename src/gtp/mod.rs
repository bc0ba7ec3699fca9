//! The Go Text Protocol (GTP), version 2: commands, their table, and the loop that serves them.
//!
//! [`serve`] reads lines and writes answers. A line becomes a `Request` (`protocol`), which `dispatch` looks up in the
//! [`table`]; the row's handler in `commands` reads typed arguments (`args`), works on the [`Engine`] and returns a
//! [`response::Reply`] or an analysis to stream. The server logs, frames and writes it. Each file uses those after it in
//! this list only: `server`, `dispatch`, `table`, `help`, `command`, `commands`, `search_log`, `engine`, `args`, `response`.

pub(crate) mod args;
pub(crate) mod cached_analysis;
pub mod command;
pub mod command_files;
pub mod commands;
pub mod dispatch;
pub mod engine;
pub(crate) mod help;
pub mod response;
pub(crate) mod search_log;
pub mod server;
pub mod table;

pub use commands::analyze::Analysis;
pub use dispatch::{Outcome, run};
pub use engine::Engine;
pub use server::{Audience, serve};
