//! A game at the terminal, a person against the engine: lines in, the board and a few words out.
//!
//! [`run`] is the loop, and alone touches the streams; `start` sets the game up; `game` knows the two players and whose
//! turn it is, `command` what may be typed, `screen` how the board looks, and `words` what is said of a game.

mod command;
mod game;
mod messages;
mod screen;
mod start;

use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::Ordering;

use crate::io::files;
use crate::kernel::Move;
use crate::player::Choice;
use crate::protocol::line::clean;
use crate::protocol::reader::Lines;
use crate::sgf;
use crate::terminal::play::command::Command;
pub use crate::terminal::play::command::completions;
pub use crate::terminal::play::game::Game;
pub use crate::terminal::play::game::Refusal;
pub use crate::terminal::play::screen::Look;
pub use crate::terminal::play::start::start;
use crate::terminal::progress;

/// Plays until `quit` or the end of input.
///
/// # Errors
/// If input cannot be read or output cannot be written. A closed output is no error: then nobody is looking.
pub fn run(game: &mut Game, lines: &mut impl Lines, output: &mut impl Write, look: Look) -> io::Result<()> {
    let mut table = Table { game, output, look };
    match table.run(lines) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}

/// The game, and where it is shown.
struct Table<'a, W> {
    game: &'a mut Game,
    output: &'a mut W,
    look: Look,
}

impl<W: Write> Table<'_, W> {
    fn run(&mut self, lines: &mut impl Lines) -> io::Result<()> {
        self.show()?;
        self.say("type a point such as D4, or help")?;
        self.let_engine_move()?;
        while let Some(line) = lines.next_line()? {
            let line = clean(&line.bytes);
            match Command::parse(&line, self.game.coordinate()) {
                Err(complaint) => self.say(&complaint)?,
                Ok(None) => {}
                Ok(Some(Command::Quit)) => break,
                Ok(Some(command)) => self.execute(command)?,
            }
        }
        Ok(())
    }

    fn execute(&mut self, command: Command<'_>) -> io::Result<()> {
        match command {
            Command::Move(play) => match self.game.play(play) {
                Ok(()) => {
                    self.show()?;
                    self.tell_result()?;
                    self.let_engine_move()
                }
                Err(refusal) => self.say(&refusal.to_string()),
            },
            Command::Undo => match self.game.undo() {
                Ok(()) => self.show(),
                Err(refusal) => self.say(&refusal.to_string()),
            },
            Command::Resign => match self.game.resign() {
                Ok(()) => self.tell_result(),
                Err(refusal) => self.say(&refusal.to_string()),
            },
            Command::Hint => self.hint(),
            Command::Score => self.say(&messages::score(self.game.position())),
            Command::Save(path) => self.save(path),
            Command::Board => self.show(),
            Command::Help => self.say(&command::help()),
            Command::Quit => Ok(()),
        }
    }

    /// The engine's turn, if it is that.
    fn let_engine_move(&mut self) -> io::Result<()> {
        if !self.game.is_engines_turn() {
            return Ok(());
        }
        let engine = self.game.person().opponent();
        let choice = thinking(self.look, self.game, Game::answer);
        self.show()?;
        match choice {
            Choice::Resign => {}
            Choice::Move(Move::Pass) => self.say(&format!("{engine} passes"))?,
            Choice::Move(Move::Play(_)) => {}
        }
        self.tell_result()
    }

    fn show(&mut self) -> io::Result<()> {
        let text = screen::draw(self.game, &self.look);
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{text}")?;
        self.output.flush()
    }

    fn tell_result(&mut self) -> io::Result<()> {
        if !self.game.is_over() {
            return Ok(());
        }
        let text = match self.game.gave_up() {
            Some(color) => format!("{color} gives up: {}", self.game.result().unwrap_or_default()),
            None => format!("both have passed: {}", messages::score(self.game.position())),
        };
        self.say(&format!("{text}\n{}", Refusal::Over))
    }

    /// What the engine would play in the person's place, and why.
    fn hint(&mut self) -> io::Result<()> {
        if self.game.is_over() {
            return self.say(&Refusal::Over.to_string());
        }
        let (play, result) = thinking(self.look, self.game, Game::hint);
        self.say(&messages::hint(play, &result, self.game.coordinate()))
    }

    fn save(&mut self, path: &str) -> io::Result<()> {
        let record = sgf::write(&self.game.record()) + "\n";
        match files::write(Path::new(path), record.as_bytes()) {
            Ok(()) => self.say(&format!("saved {path}")),
            Err(reason) => self.say(&reason),
        }
    }
}

/// The engine thinks, with a sign of life where somebody is looking. From that sign on a raised flag ends the thought; what
/// was raised before has stopped something else.
fn thinking<T>(look: Look, game: &mut Game, search: impl FnOnce(&mut Game) -> T) -> T {
    game.stop_flag().store(false, Ordering::Relaxed);
    let search = || search(game);
    if look.is_interactive { progress::spinning("thinking (Ctrl-C: move now)", search) } else { search() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::kernel::{Color, Coordinate, GameRule, Position};
    use crate::player::Options;

    #[test]
    fn a_flag_ends_a_thought_that_it_was_raised_in_and_no_other() {
        let position = Position::new(Coordinate::square(5).unwrap(), GameRule::with_komi(0.5), 0, Color::Black);
        let mut game =
            Game::new(position, Color::White, Options { max_playouts: 3000, seed: 1, ..Options::default() }, None);
        let raise = |game: &Game| game.stop_flag().store(true, Ordering::Relaxed);
        // before the search has begun, too: the sign of life may have been seen already
        let (_, cut) = thinking(Look::default(), &mut game, |game| {
            raise(game);
            game.hint()
        });
        assert!(cut.playouts < 3000, "{}", cut.playouts);
        raise(&game);
        assert_eq!(thinking(Look::default(), &mut game, Game::hint).1.playouts, 3000);
    }
}
