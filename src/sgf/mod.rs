//! Game records in SGF, the Smart Game Format: `FF[3]` and `FF[4]` in, `FF[4]` out. Text to values and back, no files.
//!
//! What is read is the main line of the first game: the first child everywhere. Whether its moves are legal is found out
//! by playing them ([`position_of`]).
//!
//! What the position is made of (`GM`, `SZ`, `B`, `W`, `AB`, `AW`, `AE`) is refused where it is unclear; what stands
//! beside it (`KM`, `HA`, `PL`, `RU`, `RE`, names) is left out then, and unknown properties always. A main line without its
//! closing parenthesis is refused, for the file has been cut and its last position is not the one that was meant; all that
//! follows the main line is not looked at.
//!
//! No parsing crate is used: the best kept one needs 1.3 GB and 4 s for 10 MB of moves and overflows the stack when a long
//! game is dropped, while a main line can be read token by token without a tree.
//!
//! # Examples
//! ```
//! use kifuwarabe_uec14::sgf::{self, Turn};
//!
//! let game = sgf::read(b"(;FF[4]SZ[9]KM[6.5]AB[gc];W[aa](;B[tt])(;B[bb]))")?;
//! assert_eq!((game.coordinate.height(), game.komi), (9, Some(6.5)));
//! let Turn::Move(_, first) = game.turns[0] else { return Err("a move".into()) };
//! assert_eq!(first.vertex(game.coordinate), "A9");
//! assert_eq!(sgf::read(sgf::write(&game).as_bytes())?, game);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod encoding;
mod error;
mod lexer;
mod read;
mod replay;
mod rules;
mod value;
mod write;

pub use crate::sgf::error::SgfError;
pub use crate::sgf::error::SgfProblem;
pub use crate::sgf::read::MAX_SETUP;
pub use crate::sgf::read::read;
pub use crate::sgf::replay::MAX_TURNS;
pub use crate::sgf::replay::ReplayError;
pub use crate::sgf::replay::game_of;
pub use crate::sgf::replay::position_of;
pub use crate::sgf::rules::rules_of;
pub use crate::sgf::value::MAX_KOMI;
pub use crate::sgf::write::write;

use std::collections::BTreeMap;

use crate::kernel::{Color, Coordinate, Move, Point, Stone};

/// The smallest board that is read, in points a side. The largest is [`crate::kernel::MAX_SIDE`].
pub const MIN_SIDE: u8 = 2;

/// The main line of a game record.
#[derive(Clone, PartialEq, Debug)]
pub struct Game {
    /// `SZ`: the board; 19x19 where nothing is said. Always square when read.
    pub coordinate: Coordinate,
    /// `KM`, in points for White, as written; never beyond [`MAX_KOMI`] when read.
    pub komi: Option<f64>,
    /// `KM`, as written, where it names no komi that is understood.
    pub unclear_komi: Option<String>,
    /// `HA`, as written; the stones themselves are in `setup`.
    pub handicap: Option<usize>,
    /// `RU`, the name of the rules, as written.
    pub rules: Option<String>,
    /// `RE`, the result, as written.
    pub result: Option<String>,
    /// `PB`, who plays Black.
    pub black: Option<String>,
    /// `PW`, who plays White.
    pub white: Option<String>,
    /// `PL` before the first turn: who moves first.
    pub to_play: Option<Color>,
    /// The stones on the board before the first turn, row by row from A1, each point once.
    pub setup: Vec<(Point, Stone)>,
    /// What follows, in order. The first one is a move when read.
    pub turns: Vec<Turn>,
    /// `C`: what is said of a turn, by its number from 0. Not read.
    pub comments: BTreeMap<usize, String>,
}

/// One step of a game after its start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Turn {
    /// `B` or `W`: a player moves. The players need not alternate.
    Move(Color, Move),
    /// `AB`, `AW` and `AE` of one node: what these points hold from now on, row by row from A1, each point once. An
    /// empty point is [`Stone::Space`]. Never an empty list when read.
    Setup(Vec<(Point, Stone)>),
    /// `PL`: who moves next.
    ToPlay(Color),
}

impl Game {
    /// An empty board of which nothing else is said.
    pub fn new(coordinate: Coordinate) -> Game {
        Game {
            coordinate,
            komi: None,
            unclear_komi: None,
            handicap: None,
            rules: None,
            result: None,
            black: None,
            white: None,
            to_play: None,
            setup: Vec::new(),
            turns: Vec::new(),
            comments: BTreeMap::new(),
        }
    }
}
