//! The review of a game: every position searched, and what the moves lost.
//!
//! Files, from the bottom: `analysis`, `losses`, `final_position`, `mistakes`.

mod analysis;
mod final_position;
mod losses;
mod mistakes;

pub(crate) use analysis::{AnalysisSettings, CandidateSummary, PositionAnalysis, analyze_game, default_visits};
pub(crate) use final_position::apply_final_score;
pub(crate) use losses::{MoveLoss, move_losses, remove_tempo_bias};
pub(crate) use mistakes::{Mistake, MoveClass, first_serious, largest_mistakes, mistakes};
