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
pub use player::{Choice, Manner, Player, Query};
pub use score::{Settled, rens_among, settle};
pub use status::{Status, effort, judge};
pub use time::{Phase, allot};
pub use trace::{Made, Purpose, Trace};
