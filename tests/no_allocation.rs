//! Playouts allocate nothing: a binary of its own, because counting replaces the allocator.
#![allow(clippy::unwrap_used)]

use allocation_counter::measure;
use fastrand::Rng;
use kifuwarabe_uec14::kernel::{Board, Color, Coordinate};
use kifuwarabe_uec14::search::playout::{margin, play_out};

/// A kind of playout: it plays to the end on the board that it is given.
type Playout = fn(&mut Board, &mut Rng);

const KINDS: [(&str, Playout); 1] = [("light", |board, rng| {
    play_out(board, Color::Black, rng);
})];

#[test]
fn playouts_allocate_nothing() {
    for side in [9, 19, 25] {
        let empty = Board::new(Coordinate::square(side).unwrap());
        let mut game = empty.clone();
        let mut rng = Rng::with_seed(1);
        for (name, playout) in KINDS {
            let seen = measure(|| {
                for _ in 0..20 {
                    game.clone_from(&empty);
                    playout(&mut game, &mut rng);
                    std::hint::black_box(margin(&game));
                }
            });
            assert_eq!(seen.count_total, 0, "{name} playouts on {side}x{side}: {seen:?}");
        }
    }
    // the counter counts
    assert!(measure(|| drop(std::hint::black_box(Box::new(1)))).count_total > 0);
}
