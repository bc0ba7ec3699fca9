//! The texts of `score`, `hint` and `review`.

use std::fmt::Write;

use crate::kernel::{Coordinate, Move, Position, lead_text};
use crate::player::FinalScore;
use crate::player::review::{largest_mistakes, mistakes};
use crate::search::{Candidate, SearchResult};
use crate::terminal::play::game::advice::{Hint, MoveReview};
use crate::text::plural::counted;

/// Length of the variation in a hint, in moves.
const VARIATION_LENGTH: usize = 8;

/// Moves that a review lists.
const MAX_LISTED: usize = 10;

/// Number of alternative moves in a hint.
const ALTERNATIVES: usize = 2;

/// The score of a game that is over or finished: whether it is finished, the rules behind it, and the dead stones.
pub(super) fn score(position: &Position, final_score: &FinalScore) -> String {
    let how = if final_score.is_finished { "finished" } else { "counted as the board stands" };
    let mut text = format!("{}, {how} ({}", final_score.score, rules(position, final_score));
    // writing to a String cannot fail, here and below
    let _ = write!(text, ")\ndead stones: {}", dead_stones(position, final_score));
    if !final_score.is_finished {
        text += "\nmoves could still change the score: undo to play on";
    }
    text
}

/// The score of a game that goes on: the lead that a search expects with its standard deviation, the rules, and the
/// stones that would be dead now.
pub(super) fn estimate(position: &Position, final_score: &FinalScore, result: &SearchResult) -> String {
    if result.stats_samples == 0 {
        return "no estimate of the score: the search was stopped".to_owned();
    }
    let lead = lead_text(result.lead).unwrap_or_else(|| "0.0".to_owned());
    let (stdev, samples) = (result.score_stdev, sample_count(result));
    format!(
        "estimate: {lead} ± {stdev:.1}, mean and standard deviation of {samples} ({})\n\
         dead stones, if no more is played: {}\nthe game is not finished",
        rules(position, final_score),
        dead_stones(position, final_score)
    )
}

/// Rules, komi and handicap bonus.
fn rules(position: &Position, final_score: &FinalScore) -> String {
    let name = position.rule().name_or_other();
    let bonus = final_score.score.handicap_bonus;
    let bonus =
        if bonus == 0.0 { String::new() } else { format!(", {} for White for the handicap", counted(bonus, "point")) };
    format!("{name} rules, komi {}{bonus}", final_score.score.komi)
}

fn dead_stones(position: &Position, final_score: &FinalScore) -> String {
    let board = position.board();
    let dead = board.rens_among(&final_score.status.dead).concat();
    if dead.is_empty() { "none".to_owned() } else { board.coordinate().vertices(&dead) }
}

/// The number of samples over which a search averages its numbers, with their unit: `60 playouts`.
fn sample_count(result: &SearchResult) -> String {
    counted(result.stats_samples, if result.is_by_net { "evaluation" } else { "playout" })
}

/// The person's moves that lost the most, each with the move that the search preferred, and the mean loss of all.
pub(super) fn review(position: &Position, review: &MoveReview) -> String {
    let coordinate = position.board().coordinate();
    let mut text = String::new();
    for mistake in largest_mistakes(&mistakes(&review.losses), MAX_LISTED) {
        let number = mistake.number;
        let Some(item) = position.record().items().get(number - 1) else { continue };
        let (vertex, class) = (item.play.vertex(coordinate), mistake.class.name());
        let (rate, points) = (percent(mistake.loss.win_probability), mistake.loss.points);
        let _ = write!(text, "move {number}: {vertex} lost {rate} and {points:.1} points, {class}");
        if let Some(Some(better)) = review.better.get(number - 1) {
            let _ = write!(text, ", better {}", better.vertex(coordinate));
        }
        text.push('\n');
    }
    if text.is_empty() {
        text = "no move of yours was an inaccuracy or worse\n".to_owned();
    }
    let mean = |sum: f32| sum / review.moves.max(1) as f32;
    let win_probability = mean(review.losses.iter().map(|loss| loss.win_probability).sum());
    let points = mean(review.losses.iter().map(|loss| loss.points).sum());
    let moves = counted(review.moves, "move");
    let _ = write!(text, "mean loss {:.1}% of win rate and {points:.1} points in {moves}", 100.0 * win_probability);
    let _ = write!(text, "; estimates by {} a position", review.visits);
    text
}

/// The suggested move. In a finished game the score is beside it, as `score` shows it; otherwise the numbers of the
/// search.
pub(super) fn hint(position: &Position, hint: &Hint) -> String {
    let coordinate = position.board().coordinate();
    match (&hint.settled, hint.play) {
        (Some(final_score), Move::Pass) => {
            format!("I would pass: the game is finished\n{}", score(position, final_score))
        }
        (Some(final_score), Move::Play(point)) => {
            let vertex = coordinate.vertex(point);
            format!("I would play {vertex}: only dame and reinforcements are left\n{}", score(position, final_score))
        }
        (None, play) => suggestion(play, &hint.result, coordinate),
    }
}

/// The suggested move with its win rate (side to move), the lead, the variation and alternatives with their win rates.
/// A move that the search did not visit is named without numbers.
fn suggestion(play: Move, result: &SearchResult, coordinate: Coordinate) -> String {
    let mut text = match play {
        Move::Pass => "I would pass: there seems to be nothing left to gain".to_owned(),
        Move::Play(point) => format!("I would play {}", coordinate.vertex(point)),
    };
    let visited = || result.candidates.iter().filter(|candidate| candidate.visits > 0);
    let suggested = visited().find(|candidate| candidate.play == play);
    if let Some(suggested) = suggested {
        let leader = if result.lead >= 0.0 { "black" } else { "white" };
        let (lead, stdev, samples) = (result.lead.abs(), result.score_stdev, sample_count(result));
        let standing = match lead < 0.05 {
            true => format!("the mean lead is 0.0 points (standard deviation {stdev:.1}, {samples})"),
            false => format!(
                "{leader} is ahead by {lead:.1} points, the mean of {samples} with a standard deviation of {stdev:.1}"
            ),
        };
        let variation = &suggested.variation;
        let moves = Move::vertices(variation.get(..VARIATION_LENGTH).unwrap_or(variation), coordinate);
        let _ = write!(text, "; win rate {}\n{standing}\nexpected: {moves}", percent(suggested.win_probability));
    }
    let others: Vec<&Candidate> = visited().filter(|other| other.play != play).take(ALTERNATIVES).collect();
    if !others.is_empty() {
        let rates: Vec<String> = others
            .iter()
            .map(|other| format!("{} {}", other.play.vertex(coordinate), percent(other.win_probability)))
            .collect();
        let _ = write!(text, "\nothers: {}", rates.join(", "));
        // the text of a pass has its reason
        if let Some(suggested) = suggested.filter(|suggested| suggested.play != Move::Pass) {
            text += &reason_against(suggested, &others, result, coordinate).unwrap_or_default();
        }
    }
    text
}

/// The reason for the suggested move, where another one that is shown has a higher win rate; `None` where none has, or
/// where the move is not the best one of this search.
fn reason_against(
    suggested: &Candidate,
    others: &[&Candidate],
    result: &SearchResult,
    coordinate: Coordinate,
) -> Option<String> {
    let shown = |candidate: &Candidate| (100.0 * candidate.win_probability).round();
    let better = others.iter().find(|other| shown(other) > shown(suggested))?;
    let [name, other] = [suggested, better].map(|candidate| candidate.play.vertex(coordinate));
    Some(if suggested.visits > better.visits {
        format!("; {name} has more visits, {} against {} of {other}", suggested.visits, better.visits)
    } else if result.best().is_some_and(|best| best.play == suggested.play) {
        // by the lower confidence bound
        format!("; the win rate of {name} is more certain than that of {other}")
    } else {
        return None;
    })
}

/// A fraction in per cent, without decimals.
fn percent(fraction: f32) -> String {
    format!("{:.0}%", fraction * 100.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, GameRule, played};
    use crate::player::Options;
    use crate::player::final_score;
    use crate::player::review::MoveLoss;
    use crate::terminal::play::game::TerminalGame;

    #[test]
    fn hint_has_win_rate_lead_variation_and_alternatives() {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let options = Options { max_playouts: 60, seed: 1, ..Options::default() };
        let mut game = TerminalGame::new(position, Color::Black, options, None);
        let Hint { play, mut result, settled } = game.hint();
        assert!(settled.is_none());
        let text = suggestion(play, &result, coordinate);
        let (vertex, value) = (play.vertex(coordinate), percent(result.win_probability()));
        assert!(text.starts_with(&format!("I would play {vertex}; win rate {value}\n")), "{text}");
        assert!(text.contains(" points, the mean of 60 playouts with a standard deviation of "), "{text}");
        assert!(text.contains(&format!("\nexpected: {vertex} ")), "{text}");
        let other = result.candidates[1].play.vertex(coordinate);
        assert!(text.contains(&format!("\nothers: {other} ")), "{text}");
        let text = suggestion(Move::Pass, &result, coordinate);
        assert!(text.starts_with("I would pass: there seems to be nothing left to gain"), "{text}");
        (result.lead, result.score_stdev) = (-0.04, 7.5);
        let text = suggestion(play, &result, coordinate);
        assert!(text.contains("\nthe mean lead is 0.0 points (standard deviation 7.5, 60 playouts)\n"), "{text}");
        result.candidates.clear();
        assert_eq!(suggestion(play, &result, coordinate), format!("I would play {vertex}"));
    }

    #[test]
    fn hint_says_why_a_move_with_a_higher_win_rate_is_not_suggested() {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let options = Options { max_playouts: 60, seed: 1, ..Options::default() };
        let mut result = TerminalGame::new(position, Color::Black, options, None).hint().result;
        for (candidate, (vertex, visits, win_probability)) in
            result.candidates.iter_mut().zip([("C3", 40, 0.6), ("D4", 12, 0.604), ("B2", 8, 0.7)])
        {
            candidate.play = Move::parse(vertex, coordinate).unwrap();
            (candidate.visits, candidate.win_probability) = (visits, win_probability);
        }
        result.candidates.truncate(3);
        let last_line = |result: &SearchResult| {
            suggestion(result.candidates[0].play, result, coordinate).lines().last().unwrap().to_owned()
        };
        assert_eq!(last_line(&result), "others: D4 60%, B2 70%; C3 has more visits, 40 against 8 of B2");
        result.candidates[2].visits = 41;
        assert_eq!(last_line(&result), "others: D4 60%, B2 70%; the win rate of C3 is more certain than that of B2");
        result.candidates[2].win_probability = 0.5;
        assert_eq!(last_line(&result), "others: D4 60%, B2 50%");
        let text = suggestion(result.candidates[1].play, &result, coordinate);
        assert!(text.ends_with("\nothers: C3 60%, B2 50%"), "{text}");
        result.candidates[0].win_probability = 0.9;
        let text = suggestion(result.candidates[1].play, &result, coordinate);
        assert!(text.ends_with("\nothers: C3 90%, B2 50%"), "{text}");
    }

    #[test]
    fn hint_in_a_finished_game_has_its_score() {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let mut settled = final_score(&position);
        settled.is_finished = true;
        let options = Options { max_playouts: 20, seed: 1, ..Options::default() };
        let found = TerminalGame::new(position.clone(), Color::Black, options, None).hint();
        let mut found = Hint { play: Move::Pass, settled: Some(settled), ..found };
        let score = score(&position, found.settled.as_ref().unwrap());
        assert!(score.contains(", finished (chinese rules, komi 0.5)\ndead stones: none"), "{score}");
        assert_eq!(hint(&position, &found), format!("I would pass: the game is finished\n{score}"));
        found.play = Move::parse("C3", coordinate).unwrap();
        let text = format!("I would play C3: only dame and reinforcements are left\n{score}");
        assert_eq!(hint(&position, &found), text);
    }

    #[test]
    fn score_names_rules_komi_bonus_and_dead_stones() {
        let coordinate = Coordinate::square(9).unwrap();
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let points = ["C3", "G7"].map(|vertex| coordinate.parse_vertex(vertex).unwrap());
        position.set_handicap(&points).unwrap();
        Color::BOTH.iter().rev().for_each(|&color| position.pass(color));
        let mut final_score = final_score(&position);
        let rules = "(chinese rules, komi 0.5, 2 points for White for the handicap)";
        let text = score(&position, &final_score);
        assert!(text.starts_with(&format!("B+78.5, counted as the board stands {rules}\n")), "{text}");
        assert!(text.ends_with("\nmoves could still change the score: undo to play on"), "{text}");
        final_score.is_finished = true;
        assert_eq!(score(&position, &final_score), format!("B+78.5, finished {rules}\ndead stones: none"));
    }

    #[test]
    fn estimate_has_a_spread_and_its_source() {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let options = Options { max_playouts: 60, seed: 1, ..Options::default() };
        let mut game = TerminalGame::new(position.clone(), Color::Black, options, None);
        let (mut result, is_near_end) = game.estimate();
        assert!(!is_near_end);
        (result.lead, result.score_stdev) = (-3.25, 7.5);
        let final_score = final_score(&position);
        assert_eq!(
            estimate(&position, &final_score, &result),
            "estimate: W+3.2 ± 7.5, mean and standard deviation of 60 playouts (chinese rules, komi 0.5)\n\
             dead stones, if no more is played: none\nthe game is not finished"
        );
        result.is_by_net = true;
        assert!(estimate(&position, &final_score, &result).contains("of 60 evaluations"));
        result.stats_samples = 0;
        assert!(estimate(&position, &final_score, &result).starts_with("no estimate"));
    }

    #[test]
    fn review_lists_the_largest_losses_first() {
        let position = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let position = played(position, "A1 C3 B2 C2");
        let at = |vertex: &str| Some(Move::Play(position.board().coordinate().parse_vertex(vertex).unwrap()));
        let better = vec![at("C3"), None, None, None, None];
        let losses =
            [0.25, 0.0, 0.5, 0.0].map(|win_probability| MoveLoss { win_probability, points: 4.0 * win_probability });
        let found = MoveReview { visits: "500 playouts".to_owned(), losses: losses.to_vec(), moves: 2, better };
        assert_eq!(
            review(&position, &found),
            "move 3: B2 lost 50% and 2.0 points, blunder\n\
             move 1: A1 lost 25% and 1.0 points, blunder, better C3\n\
             mean loss 37.5% of win rate and 1.5 points in 2 moves; estimates by 500 playouts a position"
        );
        let none = MoveReview { losses: vec![MoveLoss::default(); 4], ..found };
        assert!(review(&position, &none).starts_with("no move of yours was an inaccuracy or worse\n"));
    }
}
