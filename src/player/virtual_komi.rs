//! Virtual komi for handicap games, reduced during the game.
//!
//! With real komi the win probability of a handicap game is near 0 or 1 after every move of the first half, and
//! playouts barely distinguish good moves from bad ones. Komi that offsets the handicap stones keeps it near one half.
//! The method is linear dynamic komi: P. Baudiš, "Balancing MCTS by Dynamically Adjusting the Komi Value", ICGA Journal
//! 34(3), 2011.

use crate::kernel::Position;
use crate::player::options::Options;

/// Points added to White's score in the search for a move of either player:
///
/// ```text
/// komi = stones · HandicapPoints · max(0, 1 - moves / max(1, HandicapMoves · area))
/// ```
///
/// with the handicap `stones` (none below 2), the `moves` played so far and the `area` of the board in points.
pub(super) fn virtual_komi(position: &Position, options: &Options) -> f64 {
    let stones = position.handicap() as f64;
    if stones < 2.0 {
        return 0.0;
    }
    let area = position.board().coordinate().board_area() as f64;
    let left = 1.0 - position.record().len() as f64 / (options.params.handicap_moves * area).max(1.0);
    stones * options.params.handicap_points * left.max(0.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule};

    #[test]
    fn virtual_komi_falls_to_zero() {
        let coordinate = Coordinate::square(19).unwrap();
        let mut position = Position::new(coordinate, GameRule::with_komi(0.5), 0, Color::Black);
        let options = Options::default();
        assert_eq!(virtual_komi(&position, &options), 0.0);
        // one stone only gives the first move
        position.declare_handicap(1);
        assert_eq!(virtual_komi(&position, &options), 0.0);
        position.declare_handicap(2);
        assert_eq!(virtual_komi(&position, &options), 2.0 * options.params.handicap_points);
        position.declare_handicap(4);
        let full = 4.0 * options.params.handicap_points;
        assert_eq!(virtual_komi(&position, &options), full);
        let mut before = full;
        for point in coordinate.points().step_by(2) {
            let color = position.to_move();
            if position.play(color, point).is_ok() {
                assert!(virtual_komi(&position, &options) <= before);
                before = virtual_komi(&position, &options);
            }
        }
        assert_eq!(before, 0.0);
    }
}
