//! Unit tests of the problem parser.
#![allow(clippy::unwrap_used)]
use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::kernel::Stone;

const GOOD: &str = "# one problem
title: Take
theme: ko
to move: black
komi: 0.5
rules: japanese
played: black D2, white C2
best: E5
about: a reason

     ABCDE
    +++++++
  1 +..xo.+
  2 +.xo.o+
  3 +..xo.+
  4 +.....+
  5 +.....+
    +++++++
";

/// Checks the error of a changed `GOOD`.
#[track_caller]
fn check(from: &str, to: &str, expected: &str) {
    assert!(GOOD.contains(from), "{from}");
    let text = GOOD.replacen(from, to, 1);
    assert_eq!(read("suite.txt", &text).map(|_| ()).unwrap_err().to_string(), expected);
}

#[test]
fn embedded_problems_are_valid() {
    let problems = built_in().unwrap();
    let titles: BTreeSet<&str> = problems.iter().map(|problem| problem.title.as_str()).collect();
    assert_eq!(titles.len(), problems.len());
    let mut themes: BTreeMap<Theme, usize> = BTreeMap::new();
    for problem in &problems {
        *themes.entry(problem.theme).or_default() += 1;
        let color = problem.to_move();
        assert!(problem.best.is_empty() != problem.avoid.is_empty(), "{}", problem.title);
        for &point in problem.best.iter().chain(&problem.avoid) {
            assert_eq!(problem.position.check(color, point), Ok(()), "{}", problem.title);
            assert_eq!(problem.is_solved(Move::Play(point)), problem.avoid.is_empty());
        }
        assert_eq!(problem.is_solved(Move::Pass), problem.best.is_empty());
        // a drawn game would neither solve nor miss the problem
        assert_ne!(problem.position.rule().komi.fract(), 0.0, "{}", problem.title);
        assert!(!problem.about.is_empty());
    }
    assert!(problems.len() >= 36, "{}", problems.len());
    assert_eq!(themes.len(), Theme::ALL.len(), "{themes:?}");
}

#[test]
fn a_problem_is_parsed() {
    let text = GOOD;
    let [problem] = &read("suite.txt", text).unwrap()[..] else { unreachable!() };
    let coordinate = problem.position.board().coordinate();
    let point = |vertex: &str| coordinate.parse_vertex(vertex).unwrap();
    assert_eq!((problem.theme, problem.to_move(), coordinate.width()), (Theme::Ko, Color::Black, 5));
    assert_eq!(problem.position.rule().name(), Some("japanese"));
    assert_eq!(problem.position.board().stone(point("C2")), Stone::White);
    assert_eq!(problem.best, [point("E5")]);
    assert!(problem.is_solved(Move::Play(point("E5"))) && !problem.is_solved(Move::Play(point("A5"))));
    let avoiding = text.replace("best:", "avoid:");
    let [problem] = &read("suite.txt", &avoiding).unwrap()[..] else { unreachable!() };
    assert!(!problem.is_solved(Move::Play(point("E5"))) && problem.is_solved(Move::Pass));
}

#[test]
fn errors_name_their_line() {
    check("title: Take", "about: x", "suite.txt:2: expected `title: …` first");
    check(
        "theme: ko",
        "theme: kou",
        "suite.txt:3: theme: expected one of capture, ladder, net, snapback, nakade, live, kill, seki, semeai, connect, cut, ko, endgame, throw-in, oiotoshi, found \"kou\"",
    );
    check("to move: black\n", "", "suite.txt:2: this problem has no to move");
    check("to move: black", "to move: green", "suite.txt:4: to move: expected black or white, found \"green\"");
    check("komi: 0.5", "komi: inf", "suite.txt:5: komi: expected a number, found \"inf\"");
    check(
        "komi: 0.5",
        "Komi: 0.5",
        "suite.txt:5: unknown key \"Komi\", expected one of title, theme, to move, komi, rules, played, best, avoid, about",
    );
    check("komi: 0.5", "komi: 0.5\nkomi: 1.5", "suite.txt:6: komi for the second time");
    check("komi: 0.5", "komi 0.5", "suite.txt:5: expected `key: value` or a row of a board, found \"komi 0.5\"");
    check("white C2", "white", "suite.txt:7: played: expected moves such as `white C3`, found \"white\"");
    check("white C2", "white C1", "suite.txt:7: played: C1 cannot be played: masonry: there is a stone on the point");
    check("best: E5", "best: E6", "suite.txt:8: best: expected a point of the board, found \"E6\"");
    check("best: E5", "best: C2", "suite.txt:8: best: C2 cannot be played: masonry: there is a stone on the point");
    check("best: E5", "best:", "suite.txt:8: best: expected points such as D4, found \"\"");
    check("best: E5\n", "", "suite.txt:2: expected one of best and avoid");
    check("best: E5", "best: E5\navoid: A1", "suite.txt:2: expected one of best and avoid");
    check("  1 +..xo.+", "  1 +..xo.x+", "suite.txt:12: board out of bounds i:49 size:49");
    check("  1 +..xo.+", "  1 +...+", "suite.txt:12: not enough size i:47 size:49");
    check("about: a reason", "about: a reason\n\ntitle: Take", "suite.txt:2: this problem has no board");
    check("about: a reason", "about:", "suite.txt:2: this problem has no about");
}

#[test]
fn titles_must_be_unique() {
    let text = GOOD;
    let error = read("suite.txt", &format!("{text}{text}")).map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "suite.txt:20: another problem is called Take");
}
