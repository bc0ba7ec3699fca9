//! `replay`: a session run again from its JSON log and compared answer by answer.
//!
//! Searches with one thread are repeated exactly: same seed, same number of simulations. Searches with several threads
//! are not deterministic; for them, or on request, the logged moves are played without search.

mod games;
mod log;
mod option_names;
mod run;
mod start;

pub use crate::replay::games::records;
pub use crate::replay::log::{
    LoggedAnswer, LoggedCommand, LoggedSession, Place, Sessions, log_files, no_session, session,
};
pub use crate::replay::run::{ReplayMode, ReplaySummary, opening_messages, run, summary_messages};
pub use crate::replay::start::{NetIdentity, SessionStart};
