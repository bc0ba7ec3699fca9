//! The loop of a game at the terminal: reads a line, executes it, and writes the board and messages.

use std::io::{self, Write};
use std::sync::atomic::Ordering;

use crate::io::{files, quote};
use crate::kernel::Move;
use crate::player::Choice;
use crate::protocol::line::clean;
use crate::protocol::reader::Lines;
use crate::sgf;
use crate::terminal::play::command::{self, PlayCommand};
use crate::terminal::play::game::{PlayError, TerminalGame};
use crate::terminal::play::messages;
use crate::terminal::play::screen::{self, BoardStyle};
use crate::terminal::progress;

/// Runs a game until `quit` or the end of input.
///
/// # Errors
/// If reading or writing fails. A broken output pipe ends the game without an error.
pub(crate) fn run(
    game: &mut TerminalGame,
    lines: &mut impl Lines,
    output: &mut impl Write,
    style: BoardStyle,
) -> io::Result<()> {
    match (Session { game, output, style }).run(lines) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}

/// A game and its output.
struct Session<'a, W> {
    game: &'a mut TerminalGame,
    output: &'a mut W,
    style: BoardStyle,
}

impl<W: Write> Session<'_, W> {
    fn run(&mut self, lines: &mut impl Lines) -> io::Result<()> {
        self.draw_board()?;
        if let Some(note) = self.game.position().rule().note() {
            self.write(note)?;
        }
        self.write("type a point such as D4, or help")?;
        self.play_engine_turn()?;
        while let Some(line) = lines.next_line()? {
            let line = clean(&line.bytes);
            match PlayCommand::parse(&line, self.game.coordinate()) {
                Err(message) => self.write(&message)?,
                Ok(None) => {}
                Ok(Some(PlayCommand::Quit)) => break,
                Ok(Some(command)) => self.execute(command)?,
            }
        }
        Ok(())
    }

    fn execute(&mut self, command: PlayCommand<'_>) -> io::Result<()> {
        match command {
            PlayCommand::Move(play) => match self.game.play(play) {
                Ok(()) => {
                    self.draw_board()?;
                    self.write_result()?;
                    self.play_engine_turn()
                }
                Err(error) => self.write(&error.to_string()),
            },
            PlayCommand::Undo => match self.game.undo() {
                Ok(()) => self.draw_board(),
                Err(error) => self.write(&error.to_string()),
            },
            PlayCommand::Resign => match self.game.resign() {
                Ok(()) => self.write_result(),
                Err(error) => self.write(&error.to_string()),
            },
            PlayCommand::Hint => self.hint(),
            PlayCommand::Score => self.write(&messages::score(self.game.position(), &self.game.final_score())),
            PlayCommand::Save(path) => self.save(path),
            PlayCommand::Board => self.draw_board(),
            PlayCommand::Help => self.write(&command::help()),
            PlayCommand::Quit => Ok(()),
        }
    }

    /// Lets the engine move if it is the engine's turn.
    fn play_engine_turn(&mut self) -> io::Result<()> {
        if !self.game.is_engines_turn() {
            return Ok(());
        }
        let engine = self.game.person().opponent();
        let choice = search_with_spinner(self.style, self.game, TerminalGame::play_engine_move);
        self.draw_board()?;
        match choice {
            Choice::Resign => {}
            Choice::Move(Move::Pass) => self.write(&format!("{engine} passes"))?,
            Choice::Move(Move::Play(_)) => {}
        }
        self.write_result()
    }

    fn draw_board(&mut self) -> io::Result<()> {
        let text = screen::draw(self.game, self.style);
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{}", quote::lines(text))?;
        self.output.flush()
    }

    /// Writes the result, if the game is over.
    fn write_result(&mut self) -> io::Result<()> {
        if !self.game.is_over() {
            return Ok(());
        }
        let text = match self.game.resigned_by() {
            Some(color) => format!("{color} resigns: {}", self.game.result().unwrap_or_default()),
            None => format!("both passed: {}", messages::score(self.game.position(), &self.game.final_score())),
        };
        self.write(&format!("{text}\n{}", PlayError::GameOver))
    }

    fn hint(&mut self) -> io::Result<()> {
        if self.game.is_over() {
            return self.write(&PlayError::GameOver.to_string());
        }
        let (play, result) = search_with_spinner(self.style, self.game, TerminalGame::hint);
        self.write(&messages::hint(play, &result, self.game.coordinate()))
    }

    fn save(&mut self, path: &str) -> io::Result<()> {
        let record = sgf::write(&self.game.record()) + "\n";
        match files::write(files::in_home(path), record.as_bytes()) {
            Ok(()) => self.write(&format!("saved {path}")),
            Err(reason) => self.write(&reason),
        }
    }
}

/// Runs a search, with a spinner at an interactive terminal. Lowers the stop flag first, before the spinner appears: a
/// Ctrl-C from the moment the spinner is visible stops this search, and an earlier one does not.
fn search_with_spinner<T>(
    style: BoardStyle,
    game: &mut TerminalGame,
    search: impl FnOnce(&mut TerminalGame) -> T,
) -> T {
    game.stop_flag().store(false, Ordering::Relaxed);
    let search = || search(game);
    if style.is_interactive { progress::with_spinner("thinking (Ctrl-C: move now)", search) } else { search() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule, Position};
    use crate::player::Options;

    #[test]
    fn stop_flag_stops_the_current_search_only() {
        let position = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let options = Options { max_playouts: 3000, seed: 1, ..Options::default() };
        let mut game = TerminalGame::new(position, Color::White, options, None);
        let raise = |game: &TerminalGame| game.stop_flag().store(true, Ordering::Relaxed);
        // raised after the start of the spinner and before the search
        let (_, stopped) = search_with_spinner(BoardStyle::default(), &mut game, |game| {
            raise(game);
            game.hint()
        });
        assert!(stopped.playouts < 3000, "{}", stopped.playouts);
        raise(&game);
        let (_, complete) = search_with_spinner(BoardStyle::default(), &mut game, TerminalGame::hint);
        assert_eq!(complete.playouts, 3000);
    }
}
