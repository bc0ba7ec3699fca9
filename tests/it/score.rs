//! Scores and the status of stones on drawn boards.

use kifuwarabe_uec14::kernel::{
    Board, Color, Coordinate, GameRule, Move, Point, PointCount, PointSet, Position, Score, ScoreInput, Stone, Tax,
    areas, benson, score, seki_by_definition,
};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::player::{Status, classify_stones, final_score, final_score_with, status_playouts};
use kifuwarabe_uec14::playout::light;

use crate::katago_nets;
use crate::life_and_death::{BENT_FOUR, SEKI};
use crate::support::{RECTANGLES, board, position};

mod fill_in;

fn status_of(board: &Board) -> Status {
    classify_stones(board, Color::Black, status_playouts(board.coordinate().board_area()))
}

fn set(board: &Board, vertices: &str) -> PointSet {
    vertices.split_whitespace().map(|vertex| board.coordinate().parse_vertex(vertex).unwrap()).collect()
}

fn vertices(board: &Board, set: &PointSet) -> String {
    let points: Vec<_> = board.coordinate().points().filter(|&p| set.contains(p)).collect();
    board.coordinate().vertices(&points)
}

fn rule(name: &str, komi: f64) -> GameRule {
    GameRule::with_komi(komi).with_rule_set(name).unwrap()
}

/// The score with these dead stones and these in seki; Black has captured 3 stones, White 1.
fn score_of(drawn: &str, rule: &GameRule, dead: &str, seki: &str) -> Score {
    let board = board(drawn);
    let (dead, seki) = (set(&board, dead), set(&board, seki));
    score(&ScoreInput { board: &board, rule, prisoners: [3, 1], handicap: 0, button: None, dead: &dead, seki: &seki })
}

#[track_caller]
fn check(drawn: &str, rules: &str, komi: f64, dead: &str, expected: &str) {
    assert_eq!(score_of(drawn, &rule(rules, komi), dead, "").to_string(), expected, "{rules}");
}

/// A finished game; the white stone on A5 is dead.
const FINISHED: &str = "
    .xo..
    .xooo
    xxxxo
    .xxoo
    oxxo.
";

#[test]
fn players_agree_on_dead_stones_under_every_territory_scoring() {
    let japanese = rule("japanese", 0.0);
    // KataGo's Japanese rules have no friendly pass
    let scores = [(true, japanese), (false, japanese), (false, rule("chinese", 0.0))].map(|(friendly_pass, rule)| {
        let mut game = Position::new(board(FINISHED).coordinate(), GameRule { friendly_pass, ..rule }, 0, Color::Black);
        game.set_up(board(FINISHED).stones()).unwrap();
        let score = final_score(&game);
        (vertices(&board(FINISHED), &score.status.dead), score.score.to_string())
    });
    assert_eq!(scores[0].0, "A5");
    assert_eq!(scores[1], scores[0]);
    assert_eq!(scores[2].0, "");
}

#[test]
fn area_and_territory_are_counted() {
    let area = score_of(FINISHED, &rule("chinese", 0.0), "A5", "");
    let black = PointCount { stones: 10, territory: 4, ..PointCount::default() };
    let white = PointCount { stones: 8, territory: 3, ..PointCount::default() };
    assert_eq!((area.black, area.white, area.neutral), (black, white, 0));
    // a dead stone counts as a point of territory and as a prisoner
    let territory = score_of(FINISHED, &rule("japanese", 0.0), "A5", "");
    let black = PointCount { territory: 4, prisoners: 4, ..PointCount::default() };
    let white = PointCount { territory: 3, prisoners: 1, ..PointCount::default() };
    assert_eq!((territory.black, territory.white, territory.neutral), (black, white, 0));
    // as a living stone it makes A4 neutral
    let alive = score_of(FINISHED, &rule("chinese", 0.0), "", "");
    assert_eq!((alive.black.points(), alive.white.points(), alive.neutral), (12, 12, 1));
}

#[test]
fn results_have_no_trailing_zeros() {
    check(FINISHED, "chinese", 0.0, "A5", "B+3");
    check(FINISHED, "chinese", 3.0, "A5", "0");
    check(FINISHED, "chinese", 3.5, "A5", "W+0.5");
    check(FINISHED, "chinese", -0.25, "A5", "B+3.25");
    check(FINISHED, "chinese", 6.7, "A5", "W+3.7");
    check(FINISHED, "japanese", 0.5, "A5", "B+3.5");
}

#[test]
fn handicap_bonus_follows_the_rules() {
    let (board, none) = (board("x.x\n...\nx.x"), PointSet::new());
    let margin = |rules: &str, handicap| {
        let rule = rule(rules, 0.5);
        let score = score(&ScoreInput {
            board: &board,
            rule: &rule,
            prisoners: [0; 2],
            handicap,
            button: None,
            dead: &none,
            seki: &none,
        });
        assert_eq!(score.komi, 0.5);
        score.to_string()
    };
    assert_eq!(["chinese", "aga", "japanese"].map(|rules| margin(rules, 4)), ["B+4.5", "B+5.5", "B+4.5"]);
    assert_eq!(["chinese", "aga", "japanese"].map(|rules| margin(rules, 0)), ["B+8.5", "B+8.5", "B+4.5"]);
}

/// KataGo counts so, too, for controllers that place handicap stones as moves.
#[test]
fn opening_moves_of_black_alone_are_handicap_stones() {
    let handicap = |moves: &str| {
        let mut position = Position::new(Coordinate::square(9).unwrap(), rule("chinese", 0.5), 99, Color::Black);
        for text in moves.split_whitespace() {
            let (color, vertex) = text.split_once(':').unwrap();
            let color = if color == "b" { Color::Black } else { Color::White };
            let play = Move::parse(vertex, position.board().coordinate()).unwrap();
            position.make_move(color, play).unwrap();
        }
        let bonus = position.rule().handicap_bonus_points(position.handicap());
        assert_eq!((bonus, position.placed_handicap()), (position.handicap() as f64, None), "{moves}");
        position.handicap()
    };
    for (moves, expected) in [
        ("", 0),
        ("b:C3", 0),
        ("b:C3 b:G7", 2),
        ("b:C3 b:G7 b:C7 w:E5 b:E3 b:F3", 3),
        ("b:C3 w:E5 b:E3 b:F3", 0),
        ("w:E5 b:C3 b:G7", 0),
        // passes are no stones
        ("b:C3 w:pass b:G7 w:pass b:C7 w:E5", 3),
        ("b:C3 b:G7 w:pass b:C7", 3),
        ("b:C3 w:pass w:E5", 0),
        ("b:pass b:C3 w:E5", 0),
        ("b:C3 b:pass b:G7 w:E5", 2),
        // moves that set up a position
        ("b:C3 b:G7 b:C7 w:E5 w:E6", 0),
    ] {
        assert_eq!(handicap(moves), expected, "{moves}");
    }
    let mut position = Position::new(Coordinate::square(9).unwrap(), rule("chinese", 0.5), 99, Color::Black);
    let point = |text: &str| Coordinate::square(9).unwrap().parse_vertex(text).unwrap();
    // a point that is named again is no stone
    position.set_handicap(&[point("C3"), point("G7"), point("C3")]).unwrap();
    assert_eq!(position.handicap(), 2);
    position.play(Color::Black, point("E5")).unwrap();
    assert_eq!((position.handicap(), position.placed_handicap()), (2, Some(2)));
    position = position.new_game(position.board().coordinate());
    position.play(Color::Black, point("C3")).unwrap();
    position.play(Color::Black, point("G7")).unwrap();
    assert_eq!(position.handicap(), 2);
    position.undo().unwrap();
    assert_eq!(position.handicap(), 0);
    // a set-up of black stones counts, too, unless it is declared to be none
    position = crate::support::position("x..x.\n.....\n.....\n.....\n.....");
    assert_eq!((position.handicap(), position.placed_handicap()), (2, None));
    let corner = position.board().coordinate().parse_vertex("E5").unwrap();
    position.play(Color::Black, corner).unwrap();
    assert_eq!(position.handicap(), 3);
    position.declare_handicap(0);
    assert_eq!(position.handicap(), 0);
    position = crate::support::position("x..x.\n.....\n..o..\n.....\n.....");
    assert_eq!(position.handicap(), 0);
}

/// A stone that was taken off the board again is no handicap stone, whatever the record has.
#[test]
fn an_edit_before_the_first_move_of_white_sets_up_another_start() {
    let coordinate = Coordinate::square(9).unwrap();
    let point = |text: &str| coordinate.parse_vertex(text).unwrap();
    let mut position = Position::new(coordinate, rule("chinese", 0.5), 99, Color::Black);
    position.play(Color::Black, point("C3")).unwrap();
    position.play(Color::Black, point("G7")).unwrap();
    position.remove_ren(point("C3")).unwrap();
    assert_eq!(position.handicap(), 0);
    position.play(Color::Black, point("C7")).unwrap();
    assert_eq!(position.handicap(), 2);
    position.play(Color::White, point("E5")).unwrap();
    // later edits change nothing
    position.remove_ren(point("C7")).unwrap();
    assert_eq!((position.handicap(), position.replayed().handicap()), (2, 2));
    for expected in [2, 0, 0] {
        position.undo().unwrap();
        assert_eq!(position.handicap(), expected);
    }
    // so is one that was placed as such
    position = Position::new(coordinate, rule("chinese", 0.5), 99, Color::Black);
    position.set_handicap(&[point("C3"), point("G7"), point("C7")]).unwrap();
    position.remove_ren(point("C3")).unwrap();
    assert_eq!((position.handicap(), position.placed_handicap()), (2, None));
    position.remove_ren(point("G7")).unwrap();
    assert_eq!((position.handicap(), position.replayed().handicap()), (0, 0));
}

#[test]
fn empty_and_one_stone_boards_are_scored() {
    for rules in GameRule::names().filter(|name| rule(name, 0.0).tax != Tax::All) {
        let empty = score_of("...\n...", &rule(rules, 6.5), "", "");
        assert_eq!((empty.black.territory, empty.white.territory, empty.neutral), (0, 0, 6));
        let black = score_of("x..\n...", &rule(rules, 0.0), "", "");
        assert_eq!((black.black.territory, black.white.points(), black.neutral), (5, black.white.prisoners, 0));
        // with the only stone dead all points are neutral
        assert_eq!(score_of("x..\n...", &rule(rules, 0.0), "A1", "").neutral, 6);
    }
}

#[test]
fn eyes_in_seki_are_taxed() {
    let seki = "B1 A2 B2 D1 F1 C2 D2 E2 F2 A3 B3 C3";
    let territory = |rules: &str| {
        let score = score_of(SEKI, &rule(rules, 0.0), "", seki);
        (score.black.territory - score.black.tax, score.white.territory - score.white.tax, score.neutral)
    };
    assert_eq!(territory("chinese"), (20, 10, 1));
    assert_eq!(territory("japanese"), (19, 9, 1));
    // outside of the seki each colour has one group; groups in seki are taxed by their eyes
    assert_eq!(territory("stone-scoring"), (17, 7, 1));
}

#[test]
fn groups_are_connected_through_their_territory() {
    let tax = |drawn: &str| score_of(drawn, &rule("stone-scoring", 0.0), "", "").black.tax;
    assert_eq!(tax("x...x\n.....\nx...x"), 2);
    assert_eq!(tax(".xo.\nxxo.\nooo.\n.o.o\n.ooo"), 1);
    assert_eq!(tax(".x.xo.ox.x.\nxxxxo.oxxxx"), 4);
}

#[test]
fn seki_by_definition_touches_a_neutral_point_or_has_a_ren_in_atari() {
    // B4 is in atari, and connected with the rest through B5
    let atari = "xx.xx.\n.xx.xx\nxxxxxo\nxoxooo\no.ooo.\noooooo\nooo.o.";
    let all = board(atari);
    let seki = seki_by_definition(&all);
    // KataGo's score of this board, without agreement on dead stones
    let mut position = position(atari);
    *position.rule_mut() = GameRule { tax: Tax::All, ..rule("tromp-taylor", 6.5) };
    assert_eq!(final_score(&position).score.to_string(), "W+8.5");
    assert!(all.coordinate().points().all(|p| seki.contains(p) == (all.stone(p) == Stone::White)));
    // C2 is neutral; the group of White that does not touch it has two eyes
    let neutral = board(".xo.oo.\nxx.ooo.\n.xxxxxx\nxxooooo\n.xo.o.o");
    assert_eq!(
        vertices(&neutral, &seki_by_definition(&neutral)),
        "B1 C1 E1 F1 A2 B2 D2 E2 F2 B3 C3 D3 E3 F3 G3 A4 B4 B5"
    );
    assert_eq!(seki_by_definition(&board("...\n...")).iter().count(), 0);
}

#[track_caller]
fn check_status(drawn: &str, dead: &str, seki: &str) {
    let board = board(drawn);
    let status = status_of(&board);
    assert_eq!(vertices(&board, &status.dead), dead, "dead");
    assert_eq!(vertices(&board, &status.seki), seki, "seki");
}

#[test]
fn dead_stones_of_a_finished_game_are_found() {
    let drawn = "
        ..o.xx.x.
        .o.ox.xx.
        ..oox..xx
        ooxxxo.x.
        oxx...xxx
        ox.x.o.xo
        oxxxxxxoo
        .oooooooo
        ..o..x..o
    ";
    check_status(drawn, "F4 F6 F9", "");
}

#[test]
fn stones_in_seki_are_found() {
    check_status(SEKI, "", "B1 D1 F1 A2 B2 C2 D2 E2 F2 A3 B3 C3");
}

#[test]
fn bent_four_in_the_corner_is_dead() {
    // White can form a bent four in the corner, which kills Black's surrounding stones. The playouts classify these as
    // dead without further moves, as territory rules do
    check_status(BENT_FOUR, "D1 C2 D2 A3 B3 C3", "");
}

#[test]
fn boards_of_at_most_one_colour_have_no_dead_stones() {
    for drawn in [".........\n".repeat(9), "x........\n".repeat(9), "....o....\n".repeat(9)] {
        check_status(&drawn, "", "");
    }
    let side = Coordinate::square(19).unwrap();
    let status = status_of(&Board::new(side));
    assert!(side.points().all(|p| status.ownership[p.index()].abs() < 0.5));
}

/// Plays moves of light playouts, Black first; gives the colour to move.
fn play_randomly(board: &mut Board, moves: usize, rng: &mut fastrand::Rng) -> Color {
    let mut color = Color::Black;
    for _ in 0..moves {
        if let Some(point) = light::choose(board, color, rng) {
            board.play_legal(color, point, &mut ());
        }
        color = color.opponent();
    }
    color
}

#[test]
fn status_depends_on_the_stones_only() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut played = Board::new(Coordinate::square(7).unwrap());
    play_randomly(&mut played, 30, &mut rng);
    let set_up = Board::from_stones(played.coordinate(), played.stones()).unwrap();
    let [a, b] = [&played, &set_up].map(|board| classify_stones(board, Color::Black, 50));
    assert_eq!(a.ownership, b.ownership);
    assert_eq!(vertices(&played, &a.dead), vertices(&played, &b.dead));
}

#[test]
fn every_stone_has_one_status_and_every_point_one_owner() {
    let mut rng = fastrand::Rng::with_seed(7);
    let rule = rule("chinese", 0.0);
    let (mut dead, mut neutral, mut safe) = (0, 0, 0);
    let small: Vec<(u8, u8)> = (0..60).map(|_| (rng.u8(1..=9), rng.u8(1..=9))).collect();
    for (game, (width, height)) in small.into_iter().chain(RECTANGLES).enumerate() {
        let coordinate = Coordinate::new(width, height).unwrap();
        let mut board = Board::new(coordinate);
        let moves = rng.usize(0..2 * coordinate.board_area());
        let color = play_randomly(&mut board, moves, &mut rng);
        let status = classify_stones(&board, color, 20);
        for point in coordinate.points() {
            let sets = [&status.alive, &status.seki, &status.dead].map(|set| usize::from(set.contains(point)));
            let is_stone = board.stone(point) != Stone::Space;
            assert_eq!(sets.iter().sum::<usize>(), usize::from(is_stone), "game {game}");
            assert!((-1.0..=1.0).contains(&status.ownership[point.index()]));
            if is_stone {
                assert!(board.ren_points(point).all(|p| status.dead.contains(p) == status.dead.contains(point)));
                assert!(board.ren_points(point).all(|p| status.seki.contains(p) == status.seki.contains(point)));
            }
            dead += sets[2];
        }
        for color in Color::BOTH {
            let points = coordinate.points().filter(|&p| benson(&board, color).alive.contains(p));
            safe += points.inspect(|&p| assert!(status.alive.contains(p), "game {game}")).count();
        }
        let ending = ScoreInput {
            board: &board,
            rule: &rule,
            prisoners: [0; 2],
            handicap: 0,
            button: None,
            dead: &status.dead,
            seki: &status.seki,
        };
        let score = score(&ending);
        let [black, white] = areas(&board, &status.dead);
        let count = |set: &PointSet| coordinate.points().filter(|&p| set.contains(p)).count();
        assert_eq!((count(&black), count(&white)), (score.black.points(), score.white.points()));
        assert_eq!(score.black.points() + score.white.points() + score.neutral, coordinate.board_area());
        neutral += score.neutral;
    }
    assert!(dead > 0 && neutral > 0 && safe > 0, "the games had {dead} dead, {neutral} neutral, {safe} safe");
}

/// Width and height exchanged, the same stones have the same score under every rule set.
#[test]
fn transposed_boards_have_the_same_score() {
    let mut rng = fastrand::Rng::with_seed(13);
    for (width, height) in RECTANGLES {
        let coordinate = Coordinate::new(width, height).unwrap();
        let transposed = Coordinate::new(height, width).unwrap();
        let mut board = Board::new(coordinate);
        play_randomly(&mut board, coordinate.board_area() * 3 / 2, &mut rng);
        let turn = |point| {
            let (x, y) = coordinate.xy(point);
            transposed.point(y, x).unwrap()
        };
        let turned = coordinate.points().map(|point| (turn(point), board.stone(point)));
        let stones = Board::new(transposed).stones_with(turned);
        let other = Board::from_stones(transposed, &stones).unwrap();
        let is_chosen = |point: &Point| board.stone(*point) != Stone::Space && point.index().is_multiple_of(5);
        let rens = coordinate.points().filter(is_chosen).flat_map(|point| board.ren_points(point));
        let dead: PointSet = rens.collect();
        let turned: PointSet = dead.iter().map(turn).collect();
        let none = PointSet::new();
        for name in GameRule::names() {
            let rule = rule(name, 6.5);
            let [ours, theirs] = [(&board, &dead), (&other, &turned)].map(|(board, dead)| {
                score(&ScoreInput {
                    board,
                    rule: &rule,
                    prisoners: [2, 1],
                    handicap: 0,
                    button: None,
                    dead,
                    seki: &none,
                })
            });
            assert_eq!(ours, theirs, "{name} {coordinate}");
        }
        for color in Color::BOTH {
            let [ours, theirs] = [&board, &other].map(|board| benson(board, color));
            let points = |set: &PointSet| set.iter().map(turn).collect::<PointSet>();
            assert_eq!(points(&ours.alive), theirs.alive, "{coordinate}");
            assert_eq!(points(&ours.territory), theirs.territory, "{coordinate}");
        }
    }
}

/// The end of a game between two programs. The white group in the centre lives, but in half of all playouts it dies: it
/// captures the two stones at N14 and N15, or makes its second eye at M10.
#[test]
fn a_large_group_that_playouts_leave_open_is_searched() {
    let drawn = "
        ...oxx..x.o..oxxx..
        ...oox..xooo.oooxxo
        ...oxxxx.xoxoooxx.x
        ..oxxxox.xoxo.ox..x
        ...oooo.xxxx.oooxx.
        ..o.oxooooox..oxx..
        ..oxoxxxxxoxxxoox..
        ....ox...xoo..oxx..
        .....ox.xxxoxxooxxx
        ..ooooxx.xox.x.oxox
        o.oxoxxoxxox.xxoooo
        .oxxxooooooxxooo...
        oox.oo.xxoooxox....
        oxxx.oxx.xxooxooo..
        ox.xoooxxxoo.xxo...
        xx.x..x..xxoox.xooo
        ...xooxxxoxoxxxxxxx
        ...xxooxxoo.oxxox..
        ...xoo.oo.oooooox..
    ";
    let mut position = position(drawn);
    position.set_to_move(Color::White);
    let stone = position.board().coordinate().parse_vertex("L12").unwrap();
    let playouts = classify_stones(position.board(), Color::White, status_playouts(361));
    assert!(playouts.dead.contains(stone), "{}", playouts.ownership[stone.index()]);
    let check = |position: &Position| {
        let ending = final_score(position);
        assert!(ending.is_finished);
        assert!(ending.status.alive.contains(stone));
        assert_eq!(vertices(position.board(), &ending.status.dead), "T2 D7 P13");
    };
    check(&position);
    // two passes before make no difference
    position.pass(Color::White);
    position.pass(Color::Black);
    check(&position);
}

/// Black has a stone, and nothing else is decided.
#[test]
fn a_game_that_has_just_begun_is_estimated_until_both_pass() {
    let learned = Net::built_in().unwrap();
    let katago = katago_nets::folder();
    let katago = katago.map(|folder| katago_nets::net(&folder, "g170-b6c96-s175395328-d26788732.bin.gz"));
    for net in [None, Some(&*learned)].into_iter().chain(katago.iter().map(Some)) {
        let coordinate = Coordinate::square(9).unwrap();
        let mut position = Position::new(coordinate, GameRule::with_komi(6.5), 99, Color::Black);
        position.play(Color::Black, coordinate.parse_vertex("C3").unwrap()).unwrap();
        let estimated = final_score_with(&position, net);
        assert!(!estimated.is_finished);
        let margin = estimated.score.margin() + 6.5;
        assert!(margin.abs() <= 20.0, "{margin}");
        position.pass(Color::White);
        position.pass(Color::Black);
        let counted = final_score_with(&position, net);
        assert!(!counted.is_finished);
        assert_eq!(counted.score.to_string(), "B+74.5");
    }
}
