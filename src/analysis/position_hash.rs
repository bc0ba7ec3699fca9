//! Hashes of a position that are equal for equal positions, and for positions that are symmetrically equivalent.

use crate::kernel::{Color, Point, Position, Stone, Symmetry};

/// Offset and prime of the 128-bit FNV-1a hash (Fowler, Noll and Vo).
const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// The hash of board, player to move and the point that a simple ko forbids, and the least of the hashes of the position
/// in all eight symmetries. Each is written as 32 hexadecimal digits.
pub(super) fn hashes(position: &Position) -> (String, String) {
    let mut hashes = Symmetry::all().map(|symmetry| hash(position, symmetry));
    let this = hashes.next().unwrap_or_default();
    let least = hashes.fold(this, u128::min);
    (format!("{this:032X}"), format!("{least:032X}"))
}

fn hash(position: &Position, symmetry: Symmetry) -> u128 {
    let (board, to_move) = (position.board(), position.to_move());
    let coordinate = board.coordinate();
    let (width, height) = (coordinate.width(), coordinate.height());
    let shape = if symmetry.swaps_axes() { [height, width] } else { [width, height] };
    let banned = board.ko_point_of(to_move);
    let cell = |point: Point| match board.stone(point) {
        Stone::Black => 1,
        Stone::White => 2,
        _ if Some(point) == banned => 3,
        _ => 0,
    };
    let player = u8::from(to_move == Color::White);
    let bytes = shape.into_iter().chain([player]).chain(symmetry.points(coordinate).map(cell));
    bytes.fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Coordinate, GameRule, played};

    fn position(width: u8, height: u8, moves: &[&str]) -> Position {
        let coordinate = Coordinate::new(width, height).unwrap();
        played(Position::new(coordinate, GameRule::with_komi(6.5), 0, Color::Black), &moves.join(" "))
    }

    #[test]
    fn symmetric_positions_have_equal_symmetry_hashes() {
        let of = |width, height, moves: &[&str]| hashes(&position(width, height, moves));
        let (this, least) = of(5, 5, &["A1", "C2"]);
        assert!(this.len() == 32 && least <= this && this.chars().all(|digit| digit.is_ascii_hexdigit()));
        // the other corners, each in two ways
        for moves in [["E1", "C2"], ["A5", "C4"], ["E5", "C4"], ["A1", "B3"], ["A5", "B3"], ["E1", "D3"], ["E5", "D3"]]
        {
            let (other, symmetric) = of(5, 5, &moves);
            assert!(other != this && symmetric == least, "{moves:?}");
        }
        assert_eq!(of(3, 7, &["A7"]).1, of(7, 3, &["G1"]).1);
        // another order of moves, another player, another board, another ko
        assert_eq!(of(5, 5, &["A1", "C2", "E4", "E5"]), of(5, 5, &["E4", "E5", "A1", "C2"]));
        let ko = ["B1", "C1", "A2", "D2", "B3", "C3", "E5", "B2", "C2"];
        let lifted = [&ko[..], &["pass", "pass"]].concat();
        let mut seen = vec![this];
        for (width, height, moves) in
            [(5, 5, &["A1", "C2", "pass"][..]), (6, 5, &["A1", "C2"]), (5, 5, &ko), (5, 5, &lifted)]
        {
            seen.push(of(width, height, moves).0);
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 5);
    }
}
