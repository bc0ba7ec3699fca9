//! The input of KataGo's nets: planes of drawn boards, passes, keys, scores, and digests of reference positions.

use kifuwarabe_uec14::kernel::{Board, Color, Coordinate, GameRule, Move, Point, Position, Scoring, parse_diagram};
use kifuwarabe_uec14::net::history::{BoardHistory, FeatureOptions};
use kifuwarabe_uec14::net::katago::features::{Features, PLANES};

use crate::support::make_moves;

/// Positions with a digest of their input. The input of those under Chinese rules agrees in every bit with another
/// implementation, which has been checked against KataGo; for the others, KataGo and another implementation of its net
/// agreed on policy, win, lead and ownership of a net with this input.
const CHECK: &str = include_str!("../data/katago_features.tsv");

/// A position set up from a drawing, with Black to move.
fn set_up(rule: GameRule, drawing: &str) -> Position {
    let board = parse_diagram(drawing).unwrap();
    let mut position = Position::new(board.coordinate(), rule, 0, Color::Black);
    position.set_up(board.stones()).unwrap();
    position
}

fn rule(name: &str, komi: f64) -> GameRule {
    GameRule::with_komi(komi).with_rule_set(name).unwrap()
}

fn features(position: &Position) -> Features {
    BoardHistory::new(position, position.to_move()).features()
}

/// A plane drawn in the order of [`parse_diagram`]: rank 1 first.
fn plane(features: &Features, plane: usize) -> String {
    assert!(plane < PLANES);
    let rows: Vec<String> = features
        .planes()
        .bits()
        .chunks(features.planes().width())
        .rev()
        .map(|row| row.iter().map(|bits| if bits >> plane & 1 == 1 { '#' } else { '.' }).collect())
        .collect();
    rows.join("\n")
}

/// A generator of arbitrary numbers (D. Knuth's MMIX).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

#[test]
fn planes_of_stones_liberties_and_moves() {
    let mut position = set_up(rule("chinese", 7.5), ". x o . .\n. . x . .\n. . . . .\n. . o . .");
    make_moves(&mut position, "E1 A4 pass B3 D2");
    let features = features(&position);
    assert_eq!((features.planes().width(), features.planes().height()), (5, 4));
    assert_eq!(plane(&features, 0), "#####\n#####\n#####\n#####");
    // White to move
    assert_eq!(plane(&features, 1), "..#..\n.....\n.#...\n#.#..");
    assert_eq!(plane(&features, 2), ".#..#\n..##.\n.....\n.....");
    assert_eq!(plane(&features, 3), "..#..\n.....\n.....\n.....");
    assert_eq!(plane(&features, 4), ".#..#\n.....\n.....\n#....");
    assert_eq!(plane(&features, 5), ".....\n.....\n.....\n..#..");
    for number in [6, 7, 8, 11, 20, 21] {
        assert!(!plane(&features, number).contains('#'), "{number}");
    }
    assert_eq!(plane(&features, 9), ".....\n...#.\n.....\n.....");
    assert_eq!(plane(&features, 10), ".....\n.....\n.#...\n.....");
    assert_eq!(plane(&features, 12), ".....\n.....\n.....\n#....");
    assert_eq!(plane(&features, 13), "....#\n.....\n.....\n.....");
    assert_eq!(features.globals()[..6], [0.0, 0.0, 1.0, 0.0, 0.0, 7.5 / 20.0]);
    // White's corner stone has no liberty left to run to: Black takes it
    assert_eq!(plane(&features, 14), "..#..\n.....\n.....\n.....");
    for (index, point) in (0..20).map(|index| (index, features.planes().point(index).unwrap())) {
        assert_eq!(features.planes().index(point), Some(index));
    }
    assert_eq!(features.planes().point(20), None);
    assert_eq!(features.legal().len(), 21);
    // eight stones, and D1 would be suicide
    assert_eq!(features.legal().iter().filter(|&&legal| legal).count(), 20 - 8 - 1 + 1);
}

#[test]
fn planes_of_kos() {
    let drawing = ". x o .\nx . x o\n. x o .\n. . . .";
    for (name, other) in [("chinese", None), ("chinese-ogs", Some(0.5)), ("aga", Some(-0.5))] {
        let mut position = set_up(rule(name, 0.5), drawing);
        make_moves(&mut position, "D4 B2");
        let features = features(&position);
        assert_eq!(plane(&features, 6), "....\n..#.\n....\n....", "{name}");
        let banned = position.board().coordinate().parse_vertex("C2").unwrap();
        assert!(!features.legal()[features.planes().index(banned).unwrap()]);
        assert_eq!(features.globals()[6..8], [f32::from(u8::from(other.is_some())), other.unwrap_or(0.0)]);
    }
}

#[test]
fn planes_of_ladders() {
    let mut position = set_up(
        rule("japanese", 6.5),
        ". . . . . . .\n. . x x . . .\n. x o o . . .\n. . x . . . .\n. . . . . . .\n. . . . . . .\n. . . . . . .",
    );
    let features_before = features(&position);
    assert_eq!(plane(&features_before, 14).matches('#').count(), 2);
    // E3 begins the ladder; D4 lets the stones run the other way into the wall as well
    let starts = plane(&features_before, 17);
    assert!(starts.contains('#'));
    assert!(!plane(&features_before, 18).contains('#') && !plane(&features_before, 19).contains('#'));
    make_moves(&mut position, "pass D4");
    let after = features(&position);
    let taken = |number: usize| plane(&after, number).matches('#').count();
    assert_eq!((taken(15), taken(16)), (2, 2));
    assert_ne!(plane(&after, 14), plane(&after, 15));
}

#[test]
fn planes_of_area() {
    let drawing = ". x . x o .\nx x x x o .\n. . . . o o\n. . . . . .";
    let owners = |name: &str| {
        let features = features(&set_up(rule(name, 6.5), drawing));
        (plane(&features, 18), plane(&features, 19))
    };
    assert_eq!(owners("chinese"), ("####..\n####..\n......\n......".into(), "....##\n....##\n....##\n......".into()));
    // both touch neutral points: only stones count with a tax
    assert_eq!(
        owners("stone-scoring"),
        (".#.#..\n####..\n......\n......".into(), "....#.\n....#.\n....##\n......".into())
    );
    assert_eq!(owners("japanese").0.matches('#').count(), 0);
}

#[test]
fn nets_may_want_areas_as_if_suicide_were_legal() {
    // Black's chain touches only the empty points of the region with White's stones
    let drawing = "o o . x .\n. x x x x\nx x x x x";
    let games = |name: &str| {
        let game = BoardHistory::new(&set_up(rule(name, 0.0), drawing), Color::Black);
        (game.clone(), game.with_pass_alive_by_suicide(true))
    };
    let owners = |game: &BoardHistory| (plane(&game.features(), 18), plane(&game.features(), 19));
    let (without, with) = games("chinese");
    assert_eq!(owners(&without), ("#####\n#####\n#####".into(), ".....\n.....\n.....".into()));
    assert_eq!(owners(&with), ("...##\n.####\n#####".into(), "##...\n.....\n.....".into()));
    assert_ne!(without.hash(), with.hash());
    assert_eq!(without.white_minus_black_if_over(), Some(-15.0));
    assert_eq!(with.white_minus_black_if_over(), Some(2.0 - 11.0));
    let (without, with) = games("tromp-taylor");
    assert_eq!((without.features(), without.hash()), (with.features(), with.hash()));
    assert_eq!(without.white_minus_black_if_over(), with.white_minus_black_if_over());
}

#[test]
fn friendly_passes_are_not_told_of() {
    for (name, is_told) in [("chinese", false), ("tromp-taylor", true), ("japanese", true)] {
        let mut position = set_up(rule(name, 6.5), ". . .\n. . .\n. . .");
        make_moves(&mut position, "B2 pass");
        let game = BoardHistory::new(&position, Color::Black);
        let globals = *game.features().globals();
        assert_eq!((globals[0] == 1.0, globals[14] == 1.0), (is_told, is_told), "{name}");
        assert_eq!(plane(&game.features(), 10).contains('#'), is_told, "{name}");
        let root = FeatureOptions { conservative_pass: true, ..FeatureOptions::default() };
        let is_territory = name == "japanese";
        assert_eq!(game.features_with(&root).globals()[14] == 1.0, is_territory, "{name}");
        assert_ne!(game.hash_with(&root), game.hash(), "{name}");
        // Black would win
        let hacks = FeatureOptions { passing_hacks: true, ..FeatureOptions::default() };
        assert_eq!(game.features_with(&hacks).globals()[14], globals[14], "{name}");
    }
    let mut position = set_up(rule("tromp-taylor", 6.5), ". . .\n. . .\n. . .");
    make_moves(&mut position, "B2 pass B1 pass pass");
    let game = BoardHistory::new(&position, Color::White);
    assert_eq!((game.passes(), game.has_two_passes()), (2, true));
    assert_eq!(game.features().globals()[..2], [1.0, 0.0]);
    let mut later = set_up(rule("tromp-taylor", 12.5), ". . .\n. . .\n. . .");
    make_moves(&mut later, "B2 pass");
    let losing = BoardHistory::new(&later, Color::Black);
    let hacks = FeatureOptions { passing_hacks: true, ..FeatureOptions::default() };
    assert_eq!((losing.features().globals()[14], losing.features_with(&hacks).globals()[14]), (1.0, 0.0));
}

#[test]
fn two_passes_under_territory_scoring_begin_the_encore_in_a_search() {
    let mut position = set_up(rule("japanese", 6.5), ". . .\n. . .\n. . .");
    make_moves(&mut position, "B2 pass");
    let mut game = BoardHistory::new(&position, Color::Black);
    assert_eq!(game.features().globals()[12..15], [0.0, 0.0, 1.0]);
    let before = game.hash();
    game.play(Move::Pass);
    assert!(game.has_two_passes());
    let features = game.features();
    assert_eq!(features.globals()[..5], [0.0; 5]);
    assert_eq!(features.globals()[12..15], [1.0, 0.0, 0.0]);
    assert_ne!(game.hash(), before);
    assert_eq!(game.white_minus_black_if_over(), None);
    // by GTP the game stays in the main phase, with the last move shown
    make_moves(&mut position, "pass");
    let features = BoardHistory::new(&position, Color::White).features();
    assert_eq!((features.globals()[0], features.globals()[1]), (1.0, 0.0));
    assert_eq!(features.globals()[12..15], [0.0, 0.0, 1.0]);
}

#[test]
fn a_repeated_pass_ends_the_game_under_simple_ko() {
    let mut position = set_up(rule("chinese", 0.5), ". x o .\nx . x o\n. x o .\n. . . .");
    make_moves(&mut position, "pass B2 pass pass C2");
    // the board on which Black passed first
    make_moves(&mut position, "pass");
    assert_eq!(features(&position).globals()[14], 1.0);
    let mut other = set_up(rule("chinese", 0.5), ". x o .\nx . x o\n. x o .\n. . . .");
    make_moves(&mut other, "A4 pass");
    assert_eq!(features(&other).globals()[14], 0.0);
}

#[test]
fn a_third_repetition_has_no_result_under_simple_ko() {
    let (black, white) = (". x o .\nx o . o\n. x o .", ". x o .\nx . x o\n. x o .");
    let drawing = [black, white, black].join("\n");
    let mut position = set_up(rule("chinese", 0.5), &drawing);
    let cycle = "C2 B5 C8 B2 C5 B8";
    let is_no_result = |position: &Position| BoardHistory::new(position, position.to_move()).is_no_result();
    make_moves(&mut position, cycle);
    assert!(!is_no_result(&position));
    make_moves(&mut position, cycle);
    assert!(is_no_result(&position));
    assert_eq!(plane(&features(&position), 10).matches('#').count(), 0);
    let mut superko = set_up(rule("aga", 0.5), &drawing);
    make_moves(&mut superko, "C2 B5 C8 B2 C5");
    assert!(
        !BoardHistory::new(&superko, Color::White).is_legal(superko.board().coordinate().parse_vertex("B8").unwrap())
    );
}

#[test]
fn komi_counts_moves_under_territory_scoring() {
    let komi = |position: &Position| features(position).globals()[5] * 20.0;
    let mut position = set_up(rule("japanese", 6.5), "x x .\n. . .\n. . o");
    assert_eq!(komi(&position), -7.5);
    make_moves(&mut position, "B2");
    assert_eq!(komi(&position), 8.5);
    make_moves(&mut position, "pass C2");
    assert_eq!(komi(&position), 9.5);
    let mut position = set_up(rule("chinese", 6.5), "x x .\n. . .\n. . .");
    position.declare_handicap(2);
    assert_eq!(komi(&position), -8.5);
    let position = set_up(rule("chinese", -1e9), "x x .\n. . .\n. . .");
    assert_eq!(komi(&position), 29.0);
}

#[test]
fn first_pass_takes_the_button() {
    let mut position = set_up(rule("aga-button", 7.0), "x x x\n. . .\no o o");
    let inputs = |position: &Position| {
        let globals = *features(position).globals();
        (globals[17], globals[5] * 20.0, globals[14])
    };
    assert_eq!(inputs(&position), (1.0, -7.0, 0.0));
    let mut game = BoardHistory::new(&position, Color::Black);
    // the player to move would get it
    assert_eq!(game.white_minus_black_if_over(), Some(6.5));
    game.play(Move::Pass);
    assert_eq!((game.passes(), game.has_two_passes(), game.white_minus_black_if_over()), (0, false, Some(6.5)));
    make_moves(&mut position, "pass");
    assert_eq!(inputs(&position), (0.0, 6.5, 0.0));
    make_moves(&mut position, "pass");
    assert_eq!(inputs(&position), (0.0, -6.5, 0.0));
    game.play(Move::Pass);
    game.play(Move::Pass);
    assert!(game.has_two_passes());
}

#[test]
fn stones_are_alive_without_agreement() {
    // a White stone in Black's territory
    let drawing = ". x . x o\no x x x o\nx x o o o\n. x o . o";
    let score =
        |name: &str| BoardHistory::new(&set_up(rule(name, 0.0), drawing), Color::Black).white_minus_black_if_over();
    assert_eq!((score("chinese"), score("tromp-taylor")), (Some(-4.0), Some(-1.0)));
}

#[test]
fn scores_of_finished_boards() {
    let score = |name: &str, drawing: &str| {
        let position = set_up(rule(name, 0.5), drawing);
        BoardHistory::new(&position, Color::Black).white_minus_black_if_over()
    };
    let drawing = ". x . x o .\nx x x x o o\n. x x o o .\nx x . o . o";
    // C4 is neutral
    assert_eq!(score("chinese", drawing), Some(10.0 - 13.0 + 0.5));
    assert_eq!(score("tromp-taylor", drawing), Some(10.0 - 13.0 + 0.5));
    // with a tax eyes of groups that touch a neutral point do not count
    assert_eq!(score("stone-scoring", drawing), Some(7.0 - 10.0 + 0.5));
    assert_eq!(score("japanese", drawing), None);
}

/// Legality, and the state after moves by `play`, through arbitrary games under every set of rules.
#[test]
fn follows_the_position_move_by_move() {
    let mut random = Random(1);
    for name in GameRule::names() {
        for (width, height) in [(1, 1), (2, 2), (3, 3), (5, 4), (7, 7), (25, 25)] {
            let coordinate = Coordinate::new(width, height).unwrap();
            let mut rule = rule(name, 3.5);
            rule.can_not_put_on_my_eye = random.below(4) == 0;
            let mut position = Position::new(coordinate, rule, 0, Color::Black);
            let mut game = BoardHistory::new(&position, Color::Black);
            for _ in 0..60.min(4 * coordinate.board_area()) {
                let color = position.to_move();
                let legal: Vec<Point> = coordinate.points().filter(|&p| position.check(color, p).is_ok()).collect();
                let by_game: Vec<Point> = coordinate.points().filter(|&p| game.is_legal(p)).collect();
                assert_eq!(by_game, legal, "{name} {:?}", position.board());
                let play = match legal.len() {
                    0 => Move::Pass,
                    _ if random.below(12) == 0 => Move::Pass,
                    count => Move::Play(legal[random.below(count)]),
                };
                let handicap = position.handicap();
                position.make_move(color, play).unwrap();
                game.play(play);
                assert_eq!((game.board(), game.to_move()), (position.board(), position.to_move()));
                assert_eq!(game.has_two_passes(), position.is_over());
                let again = BoardHistory::new(&position, position.to_move());
                if position.handicap() != handicap {
                    // a game has the handicap bonus of its start; only moves of Black in a row change it
                    game = again.clone();
                }
                if rule.scoring == Scoring::Area {
                    assert_eq!((game.features(), game.hash()), (again.features(), again.hash()), "{name}");
                    assert_eq!(game.white_minus_black_if_over(), again.white_minus_black_if_over());
                } else if game.has_two_passes() {
                    game = again;
                }
                // out of turn, which begins the history anew
                if random.below(30) == 0 {
                    position.set_to_move(position.to_move().opponent());
                    game = BoardHistory::new(&position, position.to_move());
                    assert_eq!(game.features().globals()[..5], [0.0; 5]);
                }
            }
        }
    }
}

#[test]
fn keys_are_equal_for_transpositions_only() {
    let key = |rule: GameRule, moves: &str, color: Color| {
        let mut position = Position::new(Coordinate::new(5, 6).unwrap(), rule, 0, Color::Black);
        make_moves(&mut position, moves);
        BoardHistory::new(&position, color).hash()
    };
    let chinese = rule("chinese", 6.5);
    let base = key(chinese, "A1 B2 C3 D4", Color::Black);
    assert_eq!(key(chinese, "C3 D4 A1 B2", Color::Black), base);
    assert_ne!(key(chinese, "A1 D4 C3 B3", Color::Black), base);
    assert_ne!(key(chinese, "A1 B2 C3 D4", Color::White), base);
    assert_ne!(key(chinese, "A1 B2 C3 D4 pass pass", Color::Black), base);
    let mut seen = vec![base];
    for (name, komi) in GameRule::names().map(|name| (name, 6.5)).chain([("chinese", 7.0)]) {
        seen.push(key(rule(name, komi), "A1 B2 C3 D4", Color::Black));
    }
    seen.sort_unstable();
    seen.dedup();
    // the ten sets of rules, of which `GameRule::names` lists some by several names, and the other komi
    assert_eq!(seen.len(), 11);
}

#[test]
fn edits_by_hand_begin_the_history_anew() {
    let mut position = set_up(rule("chinese", 6.5), ". . . .\n. . . .\n. . . .\n. . . .");
    make_moves(&mut position, "A1 B2 C3 D4");
    let edited: Board = parse_diagram("x . . .\n. o . .\n. . . .\n. . . o").unwrap();
    position.edit(edited.stones()).unwrap();
    let game = BoardHistory::new(&position, Color::Black);
    assert_eq!(game.board(), &edited);
    assert!(!(9..14).any(|number| plane(&game.features(), number).contains('#')));
    make_moves(&mut position, "C3 A4");
    let features = features(&position);
    assert!(plane(&features, 10).contains('#') && !plane(&features, 11).contains('#'));
}

/// The digest of an input: FNV-1a of the planes and of the bits of the global inputs, as 32-bit words.
fn digest(features: &Features) -> u64 {
    let globals = features.globals().iter().map(|value| (value + 0.0).to_bits());
    let legal = features.legal().iter().map(|&legal| u32::from(legal));
    let words = features.planes().bits().iter().copied().chain(globals).chain(legal);
    words.fold(0xcbf2_9ce4_8422_2325, |hash, word| (hash ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3))
}

#[test]
fn reference_positions() {
    let mut count = 0;
    for line in CHECK.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [width, height, name, komi, moves, expected] = fields[..] else { panic!("{line}") };
        let coordinate = Coordinate::new(width.parse().unwrap(), height.parse().unwrap()).unwrap();
        let mut position = Position::new(coordinate, rule(name, komi.parse().unwrap()), 0, Color::Black);
        for (number, word) in moves.split(' ').enumerate() {
            position.set_to_move(if number % 2 == 0 { Color::Black } else { Color::White });
            make_moves(&mut position, word);
        }
        assert_eq!(format!("{:016x}", digest(&features(&position))), expected, "{line}");
        count += 1;
    }
    assert!(count >= 30);
}
