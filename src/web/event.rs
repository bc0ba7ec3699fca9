//! The messages of the server to pages: JSON objects `{"type": NAME, ...}`, each in a text frame.
//!
//! Win rates are 0 to 1 and leads are points, both Black's. A point is its index from the highest rank down; -1 is a
//! pass.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::{Deserialize, Serialize};

use crate::web::action::{HumanSides, Time};

/// A message to pages.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Event {
    /// The engine.
    Hello(Hello),
    /// The settings of the current game.
    Game(GameInfo),
    /// The nodes of the current game.
    Tree(Tree),
    /// The current node.
    State(Box<State>),
    /// A search of the current node.
    Analysis(Analysis),
    /// Evaluations of nodes: node, win rate, lead, visits.
    Values { values: Vec<NodeValue> },
    /// The best move.
    Hint(Hint),
    /// An action was refused.
    Error(Refusal),
    /// An action was carried out, but not in every part; or whether games are saved has changed.
    Notice(Notice),
    /// The saved games.
    Games { games: Vec<SavedGame> },
}

/// An evaluation: the number of the node, Black's win rate and lead, and the visits of the search.
pub(super) type NodeValue = (u32, f32, f32, u64);

/// The kinds of events of which a page needs the latest when it connects, in the order in which it gets them.
pub(super) const RETAINED_KINDS: usize = 6;

impl Event {
    /// The place of this kind among those that a new page gets; `None` for events of the moment.
    pub(super) const fn retained_index(&self) -> Option<usize> {
        match self {
            Event::Hello(_) => Some(0),
            Event::Game(_) => Some(1),
            Event::Tree(_) => Some(2),
            Event::Values { .. } => Some(3),
            Event::Games { .. } => Some(4),
            Event::State(_) => Some(5),
            Event::Analysis(_) | Event::Hint(_) | Event::Error(_) | Event::Notice(_) => None,
        }
    }
}

/// The engine behind the page.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hello {
    pub(super) version: &'static str,
    pub(super) engine: &'static str,
    /// The digest of the net; `None` without one.
    pub(super) net: Option<String>,
    /// The version of these messages.
    pub(super) protocol_version: u32,
    /// The names of the rule sets.
    pub(super) rules: Vec<&'static str>,
    pub(super) cores: usize,
    pub(super) max_threads: u64,
}

/// The settings of the current game.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GameInfo {
    pub(super) id: String,
    pub(super) width: u8,
    pub(super) height: u8,
    pub(super) komi: f64,
    pub(super) rules: String,
    pub(super) handicap: usize,
    pub(super) black: String,
    pub(super) white: String,
    #[serde(rename = "person")]
    pub(super) human_sides: HumanSides,
    pub(super) level: u64,
    pub(super) time: Option<Time>,
    /// `KM` of the record, if it is no komi known here; `komi` is then the configured one.
    pub(super) unknown_komi: Option<String>,
    /// `RU` of the record, if it names no rules known here; `rules` is then the configured set.
    pub(super) unknown_rules: Option<String>,
}

/// The nodes by their ids: parent, colour, point, flags.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(super) struct Tree {
    pub(super) nodes: Vec<(i64, Option<&'static str>, Option<i32>, u8)>,
    /// The children of nodes whose children are not in the order of their ids.
    pub(super) order: BTreeMap<u32, Vec<u32>>,
}

/// Flags of a node.
pub(super) const HAS_COMMENT: u8 = 1;
pub(super) const HAS_MARKS: u8 = 2;
pub(super) const IS_REMOVED: u8 = 4;
pub(super) const IS_SETUP: u8 = 8;

/// The current node, and the status of the engine.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct State {
    pub(super) node: u32,
    pub(super) board: String,
    pub(super) last: Option<i32>,
    pub(super) to_move: &'static str,
    pub(super) prisoners: ByColor<u32>,
    /// Empty points where the side to move may not play, each with the name of the rule.
    pub(super) illegal: BTreeMap<i32, &'static str>,
    pub(super) comment: String,
    pub(super) marks: Vec<MarkAt>,
    /// The number of moves before this position.
    pub(super) number: usize,
    pub(super) over: bool,
    /// Whether moves may follow.
    pub(super) may_go_on: bool,
    pub(super) result: Option<String>,
    /// `None` if the game is over or no move is awaited.
    pub(super) turn: Option<Turn>,
    pub(super) thinking: Option<Thinking>,
    /// The positions that a review has done, and all its positions.
    pub(super) review: Option<(usize, usize)>,
    pub(super) clock: Option<Clocks>,
    pub(super) rens: Vec<RenOnBoard>,
    /// Points that Benson's algorithm proves for their owner.
    pub(super) safe: Vec<i32>,
    pub(super) score: Option<Score>,
    pub(super) watching: bool,
    pub(super) threads: u64,
    /// Visits at which live analysis ends; 0 is no bound.
    pub(super) max_visits: u64,
}

/// The one whose move is awaited.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Turn {
    Person,
    Engine,
}

/// The purpose of the search that runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Thinking {
    Move,
    Hint,
    Score,
    Review,
}

/// A value for each colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct ByColor<T> {
    pub(super) b: T,
    pub(super) w: T,
}

/// A mark on a point.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct MarkAt {
    pub(super) point: i32,
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

/// Both clocks, as they stand when the event is sent.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Clocks {
    pub(super) b: TimeLeft,
    pub(super) w: TimeLeft,
    pub(super) running: Option<&'static str>,
}

/// The time that a player has.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct TimeLeft {
    /// Seconds of main time.
    pub(super) main: f64,
    /// Seconds of the current period.
    pub(super) period: f64,
    pub(super) periods: u32,
}

/// A ren of the board, with what the ren database knows of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct RenOnBoard {
    pub(super) color: &'static str,
    pub(super) stones: Vec<i32>,
    pub(super) liberties: Vec<i32>,
    /// Whether Benson's algorithm proves it alive.
    pub(super) safe: bool,
    pub(super) atari: bool,
    pub(super) name: String,
    /// The number of the move from which on the ren is as it is now.
    pub(super) since: usize,
}

/// The score that is shown.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Score {
    pub(super) result: String,
    /// The dead stones.
    pub(super) dead: Vec<i32>,
    /// The owner of each point: `b`, `w`, `s` for a stone in seki, `.` for neither player.
    pub(super) owner: String,
    /// Whether the dead stones differ from the engine's.
    pub(super) edited: bool,
    /// Whether the game looks finished.
    pub(super) finished: bool,
    /// The stones whose life or death is unclear, and has not been changed.
    pub(super) unclear: Vec<i32>,
}

/// The search of a node.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Analysis {
    pub(super) node: u32,
    pub(super) visits: u64,
    pub(super) win_rate: f32,
    pub(super) lead: f32,
    /// The standard deviation of the lead.
    pub(super) lead_stdev: f32,
    pub(super) moves: Vec<CandidateMove>,
    /// Hundredths, Black positive.
    pub(super) ownership: Vec<i16>,
    /// Hundredths.
    pub(super) criticality: Option<Vec<i16>>,
    /// Thousandths; the pass is left out.
    pub(super) policy: Option<Vec<i16>>,
    /// Whether the search has ended.
    pub(super) done: bool,
}

/// A move that was searched.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CandidateMove {
    pub(super) point: i32,
    /// The move of which this one is the image under a symmetry of the position; it was not searched itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) is_symmetry_of: Option<i32>,
    pub(super) visits: u32,
    pub(super) win_rate: f32,
    pub(super) lead: Option<f32>,
    pub(super) prior: f32,
    pub(super) pv: Vec<i32>,
}

/// The best move.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hint {
    pub(super) node: u32,
    pub(super) point: i32,
    pub(super) win_rate: f32,
    pub(super) lead: f32,
    /// The standard deviation of the lead.
    pub(super) lead_stdev: f32,
    pub(super) visits: u64,
    pub(super) pv: Vec<i32>,
}

/// Reason for refusing an action.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Refusal {
    pub(super) code: RefusalCode,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) point: Option<i32>,
    /// The reason in English.
    pub(super) text: String,
}

/// The kind of a refusal. Pages have a text for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum RefusalCode {
    /// No action of this protocol.
    Invalid,
    /// An impossible setting.
    Value,
    /// A board size that does not exist.
    Size,
    /// Not now: the engine is to move, the game is open, or too many actions wait.
    Busy,
    /// The game is over.
    Over,
    /// The object of the action does not exist.
    NotFound,
    /// A file that cannot be read or written.
    File,
    /// Too much of something.
    Limit,
    /// The name of a rule of play.
    #[serde(untagged)]
    Rule(&'static str),
}

impl Refusal {
    /// A refusal without a point.
    pub(super) fn new(code: RefusalCode, text: impl Into<String>) -> Refusal {
        Refusal { code, point: None, text: text.into() }
    }

    /// The refusal of a file, or of a record.
    pub(super) fn of_file(reason: impl Display) -> Refusal {
        Refusal::new(RefusalCode::File, reason.to_string())
    }
}

/// A remark on an action that was carried out, or on the saving of games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Notice {
    pub(super) code: NoticeCode,
    /// The remark in English.
    pub(super) text: String,
}

/// The kind of a remark. Pages have a text for each.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum NoticeCode {
    /// Only the first game of a file is loaded.
    FirstGameOnly,
    /// The record is loaded, but a move of its main line cannot be played.
    IllegalMove,
    /// Games are not saved.
    NotSaved,
    /// Games are saved again.
    SavedAgain,
}

/// A game in the state folder.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct SavedGame {
    pub(super) id: String,
    pub(super) black: String,
    pub(super) white: String,
    pub(super) moves: usize,
    /// Seconds since 1970 when it was last changed.
    pub(super) when: u64,
    pub(super) result: Option<String>,
}
