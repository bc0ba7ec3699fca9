//! Subcommands that measure: playing speed, the net, tactical problems, self-play, and the score of a record.

pub mod bench;
pub mod eval;
pub mod score;
pub mod selfplay;
pub mod suite;
