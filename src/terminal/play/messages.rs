//! The texts of `score` and `hint`.

use std::fmt::Write;

use crate::io::quote::counted;
use crate::kernel::{Coordinate, Move, Position};
use crate::player::{FinalScore, rens_among};
use crate::search::SearchResult;

/// Length of the variation in a hint, in moves.
const VARIATION_LENGTH: usize = 8;

/// Number of alternative moves in a hint.
const ALTERNATIVES: usize = 2;

/// The score as the stones stand, the rules behind it, and the dead stones.
pub(super) fn score(position: &Position, ending: &FinalScore) -> String {
    let board = position.board();
    let rules = position.rule().name().unwrap_or("other");
    let mut text = format!("{}, as the stones stand ({rules} rules, komi {}", ending.score, ending.score.komi);
    if ending.score.white_bonus != 0.0 {
        // writing to a String cannot fail, here and below
        let _ = write!(text, ", {} for White for the handicap", counted(ending.score.white_bonus, "point"));
    }
    let dead = rens_among(board, &ending.status.dead).concat();
    let dead = if dead.is_empty() { "none".to_owned() } else { board.coordinate().vertices(&dead) };
    text += &format!(")\ndead stones: {dead}");
    if !ending.is_finished {
        text += "\nthe game is not finished: this is an estimate";
    }
    text
}

/// The suggested move with its win rate (side to move), the lead, the variation and alternatives with their win rates.
/// A move that the search did not visit is named without numbers.
pub(super) fn hint(play: Move, result: &SearchResult, coordinate: Coordinate) -> String {
    let mut text = match play {
        Move::Pass => "I would pass: there seems to be nothing left to gain".to_owned(),
        Move::Play(point) => format!("I would play {}", coordinate.vertex(point)),
    };
    let visited = || result.candidates.iter().filter(|candidate| candidate.visits > 0);
    if let Some(suggested) = visited().find(|candidate| candidate.play == play) {
        let leader = if result.lead >= 0.0 { "black" } else { "white" };
        let (lead, playouts) = (result.lead.abs(), result.known_playouts);
        let moves = suggested.variation.iter().take(VARIATION_LENGTH).map(|play| play.vertex(coordinate));
        let source = if result.is_by_net { "evaluation" } else { "playout" };
        let _ = write!(text, "; it wins {} of its {source}s", percent(suggested.value));
        let _ = write!(text, "\n{leader} is ahead by {lead:.1} points in the mean of {}", counted(playouts, source));
        let _ = write!(text, "\nexpected: {}", moves.collect::<Vec<_>>().join(" "));
    }
    let others = visited().filter(|other| other.play != play).take(ALTERNATIVES);
    let others: Vec<String> =
        others.map(|other| format!("{} {}", other.play.vertex(coordinate), percent(other.value))).collect();
    if !others.is_empty() {
        let _ = write!(text, "\nothers: {}", others.join(", "));
    }
    text
}

/// A fraction in per cent, without decimals.
fn percent(fraction: f32) -> String {
    format!("{:.0}%", fraction * 100.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, GameRule};
    use crate::player::Options;
    use crate::player::final_score;
    use crate::terminal::play::game::TerminalGame;

    #[test]
    fn hint_has_win_rate_lead_variation_and_alternatives() {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let options = Options { max_playouts: 60, seed: 1, ..Options::default() };
        let mut game = TerminalGame::new(position, Color::Black, options, None);
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
    fn score_names_rules_komi_bonus_and_dead_stones() {
        let coordinate = Coordinate::square(9).unwrap();
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let points = ["C3", "G7"].map(|vertex| coordinate.parse_vertex(vertex).unwrap());
        position.set_handicap(&points).unwrap();
        assert_eq!(
            score(&position, &final_score(&position)),
            "B+78.5, as the stones stand (chinese rules, komi 0.5, 2 points for White for the handicap)\ndead stones: none"
        );
    }
}
