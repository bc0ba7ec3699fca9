//! What the protocols share: lines of input, the reader thread, the perspective of reported values, and names of rules.
//!
//! GTP, the analysis engine, the terminal and replays stand above and take these items from here. This folder knows no
//! command.

pub mod line;
pub(crate) mod perspective;
pub mod reader;
pub(crate) mod rule_names;
