//! From search results to moves: time, levels, passes, resignation, the status of stones and the final score.
//!
//! Files from the bottom up: `clock` is the remaining time by the rules of a time system, `game_clock` measures it in
//! games whose clocks are kept here, `time` divides it into a budget for a search; `level` weakens play; [`options`]
//! are the settings of all this by name; `trace` records searches for the log and a replay; `tactical_reader` reads
//! ladders; `dfpn` answers questions about life and death; `fixed_search` runs searches of fixed length; `seki` and
//! `status` classify stones, `group_search` unsettled groups; `ending` fills the end of a game in, `estimate` finds
//! probable owners in an unfinished one, `score` counts both, `score_details` presents a score; `virtual_komi`
//! computes the points added for White in handicap games; `request` has the input and output of `player`,
//! `playout_time` measures its searches; `resign` and `pass` are decisions, with `pass_loss`, which compares a pass with
//! the best other move; `player` runs searches and combines all of these; `review` analyses a whole game; `benchmark`
//! times searches.
//!
//! The folder depends on `kernel`, `net`, `playout` and `search` only: not on commands, files or logs. It reads a clock
//! only to measure moves.

pub mod benchmark;
pub(crate) mod clock;
mod dfpn;
mod ending;
mod estimate;
mod fixed_search;
pub(crate) mod game_clock;
mod group_search;
pub(crate) mod level;
pub mod options;
mod pass;
mod pass_loss;
#[expect(clippy::module_inception, reason = "the file has the name of its type, `Player`")]
mod player;
mod playout_time;
mod request;
mod resign;
pub(crate) mod review;
pub(crate) mod score;
mod score_cache;
mod score_details;
mod seki;
pub(crate) mod status;
mod tactical_reader;
#[cfg(test)]
mod tests;
pub(crate) mod time;
pub(crate) mod trace;
mod virtual_komi;

pub use clock::{Clock, Overtime, RemainingTime, TimeSettings};
pub use options::Options;
pub(crate) use pass::{has_few_unsettled_points, is_near_end};
pub use player::Player;
pub use request::{Choice, GenmoveMode, PlayerRequest};
pub(crate) use score::interruptible_final_score;
pub use score::{FinalScore, Interrupted, final_score, final_score_with};
pub use score_details::ScoreDetails;
pub(crate) use status::{CLEAR_OWNERSHIP, all_stones, groups, mean_ownership};
pub use status::{Status, classify_stones, status_playouts};
pub use tactical_reader::{Defense, TacticalReader};
pub use trace::{Purpose, SearchRecord, SearchTrace};
