//! The rules of Go on a walled board: pure values, no clock, no input or output, no global state.
//!
//! In dependency order: `hash` mixes integers; `color`, `coordinate` and `stone` define players, points and cells;
//! `symmetry` has rotations and reflections of a board, `point_set` sets of points; `play_rule` names the reasons for
//! refusing a move; `board` decides which plays the stones and the last move allow (masonry, opponent_eye, suicide,
//! simple ko); `zobrist` hashes a board and `changes` collects the stones that a move changes; `ren`, `liberty` (with
//! `check_board`) and `region` find connected points by flood fill; `game_rule`, `record` and `ren_db` hold the data of a
//! game; `score` counts points; `position` combines them and has the only `play`, `pass` and `undo` of a game;
//! [`diagram`] reads drawn boards. `benson` (unconditional life) and [`handicap`] are used by none of these.

pub(crate) mod benson;
mod board;
mod changes;
mod check_board;
mod color;
pub(crate) mod coordinate;
pub mod diagram;
mod game_rule;
pub mod handicap;
pub(crate) mod hash;
pub(crate) mod liberty;
mod play_rule;
mod point_set;
mod position;
mod record;
pub(crate) mod region;
mod ren;
mod ren_db;
mod score;
mod stone;
mod symmetry;
#[cfg(test)]
pub(crate) mod test_boards;
mod zobrist;

pub use crate::kernel::benson::Benson;
pub use crate::kernel::benson::benson;
pub use crate::kernel::board::Board;
pub use crate::kernel::board::Ko;
pub use crate::kernel::board::LibertyClass;
pub use crate::kernel::board::Observer;
pub use crate::kernel::board::PlacementInfo;
pub use crate::kernel::board::SetupError;
pub use crate::kernel::color::Color;
pub use crate::kernel::color::Colors;
pub use crate::kernel::coordinate::Coordinate;
pub use crate::kernel::coordinate::MAX_SIDE;
pub use crate::kernel::coordinate::MIN_SIDE;
pub use crate::kernel::coordinate::Point;
pub(crate) use crate::kernel::coordinate::PointMap;
pub use crate::kernel::coordinate::SizeError;
pub use crate::kernel::coordinate::VertexError;
pub use crate::kernel::diagram::BoardTextError;
pub use crate::kernel::diagram::DiagramError;
pub use crate::kernel::diagram::parse_diagram;
pub use crate::kernel::diagram::parse_framed;
pub use crate::kernel::game_rule::GameRule;
pub use crate::kernel::game_rule::HandicapBonus;
pub use crate::kernel::game_rule::KOMI_LIMIT;
pub use crate::kernel::game_rule::KoRule;
pub use crate::kernel::game_rule::Scoring;
pub use crate::kernel::game_rule::Tax;
pub(crate) use crate::kernel::game_rule::is_same_rule_name;
pub use crate::kernel::liberty::LibertySearch;
pub use crate::kernel::liberty::get_liberty;
pub use crate::kernel::play_rule::IllegalMove;
pub use crate::kernel::point_set::PointSet;
pub use crate::kernel::position::HandicapError;
pub use crate::kernel::position::NoStoneError;
pub use crate::kernel::position::NothingToUndoError;
pub use crate::kernel::position::Position;
pub use crate::kernel::position::WrongSizeError;
pub use crate::kernel::record::Move;
pub use crate::kernel::record::Record;
pub use crate::kernel::record::RecordItem;
pub use crate::kernel::ren::Ren;
pub use crate::kernel::ren_db::RenDb;
pub use crate::kernel::ren_db::RenId;
pub use crate::kernel::score::PointCount;
pub use crate::kernel::score::Score;
pub use crate::kernel::score::ScoreInput;
pub use crate::kernel::score::areas;
pub(crate) use crate::kernel::score::button_points;
pub(crate) use crate::kernel::score::lead_text;
pub(crate) use crate::kernel::score::open_button_points;
pub use crate::kernel::score::score;
pub(crate) use crate::kernel::score::score_of_areas;
pub use crate::kernel::score::seki_by_definition;
pub(crate) use crate::kernel::score::without_taxed_territory;
pub use crate::kernel::stone::Stone;
pub use crate::kernel::symmetry::Symmetry;
pub(crate) use crate::kernel::zobrist::HashChange;
pub(crate) use crate::kernel::zobrist::board_hash;
pub(crate) use crate::kernel::zobrist::stone_hash;

#[cfg(test)]
pub(crate) use crate::kernel::test_boards::played;
