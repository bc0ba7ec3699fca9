//! Scores in detail of games that players have stopped: `tests/data/ended_games.txt`.
//!
//! A paragraph is a position (`japanese, black to move`, then the rows from rank 1 down, each followed by the owners of
//! its points at the end), and what the score counts. In the games under Japanese rules the professionals who played them
//! counted the same (prisoners of the game and its komi are left out here). `UPDATE_EXPECT=1 cargo test` rewrites the
//! scores.

use std::fmt::Write;

use expect_test::expect_file;
use kifuwarabe_uec14::kernel::{Color, GameRule, Position};
use kifuwarabe_uec14::player::{ScoreDetails, final_score};
use serde_json::Value;

use crate::engine::repository;
use crate::support::parse;

/// The parts of a score that are shown. Komi and rules are the same everywhere, and no stones were taken before.
const SHOWN: [&str; 9] = ["score", "isFinished", "black", "white", "neutral", "filled", "dead", "seki", "leastSure"];

#[test]
fn ended_games_are_scored_as_before() {
    let file = repository().join("tests/data/ended_games.txt");
    let text = std::fs::read_to_string(&file).unwrap();
    let scored: Vec<String> = text.split("\n\n").map(scored).collect();
    assert!(scored.len() >= 16, "{} games", scored.len());
    expect_file![file].assert_eq(&scored.join("\n"));
}

/// The paragraph of a game with its present score.
fn scored(paragraph: &str) -> String {
    let mut lines = paragraph.lines();
    let title = lines.next().unwrap();
    let (rules, turn) = title.split_once(", ").unwrap();
    let rows: Vec<&str> = lines
        .take_while(|line| !line.contains(':'))
        .map(|line| &line[..line.find(' ').unwrap_or(line.len())])
        .collect();
    let (coordinate, stones) = parse(&rows.join("\n"));
    let rule = GameRule::with_komi(6.5).with_rule_set(rules).unwrap();
    let to_move = Color::parse(turn.split(' ').next().unwrap()).unwrap();
    let mut position = Position::new(coordinate, rule, 0, to_move);
    position.set_up(&stones).unwrap();

    let details = ScoreDetails::new(&position, &final_score(&position));
    let details = serde_json::to_value(details).unwrap();
    let owners = details["owners"].as_array().unwrap();
    let mut text = format!("{title}\n");
    // owners are listed from the highest rank down
    for (row, owners) in rows.iter().zip(owners.iter().rev()) {
        writeln!(text, "{row}  {}", owners.as_str().unwrap()).unwrap();
    }
    for name in SHOWN {
        writeln!(text, "{name}: {}", shown(&details[name])).unwrap();
    }
    text
}

/// A value in a line; a list of rens or moves as words.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(ren) if ren.contains_key("stones") && ren.contains_key("ownership") => {
            format!("{} ({:.2})", shown(&ren["stones"]).replace(", ", " "), ren["ownership"].as_f64().unwrap())
        }
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
