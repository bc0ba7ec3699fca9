//! The checks of `--check`: incremental state against recomputed state, search results against the rules, scores
//! against ownership.

use crate::kernel::{Color, Position, Scoring, Tax, button_points};
use crate::player::{FinalScore, final_score};
use crate::search::SearchResult;

/// Checks a position in three ways: the kernel recomputes its derived fields, the game is replayed from its start, and
/// the last move is undone on a copy. `before` is the position before that move.
///
/// # Errors
/// The field that differs, and in which check.
///
/// # Panics
/// As [`Position::assert_consistent`].
pub(super) fn position(position: &Position, before: &Position) -> Result<(), String> {
    position.assert_consistent();
    compare(&position.replayed(), position).map_err(|field| format!("{field} after replaying the game"))?;
    let mut back = position.clone();
    back.undo().map_err(|error| error.to_string())?;
    compare(&back, before).map_err(|field| format!("{field} after undo"))
}

/// Compares two positions, history included.
///
/// # Errors
/// The name of the first field that differs.
fn compare(a: &Position, b: &Position) -> Result<(), &'static str> {
    let fields = [
        ("stones", a.board().stones() == b.board().stones()),
        ("ko", a.board().ko() == b.board().ko() && a.banned_ko() == b.banned_ko()),
        ("side to move", a.to_move() == b.to_move()),
        ("prisoners", Color::BOTH.iter().all(|&color| a.prisoners(color) == b.prisoners(color))),
        ("hash", a.hash() == b.hash()),
        ("history", a.history().eq(b.history())),
        ("record", a.record() == b.record()),
        ("ren database", a.ren_db() == b.ren_db()),
    ];
    fields.into_iter().find(|(_, is_same)| !is_same).map_or(Ok(()), |(field, _)| Err(field))
}

/// Checks that a search visited legal moves only, and that the visits of the moves are at most those of the root.
///
/// # Errors
/// The illegal move, or the two numbers.
pub(super) fn result(position: &Position, color: Color, result: &SearchResult) -> Result<(), String> {
    let coordinate = position.board().coordinate();
    for candidate in result.candidates.iter().filter(|candidate| candidate.visits > 0) {
        if let Err(reason) = position.check_move(color, candidate.play) {
            return Err(format!("the search visited {color} {}: {reason}", candidate.play.vertex(coordinate)));
        }
    }
    let visits: u64 = result.candidates.iter().map(|candidate| u64::from(candidate.visits)).sum();
    if visits > result.visits {
        return Err(format!("{visits} visits of moves, {} of the position", result.visits));
    }
    Ok(())
}

/// Checks the score of a finished game: a replay of the game gives the same score and dead stones, and under area
/// scoring without tax, owned points less komi and handicap bonus, with the button's half point, give the margin.
///
/// # Errors
/// The scores that differ.
pub(super) fn score(position: &Position, given: &FinalScore) -> Result<(), String> {
    let replayed = final_score(&position.replayed());
    if (replayed.score, &replayed.status.dead) != (given.score, &given.status.dead) {
        return Err(format!("the score was {}, and {} after replaying the game", given.score, replayed.score));
    }
    let rule = position.rule();
    let coordinate = position.board().coordinate();
    let [black, white] = [0, 1].map(|color: usize| {
        coordinate.points().filter(|&point| given.areas.get(color).is_some_and(|area| area.contains(point))).count()
    });
    if rule.scoring == Scoring::Area && rule.tax == Tax::None {
        let button = given.score.button.map_or(0.0, button_points);
        let margin = black as f64 - white as f64 - rule.komi - given.score.handicap_bonus + button;
        if margin != given.score.margin() {
            return Err(format!("the score is {}, but {margin} by ownership", given.score));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, Move, played};
    use crate::search::search_result_of;

    /// The position after these moves, Black first, and the one before the last of them.
    fn game(moves: &str) -> (Position, Position) {
        let start = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let (before, last) = moves.rsplit_once(' ').unwrap();
        let before = played(start, before);
        (played(before.clone(), last), before)
    }

    #[test]
    fn accepts_a_game_as_played() {
        let (now, before) = game("B2 B1 A1 C2 pass A2");
        assert_eq!(position(&now, &before), Ok(()));
        assert_eq!(result(&now, now.to_move(), &search_result_of(&now, 50)), Ok(()));
    }

    #[test]
    fn detects_a_foreign_ren_database() {
        let (mut now, before) = game("B2 D4 C3");
        now.replace_ren_db(before.ren_db().clone()).unwrap();
        assert_eq!(position(&now, &before), Err("ren database after replaying the game".to_owned()));
    }

    #[test]
    fn detects_an_undo_to_another_position() {
        let (now, _) = game("B2 D4 C3");
        let (_, other) = game("B2 D3 C3");
        assert_eq!(position(&now, &other), Err("stones after undo".to_owned()));
        let (_, other) = game("B2 pass D4 C3");
        assert!(position(&now, &other).is_err());
    }

    #[test]
    fn compares_history_as_well_as_stones() {
        let (a, _) = game("B2 D4");
        let mut turned = a.clone();
        turned.set_to_move(Color::White);
        assert_eq!(compare(&a, &turned), Err("side to move"));
        // the same stones after other moves
        let (b, _) = game("B2 pass pass D4");
        assert_eq!(compare(&a, &b), Err("history"));
        let mut loaded = a.clone();
        loaded.replace_ren_db(game("B2 pass").0.ren_db().clone()).unwrap();
        assert_eq!(compare(&a, &loaded), Err("ren database"));
        assert_eq!(compare(&a, &a.clone()), Ok(()));
    }

    #[test]
    fn detects_illegal_candidates_and_wrong_visit_counts() {
        let (now, _) = game("B2 D4");
        let mut searched = search_result_of(&now, 50);
        searched.candidates.iter_mut().find(|candidate| candidate.visits > 0).unwrap().play =
            Move::Play(now.board().coordinate().parse_vertex("D4").unwrap());
        assert_eq!(result(&now, Color::Black, &searched), Err("the search visited black D4: masonry".to_owned()));
        let mut searched = search_result_of(&now, 50);
        searched.visits = 49;
        assert_eq!(result(&now, Color::Black, &searched), Err("50 visits of moves, 49 of the position".to_owned()));
    }

    #[test]
    fn detects_a_score_that_differs_from_replay_or_ownership() {
        let (now, _) = game("B2 D4 pass pass");
        let final_score = final_score(&now);
        assert_eq!(score(&now, &final_score), Ok(()));
        let mut other = final_score.clone();
        other.score.komi = 1.5;
        assert!(score(&now, &other).is_err_and(|error| error.contains("after replaying the game")));
        let mut other = final_score;
        other.areas[1].insert(now.board().coordinate().parse_vertex("A5").unwrap());
        other.areas[1].insert(now.board().coordinate().parse_vertex("E1").unwrap());
        assert!(score(&now, &other).is_err_and(|error| error.contains("by ownership")));
    }
}
