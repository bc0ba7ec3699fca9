//! The state that GTP commands work on, and how a command is run on it.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::gtp::args::Args;
use crate::gtp::cached_analysis::CachedAnalysis;
use crate::gtp::command_files::CommandFiles;
use crate::gtp::commands::analyze::{Analysis, Ending};
use crate::gtp::commands::table;
use crate::gtp::response::{CommandError, Reply};
use crate::io::quote::shortened;
use crate::kernel::Position;
use crate::player::clock::Clock;
use crate::player::{Options, Player, Purpose, Query};
use crate::protocol::line::Request;
use crate::search::{Limits, StopSignal};

/// What commands work on.
pub struct Engine {
    /// The game in progress.
    pub position: Position,
    /// Time agreed on, and what the clocks show.
    pub clock: Clock,
    /// Whether illegal moves are refused with GTP's own text, `illegal move`, and not with the rule they break.
    pub is_strict: bool,
    /// Who searches, and what a search is told.
    pub player: Player,
    /// Hears that a search shall stop.
    pub stop_signal: Arc<StopSignal>,
    /// Takes GoGui's live graphics to where they are seen.
    pub draw: fn(&str),
    /// The files that commands name.
    pub data: CommandFiles,
    /// What was last found in order to show it.
    pub(crate) cached_analysis: Option<CachedAnalysis>,
    /// The last lines taken in hand, for the log of a fault.
    pub(crate) recent: VecDeque<String>,
}

/// The answer to a command that ended by a fault.
pub const FAULT: &str = "internal error";

/// How many lines the log of a fault has.
pub(crate) const RECENT: usize = 20;

impl Engine {
    /// An engine that starts from this position.
    pub fn new(position: Position) -> Engine {
        Engine {
            position,
            clock: Clock::default(),
            is_strict: false,
            player: Player::new(Options::default()),
            stop_signal: Arc::default(),
            draw: |_| {},
            data: CommandFiles::default(),
            cached_analysis: None,
            recent: VecDeque::with_capacity(RECENT),
        }
    }

    /// Runs one command.
    ///
    /// # Errors
    /// Why it is refused; the engine is then unchanged.
    pub fn run(&mut self, request: &Request<'_>) -> Result<Reply, CommandError> {
        if request.name.is_empty() {
            return Err(CommandError::new("missing command"));
        }
        let Some(command) = table::find(request.name) else {
            return Err(CommandError::new("unknown command").field("command", shortened(request.name)));
        };
        let mut args = Args::new(command.name, command.arguments, request.arguments);
        self.guarded(command.name, |engine| (command.run)(engine, &mut args))
    }

    /// Saves what a command made in a file.
    ///
    /// # Errors
    /// Why it cannot be saved.
    #[track_caller]
    pub(crate) fn save(&mut self, path: &str, bytes: &[u8]) -> Result<Reply, CommandError> {
        match self.data.write(path, bytes) {
            Ok(()) => Ok(Reply::ok()),
            Err(reason) => Err(CommandError::new(format!("cannot save file: {reason}")).field("reason", reason)),
        }
    }

    /// Runs the search of a command that answered with an analysis. `say` hears its lines, and stops it by a break.
    ///
    /// # Errors
    /// If it ends by a fault.
    pub fn analyze(
        &mut self,
        analysis: &Analysis,
        say: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Ending, CommandError> {
        self.guarded("analyze", |engine| analysis.run(engine, say))
    }

    /// Thinks about the opponent's move until the next line comes, if the options say so and there is a game to play; where
    /// searches are made again, if it did so the first time.
    pub fn ponder(&mut self) {
        let trace = &self.player.trace;
        let is_wanted = if trace.is_replaying() {
            trace.next(Purpose::Ponder).is_some()
        } else {
            self.player.options.ponder && !self.stop_signal.has_pending_input() && !self.position.is_over()
        };
        if !is_wanted {
            return;
        }
        // a fault has been logged, and nothing was asked
        let _ = self.guarded("ponder", |engine| {
            let Engine { position, player, stop_signal, .. } = engine;
            stop_signal.stop_on_input();
            let color = position.to_move();
            player.ponder(&Query { position, color, limits: Limits::NONE, restrictions: None, stop_signal });
            Ok(())
        });
    }

    /// Does some work of which a fault must not end the game.
    fn guarded<T>(
        &mut self,
        name: &'static str,
        work: impl FnOnce(&mut Engine) -> Result<T, CommandError>,
    ) -> Result<T, CommandError> {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(self)));
        outcome.unwrap_or_else(|_| {
            let commands: Vec<&str> = self.recent.iter().map(String::as_str).collect();
            let commands = commands.join("\n");
            tracing::error!(command = name, commands, "the game is built again from its record");
            self.recover();
            Err(CommandError::new(FAULT).field("command", name))
        })
    }

    /// Goes on after a fault: with the game as its record has it, and a search that has seen nothing yet.
    pub fn recover(&mut self) {
        // if that is at fault, the game stays as it is
        if let Ok(position) = catch_unwind(AssertUnwindSafe(|| self.position.replayed())) {
            self.position = position;
        }
        self.player.restart();
    }
}
