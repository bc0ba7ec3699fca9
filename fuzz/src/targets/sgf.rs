//! Game records.

use kifuwarabe_uec14::kernel::Coordinate;
use kifuwarabe_uec14::sgf;

use crate::support::empty_position;

/// The input is the record.
pub fn run(data: &[u8]) {
    let game = match sgf::read(data) {
        Ok(game) => game,
        Err(error) => return assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    };
    let written = sgf::write(&game);
    let again = sgf::read(written.as_bytes()).unwrap();
    assert_eq!(again, game, "{written}");
    let before = empty_position(Coordinate::square(9).unwrap());
    match sgf::position_of(&game, &before, None) {
        Ok(position) => {
            position.assert_consistent();
            let kept = sgf::record_of(&position);
            let again = sgf::position_of(&kept, &before, None).unwrap();
            assert_eq!(again.board().stones(), position.board().stones(), "{written}");
            assert_eq!(again.to_move(), position.to_move(), "{written}");
            assert!(again.history().eq(position.history()), "{written}");
        }
        Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
    }
}
