//! The state that GTP commands read and change.
//!
//! Handlers take the engine as an argument. It does not depend on commands or their table, so that tests, replay and
//! fuzzing can build one and run commands on it by [`run`](crate::gtp::dispatch::run). It reads no stream and writes no
//! log.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::gtp::cached_analysis::CachedAnalysis;
use crate::gtp::command_files::CommandFiles;
use crate::gtp::loaded_record::LoadedRecord;
use crate::gtp::tried_moves::TriedMoves;
use crate::kernel::Position;
use crate::player::clock::Clock;
use crate::player::{FinalScore, Interrupted, Options, Player};
use crate::protocol::katago_model::built_in_name;
use crate::search::StopSignal;
use crate::text::quote::shortened;

/// A game, its clocks and its player.
pub struct Engine {
    /// The game in progress.
    pub position: Position,
    /// Time settings and clock readings.
    pub clock: Clock,
    /// Whether the answer to an illegal move is GTP's `illegal move` instead of the rule that the move breaks.
    pub is_strict: bool,
    /// Searches and chooses moves; has the search options.
    pub player: Player,
    /// The name of the player's net: its file, or that of the built-in net.
    pub net_name: String,
    /// Stops a search from outside.
    pub stop_signal: Arc<StopSignal>,
    /// Writes GoGui's live graphics, debug output and notes to stderr, or nowhere.
    pub write_stderr: fn(&str),
    /// Files named by commands.
    pub files: CommandFiles,
    /// The last search results of display commands, with Black and with White to move.
    pub(crate) cached_analyses: [Option<CachedAnalysis>; 2],
    /// The record that the game was loaded from.
    pub(crate) loaded_record: Option<LoadedRecord>,
    /// The moves that were tried and not taken back.
    pub(crate) tried_moves: TriedMoves,
    /// The last lines read, for the log of a panic.
    recent_lines: VecDeque<String>,
}

/// Lines kept for the log of a panic.
const MAX_RECENT_LINES: usize = 20;

impl Engine {
    /// An engine with this game, default options, no clock and no net.
    pub fn new(position: Position) -> Engine {
        Engine {
            position,
            clock: Clock::default(),
            is_strict: false,
            player: Player::new(Options::default()),
            net_name: built_in_name(),
            stop_signal: Arc::default(),
            write_stderr: |_| {},
            files: CommandFiles::default(),
            cached_analyses: Default::default(),
            loaded_record: None,
            tried_moves: TriedMoves::default(),
            recent_lines: VecDeque::with_capacity(MAX_RECENT_LINES),
        }
    }

    /// Begins a game: the position is already that of the new game, and the clocks are set back to its start. The time
    /// system stays.
    pub(crate) fn begin_game(&mut self) {
        self.clock.clear();
        self.loaded_record = None;
        self.tried_moves.clear();
    }

    /// The score of the game, unless a user interrupts the command.
    ///
    /// # Errors
    /// After an interrupt.
    pub(crate) fn final_score(&self) -> Result<FinalScore, Interrupted> {
        self.player.final_score(&self.position, &self.stop_signal)
    }

    /// Writes a message for people to stderr, after the program's name.
    pub(crate) fn write_message(&self, message: &str) {
        (self.write_stderr)(&format!("[{}] {message}\n", env!("CARGO_PKG_NAME")));
    }

    /// Remembers a line for the log of a panic.
    pub(crate) fn remember_line(&mut self, line: &str) {
        if self.recent_lines.len() == MAX_RECENT_LINES {
            self.recent_lines.pop_front();
        }
        self.recent_lines.push_back(shortened(line));
    }

    /// The last lines read, oldest first.
    pub(crate) fn recent_lines(&self) -> String {
        self.recent_lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Restores a consistent state after a panic: the game is replayed from its record, and the search starts with an
    /// empty tree.
    pub(crate) fn recover(&mut self) {
        // if replaying panics too, the position stays as it is
        if let Ok(position) = catch_unwind(AssertUnwindSafe(|| self.position.replayed())) {
            self.position = position;
        }
        self.player.restart();
    }
}
