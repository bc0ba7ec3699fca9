//! Tests of tactics, on drawn boards and against the board itself.
#![allow(clippy::unwrap_used)]

use crate::kernel::test_boards::board;
use crate::kernel::{Board, Color, Coordinate, Ko, LibertyClass, Point, Stone};
use crate::playout::light::is_own_eye;
use crate::playout::tactics::captures::counter_captures;
use crate::playout::tactics::escapes::escapes;
use crate::playout::tactics::ladder::LadderReader;
use crate::playout::tactics::liberties::{
    has_two_liberties_without, is_legal_without_self_atari, liberties_after, two_liberties_of,
};
use crate::playout::tactics::nakade::nakade_point;
use crate::playout::tactics::point_list::PointList;
use crate::playout::tactics::self_atari::{is_bad_self_atari, is_playout_move, is_self_atari};

fn at(board: &Board, vertex: &str) -> Point {
    board.coordinate().parse_vertex(vertex).unwrap()
}

/// Plays 200 random games on 7x7 and calls `check` before each move, with the board, the side to move and its move.
fn random_games(seed: u64, check: impl Fn(&Board, Color, Point)) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let empty = Board::new(Coordinate::square(7).unwrap());
    for _ in 0..200 {
        let mut game = empty.clone();
        let mut color = Color::Black;
        for _ in 0..80 {
            let Some(point) = crate::playout::light::choose(&mut game, color, &mut rng) else { break };
            check(&game, color, point);
            game.play_legal(color, point, &mut ());
            color = color.opponent();
        }
    }
}

fn liberties(board: &Board, color: Color, vertex: &str) -> usize {
    liberties_after(board, color, at(board, vertex), &mut [Point::default(); 8])
}

#[test]
fn liberties_after_a_move_include_joined_rens_and_captures() {
    let board = board(&[".xo..", "xxoo.", "oo.o.", "..xo.", "....."]);
    assert_eq!(liberties(&board, Color::White, "D1"), 6);
    assert_eq!(liberties(&board, Color::Black, "D1"), 1);
    assert_eq!(liberties(&board, Color::White, "A1"), 2, "two of the three captured points are adjacent");
    assert_eq!(liberties(&board, Color::Black, "A1"), 0);
    assert_eq!(liberties(&board, Color::Black, "C3"), 2);
    let ko = self::board(&[".xo.", "xo.o", ".xo.", "...."]);
    assert_eq!(liberties(&ko, Color::Black, "C2"), 1);
    assert!(!is_bad_self_atari(&ko, Color::Black, at(&ko, "C2")), "it captures a stone");
}

#[test]
fn liberties_after_a_capture_agree_with_the_board() {
    random_games(3, |game, color, chosen| {
        for &point in game.empty_points() {
            if game.check(color, point).is_ok() {
                let mut next = game.clone();
                next.play_legal(color, point, &mut ());
                let mut found = [Point::default(); 49];
                let count = liberties_after(game, color, point, &mut found);
                assert_eq!(count, next.liberty_count(point), "{game:?}");
                assert_eq!(count == 1, next.is_atari(point));
                assert_eq!(count, next.liberties_up_to(point, &mut found));
                assert_eq!(is_legal_without_self_atari(game, color, point), count >= 2);
                for &without in game.empty_points().iter().filter(|&&p| p != point) {
                    let left = found.iter().take(count).filter(|&&p| p != without).count();
                    assert_eq!(has_two_liberties_without(game, color, point, without), left >= 2, "{game:?}");
                }
            }
        }
        let mut next = game.clone();
        next.play_legal(color, chosen, &mut ());
        let count = next.liberty_count(chosen);
        assert_eq!(two_liberties_of(&next, chosen).is_some(), count == 2);
        assert!(next.may_have_two_liberties(chosen) || count != 2, "{next:?}");
    });
}

#[test]
fn self_atari_is_bad_unless_it_leaves_a_dead_shape() {
    // three black stones in the corner leave White one eye
    let shape = board(&["x..oo", "ooooo", "xxxxx", "....."]);
    assert!(!is_bad_self_atari(&shape, Color::Black, at(&shape, "B1")));
    // four in a row leave White two eyes
    let row = board(&["xx..o", "ooooo", "xxxxx", "....."]);
    assert!(!is_bad_self_atari(&row, Color::Black, at(&row, "C1")), "three in a row are a dead shape");
    let row = board(&["xxx..o", "oooooo", "xxxxxx", "......"]);
    assert!(is_bad_self_atari(&row, Color::Black, at(&row, "D1")));
    // White's ren has another liberty: the stones are lost
    let out = board(&["x..o..", "oooo..", "xxxx..", "......"]);
    assert!(is_bad_self_atari(&out, Color::Black, at(&out, "B1")));
}

#[test]
fn placement_info_agrees_with_the_board() {
    random_games(6, |game, color, _| {
        for &point in game.empty_points() {
            let mut next = game.clone();
            let taken = next.play(color, point, &mut ());
            let placement = game.placement_info(color, point);
            let agrees = match placement.liberties() {
                _ if placement.captures() => {
                    taken.is_ok_and(|count| count > 0) || game.ko() == Some(Ko { point, color })
                }
                LibertyClass::More => taken.is_ok() && !next.is_atari(point),
                LibertyClass::One(left) => taken == Ok(0) && next.atari(point) == Some(left),
                LibertyClass::None => taken.is_err(),
            };
            assert!(agrees, "{game:?}");
            assert_eq!(placement.has_liberty(), placement.liberties() != LibertyClass::None, "{game:?}");
            let touches = game.coordinate().neighbors(point).iter().any(|&p| game.stone(p) == color.stone());
            assert_eq!(placement.connects(), touches);
            if is_playout_move(game, color, point) {
                assert!(game.check(color, point).is_ok() && !is_own_eye(game, color, point));
            }
        }
    });
}

#[test]
fn queries_about_neighbors_agree_with_the_board() {
    random_games(7, |game, _, _| {
        for point in game.coordinate().points() {
            let neighbors = game.coordinate().neighbors(point);
            match game.stone(point) {
                Stone::Space => {
                    let empty = neighbors.iter().filter(|&&p| game.stone(p) == Stone::Space).count();
                    assert_eq!(game.empty_neighbors(point), empty);
                }
                _ if game.ren_size(point) <= 2 => {
                    assert_eq!(game.may_have_two_liberties(point), game.liberty_count(point) == 2, "{game:?}");
                }
                _ => {}
            }
            for color in Color::BOTH {
                let bits = |is_found: fn(&Board, Point) -> bool| {
                    let own = |&(_, &p): &(usize, &Point)| game.stone(p) == color.stone() && is_found(game, p);
                    neighbors.iter().enumerate().filter(own).map(|(bit, _)| 1 << bit).sum::<u32>()
                };
                let ataris = bits(|board, p| board.liberty_count(p) == 1);
                assert_eq!(game.atari_neighbors(color, point), ataris, "{game:?}");
                assert_eq!(
                    game.weak_neighbors(color, point),
                    [ataris, bits(Board::may_have_two_liberties)],
                    "{game:?}"
                );
            }
        }
    });
}

#[test]
fn snapback_is_no_bad_self_atari() {
    let board = board(&["..ox", "ooox", "xxxx", "...."]);
    // White captures at A1 and has one liberty after it
    assert!(is_self_atari(&board, Color::Black, at(&board, "B1")));
    assert!(!is_bad_self_atari(&board, Color::Black, at(&board, "B1")));
}

#[test]
fn filling_a_seki_is_bad() {
    let board = board(&["oxo.xo.", "oxo.xoo", "oxoxxo.", "oxoxxoo", "oxxxxoo", "oooooo.", "o.o.ooo"]);
    for color in Color::BOTH {
        for vertex in ["D1", "D2"] {
            assert!(is_bad_self_atari(&board, color, at(&board, vertex)), "{color} {vertex}");
        }
    }
}

#[test]
fn vital_points_of_dead_shapes() {
    let vital = |drawn: &[&str]| {
        let board = board(drawn);
        let coordinate = board.coordinate();
        let start = *board.empty_points().first().unwrap();
        nakade_point(&board, Color::White, start).map(|p| coordinate.vertex(p))
    };
    assert_eq!(vital(&["...o", "oooo"]), Some("B1".to_owned()));
    assert_eq!(vital(&["..oo", ".ooo", "oooo"]), Some("A1".to_owned()));
    assert_eq!(vital(&["....", "oooo"]), None, "four in a row have two eyes");
    assert_eq!(vital(&["..oo", "..oo", "oooo"]), None, "a square is dead as it is");
    assert_eq!(vital(&["...o", "o.oo", "oooo"]), Some("B1".to_owned()));
    assert_eq!(vital(&["..oo", "o..o", "oooo"]), None, "a zigzag");
    assert_eq!(vital(&["...o", "..oo", "oooo"]), Some("B1".to_owned()), "bulky five");
    assert_eq!(vital(&["o.oo", "...o", "o.oo", "oooo"]), Some("B2".to_owned()), "crossed five");
    assert_eq!(vital(&["o.oo", "...o", "..oo", "oooo"]), Some("B2".to_owned()), "rabbity six");
    assert_eq!(vital(&["...o", "...o", "oooo"]), None, "a rectangle of six");
    assert_eq!(vital(&[".....", "oo..o", "ooooo"]), None, "seven");
    assert_eq!(vital(&["...o", "xooo", "...."]), None, "a black stone inside");
    assert_eq!(vital(&["..oo", "oooo"]), None, "two");
}

#[test]
fn ladder_works_unless_there_is_a_breaker() {
    let drawn = |breaker: &str| -> Vec<String> {
        let mut rows: Vec<String> = [
            "..x......",
            ".xox.....",
            ".x.......",
            ".........",
            ".........",
            ".........",
            ".........",
            ".........",
            ".........",
        ]
        .map(str::to_owned)
        .to_vec();
        if let Some((x, y)) = breaker.split_once(',') {
            let (x, y): (usize, usize) = (x.parse().unwrap(), y.parse().unwrap());
            rows[y].replace_range(x..=x, "o");
        }
        rows
    };
    let mut ladder = LadderReader::new();
    let rows = drawn("");
    let open = board(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(open.is_atari(at(&open, "C2")));
    assert!(ladder.is_captured(&open, at(&open, "C2")), "{open:?}");
    let before = open.clone();
    let rows = drawn("6,6");
    let broken = board(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(!ladder.is_captured(&broken, at(&broken, "C2")));
    assert_eq!(open, before);
    // the extension is an escape only with the breaker
    let mut found = PointList::<8>::new();
    escapes(&open, at(&open, "C2"), &mut ladder, &mut found);
    assert!(found.as_slice().is_empty());
    escapes(&broken, at(&broken, "C2"), &mut ladder, &mut found);
    assert_eq!(found.as_slice(), [at(&broken, "C3")]);
}

#[test]
fn ladder_attack_works_from_one_side() {
    // White's stone has liberties C3 and D2; the atari at D2 leaves it C3
    let board = board(&["..x......", ".xo......", ".x.......", ".........", ".........", ".........", "........."]);
    let mut ladder = LadderReader::new();
    let ren = at(&board, "C2");
    let works: Vec<String> = ["C3", "D2"]
        .into_iter()
        .filter(|vertex| ladder.captures_after(&board, ren, at(&board, vertex)))
        .map(str::to_owned)
        .collect();
    assert_eq!(works, ["D2"]);
}

#[test]
fn capture_of_a_neighbor_is_an_escape() {
    let board = board(&["xo.x.", "xox..", ".xo..", ".....", "....."]);
    // C1 is suicide, but Black's stones in the corner are in atari, too
    let mut found = PointList::<8>::new();
    escapes(&board, at(&board, "B1"), &mut LadderReader::new(), &mut found);
    assert_eq!(found.as_slice(), [at(&board, "A3")]);
    let board = self::board(&[".xo..", "xo...", "xxo..", ".....", "....."]);
    let mut found = PointList::<8>::new();
    counter_captures(&board, at(&board, "B2"), &mut found);
    assert_eq!(found.as_slice(), [at(&board, "A1")]);
}

#[test]
fn point_list_is_a_bounded_set() {
    let mut points = PointList::<2>::new();
    let [a, b] = [1, 2].map(|x| Coordinate::square(5).unwrap().point(x, 1).unwrap());
    assert!(points.insert(a) && !points.insert(a) && points.insert(b) && !points.push(a));
    assert_eq!(points.as_slice(), [a, b]);
}
