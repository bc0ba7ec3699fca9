//! Kifuwarabe UEC14: a computer-Go engine whose rules explain themselves.
//!
//! The road through the code, from a line typed to its answer:
//!
//! ```text
//! bytes ── gtp::line ──> Request ── a row of gtp::command ──> handler ── typed gtp::args ──> kernel
//! bytes <── gtp::response <── Reply or CommandError <──────────────── value or typed error ──┘
//! ```
//!
//! [`gtp::serve`] owns the streams and logs every line and every answer by [`logging`]. The [`kernel`] is pure: it knows
//! nothing of protocols, files, clocks or logs, and imports point towards it only.

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

/// The examples of README.md and docs/library.md, as doctests.
#[cfg(doctest)]
mod documentation {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/library.md")]
    mod library {}
}
