//! Files of the ren database.

use kifuwarabe_uec14::gtp::board_text::board_text;
use kifuwarabe_uec14::io::ren_db_file;
use kifuwarabe_uec14::kernel::{Color, Coordinate};

use super::Bytes;
use crate::support::{MAX_MOVES, empty_position};

/// The first byte is the side of the board, `1` to `3`; otherwise it is 19, as in the file in `data/`.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let side = match bytes.take() {
        byte @ b'1'..=b'3' => byte - b'0',
        // a whole file, from its first byte
        b'{' => return check(Coordinate::square(19).unwrap(), data),
        _ => 19,
    };
    check(Coordinate::square(side).unwrap(), bytes.0);
}

fn check(coordinate: Coordinate, file: &[u8]) {
    let ren_db = match ren_db_file::read(file, coordinate, MAX_MOVES) {
        Ok(ren_db) => ren_db,
        Err(error) => {
            let reason = error.to_string();
            return assert!(!reason.contains(char::is_control) && reason.chars().count() < 250, "{reason}");
        }
    };
    let written = ren_db_file::write(&ren_db);
    let again = ren_db_file::read(&written, coordinate, MAX_MOVES).unwrap();
    assert!(again == ren_db && ren_db_file::write(&again) == written, "{}", String::from_utf8_lossy(&written));
    ren_db.dump();
    for ordinal in ren_db.ordinals() {
        board_text(coordinate, &ren_db.stones(ordinal));
    }
    // a game continues with the database
    let mut position = empty_position(coordinate);
    position.replace_ren_db(ren_db).unwrap();
    position.find_all_rens();
    for color in Color::BOTH {
        if let Some(&point) = position.board().empty_points().first() {
            let _ = position.play(color, point);
        }
        position.pass(color);
    }
    while position.undo().is_ok() {}
    position.assert_consistent();
}
