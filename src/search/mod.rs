//! What a position is worth, found by playing it out: on the kernel's boards, without a protocol, a clock or a log.
//!
//! [`playout`] plays random games to their end; [`status`] judges by them which stones are dead, with [`seki`] for the
//! shapes in which random games do worst. [`options`] is what a search is told beforehand.

pub mod interrupt;
pub mod options;
pub mod params;
pub mod player;
pub mod playout;
pub mod searcher;
pub mod seki;
pub mod settle;
pub mod status;
pub mod tree;

pub use interrupt::Interrupt;
pub use options::Options;
pub use player::{Choice, Manner, Player};
pub use searcher::{Candidate, Limits, Searcher, Task, Thought};
pub use settle::{Settled, rens_among, settle};
pub use status::{Status, effort, judge};
