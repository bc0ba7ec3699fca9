//! What the GTP engine and the analysis engine share: lines of input and the thread that reads them.

pub mod line;
pub mod reader;
