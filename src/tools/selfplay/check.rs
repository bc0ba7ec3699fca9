//! What has to be true of a game at every move: comparisons of what is kept with the same found another way.

use crate::kernel::{Color, Move, PointSet, Position, Scoring, Tax};
use crate::player::{FinalScore, final_score};
use crate::search::SearchResult;

/// What is wrong with a position: all that the kernel keeps is derived anew, the game is played again from its start, and
/// the last move is taken back. `before` is the position before that move.
///
/// # Panics
/// As [`Position::assert_consistent`].
pub(super) fn position(position: &Position, before: &Position) -> Result<(), String> {
    position.assert_consistent();
    same(&position.replayed(), position).map_err(|field| format!("{field} after playing the game again"))?;
    let mut back = position.clone();
    back.undo().map_err(|error| error.to_string())?;
    same(&back, before).map_err(|field| format!("{field} after undo"))
}

/// The first thing in which two positions differ.
fn same(a: &Position, b: &Position) -> Result<(), &'static str> {
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

/// Whether a search tried only what may be played, and counted right.
pub(super) fn result(position: &Position, color: Color, result: &SearchResult) -> Result<(), String> {
    let coordinate = position.board().coordinate();
    for candidate in result.candidates.iter().filter(|candidate| candidate.visits > 0) {
        if let Move::Play(point) = candidate.play
            && let Err(reason) = position.check(color, point)
        {
            return Err(format!("the search tried {} {}: {reason}", color, coordinate.vertex(point)));
        }
    }
    let tried: u64 = result.candidates.iter().map(|candidate| u64::from(candidate.visits)).sum();
    if tried > result.visits {
        return Err(format!("{tried} visits of moves, {} of the position", result.visits));
    }
    Ok(())
}

/// Whether a game ends in the same way when it is played again, and whether points and ownership add up.
pub(super) fn ending(position: &Position, settled: &FinalScore, areas: &[PointSet; 2]) -> Result<(), String> {
    let again = final_score(&position.replayed());
    if (again.score, &again.status.dead) != (settled.score, &settled.status.dead) {
        return Err(format!("the score was {}, and {} after playing the game again", settled.score, again.score));
    }
    let rule = position.rule();
    let coordinate = position.board().coordinate();
    let [black, white] = [0, 1].map(|color: usize| {
        coordinate.points().filter(|&point| areas.get(color).is_some_and(|area| area.contains(point))).count()
    });
    if rule.scoring == Scoring::Area && rule.tax == Tax::None {
        let margin = black as f64 - white as f64 - rule.komi - settled.score.white_bonus;
        if margin != settled.score.margin() {
            return Err(format!("the score is {}, but {margin} by ownership", settled.score));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, areas, played};
    use crate::search::search_result_of;

    /// The position after these moves, Black first, and the one before the last of them.
    fn game(moves: &str) -> (Position, Position) {
        let start = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let (before, last) = moves.rsplit_once(' ').unwrap();
        let before = played(start, before);
        (played(before.clone(), last), before)
    }

    #[test]
    fn a_game_as_it_was_played_is_consistent() {
        let (now, before) = game("B2 B1 A1 C2 pass A2");
        assert_eq!(position(&now, &before), Ok(()));
        assert_eq!(result(&now, now.to_move(), &search_result_of(&now, 50)), Ok(()));
    }

    #[test]
    fn a_database_that_is_not_the_games_is_found() {
        let (mut now, before) = game("B2 D4 C3");
        now.replace_ren_db(before.ren_db().clone()).unwrap();
        assert_eq!(position(&now, &before), Err("ren database after playing the game again".to_owned()));
    }

    #[test]
    fn a_way_back_to_elsewhere_is_found() {
        let (now, _) = game("B2 D4 C3");
        let (_, elsewhere) = game("B2 D3 C3");
        assert_eq!(position(&now, &elsewhere), Err("stones after undo".to_owned()));
        let (_, elsewhere) = game("B2 pass D4 C3");
        assert!(position(&now, &elsewhere).is_err());
    }

    #[test]
    fn every_field_is_compared() {
        let (a, _) = game("B2 D4");
        let mut turned = a.clone();
        turned.set_to_move(Color::White);
        assert_eq!(same(&a, &turned), Err("side to move"));
        // the same stones by another way
        let (b, _) = game("B2 pass pass D4");
        assert_eq!(same(&a, &b), Err("history"));
        let mut loaded = a.clone();
        loaded.replace_ren_db(game("B2 pass").0.ren_db().clone()).unwrap();
        assert_eq!(same(&a, &loaded), Err("ren database"));
        assert_eq!(same(&a, &a.clone()), Ok(()));
    }

    #[test]
    fn a_search_of_what_cannot_be_played_is_found() {
        let (now, _) = game("B2 D4");
        let mut found = search_result_of(&now, 50);
        found.candidates.iter_mut().find(|candidate| candidate.visits > 0).unwrap().play =
            Move::Play(now.board().coordinate().parse_vertex("D4").unwrap());
        assert_eq!(result(&now, Color::Black, &found), Err("the search tried black D4: masonry".to_owned()));
        let mut found = search_result_of(&now, 50);
        found.visits = 49;
        assert_eq!(result(&now, Color::Black, &found), Err("50 visits of moves, 49 of the position".to_owned()));
    }

    #[test]
    fn an_ending_that_does_not_add_up_is_found() {
        let (now, _) = game("B2 D4 pass pass");
        let settled = final_score(&now);
        let whose = areas(now.board(), &settled.status.dead);
        assert_eq!(ending(&now, &settled, &whose), Ok(()));
        let mut other = settled.clone();
        other.score.komi = 1.5;
        assert!(ending(&now, &other, &whose).is_err_and(|fault| fault.contains("after playing the game again")));
        let [black, mut white] = whose;
        white.insert(now.board().coordinate().parse_vertex("A5").unwrap());
        white.insert(now.board().coordinate().parse_vertex("E1").unwrap());
        assert!(ending(&now, &settled, &[black, white]).is_err_and(|fault| fault.contains("by ownership")));
    }
}
