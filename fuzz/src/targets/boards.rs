//! Drawn boards, as in the files of `board_set`.

use kifuwarabe_uec14::gtp::board_text::board_text;
use kifuwarabe_uec14::kernel::{Coordinate, MAX_SIDE, parse_framed};

use super::Bytes;
use crate::support::empty_position;

/// The first byte is the side of the board; `.` is 19.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let side = match bytes.take() {
        b'.' => 19,
        byte => byte % MAX_SIDE + 1,
    };
    let coordinate = Coordinate::square(side).unwrap();
    let stones = match parse_framed(coordinate, bytes.0) {
        Ok(stones) => stones,
        Err(error) => return assert_eq!(error.to_string().lines().count(), 1),
    };
    assert_eq!(parse_framed(coordinate, board_text(coordinate, &stones).as_bytes()), Ok(stones.clone()));
    let mut position = empty_position(coordinate);
    match position.set_up(&stones) {
        Ok(()) => assert_eq!(position.board().stones(), stones),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
    position.assert_consistent();
}
