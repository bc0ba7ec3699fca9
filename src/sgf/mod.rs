//! Game records in SGF, the Smart Game Format: reads `FF[3]` and `FF[4]`, writes `FF[4]`. This module opens no file.
//!
//! [`read()`] decodes the main line of the first game, the first child of every node, in time and memory proportional
//! to the input. It does not check the legality of moves; [`position_of`] does, by playing them, and [`playable_part`] plays
//! those before the first illegal one. [`GameTree`] keeps the variations and every property, and is written back with
//! changes.
//!
//! An invalid value of a property that determines the position (`GM`, `SZ`, `B`, `W`, `AB`, `AW`, `AE`) is an error;
//! invalid values of other known properties (`KM`, `HA`, `PL`, `RU`, `RE`, names) and unknown properties are not. A
//! main line without its closing parenthesis is an error, because the file was cut and its last position is not the
//! intended one. Text after the main line is not examined.
//!
//! The parser is our own: the crate `sgf-parse` needs 1.3 GB for a hostile file of 10 MB and overflows the stack when a
//! long game is dropped, because its trees are nested values; the nodes of a [`GameTree`] stand in one list.
//!
//! # Examples
//! ```
//! use kifuwarabe_uec14::sgf::{self, Turn};
//!
//! let record = sgf::read(b"(;FF[4]SZ[9]KM[6.5]AB[gc];W[aa](;B[tt])(;B[bb]))")?;
//! assert_eq!((record.coordinate.height(), record.komi), (9, Some(6.5)));
//! let Turn::Move(_, first) = record.turns[0] else { return Err("no move".into()) };
//! assert_eq!(first.vertex(record.coordinate), "A9");
//! assert_eq!(sgf::read(sgf::write(&record).as_bytes())?, record);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Files, from the bottom: `limits`, `error`, `lexer`, `property`, `value`, `encoding`, `folding`, `record`; then `read`,
//! `write`, `rules` and `position`, which do not use one another; then `tree`, which uses `read`.

mod encoding;
mod error;
mod folding;
mod lexer;
mod limits;
mod position;
mod property;
mod read;
mod record;
mod rules;
mod tree;
mod value;
mod write;

pub use crate::sgf::error::SgfError;
pub use crate::sgf::error::SgfProblem;
pub use crate::sgf::limits::MAX_NODES;
pub use crate::sgf::limits::MAX_SETUP;
pub use crate::sgf::limits::MAX_TURNS;
pub use crate::sgf::limits::MAX_VALUES;
pub use crate::sgf::position::PlayablePart;
pub use crate::sgf::position::ReplayError;
pub use crate::sgf::position::handicap_mismatch;
pub use crate::sgf::position::playable_part;
pub use crate::sgf::position::position_of;
pub use crate::sgf::position::position_without_ko_rule;
pub use crate::sgf::position::record_of;
pub use crate::sgf::read::has_several_games;
pub use crate::sgf::read::read;
pub use crate::sgf::read::text_has_several_games;
pub use crate::sgf::record::GameRecord;
pub use crate::sgf::record::Turn;
pub use crate::sgf::record::counted_margin;
pub(crate) use crate::sgf::record::result_of_loss;
pub use crate::sgf::rules::defaults_for;
pub use crate::sgf::rules::rule_set_name;
pub use crate::sgf::rules::rules_of;
pub use crate::sgf::rules::unknown_rules;
pub use crate::sgf::rules::unknown_settings;
pub use crate::sgf::tree::GameTree;
pub use crate::sgf::tree::NodeId;
pub use crate::sgf::value::komi_value;
pub use crate::sgf::value::move_letters;
pub use crate::sgf::value::text_of_value;
pub use crate::sgf::value::value_of_text;
pub use crate::sgf::write::write;
