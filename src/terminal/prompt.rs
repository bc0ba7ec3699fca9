//! A person at a terminal: line editing, history, completion of words, coloured stones.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::thread;

use anstyle::{AnsiColor, Reset, Style};
use rustyline::completion::Completer;
use rustyline::config::Config;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Context, Editor, Helper};

use crate::gtp::commands::table::COMMANDS;
use crate::protocol::line::{MAX_LINE, RawLine};
use crate::protocol::reader::Lines;
use crate::search::StopSignal;

/// How many lines the history keeps.
const HISTORY: usize = 1000;

/// Lines typed at a terminal.
pub struct TerminalLines {
    editor: Editor<Words, FileHistory>,
    /// What stands before a line.
    prompt: String,
    /// Where the history is kept between runs, if it is and there is a place for it.
    history: Option<PathBuf>,
    /// The line that ended an analysis, or the end of input.
    next: Option<io::Result<Option<RawLine>>>,
}

impl TerminalLines {
    /// An editor of commands on this process's terminal, with the history of earlier runs.
    ///
    /// # Errors
    /// If the terminal cannot be set up.
    pub fn of_commands() -> io::Result<TerminalLines> {
        let mut lines = TerminalLines::new(String::new(), command_names)?;
        let folder = dirs::state_dir().or_else(dirs::data_local_dir).map(|folder| folder.join("kifuwarabe-uec14"));
        let folder = folder.filter(|folder| fs::create_dir_all(folder).is_ok());
        lines.history = folder.map(|folder| folder.join("history"));
        if let Some(history) = &lines.history {
            // the first run has none yet, and a damaged one is no reason not to play
            let _ = lines.editor.load_history(history);
        }
        Ok(lines)
    }

    /// An editor on this process's terminal. `words` gives the words that may stand after what has been typed.
    ///
    /// # Errors
    /// If the terminal cannot be set up.
    pub fn new(prompt: String, words: fn(&str) -> Vec<&'static str>) -> io::Result<TerminalLines> {
        let config = Config::builder().max_history_size(HISTORY).map_err(io::Error::other)?;
        // lines that are pasted are lines, each of them
        let config = config.bracketed_paste(false).build();
        let mut editor = Editor::with_config(config).map_err(io::Error::other)?;
        editor.set_helper(Some(Words(words)));
        Ok(TerminalLines { editor, prompt, history: None, next: None })
    }

    fn read(&mut self) -> io::Result<Typed> {
        let line = match self.editor.readline(&self.prompt) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => return Ok(Typed::GivenUp),
            Err(ReadlineError::Eof) => return Ok(Typed::End),
            Err(ReadlineError::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(error)),
        };
        let is_new = !line.trim().is_empty() && self.editor.add_history_entry(line.as_str()).unwrap_or(false);
        if let (true, Some(history)) = (is_new, &self.history) {
            // a history that cannot be kept is no reason not to play
            let _ = self.editor.append_history(history);
        }
        let mut bytes = line.into_bytes();
        let length = bytes.len();
        bytes.truncate(MAX_LINE);
        Ok(Typed::Line(RawLine { bytes, length }))
    }
}

/// What a person at the editor did.
enum Typed {
    Line(RawLine),
    /// Ctrl-C.
    GivenUp,
    /// Ctrl-D, or the terminal is gone.
    End,
}

impl Lines for TerminalLines {
    fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        if let Some(next) = self.next.take() {
            return next;
        }
        loop {
            match self.read()? {
                Typed::Line(line) => return Ok(Some(line)),
                // the line in hand, not the game
                Typed::GivenUp => {}
                Typed::End => return Ok(None),
            }
        }
    }

    /// A line, or Ctrl-C, ends what gives way to the next line; Ctrl-C ends a choice of a move, too.
    fn meanwhile<T>(&mut self, stop_signal: &StopSignal, work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        stop_signal.listen();
        let read = || {
            let typed = self.read();
            if matches!(&typed, Ok(Typed::GivenUp)) {
                stop_signal.flag().store(true, Ordering::Relaxed);
            }
            stop_signal.stop_listening();
            typed
        };
        let (done, typed) = thread::scope(|scope| {
            let reader = scope.spawn(read);
            (work(), reader.join())
        });
        self.next = Some(match typed.unwrap_or_else(|_| Err(io::Error::other("reading failed"))) {
            Ok(Typed::Line(line)) => Ok(Some(line)),
            Ok(Typed::GivenUp) => Ok(Some(RawLine::default())),
            Ok(Typed::End) => Ok(None),
            Err(error) => Err(error),
        });
        done
    }
}

/// The names of commands, as first words and after `help` and `known_command`.
fn command_names(before: &str) -> Vec<&'static str> {
    match before.trim() {
        "" | "help" | "known_command" => COMMANDS.iter().map(|command| command.name).collect(),
        _ => Vec::new(),
    }
}

/// Completes words: gives those that may stand after what has been typed.
struct Words(fn(&str) -> Vec<&'static str>);

impl Completer for Words {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..at).unwrap_or(line);
        let start = typed.rfind(' ').map_or(0, |space| space + 1);
        let (before, prefix) = typed.split_at(start);
        let words = (self.0)(before).into_iter().filter(|word| word.starts_with(prefix));
        Ok((start, words.map(str::to_owned).collect()))
    }
}

impl Hinter for Words {
    type Hint = String;
}

impl Highlighter for Words {}
impl Validator for Words {}
impl Helper for Words {}

/// Colours the stones of a drawn board, and only what stands where a stone can: the rows with a rank.
pub fn paint(answer: &str) -> String {
    let black = Style::new().bold().fg_color(Some(AnsiColor::Cyan.into()));
    let white = Style::new().bold().fg_color(Some(AnsiColor::Yellow.into()));
    let mut painted = String::with_capacity(answer.len() * 2);
    for line in answer.split_inclusive('\n') {
        let is_row = line.trim_start_matches(['.', ' ']).starts_with(|first: char| first.is_ascii_digit());
        for character in line.chars() {
            let style = match character {
                'x' | 'X' if is_row => black,
                'o' | 'O' if is_row => white,
                _ => {
                    painted.push(character);
                    continue;
                }
            };
            painted.push_str(&format!("{style}{character}{Reset}"));
        }
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stones_are_painted() {
        let plain = "= board:'''\n.     ABCDO\n.  1 +x.o+\n.    +++++\n. '''\nto move: black\n\n";
        let painted = paint(plain);
        let escapes = painted.matches('\u{1b}').count();
        assert!(escapes >= 4, "{painted:?}");
        assert_eq!(painted.lines().filter(|line| line.contains('\u{1b}')).count(), 1, "{painted:?}");
    }
}
