//! The Go Text Protocol (GTP), version 2: commands, their table, and the loop that serves them.
//!
//! [`serve`] reads lines and writes answers. A line becomes a `Request` (`protocol`), which `dispatch` looks up in the
//! [`table`]; the row's handler in `commands` reads typed arguments (`args`), works on the [`Engine`] and returns a
//! [`response::Reply`] or an analysis to stream. The server logs, frames and writes it; `response` has the types of the
//! way from a handler to the output. Each file uses only those after it in this list: `server`, `dispatch`, `table`,
//! `help`, `command`, `commands`, `argument_help`, `log_notes`, `engine`, `command_files`, `cached_analysis`,
//! `loaded_record`, `tried_moves`, `args`, `board_text`, `response`.
//!
//! ```
//! use kifuwarabe_uec14::gtp::{Audience, Engine, serve};
//! use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Position};
//! use kifuwarabe_uec14::protocol::line::StreamLines;
//!
//! let coordinate = Coordinate::square(9).ok_or("no such size")?;
//! let mut engine = Engine::new(Position::new(coordinate, GameRule::with_komi(7.0), 1000, Color::Black));
//! let (input, mut output) = ("play b E5\n2 last_move\n", Vec::new());
//! serve(&mut engine, &mut StreamLines::new(input.as_bytes()), &mut output, Audience::Program)?;
//! assert_eq!(output, b"= \n\n=2 black E5\n\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod args;
pub(crate) mod argument_help;
pub mod board_text;
pub(crate) mod cached_analysis;
pub mod command;
pub(crate) mod command_files;
pub(crate) mod commands;
pub(crate) mod dispatch;
pub(crate) mod engine;
pub(crate) mod help;
pub(crate) mod loaded_record;
pub(crate) mod log_notes;
pub(crate) mod response;
pub(crate) mod server;
pub mod table;
pub(crate) mod tried_moves;

pub use command_files::{CommandFiles, FileAccess, FileOperation};
pub use commands::analyze::GtpAnalysis;
pub(crate) use commands::analyze::OnReport;
pub use dispatch::{HandlerOutcome, run};
pub use engine::Engine;
pub use response::{CommandError, Fields, Next, Reply};
pub(crate) use server::run_line;
pub use server::{Audience, serve};
