//! Code shared by the protocols: lines of input, the reader thread, the perspective of reported values, and names of
//! nets and rules.
//!
//! GTP, the analysis engine, the terminal and replays use it. This folder knows no command.

pub mod line;
pub(crate) mod model;
pub(crate) mod perspective;
pub mod reader;
pub(crate) mod rule_names;
