//! Scores and dead stones of finished games, compared with those of another program.

use std::collections::BTreeSet;

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Point, Position};
use kifuwarabe_uec14::player::final_score;

use crate::support::slow_tests;

const GAMES: &str = include_str!("../data/finished_9x9.tsv");

/// Every fifth game is scored, unless slow tests are enabled.
const SAMPLE: usize = 5;

#[test]
fn scores_and_dead_stones_agree_with_another_program() {
    let lines = GAMES.lines().filter(|line| !line.starts_with('#'));
    let (mut games, mut scores, mut dead_lists) = (0, 0, 0);
    for line in lines.step_by(if slow_tests() { 1 } else { SAMPLE }) {
        let [rules, score, dead, moves] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let coordinate = Coordinate::square(9).unwrap();
        let rule = GameRule::with_komi(6.5).named(rules).unwrap();
        let mut position = Position::new(coordinate, rule, 0, Color::Black);
        for vertex in moves.split(' ') {
            let color = position.to_move();
            match vertex {
                "pass" => position.pass(color),
                _ => position.play(color, coordinate.parse_vertex(vertex).unwrap()).unwrap(),
            }
        }
        let result = final_score(&position);
        let theirs: BTreeSet<Point> =
            dead.split_whitespace().map(|vertex| coordinate.parse_vertex(vertex).unwrap()).collect();
        let ours: BTreeSet<Point> = result.status.dead.iter().collect();
        games += 1;
        scores += usize::from(result.score.to_string() == score);
        dead_lists += usize::from(ours == theirs);
    }
    println!("{games} games: the same score in {scores}, the same dead stones in {dead_lists}");
    assert!(games >= 39);
    assert!(scores * 100 >= games * 95, "{scores} of {games} scores");
    assert!(dead_lists * 100 >= games * 98, "{dead_lists} of {games} lists of dead stones");
}
