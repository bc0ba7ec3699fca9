//! Scores and dead stones of finished games, compared with those of GNU Go.

use std::collections::BTreeSet;

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Point, Position};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::player::{final_score, final_score_with};

use crate::support::{make_moves, parse, slow_tests};

const SMALL_BOARDS: &str = include_str!("../data/finished_9x9.tsv");

const ALL_SIZES: &str = include_str!("../data/finished_games.tsv");

/// Every fifth game of [`SMALL_BOARDS`] and every third of [`ALL_SIZES`] is scored, unless slow tests are enabled.
const SAMPLES: [usize; 2] = [5, 3];

/// The numbers of games, of the same scores, and of the same lists of dead stones.
#[derive(Default)]
struct Agreement {
    games: usize,
    scores: usize,
    dead_lists: usize,
}

impl Agreement {
    fn add(&mut self, coordinate: Coordinate, rule: GameRule, [score, dead, moves]: [&str; 3]) {
        let mut position = Position::new(coordinate, rule, 0, Color::Black);
        make_moves(&mut position, moves);
        let result = final_score(&position);
        let theirs: BTreeSet<Point> =
            dead.split_whitespace().map(|vertex| coordinate.parse_vertex(vertex).unwrap()).collect();
        let ours: BTreeSet<Point> = result.status.dead.iter().collect();
        self.games += 1;
        self.scores += usize::from(result.score.to_string() == score);
        self.dead_lists += usize::from(ours == theirs);
    }

    fn print(&self) {
        let Agreement { games, scores, dead_lists } = self;
        println!("{games} games: the same score in {scores}, the same dead stones in {dead_lists}");
    }
}

#[test]
fn scores_and_dead_stones_agree_with_gnu_go() {
    let lines = SMALL_BOARDS.lines().filter(|line| !line.starts_with('#'));
    let mut agreement = Agreement::default();
    for line in lines.step_by(if slow_tests() { 1 } else { SAMPLES[0] }) {
        let [rules, score, dead, moves] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let rule = GameRule::with_komi(6.5).with_rule_set(rules).unwrap();
        agreement.add(Coordinate::square(9).unwrap(), rule, [score, dead, moves]);
    }
    agreement.print();
    let Agreement { games, scores, dead_lists } = agreement;
    assert!(games >= 39);
    assert!(scores * 100 >= games * 95, "{scores} of {games} scores");
    assert!(dead_lists * 100 >= games * 98, "{dead_lists} of {games} lists of dead stones");
}

#[test]
fn scores_and_dead_stones_agree_with_gnu_go_on_all_sizes() {
    let lines = ALL_SIZES.lines().filter(|line| !line.starts_with('#'));
    let mut agreement = Agreement::default();
    for line in lines.step_by(if slow_tests() { 1 } else { SAMPLES[1] }) {
        let [size, rules, komi, score, dead, moves] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let rule = GameRule::with_komi(komi.parse().unwrap()).with_rule_set(rules).unwrap();
        agreement.add(Coordinate::square(size.parse().unwrap()).unwrap(), rule, [score, dead, moves]);
    }
    agreement.print();
    let Agreement { games, scores, dead_lists } = agreement;
    assert!(games >= 28);
    assert!(scores * 100 >= games * 92, "{scores} of {games} scores");
    assert!(dead_lists * 100 >= games * 97, "{dead_lists} of {games} lists of dead stones");
}

/// A drawn board under Japanese rules, with Black to move.
fn drawn(rows: &str, komi: f64) -> Position {
    let (coordinate, stones) = parse(rows);
    let rule = GameRule::with_komi(komi).with_rule_set("japanese").unwrap();
    let mut position = Position::new(coordinate, rule, 0, Color::Black);
    position.set_up(&stones).unwrap();
    position
}

/// A board at the end of a game, when the players agreed to stop.
const STOPPED: &str = "
    .x.....x.oo..oox...
    ox....xoo..ooox....
    .oxx..xxxooxox.x...
    .oooxxxooxxxx.x.x..
    ...ooox......x.....
    ...xoox.o..........
    ....oxxx...........
    ....oox............
    ....o.ox...........
    oooo.o.xo......x.x.
    .xoxxooxx......xxo.
    .xxx.xxxoxx.xxxoox.
    ..xox.xxoooxox.oxxx
    .oooxxoxxo.xoxxo.ox
    ..oxxooxoooxoxooooo
    ..ooo..o..oxooxxxo.
    ...ox....oooox.xoo.
    .........ooxx.xo.o.
    ................o..
";

/// Playouts leave too many points of this board without a clear owner for a count; the net's ownership does not.
#[test]
fn a_game_that_is_finished_by_the_nets_ownership_is_counted_by_it() {
    let position = drawn(STOPPED, 4.5);
    assert!(!final_score_with(&position, None).is_finished);
    let result = final_score_with(&position, Some(&Net::built_in().unwrap()));
    assert_eq!((result.score.to_string().as_str(), result.is_finished), ("B+10.5", true));
}

/// The end of a game in which all White's stones are dead.
const ONE_COLOR: &str = "
    .o.ooo.x.
    xooxxooox
    x.oxooxx.
    oooxoxo.x
    .xxxxxxx.
    .xx.xxox.
    oooxxooo.
    oxooxo.xo
    .x.oxxox.
";

/// The whole board is Black's. A net would play in Black's territory, or expect White to gain something.
#[test]
fn a_board_with_living_stones_of_one_colour_is_counted_as_it_stands() {
    let mut position = drawn(ONE_COLOR, 5.5);
    position.pass(Color::Black);
    position.pass(Color::White);
    let result = final_score_with(&position, Some(&Net::built_in().unwrap()));
    assert_eq!((result.score.to_string().as_str(), result.filled.as_slice()), ("B+73.5", &[][..]));
}

/// White's group has one eye: Black's stones in it become a nakade of five points at F2. Short searches do not see that.
#[test]
fn a_net_that_does_not_see_a_nakade_does_not_outvote_the_count() {
    let (coordinate, stones) = parse(
        "xxo.ooox.
         .xoxx.oxx
         xxooxxox.
         x.xooooxx
         xxxxxxxx.
         x.x.x.xxx
         xxxxxxxxx
         .x.x.x.x.
         xxxxxxxxx",
    );
    for (rules, expected) in [("chinese", "B+81"), ("japanese", "B+41")] {
        let rule = GameRule::with_komi(0.0).with_rule_set(rules).unwrap();
        let mut position = Position::new(coordinate, rule, 0, Color::Black);
        position.set_up(&stones).unwrap();
        position.pass(Color::Black);
        position.pass(Color::White);
        let result = final_score_with(&position, Some(&Net::built_in().unwrap()));
        assert_eq!(result.score.to_string(), expected, "{rules}");
        assert_eq!(result.status.dead.iter().count(), 13, "{rules}");
    }
}
