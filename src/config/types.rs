//! The types of a checked configuration, one struct for each section of `engine.toml`.

use std::path::PathBuf;

use crate::kernel::{Color, Coordinate, GameRule, Stone};
use crate::net::Precision;
use crate::player::options::Options;

/// A configuration in which every key has a checked value.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineConfig {
    /// The file that was read; `None` for the built-in defaults.
    pub source: Option<PathBuf>,
    /// `[Game]`: board, rules and starting position.
    pub game: GameConfig,
    /// `[Paths]`: log files, and the folder for files of commands.
    pub paths: PathsConfig,
    /// `[Gtp]`: the text of answers.
    pub gtp: GtpConfig,
    /// `[Search]`: the player's options.
    pub search: Options,
    /// `[Net]`: the neural net.
    pub net: NetConfig,
    /// `[Log]`: what stderr shows, and rotation of log files.
    pub log: LogConfig,
}

/// `[Game]`: board, rules and starting position.
#[derive(Debug, Clone, PartialEq)]
pub struct GameConfig {
    /// The rules, with komi in points.
    pub rule: GameRule,
    /// The size of the board, 2 to 25 points a side.
    pub board_size: Coordinate,
    /// Expected length of a game in moves; sets the number of digits of a position number in a ren's id.
    pub max_moves: u32,
    /// The starting position as drawn in the file; empty for an empty board.
    pub board_data: String,
    /// The starting position, one stone for every cell of the walled board from rank 1 up; a legal position. `None` for
    /// an empty board.
    pub stones: Option<Vec<Stone>>,
    /// The player who moves first.
    pub play_first: Color,
}

/// `[Paths]`: log files, and the folder for files of commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathsConfig {
    /// The plain-text log, an absolute path; `None` turns it off.
    pub plain_text_log: Option<PathBuf>,
    /// The JSON log, an absolute path; `None` turns it off.
    pub json_log: Option<PathBuf>,
    /// The folder that commands may read and write files in, an absolute path; `None` allows every folder.
    pub data_folder: Option<PathBuf>,
}

/// `[Gtp]`: the text of answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GtpConfig {
    /// The answer to an illegal move.
    pub illegal_move: IllegalMoveAnswer,
}

/// The answer to an illegal move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IllegalMoveAnswer {
    /// Names the broken rule: `ko my_stone:x point:D3`.
    Reason,
    /// GTP's `illegal move`, for match runners that compare the text.
    Standard,
}

/// `[Net]`: the neural net.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetConfig {
    /// Whether searches use a net.
    pub is_used: bool,
    /// The net's file, an absolute path; `None` for the built-in net.
    pub file: Option<PathBuf>,
    /// The number type of the convolutions of a net with a score head; `None` for the fastest on this processor.
    pub precision: Option<Precision>,
}

/// `[Log]`: what stderr shows, and rotation of log files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogConfig {
    /// The output on stderr beside warnings.
    pub console: ConsoleMode,
    /// Occasion at which a log file is rotated.
    pub rotation: Rotation,
    /// Upper limit of a log file's size in MiB, for [`Rotation::Size`].
    pub max_megabytes: u32,
    /// Files kept of each log, including the current one, for [`Rotation::Daily`] and [`Rotation::Size`].
    pub max_files: u32,
}

/// The output on stderr beside warnings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsoleMode {
    /// [`Echo`](Self::Echo) with `-d`, or if stderr is a terminal and stdin is not; else [`Off`](Self::Off).
    Auto,
    /// The commands.
    Echo,
    /// The commands and the answers.
    Full,
    /// Nothing.
    Off,
}

/// Occasion at which a log file is rotated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotation {
    /// Never.
    Never,
    /// A change of the local date.
    Daily,
    /// Before the file would exceed [`LogConfig::max_megabytes`].
    Size,
}
