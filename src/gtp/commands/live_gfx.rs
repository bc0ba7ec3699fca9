//! GoGui's live graphics: what a search finds, drawn on the front end's board while it goes on.

use std::fmt::Write;
use std::time::Duration;

use crate::kernel::{Color, Coordinate, Move};
use crate::search::SearchResult;

/// Time from one drawing to the next.
pub(crate) const EVERY: Duration = Duration::from_millis(500);

/// Takes the drawing away.
pub(crate) const CLEAR: &str = "gogui-gfx: CLEAR\n";

/// Moves of the best variation that are drawn.
const LONGEST: usize = 10;

/// The best variation with numbers, how much the other moves were tried, and the numbers in words.
pub(crate) fn drawing(result: &SearchResult, color: Color, coordinate: Coordinate) -> String {
    let Some(best) = result.best() else { return String::new() };
    let mut text = String::from("gogui-gfx:\nVAR");
    let mut mover = color;
    for play in best.variation.iter().take(LONGEST) {
        let letter = if mover == Color::Black { 'b' } else { 'w' };
        // writing to a String cannot fail
        let _ = write!(text, " {letter} {}", play.vertex(coordinate));
        mover = mover.opponent();
    }
    text.push_str("\nINFLUENCE");
    let sign = if color == Color::Black { 1.0 } else { -1.0 };
    for other in result.candidates.iter().skip(1).filter(|other| other.visits > 0) {
        if let Move::Play(point) = other.play {
            let share = sign * other.visits as f32 / best.visits.max(1) as f32;
            let _ = write!(text, " {} {share:.2}", coordinate.vertex(point));
        }
    }
    let chance = 100.0 * best.value;
    let _ = writeln!(text, "\nTEXT {} playouts, {} {chance:.1}%\n", result.playouts, best.play.vertex(coordinate));
    text
}
