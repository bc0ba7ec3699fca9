//! The steps of playout moves on small boards, and whole playouts.
#![allow(clippy::unwrap_used)]
use super::*;
use crate::kernel::Coordinate;
use crate::kernel::test_boards::board;
use crate::playout::light::{margin, owner};

/// Every step but the last pattern step is tried.
fn certain() -> PlayoutPolicy {
    PlayoutPolicy::new(&StepProbabilities {
        capture: 1.0,
        capture_caught: 1.0,
        escape: 1.0,
        two_liberties: 1.0,
        nakade: 1.0,
        pattern: 1.0,
        ..StepProbabilities::DEFAULT
    })
}

/// The moves chosen after a last move, in 200 draws.
fn answers(board: &Board, color: Color, last: &str) -> Vec<String> {
    let last = board.coordinate().parse_vertex(last).unwrap();
    let (policy, mut ladder, mut rng) = (certain(), LadderReader::new(), Rng::with_seed(4));
    let mut found: Vec<String> = (0..200)
        .filter_map(|_| policy.choose(board, color, [Some(last), None], &mut ladder, &mut rng))
        .map(|point| board.coordinate().vertex(point))
        .collect();
    found.sort();
    found.dedup();
    found
}

#[test]
fn signature() {
    let board = Board::new(Coordinate::square(9).unwrap());
    let policy = PlayoutPolicy::new(&StepProbabilities::DEFAULT);
    let mut rng = Rng::with_seed(1);
    let mut moves = Vec::with_capacity(MOVES_PER_POINT * 81);
    let (mut length, mut wins) = (0, 0);
    for _ in 0..2000 {
        let mut game = board.clone();
        moves.clear();
        let played = play_out(&mut game, Color::Black, [None, None], &policy, &mut rng, &mut moves);
        assert_eq!(played, moves.len());
        length += played;
        wins += usize::from(margin(&game) > 0);
        let mut again = board.clone();
        let mut color = Color::Black;
        for &play in &moves {
            match play {
                Move::Play(point) => {
                    again.play(color, point, &mut ()).unwrap();
                }
                Move::Pass => again.pass(),
            }
            color = color.opponent();
        }
        assert_eq!(again, game);
    }
    assert_eq!(moves.capacity(), MOVES_PER_POINT * 81);
    assert_eq!((length, wins), (215_935, 1093));
}

#[test]
fn last_move_in_atari_is_captured() {
    let board = board(&[".....", ".xo..", ".ox..", ".xo..", "..x.."]);
    assert_eq!(answers(&board, Color::Black, "B3"), ["A3"]);
}

#[test]
fn ren_put_in_atari_extends() {
    let extension = board(&[".....", "..x..", ".xo..", "..x..", "....."]);
    assert_eq!(answers(&extension, Color::White, "B3"), ["D3"]);
}

#[test]
fn vital_point_beside_the_last_move_is_played() {
    let board = board(&["...oo", "ooooo", "xxxxo", "....x", "....."]);
    assert_eq!(answers(&board, Color::Black, "D1"), ["B1"]);
}

#[test]
fn seki_survives() {
    // neither side should play D1 or D2
    let board = board(&["oxo.xo.", "oxo.xoo", "oxoxxo.", "oxoxxoo", "oxxxxoo", "oooooo.", "o.o.ooo"]);
    let policy = PlayoutPolicy::new(&StepProbabilities::DEFAULT);
    let mut rng = Rng::with_seed(5);
    let point = board.coordinate().parse_vertex("E1").unwrap();
    let mut kept = 0;
    for number in 0..500 {
        let mut game = board.clone();
        let mut moves = Vec::with_capacity(MOVES_PER_POINT * 49);
        let first = if number % 2 == 0 { Color::Black } else { Color::White };
        let last = board.coordinate().parse_vertex(if first == Color::Black { "C1" } else { "E1" }).unwrap();
        play_out(&mut game, first, [Some(last), None], &policy, &mut rng, &mut moves);
        kept += usize::from(owner(&game, point) == Some(Color::Black));
    }
    assert_eq!(kept, 500);
}
