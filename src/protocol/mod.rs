//! Code shared by the protocols: lines of input, the reader thread, how results are reported, names of rules and of
//! KataGo's parameters, time settings as game records have them, and nets as KataGo lists them.
//!
//! GTP, the analysis engine, the terminal and replays use it. This folder does not depend on commands.

pub(crate) mod katago_model;
pub mod katago_params;
pub mod line;
pub mod reader;
pub(crate) mod report_view;
pub(crate) mod rule_names;
pub(crate) mod sgf_time;
