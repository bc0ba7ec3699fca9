//! Passes: none that loses points, in games of the engine against itself and on boards that the net has not learned.

use kifuwarabe_uec14::gtp::Engine;
use kifuwarabe_uec14::kernel::{Color, GameRule, Move, Position, parse_diagram};
use kifuwarabe_uec14::net::Net;
use kifuwarabe_uec14::player::final_score;
use kifuwarabe_uec14::search::params::Params;
use kifuwarabe_uec14::search::{Limits, Restrictions, SearchRequest, SearchResult, Searcher, StopSignal};

use crate::engine::{ask, engine_with};

/// An engine with the built-in net that never resigns.
fn engine(side: u8, rules: &str, komi: f64, playouts: u64, seed: u64) -> Engine {
    let rule = GameRule::with_komi(komi).with_rule_set(rules).unwrap();
    let mut engine = engine_with(side, rule, playouts);
    engine.player.net = Some(Net::built_in().unwrap());
    (engine.player.options.seed, engine.player.options.resign) = (seed, false);
    engine
}

/// A search by playouts that is much longer than the engine's, with points added to komi.
fn search(
    position: &Position,
    color: Color,
    extra_komi: f64,
    playouts: u64,
    restrictions: Option<&Restrictions>,
    net: Option<&Net>,
) -> SearchResult {
    Searcher::new(64 << 20, 7).search(&SearchRequest {
        extra_komi,
        restrictions,
        net,
        ..SearchRequest::new(position, color, Limits::playouts(playouts), &Params::default(), &StopSignal::default())
    })
}

/// The win probability that a pass loses against the best other move, the greatest for komi as it is and for three
/// numbers of points around the lead after the pass, where the game is about even.
fn loss_of_pass_by(position: &Position, color: Color, playouts: u64, net: Option<&Net>) -> f32 {
    let mut passed = position.clone();
    passed.pass(color);
    let mut no_pass = Restrictions::default();
    no_pass.avoid(color, [Move::Pass], 1);
    let lead = f64::from(search(&passed, color.opponent(), 0.0, playouts, None, net).lead);
    let komi = position.rule().komi;
    let even = (lead + komi).round() - komi;
    let losses = [0.0, even - 1.0, even, even + 1.0].map(|extra_komi| {
        let answer = search(&passed, color.opponent(), extra_komi, playouts, None, net);
        let pass = match answer.best().map(|best| best.play) {
            // then the game is over
            Some(Move::Pass) if position.record().latest().next() == Some(None) => {
                let margin = final_score(&passed).score.margin() - extra_komi;
                let sign = if color == Color::Black { margin } else { -margin };
                if sign > 0.0 {
                    1.0
                } else if sign < 0.0 {
                    0.0
                } else {
                    0.5
                }
            }
            _ => 1.0 - answer.win_probability(),
        };
        search(position, color, extra_komi, playouts, Some(&no_pass), net).win_probability() - pass
    });
    losses.into_iter().fold(f32::MIN, f32::max)
}

/// That loss by playouts alone and, on boards that it has learned, with a net beside them, the smaller one. Where one
/// point decides, either is biased in some positions, but rarely both.
fn loss_of_pass(position: &Position, color: Color, playouts: u64) -> f32 {
    let by = |net| loss_of_pass_by(position, color, playouts, net);
    match position.board().coordinate().width() >= 9 {
        true => by(None).min(by(Some(&Net::human().unwrap()))),
        false => by(None),
    }
}

/// Two walls, and a point at the edge between two territories that each player wants to close.
const OPEN_BORDER: &str = "set_position b D9 w E9 b D8 w E8 b D7 w E7 b D6 w E6 b D5 w E5 b D4 w E4 b A3 b B3 b C3 b D3 \
                           w E3 w F3 w G3 w H3 w J3 b D2 w E2";

#[test]
fn no_pass_while_both_players_want_to_close_a_border() {
    for seed in 1..=5 {
        for (color, expected) in [("b", "E1"), ("w", "D1")] {
            let mut engine = engine(9, "japanese", -7.5, 400, seed);
            ask(&mut engine, OPEN_BORDER);
            let answer = ask(&mut engine, &format!("genmove {color}"));
            assert_eq!(answer, expected, "{color} {seed}");
        }
    }
}

#[test]
fn passes_when_the_border_is_closed() {
    for color in ["b", "w"] {
        let mut engine = engine(9, "japanese", -7.5, 400, 1);
        ask(&mut engine, &format!("{OPEN_BORDER} b D1 w E1"));
        assert_eq!(ask(&mut engine, &format!("genmove {color}")), "pass");
    }
}

/// Positions of games in which the player to move leads by territory, but an attack kills a group or takes the territory
/// if it passes.
const UNDER_ATTACK: [(&str, &str); 3] = [
    (
        "b",
        "....ooox.
         ..o..xox.
         ..oxx.ox.
         ...ox.x..
         ...ox.x.x
         ...oox...
         ...ox.x..
         ...oxx...
         ....oo...",
    ),
    (
        "b",
        ".........
         .........
         .oooo....
         .oxxxooo.
         .x..oxxxo
         ..x.....x
         .....x...
         .........
         .........",
    ),
    (
        "w",
        ".........
         ...xx....
         oxxox....
         .ooo.x...
         ......xx.
         ...oxxox.
         ...oxooo.
         ....ox...
         .........",
    ),
];

#[test]
fn no_pass_lets_an_attack_succeed() {
    for (color, drawn) in UNDER_ATTACK {
        let board = parse_diagram(drawn).unwrap();
        for seed in 1..=if crate::support::slow_tests() { 3 } else { 1 } {
            let mut engine = engine(9, "chinese", 7.5, 600, seed);
            engine.position.set_up(board.stones()).unwrap();
            assert_ne!(ask(&mut engine, &format!("genmove {color}")), "pass", "seed {seed}, {color} to move:\n{drawn}");
        }
    }
}

/// Plays a game against itself; gives each pass with the win probability that it loses.
fn passes_of_a_game(engine: &mut Engine, playouts: u64) -> Vec<(usize, f32)> {
    let mut passes = Vec::new();
    let area = engine.position.board().coordinate().board_area();
    while !engine.position.is_over() && engine.position.record().len() < 3 * area {
        let (before, color) = (engine.position.clone(), engine.position.to_move());
        if ask(engine, &format!("genmove {color}")) == "pass" {
            passes.push((before.record().len(), loss_of_pass(&before, color, playouts)));
        }
    }
    passes
}

/// Two searches of some thousand playouts differ by less than this where a pass loses nothing.
const ERROR: f32 = 0.3;

#[test]
fn passes_of_self_play_lose_nothing_by_a_longer_search() {
    let (games, playouts) = if crate::support::slow_tests() { (12, 400) } else { (1, 60) };
    for seed in 1..=games {
        let mut engine = engine(9, "japanese", 6.5, playouts, seed);
        let passes = passes_of_a_game(&mut engine, 10 * playouts);
        assert!(engine.position.is_over(), "{seed}");
        println!("seed {seed}: {passes:?}");
        assert!(passes.iter().all(|&(_, loss)| loss < ERROR), "{seed} {passes:?}");
    }
}

/// The margin of a game from the empty board in which the engine plays both sides, for Black, and its moves.
fn margin_of_a_game(side: u8, komi: f64, playouts: u64, seed: u64) -> (f64, String) {
    let mut engine = engine(side, "tromp-taylor", komi, playouts, seed);
    while !engine.position.is_over() && engine.position.record().len() < 200 {
        let color = engine.position.to_move();
        ask(&mut engine, &format!("genmove {color}"));
    }
    assert!(engine.position.is_over());
    (final_score(&engine.position).score.margin(), ask(&mut engine, "record"))
}

/// The value of the empty board under area scoring and superko, in points for Black. Source: E. C. D. van der Werf, "AI
/// techniques for the game of Go", 2005, and <https://erikvanderwerf.tengen.nl/5x5/5x5solved.html>.
const VALUES: [(u8, f64, u64); 3] = [(3, 9.0, 1000), (4, 2.0, 10_000), (5, 25.0, 3000)];

/// Checks that Black gets the value of the empty board, and no more.
fn check_value((side, value, playouts): (u8, f64, u64), seed: u64) {
    let (margin, moves) = margin_of_a_game(side, value - 0.5, playouts, seed);
    assert!(margin > 0.0, "Black gets less on {side}x{side} with seed {seed}: {moves}");
    if value < f64::from(side).powi(2) {
        let (margin, moves) = margin_of_a_game(side, value + 0.5, playouts, seed);
        assert!(margin < 0.0, "Black gets more on {side}x{side} with seed {seed}: {moves}");
    }
}

#[test]
fn small_boards_are_played_to_their_known_value() {
    for (row, seeds) in VALUES.into_iter().zip([10, 1, 1]) {
        (1..=seeds).for_each(|seed| check_value(row, seed));
    }
}

/// `cargo test --test it passes::ten_seeds -- --ignored`, about ten minutes.
#[test]
#[ignore = "takes minutes"]
fn ten_seeds_play_small_boards_to_their_known_value() {
    for row in VALUES {
        (1..=10).for_each(|seed| check_value(row, seed));
    }
}

/// Plays games from the empty board and checks each pass by a much longer search.
fn check_passes(sides: std::ops::RangeInclusive<u8>, all_playouts: &[u64], checked_by: u64) {
    for side in sides {
        for &playouts in all_playouts {
            for rules in ["chinese", "japanese", "tromp-taylor"] {
                let mut engine = engine(side, rules, 0.5, playouts, 1);
                let passes = passes_of_a_game(&mut engine, checked_by);
                let moves = ask(&mut engine, "record");
                assert!(
                    passes.iter().all(|&(_, loss)| loss < ERROR),
                    "{side}x{side} {rules} {playouts} {passes:?} {moves}"
                );
            }
        }
    }
}

#[test]
fn no_pass_on_a_small_board_loses_a_point() {
    check_passes(2..=5, &[10, 100], 1000);
}

/// `cargo test --test it passes::no_pass_on_any -- --ignored`, some minutes.
#[test]
#[ignore = "takes minutes"]
fn no_pass_on_any_board_up_to_7x7_loses_a_point() {
    check_passes(2..=7, &[10, 30, 100, 300, 1000], 10_000);
}

#[test]
fn no_first_move_is_a_pass_on_boards_that_the_net_has_not_learned() {
    for rules in ["chinese", "japanese"] {
        for (side, playouts) in (3..=8).chain([22]).flat_map(|side| [1, 10, 60].map(|playouts| (side, playouts))) {
            let mut engine = engine(side, rules, 0.5, playouts, 1);
            assert_ne!(ask(&mut engine, "genmove b"), "pass", "{side}x{side} {rules} {playouts}");
        }
    }
}

/// White has won: no Black group lives.
const WON: &str = "gogui-play_sequence \
    b E5 w C5 b D3 w G5 b E7 w C7 b G3 w G7 b C4 w B4 b B3 w D4 b C3 w F4 b E4 w F3 b F2 w E2 b E3 w G2 b F1 w G1 \
    b F5 w G4 b D8 w B8 b B6 w B5 b C6 w D6 b A6 w D7 b D5 w E8 b F8 w E6 b E9 w F6 b G8 w H8 b H9 w H7 b C8 w B7 \
    b A4 w F7 b E8 w G9 b F9 w D2 b pass w C2 b B2 w A7 b pass w A5 b A3 w B1 b C1 w A1 b A2 w B1 b pass w D1";

/// A person who passes ends a game that is lost; the engine does not fill its own territory first.
#[test]
fn a_won_game_ends_with_the_second_pass() {
    for rules in ["chinese", "japanese"] {
        for seed in [1, 2] {
            let mut engine = engine(9, rules, 6.5, 200, seed);
            ask(&mut engine, WON);
            ask(&mut engine, "play b pass");
            assert_eq!(ask(&mut engine, "genmove w"), "pass", "{rules} {seed}");
        }
    }
}

/// The moves of a game by turns, Black first, each a vertex or `pass`.
fn play_all(engine: &mut Engine, moves: &str) {
    for (color, vertex) in ["b", "w"].into_iter().cycle().zip(moves.split_whitespace()) {
        ask(engine, &format!("play {color} {vertex}"));
    }
}

/// A finished game with two sekis under rules that count every stone as alive. Black wins by a pass; both moves at J1
/// and G1, next to White's stones in seki, lose eight points and the game.
#[test]
fn a_seki_is_not_broken_to_capture_stones_that_look_dead() {
    let mut engine = engine(9, "tromp-taylor", 7.0, 1500, 1);
    play_all(
        &mut engine,
        "C3 G3 F4 F3 E4 G4 F6 D7 E8 E7 F7 D8 C6 C7 G5 B6 E2 H5 H6 J4 H2 E3 D3 F2 H3 H4 D2 F1 H1 J2 J6 G2 B5 C5 D5 D6 C4 \
         F8 G8 E9 G9 A5 C6 A6 A4 C5 B4 J3 E6 F9 C6 H7 G7 C5 E1 J5 C6 F5 G6 B8 C5 B7 A8 A7 C9 B9 J7 B2 B1 A9 H8 C8 C2 A2 \
         B3 C1 A3 D9 D1 J9 E5 pass H9 pass A1 pass J8 pass",
    );
    assert_eq!(ask(&mut engine, "final_score"), "B+4");
    assert_eq!(ask(&mut engine, "genmove b"), "pass");
}

/// CGOS counts every stone on the board as alive, and its client sends no rules: without the capture White wins by 1.5.
#[test]
fn dead_stones_are_captured_in_a_game_on_cgos() {
    let mut engine = engine(19, "chinese", 6.5, 400, 1);
    for command in ["boardsize 5", "komi 2.5", "cgos-opponent_name GNU-Go-3.8", "clear_board"] {
        assert_eq!(ask(&mut engine, command), "", "{command}");
    }
    assert!(ask(&mut engine, "kata-get-rules").contains("\"friendlyPassOk\":false"));
    let stones = "b B5 b C5 w D5 b A4 b C4 w D4 w E4 b A3 b B3 b C3 w D3 w A2 b C2 w D2 w E2 b B1 b C1 w D1";
    ask(&mut engine, &format!("set_position {stones}"));
    assert_eq!(ask(&mut engine, "final_score"), "W+1.5");
    ask(&mut engine, "play w pass");
    let capture = ask(&mut engine, "genmove b");
    assert!(["A1", "B2"].contains(&capture.as_str()), "{capture}");
    for _ in 0..2 {
        ask(&mut engine, "play w pass");
        if ask(&mut engine, "genmove b") == "pass" {
            break;
        }
    }
    assert_eq!(ask(&mut engine, "final_score"), "B+2.5");
}

/// White C9 to E9 and Black share B9 and F9. Whoever plays there loses the stones of the seki, and White the game.
#[test]
fn a_pass_that_wins_on_cgos_is_no_capture_of_stones_in_seki() {
    let stones = "b A9 w C9 w D9 w E9 b G9 b H9 w J9 b A8 b B8 b C8 b D8 b E8 b F8 b G8 b H8 w J8 w A7 w B7 w C7 w D7 w E7 \
                  w F7 w G7 w H7 w J7 w A6 w C6 w E6 w F6 w H6 w J6 w A5 w B5 w C5 w D5 w E5 w F5 w G5 w H5 w J5 b A4 b B4 \
                  b C4 b D4 b E4 b F4 b G4 b H4 b J4 b A3 b D3 b G3 b J3 b A2 b B2 b C2 b D2 b E2 b F2 b G2 b H2 b J2 b A1 \
                  b C1 b E1 b J1";
    // with less komi White loses whatever it plays, and by more if it breaks the seki
    for (komi, score) in [(17.5, "W+2.5"), (14.5, "B+0.5")] {
        for level in [6, 7] {
            let mut engine = engine(9, "cgos", komi, 400, 3);
            engine.player.options.level = level;
            ask(&mut engine, &format!("set_position {stones}"));
            ask(&mut engine, "play b pass");
            assert_eq!(ask(&mut engine, "final_score"), score);
            let answer = ask(&mut engine, "genmove w");
            assert!(komi < 15.0 || answer == "pass", "level {level}, komi {komi}: {answer}");
            assert!(!["B9", "F9"].contains(&answer.as_str()), "level {level}, komi {komi}: {answer}");
        }
    }
}

/// The ownership of a search that reaches the end of the game is that of the positions before it.
#[test]
fn ownership_of_a_settled_board_is_clear() {
    for rules in ["chinese", "tromp-taylor", "japanese"] {
        let mut engine = engine(9, rules, 6.5, 800, 1);
        let board = parse_diagram(
            ". x . x o . o . o\n\
             x x x x o o o o .\n\
             . x . x o . o . o\n\
             x x x x o o o o o\n\
             . x . x o . o . o\n\
             x x x x o o o o .\n\
             . x . x o . o . o\n\
             x x x x o o o o o\n\
             . x . x o . o . o",
        )
        .unwrap();
        let stones = board.coordinate().points().filter_map(|point| Some((board.stone(point).color()?, point)));
        let vertices = stones.map(|(color, point)| format!(" {color} {}", board.coordinate().vertex(point)));
        ask(&mut engine, &format!("set_position{}", vertices.collect::<String>()));
        let net = engine.player.net.clone();
        let result = search(&engine.position, Color::Black, 0.0, 800, None, net.as_deref());
        let least = board.coordinate().points().map(|point| result.ownership[point.index()].abs()).fold(1.0, f32::min);
        assert!(result.is_by_net && least > 0.9, "{rules}: {least}");
    }
}
