//! The loop of a game at the terminal: reads a line, executes it, and writes the board and messages.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use crate::gtp::commands::time::typed_time_settings;
use crate::io::files;
use crate::kernel::Move;
use crate::player::level::STRONGEST;
use crate::player::{Choice, FinalScore};
use crate::protocol::line::clean;
use crate::sgf::{self, GameTree, PlayablePart};
use crate::terminal::play::command::{self, PlayCommand};
use crate::terminal::play::console::{Console, UserReply};
use crate::terminal::play::error::PlayError;
use crate::terminal::play::game::{End, TerminalGame};
use crate::terminal::play::messages;
use crate::terminal::play::screen::{self, BoardStyle};
use crate::terminal::play::start::NewGame;
use crate::terminal::progress::{self, ProgressBar};
use crate::text::plural::counted;
use crate::text::quote;

/// Runs a game until `quit` or the end of input.
///
/// # Errors
/// If reading or writing fails. A broken output pipe ends the game without an error.
pub(crate) fn run(
    game: &mut TerminalGame,
    console: &mut impl Console,
    output: &mut impl Write,
    style: BoardStyle,
) -> io::Result<()> {
    match (Session { game, console, output, style, file: None }).run() {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        outcome => outcome,
    }
}

/// A game, its input and its output.
struct Session<'a, C, W> {
    game: &'a mut TerminalGame,
    console: &'a mut C,
    output: &'a mut W,
    style: BoardStyle,
    /// The file that this game was last saved to; it is replaced without a question.
    file: Option<PathBuf>,
}

impl<C: Console, W: Write> Session<'_, C, W> {
    fn run(&mut self) -> io::Result<()> {
        self.make_room()?;
        self.begin_game(Some("type a point such as D4, or help"))?;
        loop {
            self.console.set_prompt(format!("{}> ", self.game.person()));
            self.game.begin_turn();
            let line = self.console.next_line()?;
            let is_late = self.game.is_out_of_time();
            if is_late {
                self.draw_board()?;
                self.write_result()?;
            }
            let Some(line) = line else { if self.may_lose_game(Departure::Leave)? { break } else { continue } };
            let line = clean(&line.bytes);
            match PlayCommand::parse(&line, self.game.coordinate()) {
                Err(message) => self.write(&message)?,
                Ok(None) => {}
                Ok(Some(PlayCommand::Quit)) => {
                    if self.may_lose_game(Departure::Leave)? {
                        break;
                    }
                }
                // the result, which says that the game is over, is the answer
                Ok(Some(PlayCommand::Move(_) | PlayCommand::Hint | PlayCommand::Score | PlayCommand::Resign))
                    if is_late => {}
                Ok(Some(command)) => self.execute(command)?,
            }
        }
        Ok(())
    }

    fn execute(&mut self, command: PlayCommand<'_>) -> io::Result<()> {
        // the person does not pay for searches that are not moves
        if matches!(command, PlayCommand::Hint | PlayCommand::Score | PlayCommand::Review) {
            self.game.pause_clock();
        }
        match command {
            PlayCommand::Move(play) => match self.game.play(play) {
                Ok(()) => {
                    self.draw_board()?;
                    self.play_engine_turn()
                }
                Err(error) => self.write(&error.to_string()),
            },
            PlayCommand::Undo => self.step(TerminalGame::undo),
            PlayCommand::Redo => self.step(TerminalGame::redo),
            PlayCommand::Resign => match self.game.resign() {
                Ok(()) => self.write_result(),
                Err(error) => self.write(&error.to_string()),
            },
            PlayCommand::Hint => self.hint(),
            PlayCommand::Score => self.score(),
            PlayCommand::Review => self.review(),
            PlayCommand::Save { path, overwrite } => self.save(path, overwrite),
            PlayCommand::Load(path) => self.load(path),
            PlayCommand::New(options) => self.new_game(options),
            PlayCommand::Level(level) => self.level(level),
            PlayCommand::Clock(settings) => self.clock(settings),
            PlayCommand::Board => self.draw_board(),
            PlayCommand::Help(command) => self.write(&command::help(command)),
            PlayCommand::Quit => Ok(()),
        }
    }

    /// Undoes or redoes.
    fn step(&mut self, step: impl FnOnce(&mut TerminalGame) -> Result<(), PlayError>) -> io::Result<()> {
        match step(self.game) {
            Ok(()) => {
                self.draw_board()?;
                self.write_result()
            }
            Err(error) => self.write(&error.to_string()),
        }
    }

    /// Shows the board of a game that begins, and lets the engine move if it is its turn; then writes a message, and how
    /// the rules differ from those of their name. A board drawn after a message would erase it at a terminal.
    fn begin_game(&mut self, message: Option<&str>) -> io::Result<()> {
        self.draw_board()?;
        self.play_engine_turn()?;
        if let Some(message) = message {
            self.write(message)?;
        }
        match self.game.position().rule().approximation_note() {
            Some(note) => self.write(note),
            None => Ok(()),
        }
    }

    /// Lets the engine move if it is its turn. Writes the result of a game that is over.
    fn play_engine_turn(&mut self) -> io::Result<()> {
        if !self.game.is_engines_turn() {
            return self.write_result();
        }
        let engine = self.game.person().opponent();
        let choice = self.search(MOVING, TerminalGame::play_engine_move);
        self.draw_board()?;
        if choice == Choice::Move(Move::Pass) && self.game.end().is_none() {
            self.write(&format!("{engine} passes"))?;
        }
        self.write_result()
    }

    /// Runs a search with a spinner beside `text`; keys that are typed meanwhile wait.
    fn search<T>(&mut self, text: &str, search: impl FnOnce(&mut TerminalGame) -> T) -> T {
        let _held = self.console.hold_keys();
        search_with_spinner(self.style, text, self.game, search)
    }

    /// Counts the score with a spinner, if it takes long; `None` if Ctrl-C stops it.
    fn count(&mut self) -> Option<FinalScore> {
        let _held = self.console.hold_keys();
        self.game.stop_flag().store(false, Ordering::Relaxed);
        let count = || self.game.final_score().ok();
        if self.style.is_interactive { progress::with_late_spinner(COUNTING, count) } else { count() }
    }

    /// Scrolls what the terminal shows out of the way, so that the board does not overwrite it.
    fn make_room(&mut self) -> io::Result<()> {
        match self.console.screen_size() {
            Some((_, rows)) if self.style.is_interactive => write!(self.output, "{}", "\n".repeat(rows)),
            _ => Ok(()),
        }
    }

    fn draw_board(&mut self) -> io::Result<()> {
        let text = screen::draw(self.game, self.style, self.console.screen_size());
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        let text = quote::lines(text);
        let text = match self.console.screen_size().filter(|_| self.style.is_interactive) {
            Some((columns, _)) => textwrap::fill(&text, columns),
            None => text,
        };
        writeln!(self.output, "{text}")?;
        self.output.flush()
    }

    /// Writes the result, if the game is over.
    fn write_result(&mut self) -> io::Result<()> {
        if !self.game.is_over() {
            return Ok(());
        }
        let result = |game: &TerminalGame| game.result().unwrap_or_default();
        let text = match self.game.end() {
            Some(End::Resignation(color)) => format!("{color} resigns: {}", result(self.game)),
            Some(End::Time(color)) => format!("{color} has no time left and loses: {}", result(self.game)),
            None => match self.count() {
                Some(final_score) => format!("both passed: {}", messages::score(self.game.position(), &final_score)),
                None => format!("both passed; {COUNT_STOPPED}"),
            },
        };
        self.write(&format!("{text}\n{}", PlayError::GameOver))
    }

    fn hint(&mut self) -> io::Result<()> {
        if self.game.is_over() {
            return self.write(&PlayError::GameOver.to_string());
        }
        let hint = self.search(ANALYZING, TerminalGame::hint);
        self.write(&messages::hint(self.game.position(), &hint))
    }

    fn score(&mut self) -> io::Result<()> {
        if self.game.end().is_some() {
            return self.write_result();
        }
        let Some(final_score) = self.count() else { return self.write(COUNT_STOPPED) };
        let text = match self.game.position().is_over() {
            true => messages::score(self.game.position(), &final_score),
            false => match self.search(ANALYZING, TerminalGame::estimate) {
                (_, true) if final_score.is_finished => messages::score(self.game.position(), &final_score),
                (result, _) => messages::estimate(self.game.position(), &final_score, &result),
            },
        };
        self.write(&text)
    }

    fn review(&mut self) -> io::Result<()> {
        if !self.game.position().record().items().iter().any(|item| item.color == self.game.person()) {
            return self.write("there is no move of yours to review");
        }
        self.game.stop_flag().store(false, Ordering::Relaxed);
        let held = self.console.hold_keys();
        let bar = ProgressBar::start();
        let review = self.game.review(|done, total| bar.show(done, total));
        drop((bar, held));
        match review {
            Some(review) => self.write(&messages::review(self.game.position(), &review)),
            None => self.write("review stopped"),
        }
    }

    fn level(&mut self, level: Option<u64>) -> io::Result<()> {
        if let Some(level) = level {
            self.game.options_mut().level = level;
        }
        self.write(&format!("level {} of {STRONGEST}", self.game.options().level))
    }

    fn clock(&mut self, settings: &str) -> io::Result<()> {
        if !settings.is_empty() {
            match typed_time_settings(settings) {
                Ok(settings) => self.game.set_clock(settings),
                Err(message) => return self.write(&message),
            }
        }
        match self.clock_text() {
            Some(times) => self.write(&times),
            None => self.write(
                "no clock: after clock byoyomi 600 30 5 each player has 10 minutes, then 5 periods of 30 seconds",
            ),
        }
    }

    /// The times of both players; `None` without a clock.
    fn clock_text(&self) -> Option<String> {
        let person = self.game.person();
        let (own, engine) = (self.game.time_text(person)?, self.game.time_text(person.opponent())?);
        Some(format!("your time {own}, the engine's {engine}"))
    }

    fn new_game(&mut self, options: &str) -> io::Result<()> {
        let new_game = match NewGame::parse(self.game, options) {
            Ok(new_game) => new_game,
            Err(message) => return self.write(&message),
        };
        if !self.may_lose_game(Departure::New)? {
            return Ok(());
        }
        new_game.begin(self.game);
        self.begin_other_game(Vec::new())
    }

    fn load(&mut self, path: &str) -> io::Result<()> {
        let read = || -> Result<_, String> {
            // the message names the file
            let bytes = files::read(files::in_home(path)).map_err(|error| error.problem().to_owned())?;
            let record = sgf::read(&bytes).map_err(|error| error.to_string())?;
            let defaults = sgf::defaults_for(&record, self.game.new_game_position());
            let playable = sgf::playable_part(&record, &defaults).map_err(|error| error.to_string())?;
            let tree = GameTree::read(&bytes).map_err(|error| error.to_string())?;
            Ok((record, playable, tree, sgf::has_several_games(&bytes)))
        };
        let (record, PlayablePart { position, illegal }, tree, has_several) = match read() {
            Ok(game) => game,
            Err(reason) => return self.write(&format!("cannot load {path}: {reason}")),
        };
        if !self.may_lose_game(Departure::Load)? {
            return Ok(());
        }
        let person = self.game.color_in(&record);
        let moves = counted(position.record().len(), "move");
        let mut lines = vec![format!("loaded {path}: {moves}; you play {person}")];
        lines.extend(illegal.map(|illegal| format!("{path}: {}", illegal.warning())));
        lines.extend(record.known_result().map(|result| format!("the record's own result: {result}")));
        if has_several {
            lines.push("the file has several games: the first one is loaded, and save writes only that".to_owned());
        }
        lines.extend(sgf::unknown_settings(&record, position.rule()));
        self.game.continue_record(tree, position, person);
        self.begin_other_game(lines)
    }

    /// Begins a game after another one; `lines` announce it. The clock, which is not in a record, stays.
    fn begin_other_game(&mut self, mut lines: Vec<String>) -> io::Result<()> {
        self.file = None;
        lines.extend(self.clock_text().map(|times| format!("the clock is kept: {times}")));
        self.begin_game((!lines.is_empty()).then(|| lines.join("\n")).as_deref())
    }

    fn save(&mut self, path: &str, overwrite: bool) -> io::Result<()> {
        let file = files::in_home(path);
        if !overwrite && !self.may_replace(&file, path)? {
            return Ok(());
        }
        if self.game.end().is_none() && self.game.is_over() && self.count().is_none() {
            return self.write(&format!("not saved: {COUNT_STOPPED}"));
        }
        let record = self.game.sgf() + "\n";
        match files::write(&file, record.as_bytes()) {
            Ok(()) => {
                self.game.note_saved();
                self.file = Some(file);
                self.write(&format!("saved {path}"))
            }
            Err(error) => self.write(&error.to_string()),
        }
    }

    /// Whether a file may be written: it does not exist, holds this game, or the person says so. Where no one can be
    /// asked it is not replaced, because the moves of a pipe can be played again, and the file cannot.
    fn may_replace(&mut self, file: &Path, path: &str) -> io::Result<bool> {
        // a folder is refused when it is written
        if !file.exists() || file.is_dir() || self.file.as_deref().is_some_and(|own| files::is_same(own, file)) {
            return Ok(true);
        }
        match self.console.ask(&format!("{} exists: replace it (y/n)? ", quote::one_line(path)))? {
            UserReply::Text(answer) if is_yes(&answer) => Ok(true),
            UserReply::Text(_) | UserReply::End => self.write("not saved").map(|()| false),
            UserReply::NonInteractive => {
                self.write(&format!("{path} exists: save! {path} replaces it")).map(|()| false)
            }
        }
    }

    /// Whether the game may be lost: it is saved, the person says so, or no one can be asked. The end of the input
    /// (Ctrl-D) is a yes to leaving only.
    fn may_lose_game(&mut self, departure: Departure) -> io::Result<bool> {
        if !self.game.is_unsaved() {
            return Ok(true);
        }
        let action = departure.action();
        match self.console.ask(&format!("the game is not saved: {action} without saving (y/n)? "))? {
            UserReply::Text(answer) if is_yes(&answer) => Ok(true),
            UserReply::End if departure == Departure::Leave => Ok(true),
            UserReply::Text(_) | UserReply::End => self.write("the game goes on: save FILE writes it").map(|()| false),
            UserReply::NonInteractive => Ok(true),
        }
    }
}

/// An action that ends the present game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Departure {
    /// The program is left.
    Leave,
    /// A new game begins.
    New,
    /// A game is loaded.
    Load,
}

impl Departure {
    /// The action, for a question.
    fn action(self) -> &'static str {
        match self {
            Departure::Leave => "leave",
            Departure::New => "begin a new one",
            Departure::Load => "load another",
        }
    }
}

fn is_yes(answer: &str) -> bool {
    matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// The texts of the spinner: during a search for the engine's move, and during others.
const MOVING: &str = "thinking (Ctrl-C: move now)";
const ANALYZING: &str = "thinking (Ctrl-C: stop)";

/// The text of the spinner during a count.
const COUNTING: &str = "counting (Ctrl-C: stop)";

/// After a count that was stopped.
const COUNT_STOPPED: &str = "the count was stopped; score counts again";

/// Runs a search, with a spinner beside `text` at an interactive terminal. Lowers the stop flag first, before the
/// spinner appears: a Ctrl-C from the moment the spinner is visible stops this search, and an earlier one does not.
fn search_with_spinner<T>(
    style: BoardStyle,
    text: &str,
    game: &mut TerminalGame,
    search: impl FnOnce(&mut TerminalGame) -> T,
) -> T {
    game.stop_flag().store(false, Ordering::Relaxed);
    let search = || search(game);
    if style.is_interactive { progress::with_spinner(text, search) } else { search() }
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
        let stopped = search_with_spinner(BoardStyle::default(), MOVING, &mut game, |game| {
            raise(game);
            game.hint().result
        });
        assert!(stopped.playouts < 3000, "{}", stopped.playouts);
        raise(&game);
        let complete = search_with_spinner(BoardStyle::default(), MOVING, &mut game, TerminalGame::hint).result;
        assert_eq!(complete.playouts, 3000);
    }
}
