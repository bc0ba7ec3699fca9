//! The review of a game: every position searched, and what the moves lost.
//!
//! Files, from the bottom: `analysis`, `losses`, `mistakes`.

mod analysis;
mod losses;
mod mistakes;

pub(crate) use analysis::{AnalysisSettings, CandidateSummary, PositionAnalysis, analyze_game, default_visits};
pub(crate) use losses::{MoveLoss, move_losses, remove_tempo_bias};
pub(crate) use mistakes::{Mistake, MoveClass, first_serious, largest_mistakes, mistakes};
