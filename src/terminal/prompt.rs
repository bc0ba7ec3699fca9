//! Input at a terminal through `rustyline`: line editing, history, completion; and colours for drawn boards.
//!
//! While an analysis without a move runs (`lz-analyze`, `kata-analyze`), the editor reads the next line on a thread of
//! its own. The line, or Ctrl-C, stops the analysis.

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

use crate::gtp::table::COMMANDS;
use crate::io::files::state_folder;
use crate::protocol::line::{MAX_LINE, RawLine};
use crate::protocol::reader::CommandSource;
use crate::search::StopSignal;
use crate::terminal::echo::EchoOff;
use crate::terminal::play::{Console, Typed, UserReply, first_line};
use crate::terminal::progress;

/// Maximum number of lines in the history.
const MAX_HISTORY: usize = 1000;

/// The text before each GTP command that is typed.
const GTP_PROMPT: &str = "> ";

/// Lines typed at a terminal.
pub(crate) struct TerminalLines {
    editor: Editor<WordCompleter, FileHistory>,
    prompt: String,
    /// The file of the history; `None` if it is not kept between runs.
    history: Option<PathBuf>,
    /// A line, or the end of input, that was read while an analysis ran.
    next: Option<io::Result<Option<RawLine>>>,
}

impl TerminalLines {
    /// An editor for GTP commands on this process's terminal, with the history of earlier runs.
    ///
    /// # Errors
    /// If the terminal cannot be set up.
    pub(crate) fn for_gtp() -> io::Result<TerminalLines> {
        let mut lines = TerminalLines::new(GTP_PROMPT.to_owned(), command_names)?;
        let folder = state_folder();
        let folder = folder.filter(|folder| fs::create_dir_all(folder).is_ok());
        lines.history = folder.map(|folder| folder.join("history"));
        if let Some(history) = &lines.history {
            // missing at the first run; a damaged one is ignored
            let _ = lines.editor.load_history(history);
        }
        Ok(lines)
    }

    /// An editor on this process's terminal, without a history file. `words` maps the text before the current word to
    /// the words that can complete it.
    ///
    /// # Errors
    /// If the terminal cannot be set up.
    pub(crate) fn new(prompt: String, words: fn(&str) -> Vec<&'static str>) -> io::Result<TerminalLines> {
        let config = Config::builder().max_history_size(MAX_HISTORY).map_err(io::Error::other)?;
        // otherwise a paste of several lines would arrive as one
        let config = config.bracketed_paste(false).build();
        let mut editor = Editor::with_config(config).map_err(io::Error::other)?;
        editor.set_helper(Some(WordCompleter(words)));
        Ok(TerminalLines { editor, prompt, history: None, next: None })
    }

    /// Lets the person edit a line after a prompt.
    fn edit(&mut self, prompt: &str) -> io::Result<Typed<String>> {
        match self.editor.readline(prompt) {
            Ok(line) => Ok(Typed::Line(line)),
            Err(ReadlineError::Interrupted) => Ok(Typed::Interrupted),
            Err(ReadlineError::Eof) => Ok(Typed::End),
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                progress::write_stderr(format_args!("a byte that is not UTF-8: the line is dropped"));
                Ok(Typed::Line(String::new()))
            }
            Err(ReadlineError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }

    /// Reads a command after a prompt, and adds it to the history.
    fn read(&mut self, prompt: &str) -> io::Result<Typed<RawLine>> {
        Ok(self.edit(prompt)?.map(|line| {
            let is_new = !line.trim().is_empty() && self.editor.add_history_entry(line.as_str()).unwrap_or(false);
            if let (true, Some(history)) = (is_new, &self.history) {
                // a failed write costs one line of the history only
                let _ = self.editor.append_history(history);
            }
            let mut bytes = line.into_bytes();
            let length = bytes.len();
            bytes.truncate(MAX_LINE);
            RawLine { bytes, length }
        }))
    }
}

impl Console for TerminalLines {
    fn screen_size(&mut self) -> Option<(usize, usize)> {
        let (columns, rows) = self.editor.dimensions()?;
        // where the system does not know the rows, the editor takes the greatest number for them
        (rows < u16::MAX).then_some((columns.into(), rows.into()))
    }

    fn set_prompt(&mut self, prompt: String) {
        self.prompt = prompt;
    }

    fn ask(&mut self, question: &str) -> io::Result<UserReply> {
        Ok(self.edit(question)?.into())
    }

    fn hold_keys(&self) -> Option<EchoOff> {
        Some(EchoOff::hold())
    }
}

impl CommandSource for TerminalLines {
    fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        if let Some(next) = self.next.take() {
            return next;
        }
        let prompt = self.prompt.clone();
        first_line(|| self.read(&prompt))
    }

    /// A line stops a search that stops on input; Ctrl-C stops any search, by the flag of the stop signal.
    fn run_until_next_line<T>(
        &mut self,
        stop_signal: &StopSignal,
        work: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        stop_signal.attach_reader();
        let read = || {
            // the lines of the analysis would break a prompt
            let typed = self.read("");
            if matches!(&typed, Ok(Typed::Interrupted)) {
                stop_signal.flag().store(true, Ordering::Relaxed);
            }
            stop_signal.detach_reader();
            typed
        };
        let (done, typed) = thread::scope(|scope| {
            let reader = scope.spawn(read);
            (work(), reader.join())
        });
        self.next = Some(match typed.unwrap_or_else(|_| Err(io::Error::other("reading failed"))) {
            Ok(Typed::Line(line)) => Ok(Some(line)),
            Ok(Typed::Interrupted) => Ok(Some(RawLine::default())),
            Ok(Typed::End) => Ok(None),
            Err(error) => Err(error),
        });
        done
    }
}

/// GTP commands at a terminal without line editing: lines of another source, with the prompt before each that is awaited.
pub(crate) struct PromptedLines<S, W> {
    lines: S,
    output: W,
    /// Whether the next line was read while an analysis ran.
    is_read: bool,
}

impl<S, W: io::Write> PromptedLines<S, W> {
    /// Lines of a source; the prompt is written to `output`.
    pub(crate) fn new(lines: S, output: W) -> PromptedLines<S, W> {
        PromptedLines { lines, output, is_read: false }
    }
}

impl<S: CommandSource, W: io::Write> CommandSource for PromptedLines<S, W> {
    fn next_line(&mut self) -> io::Result<Option<RawLine>> {
        if !std::mem::take(&mut self.is_read) {
            self.output.write_all(GTP_PROMPT.as_bytes())?;
            self.output.flush()?;
        }
        self.lines.next_line()
    }

    fn run_until_next_line<T>(
        &mut self,
        stop_signal: &StopSignal,
        work: impl FnOnce() -> io::Result<T>,
    ) -> io::Result<T> {
        let done = self.lines.run_until_next_line(stop_signal, work)?;
        self.is_read = true;
        Ok(done)
    }
}

/// Runs a GTP command. Keys that are typed meanwhile wait, and a spinner on stderr shows that a long one works.
pub(crate) fn busy(work: &mut dyn FnMut()) {
    let _held = EchoOff::hold();
    progress::with_late_spinner("working (Ctrl-C: stop)", work);
}

/// GTP command names, for the first word and the argument of `help` and `known_command`.
fn command_names(before: &str) -> Vec<&'static str> {
    match before.trim() {
        "" | "help" | "known_command" => COMMANDS.iter().map(|command| command.name).collect(),
        _ => Vec::new(),
    }
}

/// Completes the word at the cursor, from the words that the function returns for the text before it. Nothing is completed
/// where no letter was typed, so that a pasted tab adds no word.
struct WordCompleter(fn(&str) -> Vec<&'static str>);

impl Completer for WordCompleter {
    type Candidate = String;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..at).unwrap_or(line);
        let start = typed.rfind([' ', '\t']).map_or(0, |space| space + 1);
        let (before, prefix) = typed.split_at(start);
        let is_typed = !prefix.trim().is_empty();
        let words = (self.0)(before).into_iter().filter(|word| is_typed && word.starts_with(prefix));
        Ok((start, words.map(str::to_owned).collect()))
    }
}

impl Hinter for WordCompleter {
    type Hint = String;
}

impl Highlighter for WordCompleter {}
impl Validator for WordCompleter {}
impl Helper for WordCompleter {}

/// Adds colours to the stones of drawn boards in an answer. Only lines that start with a rank are board rows, so that
/// the letters `x` and `o` of other text stay plain.
pub(crate) fn paint(answer: &str) -> String {
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
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::protocol::line::StreamLines;

    #[test]
    fn a_prompt_is_written_before_each_line_that_is_awaited() {
        let mut output = Vec::new();
        let mut lines = PromptedLines::new(StreamLines::new(&b"name\nlz-analyze\nquit\n"[..]), &mut output);
        let next = |lines: &mut PromptedLines<_, _>| lines.next_line().unwrap().map(|line| line.bytes);
        assert_eq!(next(&mut lines).unwrap(), b"name");
        assert_eq!(next(&mut lines).unwrap(), b"lz-analyze");
        // the line that ends an analysis was not awaited at a prompt
        lines.run_until_next_line(&StopSignal::default(), || Ok(())).unwrap();
        assert_eq!(next(&mut lines).unwrap(), b"quit");
        assert_eq!(next(&mut lines), None);
        assert_eq!(output, b"> > > ");
    }

    #[test]
    fn paints_stones_in_board_rows_only() {
        let plain = "= board:'''\n.     ABCDO\n.  1 +x.o+\n.    +++++\n. '''\nto move: black\n\n";
        let painted = paint(plain);
        let escapes = painted.matches('\u{1b}').count();
        assert!(escapes >= 4, "{painted:?}");
        assert_eq!(painted.lines().filter(|line| line.contains('\u{1b}')).count(), 1, "{painted:?}");
    }
}
