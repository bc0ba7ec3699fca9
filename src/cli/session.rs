//! From a configuration to an engine with open logs.

use std::io::{self, IsTerminal};
use std::sync::Arc;

use anyhow::Context;

use crate::cli::global::GlobalOptions;
use crate::cli::signals;
use crate::config::{EngineConfig, IllegalMoveAnswer, NetConfig};
use crate::gtp::Engine;
use crate::io::files::{self, DataFolder};
use crate::io::memory;
use crate::kernel::{Coordinate, Position};
use crate::logging::{self, ConsoleContext, InputSource};
use crate::net::simd::InstructionSet;
use crate::net::{Net, Precision};
use crate::player::{Options, Player, SearchTrace, options};
use crate::protocol::katago_model::built_in_name;
use crate::replay::SessionStart;

/// The engine of a configuration.
pub(crate) fn engine(config: &EngineConfig) -> anyhow::Result<Engine> {
    let mut engine = engine_without_net(config)?;
    engine.player.net = used_net(config)?;
    engine.net_name = net_name(&config.net);
    Ok(engine)
}

/// The same without its net, which only searches need.
pub(crate) fn engine_without_net(config: &EngineConfig) -> anyhow::Result<Engine> {
    let mut engine = Engine::new(start_position(config, None)?);
    engine.is_strict = config.gtp.illegal_move == IllegalMoveAnswer::Standard;
    engine.player = Player::new(config.search);
    if let Some(folder) = &config.paths.data_folder {
        engine.files.folder = DataFolder::new(folder).context("Paths.DataFolder")?;
    }
    Ok(engine)
}

/// Begins a session: opens the logs and writes the session's start to the JSON log. If the system grants less memory
/// than `Search.MemoryMB`, the search gets the granted amount.
pub(crate) fn begin(
    config: &mut EngineConfig,
    engine: &mut Engine,
    input: InputSource,
) -> anyhow::Result<SessionStart> {
    signals::exit_on_sigterm()?;
    let (stdin_is_terminal, stderr_is_terminal) = (io::stdin().is_terminal(), io::stderr().is_terminal());
    logging::init(config, ConsoleContext { stdin_is_terminal, stderr_is_terminal, input })?;
    std::panic::set_hook(Box::new(logging::log_panic));
    if let Some(note) = rules_note(config) {
        tracing::warn!("{note}");
    }
    if let Some(warning) = limit_memory(&mut config.search)? {
        tracing::warn!("{warning}");
        engine.player.options = config.search;
        engine.player.restart();
    }
    engine.player.trace = SearchTrace::recording();
    engine.files.start_recording();
    let start = SessionStart::of(config, engine);
    start.log();
    Ok(start)
}

/// Lowers the memory of the search to what the system grants; returns the warning about it, if that is less than
/// configured.
///
/// # Errors
/// If the system grants less than a search needs.
pub(crate) fn limit_memory(search: &mut Options) -> anyhow::Result<Option<String>> {
    let configured = search.memory_mb;
    search.memory_mb = memory::probe_memory_mib(configured, options::MIN_MEMORY_MB)?;
    let granted = search.memory_mb;
    Ok((granted < configured)
        .then(|| format!("Search.MemoryMB = {configured}: the system grants less, the search uses {granted} MiB")))
}

/// Differences of the configured rules from those that bear their name; `None` without any.
pub(crate) fn rules_note(config: &EngineConfig) -> Option<String> {
    let rule = &config.game.rule;
    rule.approximation_note().map(|note| format!("Game.Rules = {}: {note}", rule.name().unwrap_or_default()))
}

/// The configuration of a logged session, with `--set` on top.
pub(crate) fn session_config(global: &GlobalOptions, start: &SessionStart) -> anyhow::Result<EngineConfig> {
    Ok(EngineConfig::recorded(&start.configuration, &global.set)?)
}

/// The net that evaluates positions in searches; `None` if `Net.Use` is false.
pub(crate) fn used_net(config: &EngineConfig) -> anyhow::Result<Option<Arc<Net>>> {
    config.net.is_used.then(|| load_net(&config.net)).transpose()
}

/// The name of a configured net: its file, or that of the built-in net.
pub(crate) fn net_name(config: &NetConfig) -> String {
    config.file.as_ref().map_or_else(built_in_name, |file| file.display().to_string())
}

/// Loads the net file, or the built-in net if there is none.
pub(crate) fn load_net(config: &NetConfig) -> anyhow::Result<Arc<Net>> {
    let set = InstructionSet::best();
    let precision = config.precision.unwrap_or_else(|| Precision::fastest(set));
    let Some(file) = &config.file else { return Net::built_in_with(precision).context("the net built in") };
    let bytes = files::read_up_to(file, Net::MAX_FILE).context("Net.File")?;
    let net = Net::read_with(&bytes, set, precision).with_context(|| format!("Net.File: {}", file.display()))?;
    Ok(Arc::new(net))
}

/// The configured start position; with a size, an empty board of that size.
pub(crate) fn start_position(config: &EngineConfig, size: Option<Coordinate>) -> anyhow::Result<Position> {
    let game = &config.game;
    let mut position = Position::new(size.unwrap_or(game.board_size), game.rule, game.max_moves, game.play_first);
    if let Some(stones) = game.stones.as_ref().filter(|_| size.is_none()) {
        position.set_up(stones).context("Game.BoardData")?;
    }
    Ok(position)
}

/// The number of a session in a log, counted from 1.
pub(crate) fn session_number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(number),
        _ => Err("expected the number of a session, 1 or more".to_owned()),
    }
}
