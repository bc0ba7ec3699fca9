//! Tools beside the GTP engine: speed, evaluations of the net, labels to train from, tactical problems, self-play, and the
//! score of a record.

pub mod bench;
mod board_size;
pub mod eval;
pub(crate) mod labels;
mod net_speed;
pub mod score;
pub mod selfplay;
pub mod suite;
mod tables;
