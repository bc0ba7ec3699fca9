//! Superko and suicide: random games under every combination of both against the oracle, and published numbers of
//! games.

use kifuwarabe_uec14::kernel::{
    Color, Coordinate, GameRule, IllegalMove, KoRule, PointSet, Position, ScoreInput, Scoring, score,
};
use kifuwarabe_uec14::net::history::BoardHistory;

use crate::oracle::{BLACK, EMPTY, Oracle};
use crate::oracle_game::OracleGame;
use crate::shared_data;
use crate::support::{self, MAX_MOVES, RECTANGLES, color_of, draw, point_of, sign, slow_tests, stones_of};

#[derive(Default, Debug)]
struct Coverage {
    superko: usize,
    ko: usize,
    suicide: usize,
    suicides_played: usize,
}

fn check(
    ko: KoRule,
    suicide: bool,
    (width, height): (u8, u8),
    plies: usize,
    rng: &mut fastrand::Rng,
    coverage: &mut Coverage,
) {
    let coordinate = Coordinate::new(width, height).unwrap();
    let rule = GameRule { ko, suicide, ..GameRule::with_komi(6.5) };
    let mut position = Position::new(coordinate, rule, MAX_MOVES, Color::Black);
    let empty = Oracle::new(width.into(), height.into());
    let mut game = OracleGame { now: empty, to_move: BLACK, before: Vec::new(), ko, suicide, my_eye: false };
    for ply in 0..plies {
        let mut legal = Vec::new();
        for place in game.now.places() {
            for color in Color::BOTH {
                let ours = position.check(color, point_of(coordinate, place));
                let theirs = game.verdict(sign(color), place);
                assert_eq!(ours, theirs, "{ko} {suicide} ply {ply} {color} {place:?}\n{}", draw(position.board()));
                coverage.superko += usize::from(theirs == Err(IllegalMove::Superko));
                coverage.ko += usize::from(theirs == Err(IllegalMove::Ko));
                coverage.suicide += usize::from(theirs == Err(IllegalMove::Suicide));
                if theirs.is_ok() {
                    legal.push((sign(color), place));
                }
            }
        }
        // mostly in turn
        if rng.u8(..10) > 0 {
            legal.retain(|&(color, _)| color == game.to_move);
        }
        match rng.choice(&legal) {
            Some(&(color, place)) if rng.u8(..12) > 0 => {
                let next = game.after(color, place);
                coverage.suicides_played += usize::from(next.at(place) == EMPTY);
                game.step(color, next);
                position.play(color_of(color), point_of(coordinate, place)).unwrap();
            }
            _ => {
                let color = game.to_move;
                let mut next = game.now.clone();
                next.pass(color);
                game.step(color, next);
                position.pass(color_of(color));
            }
        }
        assert_eq!(position.board().stones(), stones_of(coordinate, &game.now));
        let taken = Color::BOTH.map(|color| position.prisoners(color));
        assert_eq!(taken, game.now.taken);
        if ply % 16 == 0 {
            position.assert_consistent();
        }
        if rng.u8(..20) == 0 {
            position.undo().unwrap();
            (game.now, game.to_move) = game.before.pop().unwrap();
        }
    }
}

#[test]
fn games_under_every_ko_and_suicide_rule_agree_with_the_oracle() {
    let mut rng = fastrand::Rng::with_seed(1314);
    for &ko in KoRule::ALL {
        for suicide in [false, true] {
            let mut coverage = Coverage::default();
            for side in [2, 2, 2, 3, 3, 3, 4, 5, 6, 7] {
                for _ in 0..3 {
                    check(ko, suicide, (side, side), usize::from(side) * 20, &mut rng, &mut coverage);
                }
            }
            for (width, height) in RECTANGLES.into_iter().filter(|(width, height)| width.min(height) < &9) {
                check(ko, suicide, (width, height), 60, &mut rng, &mut coverage);
            }
            let is_simple = ko == KoRule::Simple;
            assert!(coverage.superko > 0 || is_simple, "{ko} {suicide}: {coverage:?}");
            assert!(coverage.ko > 0 || !is_simple, "{ko} {suicide}: {coverage:?}");
            assert!(coverage.suicides_played > 0 || !suicide, "{ko} {suicide}: {coverage:?}");
            assert!(coverage.suicide > 0 || suicide, "{ko} {suicide}: {coverage:?}");
        }
    }
}

/// Counts the games of each length up to `max_moves` in which no board repeats and either player may move at any time.
fn count_games(position: &mut Position, max_moves: usize, counts: &mut Vec<u64>) {
    let length = position.record().len();
    counts.resize(counts.len().max(length + 1), 0);
    counts[length] += 1;
    if length == max_moves {
        return;
    }
    for point in position.board().coordinate().points() {
        for color in Color::BOTH {
            if position.play(color, point).is_ok() {
                count_games(position, max_moves, counts);
                position.undo().unwrap();
            }
        }
    }
}

fn games(width: u8, height: u8, suicide: bool, max_moves: usize) -> Vec<u64> {
    let coordinate = Coordinate::new(width, height).unwrap();
    let rule = GameRule { suicide, ..GameRule::with_komi(0.0).with_rule_set("tromp-taylor").unwrap() };
    let mut counts = Vec::new();
    count_games(&mut Position::new(coordinate, rule, MAX_MOVES, Color::Black), max_moves, &mut counts);
    counts
}

/// J. Tromp and G. Farnebäck, Combinatorics of Go, table of exact numbers of games; for 2x2 by length, J. Tromp,
/// rec.games.go, June 1999. Without suicide, and for 1x4 by length, from independent programs that reproduce theirs.
#[test]
fn numbers_of_games_match_published_counts() {
    let all = |width, height| games(width, height, true, usize::MAX).iter().sum::<u64>();
    assert_eq!((all(1, 1), all(1, 2), all(1, 3), all(3, 1)), (1, 9, 907, 907));
    assert_eq!(games(2, 2, true, 9), [1, 8, 48, 176, 304, 784, 2096, 4592, 9232, 20336]);
    assert_eq!(games(1, 4, true, 9), [1, 8, 44, 148, 324, 832, 2028, 4268, 9556, 22048]);
    assert_eq!(games(4, 1, false, 9), [1, 8, 44, 140, 268, 632, 1544, 3088, 6340, 13796]);
    if slow_tests() {
        assert_eq!(games(2, 2, true, 12)[10..], [46608, 100_832, 219_152]);
        assert_eq!(games(1, 4, true, 12)[10..], [49448, 109_556, 239_392]);
        assert_eq!(games(1, 4, false, 13)[10..], [29096, 59568, 121_140, 245_040]);
    }
}

/// Like above, from the file of published numbers: all games on 1x1 to 1x3, games of up to nine moves on 1x4 and 2x2.
#[test]
fn numbers_of_games_match_the_shared_file() {
    let Some(text) = shared_data::file("counting_facts.json") else { return };
    let facts: serde_json::Value = serde_json::from_str(&text).unwrap();
    let facts = &facts["number_of_games_positional_superko"];
    let max_moves = if slow_tests() { 12 } else { 9 };
    for (name, height) in [("1x1", 1), ("1x2", 2), ("1x3", 3)] {
        let total: u64 = games(1, height, true, usize::MAX).iter().sum();
        assert_eq!(facts["published"][name].as_u64(), Some(total), "{name}");
    }
    let by_moves = &facts["by_moves_1x4"];
    for (list, found) in [
        (&facts["by_moves_2x2"], games(2, 2, true, max_moves)),
        (&by_moves["suicide allowed"]["by_number_of_moves"], games(1, 4, true, max_moves)),
        (&by_moves["suicide forbidden"]["by_number_of_moves"], games(1, 4, false, max_moves)),
    ] {
        let list: Vec<u64> = list.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).collect();
        assert_eq!(found, list[..=max_moves]);
    }
}

/// From a drawn position plays moves, all legal, then checks one more move under simple ko, positional and situational
/// superko.
#[track_caller]
fn verdicts(drawn: &str, moves: &str, last: &str, expected: [Result<(), IllegalMove>; 3]) {
    for (&ko, expected) in KoRule::ALL.iter().zip(expected) {
        for suicide in [false, true] {
            let mut position = support::position(drawn);
            (position.rule_mut().ko, position.rule_mut().suicide) = (ko, suicide);
            let coordinate = position.board().coordinate();
            let read = |text: &str| {
                let (color, vertex) = text.trim().split_once(' ').unwrap();
                (Color::parse(color).unwrap(), coordinate.parse_vertex(vertex).ok())
            };
            position.set_to_move(read(moves.split(',').next().unwrap()).0);
            for text in moves.split(',') {
                match read(text) {
                    (color, Some(point)) => assert_eq!(position.play(color, point), Ok(()), "{ko}: {text}"),
                    (color, None) => position.pass(color),
                }
            }
            let (color, point) = read(last);
            assert_eq!(position.check(color, point.unwrap()), expected, "{ko} {last}\n{}", draw(position.board()));
        }
    }
}

const BANNED: Result<(), IllegalMove> = Err(IllegalMove::Superko);

#[test]
fn send_two_return_one() {
    // White sacrifices two stones and retakes one: the board repeats, but with the other colour to move
    let drawn = "
        .o.o.
        xxoo.
        xxo..
        .....
        .....";
    verdicts(drawn, "w A1, b C1", "w B1", [Ok(()), BANNED, Ok(())]);
}

#[test]
fn double_ko() {
    let drawn = "
        ......xo.
        .....x.xo
        ......xo.
        .........
        .........
        .........
        .xo......
        xo.o.....
        .xo......";
    let ko = Err(IllegalMove::Ko);
    // each ko bans its own retake only, and a move elsewhere lifts the ban
    verdicts(drawn, "b C8, w G2", "b H2", [ko, BANNED, BANNED]);
    verdicts(drawn, "b C8, w G2", "b E5", [Ok(()); 3]);
    verdicts(drawn, "b C8, w G2, b E5", "w B8", [Ok(()); 3]);
}

#[test]
fn triple_ko() {
    let drawn = "
        .......
        .......
        ooooooo
        xxxxxxx
        x.xoxox
        oxo.o.o
        ooooooo";
    let cycle = "b D6, w B5, b F6, w D5, b B6";
    verdicts(drawn, cycle, "w F5", [Ok(()), BANNED, BANNED]);
    verdicts(drawn, cycle, "w B5", [Err(IllegalMove::Ko), BANNED, BANNED]);
}

#[test]
fn eternal_life() {
    let drawn = "
        .o.x.ox.
        xoooxxoo
        xxxxxo..
        oooooo..
        ........
        ........
        ........
        ........";
    verdicts(drawn, "b C1, w E1, b D1", "w F1", [Ok(()), BANNED, BANNED]);
}

#[test]
fn two_passes_lift_a_ko_but_not_a_superko() {
    let drawn = "
        .xo..
        xo.o.
        .xo..
        .....
        .....";
    verdicts(drawn, "b C2, w pass, b pass", "w B2", [Ok(()), BANNED, BANNED]);
}

#[test]
fn no_position_before_the_button_was_taken_is_repeated() {
    let drawn = "
        .xo..
        xo.o.
        .xo..
        .....
        .....";
    for rules in ["chinese-ogs", "aga"] {
        for (has_button, opening_pass, expected) in
            [(true, false, Ok(())), (true, true, Err(IllegalMove::Superko)), (false, false, Err(IllegalMove::Superko))]
        {
            let mut position = support::position(drawn);
            *position.rule_mut() = GameRule { has_button, ..position.rule().with_rule_set(rules).unwrap() };
            let coordinate = position.board().coordinate();
            let point = |vertex| coordinate.parse_vertex(vertex).unwrap();
            if opening_pass {
                position.pass(Color::White);
            }
            position.play(Color::Black, point("C2")).unwrap();
            position.pass(Color::White);
            position.pass(Color::Black);
            assert_eq!(position.check(Color::White, point("B2")), expected, "{rules}, {has_button}, {opening_pass}");
            assert_eq!(BoardHistory::new(&position, Color::White).is_legal(point("B2")), expected.is_ok());
        }
    }
}

#[test]
fn multi_stone_suicide_is_legal_only_if_allowed() {
    let drawn = "
        xx.oo
        oooo.
        .....
        .....
        .....";
    for (suicide, expected) in [(false, Err(IllegalMove::Suicide)), (true, Ok(()))] {
        let mut position = support::position(drawn);
        position.rule_mut().suicide = suicide;
        let coordinate = position.board().coordinate();
        let point = coordinate.parse_vertex("C1").unwrap();
        assert_eq!(position.play(Color::Black, point), expected);
        let left = if suicide { "...oo" } else { "xx.oo" };
        assert!(draw(position.board()).trim_start().starts_with(left), "{}", draw(position.board()));
        assert_eq!(position.prisoners(Color::White), if suicide { 3 } else { 0 });
    }
}

#[test]
fn two_passes_in_turn_end_the_game() {
    let position = |moves: &str| {
        let mut position = support::position("x.o\nx.o\nx.o");
        for (number, text) in moves.split(' ').enumerate() {
            match text {
                "b" => position.pass(Color::Black),
                "w" => position.pass(Color::White),
                "edit" => {
                    let point = position.board().coordinate().parse_vertex("A1").unwrap();
                    position.remove_ren(point).unwrap();
                }
                _ => panic!("{number}: {text}"),
            }
        }
        position
    };
    for (moves, ending_passes) in [
        ("b", 1),
        ("b w", 2),
        ("b w b", 3),
        // White had the turn
        ("b b", 1),
        ("b w w", 1),
        ("b b w", 2),
        ("b edit w", 1),
        ("b w edit", 0),
    ] {
        let position = position(moves);
        assert_eq!(position.ending_passes(), ending_passes, "{moves}");
        assert_eq!(position.is_over(), ending_passes >= 2, "{moves}");
    }
}

#[test]
fn first_pass_takes_the_button() {
    let mut position = support::position("x.o\nx.o\nx.o");
    *position.rule_mut() = GameRule::with_komi(0.0).with_rule_set("aga-button").unwrap();
    let result = |position: &Position| {
        let none = PointSet::new();
        let (board, rule, button) = (position.board(), position.rule(), position.button());
        let ending = ScoreInput { board, rule, prisoners: [0; 2], handicap: 0, button, dead: &none, seki: &none };
        score(&ending).to_string()
    };
    // while nobody has it, it counts for the player to move
    assert_eq!((position.is_button_open(), position.button()), (true, Some(Color::Black)));
    position.set_to_move(Color::White);
    assert_eq!(result(&position), "W+0.5");
    position.pass(Color::White);
    assert_eq!(
        (position.is_button_open(), position.button(), position.ending_passes()),
        (false, Some(Color::White), 0)
    );
    position.pass(Color::Black);
    assert_eq!((position.ending_passes(), position.is_over(), result(&position)), (1, false, "W+0.5".into()));
    position.pass(Color::White);
    assert!(position.is_over());
    position.undo().unwrap();
    assert!(!position.is_over());
    // under territory scoring, and without the rule, there is no button
    position.rule_mut().scoring = Scoring::Territory;
    assert_eq!((position.button(), position.ending_passes()), (None, 2));
    position.rule_mut().scoring = Scoring::Area;
    position.rule_mut().has_button = false;
    assert_eq!((position.button(), position.is_over(), result(&position)), (None, true, "0".into()));
}
