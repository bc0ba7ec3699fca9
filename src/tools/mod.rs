//! Tools beside the GTP engine: speed, evaluations of the net, tactical problems, self-play, and the score of a record.

pub mod bench;
pub mod eval;
mod net_speed;
pub mod score;
pub mod selfplay;
pub mod suite;
