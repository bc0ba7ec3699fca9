//! `play`: a game at the terminal, or with moves from a pipe.

use std::io::{self, BufReader, IsTerminal};

use crate::cli::output::{stdin, stdout};
use crate::cli::session::{start_position, used_net};
use crate::cli::signals;
use crate::config::EngineConfig;
use crate::protocol::line::StreamLines;
use crate::terminal::plain::PlainLines;
use crate::terminal::play::{self, BoardStyle, PlayArgs};
use crate::terminal::progress;
use crate::terminal::prompt::TerminalLines;

/// Plays until the game is left or input ends.
pub(crate) fn run(args: &PlayArgs, config: &EngineConfig) -> anyhow::Result<()> {
    let mut game = play::start(args, start_position(config, args.size)?, config.search, used_net(config)?)?;
    signals::exit_on_sigterm()?;
    let mut output = stdout();
    if io::stdin().is_terminal() && io::stdout().is_terminal() {
        // while a line is edited, Ctrl-C belongs to the editor; at other times it stops the search, or the wait for a
        // line that is not edited
        signal_hook::flag::register(signal_hook::consts::SIGINT, game.stop_flag().clone())?;
        let style = BoardStyle::of_terminal();
        if progress::is_dumb() {
            let interrupt = game.stop_flag().clone();
            let mut lines = PlainLines::new(BufReader::new(stdin()), stdout(), interrupt)?;
            play::run(&mut game, &mut lines, &mut output, style)?;
        } else {
            let mut lines = TerminalLines::new(String::new(), play::completions)?;
            play::run(&mut game, &mut lines, &mut output, style)?;
        }
    } else {
        play::run(&mut game, &mut StreamLines::new(BufReader::new(stdin())), &mut output, BoardStyle::default())?;
    }
    Ok(())
}
