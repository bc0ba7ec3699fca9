//! Kifuwarabe UEC14: a computer-Go engine whose rules explain themselves.
//!
//! The road through the code, from a line typed to its answer:
//!
//! ```text
//! bytes ── protocol::line ──> Request ── a row of gtp::table ──> handler ── typed gtp::args ──> kernel
//! bytes <── gtp::response <── Reply or CommandError <──────────────── value or typed error ──┘
//! ```
//!
//! [`gtp::serve`] owns the streams and logs every line and every answer by [`logging`]. The [`kernel`] is pure: it knows
//! nothing of protocols, files, clocks or logs, and imports point towards it only.

/// The name of the engine, as controllers show it.
pub const NAME: &str = "Kifuwarabe UEC14";

/// The version of the engine, `MAJOR.MINOR.PATCH`. Lizzie reads MINOR as a number and wants at least 15.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

pub mod analysis;
pub mod cli;
pub mod config;
pub mod gtp;
pub mod io;
pub mod kernel;
pub mod logging;
pub mod net;
pub mod picture;
pub mod player;
pub mod playout;
pub mod protocol;
pub mod replay;
pub mod report;
pub mod search;
pub mod sgf;
pub mod terminal;
pub mod tools;
