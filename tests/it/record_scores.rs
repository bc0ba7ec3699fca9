//! `final_score` of professional games that ended with a counted result.
//!
//! The records stop when both players agree: dame and the last reinforcements are not played out. So the score has to
//! play the end out before it counts. The table of records is outside of the project; without it the test prints
//! SKIPPED and passes. `KIFUWARABE_SCORE_GAMES=300 cargo test --test it record_scores -- --nocapture` reads more games
//! and prints those that differ; with `KIFUWARABE_SCORE_NET=FILE`, a net of KataGo's checks the counts in place of the
//! built-in one.

use std::io::Read;
use std::sync::Arc;
use std::time::Instant;

use flate2::read::GzDecoder;
use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, KoRule, Point, Position};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::net::simd::InstructionSet;
use kifuwarabe_uec14::player::{FinalScore, final_score_with};
use md5::{Digest, Md5};

use crate::katago_nets;
use crate::support::{external, slow_tests};

/// Games that the slow tests score, unless the environment names a number.
const GAMES: usize = 60;

/// Games that the other tests score with the built-in net, and without a net.
const FEW_GAMES_WITH_NET: usize = 10;
const FEW_GAMES_WITHOUT_NET: usize = 24;

/// The number of games of a test: that of the environment, or [`GAMES`] in the slow tests, or else `few`.
fn game_count(few: usize) -> usize {
    let default = if slow_tests() { GAMES } else { few };
    std::env::var("KIFUWARABE_SCORE_GAMES").map_or(default, |text| text.parse().unwrap())
}

/// A game under territory scoring, with the margin of its result for Black.
struct Game {
    name: String,
    position: Position,
    margin: f64,
}

/// The games of the table in an order by the digest of their names, so that any number of them is a random sample.
fn games(count: usize) -> Option<Vec<Game>> {
    let bytes = std::fs::read(external("records/aeb.tsv.gz")?).unwrap();
    let mut text = Vec::new();
    GzDecoder::new(bytes.as_slice()).read_to_end(&mut text).unwrap();
    let text = String::from_utf8_lossy(&text);
    let mut lines: Vec<&str> = text.lines().filter(|line| is_territory_game(line)).collect();
    lines.sort_by_cached_key(|line| Md5::digest(line.split('\t').next().unwrap().as_bytes()).to_vec());
    Some(lines.into_iter().filter_map(game).take(count).collect())
}

/// Whether a line is an even game of 19x19 under territory rules with a counted result.
fn is_territory_game(line: &str) -> bool {
    let fields: Vec<&str> = line.split('\t').collect();
    let counted = fields[4].split_once('+').is_some_and(|(_, points)| points.parse::<f64>().is_ok());
    fields[1] == "19"
        && ["4.5", "5.5", "6.5"].contains(&fields[2])
        && fields[3].is_empty()
        && ["", "Japanese", "JPN"].contains(&fields[5])
        && counted
        && fields[13].is_empty()
}

fn game(line: &str) -> Option<Game> {
    let fields: Vec<&str> = line.split('\t').collect();
    let (winner, points) = fields[4].split_once('+')?;
    let points: f64 = points.parse().ok()?;
    let coordinate = Coordinate::square(19).unwrap();
    let rule =
        GameRule { ko: KoRule::Simple, ..GameRule::with_komi(fields[2].parse().ok()?).with_rule_set("japanese")? };
    let mut position = Position::new(coordinate, rule, 0, Color::Black);
    for letters in fields[14].as_bytes().chunks(3) {
        let color = if letters[0] == b'B' { Color::Black } else { Color::White };
        match letters[1..] {
            [b'.', _] => position.pass(color),
            [x, y] => {
                let point: Point = coordinate.point(x - b'a' + 1, 19 - (y - b'a'))?;
                position.play(color, point).ok()?;
            }
            _ => return None,
        };
    }
    let margin = if winner == "B" { points } else { -points };
    Some(Game { name: fields[0].to_owned(), position, margin })
}

/// The numbers of games whose score is the record's, and within two points of it; prints those that differ, and times.
fn compare(games: &[Game], net: Option<&Net>) -> (usize, usize) {
    let (mut exact, mut near, mut times) = (0, 0, Vec::new());
    for Game { name, position, margin } in games {
        let begin = Instant::now();
        let FinalScore { score, filled, .. } = final_score_with(position, net);
        times.push(begin.elapsed());
        let mut end = position.clone();
        for (color, point) in filled {
            if color != end.to_move() {
                end.pass(end.to_move());
            }
            end.play(color, point).unwrap_or_else(|rule| panic!("{name}: {rule:?} in what is played out"));
        }
        let difference = score.margin() - margin;
        exact += usize::from(difference == 0.0);
        near += usize::from(difference.abs() <= 2.0);
        if difference != 0.0 {
            eprintln!("{name}: record {margin:+}, counted {:+}", score.margin());
        }
    }
    times.sort_unstable();
    let (count, median) = (games.len(), times[games.len() / 2]);
    eprintln!(
        "{count} games: {exact} exact, {near} within two points; median {median:.2?}, longest {:.2?}",
        times[count - 1]
    );
    (exact, near)
}

#[test]
fn professional_games_are_scored_as_they_were_counted() {
    let count = game_count(FEW_GAMES_WITH_NET);
    let Some(games) = games(count) else { return };
    assert_eq!(games.len(), count);
    let net = match std::env::var_os("KIFUWARABE_SCORE_NET") {
        Some(file) => Arc::new(Net::read(&std::fs::read(file).unwrap(), InstructionSet::best()).unwrap()),
        None => Net::built_in().unwrap(),
    };
    let (exact, near) = compare(&games, Some(&net));
    // one game more or less, since processors add in different orders
    assert!((exact + 1) * 100 >= count * 80 && (near + 1) * 100 >= count * 95, "{exact} exact, {near} near of {count}");
}

#[test]
fn professional_games_are_scored_without_a_net() {
    let count = game_count(FEW_GAMES_WITHOUT_NET);
    let Some(games) = games(count) else { return };
    assert_eq!(games.len(), count);
    let (exact, near) = compare(&games, None);
    // counted as they stand, 38 in 100 are exact, and 73 within two points
    assert!(exact * 100 >= count * 74 && near * 100 >= count * 95, "{exact} exact, {near} near of {count}");
}

#[test]
fn a_net_of_katago_checks_the_counts() {
    let (Some(games), Some(folder)) = (games(3), katago_nets::folder()) else { return };
    let net = katago_nets::net(&folder, "g170-b6c96-s175395328-d26788732.bin.gz");
    let (without, with) = (compare(&games, None), compare(&games, Some(&net)));
    assert!(with.0 > without.0 && with.1 == games.len(), "{with:?}, without a net {without:?}");
}

/// Positions some 30 moves of each player before the end: hardly one is finished, and the estimate by the built-in net
/// is near the result of the game. Counted as they stand, 34 of 60 are.
#[test]
fn unfinished_games_are_estimated() {
    let Some(games) = games(12) else { return };
    let net = Net::built_in().unwrap();
    let (mut finished, mut near) = (0, 0);
    for Game { mut position, margin, .. } in games {
        for _ in 0..60 {
            position.undo().unwrap();
        }
        let FinalScore { score, is_finished, .. } = final_score_with(&position, Some(&net));
        finished += usize::from(is_finished);
        near += usize::from((score.margin() - margin).abs() <= 10.0);
    }
    assert!(finished <= 2 && near >= 9, "{finished} finished, {near} near of 12");
}
