//! The search that display commands share: the cached result, or that of a new search.

use crate::gtp::cached_analysis::{AnalysisKey, CachedAnalysis};
use crate::gtp::commands::live_gfx::with_live_graphics;
use crate::gtp::engine::Engine;
use crate::kernel::Color;
use crate::player::PlayerRequest;
use crate::search::SearchResult;

/// The search result of the present position for the side to move, as [`cached_analysis_for`].
pub(crate) fn cached_analysis(engine: &mut Engine) -> &SearchResult {
    let to_move = engine.position.to_move();
    cached_analysis_for(engine, to_move)
}

/// The search result of the present position with this player to move: the cached one, or that of a new search with the
/// limits of a move without a clock.
pub(crate) fn cached_analysis_for(engine: &mut Engine, color: Color) -> &SearchResult {
    let key = AnalysisKey::new(&engine.position, color, &engine.player.options);
    let cached = engine.cached_analyses[color.index()].take().filter(|cached| cached.is_for(&key));
    let cached = cached.unwrap_or_else(|| CachedAnalysis::new(key, search_position(engine, color)));
    &engine.cached_analyses[color.index()].insert(cached).result
}

fn search_position(engine: &mut Engine, color: Color) -> SearchResult {
    let limits = engine.player.options.limits();
    with_live_graphics(engine, color, |engine, progress| {
        let Engine { position, player, stop_signal, .. } = engine;
        player.analyze_position(
            &PlayerRequest { position, color, limits, restrictions: None, detailed_ownership: false, stop_signal },
            progress,
        )
    })
}
