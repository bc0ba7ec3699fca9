//! GoGui's live graphics: drawings of a search while it runs.
//!
//! With the option `LiveGraphics` a search writes `gogui-gfx:` drawings to stderr while it runs, and GoGui shows them
//! on its board.

use std::fmt::Write;
use std::ops::ControlFlow;
use std::time::Duration;

use crate::gtp::engine::Engine;
use crate::kernel::{Color, Coordinate, Move};
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

/// A drawing: the principal variation numbered, the visits of the other moves as influence, and a line of text. The
/// influence of a move is its visits / the most visits of a move, negative for White.
fn drawing(result: &SearchResult, color: Color, coordinate: Coordinate) -> String {
    let Some(best) = result.best() else { return String::new() };
    let mut text = String::from("gogui-gfx:\nVAR");
    let mut to_move = color;
    for play in best.variation.iter().take(MAX_VARIATION) {
        let letter = to_move.letter().to_ascii_lowercase();
        // writing to a String cannot fail
        let _ = write!(text, " {letter} {}", play.vertex(coordinate));
        to_move = to_move.opponent();
    }
    text.push_str("\nINFLUENCE");
    let sign = f32::from(color.sign());
    // a search by net may choose a move by its value
    let most = result.candidates.iter().map(|candidate| candidate.visits).max().unwrap_or_default().max(1);
    for other in result.with_symmetric_moves().iter().skip(1).filter(|other| other.visits > 0) {
        if let Move::Play(point) = other.play {
            let share = sign * other.visits as f32 / most as f32;
            let _ = write!(text, " {} {share:.2}", coordinate.vertex(point));
        }
    }
    let percent = 100.0 * best.win_probability;
    let _ = writeln!(
        text,
        "\nTEXT {}, {} {percent:.1}%\n",
        if result.is_by_net { counted(result.visits, "visit") } else { counted(result.playouts, "playout") },
        best.play.vertex(coordinate)
    );
    text
}
