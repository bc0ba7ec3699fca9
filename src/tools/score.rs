//! `--score FILE`: the score of a game record as text.
//!
//! The score and the dead stones come from [`final_score_with`], as for every score of the engine. This file compares
//! them with the result in the record.

use std::fmt::Write;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;

use crate::io::files;
use crate::kernel::{Position, Score};
use crate::net::Net;
use crate::player::{FinalScore, ScoreDetails, final_score_with};
use crate::sgf::{self, GameRecord, PlayablePart};
use crate::text::plural::counted;
use crate::text::quote;

/// The score in detail, and the notes of a record's score.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RecordScore {
    #[serde(flatten)]
    details: ScoreDetails,
    /// In an estimate by a net, the standard deviation of the final score in points.
    #[serde(rename = "leadStdev", skip_serializing_if = "Option::is_none")]
    score_stdev: Option<f64>,
    /// The first illegal move, before which the position is scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    illegal_move: Option<String>,
}

/// The score at the end of the record's main line, or before its first illegal move, the dead stones, rules and komi
/// with their source, and the record's own result if it differs; several lines, each with its line end. With `json`,
/// the score in detail on one line. `configured` supplies rules and komi that the record lacks; a net with a score head
/// checks the count.
///
/// # Errors
/// A file that cannot be read, is no game record, or has an impossible set-up; the message names the file.
pub fn run(path: &Path, configured: &Position, json: bool, net: Option<&Net>) -> anyhow::Result<String> {
    let bytes = files::read(path).context("--score")?;
    let in_file = || format!("--score {}", path.display());
    let game = sgf::read(&bytes).with_context(in_file)?;
    let playable = sgf::playable_part(&game, &sgf::defaults_for(&game, configured)).with_context(in_file)?;
    let PlayablePart { position, illegal } = playable;
    let final_score = final_score_with(&position, net);
    if json {
        let score = RecordScore {
            details: ScoreDetails::new(&position, &final_score),
            score_stdev: final_score.score_stdev.map(|stdev| (f64::from(stdev) * 10.0).round() / 10.0),
            illegal_move: illegal.map(|illegal| illegal.brief()),
        };
        return Ok(serde_json::to_string(&score)? + "\n");
    }
    let mut text = text(&game, &position, &final_score, sgf::rules_of(&game, configured.rule()).is_some());
    if sgf::has_several_games(&bytes) {
        text += "games: only the first of the file is scored\n";
    }
    if let Some(illegal) = illegal {
        text += &(illegal.warning() + "\n");
    }
    Ok(quote::lines(&text))
}

fn text(game: &GameRecord, position: &Position, final_score: &FinalScore, has_rules: bool) -> String {
    let board = position.board();
    let FinalScore { score, status, .. } = final_score;
    let mut text = format!("{score}\n");
    let dead = board.rens_among(&status.dead);
    for ren in &dead {
        let _ = writeln!(text, "dead: {}", board.coordinate().vertices(ren));
    }
    if dead.is_empty() {
        text.push_str("dead: none\n");
    }
    if !final_score.is_finished {
        match (position.is_over() || !position.rule().has_agreement(), final_score.score_stdev) {
            (true, _) => text.push_str("not finished: counted as if the game ended now\n"),
            (false, None) => text.push_str("not finished: the score is an estimate\n"),
            (false, Some(stdev)) => {
                let _ = writeln!(text, "not finished: the score is an estimate, ± {stdev:.1} (standard deviation)");
            }
        }
    }
    let source = match &game.rules {
        Some(_) if has_rules => "the record".to_owned(),
        Some(unknown) => format!("the configuration; the record says {unknown}, which names no rules known here"),
        None => "the configuration".to_owned(),
    };
    let note = position.rule().approximation_note().map(|note| format!("; {note}")).unwrap_or_default();
    let _ = writeln!(text, "rules: {}, from {source}{note}", position.rule().name_or_other());
    let source = match &game.unclear_komi {
        _ if game.komi.is_some() => "the record".to_owned(),
        Some(unclear) => format!("the configuration; the record says {unclear}, which is no komi known here"),
        None => "the configuration".to_owned(),
    };
    let _ = writeln!(text, "komi: {}, from {source}", score.komi);
    if let Some((declared, counted_stones)) = sgf::handicap_mismatch(game) {
        let counts = if counted_stones == 0 { "none".to_owned() } else { counted_stones.to_string() };
        let _ = writeln!(
            text,
            "handicap stones: {counts}; the record says {declared}, but does not set up that many black stones"
        );
    }
    if score.handicap_bonus != 0.0 {
        let _ = writeln!(text, "handicap: {} for White", counted(score.handicap_bonus, "point"));
    }
    if let Some(result) = game.known_result().filter(|_| !agrees(game, score)) {
        let is_known = game.counted_margin().is_some() || game.winner_without_margin().is_some();
        let verdict = if is_known { "differs" } else { "is not understood" };
        let _ = writeln!(text, "the record's own result {verdict}: {result}");
    }
    text
}

/// Whether a record's result equals the score. Of a result without points only the winner is compared.
fn agrees(game: &GameRecord, score: &Score) -> bool {
    // scores are displayed in single precision
    let margin = score.margin() as f32;
    let expected = game.winner_without_margin();
    let has_equal_margin = game.counted_margin().map(|margin| margin as f32) == Some(margin);
    has_equal_margin || (expected.is_some() && expected == score.winner())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule};
    use crate::player::final_score;

    #[test]
    fn missing_results_and_invalid_komi_are_reported() {
        let coordinate = Coordinate::square(5).unwrap();
        let position = Position::new(coordinate, GameRule::with_komi(0.5), 99, Color::Black);
        let report =
            |record: &str| text(&sgf::read(record.as_bytes()).unwrap(), &position, &final_score(&position), false);
        for result in ["?", "Void", " void "] {
            assert!(!report(&format!("(;SZ[5]RE[{result}])")).contains("differs"), "{result}");
        }
        for result in ["Voided", "B+nan", "Black wins by 2.5"] {
            let expected = format!("the record's own result is not understood: {result}\n");
            assert!(report(&format!("(;SZ[5]RE[{result}])")).contains(&expected), "{result}");
        }
        assert!(report("(;SZ[5]RE[B+2.5])").contains("the record's own result differs: B+2.5\n"));
        for komi in ["abc", "375", "1e300", "0x5", "6.5x", "1_000"] {
            let expected =
                format!("komi: 0.5, from the configuration; the record says {komi}, which is no komi known here\n");
            assert!(
                report(&format!("(;SZ[5]KM[{komi}])")).contains(&expected),
                "{}",
                report(&format!("(;SZ[5]KM[{komi}])"))
            );
        }
        assert!(report("(;SZ[5]KM[])").contains("komi: 0.5, from the configuration\n"));
        // the first valid komi counts
        assert!(report("(;SZ[5]KM[even]KM[0.5]KM[x])").contains("komi: 0.5, from the record\n"));
    }

    #[test]
    fn equal_results_in_other_spellings() {
        let coordinate = Coordinate::square(9).unwrap();
        let score =
            |komi: f64| final_score(&Position::new(coordinate, GameRule::with_komi(komi), 99, Color::Black)).score;
        for (komi, result, expected) in [
            (6.5, "W+6.5", true),
            (6.5, "w+6.50", true),
            (6.5, "W+6,5", true),
            (6.5, "W+7,5", false),
            (6.5, "B+6.5", false),
            (6.5, "W+R", true),
            (6.5, "B+R", false),
            (6.5, "W+Time", true),
            (6.5, "B+T", false),
            (6.5, "W+", true),
            (6.5, "B+", false),
            (-3.0, "B+", true),
            (6.5, "?", false),
            (6.5, "0", false),
            (6.5, "Draw", false),
            (0.0, "B+", false),
            (0.0, "W+R", false),
            (-3.0, "B+3.00", true),
            (6.7, "W+6.7", true),
            (0.0, "0", true),
            (0.0, "Draw", true),
            (0.0, "B+0", true),
            (0.0, "W+NaN", false),
        ] {
            let game = GameRecord { result: Some(result.to_owned()), ..GameRecord::new(coordinate) };
            assert_eq!(agrees(&game, &score(komi)), expected, "{result} {komi}");
        }
    }
}
