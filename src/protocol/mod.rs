//! Code shared by the protocols: lines of input, the reader thread, the perspective of reported values, and names of
//! rules.
//!
//! GTP, the analysis engine, the terminal and replays use it. This folder does not depend on commands.

pub mod katago_params;
pub mod line;
pub(crate) mod perspective;
pub mod reader;
pub(crate) mod rule_names;
