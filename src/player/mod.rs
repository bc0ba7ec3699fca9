//! From search results to a move: time, resignation, passes, strength levels, the status of stones and the score.

pub mod clock;
pub mod level;
pub mod options;
mod player;
pub mod score;
mod seki;
pub mod status;
pub mod time;
pub mod trace;

pub use options::Options;
pub use player::{Choice, GenmoveMode, Player, Query};
pub use score::{FinalScore, final_score, rens_among};
pub use status::{Status, classify_stones, status_playouts};
pub use time::{Phase, allot};
pub use trace::{Purpose, SearchRecord, SearchTrace};
