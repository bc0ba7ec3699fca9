//! What is said of a game: its score, and a hint.

use std::fmt::Write;

use crate::kernel::{Coordinate, Move, Position};
use crate::player::{final_score, rens_among};
use crate::search::SearchResult;

/// How many moves of a variation are told.
const TOLD_MOVES: usize = 8;

/// How many other moves are told beside the best.
const TOLD_OTHERS: usize = 2;

/// How a game stands, and which stones do not count.
pub(super) fn score(position: &Position) -> String {
    let settled = final_score(position);
    let board = position.board();
    let rules = position.rule().name().unwrap_or("other");
    let mut text = format!("{}, as the stones stand ({rules} rules, komi {}", settled.score, settled.score.komi);
    if settled.score.white_bonus != 0.0 {
        // writing to a String cannot fail, here and below
        let _ = write!(text, ", {} points for White for the handicap", settled.score.white_bonus);
    }
    let dead = rens_among(board, &settled.status.dead).concat();
    let dead = if dead.is_empty() { "none".to_owned() } else { board.coordinate().vertices(&dead) };
    text + &format!(")\ndead stones: {dead}")
}

/// What the engine would play, and why.
pub(super) fn hint(play: Move, result: &SearchResult, coordinate: Coordinate) -> String {
    let mut text = match play {
        Move::Pass => "I would pass: there seems to be nothing left to gain".to_owned(),
        Move::Play(point) => format!("I would play {}", coordinate.vertex(point)),
    };
    let tried = || result.candidates.iter().filter(|candidate| candidate.visits > 0);
    if let Some(found) = tried().find(|candidate| candidate.play == play) {
        let leader = if result.lead >= 0.0 { "black" } else { "white" };
        let (lead, playouts) = (result.lead.abs(), result.playouts);
        let moves = found.variation.iter().take(TOLD_MOVES).map(|play| play.vertex(coordinate));
        let _ = write!(text, "; it wins {} of its playouts", percent(found.value));
        let _ = write!(text, "\n{leader} is ahead by {lead:.1} points in the mean of {playouts} playouts");
        let _ = write!(text, "\nexpected: {}", moves.collect::<Vec<_>>().join(" "));
    }
    let others = tried().filter(|other| other.play != play).take(TOLD_OTHERS);
    let others: Vec<String> =
        others.map(|other| format!("{} {}", other.play.vertex(coordinate), percent(other.value))).collect();
    if !others.is_empty() {
        let _ = write!(text, "\nothers: {}", others.join(", "));
    }
    text
}

/// A part of 1 in whole per cent.
fn percent(part: f32) -> String {
    format!("{:.0}%", part * 100.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, GameRule};
    use crate::player::Options;
    use crate::terminal::play::Game;

    #[test]
    fn a_hint_says_why() {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let mut game =
            Game::new(position, Color::Black, Options { max_playouts: 60, seed: 1, ..Options::default() }, None);
        let (play, mut result) = game.hint();
        let text = hint(play, &result, coordinate);
        let (vertex, value) = (play.vertex(coordinate), percent(result.value()));
        assert!(text.starts_with(&format!("I would play {vertex}; it wins {value} of its playouts\n")), "{text}");
        assert!(text.contains(" points in the mean of 60 playouts\n"), "{text}");
        assert!(text.contains(&format!("\nexpected: {vertex} ")), "{text}");
        let other = result.candidates[1].play.vertex(coordinate);
        assert!(text.contains(&format!("\nothers: {other} ")), "{text}");
        let text = hint(Move::Pass, &result, coordinate);
        assert!(text.starts_with("I would pass: there seems to be nothing left to gain"), "{text}");
        result.candidates.clear();
        assert_eq!(hint(play, &result, coordinate), format!("I would play {vertex}"));
    }

    #[test]
    fn a_score_says_what_it_rests_on() {
        let coordinate = Coordinate::square(9).unwrap();
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let points = ["C3", "G7"].map(|vertex| coordinate.parse_vertex(vertex).unwrap());
        position.set_handicap(&points).unwrap();
        assert_eq!(
            score(&position),
            "B+78.5, as the stones stand (chinese rules, komi 0.5, 2 points for White for the handicap)\ndead stones: none"
        );
    }
}
