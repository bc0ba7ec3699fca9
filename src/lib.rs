//! Kifuwarabe UEC14, a Go engine: GTP over standard input and output, Monte Carlo tree search with an optional net, and
//! the tools around them. The binary calls [`cli::run`] and nothing else.
//!
//! # From a line of input to its answer
//! ```text
//! bytes ── protocol ──> Request ── gtp: server, command table ──> handler
//!     handler ──> kernel                              play, undo, rules
//!     handler ──> player ──> search ──> playout, net  genmove, analysis
//! bytes <── gtp: server <── logging <── Reply or CommandError <── handler
//! ```
//!
//! The server in [`gtp`] reads a line, finds the row of the command and calls its handler with the parsed arguments. A
//! command on the position calls [`kernel`]. A command that needs a move or an analysis calls [`player`], which sets
//! time and limits and runs [`search`]; the search asks [`playout`] and [`net`] for evaluations. The server passes
//! every line and every answer to [`logging`] before it writes the answer.
//!
//! # Modules, in reading order
//! Each uses only modules before it in this list; `tests/it/structure.rs` checks that, file by file.
//!
//! - `text`: quotations of foreign text, suggestions, plurals, markup.
//! - [`kernel`]: the rules. Board, rens, legality, position with undo, scoring, the ren database. Pure values without
//!   input, output, clock or global state.
//! - [`io`]: files, available memory, the file format of the ren database. [`net`]: neural network inference on the CPU.
//!   [`sgf`]: game records. [`picture`]: boards as SVG, PNG and animated GIF.
//! - [`playout`]: random games, from plain to tactical.
//! - [`search`]: the tree search, in parallel on one tree. Knows no protocol and no time system.
//! - [`player`]: from search results to a move. Time, resignation, passes, playing levels, final score.
//! - [`config`]: `engine.toml`. [`logging`]: the text log and the JSON log. [`protocol`]: input lines, and the thread
//!   that reads ahead during a search.
//! - [`gtp`]: the command table, its handlers and the server.
//! - [`analysis`]: KataGo's JSON analysis protocol. [`replay`]: runs a session again from its log. [`tools`]:
//!   benchmark, test suites, net evaluation, self-play, scores of records.
//! - `report`: a game review as an HTML page, an annotated record or JSON. `terminal`: line editing, and a game against the engine.
//!   `web`: a page in the browser.
//! - [`cli`]: options and subcommands.
//!
//! To use the engine from a program, start with [`kernel::Position`], [`search::Searcher`] or [`gtp::serve`].

/// The name of the engine, as controllers show it.
pub const NAME: &str = "Kifuwarabe UEC14";

/// The version of the engine, `MAJOR.MINOR.PATCH`. Lizzie reads MINOR as a number and requires at least 15.
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
mod report;
pub mod search;
pub mod sgf;
mod terminal;
mod text;
pub mod tools;
mod web;

/// The examples of README.md and docs/library.md, as doctests.
#[cfg(doctest)]
mod documentation {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/library.md")]
    mod library {}
}
