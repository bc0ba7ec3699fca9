//! Cases of ko.

use super::*;

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
