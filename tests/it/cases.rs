//! Drawn cases: a board, moves, and the expected board.
//!
//! The expected boards were derived by hand from the rules, which guards against an error that the kernel and the
//! oracle share. A move is `b D3` or `w pass`; with `?REASON` it must be refused for that reason and change nothing.
//! All cases start from a set-up, after which neither colour has moved; a ko binds only a colour that has moved, so a
//! case that needs the ban starts with a pass of that colour.

mod boards;
mod ko;

use kifuwarabe_uec14::kernel::{Board, Color, Coordinate, Position};

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
