//! Searches that are shown: GoGui's live graphics, and the cached result that display commands share.
//!
//! With the option `LiveGraphics` a search writes `gogui-gfx:` drawings to stderr while it runs, and GoGui shows them
//! on its board.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::gtp::cached_analysis::{AnalysisKey, CachedAnalysis};
use crate::gtp::engine::Engine;
use crate::kernel::{Color, Coordinate, Move};
use crate::player::PlayerRequest;
use crate::search::{ProgressSink, SearchResult};
use crate::text::plural::counted;

/// Time between two drawings.
const INTERVAL: Duration = Duration::from_millis(500);

/// Removes the drawing.
const CLEAR: &str = "gogui-gfx: CLEAR\n";

/// Most moves of the principal variation in a drawing.
const MAX_VARIATION: usize = 10;

/// Runs a search for a move of `color`, and draws its progress if the options ask for it.
pub(crate) fn with_live_graphics<T>(
    engine: &mut Engine,
    color: Color,
    search: impl FnOnce(&mut Engine, ProgressSink<'_>) -> T,
) -> T {
    if !engine.player.options.live_graphics {
        return search(engine, ProgressSink::default());
    }
    let (coordinate, write_stderr) = (engine.position.board().coordinate(), engine.write_stderr);
    let mut on_progress = |result: &SearchResult| {
        write_stderr(&drawing(result, color, coordinate));
        ControlFlow::Continue(())
    };
    let found = search(engine, ProgressSink::new(INTERVAL, &mut on_progress));
    write_stderr(CLEAR);
    found
}

/// The search result of the present position for the side to move, as [`analyze_for`].
pub(crate) fn analyze_position(engine: &mut Engine) -> &SearchResult {
    let to_move = engine.position.to_move();
    analyze_for(engine, to_move)
}

/// The search result of the present position with this player to move: the cached one, or that of a new search with the
/// limits of a move without a clock.
pub(crate) fn analyze_for(engine: &mut Engine, color: Color) -> &SearchResult {
    let key = AnalysisKey::new(&engine.position, color, &engine.player.options);
    let cached = engine.cached_analysis.take().filter(|cached| cached.is_for(&key));
    let cached = cached.unwrap_or_else(|| CachedAnalysis::new(key, search_position(engine, color)));
    &engine.cached_analysis.insert(cached).result
}

fn search_position(engine: &mut Engine, color: Color) -> SearchResult {
    let limits = engine.player.options.limits();
    with_live_graphics(engine, color, |engine, progress| {
        let Engine { position, player, stop_signal, .. } = engine;
        player.analyze_position(
            &PlayerRequest { position, color, limits, restrictions: None, ownership: false, stop_signal },
            progress,
        )
    })
}

/// A drawing: the principal variation numbered, the visits of the other moves as influence, and a line of text. The
/// influence of a move is its visits / the most visits of a move, negative for White.
fn drawing(result: &SearchResult, color: Color, coordinate: Coordinate) -> String {
    let Some(best) = result.best() else { return String::new() };
    let mut text = String::from("gogui-gfx:\nVAR");
    let mut mover = color;
    for play in best.variation.iter().take(MAX_VARIATION) {
        let letter = mover.letter().to_ascii_lowercase();
        // writing to a String cannot fail
        let _ = write!(text, " {letter} {}", play.vertex(coordinate));
        mover = mover.opponent();
    }
    text.push_str("\nINFLUENCE");
    let sign = if color == Color::Black { 1.0 } else { -1.0 };
    // a search by net may choose a move by its value
    let most = result.candidates.iter().map(|candidate| candidate.visits).max().unwrap_or_default().max(1);
    for other in result.with_symmetric_moves().iter().skip(1).filter(|other| other.visits > 0) {
        if let Move::Play(point) = other.play {
            let share = sign * other.visits as f32 / most as f32;
            let _ = write!(text, " {} {share:.2}", coordinate.vertex(point));
        }
    }
    let percent = 100.0 * best.value;
    let _ = writeln!(
        text,
        "\nTEXT {}, {} {percent:.1}%\n",
        if result.is_by_net { counted(result.visits, "visit") } else { counted(result.playouts, "playout") },
        best.play.vertex(coordinate)
    );
    text
}
