//! Scores and dead stones of finished games, compared with those of another program.

use std::collections::BTreeSet;

use kifuwarabe_uec14::kernel::{Color, Coordinate, GameRule, Point, Position};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::player::{final_score, final_score_with};

use crate::support::{make_moves, slow_tests};

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
fn scores_and_dead_stones_agree_with_another_program() {
    let lines = SMALL_BOARDS.lines().filter(|line| !line.starts_with('#'));
    let mut agreement = Agreement::default();
    for line in lines.step_by(if slow_tests() { 1 } else { SAMPLES[0] }) {
        let [rules, score, dead, moves] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let rule = GameRule::with_komi(6.5).named(rules).unwrap();
        agreement.add(Coordinate::square(9).unwrap(), rule, [score, dead, moves]);
    }
    agreement.print();
    let Agreement { games, scores, dead_lists } = agreement;
    assert!(games >= 39);
    assert!(scores * 100 >= games * 95, "{scores} of {games} scores");
    assert!(dead_lists * 100 >= games * 98, "{dead_lists} of {games} lists of dead stones");
}

#[test]
fn scores_and_dead_stones_agree_with_another_program_on_all_sizes() {
    let lines = ALL_SIZES.lines().filter(|line| !line.starts_with('#'));
    let mut agreement = Agreement::default();
    for line in lines.step_by(if slow_tests() { 1 } else { SAMPLES[1] }) {
        let [size, rules, komi, score, dead, moves] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let rule = GameRule::with_komi(komi.parse().unwrap()).named(rules).unwrap();
        agreement.add(Coordinate::square(size.parse().unwrap()).unwrap(), rule, [score, dead, moves]);
    }
    agreement.print();
    let Agreement { games, scores, dead_lists } = agreement;
    assert!(games >= 28);
    assert!(scores * 100 >= games * 92, "{scores} of {games} scores");
    assert!(dead_lists * 100 >= games * 97, "{dead_lists} of {games} lists of dead stones");
}

/// The fourth game of the Honinbo title match of 1973, up to the agreement to stop. Black won by 7.5 points.
const HONINBO_1973_4: &str = "Q16 D4 R4 C16 E17 P3 M4 H16 P4 E16 Q3 D17 Q10 D10 F4 O16 O15 N15 O14 R17 P16 S15 D6 E5 C3 C4 D3 E6 E4 D5 \
    G6 J6 H7 K3 H3 H4 G4 O4 O3 N3 P2 O2 O5 P3 R16 S16 O3 H2 J3 P3 D15 D16 O3 J4 K2 J2 G3 L3 N4 E8 C12 C11 L2 \
    M2 K4 K1 L4 L1 S13 J10 F7 E7 E11 G9 B11 B10 D11 C10 E15 F15 F14 G15 H12 Q14 O17 R12 R13 Q13 R11 N16 R18 \
    S17 Q17 N14 O13 N13 O12 D13 E13 C14 N12 S18 K12 G11 G12 F11 F12 M17 M18 L18 N18 Q18 P18 R19 L17 K18 M16 \
    J13 H11 N17 F9 F8 G8 F10 H9 Q12 S12 P15 Q11 E9 H10 R15 M13 L16 M15 K17 M14 L17 D12 J12 J11 K13 L12 B3 B2 \
    B4 G2 A2 B1 S11 S10 C15 C13 D14 E14 B14 H14 J15 H1 O1 B12 A10 H13 L15 J14 K14 H15 K15 M3 N2 P12 F6 G7 F5 \
    G5 P1 Q1 S14 P14 Q15 T14 T15 T13 G14 G13 L13";

/// Playouts leave too many points of this game without a clear owner for a count; the net's ownership does not.
#[test]
fn a_game_that_is_finished_by_the_nets_ownership_is_counted_by_it() {
    let rule = GameRule::with_komi(4.5).named("japanese").unwrap();
    let mut position = Position::new(Coordinate::square(19).unwrap(), rule, 0, Color::Black);
    make_moves(&mut position, HONINBO_1973_4);
    let result = final_score_with(&position, Some(&Net::built_in().unwrap()));
    assert_eq!((result.score.to_string().as_str(), result.is_finished), ("B+7.5", true));
}
