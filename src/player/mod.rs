//! From search results to moves: time, levels, passes, resignation, the status of stones and the final score.
//!
//! Files from the bottom up: [`clock`] is the remaining time by the rules of a time system, [`time`] divides it into a
//! budget for a search; [`level`] weakens play; [`options`] are the settings of all this by name; [`trace`] records
//! searches for the log and a replay; `seki` and [`status`] classify stones, [`score`] counts the game; `virtual_komi`,
//! `resign` and `pass` are decisions; `player` runs searches and joins them.
//!
//! The folder knows positions and searches. It knows no commands, no files and no logs, and reads no wall clock but to
//! measure its own moves.

pub mod clock;
pub mod level;
pub mod options;
mod pass;
mod player;
mod request;
mod resign;
pub mod score;
mod seki;
pub mod status;
#[cfg(test)]
mod tests;
pub mod time;
pub mod trace;
mod virtual_komi;

pub use options::Options;
pub use player::Player;
pub use request::{Choice, GenmoveMode, Query};
pub use score::{FinalScore, final_score, rens_among};
pub use status::{Status, classify_stones, status_playouts};
pub use time::{Phase, allot};
pub use trace::{Purpose, SearchRecord, SearchTrace};
