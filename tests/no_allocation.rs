//! Playouts allocate no memory. A test binary of its own, because counting replaces the global allocator.
#![allow(clippy::unwrap_used)]

use allocation_counter::measure;
use fastrand::Rng;
use kifuwarabe_uec14::kernel::{Board, Color, Coordinate};
use kifuwarabe_uec14::playout::heavy::{self, PlayoutPolicy, StepProbabilities};
use kifuwarabe_uec14::playout::light::{MOVES_PER_POINT, margin, play_out};

/// Runs 20 playouts from the empty board twice and counts the allocations of the second round: the first may allocate
/// thread-local buffers.
fn assert_no_allocation(name: &str, side: u8, mut playout: impl FnMut(&mut Board, &mut Rng)) {
    let empty = Board::new(Coordinate::square(side).unwrap());
    let mut game = empty.clone();
    let mut rng = Rng::with_seed(1);
    let mut play = || {
        for _ in 0..20 {
            game.clone_from(&empty);
            playout(&mut game, &mut rng);
            std::hint::black_box(margin(&game));
        }
    };
    play();
    let counts = measure(play);
    assert_eq!(counts.count_total, 0, "{name} playouts on {side}x{side}: {counts:?}");
}

#[test]
fn playouts_allocate_nothing() {
    let policy = PlayoutPolicy::new(&StepProbabilities::DEFAULT);
    for side in [9, 19, 25] {
        assert_no_allocation("light", side, |board, rng| {
            play_out(board, Color::Black, rng);
        });
        let mut moves = Vec::with_capacity(MOVES_PER_POINT * board_area(side));
        assert_no_allocation("heavy", side, |board, rng| {
            moves.clear();
            heavy::play_out(board, Color::Black, [None; 2], &policy, rng, &mut moves);
        });
    }
    // the counter detects an allocation
    assert!(measure(|| drop(std::hint::black_box(Box::new(1)))).count_total > 0);
}

fn board_area(side: u8) -> usize {
    usize::from(side) * usize::from(side)
}
