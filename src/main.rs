//! The shell around the engine: command line, configuration, logs, streams, and the exit code.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;

use kifuwarabe_uec14::analysis::{self, Analyst};
use kifuwarabe_uec14::cli::{self, Cli, Command};
use kifuwarabe_uec14::config::{EngineConfig, IllegalMoveAnswer};
use kifuwarabe_uec14::gtp::{Engine, serve};
use kifuwarabe_uec14::io::files::{self, DataFolder};
use kifuwarabe_uec14::io::memory;
use kifuwarabe_uec14::io::quote::one_line;
use kifuwarabe_uec14::kernel::{Coordinate, Position};
use kifuwarabe_uec14::logging::{self, Watch};
use kifuwarabe_uec14::net::{Net, simd};
use kifuwarabe_uec14::player::{Options, Player, SearchTrace, options};
use kifuwarabe_uec14::protocol::line::StreamLines;
use kifuwarabe_uec14::protocol::reader::ReadAhead;
use kifuwarabe_uec14::replay::{self, SessionStart};
use kifuwarabe_uec14::report;
use kifuwarabe_uec14::sgf;
use kifuwarabe_uec14::terminal::play::{self, Look};
use kifuwarabe_uec14::terminal::progress::{Bar, say, stages};
use kifuwarabe_uec14::terminal::prompt::{self, TerminalLines};
use kifuwarabe_uec14::tools::{bench, eval, score, selfplay};

fn main() -> ExitCode {
    let cli = Cli::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    match outlive_full_files().map_err(anyhow::Error::from).and_then(|()| dispatch(&cli)) {
        Ok(code) => code,
        Err(error) => {
            say(format_args!("kifuwarabe-uec14: {}", one_line(&format!("{error:#}"))));
            ExitCode::from(2)
        }
    }
}

fn dispatch(cli: &Cli) -> anyhow::Result<ExitCode> {
    match &cli.command {
        Some(Command::Replay(asked)) => replay(cli, asked),
        Some(Command::Log2sgf(asked)) => log2sgf(cli, asked),
        _ => run(cli).map(|()| ExitCode::SUCCESS),
    }
}

fn run(cli: &Cli) -> anyhow::Result<()> {
    let mut config = EngineConfig::load(cli.config_file(), &cli.set)?;
    if cli.strict_gtp {
        config.gtp.illegal_move = IllegalMoveAnswer::Standard;
    }
    if cli.print_config {
        return print(&config.to_toml());
    }
    match &cli.command {
        Some(Command::Analysis(asked)) => return analysis(asked, &config),
        Some(Command::Bench(asked)) => {
            return print(&bench::run(asked, &config.search, used_net(&config)?.as_deref(), stages("bench"))?);
        }
        Some(Command::Eval(asked)) => {
            let (net, start) = (load_net(config.net.file.as_deref())?, start_position(&config, asked.size)?);
            return print(&eval::run(asked, &net, &start, stages("eval"))?);
        }
        Some(Command::Play(asked)) => return play(asked, &config),
        Some(Command::Report(asked)) => {
            let bar = Bar::new();
            let position = start_position(&config, None)?;
            let net = used_net(&config)?;
            return report::make(asked, &position, &config.search, net.as_deref(), |done, all| bar.show(done, all));
        }
        Some(Command::Selfplay(asked)) => {
            let start = start_position(&config, asked.size.or(Some(config.game.board_size)))?;
            return print(&selfplay::run(asked, &config.search, used_net(&config)?, &start, stages("selfplay"))?);
        }
        Some(Command::Gtp(asked)) => {
            tell_ignored(asked.katago.ignored().chain(asked.override_config.iter().cloned()));
        }
        _ => {}
    }
    let debug_input = cli.debug_input.as_deref().map(open_debug_input).transpose()?;
    if let Some(path) = &cli.score {
        return print(&score::report(path, &start_position(&config, None)?)?);
    }
    let mut engine = engine(&config)?;
    begin(&mut config, &mut engine, debug_input.is_some())?;
    match debug_input {
        Some(file) => serve(&mut engine, &mut StreamLines::new(BufReader::new(file)), &mut io::stdout().lock(), None)?,
        None => serve_streams(&mut engine)?,
    }
    Ok(())
}

/// A file of commands.
fn open_debug_input(path: &Path) -> anyhow::Result<File> {
    let in_file = || format!("--debug-input {}", path.display());
    let file = File::open(path).with_context(in_file)?;
    // a folder can be opened, but not read
    anyhow::ensure!(!file.metadata().with_context(in_file)?.is_dir(), "{}: a folder, expected a file", in_file());
    Ok(file)
}

/// The engine of a configuration.
fn engine(config: &EngineConfig) -> anyhow::Result<Engine> {
    let mut engine = Engine::new(start_position(config, None)?);
    engine.is_strict = config.gtp.illegal_move == IllegalMoveAnswer::Standard;
    engine.player = Player::new(config.search);
    engine.player.net = used_net(config)?;
    if let Some(folder) = &config.paths.data_folder {
        engine.data.folder = DataFolder::new(folder).map_err(anyhow::Error::msg).context("Paths.DataFolder")?;
    }
    Ok(engine)
}

/// Begins a session: its logs, and what the JSON log notes of its start. The search is left as much memory as there is.
fn begin(config: &mut EngineConfig, engine: &mut Engine, debug_input: bool) -> anyhow::Result<SessionStart> {
    end_quietly_when_told()?;
    let (stdin_is_terminal, stderr_is_terminal) = (io::stdin().is_terminal(), io::stderr().is_terminal());
    logging::init(config, Watch { stdin_is_terminal, stderr_is_terminal, debug_input })?;
    std::panic::set_hook(Box::new(logging::log_panic));
    let agreed = config.search.memory_mb;
    let given = memory::granted(agreed, options::MIN_MEMORY_MB).map_err(anyhow::Error::msg)?;
    if given < agreed {
        tracing::warn!("Search.MemoryMB = {agreed}: the system gives less, the search makes do with {given} MiB");
        config.search.memory_mb = given;
        engine.player.options = config.search;
        engine.player.restart();
    }
    engine.player.trace = SearchTrace::recording();
    engine.data.note();
    let start = SessionStart::of(config, engine);
    start.log();
    Ok(start)
}

/// Serves standard input and output.
fn serve_streams(engine: &mut Engine) -> anyhow::Result<()> {
    engine.draw = |text| drop(io::stderr().lock().write_all(text.as_bytes()));
    let mut output = io::stdout().lock();
    if io::stdin().is_terminal() && output.is_terminal() {
        let mut lines = TerminalLines::of_commands()?;
        // while a line is typed Ctrl-C is the editor's
        signal_hook::flag::register(signal_hook::consts::SIGINT, engine.stop_signal.flag().clone())?;
        say(format_args!("[{}] ready, type help", env!("CARGO_PKG_NAME")));
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let paint = (!is_plain).then_some(prompt::paint as fn(&str) -> String);
        serve(engine, &mut lines, &mut output, paint)?;
    } else {
        match ReadAhead::new(BufReader::new(io::stdin()), engine.stop_signal.clone()) {
            Ok(mut lines) => serve(engine, &mut lines, &mut output, None)?,
            Err(reason) => {
                tracing::warn!("no thread to read ahead: {reason}; no line ends a search, an analysis ends at once");
                serve(engine, &mut StreamLines::new(BufReader::new(io::stdin())), &mut output, None)?;
            }
        }
    }
    Ok(())
}

/// A session run again from its log; exit code 1 where an answer differs.
fn replay(cli: &Cli, asked: &cli::Replay) -> anyhow::Result<ExitCode> {
    let session = replay::session(&asked.files, asked.session).map_err(anyhow::Error::msg)?;
    if let Some(until) = asked.until.filter(|&until| until != cli::END) {
        let (number, count) = (session.number, session.commands.len());
        anyhow::ensure!(until <= count, "unexpected --until {until}, session {number} has {count} commands");
    }
    let mut config = session_config(cli, &session.start)?;
    let mut engine = engine(&config)?;
    if let Err(reason) = std::env::set_current_dir(&session.start.folder) {
        say(format_args!("[replay] no folder {}, where the session ran: {reason}", session.start.folder.display()));
    }
    let here = begin(&mut config, &mut engine, false)?;
    // in a session that goes on, standard output is for answers
    let tell = |line: &str| match asked.until {
        None => print(&format!("{line}\n")),
        Some(_) => {
            say(format_args!("[replay] {}", line.replace('\n', "\n[replay] ")));
            Ok(())
        }
    };
    for line in replay::before(&session, &here, asked.no_search) {
        tell(&line)?;
    }
    let searches = !asked.no_search && replay::is_repeatable(&session);
    let outcome = replay::run(&mut engine, &session, asked.until.unwrap_or(cli::END), searches)?;
    for line in replay::after(&session, &outcome) {
        tell(&line)?;
    }
    if outcome.difference.is_some() {
        return Ok(ExitCode::from(1));
    }
    if asked.until.is_some() {
        serve_streams(&mut engine)?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::from(if session.damage.is_some() { 2 } else { 0 }))
}

/// The games of a log as records; exit code 2 where some of them are lost.
fn log2sgf(cli: &Cli, asked: &cli::Log2sgf) -> anyhow::Result<ExitCode> {
    if let Some(path) = &asked.output {
        let is_log = asked.files.iter().any(|log| files::is_same(log, path));
        anyhow::ensure!(!is_log, "--output {}: that is the log", path.display());
    }
    let (mut text, mut is_whole, mut is_found, mut last) = (String::new(), true, false, 0);
    let mut lose = |reason: &str| {
        say(format_args!("[log2sgf] {}", one_line(reason)));
        is_whole = false;
    };
    for session in replay::Sessions::new(&asked.files) {
        let (number, session) = session.map_err(anyhow::Error::msg)?;
        last = number;
        if asked.session.is_some_and(|wanted| wanted != number) {
            continue;
        }
        is_found = true;
        let session = match session {
            Ok(session) => session,
            Err(reason) => {
                lose(&reason);
                continue;
            }
        };
        let config = session_config(cli, &session.start)?;
        let start = start_position(&config, None)?;
        let (games, lost) = inside(&session.start.folder, || replay::records(&session, start));
        for game in &games {
            text += &sgf::write(game);
            text.push('\n');
        }
        lost.iter().chain(&session.damage).for_each(|reason| lose(reason));
    }
    anyhow::ensure!(is_found, "{}", replay::no_session(&asked.files, asked.session, last));
    anyhow::ensure!(
        !text.is_empty(),
        "no move in {}",
        if is_whole { "the log" } else { "what could be read of the log" }
    );
    match &asked.output {
        Some(path) => files::write(path, text.as_bytes()).map_err(anyhow::Error::msg)?,
        None => print(&text)?,
    }
    Ok(ExitCode::from(if is_whole { 0 } else { 2 }))
}

/// Does some work in another working directory, if that is there still.
fn inside<T>(folder: &Path, work: impl FnOnce() -> T) -> T {
    let here = std::env::current_dir().ok().filter(|_| std::env::set_current_dir(folder).is_ok());
    let done = work();
    // it was there a moment ago
    let _ = here.map(std::env::set_current_dir);
    done
}

/// The configuration of a session in a log.
fn session_config(cli: &Cli, start: &SessionStart) -> anyhow::Result<EngineConfig> {
    anyhow::ensure!(cli.config.is_none(), "-f: the configuration is the log's, --set KEY=VALUE changes it");
    EngineConfig::recorded(&start.configuration, &cli.set)
}

/// The net that searches ask, if they shall.
fn used_net(config: &EngineConfig) -> anyhow::Result<Option<Arc<Net>>> {
    config.net.is_used.then(|| load_net(config.net.file.as_deref())).transpose()
}

/// Analysis for a program that asks, until there is no more to read. What is ignored is said on stderr, and that there is
/// somebody to ask.
fn analysis(asked: &cli::Analysis, config: &EngineConfig) -> anyhow::Result<()> {
    let name = env!("CARGO_PKG_NAME");
    let every_processor = || Options { threads: 0, ..config.search }.thread_count();
    let mut analyst = Analyst::new(config.search);
    analyst.side_by_side = asked.analysis_threads.unwrap_or_else(every_processor);
    analyst.waits_at_end = !asked.quit_without_waiting;
    analyst.net = used_net(config)?.map(|net| {
        let file = config.net.file.as_ref().map(|file| file.display().to_string());
        (file.unwrap_or_else(|| format!("{name} {}, built in", env!("CARGO_PKG_VERSION"))), net)
    });
    let mut ignored: Vec<String> = asked.katago.ignored().collect();
    for settings in &asked.override_config {
        ignored.extend(analyst.set(settings).map_err(anyhow::Error::msg).context("--override-config")?);
    }
    end_quietly_when_told()?;
    tell_ignored(ignored);
    say(format_args!("[{name}] {}", analysis::READY));
    analysis::serve(&analyst, BufReader::new(io::stdin()), io::stdout())?;
    Ok(())
}

/// Says what is ignored of what a program says that starts KataGo.
fn tell_ignored(ignored: impl IntoIterator<Item = String>) {
    let ignored: Vec<String> = ignored.into_iter().collect();
    if !ignored.is_empty() {
        say(format_args!("[{}] ignored: {}", env!("CARGO_PKG_NAME"), one_line(&ignored.join(" "))));
    }
}

/// A game at the terminal, or one whose moves come from a pipe.
fn play(asked: &cli::Play, config: &EngineConfig) -> anyhow::Result<()> {
    let mut game = play::start(asked, start_position(config, asked.size)?, config.search, used_net(config)?)?;
    end_quietly_when_told()?;
    let mut output = io::stdout().lock();
    if io::stdin().is_terminal() && output.is_terminal() {
        // while a line is typed Ctrl-C is the editor's; all other times the engine thinks
        signal_hook::flag::register(signal_hook::consts::SIGINT, game.stop_flag().clone())?;
        let mut lines = TerminalLines::new(format!("{}> ", game.person()), play::completions)?;
        play::run(&mut game, &mut lines, &mut output, Look::of_terminal())?;
    } else {
        play::run(&mut game, &mut StreamLines::new(BufReader::new(io::stdin())), &mut output, Look::default())?;
    }
    Ok(())
}

/// The net of a file; without one, the net that comes with the program.
fn load_net(file: Option<&Path>) -> anyhow::Result<Arc<Net>> {
    let Some(file) = file else { return Net::built_in().context("the net built in") };
    let bytes = files::read(file).map_err(anyhow::Error::msg).context("Net.File")?;
    let net = Net::read(&bytes, simd::Path::best()).with_context(|| format!("Net.File: {}", file.display()))?;
    Ok(Arc::new(net))
}

/// The position that the configuration sets; an empty board where another size is asked for.
fn start_position(config: &EngineConfig, size: Option<u8>) -> anyhow::Result<Position> {
    let game = &config.game;
    let coordinate = Coordinate::square(size.unwrap_or(game.board_size));
    let coordinate = coordinate.with_context(|| format!("a board of size {size:?}, expected 1 to 25"))?;
    let mut position = Position::new(coordinate, game.rule, game.max_moves, game.play_first);
    if let Some(stones) = game.stones.as_ref().filter(|_| size.is_none()) {
        position.set_up(stones).context("Game.BoardData")?;
    }
    Ok(position)
}

/// Every answer is in the logs before it is given, and a save that is cut short leaves the old file as it was: SIGTERM finds
/// nothing left to do.
fn end_quietly_when_told() -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::sync::atomic::AtomicBool;
        let always = Arc::new(AtomicBool::new(true));
        signal_hook::flag::register_conditional_shutdown(signal_hook::consts::SIGTERM, 0, always)?;
    }
    Ok(())
}

/// A file that may not grow any more is an error like a full disk, and does not end the program.
fn outlive_full_files() -> io::Result<()> {
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    Ok(())
}

/// Prints to stdout; nobody listening is no error.
fn print(text: &str) -> anyhow::Result<()> {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
