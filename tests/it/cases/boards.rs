//! Cases at the edges: the smallest and the largest board, set-ups, and rens with their liberties.

use kifuwarabe_uec14::kernel::{SetupError, get_liberty};

use super::*;

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
