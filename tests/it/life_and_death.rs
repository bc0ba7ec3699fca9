//! Life and death of special shapes, with the score under Japanese and Chinese rules.
//!
//! Sources of the verdicts: "The Japanese Rules of Go", Nihon Ki-in and Kansai Ki-in, 1989 (translated by J. Davies),
//! in the tests as JRG: articles 7 and 8 with their commentary, the numbered examples of life and death, and the
//! outline of the revision (in the Japanese text); "Rules of Weiqi", Chinese Weiqi Association, 1988 and 2002: stones
//! are dead if they cannot avoid capture in play, and all living stones and their points count, also in seki.

use kifuwarabe_uec14::kernel::{Color, GameRule, PointSet, Position, ScoreInput, score};
use kifuwarabe_uec14::player::{classify_stones, final_score, status_playouts};

use crate::support::{self, board};

/// A seki in the corner: both colours have an eye there and share the liberty C1.
pub const SEKI: &str = "
    .x.o.ox.x
    xxoooox.x
    oooxxxxxx
    xxxxx....
    .........
    xxxxx....
    ooooxxxxx
    .o.oooooo
    o.o......
";

/// White can form a bent four in the corner, which kills the black stones around it.
pub const BENT_FOUR: &str = "
    oo.xo....
    o.xxo....
    xxxoo....
    ooooo....
    .........
    oooooooo.
    xxxxxxxo.
    .x.x.xxo.
    xxxxxxxo.
";

/// Checks the dead stones, those in seki, and without komi the score under Japanese rules, and under Chinese rules where
/// a local search can know it.
#[track_caller]
fn check(drawn: &str, dead: &str, seki: &str, scores: &[&str]) {
    let board = board(drawn);
    let coordinate = board.coordinate();
    let status = classify_stones(&board, Color::Black, status_playouts(coordinate.board_area()));
    let text =
        |set: &PointSet| coordinate.vertices(&coordinate.points().filter(|&p| set.contains(p)).collect::<Vec<_>>());
    assert_eq!((text(&status.dead).as_str(), text(&status.seki).as_str()), (dead, seki));
    for (name, expected) in ["japanese", "chinese"].iter().zip(scores) {
        let rule = GameRule::with_komi(0.0).with_rule_set(name).unwrap();
        let (dead, seki) = (&status.dead, &status.seki);
        let ending =
            ScoreInput { board: &board, rule: &rule, prisoners: [0; 2], handicap: 0, button: None, dead, seki };
        assert_eq!(score(&ending).to_string(), *expected, "{name}");
    }
}

/// JRG article 8: living stones with dame are in seki. Neither player can take B5 and B6 away, though White can play one
/// of them.
#[test]
fn seki_with_eyes_of_different_size_and_two_shared_liberties() {
    let drawn = "
        xxxo..o..
        .xxo..o..
        xxxo..o..
        oxxo..o..
        o.xoooo..
        o.xo..o..
        ooxo..o..
        .oxo..o..
        .oxo..o..
    ";
    check(drawn, "", "A1 B1 C1 B2 C2 A3 B3 C3 A4 B4 C4 A5 C5 A6 C6 A7 B7 C7 B8 C8 B9 C9", &["W+34", "W+47"]);
    let mut position: Position = support::position(drawn);
    *position.rule_mut() = GameRule::with_komi(0.5).with_rule_set("japanese").unwrap();
    assert_eq!(final_score(&position).score.to_string(), "W+34.5");
}

/// JRG article 8.
#[test]
fn seki_without_eyes() {
    let drawn = "
        .o.ox.ox.
        oooox.oxx
        ...oxoox.
        oooooxxxx
        ....ox...
        ....ox...
        ....ox...
        ....ox...
        ....ox...
    ";
    check(drawn, "", "E1 G1 E2 G2 E3 F3 G3", &["W+8", "W+13"]);
}

/// JRG article 8: the eyes are no territory.
#[test]
fn seki_with_one_eye_each() {
    check(SEKI, "", "B1 D1 F1 A2 B2 C2 D2 E2 F2 A3 B3 C3", &["B+10", "B+16"]);
}

/// JRG article 8. White has no eye; a Black group with one eye stands on each side.
#[test]
fn seki_of_three_groups() {
    let drawn = "
        .x.o.x.xo
        xxoooxxxo
        ooxxxoooo
        .ox.xo...
        ooxxxo...
        .ox.xo...
        ooxxxo...
        .ox.xo...
        ooxxxo...
    ";
    check(drawn, "", "B1 D1 F1 H1 A2 B2 C2 D2 E2 F2 G2 H2", &["W+18", "W+17"]);
}

/// JRG commentary on article 8: a ten-thousand-year ko that neither player resolves is a seki. Chinese rules leave it to
/// play as well.
#[test]
fn ten_thousand_year_ko_is_seki_if_neither_plays() {
    let drawn = "
        .ooxo.ox.
        o.oxxooxx
        .ooox.ox.
        oo.ox.oxx
        .o.oxoox.
        oooooxxxx
        ....ox...
        ....ox...
        ....ox...
    ";
    check(drawn, "", "D1 E1 G1 D2 E2 F2 G2 E3 G3 E4 G4 E5 F5 G5", &["W+6", "W+15"]);
}

/// JRG commentary on article 7.2: with two kos neither player can capture. Example 25: the groups are in seki by
/// article 8, and the stones in the kos stay on the board, since the points beside them are dame.
#[test]
fn double_ko_seki() {
    let drawn = "
        .ooxo.oxxx.
        oooxxooxxxx
        .ooox.oxxx.
        ooooxxooxxx
        .ooox.xoxx.
    ";
    check(drawn, "", "D1 E1 G1 D2 E2 F2 G2 E3 G3 E4 F4 G4 H4 E5 G5 H5", &["0", "0"]);
}

/// JRG commentary on article 7.2: moonshine life is dead beside a double-ko seki, since a pass for one ko says nothing
/// of another; its endless threats do not allow a ko to be retaken (note 1). Chinese rules forbid the repetition of a
/// whole board, which ends the ko threats.
#[test]
fn moonshine_life_is_dead() {
    let drawn = "
        .x.xooxo.oxxx.
        xxxoooxxooxxxx
        oooo.oox.oxxx.
        oooooooxxooxxx
        .o.oooox.xoxx.
    ";
    check(drawn, "B1 D1 A2 B2 C2", "G1 H1 K1 G2 H2 J2 K2 H3 K3 H4 J4 K4 L4 H5 K5 L5", &["W+12", "W+15"]);
}

/// JRG commentary on article 7.2; the outline, 3 (1), names this shape as dead. Chinese rules play it out: White fills
/// Black's ko threats first, so without threats that cannot be removed Black dies.
#[test]
fn bent_four_in_the_corner_is_dead_without_ko_threats() {
    check(BENT_FOUR, "D1 C2 D2 A3 B3 C3", "", &["W+40", "W+39"]);
}

/// JRG commentary on article 7.2: dead, whatever ko threats there are; here Black has one in a seki that White cannot
/// remove. Under Chinese rules that threat decides, which no local search sees.
#[test]
fn bent_four_in_the_corner_is_dead_despite_ko_threats() {
    let drawn = "
        oo.xo.ox.ox.
        o.xxooox.oxx
        xxxoo.oxooxx
        ooooooooxxxx
        .......ox...
        .......ox...
        .......ox...
        .......ox...
        .......ox...
    ";
    check(drawn, "D1 C2 D2 A3 B3 C3", "H1 K1 H2 K2 H3 J3 K3", &["W+35"]);
}

/// JRG example 1 and the outline, 4 (2): Black's four stones and White's one are alive by article 7.1, since each
/// capture lets the owner play new stones that stay; so three points without capturing (torazu sanmoku) are a seki by
/// article 8.
#[test]
fn three_points_without_capturing_are_a_seki() {
    let drawn = "
        .xxo.....
        oxxo.....
        xooo.....
        xxxoooooo
        xxxxxxxxx
        .........
        .........
        .........
        .........
    ";
    check(drawn, "", "B1 C1 A2 B2 C2", &["B+21", "B+26"]);
}

/// JRG articles 7.1 and 8: a hanezeki. Both players have stones in atari in a large eye, and F1 can be captured, but a
/// snapback follows. Whoever plays A4, A7 or E1 loses the own group, as a reading of all plays at these ten points shows.
#[test]
fn hanezeki() {
    let drawn = "
        oxox.ox..
        oxoxoxx..
        oxoxox...
        .xooox...
        xxoxxx...
        xxox.....
        .oox.....
        ooox.....
        xxxx.....
    ";
    let seki = "A1 B1 C1 D1 F1 A2 B2 C2 D2 E2 A3 B3 C3 D3 E3 B4 C4 D4 E4 A5 B5 C5 A6 B6 C6 B7 C7 A8 B8 C8";
    check(drawn, "", seki, &["B+33", "B+40"]);
}

/// The same with an eye of bent three.
#[test]
fn hanezeki_with_a_bent_eye() {
    let drawn = "
        ooxox.ox.
        oxxoxoxx.
        .xooxox..
        xxoooox..
        xxoxxxx..
        .oox.....
        ooox.....
        xxxx.....
        .........
    ";
    let seki = "A1 B1 C1 D1 E1 G1 A2 B2 C2 D2 E2 F2 B3 C3 D3 E3 F3 A4 B4 C4 D4 E4 F4 A5 B5 C5 B6 C6 A7 B7 C7";
    check(drawn, "", seki, &["B+32", "B+38"]);
}
