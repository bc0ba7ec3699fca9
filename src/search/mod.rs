//! What a position is worth, found by playing it out: on the kernel's boards, without a protocol or a log.
//!
//! [`playout`] plays random games to their end; [`status`] judges by them which stones are dead, with [`seki`] for the
//! shapes in which random games do worst. [`heavy`] plays games that answer threats, standing on [`tactics`] and
//! [`patterns`]; [`prior`] judges moves by the same before any game is played. [`options`] is what a search is told
//! beforehand, [`time`] how long it may take by what the clocks show, and [`stop`] when it has found enough;
//! [`searcher`] grows a [`tree`], and [`player`] answers with a move.

mod advice;
mod answers;
pub mod heavy;
pub mod interrupt;
pub mod level;
pub mod options;
pub mod params;
pub mod patterns;
pub mod player;
pub mod playout;
pub mod prior;
pub mod report;
pub mod restrictions;
pub mod searcher;
pub mod seki;
pub mod settle;
pub mod status;
pub mod stop;
pub mod tactics;
pub mod tally;
pub mod time;
pub mod trace;
pub mod tree;
mod worker;

pub use interrupt::Interrupt;
pub use options::Options;
pub use player::{Choice, Manner, Player, Query};
pub use report::Reports;
pub use restrictions::Restrictions;
pub use searcher::{Candidate, Limits, Searcher, Task, Thought, fingerprint};
pub use settle::{Settled, rens_among, settle};
pub use status::{Status, effort, judge};
pub use stop::{Standing, should_stop};
pub use tally::Lead;
pub use time::{Allotment, Phase, allot};
pub use trace::{Made, Purpose, Trace};

/// What so many playouts find of a position, without a net.
#[cfg(test)]
pub(crate) fn thought_of(position: &crate::kernel::Position, playouts: u64) -> Thought {
    Searcher::new(16 << 20, 1).think(&Task {
        position,
        color: position.to_move(),
        limits: Limits::playouts(playouts),
        threads: 1,
        params: &params::Params::default(),
        extra_komi: 0.0,
        restrictions: None,
        net: None,
        interrupt: &Interrupt::default(),
    })
}

/// Boards drawn in tests.
#[cfg(test)]
mod drawn {
    use crate::kernel::{Board, Coordinate, Stone, parse_stones};

    /// The cells of a board of as many rows as are drawn, without the frame.
    #[allow(clippy::unwrap_used)]
    pub(super) fn stones(rows: &[&str]) -> (Coordinate, Vec<Stone>) {
        let width = rows.first().unwrap().len() as u8;
        let coordinate = Coordinate::new(width, rows.len() as u8).unwrap();
        let wall = "+".repeat(coordinate.memory_width());
        let rows: String = rows.iter().map(|row| format!("+{row}+")).collect();
        (coordinate, parse_stones(coordinate, format!("{wall}{rows}{wall}").as_bytes()).unwrap())
    }

    #[allow(clippy::unwrap_used)]
    pub(super) fn board(rows: &[&str]) -> Board {
        let (coordinate, stones) = stones(rows);
        Board::from_stones(coordinate, &stones).unwrap()
    }
}
