//! Drawn cases: a board, moves, and the expected board.
//!
//! The expected boards were derived by hand from the rules, which guards against an error that the kernel and the
//! oracle share. A move is `b D3` or `w pass`; with `?REASON` it must be refused for that reason and change nothing.
//! All cases start from a set-up, after which neither colour has moved; a ko binds only a colour that has moved, so a
//! case that needs the ban starts with a pass of that colour.

use kifuwarabe_uec14::kernel::{Board, Color, Coordinate, Position, SetupError, get_liberty};

use crate::support::{MAX_MOVES, draw, empty_position, ko_text, parse, position, rule};

/// Plays moves separated by `;`, with checks of refused ones.
#[track_caller]
fn make(position: &mut Position, moves: &str) {
    for play in moves.split(';') {
        let words: Vec<&str> = play.split_whitespace().collect();
        let color = Color::parse(words[0]).unwrap();
        if words[1] == "pass" {
            position.pass(color);
            continue;
        }
        let point = position.board().coordinate().parse_vertex(words[1]).unwrap();
        let before = (draw(position.board()), ko_text(position.board()), position.record().len());
        let refused = words.get(2).map(|word| word.trim_start_matches('?')).unwrap_or_default();
        let verdict = position.check(color, point).map_or_else(|reason| reason.to_string(), |()| String::new());
        assert_eq!(verdict, refused, "check of {play} on\n{}", before.0);
        let played = position.play(color, point).is_ok();
        assert_eq!(played, refused.is_empty(), "{play} on\n{}", before.0);
        if !played {
            let after = (draw(position.board()), ko_text(position.board()), position.record().len());
            assert_eq!(after, before, "the refused {play} changed something");
        }
        position.assert_consistent();
    }
}

/// `ko` is the colour and point banned by the ko, `prisoners` the stones captured by Black and White.
#[track_caller]
fn check(before: &str, moves: &str, after: &str, ko: &str, prisoners: [u32; 2]) {
    check_from(position(before), moves, after, ko, prisoners);
}

/// Like [`check`], but filling one's own one-point eye is forbidden.
#[track_caller]
fn check_my_eye(before: &str, moves: &str, after: &str, ko: &str, prisoners: [u32; 2]) {
    let (coordinate, stones) = parse(before);
    let mut position = Position::new(coordinate, rule(true), MAX_MOVES, Color::Black);
    position.set_up(&stones).unwrap();
    check_from(position, moves, after, ko, prisoners);
}

#[track_caller]
fn check_from(mut position: Position, moves: &str, after: &str, ko: &str, prisoners: [u32; 2]) {
    make(&mut position, moves);
    let (coordinate, stones) = parse(after);
    let expected = Board::from_stones(coordinate, &stones).unwrap();
    assert_eq!(draw(position.board()), draw(&expected));
    assert_eq!(ko_text(position.board()), ko, "ko on\n{}", draw(position.board()));
    assert_eq!(Color::BOTH.map(|color| position.prisoners(color)), prisoners, "prisoners");
}

#[test]
fn captured_stones_are_removed() {
    // in the corner, on the edge, in the centre
    check(
        "o..
         x..
         ...",
        "b B1",
        ".x.
         x..
         ...",
        "",
        [1, 0],
    );
    check(
        "xo...
         .x...",
        "b C1",
        "x.x..
         .x...",
        "",
        [1, 0],
    );
    check(
        "..x..
         .xo..
         ..x..",
        "b D2",
        "..x..
         .x.x.
         ..x..",
        "",
        [1, 0],
    );
    // White takes as well
    check(
        "xo.
         .o.
         ...",
        "w A2",
        ".o.
         oo.
         ...",
        "",
        [0, 1],
    );
    // two rens at once, and four
    check(
        ".x.x.
         xo.ox
         .x.x.",
        "b C2",
        ".x.x.
         x.x.x
         .x.x.",
        "",
        [2, 0],
    );
    check(
        "..x..
         .xox.
         xo.ox
         .xox.
         ..x..",
        "b C3",
        "..x..
         .x.x.
         x.x.x
         .x.x.
         ..x..",
        "",
        [4, 0],
    );
    // twenty stones
    check(
        ".....
         xxxxx
         ooooo
         ooooo
         ooooo
         ooooo
         .xxxx
         .....",
        "b A7",
        ".....
         xxxxx
         .....
         .....
         .....
         .....
         xxxxx
         .....",
        "",
        [20, 0],
    );
}

/// A ren adjacent to the played point on several sides is captured and counted once.
#[test]
fn a_ren_on_several_sides_is_captured_once() {
    check(
        "oox
         o.x
         xx.",
        "b B2",
        "..x
         .xx
         xx.",
        "",
        [3, 0],
    );
    check(
        "xooox
         xo.ox
         xx.xx
         .....",
        "b C2",
        "x...x
         x.x.x
         xx.xx
         .....",
        "",
        [5, 0],
    );
    check(
        ".xxx.
         xooox
         xo.ox
         xooox
         .xxx.",
        "b C3",
        ".xxx.
         x...x
         x.x.x
         x...x
         .xxx.",
        "",
        [8, 0],
    );
    // the own ring is joined once: nine stones, twelve liberties
    let mut ring = position(
        ".....
         .xxx.
         .x.x.
         .xxx.
         .....",
    );
    make(&mut ring, "b C3");
    let c3 = ring.board().coordinate().parse_vertex("C3").unwrap();
    assert_eq!((ring.board().ren_points(c3).count(), ring.board().liberty_count(c3)), (9, 12));
}

/// A capturing stone may fill its own last liberty.
#[test]
fn capture_comes_before_suicide_and_opponent_eye() {
    check(
        ".ox.
         oox.
         xxx.
         ....",
        "b A1",
        "x.x.
         ..x.
         xxx.
         ....",
        "",
        [3, 0],
    );
    check(
        "xo..
         .ox.
         oxx.
         x...",
        "b A2",
        "xo..
         xox.
         .xx.
         x...",
        "",
        [1, 0],
    );
}

#[test]
fn suicide_and_plays_in_opponent_eyes_are_refused() {
    check(
        ".o.
         o..
         ...",
        "b A1 ?opponent_eye; w A1",
        "oo.
         o..
         ...",
        "",
        [0, 0],
    );
    check(
        ".....
         ..o..
         .o.o.
         ..o..
         .....",
        "b C3 ?opponent_eye; w C3",
        ".....
         ..o..
         .ooo.
         ..o..
         .....",
        "",
        [0, 0],
    );
    // two stones without a liberty
    check(
        "x.o
         oo.
         ...",
        "b B1 ?suicide; w B1",
        ".oo
         oo.
         ...",
        "",
        [0, 1],
    );
    // two rens that have only the point between them
    check(
        "...o.
         oooxo
         xx.xo
         ooooo
         .....",
        "b C3 ?suicide; w C3",
        "...o.
         ooo.o
         ..o.o
         ooooo
         .....",
        "",
        [0, 4],
    );
    // a liberty elsewhere is enough
    check(
        "x.o
         .o.
         ...",
        "b B1",
        "xxo
         .o.
         ...",
        "",
        [0, 0],
    );
}

#[test]
fn filling_an_own_eye_is_refused_by_its_rule() {
    // allowed by Go
    check(
        ".x.
         xx.
         ...",
        "b A1",
        "xx.
         xx.
         ...",
        "",
        [0, 0],
    );
    check_my_eye(
        ".x.
         xx.
         ...",
        "b A1 ?my_eye; w A1 ?opponent_eye",
        ".x.
         xx.
         ...",
        "",
        [0, 0],
    );
    // an eye of two points becomes one of one point
    check_my_eye(
        "..x
         xxx
         ...",
        "b A1; b B1 ?my_eye",
        "x.x
         xxx
         ...",
        "",
        [0, 0],
    );
    // diagonals do not count
    check_my_eye(
        ".xo.
         xo..
         ....",
        "b A1 ?my_eye",
        ".xo.
         xo..
         ....",
        "",
        [0, 0],
    );
    // an own eye without another liberty: with that rule the reason is the eye, else suicide
    check_my_eye(
        ".xo
         xoo
         oo.",
        "b A1 ?my_eye",
        ".xo
         xoo
         oo.",
        "",
        [0, 0],
    );
    check(
        ".xo
         xoo
         oo.",
        "b A1 ?suicide; w A1",
        "o.o
         .oo
         oo.",
        "",
        [0, 2],
    );
}

#[test]
fn occupied_points_and_walls_are_refused() {
    check(
        "x.
         .o",
        "b A1 ?masonry; w A1 ?masonry; b B2 ?masonry; w B2 ?masonry",
        "x.
         .o",
        "",
        [0, 0],
    );
    let position = position(
        "..
         ..",
    );
    let coordinate = position.board().coordinate();
    for wall in [(0, 0), (1, 0), (3, 3), (0, 2), (3, 1)] {
        let point = coordinate.point(wall.0, wall.1).unwrap();
        let answer = position.check(Color::Black, point).map_err(|reason| reason.to_string());
        assert_eq!(answer, Err("masonry".to_owned()), "{wall:?}");
    }
}

#[test]
fn a_ko_bans_the_immediate_retake() {
    check(
        ".xo.
         xo.o
         .xo.",
        "w pass; b C2; w B2 ?ko",
        ".xo.
         x.xo
         .xo.",
        "white B2",
        [1, 0],
    );
    // in the corner
    check(
        ".ox
         ox.
         ...",
        "w pass; b A1; w B1 ?ko",
        "x.x
         ox.
         ...",
        "white B1",
        [1, 0],
    );
    // a pass of either colour lifts it
    check(
        ".xo.
         xo.o
         .xo.",
        "w pass; b C2; w pass; b A1; w B2",
        "xxo.
         xo.o
         .xo.",
        "black C2",
        [1, 1],
    );
    check(
        ".xo.
         xo.o
         .xo.",
        "w pass; b C2; b pass; w B2; b C2 ?ko",
        ".xo.
         xo.o
         .xo.",
        "black C2",
        [1, 1],
    );
    // so does a move elsewhere
    check(
        ".xo.
         xo.o
         .xo.",
        "w pass; b C2; w D1; b A1; w B2; b C2 ?ko",
        "xxoo
         xo.o
         .xo.",
        "black C2",
        [1, 1],
    );
    // it binds one colour: Black may fill it
    check(
        ".xo.
         xo.o
         .xo.",
        "w pass; b C2; b B2",
        ".xo.
         xxxo
         .xo.",
        "",
        [1, 0],
    );
}

/// Right after a set-up White has no previous move that a retake could recreate, so C3 stands; Black's D3 falls.
#[test]
fn a_ko_binds_only_a_colour_that_has_moved() {
    check(
        "......
         ..xo..
         .xo.o.
         ..xo..
         ......",
        "b D3; w C3; b D3 ?ko",
        "......
         ..xo..
         .xo.o.
         ..xo..
         ......",
        "black D3",
        [1, 1],
    );
    check(
        "......
         ..xo..
         .xo.o.
         ..xo..
         ......",
        "w A1; b D3; w C3 ?ko",
        "o.....
         ..xo..
         .x.xo.
         ..xo..
         ......",
        "white C3",
        [1, 0],
    );
}

#[test]
fn captures_that_make_no_ko() {
    // two stones taken; White returns one
    check(
        ".xxo.
         xoo.o
         .xxo.",
        "w pass; b D2; w C2",
        ".xxo.
         x.o.o
         .xxo.",
        "",
        [2, 1],
    );
    // one taken by a lone stone that then has two liberties
    check(
        "ox..
         ....",
        "w pass; b A2; w A1 ?opponent_eye",
        ".x..
         x...",
        "",
        [1, 0],
    );
    // one taken by a stone that joins its own
    check(
        ".xo.
         xo.o
         .xxo",
        "w pass; b C2; w B2 ?opponent_eye",
        ".xo.
         x.xo
         .xxo",
        "",
        [1, 0],
    );
    // snapback: White takes one, Black takes five on the same point
    check(
        ".....
         .....
         xxxxx
         xooox
         xo..x",
        "b C5; w D5; b C5",
        ".....
         .....
         xxxxx
         x...x
         x.x.x",
        "",
        [5, 1],
    );
}

#[test]
fn a_second_ko_lifts_the_ban_of_the_first() {
    // two kos: a ban binds only the ko just taken
    check(
        ".xo...xo.
         xo.o.x.xo
         .xo...xo.",
        "w pass; b C2; w B2 ?ko; w G2; b H2 ?ko; b E1; w B2; b C2 ?ko; b H2; w G2 ?ko",
        ".xo.x.xo.
         xo.o.x.xo
         .xo...xo.",
        "white G2",
        [2, 2],
    );
}

/// Repetitions that simple ko allows.
#[test]
fn simple_ko_allows_longer_cycles() {
    // send two, return one
    check(
        ".o.o.
         xxoo.
         xxo..
         .....",
        "w A1; b C1; w B1",
        ".o.o.
         xxoo.
         xxo..
         .....",
        "",
        [2, 1],
    );
    // eternal life, twice round
    check(
        ".o.x.ox.
         xoooxxoo
         xxxxxo..
         oooooo..
         ........",
        "b C1; w E1; b D1; w F1; b C1; w E1; b D1; w F1",
        ".o.x.ox.
         xoooxxoo
         xxxxxo..
         oooooo..
         ........",
        "",
        [4, 4],
    );
}

#[test]
fn moves_out_of_turn_are_played() {
    check(
        "...
         ...",
        "b A1; b B1; b C1; w A2; w B2; w pass; w C2",
        "...
         ooo",
        "",
        [0, 3],
    );
}

#[test]
fn rules_hold_on_the_smallest_boards() {
    check(".", "b A1 ?opponent_eye; w A1 ?opponent_eye", ".", "", [0, 0]);
    check("..", "b A1; w B1; b A1 ?ko", ".o", "black A1", [0, 1]);
    check(".xo.o.", "w pass; b D1; w C1 ?ko", ".x.xo.", "white C1", [1, 0]);
    check(
        "..
         ..",
        "b A1; w B2; b A2; w B1",
        ".o
         .o",
        "",
        [0, 2],
    );
    check(
        ".
         x
         o
         .
         o
         .",
        "w pass; b A4; w A3 ?ko; b A3",
        ".
         x
         x
         x
         o
         .",
        "",
        [1, 0],
    );
}

#[test]
fn rules_hold_in_the_far_corner_of_the_largest_board() {
    let mut position = empty_position(Coordinate::square(25).unwrap());
    make(&mut position, "b Z25; w Y25; b A25; w Z24; b Z25 ?opponent_eye; b A1; w Z25; b Z1");
    let drawn = draw(position.board());
    let rows: Vec<&str> = drawn.lines().collect();
    assert_eq!(rows[0], "x.......................x");
    assert_eq!(rows[23], "........................o");
    assert_eq!(rows[24], "x......................oo");
    assert_eq!(position.prisoners(Color::White), 1);
    position.assert_consistent();
}

/// A set-up with a ren without liberties is refused; the error names one of its points, and nothing changes.
#[track_caller]
fn check_refused(drawn: &str, names: &[&str]) {
    let (coordinate, stones) = parse(drawn);
    let mut position = empty_position(coordinate);
    let (x, y) = (coordinate.width(), coordinate.height());
    position.play(Color::Black, coordinate.point(x, y).unwrap()).unwrap();
    let before = draw(position.board());
    match position.set_up(&stones) {
        Err(SetupError::NoLiberty { point, vertex }) => {
            assert_eq!(coordinate.vertex(point), vertex);
            assert!(names.contains(&vertex.as_str()), "the error names {vertex}");
        }
        other => panic!("{other:?} for\n{drawn}"),
    }
    assert_eq!((draw(position.board()), position.record().len()), (before, 1));
    position.assert_consistent();
}

#[test]
fn set_ups_with_a_ren_without_liberties_are_refused() {
    check_refused(
        "xo
         o.",
        &["A1"],
    );
    check_refused(
        "xxo.
         xxo.
         oo..",
        &["A1", "B1", "A2", "B2"],
    );
    check_refused(
        "xo
         ox",
        &["A1", "B1", "A2", "B2"],
    );
}

/// `x area:2 liberties:A1 B2 adjacent:o` for the ren at a point, liberties row by row.
#[track_caller]
fn check_ren(drawn: &str, vertex: &str, expected: &str) {
    let position = position(drawn);
    let coordinate = position.board().coordinate();
    let ren = get_liberty(position.board(), coordinate.parse_vertex(vertex).unwrap()).unwrap();
    let mut liberties = ren.liberties.clone();
    liberties.sort_unstable();
    let liberties = coordinate.vertices(&liberties);
    let found = format!("{} area:{} liberties:{liberties} adjacent:{}", ren.stone, ren.area(), ren.adjacent);
    assert_eq!(found, expected, "at {vertex} of\n{drawn}");
}

#[test]
fn get_liberty_describes_rens() {
    let drawn = ".xxo.
                 xo..o
                 .xxo.";
    check_ren(drawn, "B1", "x area:2 liberties:A1 C2 adjacent:o");
    check_ren(drawn, "B2", "o area:1 liberties:C2 adjacent:x");
    check_ren(drawn, "C2", ". area:2 liberties: adjacent:xo");
    check_ren(drawn, "A1", ". area:1 liberties: adjacent:x");
    check_ren(drawn, "E1", ". area:1 liberties: adjacent:o");
    check_ren("...", "B1", ". area:3 liberties: adjacent:");
    check_ren("x..", "A1", "x area:1 liberties:B1 adjacent:");
}
