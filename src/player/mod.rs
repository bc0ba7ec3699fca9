//! From search results to moves: time, levels, passes, resignation, the status of stones and the final score.
//!
//! Files from the bottom up: `clock` is the remaining time by the rules of a time system, `time` divides it into a
//! budget for a search; `level` weakens play; [`options`] are the settings of all this by name, [`katago_names`] those of
//! KataGo; `trace` records searches for the log and a replay; `reading` reads ladders; `local_search` answers questions
//! about life and death; `seki` and `status` classify stones, `group_search` groups that playouts leave open; `ending`
//! fills the end of a game in, `score` counts it, `score_details` presents a score; `virtual_komi`, `resign` and `pass` are
//! decisions, with `pass_loss`, which compares a pass with the best other move; `request` is the input and output of
//! `player`, which runs searches and combines all of these; `review` analyses a whole game; `benchmark` times searches;
//! `katago_model` describes a net as KataGo's protocols list it.
//!
//! The folder depends on `kernel`, `net`, `playout` and `search` only: not on commands, files or logs. It reads a clock
//! only to measure its own moves.

pub mod benchmark;
pub(crate) mod clock;
mod ending;
mod group_search;
pub(crate) mod katago_model;
pub mod katago_names;
pub(crate) mod level;
mod local_search;
pub mod options;
mod pass;
mod pass_loss;
#[expect(clippy::module_inception, reason = "the file has the name of its type, `Player`")]
mod player;
mod reading;
mod request;
mod resign;
pub(crate) mod review;
pub(crate) mod score;
mod score_details;
mod seki;
pub(crate) mod status;
#[cfg(test)]
mod tests;
pub(crate) mod time;
pub(crate) mod trace;
mod virtual_komi;

pub use options::Options;
pub(crate) use pass::is_near_end;
pub use player::Player;
pub use reading::{Defence, Reading};
pub use request::{Choice, GenmoveMode, Query};
pub(crate) use score::rens_among;
pub use score::{FinalScore, final_score, final_score_with};
pub use score_details::ScoreDetails;
pub(crate) use status::{CLEAR_OWNERSHIP, groups, mean_ownership};
pub use status::{Status, classify_stones, status_playouts};
pub use trace::SearchTrace;
pub(crate) use trace::{Purpose, SearchRecord};
